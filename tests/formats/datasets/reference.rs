//! The rows of a published generator, written by our own writer, answer its 21 questions as they are published.

use std::path::{Path, PathBuf};
use std::process::Command;

use engine::dataset::{Dataset, RankFile, StoredRows, file_columns};
use engine::query::{CellValue, SqlTable};
use serde_json::Value;

use super::engines;

/// The folder of questions and answers that `SYNCLINE_REFERENCE` names; nothing, and a word why, where it is not there.
fn folder() -> Option<PathBuf> {
    let named = std::env::var_os("SYNCLINE_REFERENCE").map(PathBuf::from);
    let folder = named.filter(|it| it.join("queries/expected").exists());
    if folder.is_none() {
        eprintln!("skipped: SYNCLINE_REFERENCE names no folder that has queries/expected");
    }
    folder
}

/// Makes the rows: two ranks of three steps, and one of a slower run.
fn generate(python: &Path, folder: &Path, target: &Path) {
    for arguments in [&["2", "3"][..], &["1", "3", "next", "1.15"]] {
        let mut script = Command::new(python);
        script
            .arg(folder.join("engines/make_dataset.py"))
            .arg(target)
            .args(arguments);
        assert!(script.output().unwrap().status.success());
    }
}

/// The rows of a table of a rank, as any reader of Parquet has them.
fn read(python: &Path, file: &Path) -> Vec<Vec<Value>> {
    let script = "import json,sys,pyarrow.parquet as pq\n\
        t=pq.read_table(sys.argv[1],partitioning=None)\n\
        json.dump([list(r) for r in zip(*(c.to_pylist() for c in t.columns))],sys.stdout)";
    let rows = engines::script(python, &["-c", script, &file.display().to_string()], "");
    let rows = rows.as_array().unwrap().iter();
    rows.map(|it| it.as_array().unwrap().clone()).collect()
}

fn cell(value: &Value) -> CellValue<'_> {
    match value {
        Value::Null => CellValue::Null,
        Value::String(text) => CellValue::Text(text),
        Value::Number(number) => match number.as_i64() {
            Some(whole) => CellValue::Integer(whole),
            None => CellValue::Real(number.as_f64().unwrap()),
        },
        other => panic!("{other} is no value of a table"),
    }
}

/// Writes the tables of a rank with our own writer.
fn write(python: &Path, from: &Path, (run, rank): (&str, u32), target: &Path) {
    let dataset = Dataset::open(target, run.parse().unwrap()).unwrap();
    let rows = |table: &SqlTable| {
        let name = table.name;
        let path = format!("{name}/run={run}/rank={rank}/part-0.parquet");
        let columns = file_columns(table);
        let mut stored = StoredRows::new(&columns);
        for row in read(python, &from.join(path)) {
            let mut values: Vec<CellValue<'_>> = row.iter().map(cell).collect();
            if columns.last().is_some_and(|it| it.name == "rank") {
                values.push(CellValue::Integer(i64::from(rank)));
            }
            stored.push(&values);
        }
        stored
    };
    let file = RankFile {
        rank,
        path: "generated",
        content: None,
    };
    let written = dataset.write_rows(&file, &rows).unwrap();
    dataset.commit(0, &mut [written], &|| false).unwrap();
}

/// Whether a value is the one that is published, which is a text of CSV.
fn is_same(found: &Value, published: &str) -> bool {
    match found {
        Value::Null => published == "NULL",
        Value::String(text) => text == published,
        Value::Number(number) => {
            let (a, b) = (number.as_f64().unwrap(), published.parse::<f64>());
            number.to_string() == published
                || b.is_ok_and(|b| (a - b).abs() <= 1e-9 * a.abs().max(b.abs()))
        }
        _ => false,
    }
}

fn published(python: &Path, file: &Path) -> Vec<Vec<String>> {
    let script =
        "import csv,json,sys\njson.dump(list(csv.reader(open(sys.argv[1],newline=''))),sys.stdout)";
    let rows = engines::script(python, &["-c", script, &file.display().to_string()], "");
    serde_json::from_value(rows).unwrap()
}

#[test]
fn published_rows_answer_published_questions() {
    let (Some(python), Some(folder)) = (engines::python(), folder()) else {
        return;
    };
    let work = tempfile::tempdir().unwrap();
    let (made, target) = (work.path().join("made"), work.path().join("written"));
    generate(&python, &folder, &made);
    for key in [("base", 0), ("base", 1), ("next", 0)] {
        write(&python, &made, key, &target);
    }
    let questions = std::fs::read_dir(folder.join("queries")).unwrap();
    let questions = questions.map(|it| it.unwrap().path());
    let questions: Vec<PathBuf> = questions
        .filter(|it| it.extension().is_some_and(|it| it == "sql"))
        .collect();
    assert_eq!(questions.len(), 21);
    for engine in ["duckdb", "datafusion", "sqlite"] {
        let answers = engines::ask(&python, engine, &target, &questions, "");
        for question in &questions {
            let name = question.file_stem().unwrap().to_string_lossy();
            let expected = published(
                &python,
                &folder.join(format!("queries/expected/{name}.csv")),
            );
            let found = &answers[&*name];
            let place = format!("{name} on {engine}");
            assert_eq!(found["columns"], serde_json::json!(expected[0]), "{place}");
            let rows = found["rows"].as_array().unwrap();
            assert_eq!(rows.len(), expected.len() - 1, "{place}");
            for (row, wanted) in rows.iter().zip(&expected[1..]) {
                let same = row
                    .as_array()
                    .unwrap()
                    .iter()
                    .zip(wanted)
                    .all(|(a, b)| is_same(a, b));
                assert!(same, "{place}: {row}, not {wanted:?}");
            }
        }
    }
}

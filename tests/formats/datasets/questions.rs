//! The bundled questions over a dataset, on two engines, against the same questions over the open capture.

use std::path::{Path, PathBuf};

use engine::query::questions;
use serde_json::Value;

use super::{capture, convert, engines};
use crate::formats::questions::{REAL, SMALL, answer};
use crate::formats::real::path;
use crate::house::root;

/// Columns of answers that hold ids, besides those whose names end so.
const IDS: &[&str] = &[
    "span_id",
    "lane_id",
    "for_id",
    "call_id",
    "before_id",
    "after_id",
];

/// The rows over the open capture, as the dataset has them: its ids are the rank's, and its clock is the one that ranks share.
fn expected(capture: &str, (rank, origin): (i64, i64), question: &str) -> Vec<Vec<Value>> {
    let out = answer(&["query", capture, "-q", question, "--format", "json"]);
    let found = questions().iter().find(|it| it.name == question).unwrap();
    let value = |object: &Value, column: &str| {
        let value = object[column].clone();
        let is_instant = column == "ts" || (question == "first-and-last" && column == "over_ns");
        match (column, value.as_i64()) {
            ("rank" | "last_rank", Some(_)) => rank.into(),
            ("run", _) => "base".into(),
            (column, Some(id)) if IDS.contains(&column) => (id + (rank << 32)).into(),
            (_, Some(time)) if is_instant => (time + origin).into(),
            _ => value,
        }
    };
    let row = |line: &str| {
        let object: Value = serde_json::from_str(line).unwrap();
        let columns = found.columns();
        columns.iter().map(|it| value(&object, it)).collect()
    };
    out.lines().map(row).collect()
}

/// Whether two values are the same; fractions to nine digits, since sums may be taken in another order.
fn is_same(a: &Value, b: &Value) -> bool {
    if a == b {
        return true;
    }
    let is_whole = |it: &Value| it.is_i64() || it.is_u64();
    match (a.as_f64(), b.as_f64()) {
        (Some(x), Some(y)) if !is_whole(a) || !is_whole(b) => {
            (x - y).abs() <= 1e-9 * x.abs().max(y.abs())
        }
        _ => false,
    }
}

fn origin(capture: &str) -> i64 {
    let sql = "SELECT coalesce(clock_origin_ns, 0) AS origin FROM captures";
    let out = answer(&["query", capture, sql, "--format", "csv"]);
    out.lines().nth(1).unwrap().parse().unwrap()
}

/// A dataset of a copy of a capture, whose name says rank 3, and the rank that it became: its own where it says that.
fn dataset(capture: &str) -> (tempfile::TempDir, i64) {
    let folder = tempfile::tempdir().unwrap();
    let name = Path::new(capture).file_name().unwrap().to_string_lossy();
    let copy = folder.path().join(format!("rank3.{name}"));
    std::fs::copy(capture, &copy).unwrap();
    let copy = copy.display().to_string();
    let pattern = r"/rank(\d+)\.[^/]*$";
    let more = [copy.as_str(), "--run", "base", "--rank-from", pattern];
    let (_, out, err) = convert(folder.path(), &more);
    assert!(out.contains("1 written"), "{out}{err}");
    let ranks = std::fs::read_dir(folder.path().join("spans/run=base")).unwrap();
    let names: Vec<String> = ranks
        .map(|it| it.unwrap().file_name().into_string().unwrap())
        .collect();
    let rank = names[0].strip_prefix("rank=").unwrap().parse().unwrap();
    (folder, rank)
}

/// Asks every question of every engine; says how many had rows.
fn compare(python: &Path, capture: &str) -> usize {
    let (folder, rank) = dataset(capture);
    let queries = root().join("assets/queries");
    let file = |name: &str| queries.join(format!("{name}.sql"));
    let files: Vec<PathBuf> = questions().iter().map(|it| file(it.name)).collect();
    let answers = engines::ENGINES.iter().map(|engine| {
        let answer = engines::ask(python, engine, folder.path(), &files, "");
        (*engine, answer)
    });
    let answers: Vec<(&str, Value)> = answers.collect();
    let origin = origin(capture);
    let mut some = 0;
    for question in questions() {
        let expected = expected(capture, (rank, origin), question.name);
        some += usize::from(!expected.is_empty());
        for (engine, answer) in &answers {
            let answer = &answer[question.name];
            let place = format!("{capture}: {} on {engine}", question.name);
            assert_eq!(
                answer["columns"],
                Value::from(question.columns()),
                "{place}"
            );
            let rows = answer["rows"].as_array().unwrap();
            assert_eq!(rows.len(), expected.len(), "{place}: rows");
            for (row, (found, wanted)) in rows.iter().zip(&expected).enumerate() {
                let found = found.as_array().unwrap();
                let is_equal = found.iter().zip(wanted).all(|(a, b)| is_same(a, b));
                assert!(is_equal, "{place}, row {row}: {found:?}, not {wanted:?}");
            }
        }
    }
    some
}

#[test]
fn small_captures_answer_alike_on_every_engine() {
    let Some(python) = engines::python() else {
        return;
    };
    for name in SMALL {
        let some = compare(&python, &capture(name));
        eprintln!("{name}: {some} answers had rows");
    }
}

#[test]
fn real_captures_answer_alike_on_every_engine() {
    let Some(python) = engines::python() else {
        return;
    };
    for name in REAL {
        if let Some(capture) = path(name) {
            let some = compare(&python, &capture.display().to_string());
            eprintln!("{name}: {some} answers had rows");
        }
    }
}

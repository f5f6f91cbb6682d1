//! Answers as files, limits that hold inside a function and a sorter, and captures of several ranks.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use app::cli::{CUT, FINE, WRONG};
use serde_json::Value;

use super::datasets::engines;
use super::questions::{answer, syncline};
use crate::house::{program, root};

/// A small capture, which is always there.
fn small(name: &str) -> PathBuf {
    root().join("tests/data/captures").join(name)
}

/// Rows of every sort of value; the third column has texts and numbers.
const VALUES: &str = "SELECT 1 AS whole, 0.1 AS real, 'a' AS mixed, 9007199254740993 AS large, NULL AS absent, 'a' || char(10) || '\"' AS odd \
    UNION ALL SELECT -2, 94.52706955539223, 7, -9223372036854775808, NULL, '=1,ü'";

const READ: &str = "import json, sys, pyarrow.parquet as p\ntable = p.read_table(sys.argv[1])\n\
    print(json.dumps([[str(it.type) for it in table.schema], table.column_names, [list(it.values()) for it in table.to_pylist()]]))";

#[test]
fn an_answer_is_a_parquet_file_that_others_read() {
    let capture = small("torch-steps.json.gz").display().to_string();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("answer.parquet").display().to_string();
    let format = ["--format", "parquet"];
    let (code, _, err) = syncline(&[&["query", &capture, VALUES][..], &format].concat());
    assert!(code == WRONG && err.contains("--output FILE"), "{err}");
    let written = |sql: &str, format: &str| {
        let (code, out, err) = syncline(&["query", &capture, sql, "--format", format, "-o", &file]);
        assert!(code == FINE && out.is_empty(), "{out}{err}");
    };
    written(VALUES, "json");
    let text = std::fs::read_to_string(&file).unwrap();
    let rows: Vec<Value> = text
        .lines()
        .map(|it| serde_json::from_str(it).unwrap())
        .collect();
    assert_eq!(rows[0]["odd"], "a\n\"");
    let (code, _, err) = syncline(&["query", &capture, VALUES, "-o", &capture]);
    assert!(code == WRONG && !err.is_empty(), "{err}");
    let question = folder.path().join("question.sql").display().to_string();
    std::fs::write(&question, "SELECT 1 AS one").unwrap();
    let (code, _, err) = syncline(&["query", &capture, "-f", &question, "-o", &question]);
    assert!(code == WRONG && !err.is_empty(), "{err}");
    assert_eq!(
        std::fs::read_to_string(&question).unwrap(),
        "SELECT 1 AS one"
    );
    let Some(python) = engines::python() else {
        return;
    };
    written(VALUES, "parquet");
    let read = engines::script(&python, &["-c", READ, &file], "");
    let types = ["int64", "double", "string", "int64", "string", "string"];
    assert_eq!(read[0], Value::from(types.to_vec()));
    for (place, row) in rows.iter().enumerate() {
        let columns = read[1]
            .as_array()
            .unwrap()
            .iter()
            .zip(read[2][place].as_array().unwrap());
        for (name, value) in columns {
            let mut wanted = row[name.as_str().unwrap()].clone();
            if name == "mixed" && wanted == 7 {
                wanted = Value::from("7");
            }
            assert_eq!(*value, wanted, "{name}");
        }
    }
    written("SELECT id, name, ts FROM spans WHERE id < 0", "parquet");
    let read = engines::script(&python, &["-c", READ, &file], "");
    assert_eq!(read[1], Value::from(vec!["id", "name", "ts"]));
}

#[test]
fn a_question_is_ended_inside_a_function() {
    let capture = small("torch-steps.json.gz").display().to_string();
    // Each took minutes or for ever.
    for sql in [
        "SELECT instr(hex(zeroblob(2000000)), hex(zeroblob(1000000)) || '1')",
        "SELECT length(replace(hex(zeroblob(4000000)), hex(zeroblob(2000000)) || '1', 'z'))",
        "SELECT length(trim(hex(zeroblob(1000000)), replace(hex(zeroblob(100000)), '0', 'ab') || '0'))",
        "SELECT length(json_patch(x, x)) FROM (SELECT json_group_object(id, name) AS x FROM spans)",
        "SELECT replace(hex(zeroblob(4000000)), '0', hex(zeroblob(4000000)))",
    ] {
        let begin = Instant::now();
        let (code, _, err) = syncline(&["query", &capture, sql, "--max-time", "30"]);
        assert!(begin.elapsed() < Duration::from_mins(1), "{sql}");
        assert!([FINE, WRONG].contains(&code), "{sql}: {err}");
    }
}

/// The most memory that a question held, in bytes, as the system counts it.
fn peak(capture: &Path, (sql, options): (&str, &[&str]), megabytes: u64) -> Option<u64> {
    let script = "import resource, subprocess, sys\n\
        done = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)\n\
        print(done.returncode, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)";
    let mut python = Command::new("python3");
    python
        .args(["-c", script])
        .arg(program::syncline())
        .arg("query");
    let limit = megabytes.to_string();
    let output = python
        .arg(capture)
        .args([sql, "--max-memory", &limit])
        .args(options)
        .output();
    let text = String::from_utf8(output.ok()?.stdout).unwrap();
    let (code, kilobytes) = text.trim().split_once(' ').unwrap();
    assert!(
        [FINE, CUT]
            .map(|it| it.to_string())
            .contains(&code.to_owned()),
        "{sql}: {code}"
    );
    Some(kilobytes.parse::<u64>().unwrap() * 1_024)
}

#[test]
fn a_question_holds_no_more_memory_than_it_may() {
    let capture = small("torch-steps.json.gz");
    let Some(before) = peak(&capture, ("SELECT 1 AS one", &[]), 100) else {
        eprintln!("skipped: there is no python3 to ask the system how much memory a program held");
        return;
    };
    let copies = (0..40).map(|it| format!("group_concat(a.name || '{it}', 'i') AS text_{it}"));
    let copies = copies.collect::<Vec<_>>().join(", ");
    for sql in [
        "SELECT sum(a.dur) OVER (ORDER BY a.dur * b.dur) FROM spans a, spans b, spans c",
        "SELECT a.id || b.id || c.id FROM spans a, spans b, spans c EXCEPT SELECT 1",
        "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT x FROM c ORDER BY -x",
        "SELECT a.name AS a, b.name AS b FROM spans a, spans b, spans c ORDER BY a.dur * b.dur",
        &format!("SELECT {copies} FROM spans a, spans b WHERE b.id < 60"),
    ] {
        let held = peak(&capture, (sql, &[]), 100).unwrap() - before;
        // What the system hands out in pages, and what rows on their way take.
        assert!(held < 130_000_000, "{sql}: {held}");
    }
}

/// What whoever prints them keeps of rows counts, and rows that wait to be printed are few.
#[test]
fn rows_that_are_kept_or_wait_count_as_the_question_s() {
    let capture = small("torch-steps.json.gz");
    let Some(before) = peak(&capture, ("SELECT 1 AS one", &[]), 100) else {
        eprintln!("skipped: there is no python3 to ask the system how much memory a program held");
        return;
    };
    let long = "SELECT id, hex(zeroblob(900000)) AS text FROM spans";
    let many = "SELECT a.id, a.name, b.name AS other, a.ts + b.ts AS at FROM spans a, spans b";
    let folder = tempfile::tempdir().unwrap();
    let output = folder.path().join("rows").display().to_string();
    for sql in [long, many] {
        for format in ["table", "csv", "json", "parquet"] {
            for output in [&[][..], &["--output", &output]] {
                if format == "parquet" && output.is_empty() {
                    continue;
                }
                let options = [&["--format", format], output].concat();
                let held = peak(&capture, (sql, &options), 100).unwrap();
                let held = held.saturating_sub(before);
                assert!(held < 150_000_000, "{sql}, {options:?}: {held}");
            }
        }
    }
}

#[test]
fn a_capture_of_several_ranks_has_a_row_for_each() {
    let files = ["torch-gloo-rank0.json.gz", "torch-gloo-rank1.json.gz"];
    let files = files.map(|it| small(it).display().to_string());
    let sql = "SELECT c.rank, c.path, c.spans, count(*) AS found FROM captures c JOIN spans s ON s.run = c.run AND s.rank = c.rank \
        GROUP BY 1, 2, 3 ORDER BY 1";
    let out = answer(&["query", &files[0], &files[1], sql, "--format", "json"]);
    let rows: Vec<Value> = out
        .lines()
        .map(|it| serde_json::from_str(it).unwrap())
        .collect();
    assert_eq!(rows.len(), 2, "{out}");
    for (rank, row) in rows.iter().enumerate() {
        assert_eq!(
            (row["rank"].as_u64(), row["path"].as_str()),
            (Some(rank as u64), Some(files[rank].as_str()))
        );
        assert_eq!(row["spans"], row["found"], "{out}");
        let alone = answer(&[
            "query",
            &files[rank],
            "SELECT count(*) AS n FROM spans",
            "--format",
            "csv",
        ]);
        assert_eq!(alone, format!("n\n{}\n", row["spans"]));
    }
}

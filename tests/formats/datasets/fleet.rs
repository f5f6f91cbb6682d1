//! Questions to a dataset by way of `syncline fleet`: every engine answers alike, only whole ranks count, and what is wrong has words.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use engine::query::questions;
use serde_json::Value;

use super::ranks_model::{self, LATE, LATENESS, OUTLIER, STEPS};
use super::{convert, engines, pair};
use crate::house::program::syncline as program;

/// The exit codes.
pub(super) const FINE: i32 = 0;
pub(super) const WRONG: i32 = 2;
pub(super) const CUT: i32 = 3;

/// A run of the program, whose Python is the one with the engines.
pub(super) fn fleet(folder: &Path, more: &[&str]) -> (i32, String, String) {
    let python = engines::python().unwrap_or_else(|| "/no/python".into());
    let mut command = Command::new(program());
    command.arg("fleet").arg(folder).args(more);
    finished(command.env("SYNCLINE_PYTHON", python).output().unwrap())
}

fn finished(output: Output) -> (i32, String, String) {
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    let code = output.status.code().unwrap();
    (code, text(output.stdout), text(output.stderr))
}

/// The engines that can be asked here.
pub(super) fn asked() -> Vec<&'static str> {
    let others = engines::python().map(|_| engines::ENGINES);
    let mut all = vec!["sqlite"];
    all.extend(others.unwrap_or_default());
    all
}

fn objects(lines: &str) -> Vec<Value> {
    lines
        .lines()
        .map(|it| serde_json::from_str(it).unwrap())
        .collect()
}

/// A dataset of ranks of the model.
pub(super) fn modelled(ranks: u32) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let captures = folder.path().join("captures");
    fs::create_dir(&captures).unwrap();
    ranks_model::write(&captures, ranks);
    let from = captures.display().to_string();
    let target = folder.path().join("dataset");
    let (code, out, err) = convert(&target, &[&from, "--run", "base"]);
    assert_eq!(code, 0, "{out}{err}");
    folder
}

#[test]
fn every_engine_gives_the_rows_of_every_bundled_question() {
    let folder = tempfile::tempdir().unwrap();
    let (code, out, err) = convert(folder.path(), &pair().each_ref().map(String::as_str));
    assert_eq!(code, 0, "{out}{err}");
    for question in questions() {
        let mut first = None;
        for engine in asked() {
            let asked = ["-q", question.name, "--engine", engine, "--format", "json"];
            let (code, out, err) = fleet(folder.path(), &asked);
            assert_eq!(code, FINE, "{engine}, {}: {err}", question.name);
            assert!(err.contains("run run: ranks 0,1 (2 of 2)\n"), "{err}");
            let found = objects(&out);
            let first = first.get_or_insert_with(|| found.clone());
            assert_eq!(first.len(), found.len(), "{engine}, {}", question.name);
            for (a, b) in first.iter().zip(&found) {
                let same = a.as_object().unwrap().iter();
                let mut same = same.map(|(column, value)| is_same(value, &b[column]));
                assert!(same.all(|it| it), "{engine}, {}: {a}, {b}", question.name);
            }
        }
    }
}

/// Whether two values are the same; fractions to nine digits, since sums may be taken in another order.
fn is_same(a: &Value, b: &Value) -> bool {
    match (a.as_i64(), b.as_i64(), a.as_f64(), b.as_f64()) {
        (Some(a), Some(b), _, _) => a == b,
        (_, _, Some(a), Some(b)) => (a - b).abs() <= 1e-9 * a.abs().max(b.abs()),
        _ => a == b,
    }
}

#[test]
fn an_overview_is_what_the_model_says() {
    let folder = modelled(8);
    for engine in asked() {
        let more = ["--engine", engine, "--format", "json"];
        let (code, out, err) = fleet(&folder.path().join("dataset"), &more);
        assert_eq!(code, FINE, "{engine}: {err}");
        let found = objects(&out);
        let of_type =
            |name: &str| -> Vec<&Value> { found.iter().filter(|it| it["type"] == name).collect() };
        let cells = of_type("cell");
        assert_eq!(cells.len(), 8 * STEPS as usize, "{engine}");
        for cell in cells {
            let rank = cell["rank"].as_u64().unwrap() as u32;
            let step = cell["step"].as_i64().unwrap();
            for (column, wanted) in [
                ("ts", ranks_model::start(step)),
                ("step_ns", ranks_model::step_time(rank, step)),
                ("idle_ns", ranks_model::idle(rank, step)),
                (
                    "collective_wait_ns",
                    ranks_model::collective_wait(rank, step),
                ),
            ] {
                assert_eq!(cell[column], wanted, "{engine}, {column} of {cell}");
            }
        }
        let stragglers = of_type("straggler");
        assert_eq!(stragglers.len(), 1, "{engine}: {out}");
        let late = stragglers[0];
        assert_eq!(late["rank"], LATE, "{engine}");
        assert_eq!(late["times_last"], STEPS - 1, "{engine}");
        assert_eq!(late["lost_by_others_ns"], (STEPS - 1) * 7 * LATENESS);
        assert_eq!(late["worst_ns"], 7 * LATENESS, "{engine}");
        assert_eq!(late["step"], 1, "{engine}");
        let outliers = of_type("outlier");
        assert_eq!(outliers.len(), 1, "{engine}: {out}");
        let far = (&outliers[0]["rank"], &outliers[0]["step"]);
        assert_eq!(far, (&OUTLIER.0.into(), &OUTLIER.1.into()), "{engine}");
    }
}

#[test]
fn only_whole_ranks_count_and_the_others_are_named() {
    let folder = modelled(4);
    let dataset = folder.path().join("dataset");
    // The conversion of rank 2 was stopped before its receipt, and of rank 1 there is nothing.
    fs::remove_dir_all(dataset.join("captures/run=base/rank=2")).unwrap();
    for table in ["spans", "dependencies", "arguments", "gaps", "waits"] {
        fs::remove_dir_all(dataset.join(table).join("run=base/rank=1")).unwrap();
    }
    fs::remove_dir_all(dataset.join("captures/run=base/rank=1")).unwrap();
    for engine in asked() {
        for table in ["spans", "steps", "captures"] {
            let sql = format!("SELECT DISTINCT rank FROM {table} ORDER BY rank");
            let more = [&sql, "--engine", engine, "--format", "csv", "--ranks", "6"];
            let (code, out, err) = fleet(&dataset, &more);
            assert_eq!(code, FINE, "{engine}: {err}");
            assert_eq!(out, "rank\n0\n3\n", "{engine}, {table}");
            let words = "run base: ranks 0,3 (2 of 6); missing: 4,5; not finished, left out: 1,2\n";
            assert!(err.contains(words), "{engine}: {err}");
        }
    }
}

#[test]
fn wrong_questions_damaged_files_and_absent_engines_have_words() {
    let folder = modelled(2);
    let dataset = folder.path().join("dataset");
    for engine in asked() {
        let wrong = ["SELECT nothing FROM spans", "--engine", engine];
        let (code, out, err) = fleet(&dataset, &wrong);
        assert_eq!((code, out.as_str()), (WRONG, ""), "{engine}");
        assert!(err.contains("nothing"), "{engine}: {err}");
        // Only a capture has this table.
        let (code, _, err) = fleet(&dataset, &["SELECT * FROM kernels", "--engine", engine]);
        assert_eq!(code, WRONG, "{engine}");
        assert!(err.contains("kernels"), "{engine}: {err}");
    }
    let many = "SELECT a.id FROM spans a JOIN spans b ON a.run = b.run";
    for engine in asked() {
        let few = [
            many,
            "--engine",
            engine,
            "--max-rows",
            "7",
            "--format",
            "csv",
        ];
        let (code, out, err) = fleet(&dataset, &few);
        assert_eq!((code, out.lines().count()), (CUT, 8), "{engine}: {err}");
        assert!(err.contains("only the first 7 rows"), "{engine}: {err}");
    }
    let part = dataset.join("spans/run=base/rank=1/part-0.parquet");
    let mut bytes = fs::read(&part).unwrap();
    for byte in &mut bytes[4..200] {
        *byte = 0xa5;
    }
    fs::write(&part, bytes).unwrap();
    for engine in asked() {
        let sum = "SELECT sum(dur) AS ns, min(name) AS name, max(lane_id) AS lane, max(id) AS id FROM spans";
        let (code, out, err) = fleet(&dataset, &[sum, "--engine", engine]);
        assert_eq!((code, out.as_str()), (WRONG, ""), "{engine}");
        assert!(err.contains("rank=1/part-0.parquet"), "{engine}: {err}");
    }
    // One that is empty, or gone, would be passed over by some engines without a word.
    for is_there in [true, false] {
        if is_there {
            fs::write(&part, "").unwrap();
        } else {
            fs::remove_file(&part).unwrap();
        }
        for engine in asked() {
            let (code, out, err) = fleet(
                &dataset,
                &["SELECT count(*) AS n FROM spans", "--engine", engine],
            );
            assert_eq!((code, out.as_str()), (WRONG, ""), "{engine}");
            assert!(err.contains("rank=1/part-0.parquet"), "{engine}: {err}");
            // What does not read the file is answered.
            let (code, _, err) = fleet(
                &dataset,
                &["SELECT count(*) AS n FROM gaps", "--engine", engine],
            );
            assert_eq!(code, FINE, "{engine}: {err}");
        }
    }
    let (code, _, err) = fleet(&dataset, &["SELECT 1 AS one", "--engine", "duck"]);
    assert!(
        code == WRONG && err.contains("“duck” is no engine"),
        "{err}"
    );
    let (code, _, err) = fleet(folder.path(), &["SELECT 1 AS one"]);
    assert!(code == WRONG && err.contains("is no dataset"), "{err}");
    let mut command = Command::new(program());
    command.arg("fleet").arg(&dataset);
    command.args(["SELECT 1 AS one", "--engine", "duckdb"]);
    let (code, _, err) = finished(
        command
            .env("SYNCLINE_PYTHON", "/no/python")
            .output()
            .unwrap(),
    );
    assert!(
        code == WRONG && err.contains("Python was not found"),
        "{err}"
    );
}

#[test]
fn sqlite_says_what_to_install_where_rows_do_not_fit() {
    let folder = modelled(64);
    let dataset = folder.path().join("dataset");
    // What is sorted is held: a million rows.
    let sql =
        "SELECT a.id, b.id AS other FROM spans a JOIN spans b ON a.run = b.run ORDER BY b.id, a.id";
    let more = [sql, "--engine", "sqlite", "--max-memory", "1"];
    let (code, _, err) = fleet(&dataset, &more);
    assert_eq!(code, CUT, "{err}");
    assert!(err.contains("pip install duckdb"), "{err}");
}

#[test]
fn without_a_python_sqlite_answers() {
    let folder = modelled(2);
    let mut command = Command::new(program());
    command.arg("fleet").arg(folder.path().join("dataset"));
    command.args(["SELECT count(*) AS n FROM steps", "--format", "csv"]);
    let (code, out, err) = finished(
        command
            .env("SYNCLINE_PYTHON", "/no/python")
            .output()
            .unwrap(),
    );
    assert_eq!((code, out.as_str()), (FINE, "n\n10\n"), "{err}");
    assert!(err.contains("SQLite 3."), "{err}");
    let mut command = Command::new(program());
    command.args(["fleet", "--engines"]);
    let (code, out, _) = finished(
        command
            .env("SYNCLINE_PYTHON", "/no/python")
            .output()
            .unwrap(),
    );
    assert!(code == FINE && out.contains("pip install duckdb"), "{out}");
}

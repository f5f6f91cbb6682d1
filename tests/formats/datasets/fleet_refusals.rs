//! What a question to a dataset must not do, and what lies in its folders that must not be read as a part of it.

use std::fs;
use std::path::{Path, PathBuf};

use super::engines;
use super::fleet::{CUT, FINE, WRONG, asked, fleet, modelled};
use crate::formats::questions::syncline;

fn count(dataset: &Path, engine: &str) -> (i32, String, String) {
    let sql = "SELECT count(*) AS n FROM spans";
    fleet(dataset, &[sql, "--engine", engine, "--format", "csv"])
}

#[test]
fn a_question_changes_nothing_starts_nothing_and_reads_nothing_else() {
    let folder = modelled(2);
    let dataset = folder.path().join("dataset");
    let target = folder.path().join("written");
    let place = target.display();
    for engine in asked() {
        for wrong in [
            format!("COPY (SELECT 1 AS one) TO '{place}'"),
            format!("SELECT 1 AS one; COPY (SELECT 1 AS one) TO '{place}'"),
            format!(
                "WITH x AS (SELECT 1 AS a) INSERT OVERWRITE DIRECTORY '{place}' USING csv SELECT * FROM x"
            ),
            "WITH x AS (SELECT 1 AS a) insert into spans SELECT * FROM spans".to_owned(),
            format!("SELECT TRANSFORM(x) USING 'touch {place}' AS (y) FROM (SELECT 1 AS x)"),
            "SELECT java_method('java.lang.System', 'getenv', 'HOME') AS home".to_owned(),
            format!("ATTACH '{place}' AS other"),
            "DROP TABLE spans".to_owned(),
            "SELECT * FROM text.`/etc/hostname`".to_owned(),
            " ".to_owned(),
            // Engines cut SQL into words each in its own way.
            format!("SELECT $$'$$; COPY (SELECT 1) TO '{place}' (FORMAT parquet) -- '"),
            format!("SELECT E'\\''; COPY (SELECT 1) TO '{place}' (FORMAT parquet) -- '"),
        ] {
            let (code, out, err) = fleet(&dataset, &[&format!("{wrong} "), "--engine", engine]);
            assert_eq!((code, out.as_str()), (WRONG, ""), "{engine}: {wrong}");
            let words = [
                "refused",
                "SELECT or WITH",
                "one question",
                "cannot stand here",
                "unrecognized",
                "no table",
            ];
            let is_told = words.iter().any(|it| err.contains(it));
            assert!(is_told, "{engine}, {wrong}: {err}");
        }
        // In some engines a comment ends with its first line break of any sort.
        let sql = format!("SELECT 1 AS one -- \r; COPY (SELECT 1) TO '{place}'");
        let (code, _, err) = fleet(&dataset, &[&sql, "--engine", engine]);
        assert_eq!(code, FINE, "{engine}: {err}");
        for file in [
            "read_csv('/etc/hostname')",
            "read_text('/etc/hostname')",
            "glob('/etc/*')",
            "'http://127.0.0.1:9/x.csv'",
        ] {
            let sql = format!("SELECT * FROM {file}");
            let (code, out, err) = fleet(&dataset, &[&sql, "--engine", engine]);
            assert_eq!((code, out.as_str()), (WRONG, ""), "{engine}, {file}: {err}");
        }
        let endless = "WITH RECURSIVE n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n) SELECT count(*) AS n FROM n";
        let (code, out, err) = fleet(&dataset, &[endless, "--engine", engine, "--max-time", "2"]);
        assert_eq!((code, out.as_str()), (CUT, ""), "{engine}: {err}");
    }
    assert!(!target.exists());
    let receipt = dataset.join("captures/run=base/rank=0/part-0.parquet");
    for place in [
        receipt,
        dataset.join("spans/new.csv"),
        dataset.join("new.csv"),
    ] {
        let place = place.display().to_string();
        let (code, _, err) = fleet(&dataset, &["SELECT 1 AS one", "-o", &place]);
        assert!(
            code == WRONG && err.contains("lies in the dataset"),
            "{err}"
        );
    }
    assert_eq!(count(&dataset, "sqlite").0, FINE);
}

/// Puts something where it does not belong, looks that each engine refuses to answer and names it, and takes it away.
fn refused(dataset: &Path, path: &str, engines: &[&str]) {
    let path = dataset.join(path);
    let folder = path.parent().unwrap();
    let is_new = !folder.exists();
    fs::create_dir_all(folder).unwrap();
    let own = dataset.join("spans/run=base/rank=1/part-0.parquet");
    fs::copy(own, &path).unwrap();
    for engine in engines {
        let (code, out, err) = count(dataset, engine);
        assert_eq!(
            (code, out.as_str()),
            (WRONG, ""),
            "{engine}: {}",
            path.display()
        );
        let named = if is_new { folder } else { &path };
        let named = named.file_name().unwrap().to_string_lossy();
        assert!(err.contains(&*named), "{engine}, {}: {err}", path.display());
    }
    fs::remove_file(&path).unwrap();
    if is_new {
        fs::remove_dir(folder).unwrap();
    }
}

#[test]
fn what_is_no_part_of_a_dataset_is_named_and_never_read() {
    let folder = modelled(3);
    let dataset = folder.path().join("dataset");
    let Some(_) = engines::python() else {
        return;
    };
    for path in [
        "spans/run=base/rank=007/part-0.parquet",
        "spans/run=base/rank=9.5/part-0.parquet",
        "spans/run=base/rank=zz/part-0.parquet",
        "spans/run=base/rank=1/copy.parquet",
        "spans/run=2026/part-0.parquet",
    ] {
        refused(&dataset, path, engines::ENGINES);
    }
    // What a conversion leaves behind that is stopped is hidden, and read by this engine alone.
    let hidden = "spans/run=base/rank=1/.syncline-x.part";
    refused(&dataset, hidden, &["datafusion"]);
    fs::write(dataset.join(hidden), "half").unwrap();
    assert_eq!(count(&dataset, "duckdb").0, FINE);
    fs::remove_file(dataset.join(hidden)).unwrap();
    // A rank's file in the place of another's, and the file of a shard twice.
    let part = |rank: u32| dataset.join(format!("spans/run=base/rank={rank}/part-0.parquet"));
    let kept = fs::read(part(2)).unwrap();
    fs::copy(part(1), part(2)).unwrap();
    for engine in asked() {
        let (code, _, err) = count(&dataset, engine);
        assert_eq!(code, WRONG, "{engine}: {err}");
        assert!(err.contains("rank=2/part-0.parquet"), "{engine}: {err}");
    }
    fs::write(part(2), kept).unwrap();
    let steps = dataset.join("steps/run=base");
    fs::create_dir(steps.join("shard=7")).unwrap();
    let twice = steps.join("shard=7/part-0.parquet");
    fs::copy(steps.join("shard=0/part-0.parquet"), &twice).unwrap();
    for engine in asked() {
        let (code, _, err) = fleet(
            &dataset,
            &["SELECT count(*) AS n FROM steps", "--engine", engine],
        );
        assert_eq!(code, WRONG, "{engine}: {err}");
        assert!(err.contains("shard=7/part-0.parquet"), "{engine}: {err}");
        assert_eq!(count(&dataset, engine).0, FINE, "{engine}");
    }
}

#[test]
fn odd_paths_are_read_or_refused_with_words() {
    let folder = modelled(2);
    for name in ["with space", "o'clock", "ä", "a[b]", "a*b", "a?b", "a{b}"] {
        let place: PathBuf = folder.path().join(name);
        fs::rename(folder.path().join("dataset"), &place).unwrap();
        for engine in asked() {
            let (code, out, err) = count(&place, engine);
            if engine != "sqlite" && name.contains(['[', '*', '?']) {
                assert_eq!(code, WRONG, "{name}: {err}");
                assert!(err.contains("for a pattern"), "{name}: {err}");
            } else {
                assert_eq!(
                    (code, out.as_str()),
                    (FINE, "n\n50\n"),
                    "{engine}, {name}: {err}"
                );
            }
        }
        fs::rename(place, folder.path().join("dataset")).unwrap();
    }
}

#[test]
fn captures_that_lack_a_part_are_told_with_every_answer() {
    let folder = modelled(3);
    let captures = folder.path().join("captures");
    let cut = captures.join("rank1.json");
    let text = fs::read_to_string(&cut).unwrap();
    fs::write(&cut, &text[..text.len() - 20]).unwrap();
    let torn = captures.join("rank2.json");
    let text = fs::read_to_string(&torn).unwrap();
    fs::write(&torn, text.replacen("\"dur\":", "@@@ \"dur\":", 1)).unwrap();
    let dataset = folder.path().join("cut");
    let (from, to) = (captures.display(), dataset.display());
    let (code, out, err) = syncline(&["convert", "--to", &to.to_string(), &from.to_string()]);
    assert_eq!(i32::from(code), 1, "{out}{err}");
    for engine in asked() {
        let (_, _, err) = count(&dataset, engine);
        let words = "ranks 0-2 (3 of 3); a part of the capture could not be read: 1,2\n";
        assert!(err.contains(words), "{engine}: {err}");
    }
    let (code, out, _) = syncline(&["dataset", "check", &to.to_string()]);
    let words = format!("rank 1: a part of {} could not be read", cut.display());
    assert!(i32::from(code) == FINE && out.contains(&words), "{out}");
    let sql = "SELECT repaired, dropped, receipt FROM captures ORDER BY rank";
    let (_, out, _) = fleet(&dataset, &[sql, "--engine", "sqlite", "--format", "csv"]);
    let rows = "repaired,dropped,receipt\n0,0,{}\n1,0,\"{\"\"cut short\"\":1}\"\n0,1,{}\n";
    assert_eq!(out, rows);
}

#[test]
fn what_was_not_judged_is_not_called_fine() {
    let folder = modelled(3);
    let dataset = folder.path().join("dataset");
    let (code, out, err) = fleet(&dataset, &["--engine", "sqlite"]);
    assert_eq!(code, FINE, "{err}");
    assert!(
        out.contains("Outliers are looked for among four ranks or more"),
        "{out}"
    );
    assert!(out.contains("No rank came last"), "{out}");
    let alone = modelled(1);
    let (_, out, _) = fleet(&alone.path().join("dataset"), &["--engine", "sqlite"]);
    assert!(out.contains("among two ranks or more"), "{out}");
    // Before the first receipt there is no rank to answer for, and still a dataset.
    fs::remove_dir_all(dataset.join("captures")).unwrap();
    for engine in asked() {
        let (code, out, err) = count(&dataset, engine);
        assert_eq!((code, out.as_str()), (FINE, "n\n0\n"), "{engine}: {err}");
        let words = "run base: no rank (0 of 3); not finished, left out: 0-2\n";
        assert!(err.contains(words), "{engine}: {err}");
    }
}

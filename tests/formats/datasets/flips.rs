//! One bit of a dataset is another one, or a folder is gone: whoever reads it is told which file, and converting again mends it.

use std::fs;
use std::path::{Path, PathBuf};

use app::cli::{FAILED, FINE, WRONG};
use engine::dataset::{CheckedFiles, DatasetError, TableFiles, coverage, tables};

use super::fleet::{asked, fleet, modelled};
use super::{check, convert, files};
use crate::semantics::endings::Random;

/// How many bits are turned round.
const FLIPS: u32 = 60;
/// A question to three tables, two of ranks and one of a shard.
const QUESTION: &str = "SELECT (SELECT sum(dur) FROM spans) AS spans, (SELECT count(name) FROM spans) AS names, \
    (SELECT sum(dur) FROM steps) AS steps, (SELECT sum(dur) FROM gaps) AS gaps";

fn ask(dataset: &Path, engine: &str) -> (i32, String, String) {
    fleet(dataset, &[QUESTION, "--engine", engine, "--format", "csv"])
}

/// Turns a bit somewhere round: the file, and what it was.
fn flip(dataset: &Path, random: &mut Random) -> (PathBuf, Vec<u8>) {
    let all = files(dataset);
    let parts: Vec<&PathBuf> = all
        .keys()
        .filter(|it| it.extension().is_some_and(|it| it == "parquet"))
        .collect();
    let name = random.one_of(&parts);
    let whole = all[name].clone();
    let mut other = whole.clone();
    other[random.below(whole.len() as u64) as usize] ^= 1 << random.below(8);
    let path = dataset.join(name);
    fs::write(&path, other).unwrap();
    (path, whole)
}

/// What whoever asks without an engine is told of all tables.
fn read_all(dataset: &Path) -> Result<(), DatasetError> {
    let runs = coverage(dataset)?;
    let checked = CheckedFiles::default();
    for table in tables() {
        TableFiles::find(dataset, table, &runs)?.verify(&checked, &|| false)?;
    }
    Ok(())
}

#[test]
fn every_bit_that_changed_is_told_with_its_file_and_mended() {
    let folder = modelled(3);
    let dataset = folder.path().join("dataset");
    let captures = folder.path().join("captures").display().to_string();
    let again = || convert(&dataset, &[&captures, "--run", "base"]);
    let before = files(&dataset);
    assert!(read_all(&dataset).is_ok());
    let mut random = Random::new(21);
    for round in 0..FLIPS {
        let (path, _) = flip(&dataset, &mut random);
        let name = path.display().to_string();
        let place = format!("bit {round}, of {name}");
        let (code, out) = check(&dataset, &[]);
        assert!(code == FAILED && out.contains(&name), "{place}: {out}");
        assert!(out.contains("missing: --array="), "{place}: {out}");
        let told = read_all(&dataset).unwrap_err().to_string();
        assert!(told.contains(&name), "{place}: {told}");
        assert!(told.contains("delete it and convert"), "{place}: {told}");
        let (mut code, mut out, mut err) = again();
        if name.contains("shard=") {
            assert!(code == WRONG && err.contains(&name), "{place}: {err}");
            fs::remove_file(&path).unwrap();
            (code, out, err) = again();
        }
        assert!(
            code == FINE && !out.contains("0 written"),
            "{place}: {out}{err}"
        );
        assert_eq!(files(&dataset), before, "{place}");
    }
}

#[test]
fn no_engine_answers_from_a_file_in_which_a_bit_changed() {
    let folder = modelled(3);
    let dataset = folder.path().join("dataset");
    let (_, right, _) = ask(&dataset, "sqlite");
    let mut random = Random::new(22);
    let mut refused = 0;
    for round in 0..FLIPS {
        let (path, whole) = flip(&dataset, &mut random);
        let name = path.strip_prefix(&dataset).unwrap().display().to_string();
        for engine in asked() {
            let place = format!("bit {round}, of {name}, {engine}");
            let (code, out, err) = ask(&dataset, engine);
            if code == i32::from(FINE) {
                let is_asked = ["spans/", "steps/", "gaps/", "captures/"];
                let is_asked = is_asked.iter().any(|it| name.starts_with(it));
                assert!(out == right && !is_asked, "{place}: {out}{err}");
            } else {
                assert!(out.is_empty() && err.contains(&name), "{place}: {err}");
                refused += 1;
            }
        }
        fs::write(&path, whole).unwrap();
    }
    assert!(refused > 10, "{refused}");
}

#[test]
fn files_and_folders_that_are_gone_are_told_by_every_engine() {
    let folder = modelled(3);
    let dataset = folder.path().join("dataset");
    let captures = folder.path().join("captures").display().to_string();
    let before = files(&dataset);
    for (gone, file, ranks) in [
        (
            "gaps",
            "gaps/run=base/rank=0/part-0.parquet",
            "capture of rank 0 ",
        ),
        (
            "spans/run=base",
            "spans/run=base/rank=0/part-0.parquet",
            "capture of rank 0 ",
        ),
        (
            "spans/run=base/rank=2",
            "spans/run=base/rank=2/part-0.parquet",
            "capture of rank 2 ",
        ),
        (
            "steps",
            "steps/run=base/shard=0/part-0.parquet",
            "captures of ranks 0-2 ",
        ),
        (
            "steps/run=base/shard=0",
            "steps/run=base/shard=0/part-0.parquet",
            "captures of ranks 0-2 ",
        ),
    ] {
        fs::remove_dir_all(dataset.join(gone)).unwrap();
        for engine in asked() {
            let (code, out, err) = ask(&dataset, engine);
            assert_eq!(
                (code, out.as_str()),
                (i32::from(WRONG), ""),
                "{engine}, {gone}: {err}"
            );
            let words = format!(
                "{} is missing: convert the {ranks}again",
                dataset.join(file).display()
            );
            assert!(err.contains(&words), "{engine}, {gone}: {err}");
        }
        let (code, out, err) = convert(&dataset, &[&captures, "--run", "base"]);
        assert!(code == FINE, "{out}{err}");
        assert_eq!(files(&dataset), before, "{gone}");
    }
}

#[cfg(unix)]
#[test]
fn links_within_a_dataset_are_told_before_an_engine_fails_at_them() {
    use std::os::unix::fs::symlink;

    let folder = modelled(2);
    let dataset = folder.path().join("dataset");
    let (_, right, _) = ask(&dataset, "sqlite");
    let elsewhere = folder.path().join("elsewhere");
    for name in [
        "spans",
        "spans/run=base",
        "steps/run=base/shard=0",
        "gaps/run=base/rank=1/part-0.parquet",
    ] {
        let path = dataset.join(name);
        fs::rename(&path, &elsewhere).unwrap();
        symlink(&elsewhere, &path).unwrap();
        let words = format!("{} is a link", path.display());
        for engine in asked() {
            let (code, out, err) = ask(&dataset, engine);
            let is_told = code == i32::from(WRONG) && err.contains(&words);
            // SQLite is in this process, and reads what it finds.
            let is_right = engine == "sqlite" && out == right;
            assert!(is_told || is_right, "{engine}, {name}: {out}{err}");
        }
        let (code, out) = check(&dataset, &[]);
        assert!(code == FAILED && out.contains(&words), "{name}: {out}");
        assert!(out.contains("2 of 2 ranks"), "{name}: {out}");
        fs::remove_file(&path).unwrap();
        fs::rename(&elsewhere, &path).unwrap();
    }
    // The whole dataset may be reached by one.
    let link = folder.path().join("link");
    symlink(&dataset, &link).unwrap();
    for engine in asked() {
        let (code, out, err) = ask(&link, engine);
        assert_eq!((code, &out), (i32::from(FINE), &right), "{engine}: {err}");
    }
}

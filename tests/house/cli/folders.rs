//! Folders and patterns are named in place of captures.

use std::fs;
use std::path::Path;

use serde_json::Value;

use super::{json, syncline};
use crate::formats::real;
use app::cli::{FINE, WRONG};

/// What `info` says of some files, apart from which it was asked for.
fn told(files: &[String]) -> Value {
    let mut arguments = vec!["info"];
    arguments.extend(files.iter().map(String::as_str));
    arguments.extend(["--format", "json"]);
    json(&arguments)
}

/// A folder with the runs of two ranks, and what else programs leave there.
fn job() -> (tempfile::TempDir, [String; 2]) {
    let folder = tempfile::tempdir().unwrap();
    let runs = folder.path().join("job/traces");
    fs::create_dir_all(&runs).unwrap();
    let ranks = [0, 1].map(|rank| {
        let path = runs
            .join(format!("rank{rank}.pftrace"))
            .display()
            .to_string();
        let made = syncline(&["run", "heat", "--backend", "mock", "--save", &path]);
        assert_eq!(made.0, FINE, "{}", made.2);
        path
    });
    fs::write(runs.join("metadata.json"), r#"{"world_size": 2}"#).unwrap();
    fs::write(folder.path().join("job/log.txt"), "step 1\n").unwrap();
    (folder, ranks)
}

#[test]
fn a_folder_or_a_pattern_is_the_same_as_its_captures() {
    let (folder, ranks) = job();
    let at = |path: &str| folder.path().join(path).display().to_string();
    let expected = told(&ranks);
    assert_eq!(expected["receipts"].as_array().unwrap().len(), 2);
    for named in [
        at("job"),
        at("job/traces"),
        at("job/*/rank*.pftrace"),
        at("job/tr*"),
    ] {
        assert_eq!(told(&[named]), expected);
    }
    assert_eq!(told(&[ranks[0].clone(), at("job/traces/rank1*")]), expected);

    // Every command that takes captures takes folders.
    let (job, out) = (at("job"), at("all.json"));
    for arguments in [
        &["idle", &job][..],
        &["critical-path", &job],
        &["statistics", &job],
        &["query", &job, "SELECT count(*) FROM spans"],
        &["convert", &job, &out],
    ] {
        let (code, _, err) = syncline(arguments);
        assert_eq!(code, FINE, "{arguments:?}: {err}");
    }
    // What is read is not written.
    let before = fs::read(&ranks[0]).unwrap();
    let (code, _, err) = syncline(&["convert", &job, &ranks[0]]);
    assert_eq!(code, WRONG, "{err}");
    assert_eq!(fs::read(&ranks[0]).unwrap(), before);
}

#[test]
fn a_folder_that_nobody_can_mean_is_refused_in_words() {
    let (folder, ranks) = job();
    let at = |path: &str| folder.path().join(path).display().to_string();
    fs::create_dir(folder.path().join("empty")).unwrap();
    fs::copy(&ranks[0], at("job/traces/rank0-later.pftrace")).unwrap();
    for (named, words) in [
        (at("job"), &["rank 0", "rank0-later.pftrace", "pattern"][..]),
        (at("empty"), &["holds no capture", "0 files"]),
        (at("job/*.sqlite"), &["no file or folder fits"]),
        (at("nowhere"), &["there is no file"]),
    ] {
        let (code, out, err) = syncline(&["info", &named]);
        assert_eq!((code, out.as_str()), (WRONG, ""), "{err}");
        assert!(words.iter().all(|it| err.contains(it)), "{err}");
    }
    let pattern = at("job/traces/rank?.pftrace");
    assert_eq!(syncline(&["info", &pattern]).0, FINE);
}

/// Eight ranks as PyTorch's profiler left them, and Ascend's folder with the same in a database and in JSON.
#[test]
fn folders_of_profilers_are_opened_whole() {
    let Some(ranks) = real::path("kineto/param_dlrm8") else {
        return;
    };
    let listed = fs::read_dir(&ranks).unwrap();
    let mut files: Vec<String> = listed
        .map(|it| it.unwrap().path())
        .filter(|it| it.is_file())
        .map(|it| it.display().to_string())
        .collect();
    files.sort();
    let shown = |path: &Path| path.display().to_string();
    assert_eq!(told(&[shown(&ranks)]), told(&files));

    let database = real::path("ascend/db_level1_rank0/ascend_pytorch_profiler_0.db");
    let events = real::path("ascend/level1_rank0/trace_view.json");
    let (Some(database), Some(events)) = (database, events) else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let copied = folder.path().join("ascend_pytorch_profiler_0.db");
    fs::copy(database, &copied).unwrap();
    fs::copy(events, folder.path().join("trace_view.json")).unwrap();
    assert_eq!(told(&[shown(folder.path())]), told(&[shown(&copied)]));
}

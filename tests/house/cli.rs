//! The command line, as people and scripts meet it.

mod binary;
mod findings;
mod folders;
mod kept_files;
mod lessons;
mod links;
mod output;
mod pipes;
mod terminal;

use app::cli::{FAILED, FINE, WRONG, run};
use engine::capture::Capture;
use engine::exporter::EXPORTERS;
use engine::record::Record;
use engine::runner::RunRequest;
use engine::workload::bundled;
use serde_json::Value;

/// The exit code, the answer and the complaint.
fn syncline(arguments: &[&str]) -> (u8, String, String) {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let all = ["syncline"].iter().chain(arguments);
    let code = run(all, &mut out, &mut err);
    (
        code,
        String::from_utf8(out).unwrap(),
        String::from_utf8(err).unwrap(),
    )
}

fn json(arguments: &[&str]) -> Value {
    let (_, out, err) = syncline(arguments);
    serde_json::from_str(&out).unwrap_or_else(|error| panic!("{error}: {out}{err}"))
}

/// A thread that feeds or empties a pipe.
fn piping<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> std::thread::JoinHandle<T> {
    let thread = std::thread::Builder::new().name("pipe".to_owned());
    thread.spawn(work).unwrap()
}

fn keys(object: &Value) -> Vec<&str> {
    let object = object.as_object().unwrap();
    let mut keys: Vec<&str> = object.keys().map(String::as_str).collect();
    keys.sort_unstable();
    keys
}

/// A file in a folder of its own.
fn file(name: &str, text: &str) -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, text).unwrap();
    (folder, path.display().to_string())
}

#[test]
fn lists_name_everything() {
    let (code, out, _) = syncline(&["workloads"]);
    assert_eq!(code, FINE);
    for workload in bundled() {
        assert!(
            out.contains(workload.name) && out.contains(workload.title),
            "{out}"
        );
    }
    let listed = json(&["workloads", "--format", "json"]);
    assert_eq!(listed.as_array().unwrap().len(), bundled().len());
    assert_eq!(keys(&listed[0]), ["about", "name", "parameters", "title"]);
    let backends = json(&["backends", "--format", "json"]);
    assert_eq!(
        keys(&backends[0]),
        ["about", "available", "devices", "name", "reason"]
    );
    assert_eq!(backends[0]["name"], "cpu");
    assert_eq!(backends[0]["available"], true);
}

#[test]
fn a_run_is_saved_and_its_file_says_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("out.pftrace").display().to_string();
    let (code, out, err) = syncline(&[
        "run", "heat", "--set", "steps=4", "--save", &path, "--format", "json",
    ]);
    assert_eq!((code, err.as_str()), (FINE, ""), "{out}");
    let ran: Value = serde_json::from_str(&out).unwrap();
    let expected = [
        "backend",
        "dependencies",
        "duration_ns",
        "events",
        "expectations",
        "findings",
        "launches",
        "looked",
        "losses",
        "lost",
        "name",
        "outcome",
        "overlaps",
        "overview",
        "pipelines",
        "problems",
        "promises",
        "reason",
        "role_overlaps",
        "running",
        "save_error",
        "saved",
        "spans",
        "streams",
    ];
    assert_eq!(keys(&ran), expected);
    assert_eq!(ran["outcome"], "finished");
    assert_eq!(ran["lost"], 0);
    assert_eq!(ran["saved"], path);
    let stream = [
        "busy_ns",
        "name",
        "queued_ns",
        "role",
        "spans",
        "waiting_ns",
    ];
    assert_eq!(keys(&ran["streams"][0]), stream);

    let opened = json(&["info", &path, "--format", "json"]);
    for key in expected.iter().filter(|key| **key != "saved") {
        assert_eq!(opened["capture"][key], ran[key], "{key}");
    }
    assert_eq!(opened["receipt"]["dropped"], 0);
    assert_eq!(opened["receipt"]["notes"], Value::Array(Vec::new()));
    let (code, out, _) = syncline(&["info", &path]);
    assert_eq!(code, FINE);
    assert!(out.starts_with("heat on cpu, finished after "), "{out}");
    assert!(out.contains(" 0 records dropped\n"), "{out}");
}

#[test]
fn a_failed_expectation_is_exit_code_1() {
    let (code, out, _) = syncline(&["run", "missing-wait"]);
    assert_eq!(code, FAILED, "{out}");
    assert!(out.contains("\nFAILED "), "{out}");
}

#[test]
fn an_expectation_that_was_not_judged_is_neither_passed_nor_failed() {
    let workload = bundled().iter().find(|it| it.name == "double-buffer");
    let workload = workload.unwrap();
    let request = RunRequest {
        name: workload.name.to_owned(),
        source: workload.source.to_owned(),
        backend: "mock".to_owned(),
        ..RunRequest::default()
    };
    let mut capture = Capture::new();
    engine::runner::run(request, |records| {
        let told = records.into_iter().map(|record| match record {
            Record::Expectation(mut it) if it.text.starts_with("overlap") => {
                (it.holds, it.found) = (None, "0.01, not judged: no core".to_owned());
                Record::Expectation(it)
            }
            other => other,
        });
        capture.apply(told);
    })
    .unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("out.pftrace");
    let mut file = std::fs::File::create(&path).unwrap();
    EXPORTERS[0].write(&capture, &mut file).unwrap();
    let path = path.display().to_string();
    let (_, out, _) = syncline(&["info", &path]);
    let of_verdict = |it: &&str| it.starts_with("not judged  ");
    let open: Vec<&str> = out.lines().filter(of_verdict).collect();
    assert!(
        matches!(&open[..], [line] if line.contains("overlap") && line.contains("no core")),
        "{out}"
    );
    let opened = json(&["info", &path, "--format", "json"]);
    let all = opened["capture"]["expectations"].as_array().unwrap().iter();
    let holds: Vec<&Value> = all.map(|it| &it["holds"]).collect();
    let open = holds.iter().filter(|it| it.is_null());
    assert_eq!(open.count(), 1, "{holds:?}");
    assert!(holds.iter().any(|it| **it == true), "{holds:?}");
}

#[test]
fn wrong_input_is_exit_code_2_and_says_what_to_do() {
    let (folder, broken) = file(
        "broken.kdl",
        "stream \"a\"\nhost \"main\" { wait \"x\" on=\"b\" }\n",
    );
    let wrong = |arguments: &[&str], words: &str| {
        let (code, out, err) = syncline(arguments);
        assert_eq!((code, out.as_str()), (WRONG, ""), "{err}");
        assert!(err.contains(words), "{err}");
    };
    wrong(&["run", "dobule-buffer"], "did you mean “double-buffer”?");
    wrong(&["run", "nothing-like-it"], "`syncline workloads`");
    wrong(&["run", "absent.kdl"], "there is no file absent.kdl");
    wrong(&["run", &broken], "broken.kdl:2:");
    wrong(
        &["run", "heat", "--backend", "mick"],
        "did you mean “mock”?",
    );
    wrong(&["run", "heat", "--set", "sied=64"], "did you mean “side”?");
    wrong(&["run", "heat", "--set", "side=9e9"], "“side”");
    wrong(&["run", "heat", "--set", "side"], "n=1024");
    wrong(&["run", "heat", "--save", "/"], "/");
    wrong(&["run"], "Usage: syncline run");
    wrong(&["rnu"], "did you mean “run”?");
    wrong(
        &["info", "absent.pftrace"],
        "there is no file absent.pftrace",
    );
    let folder = folder.path().display().to_string();
    wrong(&["info", &folder], "holds no capture");
    wrong(&["info", &broken], "is not a capture");
    wrong(&["check", "/"], "is a directory");
}

#[test]
fn check_says_what_is_wrong_with_each_file() {
    let (_one, broken) = file("broken.kdl", "host \"main\" { wait \"x\" on=\"b\" }\n");
    let (_two, good) = file("good.kdl", bundled()[0].source);
    let (code, out, err) = syncline(&["check", &broken, &good]);
    assert_eq!(code, WRONG);
    assert!(out.contains("good.kdl: nothing is wrong with it"), "{out}");
    assert!(err.contains("broken.kdl:1:"), "{err}");
    assert_eq!(syncline(&["check", &good]).0, FINE);
}

#[test]
fn help_and_version_are_answers() {
    let (code, out, err) = syncline(&["--version"]);
    assert_eq!((code, err.as_str()), (FINE, ""));
    assert!(out.starts_with("syncline "), "{out}");
    let (code, out, _) = syncline(&["--help"]);
    assert_eq!(code, FINE);
    assert!(out.contains("Exit codes: 0"), "{out}");
}

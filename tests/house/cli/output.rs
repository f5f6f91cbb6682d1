//! What is written is written whole, where it was wanted, and onto nothing that is read; where it was not, the exit code says so.
#![cfg(unix)]

use std::fs;
use std::io::Read as _;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};
use std::path::Path;
use std::process::{Command, Output, Stdio};

use serde_json::Value;

use super::{FAILED, FINE, WRONG, syncline};
use crate::house::program;

fn text(path: &Path) -> String {
    path.display().to_string()
}

/// A capture of a small run in a folder of its own.
fn saved() -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir().unwrap();
    let path = text(&folder.path().join("in.pftrace"));
    let (code, out, err) = syncline(&["run", "heat", "--set", "steps=2", "--save", &path]);
    assert_eq!(code, FINE, "{out}{err}");
    (folder, path)
}

fn ran(arguments: &[&str]) -> (u8, Value) {
    let (code, out, err) = syncline(arguments);
    let json = serde_json::from_str(&out);
    (
        code,
        json.unwrap_or_else(|error| panic!("{error}: {out}{err}")),
    )
}

/// Writing to it fails as writing to a full disk does.
const FULL: &str = "/dev/full";

#[test]
fn what_was_not_saved_is_exit_code_1_and_said() {
    if !Path::new(FULL).exists() {
        return eprintln!("skipped: there is no {FULL} here");
    }
    let (code, out, _) = syncline(&["run", "heat", "--save", FULL]);
    assert_eq!(code, FAILED, "{out}");
    assert!(out.contains("\nNOT SAVED: /dev/full ends early"), "{out}");
    assert!(!out.contains("\nsaved to"), "{out}");
    let (code, ran) = ran(&["run", "heat", "--save", FULL, "--format", "json"]);
    assert_eq!((code, &ran["outcome"]), (FAILED, &Value::from("finished")));
    assert_eq!(ran["saved"], Value::Null);
    let why = ran["save_error"].as_str().unwrap();
    assert!(why.contains("No space left"), "{why}");
    assert!(!fs::metadata(FULL).unwrap().is_file());

    let (_folder, path) = saved();
    let workload = tempfile::tempdir().unwrap();
    let link = workload.path().join("full.json");
    symlink(FULL, &link).unwrap();
    let kdl = workload.path().join("full.kdl");
    symlink(FULL, &kdl).unwrap();
    for arguments in [
        &["convert", &path, &text(&link)][..],
        &["extract", &path, "-o", &text(&kdl)],
    ] {
        let (code, _, err) = syncline(arguments);
        assert_eq!(code, FAILED, "{err}");
        assert!(err.contains("No space left"), "{err}");
    }
}

/// A file that may not grow beyond so many blocks fails in the middle of a run, and the last of it at its very end.
#[test]
fn a_write_that_fails_late_is_exit_code_1() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("out.pftrace");
    // In virtual time, so that what is saved is as long each time.
    let mut run = vec!["run", "heat", "--set", "steps=2", "--backend", "mock"];
    run.extend(["--format", "json", "--save"]);
    let whole = {
        let path = text(&folder.path().join("whole.pftrace"));
        let (code, out, err) = syncline(&[&run[..], &[&path]].concat());
        assert_eq!(code, FINE, "{out}{err}");
        fs::metadata(path).unwrap().len()
    };
    for blocks in [1, whole / 512 / 2, whole / 512 - 1] {
        // Ignored, the signal of the limit is an error of the call instead.
        let output = Command::new("sh")
            .args(["-c", "trap '' XFSZ; ulimit -f $0 && exec \"$@\""])
            .arg(blocks.max(1).to_string())
            .arg(program::syncline())
            .args(&run)
            .arg(&path)
            .output()
            .unwrap();
        let said: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(output.status.code(), Some(1), "{blocks}: {said}");
        assert_eq!(said["saved"], Value::Null, "{blocks}");
        assert!(said["save_error"].is_string(), "{blocks}");
        assert_eq!(said["outcome"], "finished", "{blocks}");
    }
}

#[test]
fn nothing_is_written_onto_what_is_read() {
    let (folder, path) = saved();
    let before = fs::read(&path).unwrap();
    let hard = text(&folder.path().join("hard.json"));
    let soft = text(&folder.path().join("soft.kdl"));
    fs::hard_link(&path, &hard).unwrap();
    symlink(&path, &soft).unwrap();
    let refused = |arguments: &[&str]| {
        let (code, out, err) = syncline(arguments);
        assert_eq!((code, out.as_str()), (WRONG, ""), "{err}");
        assert!(err.contains("is what is read"), "{err}");
        assert_eq!(fs::read(&path).unwrap(), before);
    };
    refused(&["convert", &path, &path]);
    refused(&["convert", &path, &hard]);
    refused(&["extract", &path, "-o", &soft]);
    refused(&["extract", &path, "-o", &path]);
    let mut piped = std::process::Command::new(program::syncline());
    piped.args(["convert", "-", &path]);
    piped.stdin(fs::File::open(&path).unwrap());
    let piped = piped.output().unwrap();
    assert_eq!(piped.status.code(), Some(i32::from(WRONG)), "{piped:?}");
    assert_eq!(fs::read(&path).unwrap(), before);
    let workload = folder.path().join("my.kdl");
    fs::write(
        &workload,
        "stream \"a\"\nhost \"main\" { synchronize-device }\n",
    )
    .unwrap();
    let source = fs::read(&workload).unwrap();
    let (my, other) = (text(&workload), folder.path().join("other.pftrace"));
    fs::hard_link(&workload, &other).unwrap();
    refused(&["run", &my, "--save", &my]);
    refused(&["run", &my, "--save", &text(&other)]);
    assert_eq!(fs::read(&workload).unwrap(), source);
}

#[test]
fn a_run_that_does_not_begin_leaves_the_file_as_it_was() {
    let (folder, path) = saved();
    let before = fs::read(&path).unwrap();
    let new = text(&folder.path().join("new.pftrace"));
    for save in [&path, &new] {
        for arguments in [
            &["run", "heat", "--lose", "driver@label:nowhere"][..],
            &["run", "heat", "--adapter", "no such device"],
            &["run", "heat", "--fault", "kill:0@1ms"],
            &["run", "heat", "--on", "nobody@localhost.invalid"],
        ] {
            let arguments = [arguments, &["--save", save]].concat();
            let (code, _, err) = syncline(&arguments);
            assert_eq!(code, WRONG, "{arguments:?}: {err}");
            assert_eq!(fs::read(&path).unwrap(), before, "{arguments:?}");
            assert!(!Path::new(&new).exists(), "{arguments:?}");
        }
    }
}

#[test]
fn links_that_lead_nowhere_are_refused() {
    let (folder, path) = saved();
    let at = |name: &str| folder.path().join(name);
    symlink(at("b.json"), at("a.json")).unwrap();
    symlink(at("a.json"), at("b.json")).unwrap();
    let circle = text(&at("a.json"));
    let inside = text(&at("a.json/x.json"));
    let long = text(&at(&format!("{}.json", "n".repeat(300))));
    for output in [&circle, &inside, &long] {
        for arguments in [
            &["convert", &path, output][..],
            &["extract", &path, "-o", output],
            &["run", "heat", "--backend", "mock", "--save", output],
        ] {
            let (code, _, err) = syncline(arguments);
            assert_eq!(code, WRONG, "{arguments:?}: {err}");
            assert!(err.contains("another"), "{err}");
        }
    }
}

#[test]
fn links_are_followed_and_permissions_kept() {
    let (folder, path) = saved();
    for (target, arguments) in [
        ("target.json", &["convert", &path][..]),
        ("target.kdl", &["extract", &path, "-o"]),
        (
            "target.pftrace",
            &["run", "heat", "--set", "steps=2", "--save"],
        ),
    ] {
        let (target, link) = (
            folder.path().join(target),
            folder.path().join(format!("to-{target}")),
        );
        fs::write(&target, "before").unwrap();
        fs::set_permissions(&target, fs::Permissions::from_mode(0o640)).unwrap();
        symlink(&target, &link).unwrap();
        let (code, _, err) = syncline(&[arguments, &[&text(&link)]].concat());
        assert_eq!(code, FINE, "{err}");
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        let found = fs::metadata(&target).unwrap();
        assert!(found.len() > 100);
        assert_eq!(found.mode() & 0o777, 0o640);

        let before = fs::read(&target).unwrap();
        fs::set_permissions(&target, fs::Permissions::from_mode(0o440)).unwrap();
        let (code, _, err) = syncline(&[arguments, &[&text(&link)]].concat());
        assert_eq!(code, WRONG, "{err}");
        assert!(err.contains("read-only"), "{err}");
        assert_eq!(fs::read(&target).unwrap(), before);
    }
    let left: Vec<_> = fs::read_dir(folder.path()).unwrap().collect();
    assert_eq!(left.len(), 7, "{left:?}");
}

/// Makes a FIFO, and reads all that comes out of it.
fn fifo(path: &Path) -> std::thread::JoinHandle<Vec<u8>> {
    let made = Command::new("mkfifo").arg(path).status().unwrap();
    assert!(made.success());
    let path = path.to_owned();
    super::piping(move || {
        let mut bytes = Vec::new();
        fs::File::open(path)
            .unwrap()
            .read_to_end(&mut bytes)
            .unwrap();
        bytes
    })
}

#[test]
fn pipes_are_written_into_and_stay_pipes() {
    let (folder, path) = saved();
    for (name, arguments) in [
        ("pipe.json", &["convert", &path][..]),
        ("pipe.kdl", &["extract", &path, "-o"]),
        (
            "pipe.pftrace",
            &["run", "heat", "--set", "steps=2", "--save"],
        ),
    ] {
        let pipe = folder.path().join(name);
        let reader = fifo(&pipe);
        let (code, _, err) = syncline(&[arguments, &[&text(&pipe)]].concat());
        assert_eq!(code, FINE, "{err}");
        assert!(reader.join().unwrap().len() > 100);
        assert!(!fs::symlink_metadata(&pipe).unwrap().is_file());
    }
}

#[test]
fn two_runs_do_not_save_to_one_file() {
    let folder = tempfile::tempdir().unwrap();
    let (workload, saved) = (
        folder.path().join("w.kdl"),
        folder.path().join("out.pftrace"),
    );
    fs::write(&workload, super::binary::ENDLESS).unwrap();
    let mut first = Command::new(program::syncline())
        .arg("run")
        .arg(&workload)
        .arg("--save")
        .arg(&saved)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    while fs::metadata(&saved).map_or(0, |it| it.len()) < 4_000 {
        assert!(first.try_wait().unwrap().is_none());
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    let other: Output = Command::new(program::syncline())
        .args(["run", "heat", "--save"])
        .arg(&saved)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&other.stderr).into_owned();
    assert_eq!(other.status.code(), Some(2), "{said}");
    assert!(said.contains("another run is writing"), "{said}");
    let killed = Command::new("kill")
        .args(["-INT", &first.id().to_string()])
        .status();
    assert!(killed.unwrap().success());
    assert_eq!(first.wait().unwrap().code(), Some(130));
    let (code, out, err) = syncline(&["info", &text(&saved)]);
    assert_eq!(code, FINE, "{err}");
    assert!(
        out.starts_with(&format!("{} on cpu, stopped", workload.display())),
        "{out}"
    );
}

//! What threads have written goes into the file, whenever the program ends: also where another thread has it in its hands just
//! then. The program itself counts what it called.

use std::io::Read as _;
use std::process::{Command, Stdio};

use super::nvtx::{build, include, nvtx, said};
use super::open;
use crate::house::program::syncline;

/// Four times a second what all threads wrote is handed over. So the program ends just before, while and just after that.
#[test]
fn nothing_is_lost_where_a_program_ends_while_threads_hand_over() {
    let Some(place) = nvtx() else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let headers = include(&place.join("nvidia/cu13/include"));
    let program = build(folder.path(), "brief.c", &[&headers], &[]);
    for length in (245..285).step_by(5) {
        let (file, log) = (folder.path().join("out.pftrace"), folder.path().join("log"));
        let mut command = Command::new(syncline());
        command.args(["record", "--headless", "-o"]).arg(&file);
        command.arg("--").arg(&program).arg(&log);
        command.arg(length.to_string()).stdin(Stdio::null());
        let output = command.env("TMPDIR", folder.path()).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{}", said(&output));
        let called = std::fs::read_to_string(&log).unwrap();
        let spans = open(&file).span_count();
        assert_eq!(spans.to_string(), called.trim(), "{}", said(&output));
    }
}

/// A process ends with the last of its own threads, whoever listens in it, and by `quick_exit` as by `exit`.
#[test]
fn a_program_ends_as_it_does_by_itself_and_nothing_is_lost() {
    let Some(place) = nvtx() else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let headers = include(&place.join("nvidia/cu13/include"));
    let program = build(folder.path(), "leaves.c", &[&headers], &[]);
    for way in ["thread", "quick"] {
        let (file, log) = (folder.path().join("out.pftrace"), folder.path().join("log"));
        let mut command = Command::new(syncline());
        command.args(["record", "--headless", "-o"]).arg(&file);
        command.arg("--").arg(&program).arg(&log).arg(way);
        command.stdin(Stdio::null());
        let output = command.env("TMPDIR", folder.path()).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{way}: {}", said(&output));
        let called = std::fs::read_to_string(&log).unwrap();
        let spans = open(&file).span_count();
        assert_eq!(spans.to_string(), called.trim(), "{way}: {}", said(&output));
    }
}

/// A folder for what is written that is gone is told, and not taken for a program that ended early.
#[test]
fn a_folder_that_was_removed_meanwhile_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("tmp");
    std::fs::create_dir(&place).unwrap();
    let script = format!("rm -r '{}'/syncline-record-*", place.display());
    let output = Command::new(syncline())
        .args(["record", "--headless", "-o"])
        .arg(folder.path().join("out.pftrace"))
        .args(["--", "sh", "-c", &script])
        .env("TMPDIR", &place)
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let text = said(&output);
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert!(
        text.contains("somebody removed") && text.contains("TMPDIR"),
        "{text}"
    );
}

/// What a recorder left that was killed is named by the next one.
#[cfg(target_os = "linux")]
#[test]
fn what_a_killed_recorder_left_is_named_by_the_next() {
    use std::os::unix::process::CommandExt as _;
    let folder = tempfile::tempdir().unwrap();
    let recorder = |program: &[&str]| {
        let mut command = Command::new(syncline());
        command.args(["record", "--headless", "-o"]);
        command.arg(folder.path().join("out.pftrace")).arg("--");
        command.args(program).env("TMPDIR", folder.path());
        command.stdin(Stdio::null());
        command
    };
    let left = || {
        let entries = std::fs::read_dir(folder.path()).unwrap().flatten();
        let mut names = entries.map(|it| it.file_name().into_string().unwrap());
        names.find(|it| it.starts_with("syncline-record-"))
    };
    let mut killed = recorder(&["sh", "-c", "echo started; sleep 600"]);
    let killed = killed.process_group(0).stdout(Stdio::piped());
    let mut child = killed.stderr(Stdio::null()).spawn().unwrap();
    let mut said = [0; 7];
    child
        .stdout
        .as_mut()
        .unwrap()
        .read_exact(&mut said)
        .unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
    let group = format!("-{}", child.id());
    let ended = Command::new("kill").args(["-KILL", "--", &group]).status();
    assert!(ended.unwrap().success());
    let name = left().expect("it was killed before it could remove it");
    let output = recorder(&["true"]).output().unwrap();
    let text = super::nvtx::said(&output);
    assert!(
        text.contains("ended by force") && text.contains(&name),
        "{text}"
    );
}

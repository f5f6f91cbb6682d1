//! What threads have written goes into the file, whenever the program ends: also where another thread has it in its hands just
//! then. The program itself counts what it called.

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

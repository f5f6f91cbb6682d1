//! The command line, and ranks on two machines, by way of a real `sshd` on loopback.

use std::os::unix::fs::PermissionsExt as _;
use std::process::Command;

use crate::house::program::syncline;
use crate::semantics::far::Server;

#[test]
fn the_command_line_runs_any_workload_on_ranks() {
    let run = |arguments: &[&str]| {
        let output = Command::new(syncline())
            .arg("run")
            .args(arguments)
            .output()
            .unwrap();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (
            output.status.code(),
            text(&output.stdout),
            text(&output.stderr),
        )
    };
    let (code, out, err) = run(&[
        "data-parallel",
        "--ranks",
        "4",
        "--backend",
        "cpu",
        "--findings",
    ]);
    assert_eq!(code, Some(0), "{out}{err}");
    assert!(
        out.contains("rank 3 · ccl") && out.contains("Rank that others wait for"),
        "{out}"
    );
    // One that says nothing of ranks runs on each.
    let (code, out, err) = run(&["single-stream", "--ranks", "2", "--backend", "cpu"]);
    assert_eq!(code, Some(0), "{out}{err}");
    assert!(out.contains("rank 1 · "), "{out}");
    let (code, _, err) = run(&[
        "straggler",
        "--ranks",
        "2",
        "--fault",
        "kill:2",
        "--backend",
        "cpu",
    ]);
    assert_eq!(code, Some(2));
    assert!(
        err.contains("there is no rank 2; there are 2, counted from 0"),
        "{err}"
    );
    let (code, _, err) = run(&[
        "two-machines",
        "--machine",
        "middle=x@y",
        "--backend",
        "cpu",
    ]);
    assert_eq!(code, Some(2));
    assert!(
        err.contains("no machine “middle”; there are left, right"),
        "{err}"
    );
    let (code, out, _) = run(&[
        "data-parallel",
        "--fault",
        "kill:1@collective:2",
        "--backend",
        "cpu",
    ]);
    assert_eq!(code, Some(1));
    // Whether it was seen to come to the operation before it died is the machine's to decide.
    assert!(
        out.contains("SIGKILL") && out.contains("operation-failed") && out.contains("is gone"),
        "{out}"
    );
}

#[test]
fn ranks_on_two_machines_over_ssh() {
    let Some(server) = Server::start() else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let ssh = folder.path().join("ssh");
    let real = Command::new("sh")
        .args(["-c", "command -v ssh"])
        .output()
        .unwrap();
    let real = String::from_utf8_lossy(&real.stdout).trim().to_owned();
    let config = server.config();
    std::fs::write(
        &ssh,
        format!("#!/bin/sh\nexec {real} -F {} \"$@\"\n", config.display()),
    )
    .unwrap();
    std::fs::set_permissions(&ssh, std::fs::Permissions::from_mode(0o755)).unwrap();
    let saved = folder.path().join("two.pftrace");
    let path = std::env::var("PATH").unwrap_or_default();
    let output = Command::new(syncline())
        .args([
            "run",
            "two-machines",
            "--backend",
            "cpu",
            "--machine",
            "right=loopback",
        ])
        .arg("--save")
        .arg(&saved)
        .env("PATH", format!("{}:{path}", folder.path().display()))
        .output()
        .unwrap();
    let out = String::from_utf8_lossy(&output.stdout);
    let err = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{out}{err}{}", server.log());
    assert!(out.contains("rank 3 · ccl"), "{out}");
    // The clock of the machine that ssh leads to was compared by round trips, and says how well.
    let mut capture = engine::capture::Capture::new();
    engine::importer::open(&saved, &mut |batch| {
        capture.apply(batch.records);
        std::ops::ControlFlow::Continue(())
    })
    .unwrap();
    for rank in 0..4 {
        let name = format!("unix of rank {rank}");
        let clock = capture.clocks().iter().find(|it| it.name == name).unwrap();
        assert_eq!(clock.uncertainty.0 > 0, rank > 1, "{clock:?}");
    }
}

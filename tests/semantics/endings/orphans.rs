//! What a process started ends with it, also where it is stopped and hears nothing.

use std::path::Path;
use std::process::{Child, Command};
use std::time::{Duration, Instant};

use super::{PATIENCE, command, marked, signal, until_none_is_left};
use crate::house::program::wait_for_end;

/// A run on three ranks that goes on for longer than any test.
fn start(folder: &Path, mark: &str) -> Child {
    let source = r#"
        placement ranks=3
        stream "s"
        buffer "x" f32=1024 init="rank"
        host "main" {
            upload "x" on="s"
            repeat 1000000 { all-reduce "x" by="max" on="s"; synchronize-stream "s" }
        }
        "#;
    std::fs::write(folder.join("endless.kdl"), source).unwrap();
    let arguments = [
        "run",
        "endless.kdl",
        "--backend",
        "cpu",
        "--save",
        "out.pftrace",
    ];
    let child = command(folder, &arguments, mark).spawn().unwrap();
    let until = Instant::now() + Duration::from_mins(2);
    let saved = folder.join("out.pftrace");
    while std::fs::metadata(&saved).map_or(0, |it| it.len()) < 20_000 {
        assert!(Instant::now() < until, "the ranks do not begin");
        std::thread::sleep(Duration::from_millis(10));
    }
    child
}

/// The ranks of a run: all of its processes but the first.
fn ranks(mark: &str, child: &Child) -> Vec<u32> {
    let numbers = marked(mark).into_iter().filter_map(|it| {
        let (number, _) = it.split_once(':')?;
        number.parse().ok()
    });
    numbers.filter(|it| *it != child.id()).collect()
}

#[test]
fn a_stopped_rank_dies_with_whoever_started_it() {
    let folder = tempfile::tempdir().unwrap();
    let mark = format!("orphans-{}", std::process::id());
    let mut child = start(folder.path(), &mark);
    let ranks = ranks(&mark, &child);
    assert_eq!(ranks.len(), 3);
    signal(ranks[1], "-STOP");
    signal(child.id(), "-KILL");
    child.wait().unwrap();
    until_none_is_left(&mark, "a stopped rank");
}

#[test]
fn ctrl_c_ends_a_run_with_a_stopped_rank_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let mark = format!("interrupted-{}", std::process::id());
    let mut child = start(folder.path(), &mark);
    signal(ranks(&mark, &child)[1], "-STOP");
    let began = Instant::now();
    signal(child.id(), "-INT");
    let status = wait_for_end(&mut child, PATIENCE, "Ctrl-C");
    let took = began.elapsed();
    assert_eq!(status.code(), Some(130), "{status}");
    // Its own limit is two seconds, and half a minute is how long a silent rank was waited for.
    assert!(took < Duration::from_secs(15), "{took:?}");
    until_none_is_left(&mark, "Ctrl-C");
}

/// Starts the program, in whose way to another machine there is something that sleeps: it does not see that its standard
/// input ended, as ssh does not before the far machine answers.
fn start_with_silent_ssh(folder: &Path, arguments: &[&str], mark: &str) -> Child {
    use std::os::unix::fs::PermissionsExt as _;
    let (ssh, begun) = (folder.join("ssh"), folder.join("begun"));
    let script = format!("#!/bin/sh\necho > '{}'\nexec sleep 600\n", begun.display());
    std::fs::write(&ssh, script).unwrap();
    std::fs::set_permissions(&ssh, std::fs::Permissions::from_mode(0o755)).unwrap();
    let mut command = command(folder, arguments, mark);
    let path = std::env::var("PATH").unwrap_or_default();
    command.env("PATH", format!("{}:{path}", folder.display()));
    let child = command.spawn().unwrap();
    let until = Instant::now() + PATIENCE;
    while !begun.exists() {
        assert!(Instant::now() < until, "it does not begin");
        std::thread::sleep(Duration::from_millis(10));
    }
    child
}

#[test]
fn ctrl_c_ends_the_question_what_a_silent_machine_has() {
    let folder = tempfile::tempdir().unwrap();
    let mark = format!("silent-{}", std::process::id());
    let arguments = ["backends", "--on", "silent"];
    let mut child = start_with_silent_ssh(folder.path(), &arguments, &mark);
    signal(child.id(), "-INT");
    let status = wait_for_end(&mut child, PATIENCE, "Ctrl-C");
    assert_eq!(status.code(), Some(130), "{status}");
    assert_eq!(marked(&mark), [""; 0], "somebody is left");
}

#[cfg(target_os = "linux")]
#[test]
fn the_way_to_a_silent_machine_ends_with_whoever_went_it() {
    let folder = tempfile::tempdir().unwrap();
    let mark = format!("way-{}", std::process::id());
    let arguments = ["run", "heat", "--backend", "cpu", "--on", "silent"];
    let mut child = start_with_silent_ssh(folder.path(), &arguments, &mark);
    signal(child.id(), "-KILL");
    child.wait().unwrap();
    until_none_is_left(&mark, "the way to a machine");
}

#[test]
fn ctrl_c_ends_what_waits_for_somebody_who_reads() {
    let folder = tempfile::tempdir().unwrap();
    let event = r#"[{"ph":"X","pid":1,"tid":1,"ts":1,"dur":1,"name":"a"}]"#;
    std::fs::write(folder.path().join("a.json"), event).unwrap();
    let pipe = folder.path().join("b.json");
    assert!(
        Command::new("mkfifo")
            .arg(&pipe)
            .status()
            .unwrap()
            .success()
    );
    let arguments = ["convert", "a.json", "b.json"];
    let mut child = command(folder.path(), &arguments, "reader")
        .spawn()
        .unwrap();
    let until = Instant::now() + PATIENCE;
    while !heeds_ctrl_c(child.id()) {
        assert!(Instant::now() < until, "it does not begin");
        std::thread::sleep(Duration::from_millis(10));
    }
    // By then so small a file is read. Where it is not, Ctrl-C comes earlier, and ends it too.
    std::thread::sleep(Duration::from_secs(1));
    signal(child.id(), "-INT");
    let status = wait_for_end(&mut child, Duration::from_secs(30), "Ctrl-C");
    assert_eq!(status.code(), Some(130), "{status}");
}

/// Whether a process does something when Ctrl-C is pressed; true where the system does not say.
fn heeds_ctrl_c(process: u32) -> bool {
    let Ok(status) = std::fs::read_to_string(format!("/proc/{process}/status")) else {
        return true;
    };
    let caught = status.lines().find_map(|it| it.strip_prefix("SigCgt:"));
    let caught = caught.and_then(|it| u64::from_str_radix(it.trim(), 16).ok());
    caught.is_none_or(|signals| signals & 2 != 0)
}

#[test]
fn a_worker_takes_away_the_doors_of_those_that_were_killed() {
    use std::os::unix::net::UnixListener;
    let folder = tempfile::tempdir().unwrap();
    let doors = folder.path().join("syncline-workers");
    std::fs::create_dir(&doors).unwrap();
    let private = std::os::unix::fs::PermissionsExt::from_mode(0o700);
    std::fs::set_permissions(&doors, private).unwrap();
    let (left, used) = (doors.join("00aa"), doors.join("00bb"));
    drop(UnixListener::bind(&left).unwrap());
    let _listener = UnixListener::bind(&used).unwrap();
    // Whoever comes over a link that can drop has the worker open a door.
    let hello = format!(
        r#"{{"protocol":{},"version":"x","keep":true}}"#,
        engine::runner::far::PROTOCOL
    );
    let mut frame = (hello.len() as u32 + 2).to_le_bytes().to_vec();
    frame.extend([0, 0xd9, hello.len() as u8]);
    frame.extend(hello.as_bytes());
    let mut command = command(folder.path(), &["worker"], "doors");
    command.env("XDG_RUNTIME_DIR", folder.path());
    let mut child = command.stdin(std::process::Stdio::piped()).spawn().unwrap();
    std::io::Write::write_all(child.stdin.as_mut().unwrap(), &frame).unwrap();
    let until = Instant::now() + Duration::from_mins(1);
    while left.exists() {
        assert!(Instant::now() < until, "the door is left");
        std::thread::sleep(Duration::from_millis(10));
    }
    assert!(used.exists());
    child.kill().unwrap();
    child.wait().unwrap();
}

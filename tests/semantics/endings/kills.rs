//! Kills at random moments of whatever writes a file: it opens up to its last packet, and no process is left.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use engine::capture::Capture;
use engine::importer;
use engine::record::{DependencyId, SpanId};

use super::{PATIENCE, Random, command, rounds, signal, until_none_is_left};
use crate::house::program::wait_for_end;

/// How many; the first seed may follow, as in `300@7`.
const COUNT: &str = "SYNCLINE_KILLS";

/// Says how many spans are named and were not written.
const UNWRITTEN: &str = "unwritten-spans";

/// Each round of this is three spans: a host function, its call, and the call that waits for it.
const ENDLESS: &str = r#"
about "Runs until somebody ends it."
stream "s"
host "main" {
    repeat 1000000 index="i" {
        host-function "tick" on="s" micros=100
        synchronize-stream "s"
    }
}
"#;

/// What is killed.
const KILLED: [&[&str]; 4] = [
    &["run", "endless.kdl", "--backend", "cpu"],
    &["run", "endless.kdl", "--backend", "wgpu"],
    &["run", "endless.kdl", "--backend", "cpu", "--on", "."],
    &["run", "endless.kdl", "--backend", "cpu", "--ranks", "2"],
];

/// Opens what was written, where anything was.
fn open(path: &Path, what: &str) {
    if std::fs::metadata(path).map_or(0, |it| it.len()) == 0 {
        return;
    }
    let mut capture = Capture::new();
    let opened = importer::open(path, &mut |batch| {
        capture.apply(batch.records);
        std::ops::ControlFlow::Continue(())
    });
    let receipt = opened.unwrap_or_else(|error| panic!("{what}: {error}"));
    assert_eq!(receipt.dropped, 0, "{what}: {receipt:?}");
    let known = |code: &str| ["cut-short", "no-end", "no-end-of-file", UNWRITTEN].contains(&code);
    let odd = capture.problems().iter().find(|it| !known(&it.code));
    assert!(odd.is_none(), "{what}: {odd:?}");
    // Threads hand on what they have by themselves: one may not have written a span that another's dependency names.
    let missing = absent(&capture);
    let mut problems = capture.problems().iter();
    let told = problems.find(|it| it.code == UNWRITTEN);
    let told = told.map_or("0", |it| it.text.split(' ').next().unwrap_or_default());
    assert_eq!(told, missing.len().to_string(), "{what}: {missing:?}");
}

/// The spans that dependencies name and that are not there.
fn absent(capture: &Capture) -> BTreeSet<SpanId> {
    let all = capture.spans().map(|it| it.span.id);
    let there: BTreeSet<SpanId> = all.chain(capture.open().map(|it| it.id)).collect();
    let all = (0..capture.dependency_count()).map(|it| DependencyId(it as u32));
    let named = all.filter_map(|it| capture.dependency(it));
    let named = named.flat_map(|it| [it.cause, it.effect]);
    named.filter(|it| !there.contains(it)).collect()
}

fn one(seed: u64, mark: &str) {
    let random = &mut Random::new(seed);
    let arguments = random.one_of(&KILLED);
    let moment = Duration::from_micros(random.below(900_000));
    let what = format!("seed {seed}, {arguments:?}, {moment:?}");
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("endless.kdl"), ENDLESS).unwrap();
    let saved = folder.path().join("out.pftrace");
    let mut killed = command(folder.path(), arguments, mark);
    killed.arg("--save").arg(&saved);
    killed.stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = killed.spawn().unwrap();
    std::thread::sleep(moment);
    signal(child.id(), "-KILL");
    wait_for_end(&mut child, PATIENCE, &what);
    open(&saved, &what);
}

#[test]
fn kills_at_random_moments_leave_a_file_that_opens_and_no_process() {
    let mark = format!("kills-{}", std::process::id());
    for seed in rounds(COUNT, 12) {
        one(seed, &mark);
    }
    until_none_is_left(&mark, "kills");
}

/// The recorder of other programs, killed; the program is the user's and is ended by the test.
#[cfg(target_os = "linux")]
#[test]
fn kills_of_a_recorder_leave_a_file_that_opens() {
    use std::os::unix::process::CommandExt as _;
    for seed in rounds(COUNT, 4) {
        let random = &mut Random::new(seed);
        let moment = Duration::from_micros(random.below(1_500_000));
        let what = format!("seed {seed}, a recorder, {moment:?}");
        let folder = tempfile::tempdir().unwrap();
        let mut recorder = crate::formats::record::recorder(folder.path(), &["forever"]);
        recorder.stdout(Stdio::null()).stderr(Stdio::null());
        let mut child = recorder.process_group(0).spawn().unwrap();
        std::thread::sleep(moment);
        signal(child.id(), "-KILL");
        wait_for_end(&mut child, PATIENCE, &what);
        open(&folder.path().join("out.pftrace"), &what);
        let group = format!("-{}", child.id());
        // It may not have been started yet.
        let _ = std::process::Command::new("kill")
            .args(["-KILL", "--", &group])
            .stderr(Stdio::null())
            .status();
    }
}

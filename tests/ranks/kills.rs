//! Two hundred kills at random moments leave no process behind.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::steps;
use crate::house::program::syncline;

/// What a process that a test started carries in its environment, with all that it starts.
const MARK: &str = "SYNCLINE_TEST_MARK";

/// Processes that carry this mark.
fn marked(mark: &str) -> Vec<String> {
    let wanted = format!("{MARK}={mark}");
    let all = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let found = all.filter(|entry| {
        let environment = std::fs::read(entry.path().join("environ")).unwrap_or_default();
        environment
            .split(|byte| *byte == 0)
            .any(|it| it == wanted.as_bytes())
    });
    found
        .map(|entry| {
            let name = std::fs::read_to_string(entry.path().join("cmdline")).unwrap_or_default();
            format!("{}: {name}", entry.file_name().to_string_lossy())
        })
        .collect()
}

/// Numbers that look random and are the same for the same seed.
fn random(state: &mut u64) -> u64 {
    *state = state
        .wrapping_mul(6_364_136_223_846_793_005)
        .wrapping_add(1_442_695_040_888_963_407);
    *state >> 33
}

/// Who is killed, and when.
fn fault(seed: u64) -> String {
    let mut state = seed;
    let rank = random(&mut state) % 3;
    let moment = if random(&mut state).is_multiple_of(2) {
        format!("{}us", random(&mut state) % 60_000)
    } else {
        format!("collective:{}", random(&mut state) % 40 + 1)
    };
    format!("kill:{rank}@{moment}")
}

fn one(workload: &Path, seed: u64, mark: &str) {
    let fault = fault(seed);
    let child = Command::new(syncline())
        .args(["run", "--backend", "cpu", "--fault", &fault])
        .arg(workload)
        .env(MARK, mark)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    let mut child = child.unwrap();
    let until = Instant::now() + Duration::from_mins(2);
    let status = loop {
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        assert!(Instant::now() < until, "seed {seed}: {fault} hangs");
        std::thread::sleep(Duration::from_millis(5));
    };
    // It failed, and said so; or the run was over before the moment came.
    assert!(
        matches!(status.code(), Some(0 | 1)),
        "seed {seed}: {fault}: {status}"
    );
}

#[test]
fn two_hundred_random_kills_leave_nothing_behind() {
    let folder = tempfile::tempdir().unwrap();
    let workload = folder.path().join("kills.kdl");
    std::fs::write(
        &workload,
        steps("placement ranks=3 timeout-millis=10000", 60),
    )
    .unwrap();
    let mark = format!("{}", std::process::id());
    let seed = 20_261_121_u64;
    eprintln!("seeds from {seed}");
    std::thread::scope(|scope| {
        for part in 0..4 {
            let (workload, mark) = (&workload, &mark);
            scope
                .spawn(move || (0..50).for_each(|run| one(workload, seed + part * 50 + run, mark)));
        }
    });
    let left = marked(&mark);
    assert!(left.is_empty(), "{left:?}");
}

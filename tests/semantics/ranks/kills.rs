//! Two hundred kills at random moments leave no process behind.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::steps;
use crate::house::program::syncline;
use crate::semantics::endings::{MARK, Random, marked};

/// Who is killed, and when.
fn fault(seed: u64) -> String {
    let mut random = Random::new(seed);
    let rank = random.below(3);
    let moment = if random.below(2) == 0 {
        format!("{}us", random.below(60_000))
    } else {
        format!("collective:{}", random.below(40) + 1)
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

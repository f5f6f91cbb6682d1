//! Losses at random moments of the bundled workloads, with every way to go on: each run ends by itself, and says how.

use engine::workload::bundled;
use serde_json::Value;

use super::{PATIENCE, Random, command, rounds, said, until_none_is_left};
use crate::house::program::output_within;

/// How many; the first seed may follow, as in `300@7`.
const COUNT: &str = "SYNCLINE_LOSSES";
const BACKENDS: [&str; 3] = ["cpu", "wgpu", "mock"];
const WAYS: [&str; 6] = ["destroy", "driver", "trap", "address", "assertion", "hang"];
const RECOVERIES: [&str; 3] = ["no", "resume", "replay"];

fn one(seed: u64, mark: &str) {
    let random = &mut Random::new(seed);
    let all = bundled();
    let name = all[random.below(all.len() as u64) as usize].name;
    let (backend, recovery) = (random.one_of(&BACKENDS), random.one_of(&RECOVERIES));
    let mut words = vec!["run", name, "--backend", backend, "--recover", recovery];
    words.extend(["--format", "json"]);
    let count = 1 + random.below(2);
    let losses: Vec<String> = (0..count)
        .map(|_| format!("{}@{}us", random.one_of(&WAYS), random.below(20_000)))
        .collect();
    for loss in &losses {
        words.extend(["--lose", loss]);
    }
    let what = format!("seed {seed}: {}", words.join(" "));
    let folder = tempfile::tempdir().unwrap();
    let output = output_within(&mut command(folder.path(), &words, mark), PATIENCE, &what);
    let said = said(&output);
    match output.status.code() {
        Some(code @ (0 | 1)) => {
            let ran: Value = serde_json::from_slice(&output.stdout)
                .unwrap_or_else(|error| panic!("{what}: {error}: {said}"));
            let missed = ran["expectations"].as_array().unwrap().iter();
            let missed = missed.filter(|it| it["holds"] == false).count();
            let is_fine = ran["outcome"] == "finished" && missed == 0 && ran["lost"] == 0;
            assert_eq!(code == 0, is_fine, "{what}: {}", ran["reason"]);
            let pending = ran["promises"].as_array().unwrap().iter();
            let pending: Vec<_> = pending.filter(|it| it["outcome"] == "pending").collect();
            assert!(pending.is_empty(), "{what}: {pending:?}");
            assert_eq!(ran["running"], 0, "{what}");
        }
        // What this machine or the workload cannot do is said.
        Some(2) => assert!(said.starts_with("syncline: "), "{what}: {said}"),
        other => panic!("{what}: {other:?}: {said}"),
    }
}

#[test]
fn losses_at_random_moments_end_by_themselves() {
    let mark = format!("losses-{}", std::process::id());
    for seed in rounds(COUNT, 12) {
        one(seed, &mark);
    }
    until_none_is_left(&mark, "losses");
}

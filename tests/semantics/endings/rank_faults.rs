//! Ranks that are killed, stopped or slow at random moments, with and without beginning again: each run ends by itself.

use super::{PATIENCE, Random, command, rounds, said, until_none_is_left};
use crate::house::program::output_within;

/// How many; the first seed may follow, as in `100@7`.
const COUNT: &str = "SYNCLINE_RANK_FAULTS";

fn source(again: bool) -> String {
    format!(
        r#"
        placement ranks=3 timeout-millis=1000 again={}
        stream "main"
        buffer "x" f32=1024 init="rank"
        host "main" {{
            upload "x" on="main"
            repeat 40 {{
                launch "spin" on="main" {{ set "micros" 100 }}
                all-reduce "x" by="max" on="main"
            }}
            synchronize-device
        }}
        "#,
        if again { "#true" } else { "#false" }
    )
}

fn one(seed: u64, mark: &str) {
    let random = &mut Random::new(seed);
    let again = random.below(2) == 0;
    let count = 1 + random.below(2);
    let faults: Vec<String> = (0..count)
        .map(|_| {
            let (kind, rank) = (random.one_of(&["kill", "stop", "slow"]), random.below(3));
            match random.below(2) {
                0 => format!("{kind}:{rank}@{}us", random.below(60_000)),
                _ => format!("{kind}:{rank}@collective:{}", 1 + random.below(40)),
            }
        })
        .collect();
    let mut words = vec![
        "run",
        "ranks.kdl",
        "--backend",
        "cpu",
        "--save",
        "out.pftrace",
    ];
    for fault in &faults {
        words.extend(["--fault", fault]);
    }
    let what = format!("seed {seed}: again={again} {}", words.join(" "));
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("ranks.kdl"), source(again)).unwrap();
    let output = output_within(&mut command(folder.path(), &words, mark), PATIENCE, &what);
    let said = said(&output);
    assert!(
        matches!(output.status.code(), Some(0 | 1)),
        "{what}: {said}"
    );
}

#[test]
fn faults_of_ranks_at_random_moments_end_by_themselves() {
    let mark = format!("rank-faults-{}", std::process::id());
    for seed in rounds(COUNT, 6) {
        one(seed, &mark);
    }
    until_none_is_left(&mark, "faults of ranks");
}

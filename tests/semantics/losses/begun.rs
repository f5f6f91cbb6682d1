//! Losses that wait for what is at work when they are called for, and what a replay knows of the calls that made it.

use engine::record::SpanKind;
use engine::runner::RecoveryMode;

use super::{backends, lose};

/// What a loss waits for began before it was called for: the device is lost while it goes on.
#[test]
fn what_is_at_work_already_is_lost() {
    let stream = |by: &str| {
        format!(
            r#"
stream "a"
host "main" {{
    launch "spin" on="a" {{ set "micros" 300000 }}
    work micros=5000
    lose-device by="{by}" stream="a" label="lose"
    try {{ synchronize-stream "a" }}
    catch {{ work micros=1 label="told" }}
}}
"#
        )
    };
    let pipeline = r#"
stream "a"
pipeline "slow" kernel="scan" slow-micros=300000 cache=#false
promise "made"
host "main" {
    create-pipeline-async "slow" promise="made"
    work micros=50000
    lose-device by="driver" pipeline="slow" label="lose"
    settle "made"
}
"#;
    for backend in backends() {
        for source in [stream("driver"), stream("destroy"), pipeline.to_owned()] {
            let (capture, _) = lose(backend, &source, &[], RecoveryMode::Stay);
            let problems = capture.problems();
            assert_eq!(
                capture.losses().len(),
                1,
                "{backend}: {problems:?}\n{source}"
            );
            assert!(
                problems.iter().all(|it| it.code != "loss-unmet"),
                "{problems:?}"
            );
            // It comes while that goes on, and so before it would have ended.
            let called = capture.spans().find(|it| {
                it.span.kind == SpanKind::Call && capture.name(it.span.name).starts_with("lose")
            });
            let called = called.expect("the call was made").span.start;
            assert!(capture.losses()[0].time >= called, "{backend}");
        }
    }
}

/// Two hosts of which one tells the other, on the legacy stream: the second attempt is judged like the first.
#[test]
fn a_replay_is_told_no_race_that_there_is_none_without_it() {
    let source = r#"
stream "d" kind="legacy"
stream "b" blocking=#true
buffer "x" f32=1
signal "o"
host "one" {
    fill "x" value=1 on="d" label="first"
    signal "o"
}
host "two" {
    await "o"
    work micros=100 label="here"
    fill "x" value=3 on="b" label="second"
}
expect {
    race at-most=0
    ordered "first" "second"
}
"#;
    for backend in backends() {
        for moment in ["driver", "destroy@label:here", "driver@label:second"] {
            let (capture, _) = lose(backend, source, &[moment], RecoveryMode::Replay);
            let missed = capture
                .expectations()
                .iter()
                .filter(|it| it.holds != Some(true));
            let missed: Vec<_> = missed.collect();
            assert!(missed.is_empty(), "{backend}, {moment}: {missed:?}");
            assert_eq!(capture.expectations().len(), 2);
            assert!(!capture.recoveries().is_empty(), "{backend}, {moment}");
        }
    }
}

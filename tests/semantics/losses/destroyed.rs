//! A device that the workload destroys itself and opens anew at once, before the device timeline has come to the first.

use engine::record::{LossKind, RunOutcome, SpanKind, State};
use engine::runner::RecoveryMode;

use super::{backends, is_whole, lose};

/// Promises are pending at the destroy, so that it has others before it on the device timeline.
const AT_ONCE: &str = r#"
stream "a"
buffer "x" f32=64
promise "scope"
promise "done"
promise "lost"
host "main" {
    device-lost promise="lost"
    push-error-scope "validation"
    launch "spin" on="a" { set "micros" 3000 }
    work-done promise="done"
    pop-error-scope promise="scope"
    lose-device by="destroy"
    recover-device
    fill "x" value=7 on="a"
    download "x" on="a"
    settle-all
}
expect { each "x" equals="7" }
"#;

#[test]
fn a_device_that_is_destroyed_and_opened_anew_at_once_is_both_in_this_order() {
    for backend in backends() {
        let (capture, outcome) = lose(backend, AT_ONCE, &[], RecoveryMode::Stay);
        assert_eq!(outcome, RunOutcome::Finished, "{backend}");
        let ([loss], [recovery]) = (capture.losses(), capture.recoveries()) else {
            let (losses, recoveries) = (capture.losses(), capture.recoveries());
            panic!("{backend}: {losses:?} and {recoveries:?}")
        };
        assert_eq!(recovery.lost, loss.time, "{backend}");
        assert!(recovery.time >= loss.time, "{backend}");
        let fill = capture.spans().find(|it| it.span.kind == SpanKind::Fill);
        let fill = fill.unwrap().span;
        assert_eq!(fill.state, State::Done, "{backend}: {fill:?}");
        assert!(fill.start >= recovery.time, "{backend}: {fill:?}");
        let verdict = capture.expectations().first().unwrap();
        assert!(verdict.holds == Some(true), "{backend}: {verdict:?}");
        for pledge in capture.promises() {
            let settlement = pledge.settlement.as_ref();
            let settlement = settlement.unwrap_or_else(|| panic!("{backend}: {pledge:?}"));
            assert!(settlement.time >= loss.time, "{backend}: {settlement:?}");
        }
        is_whole(&capture);
    }
}

/// What is called behind a destroy comes behind it on the device timeline, also where that is a thread of its own.
#[test]
fn what_is_called_behind_a_destroy_runs_behind_it() {
    let source = r#"
promise "p"
stream "a"
stream "b"
buffer "x" f32=8 init="3"
host "h" {
    fill "x" value=1 on="a"
    work micros=1 label="lose"
    fill "x" value=2 on="b" label="after"
    synchronize-device
}
"#;
    for backend in backends() {
        for _ in 0..8 {
            let way = ["destroy@label:lose"];
            let (capture, _) = lose(backend, source, &way, RecoveryMode::Resume);
            let loss = capture.losses().first().expect("it is lost").time;
            let after = capture.spans().find(|it| {
                it.span.kind == SpanKind::Fill && capture.name(it.span.name).contains("after")
            });
            let after = after.expect("it runs on the device that is opened anew");
            assert_eq!(after.span.state, State::Done, "{backend}");
            assert!(after.span.start >= loss, "{backend}: {:?}", after.span);
        }
    }
}

/// A device that failed is of no use until it is lost and opened anew (rule A47).
#[test]
fn a_device_that_failed_can_be_lost_and_opened_anew() {
    // What is asked of a device that failed is answered, and takes nothing for a loss.
    let asked = [
        "",
        r#"work-done promise="q"; settle "q""#,
        r#"map-async "y" promise="q"; settle "q"; unmap "y""#,
    ];
    for (by, asks) in ["destroy", "driver"]
        .into_iter()
        .flat_map(|by| asked.map(|it| (by, it)))
    {
        let source = format!(
            r#"
promise "p"
promise "q"
buffer "y" f32=16
stream "a"
buffer "x" f32=16
host "h" {{
    device-lost promise="p"
    launch "trap" on="a"
    try {{ synchronize-stream "a"; }}
    catch {{ work micros=1; }}
    {asks}
    lose-device by="{by}"
    settle "p"
    recover-device
    fill "x" value=5 on="a"
    download "x" on="a"
    synchronize-device
}}
expect {{ each "x" equals="5" }}
"#
        );
        for backend in backends() {
            let (capture, outcome) = lose(backend, &source, &[], RecoveryMode::Stay);
            assert_eq!(outcome, RunOutcome::Finished, "{backend}, {by}, {asks}");
            // That it failed is told like a loss, and is none.
            let lost = capture
                .losses()
                .iter()
                .filter(|it| it.kind != LossKind::Failed);
            assert_eq!(lost.count(), 1, "{backend}, {by}, {asks}");
            let holds: Vec<_> = capture.expectations().iter().map(|it| it.holds).collect();
            assert_eq!(holds, [Some(true)], "{backend}, {by}");
        }
    }
}

/// What WebGPU's calls ask for behind a destroy is asked of the device that is opened anew, whole.
#[test]
fn promises_asked_for_behind_a_destroy_are_of_the_next_device() {
    let source = r#"
stream "a"
buffer "y" f32=1024
promise "scope"
promise "map"
host "one" {
    fill "y" value=1 on="a"
    synchronize-stream "a"
    work micros=1 label="lose"
    push-error-scope "validation"
    work micros=20
    pop-error-scope promise="scope"
    map-async "y" promise="map" mode="read"
    settle "scope"
    settle "map"
    unmap "y"
}
expect {
    settles "scope" "resolved" value="null"
    settles "map" "resolved"
}
"#;
    for backend in backends() {
        for _ in 0..4 {
            let way = ["destroy@label:lose"];
            let (capture, _) = lose(backend, source, &way, RecoveryMode::Resume);
            for expected in capture.expectations() {
                assert_eq!(expected.holds, Some(true), "{backend}: {expected:?}");
            }
        }
    }
}

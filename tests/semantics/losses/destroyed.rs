//! A device that the workload destroys itself and opens anew at once, before the device timeline has come to the first.

use engine::record::{RunOutcome, SpanKind, State};
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

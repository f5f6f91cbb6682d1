//! What the first attempt waited for, in those that follow it.

use engine::record::{Log, RunOutcome};
use engine::runner::RecoveryMode;

use super::lose;

/// The first attempt is lost from outside while a loss of the workload's own waits for its stream: that one is not waited for
/// any more once the workload has begun again.
#[test]
fn a_loss_that_an_attempt_before_waited_for_does_not_come() {
    let source = r#"
stream "a"
stream "b"
host "main" {
    lose-device by="driver" stream="b"
    launch "spin" on="a" label="first" { set "micros" 2000 }
    synchronize-stream "a"
    launch "spin" on="b" { set "micros" 20000 }
    synchronize-stream "b"
}
"#;
    for backend in ["mock", "cpu"] {
        let (capture, outcome) = lose(
            backend,
            source,
            &["driver@label:first"],
            RecoveryMode::Replay,
        );
        assert_eq!(outcome, RunOutcome::Finished, "{backend}");
        let again = |it: &&Log| it.text.contains("by a call of its own again");
        assert_eq!(capture.log().iter().filter(again).count(), 1, "{backend}");
        assert_eq!(capture.losses().len(), 3, "{backend}: {capture}");
        assert_eq!(capture.recoveries().len(), 2, "{backend}: {capture}");
        let unmet = capture.problems().iter().find(|it| it.code == "loss-unmet");
        assert_eq!(unmet, None, "{backend}");
    }
}

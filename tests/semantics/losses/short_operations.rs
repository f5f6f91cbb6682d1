//! A loss that waits for an operation of a stream comes at the first one, however short that is.

use engine::record::RunOutcome;
use engine::runner::RecoveryMode;

use super::{backends, is_whole, lose};

#[test]
fn a_loss_at_a_stream_meets_an_operation_however_short() {
    let source = r#"
stream "a"
buffer "x" f32=1024
host "main" {
    fill "x" value=1 on="a"
    download "x" on="a"
    synchronize-device
}
expect { each "x" equals="1" }
"#;
    for backend in backends() {
        for turn in 0..10 {
            let (capture, outcome) =
                lose(backend, source, &["driver@stream:a"], RecoveryMode::Replay);
            let place = format!("{backend}, turn {turn}: {:?}", capture.problems());
            assert_eq!(outcome, RunOutcome::Finished, "{place}");
            assert_eq!(capture.losses().len(), 1, "{place}");
            assert_eq!(capture.expectations()[0].holds, Some(true), "{place}");
            is_whole(&capture);
        }
    }
}

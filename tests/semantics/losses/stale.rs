//! What a loss took is not there, and what shows it is told to be stale.

use engine::record::RunOutcome;
use engine::runner::RecoveryMode;

use super::{backends, lose};

#[test]
fn a_download_that_was_lost_is_told_as_a_stale_result() {
    let source = r#"
stream "a"
buffer "x" f32=64 init="k"
buffer "y" f32=64 init="1"
host "main" {
    upload "x" on="a"
    upload "y" on="a"
    launch "saxpy" on="a" { read "x"; write "y"; set "a" 2 }
    launch "spin" on="a" { set "micros" 400000 }
    download "y" on="a"
    work micros=60000 label="lose"
}
expect { each "y" equals="2 * k + 1" }
"#;
    for backend in backends() {
        let (capture, outcome) = lose(backend, source, &["driver@20ms"], RecoveryMode::Resume);
        assert_eq!(outcome, RunOutcome::Finished, "{backend}");
        assert_eq!(capture.recoveries().len(), 1, "{backend}");
        let wrong = capture.problems().iter();
        let wrong: Vec<_> = wrong.filter(|it| it.code == "stale-result").collect();
        assert_eq!(wrong.len(), 1, "{backend}: {:?}", capture.problems());
        assert!(
            wrong[0].text.contains("what the host has of y"),
            "{backend}: {wrong:?}"
        );
        let verdict = capture.expectations().first().unwrap();
        assert!(
            verdict.is_missed() && verdict.found.contains("lost with the device"),
            "{backend}: {verdict:?}"
        );
    }
}

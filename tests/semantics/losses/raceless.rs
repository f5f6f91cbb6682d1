//! A loss orders: what is called after it races with nothing from before it.

use engine::runner::RecoveryMode;

use super::{backends, lose};

/// Each way in which a host thread waits for the first stream before it gives the second one the same buffer.
const WAITS: [&str; 4] = [
    r#"synchronize-stream "a""#,
    r#"synchronize-event "done""#,
    "synchronize-device",
    r#"work-done promise="p"; settle "p""#,
];

#[test]
fn what_is_called_after_a_loss_races_with_nothing_from_before_it() {
    for backend in backends() {
        for wait in WAITS {
            let source = format!(
                r#"
                stream "a"
                stream "b"
                event "done"
                promise "p"
                buffer "x" f32=4
                host "main" {{
                    launch "spin" on="a" {{ set "micros" 300000 }}
                    fill "x" value=1 on="a"
                    record "done" on="a"
                    {wait}
                    fill "x" value=2 on="b"
                }}"#
            );
            for recovery in [RecoveryMode::Stay, RecoveryMode::Resume] {
                let (capture, _) = lose(backend, &source, &["driver@stream:a"], recovery);
                assert_eq!(capture.losses().len(), 1, "{backend} {wait}");
                let findings: Vec<&str> = capture
                    .findings()
                    .iter()
                    .map(|it| it.code.as_str())
                    .filter(|code| *code == "race")
                    .collect();
                assert!(findings.is_empty(), "{backend} {wait} {recovery:?}");
            }
        }
    }
}

//! After a failure that ended the device was told, whatever concerns the device says so again, until it is opened anew
//! (rules A9, A47); what host threads do among themselves goes on.

use engine::record::{Group, RunOutcome, State};

use super::{backends, view};

/// What there is, and what was done before the failure.
const HEAD: &str = r#"
stream "a"; stream "b"; stream "c"
event "r"; event "n"; event "s"
event-pool "pool" count=2; event "held" pool="pool"; event "free" pool="pool"
signal "raised"; signal "go"
buffer "x" f32=16; buffer "y" f32=16; buffer "m" f32=16 memory="stream-ordered"
callback-thread "calls"; callback-thread "more"
graph "ready"; graph "open"
recorded "l"
host "main" {
    record "r" on="a"
    record "s" on="a"
    record-launch "l" "saxpy" { read "x"; write "y"; set "a" 1 }
    acquire "held"
    begin-capture "b"; fill "x" value=1 on="b"; end-capture "b" "ready"; instantiate "ready"
    subscribe "calls" stream="b"
    signal "raised"
    signal "go"
    synchronize-stream "a"
    begin-capture "c" mode="relaxed"
    launch "trap" on="a"
    try { synchronize-stream "a" }; catch "device-failed"
"#;

/// Calls that say that the device failed.
const REFUSED: &[&str] = &[
    r#"upload "x" on="a""#,
    r#"download "x" on="b""#,
    r#"copy "x" "y" on="b""#,
    r#"fill "x" value=1 on="b""#,
    r#"fill "x" value=1 on="c""#,
    r#"launch "scale" on="b" { read "x"; write "y"; set "a" 1; set "b" 0 }"#,
    r#"record "n" on="b""#,
    r#"wait "r" on="b""#,
    r#"wait "n" on="b" timeout-micros=10"#,
    r#"hold "go" on="b""#,
    r#"wait-stream "a" on="b""#,
    r#"allocate "m" on="b""#,
    r#"free "m" on="b""#,
    r#"host-function "f" micros=1 on="a""#,
    r#"host-function "f" micros=1 on="b" blocking=#true"#,
    r#"host-function "f" micros=1 on="a" panics=#true"#,
    r#"synchronize-event "r""#,
    r#"synchronize-event "n""#,
    r#"synchronize-event "r" timeout-micros=1000"#,
    r#"synchronize-stream "b""#,
    r#"synchronize-stream "b" timeout-micros=1000"#,
    "synchronize-device",
    r#"query "r""#,
    r#"query "n""#,
    r#"query "r" strict=#true"#,
    r#"elapsed "r" "s""#,
    r#"reset "r" on="b""#,
    r#"destroy-event "r""#,
    r#"destroy-stream "b""#,
    r#"abort-stream "b""#,
    r#"relaunch "l" on="b""#,
    r#"begin-capture "b""#,
    r#"end-capture "c" "open""#,
    r#"instantiate "ready""#,
    r#"update "ready""#,
    r#"replay "ready" on="b""#,
];

/// Calls that do what they do.
const TAKEN: &[&str] = &[
    r#"signal "go""#,
    r#"await "raised""#,
    "work micros=5",
    r#"record-launch "l" "saxpy" { read "y"; write "x"; set "a" 1 }"#,
    r#"set "l" "a" 2"#,
    r#"set-all "l" { buffer "y"; buffer "x" }"#,
    r#"set-dimensions "l" 8"#,
    r#"acquire "free""#,
    r#"release "held""#,
    r#"subscribe "more" stream="a""#,
    r#"unsubscribe "calls" stream="b""#,
];

/// What the call came to that is made once the failure was told.
fn result(call: &str, backend: &str) -> (State, String) {
    let source = format!("{HEAD}    try {{ {call} }}; catch\n}}");
    let view = view(&source, backend);
    assert_eq!(
        view.end.outcome,
        RunOutcome::Finished,
        "{call} on {backend}"
    );
    let spans = view.capture.spans().map(|it| it.span);
    let calls = spans.filter(|it| {
        view.capture
            .lane(it.lane)
            .is_some_and(|lane| lane.group == Group::Host)
    });
    let last = calls.max_by_key(|it| (it.start, it.id)).unwrap();
    let text = view.text(last.id, "result").unwrap_or_default();
    (last.state, text)
}

#[test]
fn every_call_about_a_device_says_that_it_failed_and_no_other_does() {
    for backend in backends().iter().filter(|it| !it.ends_processes()) {
        let mut wrong = Vec::new();
        for call in REFUSED {
            let found = result(call, backend.name());
            if found.0 != State::Failed || !found.1.starts_with("device-failed: ") {
                wrong.push((call, found));
            }
        }
        for call in TAKEN {
            let found = result(call, backend.name());
            if found.0 != State::Done {
                wrong.push((call, found));
            }
        }
        assert!(wrong.is_empty(), "{}: {wrong:#?}", backend.name());
    }
}

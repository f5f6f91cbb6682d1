//! What is expected of the order of calls that the generated workloads do not have: replays by their own label, and waits,
//! which begin before what they wait for.

use crate::semantics::conformance::view;

/// Whether each expectation of a workload holds, on every backend of virtual or real time that always opens.
fn verdicts(source: &str) -> Vec<Vec<Option<bool>>> {
    let all = ["mock", "cpu"].map(|backend| {
        let view = view(source, backend);
        let expected = view.capture.expectations().iter();
        expected.map(|it| it.holds).collect()
    });
    all.into()
}

#[test]
fn a_replay_that_nobody_waits_for_is_not_known_whatever_is_asked_of_its_nodes() {
    for asked in ["", "host-knows \"node\"; on \"node\" \"c\"; "] {
        let source = format!(
            r#"
stream "c"
buffer "x" f32=64
graph "g"
host "one" {{
    begin-capture "c"
    fill "x" value=1 on="c" label="node"
    end-capture "c" "g"
    instantiate "g"
    replay "g" on="c" label="replay"
    work micros=1 label="work"
}}
expect {{ {asked} ordered "replay" "work"; host-knows "replay"; apart "replay" "work" }}
"#
        );
        for found in verdicts(&source) {
            let own = &found[found.len() - 3..];
            assert_eq!(
                own,
                [Some(false), Some(false), Some(true)],
                "{asked}: {found:?}"
            );
        }
    }
}

#[test]
fn a_hold_and_a_wait_begin_before_what_they_wait_for() {
    let source = r#"
stream "a"
stream "b"
signal "g"
event "e"
host "one" {
    launch "spin" on="b" label="spin" { set "micros" 2000 }
    record "e" on="b"
    hold "g" on="a" label="hold"
    wait "e" on="a" label="wait"
    launch "spin" on="a" label="last" { set "micros" 10 }
    work micros=3000 label="work"
    signal "g"
    synchronize-device
}
expect { ordered "work" "hold"; ordered "spin" "wait"; ordered "work" "last"; ordered "spin" "last"; ordered "hold" "wait" }
"#;
    for found in verdicts(source) {
        let wanted = [false, false, true, true, true].map(Some);
        assert_eq!(found, wanted);
    }
}

/// The legacy stream and a blocking one keep to the order of calls (rule A22): what two hosts do on them is ordered by a signal.
#[test]
fn a_race_of_two_hosts_on_the_legacy_stream_and_a_blocking_one_asks_for_a_signal_alone() {
    for (blocking, asks) in [(true, false), (false, true)] {
        let source = format!(
            r#"
stream "d" kind="legacy"
stream "b" blocking=#{blocking}
buffer "x" f32=64
host "one" {{ fill "x" value=1 on="d" }}
host "two" {{ fill "x" value=2 on="b" }}
"#
        );
        let view = view(&source, "mock");
        let mut findings = view.capture.findings().iter();
        let race = findings.find(|it| it.code == "race").unwrap();
        let text = &race.text;
        assert!(text.contains("raise a signal"), "{text}");
        assert_eq!(text.contains("record an event"), asks, "{text}");
    }
}

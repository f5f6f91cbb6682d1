//! Cases of functions of the host that a callback thread calls.

use engine::record::{Basis, DependencyKind, Group, Span, State};

use super::Case;
use super::view::{View, before, ends_before};

/// The bars of a function on the lane of `thread`.
fn on_thread(view: &View, thread: &str, name: &str) -> Vec<Span> {
    let spans = view.capture.spans().map(|placed| placed.span);
    let is_here = |span: &Span| {
        let lane = view.capture.lane(span.lane).unwrap();
        lane.group == Group::Host && lane.name == thread && view.capture.name(span.name) == name
    };
    spans.filter(is_here).collect()
}

/// How it is known that the stream waited for a function that blocks it.
fn basis(view: &View, name: &str) -> Basis {
    let waited = view.causes(view.operation(name).id, DependencyKind::Step);
    assert_eq!(waited.len(), 1, "{name}: {waited:?}");
    waited[0].basis
}

/// Every case.
pub const CASES: &[Case] = &[
    Case {
        name: "a callback that blocks its stream",
        rules: "A28 F15",
        source: r#"
            stream "s"; callback-thread "calls"; buffer "x" f32=16; buffer "y" f32=16
            host "main" {
                subscribe "calls" stream="s"
                fill "x" value=1 on="s"
                host-function "look" micros=300 on="s" blocking=#true
                fill "y" value=1 on="s"
                synchronize-stream "s"
                unsubscribe "calls" stream="s"
            }"#,
        check: |view| {
            let bar = on_thread(view, "calls", "look")[0];
            let operation = view.operation("look");
            before(view.operation("fill x"), bar);
            before(bar, view.operation("fill y"));
            ends_before(bar, operation);
            let tie = view.causes(operation.id, DependencyKind::Step);
            assert_eq!((tie.len(), tie[0].cause), (1, bar.id));
        },
    },
    Case {
        name: "a callback that does not block",
        rules: "F15",
        source: r#"
            stream "s"; callback-thread "calls"; buffer "x" f32=16; event "e"
            host "main" {
                subscribe "calls" stream="s"
                host-function "look" micros=200000 on="s" blocking=#false
                fill "x" value=1 on="s"
                record "e" on="s"
                synchronize-event "e"
                synchronize-device
            }"#,
        check: |view| {
            let bar = on_thread(view, "calls", "look")[0];
            assert_eq!(bar.state, State::Done);
            ends_before(view.operation("fill x"), bar);
            ends_before(view.call("synchronize device"), bar);
            let tie = view.causes(bar.id, DependencyKind::Step);
            assert_eq!((tie.len(), tie[0].cause), (1, view.operation("look").id));
        },
    },
    Case {
        name: "one thread takes the callbacks of many streams",
        rules: "F15 A28",
        source: r#"
            stream "s" count=3; callback-thread "calls"; callback-thread "other"
            host "main" {
                repeat 3 index="i" { subscribe "calls" stream="s[i]" }
                repeat 2 {
                    repeat 3 index="i" { host-function "look" micros=500 on="s[i]" blocking=#true }
                }
                try { subscribe "other" stream="s[0]" }
                catch "already-subscribed"
                try { unsubscribe "other" stream="s[0]" }
                catch "not-subscribed"
                synchronize-device
            }"#,
        check: |view| {
            let mut bars = on_thread(view, "calls", "look");
            assert_eq!(bars.len(), 6);
            bars.sort_by_key(|bar| bar.start);
            for pair in bars.windows(2) {
                before(pair[0], pair[1]);
            }
            assert_eq!(
                view.results("subscribe other to s[0]"),
                ["already-subscribed"]
            );
            assert_eq!(
                view.results("unsubscribe other from s[0]"),
                ["not-subscribed"]
            );
        },
    },
    Case {
        name: "a callback that nobody takes",
        rules: "F15",
        source: r#"
            stream "s"; callback-thread "calls"; signal "go"
            host "main" {
                try { host-function "look" micros=1 on="s" blocking=#true }
                catch "not-subscribed"
                subscribe "calls" stream="s"
                hold "go" on="s"
                host-function "see" micros=1 on="s" blocking=#true
                try { unsubscribe "calls" stream="s" }
                catch "callbacks-pending"
                signal "go"
                synchronize-stream "s"
                unsubscribe "calls" stream="s"
            }"#,
        check: |view| {
            assert!(view.operations("look").is_empty());
            assert_eq!(view.results("host-function look"), ["not-subscribed"]);
            assert_eq!(
                view.results("unsubscribe calls from s"),
                ["callbacks-pending"]
            );
            assert_eq!(view.states("see"), [State::Done]);
        },
    },
    Case {
        name: "a callback that does not block is waited for by whoever takes its thread away",
        rules: "F15",
        source: r#"
            stream "s"; stream "t"; callback-thread "calls"
            host "main" {
                subscribe "calls" stream="s"
                subscribe "calls" stream="t"
                host-function "look" micros=300000 on="s" blocking=#false
                synchronize-stream "s"
                try { unsubscribe "calls" stream="s" }
                catch "callbacks-pending"
                unsubscribe "calls" stream="t"
                try { subscribe "calls" stream="s" }
                catch "already-subscribed"
                try { host-function "last" micros=1 on="s" blocking=#true }
                catch "not-subscribed"
                synchronize-stream "s"
                try { unsubscribe "calls" stream="s" }
                catch "not-subscribed"
            }"#,
        check: |view| {
            let bar = on_thread(view, "calls", "look")[0];
            let calls = view.calls("unsubscribe calls from s");
            // The one that came while the function ran was refused, and the thread stayed.
            let too_soon = calls[0].end < bar.end;
            let refused = view.results("unsubscribe calls from s");
            assert_eq!(too_soon, refused.contains(&"callbacks-pending".to_owned()));
            assert_eq!(too_soon, !view.results("subscribe calls to s").is_empty());
            assert!(view.results("unsubscribe calls from t").is_empty());
            if too_soon {
                let last = on_thread(view, "calls", "last")[0];
                before(bar, last);
                before(last, calls[1]);
                assert_eq!(refused.len(), 1);
            }
        },
    },
    Case {
        name: "a function that panics",
        rules: "A30",
        source: r#"
            stream "s"; stream "t"; callback-thread "calls"; buffer "x" f32=16; buffer "y" f32=16
            host "main" {
                subscribe "calls" stream="s"
                host-function "look" micros=5 on="s" blocking=#true panics=#true
                fill "x" value=1 on="s"
                host-function "see" micros=5 on="t" panics=#true
                fill "y" value=1 on="t"
                synchronize-device
            }"#,
        check: |view| {
            assert_eq!(on_thread(view, "calls", "look")[0].state, State::Failed);
            assert_eq!(view.states("look"), [State::Failed]);
            assert_eq!(basis(view, "look"), Basis::Enforced);
            assert_eq!(view.states("see"), [State::Failed]);
            assert_eq!(view.states("fill x"), [State::Done]);
            assert_eq!(view.states("fill y"), [State::Done]);
            assert_eq!(view.problems("callback-panicked"), 2);
        },
    },
    Case {
        name: "a callback whose stream is aborted has not waited for its function",
        rules: "F14 F15",
        source: r#"
            stream "s"; callback-thread "calls"; event "e"; event "f"; signal "go"
            host "main" {
                subscribe "calls" stream="s"
                record "e" on="s"
                host-function "look" micros=200000 on="s" blocking=#true
                synchronize-event "e"
                work micros=1000
                abort-stream "s"
                host-function "see" micros=1 on="s" blocking=#true
                hold "go" on="s"
                host-function "never" micros=1 on="s" blocking=#true
                abort-stream "s"
                signal "go"
            }"#,
        check: |view| {
            // The abort came in time, unless this machine was busy with something else.
            for name in ["look", "see", "never"] {
                let expected = match *view.states(name) {
                    [State::Cancelled] => Basis::Declared,
                    _ => Basis::Enforced,
                };
                assert_eq!(basis(view, name), expected, "{name}");
            }
            assert_eq!(view.states("never"), [State::Cancelled]);
            let bar = on_thread(view, "calls", "never")[0];
            assert_eq!(bar.state, State::Cancelled);
        },
    },
    Case {
        name: "after a failure nothing is called",
        rules: "A29",
        source: r#"
            stream "s"; stream "t"; callback-thread "calls"; signal "go"; event "e"
            host "main" {
                subscribe "calls" stream="s"
                hold "go" on="t"
                launch "trap" on="s"
                host-function "look" micros=5 on="s" blocking=#true
                host-function "see" micros=5 on="s" blocking=#false
                record "e" on="s"
                wait "e" on="t"
                try { synchronize-device }
                catch "device-failed"
                signal "go"
            }"#,
        check: |view| {
            for name in ["look", "see", "record e", "wait e"] {
                assert_eq!(view.states(name), [State::Cancelled], "{name}");
            }
            for name in ["look", "see"] {
                assert_eq!(on_thread(view, "calls", name)[0].state, State::Cancelled);
            }
        },
    },
];

//! Cases of timeouts, failures and aborts: everything comes to something, and nothing hangs.

use engine::record::{DependencyKind, SpanKind, State};
use engine::time::Nanos;

use super::Case;
use super::view::{before, ends_before};

/// Every case.
pub const CASES: &[Case] = &[
    Case {
        name: "a host thread gives up waiting",
        rules: "F9",
        source: r#"
            stream "s"; event "e"; signal "go"
            host "main" {
                hold "go" on="s"
                record "e" on="s"
                try { synchronize-event "e" timeout-micros=2000 }
                catch "timed-out"
                try { synchronize-stream "s" timeout-micros=2000 }
                catch "timed-out"
                try { synchronize-device timeout-micros=2000 }
                catch "timed-out"
                signal "go"
                synchronize-event "e" timeout-micros=60000000
            }"#,
        check: |view| {
            for name in ["synchronize s", "synchronize device"] {
                let call = view.call(name);
                assert_eq!(
                    (call.kind, call.state),
                    (SpanKind::Synchronize, State::Failed)
                );
                assert!(call.end - call.start >= view.lasting(Nanos::from_millis(2)));
                // It points at what it waited for.
                assert_eq!(
                    view.causes(call.id, DependencyKind::Synchronization).len(),
                    1
                );
            }
            assert_eq!(view.results("synchronize e"), ["timed-out"]);
            let calls = view.calls("synchronize e");
            before(calls[0], view.call("signal go"));
            ends_before(view.operation("record e"), calls[1]);
        },
    },
    Case {
        name: "a wait gives up and its stream goes on",
        rules: "F8 F13",
        source: r#"
            stream "a"; stream "b" failure="continue"; event "e"; signal "go"; buffer "x" f32=16
            host "main" {
                hold "go" on="a"
                record "e" on="a"
                wait "e" on="b" timeout-micros=2000
                fill "x" value=1 on="b"
                try { synchronize-stream "b" }
                catch "timed-out"
                synchronize-stream "b"
                signal "go"
                synchronize-device
            }
            expect { each "x" equals=0 }"#,
        check: |view| {
            let wait = view.operation("wait e");
            assert_eq!(
                (wait.kind, wait.state),
                (SpanKind::EventWait, State::Failed)
            );
            assert!(wait.end - wait.start >= view.lasting(Nanos::from_millis(2)));
            before(view.operation("fill x"), view.call("signal go"));
            assert_eq!(view.results("synchronize b"), ["timed-out"]);
            assert_eq!(view.calls("synchronize b")[1].state, State::Done);
            assert_eq!(view.problems("wait-timed-out"), 1);
        },
    },
    Case {
        name: "a synchronisation that tells of a failed device returns after what it covers",
        rules: "A47 F8",
        source: r#"
            stream "h"; stream "a"; stream "c"; event "e"; event "k"; signal "go"; signal "given"
            buffer "x" f32=16; buffer "y" f32=16
            host "main" {
                hold "go" on="h"
                record "e" on="h"
                wait "e" on="a" timeout-micros=300
                fill "x" value=1 on="a"
                launch "spin" on="c" { set "micros" 30000 }
                record "k" on="c"
                fill "y" value=1 on="c"
                signal "given"
                try { synchronize-device }
                catch "timed-out"
                signal "go"
            }
            host "of a stream" { await "given"; try { synchronize-stream "c" }; catch "device-failed" }
            host "of an event" { await "given"; try { synchronize-event "k" }; catch "device-failed" }
            expect { each "x" equals=0 }"#,
        check: |view| {
            let spin = view.operation("spin");
            for name in ["synchronize device", "synchronize c", "synchronize k"] {
                ends_before(spin, view.call(name));
            }
            // What was queued behind it is dropped when it has ended, and is waited for as well. A driver that had it already
            // runs it.
            let dropped = view.operation("fill y");
            let is_driven = view.capture.run().unwrap().backend == "cuda";
            let is_done = is_driven && dropped.state == State::Done;
            assert!(is_done || dropped.state == State::Cancelled, "{dropped:?}");
            before(spin, dropped);
            ends_before(dropped, view.call("synchronize device"));
            ends_before(dropped, view.call("synchronize c"));
        },
    },
    Case {
        name: "a wait that gives up in vain",
        rules: "F8 A7",
        source: r#"
            stream "a"; stream "b"; event "e"; buffer "x" f32=16; buffer "y" f32=16
            host "main" {
                fill "x" value=1 on="a"
                record "e" on="a"
                wait "e" on="b" timeout-micros=60000000
                fill "y" value=1 on="b"
                synchronize-device
            }"#,
        check: |view| {
            before(view.operation("fill x"), view.operation("fill y"));
            assert_eq!(view.states("wait e"), [State::Done]);
        },
    },
    Case {
        name: "a wait gives up and everything stops",
        rules: "F8 F13 A29",
        source: r#"
            stream "a"; stream "b" failure="stop"; stream "c"; event "e"; signal "go"; buffer "x" f32=16
            host "main" {
                hold "go" on="a"
                record "e" on="a"
                wait "e" on="b" timeout-micros=2000
                fill "x" value=1 on="b"
                host-function "look" micros=1 on="b"
                try { synchronize-stream "b" }
                catch "timed-out"
                try { fill "x" value=2 on="c" }
                catch "device-failed"
                try { synchronize-stream "c" }
                catch "device-failed"
                try { synchronize-event "e" }
                catch "device-failed"
                work micros=100000
                try { query "e" }
                catch "device-failed"
                signal "go"
            }"#,
        check: |view| {
            assert_eq!(view.states("wait e"), [State::Failed]);
            for name in ["hold go", "record e", "look"] {
                assert_eq!(view.states(name), [State::Cancelled], "{name}");
            }
            assert_eq!(view.states("fill x"), [State::Cancelled]);
            assert_eq!(view.results("fill x"), ["device-failed"]);
            assert_eq!(view.results("query e"), ["device-failed"]);
            assert_eq!(view.capture.losses().len(), 1);
        },
    },
    Case {
        name: "a failure on a stream that continues",
        rules: "F13 F16 A48",
        source: r#"
            stream "a" failure="continue"; stream "b"; event "e"; buffer "x" f32=16; buffer "y" f32=16
            host "main" {
                launch "trap" on="a"
                fill "x" value=1 on="a"
                record "e" on="a"
                wait "e" on="b"
                fill "y" value=1 on="b"
                synchronize-stream "b"
                try { synchronize-device }
                catch "failed"
                synchronize-device
                download "x" on="a"; download "y" on="b"
                synchronize-device
            }
            expect { each "x" equals=1; each "y" equals=1 }"#,
        check: |view| {
            assert_eq!(view.states("trap"), [State::Failed]);
            before(view.operation("trap"), view.operation("fill x"));
            before(view.operation("fill x"), view.operation("fill y"));
            assert_eq!(view.problems("operation-failed"), 1);
            assert!(view.capture.losses().is_empty());
            assert!(
                view.capture
                    .expectations()
                    .iter()
                    .all(|found| !found.is_missed())
            );
        },
    },
    Case {
        name: "a failure that stops and is caught",
        rules: "F13 A29 A47 A48",
        source: r#"
            stream "a"; stream "b"; event "e"; buffer "x" f32=16
            host "main" {
                launch "trap" on="a"
                record "e" on="a"
                wait "e" on="b"
                fill "x" value=1 on="b"
                try { synchronize-device }
                catch "device-failed"
                try { fill "x" value=2 on="b" }
                catch "device-failed"
                try { query "e" }
                catch "device-failed"
                try { elapsed "e" "e" }
                catch "device-failed"
            }"#,
        check: |view| {
            assert_eq!(view.states("trap"), [State::Failed]);
            for name in ["record e", "wait e"] {
                assert_eq!(view.states(name), [State::Cancelled], "{name}");
            }
            assert_eq!(view.states("fill x"), [State::Cancelled]);
            assert_eq!(view.results("fill x"), ["device-failed"]);
            assert_eq!(view.results("query e"), ["device-failed"]);
            assert_eq!(view.results("elapsed e to e"), ["device-failed"]);
        },
    },
    Case {
        name: "a failure that was told refuses work on every stream",
        rules: "A46 A47",
        source: r#"
            stream "a"; stream "b"; stream "c" failure="continue"; event "e"; graph "g"
            buffer "x" f32=16; buffer "y" f32=16
            recorded "again"
            host "main" {
                record-launch "again" "scale" { read "x"; write "y"; set "a" 2.0 }
                begin-capture "b"; fill "x" value=1 on="b"; end-capture "b" "g"; instantiate "g"
                launch "trap" on="a"
                try { synchronize-device }
                catch "device-failed"
                repeat 2 {
                    try { fill "x" value=2 on="b" }
                    catch "device-failed"
                }
                try { upload "y" on="c" }
                catch "device-failed"
                try { record "e" on="c" }
                catch "device-failed"
                try { wait-stream "b" on="c" }
                catch "device-failed"
                try { host-function "look" micros=1 on="b" }
                catch "device-failed"
                try { relaunch "again" on="b" }
                catch "device-failed"
                try { replay "g" on="b" }
                catch "device-failed"
                try { synchronize-stream "c" }
                catch "device-failed"
            }"#,
        check: |view| {
            let calls = [
                ("fill x", 2),
                ("upload y", 1),
                ("record e", 1),
                ("host-function look", 1),
                ("relaunch again", 1),
                ("replay g", 1),
                ("synchronize c", 1),
            ];
            for (name, count) in calls {
                assert_eq!(view.results(name), vec!["device-failed"; count], "{name}");
                assert!(view.operations(name).is_empty(), "{name}");
            }
            // Each says what failed first, and none is left that nobody waits for.
            assert!(view.errors("upload y")[0].contains("trap"));
            assert_eq!(view.capture.losses().len(), 1);
        },
    },
    Case {
        name: "an abort drops what is queued and orphans who waits",
        rules: "F14",
        source: r#"
            stream "a"; stream "b"; stream "c"; event "e"; signal "go"
            buffer "x" f32=16; buffer "y" f32=16; buffer "z" f32=16
            host "main" {
                hold "go" on="a"
                fill "x" value=1 on="a"
                record "e" on="a"
                wait "e" on="b"
                fill "y" value=1 on="b"
                abort-stream "a"
                try { synchronize-event "e" }
                catch "failed"
                try { synchronize-stream "b" }
                catch "failed"
                fill "y" value=2 on="b"
                abort-stream "b"
                fill "z" value=3 on="a"; fill "z" value=4 on="c"
                fill "y" value=5 on="b"
                synchronize-device
                signal "go"
            }"#,
        check: |view| {
            for name in ["hold go", "fill x", "record e", "wait e"] {
                assert_eq!(view.states(name), [State::Cancelled], "{name}");
            }
            let (cancelled, done) = (State::Cancelled, State::Done);
            assert_eq!(view.states("fill y"), [cancelled, cancelled, done]);
            assert_eq!(view.states("fill z"), [done, done]);
            assert_eq!(view.problems("orphaned-wait"), 1);
            assert!(view.capture.losses().is_empty());
        },
    },
    Case {
        name: "an abort ends a synchronisation that is under way",
        rules: "F14",
        source: r#"
            stream "a"; signal "go"; signal "held"; signal "done"
            host "main" {
                hold "go" on="a"
                signal "held"
                try { synchronize-stream "a" }
                catch "aborted"
                synchronize-stream "a"
                signal "done"
            }
            host "other" { await "held"; work micros=20000; abort-stream "a"; await "done"; signal "go" }"#,
        check: |view| {
            assert_eq!(view.results("synchronize a"), ["aborted"]);
            ends_before(view.call("work"), view.calls("synchronize a")[0]);
            assert_eq!(view.states("hold go"), [State::Cancelled]);
        },
    },
    Case {
        name: "an abort kills what runs",
        rules: "F14",
        source: r#"
            stream "a"; buffer "x" f32=16; event "e"
            host "main" {
                record "e" on="a"
                host-function "long" micros=2000000 on="a"
                fill "x" value=1 on="a"
                synchronize-event "e"
                work micros=20000
                abort-stream "a"
                fill "x" value=2 on="a"
                synchronize-stream "a"
            }"#,
        check: |view| {
            let long = view.operation("long");
            assert_eq!(long.state, State::Failed);
            assert!((long.end - long.start).0 < 1_500_000_000);
            assert_eq!(view.states("fill x"), [State::Cancelled, State::Done]);
        },
    },
];

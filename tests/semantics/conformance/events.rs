//! Cases of events that are made before they are recorded: options, elapsed time, resets, destruction, pools.

use engine::record::{Basis, DependencyKind, SpanKind, State};
use engine::time::Nanos;

use super::Case;
use super::view::{before, ends_before};

/// Every case.
pub const CASES: &[Case] = &[
    Case {
        name: "an event that was made and not recorded",
        rules: "A1 C10",
        source: r#"
            stream "s"; event "e" blocking=#true; event "f" timing=#false
            host "main" { synchronize-stream "s" }"#,
        check: |view| {
            let events = view.capture.events();
            let names: Vec<_> = events
                .iter()
                .map(|event| view.capture.name(event.name))
                .collect();
            assert_eq!(names, ["e", "f"]);
            assert_eq!([true, false], [events[0].timing, events[1].timing]);
            let marks = view.capture.spans();
            assert!(
                marks
                    .map(|placed| placed.span)
                    .all(|span| span.kind != SpanKind::EventRecord)
            );
        },
    },
    Case {
        name: "elapsed time and each of its errors",
        rules: "A14 A15 A16 A17 A18 C6 C7 C8",
        source: r#"
            stream "s"; event "a"; event "b"; event "plain" timing=#false; signal "go"
            host "main" {
                record "a" on="s"
                try { elapsed "a" "b" }
                catch "not-recorded"
                try { elapsed "plain" "a" }
                catch "timing-disabled"
                hold "go" on="s"
                record "b" on="s"
                try { elapsed "a" "b" }
                catch "not-ready"
                signal "go"
                synchronize-event "b"
                elapsed "a" "b"
            }"#,
        check: |view| {
            assert_eq!(
                view.results("elapsed a to b"),
                ["not-recorded", "not-ready"]
            );
            assert_eq!(view.results("elapsed plain to a"), ["timing-disabled"]);
            let calls = view.calls("elapsed a to b");
            before(calls[1], view.call("signal go"));
            let found = view.text(calls[2].id, "elapsed").unwrap();
            let (first, second) = (view.operation("record a"), view.operation("record b"));
            let mut clocks = view.capture.clocks().iter();
            if clocks.all(|it| it.uncertainty == Nanos::ZERO) {
                assert_eq!(found, (second.start - first.start).to_string());
            } else {
                // The driver's own answer; spans are drawn by another clock, and held within what the host saw.
                let digits: String = found.chars().filter(char::is_ascii_digit).collect();
                let length: i64 = digits.parse().unwrap();
                let most = view.call("synchronize b").end - view.call("record a").start;
                let rounding = 1_000;
                assert!(
                    (1..=most.0 + rounding).contains(&length),
                    "{found} of {most}"
                );
            }
            let ties = view.causes(second.id, DependencyKind::Elapsed);
            assert_eq!(
                (ties.len(), ties[0].cause, ties[0].basis),
                (1, first.id, Basis::Observed)
            );
        },
    },
    Case {
        name: "elapsed time goes by the latest records, backwards too",
        rules: "A20 A21",
        source: r#"
            stream "s"; event "a"; event "b"
            host "main" {
                record "a" on="s"; record "b" on="s"
                synchronize-stream "s"
                elapsed "a" "b"
                host-function "pause" micros=200 on="s"
                record "a" on="s"
                synchronize-stream "s"
                elapsed "a" "b"
            }"#,
        check: |view| {
            let calls = view.calls("elapsed a to b");
            let last = calls.last().unwrap();
            assert!(view.text(last.id, "elapsed").unwrap().starts_with('-'));
            assert!(
                view.text(last.id, "policy")
                    .unwrap()
                    .contains("AscendCL: error 107007")
            );
            assert_eq!(view.problems("reversed-interval"), 1);
        },
    },
    Case {
        name: "generations",
        rules: "A3 E10",
        source: r#"
            stream "s"; stream "t"; event "e"
            host "main" {
                repeat 3 { record "e" on="s"; wait "e" on="t" }
                synchronize-device
            }"#,
        check: |view| {
            for (place, record) in view.operations("record e").iter().enumerate() {
                let generation = view.text(record.id, "generation").unwrap();
                assert_eq!(generation, format!("Integer({})", place + 1));
                let wait = view.operations("wait e")[place];
                let cause = view.causes(wait.id, DependencyKind::Event)[0];
                assert_eq!(
                    (cause.cause, cause.generation),
                    (record.id, place as u32 + 1)
                );
            }
        },
    },
    Case {
        name: "a query that has to be complete",
        rules: "A9",
        source: r#"
            stream "s"; event "e"; signal "go"
            host "main" {
                hold "go" on="s"
                record "e" on="s"
                query "e"
                try { query "e" strict=#true }
                catch "not-ready"
                signal "go"
                synchronize-event "e"
                query "e" strict=#true
            }"#,
        check: |view| {
            let calls = view.calls("query e");
            let answers = calls.iter().filter_map(|call| view.text(call.id, "answer"));
            assert_eq!(
                answers.collect::<Vec<_>>(),
                ["not ready", "not ready", "complete"]
            );
            assert_eq!(view.results("query e"), ["not-ready"]);
            let joins =
                |place: usize| view.causes(calls[place].id, DependencyKind::Synchronization);
            assert_eq!((joins(0).len(), joins(1).len(), joins(2).len()), (0, 0, 1));
        },
    },
    Case {
        name: "a reset is as if never recorded",
        rules: "F7",
        source: r#"
            stream "a"; stream "b"; stream "c"; event "e"; signal "go"; buffer "x" f32=16; buffer "y" f32=16
            host "main" {
                hold "go" on="a"
                record "e" on="a"
                wait "e" on="b"
                fill "x" value=1 on="b"
                reset "e" on="b"
                wait "e" on="c"
                fill "y" value=1 on="c"
                query "e"
                synchronize-stream "c"
                signal "go"
                synchronize-device
                record "e" on="a"
                synchronize-device
            }"#,
        check: |view| {
            // The waiter before it keeps to its record, the one after it finds none.
            before(view.operation("hold go"), view.operation("fill x"));
            before(view.operation("fill y"), view.call("signal go"));
            let reset = view.operation("reset e");
            assert_eq!(
                (reset.kind, reset.state),
                (SpanKind::EventReset, State::Done)
            );
            before(view.operation("fill x"), reset);
            let answer = view.text(view.call("query e").id, "answer");
            assert_eq!(answer.as_deref(), Some("not recorded any more"));
            assert_eq!(view.problems("wait-before-record"), 1);
            let last = view.operations("record e")[1];
            assert_eq!(view.text(last.id, "generation").unwrap(), "Integer(2)");
        },
    },
    Case {
        name: "a reset while two wait",
        rules: "F7",
        source: r#"
            stream "a"; stream "b"; stream "c"; event "e"; signal "go"
            host "main" {
                hold "go" on="a"
                record "e" on="a"
                wait "e" on="b"; wait "e" on="c"
                reset "e" on="b"
                signal "go"
                synchronize-device
            }"#,
        check: |view| {
            assert_eq!(view.problems("reset-with-pending-waiters"), 1);
            assert_eq!(view.states("wait e"), [State::Done; 2]);
            for wait in view.operations("wait e") {
                assert_eq!(view.causes(wait.id, DependencyKind::Event).len(), 1);
            }
        },
    },
    Case {
        name: "kinds of events",
        rules: "F1 F2",
        source: r#"
            stream "s"; stream "t"
            event "sync" kind="sync"; event "progress" kind="progress"; event "clock" kind="timeline"
            event "both" kind="sync timeline"; event "late" kind="sync" slot="record"
            host "main" {
                record "sync" on="s"; record "progress" on="s"; record "clock" on="s"; record "late" on="s"
                try { query "sync" }
                catch "wrong-capability"
                try { wait "progress" on="t" }
                catch "wrong-capability"
                try { wait "clock" on="t" timeout-micros=100000 }
                catch "wrong-capability"
                try { elapsed "sync" "clock" }
                catch "timing-disabled"
                try { reset "progress" on="s" }
                catch "wrong-capability"
                try { reset "late" on="s" }
                catch "wrong-capability"
                wait "sync" on="t"
                wait "both" on="t"
                query "progress"
                synchronize-event "clock"
                reset "sync" on="t"
                synchronize-device
            }"#,
        check: |view| {
            assert_eq!(view.problems("wrong-event-capability"), 5);
            for name in [
                "query sync",
                "wait progress",
                "wait clock",
                "reset progress",
                "reset late",
            ] {
                assert_eq!(view.results(name), ["wrong-capability"], "{name}");
                assert!(view.operations(name).is_empty(), "{name} was refused");
            }
            assert_eq!(view.states("wait sync"), [State::Done]);
        },
    },
    Case {
        name: "a record waits for a slot",
        rules: "F3",
        source: r#"
            event-slots 3
            stream "s"; stream "t"; event "made" kind="sync" slot="creation"
            event "e" slot="record" count=3; signal "go"
            host "main" {
                hold "go" on="s"
                record "e[0]" on="s"; record "e[1]" on="s"
                record "e[2]" on="t"
                synchronize-device
            }
            host "other" { work micros=3000; signal "go" }"#,
        check: |view| {
            let bar = view.call("waiting for event slot");
            assert_eq!((bar.kind, bar.state), (SpanKind::Synchronize, State::Done));
            before(bar, view.call("record e[2]"));
            ends_before(view.operation("hold go"), bar);
            assert_eq!(view.states("record e[2]"), [State::Done]);
        },
    },
    Case {
        name: "a default stream cannot be destroyed",
        rules: "C15 A27",
        source: r#"
            stream "d" kind="legacy"; stream "a"; buffer "x" f32=16
            host "main" {
                fill "x" value=1 on="d"
                try { destroy-stream "d" }
                catch "invalid-value"
                fill "x" value=2 on="d"
                destroy-stream "a"
                synchronize-stream "d"
            }"#,
        check: |view| {
            assert_eq!(view.results("destroy d"), ["invalid-value"]);
            assert_eq!(view.states("fill x"), [State::Done; 2]);
            assert!(view.results("destroy a").is_empty());
        },
    },
    Case {
        name: "destroyed while it is used",
        rules: "A11 A27",
        source: r#"
            stream "a"; stream "b"; event "e"; signal "go"; buffer "x" f32=16; buffer "y" f32=16
            host "main" {
                hold "go" on="a"
                fill "x" value=1 on="a"
                record "e" on="a"
                wait "e" on="b"
                fill "y" value=1 on="b"
                destroy-event "e"
                destroy-stream "a"
                try { record "e" on="b" }
                catch "destroyed"
                try { query "e" }
                catch "destroyed"
                try { fill "x" value=2 on="a" }
                catch "destroyed"
                try { synchronize-stream "a" }
                catch "destroyed"
                signal "go"
                synchronize-device
                try { destroy-event "e" }
                catch "destroyed"
                try { destroy-stream "a" }
                catch "destroyed"
            }"#,
        check: |view| {
            before(view.calls("destroy e")[0], view.call("signal go"));
            before(view.operation("fill x"), view.operation("fill y"));
            assert_eq!(view.states("fill x"), [State::Done]);
            let again: Vec<State> = view
                .calls("destroy e")
                .iter()
                .map(|call| call.state)
                .collect();
            assert_eq!(again, [State::Done, State::Failed]);
            assert_eq!(view.results("destroy a"), ["destroyed"]);
            assert_eq!(view.results("fill x"), ["destroyed"]);
        },
    },
    Case {
        name: "events of a pool",
        rules: "E10 A3",
        source: r#"
            stream "s"; event-pool "pool" count=2; event "step" count=4 pool="pool"
            host "main" {
                try { record "step[0]" on="s" }
                catch "not-acquired"
                acquire "step[0]"; acquire "step[1]"
                try { acquire "step[2]" }
                catch "pool-empty"
                try { acquire "step[0]" }
                catch "already-acquired"
                record "step[0]" on="s"; record "step[1]" on="s"
                synchronize-event "step[0]"
                release "step[0]"
                try { release "step[0]" }
                catch "not-acquired"
                acquire "step[3]"
                record "step[3]" on="s"
                synchronize-event "step[3]"
                release "step[3]"; release "step[1]"
            }"#,
        check: |view| {
            let records = view.operations("record pool[0]");
            let generations = records
                .iter()
                .filter_map(|it| view.text(it.id, "generation"));
            assert_eq!(
                generations.collect::<Vec<_>>(),
                ["Integer(1)", "Integer(2)"]
            );
            assert_eq!(view.results("acquire step[2]"), ["pool-empty"]);
            assert_eq!(view.results("acquire step[0]"), ["already-acquired"]);
            assert_eq!(view.results("release step[0]"), ["not-acquired"]);
            let counters = view.capture.counters();
            let pool = counters
                .iter()
                .find(|counter| counter.name == "in use of pool")
                .unwrap();
            let values = view.capture.samples(pool.id).values();
            assert_eq!(values, [0.0, 1.0, 2.0, 1.0, 2.0, 1.0, 0.0]);
        },
    },
    Case {
        name: "a measured block",
        rules: "A17 A19 C2",
        source: r#"
            stream "s"; stream "t"
            host "main" {
                repeat 2 {
                    time "step" on="s" {
                        launch "spin" on="s" { set "micros" 100 }
                        launch "spin" on="t" { set "micros" 10 }
                    }
                }
                synchronize-device
                elapsed "step.start" "step.end"
            }"#,
        check: |view| {
            let (starts, ends) = (
                view.operations("record step.start"),
                view.operations("record step.end"),
            );
            assert_eq!((starts.len(), ends.len()), (2, 2));
            for (start, end) in starts.iter().zip(&ends) {
                let ties = view.causes(end.id, DependencyKind::Elapsed);
                assert!(ties.iter().any(|tie| tie.cause == start.id));
                // More than the kernel alone: it never says that it is a kernel's time.
                let inside = view
                    .operations("spin")
                    .into_iter()
                    .filter(|spin| spin.lane == start.lane);
                let longest = inside.filter(|it| it.start >= start.end && it.end <= end.start);
                let longest = longest
                    .map(|it| it.end - it.start)
                    .max()
                    .unwrap_or(Nanos::ZERO);
                assert!(end.start - start.start >= longest);
            }
            let scopes = view.calls("time step");
            assert_eq!((scopes.len(), scopes[0].kind), (2, SpanKind::Scope));
        },
    },
    Case {
        name: "sleeping and spinning",
        rules: "A10 A13",
        source: r#"
            stream "s"; event "sleeps" blocking=#true; event "spins" blocking=#false; signal "go"
            host "main" {
                hold "go" on="s"
                record "sleeps" on="s"; record "spins" on="s"
                synchronize-event "sleeps"
                synchronize-event "spins"
            }
            host "other" { work micros=2000; signal "go" }"#,
        check: |view| {
            let manner = |name| view.text(view.call(name).id, "waits by").unwrap();
            assert_eq!(manner("synchronize sleeps"), "sleeping");
            assert_eq!(manner("synchronize spins"), "spinning");
        },
    },
];

//! The table: a workload, the rules it is about, and what must hold of its capture.

use engine::record::{DependencyKind, SpanKind};

use super::Case;
use super::view::{before, ends_before};

/// Every case.
pub const CASES: &[Case] = &[
    Case {
        name: "never recorded",
        rules: "A1",
        source: r#"
            stream "a"; stream "b"; event "e"; signal "go"; buffer "x" f32=16
            host "main" {
                hold "go" on="a"
                query "e"
                synchronize-event "e"
                wait "e" on="b"
                fill "x" value=1 on="b"
                synchronize-stream "b"
                signal "go"
                synchronize-device
            }"#,
        check: |view| {
            before(view.operation("fill x"), view.call("signal go"));
            ends_before(view.call("signal go"), view.call("synchronize device"));
            let wait = view.operation("wait e");
            assert!(view.causes(wait.id, DependencyKind::Event).is_empty());
            assert_eq!(view.problems("wait-before-record"), 1);
            assert_eq!(view.problems("query-before-record"), 1);
            assert_eq!(view.problems("synchronize-before-record"), 1);
            let query = view.call("query e");
            assert_eq!(
                view.text(query.id, "answer").as_deref(),
                Some("never recorded")
            );
        },
    },
    Case {
        name: "a record is of what came before it",
        rules: "A2 A10",
        source: r#"
            stream "a"; stream "b"; event "e"; signal "go"; buffer "x" f32=16; buffer "y" f32=16
            host "main" {
                fill "x" value=1 on="a"
                record "e" on="a"
                hold "go" on="a"
                wait "e" on="b"
                fill "y" value=1 on="b"
                synchronize-event "e"
                synchronize-stream "b"
                signal "go"
                synchronize-device
            }"#,
        check: |view| {
            before(view.operation("fill x"), view.operation("fill y"));
            before(view.operation("fill y"), view.call("signal go"));
            before(view.call("synchronize e"), view.call("signal go"));
        },
    },
    Case {
        name: "a wait takes the latest record when it is called",
        rules: "A3",
        source: r#"
            stream "a"; stream "b"; stream "c"; stream "d"; event "e"; signal "go"
            buffer "x" f32=16; buffer "y" f32=16
            host "main" {
                record "e" on="a"
                wait "e" on="c"
                hold "go" on="b"
                record "e" on="b"
                fill "x" value=1 on="c"
                wait "e" on="d"
                fill "y" value=1 on="d"
                synchronize-stream "c"
                signal "go"
                synchronize-device
            }"#,
        check: |view| {
            before(view.operation("fill x"), view.call("signal go"));
            before(view.operation("hold go"), view.operation("fill y"));
            let records = view.operations("record e");
            for (place, wait) in view.operations("wait e").iter().enumerate() {
                let causes = view.causes(wait.id, DependencyKind::Event);
                assert_eq!(causes.len(), 1);
                assert_eq!(causes[0].generation, place as u32 + 1);
                assert_eq!(causes[0].cause, records[place].id);
            }
        },
    },
    Case {
        name: "a synchronisation takes the latest record when it is called",
        rules: "A3 A10 A21",
        source: r#"
            stream "a"; stream "b"; event "e"; signal "go"
            host "main" {
                record "e" on="a"
                synchronize-event "e"
                query "e"
                hold "go" on="b"
                record "e" on="b"
                query "e"
                signal "go"
                synchronize-event "e"
                query "e"
            }"#,
        check: |view| {
            let (syncs, queries) = (view.calls("synchronize e"), view.calls("query e"));
            before(syncs[0], view.call("signal go"));
            ends_before(view.operation("hold go"), syncs[1]);
            let kind = DependencyKind::Synchronization;
            let generation = |place: usize| view.causes(syncs[place].id, kind)[0].generation;
            assert_eq!((generation(0), generation(1)), (1, 2));
            let answers = queries
                .iter()
                .filter_map(|query| view.text(query.id, "answer"));
            assert_eq!(
                answers.collect::<Vec<_>>(),
                ["complete", "not ready", "complete"]
            );
            let joins = queries
                .iter()
                .map(|query| view.causes(query.id, kind).len());
            assert_eq!(joins.collect::<Vec<_>>(), [1, 0, 1]);
        },
    },
    Case {
        name: "a wait holds back only what comes after it",
        rules: "A6",
        source: r#"
            stream "a"; stream "b"; event "e"; event "mark"; signal "go"
            buffer "x" f32=16; buffer "y" f32=16
            host "main" {
                hold "go" on="a"
                record "e" on="a"
                fill "x" value=1 on="b"
                record "mark" on="b"
                wait "e" on="b"
                fill "y" value=1 on="b"
                synchronize-event "mark"
                signal "go"
                synchronize-device
            }"#,
        check: |view| {
            before(view.operation("fill x"), view.call("signal go"));
            before(view.operation("hold go"), view.operation("fill y"));
        },
    },
    Case {
        name: "many waiters",
        rules: "A7",
        source: r#"
            stream "a"; stream "b"; stream "w" count=6; event "e"; signal "go"
            buffer "x" f32=16 count=6; buffer "y" f32=16
            host "main" {
                hold "go" on="a"
                record "e" on="a"
                repeat 3 { wait "e" on="b" }
                fill "y" value=1 on="b"
                repeat 6 index="i" {
                    wait "e" on="w[i]"
                    fill "x" "i" value=1 on="w[i]"
                }
                signal "go"
                synchronize-device
            }"#,
        check: |view| {
            let record = view.operation("record e");
            let waits = view.operations("wait e");
            assert_eq!(waits.len(), 9);
            for wait in waits {
                let causes = view.causes(wait.id, DependencyKind::Event);
                assert_eq!(
                    causes.iter().map(|found| found.cause).collect::<Vec<_>>(),
                    [record.id]
                );
            }
            for place in 0..6 {
                before(record, view.operation(&format!("fill x[{place}]")));
            }
            before(record, view.operation("fill y"));
        },
    },
    Case {
        name: "a wait on the stream of the record is redundant",
        rules: "A8",
        source: r#"
            stream "a"; event "e"; buffer "x" f32=16
            host "main" {
                record "e" on="a"
                wait "e" on="a"
                fill "x" value=1 on="a"
                synchronize-device
            }"#,
        check: |view| {
            assert_eq!(view.findings("redundant-wait"), 1);
            before(view.operation("wait e"), view.operation("fill x"));
        },
    },
    Case {
        name: "two waits in opposite directions are no deadlock",
        rules: "A3 A6",
        source: r#"
            stream "a"; stream "b"; event "e"; event "f"
            host "main" {
                repeat 50 {
                    record "e" on="a"
                    record "f" on="b"
                    wait "f" on="a"
                    wait "e" on="b"
                }
                synchronize-device
            }"#,
        check: |view| assert_eq!(view.operations("wait e").len(), 50),
    },
    Case {
        name: "synchronisation of a stream leaves others alone",
        rules: "A10 A24",
        source: r#"
            stream "a"; stream "b"; signal "go"; buffer "x" f32=4096
            host "main" {
                hold "go" on="a"
                upload "x" on="b"
                fill "x" value=1 on="b"
                synchronize-stream "b"
                signal "go"
                synchronize-device
            }"#,
        check: |view| {
            ends_before(view.operation("fill x"), view.call("synchronize b"));
            before(view.call("synchronize b"), view.call("signal go"));
            let sync = view.call("synchronize device");
            ends_before(view.operation("hold go"), sync);
            let causes = view.causes(sync.id, DependencyKind::Synchronization);
            let mut causes: Vec<_> = causes.iter().map(|found| found.cause).collect();
            causes.sort_unstable();
            assert_eq!(
                causes,
                [view.operation("hold go").id, view.operation("fill x").id]
            );
        },
    },
    Case {
        name: "a host function runs in stream order",
        rules: "A28",
        source: r#"
            stream "a"; stream "b"; event "e"; buffer "x" f32=64; buffer "y" f32=64
            host "main" {
                upload "x" on="a"
                host-function "look" micros=200 on="a"
                fill "y" value=1 on="a"
                record "e" on="a"
                wait "e" on="b"
                download "y" on="b"
                synchronize-device
            }"#,
        check: |view| {
            let look = view.operation("look");
            assert_eq!(look.kind, SpanKind::HostFunction);
            before(view.operation("upload x"), look);
            before(look, view.operation("fill y"));
            before(look, view.operation("download y"));
        },
    },
    Case {
        name: "a long chain across streams keeps its order and its numbers",
        rules: "A3 A7 A31",
        source: r#"
            stream "s" count=3; event "e" count=3; buffer "x" f32=256 init="k"
            host "main" {
                upload "x" on="s[0]"
                repeat 60 index="i" {
                    launch "scale" on="s[i]" { read "x"; write "x"; set "a" 1; set "b" 1 }
                    record "e" "i" on="s[i]"
                    wait "e" "i" on="s[i + 1]"
                }
                download "x" on="s[0]"
                synchronize-device
            }
            expect { each "x" equals="k + 60" }"#,
        check: |view| {
            assert!(view.capture.expectations()[0].holds == Some(true));
            for pair in view.operations("scale").windows(2) {
                before(pair[0], pair[1]);
            }
        },
    },
    Case {
        name: "signals release streams and host threads, now and later",
        rules: "latch",
        source: r#"
            stream "w" count=4; signal "go"; signal "back"; buffer "x" f32=16 count=4
            host "main" {
                repeat 4 index="i" {
                    hold "go" on="w[i]"
                    fill "x" "i" value=1 on="w[i]"
                }
                signal "go"
                signal "go"
                await "back"
                hold "go" on="w[0]"
                await "go"
                synchronize-device
            }
            host "other" {
                await "go"
                signal "back"
            }"#,
        check: |view| {
            let raised = view.calls("signal go")[0];
            let holds = view.operations("hold go");
            assert_eq!(holds.len(), 5);
            for span in holds.into_iter().chain(view.calls("await go")) {
                let causes = view.causes(span.id, DependencyKind::Signal);
                assert_eq!(
                    causes.iter().map(|found| found.cause).collect::<Vec<_>>(),
                    [raised.id]
                );
            }
            // What waits may return before the call that released it has.
            assert!(view.call("signal back").start <= view.call("await back").end);
        },
    },
    Case {
        name: "host threads hand work to each other",
        rules: "A3 A7",
        source: r#"
            stream "a"; stream "b"; event "ready"; signal "made" count=8; signal "used" count=8
            buffer "x" f32=512; buffer "y" f32=512
            host "maker" {
                repeat 8 index="i" {
                    launch "scale" on="a" { read "x"; write "x"; set "a" 1; set "b" 1 }
                    record "ready" on="a"
                    signal "made" "i"
                    await "used" "i"
                }
            }
            host "user" {
                repeat 8 index="i" {
                    await "made" "i"
                    wait "ready" on="b"
                    launch "saxpy" on="b" { read "x"; write "y"; set "a" 1 }
                    synchronize-stream "b"
                    signal "used" "i"
                }
                download "y" on="b"
                synchronize-device
            }
            expect { each "y" equals=36 }"#,
        check: |view| {
            assert!(
                view.capture.expectations()[0].holds == Some(true),
                "{:?}",
                view.capture.expectations()
            );
            let generations = view
                .operations("wait ready")
                .into_iter()
                .map(|wait| view.causes(wait.id, DependencyKind::Event)[0].generation);
            assert_eq!(generations.collect::<Vec<_>>(), (1..=8).collect::<Vec<_>>());
        },
    },
    Case {
        name: "two host threads on one stream",
        rules: "FIFO",
        source: r#"
            stream "a"; event "e"; buffer "x" f32=16; buffer "y" f32=16
            host "one" { repeat 200 { fill "x" value=1 on="a"; record "e" on="a" } }
            host "two" { repeat 200 { fill "y" value=1 on="a"; record "e" on="a"; synchronize-event "e" } }"#,
        check: |view| {
            assert_eq!(view.operations("record e").len(), 400);
            let kind = DependencyKind::Synchronization;
            for sync in view.calls("synchronize e") {
                let causes = view.causes(sync.id, kind);
                // Generations are the order on the stream, whichever thread recorded.
                let records = view.operations("record e");
                let place = records
                    .iter()
                    .position(|record| record.id == causes[0].cause);
                assert_eq!(causes[0].generation, place.unwrap() as u32 + 1);
            }
        },
    },
    Case {
        name: "nothing at all",
        rules: "FIFO",
        source: r#"stream "a"; host "main" { synchronize-device; work micros=1 }"#,
        check: |view| {
            assert_eq!(view.capture.span_count(), 2);
            assert_eq!(view.call("work").kind, SpanKind::HostWork);
        },
    },
];

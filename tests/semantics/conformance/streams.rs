//! Cases on what streams are like: joins, the legacy default stream, roles, automatic synchronisation, memory.

use engine::record::{DependencyKind, Group, SpanKind};

use super::Case;
use super::view::{View, before};

fn races(view: &View, kind: &str) -> usize {
    let findings = view.capture.findings().iter();
    findings
        .filter(|it| it.code == "race" && it.text.contains(kind))
        .count()
}

/// The lane of the only operation called `name`, and why it was chosen.
fn chosen(view: &View, name: &str) -> (String, String) {
    let operation = view.operation(name);
    let lane = view.capture.lane(operation.lane).unwrap().name.clone();
    (
        lane,
        view.text(operation.id, "stream chosen").unwrap_or_default(),
    )
}

/// For each inserted wait: the stream that waits, the one it waits for, and whether it is redundant.
fn inserted(view: &View) -> Vec<(String, String, bool)> {
    let lane = |id| {
        view.capture
            .lane(view.capture.span(id).unwrap().span.lane)
            .unwrap()
            .name
            .clone()
    };
    let joins = view
        .capture
        .spans()
        .filter(|it| it.span.kind == SpanKind::Join);
    let mut joins: Vec<_> = joins.map(|it| it.span.id).collect();
    joins.sort_unstable();
    joins
        .into_iter()
        .flat_map(|id| view.causes(id, DependencyKind::Automatic))
        .map(|tie| {
            let because = view.text(tie.effect, "inserted because").unwrap();
            (
                lane(tie.effect),
                lane(tie.cause),
                because.contains("redundant"),
            )
        })
        .collect()
}

/// Every case.
pub const CASES: &[Case] = &[
    Case {
        name: "a stream waits for another",
        rules: "C13",
        source: r#"
            stream "a"; stream "b"; signal "go"; buffer "x" f32=16; buffer "y" f32=16; buffer "z" f32=16
            host "main" {
                wait-stream "b" on="a"
                hold "go" on="a"
                fill "x" value=1 on="a"
                wait-stream "a" on="b"
                fill "z" value=1 on="a"
                fill "y" value=1 on="b"
                wait-stream "b" on="b"
                signal "go"
                synchronize-device
            }"#,
        check: |view| {
            before(view.operation("fill x"), view.operation("fill y"));
            let joins = view.operations("join a");
            assert_eq!(joins.len(), 1);
            let causes = view.causes(joins[0].id, DependencyKind::Join);
            assert_eq!(causes.len(), 1, "no event in between");
            // What was submitted last to the other stream when it was called, and nothing later.
            assert_eq!(causes[0].cause, view.operation("fill x").id);
            assert_eq!(view.problems("redundant-wait"), 1);
        },
    },
    Case {
        name: "the legacy default stream and a blocking stream take turns",
        rules: "A22",
        source: r#"
            stream "s" blocking=#true; stream "d" kind="legacy"; signal "go"
            buffer "k1" f32=16; buffer "k2" f32=16; buffer "k3" f32=16
            host "main" {
                hold "go" on="s"
                fill "k1" value=1 on="s"
                fill "k2" value=1 on="d"
                fill "k3" value=1 on="s"
                signal "go"
                synchronize-device
            }"#,
        check: |view| {
            before(view.operation("fill k1"), view.operation("fill k2"));
            before(view.operation("fill k2"), view.operation("fill k3"));
            let joins = ["join s", "join d"].map(|name| view.operation(name));
            let cause =
                |place: usize| view.causes(joins[place].id, DependencyKind::Legacy)[0].cause;
            assert_eq!(cause(0), view.operation("fill k1").id);
            assert_eq!(cause(1), view.operation("fill k2").id);
            let lanes: Vec<_> = view
                .capture
                .lanes()
                .iter()
                .map(|lane| lane.name.as_str())
                .collect();
            assert!(lanes.contains(&"d (legacy)") && lanes.contains(&"s (blocking)"));
        },
    },
    Case {
        name: "a stream that is not blocking is exempt both ways",
        rules: "A23",
        source: r#"
            stream "s"; stream "d" kind="legacy"; signal "go"; buffer "x" f32=16; buffer "y" f32=16
            host "main" {
                hold "go" on="s"
                fill "x" value=1 on="s"
                fill "y" value=1 on="d"
                synchronize-stream "d"
                signal "go"
                copy "x" "y" on="d"
                synchronize-device
            }"#,
        check: |view| {
            before(view.operation("fill y"), view.call("signal go"));
            assert!(view.operations("join s").is_empty());
            assert_eq!(races(view, "reads x"), 1);
        },
    },
    Case {
        name: "a wait for an event is an act of the legacy default stream too",
        rules: "A22 A6",
        source: r#"
            stream "s" blocking=#true; stream "other"; stream "d" kind="legacy"
            event "e"; signal "go"; buffer "x" f32=16
            host "main" {
                hold "go" on="other"
                record "e" on="other"
                wait "e" on="d"
                fill "x" value=1 on="s"
                signal "go"
                synchronize-device
            }"#,
        check: |view| {
            before(view.operation("hold go"), view.operation("fill x"));
            before(view.operation("wait e"), view.operation("fill x"));
        },
    },
    Case {
        name: "to synchronise with the legacy default stream is to do so with every blocking one",
        rules: "A24",
        source: r#"
            stream "s" blocking=#true; stream "free"; stream "d" kind="legacy"; signal "go"
            buffer "x" f32=16
            host "raiser" { work micros=3000; signal "go" }
            host "main" {
                hold "go" on="s"
                fill "x" value=1 on="s"
                synchronize-stream "free"
                synchronize-stream "d"
                synchronize-device
            }"#,
        check: |view| {
            before(view.call("synchronize free"), view.operation("fill x"));
            super::view::ends_before(view.operation("fill x"), view.call("synchronize d"));
        },
    },
    Case {
        name: "a default stream of a thread is blocking and its own",
        rules: "A25",
        source: r#"
            stream "own" kind="per-thread"; stream "d" kind="legacy"; signal "go"; signal "held"
            buffer "x" f32=16; buffer "y" f32=16; buffer "z" f32=16
            host "one" {
                hold "go" on="own"
                fill "x" value=1 on="own"
                signal "held"
            }
            host "two" {
                await "held"
                fill "y" value=1 on="own"
                synchronize-stream "own"
                signal "go"
                fill "z" value=1 on="d"
                synchronize-device
            }"#,
        check: |view| {
            before(view.operation("fill y"), view.call("signal go"));
            before(view.operation("fill x"), view.operation("fill z"));
            let lane = |name| chosen(view, name).0;
            assert_eq!(lane("fill x"), "own of one (per-thread)");
            assert_eq!(lane("fill y"), "own of two (per-thread)");
        },
    },
    Case {
        name: "a priority beyond what there is counts as the nearest, and orders nothing",
        rules: "A26",
        source: r#"
            stream "high" priority=-100; stream "low" priority=3; buffer "x" f32=16
            host "main" {
                fill "x" value=1 on="low"
                fill "x" value=2 on="high"
                synchronize-device
            }"#,
        check: |view| {
            assert_eq!(view.problems("priority-clamped"), 2);
            assert_eq!(races(view, "overwrites x"), 1);
        },
    },
    Case {
        name: "a call that names no stream runs where its role says",
        rules: "E1",
        source: r#"
            stream "in" role="host-to-device"; stream "main"; stream "second"
            buffer "x" f32=16 init="k"; buffer "y" f32=16; buffer "z" f32=16
            host "one" {
                upload "x"
                launch "scale" { read "x"; write "y"; set "a" 2 }
                copy "y" "z"
                download "z"
                synchronize-device
                signal "done"
            }
            host "two" {
                await "done"
                fill "y" value=2
                download "y"
                synchronize-device
            }
            signal "done"
            synchronization "automatic"
            expect { each "z" equals="2 * k" }"#,
        check: |view| {
            let lane = |name| chosen(view, name).0;
            assert_eq!(lane("upload x"), "in");
            assert_eq!(lane("scale"), "main");
            assert_eq!(lane("fill y"), "second");
            assert_eq!(lane("download z"), "device-to-host (lazy)");
            assert_eq!(lane("download y"), "device-to-host of two (lazy)");
            let (copy, why) = chosen(view, "copy y to z");
            assert_eq!(copy, "main");
            assert!(why.starts_with("role compute, because copy"), "{why}");
            assert!(chosen(view, "download z").1.contains("made on first use"));
            let held = view.capture.expectations().iter().all(|it| !it.is_missed());
            assert!(held, "{:?}", view.capture.expectations());
        },
    },
    Case {
        name: "a use on another stream waits for the last use, reads too",
        rules: "E2 E3 E5",
        source: r#"
            synchronization "automatic"
            stream "s1"; stream "s2"; stream "s3"
            buffer "x" f32=16; buffer "y" f32=16; buffer "z" f32=16
            host "main" {
                fill "x" value=1 on="s1"
                fill "x" value=2 on="s1"
                copy "x" "y" on="s2"
                copy "x" "z" on="s3"
                fill "x" value=3 on="s1"
                synchronize-device
            }"#,
        check: |view| {
            // Between two reads, and needed: nothing else orders the second one after the fill.
            let expected = [
                ("s2", "s1", false),
                ("s3", "s2", false),
                ("s1", "s3", false),
            ];
            let expected =
                expected.map(|(to, from, spare)| (to.to_owned(), from.to_owned(), spare));
            assert_eq!(inserted(view), expected);
            assert_eq!(races(view, ""), 0);
            before(view.operation("copy x to y"), view.operation("copy x to z"));
        },
    },
    Case {
        name: "the least that is needed leaves waits between reads out",
        rules: "E2 B1",
        source: r#"
            synchronization "least"
            stream "s1"; stream "s2"; stream "s3"
            buffer "x" f32=16; buffer "y" f32=16; buffer "z" f32=16
            host "main" {
                fill "x" value=1 on="s1"
                copy "x" "y" on="s2"
                copy "x" "z" on="s3"
                fill "x" value=3 on="s1"
                fill "y" value=3 on="s1"
                synchronize-device
            }"#,
        check: |view| {
            let expected = [("s2", "s1"), ("s3", "s1"), ("s1", "s2"), ("s1", "s3")];
            let expected = expected.map(|(to, from)| (to.to_owned(), from.to_owned(), false));
            assert_eq!(inserted(view), expected);
            assert_eq!(races(view, ""), 0);
        },
    },
    Case {
        name: "a role that cannot be told to wait is held by whoever submits",
        rules: "E4 E6",
        source: r#"
            synchronization "automatic"
            stream "s"; stream "once" role="critical-section"; buffer "x" f32=16
            host "main" {
                fill "x" value=1 on="s"
                fill "x" value=2 on="once"
                synchronize-device
            }"#,
        check: |view| {
            assert!(inserted(view).is_empty());
            let calls = view.calls("fill x");
            let ties = view.causes(calls[1].id, DependencyKind::Automatic);
            assert_eq!(ties.len(), 1);
            let because = view.text(calls[1].id, "held because").unwrap();
            assert!(because.contains("x was used last on s"), "{because}");
            assert_eq!(races(view, ""), 0);
        },
    },
    Case {
        name: "memory in the order of a stream",
        rules: "A33 A34",
        source: r#"
            stream "s"; stream "t"; buffer "x" f32=16 memory="stream-ordered"
            host "main" {
                allocate "x" on="s"
                fill "x" value=1 on="s"
                fill "x" value=1 on="t"
                free "x" on="s"
                fill "x" value=1 on="s"
                synchronize-device
            }"#,
        check: |view| {
            let text = |word| races(view, word);
            assert_eq!(text("which allocates it"), 1, "USE_BEFORE_ALLOC");
            assert_eq!(text("frees x"), 1, "FREE_WHILE_IN_USE");
            assert_eq!(text("which frees it"), 1, "USE_AFTER_FREE");
            let lane = |name: &str| {
                let id = view.operation(name).lane;
                view.capture.lane(id).unwrap().group
            };
            assert_eq!(lane("allocate x"), Group::Streams);
            before(view.operation("allocate x"), view.operation("free x"));
        },
    },
    Case {
        name: "an instruction that computes is done before the device ends it, one that copies is not",
        rules: "E7 E8",
        source: r#"
            machine
            stream "in" role="host-to-device"; stream "main"; stream "all" role="barrier"; signal "go"
            buffer "x" f32=16; buffer "y" f32=16
            host "main" {
                hold "go" on="in"
                upload "x" on="in"
                hold "go" on="main"
                fill "y" value=1 on="main"
                barrier on="all"
                fill "x" value=2 on="in"
                signal "go"
                synchronize-device
            }"#,
        check: |view| {
            let lane = |name: &str| {
                let mut lanes = view.capture.lanes().iter();
                lanes.find(|lane| lane.name == name).unwrap().id
            };
            let life = |stream: &str, name: &str| {
                let lane = lane(&format!("instructions of {stream}"));
                let mut spans = view.capture.spans().map(|it| it.span);
                let found = spans.find(|it| it.lane == lane && view.capture.name(it.name) == name);
                found.unwrap()
            };
            let raised = view.call("signal go");
            // Released while the device had not begun with it, and only after.
            assert!(life("main", "fill y").end <= raised.start);
            assert!(life("in", "upload x").end >= view.operation("upload x").end);
            before(view.operation("fill y"), view.operation("fill x"));
            before(view.operation("upload x"), view.operation("fill x"));
            assert_eq!(races(view, ""), 0);
        },
    },
    Case {
        name: "a copy to pageable memory blocks the host",
        rules: "A31",
        source: r#"
            stream "s"; buffer "x" f32=16 memory="pageable"; buffer "y" f32=16
            host "main" {
                fill "x" value=1 on="s"
                download "x" on="s"
                download "y" on="s"
                synchronize-device
            }"#,
        check: |view| {
            super::view::ends_before(view.operation("download x"), view.call("download x"));
            let ties = |name| view.causes(view.call(name).id, DependencyKind::Synchronization);
            assert_eq!(ties("download x").len(), 1);
            assert_eq!(ties("download y").len(), 0);
        },
    },
    Case {
        name: "memory of a stream is drawn as it is allocated and freed",
        rules: "A33 A34 A35",
        source: r#"
            stream "s"; buffer "x" f32=16 memory="stream-ordered"; buffer "y" f32=32 memory="stream-ordered"
            host "main" {
                allocate "x" on="s"
                allocate "y" on="s"
                free "x" on="s"
                synchronize-device
            }"#,
        check: |view| {
            let mut counters = view.capture.counters().iter();
            let bytes = counters
                .find(|it| it.name == "memory allocated on s")
                .unwrap();
            assert_eq!(bytes.unit, "bytes");
            let samples = view.capture.samples(bytes.id);
            let values: Vec<f64> = samples.values().to_vec();
            assert_eq!(values, [0.0, 64.0, 192.0, 128.0]);
            let lane = view
                .capture
                .lanes()
                .iter()
                .find(|lane| lane.name == "memory")
                .unwrap();
            let lives = view
                .capture
                .spans()
                .map(|it| it.span)
                .filter(|it| it.lane == lane.id);
            let lives: Vec<_> = lives.collect();
            assert_eq!(lives.len(), 2);
            let x = lives
                .iter()
                .find(|it| view.capture.name(it.name) == "x")
                .unwrap();
            assert_eq!(x.start, view.operation("allocate x").end);
            assert_eq!(x.end, view.operation("free x").start);
        },
    },
    Case {
        name: "a barrier comes after everything and before everything",
        rules: "E7",
        source: r#"
            stream "s"; stream "t"; stream "all" role="barrier"; buffer "x" f32=16; buffer "y" f32=16
            host "main" {
                launch "spin" on="s" { set "micros" 500 }
                fill "x" value=1 on="t"
                barrier on="all"
                copy "x" "y" on="s"
                fill "x" value=2 on="t"
                synchronize-device
            }"#,
        check: |view| {
            for earlier in ["spin"] {
                for later in view.operations("fill x").iter().skip(1) {
                    before(view.operation(earlier), *later);
                }
                before(view.operation(earlier), view.operation("copy x to y"));
            }
            before(view.operations("fill x")[0], view.operation("copy x to y"));
            let joins = view.operations("join t");
            let ties = view.causes(joins[0].id, DependencyKind::Barrier);
            assert_eq!(ties.len(), 1, "it is shown as a barrier");
        },
    },
    Case {
        name: "whoever calls waits while too much is on its way",
        rules: "E13",
        source: r#"
            machine high=6 low=2
            stream "s"; stream "t"; buffer "x" f32=16; signal "go"; event "e"
            host "main" {
                repeat 8 index="i" { launch "spin" on="s" { set "micros" 200 }; fill "x" value=1 on="t" }
                synchronize-device
            }"#,
        check: |view| {
            let waits = view.calls("back-pressure");
            assert!(!waits.is_empty(), "16 instructions, 6 of them at once");
            let mut ran = view.operations("spin");
            ran.extend(view.operations("fill x"));
            for wait in &waits {
                let on_their_way = |time| {
                    let all = ran.iter();
                    all.filter(|it| it.enqueued < time && it.end > time).count()
                };
                assert!(
                    on_their_way(wait.start) <= 6,
                    "{}",
                    on_their_way(wait.start)
                );
                assert!(on_their_way(wait.end) <= 2, "{}", on_their_way(wait.end));
            }
            assert_eq!(ran.len(), 16);
            assert!(ran.iter().all(|it| it.state == engine::record::State::Done));
        },
    },
    Case {
        name: "workers launch instructions, each its own streams",
        rules: "E1, E5, E8",
        source: r#"
            machine threads="many"
            stream "s"; stream "critical" role="critical-section"; stream "lazy" role="lazy-job"
            buffer "x" f32=16
            host "main" {
                fill "x" value=1 on="s"
                host-function "alone" micros=10 on="critical"
                host-function "later" micros=10 on="lazy"
                synchronize-device
            }"#,
        check: |view| {
            let lane_of = |call: &str, name: &str| {
                let spans = view.capture.spans().map(|it| it.span);
                let mut launches = spans.filter(|span| {
                    let lane = view.capture.lane(span.lane).unwrap();
                    view.capture.name(span.name) == call && lane.name.starts_with("machine:")
                });
                let launch = launches.next().unwrap();
                assert!(launches.next().is_none(), "{name} is launched once");
                let operation = view.operation(name);
                assert!(launch.start <= operation.start && launch.enqueued <= launch.start);
                view.capture.lane(launch.lane).unwrap().name.clone()
            };
            assert!(lane_of("fill x", "fill x").starts_with("machine: worker for "));
            assert!(
                lane_of("host-function alone", "alone")
                    .starts_with("machine: critical sections of ")
            );
            assert!(lane_of("host-function later", "later").starts_with("machine: lazy jobs of "));
        },
    },
    Case {
        name: "a query of a stream, and of the legacy default stream",
        rules: "A9 A24",
        source: r#"
            stream "idle"; stream "d" kind="legacy"; stream "b" blocking=#true; signal "go"
            host "main" {
                hold "go" on="b"
                query-stream "idle"
                query-stream "b"
                query-stream "d"
                try { query-stream "b" strict=#true }
                catch "not-ready" { signal "go" }
                synchronize-stream "b"
                query-stream "b" strict=#true
                query-stream "d"
            }"#,
        check: |view| {
            let answers = |call: &str| -> Vec<String> {
                let calls = view.calls(call).into_iter();
                calls.filter_map(|it| view.text(it.id, "answer")).collect()
            };
            assert_eq!(answers("query idle"), ["complete"]);
            assert_eq!(answers("query b"), ["not ready", "not ready", "complete"]);
            assert_eq!(answers("query d"), ["not ready", "complete"]);
            assert_eq!(view.results("query b"), ["not-ready"]);
            let calls = view.calls("query b");
            before(view.operation("hold go"), calls[2]);
        },
    },
];

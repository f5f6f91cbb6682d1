//! Graphs that streams outside see into: events that are recorded and waited for at each replay, and memory of their own.

use engine::record::{DependencyKind, Span, SpanKind, State};

use super::Case;
use super::view::{View, before};

/// Every node called `name`, in the order of replays.
fn nodes(view: &View, name: &str) -> Vec<Span> {
    let found = view.operations(name);
    assert!(!found.is_empty(), "nodes called {name}");
    found
}

/// How many unordered uses of one buffer the findings tell of.
fn races(view: &View) -> usize {
    let findings = view.capture.findings().iter();
    findings.filter(|it| it.code == "race").count()
}

/// Cases about graphs that streams outside see into.
pub const CASES: &[Case] = &[
    Case {
        name: "a graph records an event for others and waits for one of theirs",
        rules: "A42, A43",
        source: r#"
            stream "a"; stream "b"; event "go"; event "mid"; signal "gate"; graph "g"
            buffer "x" f32=64 init="1"; buffer "y" f32=64
            host "main" {
                upload "x" on="a"
                begin-capture "a"
                launch "scale" on="a" { read "x"; write "x"; set "a" 2 }
                wait "go" external=#true on="a"
                launch "saxpy" on="a" { read "y"; write "x"; set "a" 10 }
                record "mid" external=#true on="a"
                launch "spin" on="a" { set "micros" 300 }
                end-capture "a" "g"
                instantiate "g"
                hold "gate" on="b"
                fill "y" value=3 on="b"
                record "go" on="b"
                replay "g" on="a"
                wait "mid" on="b"
                copy "x" "y" on="b"
                download "y" on="b"
                signal "gate"
                synchronize-device
            }
            expect { each "y" equals="2 * 1 + 10 * 3" }"#,
        check: |view| {
            let (wait, record) = (view.operation("wait go"), view.operation("record mid"));
            assert_eq!(wait.kind, SpanKind::EventWait);
            before(view.operation("fill y"), wait_end(wait));
            before(record, view.operation("copy x to y"));
            let causes = view.causes(wait.id, DependencyKind::Event);
            assert_eq!(causes[0].cause, view.operation("record go").id);
            let causes = view.causes(view.operation("wait mid").id, DependencyKind::Event);
            assert_eq!(causes[0].cause, record.id, "the arrow leaves the node");
            assert_eq!(races(view), 0, "what is recorded inside orders the copy");
            assert!(view.capture.expectations()[0].holds == Some(true));
        },
    },
    Case {
        name: "each replay records anew, and its events tell the time",
        rules: "A42, A3, A17",
        source: r#"
            stream "a"; event "from" timing=#true; event "to" timing=#true; graph "g"
            host "main" {
                begin-capture "a"
                record "from" external=#true on="a"
                host-function "busy" micros=2000 on="a"
                record "to" external=#true on="a"
                end-capture "a" "g"
                instantiate "g"
                try { elapsed "from" "to" }; catch "not-recorded"
                replay "g" on="a"
                replay "g" on="a"
                synchronize-event "to"
                elapsed "from" "to"
            }"#,
        check: |view| {
            let records = nodes(view, "record to");
            let generations: Vec<_> = records
                .iter()
                .map(|span| view.text(span.id, "generation"))
                .collect();
            let wanted = ["Integer(1)", "Integer(2)"].map(|it| Some(it.to_owned()));
            assert_eq!(generations, wanted);
            let calls = view.calls("elapsed from to to");
            assert_eq!(
                view.results("elapsed from to to"),
                ["not-recorded"],
                "captured is not recorded"
            );
            assert!(view.text(calls[1].id, "elapsed").is_some());
            // By order: a host function computes for as many steps as its length took when that was measured.
            let (from, busy) = (nodes(view, "record from")[1], nodes(view, "busy")[1]);
            assert!(from.start <= busy.start && busy.end <= records[1].start);
            assert!(busy.start < busy.end);
            let sync = view.call("synchronize to");
            assert!(
                sync.end >= records[1].start,
                "it waits for the latest record"
            );
        },
    },
    Case {
        name: "an external record outside of a capture is refused",
        rules: "A42, A46",
        source: r#"
            stream "a"; event "e"; buffer "x" f32=16; graph "g"
            host "main" {
                try { record "e" external=#true on="a" }; catch "invalid-value"
                try { wait "e" external=#true on="a" }; catch "invalid-value"
                begin-capture "a"
                fill "x" value=2 on="a"
                end-capture "a" "g"
                try { record "e" external=#true on="a" }; catch "invalid-value"
                query "e"
                instantiate "g"; replay "g" on="a"
                synchronize-device
            }"#,
        check: |view| {
            for text in view.errors("record e").iter().chain(&view.errors("wait e")) {
                assert!(text.contains("CUDA_ERROR_INVALID_VALUE, 1"), "{text}");
            }
            assert_eq!(view.errors("record e").len(), 2);
            assert!(
                view.operations("record e").is_empty(),
                "nothing was submitted"
            );
            assert_eq!(
                view.states("fill x"),
                [State::Done],
                "the capture was intact"
            );
        },
    },
    Case {
        name: "an external wait for what was never recorded passes at once",
        rules: "A1, A42",
        source: r#"
            stream "a"; event "e"; buffer "x" f32=16; graph "g"
            host "main" {
                begin-capture "a"
                wait "e" external=#true on="a"
                fill "x" value=2 on="a"
                end-capture "a" "g"
                instantiate "g"; replay "g" on="a"; replay "g" on="a"
                synchronize-device
            }"#,
        check: |view| {
            assert_eq!(view.states("fill x"), [State::Done; 2]);
            assert_eq!(view.problems("wait-before-record"), 2);
            let wait = nodes(view, "wait e")[0];
            assert!(view.causes(wait.id, DependencyKind::Event).is_empty());
        },
    },
    Case {
        name: "a record inside a graph says nothing of the branches beside it",
        rules: "A42, A43",
        source: r#"
            stream "a"; stream "b"; stream "c"; event "fork"; event "join"; event "mid"; graph "g"
            buffer "x" f32=64; buffer "y" f32=64; buffer "z" f32=64
            host "main" {
                begin-capture "a"
                record "fork" on="a"
                wait "fork" on="b"
                fill "y" value=1 on="b"
                record "join" on="b"
                fill "x" value=1 on="a"
                record "mid" external=#true on="a"
                wait "join" on="a"
                end-capture "a" "g"
                instantiate "g"
                replay "g" on="a"
                wait "mid" on="c"
                copy "x" "z" on="c" label="after the record"
                copy "y" "z" on="c" label="beside it"
                synchronize-device
            }"#,
        check: |view| {
            let findings = view.capture.findings().iter();
            let races: Vec<_> = findings.filter(|it| it.code == "race").collect();
            assert_eq!(races.len(), 1, "{races:?}");
            let text = &races[0].text;
            assert!(text.contains("beside it") && text.contains(" y,"), "{text}");
            assert!(
                text.contains("fill (line 8, on a)"),
                "the captured call: {text}"
            );
        },
    },
    Case {
        name: "one event between two graphs orders one way only",
        rules: "A42, B9",
        source: r#"
            stream "a"; stream "b"; event "e"; graph "first"; graph "second"
            buffer "x" f32=64; buffer "y" f32=64
            host "main" {
                begin-capture "a"
                fill "x" value=1 on="a"
                record "e" external=#true on="a"
                end-capture "a" "first"
                begin-capture "b"
                wait "e" external=#true on="b"
                copy "x" "y" on="b"
                end-capture "b" "second"
                instantiate "first"; instantiate "second"
                repeat 2 { replay "first" on="a"; replay "second" on="b" }
                synchronize-device
            }"#,
        check: |view| {
            let findings = view.capture.findings().iter();
            let races: Vec<_> = findings.filter(|it| it.code == "race").collect();
            assert_eq!(races.len(), 1, "warp.event_external_two_graphs: {races:?}");
            assert!(races[0].text.contains("overwrites x"), "{races:?}");
            let (records, copies) = (nodes(view, "record e"), nodes(view, "copy x to y"));
            for (record, copy) in records.iter().zip(&copies) {
                before(*record, *copy);
            }
        },
    },
    Case {
        name: "a stream that waits for another is an edge of the graph",
        rules: "A36, A37, A40",
        source: r#"
            stream "a"; stream "b"; stream "c"; graph "g"; buffer "x" f32=16; buffer "y" f32=16
            host "main" {
                begin-capture "a"
                fill "x" value=1 on="a"
                wait-stream "a" on="b"
                copy "x" "y" on="b"
                wait-stream "b" on="a"
                fill "x" value=2 on="a"
                end-capture "a" "g"
                instantiate "g"; replay "g" on="a"
                synchronize-device
                begin-capture "a"
                try { wait-stream "c" on="a" }; catch "capture-isolation"
                try { end-capture "a" "g" }; catch "capture-invalidated"
            }"#,
        check: |view| {
            assert!(view.operations("join a").is_empty(), "A36: nothing runs");
            let steps = &view.capture.launches()[0].steps;
            let edges: Vec<_> = steps[0].nodes.iter().map(|it| it.before.clone()).collect();
            assert_eq!(edges, [vec![], vec![0], vec![1]]);
            let fills = nodes(view, "fill x");
            before(fills[0], view.operation("copy x to y"));
            before(view.operation("copy x to y"), fills[1]);
            assert_eq!(races(view), 0);
        },
    },
    Case {
        name: "a graph allocates memory of its own and frees it after all who use it",
        rules: "A44",
        source: r#"
            stream "a"; stream "b"; event "made"; event "used"; graph "g"
            buffer "x" f32=16 memory="stream-ordered"; buffer "y" f32=16
            host "main" {
                begin-capture "a"
                allocate "x" on="a"
                record "made" on="a"
                fill "x" value=1 on="a"
                wait "made" on="b"
                launch "spin" on="b" { set "micros" 200 }
                free "x" on="a"
                fill "y" value=1 on="b"
                record "used" on="b"
                wait "used" on="a"
                end-capture "a" "g"
                instantiate "g"
                replay "g" on="a"; replay "g" on="a"
                synchronize-device
            }"#,
        check: |view| {
            let (frees, spins) = (nodes(view, "free x"), nodes(view, "spin"));
            for (free, user) in frees.iter().zip(spins.iter().zip(nodes(view, "fill x"))) {
                before(*user.0, *free);
                before(user.1, *free);
            }
            for (free, later) in frees.iter().zip(nodes(view, "fill y")) {
                before(*free, later);
            }
            assert_eq!(races(view), 0);
            assert_eq!(lives(view, "x").len(), 2, "one at each replay");
        },
    },
    Case {
        name: "what a graph allocated has to be freed before it is replayed",
        rules: "A44, A34",
        source: r#"
            stream "a"; graph "g"; buffer "x" f32=16 memory="stream-ordered"
            host "main" {
                begin-capture "a"
                allocate "x" on="a"
                fill "x" value=1 on="a"
                end-capture "a" "g"
                instantiate "g"
                replay "g" on="a"
                try { replay "g" on="a" }; catch "invalid-value"
                fill "x" value=2 on="a"
                free "x" on="a"
                replay "g" on="a"
                synchronize-device
            }"#,
        check: |view| {
            let text = view.errors("replay g");
            assert!(
                text[0].contains("allocates x") && text[0].contains("A44"),
                "{text:?}"
            );
            assert_eq!(
                nodes(view, "allocate x").len(),
                2,
                "the second did not begin"
            );
            assert_eq!(
                races(view),
                0,
                "what it allocated is used after it and freed"
            );
            assert_eq!(lives(view, "x").len(), 2);
        },
    },
];

/// The instant at which a wait ended.
const fn wait_end(wait: Span) -> Span {
    Span {
        start: wait.end,
        ..wait
    }
}

/// The lives of a buffer in the lane of memory.
fn lives(view: &View, buffer: &str) -> Vec<Span> {
    let mut lanes = view.capture.lanes().iter();
    let lane = lanes.find(|lane| lane.name == "memory").unwrap().id;
    let spans = view.capture.spans().map(|placed| placed.span);
    spans
        .filter(|span| span.lane == lane && view.capture.name(span.name) == buffer)
        .collect()
}

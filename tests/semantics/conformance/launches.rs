//! Recorded launches and graphs, on every backend.

use engine::record::{DependencyKind, LaunchChange, SpanKind, State};

use super::Case;
use super::view::before;

/// Cases about recorded launches and graphs.
pub const LAUNCHES: &[Case] = &[
    Case {
        name: "recording runs nothing",
        rules: "D1, D7",
        source: r#"
            stream "a"; stream "b"; buffer "x" f32=64 init="k"; recorded "r"
            host "main" {
                upload "x" on="a"
                record-launch "r" "scale" { read "x"; write "x"; set "a" 2 }
                synchronize-device
                relaunch "r" on="a"
                synchronize-device
                relaunch "r" on="b"
                download "x" on="b"
                synchronize-device
            }
            expect { each "x" equals="4 * k" }"#,
        check: |view| {
            let launched = &view.capture.launches()[0];
            assert_eq!(view.operations("scale").len(), 2, "D1");
            assert_eq!(launched.launches.len(), 2);
            let lanes = view.operations("scale");
            assert_ne!(
                lanes[0].lane, lanes[1].lane,
                "D7: the stream is chosen each time"
            );
            assert!(view.capture.expectations()[0].holds == Some(true));
        },
    },
    Case {
        name: "arguments are packed by value",
        rules: "D2, D3",
        source: r#"
            stream "a"; buffer "x" f32=64 init="1"; buffer "y" f32=64; recorded "r"
            host "main" {
                upload "x" on="a"; upload "y" on="a"
                launch "spin" on="a" { set "micros" 300 }
                record-launch "r" "saxpy" { read "x"; write "y"; set "a" 1 }
                relaunch "r" on="a"
                set "r" "a" 10
                relaunch "r" on="a"
                set "r" 2 100
                relaunch "r" on="a"
                set-all "r" { buffer "x"; buffer "y" }
                relaunch "r" on="a"
                download "y" on="a"; synchronize-device
            }
            expect { each "y" equals="211" }"#,
        check: |view| {
            let launched = &view.capture.launches()[0];
            let revisions: Vec<u32> = launched.launches.iter().map(|it| it.revision).collect();
            assert_eq!(revisions, [1, 2, 3, 4]);
            let step = launched.revision(3).unwrap();
            assert_eq!(step.arguments[2], ("a".to_owned(), "100".to_owned()));
            assert!(view.capture.expectations()[0].holds == Some(true), "D2");
        },
    },
    Case {
        name: "wrong arguments are refused at once",
        rules: "D3, A46",
        source: r#"
            stream "a"; buffer "x" f32=64; recorded "r"
            host "main" {
                record-launch "r" "scale" { read "x"; write "x"; set "a" 2 }
                record-launch "r" "spin"
                try { set "r" "a" 1 }; catch "invalid-argument"
                try { set-all "r" { buffer "x" } }; catch "invalid-argument"
                try { set-dimensions "r" 4 }; catch "invalid-argument"
                relaunch "r" on="a"
                synchronize-device
            }"#,
        check: |view| {
            let found = view.errors("set r a");
            assert!(found[0].contains("has no argument “a”"), "D3: {found:?}");
            assert_eq!(view.call("set-all r").state, State::Failed);
            assert_eq!(view.capture.launches()[0].steps.len(), 2, "nothing changed");
            assert_eq!(view.operation("spin").state, State::Done);
        },
    },
    Case {
        name: "limits show when it is launched",
        rules: "D4, D5, D6",
        source: r#"
            stream "a"; buffer "x" f32=64; recorded "r"; recorded "empty" kernel="saxpy"
            host "main" {
                record-launch "r" "scale" { read "x"; write "x"; set "b" 1 }
                set-dimensions "r" 65
                try { relaunch "r" on="a" }; catch "invalid-launch"
                set-dimensions "r" 16
                relaunch "r" on="a"
                relaunch "empty" on="a"
                download "x" on="a"; synchronize-device
            }
            expect { sum "x" equals=16 }"#,
        check: |view| {
            let set = view.calls("set-dimensions r");
            assert!(
                set.iter().all(|call| call.state == State::Done),
                "D4: not when it is set"
            );
            let relaunched = view.calls("relaunch r");
            let states: Vec<State> = relaunched.iter().map(|call| call.state).collect();
            assert_eq!(states, [State::Failed, State::Done], "D6");
            assert_eq!(
                view.operation("saxpy").state,
                State::Done,
                "D5: and it does nothing"
            );
        },
    },
    Case {
        name: "a buffer that is gone is not used",
        rules: "D10",
        source: r#"
            stream "a"; buffer "x" f32=64; recorded "r"
            host "main" {
                record-launch "r" "scale" { read "x"; write "x" }
                relaunch "r" on="a"
                synchronize-device
                lose-device by="destroy"
                recover-device
                try { relaunch "r" on="a" }; catch "stale-argument"
                set "r" "x" buffer="x"
                set "r" 1 buffer="x"
                relaunch "r" on="a"
                synchronize-device
            }"#,
        check: |view| {
            assert_eq!(view.problems("stale-launch-arg"), 1);
            assert_eq!(view.operations("scale").len(), 2);
        },
    },
    Case {
        name: "a capture runs nothing and a replay is one operation",
        rules: "A36, A37, A43, B9",
        source: r#"
            stream "a"; stream "b"; event "fork"; event "join"; graph "g"
            buffer "x" f32=64 init="k"; buffer "y" f32=64; buffer "z" f32=64
            host "main" {
                upload "x" on="a"
                begin-capture "a"
                record "fork" on="a"
                wait "fork" on="b"
                launch "scale" on="b" { read "x"; write "y"; set "a" 2 }
                record "join" on="b"
                launch "scale" on="a" { read "x"; write "z"; set "a" 3 }
                wait "join" on="a"
                launch "saxpy" on="a" { read "y"; write "z" }
                end-capture "a" "g"
                instantiate "g"
                repeat 3 { replay "g" on="a" }
                download "z" on="a"
                synchronize-device
            }
            expect { each "z" equals="5 * k" }"#,
        check: |view| {
            let replays = view.operations("g");
            assert_eq!(replays.len(), 3);
            assert!(replays.iter().all(|span| span.kind == SpanKind::Graph));
            assert_eq!(
                view.operations("scale").len(),
                6,
                "A36: none but those of the replays"
            );
            let saxpy = view.operations("saxpy");
            for (replay, join) in replays.iter().zip(&saxpy) {
                assert!(replay.start <= join.start && join.end <= replay.end, "A43");
                let edges = view.causes(join.id, DependencyKind::Edge);
                assert_eq!(edges.len(), 2, "A37: it joins two branches");
                for edge in edges {
                    let cause = view.capture.span(edge.cause).unwrap().span;
                    before(cause, *join);
                }
            }
            before(replays[0], replays[1]);
            let nodes = &view.capture.launches()[0].steps[0].nodes;
            let edges: Vec<&[u32]> = nodes.iter().map(|it| it.before.as_slice()).collect();
            assert_eq!(edges, [&[][..], &[], &[0, 1]]);
            assert!(view.capture.expectations()[0].holds == Some(true));
            let repaired = view.capture.spans().filter(|it| it.repair.label() != "");
            assert_eq!(repaired.count(), 0, "nodes within a replay overlap rightly");
        },
    },
    Case {
        name: "a replay uses what all of its nodes do",
        rules: "B9",
        source: r#"
            stream "a"; stream "b"; graph "g"; buffer "x" f32=64; buffer "y" f32=64
            host "main" {
                begin-capture "a"
                fill "x" value=1 on="a"
                launch "scale" on="a" { read "x"; write "y" }
                end-capture "a" "g"
                instantiate "g"
                replay "g" on="a"
                download "y" on="b"
                synchronize-device
            }"#,
        check: |view| {
            let races = view
                .capture
                .findings()
                .iter()
                .filter(|it| it.code == "race");
            let races: Vec<_> = races.collect();
            assert_eq!(races.len(), 1, "{races:?}");
            assert!(
                races[0].text.contains("replay") && races[0].text.contains("of y")
                    || races[0].text.contains(" y")
            );
        },
    },
    Case {
        name: "waiting for what is captured makes it void",
        rules: "A38",
        source: r#"
            stream "a"; event "e"; buffer "x" f32=64; graph "g"
            host "main" {
                begin-capture "a" mode="relaxed"
                record "e" on="a"
                try { synchronize-event "e" }; catch "captured-event"
                try { fill "x" value=1 on="a" }; catch "capture-invalidated"
                try { end-capture "a" "g" }; catch "capture-invalidated"
                begin-capture "a"
                try { synchronize-device }; catch "capture-unsupported"
                try { end-capture "a" "g" }; catch "capture-invalidated"
                fill "x" value=2 on="a"
                synchronize-device
            }"#,
        check: |view| {
            let text = view.errors("synchronize e");
            assert!(
                text[0].contains("CUDA_ERROR_CAPTURED_EVENT, 907"),
                "{text:?}"
            );
            assert_eq!(view.states("fill x"), [State::Done], "nothing of it ran");
            let steps = &view.capture.launches()[0].steps;
            assert!(steps.iter().all(|step| step.change == LaunchChange::Failed));
        },
    },
    Case {
        name: "a capture begins and ends on one stream and by one thread",
        rules: "A36, A37",
        source: r#"
            stream "a"; stream "b"; event "e"; signal "go"; signal "done"; graph "g"; buffer "x" f32=64
            host "main" {
                begin-capture "a"
                try { begin-capture "a" }; catch "illegal-state"
                record "e" on="a"
                wait "e" on="b"
                fill "x" value=1 on="b"
                try { end-capture "b" "g" }; catch "capture-unmatched"
                signal "go"
                await "done"
                try { end-capture "a" "g" }; catch "capture-unjoined"
                try { end-capture "a" "g" }; catch "illegal-state"
            }
            host "other" {
                await "go"
                try { end-capture "a" "g" }; catch "capture-wrong-thread"
                signal "done"
            }"#,
        check: |view| {
            let found = view.errors("end-capture g").join("\n");
            for part in ["903", "904", "908", "401", "join now"] {
                assert!(found.contains(part), "{part} in {found}");
            }
        },
    },
    Case {
        name: "the mode says whose unsafe calls are forbidden",
        rules: "A41",
        source: r#"
            stream "a"; event "e"; signal "go"; signal "done"; graph "g"
            host "main" {
                record "e" on="a"
                synchronize-device
                begin-capture "a" mode="thread-local"
                signal "go"
                await "done"
                try { query "e" }; catch "capture-unsupported"
                try { end-capture "a" "g" }; catch "capture-invalidated"
            }
            host "other" {
                await "go"
                query "e"
                signal "done"
            }"#,
        check: |view| {
            let states: Vec<State> = view.calls("query e").iter().map(|it| it.state).collect();
            assert!(states.contains(&State::Done) && states.contains(&State::Failed));
        },
    },
    Case {
        name: "a recorded launch is captured by value and updated",
        rules: "D8",
        source: r#"
            stream "a"; buffer "x" f32=64 init="1"; buffer "y" f32=64; recorded "r"; graph "g"
            host "main" {
                upload "x" on="a"; upload "y" on="a"
                record-launch "r" "saxpy" { read "x"; write "y"; set "a" 2 }
                begin-capture "a"; relaunch "r" on="a"; end-capture "a" "g"
                instantiate "g"
                set "r" "a" 5
                replay "g" on="a"
                begin-capture "a"; relaunch "r" on="a"; end-capture "a" "g"
                replay "g" on="a"
                update "g"
                replay "g" on="a"
                begin-capture "a"; relaunch "r" on="a"; relaunch "r" on="a"; end-capture "a" "g"
                try { update "g" }; catch "graph-update"
                download "y" on="a"; synchronize-device
            }
            expect { each "y" equals="9" }"#,
        check: |view| {
            assert!(view.capture.expectations()[0].holds == Some(true));
            let found = view.errors("update g");
            assert!(found[0].contains("910"), "{found:?}");
        },
    },
];

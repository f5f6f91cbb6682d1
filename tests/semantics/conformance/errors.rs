//! Cases of error branches: which branch takes an error, and where the host thread goes on.

use engine::record::State;

use super::Case;
use super::view::before;

/// Every case.
pub const CASES: &[Case] = &[
    Case {
        name: "an error goes to the first branch that takes its kind",
        rules: "A46",
        source: r#"
            stream "s"; event "e"; buffer "x" f32=16; buffer "y" f32=16; buffer "z" f32=16
            host "main" {
                try {
                    elapsed "e" "e"
                    fill "x" value=1 on="s"
                }
                catch "timed-out" { fill "x" value=2 on="s" }
                catch "not-recorded" { fill "y" value=3 on="s" }
                catch { fill "x" value=4 on="s" }
                fill "z" value=5 on="s"
                synchronize-device
            }
            expect { each "x" equals=0; each "y" equals=0 }"#,
        check: |view| {
            let failed = view.call("elapsed e to e");
            assert_eq!(failed.state, State::Failed);
            let result = view.text(failed.id, "result").unwrap();
            assert!(result.starts_with("not-recorded: "), "{result}");
            let caught = view.text(failed.id, "caught").unwrap();
            assert_eq!(caught, "by the branch at line 9");
            assert!(view.operations("fill x").is_empty());
            before(view.operation("fill y"), view.operation("fill z"));
        },
    },
    Case {
        name: "a branch for every error, inside a branch, and none where nothing fails",
        rules: "A46",
        source: r#"
            stream "s"; event "e"; event "f" timing=#false; buffer "x" f32=16; buffer "y" f32=16
            buffer "z" f32=16
            host "main" {
                try { record "e" on="s" }
                catch { fill "x" value=1 on="s" }
                try {
                    try { elapsed "e" "f" }
                    catch "not-ready" { fill "x" value=1 on="s" }
                    fill "x" value=1 on="s"
                }
                catch {
                    try { elapsed "f" "e" }
                    catch "timing-disabled"
                    fill "y" value=1 on="s"
                }
                fill "z" value=1 on="s"
                synchronize-device
            }"#,
        check: |view| {
            assert!(view.operations("fill x").is_empty());
            before(view.operation("fill y"), view.operation("fill z"));
        },
    },
    Case {
        name: "a branch outside a loop ends the loop, one inside goes on with it",
        rules: "A46",
        source: r#"
            stream "s"; event "e"; buffer "x" f32=16; buffer "y" f32=16; buffer "z" f32=16
            host "main" {
                repeat 3 index="i" {
                    try { elapsed "e" "e" }
                    catch { fill "x" value="i" on="s" }
                }
                try {
                    repeat 3 { repeat 2 { fill "y" value=1 on="s"; elapsed "e" "e" } }
                }
                catch { repeat 2 index="i" { fill "z" value="i" on="s" } }
                synchronize-device
            }"#,
        check: |view| {
            let count = |name| view.operations(name).len();
            assert_eq!(count("fill x"), 3);
            assert_eq!(count("fill y"), 1);
            assert_eq!(count("fill z"), 2);
        },
    },
];

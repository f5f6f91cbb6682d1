//! Misuses that no other list has, and the proof that nothing is left out: every kind of error and every rule has a case, or
//! a line that says why not.

use engine::record::State;
use engine::workload::ErrorKind;

use super::{Case, all_cases};

/// Cases of misuse: the documented error comes at the call, and everything else goes on.
pub const CASES: &[Case] = &[
    Case {
        name: "two captures that would become one",
        rules: "A40",
        source: r#"
            stream "a"; stream "b"; event "e"; buffer "x" f32=16; graph "g"; graph "h"
            host "main" {
                begin-capture "a"
                begin-capture "b"
                record "e" on="a"
                try { wait "e" on="b" }; catch "capture-merge"
                try { end-capture "b" "h" }; catch "capture-invalidated"
                try { end-capture "a" "g" }; catch "capture-invalidated"
                fill "x" value=1 on="a"
                synchronize-device
            }"#,
        check: |view| {
            let text = view.errors("wait e");
            assert!(
                text[0].contains("CUDA_ERROR_STREAM_CAPTURE_MERGE, 902"),
                "{text:?}"
            );
            assert_eq!(view.states("fill x"), [State::Done]);
        },
    },
    Case {
        name: "the legacy stream while a blocking one captures",
        rules: "A39, A36",
        source: r#"
            stream "legacy" kind="legacy"; stream "a" blocking=#true; stream "b"; buffer "x" f32=16; graph "g"
            host "main" {
                try { begin-capture "legacy" }; catch "capture-unsupported"
                begin-capture "a"
                try { fill "x" value=1 on="legacy" }; catch "capture-implicit"
                try { end-capture "a" "g" }; catch "capture-invalidated"
                begin-capture "b"
                fill "x" value=2 on="legacy"
                end-capture "b" "g"
                synchronize-device
            }"#,
        check: |view| {
            let text = view.errors("fill x");
            assert!(
                text[0].contains("CUDA_ERROR_STREAM_CAPTURE_IMPLICIT, 906"),
                "{text:?}"
            );
            assert_eq!(view.states("fill x"), [State::Done], "b does not block");
        },
    },
    Case {
        name: "a graph that is not there yet",
        rules: "A36, C14",
        source: r#"
            stream "a"; buffer "x" f32=16; graph "g"
            host "main" {
                try { replay "g" on="a" }; catch "not-made"
                begin-capture "a"
                fill "x" value=1 on="a"
                end-capture "a" "g"
                try { replay "g" on="a" }; catch "not-made"
                try { update "g" }; catch "not-made"
                instantiate "g"
                replay "g" on="a"; replay "g" on="a"
                synchronize-device
            }"#,
        check: |view| {
            assert_eq!(view.results("replay g").len(), 2);
            assert_eq!(
                view.states("fill x"),
                [State::Done; 2],
                "C14: launched repeatedly"
            );
        },
    },
    Case {
        name: "an event for several processes keeps no times",
        rules: "A12, A45, C12",
        source: r#"
            stream "a"; stream "b"; event "e" interprocess=#true; event "f"; buffer "x" f32=16
            host "main" {
                fill "x" value=1 on="a"
                record "e" on="a"
                wait "e" on="b"
                fill "x" value=2 on="b"
                record "f" on="b"
                synchronize-device
                try { elapsed "e" "f" }; catch "timing-disabled"
            }"#,
        check: |view| {
            assert_eq!(view.results("elapsed e to f"), ["timing-disabled"]);
            let fills = view.operations("fill x");
            super::view::before(fills[0], fills[1]);
        },
    },
    Case {
        name: "a graph whose event was destroyed",
        rules: "A11, A42",
        source: r#"
            stream "a"; event "e"; buffer "x" f32=16; graph "g"
            host "main" {
                begin-capture "a"
                fill "x" value=1 on="a"
                record "e" external=#true on="a"
                end-capture "a" "g"
                instantiate "g"
                replay "g" on="a"
                destroy-event "e"
                try { replay "g" on="a" }; catch "destroyed"
                synchronize-device
            }"#,
        check: |view| {
            assert_eq!(view.results("replay g"), ["destroyed"]);
            assert_eq!(
                view.states("fill x"),
                [State::Done],
                "the first runs to its end"
            );
        },
    },
    Case {
        name: "what a graph waits for and nobody reaches",
        rules: "A42, F8, F14",
        source: r#"
            stream "a"; stream "b"; event "e"; buffer "x" f32=16; buffer "y" f32=16; signal "never"; graph "g"
            host "main" {
                begin-capture "a"
                fill "x" value=1 on="a"
                wait "e" external=#true on="a"
                fill "x" value=2 on="a"
                end-capture "a" "g"
                instantiate "g"
                hold "never" on="b"
                record "e" on="b"
                replay "g" on="a"
                try { synchronize-stream "a" timeout-micros=3000 }; catch "timed-out"
                abort-stream "a"
                abort-stream "b"
                fill "y" value=3 on="a"
                synchronize-stream "a"
                signal "never"
            }"#,
        check: |view| {
            assert_eq!(
                view.states("fill y"),
                [State::Done],
                "the stream takes work again"
            );
            assert_ne!(
                view.states("fill x")[1],
                State::Done,
                "it never had its turn"
            );
        },
    },
];

/// Kinds of errors that no case of conformance shows, and why.
const KINDS_ELSEWHERE: &[(ErrorKind, &str)] = &[
    (
        ErrorKind::OtherDevice,
        "a run has one device: the rule is tested on its table, device/elapsed.rs",
    ),
    (
        ErrorKind::Unknown,
        "a workload that names what is not there is refused at its line; devices are asked in conformance/device.rs",
    ),
    (
        ErrorKind::OutOfMemory,
        "a workload that does not fit is refused at its line: tests/semantics/workload_text.rs",
    ),
    (
        ErrorKind::DeviceLost,
        "tests/semantics/losses.rs loses devices on every backend",
    ),
];

/// Rules that no case of conformance names, and where they are proved or why they cannot be.
const RULES_ELSEWHERE: &[(&str, &str)] = &[
    ("A4 A5 D13", "a run has one device"),
    (
        "A32 E14",
        "there is no free that synchronises, and none is ever offered as a remedy: frees are in the order of a stream",
    ),
    (
        "A49 A50",
        "faults of the backend cuda and its workers, on a stand-in for the driver: tests/semantics/cuda/faults.rs",
    ),
    (
        "A51",
        "there is no error of a thread that is kept and cleared: an error is at its call, or at the next synchronisation (A48)",
    ),
    (
        "A52 A53 A54 A55",
        "of cudarc's own objects; the backend cuda takes its types and constants alone, and calls the driver itself",
    ),
    (
        "B2 B3 B7 B8 B10",
        "every case of tests/data/hazard_cases.json, run by tests/semantics/hazards.rs",
    ),
    (
        "B4",
        "a kernel's reads and writes are declared, argument by argument: engine/workload/src/kernel.rs",
    ),
    (
        "B5 B6",
        "the sentences of findings and how often each was found: tests/semantics/findings.rs",
    ),
    (
        "C1 C11",
        "of objects in Python, which a language of declarations has not",
    ),
    (
        "C3 C4 C5",
        "the flag, the end after a synchronisation and queries are in the cases of A9, A10 and A13",
    ),
    ("C9", "of drivers on Windows"),
    (
        "D9 D11 D14 D15 D16",
        "of Warp's tape, CPU and streams in Python; a synchronisation while something captures is A38",
    ),
    (
        "D12",
        "Warp's own streams are made with blocking=#true; the rule itself is in the cases of A22 and A23",
    ),
    (
        "E9",
        "an instruction is handed over once nothing holds it: the device's own streams keep their order",
    ),
    (
        "E11",
        "the CPU's streams are threads with real events here, which every case proves",
    ),
    (
        "E12",
        "a failed operation poisons the device: the cases of A47 and A48",
    ),
    (
        "E15 E16",
        "whether a stream blocks is said where it is declared (A22, A23); a run is one rank",
    ),
    (
        "F4 F5 F6",
        "the table of where runtimes differ, said in the field “policy”: the cases of A1, A9 and A7",
    ),
    ("F10", "the cases that synchronise the device"),
    (
        "F11",
        "one host thread's record and another's query are ordered by signals, or found to be unordered: tests/semantics/hazards.rs",
    ),
    (
        "F12",
        "elapsed times have CUDA's errors on every backend: the cases of A14 to A21",
    ),
    (
        "G1 G2 G3 G4 G5 G6 G7",
        "tests/semantics/webgpu.rs, tests/semantics/promises.rs and tests/semantics/losses.rs",
    ),
];

/// Every rule of the reference: its letter, and how many there are.
const RULES: &[(char, u32)] = &[
    ('A', 55),
    ('B', 10),
    ('C', 15),
    ('D', 16),
    ('E', 16),
    ('F', 16),
    ('G', 7),
];

#[test]
fn every_kind_of_error_has_a_case_or_says_why_not() {
    for (label, kind) in ErrorKind::LABELS {
        let is_shown = all_cases().any(|case| case.source.contains(&format!("catch \"{label}\"")));
        let is_told = KINDS_ELSEWHERE.iter().any(|(told, _)| told == kind);
        assert!(
            is_shown != is_told,
            "{label}: a case {is_shown}, a line that says why not {is_told}"
        );
    }
}

#[test]
fn every_rule_has_a_case_or_says_why_not() {
    let named = |text: &str, rule: &str| text.split([' ', ',']).any(|it| it == rule);
    for (letter, count) in RULES {
        for rule in (1..=*count).map(|number| format!("{letter}{number}")) {
            let is_shown = all_cases().any(|case| named(case.rules, &rule));
            let is_told = RULES_ELSEWHERE.iter().any(|(rules, _)| named(rules, &rule));
            assert!(
                is_shown != is_told,
                "{rule}: a case {is_shown}, a line that says why not {is_told}"
            );
        }
    }
}

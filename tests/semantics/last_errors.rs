//! The last error of each host thread, and branches that name errors by the numbers of runtimes, against a model that is written
//! apart: what each call comes to is known from how it is made, and which words a number stands for from lists of its own.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use engine::capture::Capture;
use engine::record::Value;
use engine::runner::run;

use crate::semantics::conformance::request;
use crate::semantics::generated::SeededRandom;
use crate::semantics::nvidia::downloaded;

/// Programs a backend.
const PROGRAMS: u64 = 40;

/// Calls, each with the word for what it comes to; nothing where it succeeds. Numbers of runtimes stand in the second list.
const CALLS: &[(&str, Option<&str>)] = &[
    ("elapsed \"untimed\" \"untimed\"", Some("timing-disabled")),
    ("elapsed \"never\" \"never\"", Some("not-recorded")),
    ("elapsed \"done\" \"pending\"", Some("not-ready")),
    ("query \"pending\" strict=#true", Some("not-ready")),
    ("query-stream \"held\" strict=#true", Some("not-ready")),
    ("destroy-event \"gone\"", Some("destroyed")),
    (
        "unsubscribe \"worker\" stream=\"free\"",
        Some("not-subscribed"),
    ),
    (
        "synchronize-event \"pending\" timeout-micros=1",
        Some("timed-out"),
    ),
    ("elapsed \"done\" \"done\"", None),
    ("query \"pending\"", None),
    ("work micros=1", None),
];

/// What a branch may name, and the words that it takes.
const NAMES: &[(&str, &[&str])] = &[
    ("400", &["timing-disabled", "not-recorded", "destroyed"]),
    (
        "cudaErrorInvalidResourceHandle",
        &["timing-disabled", "not-recorded", "destroyed"],
    ),
    ("600", &["not-ready"]),
    ("507006", &["not-ready"]),
    ("ACL_ERROR_RT_EVENT_NOT_COMPLETE", &["not-ready"]),
    ("107006", &["timing-disabled"]),
    ("107017", &["destroyed"]),
    ("107015", &["not-subscribed"]),
    ("507047", &["timed-out"]),
    ("not-recorded", &["not-recorded"]),
    ("timed-out", &["timed-out"]),
];

/// What a program is expected to come to.
#[derive(Default)]
struct Expected {
    text: String,
    lines: u32,
    /// For the line of each expectation whether it holds, and what is found.
    verdicts: BTreeMap<u32, (bool, &'static str)>,
    /// For the line of each branch how often it is taken.
    branches: BTreeMap<u32, usize>,
}

impl Expected {
    fn line(&mut self, text: &str) -> u32 {
        let _ = writeln!(self.text, "{text}");
        self.lines += 1;
        self.lines
    }
}

fn draw(seed: u64) -> Expected {
    let mut random = SeededRandom::new(seed);
    let mut program = Expected::default();
    for line in [
        "stream \"held\"",
        "stream \"free\"",
        "callback-thread \"worker\"",
        "event \"untimed\" timing=#false",
        "event \"never\"",
        "event \"done\"",
        "event \"pending\"",
        "event \"gone\"",
        "signal \"ready\"",
        "signal \"end\"",
        "buffer \"x\" f32=4",
        "host \"first\" {",
        "record \"untimed\" on=\"free\"",
        "record \"done\" on=\"free\"",
        "synchronize-stream \"free\"",
        "hold \"end\" on=\"held\"",
        "fill \"x\" value=1 on=\"held\"",
        "record \"pending\" on=\"held\"",
        "destroy-event \"gone\"",
        "signal \"ready\"",
    ] {
        program.line(line);
    }
    calls(&mut random, &mut program);
    program.line("signal \"end\"");
    program.line("synchronize-device");
    program.line("}");
    program.line("host \"second\" {");
    program.line("await \"ready\"");
    calls_until_released(&mut random, &mut program);
    program.line("}");
    program
}

/// The other thread may be late: of what is held until the first one ends it calls nothing.
fn calls_until_released(random: &mut SeededRandom, program: &mut Expected) {
    let free: Vec<_> = CALLS
        .iter()
        .filter(|(text, _)| !text.contains("pending") && !text.contains("held"))
        .collect();
    let mut last = None;
    for _ in 0..4 + random.below(8) {
        statement(random, program, &mut last, &free);
    }
}

fn calls(random: &mut SeededRandom, program: &mut Expected) {
    let all: Vec<_> = CALLS.iter().collect();
    let mut last = None;
    for _ in 0..4 + random.below(8) {
        statement(random, program, &mut last, &all);
    }
}

fn statement(
    random: &mut SeededRandom,
    program: &mut Expected,
    last: &mut Option<&'static str>,
    calls: &[&(&str, Option<&'static str>)],
) {
    match random.below(4) {
        0 => asked(random, program, last),
        _ => attempt(random, program, last, calls),
    }
}

/// A question for the last error, which expects what is there or something else.
fn asked(random: &mut SeededRandom, program: &mut Expected, last: &mut Option<&'static str>) {
    let is_kept = random.below(2) == 0;
    let verb = if is_kept {
        "peek-last-error"
    } else {
        "last-error"
    };
    let (name, taken) = match random.below(NAMES.len() + 4) {
        place if place < NAMES.len() => NAMES[place],
        _ => ("success", &["success"][..]),
    };
    let found = last.unwrap_or("success");
    let line = program.line(&format!("{verb} is=\"{name}\""));
    program
        .verdicts
        .insert(line, (taken.contains(&found), found));
    if !is_kept {
        *last = None;
    }
}

/// A call within a try, with up to two branches that name errors before the one for all.
fn attempt(
    random: &mut SeededRandom,
    program: &mut Expected,
    last: &mut Option<&'static str>,
    calls: &[&(&str, Option<&'static str>)],
) {
    let (call, comes_to) = *calls[random.below(calls.len())];
    program.line(&format!("try {{ {call} }}"));
    let mut is_open = comes_to.is_some();
    let first = random.below(NAMES.len());
    let second = NAMES[(first + 1 + random.below(NAMES.len() - 1)) % NAMES.len()];
    // A branch behind another that takes all that it would is refused.
    let is_idle = second.1.iter().all(|it| NAMES[first].1.contains(it));
    let most = if is_idle { 1 } else { 2 };
    for (name, taken) in &[NAMES[first], second][..random.below(most + 1)] {
        let line = program.line(&format!("catch \"{name}\""));
        let takes = is_open && comes_to.is_some_and(|it| taken.contains(&it));
        program.branches.insert(line, usize::from(takes));
        is_open &= !takes;
    }
    let line = program.line("catch");
    program.branches.insert(line, usize::from(is_open));
    if comes_to.is_some() {
        *last = comes_to;
    }
}

#[test]
fn threads_keep_their_last_errors_and_branches_take_numbers() {
    for backend in ["mock", "cpu"] {
        for seed in 0..PROGRAMS {
            let program = draw(seed);
            let what = format!("seed {seed} on {backend}\n{}", program.text);
            let mut capture = Capture::new();
            run(request(&program.text, backend), |batch| {
                capture.apply(batch);
            })
            .unwrap_or_else(|error| panic!("{error}: {what}"));
            let found: BTreeMap<u32, (bool, &str)> = capture
                .expectations()
                .iter()
                .map(|it| (it.line, (it.holds == Some(true), it.found.as_str())))
                .collect();
            assert_eq!(found, program.verdicts, "{what}");
            let mut taken: BTreeMap<u32, usize> =
                program.branches.keys().map(|line| (*line, 0)).collect();
            for span in capture.spans() {
                for (name, value) in capture.arguments(span.span.id) {
                    if let ("caught", Value::Text(text)) = (name, &value) {
                        let line = text.rsplit(' ').next().unwrap().parse().unwrap();
                        *taken.entry(line).or_default() += 1;
                    }
                }
            }
            assert_eq!(taken, program.branches, "{what}");
        }
    }
}

/// A device that failed makes the next call fail again, whoever cleared the error (rules A47, A51).
#[test]
fn the_error_of_a_device_that_failed_comes_back() {
    let source = r#"
        stream "a"; stream "b" failure="stop"; event "e"; signal "go"; buffer "x" f32=16
        host "main" {
            hold "go" on="a"
            record "e" on="a"
            wait "e" on="b" timeout-micros=2000
            try { synchronize-stream "b" }
            catch "507046"
            last-error is="timed-out"
            last-error is="success"
            try { fill "x" value=1 on="a" }
            catch "719"
            last-error is="device-failed"
            try { fill "x" value=1 on="a" }
            catch "cudaErrorLaunchFailure"
            peek-last-error is="cudaErrorLaunchFailure"
            signal "go"
        }"#;
    for backend in ["mock", "cpu"] {
        let mut capture = Capture::new();
        let _ = run(request(source, backend), |batch| capture.apply(batch));
        let verdicts = capture.expectations().iter();
        let verdicts: Vec<_> = verdicts.map(|it| (it.holds, it.found.as_str())).collect();
        let found = ["timed-out", "success", "device-failed", "device-failed"];
        assert_eq!(verdicts, found.map(|it| (Some(true), it)), "{backend}");
    }
}

/// The numbers and names of CUDA are those of its own header.
#[test]
fn numbers_are_those_of_cudas_header() {
    let Some(tools) = downloaded() else { return };
    let header = std::fs::read_to_string(tools.join("include/driver_types.h")).unwrap();
    let listed: BTreeMap<&str, &str> = header
        .lines()
        .filter_map(|line| line.split_once('='))
        .map(|(name, number)| (name.trim(), number.trim().trim_end_matches(',')))
        .collect();
    let mut compared = 0;
    let guide = include_str!("../../assets/guides/language.md");
    let (_, table) = guide.split_once("## Errors of calls").unwrap();
    let (table, _) = table.split_once("\n## ").unwrap();
    for row in table.lines().filter(|it| it.starts_with("| `")) {
        let cell = row.split('|').nth(3).unwrap();
        for error in cell.split(',').map(str::trim).filter(|it| *it != "–") {
            let (number, name) = error.split_once(' ').unwrap();
            assert_eq!(listed.get(name), Some(&number), "{row}");
            compared += 1;
        }
    }
    assert!(compared >= 16, "{compared}");
}

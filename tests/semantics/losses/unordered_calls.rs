//! Host threads of which one loses the device, opens it anew or makes it fail, while others call on it: which two calls are
//! in no order is worked out here from the program alone, and is found in every run, whichever thread comes last.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use engine::capture::Capture;
use engine::record::RunOutcome;
use engine::runner::{RunRequest, run};

use crate::semantics::generated::{SeededRandom, seeds};

/// Of so many seeds one is tried.
const EACH: usize = 5;

#[derive(Clone, Copy, PartialEq)]
enum Step {
    Fill,
    Synchronize,
    Lose,
    Recover,
    Trap,
    Raise(usize),
    Await(usize),
}

/// What each host thread calls, in one order in which all of it can be called.
struct Program {
    hosts: usize,
    steps: Vec<(usize, Step)>,
    signals: usize,
}

impl Program {
    fn draw(seed: u64) -> Self {
        let mut random = SeededRandom::new(seed);
        let hosts = 2 + random.below(2);
        let mut steps: Vec<(usize, Step)> = (0..4 + random.below(8))
            .map(|_| {
                let step = if random.happens(50) {
                    Step::Fill
                } else {
                    Step::Synchronize
                };
                (random.below(hosts), step)
            })
            .collect();
        let place = random.below(steps.len() + 1);
        let host = random.below(hosts);
        if random.happens(50) {
            steps.insert(place, (host, Step::Trap));
        } else {
            steps.insert(place, (host, Step::Lose));
            if random.happens(70) {
                steps.insert(place + 1, (host, Step::Recover));
            }
        }
        let signals = random.below(4);
        for signal in 0..signals {
            let raise = random.below(steps.len() + 1);
            let (by, to) = (random.below(hosts), random.below(hosts));
            steps.insert(raise, (by, Step::Raise(signal)));
            let later = raise + 1 + random.below(steps.len() - raise);
            steps.insert(later, (to, Step::Await(signal)));
        }
        Self {
            hosts,
            steps,
            signals,
        }
    }

    /// Its text, where one host thread begins after the others, and the line of each step.
    fn text(&self, last: usize) -> (String, Vec<u32>) {
        let mut text = String::from("about \"Calls around an end of the device.\"\n");
        for place in 0..self.hosts {
            let _ = writeln!(text, "stream \"s{place}\"\nbuffer \"x{place}\" f32=4");
        }
        for signal in 0..self.signals {
            let _ = writeln!(text, "signal \"g{signal}\"");
        }
        let mut lines = vec![0; self.steps.len()];
        for host in 0..self.hosts {
            let micros = if host == last { 4_000 } else { 1 };
            let _ = writeln!(text, "host \"h{host}\" {{\n    work micros={micros}");
            for (place, (_, step)) in self.steps.iter().enumerate().filter(|it| it.1.0 == host) {
                let call = match step {
                    Step::Fill => format!("fill \"x{host}\" value=1 on=\"s{host}\""),
                    Step::Synchronize => format!("synchronize-stream \"s{host}\""),
                    Step::Lose => "lose-device by=\"destroy\"".to_owned(),
                    Step::Recover => "recover-device".to_owned(),
                    Step::Trap => format!("launch \"trap\" on=\"s{host}\""),
                    Step::Raise(signal) => format!("signal \"g{signal}\""),
                    Step::Await(signal) => format!("await \"g{signal}\""),
                };
                let is_caught = matches!(step, Step::Fill | Step::Synchronize | Step::Trap);
                let _ = if is_caught {
                    writeln!(text, "    try {{ {call} }}; catch")
                } else {
                    writeln!(text, "    {call}")
                };
                lines[place] = text.lines().count() as u32;
            }
            text.push_str("}\n");
        }
        (text, lines)
    }

    /// Whether the first step comes before the other in every run: by their host thread, or by signals.
    fn order(&self) -> Vec<Vec<bool>> {
        let count = self.steps.len();
        let mut before = vec![vec![false; count]; count];
        for second in 0..count {
            for first in (0..second).rev() {
                let is_signal = matches!(
                    (self.steps[first].1, self.steps[second].1),
                    (Step::Raise(raised), Step::Await(awaited)) if raised == awaited
                );
                let is_direct = self.steps[first].0 == self.steps[second].0 || is_signal;
                let by_way = (first..second).any(|way| before[first][way] && before[way][second]);
                before[first][second] = is_direct || by_way;
            }
        }
        before
    }

    /// The lines of each two calls in no order of which one changes what becomes of the other: for each two host threads the
    /// first in the text.
    fn expected(&self, lines: &[u32]) -> Vec<(u32, u32)> {
        let before = self.order();
        let count = self.steps.len();
        let fails = (0..count).find(|it| self.steps[*it].1 == Step::Trap);
        let concerns = |it: usize| !matches!(self.steps[it].1, Step::Raise(_) | Step::Await(_));
        let changes = |it: usize| match self.steps[it].1 {
            Step::Lose | Step::Recover | Step::Trap => true,
            Step::Synchronize => fails.is_some_and(|trap| before[trap][it]),
            _ => false,
        };
        let concerned = (0..count).filter(|it| concerns(*it));
        let pairs = concerned.clone().flat_map(|first| {
            let later = concerned.clone().filter(move |second| first < *second);
            later.map(move |second| [first, second])
        });
        let mut found = BTreeMap::new();
        for [first, second] in pairs {
            let mut both = [first, second].map(|it| (self.steps[it].0, lines[it]));
            let meet = both[0].0 != both[1].0
                && !before[first][second]
                && (changes(first) || changes(second));
            if meet {
                both.sort_unstable();
                let [one, two] = both;
                let lines = found.entry((one.0, two.0)).or_insert((one.1, two.1));
                *lines = (*lines).min((one.1, two.1));
            }
        }
        let mut found: Vec<(u32, u32)> = found.into_values().collect();
        found.sort_unstable();
        found
    }
}

/// The lines of each finding of two host threads.
fn told(source: String, backend: &str) -> Vec<(u32, u32)> {
    let mut capture = Capture::new();
    let request = RunRequest {
        name: "w".to_owned(),
        source,
        backend: backend.to_owned(),
        ..RunRequest::default()
    };
    run(request, |records| capture.apply(records)).unwrap();
    let findings = capture.findings().iter();
    let unordered = findings.filter(|it| it.code == "unordered-hosts");
    let mut lines: Vec<(u32, u32)> = unordered.map(|it| (it.lines[0], it.lines[1])).collect();
    lines.sort_unstable();
    lines
}

#[test]
fn calls_around_an_end_of_the_device_are_unordered_in_every_run() {
    let mut pairs = 0;
    for seed in seeds().step_by(EACH) {
        let program = Program::draw(seed);
        for last in 0..program.hosts {
            let (text, lines) = program.text(last);
            let expected = program.expected(&lines);
            pairs += expected.len();
            for backend in ["mock", "cpu"] {
                let told = told(text.clone(), backend);
                assert_eq!(told, expected, "seed {seed} on {backend}\n{text}");
            }
        }
    }
    eprintln!("{pairs} pairs of host threads");
    assert!(pairs > 100, "{pairs}");
}

/// Calls around ends of the device that the programs above do not draw: whether the two host threads are told.
#[test]
fn each_way_in_which_an_end_of_the_device_matters_to_another_call_is_told() {
    const RECOVERS: &str = r#"lose-device by="destroy"; recover-device"#;
    const FAILS: &str = r#"launch "trap" on="a"; try { synchronize-stream "a" }; catch"#;
    let cases = [
        // The promise is that of the device that is lost, or of the next.
        (RECOVERS, r#"device-lost promise="p""#, 1),
        (
            r#"lose-device by="destroy""#,
            r#"device-lost promise="p""#,
            0,
        ),
        // A launch is recorded with the buffers that are there.
        (
            RECOVERS,
            r#"record-launch "l" "scale" { read "x"; write "y" }"#,
            1,
        ),
        (RECOVERS, "work micros=1", 0),
        (
            r#"record-launch "l" "trap" {}; relaunch "l" on="a"; try { synchronize-stream "a" }; catch"#,
            r#"try { fill "x" value=1 on="b" }; catch"#,
            1,
        ),
        // Streams that go on after failures let the device go on.
        (
            r#"launch "trap" on="c"; try { synchronize-stream "c" }; catch"#,
            r#"fill "x" value=1 on="b"; synchronize-stream "b""#,
            0,
        ),
        // WebGPU's calls go on.
        (FAILS, r#"map-async "x" promise="p"; settle "p""#, 0),
        (FAILS, r#"try { fill "x" value=1 on="b" }; catch"#, 1),
        // Which promise is settled, and which scope is popped.
        (
            r#"work-done promise="p""#,
            r#"try { settle "p" }; catch"#,
            1,
        ),
        (
            r#"push-error-scope "validation""#,
            r#"try { pop-error-scope promise="p" }; catch"#,
            1,
        ),
    ];
    for (one, two, count) in cases {
        for late in [0, 1] {
            let (first, second) = if late == 0 { (5_000, 1) } else { (1, 5_000) };
            let text = format!(
                r#"about "Calls around an end of the device."
                stream "a"; stream "b"; stream "c" failure="continue"
                buffer "x" f32=16; buffer "y" f32=16
                promise "p"; recorded "l"
                host "one" {{ work micros={first}; {one} }}
                host "two" {{ work micros={second}; {two} }}"#
            );
            for backend in ["mock", "cpu"] {
                let told = told(text.clone(), backend);
                assert_eq!(
                    told.len(),
                    count,
                    "{one}\n{two}\n{late} on {backend}: {told:?}"
                );
            }
        }
    }
}

/// Of a device that is a new one nothing is told of what failed before.
#[test]
fn a_failure_that_is_over_makes_no_calls_unordered() {
    let text = r#"about "A device that failed, and the next."
        stream "a"; stream "b"; buffer "x" f32=16; signal "g"
        host "one" {
            launch "trap" on="a"
            lose-device by="destroy"
            recover-device
            signal "g"
            fill "x" value=1 on="a"
        }
        host "two" { await "g"; synchronize-stream "b" }"#;
    for backend in ["mock", "cpu"] {
        assert_eq!(told(text.to_owned(), backend), [], "{backend}");
    }
}

/// Who takes the error that tells a failure goes on, by whichever call it was told.
#[test]
fn a_failure_that_was_taken_ends_no_run() {
    let waits = r#"hold "g" on="b"; record "e" on="b"; wait "e" on="a" timeout-micros=200"#;
    for fails in [waits, r#"launch "trap" on="a""#] {
        let text = format!(
            r#"about "A failure that is taken."
            stream "a"; stream "b"; event "e"; signal "g"
            host "h" {{ {fails}; try {{ synchronize-stream "a" }}; catch
                signal "g" }}"#
        );
        for backend in ["mock", "cpu"] {
            let request = RunRequest {
                name: "w".to_owned(),
                source: text.clone(),
                backend: backend.to_owned(),
                ..RunRequest::default()
            };
            let end = run(request, |_| ()).unwrap();
            assert_eq!(end.outcome, RunOutcome::Finished, "{fails} on {backend}");
        }
    }
}

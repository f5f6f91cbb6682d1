//! What the host reads and writes itself, against a model that is written apart: which pairs of calls race is reachability in
//! a graph of all calls and operations, and where none does, numbers are those of one call after the other.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use engine::capture::Capture;
use engine::record::Value;
use engine::runner::run;

use crate::semantics::conformance::{backends, request};
use crate::semantics::generated::SeededRandom;

/// Programs a backend.
const PROGRAMS: u64 = 60;
/// The line of the first call in the text of a program.
const FIRST: u32 = 9;

/// A call; numbers are places among two streams, two buffers and two events.
#[derive(Clone, Copy, Debug, PartialEq)]
enum AccessCall {
    Upload(usize, usize),
    Download(usize, usize),
    Record(usize, usize),
    Wait(usize, usize),
    SynchronizeEvent(usize),
    SynchronizeStream(usize),
    SynchronizeDevice,
    HostRead(usize),
    HostWrite(usize, u32),
}

/// A copy of a buffer, and whether it is written there.
type CopyUse = ((usize, bool), bool);

use AccessCall::*;

fn draw(random: &mut SeededRandom) -> Vec<AccessCall> {
    let count = 6 + random.below(9);
    let mut one = |sorts| {
        let (first, second) = (random.below(2), random.below(2));
        match random.below(sorts) {
            0 | 1 => Upload(first, second),
            2 | 3 => Download(first, second),
            4 | 5 => HostRead(first),
            6 => HostWrite(first, random.below(50) as u32),
            7 | 8 => Record(first, second),
            9 | 10 => Wait(first, second),
            11 => SynchronizeEvent(first),
            12 => SynchronizeStream(first),
            _ => SynchronizeDevice,
        }
    };
    (0..count).map(|_| one(14)).collect()
}

fn line(call: AccessCall) -> String {
    match call {
        Upload(buffer, stream) => format!("upload \"b{buffer}\" on=\"s{stream}\""),
        Download(buffer, stream) => format!("download \"b{buffer}\" on=\"s{stream}\""),
        Record(event, stream) => format!("record \"e{event}\" on=\"s{stream}\""),
        Wait(event, stream) => format!("wait \"e{event}\" on=\"s{stream}\""),
        SynchronizeEvent(event) => format!("synchronize-event \"e{event}\""),
        SynchronizeStream(stream) => format!("synchronize-stream \"s{stream}\""),
        SynchronizeDevice => "synchronize-device".to_owned(),
        HostRead(buffer) => format!("host-read \"b{buffer}\""),
        HostWrite(buffer, value) => format!("host-write \"b{buffer}\" value={value}"),
    }
}

fn text(calls: &[AccessCall]) -> String {
    let mut text = String::from(
        "stream \"s0\"\nstream \"s1\"\nevent \"e0\"\nevent \"e1\"\nbuffer \"b0\" f32=1 init=100\nbuffer \"b1\" f32=1 init=101\n\nhost \"main\" {\n",
    );
    for call in calls {
        let _ = writeln!(text, "    {}", line(*call));
    }
    text.push_str("    synchronize-device\n}\n");
    text
}

/// For each call the stream of its operation, where it has one.
const fn stream(call: AccessCall) -> Option<usize> {
    match call {
        Upload(_, stream) | Download(_, stream) | Record(_, stream) | Wait(_, stream) => {
            Some(stream)
        }
        _ => None,
    }
}

fn used(call: AccessCall) -> Vec<CopyUse> {
    let (host, device) = (|buffer| (buffer, true), |buffer| (buffer, false));
    match call {
        Upload(buffer, _) => vec![(host(buffer), false), (device(buffer), true)],
        Download(buffer, _) => vec![(device(buffer), false), (host(buffer), true)],
        HostRead(buffer) => vec![(host(buffer), false)],
        HostWrite(buffer, _) => vec![(host(buffer), true)],
        _ => Vec::new(),
    }
}

/// Which node is surely before which: node `2 * i` is the call number `i`, and `2 * i + 1` its operation on a stream.
fn reached(calls: &[AccessCall]) -> Vec<Vec<bool>> {
    let count = 2 * calls.len();
    let mut before = vec![vec![false; count]; count];
    let last = |upto: usize, is_it: &dyn Fn(AccessCall) -> bool| {
        (0..upto).rev().find(|at| is_it(calls[*at]))
    };
    for (at, call) in calls.iter().enumerate() {
        if at > 0 {
            before[2 * (at - 1)][2 * at] = true;
        }
        if let Some(own) = stream(*call) {
            before[2 * at][2 * at + 1] = true;
            if let Some(other) = last(at, &|it| stream(it) == Some(own)) {
                before[2 * other + 1][2 * at + 1] = true;
            }
        }
        let record = |event: usize| last(at, &|it| matches!(it, Record(own, _) if own == event));
        match *call {
            Wait(event, _) => {
                if let Some(record) = record(event) {
                    before[2 * record + 1][2 * at + 1] = true;
                }
            }
            SynchronizeEvent(event) => {
                if let Some(record) = record(event) {
                    before[2 * record + 1][2 * at] = true;
                }
            }
            SynchronizeStream(_) | SynchronizeDevice => {
                for other in 0..at {
                    let is_waited_for = match *call {
                        SynchronizeStream(own) => stream(calls[other]) == Some(own),
                        _ => stream(calls[other]).is_some(),
                    };
                    before[2 * other + 1][2 * at] |= is_waited_for;
                }
            }
            _ => {}
        }
    }
    for middle in 0..count {
        let onwards = before[middle].clone();
        for from in &mut before {
            if from[middle] {
                for (to, is_after) in from.iter_mut().zip(&onwards) {
                    *to |= is_after;
                }
            }
        }
    }
    before
}

/// The races of a program: the lines of both calls, the earlier first, and the copy.
fn races(calls: &[AccessCall]) -> BTreeSet<(u32, u32, (usize, bool))> {
    let before = reached(calls);
    let node = |at: usize| 2 * at + usize::from(stream(calls[at]).is_some());
    let mut found = BTreeSet::new();
    for second in 0..calls.len() {
        for first in 0..second {
            let is_ordered = before[node(first)][node(second)] || before[node(second)][node(first)];
            for (copy, writes) in used(calls[first]) {
                let other = used(calls[second]).into_iter().find(|it| it.0 == copy);
                if !is_ordered && other.is_some_and(|it| it.1 || writes) {
                    found.insert((FIRST + first as u32, FIRST + second as u32, copy));
                }
            }
        }
    }
    found
}

/// What each host-read finds where nothing races, in the order of the calls.
fn sums(calls: &[AccessCall]) -> Vec<f64> {
    let (mut host, mut device) = ([100.0, 101.0], [0.0, 0.0]);
    let mut found = Vec::new();
    for call in calls {
        match *call {
            Upload(buffer, _) => device[buffer] = host[buffer],
            Download(buffer, _) => host[buffer] = device[buffer],
            HostWrite(buffer, value) => host[buffer] = f64::from(value),
            HostRead(buffer) => found.push(host[buffer]),
            _ => {}
        }
    }
    found
}

/// The sums that the calls of a run told, in the order of the calls.
fn told(capture: &Capture) -> Vec<f64> {
    let reads = capture
        .spans()
        .filter(|it| capture.name(it.span.name).ends_with("on the host"));
    let mut reads: Vec<_> = reads.map(|it| (it.span.start, it.span.id)).collect();
    reads.sort_unstable();
    let sum = |id| {
        let mut arguments = capture.arguments(id);
        arguments.find_map(|(name, value)| match value {
            Value::Number(value) if name == "sum" => Some(value),
            _ => None,
        })
    };
    reads.into_iter().filter_map(|it| sum(it.1)).collect()
}

fn check(backend: &str) -> (usize, usize) {
    let (mut racing, mut free) = (0, 0);
    for seed in 0..PROGRAMS {
        let mut random = SeededRandom::new(seed);
        let calls = draw(&mut random);
        let source = text(&calls);
        let mut capture = Capture::new();
        run(request(&source, backend), |batch| capture.apply(batch)).unwrap();
        let expected = races(&calls);
        let findings = capture.findings().iter().filter(|it| it.code == "race");
        let mut missing: BTreeSet<_> = expected.iter().map(|it| it.2).collect();
        for finding in findings {
            let is_host = finding.text.contains("the host's copy of");
            let fits = |it: &&(u32, u32, (usize, bool))| {
                let buffer = format!("b{}", it.2.0);
                let lines = [it.0, it.1].iter().all(|line| finding.lines.contains(line));
                lines && it.2.1 == is_host && finding.text.contains(&buffer)
            };
            let race = expected.iter().find(fits);
            let race = race.unwrap_or_else(|| {
                panic!(
                    "no race, seed {seed} on {backend}: {}\n{source}",
                    finding.text
                )
            });
            missing.remove(&race.2);
        }
        assert!(
            missing.is_empty(),
            "seed {seed} on {backend} misses races of {missing:?}\n{source}"
        );
        if expected.is_empty() {
            free += 1;
            assert_eq!(
                told(&capture),
                sums(&calls),
                "seed {seed} on {backend}\n{source}"
            );
        } else {
            racing += 1;
        }
    }
    (racing, free)
}

#[test]
fn what_the_host_reads_and_writes_races_as_reachability_says() {
    for backend in ["mock", "cpu", "wgpu", "paced"] {
        if !backends().iter().any(|it| it.name() == backend) {
            eprintln!("skipped: {backend} does not open here");
            continue;
        }
        let (racing, free) = check(backend);
        assert!(racing > 10 && free > 5, "{racing} race and {free} do not");
    }
}

/// From pageable memory a copy has read when its call returns (rule A31), from pinned memory not.
#[test]
fn a_copy_of_pageable_memory_has_read_before_the_host_writes_again() {
    for (memory, races) in [("pinned", 1), ("pageable", 0)] {
        let source = format!(
            "stream \"s\"\nbuffer \"x\" f32=4 memory=\"{memory}\"\nhost \"main\" {{ upload \"x\" on=\"s\"\n host-write \"x\" value=2\n synchronize-device }}\nexpect {{ race \"x\" equals={races} }}"
        );
        let mut capture = Capture::new();
        run(request(&source, "mock"), |batch| capture.apply(batch)).unwrap();
        let verdict = &capture.expectations()[0];
        assert_eq!(verdict.holds, Some(true), "{memory}: {}", verdict.found);
    }
}

#[test]
fn what_mends_a_race_with_the_host_is_a_wait_of_the_host() {
    let source = "stream \"s\"\nbuffer \"y\" f32=4\nhost \"main\" {\n download \"y\" on=\"s\"\n host-read \"y\"\n synchronize-device }";
    let mut capture = Capture::new();
    run(request(source, "mock"), |batch| capture.apply(batch)).unwrap();
    let race = capture
        .findings()
        .iter()
        .find(|it| it.code == "race")
        .unwrap();
    assert!(
        race.text.contains("synchronise s between the two"),
        "{}",
        race.text
    );
    assert_eq!(race.lines, [4, 5]);
}

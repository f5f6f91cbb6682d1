//! When threads of recorded programs ran: compared with what the system counts, which the program writes into a log of its own.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Stdio};

use engine::capture::Capture;
use engine::record::{Group, LaneId, ThreadState};
use engine::time::{Interval, Nanos};

use super::nvtx::{build, include, nvtx, said};
use super::{open, record};
use crate::house::program::syncline;

/// A line of the log: what the range is called, and how long its thread ran in it.
type LoggedTurn = (String, i64);

/// Records the program with some options; nothing, and a word why, where it cannot be or the kernel does not tell.
fn recorded(folder: &Path, options: &[&str]) -> Option<Capture> {
    let headers = include(&nvtx()?.join("nvidia/cu13/include"));
    let path = build(folder, "threads.c", &[&headers], &[]);
    let output = Command::new(syncline())
        .args(["record", "--headless", "-o"])
        .arg(folder.join("out.pftrace"))
        .args(options)
        .arg("--")
        .arg(path)
        .arg(folder.join("log"))
        .env("TMPDIR", folder)
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let said = said(&output);
    assert_eq!(output.status.code(), Some(0), "{said}");
    let capture = open(&folder.join("out.pftrace"));
    assert!(capture.problems().is_empty(), "{said}");
    if said.contains("when they had no core, is not known") {
        eprintln!("skipped: {said}");
        return None;
    }
    Some(capture)
}

/// The log, by the number of the thread.
fn log(folder: &Path) -> BTreeMap<String, Vec<LoggedTurn>> {
    let mut threads: BTreeMap<String, Vec<LoggedTurn>> = BTreeMap::new();
    for line in std::fs::read_to_string(folder.join("log")).unwrap().lines() {
        let fields: Vec<&str> = line.split('\t').collect();
        let turn = (fields[1].to_owned(), fields[4].parse().unwrap());
        threads.entry(fields[0].to_owned()).or_default().push(turn);
    }
    threads
}

/// How long a lane's thread was in a state within a stretch of time.
fn spent(capture: &Capture, lane: LaneId, state: ThreadState, within: Interval) -> i64 {
    let states = capture.thread_states(lane).iter();
    let of = states.filter(|it| it.state == state);
    let parts = of.filter_map(|it| it.interval.intersection(within));
    parts.map(|it| it.length().0).sum()
}

/// Whether what was told is close to what the system counts.
fn compare(folder: &Path, capture: &Capture) -> Result<(), String> {
    let threads = log(folder);
    assert_eq!(threads.len(), 3);
    for (thread, turns) in threads {
        let mut hosts = capture.lanes().iter();
        let lane = hosts.find(|it| it.group == Group::Host && *it.thread == *thread);
        let lane = lane
            .unwrap_or_else(|| panic!("thread {thread} has a lane"))
            .id;
        let states = capture.thread_states(lane);
        for pair in states.windows(2) {
            assert!(pair[0].interval.end <= pair[1].interval.start);
        }
        let ranges = capture.spans_by_start(lane, Interval::new(Nanos::MIN, Nanos::MAX));
        let mut ranges: Vec<Interval> = ranges.map(|it| it.interval()).collect();
        // The last line is of all of them.
        assert_eq!(ranges.len() + 1, turns.len(), "every range is there");
        ranges.push(Interval::new(ranges[0].start, ranges.last().unwrap().end));
        let sum = |name: &str, state| {
            let both = turns.iter().zip(&ranges).filter(|((it, _), _)| it == name);
            let numbers =
                both.map(|((_, ran), at)| (*ran, spent(capture, lane, state, *at), at.length().0));
            numbers.fold((0, 0, 0), |a, b| (a.0 + b.0, a.1 + b.1, a.2 + b.2))
        };
        for name in ["work", "total"] {
            let (counted, ran, _) = sum(name, ThreadState::Running);
            if (counted - ran).abs() * 20 > counted {
                return Err(format!(
                    "thread {thread}, {name}: it ran {ran} ns, of which {counted} are counted"
                ));
            }
        }
        let (_, waited, lasted) = sum("rest", ThreadState::OffCpu);
        if waited * 10 < lasted * 9 {
            return Err(format!(
                "thread {thread} rested for {lasted} ns, and was off its core for {waited}"
            ));
        }
    }
    Ok(())
}

/// What a virtual machine's own host takes from it counts as running for the one and not for the other, so that it may take several
/// attempts.
#[test]
fn threads_of_a_program_ran_as_long_as_the_system_counts() {
    let mut complaints = Vec::new();
    for _ in 0..10 {
        let folder = tempfile::tempdir().unwrap();
        let Some(capture) = recorded(folder.path(), &[]) else {
            return;
        };
        match compare(folder.path(), &capture) {
            Ok(()) => return,
            Err(complaint) => complaints.push(complaint),
        }
    }
    panic!("{complaints:?}");
}

#[test]
fn states_of_threads_are_those_that_touch_the_window() {
    let folder = tempfile::tempdir().unwrap();
    let options = ["--delay", "200ms", "--duration", "60ms"];
    let Some(capture) = recorded(folder.path(), &options) else {
        return;
    };
    let window = Interval::new(Nanos(200_000_000), Nanos(260_000_000));
    let lanes: Vec<LaneId> = capture.scheduled_lanes().collect();
    assert_eq!(lanes.len(), 3);
    for lane in lanes {
        let states = capture.thread_states(lane);
        assert!(!states.is_empty());
        for it in states {
            let at = it.interval;
            assert!(at.end >= window.start && at.start <= window.end, "{at:?}");
        }
        let known: i64 = states
            .iter()
            .filter_map(|it| it.interval.intersection(window))
            .map(|it| it.length().0)
            .sum();
        assert_eq!(known, window.length().0, "all of the window is known");
    }
}

/// Threads that call CUDA are followed, too.
#[test]
fn the_thread_of_a_program_of_cuda_is_followed() {
    let ran = record(&["work", "20"], &[]);
    let said = ran.said();
    if said.contains("when they had no core, is not known") {
        eprintln!("skipped: {said}");
        return;
    }
    let followed = ran.capture.scheduled_lanes().count();
    assert!(followed > 0, "{said}");
}

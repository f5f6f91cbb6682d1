//! What a ring holds, and what is kept of it while the program goes on, whenever somebody asks for it.

use std::collections::BTreeSet;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use engine::capture::Capture;

use super::keeping::{KeptProgram, names, rest, touching};
use super::nvtx::said;
use super::open;

/// Asks on a thread of its own, and answers as [`KeptProgram::toggle`] does.
fn ask(process: u32) -> JoinHandle<(u64, u64, String)> {
    let named = thread::Builder::new().name("ask".to_owned());
    named.spawn(move || KeptProgram::toggle(process)).unwrap()
}

#[test]
fn what_is_asked_for_while_something_is_kept_comes_after_it() {
    let Some(mut running) = KeptProgram::start(&["--last", "800ms"], &[]) else {
        return;
    };
    rest(1200);
    let program = running.program();
    let asked = cuda_recorder::now();
    let first = ask(program);
    rest(300);
    let again = cuda_recorder::now();
    let (_, written, text) = KeptProgram::toggle(program);
    assert!(text.contains("kept"), "{text}");
    let first = first.join().unwrap();
    assert!(first.1 > asked && first.1 < written, "the first was first");
    let output = running.end();
    let log = running.log();
    let [certain, _] = touching(&log, (again - 500_000_000, again), (0, 0));
    let kept = names(&running.path("out-2.pftrace"));
    let missing: Vec<_> = certain.difference(&kept).collect();
    assert!(missing.is_empty(), "{missing:?}: {}", said(&output));
}

#[test]
fn whoever_asks_has_a_file_before_the_answer() {
    let Some(mut running) = KeptProgram::start(&["--last", "800ms"], &[]) else {
        return;
    };
    rest(1000);
    let asked: Vec<_> = (0..5)
        .map(|_| {
            rest(100);
            ask(running.number())
        })
        .collect();
    let steps = |number: usize| steps(&open(&running.path(&format!("out-{number}.pftrace"))));
    let mut before = 0;
    for (number, asked) in (1..).zip(asked) {
        let (_, _, text) = asked.join().unwrap();
        assert!(text.contains("kept"), "{text}");
        let last = *steps(number).last().unwrap();
        assert!(last > before, "{number}: {last} after {before}");
        before = last;
    }
    // What is asked for right before the end is written, too, and said.
    let last = ask(running.number());
    rest(100);
    let output = running.end();
    let (_, _, text) = last.join().unwrap();
    assert!(text.contains("kept"), "{text}: {}", said(&output));
    assert!(running.path("out-6.pftrace").exists(), "{}", said(&output));
}

#[test]
fn a_ring_has_no_more_bytes_than_it_may_and_says_what_it_had_no_room_for() {
    let Some(mut running) = KeptProgram::start(&["--last", "60s,8MB"], &["fast"]) else {
        return;
    };
    let end = Instant::now() + Duration::from_secs(3);
    let mut most = 0;
    let mut numbers = BTreeSet::new();
    while Instant::now() < end {
        let segments = running.segments();
        most = most.max(segments.iter().map(|(_, bytes)| bytes).sum());
        numbers.extend(segments.into_iter().map(|(path, _)| path));
        rest(5);
    }
    assert!(numbers.len() > 40, "it went round: {}", numbers.len());
    // Between two looks it grows by what is written meanwhile.
    assert!(most < 24_000_000, "{most}");
    let output = running.end();
    let said = said(&output);
    assert!(
        said.contains("The ring of 8 MB had room for about the last")
            && said.contains("MB or more"),
        "{said}"
    );
    let capture = open(&running.path("out.pftrace"));
    // The steps that are there are the last ones, and what was open before them is there.
    let kept = steps(&capture);
    assert!(kept.len() > 10_000 && kept[0] > 0, "{}", kept.len());
    for name in ["outer", "whole", "aside"] {
        let is_there = capture.spans().any(|it| capture.name(it.span.name) == name);
        assert!(is_there, "{name}");
    }
}

/// The numbers of the steps in a capture, of which none between two others is missing.
fn steps(capture: &Capture) -> Vec<u64> {
    let names = capture.spans().map(|it| capture.name(it.span.name));
    let numbers = names.filter_map(|it| it.strip_prefix("step ")?.parse().ok());
    let mut steps: Vec<u64> = numbers.collect();
    steps.sort_unstable();
    assert!(steps.windows(2).all(|pair| pair[1] == pair[0] + 1));
    steps
}

#[test]
fn a_small_ring_keeps_what_it_held_when_that_was_asked_for() {
    let Some(mut running) = KeptProgram::start(&["--last", "60s,4MB"], &["fast"]) else {
        return;
    };
    rest(1000);
    KeptProgram::toggle(running.number());
    running.end();
    let kept = steps(&open(&running.path("out-1.pftrace")));
    let last = steps(&open(&running.path("out.pftrace")));
    assert!(kept.len() > 4_000, "{}", kept.len());
    assert!(kept.last() < last.last() && kept[0] > 0);
}

//! Captures that other people's tools made: each opens, nothing is dropped, and it holds what a script that shares no
//! code with the importers counted in it.

use engine::capture::Capture;
use engine::importer::Receipt;
use engine::record::{Basis, DependencyKind, Group};

use crate::formats::real::{open, path, ties};

/// What the script counted in a file: see tests/formats/chrome/count.py.
struct Counted<'a> {
    file: &'a str,
    events: usize,
    spans: usize,
    streams: usize,
    launches: usize,
    waits: usize,
    flows: usize,
}

fn table() -> Vec<Counted<'static>> {
    let lines = include_str!("chrome/counts.tsv").lines();
    let rows = lines.filter(|line| !line.starts_with('#'));
    rows.map(|line| {
        let mut cells = line.split('\t');
        let file = cells.next().unwrap();
        let numbers: Vec<usize> = cells.map(|cell| cell.parse().unwrap()).collect();
        let [events, spans, streams, launches, waits, flows] = numbers[..] else {
            panic!("{line}")
        };
        Counted {
            file,
            events,
            spans,
            streams,
            launches,
            waits,
            flows,
        }
    })
    .collect()
}

/// What an importer made of a file, in the same terms.
fn made(capture: &Capture, receipt: &Receipt) -> [usize; 6] {
    let of = |kind: DependencyKind, basis: Option<Basis>| {
        ties(capture, |it| {
            it.kind == kind && basis.is_none_or(|basis| it.basis == basis)
        })
    };
    let streams = capture.lanes().iter();
    let streams = streams.filter(|it| it.group == Group::Streams).count();
    [
        receipt.events as usize,
        capture.span_count(),
        streams,
        of(DependencyKind::Submission, Some(Basis::Enforced)),
        of(DependencyKind::Event, Some(Basis::Enforced)),
        of(DependencyKind::Flow, None),
    ]
}

#[test]
fn json_holds_what_was_counted_independently() {
    let mut wrong = Vec::new();
    for counted in table() {
        let Some(path) = path(counted.file) else {
            continue;
        };
        let (capture, parts) = open(&[path]);
        let expected = [
            counted.events,
            counted.spans,
            counted.streams,
            counted.launches,
            counted.waits,
            counted.flows,
        ];
        let made = made(&capture, &parts[0].receipt);
        if made != expected {
            wrong.push(format!("{}: {made:?}, not {expected:?}", counted.file));
        }
    }
    let names = "events, spans, streams, launches, told waits, flows";
    assert!(wrong.is_empty(), "{names}:\n{}", wrong.join("\n"));
}

//! Searching in slices finds what searching at once finds, in order of time, also while spans arrive.

use engine::record::{CallId, LaneId, NameId, Record, Span, SpanKind, State};
use engine::time::Nanos;

use super::*;

fn span(id: u32, name: u32, start: i64) -> Record {
    Record::Span(Span {
        id: SpanId(id),
        lane: LaneId(0),
        name: NameId(name),
        call: CallId::NONE,
        kind: SpanKind::Kernel,
        state: State::Done,
        enqueued: Nanos(start),
        start: Nanos(start),
        end: Nanos(start + 1),
    })
}

fn capture() -> Capture {
    let mut capture = Capture::new();
    capture.apply([
        Record::Name(NameId(0), "saxpy".into()),
        Record::Name(NameId(1), "upload x[0]".into()),
        span(0, 0, 30),
        span(1, 1, 20),
        span(3, 0, 10),
    ]);
    capture
}

#[test]
fn matches_come_in_order_of_time_and_around_the_end() {
    let capture = capture();
    let mut search = NameSearch::default();
    assert!(search.advance(&capture, "SAX", Duration::MAX));
    assert_eq!(search.go(&capture, None, true), Some(SpanId(3)));
    assert_eq!(search.go(&capture, Some(SpanId(3)), true), Some(SpanId(0)));
    assert_eq!(search.go(&capture, Some(SpanId(0)), true), Some(SpanId(3)));
    assert_eq!(search.go(&capture, Some(SpanId(3)), false), Some(SpanId(0)));
    assert_eq!(search.go(&capture, Some(SpanId(1)), true), Some(SpanId(0)));
    assert_eq!(search.summary(&capture, Some(SpanId(0))), "2 of 2");
    assert!(search.advance(&capture, "nothing", Duration::MAX));
    assert_eq!(search.summary(&capture, None), "no match");
}

#[test]
fn spans_that_come_late_are_found_too() {
    let mut capture = capture();
    let mut search = NameSearch::default();
    search.advance(&capture, "saxpy", Duration::MAX);
    assert_eq!(search.summary(&capture, None), "2 matches");
    capture.apply([span(2, 0, 5), span(4, 0, 50)]);
    search.advance(&capture, "saxpy", Duration::MAX);
    assert_eq!(search.summary(&capture, None), "4 matches");
    assert_eq!(search.go(&capture, None, true), Some(SpanId(2)));
}

#[test]
fn looking_stops_when_its_time_is_up() {
    let mut capture = capture();
    capture.apply((5..20_000).map(|id| span(id, 0, i64::from(id))));
    let mut search = NameSearch::default();
    assert!(!search.advance(&capture, "saxpy", Duration::ZERO));
    assert!(search.summary(&capture, None).ends_with('…'));
    while !search.advance(&capture, "saxpy", Duration::ZERO) {}
    assert_eq!(search.found.count, 20_000 - 5 + 2);
}

#[test]
fn very_many_matches_are_looked_for_when_one_is_gone_to() {
    let mut capture = Capture::new();
    capture.apply([Record::Name(NameId(0), "saxpy".into())]);
    let count = KEPT as u32 + 2;
    // On two lanes in turn: one's come after the other's, unless they are put in order.
    capture.apply((0..count).map(|id| match span(id, 0, i64::from(id) * 10) {
        Record::Span(it) => Record::Span(Span {
            lane: LaneId(id % 2),
            ..it
        }),
        other => other,
    }));
    let mut search = NameSearch::default();
    assert!(search.advance(&capture, "saxpy", Duration::MAX));
    assert_eq!(search.summary(&capture, None), "50\u{2009}002 matches");
    assert_eq!(search.go(&capture, Some(SpanId(7)), true), Some(SpanId(8)));
    assert_eq!(search.go(&capture, Some(SpanId(7)), false), Some(SpanId(6)));
    let last = SpanId(count - 1);
    assert_eq!(search.go(&capture, None, false), Some(last));
    assert_eq!(
        search.summary(&capture, Some(last)),
        "50\u{2009}002 of 50\u{2009}002"
    );
}

#[test]
fn more_letters_find_what_they_would_alone() {
    let mut capture = capture();
    let words = ["gemm", "sgemm_128", "GEMM 64", "memcpy"];
    capture.apply((10..9_000).map(|id| {
        let name = format!("{} {id}", words[id as usize % words.len()]);
        Record::Name(NameId(id), name.into())
    }));
    capture.apply((10..9_000).map(|id| span(id, id, i64::from(id))));
    let mut typed = NameSearch::default();
    for end in 1..="gemm 64 7".len() {
        let wanted = &"gemm 64 7"[..end];
        while !typed.advance(&capture, wanted, Duration::ZERO) {}
        let mut alone = NameSearch::default();
        assert!(alone.advance(&capture, wanted, Duration::MAX));
        assert_eq!(typed.found.places, alone.found.places, "{wanted}");
        assert_eq!(typed.found.count, alone.found.count, "{wanted}");
    }
    assert!(typed.found.count > 100);
}

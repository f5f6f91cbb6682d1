//! What the capture must keep, whatever order it arrives in and however much there is.

mod forms;
mod lanes;
mod losses;
mod titles;

use super::*;
use record::time::Nanos;
use record::{CallId, Dependency, EventId, LaneId, NameId, Record, Span, SpanKind, State};

fn span(id: u32, lane: u32, start: i64, end: i64) -> Span {
    Span {
        id: SpanId(id),
        lane: LaneId(lane),
        name: NameId(id % 7),
        call: CallId::NONE,
        kind: SpanKind::Kernel,
        state: State::Done,
        enqueued: Nanos(start - 3),
        start: Nanos(start),
        end: Nanos(end),
    }
}

fn capture(spans: &[Span]) -> Capture {
    let mut capture = Capture::new();
    capture.apply(spans.iter().copied().map(Record::Span));
    capture
}

#[test]
fn no_two_captures_have_one_revision() {
    let same = [span(0, 0, 0, 5)];
    let (one, other) = (capture(&same), capture(&same));
    assert_ne!(one.revision(), other.revision());
    assert_eq!(one.clone().revision(), one.revision());
    let before = one.revision();
    let mut grown = one;
    grown.apply([Record::Span(span(1, 0, 6, 7))]);
    assert_ne!(grown.revision(), before);
}

/// A reproducible order that is anything but sorted.
fn shuffled(mut spans: Vec<Span>, seed: u64) -> Vec<Span> {
    let mut state = seed | 1;
    for at in (1..spans.len()).rev() {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        spans.swap(at, (state >> 33) as usize % (at + 1));
    }
    spans
}

const ALL: Interval = Interval {
    start: Nanos::MIN,
    end: Nanos::MAX,
};

#[test]
fn spans_come_back_as_they_went_in_whatever_the_order() {
    let spans: Vec<Span> = (0..5_000)
        .map(|i| span(i, i % 3, i64::from(i) * 10, i64::from(i) * 10 + 25))
        .collect();
    for order in [
        spans.clone(),
        spans.iter().rev().copied().collect(),
        shuffled(spans.clone(), 7),
    ] {
        let capture = capture(&order);
        assert_eq!(capture.span_count(), spans.len());
        for span in &spans {
            assert_eq!(capture.span(span.id).unwrap().span, *span);
        }
        for lane in 0..3 {
            let seen: Vec<_> = capture.spans_in(LaneId(lane), ALL).collect();
            assert_eq!(
                seen.len(),
                spans.iter().filter(|span| span.lane.0 == lane).count()
            );
            assert!(seen.is_sorted_by_key(|placed| (placed.depth, placed.span.start)));
        }
    }
}

#[test]
fn overlaps_go_to_sub_lanes_and_none_overlap_there() {
    let spans: Vec<Span> = (0..2_000)
        .map(|i| span(i, 0, i64::from(i), i64::from(i + 1 + i % 5)))
        .collect();
    let capture = capture(&shuffled(spans, 3));
    assert!(
        (2..=8).contains(&capture.depth(LaneId(0))),
        "depth {}",
        capture.depth(LaneId(0))
    );
    let seen: Vec<_> = capture.spans_in(LaneId(0), ALL).collect();
    for pair in seen
        .windows(2)
        .filter(|pair| pair[0].depth == pair[1].depth)
    {
        assert!(pair[0].span.end <= pair[1].span.start, "{pair:?}");
    }
}

/// So many spans lie on each of two sub-lanes that later chunks are opened in columns that earlier ones had.
#[test]
fn the_second_span_of_a_chunk_is_placed_like_any_other() {
    // Each overlaps the next, and none the one after that; now and then the next comes first.
    let ordered = (0..100_000_u32).map(|it| {
        let start = i64::from(it) * 10;
        span(it, 0, start, start + 15)
    });
    let mut swapped: Vec<Span> = ordered.clone().collect();
    for pair in swapped.chunks_exact_mut(7) {
        pair.swap(2, 3);
    }
    for spans in [ordered.collect(), swapped] {
        let capture = capture(&spans);
        let seen: Vec<_> = capture.spans_in(LaneId(0), ALL).collect();
        let overlaps = |pair: &&[PlacedSpan]| {
            pair[0].depth == pair[1].depth && pair[0].span.end > pair[1].span.start
        };
        assert_eq!(seen.windows(2).find(overlaps), None);
    }
}

#[test]
fn lengths_beyond_32_bits_survive() {
    let long = Span {
        enqueued: Nanos(-20_000_000_000),
        ..span(0, 0, 5, 9_000_000_000)
    };
    let late = span(1, 0, 1 << 60, (1 << 60) + 4);
    let early = span(2, 0, -(1 << 60), -(1 << 60) + 4);
    let capture = capture(&[long, late, early]);
    for expected in [long, late, early] {
        assert_eq!(capture.span(expected.id).unwrap().span, expected);
    }
    assert_eq!(capture.next_span(SpanId(2)), Some(SpanId(0)));
    assert_eq!(capture.previous_span(SpanId(1)), Some(SpanId(0)));
}

#[test]
fn what_cannot_be_is_mended_and_marked() {
    let negative = Span {
        end: Nanos(1),
        ..span(0, 0, 10, 10)
    };
    let unqueued = Span {
        enqueued: Nanos(50),
        ..span(1, 0, 40, 60)
    };
    let capture = capture(&[negative, unqueued, span(1, 0, 70, 80)]);
    let placed = capture.span(SpanId(0)).unwrap();
    assert_eq!(
        (placed.span.end, placed.repair),
        (Nanos(10), Repair::NegativeLength)
    );
    let placed = capture.span(SpanId(1)).unwrap();
    assert_eq!(
        (placed.span.enqueued, placed.repair),
        (Nanos(40), Repair::LateEnqueue)
    );
    assert_eq!(
        capture.problems().len(),
        1,
        "the second span 1 is a problem, not silence"
    );
}

#[test]
fn an_empty_span_at_the_start_of_another_does_not_hide_it() {
    let capture = capture(&[
        span(0, 0, 5, 10),
        span(1, 0, 5, 5),
        span(2, 0, 10, 10),
        span(3, 0, 7, 7),
    ]);
    let at = Interval::new(Nanos(6), Nanos(7));
    assert_eq!(
        capture
            .spans_in(LaneId(0), at)
            .map(|p| p.span.id)
            .collect::<Vec<_>>(),
        [SpanId(0)]
    );
    assert_eq!(capture.spans_in(LaneId(0), ALL).count(), 4);
}

#[test]
fn damaged_numbers_do_not_allocate() {
    let mut capture = capture(&[span(u32::MAX - 1, 0, 1, 2), span(4, u32::MAX - 2, 1, 2)]);
    let tie = Dependency {
        cause: SpanId(u32::MAX - 3),
        ..Dependency::submission(SpanId(0), SpanId(1))
    };
    capture.apply([
        Record::Dependency(tie),
        Record::Name(NameId(u32::MAX - 9), "x".into()),
    ]);
    assert_eq!((capture.span_count(), capture.dependency_count()), (0, 0));
    assert_eq!(capture.problems().len(), 4);
}

#[test]
fn dependencies_join_before_and_after_their_spans() {
    let mut capture = Capture::new();
    let tie = Dependency {
        event: EventId(0),
        generation: 2,
        ..Dependency::submission(SpanId(0), SpanId(1))
    };
    capture.apply([Record::Dependency(tie)]);
    capture.apply([span(1, 1, 20, 30), span(0, 0, 0, 10)].map(Record::Span));
    let ids: Vec<_> = capture.causes(SpanId(1)).collect();
    assert_eq!(capture.effects(SpanId(0)).collect::<Vec<_>>(), ids);
    assert_eq!(capture.dependency(ids[0]), Some(tie));
}

#[test]
fn began_spans_are_open_until_they_end() {
    let mut capture = Capture::new();
    let (id, lane, name) = (SpanId(0), LaneId(0), NameId(0));
    let began = SpanStart {
        id,
        lane,
        name,
        kind: SpanKind::Kernel,
        enqueued: Nanos(1),
        start: Nanos(2),
    };
    capture.apply([Record::Began(began)]);
    assert_eq!(capture.open().count(), 1);
    capture.apply([Record::Span(span(0, 0, 2, 9)), Record::Began(began)]);
    assert_eq!(
        (capture.open().count(), capture.span_count()),
        (0, 1),
        "a late beginning reopens nothing"
    );
}

/// Every span is in exactly one cell, its time counted once, at any scale and in any order of arrival.
#[test]
fn folding_loses_nothing() {
    let mut spans = Vec::new();
    let mut at = 0;
    for i in 0..20_000_u32 {
        let length = i64::from(i * 7919 % 97) * if i % 1_000 == 0 { 500 } else { 1 };
        spans.push(span(i, 0, at, at + length));
        at += length + i64::from(i * 31 % 53);
    }
    let total: i64 = spans.iter().map(|span| (span.end - span.start).0).sum();
    for order in [spans.clone(), shuffled(spans.clone(), 11)] {
        let capture = capture(&order);
        for shift in [0, 4, 9, 14, 19, 40] {
            let mut cells = Vec::new();
            for depth in 0..capture.depth(LaneId(0)) {
                capture.fold(LaneId(0), depth, ALL, Nanos(1 << shift), &mut |cell| {
                    cells.push(cell);
                });
            }
            assert_eq!(
                cells.iter().map(|cell| cell.count as usize).sum::<usize>(),
                spans.len(),
                "at {shift}"
            );
            assert_eq!(
                cells.iter().map(|cell| cell.busy.0).sum::<i64>(),
                total,
                "at {shift}"
            );
            let folded = cells.iter().filter(|cell| cell.count > 1);
            for cell in folded {
                assert!(
                    cell.interval.length().0 < 3 << shift,
                    "a fold stays near its column: {cell:?}"
                );
            }
        }
    }
}

#[test]
fn a_fold_of_a_part_sees_what_overlaps_it() {
    let spans: Vec<Span> = (0..10_000)
        .map(|i| span(i, 0, i64::from(i) * 100, i64::from(i) * 100 + 90))
        .collect();
    let capture = capture(&spans);
    let view = Interval::new(Nanos(500_050), Nanos(500_250));
    let mut seen = Vec::new();
    capture.fold(LaneId(0), 0, view, Nanos(1), &mut |cell| {
        seen.push(cell.span.0);
    });
    assert_eq!(seen, [5000, 5001, 5002]);
    assert_eq!(
        capture
            .spans_in(LaneId(0), view)
            .map(|p| p.span.id.0)
            .collect::<Vec<_>>(),
        seen
    );
}

#[test]
fn memory_per_span_stays_within_its_bound() {
    let spans: Vec<Span> = (0..1 << 20)
        .map(|i| span(i, i % 64, i64::from(i) * 10, i64::from(i) * 10 + 600))
        .collect();
    let capture = capture(&spans);
    let bytes = capture.span_bytes() as f64 / spans.len() as f64;
    assert!(bytes <= 32.0, "{bytes:.1} bytes a span");
}

/// Long ones, random ones, those that all hold the last, and those of which each sub-lane has a few: what a lane's sub-lanes
/// take besides their spans is bounded, and every span comes back as it was, in the order of its sub-lane.
#[test]
fn memory_of_spans_that_overlap_stays_within_its_bound() {
    const COUNT: i64 = 50_000;
    fn random(i: i64, below: i64) -> i64 {
        ((i as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 16) as i64 % below
    }
    type Shape = (&'static str, fn(i64) -> (i64, i64));
    let shapes: [Shape; 4] = [
        ("long", |i| (i * 1_000, 9_000_000_000_000)),
        ("random", |i| {
            (random(i, 1_000 * COUNT), random(!i, 1 << 33))
        }),
        ("nested", |i| (i * 1_000, 2_000 * (COUNT - i))),
        ("few", |i| (i % 10_000, 1 + (i / 10_000) * 20_000)),
    ];
    for (name, shape) in shapes {
        let one = |i: i64| {
            let (start, length) = shape(i);
            Span {
                enqueued: Nanos(start - i * 1_000_000),
                ..span(i as u32, 0, start, start + length)
            }
        };
        let spans: Vec<Span> = (0..COUNT).map(one).collect();
        let capture = capture(&spans);
        let bytes = capture.span_bytes() as f64 / spans.len() as f64;
        assert!(bytes <= 160.0, "{name}: {bytes:.1} bytes a span");
        for span in &spans {
            assert_eq!(capture.span(span.id).unwrap().span, *span, "{name}");
        }
        let seen: Vec<_> = capture.spans_in(LaneId(0), ALL).collect();
        assert_eq!(seen.len(), spans.len(), "{name}");
        let apart = |pair: &[PlacedSpan]| {
            pair[0].depth < pair[1].depth || pair[0].span.end <= pair[1].span.start
        };
        assert!(seen.windows(2).all(apart), "{name}");
    }
}

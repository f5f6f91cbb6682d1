//! What a lane costs: a file may have millions, each with a span or two.

use super::super::*;
use record::time::Nanos;
use record::{CallId, Group, LaneId, NameId, Record, Role, Span, SpanKind, State};

fn lane(id: u32) -> Record {
    Record::Lane(Box::new(Lane {
        id: LaneId(id),
        group: Group::Host,
        device: None,
        role: Role::None,
        name: String::new(),
        order: 0,
        process: "1".into(),
        thread: id.to_string().into(),
    }))
}

fn span(id: u32, lane: u32) -> Record {
    Record::Span(Span {
        id: SpanId(id),
        lane: LaneId(lane),
        name: NameId(0),
        call: CallId::NONE,
        kind: SpanKind::HostWork,
        state: State::Done,
        enqueued: Nanos(i64::from(id)),
        start: Nanos(i64::from(id)),
        end: Nanos(i64::from(id) + 1),
    })
}

#[test]
fn a_lane_with_one_span_takes_few_bytes() {
    const LANES: u32 = 20_000;
    let mut capture = Capture::new();
    capture.apply((0..LANES).map(lane));
    capture.apply((0..LANES).map(|it| span(it, it)));
    let tables = capture.span_bytes() / LANES as usize;
    assert!(tables <= 190, "{tables} bytes in the tables of spans");
    let rows = size_of::<Lane>() + size_of::<PlainOrigin>();
    assert!(rows <= 96, "{rows} bytes in the tables of lanes");
    assert_eq!(capture.span_count(), LANES as usize);
}

/// By their start, the longest first, of however many sub-lanes: more are sorted than fit into iterators.
#[test]
fn spans_of_very_many_sub_lanes_come_by_start() {
    const DEEP: u32 = 6_000;
    for spans in [DEEP, 5 * DEEP] {
        let mut capture = Capture::new();
        capture.apply([lane(0)]);
        let nested = |id: u32| {
            let Record::Span(mut span) = span(id, 0) else {
                unreachable!("a span")
            };
            let (group, within) = (i64::from(id / DEEP), i64::from(id % DEEP));
            span.start = Nanos(group * 1_000_000 + within / 2);
            span.end = Nanos(group * 1_000_000 + 900_000 - within / 2);
            Record::Span(span)
        };
        capture.apply((0..spans).map(nested));
        assert_eq!(capture.depth(LaneId(0)), DEEP as usize);
        let all = Interval {
            start: Nanos::MIN,
            end: Nanos::MAX,
        };
        let found = capture.spans_by_start(LaneId(0), all);
        let found: Vec<u32> = found.map(|it| it.span.id.0).collect();
        assert!(found.iter().copied().eq(0..spans), "{spans}");
    }
}

/// Spans go to their place and come back whatever order they come in, where a lane has one, two, or very many.
#[test]
fn spans_come_back_from_lanes_of_any_length() {
    let mut random = 7_u64;
    let mut below = |limit: u64| {
        random = random
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (random >> 33) % limit
    };
    let mut capture = Capture::new();
    capture.apply((0..300).map(lane));
    let mut expected = Vec::new();
    for id in 0..40_000_u32 {
        // Half of them on one lane, the rest anywhere; some start before all others of their lane.
        let lane = if below(2) == 0 { 0 } else { below(300) as u32 };
        let start = below(8_000_000_000) as i64;
        let length = if below(50) == 0 {
            5_000_000_000
        } else {
            below(40) as i64
        };
        let (start, end) = (Nanos(start), Nanos(start + length));
        let whole = Span {
            id: SpanId(id),
            lane: LaneId(lane),
            name: NameId(id % 7),
            call: CallId::NONE,
            kind: SpanKind::HostWork,
            state: State::Done,
            enqueued: start,
            start,
            end,
        };
        expected.push(whole);
        capture.apply([Record::Span(whole)]);
    }
    for whole in &expected {
        let found = capture.span(whole.id).map(|it| it.span);
        assert_eq!(found.as_ref(), Some(whole));
    }
    for lane in 0..300 {
        for depth in 0..capture.depth(LaneId(lane)) {
            let all = Interval::new(Nanos::MIN, Nanos::MAX);
            let spans: Vec<_> = capture.spans_of(LaneId(lane), depth, all).collect();
            let apart = |pair: &[PlacedSpan]| {
                let [first, second] = pair else { return true };
                first.span.end <= second.span.start
            };
            assert!(spans.windows(2).all(apart), "lane {lane}, sub-lane {depth}");
        }
    }
}

#[test]
fn spans_that_overlap_deeper_than_a_lane_goes_are_refused_and_counted() {
    let (deepest, more) = (crate::table::MOST_SUBLANES as u32, 300);
    let mut capture = Capture::new();
    let nested = |id: u32| {
        Record::Span(Span {
            id: SpanId(id),
            lane: LaneId(0),
            name: NameId(0),
            call: CallId::NONE,
            kind: SpanKind::Kernel,
            state: State::Done,
            enqueued: Nanos(i64::from(id)),
            start: Nanos(i64::from(id)),
            end: Nanos(i64::from(2 * (deepest + more) - id)),
        })
    };
    capture.apply((0..deepest + more).map(nested));
    assert_eq!(capture.span_count(), deepest as usize);
    assert_eq!(capture.refused(), u64::from(more));
    // The first ones are named, and no more of very many.
    let problems = capture.problems();
    assert!(problems.iter().all(|it| it.code == "span-refused"));
    assert_eq!(problems.len(), 100);
}

//! Pools of small captures: lives, totals, peaks and groups.

use capture::Capture;
use record::time::{Interval, Nanos};
use record::{
    CallId, Group, Lane, LaneId, MEMORY_ADDRESS, MEMORY_ALLOCATED, MEMORY_BYTES, MEMORY_EVENT,
    NameId, Record, Role, Span, SpanId, SpanKind, State, Value,
};

use super::{MemoryBasis, MemoryGroup, MemoryGrouping, MemoryHistory};
use crate::Iteration;

const NAMES: [&str; 6] = [
    MEMORY_EVENT,
    MEMORY_BYTES,
    MEMORY_ADDRESS,
    MEMORY_ALLOCATED,
    "aten::mm",
    "aten::add",
];

/// An event of an allocator: when, how many bytes, at which address, and how many there are then.
type ToldEvent = (i64, i64, Option<i64>, Option<i64>);

/// A capture with one host thread, on which one operator is open up to 50 and another one from there to 100.
fn capture(events: &[ToldEvent]) -> Capture {
    let mut capture = Capture::new();
    let names = (0..).zip(NAMES);
    capture.apply(names.map(|(at, name)| Record::Name(NameId(at), name.into())));
    let lane = Lane {
        id: LaneId(0),
        group: Group::Host,
        device: None,
        role: Role::None,
        name: "python".to_owned(),
        order: 0,
        process: "1".into(),
        thread: "1".into(),
    };
    capture.apply([Record::Lane(Box::new(lane))]);
    let span = |id: u32, name: u32, kind, start, end| {
        Record::Span(Span {
            id: SpanId(id),
            lane: LaneId(0),
            name: NameId(name),
            call: CallId::NONE,
            kind,
            state: State::Done,
            enqueued: Nanos(start),
            start: Nanos(start),
            end: Nanos(end),
        })
    };
    capture.apply([
        span(0, 4, SpanKind::HostWork, 0, 50),
        span(1, 5, SpanKind::HostWork, 50, 100),
    ]);
    for (id, (at, bytes, address, total)) in (2..).zip(events) {
        let fields = [(1, Some(*bytes)), (2, *address), (3, *total)];
        let fields = fields.into_iter().filter_map(|(name, value)| {
            Some(Record::Argument(
                SpanId(id),
                NameId(name),
                Value::Integer(value?),
            ))
        });
        capture.apply(fields);
        capture.apply([span(id, 0, SpanKind::Scope, *at, *at)]);
    }
    capture
}

fn step(number: u32, start: i64, end: i64) -> Iteration {
    Iteration {
        number,
        name: "step".into(),
        interval: Interval::new(Nanos(start), Nanos(end)),
        span: SpanId(0),
    }
}

#[test]
fn a_free_ends_the_allocation_of_its_address_and_the_address_may_come_again() {
    let capture = capture(&[
        (10, 64, Some(1), Some(164)),
        (20, 32, Some(2), Some(196)),
        (30, -64, Some(1), Some(132)),
        (60, 8, Some(1), Some(140)),
        (70, -100, Some(9), Some(40)),
    ]);
    let history = MemoryHistory::new(&capture);
    let [pool] = history.pools.as_slice() else {
        panic!("one allocator: {:?}", history.pools);
    };
    assert_eq!(pool.basis, MemoryBasis::Totals);
    let bytes = |at| {
        pool.alive(pool.point_at(Nanos(at)))
            .map(|it| it.bytes)
            .collect::<Vec<_>>()
    };
    assert_eq!(bytes(9), [100], "freed later, so there from the start");
    assert_eq!(bytes(20), [64, 32, 100]);
    assert_eq!(bytes(30), [32, 100]);
    assert_eq!(bytes(70), [32, 8]);
    let allocated = |at| pool.allocated(pool.point_at(Nanos(at))).unwrap();
    let totals = [0, 10, 25, 30, 99].map(allocated);
    assert_eq!(totals, [100, 164, 196, 132, 40]);
    let peak = |from, to| {
        let peak = pool.peak(Interval::new(Nanos(from), Nanos(to))).unwrap();
        (peak.point.at.0, peak.allocated)
    };
    assert_eq!(peak(0, 100), (20, 196));
    assert_eq!(peak(40, 100), (60, 140));
    assert_eq!(peak(25, 40), (25, 196), "what was there when it begins");
    assert_eq!(pool.untold(pool.point_at(Nanos(70))), 0);
}

#[test]
fn without_totals_bytes_count_from_zero_and_without_addresses_nothing_is_paired() {
    let capture = capture(&[(10, 64, None, None), (20, -80, None, None)]);
    let pool = MemoryHistory::new(&capture).pools.remove(0);
    assert_eq!(pool.basis, MemoryBasis::SinceStart);
    let allocated = |at| pool.allocated(pool.point_at(Nanos(at))).unwrap();
    let totals = [5, 10, 20].map(allocated);
    assert_eq!(totals, [0, 64, -16]);
    assert_eq!((pool.allocations.len(), pool.without_block), (0, 2));
    assert!(!pool.knows_blocks());
}

#[test]
fn a_free_that_was_not_told_is_counted() {
    let capture = capture(&[(10, 64, Some(1), None), (20, 32, Some(1), None)]);
    let pool = MemoryHistory::new(&capture).pools.remove(0);
    assert_eq!(pool.missing_frees, 1);
    let alive: Vec<u64> = pool
        .alive(pool.point_at(Nanos(30)))
        .map(|it| it.bytes)
        .collect();
    assert_eq!(alive, [32]);
}

#[test]
fn the_peak_may_lie_between_events_of_one_instant() {
    let capture = capture(&[
        (10, 64, Some(1), Some(64)),
        (20, 32, Some(2), Some(96)),
        (20, -64, Some(1), Some(32)),
    ]);
    let pool = MemoryHistory::new(&capture).pools.remove(0);
    let peak = pool.peak(Interval::new(Nanos(0), Nanos(99))).unwrap();
    assert_eq!((peak.point.at, peak.allocated), (Nanos(20), 96));
    let alive = |point| super::Allocation::bytes_of(pool.alive(point));
    assert_eq!(alive(peak.point), 96);
    assert_eq!(alive(pool.point_at(Nanos(20))), 32);
}

#[test]
fn what_outlives_its_step_is_kept() {
    let capture = capture(&[
        (10, 1, Some(1), None),
        (12, 2, Some(2), None),
        (14, 4, Some(3), None),
        (30, -1, Some(1), None),
        (55, -2, Some(2), None),
        (120, 8, Some(4), None),
        (130, -8, Some(4), None),
    ]);
    let pool = MemoryHistory::new(&capture).pools.remove(0);
    let steps = [step(1, 0, 50), step(2, 50, 100)];
    let kept: Vec<u64> = pool.kept(&steps).map(|it| it.bytes).collect();
    assert_eq!(
        kept,
        [2, 4],
        "what lies in no step is freed as it should be"
    );
    let never: Vec<u64> = pool.kept(&[]).map(|it| it.bytes).collect();
    assert_eq!(never, [4]);
}

#[test]
fn groups_say_what_asked_and_what_was_there_before() {
    let capture = capture(&[
        (10, 64, Some(1), Some(1_064)),
        (20, 64, Some(2), Some(1_128)),
        (60, 8, Some(3), Some(1_136)),
        (110, 2, Some(4), Some(1_138)),
    ]);
    let pool = MemoryHistory::new(&capture).pools.remove(0);
    let at = pool.point_at(Nanos(120));
    let of = |by| {
        let groups = MemoryGroup::alive(&capture, (&pool, at), pool.alive(at), by);
        let groups = groups.into_iter();
        let groups = groups.map(|it| (it.name.map(String::from), it.count, it.bytes));
        groups.collect::<Vec<_>>()
    };
    let named = |name: &str, count, bytes| (Some(name.to_owned()), count, bytes);
    assert_eq!(
        of(MemoryGrouping::Operator),
        [
            (None, 0, 1_000),
            named("aten::mm", 2, 128),
            named("aten::add", 1, 8),
            named("", 1, 2),
        ]
    );
    assert_eq!(
        of(MemoryGrouping::Size),
        [
            (None, 0, 1_000),
            named("64", 2, 128),
            named("8", 1, 8),
            named("2", 1, 2),
        ]
    );
}

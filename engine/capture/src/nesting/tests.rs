//! Spans lie below all that contain them, in whatever order and batches they come. The depth that is expected is counted from the
//! tree that the spans were made of.

use crate::Capture;
use record::time::{Interval, Nanos};
use record::{
    CallId, Group, Lane, LaneId, NameId, Record, Role, Span, SpanId, SpanKind, SpanStart, State,
};

/// A span of a tree, and how many contain it.
#[derive(Clone, Copy, Debug)]
struct NestedSpan {
    span: Span,
    above: u32,
}

fn lane(id: u32, group: Group) -> Record {
    Record::Lane(Box::new(Lane {
        id: LaneId(id),
        group,
        device: None,
        role: Role::None,
        name: String::new(),
        order: 0,
        process: "".into(),
        thread: "".into(),
    }))
}

fn span(id: u32, start: i64, end: i64) -> Span {
    Span {
        id: SpanId(id),
        lane: LaneId(0),
        name: NameId(0),
        call: CallId::NONE,
        kind: SpanKind::Scope,
        state: State::Done,
        enqueued: Nanos(start),
        start: Nanos(start),
        end: Nanos(end),
    }
}

/// Numbers that look random, the same for a seed.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit
    }
}

/// Spans next to each other in a stretch of time, each with some within it, in the order in which they end.
fn tree(within: (i64, i64), above: u32, numbers: &mut Numbers, out: &mut Vec<NestedSpan>) {
    let mut at = within.0 + 1;
    while at + 3 < within.1 && out.len() < 20_000 {
        let room = (within.1 - at) as u64;
        let share = 2 + numbers.below(6);
        let end = at + 2 + numbers.below(room.div_ceil(share)) as i64;
        if end >= within.1 {
            return;
        }
        if above < 12 {
            tree((at, end), above + 1, numbers, out);
        }
        let span = span(out.len() as u32, at, end);
        out.push(NestedSpan { span, above });
        at = end + numbers.below(3) as i64;
    }
}

fn grown(seed: u64) -> Vec<NestedSpan> {
    let mut out = Vec::new();
    tree((0, 60_000), 0, &mut Numbers(seed), &mut out);
    assert!(out.len() > 500, "{}", out.len());
    out
}

fn check(capture: &Capture, tree: &[NestedSpan]) {
    assert_eq!(capture.span_count(), tree.len());
    for NestedSpan { span, above } in tree {
        let found = capture.span(span.id).unwrap();
        assert_eq!((found.span, found.depth), (*span, *above));
    }
    let deepest = tree.iter().map(|it| it.above).max().unwrap_or_default() as usize;
    assert_eq!(capture.depth(LaneId(0)), deepest + 1);
    let all = Interval::new(Nanos::MIN, Nanos::MAX);
    let by_row: usize = (0..=deepest)
        .map(|depth| capture.spans_of(LaneId(0), depth, all).count())
        .sum();
    assert_eq!(by_row, tree.len());
}

#[test]
fn spans_that_come_as_they_end_lie_below_what_contains_them() {
    for seed in 1..12 {
        let tree = grown(seed);
        for batch in [1, 7, 100, usize::MAX] {
            let mut capture = Capture::new();
            capture.apply([lane(0, Group::Host)]);
            for some in tree.chunks(batch.min(tree.len())) {
                capture.apply(some.iter().map(|it| Record::Span(it.span)));
            }
            check(&capture, &tree);
        }
    }
}

#[test]
fn spans_of_one_batch_nest_in_any_order() {
    let mut tree = grown(3);
    let mut numbers = Numbers(5);
    for at in (1..tree.len()).rev() {
        tree.swap(at, numbers.below(at as u64 + 1) as usize);
    }
    let mut capture = Capture::new();
    capture.apply([lane(0, Group::Device)]);
    capture.apply(tree.iter().map(|it| Record::Span(it.span)));
    check(&capture, &tree);
}

#[test]
fn what_has_begun_keeps_its_row() {
    for seed in 1..12 {
        let tree = grown(seed);
        let mut capture = Capture::new();
        capture.apply([lane(0, Group::Host)]);
        for some in tree.chunks(50) {
            // What runs at the end of the batch is told of behind what ended in it.
            let now = some.last().unwrap().span.end;
            let runs = tree
                .iter()
                .filter(|it| it.span.start < now && it.span.end > now);
            let began = runs.map(|it| began(&it.span));
            let ended = some.iter().map(|it| Record::Span(it.span));
            capture.apply(ended.chain(began.collect::<Vec<_>>()));
            for NestedSpan { span, above } in some {
                assert_eq!(capture.span(span.id).unwrap().depth, *above);
            }
        }
        check(&capture, &tree);
    }
}

/// Ranges that one thread starts and another ends overlap without nesting. Each has a row of its own there, and what lies within one
/// lies below it.
#[test]
fn what_overlaps_without_nesting_never_shares_a_row() {
    let mut numbers = Numbers(11);
    let mut spans: Vec<Span> = (0..3_000)
        .map(|id| {
            let start = numbers.below(20_000) as i64;
            span(id, start, start + 1 + numbers.below(60) as i64)
        })
        .collect();
    spans.sort_by_key(|it| it.end);
    let mut capture = Capture::new();
    capture.apply([lane(0, Group::Host)]);
    for some in spans.chunks(40) {
        capture.apply(some.iter().copied().map(Record::Span));
    }
    assert_eq!(capture.span_count(), spans.len());
    let all = Interval::new(Nanos::MIN, Nanos::MAX);
    let placed: Vec<_> = capture.spans_in(LaneId(0), all).collect();
    assert_eq!(placed.len(), spans.len());
    for pair in placed.windows(2) {
        let [first, second] = pair else {
            unreachable!()
        };
        assert!(first.depth < second.depth || first.span.end <= second.span.start);
    }
    let contains = |outer: &Span, inner: &Span| {
        outer.start <= inner.start
            && inner.end <= outer.end
            && outer.id != inner.id
            && (outer.start, outer.end) != (inner.start, inner.end)
    };
    let mut upside_down = 0;
    for outer in &placed {
        let inner = placed.iter().filter(|it| contains(&outer.span, &it.span));
        upside_down += inner.filter(|it| it.depth <= outer.depth).count();
    }
    assert_eq!(upside_down, 0);
}

fn began(span: &Span) -> Record {
    Record::Began(SpanStart {
        id: span.id,
        lane: span.lane,
        name: span.name,
        kind: span.kind,
        enqueued: span.enqueued,
        start: span.start,
    })
}

/// Some of what is told runs already: until it ends its row is its own, also where what comes late began before it.
#[test]
fn what_runs_shares_its_row_with_nothing() {
    let mut numbers = Numbers(17);
    for _ in 0..40 {
        let spans: Vec<Span> = (0..300)
            .map(|id| {
                let start = numbers.below(2_000) as i64;
                span(id, start, start + numbers.below(400) as i64)
            })
            .collect();
        // Each is told of at its end or up to 300 later, and one in four at its start or up to 300 later, too.
        let mut told: Vec<(i64, Record)> = Vec::new();
        for one in &spans {
            let ends = one.end.0 + numbers.below(300) as i64;
            let begins = one.start.0 + numbers.below(300) as i64;
            if numbers.below(4) == 0 && begins < ends {
                told.push((begins, began(one)));
            }
            told.push((ends, Record::Span(*one)));
        }
        told.sort_by_key(|it| it.0);
        let mut capture = Capture::new();
        capture.apply([lane(0, Group::Host)]);
        for some in told.chunks(20) {
            capture.apply(some.iter().map(|it| it.1.clone()));
            let all = Interval::new(Nanos::MIN, Nanos::MAX);
            let ended = capture.spans_in(LaneId(0), all);
            let mut rows: Vec<_> = ended
                .map(|it| (it.depth, it.span.start, it.span.end))
                .collect();
            rows.extend(capture.open().filter_map(|it| {
                let depth = capture.running_depth(it.lane, it.id)?;
                Some((depth, it.start, Nanos::MAX))
            }));
            rows.sort_unstable();
            for pair in rows.windows(2) {
                let [first, second] = pair else {
                    unreachable!()
                };
                assert!(first.0 < second.0 || first.2 <= second.1, "{pair:?}");
            }
        }
        assert!(capture.open().next().is_none());
    }
}

/// What begins on a lane that nobody could have takes no room.
#[test]
fn what_begins_on_no_lane_keeps_no_row() {
    let mut capture = Capture::new();
    let began = |lane| {
        Record::Began(SpanStart {
            id: SpanId(0),
            lane,
            name: NameId(0),
            kind: SpanKind::Scope,
            enqueued: Nanos(0),
            start: Nanos(0),
        })
    };
    for lane in [LaneId::NONE, LaneId(u32::MAX - 1)] {
        capture.apply([began(lane)]);
        assert_eq!(capture.running_depth(lane, SpanId(0)), None);
    }
}

/// More rows than a lane has without a tree over them, all of them emptied and given anew.
#[test]
fn outer_ranges_of_very_many_levels_lie_above_what_came_before() {
    let mut tree: Vec<NestedSpan> = (0..3_000)
        .map(|id| {
            let start = 10_000 + 3 * i64::from(id);
            NestedSpan {
                span: span(id, start, start + 2),
                above: 60,
            }
        })
        .collect();
    for level in 0..60_u32 {
        let (id, out) = (3_000 + level, 7 * i64::from(level + 1));
        tree.push(NestedSpan {
            span: span(id, 10_000 - out, 19_000 + out),
            above: 59 - level,
        });
    }
    for batch in [10, 3_000, usize::MAX] {
        let mut capture = Capture::new();
        capture.apply([lane(0, Group::Host)]);
        for some in tree.chunks(batch.min(tree.len())) {
            capture.apply(some.iter().map(|it| Record::Span(it.span)));
        }
        if batch == 10 {
            // So many moves are not granted at once: they come with the spans that follow.
            let more = (0..12_000)
                .map(|it| span(3_060 + it, 30_000 + i64::from(it), 30_001 + i64::from(it)));
            let more: Vec<NestedSpan> = more.map(|span| NestedSpan { span, above: 0 }).collect();
            capture.apply(more.iter().map(|it| Record::Span(it.span)));
            check(&capture, &[tree.clone(), more].concat());
        } else {
            check(&capture, &tree);
        }
    }
}

/// A span that is moved below another takes along what it contains, also what starts behind all that came.
#[test]
fn what_is_moved_takes_along_what_it_contains() {
    let mut capture = Capture::new();
    capture.apply([lane(0, Group::Host)]);
    let (around, inside, early, late) = (
        span(0, 300, 1_000),
        span(1, 500, 600),
        span(2, 100, 200),
        span(3, 0, 400),
    );
    capture.apply([around, inside, early].map(Record::Span));
    capture.apply([Record::Span(late)]);
    let depth = |span: Span| capture.span(span.id).unwrap().depth;
    assert!(depth(late) < depth(early) && depth(around) < depth(inside));
    assert!(depth(late) != depth(around));
}

/// Of a stream that runs one at a time, what overlaps has been mended: its first span stays where it is.
#[test]
fn rows_of_streams_are_given_once() {
    let mut capture = Capture::new();
    capture.apply([lane(0, Group::Streams)]);
    capture.apply([span(0, 10, 20), span(1, 0, 100)].map(Record::Span));
    let depth = |id| capture.span(SpanId(id)).unwrap().depth;
    assert_eq!((depth(0), depth(1)), (0, 1));
}

//! A capture answers the same whether its chunks are sealed or open, in whatever order its spans came.

use super::*;
use crate::table::PlacedSpan;

/// Numbers that look like chance and are the same every time.
struct PseudoRandom(u64);

impl PseudoRandom {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit
    }
}

/// Spans of all lengths, with names, kinds, states and queues that differ by stretches and at random.
fn spans(count: u32, seed: u64) -> Vec<Span> {
    let mut chance = PseudoRandom(seed);
    let mut time = [0_i64; 3];
    let spans = (0..count).map(|id| {
        let lane = chance.below(3) as usize;
        let rough = id / 3_000 % 2 == 1;
        let far = if chance.below(900) == 0 {
            6_000_000_000
        } else {
            0
        };
        let start = time[lane] + chance.below(if rough { 90_000 } else { 300 }) as i64 + far;
        let length = match chance.below(40) {
            0 => 0,
            1 if rough => 5_000_000_000,
            _ => chance.below(if rough { 100_000 } else { 250 }) as i64,
        };
        time[lane] = start + length;
        let queued = if lane == 0 {
            0
        } else {
            chance.below(9_000) as i64
        };
        let kinds = [SpanKind::Kernel, SpanKind::EventWait, SpanKind::Copy];
        Span {
            id: SpanId(id),
            lane: LaneId(lane as u32),
            name: NameId((chance.below(if rough { 2_000 } else { 7 }) * 900) as u32),
            call: CallId::NONE,
            kind: kinds[if rough {
                chance.below(3) as usize
            } else {
                lane
            }],
            state: State::Done,
            enqueued: Nanos(start - queued - far / 2),
            start: Nanos(start),
            end: Nanos(start + length),
        }
    });
    spans.collect()
}

/// Spans that come a little late here and there, as in a live run.
fn late(mut spans: Vec<Span>, seed: u64) -> Vec<Span> {
    let mut chance = PseudoRandom(seed);
    for at in 0..spans.len().saturating_sub(600) {
        if chance.below(20) == 0 {
            let other = at + chance.below(600) as usize;
            spans.swap(at, other);
        }
    }
    spans
}

fn views() -> Vec<(Interval, Nanos)> {
    let mut chance = PseudoRandom(5);
    let mut views = vec![(ALL, Nanos(1)), (ALL, Nanos::MAX)];
    for shift in 0..36 {
        let start = chance.below(80_000_000_000) as i64;
        let view = Interval::new(Nanos(start), Nanos(start + (1_000 << shift)));
        views.push((view, Nanos(1 << shift)));
        views.push((view, Nanos(chance.below(1 << 33) as i64 + 1)));
    }
    views
}

/// All that can be asked about spans.
fn answers(
    capture: &Capture,
) -> (
    Vec<PlacedSpan>,
    Vec<Option<SpanId>>,
    Vec<FoldedSpan>,
    Vec<SpanId>,
) {
    let all: Vec<PlacedSpan> = capture.spans().collect();
    let ids = (0..capture.span_ids() as u32).map(SpanId);
    let near = ids.flat_map(|id| [capture.next_span(id), capture.previous_span(id)]);
    let near: Vec<_> = near.collect();
    let (mut cells, mut inside) = (Vec::new(), Vec::new());
    for (view, column) in views() {
        for lane in (0..3).map(LaneId) {
            for depth in 0..capture.depth(lane) {
                capture.fold(lane, depth, view, column, &mut |cell| cells.push(cell));
            }
            inside.extend(capture.spans_in(lane, view).map(|it| it.span.id));
        }
    }
    for stretch in 0..capture.stretch_count() {
        let named = capture.spans_named(stretch, |name| name.0.is_multiple_of(1_800));
        inside.extend(named.map(|(_, id)| id));
    }
    (all, near, cells, inside)
}

#[test]
fn sealed_and_open_chunks_answer_alike() {
    for seed in 1..4 {
        let sorted = spans(14_000, seed);
        let reversed = sorted.iter().rev().copied().collect();
        let orders = [
            shuffled(sorted.clone(), seed),
            late(sorted.clone(), seed),
            reversed,
            sorted.clone(),
        ];
        for order in orders {
            let mut capture = capture(&order);
            let expected = answers(&capture);
            for span in &sorted {
                assert_eq!(capture.span(span.id).unwrap().span, *span);
            }
            capture.spans.seal_all();
            let sealed = capture.span_bytes();
            assert_eq!(answers(&capture), expected);
            capture.spans.open_all();
            assert!(capture.span_bytes() > sealed * 5 / 4);
            assert_eq!(answers(&capture), expected);
        }
    }
}

#[test]
fn sealed_chunks_take_more_spans() {
    let sorted = spans(9_000, 9);
    let mut expected = capture(&sorted);
    expected.spans.open_all();
    let mut capture = Capture::new();
    for part in shuffled(sorted.clone(), 11).chunks(700) {
        capture.apply(part.iter().copied().map(Record::Span));
        capture.spans.seal_all();
    }
    assert_eq!(capture.span_count(), sorted.len());
    for span in &sorted {
        assert_eq!(capture.span(span.id).unwrap().span, *span);
    }
    let ids = |capture: &Capture, lane| {
        let placed = capture.spans_in(LaneId(lane), ALL);
        let mut ids: Vec<_> = placed.map(|it| (it.span.start, it.span.id)).collect();
        ids.sort_unstable();
        ids
    };
    for lane in 0..3 {
        assert_eq!(ids(&capture, lane), ids(&expected, lane));
    }
}

#[test]
fn a_capture_in_order_takes_fewer_than_fourteen_bytes_a_span() {
    let spans: Vec<Span> = (0..100_000)
        .map(|id| {
            let start = i64::from(id / 4) * 10_000;
            Span {
                lane: LaneId(id % 4),
                enqueued: Nanos(start - i64::from(id * 7 % 5_000)),
                ..span(id, 0, start, start + 500 + i64::from(id * 31 % 6_000))
            }
        })
        .collect();
    let each = capture(&spans).span_bytes() as f64 / spans.len() as f64;
    assert!(each < 14.0, "{each} bytes");
}

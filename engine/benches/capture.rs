//! Speed and size of the capture: apply, range query and fold, at ten thousand to ten million spans.
//!
//! Prints one table of medians, each with its ratio to the same thing at ten thousand spans; and what it takes that ranges which nest
//! come as they end, against as they begin.

mod measure {
    pub mod median;
}

use std::hint::black_box;
use std::time::Instant;

use engine::capture::Capture;
use engine::record::{
    CallId, Dependency, EventId, LaneId, NameId, Record, Span, SpanId, SpanKind, State, Value,
};
use engine::time::{Interval, Nanos};
use measure::median::median;

const LANES: u32 = 4;
/// Columns of a screen that is 2,000 points wide.
const COLUMNS: i64 = 2_000;
const ROUNDS: usize = 15;

/// Spans that arrive in turn from many streams at once: the worst order for memory.
fn span(id: u32) -> Span {
    let start = i64::from(id / LANES) * 1_000 + i64::from(id.wrapping_mul(2_654_435_761) >> 24);
    Span {
        id: SpanId(id),
        lane: LaneId(id % LANES),
        name: NameId(id % 40),
        call: CallId::NONE,
        kind: SpanKind::Kernel,
        state: State::Done,
        enqueued: Nanos(start - 50),
        start: Nanos(start),
        end: Nanos(start + 80 + i64::from(id.wrapping_mul(40_503) % 600)),
    }
}

#[derive(Clone, Copy)]
struct CaptureBenchResult {
    apply_per_second: f64,
    bytes: f64,
    fold_all: f64,
    cells: usize,
    fold_worst: f64,
    range: f64,
}

/// Seconds and cells of one lane's fold to 2,000 columns.
fn fold(capture: &Capture, view: Interval) -> (f64, usize) {
    let column = Nanos((view.length().0 / COLUMNS).max(1));
    let mut cells = 0;
    let seconds = median(ROUNDS, || {
        cells = 0;
        capture.fold(LaneId(3), 0, view, column, &mut |cell| {
            cells += 1;
            black_box(cell);
        });
    });
    (seconds, cells)
}

fn measure(count: u32) -> CaptureBenchResult {
    let mut capture = Capture::new();
    let mut seconds = 0.0;
    for first in (0..count).step_by(4_096) {
        let batch: Vec<Record> = (first..count.min(first + 4_096))
            .map(|id| Record::Span(span(id)))
            .collect();
        let start = Instant::now();
        capture.apply(batch);
        seconds += start.elapsed().as_secs_f64();
    }
    let extent = capture.extent().unwrap_or_default();
    let (fold_all, cells) = fold(&capture, extent);
    let zoomed = |shift: u32| {
        let length = (extent.length().0 >> shift).max(1_000);
        let start = Nanos(extent.start.0 + length / 3);
        Interval::new(start, start + Nanos(length))
    };
    let fold_worst = (0..14)
        .map(|shift| fold(&capture, zoomed(shift)).0)
        .fold(0.0, f64::max);
    let middle = extent.start + Nanos(extent.length().0 / 2);
    let narrow = Interval::new(middle, middle + Nanos(100_000));
    let range = median(ROUNDS, || {
        black_box(capture.spans_in(LaneId(3), narrow).count());
    });
    let bytes = capture.span_bytes() as f64 / f64::from(count);
    CaptureBenchResult {
        apply_per_second: f64::from(count) / seconds,
        bytes,
        fold_all,
        cells,
        fold_worst,
        range,
    }
}

/// Bytes a span of a live run: half of the spans are host calls, each ties an operation to its
/// stream, every sixth operation is a wait with an event, and every other one has an argument.
fn live_bytes(count: u32) -> f64 {
    let mut capture = Capture::new();
    for id in 0..count {
        let call = CallId(id / 2 % 40);
        let mut records = vec![Record::Span(Span { call, ..span(id) })];
        if id % 2 == 1 {
            let tie = Dependency::submission(SpanId(id - 1), SpanId(id));
            records.push(Record::Dependency(tie));
        }
        if id % 12 == 1 && id > 8 {
            let tie = Dependency::submission(SpanId(id - 8), SpanId(id));
            records.push(Record::Dependency(Dependency {
                event: EventId(0),
                generation: id,
                ..tie
            }));
        }
        if id % 4 == 1 {
            records.push(Record::Argument(
                SpanId(id),
                NameId(0),
                Value::Integer(4_096),
            ));
        }
        capture.apply(records);
    }
    capture.bytes() as f64 / f64::from(count)
}

/// Seconds to take a million ranges of a thread, twelve of which nest in each other, as they begin or as they end.
fn nested(is_by_end: bool) -> f64 {
    const DEEP: u32 = 12;
    const BATCH: usize = 8_192;
    let mut capture = Capture::new();
    let span = |id: u32| {
        let level = if is_by_end {
            DEEP - 1 - id % DEEP
        } else {
            id % DEEP
        };
        let (group, inset) = (i64::from(id / DEEP) * 1_000, i64::from(level) * 10);
        Record::Span(Span {
            lane: LaneId(0),
            kind: SpanKind::Scope,
            enqueued: Nanos(group + inset),
            start: Nanos(group + inset),
            end: Nanos(group + 900 - inset),
            ..span(id)
        })
    };
    let records: Vec<Record> = (0..1_000_000).map(span).collect();
    let begin = Instant::now();
    let mut records = records.into_iter().peekable();
    while records.peek().is_some() {
        capture.apply(records.by_ref().take(BATCH));
    }
    let seconds = begin.elapsed().as_secs_f64();
    assert_eq!(capture.depth(LaneId(0)), DEEP as usize);
    seconds
}

#[expect(clippy::print_stdout, reason = "a bench prints its table")]
fn main() {
    println!(
        "{:>10} {:>10} {:>7} {:>26} {:>20} {:>20}",
        "spans", "apply/s", "B/span", "fold all (cells)", "fold at worst zoom", "100 us of a lane"
    );
    let mut first: Option<CaptureBenchResult> = None;
    for count in [10_000, 1_000_000, 10_000_000] {
        let now = measure(count);
        let base = *first.get_or_insert(now);
        let part = |now: f64, base: f64| format!("{:.1} us {:.1}x", now * 1e6, now / base);
        println!(
            "{count:>10} {:>8.1} M {:>7.1} {:>18} ({:>5}) {:>20} {:>20}",
            now.apply_per_second / 1e6,
            now.bytes,
            part(now.fold_all, base.fold_all),
            now.cells,
            part(now.fold_worst, base.fold_worst),
            part(now.range, base.range),
        );
    }
    println!(
        "with dependencies and arguments: {:.1} B/span",
        live_bytes(4_000_000)
    );
    let (by_start, by_end) = (nested(false), nested(true));
    println!(
        "a million ranges that nest, as they end against as they begin: {:.1}x ({by_end:.2} s against {by_start:.2} s)",
        by_end / by_start
    );
}

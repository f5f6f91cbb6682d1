//! Questions over 5 million spans, against reading the spans once: with the tables made first, and with them there.

use std::collections::BTreeMap;
use std::hint::black_box;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Instant;

use capture::Capture;
use query::{QuerySource, SqlLimits, SqlWatch, ask, questions};
use record::time::Nanos;
use record::{
    CallId, Dependency, Group, Lane, LaneId, NameId, Record, Role, Span, SpanId, SpanKind, State,
};

/// A call and an operation for each launch, a range of the host around some.
const EACH: u32 = 16;
/// Names of kernels, as long as those of templates are.
const NAMES: u32 = 400;
const STREAMS: u32 = 4;
const BATCH: usize = 1 << 16;
/// A question is asked so often, and the quickest counts.
const TIMES: usize = 5;

fn lanes() -> impl Iterator<Item = Record> {
    (0..=STREAMS).map(|id| {
        Record::Lane(Box::new(Lane {
            id: LaneId(id),
            group: if id == 0 { Group::Host } else { Group::Streams },
            device: None,
            role: Role::None,
            name: format!("lane {id}"),
            order: id as i32,
            process: "".into(),
            thread: "".into(),
        }))
    })
}

/// A capture of so many spans, of which about a quarter are kernels, as PyTorch's are.
fn capture(spans: u32) -> Capture {
    let mut capture = Capture::new();
    capture.apply(lanes());
    let name = |id: u32| {
        let text = format!(
            "void at::native::vectorized_elementwise_kernel<{id}, at::native::FillFunctor<float>, std::array<char*, 1ul>>"
        );
        Record::Name(NameId(id), text.into())
    };
    capture.apply((0..NAMES).map(name));
    let mut records = Vec::new();
    for id in 0..spans {
        let (round, place) = (id / EACH, id % EACH);
        let at = i64::from(round) * 40_000 + i64::from(place) * 2_000;
        let (lane, kind, length) = match place % 4 {
            0 => (0, SpanKind::HostWork, 1_900),
            1 => (0, SpanKind::Call, 700),
            2 if place == 14 => (2, SpanKind::Upload, 5_000),
            2 => (
                1 + round % STREAMS,
                SpanKind::Kernel,
                1_500 + i64::from(id % 97) * 11,
            ),
            _ => (0, SpanKind::HostWork, 300),
        };
        records.push(Record::Span(Span {
            id: SpanId(id),
            lane: LaneId(lane),
            name: NameId(id.wrapping_mul(2_654_435_761) % NAMES),
            call: CallId::NONE,
            kind,
            state: State::Done,
            enqueued: Nanos(at),
            start: Nanos(at),
            end: Nanos(at + length),
        }));
        if place % 4 == 2 {
            let launch = Dependency::submission(SpanId(id - 1), SpanId(id));
            records.push(Record::Dependency(launch));
        }
        if records.len() >= BATCH {
            capture.apply(records.drain(..));
        }
    }
    capture.apply(records);
    capture
}

fn seconds<T>(work: impl FnOnce() -> T) -> (f64, T) {
    let begun = Instant::now();
    let made = work();
    (begun.elapsed().as_secs_f64(), made)
}

/// Asks a question, and says how many rows it has.
fn rows(source: &Arc<QuerySource>, sql: &str) -> u64 {
    let watch = Arc::new(SqlWatch::default());
    let limits = SqlLimits {
        memory: u64::MAX,
        ..SqlLimits::default()
    };
    let answer = ask(source, sql, (limits, &watch), &mut |_, row| {
        black_box(row);
        ControlFlow::Continue(())
    });
    let answer = answer.unwrap_or_else(|error| unreachable!("{sql}: {error}"));
    assert_eq!(answer.cut, None, "{sql}");
    answer.rows
}

#[expect(clippy::print_stdout, reason = "a bench prints its table")]
fn measure(spans: u32) {
    let capture = Arc::new(capture(spans));
    let (read, sums) = seconds(|| {
        let mut sums: BTreeMap<NameId, (u64, i64)> = BTreeMap::new();
        for placed in capture.spans() {
            if placed.span.kind == SpanKind::Kernel {
                let sum = sums.entry(placed.span.name).or_default();
                *sum = (sum.0 + 1, sum.1 + placed.interval().length().0);
            }
        }
        sums
    });
    println!(
        "{spans} spans: the spans read once, and kernels summed by name: {read:.3} s, {} names",
        sums.len()
    );
    let source = Arc::new(QuerySource::new(Arc::clone(&capture), None));
    let bundled = questions().iter().find(|it| it.name == "top-kernels");
    let top = bundled.map_or("", |it| it.sql);
    let (first, found) = seconds(|| rows(&source, top));
    assert_eq!(found, 20.min(sums.len() as u64));
    println!(
        "  top kernels, the table made first: {first:.3} s, {:.1} times reading",
        first / read
    );
    for (what, sql) in [
        ("top kernels again", top),
        ("count of all", "SELECT count(*) FROM spans"),
        ("sum of all lengths", "SELECT sum(dur) FROM spans"),
        (
            "1 ms, counted",
            "SELECT count(*), sum(dur) FROM spans WHERE ts >= 50000000 AND ts < 51000000",
        ),
        (
            "lanes and kinds",
            "SELECT lane, kind, count(*), sum(dur) FROM spans GROUP BY lane, kind",
        ),
        (
            "all names",
            "SELECT name, sum(dur) FROM spans GROUP BY name",
        ),
        (
            "kernels and their calls",
            "SELECT count(*), sum(k.ts - c.ts) FROM spans k JOIN spans c ON c.id = k.launch_id WHERE k.kind = 'kernel'",
        ),
    ] {
        // The columns that it needs are made by the first.
        rows(&source, sql);
        let times = (0..TIMES).map(|_| seconds(|| rows(&source, sql)).0);
        let best = times.fold(f64::INFINITY, f64::min);
        println!("  {what}: {best:.3} s, {:.2} times reading", best / read);
    }
    let bytes = source.heap_bytes() as f64 / f64::from(spans);
    println!("  the table holds {bytes:.1} bytes a span");
}

fn main() {
    // Cargo's own tests ask for it with an argument, and want it short.
    if std::env::args().any(|it| it == "--test") {
        return measure(20_000);
    }
    measure(5_000_000);
}

//! What it costs to know why: the graph of 1 and 10 million spans against reading them once, what it takes in memory, what projections
//! and call trees of the host take; and Kineto-like files of 1 and 5 million events, from their bytes on disk to every answer.

mod generate {
    pub mod kineto;
}

use std::fs::File;
use std::hint::black_box;
use std::io::{self, BufWriter, Write as _};
use std::ops::ControlFlow;
use std::time::Instant;

use engine::analysis::causes::Causes;
use engine::analysis::{Conclusions, HostLevel, HostRanges, HostScope, Statistics, TreeScope};
use engine::capture::Capture;
use engine::importer::{self, Source};
use engine::record::{
    Basis, CallId, Dependency, DependencyKind, Group, Lane, LaneId, NameId, Record, Role, Span,
    SpanId, SpanKind, State,
};
use engine::time::{Interval, Nanos};

const STREAMS: u32 = 8;
/// Spans that are applied at a time.
const BATCH: u32 = 1 << 16;

/// Two spans for each launch: a call of the one thread, and a kernel of a stream that waits for another one now and then.
fn launch(place: u32, records: &mut Vec<Record>) {
    let (call, kernel) = (SpanId(place * 2), SpanId(place * 2 + 1));
    let stream = place % STREAMS;
    let at = i64::from(place) * 1_000;
    let span = |id, lane, kind, [start, end]: [i64; 2], enqueued| {
        Record::Span(Span {
            id,
            lane: LaneId(lane),
            name: NameId(lane),
            call: CallId::NONE,
            kind,
            state: State::Done,
            enqueued: Nanos(enqueued),
            start: Nanos(start),
            end: Nanos(end),
        })
    };
    let ran = [at + 3_000, at + 10_400];
    records.push(span(call, 0, SpanKind::Call, [at, at + 800], at));
    records.push(span(kernel, 1 + stream, SpanKind::Kernel, ran, at));
    records.push(Record::Dependency(Dependency::submission(call, kernel)));
    if place % 4 == 3 && place > STREAMS * 2 {
        records.push(Record::Dependency(Dependency::new(
            SpanId((place - STREAMS - 1) * 2 + 1),
            kernel,
            DependencyKind::Event,
            Basis::Enforced,
        )));
    }
}

fn capture(spans: u32) -> Capture {
    let mut capture = Capture::new();
    let lanes = (0..=STREAMS).map(|id| {
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
    });
    capture.apply(lanes);
    let mut records = Vec::new();
    for place in 0..spans / 2 {
        launch(place, &mut records);
        if records.len() >= BATCH as usize {
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

#[expect(clippy::print_stdout, reason = "a bench prints its table")]
fn measure(spans: u32) {
    let capture = capture(spans);
    let (read, sum) = seconds(|| {
        let lengths = capture.spans().map(|it| it.interval().length().0);
        lengths.fold(0_i64, i64::wrapping_add)
    });
    black_box(sum);
    let (built, mut causes) = seconds(|| Causes::build(&capture));
    let (slack, _) = seconds(|| black_box(causes.read(&capture).slack(SpanId(spans - 1))));
    // As it is kept beside a window.
    causes.forget_times();
    let reader = causes.read(&capture);
    let (walked, path) = seconds(|| reader.path());
    let (idle, ()) = seconds(|| {
        for lane in reader.streams() {
            black_box(reader.idle(lane, causes.extent()));
        }
    });
    let last = SpanId(spans - 1);
    let (one, chain) = seconds(|| (reader.of(last), reader.split(last), reader.chain(last)));
    let whole: Nanos = path
        .iter()
        .fold(Nanos::ZERO, |sum, it| sum + it.interval.length());
    assert_eq!(whole, Interval::length(causes.extent()));
    println!(
        "{spans} spans: graph {built:.2} s and slack {slack:.2} s, {:.1} times reading the spans once ({read:.2} s); {:.1} bytes a \
         span",
        (built + slack) / read,
        causes.heap_bytes() as f64 / f64::from(spans),
    );
    println!(
        "  critical path {walked:.3} s ({} segments, {:.3} of the graph), idle {idle:.2} s, one span {:.3} ms ({} segments)",
        path.len(),
        walked / built,
        one * 1e3,
        chain.2.len(),
    );
}

/// Spans of a host thread that nest eight deep, and within the innermost of each eight a call that launches a kernel on one of a
/// few streams, which overlap.
fn nested(place: u32, records: &mut Vec<Record>) {
    const DEPTH: u32 = 8;
    let first = place * (DEPTH + 2);
    let at = i64::from(place) * 1_000;
    let span = |id: u32, lane, name, kind, [start, end]: [i64; 2]| {
        Record::Span(Span {
            id: SpanId(first + id),
            lane: LaneId(lane),
            name: NameId(name),
            call: CallId::NONE,
            kind,
            state: State::Done,
            enqueued: Nanos(start),
            start: Nanos(start),
            end: Nanos(end),
        })
    };
    for depth in 0..DEPTH {
        let own = i64::from(depth) * 20;
        // The names of a model's layers come again and again, in other places of the stack.
        let name = 1 + (place + depth) % 200 * DEPTH + depth;
        records.push(span(
            depth,
            0,
            name,
            SpanKind::HostWork,
            [at + own, at + 900 - own],
        ));
    }
    let (call, kernel) = (DEPTH, DEPTH + 1);
    records.push(span(call, 0, 0, SpanKind::Call, [at + 300, at + 320]));
    let stream = 1 + place % STREAMS;
    records.push(span(
        kernel,
        stream,
        0,
        SpanKind::Kernel,
        [at + 3_000, at + 6_200],
    ));
    let submission = Dependency::submission(SpanId(first + call), SpanId(first + kernel));
    records.push(Record::Dependency(submission));
}

/// What it takes to project the ranges of the host, and to see what called what.
#[expect(clippy::print_stdout, reason = "a bench prints its table")]
fn measure_ranges(ranges: u32) {
    let mut capture = capture(0);
    let mut records = Vec::new();
    for place in 0..ranges / 8 {
        nested(place, &mut records);
        if records.len() >= BATCH as usize {
            capture.apply(records.drain(..));
        }
    }
    capture.apply(records);
    let (read, sum) = seconds(|| {
        let lengths = capture.spans().map(|it| it.interval().length().0);
        lengths.fold(0_i64, i64::wrapping_add)
    });
    black_box(sum);
    let level = HostLevel::Operators;
    let scope = HostScope::default().of_level(level);
    let (gathered, host) = seconds(|| HostRanges::new(&capture, &scope));
    let (projected, found) = seconds(|| host.project(level));
    let (called, tree) = seconds(|| host.tree(&capture, level, &TreeScope::default()));
    let (turned, callers) = seconds(|| tree.bottom_up());
    assert_eq!(found.len(), host.count(level));
    println!(
        "{ranges} ranges of the host: projected in {:.3} s, {:.1} times reading the spans once ({read:.3} s); call tree {:.3} s ({} \
         nodes), from the bottom up {turned:.3} s ({} nodes); {gathered:.3} s of each to gather them",
        gathered + projected,
        (gathered + projected) / read,
        gathered + called,
        tree.nodes.len(),
        callers.nodes.len(),
    );
}

/// What a file takes until idle time, overlap and the critical path are known, and until everything is.
#[expect(clippy::print_stdout, reason = "a bench prints its table")]
fn measure_file(events: u64) -> io::Result<()> {
    let path = std::env::temp_dir().join(format!("syncline-causes-{}.json", std::process::id()));
    let mut out = BufWriter::with_capacity(1 << 20, File::create(&path)?);
    let events = generate::kineto::write(events, &mut out)?;
    out.flush()?;
    drop(out);
    let mut capture = Capture::new();
    let (read, receipt) = seconds(|| {
        let source = Source::open(&path).map_err(io::Error::other)?;
        let receipt = importer::open_source(&source, &mut |batch| {
            capture.apply(batch.records);
            ControlFlow::Continue(())
        });
        receipt.map_err(io::Error::other)
    });
    std::fs::remove_file(&path)?;
    receipt?;
    let (graph, causes) = seconds(|| Causes::build(&capture));
    let reader = causes.read(&capture);
    let (idle, ()) = seconds(|| {
        for lane in reader.streams() {
            black_box(reader.idle(lane, causes.extent()));
        }
    });
    let (overlap, _) = seconds(|| black_box(Statistics::of_lanes(&capture, causes.extent())));
    let (walked, path) = seconds(|| reader.path());
    let (all, _) = seconds(|| black_box(Conclusions::of(&capture)));
    let sum = read + graph + idle + overlap + walked;
    println!(
        "{events} events of a file: {sum:.2} s, {:.2} times reading them ({read:.2} s): graph {graph:.2}, idle {idle:.3}, overlap \
         {overlap:.2}, critical path {walked:.3} ({} segments); every conclusion {all:.2} s",
        sum / read,
        path.len(),
    );
    Ok(())
}

fn main() -> io::Result<()> {
    // Cargo's own tests ask for it with an argument, and want it short.
    if std::env::args().any(|it| it == "--test") {
        measure(10_000);
        measure_ranges(8_000);
        return measure_file(10_000);
    }
    measure_ranges(1_000_000);
    measure_file(1_000_000)?;
    measure_file(5_000_000)?;
    measure(1_000_000);
    measure(10_000_000);
    Ok(())
}

//! The live path: records from several threads to the capture, and what it costs to be watched.

use std::hint::black_box;
use std::sync::Arc;
use std::time::Instant;

use engine::backend::{
    self, DeviceLayout, HostIndex, Operation, ReportSink, StreamLayout, Submission,
};
use engine::capture::Capture;
use engine::record::{
    CallId, CounterId, DeviceId, LaneId, NameId, Record, Span, SpanId, SpanKind, State, StreamIndex,
};
use engine::runner::{Recorder, RunRequest, run};
use engine::time::Nanos;
use engine::workload::{Call, DataCall, Document, Plan, StreamRole, SyncTarget};

/// Records that each thread reports.
const EACH: u32 = 2_500_000;
const THREADS: u32 = 2;
/// Operations of 50 µs.
const OPERATIONS: u32 = 400;
const ROUNDS: usize = 41;

fn span(id: u32, lane: u32) -> Record {
    let start = i64::from(id) * 100;
    Record::Span(Span {
        id: SpanId(id),
        lane: LaneId(lane),
        name: NameId(id % 40),
        call: CallId(id % 30),
        kind: SpanKind::Kernel,
        state: State::Done,
        enqueued: Nanos(start - 20),
        start: Nanos(start),
        end: Nanos(start + 90),
    })
}

/// Records a second from two reporting threads through the recorder's channel into a capture, and how many were lost.
fn live() -> (f64, u64) {
    let recorder = Arc::new(Recorder::new(false));
    let mut capture = Capture::new();
    let total = u64::from(EACH * THREADS);
    let start = Instant::now();
    std::thread::scope(|scope| {
        for thread in 0..THREADS {
            let reporter = recorder.reporter();
            scope.spawn(move || {
                (0..EACH).for_each(|k| reporter.send(span(k * THREADS + thread, thread)));
            });
        }
        while recorder.taken() < total {
            recorder.sweep(&mut |records| capture.apply(records));
        }
    });
    let seconds = start.elapsed().as_secs_f64();
    let lost = total - capture.span_count() as u64;
    (total as f64 / seconds, lost)
}

struct SilentSink;

impl ReportSink for SilentSink {
    fn report(&mut self, record: Record) {
        black_box(record);
    }
}

const SOURCE: &str = r#"
    param "n" 400 max=1000000
    stream "a"
    host "main" { repeat "n" { launch "spin" on="a" { set "micros" 50 } }; synchronize-stream "a" }
"#;

/// Milliseconds of the same operations, submitted to the device by hand, with nobody listening.
fn unwatched(plan: &Plan) -> Option<f64> {
    let stream = StreamLayout {
        name: "a".to_owned(),
        lane: LaneId(1),
        pending: CounterId(0),
        role: StreamRole::Compute,
        priority: 0,
        failure: engine::workload::FailureMode::Stop,
        traits: engine::workload::StreamTraits::default(),
    };
    let layout = DeviceLayout {
        device: DeviceId(0),
        streams: vec![stream],
        hosts: 1,
        ..DeviceLayout::default()
    };
    let device = backend::find_backend("cpu")?
        .open(&layout, &|| Box::new(SilentSink))
        .ok()?;
    let host = HostIndex(0);
    device.start();
    for (id, placed) in plan.calls(0).enumerate() {
        let Call::Data(DataCall::Launch { kernel, .. }) = placed.call else {
            continue;
        };
        let submission = Submission {
            span: SpanId(id as u32),
            queue: SpanId::NONE,
            name: NameId(0),
            call: CallId(0),
            enqueued: device.now(host),
            operation: Operation::Launch(Box::new(kernel)),
        };
        device.submit(host, StreamIndex(0), submission).ok()?;
    }
    device
        .synchronize(host, SyncTarget::Stream(StreamIndex(0)), None)
        .ok()?;
    Some(device.now(host).0 as f64 / 1e6)
}

/// Milliseconds of the same operations as a workload, recorded into a capture.
fn watched() -> Option<f64> {
    let mut capture = Capture::new();
    let request = RunRequest {
        name: "watched".to_owned(),
        source: SOURCE.to_owned(),
        backend: "cpu".to_owned(),
        ..RunRequest::default()
    };
    let end = run(request, |records| capture.apply(records)).ok()?;
    Some(end.time.0 as f64 / 1e6)
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times.get(times.len() / 2).copied().unwrap_or_default()
}

#[expect(clippy::print_stdout, reason = "a bench prints its table")]
fn main() {
    let rates: Vec<(f64, u64)> = (0..3).map(|_| live()).collect();
    let lost: u64 = rates.iter().map(|(_, lost)| lost).sum();
    let rate = median(rates.into_iter().map(|(rate, _)| rate).collect());
    println!(
        "live path, {THREADS} threads: {:.1} M records/s, {lost} lost",
        rate / 1e6
    );
    let plan = Document::parse("watched", SOURCE).and_then(|document| document.plan(&[]));
    let Ok(plan) = plan else { return };
    // By turns and first in turn, so that whatever else the machine does meets both alike; and the least of many
    // short ones, which are those that it left alone.
    let (mut off, mut on) = (f64::INFINITY, f64::INFINITY);
    for round in 0..ROUNDS {
        if round % 2 == 0 {
            off = off.min(unwatched(&plan).unwrap_or(f64::INFINITY));
        }
        on = on.min(watched().unwrap_or(f64::INFINITY));
        if round % 2 == 1 {
            off = off.min(unwatched(&plan).unwrap_or(f64::INFINITY));
        }
    }
    println!(
        "{OPERATIONS} operations of 50 us: {off:.2} ms unwatched, {on:.2} ms watched, {:.3}x",
        on / off
    );
}

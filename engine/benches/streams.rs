//! A run of 10,000 streams, 100,000 events and 1 million calls on the CPU, against its device without a runner.

use std::fmt::Write as _;
use std::time::Instant;

use engine::backend::{
    self, BackendDevice, DeviceLayout, EventLayout, HostIndex, Operation, ReportSink, StreamLayout,
    Submission,
};
use engine::record::{CallId, CounterId, LaneId, NameId, Record, RunOutcome, SpanId, StreamIndex};
use engine::runner::{RunRequest, run};
use engine::workload::{Call, DataCall, Document, EventCall, Plan, SyncTarget};

const STREAMS: u32 = 10_000;
const EVENTS: u32 = 100_000;

/// Streams in a ring hand parts on: each waits for its neighbour, works and records.
fn source() -> String {
    let mut text = String::new();
    let _ = write!(
        text,
        r#"stream "s" count={STREAMS}
           event "e" count={EVENTS}
           buffer "x" f32=16 count=20000
           host "main" {{
               repeat 33 index="r" {{
                   repeat {STREAMS} index="i" {{
                       wait "e" "r * {STREAMS} + i + {EVENTS} - 1" on="s[i]"
                       fill "x" "r * {STREAMS} + i" value=1 on="s[i]"
                       record "e" "r * {STREAMS} + i" on="s[i]"
                   }}
               }}
               repeat 10000 {{ query "e[0]" }}
               synchronize-device
           }}"#
    );
    text
}

struct DiscardSink;

impl ReportSink for DiscardSink {
    fn report(&mut self, _: Record) {}
}

fn layout(plan: &Plan) -> DeviceLayout {
    let streams = plan.streams.iter().zip(0_u32..);
    DeviceLayout {
        streams: streams
            .map(|(stream, place)| StreamLayout {
                name: stream.name.clone(),
                lane: LaneId(place),
                pending: CounterId(place),
                role: stream.role,
                priority: stream.priority,
                failure: stream.failure,
                traits: engine::workload::StreamTraits::default(),
            })
            .collect(),
        events: vec![EventLayout::default(); plan.events.len()],
        buffers: plan.buffers.iter().map(|buffer| buffer.len).collect(),
        hosts: 1,
        ..DeviceLayout::default()
    }
}

fn submission(call: &Call) -> Option<(StreamIndex, Operation)> {
    Some(match *call {
        Call::Event(EventCall::Wait { event, stream, .. }) => (stream, Operation::Wait(event)),
        Call::Event(EventCall::Record { event, stream, .. }) => (stream, Operation::Record(event)),
        Call::Data(DataCall::Fill {
            buffer,
            value,
            stream,
        }) => (stream, Operation::Fill { buffer, value }),
        _ => return None,
    })
}

/// Seconds that the device takes by itself.
fn bare(plan: &Plan) -> Option<f64> {
    let cpu = backend::find_backend("cpu")?;
    let device: Box<dyn BackendDevice> = cpu.open(&layout(plan), &|| Box::new(DiscardSink)).ok()?;
    let host = HostIndex(0);
    let start = Instant::now();
    device.start();
    for (placed, span) in plan.calls(0).zip(0_u32..) {
        if let Some((stream, operation)) = submission(&placed.call) {
            device.make_room(host, stream);
            let submission = Submission {
                span: SpanId(span),
                queue: SpanId::NONE,
                name: NameId(0),
                call: CallId(placed.place.call),
                enqueued: device.now(host),
                operation,
            };
            device.submit(host, stream, submission).ok()?;
        } else if let Call::Event(EventCall::Query { event, .. }) = placed.call {
            let _ = device.query(host, event);
        }
    }
    device.synchronize(host, SyncTarget::Device, None).ok()?;
    Some(start.elapsed().as_secs_f64())
}

/// The most memory that the process had, in MB.
fn peak() -> f64 {
    let text = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<f64>().ok());
    kilobytes.unwrap_or_default() / 1e3
}

#[expect(clippy::print_stdout, reason = "a bench prints its table")]
fn main() {
    let source = source();
    let Ok(plan) = Document::parse("scale", &source).and_then(|it| it.plan(&[])) else {
        println!("the workload cannot be planned");
        return;
    };
    let calls = plan.call_count;
    println!("{STREAMS} streams, {EVENTS} events, {calls} calls on the cpu backend");
    let Some(bare) = bare(&plan) else {
        println!("the cpu backend does not open");
        return;
    };
    let rate = |seconds: f64| calls as f64 / seconds;
    println!(
        "the device alone: {:.0} calls a second, {:.0} MB at most",
        rate(bare),
        peak()
    );
    let request = RunRequest {
        name: "scale".to_owned(),
        source,
        backend: "cpu".to_owned(),
        ..RunRequest::default()
    };
    let (start, mut records) = (Instant::now(), 0);
    let end = run(request, |batch| records += batch.len());
    let full = start.elapsed().as_secs_f64();
    let finished = end.is_ok_and(|end| end.outcome == RunOutcome::Finished);
    println!(
        "a run with its records and findings: {:.0} calls a second, {:.2}x the device alone, {records} records, {:.0} MB \
         at most, finished: {finished}",
        rate(full),
        full / bare,
        peak()
    );
}

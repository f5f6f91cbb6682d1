//! Speed of files: a million spans, as many dependencies and their arguments, written to `.pftrace` and opened again.
//!
//! Prints one table of medians. What opening is compared with is decoding the same packets into the same messages and
//! dropping them.

mod measure {
    pub mod median;
    pub mod table;
}

use std::hint::black_box;
use std::ops::ControlFlow;

use engine::capture::Capture;
use engine::exporter::pftrace::PftraceWriter;
use engine::exporter::{self, Exporter as _, PieceRequest};
use engine::importer::{self, Source};
use engine::perfetto::proto::TracePacket;
use engine::record::{
    Basis, CallId, Dependency, DependencyKind, EventId, Group, Lane, LaneId, NameId, Record, Role,
    Span, SpanId, SpanKind, State, Value,
};
use engine::time::{Interval, Nanos};
use measure::median::median;
use measure::table::ResultTable;
use prost::Message as _;

const SPANS: u32 = 1_000_000;
const LANES: u32 = 4;
const ROUNDS: usize = 5;

fn records() -> Vec<Record> {
    let mut records = Vec::new();
    for id in 0..LANES {
        records.push(Record::Lane(Box::new(Lane {
            id: LaneId(id),
            group: Group::Streams,
            device: None,
            role: Role::Compute,
            name: format!("stream {id}"),
            order: 0,
            process: "".into(),
            thread: "".into(),
        })));
    }
    for id in 0..40 {
        records.push(Record::Name(NameId(id), format!("kernel {id}").into()));
    }
    for id in 0..SPANS {
        let start = i64::from(id / LANES) * 1_000;
        records.push(Record::Dependency(Dependency {
            cause: SpanId(id.saturating_sub(1)),
            effect: SpanId(id),
            kind: DependencyKind::Event,
            basis: Basis::Enforced,
            event: EventId(id % 8),
            generation: id / 8,
        }));
        if id % 4 == 0 {
            records.push(Record::Argument(
                SpanId(id),
                NameId(3),
                Value::Integer(i64::from(id)),
            ));
        }
        records.push(Record::Span(Span {
            id: SpanId(id),
            lane: LaneId(id % LANES),
            name: NameId(id % 40),
            call: CallId(id % 100),
            kind: SpanKind::Kernel,
            state: State::Done,
            enqueued: Nanos(start - 50),
            start: Nanos(start),
            end: Nanos(start + 900),
        }));
    }
    records
}

fn write(records: &[Record]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(256 << 20);
    let mut writer = PftraceWriter::new(&mut bytes);
    for record in records {
        // Writing to memory cannot fail.
        let _ = writer.write(record);
    }
    let _ = writer.finish();
    drop(writer);
    bytes
}

/// Decodes every packet and drops it.
fn decode(bytes: &[u8]) -> usize {
    let mut rest = bytes;
    let mut packets = 0;
    while let Some((_, body)) = rest.split_first() {
        rest = body;
        let Ok(packet) = TracePacket::decode_length_delimited(&mut rest) else {
            break;
        };
        black_box(packet);
        packets += 1;
    }
    packets
}

fn open(source: &Source, capture: &mut Option<Capture>) -> u64 {
    let receipt = importer::open_source(source, &mut |batch| {
        match capture {
            Some(capture) => capture.apply(batch.records),
            None => drop(black_box(batch)),
        }
        ControlFlow::Continue(())
    });
    receipt.map_or(0, |receipt| receipt.read)
}

/// The piece of one hundredth of the time, cut and written.
fn cut(whole: &Capture) -> usize {
    let all = whole.extent().unwrap_or_default();
    let part = Nanos(all.length().0 / 100);
    let start = all.start + Nanos(all.length().0 / 2);
    let request = PieceRequest {
        within: Some(Interval::new(start, start + part)),
        ..PieceRequest::default()
    };
    let Ok(piece) = exporter::piece((whole, whole.bookmarks()), &request) else {
        return 0;
    };
    let mut bytes = Vec::new();
    // Writing to memory cannot fail.
    let _ = exporter::pftrace::PftraceExporter.write(&piece.capture, &mut bytes);
    bytes.len()
}

fn main() {
    let records = records();
    let bytes = write(&records);
    let megabytes = bytes.len() as f64 / 1e6;
    let count = records.len() as f64;
    let writing = median(ROUNDS, || drop(black_box(write(&records))));
    let Ok(source) = Source::from_bytes("bench.pftrace", bytes.clone()) else {
        return;
    };
    let mut packets = 0;
    let decoding = median(ROUNDS, || packets = decode(&bytes));
    let mut read = 0;
    let reading = median(ROUNDS, || read = open(&source, &mut None));
    let opening = median(ROUNDS, || read = open(&source, &mut Some(Capture::new())));
    let mut whole = Some(Capture::new());
    open(&source, &mut whole);
    let whole = whole.unwrap_or_default();
    let mut written = 0;
    let cutting = median(ROUNDS, || written = cut(&whole));
    eprintln!(
        "{SPANS} spans, {count} records, {packets} packets, {megabytes:.0} MB, {:.0} bytes a span; {read} records read",
        megabytes * 1e6 / f64::from(SPANS)
    );
    let table = ResultTable::new((count, "records"), megabytes, decoding);
    table.line("write", writing);
    table.line("decode packets and drop them", decoding);
    table.line("open to records", reading);
    table.line("open to a full capture", opening);
    eprintln!(
        "a piece of 1 % is cut out of it and written, {:.1} MB, in {:.1} ms: {:.3} of the time of opening, at most 1 is wanted",
        written as f64 / 1e6,
        cutting * 1e3,
        cutting / opening
    );
}

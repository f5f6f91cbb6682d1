//! An importer of a format of one's own: lines of `stream`, `name`, start and duration in nanoseconds, with tabs between.
//!
//! Inside the engine it would be one file in `engine/formats/src/importer` and one line in its list; outside it is used
//! as here. `cargo run -p syncline-engine --example table_importer -- FILE`

use std::error::Error;
use std::io::{BufRead as _, BufReader, Write as _};
use std::ops::ControlFlow;
use std::path::Path;

use engine::capture::Capture;
use engine::importer::{ImportBatch, Importer, Receipt, RecordSink, Source};
use engine::record::{
    CallId, Group, Lane, LaneId, NameId, Record, Role, Run, Severity, Span, SpanId, SpanKind, State,
};
use engine::time::Nanos;

/// The first line of such a file, by which it is known.
const HEADER: &str = "stream\tname\tstart\tduration";

/// The format.
pub struct SpanTable;

impl Importer for SpanTable {
    fn name(&self) -> &'static str {
        "span-table"
    }

    fn extensions(&self) -> &'static [&'static str] {
        &["tsv"]
    }

    fn about(&self) -> &'static str {
        "a table of spans, with tabs between its columns"
    }

    fn recognises(&self, head: &[u8]) -> bool {
        head.starts_with(HEADER.as_bytes())
    }

    fn read(
        &self,
        source: &Source,
        sink: &mut RecordSink<'_>,
    ) -> Result<Receipt, engine::importer::ImportError> {
        let mut receipt = Receipt::default();
        sink.push(Record::Run(Box::new(Run {
            name: source.name(),
            backend: self.name().to_owned(),
            ..Run::default()
        })));
        // What a record names by a number is a record of its own, and may come before or after it.
        let (mut streams, mut names) = (Vec::new(), Vec::new());
        let mut unread = 0;
        let mut read = 0;
        for line in BufReader::new(source.reader()?).lines().skip(1) {
            let line = line.map_err(|error| source.failed(error))?;
            read += line.len() as u64 + 1;
            let columns: Vec<&str> = line.split('\t').collect();
            let numbers =
                |start: &str, length: &str| Some((start.parse().ok()?, length.parse().ok()?));
            let [stream, name, start, length] = columns[..] else {
                unread += 1;
                continue;
            };
            let Some((start, length)) = numbers(start, length) else {
                unread += 1;
                continue;
            };
            let (stream_id, is_new) = place(&mut streams, stream);
            if is_new {
                sink.push(lane_record(stream_id, stream));
            }
            let (name_id, is_new) = place(&mut names, name);
            if is_new {
                sink.push(Record::Name(NameId(name_id), name.into()));
            }
            let start = Nanos(start);
            sink.push(Record::Span(Span {
                id: SpanId(receipt.events as u32),
                lane: LaneId(stream_id),
                name: NameId(name_id),
                call: CallId::NONE,
                kind: SpanKind::Kernel,
                state: State::Done,
                enqueued: start,
                start,
                end: start + Nanos(length),
            }));
            receipt.events += 1;
            // Progress, and the place where a reader cancels.
            sink.advance(read)?;
        }
        if unread > 0 {
            // Nothing is left out in silence.
            let text =
                format!("{unread} lines are not four columns with two numbers; they are left out");
            sink.complain(Severity::DataLoss, "line-unread", text.clone());
            receipt.dropped += unread;
            receipt.notes.push(text);
        }
        Ok(receipt)
    }
}

/// The place of a text in a list, and whether it is new there.
fn place(known: &mut Vec<String>, text: &str) -> (u32, bool) {
    let found = known.iter().position(|it| it == text);
    let at = found.unwrap_or(known.len());
    if found.is_none() {
        known.push(text.to_owned());
    }
    (at as u32, found.is_none())
}

fn lane_record(lane: u32, name: &str) -> Record {
    Record::Lane(Box::new(Lane {
        id: LaneId(lane),
        group: Group::Streams,
        device: None,
        role: Role::None,
        name: name.to_owned(),
        order: lane as i32,
        process: "".into(),
        thread: "".into(),
    }))
}

/// The capture that the file at `path` holds, and what became of its lines.
///
/// # Errors
/// Why it cannot be read.
pub fn open(path: &Path) -> Result<(Capture, Receipt), Box<dyn Error>> {
    let source = Source::open(path)?;
    if !SpanTable.recognises(source.head()) {
        return Err(format!("{} does not begin with {HEADER:?}", path.display()).into());
    }
    let mut capture = Capture::new();
    let mut apply = |batch: ImportBatch| {
        capture.apply(batch.records);
        ControlFlow::Continue(())
    };
    let mut sink = RecordSink::new(&source, &mut apply);
    let receipt = SpanTable.read(&source, &mut sink)?;
    sink.send()?;
    Ok((capture, receipt))
}

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args_os().nth(1).ok_or("name a table of spans")?;
    let (capture, receipt) = open(Path::new(&path))?;
    let (lanes, events, dropped) = (capture.lanes().len(), receipt.events, receipt.dropped);
    let line = format!("{events} spans on {lanes} streams, {dropped} lines left out\n");
    std::io::stdout().write_all(line.as_bytes())?;
    Ok(())
}

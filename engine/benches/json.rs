//! Speed of trace JSON: Kineto-like files of 0.1, 1 and 5 million events, opened to a full capture.
//!
//! Prints one table of medians. What opening is compared with is `serde_json` reading the same bytes, which are in memory
//! already, into typed structs on one core and dropping each: of the parsers that were tried, sonic-rs and jiter among
//! them, it is the quickest at that. `SYNCLINE_JSON=FILE` opens one file of yours instead.

mod generate {
    pub mod kineto;
}
mod measure {
    pub mod median;
    pub mod table;
}

use std::borrow::Cow;
use std::fmt;
use std::fs::File;
use std::hint::black_box;
use std::io::{self, BufWriter, Write as _};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::Instant;

use engine::capture::Capture;
use engine::importer::{self, Source};
use measure::median::median;
use measure::table::ResultTable;
use serde::Deserialize;
use serde::de::{Deserializer as _, IgnoredAny, SeqAccess, Visitor};

/// An event as a typed reader would have it.
#[derive(Deserialize)]
#[expect(dead_code, reason = "what is compared is the reading")]
struct TypedEvent<'a> {
    ph: &'a str,
    #[serde(borrow)]
    name: Cow<'a, str>,
    cat: Option<&'a str>,
    pid: i64,
    tid: i64,
    ts: f64,
    dur: Option<f64>,
    id: Option<u64>,
    args: Option<TypedArguments<'a>>,
}

#[derive(Deserialize)]
#[expect(dead_code, reason = "what is compared is the reading")]
struct TypedArguments<'a> {
    #[serde(rename = "External id")]
    external: Option<i64>,
    correlation: Option<i64>,
    stream: Option<i64>,
    device: Option<i64>,
    context: Option<i64>,
    queued: Option<i64>,
    bytes: Option<i64>,
    #[serde(rename = "registers per thread")]
    registers: Option<i64>,
    #[serde(rename = "shared memory")]
    shared: Option<i64>,
    #[serde(rename = "blocks per SM")]
    blocks: Option<f64>,
    #[serde(rename = "warps per SM")]
    warps: Option<f64>,
    grid: Option<[u32; 3]>,
    block: Option<[u32; 3]>,
    #[serde(borrow)]
    cuda_sync_kind: Option<Cow<'a, str>>,
}

/// Reads events one after the other and counts them.
struct EventCounter(u64);

impl<'de> Visitor<'de> for EventCounter {
    type Value = Self;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of events")
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut list: A) -> Result<Self, A::Error> {
        while let Some(event) = list.next_element::<TypedEvent<'de>>()? {
            black_box(&event);
            self.0 += 1;
        }
        Ok(self)
    }
}

impl<'de> Deserialize<'de> for EventCounter {
    fn deserialize<D: serde::Deserializer<'de>>(reader: D) -> Result<Self, D::Error> {
        reader.deserialize_seq(Self(0))
    }
}

#[derive(Deserialize)]
struct TypedDocument {
    #[serde(rename = "traceEvents")]
    events: EventCounter,
}

fn typed(bytes: &[u8]) -> u64 {
    let document = serde_json::from_slice::<TypedDocument>(bytes);
    document.map_or(0, |document| document.events.0)
}

/// Passes over everything without looking at it: the least that a validating reader does.
fn skipped(bytes: &[u8]) {
    let mut reader = serde_json::Deserializer::from_slice(bytes);
    let answer = reader.deserialize_any(IgnoredAny);
    drop(black_box(answer));
}

/// Opens a file, into a capture or into nothing.
fn open(path: &Path, mut capture: Option<&mut Capture>) -> importer::Receipt {
    let Ok(source) = Source::open(path) else {
        return importer::Receipt::default();
    };
    let receipt = importer::open_source(&source, &mut |batch| {
        match &mut capture {
            Some(capture) => capture.apply(batch.records),
            None => drop(black_box(batch)),
        }
        ControlFlow::Continue(())
    });
    receipt.unwrap_or_default()
}

fn generate(events: u64) -> io::Result<(PathBuf, u64)> {
    let path = std::env::temp_dir().join(format!("syncline-kineto-{}.json", std::process::id()));
    let mut out = BufWriter::with_capacity(1 << 20, File::create(&path)?);
    let count = generate::kineto::write(events, &mut out)?;
    out.flush()?;
    Ok((path, count))
}

/// What one file takes, as lines of a table.
fn measure(path: &Path, rounds: usize) -> io::Result<()> {
    let bytes = std::fs::read(path)?;
    let megabytes = bytes.len() as f64 / 1e6;
    let events = typed(&bytes);
    let reading = median(rounds, || {
        black_box(typed(&bytes));
    });
    let skipping = median(rounds, || skipped(&bytes));
    drop(bytes);
    let mut first = None;
    let records = median(rounds, || {
        let start = Instant::now();
        let Ok(source) = Source::open(path) else {
            return;
        };
        let answer = importer::open_source(&source, &mut |batch| {
            if first.is_none()
                && batch
                    .records
                    .iter()
                    .any(|it| matches!(it, engine::record::Record::Span(_)))
            {
                first = Some(start.elapsed().as_secs_f64());
            }
            drop(black_box(batch));
            ControlFlow::Continue(())
        });
        drop(black_box(answer));
    });
    let opening = median(rounds, || {
        let mut capture = Capture::new();
        open(path, Some(&mut capture));
        black_box(&capture);
    });
    let mut capture = Capture::new();
    let receipt = open(path, Some(&mut capture));
    let spans = capture.span_count();
    let each = capture.tables_in_bytes();
    let each =
        each.map(|(name, bytes)| format!("{name} {:.1}", bytes as f64 / spans.max(1) as f64));
    let tables = each.join(", ");
    eprintln!(
        "\n{events} events, {megabytes:.0} MB: {spans} spans, {} dependencies, {} records, bytes a span: {tables}; first spans after {:.0} ms",
        capture.dependency_count(),
        receipt.read,
        first.unwrap_or_default() * 1e3,
    );
    let table = ResultTable::new((events as f64, "events"), megabytes, reading);
    table.line("serde_json into typed structs, one core", reading);
    table.line("serde_json passing over it, one core", skipping);
    table.line("open to records", records);
    table.line("open to a full capture", opening);
    Ok(())
}

fn main() -> io::Result<()> {
    if let Some(path) = std::env::var_os("SYNCLINE_JSON") {
        return measure(Path::new(&path), 5);
    }
    for (events, rounds) in [(100_000, 9), (1_000_000, 5), (5_000_000, 3)] {
        let (path, _) = generate(events)?;
        let answer = measure(&path, rounds);
        std::fs::remove_file(&path)?;
        answer?;
    }
    Ok(())
}

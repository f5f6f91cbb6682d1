//! Time of trace JSON in shapes that invite a look at everything for each event: spans that never end, times that go
//! backwards, overlaps, and calls that wait for very many streams. Of a database of waits on very many threads, of which none
//! recorded an event. And of workloads in shapes that invite a parser to try
//! again: what begins and has no end, what is taken out, and names that nothing has.
//!
//! Prints for each what an event of a file, or a kilobyte of a text, takes, and how many times as much it takes in one that
//! is eight times as long: 1.0 where the time grows as the length does.

mod measure {
    pub mod median;
}

use std::hint::black_box;
use std::io;
use std::ops::ControlFlow;

use engine::capture::Capture;
use engine::importer::{self, Source};
use engine::workload::Document;
use measure::median::median;
use rusqlite::Connection;

const ROUNDS: usize = 3;
/// Events of the shorter file, and how many times as many the longer one has.
const EVENTS: u64 = 25_000;
const TIMES: u64 = 8;

/// What is odd about a file, and the fields of its event with a number.
type FileShape = (&'static str, fn(u64) -> String);

const SHAPES: &[FileShape] = &[
    ("spans", |it| {
        format!(r#""ph":"X","pid":1,"tid":1,"ts":{it},"dur":1,"name":"a""#)
    }),
    ("begins without an end", |it| {
        format!(r#""ph":"B","pid":1,"tid":1,"ts":{it},"name":"a""#)
    }),
    ("asynchronous begins without an end", |it| {
        format!(r#""ph":"b","cat":"c","id":{it},"pid":1,"tid":1,"ts":{it},"name":"a""#)
    }),
    ("a counter with times that go backwards", |it| {
        let time = 1_000_000_000 - it;
        format!(r#""ph":"C","pid":1,"ts":{time},"name":"c","args":{{"v":{it}}}"#)
    }),
    ("spans that overlap, backwards", |it| {
        let time = 1_000_000_000 - it;
        format!(r#""ph":"X","pid":1,"tid":1,"ts":{time},"dur":100000,"name":"a""#)
    }),
    ("a thread for each span", |it| {
        format!(r#""ph":"X","pid":1,"tid":{it},"ts":{it},"dur":1,"name":"a""#)
    }),
    ("calls that wait for very many streams", |it| {
        let time = it * 10;
        if it % 3 == 0 {
            let of = format!(r#"{{"stream":{it},"correlation":{}}}"#, it + 1);
            return format!(
                r#""ph":"X","cat":"kernel","pid":1,"tid":{it},"ts":{time},"dur":1,"name":"k","args":{of}"#
            );
        }
        let call = if it % 2 == 0 {
            "cudaLaunchKernel"
        } else {
            "cudaDeviceSynchronize"
        };
        format!(
            r#""ph":"X","cat":"cuda_runtime","pid":1,"tid":1,"ts":{time},"dur":1,"name":"{call}","args":{{"correlation":{it}}}"#
        )
    }),
];

/// What is odd about a workload, what it begins with, what is repeated in it, and what it ends with.
type TextShape = (&'static str, &'static str, &'static str, &'static str);

/// Bytes of the shorter text.
const BYTES: usize = 100_000;

const TEXTS: &[TextShape] = &[
    (
        "calls",
        "stream \"s\"; host \"h\" {\n",
        "launch \"spin\" on=\"s\"\n",
        "}",
    ),
    (
        "calls on one line",
        "stream \"s\"; host \"h\" { ",
        "launch \"spin\" on=\"s\"; ",
        "}",
    ),
    (
        "words that nothing knows, on one line",
        "",
        "strem \"a\"; ",
        "",
    ),
    (
        "names that nothing has",
        "stream \"s\"; host \"h\" {\n",
        "launch \"spin\" on=\"t\"\n",
        "}",
    ),
    ("nodes that are taken out", "", "/- a b { c; }\n", ""),
    ("values that are taken out", "a", "/-b", ""),
    (
        "blocks that are taken out and not closed",
        "",
        "a /-{\n",
        "",
    ),
    ("texts without an end", "host \"h\" {\n", "\\\" ##\"", ""),
    (
        "texts of many lines without an end",
        "",
        "a \"\"\"\nb\n",
        "",
    ),
    ("comments without an end", "", "a /* b\n", ""),
    ("values without an end", "", "a x=\n", ""),
    ("properties of one node", "stream \"s\"", " a=1 b=2 c=3", ""),
];

/// Seconds for a workload that is at least so long.
fn checking((_, begin, piece, end): &TextShape, bytes: usize) -> f64 {
    let text = format!("{begin}{}{end}", piece.repeat(bytes / piece.len()));
    median(ROUNDS, || drop(black_box(Document::check("a.kdl", &text))))
}

fn opening((name, event): &FileShape, events: u64) -> io::Result<f64> {
    let mut text = String::from("[");
    for number in 0..events {
        text.push('{');
        text.push_str(&event(number));
        text.push_str("},");
    }
    text.push_str("{}]");
    let source = Source::from_bytes("a.json", text.into_bytes()).map_err(io::Error::other)?;
    opening_source(&source).map_err(|error| io::Error::other(format!("{name}: {error}")))
}

/// Seconds to open a file to a full capture.
fn opening_source(source: &Source) -> Result<f64, importer::ImportError> {
    let mut failed = None;
    let took = median(ROUNDS, || {
        let mut capture = Capture::new();
        let opened = importer::open_source(source, &mut |batch| {
            capture.apply(batch.records);
            ControlFlow::Continue(())
        });
        failed = failed.take().or(opened.err());
        black_box(capture.span_count());
    });
    failed.map_or(Ok(took), Err)
}

/// The tables of an export of Nsight Systems, with the columns that these rows have.
const SCHEMA: &str = "
CREATE TABLE StringIds (id INTEGER, value TEXT);
INSERT INTO StringIds VALUES (1, 'k'), (2, 'cudaLaunchKernel_v7000'), (3, 'cudaEventRecord_v3020'),
  (4, 'cudaStreamWaitEvent_v3020');
CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER, end INTEGER, deviceId INTEGER, contextId INTEGER,
  streamId INTEGER, correlationId INTEGER, globalPid INTEGER, demangledName INTEGER, shortName INTEGER);
CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER, end INTEGER, eventClass INTEGER, globalTid INTEGER,
  correlationId INTEGER, nameId INTEGER, returnValue INTEGER);
CREATE TABLE CUPTI_ACTIVITY_KIND_SYNCHRONIZATION (start INTEGER, end INTEGER, deviceId INTEGER, contextId INTEGER,
  streamId INTEGER, correlationId INTEGER, globalPid INTEGER, syncType INTEGER, eventId INTEGER, eventSyncId INTEGER);
";

/// Seconds for a database in which one thread launches kernels and records events, and as many others wait for events of which
/// the records are not in the file.
fn opening_waits(rows: u64) -> Result<f64, Box<dyn std::error::Error>> {
    const PROCESS: i64 = 1 << 24;
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("a.sqlite");
    let mut file = Connection::open(&path)?;
    file.execute_batch(SCHEMA)?;
    let all = file.transaction()?;
    for row in 0..rows as i64 / 5 {
        let (time, call) = (row * 100, row * 4);
        all.execute(
            "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (?, ?, 0, 1, ?, ?, ?, 1, 1)",
            [time + 50, time + 60, 7 + row % 3, call, PROCESS],
        )?;
        let calls = [(0, 2, 1), (1, 3, 1), (2, 4, 2 + row)];
        for (place, name, thread) in calls {
            let start = time + 10 * place;
            all.execute(
                "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (?, ?, 0, ?, ?, ?, 0)",
                [start, start + 5, PROCESS + thread, call + place, name],
            )?;
        }
        all.execute(
            "INSERT INTO CUPTI_ACTIVITY_KIND_SYNCHRONIZATION VALUES (?, ?, 0, 1, ?, ?, ?, 2, ?, NULL)",
            [time + 20, time + 25, 7 + (row + 1) % 3, call + 2, PROCESS, 1_000_000 + row],
        )?;
    }
    all.commit()?;
    drop(file);
    Ok(opening_source(&Source::open(&path)?)?)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    eprintln!(
        "{:<42} {:>12} {:>12}",
        "shape", "µs an event", "8 × as long"
    );
    for shape in SHAPES {
        let short = opening(shape, EVENTS)? / EVENTS as f64;
        let long = opening(shape, EVENTS * TIMES)? / (EVENTS * TIMES) as f64;
        eprintln!(
            "{:<42} {:>12.2} {:>10.1} ×",
            shape.0,
            short * 1e6,
            long / short
        );
    }
    let short = opening_waits(EVENTS)? / EVENTS as f64;
    let long = opening_waits(EVENTS * TIMES)? / (EVENTS * TIMES) as f64;
    eprintln!(
        "{:<42} {:>12.2} {:>10.1} ×",
        "waits on threads without records, SQLite",
        short * 1e6,
        long / short
    );
    eprintln!("\n{:<42} {:>12} {:>12}", "text", "µs a kB", "8 × as long");
    for shape in TEXTS {
        let thousands = BYTES as f64 / 1e3;
        let short = checking(shape, BYTES) / thousands;
        let long = checking(shape, BYTES * TIMES as usize) / (thousands * TIMES as f64);
        eprintln!(
            "{:<42} {:>12.2} {:>10.1} ×",
            shape.0,
            short * 1e6,
            long / short
        );
    }
    Ok(())
}

//! Speed of databases: exports of Nsight Systems of a tenth, one and five million rows, opened to a full capture.
//!
//! Prints one table of medians. What opening is compared with is reading the same columns with rusqlite and dropping
//! them. The files are made by a generator that yields the same bytes each time, in a temporary folder.

mod measure {
    pub mod median;
}

use std::collections::HashMap;
use std::hint::black_box;
use std::ops::ControlFlow;
use std::path::Path;

use engine::capture::Capture;
use engine::importer;
use measure::median::median;
use rusqlite::{Connection, OpenFlags, Statement};

/// Rows of the files.
const SIZES: &[u64] = &[100_000, 1_000_000, 5_000_000];
const ROUNDS: usize = 5;

const SCHEMA: &str = "
CREATE TABLE StringIds (id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE TARGET_INFO_GPU (vmId INTEGER NOT NULL, id INTEGER NOT NULL, name TEXT);
CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER NOT NULL, end INTEGER NOT NULL, eventClass INTEGER NOT NULL,
  globalTid INTEGER, correlationId INTEGER, nameId INTEGER NOT NULL, returnValue INTEGER NOT NULL, callchainId INTEGER);
CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER NOT NULL, end INTEGER NOT NULL, deviceId INTEGER NOT NULL,
  contextId INTEGER NOT NULL, greenContextId INTEGER, streamId INTEGER NOT NULL, correlationId INTEGER,
  globalPid INTEGER, demangledName INTEGER NOT NULL, shortName INTEGER NOT NULL, mangledName INTEGER,
  launchType INTEGER, cacheConfig INTEGER, registersPerThread INTEGER NOT NULL, gridX INTEGER NOT NULL,
  gridY INTEGER NOT NULL, gridZ INTEGER NOT NULL, blockX INTEGER NOT NULL, blockY INTEGER NOT NULL,
  blockZ INTEGER NOT NULL, staticSharedMemory INTEGER NOT NULL, dynamicSharedMemory INTEGER NOT NULL,
  localMemoryPerThread INTEGER NOT NULL, localMemoryTotal INTEGER NOT NULL, gridId INTEGER NOT NULL,
  sharedMemoryExecuted INTEGER, graphNodeId INTEGER, sharedMemoryLimitConfig INTEGER);
CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start INTEGER NOT NULL, end INTEGER NOT NULL, deviceId INTEGER NOT NULL,
  contextId INTEGER NOT NULL, greenContextId INTEGER, streamId INTEGER NOT NULL, correlationId INTEGER,
  globalPid INTEGER, bytes INTEGER NOT NULL, copyKind INTEGER NOT NULL, deprecatedSrcId INTEGER, srcKind INTEGER,
  dstKind INTEGER, graphNodeId INTEGER);
CREATE TABLE CUPTI_ACTIVITY_KIND_SYNCHRONIZATION (start INTEGER NOT NULL, end INTEGER NOT NULL,
  deviceId INTEGER NOT NULL, contextId INTEGER NOT NULL, streamId INTEGER NOT NULL, correlationId INTEGER,
  globalPid INTEGER, syncType INTEGER NOT NULL, eventId INTEGER NOT NULL, eventSyncId INTEGER);
CREATE TABLE CUPTI_ACTIVITY_KIND_CUDA_EVENT (timestamp INTEGER, deviceId INTEGER NOT NULL, contextId INTEGER NOT NULL,
  streamId INTEGER NOT NULL, correlationId INTEGER, globalPid INTEGER, eventId INTEGER NOT NULL, eventSyncId INTEGER);
CREATE TABLE NVTX_EVENTS (start INTEGER NOT NULL, end INTEGER, eventType INTEGER NOT NULL, rangeId INTEGER,
  category INTEGER, color INTEGER, text TEXT, globalTid INTEGER, endGlobalTid INTEGER, textId INTEGER, domainId INTEGER,
  uint64Value INTEGER, int64Value INTEGER, doubleValue REAL, uint32Value INTEGER, int32Value INTEGER, floatValue REAL,
  jsonTextId INTEGER, jsonText TEXT, binaryData TEXT);
";

/// The columns that opening reads.
const READ: &[&str] = &[
    "SELECT id, value FROM StringIds",
    "SELECT start, end, globalTid, nameId, correlationId, returnValue FROM CUPTI_ACTIVITY_KIND_RUNTIME",
    "SELECT start, end, eventType, text, textId, globalTid, domainId, category, uint64Value, int64Value, uint32Value, \
     int32Value, doubleValue, floatValue, jsonText FROM NVTX_EVENTS",
    "SELECT start, end, deviceId, contextId, streamId, correlationId, globalPid, graphNodeId, demangledName, shortName, \
     registersPerThread, staticSharedMemory, dynamicSharedMemory, gridX, gridY, gridZ, blockX, blockY, blockZ \
     FROM CUPTI_ACTIVITY_KIND_KERNEL",
    "SELECT start, end, deviceId, contextId, streamId, correlationId, globalPid, graphNodeId, bytes, copyKind, srcKind, \
     dstKind FROM CUPTI_ACTIVITY_KIND_MEMCPY",
    "SELECT timestamp, deviceId, contextId, streamId, correlationId, globalPid, eventId, eventSyncId \
     FROM CUPTI_ACTIVITY_KIND_CUDA_EVENT",
    "SELECT start, end, contextId, streamId, correlationId, globalPid, eventId, eventSyncId \
     FROM CUPTI_ACTIVITY_KIND_SYNCHRONIZATION",
];

const PROCESS: i64 = 0x1_0000_0000_0000 | 41_873 << 24;
const KERNELS: i64 = 120;
const OPERATORS: i64 = 40;

/// A sequence of numbers that look random and are the same each time.
struct RandomSequence(u64);

impl RandomSequence {
    fn below(&mut self, limit: i64) -> i64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 16) as i64 % limit
    }
}

/// One program that trains a network: two threads, four streams, and an exchange now and then.
struct TrainingProgram<'a> {
    file: &'a Connection,
    statements: HashMap<&'static str, Statement<'a>>,
    numbers: RandomSequence,
    /// The time of each thread, and when each stream is free.
    threads: [i64; 2],
    streams: [i64; 4],
    call: i64,
    event: i64,
    rows: u64,
}

type SqliteResult = rusqlite::Result<()>;

impl TrainingProgram<'_> {
    fn insert<const N: usize>(&mut self, sql: &'static str, values: [i64; N]) -> SqliteResult {
        self.rows += 1;
        if !self.statements.contains_key(sql) {
            self.statements.insert(sql, self.file.prepare(sql)?);
        }
        if let Some(statement) = self.statements.get_mut(sql) {
            statement.execute(rusqlite::params_from_iter(values))?;
        }
        Ok(())
    }

    fn runtime(&mut self, thread: usize, name: i64, takes: i64) -> rusqlite::Result<(i64, i64)> {
        self.call += 1;
        let start = self.threads.get(thread).copied().unwrap_or_default();
        let end = start + takes;
        if let Some(time) = self.threads.get_mut(thread) {
            *time = end;
        }
        self.insert(
            "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (?, ?, 0, ?, ?, ?, 0, NULL)",
            [start, end, PROCESS | (50 + thread as i64), self.call, name],
        )?;
        Ok((self.call, end))
    }

    /// A call and the work that it puts on a stream.
    fn work(&mut self, thread: usize, stream: usize) -> SqliteResult {
        let copies = self.numbers.below(12) == 0;
        let takes = 3_500 + self.numbers.below(4_000);
        let (call, called) = self.runtime(thread, if copies { 2 } else { 1 }, takes)?;
        let free = self.streams.get(stream).copied().unwrap_or_default();
        let start = (called + 900).max(free + 700);
        let end = start + 1_200 + self.numbers.below(40_000);
        if let Some(free) = self.streams.get_mut(stream) {
            *free = end;
        }
        let number = 7 + stream as i64;
        if copies {
            return self.insert(
                "INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (?, ?, 0, 1, NULL, ?, ?, ?, ?, 1, NULL, 1, 2, NULL)",
                [start, end, number, call, PROCESS, (end - start) * 20],
            );
        }
        let name = 100 + self.numbers.below(KERNELS);
        self.insert(
            "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (?, ?, 0, 1, NULL, ?, ?, ?, ?, ?, ?, 0, 0, ?, ?, 1, 1, ?, 1, \
             1, 0, ?, 0, 0, ?, 16384, NULL, 0)",
            [
                start,
                end,
                number,
                call,
                PROCESS,
                name,
                name,
                name,
                16 + name % 200,
                1 + name * 37 % 997,
                128 << (name % 3),
                (name % 5) * 8_192,
                call
            ],
        )
    }

    /// Operators around a piece of work.
    fn operator(&mut self, thread: usize) -> SqliteResult {
        let begun = self.threads.get(thread).copied().unwrap_or_default();
        let depth = 1 + self.numbers.below(3);
        if let Some(time) = self.threads.get_mut(thread) {
            *time += 1_500 * depth;
        }
        let stream = usize::from(self.numbers.below(10) == 0);
        self.work(thread, stream)?;
        for level in (0..depth).rev() {
            let name = 300 + self.numbers.below(OPERATORS);
            let end = self.threads.get_mut(thread).map_or(0, |time| {
                *time += 700;
                *time
            });
            self.insert(
                "INSERT INTO NVTX_EVENTS (start, end, eventType, globalTid, textId, domainId) VALUES (?, ?, 59, ?, ?, 0)",
                [begun + 1_500 * level, end, PROCESS | (50 + thread as i64), name],
            )?;
        }
        Ok(())
    }

    /// A stream waits for another, exchanges, and the host waits for it.
    fn exchange(&mut self, thread: usize) -> SqliteResult {
        self.event += 1;
        let (recorded, _) = self.runtime(thread, 3, 1_200)?;
        self.insert(
            "INSERT INTO CUPTI_ACTIVITY_KIND_CUDA_EVENT VALUES (0, 0, 1, 7, ?, ?, ?, ?)",
            [recorded, PROCESS, self.event % 64, self.event],
        )?;
        let (waits, end) = self.runtime(thread, 4, 900)?;
        self.insert(
            "INSERT INTO CUPTI_ACTIVITY_KIND_SYNCHRONIZATION VALUES (?, ?, 0, 1, 9, ?, ?, 2, ?, ?)",
            [
                end - 800,
                end - 100,
                waits,
                PROCESS,
                self.event % 64,
                self.event,
            ],
        )?;
        self.work(thread, 2)?;
        let (synchronises, end) = self.runtime(thread, 5, 9_000)?;
        self.insert(
            "INSERT INTO CUPTI_ACTIVITY_KIND_SYNCHRONIZATION VALUES (?, ?, 0, 1, 9, ?, ?, 3, 4294967295, 0)",
            [end - 8_000, end - 100, synchronises, PROCESS],
        )
    }
}

/// Makes a file of about `rows` rows.
fn make(path: &Path, rows: u64) -> rusqlite::Result<u64> {
    let mut connection = Connection::open(path)?;
    connection.execute_batch("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;")?;
    connection.execute_batch(SCHEMA)?;
    let file = connection.transaction()?;
    let calls = [
        "cudaLaunchKernel_v7000",
        "cudaMemcpyAsync_v3020",
        "cudaEventRecord_v3020",
        "cudaStreamWaitEvent_v3020",
    ];
    let names = calls
        .iter()
        .chain(&["cudaStreamSynchronize_v3020"])
        .map(|it| (*it).to_owned());
    let kernels =
        (0..KERNELS).map(|it| format!("void gemm_{it}<float, {it}>(float const*, float*, int)"));
    let operators = (0..OPERATORS).map(|it| format!("aten::operator_{it}"));
    for (first, texts) in [
        (1, names.collect::<Vec<_>>()),
        (100, kernels.collect()),
        (300, operators.collect()),
    ] {
        for (id, text) in (first..).zip(texts) {
            file.execute("INSERT INTO StringIds VALUES (?, ?)", (id, text))?;
        }
    }
    let mut program = TrainingProgram {
        file: &file,
        statements: HashMap::new(),
        numbers: RandomSequence(0x9E37_79B9_7F4A_7C15),
        threads: [50_000, 60_000],
        streams: [0; 4],
        call: 0,
        event: 0,
        rows: 0,
    };
    while program.rows < rows {
        let thread = usize::from(program.numbers.below(3) == 0);
        if program.numbers.below(60) == 0 {
            program.exchange(thread)?;
        } else {
            program.operator(thread)?;
        }
    }
    let rows = program.rows;
    drop(program);
    file.commit()?;
    Ok(rows)
}

/// Reads the columns and drops them.
fn read(path: &Path) -> rusqlite::Result<u64> {
    let connection = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    let mut count = 0;
    for sql in READ {
        let mut statement = connection.prepare(sql)?;
        let columns = statement.column_count();
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            for column in 0..columns {
                black_box(row.get_ref(column)?);
            }
            count += 1;
        }
    }
    Ok(count)
}

fn open(path: &Path, capture: &mut Option<Capture>) -> u64 {
    let receipt = importer::open(path, &mut |batch| {
        match capture {
            Some(capture) => capture.apply(batch.records),
            None => drop(black_box(batch)),
        }
        ControlFlow::Continue(())
    });
    receipt.map_or(0, |receipt| receipt.events)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = tempfile::tempdir()?;
    eprintln!(
        "{:>10}{:>8}{:>16}{:>16}{:>16}{:>8}{:>8}{:>12}{:>12}",
        "rows",
        "MB",
        "read rows/s",
        "records rows/s",
        "capture rows/s",
        "ratio",
        "spans",
        "table B",
        "all B/span"
    );
    for &size in SIZES {
        let path = folder.path().join(format!("{size}.sqlite"));
        let rows = make(&path, size)? as f64;
        let megabytes = std::fs::metadata(&path)?.len() as f64 / 1e6;
        let reading = median(ROUNDS, || {
            drop(black_box(read(&path)));
        });
        let handing = median(ROUNDS, || {
            black_box(open(&path, &mut None));
        });
        let mut kept = None;
        let opening = median(ROUNDS, || {
            kept = None;
            let mut capture = Some(Capture::new());
            black_box(open(&path, &mut capture));
            kept = capture;
        });
        let spans = kept.as_ref().map_or(0, Capture::span_count);
        let table = kept.as_ref().map_or(0, Capture::span_bytes) as f64 / spans.max(1) as f64;
        let all = kept.as_ref().map_or(0, Capture::bytes) as f64 / spans.max(1) as f64;
        eprintln!(
            "{rows:>10}{megabytes:>8.0}{:>16.0}{:>16.0}{:>16.0}{:>8.2}{spans:>8}{table:>12.1}{all:>12.1}",
            rows / reading,
            rows / handing,
            rows / opening,
            reading / opening
        );
        std::fs::remove_file(&path)?;
    }
    Ok(())
}

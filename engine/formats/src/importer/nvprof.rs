//! Reads the databases of nvprof and of the Visual Profiler: calls of CUDA, streams, and what waited for what.

mod api;
mod gpu;
mod host;
mod sync;
mod tables;

use std::collections::HashMap;

use super::sqlite::{
    self, Database, DatabaseReader, Dialect, SqliteEvents, SqliteWait, StringTable, TableReader,
    resolve,
};
use super::{ImportError, Importer, Receipt, RecordSink, Source};
use record::Clock;
use record::time::Nanos;

/// The format of `nvprof -o`, and of `.nvvp` files.
pub struct Nvprof;

impl Importer for Nvprof {
    fn name(&self) -> &'static str {
        "nvprof"
    }

    fn extensions(&self) -> &'static [&'static str] {
        &["prof", "nvvp", "nvprof"]
    }

    fn about(&self) -> &'static str {
        "written by nvprof or the Visual Profiler"
    }

    fn recognises(&self, head: &[u8]) -> bool {
        sqlite::recognises(head, self.tables())
    }

    fn tables(&self) -> &'static [&'static str] {
        &["StringTable"]
    }

    fn read(&self, source: &Source, sink: &mut RecordSink<'_>) -> Result<Receipt, ImportError> {
        sqlite::read::<NvprofDialect>(self, source, sink)
    }
}

/// What is known while the tables are read. A file is of one process.
#[derive(Default)]
struct NvprofDialect {
    strings: StringTable,
    events: SqliteEvents,
    waits: Vec<SqliteWait>,
    /// Names of devices by number.
    devices: HashMap<i64, String>,
    /// Ranges of the program itself that have begun, by number.
    marks: HashMap<i64, host::OpenRange>,
    uncalled: u64,
}

type NvprofReader<'a, 's> = DatabaseReader<'a, 's, NvprofDialect>;

/// The one process of a file.
const PROCESS: i64 = 0;

impl Dialect for NvprofDialect {
    const TABLES: &'static [TableReader<Self>] = tables::TABLES;
    const COLUMNS: &'static [(&'static str, &'static [&'static str])] = &[
        (
            "CUPTI_ACTIVITY_KIND_RUNTIME",
            &["start", "end", "threadId", "correlationId", "cbid"],
        ),
        (
            "CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL",
            &["start", "end", "streamId", "correlationId", "name"],
        ),
        (
            "CUPTI_ACTIVITY_KIND_MEMCPY",
            &["start", "end", "streamId", "correlationId", "copyKind"],
        ),
        (
            "CUPTI_ACTIVITY_KIND_MEMSET",
            &["start", "end", "streamId", "correlationId"],
        ),
        (
            "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION",
            &["type", "start", "end", "correlationId"],
        ),
        (
            "CUPTI_ACTIVITY_KIND_CUDA_EVENT",
            &["correlationId", "contextId", "streamId", "eventId"],
        ),
        (
            "CUPTI_ACTIVITY_KIND_MARKER",
            &["flags", "timestamp", "id", "name"],
        ),
        ("StringTable", &["_id_", "value"]),
    ];
    const SILENT: &'static [&'static str] = &[
        "*_CONTEXT",
        "*_NAME",
        "*_STREAM",
        "*_DEVICE_ATTRIBUTE",
        "*_MARKER_DATA",
        "*Version",
        "*_GLOBAL_ACCESS",
    ];

    fn clock(&self, zero: i64) -> Option<Clock> {
        Some(Clock::unix(Nanos(zero)))
    }

    fn end_hosts(reader: &mut NvprofReader<'_, '_>) {
        reader.close_marks();
    }

    fn conclude(reader: &mut NvprofReader<'_, '_>, _: &Database) {
        reader.operations.sort();
        let known = &mut reader.dialect;
        known.events.sort();
        let outcome = resolve(
            (&mut known.waits, 0),
            &known.events,
            &reader.operations,
            &mut reader.draft,
        );
        let said = [
            (
                reader.unlaunched,
                "{operation of the GPU has|operations of the GPU have} no call in the file that launched {it|them}",
            ),
            (
                reader.dialect.uncalled,
                "{wait has no call in the file; it is on a lane of its|waits have no call in the file; they are on a lane of their} own",
            ),
        ];
        reader.draft.receipt.note_counts(said);
        if outcome.waits == 0 {
            reader.draft.receipt.note(
                "The file has no waits of streams for events; arrows between streams cannot be known.",
            );
        }
        outcome.tell(&mut reader.draft.receipt);
    }
}

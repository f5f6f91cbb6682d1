//! Reads the databases of rocprofv3 and rocprof-sys: calls of HIP, work of the GPU by stream, and counters.
//!
//! Every table comes once for each process that was profiled, under a name with that process's own number. The views
//! that put them together are programs, so it is the tables that are read.

mod counters;
mod facts;
mod gpu;
mod host;
mod tables;

use std::collections::HashMap;

use super::sqlite::{
    self, Database, DatabaseReader, Dialect, Handles, NAMELESS, NeededTable, TableQuery,
    TableReader,
};
use super::{ImportError, Importer, Receipt, RecordSink, Source};
use counters::RocpdCounters;
use facts::{ProcessNumber, RocpdFacts};
use record::time::Nanos;
use record::{Clock, DeviceId, SpanId};

/// The format of rocprofv3 with `--output-format rocpd`.
pub struct Rocpd;

impl Importer for Rocpd {
    fn name(&self) -> &'static str {
        "rocpd"
    }

    fn extensions(&self) -> &'static [&'static str] {
        &["db"]
    }

    fn about(&self) -> &'static str {
        "written by rocprofv3 and rocprof-sys"
    }

    fn recognises(&self, head: &[u8]) -> bool {
        sqlite::recognises(head, self.tables())
    }

    fn tables(&self) -> &'static [&'static str] {
        &["rocpd_kernel_dispatch", "rocpd_region"]
    }

    fn read(&self, source: &Source, sink: &mut RecordSink<'_>) -> Result<Receipt, ImportError> {
        sqlite::read::<RocpdDialect>(self, source, sink)
    }
}

/// What is known while the tables are read. Calls are known by the number of their call stack, which the work that they
/// launched has too.
#[derive(Default)]
struct RocpdDialect {
    facts: RocpdFacts,
    handles: Handles,
    counters: RocpdCounters,
    /// Places of calls by their event.
    calls: HashMap<ProcessNumber, u32>,
    /// The agents that streams run kernels on.
    agents: HashMap<ProcessNumber, i64>,
    /// Kernels by their event.
    dispatched: HashMap<ProcessNumber, SpanId>,
    /// Rows that refer to nothing in the file.
    strays: u64,
}

type RocpdReader<'a, 's> = DatabaseReader<'a, 's, RocpdDialect>;

impl Dialect for RocpdDialect {
    const TABLES: &'static [TableReader<Self>] = tables::TABLES;
    const NEEDED: &'static [NeededTable] = &[
        NeededTable::always(
            "rocpd_kernel_dispatch",
            "which kernels ran is not known. Profile with --kernel-trace",
        ),
        NeededTable::always(
            "rocpd_memory_copy",
            "what was copied is not known. Profile with --memory-copy-trace",
        ),
        NeededTable::always("rocpd_string", NAMELESS),
        NeededTable::always(
            "rocpd_region",
            "what the program called, and who submitted what, is not known. Profile with --hip-trace",
        ),
        NeededTable::always(
            "rocpd_arg",
            "what calls were given, and with that what many waited for, is not known. The file was cut or changed: profile anew",
        ),
        NeededTable::always(
            "rocpd_pmc_event",
            "the values of counters are not known. The file was cut or changed: profile anew",
        ),
        NeededTable::always(
            "rocpd_event",
            "which call launched which operation is not known. The file was cut or changed: profile anew",
        ),
        NeededTable::beside(
            "rocpd_kernel_dispatch",
            "rocpd_info_kernel_symbol",
            NAMELESS,
        ),
        NeededTable::beside(
            "rocpd_kernel_dispatch",
            "rocpd_info_process",
            "what processes are called is not known. The file was cut or changed: profile anew",
        ),
        NeededTable::beside(
            "rocpd_kernel_dispatch",
            "rocpd_info_thread",
            "which threads there were, and what they are called, is not known. The file was cut or changed: profile anew",
        ),
        NeededTable::beside(
            "rocpd_kernel_dispatch",
            "rocpd_info_agent",
            "which devices there were is not known. The file was cut or changed: profile anew",
        ),
        NeededTable::beside(
            "rocpd_kernel_dispatch",
            "rocpd_info_queue",
            "what queues are called is not known. The file was cut or changed: profile anew",
        ),
        NeededTable::beside(
            "rocpd_kernel_dispatch",
            "rocpd_info_stream",
            "what streams are called is not known. The file was cut or changed: profile anew",
        ),
        NeededTable::beside(
            "rocpd_kernel_dispatch",
            "rocpd_info_pmc",
            "what counters are called, and their units, is not known. The file was cut or changed: profile anew",
        ),
        NeededTable::beside(
            "rocpd_kernel_dispatch",
            "rocpd_sample",
            "when counters were read is not known. The file was cut or changed: profile anew",
        ),
    ];
    const SILENT: &'static [&'static str] = &["rocpd_info_*", "rocpd_metadata*", "rocpd_track*"];
    const COLUMNS: &'static [(&'static str, &'static [&'static str])] = &[
        ("rocpd_string", &["id", "string"]),
        ("rocpd_event", &["id", "stack_id"]),
        (
            "rocpd_region",
            &["start", "end", "pid", "tid", "name_id", "event_id"],
        ),
        (
            "rocpd_kernel_dispatch",
            &[
                "start",
                "end",
                "pid",
                "agent_id",
                "kernel_id",
                "queue_id",
                "stream_id",
                "event_id",
            ],
        ),
        (
            "rocpd_memory_copy",
            &[
                "start",
                "end",
                "pid",
                "name_id",
                "queue_id",
                "stream_id",
                "size",
                "event_id",
            ],
        ),
        ("rocpd_pmc_event", &["event_id", "pmc_id", "value"]),
    ];

    fn is_called(table: &str, name: &str) -> bool {
        tables::owner(table, name).is_some()
    }

    fn tables(database: &Database) -> Vec<TableQuery<Self>> {
        tables::of_each_process(database)
    }

    fn clock(&self, zero: i64) -> Option<Clock> {
        Some(Clock {
            device: DeviceId::NONE,
            name: "CLOCK_BOOTTIME".to_owned(),
            offset: Nanos(zero),
            ..Clock::default()
        })
    }

    fn conclude(reader: &mut RocpdReader<'_, '_>, _: &Database) {
        reader.operations.sort();
        let handles = std::mem::take(&mut reader.dialect.handles);
        let outcome = handles.resolve(&reader.hosts, &reader.operations, &mut reader.draft);
        let unlaunched = "{operation of the GPU has|operations of the GPU have} no call in the file that launched {it|them}";
        (reader.draft.receipt).note_counts([(reader.unlaunched, unlaunched)]);
        if outcome.waits == 0 {
            reader.draft.receipt.note(
                "The file has no waits of streams for events; arrows between streams cannot be known. Profile with \
                 --hip-trace to have the calls that make them.",
            );
        }
        let strays =
            "{value or field belongs|values and fields belong} to an event that is not in the file";
        (reader.draft.receipt).note_counts([(reader.dialect.strays, strays)]);
        outcome.tell(&mut reader.draft.receipt);
    }
}

//! Reads RPD, the database of rocmProfileData: calls of HIP, work of the GPU by queue, and what was measured meanwhile.

mod host;
mod monitor;
mod op;
mod tables;

use std::collections::HashMap;

use super::sqlite::{
    self, Database, DatabaseReader, Dialect, Handles, NAMELESS, NeededTable, StringTable,
    TableReader,
};
use super::{ImportError, Importer, Receipt, RecordSink, Source};
use record::time::Nanos;
use record::{Clock, CounterId, DeviceId};

/// The format of `runTracer.sh` and `rpdTracerControl`.
pub struct Rpd;

impl Importer for Rpd {
    fn name(&self) -> &'static str {
        "rpd"
    }

    fn extensions(&self) -> &'static [&'static str] {
        &["rpd"]
    }

    fn about(&self) -> &'static str {
        "written by rocmProfileData"
    }

    fn recognises(&self, head: &[u8]) -> bool {
        sqlite::recognises(head, self.tables())
    }

    fn tables(&self) -> &'static [&'static str] {
        &["rocpd_api", "rocpd_op"]
    }

    fn read(&self, source: &Source, sink: &mut RecordSink<'_>) -> Result<Receipt, ImportError> {
        sqlite::read::<RpdDialect>(self, source, sink)
    }
}

/// A call by its place, and whose it is.
#[derive(Clone, Copy, Debug)]
struct RpdCall {
    place: u32,
    process: i64,
}

/// What is known while the tables are read.
#[derive(Default)]
struct RpdDialect {
    strings: StringTable,
    /// Texts that are mostly used once, such as what calls were given.
    longer: StringTable,
    /// By the file's number of the call.
    calls: HashMap<i64, RpdCall>,
    /// The call that launched each operation, by the file's numbers.
    launched: HashMap<i64, i64>,
    handles: Handles,
    counters: HashMap<String, CounterId>,
}

type RpdReader<'a, 's> = DatabaseReader<'a, 's, RpdDialect>;

impl Dialect for RpdDialect {
    const TABLES: &'static [TableReader<Self>] = tables::TABLES;
    const NEEDED: &'static [NeededTable] = &[
        NeededTable::always(
            "rocpd_op",
            "nothing is known of what the GPU did. Record anew, with a workload that uses the GPU within what is recorded",
        ),
        NeededTable::always("rocpd_string", NAMELESS),
        NeededTable::always(
            "rocpd_api",
            "what the program called, and who submitted what, is not known. The file was cut or changed: record anew",
        ),
        NeededTable::beside(
            "rocpd_op",
            "rocpd_api_ops",
            "which call launched which operation is not known. The file was cut or changed: record anew",
        ),
    ];
    const SILENT: &'static [&'static str] = &["rocpd_metadata"];
    const COLUMNS: &'static [(&'static str, &'static [&'static str])] = &[
        ("rocpd_string", &["id", "string"]),
        (
            "rocpd_api",
            &["id", "start", "end", "pid", "tid", "apiName_id", "args_id"],
        ),
        (
            "rocpd_op",
            &[
                "id",
                "start",
                "end",
                "gpuId",
                "queueId",
                "description_id",
                "opType_id",
            ],
        ),
        ("rocpd_api_ops", &["api_id", "op_id"]),
        ("rocpd_kernelapi", &["api_ptr_id", "stream"]),
        ("rocpd_copyapi", &["api_ptr_id", "stream", "size"]),
    ];

    fn clock(&self, zero: i64) -> Option<Clock> {
        Some(Clock {
            device: DeviceId::NONE,
            name: "CLOCK_MONOTONIC".to_owned(),
            offset: Nanos(zero),
            ..Clock::default()
        })
    }

    fn conclude(reader: &mut RpdReader<'_, '_>, _: &Database) {
        reader.operations.sort();
        let handles = std::mem::take(&mut reader.dialect.handles);
        let outcome = handles.resolve(&reader.hosts, &reader.operations, &mut reader.draft);
        let unlaunched = "{operation of the GPU has|operations of the GPU have} no call in the file that launched {it|them}";
        let receipt = &mut reader.draft.receipt;
        receipt.note_counts([(reader.unlaunched, unlaunched)]);
        if outcome.waits == 0 {
            receipt.note(
                "The file does not say which stream waited for which event; arrows between streams cannot be known.",
            );
        }
        outcome.tell(receipt);
    }
}

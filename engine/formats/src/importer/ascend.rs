//! Reads the databases of Ascend's profilers: calls of PyTorch and CANN, tasks of the NPU by stream, and waits.

mod allocator_totals;
mod counter;
mod flow;
mod host;
mod memory;
mod tables;
mod task;
mod wait;

use std::collections::HashMap;

use super::sqlite::{
    self, Database, DatabaseReader, Dialect, NAMELESS, NeededTable, StringTable, TableReader,
};
use super::{ImportError, Importer, Receipt, RecordSink, Source};
use allocator_totals::AllocatorTotals;
use flow::AscendFlows;
use record::time::Nanos;
use record::{Clock, CounterId, LaneId};
use task::TaskDetail;
use wait::{HostSyncs, StreamSyncTask};

/// The format of `ascend_pytorch_profiler_N.db` and `msprof_N.db`.
pub struct Ascend;

impl Importer for Ascend {
    fn name(&self) -> &'static str {
        "ascend"
    }

    fn extensions(&self) -> &'static [&'static str] {
        &["db"]
    }

    fn about(&self) -> &'static str {
        "written by torch_npu and msprof with the type db"
    }

    fn recognises(&self, head: &[u8]) -> bool {
        sqlite::recognises(head, self.tables())
    }

    fn tables(&self) -> &'static [&'static str] {
        &["STRING_IDS", "CANN_API"]
    }

    fn read(&self, source: &Source, sink: &mut RecordSink<'_>) -> Result<Receipt, ImportError> {
        sqlite::read::<AscendDialect>(self, source, sink)
    }
}

/// What is known while the tables are read.
#[derive(Default)]
struct AscendDialect {
    strings: StringTable,
    /// Names of devices by number.
    devices: HashMap<i64, String>,
    /// Ranks by device.
    ranks: HashMap<i64, i64>,
    flows: AscendFlows,
    /// What is known of tasks besides their times, by number.
    details: HashMap<i64, TaskDetail>,
    records: Vec<StreamSyncTask>,
    waits: Vec<StreamSyncTask>,
    syncs: HostSyncs,
    counters: HashMap<String, CounterId>,
    /// Whether a table tells which operators have memory from when to when, and how many rows of it were read.
    has_operator_memory: bool,
    memory_blocks: i64,
    totals: AllocatorTotals,
    notifies: u64,
}

type AscendReader<'a, 's> = DatabaseReader<'a, 's, AscendDialect>;

/// All calls and tasks of a file share one range of numbers.
const PROCESS: i64 = 0;

impl Dialect for AscendDialect {
    const TABLES: &'static [TableReader<Self>] = tables::TABLES;
    const COLUMNS: &'static [(&'static str, &'static [&'static str])] = &[
        ("STRING_IDS", &["id", "value"]),
        (
            "CANN_API",
            &["startNs", "endNs", "globalTid", "name", "connectionId"],
        ),
        (
            "PYTORCH_API",
            &["startNs", "endNs", "globalTid", "name", "connectionId"],
        ),
        ("CONNECTION_IDS", &["id", "connectionId"]),
        (
            "TASK",
            &[
                "startNs",
                "endNs",
                "deviceId",
                "streamId",
                "connectionId",
                "globalTaskId",
                "taskType",
            ],
        ),
        ("COMPUTE_TASK_INFO", &["name", "globalTaskId"]),
        ("COMMUNICATION_TASK_INFO", &["name", "globalTaskId"]),
        ("COMMUNICATION_OP", &["opName", "startNs", "endNs"]),
    ];
    const NEEDED: &'static [NeededTable] = &[
        NeededTable::always(
            "TASK",
            "nothing is known of what the NPU did. Profile with the activity NPU, and let the analysis of the results finish",
        ),
        NeededTable::always("STRING_IDS", NAMELESS),
        NeededTable::beside("PYTORCH_API", "COMPUTE_TASK_INFO", NAMELESS),
        NeededTable::beside("COMMUNICATION_OP", "COMMUNICATION_TASK_INFO", NAMELESS),
        NeededTable::beside(
            "PYTORCH_API",
            "CANN_API",
            "which call of CANN submitted which task is not known. The file was cut or changed: let the analysis of the results \
             finish again",
        ),
        NeededTable::beside(
            "CONNECTION_IDS",
            "PYTORCH_API",
            "what PyTorch called is not known. The file was cut or changed: let the analysis of the results finish again",
        ),
        NeededTable::beside(
            "PYTORCH_API",
            "CONNECTION_IDS",
            "which call of PyTorch led to which of CANN is not known. The file was cut or changed: let the analysis of the results \
             finish again",
        ),
        NeededTable::beside(
            "COMMUNICATION_TASK_INFO",
            "COMMUNICATION_OP",
            "collective operations have no lane of their own. The file was cut or changed: let the analysis of the results finish again",
        ),
    ];
    const SILENT: &'static [&'static str] = &[
        "ENUM_*",
        "META_DATA*",
        "HOST_INFO*",
        "SESSION_TIME_INFO*",
        "status_info*",
    ];
    /// Times of PyTorch's calls are written as text by design.
    const TELLS_TYPES: bool = false;

    fn clock(&self, zero: i64) -> Option<Clock> {
        Some(Clock::unix(Nanos(zero)))
    }

    fn conclude(reader: &mut AscendReader<'_, '_>, _: &Database) {
        reader.operations.sort();
        reader.tie_waits();
        let flows = std::mem::take(&mut reader.dialect.flows);
        flows.report_dependencies(&reader.hosts, &mut reader.draft);
        let said = [
            (
                reader.unlaunched,
                "{task of the NPU has|tasks of the NPU have} no call in the file that launched {it|them}",
            ),
            (
                reader.dialect.notifies,
                "{wait for a notification is|waits for notifications are} of other ranks, whose files hold what was \
                 waited for; nothing in them says which notification it was",
            ),
        ];
        reader.draft.receipt.note_counts(said);
    }
}

impl AscendReader<'_, '_> {
    /// The lane of a call, by its place.
    fn lane(&self, place: u32) -> LaneId {
        self.hosts.lane(place).unwrap_or(LaneId::NONE)
    }
}

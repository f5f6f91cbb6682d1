//! Which tables of an export are read, in which order, and what of them.

use super::super::sqlite::{Database, SelectQuery, TableQuery, TableReader, columns, table};
use super::notes::CALL;
use super::{NsightDialect, NsightReader};

columns! {
    /// A text by number.
    pub(super) struct StringIdsRow<'a> {
        id: Option<i64> = "id",
        text: Option<&'a str> = "value",
    }

    /// A process.
    pub(super) struct NsightProcessRow<'a> {
        process: i64 = "globalPid",
        name: Option<&'a str> = "name",
    }

    /// One of the names of a thread.
    pub(super) struct NsightThreadRow {
        thread: Option<i64> = "globalTid",
        name: Option<i64> = "nameId",
        priority: i64 = "priority",
    }

    /// A GPU of the machine.
    pub(super) struct NsightGpuRow<'a> {
        id: i64 = "id",
        name: &'a str = "name",
        chip: Option<&'a str> = "chipName",
        multiprocessors: Option<i64> = "smCount",
        memory: Option<i64> = "totalMemory",
    }

    /// The number by which a process knows a GPU.
    pub(super) struct NsightDeviceRow {
        gpu: i64 = "gpuId",
        device: i64 = "cudaId",
        process: i64 = "pid",
    }

    /// A stream.
    pub(super) struct NsightStreamRow {
        stream: i64 = "streamId",
        process: i64 = "processId",
        context: i64 = "contextId",
        priority: i64 = "priority",
        flag: i64 = "flag",
    }

    /// When the capture began, by the time of day.
    pub(super) struct NsightStartRow {
        epoch: Option<i64> = "utcEpochNs",
    }

    /// Something that is said of the export.
    pub(super) struct NsightExportRow<'a> {
        name: &'a str = "name",
        value: &'a str = "value",
    }

    /// A call of a host thread.
    pub(super) struct NsightCallRow {
        start: Option<i64> = "start",
        end: Option<i64> = "end",
        thread: i64 = "globalTid",
        name: Option<i64> = "nameId",
        correlation: Option<i64> = "correlationId",
        returned: i64 = "returnValue",
        text: Option<i64> = "textId",
    }

    /// A range or a mark of the program itself, or a name of such.
    pub(super) struct NvtxRow<'a> {
        start: Option<i64> = "start",
        end: Option<i64> = "end",
        sort: i64 = "eventType",
        text: Option<&'a str> = "text",
        text_id: Option<i64> = "textId",
        thread: i64 = "globalTid",
        domain: Option<i64> = "domainId",
        category: Option<i64> = "category",
        uint64: Option<i64> = "uint64Value",
        int64: Option<i64> = "int64Value",
        uint32: Option<i64> = "uint32Value",
        int32: Option<i64> = "int32Value",
        double: Option<f64> = "doubleValue",
        float: Option<f64> = "floatValue",
        json: Option<&'a str> = "jsonText",
    }

    /// What all work of the GPU has.
    pub(super) struct NsightWorkRow {
        start: Option<i64> = "start",
        end: Option<i64> = "end",
        device: i64 = "deviceId",
        context: i64 = "contextId",
        stream: i64 = "streamId",
        correlation: Option<i64> = "correlationId",
        process: i64 = "globalPid",
        node: i64 = "graphNodeId",
    }

    /// A kernel.
    pub(super) struct NsightKernelRow {
        work: NsightWorkRow,
        name: Option<i64> = "demangledName",
        short_name: Option<i64> = "shortName",
        registers: Option<i64> = "registersPerThread",
        static_shared: i64 = "staticSharedMemory",
        dynamic_shared: i64 = "dynamicSharedMemory",
        grid: Option<[i64; 3]> = "gridX" "gridY" "gridZ",
        block: Option<[i64; 3]> = "blockX" "blockY" "blockZ",
    }

    /// A copy.
    pub(super) struct NsightCopyRow {
        work: NsightWorkRow,
        bytes: i64 = "bytes",
        kind: i64 = "copyKind",
        source: Option<i64> = "srcKind",
        destination: Option<i64> = "dstKind",
    }

    /// A fill.
    pub(super) struct NsightFillRow {
        work: NsightWorkRow,
        bytes: i64 = "bytes",
        value: i64 = "value",
        memory: Option<i64> = "memKind",
    }

    /// A launch of a whole graph.
    pub(super) struct NsightGraphRow {
        work: NsightWorkRow,
        graph: i64 = "graphId",
    }

    /// A record of an event.
    pub(super) struct NsightRecordRow {
        time: Option<i64> = "timestamp",
        device: i64 = "deviceId",
        context: i64 = "contextId",
        stream: i64 = "streamId",
        correlation: Option<i64> = "correlationId",
        process: i64 = "globalPid",
        event: Option<i64> = "eventId",
        tie: Option<i64> = "eventSyncId",
    }

    /// A wait of a stream or of a host thread.
    pub(super) struct NsightSyncRow {
        start: Option<i64> = "start",
        end: Option<i64> = "end",
        context: Option<i64> = "contextId",
        stream: Option<i64> = "streamId",
        correlation: Option<i64> = "correlationId",
        process: i64 = "globalPid",
        event: Option<i64> = "eventId",
        tie: Option<i64> = "eventSyncId",
        device: i64 = "deviceId",
    }
}

/// The small tables that explain the others.
pub(super) const FACTS: &[TableReader<NsightDialect>] = &[
    table!("StringIds", StringIdsRow, NsightReader::text),
    table!("PROCESSES", NsightProcessRow, NsightReader::process),
    table!("ThreadNames", NsightThreadRow, NsightReader::name_thread),
    table!("TARGET_INFO_GPU", NsightGpuRow, NsightReader::gpu),
    table!(
        "TARGET_INFO_CUDA_DEVICE",
        NsightDeviceRow,
        NsightReader::device
    ),
    table!(
        "TARGET_INFO_CUDA_STREAM",
        NsightStreamRow,
        NsightReader::describe_stream
    ),
    table!(
        "TARGET_INFO_SESSION_START_TIME",
        NsightStartRow,
        NsightReader::epoch
    ),
    table!("META_DATA_EXPORT", NsightExportRow, NsightReader::export),
    table!("EXPORT_META_DATA", NsightExportRow, NsightReader::export),
];

/// The tables that are not calls of host threads.
pub(super) const TABLES: &[TableReader<NsightDialect>] = &[
    table!("NVTX_EVENTS", NvtxRow, NsightReader::nvtx),
    table!(
        "CUPTI_ACTIVITY_KIND_KERNEL",
        NsightKernelRow,
        NsightReader::kernel
    )
    .after_hosts(),
    table!(
        "CUPTI_ACTIVITY_KIND_MEMCPY",
        NsightCopyRow,
        NsightReader::copy
    )
    .after_hosts(),
    table!(
        "CUPTI_ACTIVITY_KIND_MEMSET",
        NsightFillRow,
        NsightReader::fill
    )
    .after_hosts(),
    table!(
        "CUPTI_ACTIVITY_KIND_GRAPH_TRACE",
        NsightGraphRow,
        NsightReader::graph
    )
    .after_hosts(),
    table!(
        "CUPTI_ACTIVITY_KIND_CUDA_EVENT",
        NsightRecordRow,
        NsightReader::record
    )
    .after_hosts(),
    table!(
        "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION",
        NsightSyncRow,
        NsightReader::sync
    )
    .after_hosts(),
];

/// Tables of work that streams ran.
const WORK: &[&str] = &[
    "CUPTI_ACTIVITY_KIND_KERNEL",
    "CUPTI_ACTIVITY_KIND_MEMCPY",
    "CUPTI_ACTIVITY_KIND_MEMSET",
    "CUPTI_ACTIVITY_KIND_GRAPH_TRACE",
];

/// Calls of CUDA, of which a value other than 0 that they return is an error.
const CUDA_CALLS: &TableReader<NsightDialect> = &table!(
    "CUPTI_ACTIVITY_KIND_RUNTIME",
    NsightCallRow,
    NsightReader::cuda_call
);

/// Calls of any other library.
const OTHER_CALLS: &TableReader<NsightDialect> =
    &table!("", NsightCallRow, NsightReader::other_call);

/// Every table that is read: those of host threads first, since work of the GPU refers to them.
pub(super) fn of_export(database: &Database) -> Vec<TableQuery<NsightDialect>> {
    let is_known = |name: &str| TABLES.iter().any(|it| name.eq_ignore_ascii_case(it.name));
    let calls = database.tables().iter().filter(|table| {
        let named = table.has("nameId") || table.has("textId");
        table.has_all(CALL) && named && !is_known(&table.name)
    });
    // The runtime's calls are the ones that the others are within, and mostly the most.
    let (cuda, others): (Vec<_>, Vec<_>) =
        calls.partition(|table| table.name.eq_ignore_ascii_case(CUDA_CALLS.name));
    let cuda = cuda.into_iter().map(|table| (CUDA_CALLS, table));
    let others = others.into_iter().map(|table| (OTHER_CALLS, table));
    let calls = cuda.chain(others).map(|(reader, table)| TableQuery {
        reader,
        owner: 0,
        query: SelectQuery::new(table, reader.columns),
    });
    calls.chain(TableQuery::all(TABLES, database)).collect()
}

/// Whether a file has anything that ran on a stream.
pub(super) fn has_work(tables: &[TableQuery<NsightDialect>]) -> bool {
    let mut work = tables.iter().filter(|it| WORK.contains(&it.reader.name));
    work.any(|table| table.query.rows > 0)
}

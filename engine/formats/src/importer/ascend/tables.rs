//! Which tables are read, and what of them.

use super::super::sqlite::{TableReader, columns, table};
use super::{AscendDialect, AscendReader};

columns! {
    /// A text by number.
    pub(super) struct AscendTextRow<'a> {
        id: Option<i64> = "id",
        text: Option<&'a str> = "value",
    }

    /// A device.
    pub(super) struct AscendDeviceRow<'a> {
        id: i64 = "id",
        name: &'a str = "name",
    }

    /// The rank that ran on a device.
    pub(super) struct AscendRankRow {
        rank: i64 = "rankId",
        device: i64 = "deviceId",
    }

    /// Numbers that tie calls of PyTorch to each other and to tasks.
    pub(super) struct AscendConnectionRow {
        id: i64 = "id",
        number: i64 = "connectionId",
    }

    /// What all spans of host threads have.
    pub(super) struct AscendHostRow {
        start: Option<i64> = "startNs",
        end: Option<i64> = "endNs",
        thread: i64 = "globalTid",
    }

    /// A call of CANN.
    pub(super) struct CannRow {
        host: AscendHostRow,
        name: i64 = "name",
        connection: Option<i64> = "connectionId",
    }

    /// A call of PyTorch, or of Python.
    pub(super) struct PytorchRow {
        host: AscendHostRow,
        name: i64 = "name",
        connection: Option<i64> = "connectionId",
        sequence: Option<i64> = "sequenceNumber",
        types: Option<i64> = "inputDtypes",
        shapes: Option<i64> = "inputShapes",
    }

    /// A range of the program itself.
    pub(super) struct MstxRow {
        host: AscendHostRow,
        name: i64 = "message",
    }

    /// A step of the training loop, which is of no thread.
    pub(super) struct AscendStepRow {
        start: Option<i64> = "startNs",
        end: Option<i64> = "endNs",
        id: i64 = "id",
    }

    /// What is known of a task that computes.
    pub(super) struct ComputeRow {
        task: i64 = "globalTaskId",
        name: i64 = "name",
        sort: Option<i64> = "opType",
    }

    /// What is known of a task that is part of a collective operation.
    pub(super) struct CommunicationRow {
        task: i64 = "globalTaskId",
        name: i64 = "name",
        sort: Option<i64> = "taskType",
        bytes: i64 = "size",
        notify: i64 = "notifyId",
        source: i64 = "srcRank",
        destination: i64 = "dstRank",
    }

    /// A task of the NPU.
    pub(super) struct AscendTaskRow {
        start: Option<i64> = "startNs",
        end: Option<i64> = "endNs",
        device: i64 = "deviceId",
        stream: i64 = "streamId",
        connection: Option<i64> = "connectionId",
        task: i64 = "globalTaskId",
        sort: i64 = "taskType",
    }

    /// A collective operation as a whole.
    pub(super) struct AscendCollectiveRow {
        start: Option<i64> = "startNs",
        end: Option<i64> = "endNs",
        name: i64 = "opName",
        connection: Option<i64> = "connectionId",
        group: i64 = "groupName",
        count: i64 = "count",
        device: i64 = "deviceId",
    }

    /// The frequency of a device.
    pub(super) struct FrequencyRow {
        time: Option<i64> = "timestampNs",
        value: Option<f64> = "freq",
        device: i64 = "deviceId",
    }

    /// The bandwidth of one of several memories.
    pub(super) struct HbmRow {
        time: Option<i64> = "timestampNs",
        value: Option<f64> = "bandwidth",
        device: i64 = "deviceId",
        number: Option<i64> = "hbmId",
        sort: Option<i64> = "type",
    }

    /// The throughput of one of several caches.
    pub(super) struct CacheRow {
        time: Option<i64> = "timestampNs",
        value: Option<f64> = "throughput",
        device: i64 = "deviceId",
        number: Option<i64> = "llcId",
        sort: Option<i64> = "mode",
    }

    /// How much memory is taken.
    pub(super) struct NpuMemoryRow {
        time: Option<i64> = "timestampNs",
        value: Option<f64> = "hbm",
        device: i64 = "deviceId",
        sort: Option<i64> = "type",
    }

    /// What an allocator has allocated and reserved when an operator has its memory.
    pub(super) struct AllocationTotals {
        allocated: Option<i64> = "allocationTotalAllocated",
        reserved: Option<i64> = "allocationTotalReserved",
    }

    /// The same when it gave it back.
    pub(super) struct ReleaseTotals {
        allocated: Option<i64> = "releaseTotalAllocated",
        reserved: Option<i64> = "releaseTotalReserved",
    }

    /// Memory that an operator allocated, until it was given back.
    pub(super) struct OperatorMemoryRow {
        name: i64 = "name",
        size: i64 = "size",
        allocated: Option<i64> = "allocationTime",
        released: Option<i64> = "releaseTime",
        inactive: Option<i64> = "activeReleaseTime",
        totals: AllocationTotals,
        totals_after: ReleaseTotals,
        stream: Option<i64> = "streamPtr",
        device: i64 = "deviceId",
    }

    /// An allocation or a free of an allocator.
    pub(super) struct AllocatorRow {
        operator: Option<i64> = "operatorName",
        address: i64 = "addr",
        sort: Option<i64> = "type",
        size: i64 = "size",
        time: Option<i64> = "timestampNs",
        allocated: Option<i64> = "totalAllocate",
        reserved: Option<i64> = "totalReserve",
        component: Option<i64> = "component",
        device: i64 = "deviceId",
    }

    /// How much an allocator has at an instant.
    pub(super) struct AllocatorTotalRow {
        component: Option<i64> = "component",
        time: Option<i64> = "timestamp",
        allocated: Option<f64> = "totalAllocated",
        reserved: Option<f64> = "totalReserved",
        device: i64 = "deviceId",
    }
}

/// The tables in the order in which they are read.
pub(super) const TABLES: &[TableReader<AscendDialect>] = &[
    table!("STRING_IDS", AscendTextRow, AscendReader::text),
    table!("NPU_INFO", AscendDeviceRow, AscendReader::name_device),
    table!("RANK_DEVICE_MAP", AscendRankRow, AscendReader::rank),
    table!("CONNECTION_IDS", AscendConnectionRow, AscendReader::connect),
    table!("CANN_API", CannRow, AscendReader::cann).timed("startNs"),
    table!("PYTORCH_API", PytorchRow, AscendReader::python).timed("startNs"),
    table!("MSTX_EVENTS", MstxRow, AscendReader::range),
    table!("STEP_TIME", AscendStepRow, AscendReader::step).timed("startNs"),
    table!(
        "COMPUTE_TASK_INFO",
        ComputeRow,
        AscendReader::compute_detail
    )
    .after_hosts(),
    table!(
        "COMMUNICATION_TASK_INFO",
        CommunicationRow,
        AscendReader::communication_detail
    )
    .after_hosts(),
    table!("TASK", AscendTaskRow, AscendReader::task)
        .timed("startNs")
        .after_hosts(),
    table!(
        "COMMUNICATION_OP",
        AscendCollectiveRow,
        AscendReader::collective
    )
    .after_hosts(),
    table!("AICORE_FREQ", FrequencyRow, AscendReader::frequency).after_hosts(),
    table!("HBM", HbmRow, AscendReader::memory_bandwidth).after_hosts(),
    table!("LLC", CacheRow, AscendReader::cache_throughput).after_hosts(),
    table!("NPU_MEM", NpuMemoryRow, AscendReader::memory).after_hosts(),
    table!(
        "OP_MEMORY",
        OperatorMemoryRow,
        AscendReader::operator_memory
    )
    .timed("allocationTime")
    .after_hosts(),
    // After the table before, which tells the same and more.
    table!("NPU_OP_MEM", AllocatorRow, AscendReader::allocator).after_hosts(),
    table!(
        "MEMORY_RECORD",
        AllocatorTotalRow,
        AscendReader::allocator_total
    )
    .after_hosts(),
];

impl AscendReader<'_, '_> {
    fn text(&mut self, row: AscendTextRow<'_>) {
        self.dialect.strings.take(row.id, row.text);
    }

    fn name_device(&mut self, row: AscendDeviceRow<'_>) {
        self.dialect.devices.insert(row.id, row.name.to_owned());
    }

    fn rank(&mut self, row: AscendRankRow) {
        self.dialect.ranks.insert(row.device, row.rank);
    }

    fn connect(&mut self, row: AscendConnectionRow) {
        self.dialect.flows.connect(row.id, row.number);
    }
}

//! Which tables are read, and what of them.

use super::super::sqlite::{TableReader, columns, table};
use super::{NvprofDialect, NvprofReader};
use crate::activity::readable;

columns! {
    /// A text by number.
    pub(super) struct NvprofTextRow<'a> {
        id: Option<i64> = "_id_",
        text: Option<&'a str> = "value",
    }

    /// A device.
    pub(super) struct NvprofDeviceRow {
        id: i64 = "id",
        name: i64 = "name",
    }

    /// A call of the runtime or of the driver.
    pub(super) struct NvprofCallRow {
        start: Option<i64> = "start",
        end: Option<i64> = "end",
        process: i64 = "processId",
        thread: i64 = "threadId",
        correlation: Option<i64> = "correlationId",
        function: i64 = "cbid",
        returned: i64 = "returnValue",
    }

    /// The beginning or the end of a range of the program itself, or an instant.
    pub(super) struct NvprofMarkRow {
        time: i64 = "timestamp",
        flags: i64 = "flags",
        id: i64 = "id",
        name: i64 = "name",
    }

    /// What all work of the GPU has.
    pub(super) struct NvprofWorkRow {
        start: Option<i64> = "start",
        end: Option<i64> = "end",
        device: i64 = "deviceId",
        context: i64 = "contextId",
        stream: i64 = "streamId",
        correlation: Option<i64> = "correlationId",
    }

    /// A kernel.
    pub(super) struct NvprofKernelRow {
        work: NvprofWorkRow,
        name: i64 = "name",
        grid: [i64; 3] = "gridX" "gridY" "gridZ",
        block: [i64; 3] = "blockX" "blockY" "blockZ",
        registers: i64 = "registersPerThread",
        static_shared: i64 = "staticSharedMemory",
        dynamic_shared: i64 = "dynamicSharedMemory",
    }

    /// A copy.
    pub(super) struct NvprofCopyRow {
        work: NvprofWorkRow,
        bytes: i64 = "bytes",
        kind: i64 = "copyKind",
    }

    /// A fill.
    pub(super) struct NvprofFillRow {
        work: NvprofWorkRow,
        bytes: i64 = "bytes",
        value: i64 = "value",
    }

    /// A record of an event.
    pub(super) struct NvprofRecordRow {
        correlation: i64 = "correlationId",
        context: i64 = "contextId",
        stream: i64 = "streamId",
        event: i64 = "eventId",
    }

    /// A wait of a stream or of a host thread.
    pub(super) struct NvprofSyncRow {
        start: Option<i64> = "start",
        end: Option<i64> = "end",
        context: Option<i64> = "contextId",
        stream: i64 = "streamId",
        correlation: Option<i64> = "correlationId",
        event: i64 = "cudaEventId",
        sort: i64 = "type",
    }
}

/// The tables in the order in which they are read.
pub(super) const TABLES: &[TableReader<NvprofDialect>] = &[
    table!("StringTable", NvprofTextRow, NvprofReader::text),
    table!(
        "CUPTI_ACTIVITY_KIND_DEVICE",
        NvprofDeviceRow,
        NvprofReader::device
    ),
    table!(
        "CUPTI_ACTIVITY_KIND_RUNTIME",
        NvprofCallRow,
        NvprofReader::runtime_call
    )
    .timed("start"),
    table!(
        "CUPTI_ACTIVITY_KIND_DRIVER",
        NvprofCallRow,
        NvprofReader::driver_call
    )
    .timed("start"),
    table!(
        "CUPTI_ACTIVITY_KIND_MARKER",
        NvprofMarkRow,
        NvprofReader::mark
    )
    .timed("timestamp"),
    table!(
        "CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL",
        NvprofKernelRow,
        NvprofReader::kernel
    )
    .timed("start")
    .after_hosts(),
    table!(
        "CUPTI_ACTIVITY_KIND_KERNEL",
        NvprofKernelRow,
        NvprofReader::kernel
    )
    .timed("start")
    .after_hosts(),
    table!(
        "CUPTI_ACTIVITY_KIND_MEMCPY",
        NvprofCopyRow,
        NvprofReader::copy
    )
    .timed("start")
    .after_hosts(),
    table!(
        "CUPTI_ACTIVITY_KIND_MEMCPY2",
        NvprofCopyRow,
        NvprofReader::copy
    )
    .timed("start")
    .after_hosts(),
    table!(
        "CUPTI_ACTIVITY_KIND_MEMSET",
        NvprofFillRow,
        NvprofReader::fill
    )
    .timed("start")
    .after_hosts(),
    table!(
        "CUPTI_ACTIVITY_KIND_CUDA_EVENT",
        NvprofRecordRow,
        NvprofReader::record
    )
    .after_hosts(),
    table!(
        "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION",
        NvprofSyncRow,
        NvprofReader::sync
    )
    .timed("start")
    .after_hosts(),
];

impl NvprofReader<'_, '_> {
    /// Kernels are called as the linker calls them.
    fn text(&mut self, row: NvprofTextRow<'_>) {
        if let (Some(id), Some(text)) = (row.id, row.text) {
            self.dialect.strings.add(id, &readable(text));
        }
    }
}

//! Which tables are read, and what of them.

use super::super::sqlite::{TableReader, columns, table};
use super::{RpdDialect, RpdReader};

columns! {
    /// A text by number.
    pub(super) struct RpdTextRow<'a> {
        id: Option<i64> = "id",
        text: Option<&'a str> = "string",
    }

    /// A call.
    pub(super) struct RpdCallRow {
        start: Option<i64> = "start",
        end: Option<i64> = "end",
        id: i64 = "id",
        process: i64 = "pid",
        thread: i64 = "tid",
        name: i64 = "apiName_id",
        given: i64 = "args_id",
    }

    /// What a launch of a kernel was given.
    pub(super) struct RpdKernelCallRow<'a> {
        call: i64 = "api_ptr_id",
        stream: Option<&'a str> = "stream",
        grid: [i64; 3] = "gridX" "gridY" "gridZ",
        workgroup: [i64; 3] = "workgroupX" "workgroupY" "workgroupZ",
    }

    /// What a copy was given.
    pub(super) struct RpdCopyCallRow<'a> {
        call: i64 = "api_ptr_id",
        stream: Option<&'a str> = "stream",
        bytes: i64 = "size",
    }

    /// Which call launched which operation.
    pub(super) struct RpdLaunchRow {
        call: i64 = "api_id",
        operation: i64 = "op_id",
    }

    /// An operation of the GPU.
    pub(super) struct RpdOperationRow {
        start: Option<i64> = "start",
        end: Option<i64> = "end",
        id: i64 = "id",
        gpu: i64 = "gpuId",
        queue: i64 = "queueId",
        description: i64 = "description_id",
        sort: i64 = "opType_id",
    }

    /// Something that was measured of a device.
    pub(super) struct RpdMonitorRow<'a> {
        time: Option<i64> = "start",
        device_sort: &'a str = "deviceType",
        device: i64 = "deviceId",
        measured: &'a str = "monitorType",
        value: Option<&'a str> = "value",
    }
}

/// The tables in the order in which they are read.
pub(super) const TABLES: &[TableReader<RpdDialect>] = &[
    table!("rocpd_string", RpdTextRow, RpdReader::text),
    table!("rocpd_ustring", RpdTextRow, RpdReader::long_text),
    table!("rocpd_api", RpdCallRow, RpdReader::call).timed("start"),
    table!("rocpd_kernelapi", RpdKernelCallRow, RpdReader::kernel_call).after_hosts(),
    table!("rocpd_copyapi", RpdCopyCallRow, RpdReader::copy_call).after_hosts(),
    table!("rocpd_api_ops", RpdLaunchRow, RpdReader::launch).after_hosts(),
    table!("rocpd_op", RpdOperationRow, RpdReader::operation)
        .timed("start")
        .after_hosts(),
    table!("rocpd_monitor", RpdMonitorRow, RpdReader::monitor).after_hosts(),
];

impl RpdReader<'_, '_> {
    fn text(&mut self, row: RpdTextRow<'_>) {
        self.dialect.strings.take(row.id, row.text);
    }

    fn long_text(&mut self, row: RpdTextRow<'_>) {
        self.dialect.longer.take(row.id, row.text);
    }

    fn launch(&mut self, row: RpdLaunchRow) {
        self.dialect.launched.insert(row.operation, row.call);
    }
}

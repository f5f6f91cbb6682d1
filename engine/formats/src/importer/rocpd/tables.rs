//! Which tables there are, whose each of them is, and what is read of it.

use super::super::sqlite::{Database, SelectQuery, TableQuery, TableReader, columns, table};
use super::{RocpdDialect, RocpdReader};

columns! {
    /// A text by number.
    pub(super) struct RocpdTextRow<'a> {
        id: Option<i64> = "id",
        text: &'a str = "string",
    }

    /// A process.
    pub(super) struct RocpdProcessRow<'a> {
        id: Option<i64> = "id",
        command: &'a str = "command",
    }

    /// A thread.
    pub(super) struct RocpdThreadRow<'a> {
        id: Option<i64> = "id",
        number: i64 = "tid",
        name: &'a str = "name",
    }

    /// An agent: a GPU or a CPU.
    pub(super) struct RocpdAgentRow<'a> {
        id: Option<i64> = "id",
        sort: &'a str = "type",
        number: i64 = "type_index",
        product: &'a str = "product_name",
        name: &'a str = "name",
    }

    /// A queue or a stream.
    pub(super) struct RocpdNameRow<'a> {
        id: Option<i64> = "id",
        name: &'a str = "name",
    }

    /// A kernel's names.
    pub(super) struct RocpdSymbolRow<'a> {
        id: Option<i64> = "id",
        readable: Option<&'a str> = "display_name",
        name: &'a str = "kernel_name",
    }

    /// A counter of an agent.
    pub(super) struct RocpdCounterRow<'a> {
        id: Option<i64> = "id",
        name: &'a str = "name",
        unit: &'a str = "units",
        agent: i64 = "agent_id",
    }

    /// What an event belongs to.
    pub(super) struct RocpdEventRow {
        id: Option<i64> = "id",
        stack: i64 = "stack_id",
        category: i64 = "category_id",
    }

    /// A call, or another part of a host thread.
    pub(super) struct RocpdRegionRow {
        start: Option<i64> = "start",
        end: Option<i64> = "end",
        process: i64 = "pid",
        thread: i64 = "tid",
        name: i64 = "name_id",
        event: i64 = "event_id",
    }

    /// Memory that was taken or given back.
    pub(super) struct RocpdAllocationRow<'a> {
        start: Option<i64> = "start",
        end: Option<i64> = "end",
        process: i64 = "pid",
        thread: i64 = "tid",
        sort: Option<&'a str> = "type",
        bytes: Option<i64> = "size",
    }

    /// What a call was given.
    pub(super) struct RocpdArgumentRow<'a> {
        event: i64 = "event_id",
        name: Option<&'a str> = "name",
        value: Option<&'a str> = "value",
    }

    /// What all work of the GPU has.
    pub(super) struct RocpdWorkRow {
        start: Option<i64> = "start",
        end: Option<i64> = "end",
        process: i64 = "pid",
        stream: i64 = "stream_id",
        queue: i64 = "queue_id",
        event: i64 = "event_id",
    }

    /// A kernel.
    pub(super) struct RocpdKernelRow {
        work: RocpdWorkRow,
        agent: i64 = "agent_id",
        kernel: i64 = "kernel_id",
        dispatch: Option<i64> = "dispatch_id",
        grid: [i64; 3] = "grid_size_x" "grid_size_y" "grid_size_z",
        workgroup: [i64; 3] = "workgroup_size_x" "workgroup_size_y" "workgroup_size_z",
        local_memory: i64 = "group_segment_size",
        scratch_memory: i64 = "private_segment_size",
    }

    /// A copy.
    pub(super) struct RocpdCopyRow {
        work: RocpdWorkRow,
        destination: i64 = "dst_agent_id",
        source: i64 = "src_agent_id",
        name: i64 = "name_id",
        bytes: i64 = "size",
    }

    /// When counters were read.
    pub(super) struct RocpdSampleRow {
        event: Option<i64> = "event_id",
        time: Option<i64> = "timestamp",
    }

    /// What a counter was.
    pub(super) struct RocpdCountRow {
        event: i64 = "event_id",
        counter: i64 = "pmc_id",
        value: Option<f64> = "value",
    }
}

/// The tables in the order in which they are read, by how their names begin.
pub(super) const TABLES: &[TableReader<RocpdDialect>] = &[
    table!("rocpd_string", RocpdTextRow, RocpdReader::text),
    table!("rocpd_info_process", RocpdProcessRow, RocpdReader::process),
    table!(
        "rocpd_info_thread",
        RocpdThreadRow,
        RocpdReader::name_thread
    ),
    table!("rocpd_info_agent", RocpdAgentRow, RocpdReader::agent),
    table!("rocpd_info_queue", RocpdNameRow, RocpdReader::queue),
    table!("rocpd_info_stream", RocpdNameRow, RocpdReader::name_stream),
    table!(
        "rocpd_info_kernel_symbol",
        RocpdSymbolRow,
        RocpdReader::symbol
    ),
    table!(
        "rocpd_info_pmc",
        RocpdCounterRow,
        RocpdReader::describe_counter
    ),
    table!("rocpd_event", RocpdEventRow, RocpdReader::event),
    table!("rocpd_region", RocpdRegionRow, RocpdReader::region).timed("start"),
    table!(
        "rocpd_memory_allocate",
        RocpdAllocationRow,
        RocpdReader::allocation
    ),
    table!("rocpd_arg", RocpdArgumentRow, RocpdReader::call_argument).after_hosts(),
    table!(
        "rocpd_kernel_dispatch",
        RocpdKernelRow,
        RocpdReader::dispatch
    )
    .timed("start")
    .after_hosts(),
    table!("rocpd_memory_copy", RocpdCopyRow, RocpdReader::copy)
        .timed("start")
        .after_hosts(),
    table!("rocpd_sample", RocpdSampleRow, RocpdReader::sample)
        .timed("timestamp")
        .after_hosts(),
    table!("rocpd_pmc_event", RocpdCountRow, RocpdReader::count).after_hosts(),
];

/// Digits of the number that each profiled process gives its tables.
const OWNER: usize = 32;

/// The number of the process that a table is of, where it is one that the format calls so; it may have none.
pub(super) fn owner<'a>(table: &'a str, name: &str) -> Option<&'a str> {
    let end = table.strip_prefix(name)?;
    let end = end.strip_prefix('_').unwrap_or(end);
    let is_number = |it: char| it.is_alphanumeric() || it == '_';
    let is_whole = end.is_empty() || end.len() >= OWNER && end.chars().all(is_number);
    is_whole.then_some(end)
}

/// Every table that is read. The process that it is of is its place among the numbers that end tables' names.
pub(super) fn of_each_process(database: &Database) -> Vec<TableQuery<RocpdDialect>> {
    let mut owners: Vec<String> = Vec::new();
    let mut queries = Vec::new();
    for reader in TABLES {
        for table in database.tables() {
            let Some(end) = owner(&table.name, reader.name) else {
                continue;
            };
            let owner = owners.iter().position(|it| it == end).unwrap_or_else(|| {
                owners.push(end.to_owned());
                owners.len() - 1
            });
            queries.push(TableQuery {
                reader,
                owner: owner as i64,
                query: SelectQuery::new(table, reader.columns),
            });
        }
    }
    queries
}

//! Which tables there are, whose each of them is, and what is read of it.

use super::super::sqlite::{As, Columns, Database, Query};

/// What a table tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Text,
    Process,
    Thread,
    Agent,
    Queue,
    Stream,
    Symbol,
    Counter,
    Event,
    /// Calls, and parts of a host thread.
    Region,
    /// What a call was given.
    Argument,
    Dispatch,
    Copy,
    Allocation,
    /// When counters were read.
    Sample,
    /// What they were.
    Count,
}

impl Kind {
    /// Whether it refers to spans of host threads.
    pub fn follows_hosts(self) -> bool {
        use Kind::{Argument, Copy, Count, Dispatch, Sample};
        matches!(self, Argument | Dispatch | Copy | Sample | Count)
    }
}

const I: As = As::Integer;
const T: As = As::Text;

/// The tables in the order in which they are read.
const TABLES: &[(&str, Kind, Columns)] = &[
    ("rocpd_string", Kind::Text, &[("id", I), ("string", T)]),
    (
        "rocpd_info_process",
        Kind::Process,
        &[("id", I), ("pid", I), ("command", T)],
    ),
    (
        "rocpd_info_thread",
        Kind::Thread,
        &[("id", I), ("tid", I), ("name", T)],
    ),
    (
        "rocpd_info_agent",
        Kind::Agent,
        &[
            ("id", I),
            ("type", T),
            ("type_index", I),
            ("product_name", T),
            ("name", T),
        ],
    ),
    ("rocpd_info_queue", Kind::Queue, &[("id", I), ("name", T)]),
    ("rocpd_info_stream", Kind::Stream, &[("id", I), ("name", T)]),
    (
        "rocpd_info_kernel_symbol",
        Kind::Symbol,
        &[("id", I), ("display_name", T), ("kernel_name", T)],
    ),
    (
        "rocpd_info_pmc",
        Kind::Counter,
        &[("id", I), ("name", T), ("units", T), ("agent_id", I)],
    ),
    (
        "rocpd_event",
        Kind::Event,
        &[("id", I), ("stack_id", I), ("category_id", I)],
    ),
    (
        "rocpd_region",
        Kind::Region,
        &[
            ("start", I),
            ("end", I),
            ("pid", I),
            ("tid", I),
            ("name_id", I),
            ("event_id", I),
        ],
    ),
    (
        "rocpd_memory_allocate",
        Kind::Allocation,
        &[
            ("start", I),
            ("end", I),
            ("pid", I),
            ("tid", I),
            ("type", T),
            ("size", I),
            ("address", I),
        ],
    ),
    (
        "rocpd_arg",
        Kind::Argument,
        &[("event_id", I), ("name", T), ("value", T)],
    ),
    (
        "rocpd_kernel_dispatch",
        Kind::Dispatch,
        &[
            ("start", I),
            ("end", I),
            ("pid", I),
            ("agent_id", I),
            ("stream_id", I),
            ("queue_id", I),
            ("event_id", I),
            ("kernel_id", I),
            ("dispatch_id", I),
            ("grid_size_x", I),
            ("grid_size_y", I),
            ("grid_size_z", I),
            ("workgroup_size_x", I),
            ("workgroup_size_y", I),
            ("workgroup_size_z", I),
            ("group_segment_size", I),
            ("private_segment_size", I),
        ],
    ),
    (
        "rocpd_memory_copy",
        Kind::Copy,
        &[
            ("start", I),
            ("end", I),
            ("pid", I),
            ("dst_agent_id", I),
            ("stream_id", I),
            ("queue_id", I),
            ("event_id", I),
            ("src_agent_id", I),
            ("name_id", I),
            ("size", I),
        ],
    ),
    (
        "rocpd_sample",
        Kind::Sample,
        &[("event_id", I), ("timestamp", I)],
    ),
    (
        "rocpd_pmc_event",
        Kind::Count,
        &[("event_id", I), ("pmc_id", I), ("value", As::Number)],
    ),
];

/// Digits of the number that each profiled process gives its tables.
const OWNER: usize = 32;

/// A table, and whose it is.
#[derive(Clone, Debug)]
pub(super) struct Part {
    pub kind: Kind,
    /// The process that it is of: its place among the numbers that end tables' names.
    pub owner: i64,
    pub query: Query,
}

impl Part {
    /// Every table that is read.
    pub fn of(database: &Database) -> Vec<Self> {
        let mut owners: Vec<String> = Vec::new();
        let mut parts = Vec::new();
        for (start, kind, columns) in TABLES {
            for table in database.tables() {
                let Some(end) = table.name.strip_prefix(start) else {
                    continue;
                };
                let end = end.strip_prefix('_').unwrap_or(end);
                let whole = end.is_empty()
                    || end.len() >= OWNER
                        && end.chars().all(|it| it.is_alphanumeric() || it == '_');
                if !whole {
                    continue;
                }
                let owner = owners.iter().position(|it| it == end).unwrap_or_else(|| {
                    owners.push(end.to_owned());
                    owners.len() - 1
                });
                parts.push(Self {
                    kind: *kind,
                    owner: owner as i64,
                    query: Query::new(table, columns),
                });
            }
        }
        parts
    }

    /// The table and the column of its times, where it has any.
    pub fn timed(&self) -> Option<(&str, &str)> {
        match self.kind {
            Kind::Region | Kind::Dispatch | Kind::Copy => Some((&self.query.table, "start")),
            Kind::Sample => Some((&self.query.table, "timestamp")),
            _ => None,
        }
    }
}

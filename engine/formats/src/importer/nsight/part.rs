//! Which tables of an export are read, in which order, and what of them.

use super::super::sqlite::{As, Columns, Database, Query};

/// What a table tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// Calls of host threads; `cuda` where a value other than 0 that a call returns is an error.
    Api {
        cuda: bool,
    },
    /// Ranges and marks of the program itself.
    Nvtx,
    Kernel,
    Copy,
    Fill,
    /// Launches of whole graphs.
    Graph,
    /// Records of events.
    Record,
    /// Waits of streams and of host threads.
    Sync,
}

/// The tables that are not calls of host threads.
const KNOWN: &[(&str, Part, Columns)] = &[
    ("NVTX_EVENTS", Part::Nvtx, super::nvtx::COLUMNS),
    (
        "CUPTI_ACTIVITY_KIND_KERNEL",
        Part::Kernel,
        super::gpu::KERNEL,
    ),
    ("CUPTI_ACTIVITY_KIND_MEMCPY", Part::Copy, super::gpu::COPY),
    ("CUPTI_ACTIVITY_KIND_MEMSET", Part::Fill, super::gpu::FILL),
    (
        "CUPTI_ACTIVITY_KIND_GRAPH_TRACE",
        Part::Graph,
        super::gpu::GRAPH,
    ),
    (
        "CUPTI_ACTIVITY_KIND_CUDA_EVENT",
        Part::Record,
        super::sync::RECORD,
    ),
    (
        "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION",
        Part::Sync,
        super::sync::SYNC,
    ),
];

/// What every table of calls has, whatever library is called.
const CALL: &[&str] = &["start", "end", "globalTid"];

/// The columns that are read of it.
const API: Columns = &[
    ("start", As::Integer),
    ("end", As::Integer),
    ("globalTid", As::Integer),
    ("nameId", As::Integer),
    ("correlationId", As::Integer),
    ("returnValue", As::Integer),
    ("textId", As::Integer),
];

impl Part {
    /// Every table that is read: those of host threads first, since work of the GPU refers to them.
    pub fn of(database: &Database) -> Vec<(Self, Query)> {
        let runtime = |name: &str| name.eq_ignore_ascii_case("CUPTI_ACTIVITY_KIND_RUNTIME");
        let known = |name: &str| {
            KNOWN
                .iter()
                .any(|(known, ..)| name.eq_ignore_ascii_case(known))
        };
        let calls = database.tables().iter().filter(|table| {
            let named = table.has("nameId") || table.has("textId");
            table.has_all(CALL) && named && !known(&table.name)
        });
        let mut parts: Vec<(Self, Query)> = calls
            .map(|table| {
                let cuda = runtime(&table.name);
                (Self::Api { cuda }, Query::new(table, API))
            })
            .collect();
        // The runtime's calls are the ones that the others are within, and mostly the most.
        parts.sort_by_key(|(part, _)| *part != Self::Api { cuda: true });
        for (name, part, columns) in KNOWN {
            if let Some(table) = database.table(name) {
                parts.push((*part, Query::new(table, columns)));
            }
        }
        parts
    }

    /// Whether a file has anything that ran on a stream.
    pub fn has_work(database: &Database) -> bool {
        let work = KNOWN.iter().filter(|(_, part, _)| {
            matches!(part, Self::Kernel | Self::Copy | Self::Fill | Self::Graph)
        });
        let mut tables = work.filter_map(|(name, ..)| database.table(name));
        tables.any(|table| table.rows > 0)
    }

    /// Whether it is of host threads.
    pub fn is_host(self) -> bool {
        matches!(self, Self::Api { .. } | Self::Nvtx)
    }
}

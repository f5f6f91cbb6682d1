//! Which tables are read, and what of them.

use super::super::sqlite::{As, Columns, Database, Query};

/// What a table tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Text,
    Device,
    Runtime,
    Driver,
    /// Ranges and marks of the program itself.
    Mark,
    Kernel,
    Copy,
    Fill,
    Record,
    Sync,
}

impl Kind {
    /// Whether it refers to spans of host threads.
    pub fn follows_hosts(self) -> bool {
        matches!(
            self,
            Self::Kernel | Self::Copy | Self::Fill | Self::Record | Self::Sync
        )
    }
}

const I: As = As::Integer;

/// What is read of calls.
const CALL: Columns = &[
    ("start", I),
    ("end", I),
    ("processId", I),
    ("threadId", I),
    ("correlationId", I),
    ("cbid", I),
    ("returnValue", I),
];

/// What is read of kernels.
const KERNEL: Columns = &[
    ("start", I),
    ("end", I),
    ("deviceId", I),
    ("contextId", I),
    ("streamId", I),
    ("correlationId", I),
    ("name", I),
    ("gridX", I),
    ("gridY", I),
    ("gridZ", I),
    ("blockX", I),
    ("blockY", I),
    ("blockZ", I),
    ("registersPerThread", I),
    ("staticSharedMemory", I),
    ("dynamicSharedMemory", I),
];

/// What is read of copies.
const COPY: Columns = &[
    ("start", I),
    ("end", I),
    ("deviceId", I),
    ("contextId", I),
    ("streamId", I),
    ("correlationId", I),
    ("bytes", I),
    ("copyKind", I),
];

/// The tables in the order in which they are read; the ends of their names where they begin alike.
const TABLES: &[(&str, Kind, Columns)] = &[
    (
        "StringTable",
        Kind::Text,
        &[("_id_", I), ("value", As::Text)],
    ),
    (
        "CUPTI_ACTIVITY_KIND_DEVICE",
        Kind::Device,
        &[("id", I), ("name", I)],
    ),
    ("CUPTI_ACTIVITY_KIND_RUNTIME", Kind::Runtime, CALL),
    ("CUPTI_ACTIVITY_KIND_DRIVER", Kind::Driver, CALL),
    (
        "CUPTI_ACTIVITY_KIND_MARKER",
        Kind::Mark,
        &[("timestamp", I), ("flags", I), ("id", I), ("name", I)],
    ),
    (
        "CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL",
        Kind::Kernel,
        KERNEL,
    ),
    ("CUPTI_ACTIVITY_KIND_KERNEL", Kind::Kernel, KERNEL),
    ("CUPTI_ACTIVITY_KIND_MEMCPY", Kind::Copy, COPY),
    ("CUPTI_ACTIVITY_KIND_MEMCPY2", Kind::Copy, COPY),
    (
        "CUPTI_ACTIVITY_KIND_MEMSET",
        Kind::Fill,
        &[
            ("start", I),
            ("end", I),
            ("deviceId", I),
            ("contextId", I),
            ("streamId", I),
            ("correlationId", I),
            ("bytes", I),
            ("value", I),
        ],
    ),
    (
        "CUPTI_ACTIVITY_KIND_CUDA_EVENT",
        Kind::Record,
        &[
            ("correlationId", I),
            ("contextId", I),
            ("streamId", I),
            ("eventId", I),
        ],
    ),
    (
        "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION",
        Kind::Sync,
        &[
            ("start", I),
            ("end", I),
            ("contextId", I),
            ("streamId", I),
            ("correlationId", I),
            ("cudaEventId", I),
            ("type", I),
        ],
    ),
];

/// Tables of which nothing has to be said: they describe, and hold nothing with a time.
const SILENT: &[&str] = &[
    "_CONTEXT",
    "_NAME",
    "_STREAM",
    "_DEVICE_ATTRIBUTE",
    "_MARKER_DATA",
    "Version",
    "_GLOBAL_ACCESS",
];

/// Whether nothing has to be said of a table.
pub(super) fn is_read(name: &str) -> bool {
    TABLES.iter().any(|(known, ..)| *known == name) || SILENT.iter().any(|end| name.ends_with(end))
}

/// A table that is read.
#[derive(Clone, Debug)]
pub(super) struct Part {
    pub kind: Kind,
    pub query: Query,
}

impl Part {
    /// Every table that is there.
    pub fn of(database: &Database) -> Vec<Self> {
        let known = TABLES.iter().filter_map(|(name, kind, columns)| {
            Some(Self {
                kind: *kind,
                query: Query::new(database.table(name)?, columns),
            })
        });
        known.collect()
    }

    /// The table and the column of its times, where it has any.
    pub fn timed(&self) -> Option<(&str, &str)> {
        let column = match self.kind {
            Kind::Text | Kind::Device | Kind::Record => return None,
            Kind::Mark => "timestamp",
            _ => "start",
        };
        Some((&self.query.table, column))
    }
}

//! Which tables are read, and what of them.

use super::super::sqlite::{As, Columns, Database, Query};

/// What a table tells.
#[derive(Clone, Copy, Debug)]
pub(super) enum Kind {
    Text,
    Device,
    Rank,
    /// Numbers that tie calls of PyTorch to each other and to tasks.
    Connection,
    Cann,
    Python,
    /// Ranges of the program itself.
    Range,
    Step,
    Compute,
    Communication,
    Task,
    /// Collective operations.
    Exchange,
    Counter(&'static Series),
}

/// A counter that a table holds.
#[derive(Clone, Copy, Debug)]
pub(super) struct Series {
    pub name: &'static str,
    pub unit: &'static str,
    /// Whether the table holds several, by a number and a text.
    pub by: &'static str,
}

impl Kind {
    /// Whether it refers to spans of host threads.
    pub fn follows_hosts(self) -> bool {
        matches!(
            self,
            Self::Compute | Self::Communication | Self::Task | Self::Exchange | Self::Counter(_)
        )
    }
}

const I: As = As::Integer;
const N: As = As::Number;

/// The tables in the order in which they are read.
const TABLES: &[(&str, Kind, Columns)] = &[
    ("STRING_IDS", Kind::Text, &[("id", I), ("value", As::Text)]),
    ("NPU_INFO", Kind::Device, &[("id", I), ("name", As::Text)]),
    (
        "RANK_DEVICE_MAP",
        Kind::Rank,
        &[("rankId", I), ("deviceId", I)],
    ),
    (
        "CONNECTION_IDS",
        Kind::Connection,
        &[("id", I), ("connectionId", I)],
    ),
    (
        "CANN_API",
        Kind::Cann,
        &[
            ("startNs", I),
            ("endNs", I),
            ("globalTid", I),
            ("name", I),
            ("connectionId", I),
        ],
    ),
    (
        "PYTORCH_API",
        Kind::Python,
        &[
            ("startNs", I),
            ("endNs", I),
            ("globalTid", I),
            ("name", I),
            ("connectionId", I),
            ("sequenceNumber", I),
            ("inputDtypes", I),
            ("inputShapes", I),
        ],
    ),
    (
        "MSTX_EVENTS",
        Kind::Range,
        &[
            ("startNs", I),
            ("endNs", I),
            ("globalTid", I),
            ("message", I),
        ],
    ),
    (
        "STEP_TIME",
        Kind::Step,
        &[("startNs", I), ("endNs", I), ("id", I)],
    ),
    (
        "COMPUTE_TASK_INFO",
        Kind::Compute,
        &[
            ("globalTaskId", I),
            ("name", I),
            ("opType", I),
            ("taskType", I),
            ("blockDim", I),
        ],
    ),
    (
        "COMMUNICATION_TASK_INFO",
        Kind::Communication,
        &[
            ("globalTaskId", I),
            ("name", I),
            ("taskType", I),
            ("size", I),
            ("notifyId", I),
            ("srcRank", I),
            ("dstRank", I),
            ("planeId", I),
        ],
    ),
    (
        "TASK",
        Kind::Task,
        &[
            ("startNs", I),
            ("endNs", I),
            ("deviceId", I),
            ("streamId", I),
            ("connectionId", I),
            ("globalTaskId", I),
            ("taskType", I),
            ("taskId", I),
        ],
    ),
    (
        "COMMUNICATION_OP",
        Kind::Exchange,
        &[
            ("startNs", I),
            ("endNs", I),
            ("opName", I),
            ("connectionId", I),
            ("groupName", I),
            ("count", I),
            ("deviceId", I),
        ],
    ),
    (
        "AICORE_FREQ",
        Kind::Counter(&Series {
            name: "AI core frequency",
            unit: "MHz",
            by: "",
        }),
        &[("timestampNs", I), ("freq", N), ("deviceId", I)],
    ),
    (
        "HBM",
        Kind::Counter(&Series {
            name: "HBM bandwidth",
            unit: "B/s",
            by: "HBM",
        }),
        &[
            ("timestampNs", I),
            ("bandwidth", N),
            ("deviceId", I),
            ("hbmId", I),
            ("type", I),
        ],
    ),
    (
        "LLC",
        Kind::Counter(&Series {
            name: "LLC throughput",
            unit: "B/s",
            by: "LLC",
        }),
        &[
            ("timestampNs", I),
            ("throughput", N),
            ("deviceId", I),
            ("llcId", I),
            ("mode", I),
        ],
    ),
    (
        "NPU_MEM",
        Kind::Counter(&Series {
            name: "NPU memory",
            unit: "bytes",
            by: "",
        }),
        &[
            ("timestampNs", I),
            ("hbm", N),
            ("deviceId", I),
            ("none", I),
            ("type", I),
        ],
    ),
];

/// Tables of which nothing has to be said: they describe.
const SILENT: &[&str] = &[
    "ENUM_",
    "META_DATA",
    "HOST_INFO",
    "SESSION_TIME_INFO",
    "status_info",
    "sqlite_",
];

/// Whether nothing has to be said of a table.
pub(super) fn is_read(name: &str) -> bool {
    TABLES.iter().any(|(known, ..)| *known == name)
        || SILENT.iter().any(|start| name.starts_with(start))
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

    /// The table and the column of its times, where it has any that spans are drawn by.
    pub fn timed(&self) -> Option<(&str, &str)> {
        let timed = matches!(
            self.kind,
            Kind::Cann | Kind::Python | Kind::Task | Kind::Step
        );
        timed.then_some((self.query.table.as_str(), "startNs"))
    }
}

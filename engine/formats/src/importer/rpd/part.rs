//! Which tables are read, and what of them.

use super::super::sqlite::{As, Columns, Database, Query};

/// What a table tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Text,
    LongText,
    Call,
    KernelCall,
    CopyCall,
    /// Which call launched which operation.
    Launch,
    Operation,
    Monitor,
}

impl Kind {
    /// Whether it refers to spans of host threads.
    pub fn follows_hosts(self) -> bool {
        !matches!(self, Self::Text | Self::LongText | Self::Call)
    }
}

const I: As = As::Integer;
const T: As = As::Text;

/// The tables in the order in which they are read.
const TABLES: &[(&str, Kind, Columns)] = &[
    ("rocpd_string", Kind::Text, &[("id", I), ("string", T)]),
    ("rocpd_ustring", Kind::LongText, &[("id", I), ("string", T)]),
    (
        "rocpd_api",
        Kind::Call,
        &[
            ("start", I),
            ("end", I),
            ("id", I),
            ("pid", I),
            ("tid", I),
            ("apiName_id", I),
            ("args_id", I),
        ],
    ),
    (
        "rocpd_kernelapi",
        Kind::KernelCall,
        &[
            ("api_ptr_id", I),
            ("stream", T),
            ("gridX", I),
            ("gridY", I),
            ("gridZ", I),
            ("workgroupX", I),
            ("workgroupY", I),
            ("workgroupZ", I),
        ],
    ),
    (
        "rocpd_copyapi",
        Kind::CopyCall,
        &[("api_ptr_id", I), ("stream", T), ("size", I)],
    ),
    (
        "rocpd_api_ops",
        Kind::Launch,
        &[("api_id", I), ("op_id", I)],
    ),
    (
        "rocpd_op",
        Kind::Operation,
        &[
            ("start", I),
            ("end", I),
            ("id", I),
            ("gpuId", I),
            ("queueId", I),
            ("description_id", I),
            ("opType_id", I),
        ],
    ),
    (
        "rocpd_monitor",
        Kind::Monitor,
        &[
            ("start", I),
            ("deviceType", T),
            ("deviceId", I),
            ("monitorType", T),
            ("value", As::Number),
        ],
    ),
];

/// Whether nothing has to be said of a table.
pub(super) fn is_read(name: &str) -> bool {
    TABLES.iter().any(|(known, ..)| *known == name) || name == "rocpd_metadata"
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
        let timed = matches!(self.kind, Kind::Call | Kind::Operation);
        timed.then_some((self.query.table.as_str(), "start"))
    }
}

//! The tables and their columns: one list, from which SQLite, the completion of the editor and the guide are made.

/// What a column holds. Any column may also hold nothing, which is NULL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SqlType {
    /// A whole number: a time in nanoseconds, an id, a count.
    Integer,
    /// A number of 64 bits with a fraction.
    Real,
    /// A text.
    Text,
}

impl SqlType {
    /// The word that declares it to SQLite.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Integer => "INTEGER",
            Self::Real => "REAL",
            Self::Text => "TEXT",
        }
    }
}

/// A column of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SqlColumn {
    /// Its name.
    pub name: &'static str,
    /// What it holds.
    pub holds: SqlType,
    /// What it says, in a few words, with its unit.
    pub about: &'static str,
    /// Whether `*` leaves it out.
    pub is_hidden: bool,
}

impl SqlColumn {
    /// Whether it holds instants: nanoseconds from the capture's start.
    pub fn is_instant(&self) -> bool {
        ["ts", "enqueued", "ready"].contains(&self.name)
    }
}

/// A table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SqlTable {
    /// Its name.
    pub name: &'static str,
    /// What a row of it is, in a sentence.
    pub about: &'static str,
    /// Its columns, in their order.
    pub columns: &'static [SqlColumn],
}

/// Columns of any table that hold ids of spans, besides `span_id`.
const SPAN_IDS: &[&str] = &[
    "after_id",
    "before_id",
    "cause_id",
    "effect_id",
    "for_id",
    "launch_id",
];

impl SqlTable {
    /// The place of a column, by its name in lower case.
    pub fn column(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|it| it.name == name)
    }

    /// Whether the column of this name holds ids of spans.
    pub fn is_span(&self, column: &str) -> bool {
        let own = if self.name == "spans" {
            "id"
        } else {
            "span_id"
        };
        column == own || SPAN_IDS.contains(&column)
    }

    /// Whether a column holds ids of a capture, which another rank uses as well: of spans, lanes, dependencies and waits. That of
    /// a finding is none, but its place among those of its rank, the worst first.
    pub fn is_id(&self, column: &SqlColumn) -> bool {
        let is_place = self.name == "findings" && column.name == "id";
        !is_place && (column.name == "id" || column.name.ends_with("_id"))
    }
}

const fn column(name: &'static str, holds: SqlType, about: &'static str) -> SqlColumn {
    SqlColumn {
        name,
        holds,
        about,
        is_hidden: false,
    }
}

const fn int(name: &'static str, about: &'static str) -> SqlColumn {
    column(name, SqlType::Integer, about)
}

const fn text(name: &'static str, about: &'static str) -> SqlColumn {
    column(name, SqlType::Text, about)
}

const fn real(name: &'static str, about: &'static str) -> SqlColumn {
    column(name, SqlType::Real, about)
}

const fn hidden(mut column: SqlColumn) -> SqlColumn {
    column.is_hidden = true;
    column
}

const RUN: SqlColumn = text("run", "the run that the capture is of");
const RANK: SqlColumn = int(
    "rank",
    "the rank among processes that worked together, from 0",
);
const LANE_ID: SqlColumn = int("lane_id", "the lane");
const LANE: SqlColumn = text("lane", "the lane's name");
const TS: SqlColumn = int("ts", "start, ns");
const DUR: SqlColumn = int("dur", "length, ns");
const STEP: SqlColumn = int("step", "the step that it belongs to");

/// Which table: its place in [`TABLES`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct TableId(pub usize);

/// Every table, those of every capture first.
pub const TABLES: &[SqlTable] = &[
    SqlTable {
        name: "spans",
        about: "Operations, calls and ranges: whatever began and ended on a lane, or still runs.",
        columns: &[
            int("id", "the span"),
            LANE_ID,
            LANE,
            text(
                "kind",
                "`kernel`, `upload`, `call` and so on, as in the CSV export",
            ),
            text("name", "what it is called"),
            text(
                "state",
                "`completed`, `failed`, `cancelled`, `lost` or `running`",
            ),
            TS,
            int(
                "dur",
                "length, ns; of what still runs, until the end of the capture",
            ),
            int(
                "enqueued",
                "when it was handed to its lane, ns; `ts` where that is not known",
            ),
            int("depth", "the sub-lane, from 0"),
            STEP,
            int("launch_id", "the call that submitted it"),
            int("bytes", "bytes that were moved or allocated"),
            int(
                "collective",
                "the number of the collective operation that it is part of",
            ),
            RUN,
            RANK,
            hidden(int("name_id", "the name's row in `names`")),
        ],
    },
    SqlTable {
        name: "dependencies",
        about: "What had to come before what.",
        columns: &[
            int("id", "the dependency"),
            text("kind", "`submission`, `event`, `synchronization` and so on"),
            text("basis", "`enforced`, `declared`, `observed` or `inferred`"),
            int("event", "the event that carried it"),
            int("generation", "which record of the event, from 1"),
            int("cause_id", "the span that came first"),
            int("effect_id", "the span that waited for it"),
            RUN,
            RANK,
        ],
    },
    SqlTable {
        name: "arguments",
        about: "Further fields of spans, a row for each; one of the three last columns has the value.",
        columns: &[
            int("span_id", "the span"),
            text("name", "the field"),
            int("whole", "a whole number"),
            real("decimal", "a number with a fraction"),
            text("text", "a text"),
            RUN,
            RANK,
        ],
    },
    SqlTable {
        name: "lanes",
        about: "Streams, host threads and whatever else has a row in the timeline.",
        columns: &[
            LANE_ID,
            text("grp", "`host`, `device`, `streams` or `counters`"),
            text(
                "role",
                "what a stream is for, `none` where that is not known",
            ),
            text("name", "what it is called"),
            int("device", "its device"),
            RUN,
            RANK,
        ],
    },
    SqlTable {
        name: "devices",
        about: "Devices that ran something.",
        columns: &[
            int("device", "the device"),
            text("name", "what it is called"),
            text("backend", "what drove it, or the tool that captured it"),
            text("detail", "what it can and cannot do, in words"),
            RUN,
            RANK,
        ],
    },
    SqlTable {
        name: "counters",
        about: "Samples of counters; a value holds until the next.",
        columns: &[
            text("counter", "the counter's name"),
            text("unit", "the unit of its values"),
            int(
                "lane_id",
                "the lane that it belongs to; in a capture none has one",
            ),
            int("ts", "from when on, ns"),
            real("value", "the value"),
            RUN,
            RANK,
        ],
    },
    SqlTable {
        name: "steps",
        about: "Steps and frames: by marks of the host, else by what repeats itself.",
        columns: &[
            int("step", "its number, from 1"),
            text("name", "its mark, or its first operation"),
            TS,
            DUR,
            RUN,
            RANK,
        ],
    },
    SqlTable {
        name: "collectives",
        about: "Each rank's part of what several do together. The parts of one have the same number in their group.",
        columns: &[
            int("number", "which of the group's operations, from 0"),
            text("grp", "the group of ranks, where the capture names it"),
            int("span_id", "the part"),
            text("name", "what it is called"),
            int("bytes", "bytes that this rank put in"),
            int("ready", "when this rank had come to it, ns"),
            TS,
            DUR,
            RUN,
            RANK,
        ],
    },
    SqlTable {
        name: "gaps",
        about: "Times in which a stream ran nothing, each with its reason; all together they are what `syncline idle` sums up.",
        columns: &[
            LANE_ID,
            LANE,
            TS,
            DUR,
            int(
                "before_id",
                "the operation before it; none before the first",
            ),
            int(
                "after_id",
                "the operation that came next, or the wait itself; none after the last",
            ),
            text(
                "reason",
                "`host`, `host_sync`, `dependency`, `latency`, `unknown` or `after`, as the guide *Causes* explains",
            ),
            RUN,
            RANK,
        ],
    },
    SqlTable {
        name: "waits",
        about: "What operations and blocking calls waited for, a row for each part of a wait.",
        columns: &[
            int("id", "the part"),
            int("span_id", "what waited"),
            int(
                "for_id",
                "what it waited for; none for latency and where it is not known",
            ),
            text(
                "kind",
                "the kind of the cause, such as `event` or `stream`; `latency`; `unknown`",
            ),
            TS,
            DUR,
            RUN,
            RANK,
        ],
    },
    SqlTable {
        name: "lane_overlap",
        about: "How long two streams of a device were busy at once, by step; each pair stands here in both orders.",
        columns: &[
            int("step", "the step; none for the time outside of steps"),
            LANE_ID,
            LANE,
            int("with_lane_id", "the other stream"),
            text("with_lane", "its name"),
            int("dur", "how long both were busy, ns"),
            RUN,
            RANK,
        ],
    },
    SqlTable {
        name: "critical_path",
        about: "What the time from the first start to the last end was made of, without a gap.",
        columns: &[
            int("place", "its place on the path, from 0"),
            int(
                "span_id",
                "what ran, began or returned; none for the host's own time",
            ),
            STEP,
            TS,
            DUR,
            text(
                "reason",
                "`run`, `latency`, `return`, `host`, `limit` or `unknown`",
            ),
            RUN,
            RANK,
        ],
    },
    SqlTable {
        name: "findings",
        about: "What the analyses found.",
        columns: &[
            int("id", "the finding, the worst first"),
            text("analysis", "the code of the analysis, such as `race`"),
            text("severity", "`info`, `warning`, `error` or `data-loss`"),
            text("text", "what was found and what to do about it"),
            int("span_id", "the first span that it is about"),
            TS,
            DUR,
            RUN,
            RANK,
        ],
    },
    SqlTable {
        name: "captures",
        about: "The capture itself, a row for each rank: read it before you trust that something is absent. What was repaired and dropped is of all its files.",
        columns: &[
            int("schema", "the version of these tables"),
            text("path", "the file"),
            text(
                "content_hash",
                "a hash of its content; none in an open capture",
            ),
            text(
                "tool",
                "the format that it was read from, or the backend that ran it",
            ),
            text("host", "what the file says of the machine, in words"),
            text("device", "its devices"),
            int(
                "clock_origin_ns",
                "capture time 0, in ns since 1970, where the file says it",
            ),
            int(
                "clock_uncertainty_ns",
                "how far times of different clocks may be off, ns",
            ),
            int("spans", "how many spans it has"),
            int("repaired", "facts that had to be repaired when it was read"),
            int("dropped", "facts of the file that are not in the capture"),
            text(
                "receipt",
                "what was repaired, as a JSON object of causes and counts",
            ),
            text("syncline", "the version of Syncline that made these tables"),
            RUN,
            RANK,
        ],
    },
    SqlTable {
        name: "kernels",
        about: "How long the operations of each name took on each stream; waits and records of events are none.",
        columns: &[
            text("name", "what they are called"),
            text("kind", "what sort of operation they are"),
            LANE_ID,
            LANE,
            int("times", "how many there are"),
            int("total_ns", "their lengths, all together"),
            int("least_ns", "the shortest"),
            int("p50_ns", "the length that half of them do not exceed"),
            int("p99_ns", "the length that 99 of 100 do not exceed"),
            int("most_ns", "the longest"),
            RUN,
            RANK,
        ],
    },
    SqlTable {
        name: "problems",
        about: "What is known to be wrong or missing in the capture.",
        columns: &[
            text("severity", "`info`, `warning`, `error` or `data-loss`"),
            text("code", "a short word for its kind"),
            text("text", "what happened, why, and what to do"),
            int("span_id", "the span that it is about"),
            int("ts", "when that began, ns"),
            RUN,
            RANK,
        ],
    },
    SqlTable {
        name: "names",
        about: "Every name of a span, once: to group by `name_id` is quicker than by long names.",
        columns: &[
            int("name_id", "the name"),
            text("name", "its text"),
            RUN,
            RANK,
        ],
    },
];

/// The version of the tables: columns are only added, at the end.
pub const SCHEMA_VERSION: i64 = 1;

/// Tables that only an open capture has; in a dataset there is none of them.
pub const CAPTURE_ONLY: &[&str] = &["kernels", "problems", "names"];

impl TableId {
    pub const SPANS: Self = Self(0);
    pub const DEPENDENCIES: Self = Self(1);
    pub const LANES: Self = Self(3);
    pub const DEVICES: Self = Self(4);
    pub const COUNTERS: Self = Self(5);
    pub const STEPS: Self = Self(6);
    pub const COLLECTIVES: Self = Self(7);
    pub const GAPS: Self = Self(8);
    pub const WAITS: Self = Self(9);
    pub const LANE_OVERLAP: Self = Self(10);
    pub const CRITICAL_PATH: Self = Self(11);
    pub const FINDINGS: Self = Self(12);
    pub const CAPTURES: Self = Self(13);
    pub const KERNELS: Self = Self(14);
    pub const PROBLEMS: Self = Self(15);
    pub const NAMES: Self = Self(16);

    /// Its schema.
    pub fn schema(self) -> Option<&'static SqlTable> {
        TABLES.get(self.0)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn tables_are_found_by_their_constants() {
        let all = [
            (TableId::SPANS, "spans"),
            (TableId::DEPENDENCIES, "dependencies"),
            // It is made by its name.
            (TableId(2), "arguments"),
            (TableId::LANES, "lanes"),
            (TableId::DEVICES, "devices"),
            (TableId::COUNTERS, "counters"),
            (TableId::STEPS, "steps"),
            (TableId::COLLECTIVES, "collectives"),
            (TableId::GAPS, "gaps"),
            (TableId::WAITS, "waits"),
            (TableId::LANE_OVERLAP, "lane_overlap"),
            (TableId::CRITICAL_PATH, "critical_path"),
            (TableId::FINDINGS, "findings"),
            (TableId::CAPTURES, "captures"),
            (TableId::KERNELS, "kernels"),
            (TableId::PROBLEMS, "problems"),
            (TableId::NAMES, "names"),
        ];
        assert_eq!(all.len(), TABLES.len());
        for (id, name) in all {
            assert_eq!(id.schema().map(|it| it.name), Some(name));
        }
    }

    #[test]
    fn ids_and_instants_are_whole_numbers() {
        let mut found = BTreeSet::new();
        for table in TABLES {
            let of = |it: &&SqlColumn| table.is_id(it) || it.is_instant();
            for column in table.columns.iter().filter(of) {
                assert_eq!(column.holds, SqlType::Integer);
                found.insert(column.name);
            }
        }
        let ids = [
            "after_id",
            "before_id",
            "cause_id",
            "effect_id",
            "for_id",
            "id",
            "lane_id",
            "launch_id",
            "name_id",
            "span_id",
            "with_lane_id",
        ];
        let instants = ["enqueued", "ready", "ts"];
        assert_eq!(found, ids.into_iter().chain(instants).collect());
        let findings = TableId::FINDINGS.schema().unwrap();
        assert!(!findings.is_id(&findings.columns[0]));
    }

    #[test]
    fn names_are_plain_and_stand_once() {
        let tables: BTreeSet<&str> = TABLES.iter().map(|it| it.name).collect();
        assert_eq!(tables.len(), TABLES.len());
        for table in TABLES {
            let columns: BTreeSet<&str> = table.columns.iter().map(|it| it.name).collect();
            assert_eq!(columns.len(), table.columns.len(), "{}", table.name);
            let plain = |it: &str| it.chars().all(|c| c.is_ascii_lowercase() || c == '_');
            let plain = |it: &&str| plain(it) || ["p50_ns", "p99_ns"].contains(it);
            assert!(
                plain(&table.name) && columns.iter().all(plain),
                "{}",
                table.name
            );
            assert!(
                columns.contains("run") && columns.contains("rank"),
                "{}",
                table.name
            );
        }
        for name in CAPTURE_ONLY {
            assert!(tables.contains(name));
        }
    }
}

//! What the receipt says of an export: what it does not hold, and what could not be known.

use std::collections::HashMap;

use super::super::sqlite::{Database, SqliteWaitOutcome};
use super::NsightReader;
use record::Severity;

/// What was counted on the way.
#[derive(Debug, Default)]
pub(super) struct NsightTally {
    /// Names of NVTX domains.
    pub domains: HashMap<i64, String>,
    /// Ranges in a domain of their own: place and domain.
    pub in_domains: Vec<(u32, i64)>,
    /// Rows that name something and are no range.
    pub namings: u64,
    pub open_ranges: u64,
    pub empty_records: u64,
    pub uncalled_records: u64,
    pub uncalled_waits: u64,
    pub queries: u64,
}

/// Tables that hold nothing that a timeline shows.
pub(super) const SILENT: &[&str] = &[
    "ENUM_*",
    "TARGET_INFO_*",
    "META_DATA*",
    "EXPORT_META_DATA*",
    "ANALYSIS_*",
    "StringIds*",
    "ThreadNames*",
    "PROCESSES*",
    "ProcessStreams*",
    "NVTX_PAYLOAD_*",
    "NVTX_COUNTER*",
    "NVTX_SCOPES*",
    "NVTX_DEFINED*",
];

/// Columns that every export has of the tables that matter most.
pub(super) const COLUMNS: &[(&str, &[&str])] = &[
    ("StringIds", &["id", "value"]),
    (
        "CUPTI_ACTIVITY_KIND_RUNTIME",
        &["start", "end", "globalTid", "correlationId", "nameId"],
    ),
    (
        "CUPTI_ACTIVITY_KIND_KERNEL",
        &[
            "start",
            "end",
            "deviceId",
            "contextId",
            "streamId",
            "correlationId",
            "demangledName",
            "shortName",
        ],
    ),
    (
        "CUPTI_ACTIVITY_KIND_MEMCPY",
        &[
            "start",
            "end",
            "deviceId",
            "streamId",
            "correlationId",
            "bytes",
            "copyKind",
        ],
    ),
    ("CUPTI_ACTIVITY_KIND_MEMSET", WORK),
    (
        "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION",
        &[
            "start",
            "end",
            "syncType",
            "contextId",
            "streamId",
            "eventId",
            "correlationId",
        ],
    ),
    (
        "NVTX_EVENTS",
        &["start", "end", "eventType", "text", "globalTid"],
    ),
];

/// The same of work on streams.
const WORK: &[&str] = &["start", "end", "deviceId", "streamId", "correlationId"];

/// What every table of calls has, whatever library is called.
pub(super) const CALL: &[&str] = &["start", "end", "globalTid"];

impl NsightReader<'_, '_> {
    /// Says of tables of calls of other libraries which columns are not there.
    fn tell_calls(&mut self, database: &Database) {
        let is_known = |name: &str| COLUMNS.iter().any(|it| it.0 == name);
        for table in database.tables().iter().filter(|it| !is_known(&it.name)) {
            let is_named = table.has("nameId") || table.has("textId");
            let lacking = table.lacks(CALL);
            if is_named && lacking.len() == 1 {
                self.draft.without_columns(&table.name, &lacking);
            }
        }
    }

    /// Says it all.
    pub(super) fn tell(&mut self, outcome: &SqliteWaitOutcome, database: &Database) {
        self.tell_calls(database);
        self.tell_waits(outcome);
        // That of ranges is said here.
        self.draft.unended = self
            .draft
            .unended
            .saturating_sub(self.dialect.tally.open_ranges);
        let tally = &self.dialect.tally;
        let said = [
            (
                tally.open_ranges,
                "{range|ranges} had not ended when the capture did; {it is|they are} shown as still running",
            ),
            (
                self.unlaunched,
                "{operation of the GPU has|operations of the GPU have} no call in the file that launched {it|them}",
            ),
            (
                tally.empty_records,
                "{record of an event names no event; it ties|records of events name no event; they tie} nothing",
            ),
            (
                tally.uncalled_records,
                "{record of an event has|records of events have} no call in the file",
            ),
            (
                tally.uncalled_waits,
                "{wait has no call in the file; it is on a lane of its|waits have no call in the file; they are on a lane of their} own",
            ),
            (
                tally.namings,
                "{row of NVTX_EVENTS names a category or a thread; it is no range|rows of NVTX_EVENTS name categories and threads; they are no ranges}",
            ),
        ];
        self.draft.receipt.note_counts(said);
        if !database.has("CUPTI_ACTIVITY_KIND_KERNEL") {
            self.draft.receipt.note(
                "The file holds no kernels; profile with nsys profile --trace=cuda,nvtx to see what the GPU did.",
            );
        }
        if self.dialect.workless && !self.waits_of_streams_are_none(outcome) {
            self.draft.receipt.note(
                "Streams are shown by records of events and waits alone, at the times of the calls: what ran between \
                 them is not in the file.",
            );
        }
    }

    fn waits_of_streams_are_none(&self, outcome: &SqliteWaitOutcome) -> bool {
        outcome.waits == 0 && self.dialect.events.is_empty()
    }

    fn tell_waits(&mut self, outcome: &SqliteWaitOutcome) {
        let SqliteWaitOutcome { waits, blind, .. } = *outcome;
        if self.dialect.events.is_empty() && (waits > 0 || blind > 0) {
            let text = "The file has no records of events (CUPTI_ACTIVITY_KIND_CUDA_EVENT): what a stream waited for is \
                        known only as far as the order of calls allows. Export a capture made with \
                        --cuda-event-trace=true to know it.";
            self.draft
                .sink
                .complain(Severity::Warning, "no-event-records", text.to_owned());
            self.draft.receipt.note(text);
        }
        outcome.tell(&mut self.draft.receipt);
    }
}

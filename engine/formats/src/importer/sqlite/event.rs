//! Events of the GPU, each record of them, and which record a wait is for.

use std::collections::HashMap;

use super::SqliteDraft;
use crate::submission::{SubmissionStream, SubmittedOperation, SubmittedOperations};
use record::{Basis, Event, EventId, NameId, Record, SpanId};

/// A record of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::importer) struct SqliteRecord {
    /// The number of the call.
    pub order: i64,
    /// The stream that it is recorded on.
    pub stream: SubmissionStream,
    /// The span of the record itself, where the file says when the stream reached it.
    pub span: Option<SpanId>,
    pub event: EventId,
    /// Which record of the event it is, counted from 1.
    pub generation: u32,
}

/// Every record, by event and by the number that ties it to its waits.
#[derive(Debug, Default)]
pub(in crate::importer) struct SqliteEvents {
    ids: HashMap<(i64, i64), EventId>,
    /// The number of each event, in the order of its id.
    numbers: Vec<i64>,
    /// By event, in the order of its id.
    records: Vec<Vec<SqliteRecord>>,
    /// The event, and the call that recorded it.
    ties: HashMap<(i64, i64), (EventId, i64)>,
}

impl SqliteEvents {
    /// The event of a process and a number; a new one is announced.
    pub fn id(&mut self, process: i64, number: i64, draft: &mut SqliteDraft<'_, '_>) -> EventId {
        if let Some(id) = self.ids.get(&(process, number)) {
            return *id;
        }
        let id = EventId(self.ids.len() as u32);
        let name = draft.name(&format!("event {number}"));
        self.ids.insert((process, number), id);
        self.numbers.push(number);
        let timing = false;
        draft.sink.push(Record::Event(Event {
            id,
            name,
            timing,
            options: NameId::NONE,
        }));
        id
    }

    /// The file's own number of an event.
    pub fn number(&self, event: EventId) -> Option<i64> {
        self.numbers.get(event.index()).copied()
    }

    /// Notes a record; its generation is counted once all are known.
    pub fn add(&mut self, recorded: SqliteRecord, tie: Option<i64>) {
        let index = recorded.event.index();
        if self.records.len() <= index {
            self.records.resize_with(index + 1, Vec::new);
        }
        if let Some(records) = self.records.get_mut(index) {
            records.push(recorded);
        }
        if let Some(tie) = tie {
            let key = (recorded.stream.process, tie);
            self.ties.insert(key, (recorded.event, recorded.order));
        }
    }

    /// Puts records in order of the calls and counts generations; nothing is found before.
    pub fn sort(&mut self) {
        for records in &mut self.records {
            records.sort_by_key(|it| it.order);
            for (generation, record) in (1..).zip(records.iter_mut()) {
                record.generation = generation;
            }
        }
    }

    /// The record that a wait is for, and how that is known: the one with its tie, or else the last one of the event
    /// before the wait, which is concluded from the order of the calls.
    pub fn waited_for(
        &self,
        event: EventId,
        process: i64,
        tie: Option<i64>,
        order: i64,
    ) -> Option<(SqliteRecord, Basis)> {
        let tied = tie.and_then(|tie| self.ties.get(&(process, tie)));
        let (event, order, basis) = match tied {
            Some(&(event, recorded)) => (event, recorded.saturating_add(1), Basis::Enforced),
            None => (event, order, Basis::Inferred),
        };
        Some((self.last_before(event, order)?, basis))
    }

    fn last_before(&self, event: EventId, order: i64) -> Option<SqliteRecord> {
        let records = self.records.get(event.index())?;
        let at = records.partition_point(|it| it.order < order);
        records.get(at.checked_sub(1)?).copied()
    }

    /// Records that are spans of their streams, in the order of their calls.
    pub fn marks(&self) -> SubmittedOperations {
        let mut marks = SubmittedOperations::default();
        for record in self.records.iter().flatten() {
            if let Some(span) = record.span {
                let (order, start) = (record.order, 0);
                marks.add(
                    record.stream,
                    SubmittedOperation::new(order, (start, start), span),
                );
            }
        }
        marks.sort();
        marks
    }

    /// Whether any record is known.
    pub fn is_empty(&self) -> bool {
        self.records.is_empty()
    }
}

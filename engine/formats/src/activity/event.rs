//! Events of a process, each record of them, and which record a wait is for.

use std::collections::HashMap;

use super::draft::ActivityDraft;
use crate::submission::{SubmissionStream, SubmittedOperation, SubmittedOperations};
use record::{Basis, EventId, SpanId};

/// A record of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ActivityRecord {
    /// The number of the call.
    pub order: u32,
    /// The stream that it was recorded in.
    pub stream: SubmissionStream,
    /// The span of the record itself, where CUPTI says when the device came to it.
    pub span: Option<SpanId>,
}

/// The record that a wait is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct MatchedRecord {
    pub record: ActivityRecord,
    /// Which record of the event it is, counted from 1.
    pub generation: u32,
    pub basis: Basis,
}

/// An event by the numbers of its context and its own.
pub(super) type ActivityEventKey = (u32, u32);

/// Every event of a process.
#[derive(Debug, Default)]
pub(super) struct ActivityEvents {
    rows: HashMap<ActivityEventKey, ActivityEvent>,
    /// The event and the call of each record that has a number of its own.
    ties: HashMap<u64, (ActivityEventKey, u32)>,
    /// Records that are spans of their streams.
    marks: SubmittedOperations,
}

#[derive(Debug)]
struct ActivityEvent {
    id: EventId,
    records: Vec<ActivityRecord>,
}

impl ActivityEvents {
    /// The event of a key; a new one is announced.
    pub fn id(&mut self, key: ActivityEventKey, draft: &mut ActivityDraft) -> EventId {
        let row = self.rows.entry(key).or_insert_with(|| ActivityEvent {
            id: draft.event(key.1),
            records: Vec::new(),
        });
        row.id
    }

    /// Notes a record of an event that has an id, and the number of it alone where there is one.
    pub fn add(&mut self, key: ActivityEventKey, recorded: ActivityRecord, tie: Option<u64>) {
        if let Some(span) = recorded.span {
            let mark = SubmittedOperation::new(i64::from(recorded.order), (0, 0), span);
            self.marks.add(recorded.stream, mark);
        }
        if let Some(row) = self.rows.get_mut(&key) {
            let at = row.records.partition_point(|it| it.order <= recorded.order);
            row.records.insert(at, recorded);
        }
        if let Some(tie) = tie {
            self.ties.insert(tie, (key, recorded.order));
        }
    }

    /// Puts records in order; nothing that came since the last time is found before.
    pub fn sort(&mut self) {
        self.marks.sort();
    }

    /// The first record of any event on a stream after a call that is a span.
    pub fn mark_after(&self, stream: SubmissionStream, order: u32) -> Option<SubmittedOperation> {
        self.marks.after(stream, i64::from(order))
    }

    /// The record that a wait is for: that of the number that both have, or else the last one of the event before the
    /// wait's call.
    pub fn waited_for(
        &self,
        key: ActivityEventKey,
        tie: Option<u64>,
        order: u32,
    ) -> Option<MatchedRecord> {
        match tie.and_then(|tie| self.ties.get(&tie)) {
            Some((key, recorded)) => self.before(*key, recorded.saturating_add(1), Basis::Enforced),
            None => self.before(key, order, Basis::Inferred),
        }
    }

    fn before(&self, key: ActivityEventKey, order: u32, basis: Basis) -> Option<MatchedRecord> {
        let records = &self.rows.get(&key)?.records;
        let at = records.partition_point(|it| it.order < order);
        let record = records.get(at.checked_sub(1)?).copied()?;
        Some(MatchedRecord {
            record,
            generation: at as u32,
            basis,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::activity::process::submission_stream;

    #[test]
    fn a_wait_is_for_the_record_of_its_number_or_for_the_last_before_it() {
        let (mut events, mut draft) = (ActivityEvents::default(), ActivityDraft::default());
        let key = (1, 5);
        events.id(key, &mut draft);
        for (order, tie) in [(30, Some(3)), (10, Some(1)), (20, Some(2))] {
            let recorded = ActivityRecord {
                order,
                stream: submission_stream((1, 7)),
                span: None,
            };
            events.add(key, recorded, tie);
        }
        let found = |tie, order| {
            let found = events.waited_for(key, tie, order)?;
            Some((found.record.order, found.generation, found.basis))
        };
        assert_eq!(found(Some(2), 99), Some((20, 2, Basis::Enforced)));
        assert_eq!(found(None, 25), Some((20, 2, Basis::Inferred)));
        assert_eq!(found(Some(77), 15), Some((10, 1, Basis::Inferred)));
        assert_eq!(found(None, 10), None);
        assert_eq!(events.waited_for((2, 5), None, 99), None);
    }
}

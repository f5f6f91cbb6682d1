//! What waits of streams and of host threads waited for.
//!
//! The file says when each stream waited and when each record was reached, and never which record a wait was for. So
//! what is said here is concluded: from times where a stream really stood still, from the order of calls where not.

use super::super::sqlite::SubmissionStream;
use super::{AscendReader, PROCESS};
use record::{Basis, Dependency, DependencyKind, LaneId, SpanId};

/// A record or a wait, as its stream reached it.
#[derive(Clone, Copy, Debug)]
pub(super) struct StreamSyncTask {
    pub stream: SubmissionStream,
    pub span: SpanId,
    pub start: i64,
    pub end: i64,
    /// When its call was made, and the lane of the thread that made it.
    pub call: Option<(i64, LaneId)>,
}

/// Host threads that waited.
#[derive(Debug, Default)]
pub(super) struct HostSyncs {
    /// Calls that wait for everything, by place.
    pub all: Vec<u32>,
    /// Calls of which the file does not say what they waited for.
    pub unknown: u64,
}

/// A wait that is longer than this, in nanoseconds, held its stream back.
const STOOD: i64 = 1_000;
/// How long after a record, in nanoseconds, a wait for it ends at most.
const SOON: i64 = 1_000;

impl AscendReader<'_, '_> {
    pub(super) fn tie_waits(&mut self) {
        let mut unknown = 0;
        for wait in std::mem::take(&mut self.dialect.waits) {
            match record_for(&wait, &self.dialect.records) {
                Some(record) => {
                    self.draft.receipt.inferred += 1;
                    self.draft.depends(Dependency::new(
                        record.span,
                        wait.span,
                        DependencyKind::Event,
                        Basis::Inferred,
                    ));
                }
                None => unknown += 1,
            }
        }
        let mut before = None;
        for place in std::mem::take(&mut self.dialect.syncs.all) {
            let order = self.hosts.start(place).unwrap_or(0);
            for (_, last) in self.operations.all_before(PROCESS, None, order) {
                if before.is_none_or(|before| last.order > before) {
                    self.draft
                        .sink
                        .push(synchronised(last.span, self.hosts.span(place)));
                }
            }
            before = Some(order);
        }
        let said = [
            (
                self.draft.receipt.inferred,
                "{wait for an event is|waits for events are} tied to a record by times and the order of calls, as \
                 inferred: the file does not name the event",
            ),
            (
                unknown,
                "{wait for an event is|waits for events are} for a record that cannot be told",
            ),
            (
                self.dialect.syncs.unknown,
                "{call waits|calls wait} for a stream that the file does not name",
            ),
        ];
        self.draft.receipt.note_counts(said);
    }
}

fn synchronised(cause: SpanId, effect: SpanId) -> record::Record {
    record::Record::Dependency(Dependency::new(
        cause,
        effect,
        DependencyKind::Synchronization,
        Basis::Enforced,
    ))
}

/// The record that a wait was for. A wait that held its stream back ended just after it; one that passed at once was
/// for the last record that its own thread asked for before, if another stream had reached that by then.
fn record_for(wait: &StreamSyncTask, records: &[StreamSyncTask]) -> Option<StreamSyncTask> {
    let asked = |record: &StreamSyncTask| match (record.call, wait.call) {
        (Some((record, _)), Some((wait, _))) => record < wait,
        _ => true,
    };
    let others = records
        .iter()
        .filter(|it| it.stream != wait.stream && asked(it));
    if wait.end - wait.start > STOOD {
        let ended = others.filter(|it| it.start <= wait.end && wait.end - it.start <= SOON);
        return ended.max_by_key(|it| it.start).copied();
    }
    let (_, thread) = wait.call?;
    let own =
        others.filter(|it| it.call.is_some_and(|(_, lane)| lane == thread) && it.start <= wait.end);
    own.max_by_key(|it| it.call).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reached(stream: i64, span: u32, (start, end): (i64, i64), call: i64) -> StreamSyncTask {
        StreamSyncTask {
            stream: SubmissionStream {
                process: 0,
                context: 0,
                number: stream,
            },
            span: SpanId(span),
            start,
            end,
            call: Some((call, LaneId(0))),
        }
    }

    #[test]
    fn a_wait_that_stood_ended_with_its_record() {
        let records = [
            reached(4, 1, (90_000, 90_020), 10),
            reached(4, 2, (99_800, 99_820), 20),
            reached(2, 3, (99_900, 99_920), 30),
        ];
        let found = |wait: &StreamSyncTask| record_for(wait, &records).map(|it| it.span.0);
        assert_eq!(found(&reached(2, 9, (5_000, 100_000), 40)), Some(2));
        assert_eq!(
            found(&reached(2, 9, (5_000, 100_000), 15)),
            None,
            "asked for only later"
        );
        assert_eq!(
            found(&reached(2, 9, (5_000, 200_000), 40)),
            None,
            "no record then"
        );
        assert_eq!(
            found(&reached(2, 9, (100_000, 100_020), 40)),
            Some(2),
            "passed at once"
        );
    }
}

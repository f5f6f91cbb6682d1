//! Where threads meet for a collective operation: who came last, for whom all others waited.

use super::links::dependency;
use super::rows::XPlaneRows;
use crate::importer::{ImportError, RecordSink};
use record::{Basis, DependencyKind, SpanKind};

/// The name of the span of a thread that comes to a rendezvous and leaves it.
pub(super) const MEETING: &str = "Rendezvous";
/// Operations of one thread may lie so deep in each other.
const DEEPEST: usize = 64;
/// Stands for no operation.
const NONE: u32 = u32::MAX;

/// A thread at a rendezvous.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct ThreadArrival {
    /// The number of the text of its key.
    key: u32,
    /// How often its thread met there before: one operation may meet several times.
    round: u32,
    /// Which one came: as the file counts them, or by time.
    order: i64,
    start: i64,
    row: u32,
    /// The operation that it came for.
    operation: u32,
    line: u32,
}

/// Every rendezvous.
#[derive(Debug, Default)]
pub(in crate::importer) struct RendezvousList {
    all: Vec<ThreadArrival>,
    /// Operations under way on the line that is read: when they end, and their rows.
    open: Vec<(i64, u32)>,
    line: u32,
}

impl RendezvousList {
    /// Another line begins.
    pub fn begin_line(&mut self) {
        self.open.clear();
        self.line += 1;
    }

    /// An operation runs on the line.
    pub fn operation(&mut self, (start, end): (i64, i64), row: u32) {
        while self.open.pop_if(|(ends, _)| *ends <= start).is_some() {}
        self.open.push((end, row));
    }

    /// The thread of the line comes to a rendezvous.
    pub fn arrive(&mut self, key: u32, order: Option<i64>, (start, end): (i64, i64), row: u32) {
        let around = self.open.iter().rev().take(DEEPEST);
        let around = { around }.find(|(ends, _)| *ends >= end);
        self.all.push(ThreadArrival {
            key,
            round: 0,
            order: order.unwrap_or(start),
            start,
            row,
            operation: around.map_or(NONE, |(_, row)| *row),
            line: self.line,
        });
    }

    /// Ties the last to come to each of the others, threads and the operations that they came for alike.
    pub fn hand_over(mut self, sink: &mut RecordSink<'_>) -> Result<(), ImportError> {
        self.count_rounds();
        let (kind, mut before) = ((DependencyKind::Collective, Basis::Enforced), Vec::new());
        for round in self
            .all
            .chunk_by(|a, b| (a.key, a.round) == (b.key, b.round))
        {
            let Some((last, others)) = round.split_last() else {
                continue;
            };
            let mut operations: Vec<u32> = round.iter().map(|it| it.operation).collect();
            operations.sort_unstable();
            // Operations that meet several times waited for each other the first time.
            let meets_first = operations != before && !operations.contains(&NONE);
            for other in others {
                sink.push(dependency((last.row, other.row), kind));
                if meets_first && last.operation != other.operation {
                    sink.push(dependency((last.operation, other.operation), kind));
                }
            }
            before = operations;
            sink.advance(RecordSink::WHOLE)?;
        }
        Ok(())
    }

    /// Says of the operations that met that they are collective.
    pub(super) fn name_kinds(&self, rows: &mut XPlaneRows) {
        for arrival in &self.all {
            rows.set_kind(arrival.operation, SpanKind::Collective);
        }
    }

    /// The first time that threads meet is one round, the second the next.
    fn count_rounds(&mut self) {
        self.all
            .sort_unstable_by_key(|it| (it.key, it.line, it.start, it.row));
        let (mut last, mut round) = (None, 0);
        for arrival in &mut self.all {
            let here = (arrival.key, arrival.line);
            round = if last == Some(here) { round + 1 } else { 0 };
            last = Some(here);
            arrival.round = round;
        }
        self.all.sort_unstable();
    }
}

//! What ties spans: producers and consumers, calls and the work that they submitted.

use super::event::EventMeaning;
use super::rows::XPlaneRows;
use crate::importer::fast_hash::QuickMap;
use crate::importer::sqlite::SqliteDraft;
use crate::importer::{ImportError, RecordSink};
use record::{Basis, Dependency, DependencyKind, Record, SpanId};

/// Types of links: a program's run, and what a pool of threads schedules.
const RUN: u64 = 5;
const POOL: u64 = 15;
/// Stands for no call.
pub(super) const NO_CALL: u32 = u32::MAX;

/// One end of a link: its type and number, when it begins, and its row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct LinkEnd {
    key: (u64, u64),
    start: i64,
    row: u32,
}

/// A run of a program on one device.
type DeviceRun = (u64, i64);

/// Ends of links, until all are known.
#[derive(Debug, Default)]
pub(super) struct XPlaneLinks {
    producers: Vec<LinkEnd>,
    consumers: Vec<LinkEnd>,
    /// Calls by the number that their work has too.
    calls: QuickMap<u64, u32>,
    work: Vec<(u64, u32)>,
    runs: std::collections::HashMap<DeviceRun, u32>,
    operations: Vec<(DeviceRun, u32)>,
}

impl XPlaneLinks {
    /// Takes what an event of the host says of links.
    pub fn host(&mut self, meaning: &EventMeaning, row: u32, start: i64) {
        self.ends(meaning, row, start);
        if let Some(number) = meaning.correlation {
            self.calls.entry(number).or_insert(row);
        }
        if let (Some(run), RUN, Some(device)) = (
            meaning.consumer.0,
            meaning.consumer.1,
            meaning.global_device,
        ) {
            self.runs.entry((run, device)).or_insert(row);
        }
    }

    /// Takes what an operation of a device says of links.
    pub fn work(&mut self, meaning: &EventMeaning, row: u32, start: i64) {
        self.ends(meaning, row, start);
        if let Some(number) = meaning.correlation {
            self.work.push((number, row));
        } else if let (Some(run), Some(device)) = (meaning.run, meaning.device) {
            self.operations.push(((run, device), row));
        }
    }

    fn ends(&mut self, meaning: &EventMeaning, row: u32, start: i64) {
        let end = |(number, sort): (Option<u64>, u64)| {
            Some(LinkEnd {
                key: (sort, number?),
                start,
                row,
            })
        };
        self.producers.extend(end(meaning.producer));
        // What a pool scheduled before the profile began has the number 0, which ties nothing.
        let tied = end(meaning.consumer).filter(|it| it.key != (POOL, 0));
        self.consumers.extend(tied);
    }

    /// Tells each operation which call submitted it; answers how many on streams have none.
    pub fn submit(&mut self, rows: &mut XPlaneRows) -> u64 {
        let mut without = 0;
        for (number, row) in std::mem::take(&mut self.work) {
            match self.calls.get(&number) {
                Some(&call) => rows.submit(row, call, true),
                None => without += 1,
            }
        }
        for (run, row) in std::mem::take(&mut self.operations) {
            if let Some(&call) = self.runs.get(&run) {
                rows.submit(row, call, false);
            }
        }
        without
    }

    /// Hands over the links. Each consumer is tied to the last producer of its number that began before it, or to the
    /// first. Answers how many have no producer.
    pub fn hand_over(self, sink: &mut RecordSink<'_>) -> Result<u64, ImportError> {
        let (mut producers, mut alone) = (self.producers, 0);
        producers.sort_unstable();
        for consumer in &self.consumers {
            let behind = producers
                .partition_point(|it| (it.key, it.start) <= (consumer.key, consumer.start));
            let of = |at: Option<usize>| producers.get(at?).filter(|it| it.key == consumer.key);
            let producer = of(behind.checked_sub(1)).or_else(|| of(Some(behind)));
            match producer {
                None => alone += 1,
                Some(producer) if producer.row == consumer.row => {}
                Some(producer) => {
                    let kind = (DependencyKind::Flow, Basis::Declared);
                    sink.push(dependency((producer.row, consumer.row), kind));
                    sink.advance(RecordSink::WHOLE)?;
                }
            }
        }
        Ok(alone)
    }
}

/// A dependency between two rows.
pub(super) fn dependency(
    (cause, effect): (u32, u32),
    (kind, basis): (DependencyKind, Basis),
) -> Record {
    Record::Dependency(Dependency::new(SpanId(cause), SpanId(effect), kind, basis))
}

/// What an operation waits for to be called: the call and the operation, by correlation or by the run that both name.
pub(super) fn submission(draft: &mut SqliteDraft<'_, '_>, (call, row): (u32, u32), is_said: bool) {
    let mut tie = Dependency::submission(SpanId(call), SpanId(row));
    if !is_said {
        tie.basis = Basis::Inferred;
    }
    draft.depends(tie);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_of_one_number_meet_in_order_of_time() {
        let end = |key, start, row| LinkEnd { key, start, row };
        let links = XPlaneLinks {
            producers: vec![end((5, 1), 10, 0), end((5, 1), 30, 1), end((0, 1), 5, 2)],
            consumers: vec![
                end((5, 1), 30, 3),
                end((5, 1), 20, 4),
                end((5, 1), 1, 5),
                end((0, 2), 9, 6),
            ],
            ..XPlaneLinks::default()
        };
        let source = crate::importer::Source::from_bytes("a", vec![1]).unwrap();
        let mut found = Vec::new();
        let mut take = |batch: crate::importer::ImportBatch| {
            found.extend(batch.records);
            std::ops::ControlFlow::Continue(())
        };
        let mut sink = RecordSink::new(&source, &mut take);
        assert_eq!(links.hand_over(&mut sink).unwrap(), 1);
        sink.send().unwrap();
        let kind = (DependencyKind::Flow, Basis::Declared);
        let expected = [(1, 3), (0, 4), (0, 5)].map(|ends| dependency(ends, kind));
        assert_eq!(found, expected);
    }
}

//! What activity records come to: in no order, tied to our numbers by CUPTI's number of the call.

use std::collections::BTreeMap;
use std::sync::{Arc, Condvar, Mutex, PoisonError};

use inject::{Batch, Record};

use crate::device::lock;

/// What nobody asked for is kept no longer than this: so many records.
const MOST: usize = 1 << 17;

/// When operations ran, in nanoseconds of the clock of the records.
#[derive(Clone, Default)]
pub struct Table(Arc<Shared>);

#[derive(Default)]
struct Shared {
    known: Mutex<Known>,
    wanted: Condvar,
}

#[derive(Default)]
struct Known {
    /// Our number of each call.
    calls: BTreeMap<u32, u64>,
    /// When it ran what each call gave to the device, where our number has not come.
    strays: BTreeMap<u32, (u64, u64)>,
    /// When the operation with our number ran.
    ran: BTreeMap<u64, (u64, u64)>,
    /// Whether somebody waits for a time.
    is_wanted: bool,
}

impl Table {
    /// Takes what was in a buffer.
    pub fn take(&self, batch: Batch) {
        let mut known = lock(&self.0.known);
        for record in batch.records {
            match record {
                Record::Correlation {
                    external,
                    correlation,
                } => known.tie(correlation, external),
                // Nodes of graphs have the times that their own events keep.
                Record::Kernel(it) if it.graph == 0 => {
                    known.note(it.correlation, (it.times.start, it.times.end));
                }
                Record::Copy(it) if it.graph == 0 => {
                    known.note(it.correlation, (it.times.start, it.times.end));
                }
                Record::Set(it) if it.graph == 0 => {
                    known.note(it.correlation, (it.times.start, it.times.end));
                }
                Record::Event(it) => {
                    if let Some(at) = it.at {
                        known.note(it.correlation, (at, at));
                    }
                }
                _ => {}
            }
        }
    }

    /// When the operation with our number `own` ran; where that is not known, it is wanted. It is told once.
    pub fn get(&self, own: u64) -> Option<(u64, u64)> {
        let mut known = lock(&self.0.known);
        let ran = known.ran.remove(&own);
        if ran.is_none() && !known.is_wanted {
            known.is_wanted = true;
            self.0.wanted.notify_one();
        }
        ran
    }

    /// Blocks until somebody waits for a time.
    pub fn until_wanted(&self) {
        let known = lock(&self.0.known);
        let woken = self.0.wanted.wait_while(known, |known| !known.is_wanted);
        woken.unwrap_or_else(PoisonError::into_inner).is_wanted = false;
    }
}

impl Known {
    /// The call `correlation` is our `own`.
    fn tie(&mut self, correlation: u32, own: u64) {
        match self.strays.remove(&correlation) {
            Some(ran) => keep(&mut self.ran, own, ran),
            None => keep(&mut self.calls, correlation, own),
        }
    }

    /// What the call `correlation` gave to the device ran then. No time at all is as good as no record.
    fn note(&mut self, correlation: u32, ran: (u64, u64)) {
        if ran == (0, 0) {
            return;
        }
        match self.calls.remove(&correlation) {
            Some(own) => keep(&mut self.ran, own, ran),
            None => keep(&mut self.strays, correlation, ran),
        }
    }
}

/// Keeps one more, and the oldest no longer where nobody has asked for too many.
fn keep<K: Ord, V>(into: &mut BTreeMap<K, V>, key: K, value: V) {
    into.insert(key, value);
    if into.len() > MOST {
        into.pop_first();
    }
}

#[cfg(test)]
mod tests {
    use inject::{Event, Place, Set, Times};

    use super::*;

    fn set(correlation: u32, start: u64, end: u64, graph: u32) -> Record {
        Record::Set(Set {
            value: 0,
            bytes: 4,
            times: Times { start, end },
            place: Place::default(),
            correlation,
            graph,
            graph_node: 0,
        })
    }

    fn take(table: &Table, records: Vec<Record>) {
        table.take(Batch {
            records,
            ..Batch::default()
        });
    }

    #[test]
    fn records_come_in_any_order() {
        let table = Table::default();
        let tie = |external, correlation| Record::Correlation {
            external,
            correlation,
        };
        take(&table, vec![tie(1, 10), set(11, 5, 6, 0)]);
        assert_eq!(table.get(1), None);
        take(&table, vec![set(10, 3, 4, 0), tie(2, 11)]);
        assert_eq!((table.get(1), table.get(2)), (Some((3, 4)), Some((5, 6))));
        assert_eq!(table.get(1), None, "it is told once");
        // Without a time, and as a node of a graph, it is as if it never came.
        take(
            &table,
            vec![tie(3, 12), set(12, 0, 0, 0), tie(4, 13), set(13, 7, 8, 1)],
        );
        assert_eq!((table.get(3), table.get(4)), (None, None));
        let event = Event {
            correlation: 14,
            context: 1,
            stream: 1,
            event: 1,
            at: Some(9),
            sync: None,
        };
        take(&table, vec![Record::Event(event), tie(5, 14)]);
        assert_eq!(table.get(5), Some((9, 9)));
    }

    #[test]
    fn what_nobody_asks_for_is_not_kept_for_ever() {
        let table = Table::default();
        let many = (1..=MOST as u32 + 10)
            .map(|call| set(call, 1, 2, 0))
            .collect();
        take(&table, many);
        assert_eq!(lock(&table.0.known).strays.len(), MOST);
    }

    #[test]
    fn whoever_waits_is_noticed() {
        let table = Table::default();
        let other = table.clone();
        std::thread::scope(|scope| {
            scope.spawn(|| other.until_wanted());
            assert_eq!(table.get(1), None);
        });
        assert!(!lock(&table.0.known).is_wanted);
    }
}

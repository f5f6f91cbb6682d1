//! What activity records come to: in no order, tied to our numbers by CUPTI's number of the call.

use std::collections::BTreeMap;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use cuda_recorder::{CuptiBatch, CuptiRecord, CuptiTimes};

use device::lock;
use record::SpanKind;

/// What nobody asked for is kept no longer than this: so many records.
const MOST: usize = 1 << 17;

/// The bit of our number that says that a graph is launched.
pub const OF_A_GRAPH: u64 = 1 << 63;

/// When operations ran, in nanoseconds of the clock of the records.
#[derive(Clone, Default)]
pub struct CuptiTimeTable(Arc<SharedTimes>);

/// What was done, as what kind of span, and when.
pub type CuptiOverheadSpan = (&'static str, SpanKind, CuptiTimes);

#[derive(Default)]
struct SharedTimes {
    known: Mutex<TimesByCall>,
    wanted: Condvar,
}

#[derive(Default)]
struct TimesByCall {
    /// Our number of each call.
    calls: BTreeMap<u32, u64>,
    /// When it ran what each call gave to the device, where our number has not come.
    strays: BTreeMap<u32, (u64, u64)>,
    /// When the operation with our number ran.
    ran: BTreeMap<u64, (u64, u64)>,
    /// Our number of each call that launches a graph, of which there are many records.
    launches: BTreeMap<u32, u64>,
    /// When each node ran of a graph that a call launched, where our number has not come.
    stray_nodes: BTreeMap<(u32, u64), (u64, u64)>,
    /// When each node of the graph with our number ran.
    nodes: BTreeMap<(u64, u64), (u64, u64)>,
    /// What the driver and CUPTI took for themselves, and nobody has asked for.
    overheads: Vec<CuptiOverheadSpan>,
    /// Whether somebody waits for a time.
    is_wanted: bool,
}

impl CuptiTimeTable {
    /// Takes what was in a buffer.
    pub fn take(&self, batch: CuptiBatch) {
        let mut known = lock(&self.0.known);
        for record in batch.records {
            match record {
                CuptiRecord::Correlation {
                    external,
                    correlation,
                } => known.correlate(correlation, external),
                CuptiRecord::Kernel(it) => {
                    known.take(it.correlation, it.graph, it.graph_node, it.times);
                }
                CuptiRecord::Copy(it) => {
                    known.take(it.correlation, it.graph, it.graph_node, it.times);
                }
                CuptiRecord::Set(it) => {
                    known.take(it.correlation, it.graph, it.graph_node, it.times);
                }
                CuptiRecord::Overhead(it) => {
                    known.spend((it.kind.words(), SpanKind::HostWork, it.times));
                }
                CuptiRecord::Compilation(it) => {
                    known.spend((it.kind.words(), SpanKind::Compile, it.times));
                }
                CuptiRecord::Event(it) => {
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
        self.want(known, ran.is_none());
        ran
    }

    /// The same of a node of the graph with our number `own`, by CUPTI's number of the node.
    pub fn get_node(&self, own: u64, node: u64) -> Option<(u64, u64)> {
        let mut known = lock(&self.0.known);
        let ran = known.nodes.remove(&(own, node));
        self.want(known, ran.is_none());
        ran
    }

    /// What the driver and CUPTI took for themselves since this was asked last.
    pub fn take_overheads(&self) -> Vec<CuptiOverheadSpan> {
        std::mem::take(&mut lock(&self.0.known).overheads)
    }

    fn want(&self, mut known: MutexGuard<'_, TimesByCall>, is_wanted: bool) {
        if is_wanted && !known.is_wanted {
            known.is_wanted = true;
            self.0.wanted.notify_one();
        }
    }

    /// Blocks until somebody waits for a time.
    pub fn until_wanted(&self) {
        let known = lock(&self.0.known);
        let woken = self.0.wanted.wait_while(known, |known| !known.is_wanted);
        woken.unwrap_or_else(PoisonError::into_inner).is_wanted = false;
    }
}

impl TimesByCall {
    /// The call `correlation` is our `own`.
    fn correlate(&mut self, correlation: u32, own: u64) {
        if own & OF_A_GRAPH != 0 {
            let mut early = self.stray_nodes.split_off(&(correlation, 0));
            let mut later = early.split_off(&(correlation.saturating_add(1), 0));
            self.stray_nodes.append(&mut later);
            for ((_, node), ran) in early {
                keep(&mut self.nodes, (own, node), ran);
            }
            return keep(&mut self.launches, correlation, own);
        }
        match self.strays.remove(&correlation) {
            Some(ran) => keep(&mut self.ran, own, ran),
            None => keep(&mut self.calls, correlation, own),
        }
    }

    fn spend(&mut self, taken: CuptiOverheadSpan) {
        let is_timed = (taken.2.start, taken.2.end) != (0, 0);
        if is_timed && self.overheads.len() < MOST {
            self.overheads.push(taken);
        }
    }

    /// What the call `correlation` gave to the device ran then, or a node of the graph that it launched did. No time at all
    /// is as good as no record.
    fn take(&mut self, correlation: u32, graph: u32, node: u64, times: CuptiTimes) {
        let ran = (times.start, times.end);
        if graph == 0 {
            return self.note(correlation, ran);
        }
        if ran == (0, 0) {
            return;
        }
        match self.launches.get(&correlation) {
            Some(own) => keep(&mut self.nodes, (*own, node), ran),
            None => keep(&mut self.stray_nodes, (correlation, node), ran),
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
    use cuda_recorder::{CuptiEvent, CuptiLocation, CuptiMemset, CuptiTimes};

    use super::*;

    fn set(correlation: u32, start: u64, end: u64, (graph, graph_node): (u32, u64)) -> CuptiRecord {
        CuptiRecord::Set(CuptiMemset {
            value: 0,
            bytes: 4,
            times: CuptiTimes { start, end },
            place: CuptiLocation::default(),
            correlation,
            graph,
            graph_node,
        })
    }

    fn take(table: &CuptiTimeTable, records: Vec<CuptiRecord>) {
        table.take(CuptiBatch {
            records,
            ..CuptiBatch::default()
        });
    }

    #[test]
    fn records_come_in_any_order() {
        let table = CuptiTimeTable::default();
        let tie = |external, correlation| CuptiRecord::Correlation {
            external,
            correlation,
        };
        take(&table, vec![tie(1, 10), set(11, 5, 6, (0, 0))]);
        assert_eq!(table.get(1), None);
        take(&table, vec![set(10, 3, 4, (0, 0)), tie(2, 11)]);
        assert_eq!((table.get(1), table.get(2)), (Some((3, 4)), Some((5, 6))));
        assert_eq!(table.get(1), None, "it is told once");
        // Without a time it is as if it never came.
        take(&table, vec![tie(3, 12), set(12, 0, 0, (0, 0))]);
        assert_eq!(table.get(3), None);
        let event = CuptiEvent {
            correlation: 14,
            context: 1,
            stream: 1,
            event: 1,
            at: Some(9),
            sync: None,
        };
        take(&table, vec![CuptiRecord::Event(event), tie(5, 14)]);
        assert_eq!(table.get(5), Some((9, 9)));
    }

    #[test]
    fn nodes_of_a_graph_are_told_one_by_one() {
        let table = CuptiTimeTable::default();
        let tie = |own: u64, correlation| CuptiRecord::Correlation {
            external: own | OF_A_GRAPH,
            correlation,
        };
        let first = vec![set(8, 9, 9, (1, 3)), set(7, 1, 2, (1, 3)), tie(4, 7)];
        take(&table, first);
        take(&table, vec![set(7, 2, 5, (1, 4)), set(9, 6, 7, (1, 3))]);
        let node = |own: u64, node| table.get_node(own | OF_A_GRAPH, node);
        assert_eq!((node(4, 3), node(4, 4)), (Some((1, 2)), Some((2, 5))));
        assert_eq!((node(4, 3), node(5, 3)), (None, None), "they are told once");
        take(&table, vec![tie(5, 8), tie(6, 9)]);
        assert_eq!((node(5, 3), node(6, 3)), (Some((9, 9)), Some((6, 7))));
        assert_eq!(table.get(4 | OF_A_GRAPH), None, "it is not one operation");
    }

    #[test]
    fn what_nobody_asks_for_is_not_kept_for_ever() {
        let table = CuptiTimeTable::default();
        let many = (1..=MOST as u32 + 10)
            .map(|call| set(call, 1, 2, (0, 0)))
            .collect();
        take(&table, many);
        assert_eq!(lock(&table.0.known).strays.len(), MOST);
    }

    #[test]
    fn whoever_waits_is_noticed() {
        let table = CuptiTimeTable::default();
        let other = table.clone();
        std::thread::scope(|scope| {
            scope.spawn(|| other.until_wanted());
            assert_eq!(table.get(1), None);
        });
        assert!(!lock(&table.0.known).is_wanted);
    }
}

//! What tells when the nodes of a graph ran: CUPTI's records of them, or timing events around each.

use std::sync::Arc;

use cuda_recorder::NodeOrigin;

use super::super::cupti::CuptiGraphTimes;
use super::super::event::CudaEvent;
use super::super::host::HostFunction;
use super::super::in_flight::ORDERED;
use crate::ExecutableGraph;
use crate::threads::{NodeOutcome, PendingTimestamp, TimeOrigin};
use record::time::{Interval, Nanos};

/// What tells when the nodes of a graph ran.
pub enum GraphTiming {
    /// For each node, events at its begin and its end.
    Events(Vec<[CudaEvent; 2]>),
    /// For each node, who knows.
    Told(Vec<NodeTiming>),
}

/// Who knows when a node ran.
#[derive(Clone)]
pub enum NodeTiming {
    /// CUPTI, by its numbers for what the node came to: in the graph that runs, and where it was captured. NVIDIA's own
    /// sample takes records for those of the first; neither documentation nor headers say it, so both count.
    Nodes(Vec<[u64; 2]>),
    /// The function that it is.
    Function(Arc<HostFunction>),
    /// Nobody has to: the device has nothing to do for it, and it is there once these nodes have ended.
    Ordered(Vec<u32>),
}

/// What a node came to when it was captured.
pub struct CapturedNode {
    /// Whether the device has something to do for it that CUPTI tells of.
    pub is_told: bool,
    /// The driver's nodes.
    pub nodes: Vec<NodeOrigin>,
    /// The function that it is.
    pub function: Option<Arc<HostFunction>>,
}

/// Who knows when the nodes of `of` ran that were captured as `made`, and of which the driver made `clones` to run. What
/// was `old` before tells of nodes that the driver kept. Nothing where it is not known which of CUPTI's nodes one is.
pub fn parts(
    of: &ExecutableGraph,
    made: Vec<CapturedNode>,
    clones: &[NodeOrigin],
    old: &[NodeTiming],
) -> Option<Vec<NodeTiming>> {
    let clone_of = |node: &NodeOrigin| {
        let NodeOrigin::Made(made) = node else {
            return None;
        };
        clones.iter().find_map(|clone| match clone {
            NodeOrigin::Cloned { of, own } if of == made => Some([*own, *of]),
            _ => None,
        })
    };
    let part = |(place, made): (usize, CapturedNode)| {
        if let Some(function) = made.function {
            return Some(NodeTiming::Function(function));
        }
        if !made.is_told {
            let before = of.nodes.get(place).map(|node| node.before.clone());
            return Some(NodeTiming::Ordered(before.unwrap_or_default()));
        }
        let nodes: Option<Vec<[u64; 2]>> = made.nodes.iter().map(clone_of).collect();
        match nodes.filter(|nodes| !nodes.is_empty()) {
            Some(nodes) => Some(NodeTiming::Nodes(nodes)),
            None => old
                .get(place)
                .filter(|old| matches!(old, NodeTiming::Nodes(_)))
                .cloned(),
        }
    };
    made.into_iter().enumerate().map(part).collect()
}

/// The times of the nodes of one run of a graph, as they come.
pub struct PendingNodeTimes {
    launched: CuptiGraphTimes,
    nodes: Vec<NodeTime>,
}

enum NodeTime {
    /// So far, and CUPTI's nodes that are still to come.
    Partly(Option<Interval>, Vec<[u64; 2]>),
    Ran(Interval),
    Ordered(Vec<u32>),
}

impl PendingNodeTimes {
    /// Of a run that has ended.
    pub fn new(launched: CuptiGraphTimes, parts: &[NodeTiming], zero: TimeOrigin) -> Self {
        let known = |part: &NodeTiming| match part {
            NodeTiming::Nodes(nodes) => NodeTime::Partly(None, nodes.clone()),
            NodeTiming::Function(function) => match function.ran() {
                Some((start, end)) => NodeTime::Ran(Interval {
                    start: zero.at(start),
                    end: zero.at(end),
                }),
                None => NodeTime::Ordered(Vec::new()),
            },
            NodeTiming::Ordered(before) => NodeTime::Ordered(before.clone()),
        };
        Self {
            launched,
            nodes: parts.iter().map(known).collect(),
        }
    }

    /// From the first begin to the last end that are known.
    fn whole(&self) -> Option<Interval> {
        let known = self.nodes.iter().filter_map(|node| match node {
            NodeTime::Partly(ran, _) => *ran,
            NodeTime::Ran(ran) => Some(*ran),
            NodeTime::Ordered(_) => None,
        });
        known.reduce(joined)
    }
}

fn joined(one: Interval, other: Interval) -> Interval {
    Interval {
        start: one.start.min(other.start),
        end: one.end.max(other.end),
    }
}

impl PendingTimestamp for PendingNodeTimes {
    fn look(&mut self, zero: TimeOrigin) -> Option<Interval> {
        let mut is_whole = true;
        for node in &mut self.nodes {
            if let NodeTime::Partly(ran, left) = node {
                left.retain(|[own, of]| {
                    let look = |node: &u64| self.launched.look(*node, zero);
                    let told = look(own).or_else(|| look(of));
                    if let Some(told) = told {
                        *ran = Some(ran.map_or(told, |ran| joined(ran, told)));
                    }
                    told.is_none()
                });
                is_whole &= left.is_empty();
            }
        }
        is_whole.then(|| self.whole().unwrap_or(ORDERED))
    }

    fn nodes(&mut self) -> Vec<NodeOutcome> {
        let begun = self.whole().map_or(Nanos::MIN, |whole| whole.start);
        let mut all: Vec<Interval> = Vec::new();
        for node in &self.nodes {
            all.push(match node {
                NodeTime::Partly(Some(ran), _) | NodeTime::Ran(ran) => *ran,
                // As long as its graph, for all that is known.
                NodeTime::Partly(None, _) => Interval {
                    start: Nanos::MIN,
                    end: Nanos::MAX,
                },
                NodeTime::Ordered(before) => {
                    let ends = before.iter().filter_map(|it| all.get(*it as usize));
                    let at = ends.map(|ran| ran.end).max().unwrap_or(begun);
                    Interval { start: at, end: at }
                }
            });
        }
        all.into_iter().map(|ran| Some((ran, Ok(())))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Operation;
    use record::BufferIndex;
    use record::{CallId, NameId};

    fn made(is_told: bool, nodes: &[u64]) -> CapturedNode {
        CapturedNode {
            is_told,
            nodes: nodes.iter().map(|node| NodeOrigin::Made(*node)).collect(),
            function: None,
        }
    }

    #[test]
    fn a_node_is_known_by_its_copy_that_runs() {
        let node = |before: &[u32]| crate::GraphNode {
            operation: Operation::Free(BufferIndex(0)),
            name: NameId::default(),
            call: CallId::NONE,
            before: before.to_vec(),
            uses: Vec::new(),
            after: Vec::new(),
        };
        let of = ExecutableGraph {
            nodes: vec![node(&[]), node(&[0]), node(&[0])],
            uses: Vec::new(),
            reaches_out: false,
            conflicts: Vec::new(),
            own: None,
        };
        let all = || vec![made(true, &[10]), made(false, &[]), made(true, &[11, 12])];
        let clone = |of, own| NodeOrigin::Cloned { of, own };
        let clones = [
            clone(12, 22),
            clone(10, 20),
            NodeOrigin::Made(99),
            clone(11, 21),
        ];
        let known = parts(&of, all(), &clones, &[]).unwrap();
        let text = |part: &NodeTiming| match part {
            NodeTiming::Nodes(nodes) => format!("{nodes:?}"),
            NodeTiming::Function(_) => "a function".to_owned(),
            NodeTiming::Ordered(before) => format!("after {before:?}"),
        };
        let texts: Vec<String> = known.iter().map(text).collect();
        assert_eq!(texts, ["[[20, 10]]", "after [0]", "[[21, 11], [22, 12]]"]);
        // The driver kept the nodes: it updated them.
        let updated = parts(&of, all(), &[], &known).unwrap();
        assert_eq!(updated.iter().map(text).collect::<Vec<_>>(), texts);
        assert!(parts(&of, all(), &clones[..2], &[]).is_none());
    }
}

//! What tells when the nodes of a graph ran: CUPTI's records of them, or timing events around each.

use std::sync::Arc;

use inject::Node;

use super::super::cupti::Launched;
use super::super::event::Event;
use super::super::flight::ORDERED;
use super::super::host::HostFunction;
use crate::Executable;
use crate::threads::{Landed, Later, Zero};
use record::time::{Interval, Nanos};

/// What tells when the nodes of a graph ran.
pub enum Times {
    /// For each node, events at its begin and its end.
    Events(Vec<[Event; 2]>),
    /// For each node, who knows.
    Told(Vec<Part>),
}

/// Who knows when a node ran.
#[derive(Clone)]
pub enum Part {
    /// CUPTI, by its numbers for what the node came to: in the graph that runs, and where it was captured. NVIDIA's own
    /// sample takes records for those of the first; neither documentation nor headers say it, so both count.
    Nodes(Vec<[u64; 2]>),
    /// The function that it is.
    Function(Arc<HostFunction>),
    /// Nobody has to: the device has nothing to do for it, and it is there once these nodes have ended.
    Ordered(Vec<u32>),
}

/// What a node came to when it was captured.
pub struct Made {
    /// Whether the device has something to do for it that CUPTI tells of.
    pub is_told: bool,
    /// The driver's nodes.
    pub nodes: Vec<Node>,
    /// The function that it is.
    pub function: Option<Arc<HostFunction>>,
}

/// Who knows when the nodes of `of` ran that were captured as `made`, and of which the driver made `clones` to run. What
/// was `old` before tells of nodes that the driver kept. Nothing where it is not known which of CUPTI's nodes one is.
pub fn parts(of: &Executable, made: Vec<Made>, clones: &[Node], old: &[Part]) -> Option<Vec<Part>> {
    let clone_of = |node: &Node| {
        let Node::Made(made) = node else {
            return None;
        };
        clones.iter().find_map(|clone| match clone {
            Node::Cloned { of, own } if of == made => Some([*own, *of]),
            _ => None,
        })
    };
    let part = |(place, made): (usize, Made)| {
        if let Some(function) = made.function {
            return Some(Part::Function(function));
        }
        if !made.is_told {
            let before = of.nodes.get(place).map(|node| node.before.clone());
            return Some(Part::Ordered(before.unwrap_or_default()));
        }
        let nodes: Option<Vec<[u64; 2]>> = made.nodes.iter().map(clone_of).collect();
        match nodes.filter(|nodes| !nodes.is_empty()) {
            Some(nodes) => Some(Part::Nodes(nodes)),
            None => old
                .get(place)
                .filter(|old| matches!(old, Part::Nodes(_)))
                .cloned(),
        }
    };
    made.into_iter().enumerate().map(part).collect()
}

/// The times of the nodes of one run of a graph, as they come.
pub struct Coming {
    launched: Launched,
    nodes: Vec<Known>,
}

enum Known {
    /// So far, and CUPTI's nodes that are still to come.
    Partly(Option<Interval>, Vec<[u64; 2]>),
    Ran(Interval),
    Ordered(Vec<u32>),
}

impl Coming {
    /// Of a run that has ended.
    pub fn new(launched: Launched, parts: &[Part], zero: Zero) -> Self {
        let known = |part: &Part| match part {
            Part::Nodes(nodes) => Known::Partly(None, nodes.clone()),
            Part::Function(function) => match function.ran() {
                Some((start, end)) => Known::Ran(Interval {
                    start: zero.at(start),
                    end: zero.at(end),
                }),
                None => Known::Ordered(Vec::new()),
            },
            Part::Ordered(before) => Known::Ordered(before.clone()),
        };
        Self {
            launched,
            nodes: parts.iter().map(known).collect(),
        }
    }

    /// From the first begin to the last end that are known.
    fn whole(&self) -> Option<Interval> {
        let known = self.nodes.iter().filter_map(|node| match node {
            Known::Partly(ran, _) => *ran,
            Known::Ran(ran) => Some(*ran),
            Known::Ordered(_) => None,
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

impl Later for Coming {
    fn look(&mut self, zero: Zero) -> Option<Interval> {
        let mut is_whole = true;
        for node in &mut self.nodes {
            if let Known::Partly(ran, left) = node {
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

    fn nodes(&mut self) -> Vec<Landed> {
        let begun = self.whole().map_or(Nanos::MIN, |whole| whole.start);
        let mut all: Vec<Interval> = Vec::new();
        for node in &self.nodes {
            all.push(match node {
                Known::Partly(Some(ran), _) | Known::Ran(ran) => *ran,
                // As long as its graph, for all that is known.
                Known::Partly(None, _) => Interval {
                    start: Nanos::MIN,
                    end: Nanos::MAX,
                },
                Known::Ordered(before) => {
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

    fn made(is_told: bool, nodes: &[u64]) -> Made {
        Made {
            is_told,
            nodes: nodes.iter().map(|node| Node::Made(*node)).collect(),
            function: None,
        }
    }

    #[test]
    fn a_node_is_known_by_its_copy_that_runs() {
        let node = |before: &[u32]| crate::Node {
            operation: Operation::Free(BufferIndex(0)),
            name: NameId::default(),
            call: CallId::NONE,
            before: before.to_vec(),
            uses: Vec::new(),
            after: Vec::new(),
        };
        let of = Executable {
            nodes: vec![node(&[]), node(&[0]), node(&[0])],
            uses: Vec::new(),
            reaches_out: false,
            conflicts: Vec::new(),
            own: None,
        };
        let all = || vec![made(true, &[10]), made(false, &[]), made(true, &[11, 12])];
        let clone = |of, own| Node::Cloned { of, own };
        let clones = [clone(12, 22), clone(10, 20), Node::Made(99), clone(11, 21)];
        let known = parts(&of, all(), &clones, &[]).unwrap();
        let text = |part: &Part| match part {
            Part::Nodes(nodes) => format!("{nodes:?}"),
            Part::Function(_) => "a function".to_owned(),
            Part::Ordered(before) => format!("after {before:?}"),
        };
        let texts: Vec<String> = known.iter().map(text).collect();
        assert_eq!(texts, ["[[20, 10]]", "after [0]", "[[21, 11], [22, 12]]"]);
        // The driver kept the nodes: it updated them.
        let updated = parts(&of, all(), &[], &known).unwrap();
        assert_eq!(updated.iter().map(text).collect::<Vec<_>>(), texts);
        assert!(parts(&of, all(), &clones[..2], &[]).is_none());
    }
}

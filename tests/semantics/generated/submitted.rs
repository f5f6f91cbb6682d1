//! What the calls of a workload submit: operations of streams, and nodes of graphs.

use std::collections::BTreeMap;

use super::order::MomentIndex;
use super::text::{GeneratedCall, PlacedCall};

/// An operation of a stream, or a node of a graph that is replayed.
#[derive(Clone, Debug)]
pub struct ModelOperation {
    /// The call that submitted it.
    pub call: usize,
    /// The call that says what it does: another one for a node of a graph.
    pub site: usize,
    /// It begins and ends; the same for all but replays.
    pub moments: (MomentIndex, MomentIndex),
    /// Whether it is a node of a graph.
    pub is_node: bool,
    /// Its stream.
    pub stream: usize,
    /// Its stream is past it, whether it ran or was dropped: its end, unless its stream is aborted.
    pub gone: MomentIndex,
    /// The abort that drops it for certain, since it stands for a signal that is raised later.
    pub dropped_by: Option<usize>,
}

/// What a capture holds.
#[derive(Clone, Debug, Default)]
pub struct CapturedGraph {
    /// The calls that became nodes.
    pub nodes: Vec<usize>,
    /// For each, the nodes before it.
    pub before: Vec<Vec<usize>>,
}

/// The graphs of a workload, and which calls only made them.
pub fn captures(calls: &[PlacedCall]) -> (BTreeMap<usize, CapturedGraph>, Vec<bool>) {
    let mut graphs = BTreeMap::new();
    let mut captured = vec![false; calls.len()];
    let mut open: Option<CapturedGraph> = None;
    // What the next call on a stream comes right after, for the streams that take part.
    let mut frontiers: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    let mut recorded: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (place, placed) in calls.iter().enumerate() {
        match placed.call {
            GeneratedCall::BeginCapture(stream) => {
                captured[place] = true;
                open = Some(CapturedGraph::default());
                frontiers = BTreeMap::from([(stream, Vec::new())]);
                recorded.clear();
                continue;
            }
            GeneratedCall::EndCapture(_, graph) => {
                captured[place] = true;
                graphs.insert(graph, open.take().unwrap_or_default());
                frontiers.clear();
                continue;
            }
            _ => {}
        }
        let (Some(graph), Some(stream)) = (&mut open, placed.call.stream()) else {
            continue;
        };
        if let GeneratedCall::Wait(event, _) = placed.call {
            if let Some(mark) = recorded.get(&event) {
                captured[place] = true;
                frontiers.entry(stream).or_default().extend(mark);
            }
            continue;
        }
        let Some(frontier) = frontiers.get_mut(&stream) else {
            continue;
        };
        captured[place] = true;
        if let GeneratedCall::Record(event, _) = placed.call {
            recorded.insert(event, frontier.clone());
            continue;
        }
        graph.nodes.push(place);
        graph
            .before
            .push(std::mem::replace(frontier, vec![graph.nodes.len() - 1]));
    }
    (graphs, captured)
}

/// What the calls of a workload submit, in their order.
pub fn operations(
    calls: &[PlacedCall],
    graphs: &BTreeMap<usize, CapturedGraph>,
    captured: &[bool],
) -> Vec<ModelOperation> {
    let mut operations = Vec::new();
    let mut next = 2 * calls.len();
    let mut add = |call: usize, site: usize, stream: usize, moments: usize, is_node: bool| {
        let is_aborted = calls
            .iter()
            .any(|it| it.call == GeneratedCall::Abort(stream));
        let last = next + moments - 1;
        let gone = last + usize::from(is_aborted && moments == 1);
        operations.push(ModelOperation {
            call,
            site,
            moments: (next, last),
            is_node,
            stream,
            gone,
            dropped_by: None,
        });
        next = gone + 1;
    };
    for (place, placed) in calls
        .iter()
        .enumerate()
        .filter(|(place, _)| !captured[*place])
    {
        let Some(stream) = placed.call.stream() else {
            continue;
        };
        match placed.call {
            GeneratedCall::Replay(graph, _) => {
                add(place, place, stream, 2, false);
                let nodes = graphs.get(&graph).map(|it| it.nodes.clone());
                for node in nodes.unwrap_or_default() {
                    add(place, node, stream, 1, true);
                }
            }
            GeneratedCall::Join(from, _) => {
                add(place, place, from, 1, false);
                add(place, place, stream, 1, false);
            }
            _ => add(place, place, stream, 1, false),
        }
    }
    operations
}

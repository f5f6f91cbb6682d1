//! Graphs in virtual time: every node runs as soon as those before it have ended.

use super::cost;
use crate::backend::{Executable, Replay};
use crate::record::{LaneId, Record, Span, State};
use crate::time::{Interval, Nanos};
use crate::workload::BufferIndex;

/// When each node runs, from the begin of the replay on.
pub fn times(graph: &Executable, len: &dyn Fn(BufferIndex) -> usize) -> Vec<Interval> {
    let mut times: Vec<Interval> = Vec::with_capacity(graph.nodes.len());
    for node in &graph.nodes {
        let ends = node.before.iter().filter_map(|&it| times.get(it as usize));
        let start = ends.map(|it| it.end).max().unwrap_or_default();
        let end = start + cost::of(&node.operation, len);
        times.push(Interval { start, end });
    }
    times
}

/// How long a replay takes.
pub fn length(graph: &Executable, len: &dyn Fn(BufferIndex) -> usize) -> Nanos {
    let ends = times(graph, len).into_iter().map(|it| it.end);
    ends.max().unwrap_or_default()
}

/// The spans of the nodes of a replay that `of` is the span of. `failed` is the node that failed, after which none began.
pub fn spans(
    replay: &Replay,
    of: &Span,
    lane: LaneId,
    failed: Option<usize>,
    len: &dyn Fn(BufferIndex) -> usize,
) -> Vec<Record> {
    let times = times(&replay.graph, len);
    let nodes = replay.spans().zip(times).enumerate();
    nodes
        .map(|(place, ((node, id, _), ran))| {
            let state = match (of.state, failed) {
                (State::Failed, Some(failed)) if failed == place => State::Failed,
                (State::Failed, Some(failed)) if failed < place => State::Cancelled,
                (State::Failed, _) => State::Done,
                (State::Lost, _) if of.start + ran.end <= of.end => State::Done,
                (state, _) => state,
            };
            let at = |time: Nanos| (of.start + time).min(of.end);
            Record::Span(Span {
                id,
                lane,
                name: node.name,
                call: node.call,
                kind: node.operation.kind(),
                state,
                enqueued: of.enqueued,
                start: at(ran.start),
                end: at(ran.end),
            })
        })
        .collect()
}

//! Graphs in virtual time: every node runs as soon as those before it have ended, and the record that it waits for is
//! reached.

use super::cost;
use super::point::PointState;
use super::stream::MockQueueItem;
use crate::{ExecutableGraph, Operation, Replay};
use record::time::{Interval, Nanos};
use record::{BufferIndex, EventIndex, LaneId, Record, Span, State};

/// What a graph reaches next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NextGraphPoint {
    /// The end of a node.
    Node(Nanos),
    /// Its end.
    End(Nanos),
}

/// When each node runs, from the begin of the replay on; `reached` gives for a node that waits when its record was
/// reached, counted alike, and nothing while it is pending. None while that is not known.
pub fn times(
    graph: &ExecutableGraph,
    len: &dyn Fn(BufferIndex) -> usize,
    reached: &dyn Fn(usize) -> Option<Nanos>,
) -> Vec<Option<Interval>> {
    let mut times: Vec<Option<Interval>> = Vec::with_capacity(graph.nodes.len());
    for (place, node) in graph.nodes.iter().enumerate() {
        let ends = node.before.iter().map(|&it| {
            let before = times.get(it as usize).copied().flatten();
            before.map(|it| it.end)
        });
        let start = ends.collect::<Option<Vec<Nanos>>>();
        let start = start.map(|ends| ends.into_iter().max().unwrap_or_default());
        times.push(start.and_then(|start| {
            let end = match node.operation {
                Operation::WaitExternal(_) => reached(place)?.max(start),
                _ => start + cost::of(&node.operation, len),
            };
            Some(Interval { start, end })
        }));
    }
    times
}

/// How long a replay takes that waits for nothing outside.
pub fn length(graph: &ExecutableGraph, len: &dyn Fn(BufferIndex) -> usize) -> Nanos {
    let times = times(graph, len, &|_| Some(Nanos::MIN));
    let ends = times.into_iter().flatten().map(|it| it.end);
    ends.max().unwrap_or_default()
}

/// When the nodes of the replay that `item` is run, which began at `start`: by what is known now.
pub fn known(
    item: &MockQueueItem,
    start: Nanos,
    len: &dyn Fn(BufferIndex) -> usize,
    marks: &[PointState],
) -> Vec<Option<Interval>> {
    let Operation::Replay(replay) = &item.submission.operation else {
        return Vec::new();
    };
    times(
        &replay.graph,
        len,
        &|place| match progress(item, place, marks) {
            Some(point) => Some(Nanos(point.decided_at()?.0 - start.0)),
            None => Some(Nanos::MIN),
        },
    )
}

/// How far the record has come that a node reaches or waits for.
pub fn progress(item: &MockQueueItem, place: usize, marks: &[PointState]) -> Option<PointState> {
    let mark = item.nodes.get(place).copied().flatten()?;
    marks.get(mark).copied()
}

/// What the replay that `item` is reaches next, by what is known now: nothing while all that is left waits.
pub fn next(
    item: &MockQueueItem,
    start: Nanos,
    len: &dyn Fn(BufferIndex) -> usize,
    marks: &[PointState],
) -> Option<NextGraphPoint> {
    let Operation::Replay(replay) = &item.submission.operation else {
        return None;
    };
    let known = known(item, start, len, marks);
    let is_performed = |place: usize| item.performed.get(place).is_some_and(|it| *it);
    let nodes = known.iter().take(replay.graph.nodes.len()).enumerate();
    let due = nodes.filter(|(place, _)| !is_performed(*place));
    let ends = due.filter_map(|(_, ran)| ran.map(|ran| start + ran.end));
    match ends.min() {
        Some(time) => Some(NextGraphPoint::Node(time)),
        None => end(item, start, len, marks).map(NextGraphPoint::End),
    }
}

/// When the replay that `item` is ends, which began at `start`; none while something that it waits for is pending.
pub fn end(
    item: &MockQueueItem,
    start: Nanos,
    len: &dyn Fn(BufferIndex) -> usize,
    marks: &[PointState],
) -> Option<Nanos> {
    let known = known(item, start, len, marks);
    let ends = known.into_iter().map(|ran| ran.map(|ran| start + ran.end));
    let ends: Option<Vec<Nanos>> = ends.collect();
    Some(ends?.into_iter().max().unwrap_or(start))
}

/// The event that the replay that `item` is waits for, where all that is left of it waits.
pub fn blocking_event(item: &MockQueueItem, marks: &[PointState]) -> Option<EventIndex> {
    let Operation::Replay(replay) = &item.submission.operation else {
        return None;
    };
    let mut nodes = replay.graph.nodes.iter().enumerate();
    nodes.find_map(|(place, node)| match node.operation {
        Operation::WaitExternal(event)
            if progress(item, place, marks) == Some(PointState::Pending) =>
        {
            Some(event)
        }
        _ => None,
    })
}

/// The spans of the nodes of a replay that `of` is the span of, with when they ran from its begin on. `ended` says which
/// of them came to their end, and which of those failed.
pub fn spans(
    replay: &Replay,
    of: &Span,
    lane: LaneId,
    ended: (&[bool], Option<usize>),
    times: &[Option<Interval>],
) -> Vec<Record> {
    let (performed, failed) = ended;
    let nodes = replay.spans().zip(times).enumerate();
    nodes
        .map(|(place, ((node, id, _), ran))| {
            let never = Interval {
                start: of.end - of.start,
                end: of.end - of.start,
            };
            let has_ended = performed.get(place).is_some_and(|it| *it);
            let state = match of.state {
                State::Done => State::Done,
                State::Failed if failed == Some(place) => State::Failed,
                _ if has_ended => State::Done,
                State::Lost => State::Lost,
                State::Failed | State::Cancelled => State::Cancelled,
            };
            let ran = ran.unwrap_or(never);
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

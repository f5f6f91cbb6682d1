//! Graphs in virtual time: every node runs as soon as those before it have ended, and the record that it waits for is
//! reached.

use super::cost;
use super::stream::Item;
use crate::backend::{Executable, Operation, Replay};
use crate::device::Progress;
use crate::record::{LaneId, Record, Span, State};
use crate::time::{Interval, Nanos};
use crate::workload::{BufferIndex, EventIndex};

/// What a graph reaches next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// A record of an event.
    Record(Nanos),
    /// Its end.
    End(Nanos),
}

/// When each node runs, from the begin of the replay on; `reached` gives for a node that waits when its record was
/// reached, counted alike, and nothing while it is pending. None while that is not known.
pub fn times(
    graph: &Executable,
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
pub fn length(graph: &Executable, len: &dyn Fn(BufferIndex) -> usize) -> Nanos {
    let times = times(graph, len, &|_| Some(Nanos::MIN));
    let ends = times.into_iter().flatten().map(|it| it.end);
    ends.max().unwrap_or_default()
}

/// When the nodes of the replay that `item` is run, which began at `start`: by what is known now.
pub fn known(
    item: &Item,
    start: Nanos,
    len: &dyn Fn(BufferIndex) -> usize,
    marks: &[Progress],
) -> Vec<Option<Interval>> {
    let Operation::Replay(replay) = &item.submission.operation else {
        return Vec::new();
    };
    times(
        &replay.graph,
        len,
        &|place| match progress(item, place, marks) {
            Some(Progress::Pending) => None,
            Some(Progress::Reached(time)) => Some(Nanos(time.0 - start.0)),
            _ => Some(Nanos::MIN),
        },
    )
}

/// How far the record has come that a node reaches or waits for.
pub fn progress(item: &Item, place: usize, marks: &[Progress]) -> Option<Progress> {
    let mark = item.nodes.get(place).copied().flatten()?;
    marks.get(mark).copied()
}

/// What the replay that `item` is reaches next, by what is known now: nothing while all that is left waits.
pub fn next(
    item: &Item,
    start: Nanos,
    len: &dyn Fn(BufferIndex) -> usize,
    marks: &[Progress],
) -> Option<Next> {
    let Operation::Replay(replay) = &item.submission.operation else {
        return None;
    };
    let known = known(item, start, len, marks);
    let nodes = replay.graph.nodes.iter().zip(&known).enumerate();
    let is_due = |place| progress(item, place, marks) == Some(Progress::Pending);
    let records = nodes.filter_map(|(place, (node, ran))| match node.operation {
        Operation::RecordExternal(_) if is_due(place) => ran.map(|ran| start + ran.end),
        _ => None,
    });
    if let Some(time) = records.min() {
        return Some(Next::Record(time));
    }
    let ends = known.iter().map(|ran| ran.map(|ran| start + ran.end));
    let ends: Option<Vec<Nanos>> = ends.collect();
    Some(Next::End(ends?.into_iter().max().unwrap_or(start)))
}

/// The event that the replay that `item` is waits for, where all that is left of it waits.
pub fn held(item: &Item, marks: &[Progress]) -> Option<EventIndex> {
    let Operation::Replay(replay) = &item.submission.operation else {
        return None;
    };
    let mut nodes = replay.graph.nodes.iter().enumerate();
    nodes.find_map(|(place, node)| match node.operation {
        Operation::WaitExternal(event)
            if progress(item, place, marks) == Some(Progress::Pending) =>
        {
            Some(event)
        }
        _ => None,
    })
}

/// The spans of the nodes of a replay that `of` is the span of, with when they ran from its begin on. `failed` is the
/// node that failed, after which none began.
pub fn spans(
    replay: &Replay,
    of: &Span,
    lane: LaneId,
    failed: Option<usize>,
    times: &[Option<Interval>],
) -> Vec<Record> {
    let nodes = replay.spans().zip(times).enumerate();
    nodes
        .map(|(place, ((node, id, _), ran))| {
            let never = Interval {
                start: of.end - of.start,
                end: of.end - of.start,
            };
            let state = match (of.state, failed) {
                (State::Failed, Some(failed)) if failed == place => State::Failed,
                (State::Failed, Some(failed)) if failed < place => State::Cancelled,
                (State::Lost, _) if ran.is_some_and(|ran| of.start + ran.end <= of.end) => {
                    State::Done
                }
                (State::Lost, _) => State::Lost,
                (State::Failed | State::Cancelled, _)
                    if ran.is_none_or(|ran| of.start + ran.end > of.end) =>
                {
                    State::Cancelled
                }
                (State::Failed, _) => State::Done,
                (state, _) => state,
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

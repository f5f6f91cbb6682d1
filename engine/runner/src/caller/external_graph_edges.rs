//! Replays of graphs that streams outside see into: they record events, wait for some, allocate memory or free it (rules
//! A42, A44).
//!
//! Such a replay is one operation of its stream like any other (A43). But the order of calls has to know what each node
//! comes after, since an event that is recorded in the middle says nothing of the nodes beside it. So each node counts as
//! a call on a stream of its own there, which forks from the stream of the replay and is joined back at its end.

use super::other_hosts::{self, only};
use super::{Caller, CurrentCall, order};
use crate::shared::RunState;
use crate::uses;
use ::order::{CallLog, CallOrigin, SyncOp};
use backend::{BackendError, ExecutableGraph, GraphNode, Operation, Replay, Submission};
use record::{Basis, CallId, StreamIndex};
use workload::ErrorKind;

impl Caller {
    /// Submits the replay of such a graph, and tells of each of its nodes.
    pub(super) fn hand_in_replay(
        &mut self,
        current: &CurrentCall,
        stream: StreamIndex,
        submission: Submission,
        replay: &Replay,
    ) -> Result<(), BackendError> {
        let shared = std::sync::Arc::clone(&self.shared);
        let graph = &replay.graph;
        let branches = ReplayBranches::of(&shared, replay, stream);
        let (host, submitted_as) = (self.host, submission.span);
        let submitted = shared.events.together(&graph.events(), |with| {
            let mut waits = Vec::new();
            for (place, node) in graph.nodes.iter().enumerate() {
                let span = replay.span(place);
                match node.operation {
                    Operation::RecordExternal(event) => {
                        let recorded = with(event, Some((stream, span)));
                        let generation = recorded.map_or(0, |it| it.generation);
                        self.note_record(event, generation, span);
                    }
                    Operation::WaitExternal(event) => waits.push((event, span, with(event, None))),
                    _ => {}
                }
            }
            self.begun
                .set(Self::submit_now(&shared, host, stream, submission)?);
            // While the stream and the events are still locked.
            let origin = order::origin(current, submitted_as);
            branches.tell_all(&shared.order, (host.0 as u32, origin), replay);
            if self.asked.contains(&origin.site) {
                let over = SyncOp::Over(stream);
                shared.order.push(host.0 as u32, origin, over, &[]);
            }
            if graph.own.is_some() {
                other_hosts::tell_replay(&shared.order, (host.0 as u32, origin), stream, replay);
            }
            Ok::<_, BackendError>(waits)
        });
        let waits = submitted.map_err(|error| self.event_error(error))??;
        for (event, span, latest) in waits {
            self.note_wait(current, event, (span, Basis::Enforced), latest);
        }
        self.note_memory(replay, stream);
        Ok(())
    }

    /// Whether the order of calls is told of each node of a replay: some reach out of it, or somebody asks what orders them.
    pub(super) fn is_told_by_nodes(&self, replay: &Replay) -> bool {
        let mut nodes = replay.graph.nodes.iter();
        let is_asked = !self.asked.is_empty() && nodes.any(|it| self.asked.contains(&it.call.0));
        replay.graph.reaches_out || is_asked
    }

    /// Refuses the replay of a graph that names an event which was destroyed, or allocates what is allocated: what it
    /// allocated is there until it is freed (rule A44). Before anything is given out or said.
    pub(super) fn refuse_replay(&self, graph: &ExecutableGraph) -> Result<(), BackendError> {
        for event in graph.events() {
            let usable = self.shared.events.latest(event, |_| ());
            usable.map_err(|error| self.event_error(error))?;
        }
        let Some(memory) = &self.shared.memory else {
            return Ok(());
        };
        let mut freed = Vec::new();
        for node in &graph.nodes {
            match node.operation {
                Operation::Free(buffer) => freed.push(buffer),
                Operation::Allocate(buffer)
                    if memory.is_live(buffer) && !freed.contains(&buffer) =>
                {
                    let plan = self.shared.plan.buffers.get(buffer.index());
                    let name = plan.map_or("?", |buffer| &buffer.name);
                    let reason = format!(
                        "the graph allocates {name}, which is allocated already and was not freed: free it before the \
                         graph is replayed, or inside the capture (rule A44)"
                    );
                    return Err(BackendError::call(ErrorKind::InvalidValue, reason));
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// The lives of buffers that the graph allocates and frees.
    fn note_memory(&self, replay: &Replay, stream: StreamIndex) {
        let shared = &self.shared;
        for (place, node) in replay.graph.nodes.iter().enumerate() {
            let span = replay.span(place);
            shared.launches.note(&node.operation);
            let Some(memory) = &shared.memory else {
                continue;
            };
            match node.operation {
                Operation::Allocate(buffer) => {
                    let ids = (span, shared.next_span(), CallId(node.call.0));
                    memory.allocate(ids, buffer, stream);
                }
                Operation::Free(buffer) => memory.free(span, buffer, stream),
                _ => {}
            }
        }
    }
}

/// The streams that the nodes of a replay count as in the order of calls.
struct ReplayBranches {
    stream: StreamIndex,
    first: StreamIndex,
}

impl ReplayBranches {
    fn of(shared: &RunState, replay: &Replay, stream: StreamIndex) -> Self {
        let count = replay.graph.nodes.len();
        let first = shared.launches.branches(replay.place, stream, count);
        Self { stream, first }
    }

    const fn at(&self, place: usize) -> StreamIndex {
        StreamIndex(self.first.0 + place as u32)
    }

    /// What each node does, by the order of the graph. Where other host threads called into its capture, both as it is and
    /// as it is without them.
    fn tell_all(&self, log: &CallLog, by: (u32, CallOrigin), replay: &Replay) {
        let nodes = &replay.graph.nodes;
        let whole: Vec<BranchNode<'_>> = nodes.iter().enumerate().map(whole_node).collect();
        let Some(own) = &replay.graph.own else {
            return self.tell(&|act| act, log, by, (replay, &whole));
        };
        let begun_by = own.guests.begun_by;
        self.tell(&|act| only(begun_by, false, act), log, by, (replay, &whole));
        if own.reaches_out {
            let rest = nodes.iter().zip(&own.guests.before).enumerate();
            let is_own = |place: usize| own.guests.nodes.get(place) == Some(&false);
            let rest = rest.filter(|(place, _)| is_own(*place));
            let rest: Vec<BranchNode<'_>> =
                rest.map(|(place, it)| (place, it.0, &**it.1)).collect();
            self.tell(&|act| only(begun_by, true, act), log, by, (replay, &rest));
        }
    }

    /// A node comes after those before it, or after what the stream of the replay holds, which goes on once all of them have
    /// ended.
    fn tell(
        &self,
        of: &dyn Fn(SyncOp) -> SyncOp,
        log: &CallLog,
        (host, mut origin): (u32, CallOrigin),
        (replay, nodes): (&Replay, &[BranchNode<'_>]),
    ) {
        for &(place, node, before) in nodes {
            // What is around a node is no operation of its call.
            let edge = CallOrigin {
                site: EDGE,
                span: replay.span(place),
            };
            (origin.site, origin.span) = (node.call.0, edge.span);
            let push = |act, uses: &[_]| log.push(host, origin, of(act), uses);
            let join = |from, own| log.push(host, edge, of(SyncOp::Join(from, own)), &[]);
            let own = self.at(place);
            if before.is_empty() {
                join(self.stream, own);
            }
            for before in before {
                join(self.at(*before as usize), own);
            }
            let act = match node.operation {
                Operation::RecordExternal(event) => SyncOp::Record(event, own),
                Operation::WaitExternal(event) => SyncOp::Wait(event, own),
                Operation::Allocate(buffer) => {
                    SyncOp::Allocate(uses::on_device(buffer), Some(own), None)
                }
                Operation::Free(buffer) => SyncOp::Free(uses::on_device(buffer), Some(own)),
                _ => SyncOp::Work(own),
            };
            push(act, &node.uses);
        }
        for &(place, ..) in nodes {
            let is_last = !nodes.iter().any(|it| it.2.contains(&(place as u32)));
            if is_last {
                origin.site = EDGE;
                log.push(
                    host,
                    origin,
                    of(SyncOp::Join(self.at(place), self.stream)),
                    &[],
                );
            }
        }
    }
}

/// The place in the source of an edge, which has none.
const EDGE: u32 = u32::MAX;

/// A node of a graph: its position, and the positions of those that it comes right after.
type BranchNode<'a> = (usize, &'a GraphNode, &'a [u32]);

fn whole_node((place, node): (usize, &GraphNode)) -> BranchNode<'_> {
    (place, node, &node.before)
}

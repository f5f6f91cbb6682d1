//! Replays a graph on a stream's thread, with help for its branches where the device overlaps.

use std::sync::Arc;

use super::executor::{ExecutionError, Executor};
use super::graph_execution::GraphExecution;
use super::stream::{NodeEventStates, StreamObstacle, ThreadedStream};
use super::worker::StreamWorker;
use crate::{GraphNode, Replay};
use device::{OperationStage, TerminationCause, lock, outcome};
use record::time::{Interval, Nanos};
use record::{Record, Span, SpanId, State};

impl<E: Executor> StreamWorker<E> {
    /// Runs all nodes of a graph to their end.
    pub(super) fn replay(
        &mut self,
        stream: &ThreadedStream,
        replay: &Replay,
        marks: &NodeEventStates,
    ) -> (State, Option<Interval>) {
        let shared = Arc::clone(&self.shared);
        let flight = Arc::new(GraphExecution::new(replay, self.place, marks));
        let forks = shared.executor.caps().overlap && !replay.graph.is_chain();
        let gives_up = || self.gives_up(stream);
        let hold = |obstacle: Option<StreamObstacle>| *lock(&stream.hold) = obstacle;
        let landed = if forks {
            shared.crew.ask(&shared, &flight);
            let wake = || shared.crew.wake();
            let landed = flight.complete(&shared, &wake, &gives_up, &hold);
            shared.crew.leave(&flight);
            landed
        } else {
            flight.complete(&shared, &|| (), &gives_up, &hold)
        };
        self.landed = landed;
        self.paced_nodes = flight.take_paced();
        let begun = self.landed.iter().flatten();
        // Devices with clocks of their own tell when the first node began.
        let first = begun.clone().map(|(ran, _)| ran.start).min();
        let last = begun.clone().map(|(ran, _)| ran.end).max();
        let ran = first.zip(last).map(|(start, end)| Interval {
            start,
            end: end.max(start),
        });
        let faults = self.landed.iter().enumerate();
        let mut faults = faults.filter_map(|(place, landed)| {
            let (_, result) = landed.as_ref()?;
            Some((place, result.as_ref().err()?.clone()))
        });
        let state = match faults.next() {
            Some((place, fault)) => self.state_of(stream, replay.span(place), fault),
            None => State::Done,
        };
        (state, ran)
    }

    /// Reports the nodes of a replay, which was reported before.
    pub(super) fn report_nodes(&mut self, stream: &ThreadedStream, of: &Span, replay: &Replay) {
        let shared = Arc::clone(&self.shared);
        let lost = shared
            .condition
            .is_lost()
            .then(|| shared.condition.lost_at());
        let all = std::mem::take(&mut self.landed);
        for (place, (node, span, queued)) in replay.spans().enumerate() {
            let landed = all.get(place).and_then(Option::as_ref);
            let (ran, state) = self.node_outcome(landed, of, lost);
            let row = |id, lane| Span {
                id,
                lane,
                ..node_span(node, of, ran, state)
            };
            if queued.is_some() {
                self.sink.report(Record::Span(row(queued, shared.queue)));
            }
            self.sink.report(Record::Span(row(span, stream.lane)));
        }
        for (place, times) in std::mem::take(&mut self.paced_nodes) {
            let landed = all.get(place).and_then(Option::as_ref);
            let (ran, _) = self.node_outcome(landed, of, lost);
            self.report_pace((replay.span(place), ran), &times);
        }
    }

    /// When a node ran and what became of it, within what its replay was reported as.
    fn node_outcome(
        &self,
        landed: Option<&(Interval, Result<(), ExecutionError>)>,
        of: &Span,
        lost: Option<Nanos>,
    ) -> (Interval, State) {
        let within = |it: Interval| Interval {
            start: it.start.clamp(of.start, of.end),
            end: it.end.clamp(of.start, of.end),
        };
        let at_end = Interval {
            start: of.end,
            end: of.end,
        };
        let cause = match of.state {
            State::Lost => TerminationCause::Lost,
            _ => self
                .shared
                .condition
                .cause()
                .unwrap_or(TerminationCause::Poisoned),
        };
        match landed {
            None => (at_end, outcome(cause, OperationStage::Queued)),
            Some((ran, Ok(()))) if lost.is_none_or(|lost| ran.end <= lost) => {
                (within(*ran), State::Done)
            }
            Some((ran, _)) if of.state == State::Lost => (within(*ran), State::Lost),
            Some((ran, Ok(()))) => (within(*ran), State::Done),
            Some((ran, Err(ExecutionError::Failed(_)))) => (within(*ran), State::Failed),
            Some((ran, Err(_))) => (within(*ran), outcome(cause, OperationStage::Queued)),
        }
    }
}

fn node_span(node: &GraphNode, of: &Span, ran: Interval, state: State) -> Span {
    Span {
        id: SpanId::NONE,
        lane: of.lane,
        name: node.name,
        call: node.call,
        kind: node.operation.kind(),
        state,
        enqueued: of.enqueued,
        start: ran.start,
        end: ran.end,
    }
}

//! Collective operations on the thread of a stream: numbers go to the host, to the other ranks, and back.

use super::executor::{ExecutionError, Executor, StreamTurn};
use super::stream::ThreadedStream;
use super::worker::StreamWorker;
use crate::{BufferSide, CollectiveInterruption, Exchange, Submission};
use record::State;
use record::time::Interval;

impl<E: Executor> StreamWorker<E> {
    /// Makes this rank's part of a collective operation.
    pub(super) fn exchange(
        &mut self,
        stream: &ThreadedStream,
        submission: &Submission,
        exchange: &Exchange,
    ) -> (State, Option<Interval>) {
        let shared = std::sync::Arc::clone(&self.shared);
        let gives_up = || shared.condition.is_over() || self.is_aborted(stream);
        let run = |turn: &StreamTurn<'_>| {
            let (read, written) = exchange.what.buffers();
            let values = read.map(|buffer| shared.executor.read(buffer, BufferSide::Device));
            let values = exchange.perform(values.unwrap_or_default(), &gives_up)?;
            if let Some(buffer) = written {
                shared.executor.place(turn, buffer, &values)?;
            }
            Ok(None)
        };
        let outcome = self.attempt(stream, submission, run);
        self.state_after(stream, submission.span, outcome)
    }
}

impl From<CollectiveInterruption> for ExecutionError {
    fn from(interrupted: CollectiveInterruption) -> Self {
        match interrupted {
            CollectiveInterruption::Stopped => Self::Stopped,
            CollectiveInterruption::Failed(reason) => Self::Failed(reason),
        }
    }
}

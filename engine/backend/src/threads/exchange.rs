//! Collective operations on the thread of a stream: numbers go to the host, to the other ranks, and back.

use super::executor::{Executor, Fault, Turn};
use super::stream::Stream;
use super::worker::Worker;
use crate::{Exchange, Interrupted, Side};
use record::time::Interval;
use record::{SpanId, State};

impl<E: Executor> Worker<E> {
    /// Makes this rank's part of a collective operation.
    pub(super) fn exchange(
        &mut self,
        stream: &Stream,
        span: SpanId,
        exchange: &Exchange,
    ) -> (State, Option<Interval>) {
        let shared = std::sync::Arc::clone(&self.shared);
        let gives_up = || shared.condition.is_over() || self.is_aborted(stream);
        let run = |turn: &Turn<'_>| {
            let (read, written) = exchange.what.buffers();
            let values = read.map(|buffer| shared.executor.read(buffer, Side::Device));
            let values = exchange.perform(values.unwrap_or_default(), &gives_up)?;
            if let Some(buffer) = written {
                shared.executor.place(turn, buffer, &values)?;
            }
            Ok(None)
        };
        let outcome = self.attempt(stream, run);
        self.state_after(stream, span, outcome)
    }
}

impl From<Interrupted> for Fault {
    fn from(interrupted: Interrupted) -> Self {
        match interrupted {
            Interrupted::Stopped => Self::Stopped,
            Interrupted::Failed(reason) => Self::Failed(reason),
        }
    }
}

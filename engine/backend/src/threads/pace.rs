//! What operations of a paced device spent their time on, as facts of their spans.

use super::executor::Executor;
use super::worker::StreamWorker;
use crate::paced::PacedTimes;
use record::time::{Interval, Nanos};
use record::{Basis, Dependency, DependencyKind, Record, SpanId, State, Value};

impl<E: Executor> StreamWorker<E> {
    /// What an operation came to, once it is known whether and when it had an engine.
    pub(super) fn paced_outcome(
        &self,
        state: State,
        ran: Option<Interval>,
    ) -> (State, Option<Interval>) {
        let Some(times) = self.paced.get() else {
            return (state, ran);
        };
        if times.ran.is_some() {
            return (state, times.ran);
        }
        let now = self.shared.now();
        let state = match state {
            // What was killed before it had an engine was dropped.
            State::Failed => State::Cancelled,
            state => state,
        };
        (
            state,
            Some(Interval {
                start: now,
                end: now,
            }),
        )
    }

    /// Reports what the operation that is the span `span`, and ran then, spent its time on.
    pub(super) fn report_pace(&mut self, (span, ran): (SpanId, Interval), times: &PacedTimes) {
        let names = self.shared.pace;
        if let Some(engine) = times.engine {
            let value = Value::Text(engine.to_string().into());
            self.sink
                .report(Record::Argument(span, names.engine, value));
        }
        let mut tell = |name, time: Nanos| {
            self.sink
                .report(Record::Argument(span, name, Value::Integer(time.0)));
        };
        if times.waited > Nanos::ZERO {
            tell(names.waited, times.waited);
        }
        if times.ran.is_none() {
            return;
        }
        // What a loss cut short ended before it was noticed.
        let worked = times.length.worked.min(ran.length());
        tell(names.worked, worked);
        tell(names.held, ran.length() - worked);
        tell(names.late, times.length.late);
        if times.behind.is_some() {
            let tie = Dependency::new(times.behind, span, DependencyKind::Engine, Basis::Observed);
            self.sink.report(Record::Dependency(tie));
        }
    }
}

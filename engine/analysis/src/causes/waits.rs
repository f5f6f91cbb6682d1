//! What waits cost: the time that a stream or a host thread would have had for itself without one.

use super::SpanClass;
use super::kind::TimeUse;
use super::reader::CauseReader;
use record::SpanId;
use record::time::Nanos;

/// A wait, and the most that being without it can gain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WaitCost {
    /// The wait; where a capture does not show waits of streams, the operation that was held.
    pub span: SpanId,
    /// How long it alone held its stream or its thread, what is unknown of it included.
    pub cost: Nanos,
    /// Whether a host thread waited.
    pub is_host: bool,
}

impl CauseReader<'_> {
    /// Every wait that took time: waits of streams, operations that another stream held, blocking calls.
    pub fn waits(&self) -> impl Iterator<Item = WaitCost> {
        let spans = self.causes.classes.iter().enumerate();
        let waiting = spans.filter(|(_, class)| {
            let is_held = class.is_operation() && class.has(SpanClass::EXTRA_START);
            let is_blocking = class.is_call() && class.has(SpanClass::BLOCKING);
            class.is_wait() || is_held || is_blocking
        });
        let costs = waiting.map(|(span, class)| {
            let span = SpanId(span as u32);
            WaitCost {
                span,
                cost: self.wait_cost(span),
                is_host: class.is_call(),
            }
        });
        costs.filter(|it| it.cost > Nanos::ZERO)
    }

    /// How long a wait held its stream or its thread.
    fn wait_cost(&self, span: SpanId) -> Nanos {
        let class = self.causes.class(span);
        if class.is_wait() || class.is_call() {
            let parts = self.inside(span).into_iter();
            let held = parts.filter(|it| matches!(it.what, TimeUse::Blocked | TimeUse::Unknown));
            return held.fold(Nanos::ZERO, |sum, it| sum + it.interval.length());
        }
        let binding = self.of(span).and_then(|cause| cause.binding);
        if binding.is_some_and(|it| it.kind.is_dependency()) {
            self.alone(span)
        } else {
            Nanos::ZERO
        }
    }
}

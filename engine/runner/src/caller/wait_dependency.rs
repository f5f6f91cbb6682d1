//! The dependency of a stream's wait on the record that it is for.

use super::{Caller, CurrentCall};
use backend::Operation;
use device::RecordedEvent;
use record::{Basis, Dependency, DependencyKind, EventId, EventIndex, Record, SpanId, StreamIndex};

impl Caller {
    /// Reports the arrow of a wait: from the record that was the latest when it was called.
    pub(super) fn note_wait(
        &mut self,
        current: &CurrentCall,
        event: EventIndex,
        (span, basis): (SpanId, Basis),
        latest: Option<RecordedEvent>,
    ) {
        let Some(latest) = latest else {
            self.report_wait_before_record(current, event, span);
            return;
        };
        self.reporter.send(Record::Dependency(Dependency {
            cause: latest.span,
            effect: span,
            kind: DependencyKind::Event,
            basis,
            event: EventId(event.0),
            generation: latest.generation,
        }));
    }

    /// How it is known that a wait comes after its record. One that may give up and go on does so by chance (rule F8).
    pub(super) fn basis_of_wait(&self, operation: &Operation, stream: StreamIndex) -> Basis {
        match operation {
            Operation::WaitFor(..) if self.certain(operation, stream).is_none() => Basis::Observed,
            _ => Basis::Enforced,
        }
    }
}

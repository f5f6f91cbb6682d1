//! Counts the spans that dependencies of a file name and that are not in it, as in the file of a process that was killed.

use crate::importer::{Receipt, RecordSink};
use record::{Dependency, Record, Severity, SpanId, SpanSet, counted};

/// How receipts call it.
const CAUSE: &str = "spans named and not written";

/// Which spans a file holds, and which its dependencies name.
#[derive(Debug, Default)]
pub(super) struct UnwrittenSpans {
    held: SpanSet,
    named: SpanSet,
    /// Whether a run began that has no end: its process may have been killed.
    is_running: bool,
}

impl UnwrittenSpans {
    /// The file holds a span.
    pub fn hold(&mut self, span: SpanId) {
        self.held.insert(span);
    }

    /// Takes note of what the file says otherwise.
    pub fn note(&mut self, record: &Record) {
        match record {
            Record::Run(_) => self.is_running = true,
            Record::End(_) => self.is_running = false,
            Record::Began(began) => self.hold(began.id),
            _ => {}
        }
    }

    /// A dependency names two.
    pub fn name(&mut self, dependency: &Dependency) {
        self.named.insert(dependency.cause);
        self.named.insert(dependency.effect);
    }

    /// Says how many are named and are not there, of a run that was cut off.
    pub fn tell(&self, sink: &mut RecordSink<'_>, receipt: &mut Receipt) {
        let count = self.named.count_beyond(&self.held);
        // Whoever saves what is left of such a file saves what was said of it.
        let is_told = receipt.repairs.iter().any(|(cause, _)| cause == CAUSE);
        if self.is_running && count > 0 && !is_told {
            let words = "{span|spans} that dependencies lead from or to {is|are} not in the file: its run ended before it wrote \
                         {it|them}. Those dependencies are not drawn.";
            let text = counted(count, words);
            receipt.complain(sink, (Severity::DataLoss, "unwritten-spans"), text);
            receipt.repair(CAUSE, count);
        }
    }
}

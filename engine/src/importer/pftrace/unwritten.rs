//! Counts the spans that dependencies of a file name and that are not in it, as in the file of a process that was killed.

use crate::importer::{Receipt, Sink};
use crate::record::{Dependency, Record, Severity, SpanId};

/// How far a number may lie beyond those before it, in words of 64: beyond, it is damaged.
const FAR: usize = 1 << 18;

/// Which spans a file holds, and which its dependencies name.
#[derive(Debug, Default)]
pub(super) struct Unwritten {
    held: Bits,
    named: Bits,
    /// Whether a run began that has no end: its process may have been killed.
    is_running: bool,
}

impl Unwritten {
    /// The file holds a span.
    pub fn hold(&mut self, span: SpanId) {
        self.held.set(span);
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
        self.named.set(dependency.cause);
        self.named.set(dependency.effect);
    }

    fn count(&self) -> u64 {
        let held = self.held.0.iter().chain(std::iter::repeat(&0));
        let words = self.named.0.iter().zip(held);
        words
            .map(|(named, held)| u64::from((named & !held).count_ones()))
            .sum()
    }

    /// Says how many are named and are not there, of a run that was cut off.
    pub fn tell(&self, sink: &mut Sink<'_>, receipt: &mut Receipt) {
        let count = self.count();
        if self.is_running && count > 0 {
            let text = format!(
                "{count} spans that dependencies lead from or to are not in the file: its run ended before it wrote them. \
                 Those dependencies are not drawn."
            );
            sink.complain(Severity::DataLoss, "unwritten-spans", text.clone());
            receipt.notes.push(text);
            receipt.repair("spans named and not written", count);
        }
    }
}

/// A set of numbers, a bit each.
#[derive(Debug, Default)]
struct Bits(Vec<u64>);

impl Bits {
    fn set(&mut self, span: SpanId) {
        let place = span.index() / 64;
        if place > self.0.len() + FAR {
            return;
        }
        if self.0.len() <= place {
            self.0.resize(place + 1, 0);
        }
        if let Some(word) = self.0.get_mut(place) {
            *word |= 1 << (span.0 % 64);
        }
    }
}

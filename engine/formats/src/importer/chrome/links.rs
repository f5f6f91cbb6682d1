//! What waited for what: launches and their work, waits and the work they waited for, flows, collectives.

mod ascend;
mod calls;
mod collectives;
mod commands;
mod frontier;
mod launches;
mod many_streams;
mod mtia;
mod order;
mod record_streams;
mod syncs;
mod waits;

use super::build::ChromeBuilder;
use super::scan::words;
use crate::importer::{Receipt, RecordSink};
use order::LaunchOrder;
use record::{Basis, Dependency, DependencyKind, Record, Severity, SpanId, WAITS_UNTOLD, counted};

/// How far the clocks of host and device may be apart: a call may seem to return so much before what it waited for ended.
const CLOCKS: i64 = 2_000;

/// What was tied, and what could not be.
#[derive(Default)]
pub(super) struct DependencySummary {
    inferred: u64,
    /// Arrows that rest on the calls alone, and those that the times of the work contradict.
    from_calls: u64,
    contradicted: u64,
    /// Waits whose record lies before the file, or whose stream ran nothing before it.
    unresolved: u64,
    /// Waits that name no record and no stream.
    unnamed: u64,
    /// Waits that name streams that ran nothing.
    ghosts: u64,
    /// Waits of which the file has the call alone, beside others of which it tells more.
    left_out: u64,
    /// Whether any wait of a stream is told, and in what way.
    waits: u64,
    wait_calls: u64,
}

/// Hands over every dependency, and says what cannot be known.
pub(super) fn report_dependencies(
    builder: &mut ChromeBuilder,
    receipt: &mut Receipt,
    sink: &mut RecordSink<'_>,
) {
    let mut ties = DependencySummary::default();
    launches::report_dependencies(builder, &mut ties, sink);
    builder.tie_flows(sink);
    let order = LaunchOrder::of(builder);
    mtia::report_dependencies(builder, &mut ties, sink);
    ascend::report_dependencies(builder, &order, &mut ties, sink);
    commands::report_dependencies(builder, &order, &mut ties, sink);
    calls::report_dependencies(builder, &order, &mut ties, sink);
    syncs::report_dependencies(builder, &order, &mut ties, sink);
    if !builder.tally.told_collectives {
        let told = (&mut *receipt, &mut *sink);
        collectives::report_dependencies(builder, &order, &mut ties, told);
    }
    let is_xla = builder.xla.has_devices();
    ties.tell((builder.lanes.streams(), is_xla), receipt, sink);
}

impl DependencySummary {
    /// Hands over a dependency between two spans.
    fn report(
        &mut self,
        (cause, effect): (SpanId, SpanId),
        kind: DependencyKind,
        basis: Basis,
        sink: &mut RecordSink<'_>,
    ) {
        self.tie_by(Dependency::new(cause, effect, kind, basis), sink);
    }

    fn tie_by(&mut self, dependency: Dependency, sink: &mut RecordSink<'_>) {
        self.inferred += u64::from(dependency.basis == Basis::Inferred);
        sink.push(Record::Dependency(dependency));
    }

    fn tell(
        &self,
        (streams, is_xla): (usize, bool),
        receipt: &mut Receipt,
        sink: &mut RecordSink<'_>,
    ) {
        receipt.inferred += self.inferred;
        if self.from_calls + self.contradicted > 0 {
            receipt.note(format!(
                "This file tells of waits between streams by their calls alone, without stream or event: {} inferred from the \
                 order of the calls, and {} left out because the times contradict {}.",
                counted(self.from_calls, "{arrow is|arrows are}"),
                counted(self.contradicted, "more {was|were}"),
                if self.contradicted == 1 { "it" } else { "them" }
            ));
        } else if is_xla {
            receipt.note(
                "What led to what is in the .xplane.pb of the same run, which its profiler writes beside this file; open that \
                 to see more arrows.",
            );
        } else if self.waits + self.wait_calls == 0 && streams > 1 {
            receipt.note("This file has no event records; arrows between streams cannot be known.");
        }
        self.tell_waits(receipt, sink);
    }

    /// Says of which waits it is not known what they waited for.
    fn tell_waits(&self, receipt: &mut Receipt, sink: &mut RecordSink<'_>) {
        let untold = (Severity::Info, WAITS_UNTOLD);
        if self.unresolved > 0 {
            let waits = counted(self.unresolved, "{wait|waits}");
            let text = format!(
                "Of {waits} the record, or the work before it, lies outside of what was captured."
            );
            receipt.complain(sink, untold, text);
        }
        if self.unnamed > 0 {
            let words = "{wait names|waits name} neither a record nor a stream, as PyTorch's profiler writes where it is not told; what {it|they} \
                         waited for cannot be known from this file. A run recorded by `syncline record` has it.";
            receipt.complain(sink, untold, counted(self.unnamed, words));
        }
        if self.left_out > 0 {
            let words = "{call that makes|calls that make} a stream wait {has|have} no row that says what {it waits|they wait} for, as PyTorch's profiler \
                         writes where it knows no work of that stream.";
            receipt.complain(sink, untold, counted(self.left_out, words));
        }
        if self.ghosts > 0 {
            let words = "{wait names a stream that ran nothing on its device|waits name streams that ran nothing on their device} in this file; {that has|those have} \
                         no lane.";
            receipt.complain(sink, untold, counted(self.ghosts, words));
        }
    }
}

/// Says on a wait what its arrow rests on.
fn rests_on(builder: &mut ChromeBuilder, wait: SpanId, text: &str, sink: &mut RecordSink<'_>) {
    builder.remark(wait, words::RESTS_ON, text, sink);
}

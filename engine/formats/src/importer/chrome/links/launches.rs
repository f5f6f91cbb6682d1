//! Calls and the work they launched, by the number that both bear. One call may have launched hundreds of kernels.

use super::{CLOCKS, DependencySummary};
use crate::importer::RecordSink;
use crate::importer::chrome::build::ChromeBuilder;
use crate::importer::chrome::scan::NO_CORRELATION;
use record::{Basis, Dependency, DependencyKind, Record};

/// Ties each operation to its launch, and a call that blocked until its copy was complete to that.
pub(super) fn report_dependencies(
    builder: &mut ChromeBuilder,
    ties: &mut DependencySummary,
    sink: &mut RecordSink<'_>,
) {
    let mut unlaunched = 0;
    for operation in &builder.work.operations {
        let Some(call) = builder.work.of(operation.correlation) else {
            unlaunched += u64::from(operation.correlation != NO_CORRELATION);
            continue;
        };
        let dependency = Dependency::submission(call.span, operation.span);
        sink.push(Record::Dependency(dependency));
        if operation.blocks_call && operation.end <= call.end.saturating_add(CLOCKS) {
            let both = (operation.span, call.span);
            ties.report(both, DependencyKind::Synchronization, Basis::Inferred, sink);
        }
    }
    if builder.work.has_correlations() {
        builder.tally.unlaunched = unlaunched;
    }
}

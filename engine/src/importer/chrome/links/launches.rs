//! Calls and the work they launched, by the number that both bear. One call may have launched hundreds of kernels.

use crate::importer::Sink;
use crate::importer::chrome::build::Builder;
use crate::importer::chrome::scan::NO_CORRELATION;
use crate::record::{Dependency, Record};

/// Ties each operation to its launch.
pub(super) fn tie(builder: &mut Builder, sink: &mut Sink<'_>) {
    let mut unlaunched = 0;
    for operation in &builder.work.operations {
        if let Some(call) = builder.work.of(operation.correlation) {
            let dependency = Dependency::submission(call.span, operation.span);
            sink.push(Record::Dependency(dependency));
        } else if operation.correlation != NO_CORRELATION {
            unlaunched += 1;
        }
    }
    if builder.work.has_correlations() {
        builder.tally.unlaunched = unlaunched;
    }
}

//! Calls and the work they launched, by the number that both bear. One call may have launched hundreds of kernels.

use crate::importer::Sink;
use crate::importer::chrome::build::Builder;
use crate::record::{Dependency, Record};

/// Ties each operation to its launch.
pub(super) fn tie(builder: &Builder, sink: &mut Sink<'_>) {
    for operation in &builder.work.operations {
        if let Some(call) = builder.work.of(operation.correlation) {
            let dependency = Dependency::submission(call.span, operation.span);
            sink.push(Record::Dependency(dependency));
        }
    }
}

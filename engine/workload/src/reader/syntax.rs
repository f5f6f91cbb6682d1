//! From text to KDL nodes, or to what is no KDL about it.

use crate::error::{WorkloadError, WorkloadSource};
use crate::kdl::{self, KdlNode};

/// Bytes of a workload file, at most.
const BYTES: usize = 1 << 20;

/// The nodes of a text.
pub(super) fn parse(source: &WorkloadSource) -> Result<Vec<KdlNode>, Vec<WorkloadError>> {
    let text = &source.text;
    if text.len() > BYTES {
        let message = format!(
            "this file holds {} bytes, and a workload at most {BYTES}",
            text.len()
        );
        let help = "write loops with repeat instead of many calls";
        return Err(vec![source.error_outside(message, help)]);
    }
    let tell = |fault: kdl::KdlFault| source.error(fault.range, fault.message, fault.help);
    kdl::parse(text).map_err(|faults| faults.into_iter().map(tell).collect())
}

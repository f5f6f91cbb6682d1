//! What the host submitted to each stream, in the order of its calls, and what a record of an event captures of it: by this, waits
//! are tied to what they waited for, in databases of profilers and in what CUPTI tells.

mod frontier;
mod order;
mod returned;

use record::Basis;

pub(crate) use frontier::{StreamWaitLists, SubmissionFrontier};
pub(crate) use order::{SubmissionStream, SubmittedOperation, SubmittedOperations};
pub(crate) use returned::ReturnedCalls;

/// How well a conclusion is known that rests on two: as the weaker of them, the first where neither is certain.
pub(crate) const fn weaker(one: Basis, other: Basis) -> Basis {
    match one {
        Basis::Enforced => other,
        _ => one,
    }
}

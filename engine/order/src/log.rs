//! Calls noted down as they are made, to be compared elsewhere.

use std::sync::{Mutex, MutexGuard, PoisonError};

use super::{CallOrigin, DeclaredUse, HostOp, SyncOp};

/// Calls in the order in which they were made, each with its uses.
#[derive(Debug, Default)]
pub struct CallBatch {
    ops: Vec<(HostOp, u32)>,
    uses: Vec<DeclaredUse>,
}

impl CallBatch {
    /// Notes down a call.
    pub fn push(&mut self, host: u32, origin: CallOrigin, act: SyncOp, uses: &[DeclaredUse]) {
        self.ops
            .push((HostOp { host, origin, act }, uses.len() as u32));
        self.uses.extend_from_slice(uses);
    }

    /// Calls that were noted down.
    pub const fn len(&self) -> usize {
        self.ops.len()
    }

    /// Whether there is no call.
    pub const fn is_empty(&self) -> bool {
        self.ops.is_empty()
    }

    /// Hands each call with its uses to `take`.
    pub fn each(&self, mut take: impl FnMut(&HostOp, &[DeclaredUse])) {
        let mut rest = self.uses.as_slice();
        for (op, count) in &self.ops {
            let (uses, others) = rest.split_at_checked(*count as usize).unwrap_or_default();
            take(op, uses);
            rest = others;
        }
    }
}

/// Where host threads note down their calls. Whoever submits to a stream does so while it holds the stream, so that
/// the order here is the order there.
#[derive(Debug, Default)]
pub struct CallLog(Mutex<CallBatch>);

impl CallLog {
    /// Notes down a call.
    pub fn push(&self, host: u32, origin: CallOrigin, act: SyncOp, uses: &[DeclaredUse]) {
        self.lock().push(host, origin, act, uses);
    }

    fn lock(&self) -> MutexGuard<'_, CallBatch> {
        // What is behind it is whole after every statement, also where a thread panicked.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// All that was noted down since this was asked last.
    pub fn take(&self) -> CallBatch {
        std::mem::take(&mut *self.lock())
    }
}

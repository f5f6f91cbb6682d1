//! Whether this process is a worker, which may be ended with the device that it drives.

use std::sync::atomic::{AtomicBool, Ordering::SeqCst};

static IS_WORKER: AtomicBool = AtomicBool::new(false);

/// This process is a worker: whoever started it is prepared for its end.
pub fn declare_worker() {
    IS_WORKER.store(true, SeqCst);
}

/// Whether this process is a worker.
pub fn is_worker() -> bool {
    IS_WORKER.load(SeqCst)
}

/// Ends this process at once, as a fault would, where it is a worker; returns where it is none.
pub(super) fn end() {
    if is_worker() {
        std::process::abort();
    }
}

//! Ctrl-C: the first asks for an orderly end, the second ends the process.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

static PRESSED: AtomicU32 = AtomicU32::new(0);

/// From now on Ctrl-C is heard. Where the system does not allow that, it ends the process as ever.
pub(super) fn watch() {
    let heard = ctrlc::set_handler(|| {
        if PRESSED.fetch_add(1, Relaxed) > 0 {
            std::process::exit(i32::from(super::STOPPED));
        }
    });
    // A file that is being written opens up to its last packet all the same.
    drop(heard);
}

/// Whether the user asked to stop.
pub(super) fn asked() -> bool {
    PRESSED.load(Relaxed) > 0
}

//! Panics of wgpu, caught and kept from standard error: it has no other way to say some of its errors, such as a loss that
//! a wait finds.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::sync::Once;

use crate::threads::panic_text;

thread_local! {
    /// Whether this thread answers for a panic itself.
    static IS_GUARDED: Cell<bool> = const { Cell::new(false) };
}

/// Does `act`. A panic in it is an error with its text, and nothing is printed of it.
///
/// # Errors
/// What it panicked of.
pub fn guarded<T>(act: impl FnOnce() -> T) -> Result<T, String> {
    static HOOKED: Once = Once::new();
    HOOKED.call_once(|| {
        let before = take_hook();
        set_hook(Box::new(move |info| {
            if !IS_GUARDED.get() {
                before(info);
            }
        }));
    });
    let outer = IS_GUARDED.replace(true);
    let done = catch_unwind(AssertUnwindSafe(act));
    IS_GUARDED.set(outer);
    done.map_err(|payload| panic_text(payload.as_ref()).to_owned())
}

//! The functions that are called by name, one family a file.

mod context;
mod events;
mod graphs;
mod init;
mod memory;
mod modules;
mod streams;

use std::ffi::c_void;

pub use init::MEMORY;
pub use streams::note_call;

/// What the caller names things by.
pub type Handle = *mut c_void;

/// The number of a handle.
pub fn number(handle: Handle) -> usize {
    handle.addr()
}

/// Writes what a call answers.
///
/// # Safety
/// `to` is nothing, or the address of a place for it.
pub unsafe fn answer<T>(to: *mut T, value: T) {
    if !to.is_null() {
        // SAFETY: the caller gave a place for it.
        unsafe { to.write(value) };
    }
}

/// A handle of this number.
pub const fn handle(number: usize) -> Handle {
    std::ptr::without_provenance_mut(number)
}

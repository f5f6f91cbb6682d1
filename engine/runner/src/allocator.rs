//! Large blocks of memory: tables that grow with a capture.
#![cfg_attr(
    all(target_os = "linux", target_env = "gnu"),
    expect(
        unsafe_code,
        reason = "how memory is handed out is told by a function of C"
    )
)]

/// From how many bytes on a block has pages of its own.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const LARGE: libc::c_int = 1 << 20;

/// Has the system give large blocks pages of their own, whatever was given back before: so they grow without a copy beside
/// them and are gone once they are given back, where otherwise a file of a million lanes leaves a hundred megabytes of holes.
/// To be called once, at the start of the process.
pub fn keep_large_blocks_apart() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: it takes two numbers, and nobody else is in it: the process has just begun.
    unsafe {
        libc::mallopt(libc::M_MMAP_THRESHOLD, LARGE);
    }
}

//! What ties the life of a worker to that of whoever started it.
#![cfg_attr(
    unix,
    expect(
        unsafe_code,
        reason = "signals are matters of C functions of the system"
    )
)]

use std::process::Command;

/// From now on this process is ended with the thread that started it, also while it is stopped and so does not see that
/// its standard input ended. Where the system has no such thing, the end of standard input alone tells.
pub fn die_with_parent() {
    #[cfg(target_os = "linux")]
    // SAFETY: it takes numbers alone.
    unsafe {
        libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
    }
}

/// The process that `command` starts is ended with the thread that starts it, whatever it waits for. Where the system has no
/// such thing, the end of its standard input alone tells it.
pub fn end_with_this_thread(command: &mut Command) {
    #[cfg(target_os = "linux")]
    // SAFETY: between fork and exec it makes one call of the system, which takes numbers alone.
    unsafe {
        std::os::unix::process::CommandExt::pre_exec(command, || {
            libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
            Ok(())
        });
    }
    #[cfg(not(target_os = "linux"))]
    let _ = command;
}

/// Lets a process that was stopped go on, so that it can end by itself. It was started here and not waited for.
pub fn wake(process: u32) {
    #[cfg(unix)]
    // SAFETY: it takes numbers alone, and the process was not waited for, so its number is its own.
    unsafe {
        libc::kill(process as libc::pid_t, libc::SIGCONT);
    }
    #[cfg(not(unix))]
    let _ = process;
}

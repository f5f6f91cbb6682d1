//! The recorder's own threads in a program: that they go on must not keep a process alive which has nothing else.

use std::sync::{Mutex, PoisonError};

use super::process::thread_number;

/// Their numbers, with the process that they are of.
static OWN: Mutex<Vec<(u32, u32)>> = Mutex::new(Vec::new());

/// The calling thread is one of them.
pub(super) fn note_this() {
    let mut own = OWN.lock().unwrap_or_else(PoisonError::into_inner);
    own.push((std::process::id(), thread_number()));
}

/// Whether the first thread of the process has left, and no other is there but these. Of a process whose first thread runs that
/// is found by a look at one small file.
pub(super) fn are_alone() -> bool {
    let process = std::process::id();
    if !has_left(process) {
        return false;
    }
    let own = OWN.lock().unwrap_or_else(PoisonError::into_inner);
    let tasks = std::fs::read_dir("/proc/self/task").into_iter().flatten();
    let mut threads = tasks
        .filter_map(|it| it.ok()?.file_name().to_str()?.parse().ok())
        .filter(|it| *it != process);
    threads.all(|it| own.contains(&(process, it)))
}

/// Whether a process's first thread has ended, as `pthread_exit` ends it: it stays as a zombie until the process ends.
fn has_left(process: u32) -> bool {
    let status = std::fs::read_to_string(format!("/proc/self/task/{process}/stat"));
    // Its name stands in brackets, and may have any sign in it.
    status.is_ok_and(|it| {
        let behind = it.rsplit_once(')').map(|it| it.1.trim_start());
        behind.is_some_and(|it| it.starts_with('Z'))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_whose_first_thread_runs_is_not_alone() {
        note_this();
        assert!(!are_alone());
        assert!(!has_left(std::process::id()));
        assert!(!has_left(u32::MAX));
    }
}

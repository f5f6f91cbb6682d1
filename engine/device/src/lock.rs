//! Locks that outlive a panic: what they guard is counters and queues, whole after every statement.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Locks `mutex`, also where a thread panicked while it held it.
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

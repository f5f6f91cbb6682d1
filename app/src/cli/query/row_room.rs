//! Rows on their way from the thread that asks to the one that writes: so many bytes of them, and no more.

use std::sync::{Condvar, Mutex, PoisonError};

/// Bytes that may be on their way; a single row may be more.
const MOST: usize = 8_000_000;

/// What is on its way, and whether anybody still takes it.
#[derive(Default)]
struct RoomState {
    bytes: usize,
    is_closed: bool,
}

/// Room for rows that wait to be written.
#[derive(Default)]
pub(super) struct RowRoom {
    state: Mutex<RoomState>,
    changed: Condvar,
}

impl RowRoom {
    /// Waits until there is room for a row, and takes it.
    pub fn take(&self, bytes: usize) {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let is_full = |it: &mut RoomState| it.bytes > 0 && it.bytes + bytes > MOST && !it.is_closed;
        let state = self.changed.wait_while(state, is_full);
        state.unwrap_or_else(PoisonError::into_inner).bytes += bytes;
    }

    /// A row was written.
    pub fn give(&self, bytes: usize) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.bytes = state.bytes.saturating_sub(bytes);
        drop(state);
        self.changed.notify_one();
    }

    /// Nobody takes rows any more: none waits.
    pub fn close(&self) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.is_closed = true;
        drop(state);
        self.changed.notify_one();
    }
}

//! How long and how large a question may become, and who may end it.

use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use super::vtab::{bound_heap, memory_used};

/// No question has more room than this, in bytes, so that the rooms of several can be added.
const MOST_MEMORY: u64 = 1 << 50;

/// Memory that is taken from the system for what SQLite says that it holds: pieces of a few bytes, such
/// as those that are sorted, take up to twice the room that they say.
const fn taken(held: u64) -> u64 {
    held.saturating_mul(2)
}

/// How much a question may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SqlLimits {
    /// How long it may run.
    pub time: Duration,
    /// How many bytes it may hold at once.
    pub memory: u64,
    /// How many rows it may answer with.
    pub rows: u64,
}

impl Default for SqlLimits {
    fn default() -> Self {
        Self {
            time: Duration::from_mins(1),
            memory: 2_000_000_000,
            rows: 1_000_000,
        }
    }
}

/// What another thread sees of a question that runs, and how it ends it.
#[derive(Debug, Default)]
pub struct SqlWatch {
    cancelled: AtomicBool,
    /// Rows that were read of tables.
    rows: AtomicU64,
    /// How much of what the tables are made of is concluded, in thousandths.
    concluded: AtomicU32,
    /// Bytes of the answer that whoever asks holds.
    held: AtomicU64,
}

impl SqlWatch {
    /// Asks it to end soon.
    pub fn cancel(&self) {
        self.cancelled.store(true, Relaxed);
    }

    /// Says that whoever asks holds so many bytes more of the answer. They count as the question's.
    pub fn hold(&self, bytes: usize) {
        self.held.fetch_add(bytes as u64, Relaxed);
    }

    /// Says that so many of them are no longer held.
    pub fn let_go(&self, bytes: usize) {
        self.held.fetch_sub(bytes as u64, Relaxed);
    }

    /// How many bytes of the answer whoever asks holds, as far as they say.
    pub fn held(&self) -> u64 {
        self.held.load(Relaxed)
    }

    /// Whether it was asked to end.
    pub fn is_cancelled(&self) -> bool {
        self.cancelled.load(Relaxed)
    }

    /// How many rows of tables were read so far.
    pub fn rows(&self) -> u64 {
        self.rows.load(Relaxed)
    }

    /// How much is concluded of the capture, from 0 to 1, while a table is made that needs conclusions.
    pub fn concluded(&self) -> Option<f32> {
        let done = self.concluded.load(Relaxed);
        (done > 0).then_some(done as f32 / 1_000.0)
    }

    pub(crate) fn conclude(&self, share: f32) {
        self.concluded.store((share * 1_000.0) as u32, Relaxed);
    }
}

/// Why a question was ended before its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StopReason {
    /// Somebody asked for it.
    Cancelled,
    /// It ran for so long.
    Time(Duration),
    /// It held more than so many bytes.
    Memory(u64),
    /// It had answered with so many rows, and there were more.
    Rows(u64),
}

/// What SQLite may hold for all questions that run: between two looks at a question a sorter may take twice what it had.
struct HeapBound {
    questions: u32,
    /// What it held before the first of them.
    before: u64,
    /// What they may hold together.
    room: u64,
}

static HEAP: Mutex<HeapBound> = Mutex::new(HeapBound {
    questions: 0,
    before: 0,
    room: 0,
});

/// The room of a question, as long as it runs.
struct HeapRoom(u64);

impl HeapRoom {
    fn take(bytes: u64) -> Self {
        let mut heap = HEAP.lock().unwrap_or_else(PoisonError::into_inner);
        if heap.questions == 0 {
            heap.before = memory_used();
        }
        heap.questions += 1;
        heap.room = heap.room.saturating_add(bytes);
        bound_heap(heap.before.saturating_add(heap.room));
        Self(bytes)
    }
}

impl Drop for HeapRoom {
    fn drop(&mut self) {
        let mut heap = HEAP.lock().unwrap_or_else(PoisonError::into_inner);
        heap.questions -= 1;
        heap.room = heap.room.saturating_sub(self.0);
        match heap.questions {
            0 => bound_heap(0),
            _ => bound_heap(heap.before.saturating_add(heap.room)),
        }
    }
}

/// Looks whether a question that runs may go on.
pub(crate) struct QueryGuard {
    pub watch: Arc<SqlWatch>,
    limits: SqlLimits,
    began: Instant,
    /// What SQLite held in this process before it.
    held_before: u64,
    _room: HeapRoom,
    /// Bytes of tables and lists of rows that were made for it.
    own: AtomicU64,
    stopped: OnceLock<StopReason>,
    /// Whether it was ended, for those who look at a flag.
    is_over: AtomicBool,
}

impl QueryGuard {
    pub fn new(limits: SqlLimits, watch: Arc<SqlWatch>) -> Self {
        Self {
            watch,
            limits,
            began: Instant::now(),
            held_before: memory_used(),
            _room: HeapRoom::take(limits.memory.min(MOST_MEMORY) / 2),
            own: AtomicU64::new(0),
            stopped: OnceLock::new(),
            is_over: AtomicBool::new(false),
        }
    }

    /// Says that it has to end, where it does.
    pub fn check(&self) -> Result<(), StopReason> {
        if let Some(reason) = self.stopped.get() {
            return Err(*reason);
        }
        if self.watch.is_cancelled() {
            return Err(self.stop(StopReason::Cancelled));
        }
        if self.began.elapsed() >= self.limits.time {
            return Err(self.stop(StopReason::Time(self.limits.time)));
        }
        let held = memory_used().saturating_sub(self.held_before);
        let own = self.own.load(Relaxed).saturating_add(self.watch.held());
        if taken(held).saturating_add(own) > self.limits.memory {
            return Err(self.stop(StopReason::Memory(self.limits.memory)));
        }
        Ok(())
    }

    /// Counts rows that are read, and checks.
    pub fn read(&self, rows: usize) -> Result<(), StopReason> {
        self.watch.rows.fetch_add(rows as u64, Relaxed);
        self.check()
    }

    /// Counts bytes that are about to be held, and checks.
    pub fn take_room(&self, bytes: usize) -> Result<(), StopReason> {
        self.own.fetch_add(bytes as u64, Relaxed);
        self.check()
    }

    /// So many bytes are no longer held, or are counted anew.
    pub fn return_room(&self, bytes: usize) {
        let less = |held: u64| Some(held.saturating_sub(bytes as u64));
        // The function always answers.
        let _ = self.own.fetch_update(Relaxed, Relaxed, less);
    }

    /// Ends it since there is no more memory for it.
    pub fn stop_for_memory(&self) -> StopReason {
        self.stop(StopReason::Memory(self.limits.memory))
    }

    /// Ends it.
    pub fn stop(&self, reason: StopReason) -> StopReason {
        self.is_over.store(true, Relaxed);
        *self.stopped.get_or_init(|| reason)
    }

    /// Why it was ended, where it was.
    pub fn stopped(&self) -> Option<StopReason> {
        self.stopped.get().copied()
    }

    /// A flag that comes true once it has to end, for work that is not of SQLite; see [`QueryGuard::conclude`].
    pub const fn is_over(&self) -> &AtomicBool {
        &self.is_over
    }

    /// How much of such work is done, from 0 to 1; looks whether it may go on.
    pub fn conclude(&self, share: f32) {
        self.watch.conclude(share);
        // What comes of it is in the flag.
        let _ = self.check();
    }

    /// How long it has run.
    pub fn elapsed(&self) -> Duration {
        self.began.elapsed()
    }
}

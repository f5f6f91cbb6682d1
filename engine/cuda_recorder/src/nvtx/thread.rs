//! Each thread writes into a buffer of its own, which is handed on when it is full, four times a second, and in the end.

use std::cell::{Cell, RefCell};
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::deferred::ThreadEvents;
use super::deferred_starts::{DeferredStarts, StartOutcome};
use super::definition::NvtxCounts;
use super::event::{NvtxChunk, NvtxEvent, NvtxStep};
use crate::clock::now;
use crate::control::ControlPage;
use crate::entry::{self, ProcessState};

/// Bytes with which a buffer is handed on.
const FULL: usize = 64 << 10;

/// Changes where a process forks: buffers of the parent are not the child's.
static GENERATION: AtomicU32 = AtomicU32::new(1);

/// What is counted on every thread.
pub static COUNTS: SharedNvtxCounts = SharedNvtxCounts {
    missed: AtomicU64::new(0),
    cut: AtomicU64::new(0),
    misfit: AtomicU64::new(0),
    unread_payloads: AtomicU64::new(0),
    deferred: AtomicU64::new(0),
    outside: AtomicU64::new(0),
};

/// [`NvtxCounts`] that every thread adds to.
pub struct SharedNvtxCounts {
    missed: AtomicU64,
    cut: AtomicU64,
    misfit: AtomicU64,
    unread_payloads: AtomicU64,
    deferred: AtomicU64,
    outside: AtomicU64,
}

impl SharedNvtxCounts {
    pub fn cut(&self) {
        self.cut.fetch_add(1, Ordering::Relaxed);
    }

    pub fn misfit(&self) {
        self.misfit.fetch_add(1, Ordering::Relaxed);
    }

    pub fn unread_payload(&self) {
        self.unread_payloads.fetch_add(1, Ordering::Relaxed);
    }

    pub fn deferred(&self, count: u64) {
        self.deferred.fetch_add(count, Ordering::Relaxed);
    }

    fn outside(&self, count: u64) {
        self.outside.fetch_add(count, Ordering::Relaxed);
    }

    fn missed(&self) {
        self.missed.fetch_add(1, Ordering::Relaxed);
    }
}

/// What it came to so far.
pub fn counts() -> NvtxCounts {
    let of = |count: &AtomicU64| count.load(Ordering::Relaxed);
    NvtxCounts {
        missed: of(&COUNTS.missed),
        cut: of(&COUNTS.cut),
        misfit: of(&COUNTS.misfit),
        unread_payloads: of(&COUNTS.unread_payloads),
        deferred: of(&COUNTS.deferred),
        outside: of(&COUNTS.outside),
    }
}

/// The process is a forked child: what its parent's threads wrote and counted is the parent's.
pub fn forget_threads() {
    GENERATION.fetch_add(1, Ordering::SeqCst);
    for count in [
        &COUNTS.missed,
        &COUNTS.cut,
        &COUNTS.misfit,
        &COUNTS.unread_payloads,
        &COUNTS.deferred,
        &COUNTS.outside,
    ] {
        count.store(0, Ordering::Relaxed);
    }
}

/// A thread's buffer.
#[derive(Debug)]
struct ThreadBuffer {
    thread: u32,
    ordinal: u32,
    events: Mutex<ThreadEvents>,
    has_ended: AtomicBool,
}

impl ThreadBuffer {
    fn events(&self) -> MutexGuard<'_, ThreadEvents> {
        self.events.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn chunk(&self, events: Vec<u8>) -> NvtxChunk {
        NvtxChunk {
            thread: self.thread,
            ordinal: self.ordinal,
            events,
        }
    }
}

/// The buffers of a process.
#[derive(Debug, Default)]
pub struct ThreadRegistry {
    threads: Mutex<Vec<Arc<ThreadBuffer>>>,
    ordinals: AtomicU32,
    /// Only used where windows are recorded alone.
    starts: Mutex<DeferredStarts>,
}

impl ThreadRegistry {
    fn threads(&self) -> MutexGuard<'_, Vec<Arc<ThreadBuffer>>> {
        self.threads.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn add(&self) -> Arc<ThreadBuffer> {
        let buffer = Arc::new(ThreadBuffer {
            thread: entry::thread_number(),
            ordinal: self.ordinals.fetch_add(1, Ordering::Relaxed),
            events: Mutex::new(ThreadEvents::new(empty_buffer())),
            has_ended: AtomicBool::new(false),
        });
        self.threads().push(Arc::clone(&buffer));
        buffer
    }

    /// Writes an event of a thread whose own storage is gone already, as in what runs when a process exits.
    fn write_late(&self, event: &NvtxEvent<'_>, state: &ProcessState) {
        let thread = entry::thread_number();
        let known = self
            .threads()
            .iter()
            .rev()
            .find(|it| it.thread == thread)
            .cloned();
        let buffer = known.unwrap_or_else(|| self.add());
        write(state, &buffer, event, false);
    }

    /// What becomes of a range that any thread may end, where windows are recorded alone: says whether it is written.
    fn admits(&self, event: &NvtxEvent<'_>, buffer: &ThreadBuffer, state: &ProcessState) -> bool {
        let (Some(page), true) = (
            state.filter(),
            matches!(event.step, NvtxStep::Start | NvtxStep::End),
        ) else {
            return true;
        };
        let mut starts = self.starts.lock().unwrap_or_else(PoisonError::into_inner);
        let outcome = starts.note(event, page, (buffer.thread, buffer.ordinal));
        drop(starts);
        match outcome {
            StartOutcome::Written => true,
            StartOutcome::After(chunk) => {
                state.hand_events(chunk);
                true
            }
            StartOutcome::Deferred => false,
            StartOutcome::Outside => {
                COUNTS.outside(1);
                false
            }
        }
    }

    /// Hands over what every thread wrote since the last time, with what reaches into a window that has opened. A thread waits
    /// meanwhile: what it writes next must not be handed over first.
    pub fn take(&self, filter: Option<&ControlPage>, hand: &mut dyn FnMut(NvtxChunk)) {
        let flips = filter.map(|page| page.flips_at(now()));
        if let Some(flips) = flips {
            let mut starts = self.starts.lock().unwrap_or_else(PoisonError::into_inner);
            starts.release(flips).into_iter().for_each(&mut *hand);
        }
        let threads = self.threads().clone();
        for buffer in threads {
            let mut events = buffer.events();
            if let Some(flips) = flips {
                events.release(flips);
            }
            if !events.bytes.is_empty() {
                let taken = std::mem::replace(&mut events.bytes, empty_buffer());
                hand(buffer.chunk(taken));
            }
        }
        // One that has ended since wrote its end behind what was taken.
        let is_left = |it: &Arc<ThreadBuffer>| {
            !it.has_ended.load(Ordering::Acquire) || !it.events().bytes.is_empty()
        };
        self.threads().retain(is_left);
    }
}

/// What a thread has of its own.
struct ThreadSlot {
    is_inside: Cell<bool>,
    generation: Cell<u32>,
    state: Cell<Option<&'static ProcessState>>,
    buffer: RefCell<Option<Arc<ThreadBuffer>>>,
    /// How many ranges are open, by domain.
    levels: RefCell<Vec<(u32, i32)>>,
}

thread_local! {
    static SLOT: ThreadSlot = const { ThreadSlot {
        is_inside: Cell::new(false),
        generation: Cell::new(0),
        state: Cell::new(None),
        buffer: RefCell::new(None),
        levels: RefCell::new(Vec::new()),
    } };
}

impl ThreadSlot {
    /// Whether there is a buffer, which there is from the first call on where this process can write.
    fn is_ready(&self) -> bool {
        let generation = GENERATION.load(Ordering::Relaxed);
        if self.generation.get() != generation {
            self.generation.set(generation);
            let state = entry::begin();
            self.state.set(state);
            let buffer = state.map(|state| {
                state.switches().follow_this_thread();
                state.nvtx().add()
            });
            self.buffer.replace(buffer);
        }
        self.state.get().is_some()
    }

    fn write(&self, event: &NvtxEvent<'_>, is_stray: bool) {
        if let (Some(state), Some(buffer)) = (self.state.get(), &*self.buffer.borrow()) {
            write(state, buffer, event, is_stray);
        }
    }

    /// Opens or closes a range in a domain, and answers with its level, counted from 0; a negative one where none is open.
    fn level(&self, domain: u32, step: NvtxStep) -> i32 {
        let mut levels = self.levels.borrow_mut();
        let found = levels.iter_mut().find(|(of, _)| *of == domain);
        match (step, found) {
            (NvtxStep::Push, Some((_, level))) => {
                *level += 1;
                *level - 1
            }
            (NvtxStep::Push, None) => {
                levels.push((domain, 1));
                0
            }
            (NvtxStep::Pop, Some((_, level))) if *level > 0 => {
                *level -= 1;
                *level
            }
            _ => -1,
        }
    }
}

impl Drop for ThreadSlot {
    fn drop(&mut self) {
        let is_own = self.generation.get() == GENERATION.load(Ordering::Relaxed);
        if let Some(buffer) = self.buffer.take().filter(|_| is_own) {
            // The first thread ends with its process, whose last functions may still end ranges.
            if buffer.thread == std::process::id() {
                return;
            }
            let end = NvtxEvent {
                step: NvtxStep::ThreadEnd,
                time: now(),
                ..NvtxEvent::default()
            };
            let mut events = buffer.events();
            match self.state.get().and_then(ProcessState::filter) {
                Some(page) => COUNTS.outside(events.note(&end, page, false)),
                None => end.encode(&mut events.bytes),
            }
            drop(events);
            buffer.has_ended.store(true, Ordering::Release);
        }
    }
}

/// Writes an event into the buffer of its thread, unless it lies outside of every window.
fn write(state: &ProcessState, buffer: &ThreadBuffer, event: &NvtxEvent<'_>, is_stray: bool) {
    if !state.nvtx().admits(event, buffer, state) {
        return;
    }
    let mut events = buffer.events();
    match state.filter() {
        Some(page) => {
            let outside = events.note(event, page, is_stray);
            if outside > 0 {
                COUNTS.outside(outside);
            }
        }
        None => event.encode(&mut events.bytes),
    }
    if events.bytes.len() >= FULL {
        let full = std::mem::replace(&mut events.bytes, empty_buffer());
        // In this thread's turn, so that nobody hands over what comes behind it first.
        state.hand_events(buffer.chunk(full));
    }
}

fn empty_buffer() -> Vec<u8> {
    Vec::with_capacity(FULL + FULL / 4)
}

/// Writes an event down, and answers with the level of the range that it opens or closes.
pub fn note(event: &NvtxEvent<'_>) -> i32 {
    let noted = SLOT.try_with(|slot| {
        // A signal came while this thread was here: its handler must not wait for what the thread holds.
        if slot.is_inside.replace(true) {
            COUNTS.missed();
            return -1;
        }
        let level = if slot.is_ready() {
            let level = slot.level(event.domain, event.step);
            slot.write(event, event.step == NvtxStep::Pop && level < 0);
            level
        } else {
            -1
        };
        slot.is_inside.set(false);
        level
    });
    noted.unwrap_or_else(|_| {
        if let Some(state) = entry::begin() {
            state.nvtx().write_late(event, state);
        }
        -1
    })
}

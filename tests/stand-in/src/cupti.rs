//! CUPTI's face of the stand-in: what the driver's face does is told as activity records, in the real binary layouts.

mod activity;
mod exports;
mod kinds;
mod mode;
mod strides;
mod write;

pub use activity::{
    Ended, api, compiled, context, ended, memory, notify_destruction, notify_node, stream, synced,
};

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{CString, c_void};
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use write::Written;

/// Asked for an empty buffer.
pub type Request = extern "C" fn(*mut *mut u8, *mut usize, *mut usize);
/// Given a buffer back.
pub type Complete = extern "C" fn(*mut c_void, u32, *mut u8, usize, usize);
/// Told of facts.
pub type Notice = extern "C" fn(*mut c_void, u32, u32, *const c_void);

/// What CUPTI was asked for, and what it has to tell.
#[derive(Default)]
pub struct Cupti {
    /// Who listens, with an address of its own.
    pub listener: Option<(Notice, usize)>,
    /// Facts that are told of, with their domains.
    pub notices: BTreeSet<(u32, u32)>,
    /// Kinds that are told of.
    pub kinds: BTreeSet<u32>,
    /// Calls of the driver that are not told of.
    pub silent: BTreeSet<u32>,
    /// Whether records of events have a time.
    pub event_times: bool,
    /// When the device's time began, by the listener's clock.
    zero: i128,
    /// The listener's clock.
    pub clock: Option<extern "C" fn() -> u64>,
    /// The listener's buffers.
    pub buffers: Option<(Request, Complete)>,
    /// Records that are not delivered.
    pub waiting: Vec<Written>,
    /// Records that were dropped and not asked about.
    pub dropped: usize,
    /// Records so far, and batches.
    pub count: usize,
    batches: usize,
    names: BTreeMap<String, &'static CString>,
}

static CUPTI: LazyLock<Mutex<Cupti>> = LazyLock::new(Mutex::default);

thread_local! {
    /// What belongs to the calls of this thread from now on: a kind, and the listener's number.
    static OWN: RefCell<Vec<(u32, u64)>> = const { RefCell::new(Vec::new()) };
    /// The number of the call that this thread is in.
    static CALL: Cell<u32> = const { Cell::new(0) };
}

/// All of it.
pub fn lock() -> MutexGuard<'static, Cupti> {
    CUPTI.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The number of the call that this thread is in.
pub fn call() -> u32 {
    CALL.get()
}

/// What CUPTI calls things by that the driver names by a handle.
pub const fn id(handle: usize) -> u32 {
    (handle.saturating_sub(0x1000) / 16) as u32
}

/// What CUPTI calls a node of a graph.
pub const fn node_id(handle: usize) -> u64 {
    1 << 32 | id(handle) as u64
}

impl Cupti {
    /// The time by the listener's clock when the device's own is `time`.
    pub fn time(&self, time: u64) -> u64 {
        (self.zero + i128::from(time)) as u64
    }

    /// Sets when the device's time began by the listener's clock: once, so that lengths stay as they are.
    pub fn set_zero(&mut self) {
        let read = || {
            let (before, listeners, after) = (crate::state::now(), self.now(), crate::state::now());
            let now = before.midpoint(after);
            (after - before, i128::from(listeners) - i128::from(now))
        };
        let tightest = (0..16).map(|_| read()).min();
        self.zero = tightest.map_or(0, |(_, zero)| zero);
    }

    fn now(&self) -> u64 {
        self.clock.map_or_else(
            || {
                let passed = SystemTime::now().duration_since(UNIX_EPOCH);
                passed.unwrap_or_default().as_nanos() as u64
            },
            |clock| clock(),
        )
    }

    /// Whether a kind is told of.
    pub fn tells(&self, kind: u32) -> bool {
        self.kinds.contains(&kind)
    }

    /// Has a record delivered, unless it is one that is to be dropped.
    pub fn push(&mut self, written: Written) {
        if !self.tells(written.kind()) {
            return;
        }
        self.count += 1;
        match mode::dropped_each() {
            Some(each) if self.count.is_multiple_of(each) => self.dropped += 1,
            _ => self.waiting.push(written),
        }
    }

    /// What is to be delivered: in no order that could be relied on.
    pub fn take(&mut self) -> Vec<Written> {
        let mut taken = std::mem::take(&mut self.waiting);
        self.batches += 1;
        if self.batches.is_multiple_of(2) {
            taken.reverse();
        }
        taken
    }

    /// The address of a text that stays.
    pub fn text(&mut self, text: &str) -> u64 {
        let kept = self.names.entry(text.to_owned()).or_insert_with(|| {
            let made = CString::new(text).unwrap_or_default();
            Box::leak(Box::new(made))
        });
        kept.as_ptr().expose_provenance() as u64
    }
}

//! What streams are given, and when it ran.

use std::ffi::c_void;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::SeqCst};

use crate::kernels::{self, Arguments};
use crate::memory::Words;

/// A function of the caller's, and what it is called with.
#[derive(Clone, Copy)]
pub struct Function {
    /// The function.
    pub function: unsafe extern "C" fn(*mut c_void),
    /// The address it is called with.
    pub data: u64,
}

/// What an operation does.
#[derive(Clone)]
pub enum Action {
    /// Nothing: it marks a place.
    Mark,
    /// Copies so many words.
    Copy(Words, Words, usize),
    /// Sets so many words.
    Set(Words, u32, usize),
    /// Runs a kernel.
    Kernel(Arc<str>, Arguments),
    /// Calls a function of the host.
    Call(Function),
    /// Gives memory back to its pool.
    Free(u64),
    /// Records an event, in a graph.
    Record(usize),
}

/// The three units that copy, and what needs none of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// From the host to the device.
    Up,
    /// From the device to the host.
    Down,
    /// Within the device.
    Across,
    /// None.
    Free,
}

/// An operation, with how long it takes: nothing for one that never ends.
#[derive(Clone)]
pub struct Plan {
    /// What it does.
    pub action: Action,
    /// Nanoseconds.
    pub cost: Option<u64>,
    /// What it occupies meanwhile.
    pub unit: Unit,
    /// What CUPTI tells of it besides.
    pub note: Note,
}

/// What CUPTI tells of an operation besides what it does.
#[derive(Clone, Default)]
pub struct Note {
    /// The stream it was given to.
    pub stream: usize,
    /// The number of the call that asked for it.
    pub call: u32,
    /// The graph that launched it, and its node there; zeros where none did.
    pub graph: (u32, u64),
    /// The end of a graph has the place behind which the graph begins.
    pub begun: Option<Arc<End>>,
    /// The event that it records, and which record that is.
    pub event: Option<(usize, u64)>,
    /// Blocks and threads to each side, for a kernel.
    pub shape: [u32; 6],
    /// Whether a copy's memory of the host is not pinned.
    pub is_pageable: bool,
}

impl Plan {
    /// A place in a stream.
    pub fn mark() -> Self {
        Self {
            action: Action::Mark,
            cost: Some(0),
            unit: Unit::Free,
            note: Note::default(),
        }
    }

    /// A copy: 25 bytes a nanosecond, and a microsecond to begin.
    pub fn copy(from: Words, to: Words, bytes: usize, unit: Unit) -> Self {
        Self {
            action: Action::Copy(from, to, bytes / 4),
            cost: Some(1_000 + bytes as u64 / 25),
            unit,
            note: Note::default(),
        }
    }

    /// A kernel.
    pub fn kernel(name: &Arc<str>, arguments: Arguments) -> Self {
        Self {
            cost: kernels::cost(name, &arguments),
            action: Action::Kernel(Arc::clone(name), arguments),
            unit: Unit::Free,
            note: Note::default(),
        }
    }

    /// Anything else.
    pub fn plain(action: Action, cost: u64) -> Self {
        Self {
            action,
            cost: Some(cost),
            unit: Unit::Free,
            note: Note::default(),
        }
    }

    /// The word by which the host makes it end early, where it looks for one.
    pub fn stop_word(&self) -> Option<&Words> {
        match &self.action {
            Action::Kernel(name, arguments) if &**name == "spin" => arguments.buffers.first(),
            _ => None,
        }
    }
}

/// Whether and when something ended.
#[derive(Debug, Default)]
pub struct End {
    is_done: AtomicBool,
    time: AtomicU64,
}

impl End {
    /// It ended at `time`.
    pub fn set(&self, time: u64) {
        self.time.store(time, SeqCst);
        self.is_done.store(true, SeqCst);
    }

    /// When it ended.
    pub fn get(&self) -> Option<u64> {
        self.is_done.load(SeqCst).then(|| self.time.load(SeqCst))
    }
}

/// An operation that was given to a stream.
pub struct Operation {
    /// What it does.
    pub plan: Plan,
    /// The context.
    pub context: usize,
    /// When it could begin at the earliest: it was submitted then, and what it came after had ended.
    pub ready: u64,
    /// When it began.
    pub start: Option<u64>,
    /// How many that it comes after have not ended.
    pub missing: usize,
    /// Those that come after it.
    pub after: Vec<u64>,
    /// Its end.
    pub end: Arc<End>,
}

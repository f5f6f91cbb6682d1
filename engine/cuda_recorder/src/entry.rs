//! How the library comes into a program that is recorded: the driver of CUDA calls `InitializeInjection` of the library that
//! `CUDA_INJECTION64_PATH` names, and NVTX's header what `nvtx/tables.rs` has.
//!
//! Whoever comes first has the process begin a file of its own (`entry/process.rs`). The driver calls in every process that
//! initialises it; nothing tells whether it found the library, so the first fact is written at once. A forked child that
//! calls on has a file of its own, too.
#![expect(
    unsafe_code,
    reason = "the driver looks for the function by its name, and streams of its own are handed on"
)]

mod names;
mod own_threads;
mod process;
mod scribe;

use std::ffi::{c_int, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::id;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use crate::clock::now;
use crate::file::{Fact, ListeningFact};
use crate::{ActivityKind, CuptiBatch, CuptiLibrary, CuptiListener};
use process::PATIENCE;
pub(crate) use process::{ProcessState, begin, thread_number};

/// The process in which the driver called first, or 0: a forked child inherits it.
static STARTED: AtomicU32 = AtomicU32::new(0);
/// What is counted while CUPTI is asked and hands over.
pub(crate) static COSTS: ListeningCosts = ListeningCosts {
    taking: AtomicU64::new(0),
    flushing: AtomicU64::new(0),
    flushes: AtomicU64::new(0),
};

/// Nanoseconds that CUPTI and the program were held up.
pub(crate) struct ListeningCosts {
    pub taking: AtomicU64,
    pub flushing: AtomicU64,
    pub flushes: AtomicU64,
}

/// Called by the driver in every process that initialises it, by the contract of `CUDA_INJECTION64_PATH`: 1 says that it
/// need not call again.
// SAFETY: the name is the driver's, and nothing else in the library has it.
#[unsafe(no_mangle)]
pub extern "C" fn InitializeInjection() -> c_int {
    // A panic must not cross into the driver: the program goes on unrecorded.
    let _ = catch_unwind(AssertUnwindSafe(listen));
    1
}

/// Listens to CUPTI from here on, or says why that cannot be.
fn listen() {
    let own = id();
    let before = STARTED.swap(own, Ordering::SeqCst);
    if before == own {
        return;
    }
    let Some(state) = begin() else {
        return;
    };
    state.switches().follow_this_thread();
    let heard = if before == 0 {
        CuptiLibrary::find().and_then(|cupti| hear(state, Box::leak(Box::new(cupti))))
    } else {
        Err(format!(
            "it was forked from process {before} after that had begun to use CUDA, which CUDA does not support; start \
             such processes with spawn or exec"
        ))
    };
    if let Err(why) = heard {
        state.scribe().say(Fact::Silent(why), PATIENCE);
    }
}

/// Every kind but graphs as a whole: with those, their nodes would not be told.
fn wanted() -> Vec<ActivityKind> {
    let all = ActivityKind::ALL.iter().copied();
    all.filter(|kind| *kind != ActivityKind::Graph).collect()
}

fn hear(state: &'static ProcessState, cupti: &'static CuptiLibrary) -> Result<(), String> {
    let to = state.scribe().clone();
    let take = move |batch: CuptiBatch| {
        let began = now();
        to.hand(batch);
        COSTS
            .taking
            .fetch_add(now().saturating_sub(began), Ordering::Relaxed);
    };
    let listening = CuptiListener::start(cupti, &wanted(), Box::new(take))?;
    let kinds = listening.kinds().iter();
    let ear = ListeningFact {
        version: cupti.version(),
        path: cupti.path().display().to_string(),
        kinds: kinds
            .map(|(kind, code)| (kind.words().to_owned(), *code))
            .collect(),
    };
    state.scribe().say(Fact::Listening(Box::new(ear)), PATIENCE);
    state.flush_from_now_on(listening);
    Ok(())
}

/// The number that CUPTI gives a stream of the current context; nothing where CUPTI is not listened to or does not know it.
pub(crate) fn stream_number(stream: *mut c_void) -> Option<u32> {
    let function = begin()?.listening()?.cupti().functions.stream_number?;
    let mut number = 0;
    // SAFETY: null stands for the current context, and one number is written where the answer is 0.
    let answer = unsafe { function(std::ptr::null_mut(), stream, &raw mut number) };
    (answer == 0).then_some(number)
}

//! A subscription to CUPTI that runs until the process ends: CUPTI knows its clients by functions alone, so there is one
//! at most in a process.
#![expect(unsafe_code, reason = "CUPTI's functions are C functions")]

use std::ffi::c_void;
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU64, Ordering::SeqCst};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use super::functions::SubscriberHandle;
use super::kind::ActivityKind;
use super::library::CuptiLibrary;
use super::nodes::{self, CLONED, MADE, NodeOrigin};
use super::read::{CuptiBatch, CuptiBufferReader};
use super::texts::AddressTexts;
use super::{buffers, clock, quiet};

/// Takes what was in a buffer. It is called on a thread of CUPTI's, or on the one that flushes, must not flush, and should
/// not be long.
pub type BatchHandler = Box<dyn Fn(CuptiBatch) + Send + Sync>;

/// The attributes that are set (`CUpti_ActivityAttribute`): buffers are zeros already, so that CUPTI does not zero them on
/// the program's own threads; and each thread has a buffer of its own, so that none waits for another's.
const ATTRIBUTES: &[u32] = &[ZEROED, PER_THREAD];
const ZEROED: u32 = 5;
const PER_THREAD: u32 = 9;
/// Threads are told by the system's number for them (`CUPTI_ACTIVITY_THREAD_ID_TYPE_SYSTEM`).
const SYSTEM_THREADS: u32 = 1;
/// Whose numbers of calls ours are (`CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM2`); other tools use the first two.
const OWN: u32 = 5;
/// Facts that are told of, with their domains: that a context is about to be destroyed, that CUPTI gave up.
const NOTICES: &[(u32, u32)] = &[CONTEXT_ENDS, GIVEN_UP];
const CONTEXT_ENDS: (u32, u32) = (3, 2);
const GIVEN_UP: (u32, u32) = (6, 1);
/// How long a flush that has to be waits for one that runs.
const PATIENCE: Duration = Duration::from_secs(2);

static LISTENING: OnceLock<CuptiListener> = OnceLock::new();

/// A subscription that runs.
pub struct CuptiListener {
    cupti: &'static CuptiLibrary,
    own: AtomicPtr<c_void>,
    take: BatchHandler,
    kinds: OnceLock<Vec<(ActivityKind, i32)>>,
    dropped: AtomicU64,
    is_flushing: AtomicBool,
    has_given_up: AtomicBool,
    texts: AddressTexts,
    /// Whose it is: a forked child has CUPTI's buffers too.
    process: u32,
}

impl CuptiListener {
    /// Begins: from now on `take` is given what happens of `kinds`, its times by [`clock::now`].
    ///
    /// # Errors
    /// It runs already; somebody else uses CUPTI; CUPTI does not come to the driver; or it tells of none of the kinds:
    /// why, and what to do.
    pub fn start(
        cupti: &'static CuptiLibrary,
        kinds: &[ActivityKind],
        take: BatchHandler,
    ) -> Result<&'static Self, String> {
        static STARTING: Mutex<()> = Mutex::new(());
        let _alone = STARTING.lock().unwrap_or_else(PoisonError::into_inner);
        if LISTENING.get().is_some() {
            return Err("this process listens to CUPTI already, which it can but once".to_owned());
        }
        let own = subscribe(cupti)?;
        let listening = LISTENING.get_or_init(|| Self {
            cupti,
            own: AtomicPtr::new(own),
            take,
            kinds: OnceLock::new(),
            dropped: AtomicU64::new(0),
            is_flushing: AtomicBool::new(false),
            has_given_up: AtomicBool::new(false),
            texts: AddressTexts::new(),
            process: std::process::id(),
        });
        listening
            .prepare(own)
            .and_then(|()| listening.enable(kinds))
            .inspect_err(|_| {
                // SAFETY: it is given back once.
                unsafe { (cupti.functions.unsubscribe)(own) };
            })?;
        Ok(listening)
    }

    /// The one of this process.
    pub fn running() -> Option<&'static Self> {
        LISTENING.get()
    }

    /// All that has to be said before the first kind is enabled.
    fn prepare(&self, own: SubscriberHandle) -> Result<(), String> {
        let functions = &self.cupti.functions;
        // SAFETY: the function stays, and may be called by any thread.
        let clock = unsafe { (functions.clock)(clock::read_for_cupti) };
        self.cupti.check(clock)?;
        for attribute in ATTRIBUTES {
            let (mut bytes, mut yes) = (1, 1_u8);
            // SAFETY: it reads as many bytes as it is told. What a version does not know it refuses, and does without.
            unsafe {
                (functions.set_attribute)(*attribute, &raw mut bytes, (&raw mut yes).cast());
            }
        }
        // SAFETY: each takes numbers alone, and refuses what it does not know.
        unsafe {
            functions.thread_ids.map(|set| set(SYSTEM_THREADS));
            functions.all_syncs.map(|set| set(0));
            functions.event_times.map(|set| set(1));
            for (domain, fact) in NOTICES {
                (functions.enable_notice)(1, own, *domain, *fact);
            }
        }
        // SAFETY: both functions stay, and take what CUPTI's documentation says they are given.
        let registered = unsafe { (functions.buffers)(buffers::request, buffers::complete) };
        self.cupti.check(registered)
    }

    fn enable(&self, kinds: &[ActivityKind]) -> Result<(), String> {
        let functions = &self.cupti.functions;
        let enable = |kind: &ActivityKind| {
            // SAFETY: it takes a number, and refuses those that it does not know.
            let answer = unsafe { (functions.enable)(kind.number()) };
            if answer == 0 {
                quiet::silence(functions, *kind);
            }
            (*kind, answer)
        };
        let answers: Vec<_> = kinds.iter().map(enable).collect();
        let first = answers.first().map_or(0, |(_, answer)| *answer);
        let is_any = answers.iter().any(|(_, answer)| *answer == 0);
        let _ = self.kinds.set(answers);
        if is_any {
            Ok(())
        } else {
            self.cupti.check(first)
        }
    }

    /// What enabling each kind answered: 0 where it is told of, 21 where this version does not know it.
    pub fn kinds(&self) -> &[(ActivityKind, i32)] {
        self.kinds.get().map(Vec::as_slice).unwrap_or_default()
    }

    /// Whether a kind is told of.
    pub fn tells_of(&self, kind: ActivityKind) -> bool {
        self.kinds().contains(&(kind, 0))
    }

    /// The library.
    pub const fn cupti(&self) -> &'static CuptiLibrary {
        self.cupti
    }

    /// Has CUPTI give back what is complete: buffers in which every activity has ended. `is_forced` has it give back the
    /// others too, with what is not known yet lost for good: for the end. Where another thread flushes already, this one
    /// does not; a forced flush waits for it for a while. Must not be called by who takes the records.
    pub fn flush(&self, is_forced: bool) {
        let deadline = Instant::now() + PATIENCE;
        while self.is_flushing.swap(true, SeqCst) {
            if !is_forced || Instant::now() > deadline {
                return;
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        // SAFETY: buffers are registered; no lock of ours is held that the functions take which it calls.
        unsafe { (self.cupti.functions.flush)(u32::from(is_forced)) };
        self.is_flushing.store(false, SeqCst);
    }

    /// Records that CUPTI had no room for so far.
    pub fn dropped(&self) -> u64 {
        self.dropped.load(SeqCst)
    }

    /// Whether CUPTI said that it gave up, after an error of its own: nothing more comes.
    pub fn has_given_up(&self) -> bool {
        self.has_given_up.load(SeqCst)
    }

    /// Calls `call` such that [`super::CuptiRecord::Correlation`] ties every call of the driver in it to `own`, on this thread.
    pub fn correlated<T>(&self, own: u64, call: impl FnOnce() -> T) -> T {
        // SAFETY: it takes two numbers.
        let pushed = unsafe { (self.cupti.functions.push)(OWN, own) };
        let made = call();
        if pushed == 0 {
            // SAFETY: nobody wants to know which it was.
            unsafe { (self.cupti.functions.pop)(OWN, ptr::null_mut()) };
        }
        made
    }

    /// Has CUPTI tell which nodes of graphs are made, for [`CuptiListener::watching_nodes`]. Answers whether it does.
    pub fn tell_of_nodes(&self) -> bool {
        let functions = &self.cupti.functions;
        let enable = |(domain, fact): (u32, u32)| {
            // SAFETY: the subscription lasts; it takes numbers alone, and refuses what it does not know.
            unsafe { (functions.enable_notice)(1, self.own.load(SeqCst), domain, fact) == 0 }
        };
        functions.node_number.is_some() && enable(MADE) && enable(CLONED)
    }

    /// Calls `call`, and answers which nodes of graphs the driver made for it on this thread; none where they are not told
    /// of.
    pub fn watching_nodes<T>(&self, call: impl FnOnce() -> T) -> (T, Vec<NodeOrigin>) {
        nodes::watching(call)
    }

    /// Reads what CUPTI has written, and gives it on.
    pub(super) fn forward(&self, written: &[u8]) {
        if std::process::id() != self.process {
            return;
        }
        let reader = CuptiBufferReader {
            strides: &self.cupti.strides,
            text: &|address| self.texts.at(address),
            function: &|is_runtime, number| self.cupti.function(is_runtime, number),
        };
        let mut dropped = 0;
        // SAFETY: all contexts are meant, and one number is written.
        unsafe { (self.cupti.functions.dropped)(ptr::null_mut(), 0, &raw mut dropped) };
        self.dropped.fetch_add(dropped as u64, SeqCst);
        let read = reader.read_believed(written, || self.texts.is_doubtful());
        (self.take)(CuptiBatch {
            dropped: dropped as u64,
            ..read
        });
    }
}

fn subscribe(cupti: &CuptiLibrary) -> Result<SubscriberHandle, String> {
    let mut own = ptr::null_mut();
    // SAFETY: it writes one handle; the function stays, and uses nothing of its own.
    let answer = unsafe { (cupti.functions.subscribe)(&raw mut own, notice, ptr::null_mut()) };
    cupti.check(answer).map(|()| own)
}

/// Told of [`NOTICES`], and of nodes of graphs where that is wanted, on a thread of the program.
extern "C" fn notice(_own: *mut c_void, domain: u32, fact: u32, more: *const c_void) {
    let Some(listening) = CuptiListener::running() else {
        return;
    };
    match (domain, fact) {
        // What ran in it is told now or never.
        CONTEXT_ENDS => listening.flush(false),
        GIVEN_UP => listening.has_given_up.store(true, SeqCst),
        MADE => nodes::note(&listening.cupti.functions, false, more),
        CLONED => nodes::note(&listening.cupti.functions, true, more),
        _ => {}
    }
}

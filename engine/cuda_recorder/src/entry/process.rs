//! What goes on in a process that is recorded: its file, the thread that writes it, and the thread that asks CUPTI and
//! threads for what they have.
#![expect(
    unsafe_code,
    reason = "ends of processes and forks are told by C, and a state that is replaced in forked children is behind a pointer"
)]

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::process::id;
use std::ptr;
use std::sync::atomic::{AtomicPtr, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, Once, OnceLock, TryLockError};
use std::thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use super::COSTS;
use super::own_threads;
use super::scribe::{FactQueue, ListeningStatus};
use crate::CuptiListener;
use crate::clock::now;
use crate::control::{ControlPage, SegmentLimits};
use crate::file::{FOLDER, Fact, ORIGIN, ProcessFact, SegmentWriter};
use crate::nvtx::{NvtxChunk, ThreadRegistry, forget_threads};
use crate::switches::SwitchRegistry;

/// How often CUPTI and threads are asked for what they have: so much is lost at most where a process is killed.
const PERIOD: Duration = Duration::from_millis(250);
/// So often in that time it is looked whether threads switch so much that there is soon no room to tell of it.
const TURNS: u32 = 5;
/// How long the end of a process is held up at most.
pub(super) const PATIENCE: Duration = Duration::from_secs(5);

/// The state of this process; null before it began, where it could not, and in a child that was forked just now.
static OWN: AtomicPtr<ProcessState> = AtomicPtr::new(ptr::null_mut());
/// The process that began, and that which has got as far as it will.
static BEGUN: AtomicU32 = AtomicU32::new(0);
static READY: AtomicU32 = AtomicU32::new(0);

/// What goes on in the process in which this began.
pub(crate) struct ProcessState {
    process: u32,
    folder: PathBuf,
    page: Option<Arc<ControlPage>>,
    /// Whether what touches no window is not written.
    is_filtered: bool,
    scribe: FactQueue,
    nvtx: ThreadRegistry,
    switches: Arc<SwitchRegistry>,
    listening: OnceLock<&'static CuptiListener>,
    /// Held by whoever hands over.
    turn: Mutex<()>,
}

/// The state of this process, begun where it was not yet; nothing where nobody records or no file can be had.
pub(crate) fn begin() -> Option<&'static ProcessState> {
    let own = id();
    if READY.load(Ordering::Acquire) != own {
        if BEGUN.swap(own, Ordering::SeqCst) == own {
            // Another thread is at it.
            while READY.load(Ordering::Acquire) != own {
                thread::yield_now();
            }
        } else {
            let state = catch_unwind(AssertUnwindSafe(|| create(own))).unwrap_or(None);
            let state = state.map_or(ptr::null_mut(), |it| Box::into_raw(Box::new(it)));
            OWN.store(state, Ordering::Release);
            READY.store(own, Ordering::Release);
        }
    }
    current()
}

/// The state of this process where it began.
fn current() -> Option<&'static ProcessState> {
    // SAFETY: what is there is whole, and stays as long as the process.
    unsafe { OWN.load(Ordering::Acquire).as_ref() }
}

fn create(own: u32) -> Option<ProcessState> {
    let folder = PathBuf::from(std::env::var_os(FOLDER)?);
    // Without it all is wanted, and whoever reads it decides.
    let page = ControlPage::open(&folder).ok().map(Arc::new);
    let limits = page
        .as_ref()
        .map_or_else(SegmentLimits::default, |it| it.limits());
    let mut writer = SegmentWriter::create(&folder, own, limits, now())?;
    let described = described(own);
    let first = Fact::Process(Box::new(described.clone()));
    if let Err(error) = writer.append(&first) {
        writer.give_up(&error, 1);
        return None;
    }
    let is_filtered = page.as_ref().is_some_and(|it| it.is_filtered());
    let filter = page.clone().filter(|_| is_filtered);
    let switches = Arc::new(SwitchRegistry::default());
    let scribe = match FactQueue::start(writer, described, filter, Arc::clone(&switches)) {
        Ok(scribe) => scribe,
        Err((mut writer, why)) => {
            if let Err(error) = writer.append(&Fact::Silent(why)) {
                writer.give_up(&error, 1);
            }
            return None;
        }
    };
    attend(&scribe);
    Some(ProcessState {
        process: own,
        folder: std::path::absolute(folder).ok()?,
        page,
        is_filtered,
        scribe,
        nvtx: ThreadRegistry::default(),
        switches,
        listening: OnceLock::new(),
        turn: Mutex::new(()),
    })
}

fn described(process: u32) -> ProcessFact {
    let at = now();
    let origin = std::env::var(ORIGIN).ok().and_then(|it| it.parse().ok());
    let unix = SystemTime::now().duration_since(UNIX_EPOCH);
    let arguments = std::env::args_os();
    ProcessFact {
        process,
        parent: std::os::unix::process::parent_id(),
        command: arguments
            .map(|it| it.to_string_lossy().into_owned())
            .collect(),
        at,
        unix: unix.map_or(0, |since| since.as_nanos() as u64),
        origin: origin.unwrap_or(at),
        visible: std::env::var("CUDA_VISIBLE_DEVICES").unwrap_or_default(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
    }
}

/// Has ends and forks told, and asks for what there is again and again.
fn attend(scribe: &FactQueue) {
    static HOOKS: Once = Once::new();
    HOOKS.call_once(|| {
        // SAFETY: the functions are there as long as the process: nobody unloads the library while they listen.
        unsafe {
            libc::atexit(at_exit);
            #[cfg(target_os = "linux")]
            at_quick_exit(at_exit);
            libc::pthread_atfork(None, None, Some(in_child));
        }
    });
    let named = thread::Builder::new().name("syncline flush".to_owned());
    let started = named.spawn(|| {
        leave_signals();
        own_threads::note_this();
        let own = id();
        loop {
            // A process whose first thread has left ends with its last thread, which must not be one of these.
            if own_threads::are_alone() {
                std::process::exit(0);
            }
            for _ in 0..TURNS {
                thread::sleep(PERIOD / TURNS);
                if let Some(state) = current().filter(|it| it.process == own) {
                    state.switches.make_room();
                }
            }
            let Some(state) = current().filter(|it| it.process == own) else {
                continue;
            };
            // Whoever recorded is gone, with the files or without: they would grow for as long as the program runs.
            if !state.folder.exists() || ControlPage::is_abandoned(&state.folder) {
                state.scribe.close();
                return;
            }
            state.ask(false);
        }
    });
    if let Err(error) = started {
        let text = format!("what was told is written at the end alone: no thread: {error}");
        scribe.say(Fact::Silent(text), PATIENCE);
    }
}

impl ProcessState {
    pub(super) const fn scribe(&self) -> &FactQueue {
        &self.scribe
    }

    /// The page that says which windows are recorded, where windows are recorded alone.
    pub(crate) fn filter(&self) -> Option<&ControlPage> {
        self.page.as_deref().filter(|_| self.is_filtered)
    }

    /// The buffers of its threads.
    pub(crate) const fn nvtx(&self) -> &ThreadRegistry {
        &self.nvtx
    }

    /// The threads that are followed.
    pub(crate) fn switches(&self) -> &SwitchRegistry {
        &self.switches
    }

    /// Has what a thread called of NVTX written.
    pub(crate) fn hand_events(&self, chunk: NvtxChunk) {
        self.scribe.hand_events(chunk);
    }

    pub(super) fn flush_from_now_on(&self, listening: &'static CuptiListener) {
        // There is one listener in a process.
        let _ = self.listening.set(listening);
    }

    /// Who listens to CUPTI in this process; nobody in a forked child, whatever its parent did.
    pub(super) fn listening(&self) -> Option<&'static CuptiListener> {
        self.listening.get().copied()
    }

    fn heard(&self, at: u64) -> ListeningStatus {
        let listening = self.listening();
        ListeningStatus {
            at,
            dropped: listening.map_or(0, CuptiListener::dropped),
            has_given_up: listening.is_some_and(CuptiListener::has_given_up),
        }
    }

    /// Waits until nobody else hands over: the end of a process must not overtake what another thread has in its hands. After
    /// [`PATIENCE`] the program goes on all the same.
    fn turn(&self) -> Option<MutexGuard<'_, ()>> {
        let until = Instant::now() + PATIENCE;
        loop {
            match self.turn.try_lock() {
                Ok(turn) => return Some(turn),
                Err(TryLockError::Poisoned(error)) => return Some(error.into_inner()),
                Err(TryLockError::WouldBlock) if Instant::now() > until => return None,
                Err(TryLockError::WouldBlock) => thread::sleep(Duration::from_micros(200)),
            }
        }
    }

    /// Has CUPTI and threads hand over what they have: all of it where the process ends.
    fn ask(&self, is_forced: bool) {
        let at = now();
        let _turn = self.turn();
        self.take_events();
        for fact in self.switches.take(self.filter(), is_forced.then(now)) {
            self.scribe.hand_switches(fact);
        }
        if let Some(listening) = self.listening() {
            let began = now();
            listening.flush(is_forced);
            let took = now().saturating_sub(began);
            COSTS.flushing.fetch_add(took, Ordering::Relaxed);
            COSTS.flushes.fetch_add(1, Ordering::Relaxed);
        }
        self.scribe.count(self.heard(at));
    }

    fn take_events(&self) -> bool {
        let mut has_any = false;
        self.nvtx.take(self.filter(), &mut |chunk| {
            has_any = true;
            self.scribe.hand_events(chunk);
        });
        has_any
    }
}

/// Signals are for the program's threads.
pub(super) fn leave_signals() {
    // SAFETY: the set is written before it is read, and only this thread's mask changes.
    unsafe {
        let mut all = std::mem::MaybeUninit::<libc::sigset_t>::zeroed();
        libc::sigfillset(all.as_mut_ptr());
        libc::pthread_sigmask(libc::SIG_BLOCK, all.as_ptr(), std::ptr::null_mut());
    }
}

/// The system's number of the calling thread.
pub(crate) fn thread_number() -> u32 {
    #[cfg(target_os = "linux")]
    // SAFETY: it only asks for a number.
    return unsafe { libc::gettid() }.cast_unsigned();
    #[cfg(not(target_os = "linux"))]
    return id();
}

/// The process was forked just now, and this is the child: nothing of what its parent has is touched any more, since locks
/// may be held by threads that are not here.
extern "C" fn in_child() {
    OWN.store(ptr::null_mut(), Ordering::SeqCst);
    READY.store(0, Ordering::SeqCst);
    BEGUN.store(0, Ordering::SeqCst);
    forget_threads();
}

#[cfg(target_os = "linux")]
// SAFETY: as ISO C declares it (7.22.4.3); it keeps the function for the end of the process.
unsafe extern "C" {
    fn at_quick_exit(function: extern "C" fn()) -> libc::c_int;
}

/// The process ends in order: everything that CUPTI and threads have goes into the file.
extern "C" fn at_exit() {
    let ended = || {
        if let Some(own) = current().filter(|own| own.process == id()) {
            let at = now();
            own.scribe.hurry();
            own.ask(true);
            own.scribe.end(own.heard(at), PATIENCE);
        }
    };
    let _ = catch_unwind(AssertUnwindSafe(ended));
}

/// The last that runs in a process: what other functions at its exit called is written behind its end.
#[cfg(target_os = "linux")]
extern "C" fn at_last() {
    let ended = || {
        if let Some(own) = current().filter(|own| own.process == id()) {
            let at = now();
            let _turn = own.turn();
            if own.take_events() {
                own.scribe.end(own.heard(at), PATIENCE);
            }
        }
    };
    let _ = catch_unwind(AssertUnwindSafe(ended));
}

#[cfg(target_os = "linux")]
#[used]
// SAFETY: functions in this section are called with nothing when the library's end has come.
#[unsafe(link_section = ".fini_array")]
static AT_LAST: extern "C" fn() = at_last;

//! What the driver of CUDA calls in a program that is recorded: `InitializeInjection` of the library that
//! `CUDA_INJECTION64_PATH` names.
//!
//! The driver loads the library while it initialises and calls the function in every process that does so; nothing tells
//! whether it found it, so the first fact is written at once. A forked child that initialises CUDA is called again and has
//! a file of its own.
#![expect(
    unsafe_code,
    reason = "the driver looks for the function by its name, and ends of processes are told by C"
)]

mod names;
mod scribe;

use std::ffi::c_int;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use crate::clock::now;
use crate::file::{ENDING, FOLDER, Fact, FactFile, FactWriter, ListeningFact, ORIGIN, ProcessFact};
use crate::{ActivityKind, CuptiBatch, CuptiLibrary, CuptiListener};
use scribe::{FactQueue, ListeningStatus};

/// How often CUPTI is asked for what it has: so much is lost at most where a process is killed.
const PERIOD: Duration = Duration::from_millis(250);
/// How long the end of a process is held up at most.
const PATIENCE: Duration = Duration::from_secs(5);

/// The process in which this began, or 0: a forked child inherits it.
static STARTED: AtomicU32 = AtomicU32::new(0);
static OWN: OnceLock<ProcessState> = OnceLock::new();
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

/// What goes on in the process in which this began.
struct ProcessState {
    process: u32,
    path: PathBuf,
    scribe: FactQueue,
    listening: &'static CuptiListener,
}

impl ProcessState {
    fn heard(&self) -> ListeningStatus {
        ListeningStatus {
            dropped: self.listening.dropped(),
            has_given_up: self.listening.has_given_up(),
        }
    }
}

/// Called by the driver in every process that initialises it, by the contract of `CUDA_INJECTION64_PATH`: 1 says that it
/// need not call again.
// SAFETY: the name is the driver's, and nothing else in the library has it.
#[unsafe(no_mangle)]
pub extern "C" fn InitializeInjection() -> c_int {
    // A panic must not cross into the driver: the program goes on unrecorded.
    let _ = catch_unwind(AssertUnwindSafe(begin));
    1
}

fn begin() {
    let own = process::id();
    let before = STARTED.swap(own, Ordering::SeqCst);
    if before == own {
        return;
    }
    let Some(folder) = std::env::var_os(FOLDER) else {
        return;
    };
    let Some((path, mut writer)) = create(Path::new(&folder), own) else {
        return;
    };
    let first = Fact::Process(Box::new(described(own)));
    if let Err(error) = writer.append(&first) {
        return writer.give_up(&error, 1);
    }
    let silent = if before == 0 {
        listen(path, writer)
    } else {
        let why = format!(
            "it was forked from process {before} after that had begun to use CUDA, which CUDA does not support; start \
             such processes with spawn or exec"
        );
        Err((writer, why))
    };
    if let Err((mut writer, why)) = silent {
        let said = writer.append(&Fact::Silent(why));
        if let Err(error) = said {
            writer.give_up(&error, 1);
        }
    }
}

/// A file of its own, also where a process before had the same number.
fn create(folder: &Path, process: u32) -> Option<(PathBuf, FactWriter<FactFile>)> {
    (0..1000).find_map(|turn| {
        let path = folder.join(format!("{process}-{turn}.{ENDING}"));
        let writer = FactWriter::create(&path).ok()?;
        Some((path, writer))
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

/// Every kind but graphs as a whole: with those, their nodes would not be told.
fn wanted() -> Vec<ActivityKind> {
    let all = ActivityKind::ALL.iter().copied();
    all.filter(|kind| *kind != ActivityKind::Graph).collect()
}

/// Listens to CUPTI from here on; gives the file back and the reason where that cannot be.
fn listen(
    path: PathBuf,
    writer: FactWriter<FactFile>,
) -> Result<(), (FactWriter<FactFile>, String)> {
    let cupti: &'static CuptiLibrary = match CuptiLibrary::find() {
        Ok(cupti) => Box::leak(Box::new(cupti)),
        Err(why) => return Err((writer, why)),
    };
    let process = process::id();
    let scribe = FactQueue::start(writer)?;
    let to = scribe.clone();
    let take = move |batch: CuptiBatch| {
        let began = now();
        to.hand(batch);
        COSTS
            .taking
            .fetch_add(now().saturating_sub(began), Ordering::Relaxed);
    };
    let listening = match CuptiListener::start(cupti, &wanted(), Box::new(take)) {
        Ok(listening) => listening,
        Err(why) => {
            scribe.say(Fact::Silent(why), PATIENCE);
            return Ok(());
        }
    };
    let kinds = listening.kinds().iter();
    let ear = ListeningFact {
        version: cupti.version(),
        path: cupti.path().display().to_string(),
        kinds: kinds
            .map(|(kind, code)| (kind.words().to_owned(), *code))
            .collect(),
    };
    scribe.say(Fact::Listening(Box::new(ear)), PATIENCE);
    let own = ProcessState {
        process,
        path,
        scribe,
        listening,
    };
    if OWN.set(own).is_ok() {
        attend();
    }
    Ok(())
}

/// Asks CUPTI again and again, and once more at the end.
fn attend() {
    // SAFETY: the function is there as long as the process: the driver never unloads the library.
    unsafe { libc::atexit(at_exit) };
    let named = thread::Builder::new().name("syncline flush".to_owned());
    let started = named.spawn(|| {
        leave_signals();
        while let Some(own) = OWN.get() {
            thread::sleep(PERIOD);
            if !own.path.exists() {
                // Whoever recorded is gone, and the file with it.
                own.scribe.close();
                return;
            }
            ask(own, false);
        }
    });
    if let (Err(error), Some(own)) = (started, OWN.get()) {
        let text = format!("what CUPTI told is written at the end alone: no thread: {error}");
        own.scribe.say(Fact::Silent(text), PATIENCE);
    }
}

/// Signals are for the program's threads.
fn leave_signals() {
    // SAFETY: the set is written before it is read, and only this thread's mask changes.
    unsafe {
        let mut all = std::mem::MaybeUninit::<libc::sigset_t>::zeroed();
        libc::sigfillset(all.as_mut_ptr());
        libc::pthread_sigmask(libc::SIG_BLOCK, all.as_ptr(), std::ptr::null_mut());
    }
}

/// Has CUPTI hand over what it has: all of it where that is forced.
fn ask(own: &ProcessState, is_forced: bool) {
    let began = now();
    own.listening.flush(is_forced);
    let took = now().saturating_sub(began);
    COSTS.flushing.fetch_add(took, Ordering::Relaxed);
    COSTS.flushes.fetch_add(1, Ordering::Relaxed);
    own.scribe.count(own.heard());
}

/// The process ends in order: everything that CUPTI has goes into the file. A forked child that ends is none of ours.
extern "C" fn at_exit() {
    let ended = || {
        if let Some(own) = OWN.get().filter(|own| own.process == process::id()) {
            ask(own, true);
            own.scribe.end(own.heard(), PATIENCE);
        }
    };
    let _ = catch_unwind(AssertUnwindSafe(ended));
}

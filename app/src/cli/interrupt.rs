//! Ctrl-C: the first asks for an orderly end, the second ends the process; and the signals that others end processes with.

use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU32, Ordering::Relaxed};
use std::sync::{Arc, LazyLock};
use std::time::Duration;

static PRESSED: AtomicU32 = AtomicU32::new(0);
/// Whether SIGTERM or SIGHUP came.
static TERMINATED: LazyLock<Arc<AtomicBool>> = LazyLock::new(Arc::default);
/// Which of the two, where it is waited for; SIGTERM otherwise.
static SIGNAL: AtomicU8 = AtomicU8::new(15);
/// Whether somebody looks at how often it was pressed, and ends what is under way in order.
static IS_HEARD: AtomicBool = AtomicBool::new(false);
/// How long the process goes on otherwise.
const UNHEARD: Duration = Duration::from_secs(1);
/// Whether another program has the terminal, and Ctrl-C is for that.
static IS_ELSEWHERE: AtomicBool = AtomicBool::new(false);

/// From now on Ctrl-C is heard. Where the system does not allow that, it ends the process as ever. Whoever has nothing to
/// lose ends after `grace` at the latest, whatever it waits for, such as a pipe that nobody reads.
///
/// Without a `grace` the process ends soon where nobody [listens](listen): while a workload is read, and while a report is made.
pub(super) fn watch(grace: Option<Duration>) {
    let heard = ctrlc::set_handler(move || {
        if PRESSED.fetch_add(1, Relaxed) > 0 && !IS_ELSEWHERE.load(Relaxed) {
            std::process::exit(i32::from(super::STOPPED));
        }
        if let Some(grace) = grace {
            end_after(grace);
        } else if !IS_HEARD.load(Relaxed) {
            end_after(UNHEARD);
        }
    });
    // A file that is being written opens up to its last packet all the same.
    drop(heard);
}

/// Says whether somebody looks from now on at how often Ctrl-C was pressed. Where it was pressed and nobody does any more, the
/// process ends soon.
pub(super) fn listen(is_heard: bool) {
    IS_HEARD.store(is_heard, Relaxed);
    if !is_heard && is_requested() {
        end_after(UNHEARD);
    }
}

/// Ends the process after `grace`, as one that was stopped, unless it has ended by then.
pub(super) fn end_after(grace: Duration) {
    let thread = std::thread::Builder::new().name("stop".to_owned());
    let started = thread.spawn(move || {
        std::thread::sleep(grace);
        std::process::exit(i32::from(super::STOPPED));
    });
    // Without the thread Ctrl-C has to be pressed once more.
    drop(started);
}

/// Says whether Ctrl-C is for another program, which the terminal tells as well.
pub(super) fn leave_to_another(is_elsewhere: bool) {
    IS_ELSEWHERE.store(is_elsewhere, Relaxed);
}

/// From now on a file that would grow beyond what this process may write (`ulimit -f`) is an error of the write, and no longer
/// the end of the process.
pub(super) fn outlive_long_files() {
    #[cfg(unix)]
    {
        let heard = signal_hook::flag::register(signal_hook::consts::SIGXFSZ, Arc::default());
        // Where the system does not allow that, the signal ends the process as ever.
        drop(heard);
    }
}

/// From now on SIGTERM and SIGHUP are heard, and end nothing by themselves: whoever has something to end first looks.
pub(super) fn watch_termination() {
    #[cfg(unix)]
    for signal in [signal_hook::consts::SIGTERM, signal_hook::consts::SIGHUP] {
        // Where the system does not allow that, the signal ends the process as ever.
        let heard = signal_hook::flag::register(signal, Arc::clone(&TERMINATED));
        drop(heard);
    }
}

/// From now on SIGUSR1 starts and stops what is kept of a recording, or keeps it.
pub(super) fn watch_window() {
    #[cfg(unix)]
    {
        let signal = signal_hook::consts::SIGUSR1;
        let heard = signal_hook::flag::register(signal, engine::runner::window_signal());
        // Where the system does not allow that, the signal ends the process as ever.
        drop(heard);
    }
}

/// From now on SIGTERM and SIGHUP ask for an orderly end as Ctrl-C does, after which no temporary file is left. Whatever it waits
/// for, the process ends after `grace`.
pub(super) fn stop_on_termination(grace: Duration) {
    #[cfg(unix)]
    {
        use signal_hook::consts::{SIGHUP, SIGTERM};
        let Ok(mut signals) = signal_hook::iterator::Signals::new([SIGTERM, SIGHUP]) else {
            return;
        };
        let thread = std::thread::Builder::new().name("signals".to_owned());
        let started = thread.spawn(move || {
            if let Some(signal) = signals.forever().next() {
                SIGNAL.store(signal as u8, Relaxed);
                TERMINATED.store(true, Relaxed);
                PRESSED.fetch_add(1, Relaxed);
                std::thread::sleep(grace);
                std::process::exit(i32::from(termination()));
            }
        });
        // Without the thread the signals are not heard, and SIGKILL is left.
        drop(started);
    }
    #[cfg(not(unix))]
    let _ = grace;
}

/// The exit code of a process that the signal ended which came.
pub(super) fn termination() -> u8 {
    128 + SIGNAL.load(Relaxed)
}

/// Whether somebody wants the process to end.
pub(super) fn is_terminated() -> bool {
    TERMINATED.load(Relaxed)
}

/// How often Ctrl-C was pressed.
pub(super) fn presses() -> u32 {
    PRESSED.load(Relaxed)
}

/// Whether the user asked to stop.
pub(super) fn is_requested() -> bool {
    PRESSED.load(Relaxed) > 0
}

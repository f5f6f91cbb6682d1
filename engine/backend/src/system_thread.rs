//! What the system tells of a thread: how long it ran, and how long it was ready to and had no processor core.

use std::fs::{read_link, read_to_string};
use std::path::{Path, PathBuf};

use record::time::Nanos;

/// A thread as the system knows it, which any other thread of this process may ask about.
#[derive(Clone, Debug)]
pub struct SystemThread(PathBuf);

/// What became of a thread's time so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ThreadTimes {
    /// It ran on a processor core.
    pub ran: Nanos,
    /// It was ready to run, and something else had every core that it may run on.
    pub waited: Nanos,
}

impl SystemThread {
    /// The calling thread; nothing where the system tells nothing of threads, as only Linux does.
    pub fn current() -> Option<Self> {
        let task = Path::new("/proc").join(read_link("/proc/thread-self").ok()?);
        let found = Self(task.join("schedstat"));
        found.times().is_some().then_some(found)
    }

    /// What became of its time; nothing once it has ended.
    pub fn times(&self) -> Option<ThreadTimes> {
        times(&read_to_string(&self.0).ok()?)
    }
}

/// By a line of `schedstat`: nanoseconds on a core, nanoseconds ready without one, and how often it was given one.
fn times(line: &str) -> Option<ThreadTimes> {
    let mut numbers = line.split_whitespace().map(str::parse);
    let mut next = || numbers.next()?.ok().map(Nanos);
    Some(ThreadTimes {
        ran: next()?,
        waited: next()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_the_system_is_read_as_it_is_written() {
        let read = times("140239 1403044 2\n").unwrap();
        assert_eq!((read.ran, read.waited), (Nanos(140_239), Nanos(1_403_044)));
        assert_eq!(times("140239"), None);
        assert_eq!(times("many few"), None);
    }

    #[cfg(target_os = "linux")]
    fn within_a_minute(holds: &dyn Fn() -> bool) {
        let found = (0..60_000).any(|_| {
            std::thread::sleep(std::time::Duration::from_millis(1));
            holds()
        });
        assert!(found, "it does not hold after a minute");
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_thread_is_asked_about_by_another_until_it_ends() {
        let Some(_) = SystemThread::current() else {
            eprintln!("skipped: this system's kernel tells nothing of threads");
            return;
        };
        let (give, given) = crossbeam_channel::bounded(1);
        let (end, ended) = crossbeam_channel::bounded::<()>(1);
        let other = std::thread::Builder::new().name("asked about".to_owned());
        let other = other.spawn(move || {
            give.send(SystemThread::current().unwrap()).unwrap();
            let _ = ended.recv();
        });
        let other = other.unwrap();
        let asked = given.recv().unwrap();
        // Linux adds up what a thread ran when the thread leaves its core, so that the first answers may be zero.
        within_a_minute(&|| asked.times().unwrap().ran > Nanos::ZERO);
        drop(end);
        other.join().unwrap();
        // Whoever joins a thread hears of its end before the system forgets it.
        within_a_minute(&|| asked.times().is_none());
    }
}

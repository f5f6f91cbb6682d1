//! What CUPTI tells of what this process gave to the driver: for each operation that is tied to a number of ours, when the
//! device ran it.

mod table;

use std::ffi::OsStr;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

use cuda_recorder::{
    ActivityKind, CuptiLibrary, CuptiListener, CuptiTimes, NodeOrigin, OFF, VARIABLE,
};

use self::table::{CuptiTimeTable, OF_A_GRAPH};
use super::stand_in;
use crate::Overhead;
use crate::threads::{PendingTimestamp, TimeOrigin};
use record::time::{Interval, Nanos};

/// What is listened to without which nothing can be told: what runs on the device, and the calls that tie it to our
/// numbers.
const NEEDED: &[ActivityKind] = &[
    ActivityKind::Kernel,
    ActivityKind::Copy,
    ActivityKind::Set,
    ActivityKind::Driver,
    ActivityKind::Correlation,
];
/// What is shown besides, where it is told.
const WELCOME: &[ActivityKind] = &[
    ActivityKind::Event,
    ActivityKind::Overhead,
    ActivityKind::Compilation,
];
/// From one flush to the next, while times are waited for.
const PACE: Duration = Duration::from_millis(3);
/// How often both clocks are read, to take the tightest.
const TRIES: usize = 16;

/// The subscription of this process.
pub struct CuptiSubscription {
    listening: &'static CuptiListener,
    table: CuptiTimeTable,
    /// A moment by both clocks: the host's, and that of the records in nanoseconds.
    moment: (Instant, u64),
    next: AtomicU64,
    /// Dropped records that were spoken of.
    spoken_of: AtomicU64,
    /// Whether it was said that CUPTI gave up.
    has_said_so: AtomicBool,
    /// Whether it is told which nodes of graphs are made.
    names_nodes: bool,
}

/// The subscription of this process to the CUPTI of this machine, or to that of the tests' stand-in.
///
/// # Errors
/// Why there is none, and what to do, in words for the user.
pub fn activity() -> Result<&'static CuptiSubscription, String> {
    static ACTIVITY: OnceLock<Result<CuptiSubscription, String>> = OnceLock::new();
    let found = ACTIVITY.get_or_init(CuptiSubscription::start);
    found.as_ref().map_err(Clone::clone)
}

/// The library: beside the stand-in where a test wants that, unless it is switched off.
fn find() -> Result<CuptiLibrary, String> {
    let is_off = std::env::var_os(VARIABLE).as_deref() == Some(OsStr::new(OFF));
    match stand_in::path().filter(|_| !is_off) {
        Some(path) => CuptiLibrary::open(&path),
        None => CuptiLibrary::find(),
    }
}

impl CuptiSubscription {
    fn start() -> Result<Self, String> {
        let cupti: &'static CuptiLibrary = Box::leak(Box::new(find()?));
        let kinds: Vec<ActivityKind> = NEEDED.iter().chain(WELCOME).copied().collect();
        let table = CuptiTimeTable::default();
        let taking = table.clone();
        let listening = CuptiListener::start(cupti, &kinds, Box::new(move |it| taking.take(it)))?;
        if let Some(kind) = NEEDED.iter().find(|kind| !listening.tells_of(**kind)) {
            let name = cupti.name();
            return Err(format!(
                "{name} does not tell of {kind}: install that of CUDA 12.0 or newer"
            ));
        }
        let flushing = table.clone();
        std::thread::Builder::new()
            .name("cupti flush".to_owned())
            .spawn(move || flush(listening, &flushing))
            .map_err(|error| format!("the system gives no thread for CUPTI: {error}"))?;
        Ok(Self {
            listening,
            table,
            moment: moment(),
            next: AtomicU64::new(0),
            spoken_of: AtomicU64::new(0),
            has_said_so: AtomicBool::new(false),
            names_nodes: listening.tell_of_nodes(),
        })
    }

    /// What times come from, in words for the screen.
    pub fn about(&self) -> String {
        let cupti = self.listening.cupti();
        let place = cupti.path().display();
        format!("activity records of {} ({place})", cupti.name())
    }

    /// Whether records of events have the device's time.
    pub fn times_events(&self) -> bool {
        self.listening.tells_of(ActivityKind::Event) && self.listening.cupti().times_events()
    }

    /// Calls the driver, and ties what it gives to the device to whoever is asked for its time later.
    pub fn correlated<T>(&'static self, call: impl FnOnce() -> T) -> (T, CuptiOperationTime) {
        let own = self.next.fetch_add(1, Relaxed) + 1;
        let made = self.listening.correlated(own, call);
        (made, CuptiOperationTime { of: self, own })
    }

    /// The same for what launches a graph, whose nodes CUPTI tells of one by one.
    pub fn launched<T>(&'static self, call: impl FnOnce() -> T) -> (T, CuptiGraphTimes) {
        let own = (self.next.fetch_add(1, Relaxed) + 1) | OF_A_GRAPH;
        let made = self.listening.correlated(own, call);
        (made, CuptiGraphTimes { of: self, own })
    }

    /// Whether [`Activity::watching_nodes`] answers anything.
    pub const fn names_nodes(&self) -> bool {
        self.names_nodes
    }

    /// Calls the driver, and answers which nodes of graphs it made for that.
    pub fn watching_nodes<T>(&self, call: impl FnOnce() -> T) -> (T, Vec<NodeOrigin>) {
        self.listening.watching_nodes(call)
    }

    /// What was lost of what CUPTI was to tell, since this was asked last.
    pub fn complaint(&self) -> Option<String> {
        if self.listening.has_given_up() && !self.has_said_so.swap(true, Relaxed) {
            return Some(
                "CUPTI gave up after an error of its own: no more times of the device come in this process; run again, or \
                 set SYNCLINE_CUPTI=off for timing events"
                    .to_owned(),
            );
        }
        let dropped = self.listening.dropped();
        let known = self.spoken_of.swap(dropped, Relaxed);
        (dropped > known).then(|| {
            format!(
                "CUPTI dropped {} activity records ({dropped} so far) because it had no room for them: operations that they \
                 were of have no time of the device; run less at once",
                dropped - known
            )
        })
    }

    /// What the driver and CUPTI took for themselves since this was asked last.
    pub fn overheads(&self, zero: TimeOrigin) -> Vec<Overhead> {
        let told = self.table.take_overheads().into_iter();
        let overhead = |(what, kind, times): (_, _, CuptiTimes)| Overhead {
            what,
            kind,
            ran: Interval {
                start: self.at(times.start, zero),
                end: self.at(times.end.max(times.start), zero),
            },
        };
        told.map(overhead).collect()
    }

    fn at(&self, time: u64, zero: TimeOrigin) -> Nanos {
        let (instant, at) = self.moment;
        let since = instant.saturating_duration_since(zero.0);
        let before = zero.0.saturating_duration_since(instant);
        let base = Nanos::from_duration(since) - Nanos::from_duration(before);
        base + Nanos(time.wrapping_sub(at) as i64)
    }
}

/// The time of one operation.
pub struct CuptiOperationTime {
    of: &'static CuptiSubscription,
    own: u64,
}

impl PendingTimestamp for CuptiOperationTime {
    fn look(&mut self, zero: TimeOrigin) -> Option<Interval> {
        let (start, end) = self.of.table.get(self.own)?;
        Some(Interval {
            start: self.of.at(start, zero),
            end: self.of.at(end, zero),
        })
    }
}

/// The times of the nodes of a graph that was launched.
pub struct CuptiGraphTimes {
    of: &'static CuptiSubscription,
    own: u64,
}

impl CuptiGraphTimes {
    /// When a node ran, by CUPTI's number for it, once that is told; it is told once.
    pub fn look(&self, node: u64, zero: TimeOrigin) -> Option<Interval> {
        let (start, end) = self.of.table.get_node(self.own, node)?;
        Some(Interval {
            start: self.of.at(start, zero),
            end: self.of.at(end, zero),
        })
    }
}

/// A moment by both clocks.
fn moment() -> (Instant, u64) {
    let read = || {
        let before = Instant::now();
        let at = cuda_recorder::now();
        let width = before.elapsed();
        (width, before + width / 2, at)
    };
    let tightest = (0..TRIES).map(|_| read()).min_by_key(|(width, ..)| *width);
    let (_, instant, at) = tightest.unwrap_or_else(read);
    (instant, at)
}

/// Has CUPTI tell what it knows for as long as somebody waits for a time; from this thread alone.
fn flush(listening: &CuptiListener, table: &CuptiTimeTable) {
    loop {
        table.until_wanted();
        listening.flush(false);
        std::thread::sleep(PACE);
    }
}

//! What the threads of a device's streams and the host threads that call it share.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::SeqCst};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Instant;

use super::condition::DeviceCondition;
use super::event_slots::EventSlots;
use super::event_state::EventState;
use super::executor::TimeOrigin;
use super::helper_pool::HelperPool;
use super::host::{HostWait, ThreadedHost};
use super::stream::{StreamObstacle, ThreadedStream};
use super::watermark::Watermark;
use crate::{
    BackendError, Blocker, DeviceLayout, EventLayout, HostIndex, PaceLayout, StreamActivity,
};
use device::{RecordProgress, lock};
use record::time::Nanos;
use record::{CounterId, DeviceId, LaneId, SignalIndex, SpanId, StreamIndex};
use workload::FailureMode;

/// What workers and host threads share.
pub struct SharedDevice<E> {
    /// The device's id in the capture.
    pub device: DeviceId,
    /// The streams.
    pub streams: Vec<ThreadedStream>,
    /// The signals: 1 once raised.
    pub signals: Vec<Watermark>,
    /// Who helps with the branches of graphs.
    pub crew: HelperPool,
    /// What runs operations.
    pub executor: E,
    /// The lane of the queue that the streams share, where there is one.
    pub queue: LaneId,
    /// The names under which paced operations are told.
    pub pace: PaceLayout,
    /// Whether work still runs.
    pub condition: DeviceCondition,
    /// The latest record of each event.
    pub events: Vec<Mutex<Option<Arc<EventState>>>>,
    /// How each event was made.
    pub made: Vec<EventLayout>,
    /// Slots for records of events.
    pub slots: EventSlots,
    /// How many of the streams were asked for; behind them come those of callback threads.
    pub stream_count: usize,
    /// The host threads.
    pub hosts: Vec<ThreadedHost>,
    generation: AtomicU32,
    /// Whether host threads are to end, so that the workload can begin again.
    is_interrupted: AtomicBool,
    zero: OnceLock<TimeOrigin>,
}

impl<E> SharedDevice<E> {
    /// For the resources of `layout`, all streams empty.
    pub fn new(layout: &DeviceLayout, executor: E) -> Self {
        Self {
            device: layout.device,
            generation: AtomicU32::new(1),
            is_interrupted: AtomicBool::new(false),
            queue: layout.queue,
            pace: layout.pace,
            streams: streams(layout),
            stream_count: layout.streams.len(),
            made: layout.events.clone(),
            slots: EventSlots::new(layout.event_slots),
            signals: (0..layout.signals).map(|_| Watermark::default()).collect(),
            executor,
            crew: HelperPool::default(),
            condition: DeviceCondition::default(),
            events: layout.events.iter().map(|_| Mutex::default()).collect(),
            hosts: (0..layout.hosts).map(|_| ThreadedHost::default()).collect(),
            zero: OnceLock::new(),
        }
    }

    /// Starts the clock: this instant is zero.
    pub fn start(&self) {
        self.zero.get_or_init(|| TimeOrigin(Instant::now()));
    }

    /// The generation of the device, counted from 1.
    pub fn generation(&self) -> u32 {
        self.generation.load(SeqCst)
    }

    /// The next generation of the device takes work; no event is recorded.
    pub fn reopen(&self) {
        for slot in &self.events {
            *lock(slot) = None;
        }
        if self.condition.reopen() {
            self.generation.fetch_add(1, SeqCst);
        }
    }

    /// Host threads wait for each other no longer, until [`Shared::rewind`].
    pub fn interrupt(&self) {
        self.is_interrupted.store(true, SeqCst);
        self.wake_all();
    }

    /// Host threads may call from the beginning: no signal is raised, no stream has failed.
    pub fn rewind(&self) {
        self.hosts.iter().for_each(ThreadedHost::rewind);
        self.signals.iter().for_each(Watermark::lower);
        let submitted = self.streams.iter().map(|it| (it, it.submitted()));
        let now = self.now();
        for (stream, submitted) in submitted {
            stream
                .trouble
                .abort((submitted, submitted), SpanId::NONE, now);
        }
        self.is_interrupted.store(false, SeqCst);
    }

    /// Whether host threads may go on waiting for each other.
    ///
    /// # Errors
    /// The run was stopped, or begins again.
    pub fn check_hosts(&self) -> Result<(), BackendError> {
        if self.condition.is_stopped() {
            return Err(BackendError::Stopped);
        }
        if self.is_interrupted.load(SeqCst) {
            return Err(BackendError::Lost("the workload begins again".to_owned()));
        }
        Ok(())
    }

    /// Where times are counted from: now, while the clock was not started.
    pub fn zero(&self) -> TimeOrigin {
        let zero = self.zero.get().copied();
        zero.unwrap_or_else(|| TimeOrigin(Instant::now()))
    }

    /// The time since the clock was started.
    pub fn now(&self) -> Nanos {
        let zero = self.zero.get();
        zero.map_or(Nanos::ZERO, |zero| zero.at(Instant::now()))
    }

    /// Nothing more runs because of `reason`. Says whether that was news.
    pub fn poison(&self, reason: &str) -> bool {
        let is_news = self.condition.poison(reason);
        self.wake_all();
        is_news
    }

    /// Nothing more runs because somebody stopped it.
    pub fn stop(&self) {
        self.condition.stop();
        self.wake_all();
    }

    /// The implementation below lost its device, because of `reason`.
    pub fn lose(&self, reason: &str) {
        self.lose_by(|| reason.to_owned());
    }

    /// Loses the device by `act`, which gives the reason. Answers when, where that is news.
    pub fn lose_by(&self, act: impl FnOnce() -> String) -> Option<Nanos> {
        let time = self.condition.lose(&|| self.now(), act);
        self.wake_all();
        time
    }

    /// Makes everything that waits look whether it should give up.
    pub fn wake_all(&self) {
        self.signals.iter().for_each(Watermark::poke);
        for stream in &self.streams {
            stream.ended.poke();
            stream.poke();
        }
        self.slots.free().poke();
        for wait in self.hosts.iter().filter_map(ThreadedHost::wait) {
            if let HostWait::Mark(_, mark) = wait {
                mark.level().poke();
            }
        }
    }

    /// Whether what is waited for has not come true.
    pub fn holds(&self, wait: &HostWait) -> bool {
        let is_short = |stream: &StreamIndex, ended: &u64| {
            let stream = self.streams.get(stream.index());
            stream.is_some_and(|stream| stream.ended.get() < *ended)
        };
        match wait {
            HostWait::Signal(signal) => self.is_low(*signal),
            HostWait::Mark(_, mark) => mark.progress() == RecordProgress::Pending,
            HostWait::Streams(_, ends) => {
                ends.iter().any(|(stream, ended)| is_short(stream, ended))
            }
            HostWait::Slot(given_back) => self.slots.free().get() < *given_back,
            HostWait::Room(stream, ended) => is_short(stream, ended),
            HostWait::Flag(flag) => flag.raised().is_none(),
        }
    }

    fn is_low(&self, signal: SignalIndex) -> bool {
        let level = self.signals.get(signal.index());
        level.is_some_and(|level| level.get() == 0)
    }

    /// What a stream is doing.
    pub fn stream_activity(&self, stream: &ThreadedStream) -> StreamActivity {
        // Read first: what ended between the two readings makes a stream look busier, never idler.
        let ended = stream.ended.get();
        let blocker = lock(&stream.hold)
            .as_ref()
            .and_then(|obstacle| match obstacle {
                StreamObstacle::Event(event, mark) => {
                    (mark.progress() == RecordProgress::Pending).then_some(Blocker::Event(*event))
                }
                StreamObstacle::Signal(signal) => {
                    self.is_low(*signal).then_some(Blocker::Signal(*signal))
                }
                StreamObstacle::Stream(to) => {
                    let other = self.streams.get(to.stream.index());
                    let is_short = other.is_some_and(|other| other.ended.get() < to.ended);
                    is_short.then_some(Blocker::Stream(to.stream))
                }
                // They come to an end by themselves.
                StreamObstacle::Until(_) | StreamObstacle::Callback(_) => None,
            });
        StreamActivity {
            submitted: stream.submitted(),
            ended,
            blocker,
        }
    }

    /// Blocks `host` for `wait` with `block`, which says whether it came true, and `gives_up` by itself where that
    /// takes too long.
    ///
    /// A device that failed ends no wait for work (rule A47): whoever hears of the failure comes after what was covered.
    ///
    /// A loss since there were so many `losses` ends it, also where the device was opened anew before who waits looks.
    ///
    /// # Errors
    /// Time ran out, or nothing more runs.
    pub fn block(
        &self,
        host: HostIndex,
        (wait, losses): (&HostWait, u64),
        gives_up: bool,
        block: impl FnOnce() -> bool,
    ) -> Result<(), BackendError> {
        let reached = self.show_blocked(host, wait, gives_up, block);
        self.condition.lost_since(losses)?;
        match self.condition.check() {
            // A failed device does not end such a wait: somebody stopped it, or it took too long.
            Err(BackendError::Poisoned(_)) | Ok(()) if !reached && wait.is_for_work() => {
                if self.condition.is_stopped() {
                    return Err(BackendError::Stopped);
                }
                Err(BackendError::TimedOut)
            }
            Ok(()) if !reached => Err(BackendError::TimedOut),
            checked => checked,
        }
    }

    /// Runs `block` unless `wait` has come true, and shows meanwhile that `host` is blocked. Says whether it came true.
    pub fn show_blocked(
        &self,
        host: HostIndex,
        wait: &HostWait,
        gives_up: bool,
        block: impl FnOnce() -> bool,
    ) -> bool {
        if !self.holds(wait) {
            return true;
        }
        match self.hosts.get(host.0) {
            Some(host) => host.blocked(wait, gives_up, block),
            None => block(),
        }
    }
}

/// The streams, and those that the threads of callbacks work on.
fn streams(layout: &DeviceLayout) -> Vec<ThreadedStream> {
    let asked = layout.streams.iter();
    let asked =
        asked.map(|stream| ThreadedStream::new(stream.lane, stream.pending, stream.failure));
    let callbacks = layout.callbacks.iter();
    let callbacks =
        callbacks.map(|lane| ThreadedStream::new(*lane, CounterId::NONE, FailureMode::Continue));
    asked.chain(callbacks).collect()
}

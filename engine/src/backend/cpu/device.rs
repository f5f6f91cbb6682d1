//! The opened device: what its workers share, and the calls that host threads make on it.

use std::sync::{Arc, Mutex, OnceLock};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use super::condition::Condition;
use super::host::{Host, Wait};
use super::mark::Mark;
use super::memory::{Memory, calibrate, spin};
use super::stream::{Item, Obstacle, Stream};
use super::watermark::Watermark;
use super::worker::Worker;
use crate::backend::{
    Activity, Blocker, Caps, CompileError, CompileRequest, Compiled, Device, Error, HostIndex,
    Layout, LossReport, Operation, Question, Raw, Side, Sink, StreamActivity, Submission, shader,
};
use crate::device::{Progress, Status, lock};
use crate::record::{Began, DeviceId, LossKind, SpanId};
use crate::time::Nanos;
use crate::workload::{BufferIndex, EventIndex, SignalIndex, StreamIndex, Target};

/// Operations that may queue on a stream before the submitting host thread has to wait, as on a GPU.
const ROOM: u64 = 1 << 16;

/// How long what was submitted to a lost device may take to come to an end.
const DRAIN: Duration = Duration::from_secs(10);

/// What workers and host threads share.
pub struct Shared {
    /// The device's id in the capture.
    pub device: DeviceId,
    /// The streams.
    pub streams: Vec<Stream>,
    /// The signals: 1 once raised.
    pub signals: Vec<Watermark>,
    /// The buffers.
    pub memory: Memory,
    /// Whether work still runs.
    pub condition: Condition,
    events: Vec<Mutex<Option<Arc<Mark>>>>,
    hosts: Vec<Host>,
    zero: OnceLock<Instant>,
}

impl Shared {
    /// The time since the clock was started.
    pub fn now(&self) -> Nanos {
        let zero = self.zero.get();
        zero.map_or(Nanos::ZERO, |zero| Nanos::from_duration(zero.elapsed()))
    }

    /// Nothing more runs because of `reason`. Says whether that was news.
    pub fn poison(&self, reason: &str) -> bool {
        let is_news = self.condition.poison(reason);
        self.wake_all();
        is_news
    }

    /// Makes everything that waits look whether it should give up.
    fn wake_all(&self) {
        self.signals.iter().for_each(Watermark::poke);
        for stream in &self.streams {
            stream.ended.poke();
            if let Some(Obstacle::Event(_, mark)) = &*lock(&stream.hold) {
                mark.level().poke();
            }
        }
        for wait in self.hosts.iter().filter_map(Host::wait) {
            if let Wait::Mark(_, mark) = wait {
                mark.level().poke();
            }
        }
    }

    /// Whether what is waited for has not come true.
    fn holds(&self, wait: &Wait) -> bool {
        let is_short = |stream: &StreamIndex, ended: &u64| {
            let stream = self.streams.get(stream.index());
            stream.is_some_and(|stream| stream.ended.get() < *ended)
        };
        match wait {
            Wait::Signal(signal) => self.is_low(*signal),
            Wait::Mark(_, mark) => mark.progress() == Progress::Pending,
            Wait::Streams(_, ends) => ends.iter().any(|(stream, ended)| is_short(stream, ended)),
            Wait::Room(stream, ended) => is_short(stream, ended),
        }
    }

    fn is_low(&self, signal: SignalIndex) -> bool {
        let level = self.signals.get(signal.index());
        level.is_some_and(|level| level.get() == 0)
    }

    fn stream_activity(&self, stream: &Stream) -> StreamActivity {
        // Read first: what ended between the two readings makes a stream look busier, never idler.
        let ended = stream.ended.get();
        let blocker = lock(&stream.hold)
            .as_ref()
            .and_then(|obstacle| match obstacle {
                Obstacle::Event(event, mark) => {
                    (mark.progress() == Progress::Pending).then_some(Blocker::Event(*event))
                }
                Obstacle::Signal(signal) => {
                    self.is_low(*signal).then_some(Blocker::Signal(*signal))
                }
            });
        StreamActivity {
            submitted: stream.submitted(),
            ended,
            blocker,
        }
    }

    /// Blocks `host` for `wait` with `block`, which says whether it came true.
    fn block(
        &self,
        host: HostIndex,
        wait: &Wait,
        block: impl FnOnce() -> bool,
    ) -> Result<(), Error> {
        let reached = if self.holds(wait) {
            match self.hosts.get(host.0) {
                Some(host) => host.blocked(wait, block),
                None => block(),
            }
        } else {
            true
        };
        self.condition.check()?;
        if reached {
            Ok(())
        } else {
            Err(Error::TimedOut)
        }
    }
}

/// The device.
pub struct CpuDevice {
    shared: Arc<Shared>,
    workers: Vec<JoinHandle<()>>,
    caps: Caps,
    name: String,
}

impl CpuDevice {
    /// Makes the resources and starts the workers.
    ///
    /// # Errors
    /// Buffers do not fit into memory, or the system gives no thread.
    pub fn open(
        layout: &Layout,
        sinks: &dyn Fn() -> Box<dyn Sink>,
        caps: Caps,
    ) -> Result<Self, Error> {
        calibrate();
        let shared = Arc::new(Shared {
            device: layout.device,
            streams: layout
                .streams
                .iter()
                .map(|stream| Stream::new(stream.lane, stream.pending))
                .collect(),
            signals: (0..layout.signals).map(|_| Watermark::default()).collect(),
            memory: Memory::new(layout)?,
            condition: Condition::default(),
            events: layout.events.iter().map(|_| Mutex::default()).collect(),
            hosts: (0..layout.hosts).map(|_| Host::default()).collect(),
            zero: OnceLock::new(),
        });
        let mut device = Self {
            shared,
            workers: Vec::new(),
            name: super::name(caps.width),
            caps,
        };
        for (place, stream) in layout.streams.iter().enumerate() {
            let worker = Worker::new(Arc::clone(&device.shared), place, sinks());
            let thread = std::thread::Builder::new()
                .name(format!("stream {}", stream.name))
                .spawn(move || worker.run());
            device
                .workers
                .push(thread.map_err(|error| Error::Thread(error.to_string()))?);
        }
        Ok(device)
    }

    fn stream(&self, stream: StreamIndex) -> Result<&Stream, Error> {
        let found = self.shared.streams.get(stream.index());
        found.ok_or_else(|| Error::Unknown(format!("stream {}", stream.0)))
    }

    fn event(&self, event: EventIndex) -> Result<&Mutex<Option<Arc<Mark>>>, Error> {
        let found = self.shared.events.get(event.index());
        found.ok_or_else(|| Error::Unknown(format!("event {}", event.0)))
    }

    fn latest(&self, event: EventIndex) -> Option<Arc<Mark>> {
        self.event(event).ok().and_then(|slot| lock(slot).clone())
    }

    fn wait_for_streams(&self, ends: &[(StreamIndex, u64)], deadline: Option<Instant>) -> bool {
        let is_over = || self.shared.condition.is_over();
        ends.iter().all(|(stream, ended)| {
            let stream = self.shared.streams.get(stream.index());
            stream.is_none_or(|stream| stream.ended.wait(*ended, &is_over, deadline))
        })
    }
}

impl Device for CpuDevice {
    fn name(&self) -> &str {
        &self.name
    }

    fn caps(&self) -> &Caps {
        &self.caps
    }

    fn start(&self) {
        self.shared.zero.get_or_init(Instant::now);
    }

    fn now(&self, _: HostIndex) -> Nanos {
        self.shared.now()
    }

    fn turn(&self, _: HostIndex) -> Result<(), Error> {
        // A host thread learns of a failure where it synchronises, as on a GPU, and of a stop here.
        if self.shared.condition.is_stopped() {
            return Err(Error::Stopped);
        }
        Ok(())
    }

    fn leave(&self, host: HostIndex) {
        if let Some(host) = self.shared.hosts.get(host.0) {
            host.leave();
        }
    }

    fn make_room(&self, host: HostIndex, index: StreamIndex) {
        let Ok(stream) = self.stream(index) else {
            return;
        };
        let submitted = stream.submitted();
        if submitted < ROOM || stream.ended.get() > submitted - ROOM {
            return;
        }
        let target = submitted - ROOM / 2;
        let is_over = || self.shared.condition.is_over();
        let wait = Wait::Room(index, target);
        let block = || stream.ended.wait(target, &is_over, None);
        let _ = self.shared.block(host, &wait, block);
    }

    fn pending(&self, stream: StreamIndex) -> u64 {
        self.stream(stream).map_or(0, |stream| {
            // In this order, so that the difference is never negative.
            let ended = stream.ended.get();
            stream.submitted().saturating_sub(ended)
        })
    }

    fn submit(
        &self,
        _: HostIndex,
        index: StreamIndex,
        submission: Submission,
    ) -> Result<(), Error> {
        let stream = self.stream(index)?;
        self.shared.memory.check(&submission.operation)?;
        match submission.operation {
            Operation::Record(event) => {
                let mark = Arc::new(Mark::default());
                let mut slot = lock(self.event(event)?);
                *slot = Some(Arc::clone(&mark));
                stream.push(Item {
                    submission,
                    mark: Some(mark),
                });
            }
            Operation::Wait(event) => {
                let slot = lock(self.event(event)?);
                stream.push(Item {
                    submission,
                    mark: slot.clone(),
                });
            }
            _ => stream.push(Item {
                submission,
                mark: None,
            }),
        }
        Ok(())
    }

    fn query(&self, _: HostIndex, event: EventIndex) -> Progress {
        let mark = self.latest(event);
        mark.map_or(Progress::NotRecorded, |mark| mark.progress())
    }

    fn synchronize(
        &self,
        host: HostIndex,
        target: Target,
        timeout: Option<Duration>,
    ) -> Result<(), Error> {
        let deadline = timeout.map(|timeout| Instant::now() + timeout);
        let end = |index: StreamIndex| Ok((index, self.stream(index)?.submitted()));
        let ends = match target {
            Target::Event(event) => {
                let Some(mark) = self.latest(event) else {
                    return self.shared.condition.check();
                };
                let is_over = || self.shared.condition.is_over();
                let wait = Wait::Mark(event, Arc::clone(&mark));
                let block = || mark.level().wait(Mark::SETTLED, &is_over, deadline);
                return self.shared.block(host, &wait, block);
            }
            Target::Stream(stream) => vec![end(stream)?],
            Target::Device => {
                let all =
                    (0..self.shared.streams.len()).map(|place| end(StreamIndex(place as u32)));
                all.collect::<Result<_, Error>>()?
            }
        };
        let wait = Wait::Streams(target, ends.clone());
        let block = || self.wait_for_streams(&ends, deadline);
        self.shared.block(host, &wait, block)
    }

    fn raise(&self, _: HostIndex, signal: SignalIndex) {
        if let Some(level) = self.shared.signals.get(signal.index()) {
            level.raise(1);
        }
    }

    fn until_raised(&self, host: HostIndex, signal: SignalIndex) -> Result<(), Error> {
        let level = self.shared.signals.get(signal.index());
        let level = level.ok_or_else(|| Error::Unknown(format!("signal {}", signal.0)))?;
        let is_over = || self.shared.condition.is_over();
        let block = || level.wait(1, &is_over, None);
        self.shared.block(host, &Wait::Signal(signal), block)
    }

    fn work(&self, _: HostIndex, length: Nanos) {
        // A host thread that has not noticed a failure works on; only a stop cuts it short.
        let is_stopped = || self.shared.condition.is_stopped();
        let _ = spin(length, &is_stopped);
    }

    fn status(&self) -> Status {
        self.shared.condition.status()
    }

    fn activity(&self) -> Activity {
        let shared = &self.shared;
        let streams = shared
            .streams
            .iter()
            .map(|stream| shared.stream_activity(stream));
        let hosts = shared.hosts.iter();
        Activity {
            streams: streams.collect(),
            hosts: hosts
                .map(|host| host.activity(|wait| shared.holds(wait)))
                .collect(),
        }
    }

    fn settle(&self, timeout: Duration) -> bool {
        let deadline = Some(Instant::now() + timeout);
        self.shared.streams.iter().all(|stream| {
            let submitted = stream.submitted();
            stream.ended.wait(submitted, &|| false, deadline)
        })
    }

    fn running(&self, age: Nanos, known: &dyn Fn(SpanId) -> bool, report: &mut dyn FnMut(Began)) {
        let now = self.shared.now();
        let current = self.shared.streams.iter().filter_map(Stream::current);
        current
            .filter(|began| now - began.start >= age && !known(began.id))
            .for_each(report);
    }

    fn validate(&self, request: &CompileRequest) -> Result<(), CompileError> {
        shader::check(request, &self.caps.limits)
    }

    fn compile(&self, request: &CompileRequest) -> Result<Compiled, CompileError> {
        shader::look_at(request, &self.caps.limits, &|| {
            self.shared.condition.is_over()
        })
    }

    fn lose(&self, kind: LossKind) -> LossReport {
        let time = self.shared.now();
        let message = format!("{} on purpose", kind.label());
        let is_news = self.shared.condition.lose(&message, time);
        self.shared.wake_all();
        LossReport {
            is_news,
            is_real: false,
            time,
            message,
            how: "Syncline told the threads of this device to run nothing more",
        }
    }

    fn reopen(&self) -> Result<(), Error> {
        let deadline = Instant::now() + DRAIN;
        while !self.settle(Duration::from_millis(50)) {
            self.shared.wake_all();
            if Instant::now() > deadline {
                return Err(Error::TimedOut);
            }
        }
        for slot in &self.shared.events {
            *lock(slot) = None;
        }
        self.shared.memory.restore();
        self.shared.condition.reopen();
        Ok(())
    }

    fn rewind(&self) -> Result<(), Error> {
        self.shared.hosts.iter().for_each(Host::rewind);
        self.shared.signals.iter().for_each(Watermark::lower);
        self.shared.condition.check()
    }

    fn raw(&self, _: &Question) -> Option<Raw> {
        None
    }

    fn stop(&self) {
        self.shared.condition.stop();
        self.shared.wake_all();
    }

    fn read(&self, buffer: BufferIndex, side: Side) -> Vec<f32> {
        self.shared.memory.read(buffer, side)
    }

    fn write(&self, buffer: BufferIndex, first: usize, values: &[f32]) {
        self.shared.memory.write(buffer, first, values);
    }
}

impl Drop for CpuDevice {
    fn drop(&mut self) {
        self.stop();
        self.shared.streams.iter().for_each(Stream::close);
        for worker in self.workers.drain(..) {
            // A worker that panicked outside a kernel has nothing more to report.
            let _ = worker.join();
        }
    }
}

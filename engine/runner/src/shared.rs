//! What the host threads of a run and the engine thread share.

use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use super::caller::DeviceEnds;
use super::captured_streams::CapturedStreams;
use super::found_errors::FoundErrors;
use super::gate::Gate;
use super::insertion::Insertions;
use super::launches::RunLaunches;
use super::loss::Losses;
use super::lost_values::LostValues;
use super::machine::Machine;
use super::memory::MemoryReporter;
use super::mesh::Mesh;
use super::names::NameRegistry;
use super::overheads::Overheads;
use super::pools::{EventPools, Subscriptions};
use super::timelines::Timelines;
use backend::{BackendDevice, BackendError, HostIndex};
use device::{DeviceStatus, EventTable, lock};
use order::{CallLog, CallOrigin, SyncOp};
use record::time::Nanos;
use record::{
    BufferIndex, CounterId, EventIndex, LaneId, SignalIndex, SpanId, SpanStart, StreamIndex,
};
use workload::{FailureMode, MemoryKind, Plan, PoolIndex, ThreadIndex};

/// The word for calls that hold a stream.
const HOLD: &str = "hold";

/// What the host threads of a run and the engine thread share.
pub struct RunState {
    /// What is run.
    pub plan: Plan,
    /// What runs it.
    pub device: Box<dyn BackendDevice>,
    /// The events and their records.
    pub events: EventTable,
    /// Texts that records refer to.
    pub names: NameRegistry,
    /// WebGPU's timelines, where the workload has to do with them.
    pub timelines: Option<Timelines>,
    /// What host threads do to the order of their calls.
    pub order: CallLog,
    /// Where host threads pass before each call.
    pub gate: Gate,
    /// Where allocations are shown, where some are made in the order of streams.
    pub memory: Option<MemoryReporter>,
    /// What the driver took for itself, where the device tells that.
    pub overheads: Overheads,
    /// The machine that calls are instructions of, where the workload has one.
    pub machine: Option<Machine>,
    /// Decides which waits are inserted, where some may have to be.
    pub insertions: Option<Insertions>,
    /// Recorded launches, graphs and captures.
    pub launches: RunLaunches,
    /// What is known of losses of the device.
    pub losses: Losses,
    /// What a loss takes with it.
    pub lost_values: LostValues,
    /// The sockets to the other ranks, where there are any.
    pub mesh: Option<Arc<Mesh>>,
    /// Events that are taken from pools.
    pub pools: EventPools,
    /// Which thread takes the callbacks of which stream.
    pub subscriptions: Subscriptions,
    /// Whether any call holds a stream.
    pub has_holds: bool,
    /// Whether any call maps a buffer.
    pub has_maps: bool,
    /// How calls end the device.
    pub device_ends: DeviceEnds,
    /// Streams on which captures are begun, where several host threads call.
    pub captured: CapturedStreams,
    /// Whether operations are reported when they are submitted, too.
    pub reports_submissions: bool,
    is_over: AtomicBool,
    is_stalled: AtomicBool,
    /// The time that was measured last between two events.
    pub measured: Mutex<BTreeMap<(EventIndex, EventIndex), Nanos>>,
    /// What calls found that asked for the last error of their thread, by the place of the call.
    pub last_errors: Mutex<BTreeMap<u32, FoundErrors>>,
    is_forgiven: AtomicBool,
    is_failure_told: AtomicBool,
    streams: Vec<Mutex<QueueTail>>,
    signals: Vec<Mutex<SignalState>>,
    hosts: Vec<HostProgress>,
    spans: AtomicU32,
    failure: Mutex<Option<String>>,
}

/// The end of a stream's queue. Locked while an operation is submitted, so that what is said of the order
/// of operations is the order that the device has.
#[derive(Debug)]
pub struct QueueTail {
    /// The operation submitted last.
    pub last: SpanId,
    /// How many were submitted.
    pub submitted: u64,
    /// Those that were submitted last, where whoever calls may have to wait for one of them.
    pub recent: VecDeque<SpanId>,
    /// Whether it takes nothing more (rule A27).
    pub is_destroyed: bool,
}

/// A signal: who raised it, or who waits for it.
#[derive(Debug, Default)]
pub struct SignalState {
    /// The call that raised it.
    pub raised: Option<SpanId>,
    /// The spans that it will release.
    pub waiting: Vec<SpanId>,
    /// The line of each call that holds a stream for it.
    pub holds: BTreeMap<StreamIndex, u32>,
}

/// How far a host thread has come.
#[derive(Debug, Default)]
pub struct HostProgress {
    /// Calls that it began.
    pub calls: AtomicU64,
    /// The line of the call that it makes, or made last.
    pub line: AtomicU32,
    /// The call that blocks it.
    pub blocked: Mutex<Option<SpanStart>>,
    /// Nanoseconds for which it was ready to run and had no processor core, once it has ended; 0 where that is not known.
    pub starved: AtomicI64,
}

impl QueueTail {
    /// One more operation was submitted; so many of the latest are kept.
    pub fn push(&mut self, span: SpanId, kept: usize) {
        self.last = span;
        self.submitted += 1;
        self.recent.push_back(span);
        while self.recent.len() > kept {
            self.recent.pop_front();
        }
    }
}

impl RunState {
    /// For a run of `plan` on `device`, before its first call.
    pub fn new(
        plan: Plan,
        device: Box<dyn BackendDevice>,
        gate: Gate,
        names: NameRegistry,
        losses: Losses,
        timelines: Option<Timelines>,
    ) -> Self {
        let tail = || QueueTail {
            last: SpanId::NONE,
            submitted: 0,
            recent: VecDeque::new(),
            is_destroyed: false,
        };
        // Lanes are numbered without gaps: those of streams, the queue, callbacks and timelines come before.
        let mut next = first_callback(&plan, device.caps().queue).0;
        next += plan.callback_threads.len() as u32;
        next += timelines.as_ref().map_or(0, |_| super::timelines::LANES);
        let memory = MemoryReporter::new(&plan, LaneId(next), last_counter(&plan));
        next += u32::from(memory.is_some());
        let machine = Machine::new(&plan, LaneId(next));
        next += machine.as_ref().map_or(0, Machine::lanes);
        Self {
            events: EventTable::new(plan.events.len()),
            streams: plan.streams.iter().map(|_| Mutex::new(tail())).collect(),
            signals: plan.signals.iter().map(|_| Mutex::default()).collect(),
            hosts: plan.hosts.iter().map(|_| HostProgress::default()).collect(),
            insertions: Insertions::new(&plan),
            lost_values: LostValues::new(&plan),
            launches: RunLaunches::new(&plan),
            machine,
            memory,
            has_maps: plan.sites.iter().any(|it| it.verb == "map-async"),
            captured: CapturedStreams::new(&plan),
            device_ends: DeviceEnds::new(&plan),
            has_holds: plan.sites.iter().any(|it| it.verb == HOLD),
            overheads: Overheads::new(LaneId(next)),
            plan,
            device,
            names,
            gate,
            order: CallLog::default(),
            losses,
            mesh: None,
            timelines,
            pools: EventPools::default(),
            subscriptions: Subscriptions::default(),
            reports_submissions: false,
            is_over: AtomicBool::new(false),
            is_stalled: AtomicBool::new(false),
            measured: Mutex::default(),
            last_errors: Mutex::default(),
            is_forgiven: AtomicBool::new(false),
            is_failure_told: AtomicBool::new(false),
            spans: AtomicU32::new(0),
            failure: Mutex::default(),
        }
    }

    /// Tells the order of calls what sorts of streams there are, and which buffers have to be allocated.
    pub fn note_streams(&self) {
        let buffers = self.plan.buffers.iter().enumerate();
        for (place, _) in buffers.filter(|(_, it)| it.memory == MemoryKind::StreamOrdered) {
            let buffer = super::uses::on_device(BufferIndex(place as u32));
            let act = SyncOp::StreamOrdered(buffer);
            self.order.push(0, CallOrigin::default(), act, &[]);
        }
        let streams = self.plan.streams.iter().enumerate();
        let goes_on = streams.filter(|(_, it)| it.failure == FailureMode::Continue);
        let goes_on = goes_on.map(|(place, _)| SyncOp::GoesOn(StreamIndex(place as u32)));
        for act in Insertions::streams(&self.plan).chain(goes_on) {
            self.order.push(0, CallOrigin::default(), act, &[]);
        }
    }

    /// How long a time of the workload is on this device: a paced one stretches all of them.
    pub fn stretched(&self, time: Nanos) -> Nanos {
        let law = self.device.caps().paced;
        law.map_or(time, |law| law.stretched(time))
    }

    /// A new span's id.
    pub fn next_span(&self) -> SpanId {
        SpanId(self.spans.fetch_add(1, Ordering::Relaxed))
    }

    /// The first of so many new spans' ids, which follow each other.
    pub fn next_spans(&self, count: usize) -> SpanId {
        SpanId(self.spans.fetch_add(count as u32, Ordering::Relaxed))
    }

    /// The lane of a host thread.
    pub const fn host_lane(host: HostIndex) -> LaneId {
        LaneId(host.0 as u32)
    }

    /// The lane of a stream.
    pub fn stream_lane(&self, stream: StreamIndex) -> LaneId {
        LaneId(first_stream(&self.plan).0 + stream.0)
    }

    /// The lane of the queue that all streams share, where the device has but one. It comes after the streams'.
    pub fn queue_lane(&self) -> Option<LaneId> {
        let has_one = self.device.caps().queue;
        has_one.then(|| queue_lane(&self.plan))
    }

    /// The counter of operations pending on a stream.
    pub const fn pending_counter(stream: StreamIndex) -> CounterId {
        CounterId(stream.0)
    }

    /// The lane of a thread that takes callbacks. They come after the queue's.
    pub fn callback_lane(&self, thread: ThreadIndex) -> LaneId {
        let first = first_callback(&self.plan, self.device.caps().queue);
        LaneId(first.0 + thread.0)
    }

    /// The counter of a pool's events in use. They come after those of the streams.
    pub fn pool_counter(plan: &Plan, pool: PoolIndex) -> CounterId {
        CounterId(plan.streams.len() as u32 + pool.0)
    }

    /// The end of a stream's queue.
    pub fn tail(&self, stream: StreamIndex) -> Option<&Mutex<QueueTail>> {
        self.streams.get(stream.index())
    }

    /// A signal.
    pub fn signal(&self, signal: SignalIndex) -> Option<&Mutex<SignalState>> {
        self.signals.get(signal.index())
    }

    /// How far a host thread has come.
    pub fn host(&self, host: HostIndex) -> Option<&HostProgress> {
        self.hosts.get(host.0)
    }

    /// Every host thread's progress.
    pub fn hosts(&self) -> &[HostProgress] {
        &self.hosts
    }

    /// The run cannot go on, for this reason: no further calls, and what has not begun is cancelled.
    pub fn fail(&self, reason: &str) {
        lock(&self.failure).get_or_insert_with(|| reason.to_owned());
        self.stop();
    }

    /// Nothing can go on any more, for this reason.
    pub fn stall(&self, reason: &str) {
        self.is_stalled.store(true, Ordering::SeqCst);
        self.fail(reason);
    }

    /// Whether host threads and streams wait for each other for ever.
    pub fn is_stalled(&self) -> bool {
        self.is_stalled.load(Ordering::SeqCst)
    }

    /// The workload itself took the error that says that the device failed or was lost.
    pub fn forgive(&self) {
        self.is_forgiven.store(true, Ordering::SeqCst);
    }

    /// Whether the workload took the error that says that the device failed or was lost: it ends no run.
    pub fn is_forgiven(&self) -> bool {
        self.is_forgiven.load(Ordering::SeqCst)
    }

    /// A call was answered with this error: where it tells a failure that ended the device, every call that concerns the
    /// device is from now on (rule A47).
    pub fn note_told(&self, error: &BackendError) {
        if self.tells(error) {
            self.is_failure_told.store(true, Ordering::SeqCst);
        }
    }

    /// Whether an error tells a failure that ended the device.
    pub fn tells(&self, error: &BackendError) -> bool {
        use workload::ErrorKind::{DeviceFailed, Failed, TimedOut};
        let tells = matches!(error.kind(), Some(DeviceFailed | Failed | TimedOut));
        tells && matches!(self.device.status(), DeviceStatus::Poisoned(_))
    }

    /// The device is a new one, of which no failure was told.
    pub fn forget_failure(&self) {
        self.is_failure_told.store(false, Ordering::SeqCst);
    }

    /// The device is a new one, to which nothing was submitted: nobody waits for what the one before was given.
    pub fn forget_submitted(&self) {
        for stream in &self.streams {
            lock(stream).last = SpanId::NONE;
        }
    }

    /// Refuses what concerns a device whose failure some call has told: it stays so until it is opened anew (rule A47).
    /// Before it is told, what is submitted is taken and cancelled, since the host cannot know (rule A48).
    ///
    /// # Errors
    /// [`Error::Poisoned`], with the first failure.
    pub fn refuse_after_failure(&self) -> Result<(), BackendError> {
        if !self.is_failure_told.load(Ordering::SeqCst) {
            return Ok(());
        }
        match self.device.status() {
            DeviceStatus::Poisoned(reason) => Err(BackendError::Poisoned(reason)),
            _ => Ok(()),
        }
    }

    /// The run has ended.
    pub fn end(&self) {
        self.is_over.store(true, Ordering::SeqCst);
    }

    /// Whether the run has ended.
    pub fn is_over(&self) -> bool {
        self.is_over.load(Ordering::SeqCst)
    }

    /// No signal was raised and no operation submitted, for a run that begins again.
    pub fn forget(&self) {
        self.order
            .push(0, CallOrigin::default(), SyncOp::Lower, &[]);
        self.launches.forget(&self.plan);
        self.events.restore();
        self.lost_values.forget();
        for signal in &self.signals {
            *lock(signal) = SignalState::default();
        }
        self.pools.forget();
        lock(&self.measured).clear();
        lock(&self.last_errors).clear();
        self.subscriptions.forget();
        for stream in &self.streams {
            lock(stream).is_destroyed = false;
        }
        for host in &self.hosts {
            host.calls.store(0, Ordering::Relaxed);
        }
    }

    /// Why the run could not go on.
    pub fn failure(&self) -> Option<String> {
        lock(&self.failure).clone()
    }

    /// No further calls, and what has not begun is cancelled.
    pub fn stop(&self) {
        self.gate.stop();
        self.device.stop();
    }
}

/// The lane of the queue, where there is one.
pub fn queue_lane(plan: &Plan) -> LaneId {
    LaneId(first_stream(plan).0 + plan.streams.len() as u32)
}

/// The lane of the first thread that takes callbacks, where there is one.
pub fn first_callback(plan: &Plan, has_queue: bool) -> LaneId {
    LaneId(queue_lane(plan).0 + u32::from(has_queue))
}

/// The first counter behind those of the streams.
fn last_counter(plan: &Plan) -> CounterId {
    CounterId((plan.streams.len() + plan.pools.len()) as u32)
}

/// The lane of the first stream: lanes of host threads come first.
pub fn first_stream(plan: &Plan) -> LaneId {
    LaneId(plan.hosts.len() as u32)
}

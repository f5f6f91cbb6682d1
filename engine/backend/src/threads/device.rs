//! The opened device: the calls that host threads make on it.

mod recovery;

use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use super::event_state::EventState;
use super::executor::Executor;
use super::host::HostWait;
use super::shared::SharedDevice;
use super::stream::{NodeEventStates, QueuedOperation, ThreadedStream};
use super::stream_error;
use super::watermark::Watermark;
use super::worker::StreamWorker;
use crate::{
    Activity, BackendDevice, BackendError, BufferSide, Caps, CompileError, CompileRequest,
    CompiledPipeline, DeviceBuffers, DeviceCompiler, DeviceLayout, DeviceQueue, DeviceState,
    DeviceTime, DeviceWaiting, ExecutableGraph, Flag, HostIndex, NativeQuery, Operation, Overhead,
    PendingAnswer, PreparedLaunch, ReportSink, Submission,
};
use device::{RecordProgress, lock};
use record::time::Nanos;
use record::{
    BufferIndex, Clock, EventIndex, PaceReport, SignalIndex, SpanId, SpanStart, StreamIndex,
};
use workload::{KernelArguments, SyncTarget};

/// Operations that may queue on a stream before the submitting host thread has to wait, as on a GPU.
const ROOM: u64 = 1 << 16;

/// How often a thread that waits for others looks whether it is to give up.
const LOOK: Duration = Duration::from_millis(10);

/// Bytes of the stack of a stream's thread: kernels do not call deep, and thousands of streams have one each.
const STACK: usize = 512 << 10;

/// The device.
pub struct ThreadedDevice<E> {
    shared: Arc<SharedDevice<E>>,
    /// For each stream its thread, which is started with its first operation.
    workers: Vec<Mutex<StreamThread<E>>>,
}

/// The thread of a stream.
enum StreamThread<E> {
    /// Nothing was submitted to the stream.
    Idle(String, Box<StreamWorker<E>>),
    Started(JoinHandle<()>),
    /// It could not be started, or has been joined.
    None,
}

impl<E: Executor> ThreadedDevice<E> {
    /// Starts the threads of the streams.
    ///
    /// # Errors
    /// The system gives no thread.
    pub fn open(
        layout: &DeviceLayout,
        sinks: &dyn Fn() -> Box<dyn ReportSink>,
        executor: E,
    ) -> Result<Self, BackendError> {
        let mut device = Self {
            shared: Arc::new(SharedDevice::new(layout, executor)),
            workers: Vec::new(),
        };
        let streams = layout.streams.iter();
        let streams = streams.map(|stream| format!("stream {}", stream.name));
        let callbacks = (0..layout.callbacks.len()).map(|place| format!("callbacks {place}"));
        for (place, name) in streams.chain(callbacks).enumerate() {
            let worker = StreamWorker::new(Arc::clone(&device.shared), place, sinks());
            device
                .workers
                .push(Mutex::new(StreamThread::Idle(name, Box::new(worker))));
        }
        // Those of callbacks are handed work by streams, which start no thread.
        for place in layout.streams.len()..device.workers.len() {
            device.start_thread(StreamIndex(place as u32))?;
        }
        Ok(device)
    }

    /// Starts the thread of a stream, unless it runs.
    fn start_thread(&self, index: StreamIndex) -> Result<(), BackendError> {
        let Some(thread) = self.workers.get(index.index()) else {
            return Ok(());
        };
        let mut thread = lock(thread);
        if let StreamThread::Started(_) = &*thread {
            return Ok(());
        }
        let StreamThread::Idle(name, worker) = std::mem::replace(&mut *thread, StreamThread::None)
        else {
            return Err(BackendError::Thread(
                "the system gave none before".to_owned(),
            ));
        };
        let started = std::thread::Builder::new()
            .name(name)
            .stack_size(STACK)
            .spawn(move || worker.run());
        *thread = StreamThread::Started(
            started.map_err(|error| BackendError::Thread(error.to_string()))?,
        );
        Ok(())
    }

    fn stream(&self, stream: StreamIndex) -> Result<&ThreadedStream, BackendError> {
        let asked = self.shared.streams.get(..self.shared.stream_count);
        let found = asked.unwrap_or_default().get(stream.index());
        found.ok_or_else(|| BackendError::Unknown(format!("stream {}", stream.0)))
    }

    fn event(&self, event: EventIndex) -> Result<&Mutex<Option<Arc<EventState>>>, BackendError> {
        let found = self.shared.events.get(event.index());
        found.ok_or_else(|| BackendError::Unknown(format!("event {}", event.0)))
    }

    /// New records of the events that a graph records, and the latest of those that it waits for (rule A42).
    fn marks(&self, graph: &ExecutableGraph) -> Result<NodeEventStates, BackendError> {
        let marks = graph.nodes.iter().map(|node| match node.operation {
            Operation::RecordExternal(event) => {
                let mark = Arc::new(EventState::default());
                *lock(self.event(event)?) = Some(Arc::clone(&mark));
                Ok(Some(mark))
            }
            Operation::WaitExternal(event) => Ok(lock(self.event(event)?).clone()),
            _ => Ok(None),
        });
        marks.collect()
    }

    fn latest(&self, event: EventIndex) -> Option<Arc<EventState>> {
        self.event(event).ok().and_then(|slot| lock(slot).clone())
    }

    /// A loss below is seen by what runs, and by nothing while nothing does.
    fn look_for_loss(&self) {
        let shared = &self.shared;
        if !shared.condition.is_over()
            && let Some(reason) = shared.executor.lost()
        {
            shared.lose(&reason);
        }
    }

    fn wait_for_streams(&self, ends: &[(StreamIndex, u64)], deadline: Option<Instant>) -> bool {
        let is_void = || self.shared.condition.is_void();
        ends.iter().all(|(stream, ended)| {
            let stream = self.shared.streams.get(stream.index());
            stream.is_none_or(|stream| stream.ended.wait(*ended, &is_void, deadline))
        })
    }
}

impl<E: Executor> ThreadedDevice<E> {
    /// Blocks `host` until the latest record of an event is reached: it spins where the event is made so (rule A10).
    fn until_recorded(
        &self,
        host: HostIndex,
        event: EventIndex,
        deadline: Option<Instant>,
    ) -> Result<(), BackendError> {
        let shared = &self.shared;
        let losses = shared.condition.losses();
        let Some(mark) = self.latest(event) else {
            return shared.condition.check();
        };
        let sleeps = shared.made.get(event.index()).is_some_and(|it| it.blocking);
        let is_void = || shared.condition.is_void();
        let wait = HostWait::Mark(event, Arc::clone(&mark));
        let block = || {
            if sleeps {
                mark.level().wait(EventState::SETTLED, &is_void, deadline)
            } else {
                mark.level().spin(EventState::SETTLED, &is_void, deadline)
            }
        };
        shared.block(host, (&wait, losses), deadline.is_some(), block)?;
        match mark.progress() {
            RecordProgress::Failed => Err(stream_error::failed_record()),
            _ => Ok(()),
        }
    }

    /// Blocks `host` until streams have ended what they were given, and says what they have gone through.
    fn until_idle(
        &self,
        host: HostIndex,
        target: SyncTarget,
        streams: &[StreamIndex],
        deadline: Option<Instant>,
    ) -> Result<(), BackendError> {
        let losses = self.shared.condition.losses();
        let mut ends = Vec::new();
        let mut aborts = Vec::new();
        for index in streams {
            let stream = self.stream(*index)?;
            ends.push((*index, stream.submitted()));
            aborts.push((stream, stream.trouble.aborts()));
        }
        let wait = HostWait::Streams(target, ends.clone());
        let block = || self.wait_for_streams(&ends, deadline);
        let done = (self.shared).block(host, (&wait, losses), deadline.is_some(), block);
        if matches!(
            done,
            Err(BackendError::Stopped | BackendError::Lost(_) | BackendError::TimedOut)
        ) {
            return done;
        }
        if aborts
            .iter()
            .any(|(stream, count)| stream.trouble.aborts() > *count)
        {
            return Err(stream_error::aborted());
        }
        let kept = aborts.iter().find_map(|(stream, _)| stream.trouble.take());
        kept.map_or(done, Err)
    }
}

impl<E: Executor> BackendDevice for ThreadedDevice<E> {
    fn name(&self) -> &str {
        self.shared.executor.name()
    }

    fn caps(&self) -> &Caps {
        self.shared.executor.caps()
    }

    fn start(&self) {
        self.shared.start();
    }

    fn stop(&self) {
        self.shared.stop();
    }
}

impl<E: Executor> DeviceTime for ThreadedDevice<E> {
    fn clock(&self) -> Clock {
        Clock {
            device: self.shared.device,
            ..self.shared.executor.clock(self.shared.zero())
        }
    }

    fn now(&self, _: HostIndex) -> Nanos {
        self.shared.now()
    }
}

impl<E: Executor> DeviceQueue for ThreadedDevice<E> {
    fn make_room(&self, host: HostIndex, index: StreamIndex) {
        let Ok(stream) = self.stream(index) else {
            return;
        };
        let submitted = stream.submitted();
        if submitted < ROOM || stream.ended.get() > submitted - ROOM {
            return;
        }
        self.until_ended(host, index, submitted - ROOM / 2);
    }

    fn until_ended(&self, host: HostIndex, index: StreamIndex, ended: u64) {
        let Ok(stream) = self.stream(index) else {
            return;
        };
        let losses = self.shared.condition.losses();
        let is_over = || self.shared.condition.is_over();
        let wait = HostWait::Room(index, ended);
        let block = || stream.ended.wait(ended, &is_over, None);
        let _ = (self.shared).block(host, (&wait, losses), false, block);
    }

    fn take_slot(&self, host: HostIndex) -> Result<SpanId, BackendError> {
        let losses = self.shared.condition.losses();
        let slots = &self.shared.slots;
        let given_back = slots.take();
        let is_over = || self.shared.condition.is_over();
        let block = || slots.free().wait(given_back, &is_over, None);
        let taken = self
            .shared
            .block(host, (&HostWait::Slot(given_back), losses), false, block);
        match taken {
            Ok(()) => Ok(slots.giver(given_back)),
            Err(error) => {
                // No record will give it back.
                slots.give_back(SpanId::NONE);
                Err(error)
            }
        }
    }

    fn is_short_of_slots(&self) -> bool {
        self.shared.slots.is_short()
    }

    fn abort(&self, host: HostIndex, index: StreamIndex, by: SpanId) -> Result<(), BackendError> {
        let losses = self.shared.condition.losses();
        let stream = self.stream(index)?;
        let reached = (stream.submitted(), stream.ended.get());
        stream.trouble.abort(reached, by, self.shared.now());
        stream.poke();
        self.shared.signals.iter().for_each(Watermark::poke);
        let others = self.shared.streams.iter();
        others.for_each(|other| other.ended.poke());
        let is_void = || self.shared.condition.is_void();
        let wait = HostWait::Streams(SyncTarget::Stream(index), vec![(index, reached.0)]);
        let block = || stream.ended.wait(reached.0, &is_void, None);
        // What is killed may take a while to notice, but it does.
        (self.shared).block(host, (&wait, losses), true, block)
    }

    fn pending(&self, stream: StreamIndex) -> u64 {
        self.stream(stream).map_or(0, |stream| {
            // In this order, so that the difference is never negative.
            let ended = stream.ended.get();
            stream.submitted().saturating_sub(ended)
        })
    }

    fn is_idle(&self, _: HostIndex, streams: &[StreamIndex]) -> bool {
        streams.iter().all(|&it| self.pending(it) == 0)
    }

    fn calls(&self, stream: StreamIndex) -> u64 {
        self.stream(stream).map_or(0, ThreadedStream::calls)
    }

    fn submit(
        &self,
        _: HostIndex,
        index: StreamIndex,
        submission: Submission,
    ) -> Result<(), BackendError> {
        let stream = self.stream(index)?;
        self.shared.executor.check(&submission.operation)?;
        if stream.submitted() == 0 {
            self.start_thread(index)?;
        }
        let item = match &submission.operation {
            Operation::Record(event) => {
                let mark = Arc::new(EventState::default());
                let mut slot = lock(self.event(*event)?);
                *slot = Some(Arc::clone(&mark));
                stream.push(QueuedOperation::new(submission, Some(mark)));
                return Ok(());
            }
            Operation::Reset(event) => {
                let mut slot = lock(self.event(*event)?);
                *slot = None;
                stream.push(QueuedOperation::new(submission, None));
                return Ok(());
            }
            Operation::Wait(event) | Operation::WaitFor(event, _) => {
                let slot = lock(self.event(*event)?);
                stream.push(QueuedOperation::new(submission, slot.clone()));
                return Ok(());
            }
            Operation::Replay(replay) if replay.graph.reaches_out => QueuedOperation {
                nodes: self.marks(&replay.graph)?,
                ..QueuedOperation::new(submission, None)
            },
            _ => QueuedOperation::new(submission, None),
        };
        stream.push(item);
        Ok(())
    }

    fn pack(
        &self,
        launch: KernelArguments,
        elements: Option<usize>,
    ) -> Result<Arc<PreparedLaunch>, BackendError> {
        let kept = self.shared.executor.pack(&launch, elements)?;
        Ok(Arc::new(PreparedLaunch::new(launch, elements, kept)))
    }

    fn await_loss(&self, stream: StreamIndex) {
        let stream = self.shared.streams.get(stream.index());
        stream.into_iter().for_each(ThreadedStream::await_loss);
    }

    fn begun(&self, stream: StreamIndex) -> u64 {
        let stream = self.shared.streams.get(stream.index());
        stream.map_or(0, ThreadedStream::begun)
    }

    fn completed(&self, stream: StreamIndex) -> u64 {
        self.stream(stream)
            .map_or(0, |stream| stream.completed.get())
    }
}

impl<E: Executor> DeviceWaiting for ThreadedDevice<E> {
    fn turn(&self, _: HostIndex) -> Result<(), BackendError> {
        // A host thread learns of a failure where it synchronises, as on a GPU, and of a stop here.
        if self.shared.condition.is_stopped() {
            return Err(BackendError::Stopped);
        }
        Ok(())
    }

    fn leave(&self, host: HostIndex) {
        if let Some(host) = self.shared.hosts.get(host.0) {
            host.leave();
        }
    }

    fn query(&self, _: HostIndex, event: EventIndex) -> RecordProgress {
        let progress = self.latest(event).map(|mark| mark.progress());
        match progress.unwrap_or(RecordProgress::NotRecorded) {
            // Its stream comes to it no more, though it may not have noticed (rule A9).
            RecordProgress::Pending if self.shared.condition.has_failed() => RecordProgress::Failed,
            progress => progress,
        }
    }

    fn synchronize(
        &self,
        host: HostIndex,
        target: SyncTarget,
        timeout: Option<Duration>,
    ) -> Result<(), BackendError> {
        let deadline = timeout.map(|timeout| Instant::now() + timeout);
        match target {
            SyncTarget::Event(event) => self.until_recorded(host, event, deadline),
            SyncTarget::Stream(stream) => self.until_idle(host, target, &[stream], deadline),
            SyncTarget::Device => {
                let all = 0..self.shared.stream_count as u32;
                let all: Vec<StreamIndex> = all.map(StreamIndex).collect();
                self.until_idle(host, target, &all, deadline)
            }
        }
    }

    fn raise(&self, _: HostIndex, signal: SignalIndex) {
        if let Some(level) = self.shared.signals.get(signal.index()) {
            level.raise(1);
        }
    }

    fn until_raised(&self, host: HostIndex, signal: SignalIndex) -> Result<(), BackendError> {
        let level = self.shared.signals.get(signal.index());
        let level = level.ok_or_else(|| BackendError::Unknown(format!("signal {}", signal.0)))?;
        let gives_up = || self.shared.check_hosts().is_err();
        let block = || level.wait(1, &gives_up, None);
        if self
            .shared
            .show_blocked(host, &HostWait::Signal(signal), false, block)
        {
            return Ok(());
        }
        self.shared.check_hosts()
    }

    fn until_flag(&self, host: HostIndex, flag: &Flag) -> Result<(), BackendError> {
        let block = || {
            while !flag.wait(LOOK) {
                self.shared.check_hosts()?;
            }
            Ok(())
        };
        match self.shared.hosts.get(host.0) {
            Some(slot) => slot.blocked(&HostWait::Flag(flag.clone()), false, block),
            None => block(),
        }
    }

    fn work(&self, _: HostIndex, length: Nanos) {
        // A host thread that has not noticed a failure works on; only a stop cuts it short.
        let is_stopped = || self.shared.condition.is_stopped();
        self.shared.executor.work(length, &is_stopped);
    }

    fn interrupt(&self) {
        self.shared.interrupt();
    }
}

impl<E: Executor> DeviceCompiler for ThreadedDevice<E> {
    fn validate(&self, request: &CompileRequest) -> Result<(), CompileError> {
        self.shared.executor.validate(request)
    }

    fn compile(&self, request: &CompileRequest) -> Result<CompiledPipeline, CompileError> {
        let is_over = || self.shared.condition.is_over();
        if is_over() {
            return Err(CompileError::Lost);
        }
        self.shared.executor.compile(request, &is_over)
    }
}

impl<E: Executor> DeviceBuffers for ThreadedDevice<E> {
    fn read(&self, buffer: BufferIndex, side: BufferSide) -> Vec<f32> {
        self.shared.executor.read(buffer, side)
    }

    fn write(&self, buffer: BufferIndex, first: usize, values: &[f32]) {
        self.shared.executor.write(buffer, first, values);
    }
}

impl<E: Executor> DeviceState for ThreadedDevice<E> {
    fn activity(&self) -> Activity {
        self.look_for_loss();
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
            due: 0,
        }
    }

    fn wait_idle(&self, timeout: Duration) -> bool {
        let deadline = Some(Instant::now() + timeout);
        self.shared.streams.iter().all(|stream| {
            let submitted = stream.submitted();
            stream.reported.wait(submitted, &|| false, deadline)
        })
    }

    fn running(
        &self,
        age: Nanos,
        known: &dyn Fn(SpanId) -> bool,
        report: &mut dyn FnMut(SpanStart),
    ) {
        let now = self.shared.now();
        let current = self
            .shared
            .streams
            .iter()
            .filter_map(ThreadedStream::current);
        current
            .filter(|began| now - began.start >= age && !known(began.id))
            .for_each(report);
    }

    fn overheads(&self) -> Vec<Overhead> {
        self.shared.executor.overheads(self.shared.zero())
    }

    fn starved(&self, streams: &[StreamIndex]) -> Option<Nanos> {
        let shared = &self.shared;
        if !shared.executor.works_itself() {
            return None;
        }
        let streams = streams
            .iter()
            .filter_map(|it| shared.streams.get(it.index()));
        // One that was given nothing has no thread.
        let threads = streams.filter_map(|it| it.thread.get());
        let waited = threads.map(|it| Some(it.as_ref()?.times()?.waited));
        // Which stream's graphs the others helped with is not told apart.
        let mut all = waited.chain([shared.crew.starved()]);
        all.try_fold(Nanos::ZERO, |sum, it| Some(sum + it?))
    }

    fn pace(&self) -> Option<PaceReport> {
        self.shared.executor.pace()
    }

    fn raw(&self, question: &NativeQuery) -> Option<PendingAnswer> {
        let answer = self.shared.executor.raw(question);
        self.look_for_loss();
        answer
    }
}

impl<E> Drop for ThreadedDevice<E> {
    fn drop(&mut self) {
        self.shared.stop();
        let count = self.shared.stream_count;
        let (streams, callbacks) = self.shared.streams.split_at(count);
        let mut workers = self.workers.drain(..);
        // Those of callbacks last: streams may still hand them something.
        for group in [streams, callbacks] {
            group.iter().for_each(ThreadedStream::close);
            for worker in workers.by_ref().take(group.len()) {
                // A worker that panicked outside a kernel has nothing more to report.
                if let Ok(StreamThread::Started(worker)) = worker.into_inner() {
                    let _ = worker.join();
                }
            }
        }
        self.shared.crew.close();
    }
}

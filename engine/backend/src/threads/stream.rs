//! A stream: the queue between host threads and its worker, and what its worker is doing.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU8, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use super::event_state::EventState;
use super::stream_error::StreamErrorState;
use super::watermark::Watermark;
use crate::{StreamPosition, Submission, SystemThread};
use device::{RecordProgress, lock};
use record::time::Nanos;
use record::{CounterId, EventIndex, LaneId, NameId, SignalIndex, SpanId, SpanKind, SpanStart};
use workload::FailureMode;

/// A stream of the device.
#[derive(Debug)]
pub struct ThreadedStream {
    /// The lane its spans go to.
    pub lane: LaneId,
    /// The counter of its pending operations.
    pub pending: CounterId,
    /// Operations that ended.
    pub ended: Watermark,
    /// Operations up to the last that was not lost.
    pub completed: Watermark,
    /// Operations that were reported: those that ended, but for some whose time is not known yet.
    pub reported: Watermark,
    /// What the worker waits for at the moment.
    pub hold: Mutex<Option<StreamObstacle>>,
    /// What it does after an operation of its own failed.
    pub failure: FailureMode,
    /// Its thread, once that was started; nothing where the system tells nothing of it.
    pub thread: OnceLock<Option<SystemThread>>,
    /// What it has gone through.
    pub trouble: StreamErrorState,
    /// The ends of functions that the thread of its callbacks was given.
    called: Mutex<Vec<Arc<EventState>>>,
    submitted: AtomicU64,
    queue: Mutex<StreamQueue>,
    arrived: Condvar,
    current: CurrentOperation,
    /// Operations that began to run, waits apart.
    begun: AtomicU64,
    /// Whether the next of them stays in its beginning until the device is lost.
    awaits_loss: AtomicBool,
}

/// An operation in a queue, with the record of an event that it reaches or waits for.
#[derive(Debug)]
pub struct QueuedOperation {
    /// The operation.
    pub submission: Submission,
    /// The record it reaches or waits for, where it is an operation on an event that has one.
    pub mark: Option<Arc<EventState>>,
    /// For each node of a graph that records events or waits for some, its record.
    pub nodes: NodeEventStates,
}

/// For each node of a graph the record that it reaches or waits for; none at all where no node does either.
pub type NodeEventStates = Arc<[Option<Arc<EventState>>]>;

impl QueuedOperation {
    /// An operation, with the record that it reaches or waits for.
    pub fn new(submission: Submission, mark: Option<Arc<EventState>>) -> Self {
        Self {
            submission,
            mark,
            nodes: Arc::default(),
        }
    }
}

/// What the operation at the head of a stream waits for.
#[derive(Clone, Debug)]
pub enum StreamObstacle {
    /// A record of an event.
    Event(EventIndex, Arc<EventState>),
    /// A record of an event, until its deadline.
    Until(Arc<EventState>),
    /// A function that a callback thread calls.
    Callback(Arc<EventState>),
    /// A signal.
    Signal(SignalIndex),
    /// A position of another stream.
    Stream(StreamPosition),
}

#[derive(Debug, Default)]
struct StreamQueue {
    items: VecDeque<QueuedOperation>,
    is_closed: bool,
    is_asleep: bool,
}

/// How long an operation stays in its beginning for a loss of the device, at most.
const MOST_STAY: Duration = Duration::from_millis(100);
/// How often it looks whether the device was lost.
const STAY: Duration = Duration::from_micros(20);

impl ThreadedStream {
    /// An empty stream whose spans go to `lane` and whose pending operations `pending` counts.
    pub fn new(lane: LaneId, pending: CounterId, failure: FailureMode) -> Self {
        Self {
            lane,
            pending,
            ended: Watermark::default(),
            completed: Watermark::default(),
            reported: Watermark::default(),
            hold: Mutex::default(),
            failure,
            thread: OnceLock::new(),
            trouble: StreamErrorState::default(),
            called: Mutex::default(),
            submitted: AtomicU64::new(0),
            queue: Mutex::default(),
            arrived: Condvar::new(),
            current: CurrentOperation::default(),
            begun: AtomicU64::new(0),
            awaits_loss: AtomicBool::new(false),
        }
    }

    /// Appends an operation.
    pub fn push(&self, item: QueuedOperation) {
        let mut queue = lock(&self.queue);
        queue.items.push_back(item);
        self.submitted.fetch_add(1, Ordering::SeqCst);
        if queue.is_asleep {
            queue.is_asleep = false;
            self.arrived.notify_one();
        }
    }

    /// The thread of its callbacks was given a function, whose end is `end`.
    pub fn call(&self, end: &Arc<EventState>) {
        let mut called = lock(&self.called);
        called.retain(|end| end.progress() == RecordProgress::Pending);
        called.push(Arc::clone(end));
    }

    /// Functions that the thread of its callbacks was given and that have not ended.
    pub fn calls(&self) -> u64 {
        let called = lock(&self.called);
        let open = called
            .iter()
            .filter(|end| end.progress() == RecordProgress::Pending);
        open.count() as u64
    }

    /// Operations submitted so far.
    pub fn submitted(&self) -> u64 {
        self.submitted.load(Ordering::SeqCst)
    }

    /// Moves all that is queued to `into`, which is empty; waits where nothing is. False once closed.
    pub fn take(&self, into: &mut VecDeque<QueuedOperation>) -> bool {
        let mut queue = lock(&self.queue);
        loop {
            if !queue.items.is_empty() {
                std::mem::swap(&mut queue.items, into);
                return true;
            }
            if queue.is_closed {
                return false;
            }
            queue.is_asleep = true;
            queue = self
                .arrived
                .wait(queue)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// As [`Stream::take`], and gives up after `patience`: then nothing was moved.
    pub fn take_for(
        &self,
        into: &mut VecDeque<QueuedOperation>,
        patience: Option<Duration>,
    ) -> bool {
        let Some(patience) = patience else {
            return self.take(into);
        };
        let mut queue = lock(&self.queue);
        if queue.items.is_empty() && !queue.is_closed {
            queue.is_asleep = true;
            let woken = self.arrived.wait_timeout(queue, patience);
            queue = woken.unwrap_or_else(PoisonError::into_inner).0;
            queue.is_asleep = false;
        }
        std::mem::swap(&mut queue.items, into);
        !(into.is_empty() && queue.is_closed)
    }

    /// Makes the worker look whether it should go on waiting for what it waits for.
    pub fn poke(&self) {
        match &*lock(&self.hold) {
            Some(
                StreamObstacle::Event(_, mark)
                | StreamObstacle::Until(mark)
                | StreamObstacle::Callback(mark),
            ) => {
                mark.level().poke();
            }
            // What they wait on is no mark of theirs.
            Some(StreamObstacle::Signal(_) | StreamObstacle::Stream(_)) | None => {}
        }
    }

    /// Ends the worker once it has taken what is queued.
    pub fn close(&self) {
        lock(&self.queue).is_closed = true;
        self.arrived.notify_all();
    }

    /// Notes that the worker runs `submission` since `start`.
    pub fn begin(&self, submission: &Submission, start: Nanos) {
        let current = &self.current;
        let kind = submission.operation.kind();
        if !kind.is_waiting() {
            self.begun.fetch_add(1, Ordering::Release);
        }
        let kind = kind as u8;
        current.span.store(SpanId::NONE.0, Ordering::Relaxed);
        current.name.store(submission.name.0, Ordering::Release);
        current.kind.store(kind, Ordering::Release);
        current
            .enqueued
            .store(submission.enqueued.0, Ordering::Release);
        current.start.store(start.0, Ordering::Release);
        current.span.store(submission.span.0, Ordering::Release);
    }

    /// Has the next operation that begins, waits apart, stay there until the device is lost.
    pub fn await_loss(&self) {
        self.awaits_loss.store(true, Ordering::Release);
    }

    /// Stays in the beginning of an operation until `is_lost`, where that was asked for. Whoever loses the device is not
    /// waited for without end.
    pub fn stay(&self, submission: &Submission, is_lost: &dyn Fn() -> bool) {
        if submission.operation.kind().is_waiting()
            || !self.awaits_loss.load(Ordering::Relaxed)
            || !self.awaits_loss.swap(false, Ordering::AcqRel)
        {
            return;
        }
        let until = Instant::now() + MOST_STAY;
        while !is_lost() && Instant::now() < until {
            std::thread::sleep(STAY);
        }
    }

    /// Notes that it ended, and how many have.
    pub fn end(&self, ended: u64) {
        self.current.span.store(SpanId::NONE.0, Ordering::Relaxed);
        self.ended.raise(ended);
    }

    /// Operations that began to run, waits apart: whoever looks from time to time misses none, however short.
    pub fn begun(&self) -> u64 {
        self.begun.load(Ordering::Acquire)
    }

    /// What the worker runs.
    pub fn current(&self) -> Option<SpanStart> {
        self.current.read(self.lane)
    }
}

/// What a worker runs, written by it before each operation and read by whoever asks. Ids of spans are
/// never used twice, so a reading between two equal ids is of one operation.
#[derive(Debug)]
struct CurrentOperation {
    span: AtomicU32,
    name: AtomicU32,
    kind: AtomicU8,
    enqueued: AtomicI64,
    start: AtomicI64,
}

impl Default for CurrentOperation {
    /// Nothing runs: the number 0 is that of a span.
    fn default() -> Self {
        Self {
            span: AtomicU32::new(SpanId::NONE.0),
            name: AtomicU32::default(),
            kind: AtomicU8::default(),
            enqueued: AtomicI64::default(),
            start: AtomicI64::default(),
        }
    }
}

impl CurrentOperation {
    fn read(&self, lane: LaneId) -> Option<SpanStart> {
        let id = SpanId(self.span.load(Ordering::Acquire));
        let kind = self.kind.load(Ordering::Acquire);
        let began = SpanStart {
            id,
            lane,
            name: NameId(self.name.load(Ordering::Acquire)),
            kind: *SpanKind::ALL.get(usize::from(kind))?,
            enqueued: Nanos(self.enqueued.load(Ordering::Acquire)),
            start: Nanos(self.start.load(Ordering::Acquire)),
        };
        let is_whole = id.is_some() && self.span.load(Ordering::Acquire) == id.0;
        is_whole.then_some(began)
    }
}

//! The recorded launches and graphs of a run, and what its streams capture.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};

use super::prepare::DEVICE;
use super::recorder::Reporter;
use backend::{ExecutableGraph, Operation, PreparedLaunch};
use device::capture::{CapturedGraph, StreamCaptures};
use device::{BufferHandle, LaunchArgument, RecordedLaunch, lock};
use order::{DeclaredUse, StreamOrderTraits};
use record::time::Nanos;
use record::{
    BufferIndex, CallId, Launch, LaunchChange, LaunchId, LaunchKind, LaunchStep, NameId, Record,
    SpanId, StreamIndex,
};
use workload::{ArgumentValue, GraphIndex, Plan, RecordedIndex, StreamKind};

/// The recorded launches and graphs of a run, and what its streams capture.
pub struct RunLaunches {
    recorded: Vec<Mutex<LaunchEntry>>,
    graphs: Vec<Mutex<GraphEntry>>,
    captures: Mutex<StreamCaptures<CapturedCall>>,
    /// Whether a capture was ever begun: while not, no call has to be looked at.
    is_capturing: AtomicBool,
    /// Which opening of the device the buffers are of, counted from 1.
    generation: AtomicU32,
    /// For each buffer twice how often it was made, and one more while it is freed.
    buffers: Vec<AtomicU32>,
    /// How many streams the plan has.
    streams: u32,
    /// What the nodes of graphs that reach out count as in the order of calls.
    branches: Mutex<BranchStreams>,
    /// How often a buffer was made or freed, or the device opened anew.
    epoch: AtomicU32,
}

/// Streams beyond those of the plan, one for each node of a graph on each stream that it is replayed on.
#[derive(Debug, Default)]
struct BranchStreams {
    /// The first of each, and how many there are.
    first: BTreeMap<(u32, StreamIndex), (u32, usize)>,
    /// The stream of the replay, for each of them.
    of: Vec<StreamIndex>,
}

/// A recorded launch, and what the device keeps of it since it was launched or changed last.
#[derive(Default)]
pub struct LaunchEntry {
    /// What was recorded.
    pub launch: Option<RecordedLaunch>,
    /// What the device keeps ready, and for which opening of the device.
    pub ready: Option<(Arc<PreparedLaunch>, u32)>,
}

/// A graph: what was captured last, and what is ready to be replayed.
#[derive(Default)]
pub struct GraphEntry {
    /// What was captured last.
    pub captured: Option<Arc<CapturedGraph<CapturedCall>>>,
    /// What is ready, for which opening of the device, and the revision that it is.
    pub ready: Option<(Arc<ExecutableGraph>, u32, u32)>,
    /// How often it was changed.
    pub revision: u32,
}

/// A call that was captured.
#[derive(Clone, Debug, PartialEq)]
pub struct CapturedCall {
    /// What it would have submitted.
    pub operation: Operation,
    /// What that uses.
    pub uses: Vec<DeclaredUse>,
    /// What its operation is called.
    pub name: NameId,
    /// Where in the source it stands.
    pub call: CallId,
    /// The call's own span.
    pub span: SpanId,
    /// The stream that it was captured on.
    pub stream: StreamIndex,
}

impl RunLaunches {
    /// Of a run of `plan`, before its first call.
    pub fn new(plan: &Plan) -> Self {
        let traits = plan.streams.iter().map(|stream| StreamOrderTraits {
            device: 0,
            is_legacy: stream.traits.kind == StreamKind::Legacy,
            is_blocking: stream.traits.is_blocking,
        });
        let recorded = plan.recorded.iter().map(|plan| {
            let empty = plan.kernel.map(RecordedLaunch::empty);
            Mutex::new(LaunchEntry {
                launch: empty.and_then(Result::ok),
                ready: None,
            })
        });
        Self {
            recorded: recorded.collect(),
            graphs: plan.graphs.iter().map(|_| Mutex::default()).collect(),
            captures: Mutex::new(StreamCaptures::new(traits.collect())),
            is_capturing: AtomicBool::new(false),
            generation: AtomicU32::new(1),
            buffers: plan.buffers.iter().map(|_| AtomicU32::new(2)).collect(),
            streams: plan.streams.len() as u32,
            branches: Mutex::default(),
            epoch: AtomicU32::new(0),
        }
    }

    /// A recorded launch.
    pub fn recorded(&self, index: RecordedIndex) -> Option<MutexGuard<'_, LaunchEntry>> {
        self.recorded.get(index.index()).map(lock)
    }

    /// A graph.
    pub fn graph(&self, index: GraphIndex) -> Option<MutexGuard<'_, GraphEntry>> {
        self.graphs.get(index.index()).map(lock)
    }

    /// What is captured; from now on calls are looked at.
    pub fn captures(&self) -> MutexGuard<'_, StreamCaptures<CapturedCall>> {
        lock(&self.captures)
    }

    /// From now on calls are looked at, because something captures or has.
    pub fn begin(&self) {
        self.is_capturing.store(true, Ordering::SeqCst);
    }

    /// Whether calls have to be looked at.
    pub fn is_capturing(&self) -> bool {
        self.is_capturing.load(Ordering::Relaxed)
    }

    /// Which opening of the device the buffers are of, counted from 1.
    pub fn generation(&self) -> u32 {
        self.generation.load(Ordering::SeqCst)
    }

    /// The device was opened anew, with buffers of its own.
    pub fn renew(&self) {
        self.generation.fetch_add(1, Ordering::SeqCst);
        for buffer in &self.buffers {
            buffer.fetch_add(2, Ordering::SeqCst);
        }
        self.epoch.fetch_add(1, Ordering::SeqCst);
    }

    /// A buffer is made or freed in the order of a stream: handles of before mean another one (rule D10).
    pub fn note(&self, operation: &Operation) {
        let (Operation::Allocate(buffer) | Operation::Free(buffer)) = operation else {
            return;
        };
        let Some(state) = self.buffers.get(buffer.index()) else {
            return;
        };
        let is_free = matches!(operation, Operation::Free(_));
        let before = state.load(Ordering::SeqCst);
        let after = if is_free {
            before | 1
        } else {
            (before | 1) + 1
        };
        state.store(after, Ordering::SeqCst);
        self.epoch.fetch_add(1, Ordering::SeqCst);
    }

    /// Changes whenever a buffer may have become another one.
    pub fn epoch(&self) -> u32 {
        self.epoch.load(Ordering::SeqCst)
    }

    /// Which making of it a buffer is, counted from 1; nothing while it is freed.
    pub fn making(&self, buffer: BufferIndex) -> Option<u32> {
        let state = self.buffers.get(buffer.index())?.load(Ordering::SeqCst);
        (state % 2 == 0).then_some(state / 2)
    }

    /// No call was made, for a run that begins again.
    pub fn forget(&self, plan: &Plan) {
        let fresh = Self::new(plan);
        std::mem::swap(&mut *self.captures(), &mut *lock(&fresh.captures));
        for (slot, fresh) in self.recorded.iter().zip(fresh.recorded) {
            std::mem::swap(&mut *lock(slot), &mut *lock(&fresh));
        }
        for slot in &self.graphs {
            let mut graph = lock(slot);
            *graph = GraphEntry {
                revision: graph.revision,
                ..GraphEntry::default()
            };
        }
    }

    /// The first of the streams that the nodes of a graph, so many, count as where it is replayed on `stream`.
    pub fn branches(&self, graph: u32, stream: StreamIndex, count: usize) -> StreamIndex {
        let mut branches = lock(&self.branches);
        let next = branches.of.len() as u32;
        let known = branches
            .first
            .entry((graph, stream))
            .or_insert((next, count));
        // A graph that was captured anew may have more nodes.
        let first = if known.1 < count {
            *known = (next, count);
            next
        } else {
            known.0
        };
        if first == next {
            branches.of.extend(std::iter::repeat_n(stream, count));
        }
        StreamIndex(self.streams + first)
    }

    /// The stream that a stream in the order of calls is: that of the replay, for the node of a graph.
    pub fn stream_of(&self, stream: StreamIndex) -> StreamIndex {
        let branches = lock(&self.branches);
        let place = stream.0.checked_sub(self.streams);
        let found = place.and_then(|place| branches.of.get(place as usize));
        found.copied().unwrap_or(stream)
    }

    /// A buffer as it is now.
    pub fn handle(&self, buffer: BufferIndex) -> BufferHandle {
        // One that is freed is none: 0 is no making.
        BufferHandle::new(buffer, self.making(buffer).unwrap_or(0))
    }

    /// An argument as it is now.
    pub fn argument(&self, value: ArgumentValue) -> LaunchArgument {
        match value {
            ArgumentValue::Buffer(buffer) => LaunchArgument::Buffer(self.handle(buffer)),
            ArgumentValue::Number(number) => LaunchArgument::Number(number),
        }
    }
}

/// A recorded launch in the capture.
pub const fn recorded_id(index: RecordedIndex) -> LaunchId {
    LaunchId(index.0)
}

/// A graph in the capture: they come after the recorded launches.
pub fn graph_id(plan: &Plan, index: GraphIndex) -> LaunchId {
    LaunchId(plan.recorded.len() as u32 + index.0)
}

/// Reports which launches and graphs there are.
pub fn describe(plan: &Plan, reporter: &Reporter) {
    let launch = |id, name: &str, kind| {
        reporter.send(Record::Launch(Box::new(Launch {
            id,
            name: name.to_owned(),
            kind,
            device: DEVICE,
        })));
    };
    for (place, recorded) in plan.recorded.iter().enumerate() {
        let id = recorded_id(RecordedIndex(place as u32));
        launch(id, &recorded.name, LaunchKind::Kernel);
        let empty = recorded.kernel.map(RecordedLaunch::empty);
        if let Some(Ok(empty)) = empty {
            let made = LaunchStep {
                detail: "made, not recorded: launching it does nothing".to_owned(),
                ..step(plan, id, &empty, Nanos::ZERO, SpanId::NONE)
            };
            reporter.send(Record::LaunchStep(Box::new(made)));
        }
    }
    for (place, graph) in plan.graphs.iter().enumerate() {
        let id = graph_id(plan, GraphIndex(place as u32));
        launch(id, graph, LaunchKind::Graph);
    }
}

/// What a recorded launch is now, as a step of its life.
pub fn step(
    plan: &Plan,
    launch: LaunchId,
    recorded: &RecordedLaunch,
    time: Nanos,
    span: SpanId,
) -> LaunchStep {
    let name = |buffer: BufferIndex| {
        let found = plan.buffers.get(buffer.index());
        found.map_or("?", |found| &found.name).to_owned()
    };
    LaunchStep {
        launch,
        revision: recorded.revision(),
        change: LaunchChange::Recorded,
        time,
        span,
        kernel: recorded.kernel().name.to_owned(),
        elements: recorded.elements().map(|elements| elements as u64),
        arguments: recorded.described(&name),
        nodes: Vec::new(),
        detail: String::new(),
    }
}

//! What the layer knows of a run, behind one lock: the model of this generation, and what it is about.

use std::collections::{BTreeMap, VecDeque};

use backend::{CompileRequest, Flag, HostIndex, PendingAnswer, StreamActivity};
use device::webgpu::{
    Api, BufferId, BufferShape, ModelPipelineId, ModelPromiseId, ModelTimeline, ModuleId,
    SpecAuthority, StepEffect, WebGpuModel,
};
use record::time::Nanos;
use record::{self, BufferIndex, CallId, LaneId, NameId, SpanId};
use workload::{PipelineIndex, Plan, PromiseIndex};

/// What the layer knows.
pub struct TimelinesState {
    /// The timelines of this generation of the device.
    pub model: WebGpuModel,
    /// The generation, counted from 1.
    pub generation: u32,
    /// The pipelines of this generation, by the model's ids.
    pub pipelines: Vec<PipelineEntry>,
    /// The number of the first of them in the capture.
    pub first_pipeline: u32,
    /// For each pipeline of the plan, the one that was requested last.
    pub latest_pipeline: Vec<Option<ModelPipelineId>>,
    /// Every promise of the run, by its id in the capture.
    pub promises: Vec<PromiseEntry>,
    /// For each promise of this generation, by the model's ids, its ids in the capture: one for each name it goes by.
    pub names: Vec<Vec<record::PromiseId>>,
    /// For each name of a promise, the one that was made last.
    pub latest_promise: Vec<Option<record::PromiseId>>,
    /// The buffers of the plan.
    pub buffers: Vec<BufferId>,
    /// The modules of the plan's pipelines.
    pub modules: Vec<ModuleId>,
    /// Who waits for a step on a host thread's content timeline.
    pub waiting: Vec<Vec<Flag>>,
    /// Pipelines that wait for a worker, and since when.
    pub jobs: VecDeque<WaitingPipeline>,
    /// What is being compiled, by whomever.
    pub compiling: Vec<CompileJob>,
    /// What each worker compiles, where time is virtual.
    pub workers: Vec<Option<CompileJob>>,
    /// What somebody waits for on the queue.
    pub watches: VecDeque<QueueWatch>,
    /// When the device timeline has done what it was given, in virtual time.
    pub device_free: Nanos,
    /// The step that lost the device, if any.
    pub lost_by: SpanId,
    /// What is wrong with calls that the layer refused, by the spans of the calls.
    pub refusals: BTreeMap<SpanId, String>,
    /// For promises of this generation, the same calls as they were made to the implementation below.
    pub asked: BTreeMap<ModelPromiseId, PendingAnswer>,
    /// The number of the alarm that is set for the next device step, where one is; any other comes for nothing.
    pub alarm: Option<u64>,
    /// Alarms that were set so far.
    pub alarms: u64,
    /// Whether the device of this generation is known to be lost outside of the timelines.
    pub is_loss_told: bool,
    /// Who waits for that, because `destroy()` was called.
    pub awaiting_loss: Vec<Flag>,
    /// Which of the threads of a device whose time is the host's wait for something to do: the actor of the device
    /// timeline, the workers, and the one who looks at the queue.
    pub resting: [bool; super::THREADS],
    /// Whether the run is over.
    pub is_closed: bool,
    editions: Vec<SpecAuthority>,
    sizes: Vec<u64>,
}

/// A pipeline that was requested.
#[derive(Clone, Debug)]
pub struct PipelineEntry {
    /// Which of the plan's.
    pub plan: PipelineIndex,
    /// Whether its caller went on.
    pub is_async: bool,
    /// The promise that its creation gave.
    pub promise: Option<ModelPromiseId>,
    /// The call that requested it, as a place in the file and as a span.
    pub call: (CallId, SpanId),
    /// What the backend is asked for.
    pub request: CompileRequest,
    /// The step that made it ready, or found that it never will be.
    pub decided: SpanId,
    /// Whether a launch has used it.
    pub is_used: bool,
    /// Why it failed, or how it was compiled, in words.
    pub detail: String,
    /// Whether a cache held it, where one was asked.
    pub cached: Option<bool>,
    /// Raised once it is decided.
    pub flag: Flag,
}

/// A promise that a call gave.
#[derive(Clone, Debug)]
pub struct PromiseEntry {
    /// Who made it.
    pub host: HostIndex,
    /// By which call.
    pub api: Api,
    /// What the workload calls it.
    pub name: Option<PromiseIndex>,
    /// The call's place in the file.
    pub call: CallId,
    /// The pipeline it is about, as a place in the plan.
    pub pipeline: Option<PipelineIndex>,
    /// The buffer that it maps for reading, where its numbers are not what the calls say, because a loss took them.
    pub stale: Option<BufferIndex>,
    /// The step that settled it.
    pub settled: Option<SpanId>,
    /// Raised once it is settled.
    pub flag: Flag,
}

/// A pipeline that waits for a worker.
#[derive(Clone, Copy, Debug)]
pub struct WaitingPipeline {
    pub pipeline: ModelPipelineId,
    /// The step that handed it over.
    pub cause: SpanId,
    pub since: Nanos,
    pub generation: u32,
}

/// A compile under way.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CompileJob {
    pub pipeline: ModelPipelineId,
    pub generation: u32,
    pub lane: LaneId,
    pub name: NameId,
    pub span: SpanId,
    pub enqueued: Nanos,
    pub start: Nanos,
}

/// What the streams had been given when somebody began to wait for them.
#[derive(Clone, Debug)]
pub struct QueueWatch {
    pub generation: u32,
    /// The model's number for it.
    pub point: u64,
    pub streams: Vec<StreamActivity>,
    /// The step that waits.
    pub cause: SpanId,
}

impl TimelinesState {
    /// Nothing was called yet.
    pub fn new(plan: &Plan) -> Self {
        let mut state = Self {
            model: WebGpuModel::default(),
            generation: 0,
            pipelines: Vec::new(),
            first_pipeline: 0,
            latest_pipeline: vec![None; plan.pipelines.len()],
            promises: Vec::new(),
            names: Vec::new(),
            latest_promise: vec![None; plan.promises.len()],
            buffers: Vec::new(),
            modules: Vec::new(),
            waiting: vec![Vec::new(); plan.hosts.len()],
            jobs: VecDeque::new(),
            workers: vec![None; super::WORKERS],
            watches: VecDeque::new(),
            device_free: Nanos::ZERO,
            lost_by: SpanId::NONE,
            refusals: BTreeMap::new(),
            asked: BTreeMap::new(),
            compiling: Vec::new(),
            alarm: None,
            alarms: 0,
            is_loss_told: false,
            awaiting_loss: Vec::new(),
            resting: [false; super::THREADS],
            is_closed: false,
            editions: plan.hosts.iter().map(|host| host.edition.into()).collect(),
            sizes: plan.buffers.iter().map(|it| it.len as u64 * 4).collect(),
        };
        state.renew();
        state
    }

    /// A fresh device, with the buffers and shaders of the plan made, and nothing else.
    pub fn renew(&mut self) {
        self.generation += 1;
        self.lost_by = SpanId::NONE;
        self.first_pipeline += self.pipelines.len() as u32;
        self.names.clear();
        self.refusals.clear();
        self.pipelines.clear();
        self.jobs.clear();
        self.watches.clear();
        self.asked.clear();
        self.alarm = None;
        self.is_loss_told = false;
        self.latest_pipeline.fill(None);
        let mut model = WebGpuModel::with_editions(&self.editions);
        let host = ModelTimeline::Content(0);
        let shape = |size: &u64| BufferShape {
            size: *size,
            ..BufferShape::default()
        };
        let made = self.sizes.iter();
        self.buffers = made
            .map(|size| model.create_buffer(host, SpanId::NONE, shape(size)).0)
            .collect();
        let count = self.latest_pipeline.len();
        self.modules = (0..count)
            .map(|_| model.create_shader_module(host, SpanId::NONE, false).0)
            .collect();
        while let Some(step) = model.step_device(SpanId::NONE) {
            for effect in step.effects {
                if let StepEffect::CompileModule(module) = effect {
                    model.module_completed(module, SpanId::NONE);
                }
            }
        }
        self.model = model;
    }

    /// The device is lost, because of what `cause` stands for. What was to be the next device step is no more: an alarm that
    /// is set for it comes for nothing.
    pub fn lose(&mut self, cause: SpanId) {
        self.model.lose(cause);
        self.alarm = None;
    }

    /// A pipeline's id in the capture.
    pub const fn recorded_pipeline(&self, pipeline: ModelPipelineId) -> record::PipelineId {
        record::PipelineId(self.first_pipeline + pipeline.0)
    }

    /// A promise's ids in the capture: one for each name it goes by.
    pub fn recorded_promises(&self, promise: ModelPromiseId) -> &[record::PromiseId] {
        self.names.get(promise.index()).map_or(&[], Vec::as_slice)
    }

    /// A promise of this generation as it was given first, by the model's id.
    pub fn first_entry(&self, promise: ModelPromiseId) -> Option<&PromiseEntry> {
        let first = self.recorded_promises(promise).first()?;
        self.promises.get(first.index())
    }

    /// One more name of a promise of this generation. Gives its id in the capture.
    pub fn add_entry(&mut self, promise: ModelPromiseId, given: PromiseEntry) -> record::PromiseId {
        let id = record::PromiseId(self.promises.len() as u32);
        self.promises.push(given);
        if self.names.len() <= promise.index() {
            self.names.resize_with(promise.index() + 1, Vec::new);
        }
        if let Some(names) = self.names.get_mut(promise.index()) {
            names.push(id);
        }
        id
    }

    /// The latest map that this promise is of reads a buffer whose numbers a loss took.
    pub fn note_stale(&mut self, promise: PromiseIndex, buffer: BufferIndex) {
        let latest = self.latest_promise.get(promise.index()).copied().flatten();
        let entry = latest.and_then(|it| self.promises.get_mut(it.index()));
        if let Some(entry) = entry {
            entry.stale = Some(buffer);
        }
    }

    /// A pipeline of this generation, by the model's id.
    pub fn entry(&mut self, pipeline: ModelPipelineId) -> Option<&mut PipelineEntry> {
        self.pipelines.get_mut(pipeline.index())
    }
}

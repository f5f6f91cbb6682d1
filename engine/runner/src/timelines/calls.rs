//! Calls of WebGPU's, as a host thread makes them: their content steps, and the promise that they give.

use super::native_queries::ask;
use super::state::{PipelineEntry, PromiseEntry, TimelinesState};
use super::{CONTENT_STEP, Timelines, compile};
use crate::shared::RunState;
use crate::uses;
use backend::NativeMapMode as raw;
use backend::{Flag, HostIndex, NativeQuery, Operation};
use device::DeviceStatus;
use device::webgpu::{
    Api, CallResult, GpuErrorKind, MapRange, MapState, ModelPipelineId, PipelineShape,
};
use order::DeclaredUse;
use record::impossible;
use record::time::Nanos;
use record::{self, BufferIndex, CallId, Record, SpanId};
use workload::{GpuCall, MapMode, PipelineIndex, PipelinePurpose, PromiseIndex};

/// How a pipeline's creation answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CreationAnswer {
    /// With a handle, for which the caller waits.
    Handle,
    /// By a promise, which may have a name.
    Promise(Option<PromiseIndex>),
}

impl CreationAnswer {
    const fn name(self) -> Option<PromiseIndex> {
        match self {
            Self::Handle => None,
            Self::Promise(name) => name,
        }
    }
}

/// A call that is being made: by whom, where in the file, as which span, and when.
#[derive(Clone, Copy, Debug)]
pub struct CallContext {
    /// The host thread.
    pub host: HostIndex,
    /// The call's place in the file.
    pub call: CallId,
    /// The call's span.
    pub span: SpanId,
    /// When it was made.
    pub time: Nanos,
}

impl Timelines {
    /// Makes a call, except those that only wait or that lose the device. Gives what a synchronous creation waits for.
    pub fn call(&self, shared: &RunState, asked: &CallContext, call: &GpuCall) -> Option<Flag> {
        let flag = match *call {
            GpuCall::CreatePipeline { pipeline } => {
                Some(self.create(shared, asked, pipeline, CreationAnswer::Handle))
            }
            GpuCall::CreatePipelineAsync { pipeline, promise } => {
                self.create(
                    shared,
                    asked,
                    pipeline,
                    CreationAnswer::Promise(Some(promise)),
                );
                None
            }
            GpuCall::MapAsync {
                buffer,
                mode: access,
                promise,
            } => {
                self.map(shared, asked, (buffer, access), promise);
                shared.note_loss(&self.reporter);
                None
            }
            GpuCall::CompilationInfo { pipeline, promise } => {
                self.ask_messages(shared, asked, pipeline, promise);
                None
            }
            _ => {
                self.call_simple(shared, asked, call);
                None
            }
        };
        self.charge(shared, asked.host);
        flag
    }

    fn call_simple(&self, shared: &RunState, asked: &CallContext, call: &GpuCall) {
        let host = Self::content(asked.host);
        let mut state = self.lock();
        let (made, name) = match *call {
            GpuCall::Unmap { buffer } => {
                let Some(id) = state.buffers.get(buffer.index()).copied() else {
                    return;
                };
                if state.model.map_state(id) != MapState::Unmapped {
                    // What it comes to shows in the map that it ends.
                    drop(shared.device.raw(&NativeQuery::Unmap(buffer)));
                }
                (state.model.unmap(host, asked.span, id), None)
            }
            GpuCall::PushErrorScope { filter } => {
                let filter = filter.into();
                (state.model.push_error_scope(host, asked.span, filter), None)
            }
            GpuCall::PopErrorScope { promise } => {
                (state.model.pop_error_scope(host, asked.span), Some(promise))
            }
            GpuCall::WorkDone { promise } => {
                let made = state.model.on_submitted_work_done(host, asked.span);
                ask(shared, &mut state, &made, &NativeQuery::WorkDone);
                (made, Some(promise))
            }
            GpuCall::DeviceLost { promise } => {
                let made = state.model.lost(host, asked.span);
                ask(shared, &mut state, &made, &NativeQuery::Lost);
                (made, Some(promise))
            }
            _ => return,
        };
        self.note_promise(shared, &mut state, asked, &made, name, None);
        self.act(shared, &mut state, &made.effects, asked.span, asked.time);
    }

    fn map(
        &self,
        shared: &RunState,
        asked: &CallContext,
        (buffer, access): (BufferIndex, MapMode),
        promise: PromiseIndex,
    ) {
        let mut state = self.lock();
        let Some(id) = state.buffers.get(buffer.index()).copied() else {
            return;
        };
        let range = MapRange {
            writes: access == MapMode::Write,
            ..MapRange::default()
        };
        let host = Self::content(asked.host);
        let question = NativeQuery::Map {
            buffer,
            mode: match access {
                MapMode::Read => raw::Read,
                MapMode::Write => raw::Write,
            },
            offset: 0,
            size: u64::MAX,
        };
        if let Some(how) = taken(state.model.map_state(id)) {
            let (_, line) = written(shared, asked);
            let plan = shared.plan.buffers.get(buffer.index());
            let name = plan.map_or("?", |plan| &plan.name);
            let refusal = format!(
                "line {line}: map-async of {name}, which {how}; put unmap \"{name}\" before it"
            );
            state.refusals.insert(asked.span, refusal);
        }
        let made = state.model.map_async(host, asked.span, id, range);
        ask(shared, &mut state, &made, &question);
        // A driver may lose its device over what the implementation gives it for the map, which comes to nothing then.
        if matches!(shared.device.status(), DeviceStatus::Lost(_)) && state.model.loss().is_none() {
            state.lose(SpanId::NONE);
        }
        self.note_promise(shared, &mut state, asked, &made, Some(promise), None);
        if access == MapMode::Read && shared.lost_values.is_stale(buffer) {
            state.note_stale(promise, buffer);
        }
        self.act(shared, &mut state, &made.effects, asked.span, asked.time);
    }

    fn ask_messages(
        &self,
        shared: &RunState,
        asked: &CallContext,
        pipeline: PipelineIndex,
        promise: PromiseIndex,
    ) {
        let mut state = self.lock();
        let Some(module) = state.modules.get(pipeline.index()).copied() else {
            return;
        };
        let host = Self::content(asked.host);
        let made = state.model.get_compilation_info(host, asked.span, module);
        let plan = shared.plan.pipelines.get(pipeline.index());
        if let Some(plan) = plan.filter(|_| state.model.loss().is_none()) {
            // A module that is made after the loss would say nothing of one that was made before.
            let question = NativeQuery::Messages(compile::request(plan));
            ask(shared, &mut state, &made, &question);
        }
        self.note_promise(
            shared,
            &mut state,
            asked,
            &made,
            Some(promise),
            Some(pipeline),
        );
        self.act(shared, &mut state, &made.effects, asked.span, asked.time);
    }

    /// Requests a pipeline: with a promise, which may have a name, or so that the caller waits for the flag. One that the plan has not is
    /// never requested, and nobody waits for it.
    pub(super) fn create(
        &self,
        shared: &RunState,
        asked: &CallContext,
        index: PipelineIndex,
        answer: CreationAnswer,
    ) -> Flag {
        let mut state = self.lock();
        self.create_in(shared, &mut state, asked, index, answer)
    }

    /// The same, by whoever has the layer locked.
    pub(super) fn create_in(
        &self,
        shared: &RunState,
        state: &mut TimelinesState,
        asked: &CallContext,
        index: PipelineIndex,
        answer: CreationAnswer,
    ) -> Flag {
        let flag = Flag::default();
        let Some(plan) = shared.plan.pipelines.get(index.index()) else {
            flag.raise(asked.time);
            return flag;
        };
        let request = compile::request(plan);
        let shape = PipelineShape {
            kind: plan.kind,
            defect: None,
        };
        let host = Self::content(asked.host);
        if state.is_closed {
            // The run has ended while the device was opened anew: nobody would settle it.
            flag.raise(asked.time);
            return flag;
        }
        let is_async = answer != CreationAnswer::Handle;
        let (id, made) = if is_async {
            state.model.create_pipeline_async(host, asked.span, shape)
        } else {
            state.model.create_pipeline(host, asked.span, shape)
        };
        if is_async && state.model.loss().is_some() {
            ask(shared, state, &made, &NativeQuery::Create(request.clone()));
        }
        state.pipelines.push(PipelineEntry {
            plan: index,
            is_async,
            promise: made.promise,
            call: (asked.call, asked.span),
            request,
            decided: SpanId::NONE,
            is_used: false,
            detail: String::new(),
            cached: None,
            flag: flag.clone(),
        });
        if let Some(slot) = state.latest_pipeline.get_mut(index.index()) {
            *slot = Some(id);
        }
        self.reporter
            .send(Record::Pipeline(Box::new(record::Pipeline {
                id: state.recorded_pipeline(id),
                name: plan.name.clone(),
                device: self.device,
                generation: state.generation,
                kind: match plan.kind {
                    PipelinePurpose::Compute => record::PipelineKind::Compute,
                    PipelinePurpose::Render => record::PipelineKind::Render,
                },
                is_async,
                call: asked.span,
            })));
        self.report_requested(state, id, asked);
        self.note_promise(shared, state, asked, &made, answer.name(), Some(index));
        self.act(shared, state, &made.effects, asked.span, asked.time);
        flag
    }

    fn report_requested(&self, state: &TimelinesState, id: ModelPipelineId, asked: &CallContext) {
        self.reporter
            .send(Record::PipelineStep(Box::new(record::PipelineStep {
                pipeline: state.recorded_pipeline(id),
                state: record::PipelineState::Requested,
                time: asked.time,
                span: asked.span,
                detail: String::new(),
                cached: None,
                compiles: None,
            })));
    }

    /// Notes the promise that a call gave, and reports it where it is new.
    fn note_promise(
        &self,
        shared: &RunState,
        state: &mut TimelinesState,
        asked: &CallContext,
        made: &CallResult,
        name: Option<PromiseIndex>,
        pipeline: Option<PipelineIndex>,
    ) {
        let Some(promise) = made.promise else {
            return;
        };
        // Reading device.lost again gives the same promise, which may go by one more name now.
        let known = state.recorded_promises(promise).to_vec();
        let has_name = |id: &record::PromiseId| {
            let given = state.promises.get(id.index());
            given.is_some_and(|given| given.name == name)
        };
        let same = known.iter().copied().find(has_name);
        let api = state.model.api(promise).unwrap_or_else(|| {
            let () = impossible!("a promise that the model does not know");
            Api::Create
        });
        let id = same.unwrap_or_else(|| {
            let given = PromiseEntry {
                host: asked.host,
                api,
                name,
                call: asked.call,
                pipeline,
                stale: None,
                settled: None,
                flag: Flag::default(),
            };
            state.add_entry(promise, given)
        });
        if let Some(slot) = name.and_then(|name| state.latest_promise.get_mut(name.index())) {
            *slot = Some(id);
        }
        if same.is_some() {
            return;
        }
        let named = name.and_then(|name| shared.plan.promises.get(name.index()));
        self.reporter
            .send(Record::Promise(Box::new(record::Promise {
                id,
                api: api.label().to_owned(),
                name: named.cloned().unwrap_or_default(),
                device: self.device,
                generation: state.generation,
                call: asked.span,
            })));
        if let Some(settlement) = state
            .model
            .settlement(promise)
            .filter(|_| !known.is_empty())
        {
            self.report_settled(shared, state, (&settlement, &[id]), asked.span, asked.time);
        }
    }

    /// Whether an operation with these uses is refused because one of the buffers is mapped, or is about to be: the
    /// host has it then. The call has raised a validation error, and nothing is to be submitted (WebGPU, queue.submit).
    pub fn refuses(
        &self,
        shared: &RunState,
        asked: &CallContext,
        operation: &Operation,
        uses: &[DeclaredUse],
    ) -> bool {
        let mut state = self.lock();
        if state.model.loss().is_some() {
            return false;
        }
        let buffers = uses.iter().filter_map(|it| uses::of_plan(it.buffer));
        let found = buffers.into_iter().find_map(|buffer| {
            let id = state.buffers.get(buffer.index())?;
            let how = taken(state.model.map_state(*id))?;
            let plan = shared.plan.buffers.get(buffer.index());
            Some((plan.map_or("?", |plan| &plan.name).to_owned(), how))
        });
        let Some((name, how)) = found else {
            return false;
        };
        let (verb, line) = written(shared, asked);
        let refusal =
            format!("line {line}: {verb} uses {name}, which {how}; put unmap \"{name}\" before it");
        state.refusals.insert(asked.span, refusal);
        let api = match operation {
            Operation::Upload(_) => Api::Write,
            _ => Api::Submit,
        };
        let wrong = Some(GpuErrorKind::Validation);
        let made = state
            .model
            .submit(Self::content(asked.host), asked.span, api, wrong);
        self.act(shared, &mut state, &made.effects, asked.span, asked.time);
        true
    }

    /// Virtual time passes for a host thread that makes a call of this layer or settles a promise.
    pub(super) fn charge(&self, shared: &RunState, host: HostIndex) {
        if self.is_virtual {
            shared.device.work(host, CONTENT_STEP);
        }
    }

    /// The promise that was made last under a name.
    pub(super) fn latest(&self, name: PromiseIndex) -> Option<record::PromiseId> {
        let state = self.lock();
        state.latest_promise.get(name.index()).copied().flatten()
    }
}

/// Why a buffer is not to be had, where the host has it.
const fn taken(state: MapState) -> Option<&'static str> {
    match state {
        MapState::Unmapped => None,
        MapState::Pending => Some("is being mapped"),
        MapState::Mapped => Some("is mapped"),
    }
}

/// A call's verb and its line.
fn written(shared: &RunState, asked: &CallContext) -> (&'static str, u32) {
    let site = shared.plan.sites.get(asked.call.0 as usize);
    site.map_or(("call", 0), |site| (site.verb, site.line))
}

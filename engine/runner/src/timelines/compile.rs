//! Compiles: by a pool of workers, or by the device timeline itself where the caller waits.

use std::sync::Arc;
use std::time::Duration;

use super::native_queries::note_compile;
use super::state::{CompileJob, TimelinesState, WaitingPipeline};
use super::{Timelines, text};
use crate::shared::RunState;
use backend::{CompileError, CompileRequest, CompiledPipeline, ENTRY, kernel_shader};
use device::webgpu::{ModelPipelineId, PipelineDefect};
use record::impossible;
use record::time::Nanos;
use record::{CallId, DependencyKind, LaneId, Record, Span, SpanId, SpanKind, SpanStart, State};
use workload::{PipelinePlan, PipelinePurpose, ShaderPlan};

/// What the backend is asked for.
pub(super) fn request(plan: &PipelinePlan) -> CompileRequest {
    let (shader, only): (Arc<str>, _) = match &plan.shader {
        ShaderPlan::Kernel(name) => (
            kernel_shader(name)
                .unwrap_or_else(|| impossible!("a kernel without a shader"))
                .into(),
            Some(ENTRY),
        ),
        ShaderPlan::Text { source, .. } => (Arc::clone(source), None),
    };
    let entry = plan.entry.clone().unwrap_or_else(|| match only {
        Some(only) => only.to_owned(),
        None => text::first_entry(&shader, plan.kind),
    });
    CompileRequest {
        shader,
        entry,
        kind: match plan.kind {
            PipelinePurpose::Compute => record::PipelineKind::Compute,
            PipelinePurpose::Render => record::PipelineKind::Render,
        },
        cache: plan.cache,
        slow: Duration::from_nanos(plan.slow.0.max(0) as u64),
    }
}

/// What a compile came to.
pub(super) type CompileResult = Result<CompiledPipeline, CompileError>;

impl Timelines {
    /// Compiles on the calling thread. Gives the length that it has in virtual time, too.
    pub(super) fn build(
        shared: &RunState,
        request: &CompileRequest,
        fails: bool,
    ) -> (CompileResult, Nanos) {
        let built = shared.device.compile(request);
        let length = match &built {
            Ok(compiled) => Nanos::from_duration(compiled.driver),
            Err(_) => super::DEVICE_STEP,
        };
        match built {
            Ok(_) if fails => {
                let reason = "it was told to fail, by the workload".to_owned();
                (Err(CompileError::Internal(reason)), length)
            }
            built => (built, length),
        }
    }

    /// Begins the compile of a pipeline on `lane` at `start`: gives what is to be built, and whether it is to fail.
    pub(super) fn begin(
        &self,
        shared: &RunState,
        state: &mut TimelinesState,
        waiting: WaitingPipeline,
        lane: LaneId,
        start: Nanos,
    ) -> Option<(CompileJob, CompileRequest, bool)> {
        if waiting.generation != state.generation {
            return None;
        }
        let span = shared.next_span();
        let name = self.compile_name(shared, state, waiting.pipeline);
        let job = CompileJob {
            pipeline: waiting.pipeline,
            generation: state.generation,
            lane,
            name,
            span,
            enqueued: waiting.since,
            start,
        };
        let entry = state.entry(waiting.pipeline)?;
        let (index, request) = (entry.plan, entry.request.clone());
        let fails = shared.plan.pipelines.get(index.index());
        let fails = fails.is_some_and(|plan| plan.fails);
        state.compiling.push(job);
        self.report_dependency(waiting.cause, span, DependencyKind::Step);
        if let Some(effect) = state.model.compiling(waiting.pipeline) {
            self.report_effect(shared, state, &effect, span, start);
        }
        if !self.is_virtual {
            self.reporter.send(Record::Began(SpanStart {
                id: span,
                lane,
                name,
                kind: SpanKind::Compile,
                enqueued: waiting.since,
                start,
            }));
        }
        Some((job, request, fails))
    }

    /// Whether a pipeline of this name is being compiled.
    pub fn compiles(&self, shared: &RunState, name: &str) -> bool {
        let state = self.lock();
        let current = state.compiling.iter();
        let mut current = current.filter(|it| it.generation == state.generation);
        current.any(|job| {
            let entry = state.pipelines.get(job.pipeline.index());
            let plan = entry.and_then(|entry| shared.plan.pipelines.get(entry.plan.index()));
            plan.is_some_and(|plan| plan.name == name)
        })
    }

    /// In the middle of a compile: loses the device, where that is wanted then. The layer must not be locked.
    pub(super) fn lose_while_compiling(&self, shared: &RunState, job: &CompileJob) {
        let index = {
            let mut state = self.lock();
            let is_current = state.generation == job.generation;
            state
                .entry(job.pipeline)
                .map(|entry| entry.plan)
                .filter(|_| is_current)
        };
        let plan = index.and_then(|index| shared.plan.pipelines.get(index.index()));
        if let Some(plan) = plan {
            shared.while_compiling(&plan.name, &self.reporter);
        }
    }

    /// Ends a compile at `end`.
    pub(super) fn end(
        &self,
        shared: &RunState,
        state: &mut TimelinesState,
        job: &CompileJob,
        built: &CompileResult,
        end: Nanos,
    ) {
        let is_current = job.generation == state.generation;
        state.compiling.retain(|it| it.span != job.span);
        let state_of_span = match built {
            Ok(_) => State::Done,
            Err(CompileError::Lost) => State::Lost,
            Err(_) => State::Failed,
        };
        let entry = if is_current {
            state.entry(job.pipeline).cloned()
        } else {
            None
        };
        self.reporter.send(Record::Span(Span {
            id: job.span,
            lane: job.lane,
            name: job.name,
            call: entry.as_ref().map_or(CallId::NONE, |entry| entry.call.0),
            kind: SpanKind::Compile,
            state: state_of_span,
            enqueued: job.enqueued,
            start: job.start,
            end,
        }));
        let Some(entry) = entry else {
            return;
        };
        note_compile(shared, state, &entry, built);
        let detail = text::built(shared, entry.plan, built);
        if let Some(entry) = state.entry(job.pipeline) {
            entry.detail = detail;
            entry.cached = match built {
                Ok(compiled) => compiled.cache.is_hit(),
                Err(_) => None,
            };
        }
        // A compile may be the first to hear of a loss: what it is told then is no failure of its own.
        if matches!(built, Err(CompileError::Lost)) && state.model.loss().is_none() {
            state.lose(SpanId::NONE);
        }
        // What was lost did not complete: that its pipeline is decided now follows from the loss.
        let cause = match built {
            Err(CompileError::Lost) => SpanId::NONE,
            _ => job.span,
        };
        let effects = state
            .model
            .compiled(job.pipeline, cause, defect(shared, &entry, built));
        self.act(shared, state, &effects, job.span, end);
    }

    /// Gives waiting pipelines to workers that are free, in virtual time.
    pub(super) fn assign(&self, shared: &RunState, state: &mut TimelinesState, now: Nanos) {
        while let Some(worker) = state.workers.iter().position(Option::is_none) {
            let Some(waiting) = state.jobs.pop_front() else {
                return;
            };
            let lane = self.worker_lane(worker);
            let Some((job, request, fails)) = self.begin(shared, state, waiting, lane, now) else {
                continue;
            };
            if let Some(slot) = state.workers.get_mut(worker) {
                *slot = Some(job);
            }
            self.build_later(shared, job, &request, fails, Some(worker));
        }
    }

    /// Compiles for the device timeline itself, in virtual time.
    pub(super) fn compile_inline_later(&self, shared: &RunState, waiting: WaitingPipeline) {
        let mut state = self.lock();
        let (lane, start) = (self.device_lane(), waiting.since);
        if let Some((job, request, fails)) = self.begin(shared, &mut state, waiting, lane, start) {
            self.build_later(shared, job, &request, fails, None);
        }
    }

    /// What a compile comes to is known at once, and comes to pass when its virtual time is over.
    fn build_later(
        &self,
        shared: &RunState,
        job: CompileJob,
        request: &CompileRequest,
        fails: bool,
        worker: Option<usize>,
    ) {
        let (built, length) = Self::build(shared, request, fails);
        let weak = self.weak();
        let end = Box::new(move |now: Nanos| {
            if let Some(shared) = weak.upgrade()
                && let Some(timelines) = &shared.timelines
            {
                timelines.built(&shared, &job, worker, &built, now);
            }
        });
        shared.device.alarm(job.start + length, end);
        if shared.losses.is_armed() {
            let weak = self.weak();
            let lose = Box::new(move |_: Nanos| {
                if let Some(shared) = weak.upgrade()
                    && let Some(timelines) = &shared.timelines
                {
                    timelines.lose_while_compiling(&shared, &job);
                }
            });
            shared.device.alarm(job.start + Nanos(length.0 / 2), lose);
        }
    }

    fn built(
        &self,
        shared: &RunState,
        job: &CompileJob,
        worker: Option<usize>,
        built: &CompileResult,
        now: Nanos,
    ) {
        let mut state = self.lock();
        if state.is_closed {
            return;
        }
        if let Some(worker) = worker {
            let slot = state.workers.get_mut(worker);
            let Some(slot) = slot.filter(|slot| **slot == Some(*job)) else {
                // The loss of the device ended it before.
                return;
            };
            *slot = None;
        }
        if worker.is_none() {
            state.device_free = state.device_free.max(now);
        }
        self.end(shared, &mut state, job, built, now);
        self.kick(shared, &mut state, now);
    }

    /// What is compiled in virtual time ends with the device, at `time`.
    pub(super) fn cut_compiles(&self, shared: &RunState, state: &mut TimelinesState, time: Nanos) {
        for worker in 0..state.workers.len() {
            let job = state.workers.get_mut(worker).and_then(Option::take);
            if let Some(job) = job {
                let end = time.max(job.start);
                self.end(shared, state, &job, &Err(CompileError::Lost), end);
            }
        }
    }

    pub(super) fn compile_name(
        &self,
        shared: &RunState,
        state: &TimelinesState,
        pipeline: ModelPipelineId,
    ) -> record::NameId {
        let entry = state.pipelines.get(pipeline.index());
        let plan = entry.and_then(|entry| shared.plan.pipelines.get(entry.plan.index()));
        let name = plan.map_or("?", |plan| &plan.name);
        shared.names.id(&format!("compile {name}"), &self.reporter)
    }

    /// Ties two spans, where both are known.
    pub fn report_dependency(&self, cause: SpanId, effect: SpanId, kind: DependencyKind) {
        if cause.is_some() && effect.is_some() {
            self.reporter.send(Record::Dependency(record::Dependency {
                kind,
                ..record::Dependency::submission(cause, effect)
            }));
        }
    }
}

/// What a compile found wrong. One that the loss of the device ended would have come to what it was told to.
fn defect(
    shared: &RunState,
    entry: &super::state::PipelineEntry,
    built: &CompileResult,
) -> Option<PipelineDefect> {
    match built {
        Ok(_) => None,
        Err(CompileError::Validation { .. }) => Some(PipelineDefect::Validation),
        Err(CompileError::Internal(_)) => Some(PipelineDefect::Internal),
        Err(CompileError::Lost) => {
            let plan = shared.plan.pipelines.get(entry.plan.index());
            plan.and_then(|plan| plan.fails.then_some(PipelineDefect::Internal))
        }
    }
}

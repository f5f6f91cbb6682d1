//! Launches that need a pipeline: they wait until it is ready, and are shown to.

use super::Timelines;
use super::calls::CallContext;
use crate::shared::RunState;
use backend::{BackendError, Flag};
use device::webgpu::{Api, GpuErrorKind, PipelineProgress};
use record::impossible;
use record::time::Nanos;
use record::{DependencyKind, Record, Span, SpanId, SpanKind, State};
use workload::PipelineIndex;

/// Whether a launch can be submitted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LaunchReadiness {
    /// It can, and this step made its pipeline ready, where it is the first to use it.
    Ready(Option<SpanId>),
    /// It cannot: its pipeline is invalid, and the call raised an error that says so.
    Refused,
}

/// What is known of a launch's pipeline.
enum PipelineDecision {
    Never,
    Pending(Flag),
    Decided(PipelineProgress, SpanId, bool),
}

impl Timelines {
    /// Blocks the host thread until the pipeline of a launch is decided. The wait is a span on the host's lane.
    ///
    /// # Errors
    /// The run was stopped, or no call has created the pipeline.
    pub fn ready(
        &self,
        shared: &RunState,
        asked: &CallContext,
        index: PipelineIndex,
    ) -> Result<LaunchReadiness, BackendError> {
        let plan = shared.plan.pipelines.get(index.index());
        let name = plan.map_or("?", |plan| &plan.name);
        let mut stalled = None;
        loop {
            let flag = match self.known(index) {
                PipelineDecision::Never => {
                    return Err(BackendError::Unknown(format!(
                        "pipeline {name}, which no call has created by now; put create-pipeline \"{name}\" before the launch"
                    )));
                }
                PipelineDecision::Decided(state, step, is_first) => {
                    if let Some((span, start)) = stalled {
                        self.report_stall(shared, asked, (span, start), name);
                        self.report_dependency(step, span, DependencyKind::Pipeline);
                    }
                    // A launch that waited until its pipeline was lost with the device was held by it just as well.
                    let is_held = is_first || stalled.is_some() && state == PipelineProgress::Lost;
                    return Ok(self.decide_launch(shared, asked, state, is_held.then_some(step)));
                }
                PipelineDecision::Pending(flag) => flag,
            };
            stalled.get_or_insert_with(|| (shared.next_span(), shared.device.now(asked.host)));
            shared.device.until_flag(asked.host, &flag)?;
        }
    }

    /// The step that decided a pipeline.
    pub fn decided(&self, index: PipelineIndex) -> SpanId {
        let mut state = self.lock();
        let id = state.latest_pipeline.get(index.index()).copied().flatten();
        let entry = id.and_then(|id| state.entry(id));
        entry.map_or(SpanId::NONE, |entry| entry.decided)
    }

    fn known(&self, index: PipelineIndex) -> PipelineDecision {
        let mut state = self.lock();
        let Some(id) = state.latest_pipeline.get(index.index()).copied().flatten() else {
            return PipelineDecision::Never;
        };
        let reached = state
            .model
            .pipeline_state(id)
            .unwrap_or_else(|| impossible!("a pipeline that the model does not know"));
        let Some(entry) = state.entry(id) else {
            return PipelineDecision::Never;
        };
        match reached {
            PipelineProgress::Ready => {
                let is_first = !std::mem::replace(&mut entry.is_used, true);
                PipelineDecision::Decided(reached, entry.decided, is_first)
            }
            PipelineProgress::Failed(_) | PipelineProgress::Lost => {
                PipelineDecision::Decided(reached, entry.decided, false)
            }
            _ => PipelineDecision::Pending(entry.flag.clone()),
        }
    }

    fn decide_launch(
        &self,
        shared: &RunState,
        asked: &CallContext,
        reached: PipelineProgress,
        first: Option<SpanId>,
    ) -> LaunchReadiness {
        if !matches!(reached, PipelineProgress::Failed(_)) {
            return LaunchReadiness::Ready(first);
        }
        let mut state = self.lock();
        let host = Self::content(asked.host);
        let wrong = Some(GpuErrorKind::Validation);
        let made = state.model.submit(host, asked.span, Api::Submit, wrong);
        self.act(shared, &mut state, &made.effects, asked.span, asked.time);
        LaunchReadiness::Refused
    }

    fn report_stall(
        &self,
        shared: &RunState,
        asked: &CallContext,
        (span, start): (SpanId, Nanos),
        name: &str,
    ) {
        let label = format!("stalled: {name} is not ready");
        let lane = RunState::host_lane(asked.host);
        let stall = Record::Span(Span {
            id: span,
            lane,
            name: shared.names.id(&label, &self.reporter),
            call: asked.call,
            kind: SpanKind::Stall,
            state: State::Done,
            enqueued: start,
            start,
            end: shared.device.now(asked.host),
        });
        self.report_on(lane, stall);
    }
}

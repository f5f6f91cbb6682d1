//! The table of pipelines, each with the states it went through.

use super::Capture;
use super::apply::Placeholder;
use record::time::Nanos;
use record::{DeviceId, Pipeline, PipelineId, PipelineKind, PipelineState, PipelineStep, SpanId};

/// A pipeline and the states it went through.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PipelineHistory {
    /// What was requested.
    pub pipeline: Pipeline,
    /// The states it came into, by time.
    pub steps: Vec<PipelineStep>,
}

impl PipelineHistory {
    /// The state it is in: the last that it came into.
    pub fn state(&self) -> PipelineState {
        self.steps
            .last()
            .map_or_else(Default::default, |step| step.state)
    }

    /// The step that brought it into `state`.
    pub fn step(&self, state: PipelineState) -> Option<&PipelineStep> {
        self.steps.iter().find(|step| step.state == state)
    }

    /// When it came into `state`.
    pub fn reached(&self, state: PipelineState) -> Option<Nanos> {
        self.step(state).map(|step| step.time)
    }

    /// How long it was compiled; nothing where it was not, or still is.
    pub fn compile_time(&self) -> Option<Nanos> {
        let start = self.reached(PipelineState::Compiling)?;
        let mut later = self
            .steps
            .iter()
            .skip_while(|step| step.state != PipelineState::Compiling);
        let end = later.find(|step| step.state != PipelineState::Compiling)?;
        Some(end.time - start)
    }
}

impl Capture {
    /// The pipelines, by id.
    pub fn pipelines(&self) -> &[PipelineHistory] {
        &self.pipelines
    }

    pub(super) fn take_pipeline(&mut self, pipeline: Pipeline) {
        let index = pipeline.id.index();
        // Steps may come first.
        let known = self
            .pipelines
            .get_mut(index)
            .map(|stages| std::mem::take(&mut stages.steps));
        let stages = PipelineHistory {
            pipeline,
            steps: known.unwrap_or_default(),
        };
        self.put("pipeline", index, stages, |capture| &mut capture.pipelines);
    }

    pub(super) fn take_pipeline_step(&mut self, step: PipelineStep) {
        let index = step.pipeline.index();
        if self.pipelines.get(index).is_none() {
            let filler = PipelineHistory::filler(step.pipeline.0);
            self.put("pipeline", index, filler, |capture| &mut capture.pipelines);
        }
        self.reach(step.time, step.time);
        if let Some(stages) = self.pipelines.get_mut(index) {
            let key = |it: &PipelineStep| (it.time, it.state, it.span, it.detail.clone());
            let place = stages
                .steps
                .partition_point(|known| key(known) <= key(&step));
            stages.steps.insert(place, step);
        }
    }
}

impl Placeholder for PipelineHistory {
    fn filler(index: u32) -> Self {
        Self {
            pipeline: Pipeline {
                id: PipelineId(index),
                name: format!("pipeline {index}"),
                device: DeviceId::NONE,
                generation: 1,
                kind: PipelineKind::Compute,
                is_async: false,
                call: SpanId::NONE,
            },
            steps: Vec::new(),
        }
    }
}

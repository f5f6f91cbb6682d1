//! The end: of a run, or of a generation. Whatever is still owed is settled as if the device were given up.

use super::Timelines;
use super::state::TimelinesState;
use crate::shared::RunState;
use backend::HostIndex;
use device::lock;
use device::webgpu::{ModelPipelineId, PipelineProgress, StepEffect, StepResult};
use record::SpanId;
use record::time::Nanos;

impl Timelines {
    /// Ends the threads, and settles what is left: nothing is pending after it, save promises of `device.lost`.
    pub fn close(&self, shared: &RunState) {
        self.lock().is_closed = true;
        self.changed.notify_all();
        for thread in std::mem::take(&mut *lock(&self.threads)) {
            // What it panicked of cannot be told from here, and the promises are settled all the same.
            let _ = thread.join();
        }
        let mut state = self.lock();
        // Read while nobody else does anything here: what is settled now comes after all that was done before.
        let time = shared.now();
        self.end_generation(shared, &mut state, time);
    }

    /// Settles everything that this generation still owes, at `time`.
    pub(super) fn end_generation(
        &self,
        shared: &RunState,
        state: &mut TimelinesState,
        time: Nanos,
    ) {
        if !state.model.is_lost_or_about_to_be() && state.model.pending().next().is_some() {
            // A device that goes away with promises pending is as one that its owner destroys.
            let host = Self::content(HostIndex(0));
            let made = state.model.destroy_device(host, SpanId::NONE);
            self.report_effects(shared, state, &made.effects, SpanId::NONE, time);
        }
        state.jobs.clear();
        loop {
            let moved = self.run_device_out(shared, state, time)
                | self.run_contents_out(shared, state, time)
                | self.end_compiles(shared, state, time);
            if !moved {
                break;
            }
        }
        Self::release_awaiting(state, time);
        // Whoever waited for a step finds the promise settled.
        let waiting = state.waiting.iter_mut().flat_map(std::mem::take);
        waiting.for_each(|flag| flag.raise(time));
    }

    fn run_device_out(&self, shared: &RunState, state: &mut TimelinesState, time: Nanos) -> bool {
        let mut moved = false;
        while state.model.has_device_step() {
            let span = shared.next_span();
            let Some(step) = state.model.step_device(span) else {
                break;
            };
            self.report_out(shared, state, &step, span, self.device_lane(), time);
            moved = true;
        }
        moved
    }

    fn run_contents_out(&self, shared: &RunState, state: &mut TimelinesState, time: Nanos) -> bool {
        let mut moved = false;
        for host in (0..shared.plan.hosts.len()).map(HostIndex) {
            let timeline = Self::content(host);
            while state.model.has_content_step(timeline) {
                let span = shared.next_span();
                let Some(step) = state.model.step_content(timeline, span) else {
                    break;
                };
                self.report_out(shared, state, &step, span, RunState::host_lane(host), time);
                moved = true;
            }
        }
        moved
    }

    fn report_out(
        &self,
        shared: &RunState,
        state: &mut TimelinesState,
        step: &StepResult,
        span: SpanId,
        lane: record::LaneId,
        time: Nanos,
    ) {
        self.report_step(shared, state, step, span, lane, (time, time, time));
        self.report_effects(shared, state, &step.effects, span, time);
    }

    fn report_effects(
        &self,
        shared: &RunState,
        state: &mut TimelinesState,
        effects: &[StepEffect],
        span: SpanId,
        time: Nanos,
    ) {
        for effect in effects {
            self.report_effect(shared, state, effect, span, time);
        }
    }

    /// Compiles that nobody makes any more come to what they were told to.
    fn end_compiles(&self, shared: &RunState, state: &mut TimelinesState, time: Nanos) -> bool {
        let mut moved = false;
        for place in 0..state.pipelines.len() {
            let id = ModelPipelineId(place as u32);
            if state.model.is_compiled(id) {
                continue;
            }
            let reached = state.model.pipeline_state(id);
            debug_assert!(
                reached != Some(PipelineProgress::Ready),
                "ready, and not compiled"
            );
            let effects = state.model.compiled(id, SpanId::NONE, None);
            self.report_effects(shared, state, &effects, SpanId::NONE, time);
            moved = true;
        }
        moved
    }
}

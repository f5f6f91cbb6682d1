//! The device timeline: one step after the other, and what each of them sets off.

use super::queue::is_busy;
use super::state::{TimelinesState, WaitingPipeline};
use super::{DEVICE_STEP, Timelines, text};
use crate::shared::RunState;
use backend::{CompileError, CompileRequest};
use device::DeviceStatus;
use device::webgpu::{LossReason, ModelPipelineId, ModelTimeline, PipelineDefect, StepEffect};
use record::SpanId;
use record::time::Nanos;

/// What the device timeline did.
#[derive(Clone, Copy, Debug)]
pub(super) enum TimelineProgress {
    /// There was nothing to do, or a compile holds it.
    Nothing,
    /// A step.
    Done,
    /// A step, which left this to be compiled on the spot.
    Compile(WaitingPipeline),
}

/// A pipeline that is to be compiled since `since`, because of the step `cause`.
const fn waiting(
    state: &TimelinesState,
    pipeline: ModelPipelineId,
    cause: SpanId,
    since: Nanos,
) -> WaitingPipeline {
    WaitingPipeline {
        pipeline,
        cause,
        since,
        generation: state.generation,
    }
}

impl Timelines {
    /// Executes the next step of the device timeline, which begins at `start`, or now where none is given, and ends when
    /// `clock` says so.
    pub(super) fn step_device(
        &self,
        shared: &RunState,
        start: Option<Nanos>,
        clock: &dyn Fn() -> Nanos,
    ) -> TimelineProgress {
        let looked_at = self.look_at_next(shared);
        let mut state = self.lock();
        // No sooner than whatever set it off has ended, which is known of the step that is the next while nobody else does
        // anything here.
        let next = (state.generation, state.model.next_check());
        let looked_at = looked_at.filter(|it| (it.0, Some(it.1)) == next);
        let begun = start.or(looked_at.map(|it| it.2));
        let start = begun.unwrap_or_else(|| shared.now());
        if state.model.next_awaits_queue() {
            if matches!(shared.device.status(), DeviceStatus::Lost(_)) {
                // The device knows it already: what waits for its queue must not take that for the end of work.
                state.lose(SpanId::NONE);
            } else if is_busy(shared) {
                state.model.note_work();
            }
        }
        if !state.model.has_device_step() {
            return TimelineProgress::Nothing;
        }
        let span = shared.next_span();
        let Some(mut step) = state.model.step_device(span) else {
            return TimelineProgress::Nothing;
        };
        if step
            .effects
            .iter()
            .any(|it| matches!(it, StepEffect::Lost(_)))
        {
            state.lost_by = span;
        } else if !step.cause.is_some() {
            // What the loss ended is there to be concluded because of the loss.
            step.cause = state.lost_by;
        }
        let end = clock();
        state.device_free = end;
        self.report_step(
            shared,
            &state,
            &step,
            span,
            self.device_lane(),
            (start, start, end),
        );
        self.act(shared, &mut state, &step.effects, span, end);
        let inline = step.effects.iter().find_map(|effect| match effect {
            StepEffect::CompileInline(pipeline) => Some(waiting(&state, *pipeline, span, end)),
            _ => None,
        });
        let is_destroyed = step
            .effects
            .contains(&StepEffect::Lost(LossReason::Destroyed));
        drop(state);
        if is_destroyed {
            self.lose_device(shared);
        }
        inline.map_or(TimelineProgress::Done, TimelineProgress::Compile)
    }

    /// What the first device steps of a pipeline need to know of its shader. The layer is not locked meanwhile. Gives the
    /// generation, the pipeline, and since when it is looked at; nothing where the next step is another.
    fn look_at_next(&self, shared: &RunState) -> Option<(u32, ModelPipelineId, Nanos)> {
        let (request, looked_at) = {
            let mut state = self.lock();
            let pipeline = state.model.next_check()?;
            let request = state.entry(pipeline)?.request.clone();
            (request, (state.generation, pipeline, shared.now()))
        };
        let (generation, pipeline, _) = looked_at;
        let Some(detail) = complaint(shared, &request) else {
            return Some(looked_at);
        };
        let mut state = self.lock();
        if state.generation == generation {
            state
                .model
                .check(pipeline, Some(PipelineDefect::Validation));
            if let Some(entry) = state.entry(pipeline) {
                entry.detail = text::shader(shared, entry.plan, &detail);
            }
        }
        Some(looked_at)
    }

    /// Does what a call or a step brought about, as the span `span` at `time`.
    pub(super) fn act(
        &self,
        shared: &RunState,
        state: &mut TimelinesState,
        effects: &[StepEffect],
        span: SpanId,
        time: Nanos,
    ) {
        for effect in effects {
            self.report_effect(shared, state, effect, span, time);
            match effect {
                StepEffect::Compile(pipeline) => {
                    let waiting = waiting(state, *pipeline, span, time);
                    state.jobs.push_back(waiting);
                }
                StepEffect::Refused(pipeline) => {
                    let more = state.model.compiled(*pipeline, span, None);
                    self.act(shared, state, &more, span, time);
                }
                StepEffect::AwaitsQueue(point) => self.watch_queue(shared, state, *point, span),
                StepEffect::Issued(ModelTimeline::Content(host)) => {
                    if let Some(waiting) = state.waiting.get_mut(*host as usize) {
                        waiting.drain(..).for_each(|flag| flag.raise(time));
                    }
                }
                _ => {}
            }
        }
        self.kick(shared, state, time);
    }

    /// There may be something to do: wakes whoever does it, or sets the alarm for it.
    pub(super) fn kick(&self, shared: &RunState, state: &mut TimelinesState, time: Nanos) {
        if !self.is_virtual {
            self.changed.notify_all();
            return;
        }
        self.assign(shared, state, time);
        if state.alarm.is_some() || state.is_closed || !state.model.has_device_step() {
            return;
        }
        state.alarms += 1;
        let number = state.alarms;
        state.alarm = Some(number);
        let start = time.max(state.device_free);
        let weak = self.weak();
        shared.device.alarm(
            start + DEVICE_STEP,
            Box::new(move |now| {
                if let Some(shared) = weak.upgrade()
                    && let Some(timelines) = &shared.timelines
                {
                    timelines.tick(&shared, number, now);
                }
            }),
        );
    }

    /// The alarm of this number of the device timeline, in virtual time.
    fn tick(&self, shared: &RunState, number: u64, now: Nanos) {
        {
            let mut state = self.lock();
            if state.is_closed || state.alarm != Some(number) {
                // The step that it was set for will not be made: what came in its place has an alarm of its own.
                return;
            }
            state.alarm = None;
        }
        let start = now - DEVICE_STEP;
        if let TimelineProgress::Compile(waiting) = self.step_device(shared, Some(start), &|| now) {
            self.compile_inline_later(shared, waiting);
        }
        let mut state = self.lock();
        self.kick(shared, &mut state, now);
    }
}

/// What is wrong with a shader, as far as looking at it shows.
fn complaint(shared: &RunState, request: &CompileRequest) -> Option<CompileError> {
    let refusal = shared.device.validate(request).err();
    refusal.filter(|error| matches!(error, CompileError::Validation { .. }))
}

//! What the layer did, as records: a span a step, tied to what issued it, and what became of pipelines and promises.

use super::native_queries::{ask_scope, observe};
use super::state::{PromiseEntry, TimelinesState};
use super::{Timelines, text};
use crate::lost_values::{STALE_RESULT, stale_text};
use crate::shared::RunState;
use device::webgpu::{
    Condition, DecidingTimeline, ModelPipelineId, OutcomeRow, PromiseResult, RaisedError,
    StepEffect, StepResult,
};
use record::time::Nanos;
use record::{
    self, BufferIndex, CallId, DependencyKind, EventId, LaneId, Problem, Record, Severity, Span,
    SpanId, SpanKind, State,
};

impl Timelines {
    /// Reports a step as the span `id` on `lane`, with the times at which it was issued, began and ended.
    pub(super) fn report_step(
        &self,
        shared: &RunState,
        state: &TimelinesState,
        step: &StepResult,
        id: SpanId,
        lane: LaneId,
        (enqueued, start, end): (Nanos, Nanos, Nanos),
    ) {
        let label = text::step(shared, state, step);
        let span = Record::Span(Span {
            id,
            lane,
            name: shared.names.id(&label, &self.reporter),
            call: call_of(state, step),
            kind: SpanKind::Step,
            state: State::Done,
            enqueued,
            start,
            end,
        });
        self.report_on(lane, span);
        self.report_dependency(step.cause, id, DependencyKind::Step);
    }

    /// Reports what a call or a step brought about, as the span `span` at `time`.
    pub(super) fn report_effect(
        &self,
        shared: &RunState,
        state: &mut TimelinesState,
        effect: &StepEffect,
        span: SpanId,
        time: Nanos,
    ) {
        match effect {
            StepEffect::Pipeline(pipeline, reached) => {
                self.report_pipeline(shared, state, (*pipeline, *reached), span, time);
            }
            StepEffect::Settled(settlement) => {
                let names = state.recorded_promises(settlement.promise).to_vec();
                self.report_settled(shared, state, (settlement, &names), span, time);
            }
            StepEffect::Popped(popped) => ask_scope(shared, state, *popped),
            StepEffect::Uncaptured(raised) => self.report_uncaptured(shared, state, *raised),
            _ => {}
        }
    }

    fn report_pipeline(
        &self,
        shared: &RunState,
        state: &mut TimelinesState,
        (id, reached): (ModelPipelineId, device::webgpu::PipelineProgress),
        span: SpanId,
        time: Nanos,
    ) {
        let reached = text::stage(reached);
        let is_decided = matches!(
            reached,
            record::PipelineState::Ready
                | record::PipelineState::Failed
                | record::PipelineState::Lost
        );
        let pipeline = state.recorded_pipeline(id);
        let (mut detail, mut cached, mut compiles) = (String::new(), None, None);
        if let Some(entry) = state.entry(id) {
            if is_decided {
                cached = entry.cached;
                entry.decided = span;
                entry.flag.raise(time);
                detail.clone_from(&entry.detail);
            }
            if reached == record::PipelineState::Lost {
                "the device was lost".clone_into(&mut detail);
            } else if reached == record::PipelineState::Ready {
                compiles = Some(shared.device.caps().pipelines);
                if !entry.is_async {
                    text::add_note(
                        &mut detail,
                        "the call blocked until here; the specification lets it return at once",
                    );
                }
            }
        }
        self.reporter
            .send(Record::PipelineStep(Box::new(record::PipelineStep {
                pipeline,
                state: reached,
                time,
                span,
                detail,
                cached,
                compiles,
            })));
    }

    /// Reports what a promise came to, under each of these names that it goes by.
    pub(super) fn report_settled(
        &self,
        shared: &RunState,
        state: &mut TimelinesState,
        (settlement, names): (&PromiseResult, &[record::PromiseId]),
        span: SpanId,
        time: Nanos,
    ) {
        let observed = observe(shared, state, settlement);
        for promise in names {
            let Some(given) = state.promises.get_mut(promise.index()) else {
                continue;
            };
            given.settled = Some(span);
            given.flag.raise(time);
            let given = given.clone();
            let (verdict, value) = text::verdict(shared, &given, settlement);
            if verdict == record::Verdict::Resolved
                && let Some(buffer) = given.stale
            {
                self.report_stale(shared, &given, buffer, span);
            }
            self.reporter
                .send(Record::Settlement(Box::new(record::PromiseOutcome {
                    promise: *promise,
                    time,
                    span,
                    verdict,
                    value,
                    reason: text::reason(shared, state, &given, settlement),
                    anchor: settlement.row.anchor(settlement.api),
                    observed: observed.clone(),
                    by_destroy: is_ended_by_destroy(settlement.row),
                })));
        }
    }

    /// A map gives the host what may be made of numbers that a loss took.
    fn report_stale(
        &self,
        shared: &RunState,
        given: &PromiseEntry,
        buffer: BufferIndex,
        span: SpanId,
    ) {
        let site = shared.plan.sites.get(given.call.0 as usize);
        let line = site.map_or(0, |site| site.line);
        self.reporter.send(Record::Problem(Box::new(Problem {
            severity: Severity::Warning,
            code: STALE_RESULT.to_owned(),
            text: stale_text(&shared.plan, line, buffer),
            span,
            event: EventId::NONE,
        })));
    }

    fn report_uncaptured(&self, shared: &RunState, state: &TimelinesState, raised: RaisedError) {
        self.reporter.send(Record::Problem(Box::new(Problem {
            severity: Severity::Error,
            code: "uncaptured-error".to_owned(),
            text: text::uncaptured(shared, state, raised),
            span: raised.step,
            event: EventId::NONE,
        })));
    }
}

/// The place in the file of the call that a step works for.
fn call_of(state: &TimelinesState, step: &StepResult) -> CallId {
    let of_pipeline = step
        .pipeline
        .and_then(|id| state.pipelines.get(id.index()))
        .map(|entry| entry.call.0);
    let of_promise = step.promise.and_then(|promise| state.first_entry(promise));
    let of_promise = of_promise.map(|given| given.call);
    of_pipeline.or(of_promise).unwrap_or(CallId::NONE)
}

/// Whether a rule ends a promise inside the call that destroys the device.
fn is_ended_by_destroy(rule: &OutcomeRow) -> bool {
    let is_destroyed = |it: &Condition| *it == Condition::DestroyedMeanwhile;
    rule.decided == DecidingTimeline::Content && rule.conditions.iter().all(is_destroyed)
}

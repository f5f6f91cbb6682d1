//! Actions that choose a pipeline, a promise or a loss, and go to where it can be seen.

use engine::capture::{Capture, PipelineHistory, PromiseState};
use engine::record::{PipelineState, SpanId};
use engine::time::{Interval, Nanos};

use super::{navigation, view};
use crate::state::{AppState, Topic, ViewChange};

/// Chooses `topic`, and goes to its span or its instant.
pub fn select(state: &mut AppState, capture: &Capture, topic: Topic) {
    let span = match topic {
        Topic::Pipeline(id) => capture.pipelines().get(id.index()).and_then(telling_span),
        Topic::Promise(id) => capture.promises().get(id.index()).and_then(settling_span),
        Topic::Loss(at) => {
            let time = capture.losses().get(at).map(|loss| loss.time);
            navigation::select(state, None);
            if let Some(time) = time {
                show_instant(state, capture, time);
            }
            None
        }
    };
    match span {
        Some(span) => navigation::reveal(state, capture, span),
        None => navigation::select(state, None),
    }
    state.selection.topic = Some(topic);
}

/// The span that says most about a pipeline: its compilation, and else the last that brought it into a state.
fn telling_span(stages: &PipelineHistory) -> Option<SpanId> {
    let compiling = stages.step(PipelineState::Compiling);
    let steps = compiling.into_iter().chain(stages.steps.iter().rev());
    let spans = steps.map(|step| step.span).chain([stages.pipeline.call]);
    spans.into_iter().find(|span| span.is_some())
}

/// The span that settled a promise, and else the call that made it.
fn settling_span(pledge: &PromiseState) -> Option<SpanId> {
    let settled = pledge.settlement.as_ref().map(|settlement| settlement.span);
    let spans = settled.into_iter().chain([pledge.promise.call]);
    spans.into_iter().find(|span| span.is_some())
}

/// Moves the view so that `time` is in its middle, unless it is in view.
fn show_instant(state: &mut AppState, capture: &Capture, time: Nanos) {
    let shown = state.view.shown(capture.extent());
    if !shown.contains(time) {
        let start = time - Nanos(shown.length().0 / 2);
        let moved = Interval::new(start, start + shown.length());
        view::show(state, Some(moved), ViewChange::Jump);
    }
}

//! How a pipeline came to be ready, and what waited for it.

use capture::{Capture, PipelineHistory, PlacedSpan};
use record::time::Nanos;
use record::{CompileTime, DependencyKind, LaneId, PipelineState, SpanId, SpanKind};

/// Steps and uses of one pipeline that are looked at.
const MOST: usize = 1_000;

/// How a pipeline came to be ready, and what waited for it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PipelineReadiness {
    /// When it was asked for.
    pub requested: Option<Nanos>,
    /// How long it was compiled; nothing where it was not, or still is.
    pub compile_time: Option<Nanos>,
    /// Whether it came out of a cache; nothing where that is not known.
    pub cached: Option<bool>,
    /// When its device really compiles; nothing where that is not known.
    pub compiles: Option<CompileTime>,
    /// The lane that compiled it.
    pub worker: Option<LaneId>,
    /// The first operation that needed it, and when that began.
    pub first_use: Option<(SpanId, Nanos)>,
    /// For how long launches were held back because it was not ready, added up.
    pub stalled: Nanos,
    /// What was said last about it, such as why it failed.
    pub detail: String,
}

impl PipelineReadiness {
    /// What `capture` tells of the pipeline.
    pub fn of(capture: &Capture, stages: &PipelineHistory) -> Self {
        let compiling = stages.step(PipelineState::Compiling);
        let mut found = Self {
            requested: stages.reached(PipelineState::Requested),
            compile_time: stages.compile_time(),
            cached: cached(stages),
            compiles: stages.steps.iter().find_map(|step| step.compiles),
            worker: compiling.and_then(|step| lane(capture, step.span)),
            ..Self::default()
        };
        for placed in uses(capture, stages) {
            if placed.span.kind == SpanKind::Stall {
                found.stalled += placed.interval().length();
            } else if found
                .first_use
                .is_none_or(|(_, start)| placed.span.start < start)
            {
                found.first_use = Some((placed.span.id, placed.span.start));
            }
        }
        let mut told = stages.steps.iter().rev().map(|step| step.detail.trim());
        if let Some(detail) = told.find(|detail| !detail.is_empty()) {
            detail.clone_into(&mut found.detail);
        }
        found
    }
}

/// The pipeline that `span` brought into a state, or that it asked for.
pub fn pipeline_of(capture: &Capture, span: SpanId) -> Option<&PipelineHistory> {
    let pipelines = || capture.pipelines().iter();
    let steps = |stages: &&PipelineHistory| stages.steps.iter().any(|step| step.span == span);
    let brought = pipelines().find(steps);
    brought.or_else(|| pipelines().find(|stages| stages.pipeline.call == span))
}

/// Whether it came out of a cache, as its steps say.
fn cached(stages: &PipelineHistory) -> Option<bool> {
    stages.steps.iter().find_map(|step| step.cached)
}

fn lane(capture: &Capture, span: SpanId) -> Option<LaneId> {
    let running = || capture.running(span);
    let placed = capture.span(span).map(|placed| placed.span.lane);
    placed.or_else(|| running().map(|began| began.lane))
}

/// The operations that needed it.
fn uses<'a>(capture: &'a Capture, stages: &'a PipelineHistory) -> impl Iterator<Item = PlacedSpan> {
    let mut spans: Vec<SpanId> = stages.steps.iter().map(|step| step.span).collect();
    spans.dedup();
    let ties = spans.into_iter().flat_map(|span| capture.effects(span));
    let ties = ties.take(MOST).filter_map(|id| capture.dependency(id));
    ties.filter(|tie| tie.kind == DependencyKind::Pipeline)
        .filter_map(|tie| capture.span(tie.effect))
}

#[cfg(test)]
mod tests {
    use super::*;
    use record::{
        Basis, CallId, Dependency, NameId, PipelineId, PipelineStep, Record, Span, State,
    };

    fn span(id: u32, lane: u32, kind: SpanKind, start: i64, end: i64) -> Record {
        Record::Span(Span {
            id: SpanId(id),
            lane: LaneId(lane),
            name: NameId(0),
            call: CallId::NONE,
            kind,
            state: State::Done,
            enqueued: Nanos(start),
            start: Nanos(start),
            end: Nanos(end),
        })
    }

    fn step(state: PipelineState, time: i64, span: u32, cached: Option<bool>) -> Record {
        Record::PipelineStep(Box::new(PipelineStep {
            pipeline: PipelineId(0),
            state,
            time: Nanos(time),
            span: SpanId(span),
            detail: if cached.is_some() {
                "compiled late"
            } else {
                ""
            }
            .into(),
            cached,
            compiles: (state == PipelineState::Ready).then_some(CompileTime::FirstUse),
        }))
    }

    fn needed(cause: u32, effect: u32) -> Record {
        Record::Dependency(Dependency::new(
            SpanId(cause),
            SpanId(effect),
            DependencyKind::Pipeline,
            Basis::Enforced,
        ))
    }

    #[test]
    fn a_pipeline_tells_who_made_it_and_who_waited() {
        let mut capture = Capture::new();
        capture.apply([
            span(0, 0, SpanKind::Call, 0, 5),
            span(1, 3, SpanKind::Compile, 10, 60),
            span(2, 5, SpanKind::Stall, 20, 60),
            span(3, 5, SpanKind::Kernel, 60, 90),
            span(4, 5, SpanKind::Kernel, 90, 95),
            step(PipelineState::Requested, 1, 0, None),
            step(PipelineState::Compiling, 10, 1, Some(false)),
            step(PipelineState::Ready, 60, 1, None),
            needed(1, 2),
            needed(1, 4),
            needed(1, 3),
        ]);
        let stages = pipeline_of(&capture, SpanId(1)).unwrap();
        let found = PipelineReadiness::of(&capture, stages);
        assert_eq!(found.requested, Some(Nanos(1)));
        assert_eq!(found.compile_time, Some(Nanos(50)));
        assert_eq!((found.cached, found.worker), (Some(false), Some(LaneId(3))));
        assert_eq!(found.compiles, Some(CompileTime::FirstUse));
        assert_eq!(found.first_use, Some((SpanId(3), Nanos(60))));
        assert_eq!(found.stalled, Nanos(40));
        assert_eq!(found.detail, "compiled late");
    }
}

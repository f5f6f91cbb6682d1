//! What a loss came to: everything that was pending, what became of it, and when work went on.

use capture::{Capture, PlacedSpan, Pledge, Stages};
use record::time::{Interval, Nanos};
use record::{
    DeviceId, Group, Lane, Loss, LossKind, PipelineId, PipelineState, PromiseId, Recovery, Role,
    SpanId, SpanKind, State,
};

/// Spans that are listed of one lane; a loss in the middle of a long queue cancels more than anybody reads.
const LISTED: usize = 1_000;

/// What a loss came to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Aftermath {
    /// Operations that the loss took: those that ran, and those that never did, by lane.
    pub spans: Vec<SpanId>,
    /// Promises that were pending at the loss, or asked for while the device was lost.
    pub promises: Vec<PromiseId>,
    /// Pipelines that were not ready at the loss, that were lost with the device, or that were asked for while it was
    /// lost.
    pub pipelines: Vec<PipelineId>,
    /// How the device was opened anew.
    pub recovery: Option<Recovery>,
    /// The first operation that ran to its end on the new device, and when it ended.
    pub first_result: Option<(SpanId, Nanos)>,
}

impl Aftermath {
    /// What became of everything that `loss` met.
    pub fn of(capture: &Capture, loss: &Loss) -> Self {
        let recovery = recovery(capture, loss);
        let until = recovery.map_or(Nanos::MAX, |recovery| recovery.time);
        let within = Interval::new(loss.time, until.max(loss.time));
        let promises = capture
            .promises()
            .iter()
            .filter(|pledge| was_pending(pledge, loss));
        let pipelines = capture
            .pipelines()
            .iter()
            .filter(|stages| was_underway(stages, loss));
        Self {
            spans: taken(capture, loss.device, within),
            promises: promises.map(|pledge| pledge.promise.id).collect(),
            pipelines: pipelines.map(|stages| stages.pipeline.id).collect(),
            recovery,
            first_result: recovery.and_then(|recovery| first_result(capture, &recovery)),
        }
    }
}

/// The recovery from `loss`, where there was one.
pub fn recovery(capture: &Capture, loss: &Loss) -> Option<Recovery> {
    let recoveries = capture.recoveries().iter().copied();
    recoveries
        .filter(|recovery| recovery.device == loss.device && recovery.generation > loss.generation)
        .min_by_key(|recovery| recovery.generation)
}

/// The first operation that ran to its end on a recovered device, and when it ended.
pub fn first_result(capture: &Capture, recovery: &Recovery) -> Option<(SpanId, Nanos)> {
    let after = Interval::new(recovery.time, Nanos::MAX);
    let works = |placed: &PlacedSpan| {
        let span = &placed.span;
        let is_work = !span.kind.is_waiting()
            && !matches!(span.kind, SpanKind::EventRecord | SpanKind::Scope);
        is_work && span.state == State::Done && span.start >= recovery.time
    };
    let firsts = lanes(capture, recovery.device)
        .filter(|lane| lane.group == Group::Streams && lane.role != Role::Queue)
        .filter_map(|lane| {
            let mut spans = capture.spans_in(lane.id, after);
            spans.find(works)
        });
    firsts
        .map(|placed| (placed.span.id, placed.span.end))
        .min_by_key(|&(_, end)| end)
}

fn lanes(capture: &Capture, device: DeviceId) -> impl Iterator<Item = &Lane> {
    let lanes = capture.lanes().iter();
    lanes.filter(move |lane| lane.device == Some(device))
}

/// The operations on the device's streams and workers that did not end well between the loss and the recovery.
fn taken(capture: &Capture, device: DeviceId, within: Interval) -> Vec<SpanId> {
    let wide = Interval::new(within.start - Nanos(1), within.end);
    let own = lanes(capture, device).filter(|lane| lane.role != Role::Queue);
    own.flat_map(|lane| {
        let spans = capture.spans_in(lane.id, wide);
        spans
            .filter(|placed| matches!(placed.span.state, State::Lost | State::Cancelled))
            .take(LISTED)
            .map(|placed| placed.span.id)
    })
    .collect()
}

/// Whether the promise was made on the lost device and not settled before the loss.
fn was_pending(pledge: &Pledge, loss: &Loss) -> bool {
    let promise = &pledge.promise;
    if (promise.device, promise.generation) != (loss.device, loss.generation) {
        return false;
    }
    let Some(settlement) = &pledge.settlement else {
        return true;
    };
    // A destroy rejects pending maps in the call itself, a moment before the device's own step.
    let ended = loss.kind == LossKind::Destroyed && settlement.by_destroy;
    settlement.time >= loss.time || ended
}

/// Whether the pipeline was on its way on the lost device, or ready there and lost with it.
fn was_underway(stages: &Stages, loss: &Loss) -> bool {
    let pipeline = &stages.pipeline;
    let over = [PipelineState::Ready, PipelineState::Failed]
        .into_iter()
        .filter_map(|state| stages.reached(state))
        .min();
    let is_lost = stages.state() == PipelineState::Lost;
    (pipeline.device, pipeline.generation) == (loss.device, loss.generation)
        && (is_lost || over.is_none_or(|time| time >= loss.time))
}

#[cfg(test)]
mod tests {
    use super::*;
    use record::{CallId, LaneId, NameId, Observed, Promise, Record, Settlement, Span, Verdict};

    fn loss() -> Loss {
        Loss {
            device: DeviceId(0),
            time: Nanos(100),
            reason: "injected".into(),
            kind: LossKind::Unknown,
            generation: 1,
        }
    }

    fn span(id: u32, state: State, start: i64, end: i64) -> Record {
        Record::Span(Span {
            id: SpanId(id),
            lane: LaneId(0),
            name: NameId(0),
            call: CallId::NONE,
            kind: SpanKind::Kernel,
            state,
            enqueued: Nanos(start),
            start: Nanos(start),
            end: Nanos(end),
        })
    }

    fn promise(id: u32, settled: Option<i64>) -> [Option<Record>; 2] {
        let made = Promise {
            id: PromiseId(id),
            api: "mapAsync".into(),
            name: format!("map {id}"),
            device: DeviceId(0),
            generation: 1,
            call: SpanId::NONE,
        };
        let settlement = |time| Settlement {
            promise: PromiseId(id),
            time: Nanos(time),
            span: SpanId::NONE,
            verdict: Verdict::Rejected,
            value: "OperationError".into(),
            reason: String::new(),
            anchor: String::new(),
            observed: Observed::Nothing,
            by_destroy: false,
        };
        [
            Some(Record::Promise(Box::new(made))),
            settled.map(|time| Record::Settlement(Box::new(settlement(time)))),
        ]
    }

    fn capture() -> Capture {
        let mut capture = Capture::new();
        capture.apply([Record::Lane(Box::new(Lane {
            id: LaneId(0),
            group: Group::Streams,
            device: Some(DeviceId(0)),
            role: Role::Compute,
            name: "compute".into(),
            order: 0,
            process: "".into(),
            thread: "".into(),
        }))]);
        capture.apply([
            span(0, State::Done, 0, 90),
            span(1, State::Lost, 90, 100),
            span(2, State::Cancelled, 100, 100),
            span(3, State::Done, 160, 200),
            span(4, State::Done, 200, 220),
        ]);
        let promises = [(0, Some(50)), (1, Some(120)), (2, None)];
        let promises = promises.map(|(id, settled)| promise(id, settled));
        capture.apply(promises.into_iter().flatten().flatten());
        capture.apply([
            Record::Loss(Box::new(loss())),
            Record::Recovery(Box::new(Recovery {
                device: DeviceId(0),
                generation: 2,
                lost: Nanos(100),
                time: Nanos(150),
            })),
        ]);
        capture
    }

    #[test]
    fn what_the_loss_met_is_listed_and_nothing_else() {
        let found = Aftermath::of(&capture(), &loss());
        assert_eq!(found.spans, [SpanId(1), SpanId(2)]);
        assert_eq!(found.promises, [PromiseId(1), PromiseId(2)]);
        assert_eq!(found.recovery.map(|recovery| recovery.generation), Some(2));
    }

    #[test]
    fn the_first_result_is_of_the_new_device() {
        let found = Aftermath::of(&capture(), &loss());
        assert_eq!(found.first_result, Some((SpanId(3), Nanos(200))));
    }

    /// The call that destroys a device ends its maps a moment before the device itself is lost.
    #[test]
    fn what_the_destroying_call_ended_was_pending() {
        let mut capture = capture();
        let ended = promise(3, Some(99)).map(|it| match it {
            Some(Record::Settlement(mut it)) => {
                it.by_destroy = true;
                Some(Record::Settlement(it))
            }
            other => other,
        });
        capture.apply(ended.into_iter().flatten());
        let destroyed = Loss {
            kind: LossKind::Destroyed,
            ..loss()
        };
        let met = |loss: &Loss| Aftermath::of(&capture, loss).promises;
        assert!(met(&destroyed).contains(&PromiseId(3)));
        let failed = Loss {
            kind: LossKind::Unknown,
            ..loss()
        };
        assert!(!met(&failed).contains(&PromiseId(3)));
    }

    #[test]
    fn a_loss_of_another_generation_met_nothing_of_this_one() {
        let later = Loss {
            generation: 2,
            time: Nanos(300),
            ..loss()
        };
        let found = Aftermath::of(&capture(), &later);
        assert_eq!(
            (found.spans.len(), found.promises.len(), found.recovery),
            (0, 0, None)
        );
    }
}

//! What a loss came to: everything that was pending, what became of it, and when work went on.

use std::collections::BTreeMap;

use capture::{Capture, PipelineHistory, PlacedSpan, PromiseState};
use record::time::{Interval, Nanos};
use record::{
    DeviceId, Group, Lane, Loss, LossKind, PipelineId, PipelineState, PromiseId, Recovery, Role,
    Span, SpanId, SpanKind, State,
};

/// Spans that are listed of one lane; a loss in the middle of a long queue takes more than anybody reads.
const LISTED: usize = 1_000;

/// A device, and which of its generations.
type DeviceGeneration = (DeviceId, u32);

/// What a loss came to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LossAftermath {
    /// How many operations of streams the loss took: those that ran, those that never did, and those that were submitted
    /// while the device was lost.
    pub operations: u64,
    /// The first of them, by lane.
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

impl LossAftermath {
    /// What became of everything that `loss` met. Whoever asks for many losses makes a [`LossIndex`].
    pub fn of(capture: &Capture, loss: &Loss) -> Self {
        let index = LossIndex::new(capture);
        let recovery = index.recovery(loss);
        let first = recovery.and_then(|it| index.search_first_result(&it));
        index.aftermath_with(loss, first)
    }
}

/// What is asked of every loss of a capture, looked up once for all of them.
pub struct LossIndex<'c> {
    capture: &'c Capture,
    recoveries: BTreeMap<DeviceGeneration, Recovery>,
    promises: BTreeMap<DeviceGeneration, Vec<&'c PromiseState>>,
    pipelines: BTreeMap<DeviceGeneration, Vec<&'c PipelineHistory>>,
}

impl<'c> LossIndex<'c> {
    /// Of what the capture has by now.
    pub fn new(capture: &'c Capture) -> Self {
        let mut recoveries = BTreeMap::new();
        for it in capture.recoveries() {
            recoveries.entry((it.device, it.generation)).or_insert(*it);
        }
        let mut promises: BTreeMap<DeviceGeneration, Vec<&PromiseState>> = BTreeMap::new();
        for pledge in capture.promises() {
            let key = (pledge.promise.device, pledge.promise.generation);
            promises.entry(key).or_default().push(pledge);
        }
        let mut pipelines: BTreeMap<DeviceGeneration, Vec<&PipelineHistory>> = BTreeMap::new();
        for stages in capture.pipelines() {
            let key = (stages.pipeline.device, stages.pipeline.generation);
            pipelines.entry(key).or_default().push(stages);
        }
        Self {
            capture,
            recoveries,
            promises,
            pipelines,
        }
    }

    /// The recovery from `loss`, where there was one.
    pub fn recovery(&self, loss: &Loss) -> Option<Recovery> {
        self.next((loss.device, loss.generation))
    }

    /// The first recovery of a device after one of its generations.
    fn next(&self, (device, generation): DeviceGeneration) -> Option<Recovery> {
        let from = (device, generation.checked_add(1)?);
        let mut later = self.recoveries.range(from..=(device, u32::MAX));
        later.next().map(|(_, recovery)| *recovery)
    }

    /// For every recovery, the first operation that ran to its end from then on, and when that ended.
    pub fn first_results(&self) -> BTreeMap<DeviceGeneration, (SpanId, Nanos)> {
        let mut found = BTreeMap::new();
        let mut later: Option<(DeviceId, (SpanId, Nanos))> = None;
        for (&key, recovery) in self.recoveries.iter().rev() {
            let later_here = later.filter(|(device, _)| *device == key.0);
            let first = self.first_of_generation(recovery);
            let first = first.or(later_here.map(|(_, first)| first));
            if let Some(first) = first {
                found.insert(key, first);
            }
            later = first.map(|first| (key.0, first));
        }
        found
    }

    /// The same of one recovery.
    fn search_first_result(&self, recovery: &Recovery) -> Option<(SpanId, Nanos)> {
        let mut recovery = Some(*recovery);
        while let Some(it) = recovery {
            if let Some(first) = self.first_of_generation(&it) {
                return Some(first);
            }
            recovery = self.next((it.device, it.generation));
        }
        None
    }

    /// The first operation that ran to its end on the device that this recovery made.
    fn first_of_generation(&self, recovery: &Recovery) -> Option<(SpanId, Nanos)> {
        let next = self.next((recovery.device, recovery.generation));
        let until = next.map_or(Nanos::MAX, |it| it.time.max(recovery.time));
        let works = |placed: &PlacedSpan| {
            let span = &placed.span;
            let is_work = !span.kind.is_waiting()
                && !matches!(span.kind, SpanKind::EventRecord | SpanKind::Scope);
            let is_work = is_work && !self.capture.has_nodes(span.id);
            is_work && span.state == State::Done && span.start >= recovery.time
        };
        let firsts = streams(self.capture, recovery.device).filter_map(|lane| {
            let within = Interval::new(recovery.time, until);
            let mut spans = self.capture.spans_in(lane.id, within);
            spans.find(works)
        });
        firsts
            .map(|placed| (placed.span.id, placed.span.end))
            .min_by_key(|&(_, end)| end)
    }

    /// What became of everything that each loss of the capture met, in their order.
    pub fn aftermaths(&self) -> Vec<LossAftermath> {
        let firsts = self.first_results();
        let first = |loss: &Loss| {
            let recovery = self.recovery(loss)?;
            firsts.get(&(recovery.device, recovery.generation)).copied()
        };
        let losses = self.capture.losses().iter();
        losses
            .map(|loss| self.aftermath_with(loss, first(loss)))
            .collect()
    }

    fn aftermath_with(&self, loss: &Loss, first_result: Option<(SpanId, Nanos)>) -> LossAftermath {
        let key = (loss.device, loss.generation);
        let promises = self.promises.get(&key).into_iter().flatten();
        let promises = promises.filter(|pledge| was_pending(pledge, loss));
        let pipelines = self.pipelines.get(&key).into_iter().flatten();
        let pipelines = pipelines.filter(|stages| was_underway(stages, loss));
        let (operations, spans) = self.taken(loss);
        LossAftermath {
            operations,
            spans,
            promises: promises.map(|pledge| pledge.promise.id).collect(),
            pipelines: pipelines.map(|stages| stages.pipeline.id).collect(),
            recovery: self.recovery(loss),
            first_result,
        }
    }

    /// The operations of the device's streams that the loss took: how many, and the first of each lane.
    fn taken(&self, loss: &Loss) -> (u64, Vec<SpanId>) {
        let key = (loss.device, loss.generation);
        let began = self.recoveries.get(&key).map(|it| it.time);
        let until = self.recovery(loss).map(|it| it.time);
        // An operation that failed loses nothing: what is queued behind it is cancelled.
        let taken = match loss.kind {
            LossKind::Link => return (0, Vec::new()),
            LossKind::Failed => State::Cancelled,
            _ => State::Lost,
        };
        // A device may be opened anew in the very moment of its loss, and what it took ends then: by its submission it
        // is known which of two losses that was.
        let is_over = |span: &Span, at: Option<Nanos>| {
            at.is_some_and(|at| span.enqueued < at || span.end <= at)
        };
        let is_own = |span: &Span| {
            span.state == taken
                && !is_over(span, began)
                && (until.is_none() || is_over(span, until))
        };
        let end = until.map_or(Nanos::MAX, |until| until.max(loss.time) + Nanos(1));
        let wide = Interval::new(loss.time - Nanos(1), end);
        let (mut count, mut listed) = (0, Vec::new());
        for lane in streams(self.capture, loss.device) {
            let before = count;
            for placed in self.capture.spans_in(lane.id, wide) {
                if is_own(&placed.span) {
                    if count - before < LISTED as u64 {
                        listed.push(placed.span.id);
                    }
                    count += 1;
                }
            }
        }
        (count, listed)
    }
}

/// Whether some device is lost and was not opened anew.
pub fn is_any_lost(capture: &Capture) -> bool {
    let mut newest: BTreeMap<DeviceId, u32> = BTreeMap::new();
    for it in capture.recoveries() {
        let generation = newest.entry(it.device).or_default();
        *generation = it.generation.max(*generation);
    }
    let mut losses = capture.losses().iter();
    losses.any(|loss| {
        let newest = newest.get(&loss.device).copied().unwrap_or_default();
        loss.kind != LossKind::Link && newest <= loss.generation
    })
}

/// The lanes of a device's streams. What its queue shows is on those as well.
fn streams(capture: &Capture, device: DeviceId) -> impl Iterator<Item = &Lane> {
    let lanes = capture.lanes().iter();
    lanes.filter(move |lane| {
        lane.device == Some(device) && lane.group == Group::Streams && lane.role != Role::Queue
    })
}

/// Whether the promise was made on the lost device and not settled before the loss.
fn was_pending(pledge: &PromiseState, loss: &Loss) -> bool {
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
fn was_underway(stages: &PipelineHistory, loss: &Loss) -> bool {
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
    use record::{
        CallId, LaneId, NameId, ObservedOutcome, Promise, PromiseOutcome, Record, Span, Verdict,
    };

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
        let settlement = |time| PromiseOutcome {
            promise: PromiseId(id),
            time: Nanos(time),
            span: SpanId::NONE,
            verdict: Verdict::Rejected,
            value: "OperationError".into(),
            reason: String::new(),
            anchor: String::new(),
            observed: ObservedOutcome::Nothing,
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
            span(2, State::Lost, 100, 100),
            span(3, State::Done, 160, 200),
            span(4, State::Done, 200, 220),
            // Dropped by an abort while the device was lost.
            span(5, State::Cancelled, 101, 101),
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
        let found = LossAftermath::of(&capture(), &loss());
        assert_eq!(found.spans, [SpanId(1), SpanId(2)]);
        assert_eq!(found.operations, 2);
        assert_eq!(found.promises, [PromiseId(1), PromiseId(2)]);
        assert_eq!(found.recovery.map(|recovery| recovery.generation), Some(2));
    }

    #[test]
    fn the_first_result_is_of_the_new_device() {
        let found = LossAftermath::of(&capture(), &loss());
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
        let met = |loss: &Loss| LossAftermath::of(&capture, loss).promises;
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
        let found = LossAftermath::of(&capture(), &later);
        assert_eq!(
            (found.spans.len(), found.promises.len(), found.recovery),
            (0, 0, None)
        );
    }
}

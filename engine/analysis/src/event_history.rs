//! What became of each event: its records, what each was waited for by, and how it stands at the end.

use std::collections::BTreeMap;

use capture::Capture;
use record::time::Nanos;
use record::{EventChange, EventId, EventStep, LaneId, SpanId, State};

/// An event with all its records.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventHistory {
    /// The event.
    pub event: EventId,
    /// Its records, by their generation.
    pub generations: Vec<EventGeneration>,
    /// How it stands at the end of the capture.
    pub state: EventCondition,
    /// What made it so: the latest record, or what reset or destroyed it.
    pub since: SpanId,
    /// Resets and what destroyed it, each with the generation that was the latest.
    pub ends: Vec<EventStep>,
}

/// A record of an event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventGeneration {
    /// Counted from 1 for each event.
    pub generation: u32,
    /// The record.
    pub record: SpanId,
    /// What was for this record: waits of streams, synchronisations, and measurements that end with it; by their numbers.
    pub uses: Vec<SpanId>,
}

/// How an event stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum EventCondition {
    /// It was never recorded, so that it holds nobody back.
    Empty,
    /// Its latest record was reset, or went with a device that was opened anew.
    Reset,
    /// Its latest record has not been reached.
    Pending,
    /// Its latest record was reached.
    Reached,
    /// Its latest record failed, was cancelled or went with the device.
    Failed,
    /// It was destroyed.
    Destroyed,
}

impl EventCondition {
    /// Every state.
    pub const ALL: &'static [Self] = &[
        Self::Empty,
        Self::Reset,
        Self::Pending,
        Self::Reached,
        Self::Failed,
        Self::Destroyed,
    ];

    /// The word for it.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Empty => "empty",
            Self::Reset => "reset",
            Self::Pending => "pending",
            Self::Reached => "reached",
            Self::Failed => "failed",
            Self::Destroyed => "destroyed",
        }
    }
}

impl EventHistory {
    /// How many operations and calls were for its records.
    pub fn use_count(&self) -> usize {
        self.generations.iter().map(|it| it.uses.len()).sum()
    }

    /// The lane of the latest record.
    pub fn lane(&self, capture: &Capture) -> Option<LaneId> {
        let latest = self.generations.last()?;
        Some(capture.span(latest.record)?.span.lane)
    }
}

/// What became of every event of a capture, by its number. Captures of other tools tell of those records alone that something
/// was for.
pub fn event_histories(capture: &Capture) -> Vec<EventHistory> {
    let mut records: BTreeMap<(EventId, u32), EventGeneration> = BTreeMap::new();
    let mut note = |event: EventId, generation: u32, record: SpanId, used: Option<SpanId>| {
        let made = records
            .entry((event, generation))
            .or_insert_with(|| EventGeneration {
                generation,
                record,
                uses: Vec::new(),
            });
        made.uses.extend(used);
    };
    for event in capture.events() {
        for step in capture.event_steps(event.id) {
            if step.change == EventChange::Recorded {
                note(event.id, step.generation, step.span, None);
            }
        }
    }
    for tie in capture.event_dependencies() {
        note(tie.event, tie.generation, tie.cause, Some(tie.effect));
    }
    let recovered = capture.recoveries().last().map(|it| it.time);
    let all = capture.events().iter().map(|event| {
        let own = (event.id, 0)..=(event.id, u32::MAX);
        let own = records.range_mut(own).map(|(_, made)| {
            made.uses.sort_unstable();
            made.uses.dedup();
            made.clone()
        });
        history(capture, event.id, own.collect(), recovered)
    });
    all.collect()
}

fn history(
    capture: &Capture,
    event: EventId,
    generations: Vec<EventGeneration>,
    recovered: Option<Nanos>,
) -> EventHistory {
    let steps = capture.event_steps(event);
    let ends = steps.iter().filter(|it| it.change != EventChange::Recorded);
    let latest = generations.last();
    let end = steps.last().filter(|it| {
        it.change != EventChange::Recorded
            && latest.is_none_or(|made| made.generation <= it.generation)
    });
    let (state, since) = match (end, latest) {
        (Some(end), _) if end.change == EventChange::Destroyed => {
            (EventCondition::Destroyed, end.span)
        }
        (Some(end), _) => (EventCondition::Reset, end.span),
        (None, None) => (EventCondition::Empty, SpanId::NONE),
        (None, Some(made)) => (reached(capture, made.record, recovered), made.record),
    };
    EventHistory {
        event,
        state,
        since,
        ends: ends.copied().collect(),
        generations,
    }
}

/// How a record came out.
fn reached(capture: &Capture, record: SpanId, recovered: Option<Nanos>) -> EventCondition {
    let Some(placed) = capture.span(record) else {
        return EventCondition::Pending;
    };
    if recovered.is_some_and(|time| placed.span.end <= time) {
        return EventCondition::Reset;
    }
    match placed.span.state {
        State::Done => EventCondition::Reached,
        _ => EventCondition::Failed,
    }
}

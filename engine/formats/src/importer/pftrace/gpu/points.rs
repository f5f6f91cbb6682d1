//! Events of GPUs that slices name by number: who submitted them, who waited for them.

use std::collections::HashMap;

use record::time::Nanos;
use record::{Basis, Dependency, DependencyKind, Record, SpanId};

/// The numbers of a slice.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in super::super) struct SliceSyncPoints {
    /// Its own, which others wait for.
    pub event: Option<u64>,
    /// The events of GPUs that had to end before it could run.
    pub after: Vec<u64>,
    /// The events of GPUs that it submitted.
    pub submitted: Vec<u64>,
    /// The events of GPUs whose end it waited for.
    pub waited: Vec<u64>,
    /// The submission that it is, as a call, or is part of, as work of a GPU.
    pub submission: Option<u32>,
}

/// Slices that meet at numbers.
#[derive(Debug, Default)]
pub(in super::super) struct SliceMeetings {
    events: HashMap<u64, Vec<(Nanos, SpanId)>>,
    calls: HashMap<u32, (Nanos, SpanId)>,
    parts: Vec<(u32, Nanos, SpanId)>,
    wanted: Vec<EventMention>,
}

/// A slice that names an event.
#[derive(Clone, Copy, Debug)]
struct EventMention {
    event: u64,
    span: SpanId,
    start: Nanos,
    way: EventRelation,
}

/// What a slice has to do with an event that it names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum EventRelation {
    After,
    Submitted,
    Waited,
}

impl SliceMeetings {
    /// Takes a slice's numbers. Slices come by their start.
    pub fn note(&mut self, span: SpanId, start: Nanos, points: SliceSyncPoints) {
        let ways = [
            (EventRelation::After, points.after),
            (EventRelation::Submitted, points.submitted),
            (EventRelation::Waited, points.waited),
        ];
        for (way, events) in ways {
            self.wanted
                .extend(events.into_iter().map(|event| EventMention {
                    event,
                    span,
                    start,
                    way,
                }));
        }
        if let Some(event) = points.event {
            self.events.entry(event).or_default().push((start, span));
            if let Some(submission) = points.submission {
                self.parts.push((submission, start, span));
            }
        } else if let Some(submission) = points.submission {
            self.calls.insert(submission, (start, span));
        }
    }

    /// The dependencies, and how many numbers name nothing.
    pub fn ties(&self) -> (Vec<Record>, u64) {
        let (mut ties, mut missing) = (Vec::new(), 0);
        for wanted in &self.wanted {
            let Some(found) = self.find(wanted) else {
                missing += 1;
                continue;
            };
            ties.push(match wanted.way {
                EventRelation::After => tie(found, wanted.span, DependencyKind::Event),
                EventRelation::Submitted => tie(wanted.span, found, DependencyKind::Submission),
                EventRelation::Waited => tie(found, wanted.span, DependencyKind::Synchronization),
            });
        }
        for &(submission, _, part) in &self.parts {
            if let Some(&(_, call)) = self.calls.get(&submission) {
                ties.push(tie(call, part, DependencyKind::Submission));
            }
        }
        (ties, missing)
    }

    /// The event of a number. Writers begin to count anew, so it is the nearest on the right side of the slice.
    fn find(&self, wanted: &EventMention) -> Option<SpanId> {
        let events = self.events.get(&wanted.event)?;
        // Slices come by their start, so each of these looks at its own slice and at one more.
        let is_other = |(_, span): &&(Nanos, SpanId)| *span != wanted.span;
        let (earlier, _) = events.split_at(events.partition_point(|(it, _)| *it <= wanted.start));
        let (_, later) = events.split_at(events.partition_point(|(it, _)| *it < wanted.start));
        let before = earlier.iter().rfind(is_other);
        let after = later.iter().find(is_other);
        let (first, second) = match wanted.way {
            EventRelation::Submitted => (after, before),
            EventRelation::After | EventRelation::Waited => (before, after),
        };
        first.or(second).map(|(_, span)| *span)
    }
}

fn tie(cause: SpanId, effect: SpanId, kind: DependencyKind) -> Record {
    Record::Dependency(Dependency::new(cause, effect, kind, Basis::Enforced))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_that_are_used_again_mean_the_nearest() {
        let mut meetings = SliceMeetings::default();
        let event = |number| SliceSyncPoints {
            event: Some(number),
            ..SliceSyncPoints::default()
        };
        meetings.note(SpanId(0), Nanos(10), event(1));
        let waits = SliceSyncPoints {
            after: vec![1, 9],
            ..SliceSyncPoints::default()
        };
        meetings.note(SpanId(1), Nanos(20), waits);
        let submits = SliceSyncPoints {
            submitted: vec![1],
            ..SliceSyncPoints::default()
        };
        meetings.note(SpanId(2), Nanos(25), submits);
        meetings.note(SpanId(3), Nanos(30), event(1));
        let (ties, missing) = meetings.ties();
        let pairs: Vec<_> = ties
            .iter()
            .map(|record| match record {
                Record::Dependency(tie) => (tie.cause.0, tie.effect.0, tie.kind),
                other => panic!("{other:?}"),
            })
            .collect();
        let (event, submission) = (DependencyKind::Event, DependencyKind::Submission);
        assert_eq!(pairs, [(0, 1, event), (2, 3, submission)]);
        assert_eq!(missing, 1);
    }
}

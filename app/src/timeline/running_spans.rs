//! Operations that run now: which sub-lane each is drawn on until its end is known.

use std::collections::BTreeMap;

use engine::capture::Capture;
use engine::record::{LaneId, SpanStart};
use engine::time::{Interval, Nanos};

/// How many spans of a lane are looked at to find a free sub-lane.
const LOOK: usize = 64;

/// An operation that runs now.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RunningSpan {
    /// What began.
    pub began: SpanStart,
    /// The sub-lane it is drawn on, counted from 0.
    pub depth: usize,
}

/// What runs now, by lane.
#[derive(Clone, Debug, Default)]
pub struct RunningSpans {
    lanes: BTreeMap<LaneId, Vec<RunningSpan>>,
}

impl RunningSpans {
    /// All operations of `capture` that have begun and not ended.
    pub fn new(capture: &Capture) -> Self {
        let mut opens = Self::default();
        let mut all: Vec<&SpanStart> = capture.open().collect();
        // What began first contains what began within it, and lies above it.
        all.sort_by_key(|began| (began.start, began.id));
        for began in all {
            let known = opens.lanes.entry(began.lane).or_default();
            let after = Interval::new(began.start, Nanos::MAX);
            let mut taken: Vec<usize> = capture
                .spans_in(began.lane, after)
                .take(LOOK)
                .map(|placed| placed.depth as usize)
                .collect();
            taken.extend(known.iter().map(|open| open.depth));
            let depth = (0..=taken.len()).find(|depth| !taken.contains(depth));
            let kept = capture.running_depth(began.lane, began.id);
            let depth = kept.map_or(depth.unwrap_or(0), |kept| kept as usize);
            let began = *began;
            known.push(RunningSpan { began, depth });
        }
        opens
    }

    /// What runs on `lane`.
    pub fn of(&self, lane: LaneId) -> &[RunningSpan] {
        self.lanes.get(&lane).map_or(&[], Vec::as_slice)
    }

    /// How many sub-lanes `lane` needs, `depth` being those of its spans.
    pub fn depth(&self, lane: LaneId, depth: usize) -> usize {
        let open = self.of(lane).iter().map(|open| open.depth + 1).max();
        depth.max(open.unwrap_or(1))
    }

    /// The operation with number `span`, if it runs now.
    pub fn find(&self, span: engine::record::SpanId) -> Option<&RunningSpan> {
        self.lanes
            .values()
            .flatten()
            .find(|open| open.began.id == span)
    }
}

#[cfg(test)]
mod tests {
    use engine::record::{CallId, NameId, Record, Span, SpanId, SpanKind, State};

    use super::*;

    #[test]
    fn a_running_operation_takes_the_first_free_sub_lane() {
        let mut capture = Capture::new();
        let began = |id, start| {
            Record::Began(SpanStart {
                id: SpanId(id),
                lane: LaneId(0),
                name: NameId(0),
                kind: SpanKind::Kernel,
                enqueued: Nanos(start),
                start: Nanos(start),
            })
        };
        let span = Record::Span(Span {
            id: SpanId(0),
            lane: LaneId(0),
            name: NameId(0),
            call: CallId::NONE,
            kind: SpanKind::Kernel,
            state: State::Done,
            enqueued: Nanos(0),
            start: Nanos(0),
            end: Nanos(100),
        });
        capture.apply([span, began(1, 100), began(2, 120)]);
        let opens = RunningSpans::new(&capture);
        let depths: Vec<usize> = opens.of(LaneId(0)).iter().map(|open| open.depth).collect();
        assert_eq!(depths, [0, 1]);
        assert_eq!(opens.depth(LaneId(0), 1), 2);
        assert_eq!(opens.depth(LaneId(7), 1), 1);
        assert!(opens.find(SpanId(2)).is_some() && opens.find(SpanId(0)).is_none());
    }
}

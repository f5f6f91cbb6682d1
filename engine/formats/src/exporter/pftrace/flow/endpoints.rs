//! Where an arrow leaves its cause and reaches its effect.

use record::SpanKind;
use record::time::{Interval, Nanos};

/// With what an arrow reaches its effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FlowArrival {
    /// The event of its start.
    Start,
    /// The event of its end; it is drawn at its start all the same.
    End,
    /// A mark at its end.
    EndMark,
}

/// Where an arrow leaves its cause and reaches its effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FlowMeeting {
    /// Whether it leaves a mark at the start of its cause, rather than the slice.
    pub leaves_mark: bool,
    pub arrival: FlowArrival,
    /// Whether it leaves and arrives in one instant, so that the order in the file counts.
    pub is_tied: bool,
    /// When it arrives.
    pub time: Nanos,
}

impl FlowMeeting {
    /// Where the arrow between two spans leaves and arrives. Where an effect ended before its cause began, which no clock can
    /// have seen, the arrow arrives when it leaves.
    pub fn of(cause: Interval, effect: Interval, kind: SpanKind) -> Self {
        let is_at_end = effect.start < cause.start || blocks(kind) && effect.start < cause.end;
        let time = if is_at_end { effect.end } else { effect.start };
        let is_later = time > cause.start;
        let arrival = match (is_at_end, is_later) {
            (true, _) => FlowArrival::EndMark,
            (false, false) if effect.end > cause.start => FlowArrival::End,
            (false, _) => FlowArrival::Start,
        };
        Self {
            leaves_mark: is_later && cause.end > time,
            arrival,
            is_tied: !is_later && arrival != FlowArrival::End,
            time: time.max(cause.start),
        }
    }
}

/// Whether a span of this kind ends because of its causes, having started before.
fn blocks(kind: SpanKind) -> bool {
    matches!(
        kind,
        SpanKind::EventWait
            | SpanKind::Hold
            | SpanKind::Synchronize
            | SpanKind::Join
            | SpanKind::Callback
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// When the UI draws the two ends, by the rule of its renderer: a slice is a start and an end, a mark has both in one.
    fn drawn(cause: Interval, effect: Interval, it: FlowMeeting) -> (Nanos, Nanos) {
        let from = if it.leaves_mark {
            (cause.start, cause.start)
        } else {
            (cause.start, cause.end)
        };
        let to = match it.arrival {
            FlowArrival::Start | FlowArrival::End => effect.start,
            FlowArrival::EndMark => effect.end,
        };
        (if from.0 >= to { from.0 } else { from.1 }, to)
    }

    #[test]
    fn arrows_are_drawn_forwards_whatever_lies_before_what() {
        let spans = (0..5)
            .flat_map(|start| (start..6).map(move |end| Interval::new(Nanos(start), Nanos(end))));
        let spans: Vec<Interval> = spans.collect();
        for &cause in &spans {
            for &effect in &spans {
                for kind in [SpanKind::Kernel, SpanKind::EventWait] {
                    let it = FlowMeeting::of(cause, effect, kind);
                    let (from, to) = drawn(cause, effect, it);
                    let happens = match it.arrival {
                        FlowArrival::Start => effect.start,
                        FlowArrival::End | FlowArrival::EndMark => effect.end,
                    };
                    if effect.end < cause.start {
                        assert!(it.is_tied && it.time == cause.start);
                        continue;
                    }
                    assert!(from <= to, "{cause:?} {effect:?} {it:?}");
                    assert!(
                        it.is_tied || happens > cause.start,
                        "{cause:?} {effect:?} {it:?}"
                    );
                    assert_eq!(it.time, to);
                }
            }
        }
    }
}

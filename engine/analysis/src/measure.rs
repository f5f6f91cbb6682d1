//! The time between two records of events, beside what ran on the stream in between.

use capture::Capture;
use record::time::{Interval, Nanos};
use record::{Dependency, DependencyId, DependencyKind, LaneId, SpanId, SpanKind};

/// Spans that are added up, at most.
const MOST: usize = 100_000;

/// The time between two records of events.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ElapsedMeasure {
    /// The lane of the second record.
    pub lane: LaneId,
    /// Whether the first record is on it too.
    pub is_one_lane: bool,
    /// From the first to the second, whichever was reached sooner.
    pub interval: Interval,
    /// What the two events say, which is negative where the second was reached first (rule A20).
    pub elapsed: Nanos,
    /// What ran on the lane in between, all lengths together: less than the time where the stream waited, more where
    /// branches of a graph overlapped, and none of other streams' work, which the time holds as well (rule A19).
    pub own: Nanos,
    /// How many spans that is.
    pub count: usize,
}

impl ElapsedMeasure {
    /// The same, where any of it lies within `view`; what ran is not added up elsewhere.
    pub fn of_shown(capture: &Capture, id: DependencyId, view: Interval) -> Option<Self> {
        let tie = capture.dependency(id)?;
        let (first, second) = (
            capture.span(tie.cause)?.span,
            capture.span(tie.effect)?.span,
        );
        let (start, end) = (first.start.min(second.start), first.start.max(second.start));
        (start <= view.end && end >= view.start).then_some(())?;
        Self::of(capture, id)
    }

    /// What a dependency between two records measures, once both were reached.
    pub fn of(capture: &Capture, id: DependencyId) -> Option<Self> {
        let tie = capture.dependency(id)?;
        if tie.kind != DependencyKind::Elapsed {
            return None;
        }
        let (first, second) = (
            capture.span(tie.cause)?.span,
            capture.span(tie.effect)?.span,
        );
        let interval = Interval::new(first.start.min(second.start), first.start.max(second.start));
        let (own, count) = own_work(capture, second.lane, interval);
        Some(Self {
            lane: second.lane,
            is_one_lane: first.lane == second.lane,
            interval,
            elapsed: second.start - first.start,
            own,
            count,
        })
    }
}

/// All that ran on a lane in an interval, and how many spans that is.
fn own_work(capture: &Capture, lane: LaneId, interval: Interval) -> (Nanos, usize) {
    let spans = capture.spans_in(lane, interval).take(MOST);
    let lengths = spans.map(|it| it.span).filter(|span| works(span.kind));
    let lengths = lengths.map(|span| span.end.min(interval.end) - span.start.max(interval.start));
    let lengths = lengths.filter(|length| *length > Nanos::ZERO);
    lengths.fold((Nanos::ZERO, 0), |(own, count), length| {
        (own + length, count + 1)
    })
}

/// What was measured that `span` has to do with: a record of the two, or the block of the workload around them.
pub fn measure_of(capture: &Capture, span: SpanId) -> Option<ElapsedMeasure> {
    let tie = |id: DependencyId| Some((id, capture.dependency(id)?));
    let elapsed = |(_, tie): &(DependencyId, Dependency)| tie.kind == DependencyKind::Elapsed;
    let of_record = |record: SpanId| {
        let ties = capture.causes(record).chain(capture.effects(record));
        let found = ties.filter_map(tie).find(elapsed);
        found.and_then(|(id, _)| ElapsedMeasure::of(capture, id))
    };
    match capture.span(span)?.span.kind {
        SpanKind::EventRecord => of_record(span),
        SpanKind::Scope => {
            let mut steps = capture.causes(span).filter_map(tie);
            let record = steps
                .find(|(_, tie)| tie.kind == DependencyKind::Step)?
                .1
                .cause;
            let record = capture.span(record)?.span;
            (record.kind == SpanKind::EventRecord).then_some(())?;
            of_record(record.id)
        }
        _ => None,
    }
}

/// Whether a span of this kind is work of its own: no wait, no mark, and nothing around other spans.
const fn works(kind: SpanKind) -> bool {
    !kind.is_waiting()
        && !matches!(
            kind,
            SpanKind::EventRecord | SpanKind::EventReset | SpanKind::Scope | SpanKind::Graph
        )
}

#[cfg(test)]
mod tests {
    use super::*;
    use record::{Basis, CallId, Group, Lane, NameId, Record, Role, Span, State};

    fn capture() -> Capture {
        let mut capture = Capture::new();
        let span = |id, kind, start, end| {
            Record::Span(Span {
                id: SpanId(id),
                lane: LaneId(0),
                name: NameId(0),
                call: CallId::NONE,
                kind,
                state: State::Done,
                enqueued: Nanos(0),
                start: Nanos(start),
                end: Nanos(end),
            })
        };
        let tie = |cause, effect, kind| {
            Record::Dependency(Dependency::new(
                SpanId(cause),
                SpanId(effect),
                kind,
                Basis::Observed,
            ))
        };
        capture.apply([
            Record::Lane(Box::new(Lane {
                id: LaneId(0),
                group: Group::Streams,
                device: None,
                role: Role::Compute,
                name: "s".to_owned(),
                order: 0,
                process: "".into(),
                thread: "".into(),
            })),
            tie(0, 4, DependencyKind::Elapsed),
            tie(4, 5, DependencyKind::Step),
            span(0, SpanKind::EventRecord, 10, 10),
            span(1, SpanKind::Kernel, 10, 30),
            span(2, SpanKind::EventWait, 30, 70),
            span(3, SpanKind::Kernel, 70, 95),
            span(4, SpanKind::EventRecord, 100, 100),
            span(5, SpanKind::Scope, 0, 50),
            span(6, SpanKind::Kernel, 110, 120),
        ]);
        capture
    }

    #[test]
    fn waits_are_in_the_time_and_not_in_the_own_work() {
        let capture = capture();
        let measured = ElapsedMeasure::of(&capture, capture.measured()[0]).unwrap();
        assert_eq!(measured.elapsed, Nanos(90));
        assert_eq!((measured.own, measured.count), (Nanos(45), 2));
        assert!(measured.is_one_lane);
    }

    #[test]
    fn records_and_the_block_around_them_know_what_was_measured() {
        let capture = capture();
        for span in [0, 4, 5] {
            let found = measure_of(&capture, SpanId(span)).unwrap();
            assert_eq!(found.elapsed, Nanos(90), "span {span}");
        }
        assert_eq!(measure_of(&capture, SpanId(1)), None);
    }
}

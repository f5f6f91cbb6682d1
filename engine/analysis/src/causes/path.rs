//! The critical path: what the time of a capture, or of a stretch of it, was made of, without a gap.

use super::binding_chain::ChainSegment;
use super::kind::TimeUse;
use super::point::SpanPoint;
use super::reader::CauseReader;
use super::{LatestStart, SpanClass};
use record::time::{Interval, Nanos};
use record::{LaneId, SpanId};

/// What of segments lies in a stretch of time; they are in order of time.
fn clipped(segments: &[ChainSegment], within: Interval) -> Vec<ChainSegment> {
    let first = segments.partition_point(|it| it.interval.end <= within.start);
    let later = segments.iter().skip(first);
    let inside = later.take_while(|it| it.interval.start < within.end);
    let cut = |segment: &ChainSegment| ChainSegment {
        interval: Interval {
            start: segment.interval.start.max(within.start),
            end: segment.interval.end.min(within.end),
        },
        ..*segment
    };
    inside.map(cut).collect()
}

/// A stretch that nothing is known of; nothing where it has no length.
fn unknown(start: Nanos, end: Nanos) -> Option<ChainSegment> {
    (start < end).then_some(ChainSegment {
        interval: Interval { start, end },
        what: TimeUse::Unknown,
        span: None,
        lane: None,
    })
}

/// The walk back from a point, as far as it was asked for.
#[derive(Debug, Default)]
struct WalkFromPoint {
    from: Option<(SpanPoint, Nanos)>,
    segments: Vec<ChainSegment>,
}

impl WalkFromPoint {
    /// What of the walk back from `point` lies in a stretch.
    fn within(
        &mut self,
        reader: &CauseReader<'_>,
        point: SpanPoint,
        within: Interval,
    ) -> Vec<ChainSegment> {
        let is_known = |(known, until): (SpanPoint, Nanos)| known == point && until <= within.start;
        if !self.from.is_some_and(is_known) {
            self.segments = reader.walk(point, within.start);
            self.from = Some((point, within.start));
        }
        clipped(&self.segments, within)
    }
}

/// The critical paths of stretches of time. Many stretches may begin with the same walk, as all do that one blocking call lies
/// over: of stretches asked for in order of time each walk is done once.
pub struct PathReader<'a, 'c> {
    reader: &'a CauseReader<'c>,
    whole: WalkFromPoint,
    from_last: WalkFromPoint,
    from_next: WalkFromPoint,
}

impl<'a, 'c> PathReader<'a, 'c> {
    /// Nothing is walked yet.
    pub fn new(reader: &'a CauseReader<'c>) -> Self {
        Self {
            reader,
            whole: WalkFromPoint::default(),
            from_last: WalkFromPoint::default(),
            from_next: WalkFromPoint::default(),
        }
    }

    /// The critical path of a stretch of time, as [`CauseReader::path_within`] says.
    pub fn within(&mut self, interval: Interval) -> Vec<ChainSegment> {
        let reader = self.reader;
        let extent = reader.causes.extent;
        let Some(within) = interval.intersection(extent) else {
            return Vec::new();
        };
        if within == extent {
            return reader.path();
        }
        let lanes = || reader.capture.lanes().iter().map(|it| it.id);
        // What a thread was in the middle of at the end came to nothing yet: where operations went on, the time is theirs, and
        // up to the next of them that of what this had to come after.
        let goes_on = |end: Nanos| {
            end == within.end
                || reader
                    .first_from(end, |it| it.operation, SpanClass::is_operation)
                    .is_some()
        };
        let last = reader.last_within(lanes(), within, SpanClass::is_operation);
        let last = last.filter(|(_, end)| goes_on(*end));
        let last = last.or_else(|| reader.last_within(lanes(), within, SpanClass::counts));
        let Some((span, end)) = last else {
            // Nothing ended there: what the time was made of is what the whole path passes through.
            let last = reader.first_of(reader.causes.last.iter().copied());
            let last = last.map(SpanPoint::end);
            let path = last.map(|point| self.whole.within(reader, point, within));
            return path.unwrap_or_default();
        };
        // It may run on beyond the stretch.
        let last = SpanPoint::end(span);
        let mut segments = self.from_last.within(reader, last, within);
        if end < within.end {
            let gap = Interval {
                start: end,
                end: within.end,
            };
            segments.extend(self.of_gap(gap));
        }
        segments
    }

    /// What a gap was made of in which nothing ran: what the first operation after it had to come after, or the first call
    /// where no operation follows.
    fn of_gap(&mut self, gap: Interval) -> Vec<ChainSegment> {
        let reader = self.reader;
        let operation = reader.first_from(gap.start, |it| it.operation, SpanClass::is_operation);
        let next =
            operation.or_else(|| reader.first_from(gap.start, |it| it.counting, SpanClass::counts));
        let next = next.map(SpanPoint::start);
        let found = next.map(|point| self.from_next.within(reader, point, gap));
        let found = found.unwrap_or_default();
        // Where nothing follows, or what does is not tied to what was before.
        let from = found.first().map_or(gap.end, |it| it.interval.start);
        unknown(gap.start, from).into_iter().chain(found).collect()
    }
}

impl CauseReader<'_> {
    /// The critical path of the whole capture: segments in order of time, which add up to the makespan.
    pub fn path(&self) -> Vec<ChainSegment> {
        let last = self.first_of(self.causes.last.iter().copied());
        last.map_or_else(Vec::new, |span| {
            self.walk(SpanPoint::end(span), self.causes.extent.start)
        })
    }

    /// The critical path of a stretch of time: back from the operation that ran, or had ended last, at its end; a call where no
    /// operation follows. Its segments add up to the stretch.
    pub fn path_within(&self, interval: Interval) -> Vec<ChainSegment> {
        PathReader::new(self).within(interval)
    }

    /// The span to show for a part of a path: where that is a host's own time, the first call that began in it, or else the
    /// innermost one around it.
    pub(super) fn place_of(&self, segment: &ChainSegment) -> Option<SpanId> {
        let around = || {
            let spans = self.capture.spans_in(segment.lane?, segment.interval);
            let calls = spans.filter(|it| self.causes.class(it.span.id).is_call());
            let innermost = calls.max_by_key(|it| (it.span.start, it.span.id));
            innermost.map(|it| it.span.id)
        };
        self.first_place(segment).or_else(around)
    }

    /// The first place to go to in a part of a path: its span, or where that is a host's own time, the first call that began
    /// in it.
    pub fn first_place(&self, segment: &ChainSegment) -> Option<SpanId> {
        let (Some(lane), None) = (segment.lane, segment.span) else {
            return segment.span;
        };
        let first = self.call_after(lane, segment.interval.start);
        first.filter(|it| self.time(SpanPoint::start(*it)) < segment.interval.end)
    }

    /// The call after another one in a part of a path that is a host's own time, those within that apart.
    pub fn next_place(&self, segment: &ChainSegment, call: SpanId) -> Option<SpanId> {
        let lane = segment.lane.filter(|_| segment.span.is_none())?;
        let [start, end] = [SpanPoint::start(call), SpanPoint::end(call)].map(|it| self.time(it));
        // A call of no length is not after itself.
        let next = self.call_after(lane, end.max(start + Nanos(1)))?;
        (self.time(SpanPoint::start(next)) < segment.interval.end).then_some(next)
    }

    /// The last place to go to in a part of a path; of those that begin before an instant.
    pub fn last_place(&self, segment: &ChainSegment, before: Nanos) -> Option<SpanId> {
        let places = std::iter::successors(self.first_place(segment), |call| {
            self.next_place(segment, *call)
        });
        places
            .take_while(|it| self.time(SpanPoint::start(*it)) < before)
            .last()
    }

    /// The first span of any lane that begins at `instant` or later and is of a class; `latest` says when the last one of a lane
    /// began, so that no lane is searched in vain.
    fn first_from(
        &self,
        instant: Nanos,
        latest: fn(&LatestStart) -> Nanos,
        is_wanted: fn(SpanClass) -> bool,
    ) -> Option<SpanId> {
        let lanes = (0..).map(LaneId).zip(&self.causes.latest);
        let mut first: Option<(Nanos, SpanId)> = None;
        for (lane, _) in lanes.filter(|(_, it)| latest(it) >= instant) {
            for depth in 0..self.capture.depth(lane) {
                let rest = Interval {
                    start: instant,
                    end: first.map_or(Nanos::MAX, |it| it.0 + Nanos(1)),
                };
                let mut spans = self.capture.spans_of(lane, depth, rest);
                let found = spans.find(|it| {
                    it.span.start >= instant && is_wanted(self.causes.class(it.span.id))
                });
                let found = found.map(|it| (it.span.start, it.span.id));
                first = first.into_iter().chain(found).min();
            }
        }
        first.map(|it| it.1)
    }

    /// What the time of a stretch was made of until the last that `lanes` did in it had ended, or to the stretch's end where
    /// that ran on.
    pub fn path_to(&self, lanes: &[LaneId], interval: Interval) -> Vec<ChainSegment> {
        let within = interval.intersection(self.causes.extent);
        let last = within.and_then(|it| {
            let lanes = lanes.iter().copied();
            Some((it, self.last_within(lanes, it, SpanClass::counts)?))
        });
        last.map_or_else(Vec::new, |(within, (span, _))| {
            clipped(&self.walk(SpanPoint::end(span), within.start), within)
        })
    }

    /// The span of these lanes, of those that are wanted, that ends last within a stretch, or runs at its end, and when that is.
    fn last_within(
        &self,
        lanes: impl Iterator<Item = LaneId>,
        within: Interval,
        is_wanted: fn(SpanClass) -> bool,
    ) -> Option<(SpanId, Nanos)> {
        let mut end = Nanos::MIN;
        let mut last = Vec::new();
        for lane in lanes {
            for placed in self.capture.spans_in(lane, within) {
                if !is_wanted(self.causes.class(placed.span.id)) {
                    continue;
                }
                let ends = placed.span.end.min(within.end);
                if ends > end {
                    end = ends;
                    last.clear();
                }
                if ends == end {
                    last.push(placed.span.id);
                }
            }
        }
        Some((self.first_of(last.into_iter())?, end))
    }

    /// Of several spans that end last the one that the path begins at.
    fn first_of(&self, spans: impl Iterator<Item = SpanId>) -> Option<SpanId> {
        let placed = spans.filter_map(|span| self.capture.span(span));
        let key = |placed: &capture::PlacedSpan| {
            let is_call = !self.is_operation(placed.span.id);
            let number = self.number(placed.span.lane);
            (
                is_call,
                if is_call { 0 } else { number },
                self.rank(placed.span.lane),
                std::cmp::Reverse(placed.span.start),
                self.capture.name(placed.span.name).to_owned(),
                number,
                placed.span.id,
            )
        };
        placed.min_by_key(key).map(|placed| placed.span.id)
    }

    /// The operation that would come onto the critical path first if that became shorter, and by how much it can: one
    /// with the least slack of those that are not on `path`.
    pub fn second(&self, path: &[ChainSegment]) -> Option<(SpanId, Nanos)> {
        self.least_slack_beside(path, |_| true)
    }

    /// The same among operations that take time: records and waits that took none lie on many paths, between operations of the
    /// critical one as well, and tell of no other.
    pub fn next_path(&self, path: &[ChainSegment]) -> Option<(SpanId, Nanos)> {
        let takes_time = |span| {
            let placed = self.capture.span(span);
            placed.is_some_and(|it| it.interval().length() > Nanos::ZERO)
        };
        self.least_slack_beside(path, takes_time)
    }

    fn least_slack_beside(
        &self,
        path: &[ChainSegment],
        is_asked: impl Fn(SpanId) -> bool,
    ) -> Option<(SpanId, Nanos)> {
        let on_path = path
            .iter()
            .filter(|it| matches!(it.what, TimeUse::Run | TimeUse::Latency));
        let mut on_path: Vec<SpanId> = on_path.filter_map(|it| it.span).collect();
        on_path.sort_unstable();
        let all = (0..self.causes.classes.len() as u32).map(SpanId);
        let others =
            all.filter(|span| self.is_operation(*span) && on_path.binary_search(span).is_err());
        let asked = others.filter(|span| is_asked(*span));
        asked
            .filter_map(|span| Some((span, self.slack(span)?)))
            .min_by_key(|(span, slack)| (*slack, *span))
    }

    /// The lanes that have operations, in the order in which they are drawn.
    pub fn streams(&self) -> Vec<LaneId> {
        let is_stream = |lane: &LaneId| {
            self.causes.lanes.get(lane.index()) == Some(&super::LaneClass::Stream)
                && self
                    .capture
                    .spans_in(
                        *lane,
                        Interval {
                            start: Nanos::MIN,
                            end: Nanos::MAX,
                        },
                    )
                    .any(|it| self.is_operation(it.span.id) && !it.is_stub())
        };
        let mut lanes = self.capture.lane_order();
        lanes.retain(is_stream);
        lanes
    }
}

//! Figures over a range: how long kernels take, how busy lanes are, which run at the same time.

mod operations;
mod roles;

use std::ops::Range;
use std::time::{Duration, Instant};

use capture::{Capture, PlacedSpan};
use record::time::{Interval, Nanos, shared, total, union};
use record::{Group, LaneId, Role, SpanKind};

use operations::DurationsDraft;
pub use operations::{Durations, OperationKey};
pub use roles::RoleOverlap;
use roles::{BusyStream, role_overlaps};

/// Streams whose pairs are compared; with more, only the busiest are.
const COMPARED: usize = 12;
/// Streams that are added up by role; with more, only the busiest are.
const ADDED: usize = 256;
/// Spans looked at between two looks at the clock.
const STRIDE: usize = 8_192;

/// The place of a lane that has none.
const NOWHERE: u32 = u32::MAX;

/// What one lane did in the range.
#[derive(Clone, Debug, PartialEq)]
pub struct LaneUse {
    /// The lane.
    pub lane: LaneId,
    /// Spans that overlap the range.
    pub spans: usize,
    /// The lengths that they have inside the range, added up.
    pub inside: Nanos,
    /// Time in which at least one of its spans ran, waiting not counted.
    pub busy: Nanos,
    /// Time in which at least one of its waits, holds and blocking calls ran; on a stream only while it was not busy.
    pub waiting: Nanos,
    /// Where its kinds are among those of all lanes.
    kinds: Range<u32>,
}

/// How much two streams ran at the same time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Overlap {
    /// One stream.
    pub first: LaneId,
    /// The other.
    pub second: LaneId,
    /// Time in which both were busy.
    pub both: Nanos,
    /// That time as a part of the first one's busy time, from 0 to 1.
    pub of_first: f64,
    /// That time as a part of the second one's busy time, from 0 to 1.
    pub of_second: f64,
}

/// Figures over a range.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Statistics {
    /// The range.
    pub within: Interval,
    /// Each lane that has spans in it, in the order on screen.
    pub lanes: Vec<LaneUse>,
    /// Pairs of streams of one device that were busy in it.
    pub overlaps: Vec<Overlap>,
    /// Pairs of roles whose streams were busy in it, for each device: communication under computation first.
    pub roles: Vec<RoleOverlap>,
    /// All spans by what their lanes are, by name and kind, the longest total first.
    pub durations: Vec<Durations>,
    /// The kinds of spans that lanes have, and how many of each; a lane's stand together.
    kinds: Vec<(SpanKind, u32)>,
    /// Where each lane is among them, by its number; [`NOWHERE`] where it has no spans.
    places: Vec<u32>,
}

impl Statistics {
    /// Figures over `within`, in one go. For captures that may be huge, use a [`StatisticsJob`].
    pub fn of(capture: &Capture, within: Interval) -> Self {
        let mut job = StatisticsJob::new(capture, within);
        while !job.step(capture, Duration::MAX) {}
        job.finish()
    }

    /// The same without durations by name, which take longest.
    pub fn of_lanes(capture: &Capture, within: Interval) -> Self {
        let mut job = StatisticsJob::new(capture, within).without_names();
        while !job.step(capture, Duration::MAX) {}
        job.finish()
    }

    /// How many spans there are on a lane of each kind that occurs, in the order of [`SpanKind::ALL`].
    pub fn kinds(&self, of: &LaneUse) -> &[(SpanKind, u32)] {
        let range = of.kinds.start as usize..of.kinds.end as usize;
        self.kinds.get(range).unwrap_or_default()
    }

    /// What one lane did.
    pub fn lane(&self, lane: LaneId) -> Option<&LaneUse> {
        self.lanes.get(*self.places.get(lane.index())? as usize)
    }
}

/// Statistics in the making, a slice of time at a time.
pub struct StatisticsJob {
    found: Statistics,
    lanes: Vec<LaneId>,
    at: usize,
    from: Nanos,
    busy: Vec<Interval>,
    waits: Vec<Interval>,
    current: Option<LaneUse>,
    /// How many spans of the current lane are of each kind.
    kinds: Vec<u32>,
    /// Whether spans are told apart by name.
    has_names: bool,
    streams: Vec<BusyStream>,
    names: DurationsDraft,
}

impl StatisticsJob {
    /// Begins; nothing is read yet.
    pub fn new(capture: &Capture, within: Interval) -> Self {
        Self::of_some(capture, within, capture.lane_order())
    }

    /// The same of some lanes, in the order on screen.
    pub fn of_some(capture: &Capture, within: Interval, lanes: Vec<LaneId>) -> Self {
        Self {
            found: Statistics {
                within,
                // Most lanes have spans, and growing would take twice the room for a while.
                lanes: Vec::with_capacity(lanes.len()),
                places: vec![NOWHERE; capture.lanes().len()],
                ..Statistics::default()
            },
            lanes,
            at: 0,
            from: within.start,
            busy: Vec::new(),
            waits: Vec::new(),
            current: None,
            kinds: vec![0; SpanKind::ALL.len()],
            has_names: true,
            streams: Vec::new(),
            names: DurationsDraft::new(within),
        }
    }

    /// The same without durations by name, which take longest.
    #[must_use]
    pub const fn without_names(mut self) -> Self {
        self.has_names = false;
        self
    }

    /// How much is done, from 0 to 1, counted in lanes.
    pub fn progress(&self) -> f32 {
        self.at as f32 / self.lanes.len().max(1) as f32
    }

    /// Works for about `budget` and says whether all spans have been read.
    pub fn step(&mut self, capture: &Capture, budget: Duration) -> bool {
        let start = Instant::now();
        while let Some(&lane) = self.lanes.get(self.at) {
            self.read(capture, lane);
            if start.elapsed() >= budget {
                return false;
            }
        }
        true
    }

    /// Reads some more spans of a lane, or moves on to the next lane. A queue lane shows
    /// operations that its streams have shown already: they are not counted again.
    fn read(&mut self, capture: &Capture, lane: LaneId) {
        let known = capture.lane(lane);
        let group = known.filter(|it| it.role != Role::Queue).map(|it| it.group);
        let streams = group == Some(Group::Streams);
        let rest = Interval {
            start: self.from,
            end: self.found.within.end,
        };
        // A span that reaches in from the left was seen in the stride before; only the first stride may take it.
        let first = self.from == self.found.within.start;
        let fresh =
            |placed: &PlacedSpan| (first || placed.span.start >= rest.start) && !placed.is_stub();
        let spans = capture.spans_by_start(lane, rest).filter(fresh);
        // Each stride begins with a look at every sub-lane, of which there may be as many as spans.
        let most = STRIDE.max(capture.depth(lane));
        for (taken, placed) in spans.enumerate() {
            // A stride may only end between two starts, or the spans after it would be read again or never.
            if taken >= most && placed.span.start > self.from {
                self.from = placed.span.start;
                return;
            }
            self.take(&placed, capture.has_nodes(placed.span.id));
            if let (Some(group), true) = (group, self.has_names) {
                self.names.take(group, &placed);
            }
            self.from = placed.span.start;
        }
        self.from = self.found.within.start;
        self.close(streams.then_some(capture));
        self.names.close_lane();
        self.at += 1;
    }

    fn take(&mut self, placed: &PlacedSpan, has_nodes: bool) {
        let span = &placed.span;
        let inside = placed.interval().intersection(self.found.within);
        let fresh = LaneUse {
            lane: span.lane,
            spans: 0,
            inside: Nanos::ZERO,
            busy: Nanos::ZERO,
            waiting: Nanos::ZERO,
            kinds: 0..0,
        };
        let used = self.current.get_or_insert(fresh);
        used.spans += 1;
        used.inside += inside.map_or(Nanos::ZERO, Interval::length);
        if let Some(count) = self.kinds.get_mut(span.kind as usize) {
            *count += 1;
        }
        if has_nodes {
            // Its nodes are work, and waits, themselves.
            return;
        }
        let covered = if span.kind.is_waiting() {
            &mut self.waits
        } else {
            &mut self.busy
        };
        // They come by start: what overlaps the one before takes no room.
        match (covered.last_mut(), inside) {
            (Some(last), Some(inside)) if (last.start..=last.end).contains(&inside.start) => {
                last.end = last.end.max(inside.end);
            }
            _ => covered.extend(inside),
        }
    }

    /// Ends a lane; one of a stream is given its capture, and is compared.
    fn close(&mut self, streams_of: Option<&Capture>) {
        let busy = union(std::mem::take(&mut self.busy));
        let waits = union(std::mem::take(&mut self.waits));
        let Some(mut used) = self.current.take() else {
            return;
        };
        used.busy = total(&busy);
        used.waiting = total(&waits);
        if streams_of.is_some() {
            // What one branch of a graph waits for takes no time while another one runs.
            used.waiting = used.waiting - shared(&busy, &waits);
        }
        let counts = self.kinds.iter_mut().map(std::mem::take);
        let kinds = SpanKind::ALL.iter().copied().zip(counts);
        let first = self.found.kinds.len() as u32;
        self.found.kinds.extend(kinds.filter(|it| it.1 > 0));
        used.kinds = first..self.found.kinds.len() as u32;
        if let Some(capture) = streams_of.filter(|_| used.busy > Nanos::ZERO) {
            self.streams.push(BusyStream::new(capture, used.lane, busy));
            if self.streams.len() > 2 * ADDED {
                self.keep_busiest(ADDED);
            }
        }
        let place = self.found.lanes.len() as u32;
        if let Some(own) = self.found.places.get_mut(used.lane.index()) {
            *own = place;
        }
        self.found.lanes.push(used);
    }

    /// Forgets all streams but so many.
    fn keep_busiest(&mut self, most: usize) {
        if self.streams.len() > most {
            self.streams
                .sort_by_key(|stream| std::cmp::Reverse(stream.length));
            self.streams.truncate(most);
        }
    }

    /// The figures, once [`StatisticsJob::step`] has said yes.
    pub fn finish(mut self) -> Statistics {
        self.keep_busiest(ADDED);
        self.found.roles = role_overlaps(&self.streams);
        self.keep_busiest(COMPARED);
        for (place, first) in self.streams.iter().enumerate() {
            // Streams of different devices have no business with each other.
            let others = self.streams.iter().skip(place + 1);
            for second in others.filter(|it| it.member == first.member) {
                let both = shared(&first.busy, &second.busy);
                self.found.overlaps.push(Overlap {
                    first: first.lane,
                    second: second.lane,
                    both,
                    of_first: both.0 as f64 / first.length.0 as f64,
                    of_second: both.0 as f64 / second.length.0 as f64,
                });
            }
        }
        self.found.durations = self.names.finish();
        self.found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use record::{CallId, Lane, NameId, Record, Span, SpanId, State};

    fn capture(spans: &[(u32, i64, i64, SpanKind)]) -> Capture {
        let lane = |id: u32| Lane {
            id: LaneId(id),
            group: Group::Streams,
            device: None,
            role: Role::Compute,
            name: format!("stream {id}"),
            order: 0,
            process: "".into(),
            thread: "".into(),
        };
        let span = |(id, &(lane, start, end, kind)): (usize, &(u32, i64, i64, SpanKind))| Span {
            id: SpanId(id as u32),
            lane: LaneId(lane),
            name: NameId(kind as u32),
            call: CallId::NONE,
            kind,
            state: State::Done,
            enqueued: Nanos(start - 1),
            start: Nanos(start),
            end: Nanos(end),
        };
        let mut capture = Capture::new();
        capture.apply([0, 1].map(|id| Record::Lane(Box::new(lane(id)))));
        capture.apply(spans.iter().enumerate().map(span).map(Record::Span));
        capture
    }

    #[test]
    fn spans_that_all_overlap_are_not_gone_through_again_for_each_stride() {
        let many = 6 * STRIDE as i64;
        let spans: Vec<_> = (0..many)
            .map(|it| (0, it, 2 * many, SpanKind::Kernel))
            .collect();
        let capture = capture(&spans);
        let mut job = StatisticsJob::new(&capture, Interval::new(Nanos(0), Nanos(2 * many)));
        // With no time to spend, each step is one look at a lane.
        let mut looks = 1;
        while !job.step(&capture, Duration::ZERO) {
            looks += 1;
        }
        assert!(looks <= 4, "{looks} looks at two lanes");
        assert_eq!(job.finish().lanes[0].spans, many as usize);
    }

    #[test]
    fn waits_are_not_work() {
        use SpanKind::{EventWait, Kernel, Upload};
        let capture = capture(&[
            (0, 0, 40, Upload),
            (1, 0, 20, EventWait),
            (1, 5, 10, EventWait),
            (1, 15, 35, EventWait),
            (1, 30, 70, Kernel),
        ]);
        let found = Statistics::of(&capture, Interval::new(Nanos(0), Nanos(60)));
        let second = found.lane(LaneId(1)).unwrap();
        assert_eq!((second.busy, second.waiting), (Nanos(30), Nanos(30)));
        let overlap = found.overlaps[0];
        assert_eq!(overlap.both, Nanos(10));
        assert!((overlap.of_first - 0.25).abs() < 1e-12);
        let work = found.durations.iter().filter(|it| it.is_stream_work());
        assert_eq!(work.count(), 2, "waits are none: {:?}", found.durations);
    }

    #[test]
    fn a_queue_shows_operations_again_and_they_are_counted_once() {
        let mut capture = capture(&[(0, 0, 40, SpanKind::Kernel), (1, 0, 40, SpanKind::Kernel)]);
        capture.apply([Record::Lane(Box::new(Lane {
            id: LaneId(1),
            group: Group::Streams,
            device: None,
            role: Role::Queue,
            name: "queue".into(),
            order: 0,
            process: "".into(),
            thread: "".into(),
        }))]);
        let found = Statistics::of(&capture, Interval::new(Nanos(0), Nanos(60)));
        assert_eq!(found.durations[0].count(), 1);
        assert!(found.overlaps.is_empty());
        assert_eq!(found.lane(LaneId(1)).map(|used| used.busy), Some(Nanos(40)));
    }

    #[test]
    fn strides_read_every_span_once() {
        let count = STRIDE as i64 * 3;
        let spans: Vec<_> = (0..count)
            .map(|i| {
                (
                    0,
                    i / 3 * 10,
                    i / 3 * 10 + if i % 3 == 0 { 10 } else { 0 },
                    SpanKind::Kernel,
                )
            })
            .collect();
        let found = Statistics::of(
            &capture(&spans),
            Interval::new(Nanos(-5), Nanos(count * 10)),
        );
        assert_eq!(found.lanes[0].spans, spans.len());
        assert_eq!(found.durations[0].count(), spans.len());
        assert_eq!(found.lanes[0].busy, Nanos(count / 3 * 10));
    }

    #[test]
    fn quantiles_are_lengths_that_occurred() {
        let spans: Vec<_> = (1..=100)
            .map(|length| (0, 1_000 * length, 1_001 * length, SpanKind::Kernel))
            .collect();
        let found = Statistics::of(&capture(&spans), Interval::new(Nanos(0), Nanos(200_000)));
        let found = &found.durations[0];
        assert_eq!(found.quantile(0.5), Nanos(50));
        assert_eq!(found.quantile(0.99), Nanos(99));
        assert_eq!(found.quantile(0.0), Nanos(1));
        assert_eq!(found.mean(), Nanos(50));
        assert_eq!((found.longest, found.lanes), (SpanId(99), 1));
    }

    #[test]
    fn the_median_of_an_even_number_lies_between_the_two_in_the_middle() {
        let median = |lengths: &[i64]| {
            let spans: Vec<_> = lengths
                .iter()
                .map(|length| (0, 1_000, 1_000 + length, SpanKind::Kernel))
                .collect();
            let all = Interval::new(Nanos(0), Nanos(9_000));
            Statistics::of(&capture(&spans), all).durations[0].median()
        };
        assert_eq!(median(&[7]), Nanos(7));
        assert_eq!(median(&[400, 100]), Nanos(250));
        assert_eq!(median(&[100, 900, 300]), Nanos(300));
        assert_eq!(median(&[1, 2, 900, 1_000]), Nanos(451));
    }

    #[test]
    fn own_time_is_that_of_what_began_last() {
        // A call of 100 with two calls in it, one of which makes another; then a call alone.
        let spans = [
            (0, 0, 100, SpanKind::Call),
            (0, 10, 40, SpanKind::HostWork),
            (0, 20, 25, SpanKind::Scope),
            (0, 50, 60, SpanKind::HostWork),
            (0, 100, 130, SpanKind::Call),
        ];
        let capture = capture(&spans);
        let found = Statistics::of(&capture, Interval::new(Nanos(0), Nanos(130)));
        let own = |kind| {
            let all = found.durations.iter();
            let named = all.clone().find(|it| it.kind == kind).unwrap();
            (named.total.0, named.own.0)
        };
        assert_eq!(own(SpanKind::Call), (130, 90));
        assert_eq!(own(SpanKind::HostWork), (40, 35));
        assert_eq!(own(SpanKind::Scope), (5, 5));
        // Of a part of the time, only what lies in it.
        let found = Statistics::of(&capture, Interval::new(Nanos(30), Nanos(55)));
        assert_eq!(
            (found.lanes[0].spans, found.lanes[0].inside),
            (3, Nanos(40))
        );
        let found = found.durations.iter();
        let own: Vec<_> = found.map(|it| (it.total.0, it.own.0)).collect();
        assert_eq!(own, [(100, 10), (40, 15)]);
    }
}

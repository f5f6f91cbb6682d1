//! Which streams of a device were busy at once.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::reader::CauseReader;
use record::LaneId;
use record::time::{Interval, Nanos, shared, total, union};

/// Streams of a device that are compared with each other; of more, the busiest.
pub const COMPARED: usize = 64;

/// For how long two streams of a device were busy at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LaneOverlap {
    /// One stream.
    pub first: LaneId,
    /// The other.
    pub second: LaneId,
    /// How long both were busy.
    pub both: Nanos,
}

impl CauseReader<'_> {
    /// When a stream was busy: the union of its operations, waits left out.
    pub fn busy(&self, lane: LaneId, within: Interval) -> Vec<Interval> {
        let spans = self.capture.spans_in(lane, within);
        let works = spans.filter(|it| self.is_work(it.span.id));
        let busy = works.filter_map(|it| it.interval().intersection(within));
        union(busy.collect())
    }

    /// For each two of these streams that are on one device, for how long of a stretch both were busy. Of a device with
    /// more than [`COMPARED`] streams the busiest are compared.
    pub fn overlaps(&self, lanes: &[LaneId], within: Interval) -> Vec<LaneOverlap> {
        let mut devices: BTreeMap<_, Vec<(usize, LaneId)>> = BTreeMap::new();
        for (at, lane) in lanes.iter().enumerate() {
            let device = self.capture.lane(*lane).map(|it| it.device);
            let own = devices.entry((self.rank(*lane), device)).or_default();
            own.push((at, *lane));
        }
        let mut found = Vec::new();
        for streams in devices.into_values() {
            self.overlaps_of_device(&streams, within, &mut found);
        }
        found.sort_unstable_by_key(|it| it.0);
        found.into_iter().map(|it| it.1).collect()
    }

    /// The same of the streams of one device, each with its place; pairs come with the places of both.
    fn overlaps_of_device(
        &self,
        streams: &[(usize, LaneId)],
        within: Interval,
        found: &mut Vec<((usize, usize), LaneOverlap)>,
    ) {
        let mut compared = streams.to_vec();
        if compared.len() > COMPARED {
            compared.sort_by_cached_key(|(_, lane)| Reverse(total(&self.busy(*lane, within))));
            compared.truncate(COMPARED);
            compared.sort_unstable_by_key(|it| it.0);
        }
        let busy = compared.into_iter();
        let busy: Vec<_> = busy
            .map(|(at, lane)| (at, lane, self.busy(lane, within)))
            .collect();
        for (number, (at, first, one)) in busy.iter().enumerate() {
            for (other_at, second, other) in busy.iter().skip(number + 1) {
                let overlap = LaneOverlap {
                    first: *first,
                    second: *second,
                    both: shared(one, other),
                };
                found.push(((*at, *other_at), overlap));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use capture::Capture;
    use record::{CallId, Group, Lane, NameId, Record, Role, Span, SpanId, SpanKind, State};

    use super::*;
    use crate::causes::Causes;

    #[test]
    fn of_very_many_streams_the_busiest_are_compared() {
        let mut capture = Capture::new();
        let count = 2_000;
        for id in 0..count {
            let lane = Lane {
                id: LaneId(id),
                group: Group::Streams,
                device: None,
                role: Role::None,
                name: format!("lane {id}"),
                order: id as i32,
                process: "".into(),
                thread: "".into(),
            };
            capture.apply(vec![Record::Lane(Box::new(lane))]);
        }
        let spans = (0..count).map(|id| {
            Record::Span(Span {
                id: SpanId(id),
                lane: LaneId(id),
                name: NameId(0),
                kind: SpanKind::Kernel,
                state: State::Done,
                start: Nanos(0),
                // The last ones are busy for longest.
                end: Nanos(1_000 + i64::from(id)),
                enqueued: Nanos(0),
                call: CallId::NONE,
            })
        });
        capture.apply(spans);
        let causes = Causes::build(&capture);
        let reader = causes.read(&capture);
        let lanes: Vec<LaneId> = (0..count).map(LaneId).collect();
        let found = reader.overlaps(&lanes, causes.extent());
        assert_eq!(found.len(), COMPARED * (COMPARED - 1) / 2);
        let first = count - COMPARED as u32;
        let both = Nanos(1_000 + i64::from(first));
        let (one, other) = (LaneId(first), LaneId(first + 1));
        assert_eq!(
            found[0],
            LaneOverlap {
                first: one,
                second: other,
                both
            }
        );
    }
}

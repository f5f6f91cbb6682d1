//! How busy many lanes were together over time, worked out a little in each frame.

use engine::capture::{Capture, FoldedSpan};
use engine::record::LaneId;
use engine::time::{Interval, Nanos};

/// How much may be looked at in one frame: nodes of the capture's index, or a few spans each. Less than a twentieth of a
/// millisecond's work.
pub const BUDGET: usize = 1_200;

/// Spans under one node of the index.
const NODE: usize = 16;

/// From how many lanes times columns on a rough profile comes before the one that is wanted.
const COSTLY: usize = 60_000;

/// How much longer the columns of a rough profile are.
const ROUGH: u8 = 8;

/// How much longer they are for very many lanes when it is not rough: what lies in each does not show there, and whole
/// nodes of the index answer instead of single spans.
const CROWDED: u8 = 2;

/// What a profile is of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BusyTimeRange {
    /// The instants that it covers.
    pub interval: Interval,
    /// Into how many columns.
    pub columns: usize,
}

/// The time that lanes of each class were busy, by column.
///
/// A profile over a thousand lanes costs more than a frame may: the one that is shown stays until
/// the next is whole, and a rough one, whose columns are blurred, comes first.
#[derive(Default)]
pub struct BusyTimeChart {
    shown: BusyColumns,
    work: Option<BusyTimeJob>,
}

/// Busy nanoseconds by class and column.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BusyColumns {
    /// What they are of.
    pub span: BusyTimeRange,
    /// By class, then by column, in nanoseconds.
    pub busy: Vec<Vec<f32>>,
    stamp: u64,
    lanes: usize,
    /// By how much longer columns it was found.
    grain: u8,
    /// Another number each time.
    version: u64,
}

struct BusyTimeJob {
    columns: BusyColumns,
    lane: usize,
    depth: usize,
}

impl BusyTimeChart {
    /// Goes on with the profile of `lanes`, each with its class below `classes`, by `budget` nodes, and returns the
    /// latest that is whole; `true` beside it says that there is more to do. The `stamp` changes whenever the capture
    /// does.
    pub fn update(
        &mut self,
        (capture, stamp): (&Capture, u64),
        lanes: &[(LaneId, usize)],
        (classes, budget): (usize, usize),
        span: BusyTimeRange,
    ) -> (&BusyColumns, bool) {
        let wanted = (span, stamp, lanes.len());
        let shown = (self.shown.span, self.shown.stamp, self.shown.lanes);
        let is_costly = lanes.len() * span.columns > COSTLY;
        let finest = if is_costly { CROWDED } else { 1 };
        if self.work.is_none() && (shown != wanted || self.shown.grain > finest) {
            let grain = if is_costly && shown != wanted {
                ROUGH
            } else {
                finest
            };
            let columns = BusyColumns {
                span,
                busy: vec![vec![0.0; span.columns]; classes],
                stamp,
                lanes: lanes.len(),
                grain,
                version: self.shown.version + 1,
            };
            let (lane, depth) = (0, 0);
            self.work = Some(BusyTimeJob {
                columns,
                lane,
                depth,
            });
        }
        if let Some(mut work) = self.work.take() {
            if work.advance(capture, lanes, budget) {
                self.shown = work.columns;
            } else {
                self.work = Some(work);
            }
        }
        let shown = (self.shown.span, self.shown.stamp, self.shown.lanes);
        let is_whole = self.work.is_none() && shown == wanted && self.shown.grain <= finest;
        (&self.shown, !is_whole)
    }
}

impl BusyTimeJob {
    /// Looks at lanes until the budget is spent; says whether all were.
    fn advance(&mut self, capture: &Capture, lanes: &[(LaneId, usize)], budget: usize) -> bool {
        let mut looked = 0;
        while let Some(&(lane, class)) = lanes.get(self.lane) {
            if self.depth >= capture.depth(lane) {
                (self.lane, self.depth) = (self.lane + 1, 0);
                continue;
            }
            if looked >= budget {
                return false;
            }
            looked += 16 + self.columns.add(capture, (lane, self.depth), class);
            self.depth += 1;
        }
        true
    }
}

impl BusyColumns {
    /// Another number for every profile that was worked out.
    pub fn version(&self) -> u64 {
        self.version
    }

    /// The length of a column, in nanoseconds.
    pub fn step(&self) -> f64 {
        self.span.interval.length().0.max(1) as f64 / self.span.columns.max(1) as f64
    }

    /// Adds a sub-lane; returns how much was looked at for it.
    fn add(&mut self, capture: &Capture, (lane, depth): (LaneId, usize), class: usize) -> usize {
        let step = self.step();
        let interval = self.span.interval;
        let Some(busy) = self.busy.get_mut(class) else {
            return 0;
        };
        let mut looked = 0;
        // Folded somewhat coarser than a column, the sum over a column stays right to its neighbour.
        let column = Nanos((step * 2.0 * f64::from(self.grain)).max(1.0) as i64);
        capture.fold(lane, depth, interval, column, &mut |cell: FoldedSpan| {
            looked += work(cell.count as usize);
            let Some(seen) = cell.interval.intersection(interval) else {
                return;
            };
            let length = cell.interval.length().0.max(1) as f64;
            let density = (cell.busy.0 as f64 / length).min(1.0);
            let from = (seen.start - interval.start).0 as f64 / step;
            let to = (seen.end - interval.start).0 as f64 / step;
            spread(busy, from, to, (density * step) as f32);
        });
        looked
    }
}

/// About how many nodes a cell of `count` spans came from, a few spans counting as much as one.
fn work(count: usize) -> usize {
    if count < NODE {
        1 + count / 6
    } else {
        (count / NODE).min(16)
    }
}

/// Adds `amount` a column to the columns from `from` to `to`, and to those at its ends their share.
fn spread(busy: &mut [f32], from: f64, to: f64, amount: f32) {
    let (first, last) = (from.floor() as usize, to.ceil() as usize);
    let last = last.min(busy.len());
    let Some(columns) = busy.get_mut(first..last) else {
        return;
    };
    for (place, column) in columns.iter_mut().enumerate() {
        let left = (first + place) as f64;
        let share = (to.min(left + 1.0) - from.max(left)).max(0.0);
        *column += amount * share as f32;
    }
}

#[cfg(test)]
mod tests {
    use engine::record::{CallId, NameId, Record, Span, SpanId, SpanKind, State};

    use super::*;

    fn capture(lanes: u32, each: u32) -> Capture {
        let mut capture = Capture::new();
        capture.apply((0..lanes * each).map(|id| {
            let start = Nanos(i64::from(id / lanes) * 100);
            Record::Span(Span {
                id: SpanId(id),
                lane: LaneId(id % lanes),
                name: NameId(0),
                call: CallId::NONE,
                kind: SpanKind::Kernel,
                state: State::Done,
                enqueued: start,
                start,
                end: start + Nanos(50),
            })
        }));
        capture
    }

    fn span(end: i64, columns: usize) -> BusyTimeRange {
        BusyTimeRange {
            interval: Interval::new(Nanos(0), Nanos(end)),
            columns,
        }
    }

    #[test]
    fn all_busy_time_is_found() {
        let capture = capture(2, 100);
        let lanes = [(LaneId(0), 0), (LaneId(1), 1)];
        for columns in [1, 7, 100, 1000] {
            let mut profile = BusyTimeChart::default();
            let (found, more) =
                profile.update((&capture, 1), &lanes, (2, BUDGET), span(10_000, columns));
            assert!(!more);
            for class in &found.busy {
                let total: f32 = class.iter().sum();
                assert!((total - 5_000.0).abs() < 5.0, "{columns}: {total}");
            }
        }
    }

    #[test]
    fn many_lanes_take_several_frames_and_then_rest() {
        let capture = capture(700, 40);
        let lanes: Vec<(LaneId, usize)> = (0..700).map(|id| (LaneId(id), 0)).collect();
        let mut profile = BusyTimeChart::default();
        let (mut frames, mut rough) = (1, 0);
        loop {
            let (found, more) =
                profile.update((&capture, 1), &lanes, (1, BUDGET), span(4_000, 100));
            rough += usize::from(found.grain == ROUGH);
            if !more {
                break;
            }
            frames += 1;
            assert!(frames < 200);
        }
        assert!(
            rough > 0 && frames > rough,
            "{frames} frames, {rough} rough"
        );
        let (found, _) = profile.update((&capture, 1), &lanes, (1, BUDGET), span(4_000, 100));
        let total: f32 = found.busy[0].iter().sum();
        assert!((total - 1_400_000.0).abs() < 1_400.0, "{total}");
    }
}

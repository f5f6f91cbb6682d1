//! What each visible sub-lane looks like: the capture's cells, kept while they stay true.

use std::cmp::Ordering;
use std::collections::HashMap;

use engine::capture::{Capture, FoldedSpan};
use engine::record::LaneId;
use engine::time::{Interval, Nanos};

use super::bar_geometry::{self, BarFill, BarGeometry, BarTint, TimeGrid};
use super::lane_cache::SubLaneCache;
use super::pixel_row::PixelRow;
use super::scale;
use crate::theme::PaintKey;

/// How wide a fold's column is at most, in points; a power of two of nanoseconds, it is at least half of it.
pub const COLUMN: f64 = 4.0;

/// How many bars may be found in one frame before sub-lanes that show what is in view, if by another column, are left
/// for the next: a sixth of a millisecond's work where nothing of them was read lately.
const BUDGET: usize = 1_250;

/// To which power of two wider the columns are of sub-lanes that show nothing of what is in view and are found when the
/// budget is spent: a view that flies out finds a quarter of the bars, and the rest where it comes to rest.
const COARSER: u32 = 2;

/// For how many frames a sub-lane that was filled leaves half of the budget to others.
const TURN: u64 = 3;

/// A cell, and since when a lone one was enqueued.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bar {
    /// The cell.
    pub cell: FoldedSpan,
    /// When its span was enqueued; its start for a folded run.
    pub enqueued: Nanos,
}

/// The bars of sub-lanes, as last asked for.
#[derive(Default)]
pub struct Folds {
    strips: HashMap<(LaneId, usize), SubLaneCache>,
    frame: u64,
    stamp: u64,
    /// Whether the capture is as it was in the frame before.
    is_still: bool,
    /// Bars found in this frame, and whether sub-lanes were left for the next.
    found: usize,
    is_behind: bool,
    /// Whether every frame is whole, however long it takes.
    is_whole: bool,
    /// The view of the frame before and of this one, and which way it moves.
    view: Interval,
    heading: PanDirection,
}

/// What is drawn of a sub-lane.
pub struct DrawnSubLane<'a> {
    /// From left to right: those in view, and some around it.
    pub pieces: &'a [BarGeometry],
    /// What their instants are counted in.
    pub grid: TimeGrid,
    /// The bars that the pieces tell of by their place.
    pub bars: &'a [Bar],
    /// Which instants they tell of.
    pub cover: Interval,
    /// The pieces as pixels, as last drawn.
    pub line: &'a mut PixelRow,
}

impl Folds {
    /// Bars that are all found in the frame that asks for them.
    pub fn at_once() -> Self {
        Self {
            is_whole: true,
            ..Self::default()
        }
    }

    /// Begins a frame of the capture in the state that `stamp` stands for, and forgets what the last
    /// two frames did not ask for.
    pub fn begin(&mut self, stamp: u64) {
        self.is_still = self.stamp == stamp;
        self.stamp = stamp;
        (self.found, self.is_behind) = (0, false);
        let last = self.frame;
        self.strips.retain(|_, strip| strip.frame + 2 > last);
        self.frame += 1;
    }

    /// Whether some sub-lanes are still to be folded to the column that was asked for.
    pub fn is_behind(&self) -> bool {
        self.is_behind
    }

    /// Whether the capture is as it was in the frame before.
    pub fn is_still(&self) -> bool {
        self.is_still
    }

    /// The bars of a sub-lane, from left to right: those that overlap `view`, and some around it. They are folded
    /// by `column`, or for a few frames while zooming by another; the column comes beside them.
    pub fn bars(
        &mut self,
        capture: &Capture,
        (lane, depth): (LaneId, usize),
        view: Interval,
        column: Nanos,
    ) -> (&[Bar], Nanos) {
        let strip = self.strip(capture, (lane, depth), view, column);
        (within(&strip.bars, view), strip.column)
    }

    /// The pieces of a sub-lane that are drawn for its [`Self::bars`], in the colours that `tint` says for what is
    /// painted with.
    pub fn pieces(
        &mut self,
        capture: &Capture,
        strip: (LaneId, usize),
        (view, column): (Interval, Nanos),
        (paint, tint): (PaintKey, impl FnMut(&Bar, BarFill) -> BarTint),
    ) -> DrawnSubLane<'_> {
        let strip = self.strip(capture, strip, view, column);
        if strip.paint != Some(paint) {
            strip.paint = Some(paint);
            strip.grid = TimeGrid::over(strip.cover);
            let how = (strip.column, strip.grid);
            strip.alone = bar_geometry::cut(&strip.bars, how, tint, &mut strip.pieces);
            strip.line.clear();
        }
        DrawnSubLane {
            pieces: &strip.pieces,
            grid: strip.grid,
            bars: &strip.bars,
            cover: strip.cover,
            line: &mut strip.line,
        }
    }

    /// Which way the view moves that is now `view`.
    fn heading(&mut self, view: Interval) -> PanDirection {
        if view != self.view {
            // Rounded outwards, a view that begins between two nanoseconds is one longer.
            let is_pan = (view.length() - self.view.length()).0.abs() <= 1;
            self.heading = match view.start.cmp(&self.view.start) {
                Ordering::Less if is_pan => PanDirection::Back,
                Ordering::Greater if is_pan => PanDirection::Ahead,
                _ => PanDirection::None,
            };
            self.view = view;
        }
        self.heading
    }

    fn strip(
        &mut self,
        capture: &Capture,
        (lane, depth): (LaneId, usize),
        view: Interval,
        column: Nanos,
    ) -> &mut SubLaneCache {
        let heading = self.heading(view);
        let (found, is_whole) = (self.found, self.is_whole);
        let has_spent = |turns: usize| !is_whole && found > BUDGET / turns;
        let strip = self.strips.entry((lane, depth)).or_default();
        strip.frame = self.frame;
        let is_new = strip.stamp == 0;
        let covers = strip.stamp == self.stamp
            && strip.cover.start <= view.start
            && view.end <= strip.cover.end;
        let turn = if strip.filled + TURN > self.frame {
            2
        } else {
            1
        };
        let is_late = covers && strip.column != column && has_spent(turn);
        self.is_behind |= is_late;
        if !covers || (strip.column != column && !is_late) {
            let cover = if is_new {
                // Nobody knows yet whether it will be panned.
                scale::padded(view, margin(lane, depth) - LEAST)
            } else {
                around(view, heading, margin(lane, depth))
            };
            // A capture that grows is read anew in every frame: what is coarse would stay so.
            let is_spent = !covers && self.is_still && has_spent(1);
            self.is_behind |= is_spent;
            let column = if is_spent {
                Nanos(column.0 << COARSER)
            } else {
                column
            };
            self.found += strip.show(capture, (lane, depth), (cover, column), self.stamp);
            strip.filled = self.frame;
        }
        strip
    }

    /// The bars of a sub-lane that were last asked for and are not left of `view`, where spans stand alone of whose
    /// kind `kinds` has the bit.
    pub fn last_of(&self, (lane, depth): (LaneId, usize), view: Interval, kinds: u64) -> &[Bar] {
        let strip = self.strips.get(&(lane, depth));
        let strip = strip.filter(|strip| strip.alone & kinds != 0);
        strip.map_or(&[], |strip| within(&strip.bars, view))
    }

    /// The bars of a sub-lane that were last asked for.
    pub fn last(&self, lane: LaneId, depth: usize) -> &[Bar] {
        self.strips
            .get(&(lane, depth))
            .map_or(&[], |strip| &strip.bars)
    }
}

/// Which way the view moves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum PanDirection {
    /// It stands, or is zoomed.
    #[default]
    None,
    /// To earlier instants.
    Back,
    /// To later ones.
    Ahead,
}

/// The least that is kept around the view on either side, as a share of it.
const LEAST: f64 = 0.125;

/// How much around the view is kept of a sub-lane, as a share of the view. It differs from one to the next, so
/// that not all of them have to be filled again in the same frame while the view moves.
fn margin(lane: LaneId, depth: usize) -> f64 {
    let place = (lane.0 as usize).wrapping_mul(5).wrapping_add(depth) % 8;
    LEAST + place as f64 / 32.0
}

/// The view and what is kept around it: twice the margin on the side that it moves to, or the margin on both.
fn around(view: Interval, heading: PanDirection, margin: f64) -> Interval {
    let wide = scale::padded(view, 2.0 * margin);
    match heading {
        PanDirection::None => scale::padded(view, margin),
        PanDirection::Back => Interval::new(wide.start, view.end),
        PanDirection::Ahead => Interval::new(view.start, wide.end),
    }
}

/// The bars that overlap `view` or touch it.
fn within(bars: &[Bar], view: Interval) -> &[Bar] {
    let first = bars.partition_point(|bar| bar.cell.interval.end < view.start);
    // Those enqueued inside the view are wanted too, for the bar of their waiting.
    bars.get(first..).unwrap_or(&[])
}

/// The bar at `time`, or the nearest one within `reach` of it.
pub fn bar_at(bars: &[Bar], time: Nanos, reach: Nanos) -> Option<&Bar> {
    let next = bars.partition_point(|bar| bar.cell.interval.start <= time);
    let before = next.checked_sub(1).and_then(|place| bars.get(place));
    let far = |bar: &&Bar| {
        let interval = bar.cell.interval;
        (interval.start - time)
            .max(time - interval.end)
            .max(Nanos::ZERO)
    };
    before
        .into_iter()
        .chain(bars.get(next))
        .filter(|bar| far(bar) <= reach)
        .min_by_key(far)
}

/// The share of its interval that a folded cell was busy, from 0 to 1.
pub fn busy_share(cell: &FoldedSpan, column: Nanos) -> f32 {
    let whole = cell.interval.length().max(column).0.max(1) as f32;
    (cell.busy.0 as f32 / whole).clamp(0.0, 1.0)
}

#[cfg(test)]
mod tests {
    use engine::record::{NameId, Record, Span, SpanId};

    use super::*;

    fn capture(count: u32) -> Capture {
        let mut capture = Capture::new();
        capture.apply((0..count).map(|id| {
            let start = Nanos(i64::from(id) * 100);
            Record::Span(Span {
                id: SpanId(id),
                lane: LaneId(0),
                name: NameId(0),
                call: engine::record::CallId::NONE,
                kind: engine::record::SpanKind::Kernel,
                state: engine::record::State::Done,
                enqueued: start - Nanos(30),
                start,
                end: start + Nanos(60),
            })
        }));
        capture
    }

    fn interval(start: i64, end: i64) -> Interval {
        Interval::new(Nanos(start), Nanos(end))
    }

    #[test]
    fn no_span_is_lost_at_any_zoom() {
        let capture = capture(1000);
        let mut folds = Folds::default();
        for power in 0..20 {
            folds.begin(1);
            let view = interval(-1000, 200_000);
            let (bars, _) = folds.bars(&capture, (LaneId(0), 0), view, Nanos(1 << power));
            let count: u32 = bars.iter().map(|bar| bar.cell.count).sum();
            let busy: i64 = bars.iter().map(|bar| bar.cell.busy.0).sum();
            assert_eq!((count, busy), (1000, 60_000), "column 2^{power}");
        }
    }

    #[test]
    fn a_lone_bar_knows_when_it_was_enqueued() {
        let capture = capture(3);
        let mut folds = Folds::default();
        let (bars, _) = folds.bars(&capture, (LaneId(0), 0), interval(0, 300), Nanos(1));
        assert_eq!(bars[1].enqueued, Nanos(70));
    }

    #[test]
    fn new_spans_show_in_the_next_frame() {
        let mut capture = capture(3);
        let mut folds = Folds::default();
        let view = interval(0, 1000);
        assert_eq!(
            folds.bars(&capture, (LaneId(0), 0), view, Nanos(1)).0.len(),
            3
        );
        let span = capture.span(SpanId(0)).unwrap().span;
        capture.apply([Record::Span(Span {
            id: SpanId(3),
            start: Nanos(500),
            end: Nanos(600),
            ..span
        })]);
        folds.begin(1);
        assert_eq!(
            folds.bars(&capture, (LaneId(0), 0), view, Nanos(1)).0.len(),
            4
        );
    }

    /// Spans in turn over so many lanes, 500 on each.
    fn wide_capture(lanes: u32) -> Capture {
        let mut capture = capture(0);
        capture.apply((0..lanes * 500).map(|id| {
            let start = Nanos(i64::from(id / lanes) * 100);
            Record::Span(Span {
                id: SpanId(id),
                lane: LaneId(id % lanes),
                name: NameId(0),
                call: engine::record::CallId::NONE,
                kind: engine::record::SpanKind::Kernel,
                state: engine::record::State::Done,
                enqueued: start,
                start,
                end: start + Nanos(60),
            })
        }));
        capture
    }

    #[test]
    fn a_view_that_flies_out_is_coarse_where_nothing_was_known_until_it_rests() {
        let lanes = 40;
        let capture = wide_capture(lanes);
        let mut folds = Folds::default();
        let mut columns = |stamp, view: Interval| {
            folds.begin(stamp);
            let lanes = (0..lanes).map(|lane| {
                let (bars, column) = folds.bars(&capture, (LaneId(lane), 0), view, Nanos(1));
                let count: u32 = bars.iter().map(|bar| bar.cell.count).sum();
                assert!(i64::from(count) >= view.length().0 / 100, "all is shown");
                column
            });
            let columns: Vec<_> = lanes.collect();
            assert_eq!(folds.is_behind(), columns.iter().any(|&it| it != Nanos(1)));
            columns
        };
        let (near, far) = (interval(0, 500), interval(0, 50_000));
        columns(1, near);
        columns(1, near);
        let out = columns(1, far);
        assert_eq!(out.first(), Some(&Nanos(1)));
        assert_eq!(out.last(), Some(&Nanos(1 << COARSER)));
        let frames = (0..20).position(|_| columns(1, far).iter().all(|&it| it == Nanos(1)));
        assert!(frames.is_some(), "it stays coarse");
        columns(1, near);
        let grown = columns(2, far);
        assert!(
            grown.iter().all(|&it| it == Nanos(1)),
            "what grows is not coarse"
        );
    }

    #[test]
    fn zooming_folds_some_sub_lanes_a_frame_in_turn_until_all_are() {
        let lanes = 40;
        let capture = wide_capture(lanes);
        let mut folds = Folds::default();
        let view = interval(0, 50_000);
        let mut late = |column| {
            folds.begin(1);
            let lanes = (0..lanes).filter(|&lane| {
                let (_, found) = folds.bars(&capture, (LaneId(lane), 0), view, Nanos(column));
                found != Nanos(column)
            });
            let lanes: Vec<u32> = lanes.collect();
            assert_eq!(folds.is_behind(), !lanes.is_empty());
            lanes
        };
        assert!(late(1).is_empty(), "what is not there at all cannot wait");
        for _ in 0..TURN {
            late(1);
        }
        let (first, second) = (late(2), late(4));
        assert!(first.len() > 20 && first.len() < 40, "{first:?}");
        assert!(
            first.iter().any(|lane| !second.contains(lane)),
            "others had their turn: {first:?}, {second:?}"
        );
        let frames = (0..20).position(|_| late(4).is_empty());
        assert!(frames.is_some(), "they are never done");
    }

    #[test]
    fn the_nearest_bar_is_pointed_at() {
        let capture = capture(3);
        let mut folds = Folds::default();
        let (bars, _) = folds.bars(&capture, (LaneId(0), 0), interval(0, 300), Nanos(1));
        let at = |time, reach| bar_at(bars, Nanos(time), Nanos(reach)).map(|bar| bar.cell.span.0);
        assert_eq!(at(30, 0), Some(0));
        assert_eq!(at(80, 5), None);
        assert_eq!(at(95, 10), Some(1));
        assert_eq!(at(65, 10), Some(0));
    }
}

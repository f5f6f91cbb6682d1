//! The bars of one sub-lane over a stretch of time, which grows where the view moves instead of being folded anew.

use engine::capture::{Capture, FoldedSpan};
use engine::record::LaneId;
use engine::time::{Interval, Nanos};

use super::bar_geometry::{BarGeometry, TimeGrid};
use super::fold::Bar;
use super::pixel_row::PixelRow;
use crate::theme::PaintKey;

/// How many of the bars that are there are folded again where earlier ones come before them, to find where the two meet.
const SEAM: usize = 16;

/// The bars of a sub-lane, and what is drawn of them.
#[derive(Default)]
pub(super) struct SubLaneCache {
    /// The state of the capture that they were folded from; 0 before there are any.
    pub stamp: u64,
    /// What they are folded by.
    pub column: Nanos,
    /// Which instants they tell of.
    pub cover: Interval,
    /// The frame that last asked for them.
    pub frame: u64,
    /// The frame in which they were last found.
    pub filled: u64,
    /// The bars, from left to right.
    pub bars: Vec<Bar>,
    /// What is drawn of the bars, in steps of the grid.
    pub pieces: Vec<BarGeometry>,
    /// What the pieces' instants are counted in.
    pub grid: TimeGrid,
    /// The kinds of the spans that stand alone, each as the bit of its number.
    pub alone: u64,
    /// The pieces as pixels.
    pub line: PixelRow,
    /// What the pieces are painted with; nothing while they are still to be cut.
    pub paint: Option<PaintKey>,
}

impl SubLaneCache {
    /// Makes it tell of `cover` by `column`, in the capture's state `stamp`. What it tells of already is kept. Returns
    /// how many bars had to be found.
    pub fn show(
        &mut self,
        capture: &Capture,
        (lane, depth): (LaneId, usize),
        (cover, column): (Interval, Nanos),
        stamp: u64,
    ) -> usize {
        let found = std::cell::Cell::new(0);
        let fold = |interval, bars: &mut Vec<Bar>| {
            capture.fold(lane, depth, interval, column, &mut |cell| {
                found.set(found.get() + 1);
                bars.push(bar(cell, column));
            });
        };
        let is_same = self.stamp == stamp && self.column == column;
        if !is_same || !self.grow(cover, fold) {
            self.bars.clear();
            fold(cover, &mut self.bars);
        }
        self.stamp = stamp;
        self.column = column;
        self.cover = cover;
        self.paint = None;
        found.get()
    }

    /// Adds what `cover` has more, and drops what it has no longer; says whether that could be done.
    fn grow(&mut self, cover: Interval, fold: impl Fn(Interval, &mut Vec<Bar>)) -> bool {
        let old = self.cover;
        if cover.start >= old.start && cover.start < old.end && cover.end > old.end {
            self.grow_ahead(cover, fold)
        } else if cover.end <= old.end && cover.end > old.start && cover.start < old.start {
            self.grow_back(cover, fold)
        } else {
            false
        }
    }

    fn grow_ahead(&mut self, cover: Interval, fold: impl Fn(Interval, &mut Vec<Bar>)) -> bool {
        // More spans may belong to the last bar than began before the end of what was folded.
        let Some(seam) = (1..self.bars.len()).rev().find(|&at| self.is_seam(at)) else {
            return false;
        };
        let Some(start) = self.bars.get(seam).map(start) else {
            return false;
        };
        self.bars.truncate(seam);
        let gone = self
            .bars
            .partition_point(|bar| bar.cell.interval.end < cover.start);
        self.bars.drain(..gone);
        fold(Interval::new(start, cover.end), &mut self.bars);
        true
    }

    fn grow_back(&mut self, cover: Interval, fold: impl Fn(Interval, &mut Vec<Bar>)) -> bool {
        let Some(until) = self.bars.get(SEAM).map(start) else {
            return false;
        };
        let mut bars = Vec::with_capacity(self.bars.len() + SEAM);
        fold(Interval::new(cover.start, until), &mut bars);
        // The first bar may lack spans that ended before what was folded. Behind it, both tell of the same spans
        // from any instant on at which a bar of both begins.
        let meets = |&at: &usize| {
            let place = self.bars.get(at).map(start);
            let place = place.map(|instant| bars.partition_point(|bar| start(bar) < instant));
            let found = place.and_then(|place| bars.get(place));
            self.is_seam(at) && found.map(start) == self.bars.get(at).map(start)
        };
        let Some(seam) = (1..SEAM).find(meets) else {
            return false;
        };
        let Some(instant) = self.bars.get(seam).map(start) else {
            return false;
        };
        bars.truncate(bars.partition_point(|bar| start(bar) < instant));
        let rest = self.bars.get(seam..).unwrap_or(&[]);
        let wanted = rest.partition_point(|bar| start(bar) < cover.end);
        bars.extend_from_slice(rest.get(..wanted).unwrap_or(&[]));
        self.bars = bars;
        true
    }

    /// Whether no span that starts as the bar `at` does may be in the bar before it: an empty span may lie where
    /// that one ends.
    fn is_seam(&self, at: usize) -> bool {
        let before = at.checked_sub(1).and_then(|before| self.bars.get(before));
        before
            .zip(self.bars.get(at))
            .is_some_and(|(before, bar)| before.cell.interval.end < start(bar) || is_one(before))
    }
}

/// Whether it stands for one span with a length.
fn is_one(bar: &Bar) -> bool {
    bar.cell.count == 1 && bar.cell.interval.start < bar.cell.interval.end
}

fn start(bar: &Bar) -> Nanos {
    bar.cell.interval.start
}

fn bar(cell: FoldedSpan, column: Nanos) -> Bar {
    let is_alone = cell.count == 1 && cell.busy >= column;
    let enqueued = if is_alone {
        cell.enqueued
    } else {
        cell.interval.start
    };
    Bar { cell, enqueued }
}

#[cfg(test)]
mod tests {
    use engine::record::{CallId, NameId, Record, Span, SpanId, SpanKind, State};

    use super::*;

    const LANE: (LaneId, usize) = (LaneId(0), 0);

    fn random(state: &mut u64, below: u64) -> i64 {
        *state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        ((*state >> 33) % below) as i64
    }

    /// Spans back to back and apart, short, long and empty.
    fn spans(seed: &mut u64) -> Vec<Interval> {
        let mut now = 0;
        let mut next = || {
            now += [0, 0, 1, 7, 300][random(seed, 5) as usize];
            let start = now;
            now += [0, 1, 3, 20, 500][random(seed, 5) as usize];
            Interval::new(Nanos(start), Nanos(now))
        };
        let mut spans: Vec<_> = (0..3_000).map(|_| next()).collect();
        // Two empty spans at one instant overlap: the second would be put on a sub-lane.
        spans.dedup();
        spans
    }

    fn capture(spans: &[Interval]) -> Capture {
        let mut capture = Capture::new();
        let span = |(id, interval): (usize, &Interval)| {
            Record::Span(Span {
                id: SpanId(id as u32),
                lane: LaneId(0),
                name: NameId(0),
                call: CallId::NONE,
                kind: SpanKind::Kernel,
                state: State::Done,
                enqueued: interval.start,
                start: interval.start,
                end: interval.end,
            })
        };
        capture.apply(spans.iter().enumerate().map(span));
        capture
    }

    #[test]
    fn however_the_view_moves_every_span_is_in_one_bar() {
        let (mut seed, grown) = (7, std::cell::Cell::new(0));
        for _ in 0..20 {
            let all = spans(&mut seed);
            let capture = capture(&all);
            let extent = capture.extent().unwrap().end.0;
            for power in [0, 2, 5, 8, 11] {
                let mut strip = SubLaneCache::default();
                let (mut at, length) = (extent / 2, extent / 10);
                for _ in 0..40 {
                    at += random(&mut seed, length as u64) - length / 2;
                    let cover = Interval::new(Nanos(at), Nanos(at + length));
                    let fold = |_: Interval, _: &mut Vec<Bar>| grown.set(grown.get() + 1);
                    let mut copy = SubLaneCache {
                        bars: strip.bars.clone(),
                        cover: strip.cover,
                        ..SubLaneCache::default()
                    };
                    copy.grow(cover, fold);
                    strip.show(&capture, LANE, (cover, Nanos(1 << power)), 1);
                    check(&strip, &all, cover);
                }
            }
        }
        let grown = grown.get();
        assert!(grown > 2_000, "it was grown {grown} times only");
    }

    fn check(strip: &SubLaneCache, all: &[Interval], cover: Interval) {
        let bars = &strip.bars;
        for pair in bars.windows(2) {
            assert!(pair[0].cell.interval.end <= pair[1].cell.interval.start);
        }
        let shown: i64 = bars.iter().map(|bar| i64::from(bar.cell.count)).sum();
        let busy: i64 = bars.iter().map(|bar| bar.cell.busy.0).sum();
        let Some(first) = bars.first() else {
            let touches = |span: &&Interval| span.end > cover.start && span.start < cover.end;
            assert_eq!(all.iter().find(touches), None);
            return;
        };
        let first = first.cell.interval.start;
        // What is in view must be there; of what is at the edges, the bars know best.
        assert!(
            first <= cover.start
                || !all
                    .iter()
                    .any(|span| cover.start <= span.start && span.start < first)
        );
        let (mut least, mut most, mut length) = (0, 0, 0);
        for span in all {
            let in_front = span.start == first && span.start == span.end;
            if span.start >= first && span.start < cover.end {
                most += 1;
                least += i64::from(!in_front);
                length += span.length().0;
            }
        }
        let end = bars.last().unwrap().cell.interval.end;
        let over: Vec<_> = all
            .iter()
            .filter(|span| span.start >= cover.end && span.start <= end)
            .collect();
        let spare: i64 = over.iter().map(|span| span.length().0).sum();
        assert!(
            (least..=most + over.len() as i64).contains(&shown),
            "{shown} of {least} to {most} spans"
        );
        assert!(
            (length..=length + spare).contains(&busy),
            "{busy} of {length} ns"
        );
    }
}

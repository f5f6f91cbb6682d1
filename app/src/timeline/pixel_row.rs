//! The bars of a sub-lane as pixels, kept while the view only pans.

use std::ops::Range;

use eframe::egui::Color32;
use engine::capture::Repair;

use super::bar_geometry::{BarFill, BarGeometry, TimeGrid};
use super::fold::Bar;
use super::pan_anchor::AnchoredFrame;
use super::scale::{PixelScale, StepScale};
use crate::theme::RADIUS;

/// The narrowest bar that has a pattern, in points; a narrower one has the pattern's mean colour.
pub const PATTERNED: f32 = 4.0;

/// The narrowest bar that has rounded corners, in points.
const ROUNDED: f32 = RADIUS * 3.0;

/// How far outside of what is shown an edge may lie, in pixels.
pub const BEYOND: i32 = 32;

/// Pixels on either side of a draft that nobody sees.
const PAD: usize = BEYOND as usize + 16;

/// The least that a span is wide, in pixels.
const LEAST: i32 = 2;

/// Up to so many pixels are filled at once, whether they are fewer or not.
const NARROW: usize = 4;

/// Where a piece lies, in pixels.
#[derive(Clone, Copy, Debug)]
pub struct PixelExtent {
    /// Where the bar of its waiting begins.
    pub since: i32,
    /// Where it begins.
    pub left: i32,
    /// Where it ends.
    pub right: i32,
    /// Whether it is more than a rectangle of one colour.
    pub is_wide: bool,
}

impl PixelExtent {
    /// That of `piece`, where a pixel is `pixel` points wide.
    pub fn of(piece: &BarGeometry, bars: &[Bar], (steps, pixel): (&StepScale, f32)) -> Self {
        let (left, right) = (steps.at(piece.start), steps.at(piece.end));
        if let BarFill::Folded(_) = piece.fill {
            return Self {
                since: left,
                left,
                right: right.max(left + 1),
                is_wide: false,
            };
        }
        let since = if piece.enqueued < piece.start {
            steps.at(piece.enqueued)
        } else {
            left
        };
        // A pixel of nothing parts spans that follow each other without a pause.
        let right = if right - left > 4 {
            right - 1
        } else {
            right.max(left + LEAST)
        };
        let width = (right - left) as f32 * pixel;
        let is_narrow =
            width < PATTERNED && matches!(piece.fill, BarFill::Solid | BarFill::Hatched);
        let is_whole = |bar: &Bar| bar.cell.repair == Repair::None;
        let is_plain = || {
            let bar = bars.get(piece.bar as usize);
            width < ROUNDED && piece.fill == BarFill::Solid && bar.is_none_or(is_whole)
        };
        Self {
            since,
            left,
            right,
            is_wide: !is_narrow && !is_plain(),
        }
    }

    /// Whether its waiting shows.
    pub fn waits(&self) -> bool {
        self.since + 1 < self.left
    }
}

/// A row of pixels that is filled from left to right.
#[derive(Default)]
pub struct PixelRowDraft {
    pixels: Vec<Color32>,
    /// How many of them may show.
    width: i32,
    /// How far it is filled.
    reach: i32,
    is_blank: bool,
}

impl PixelRowDraft {
    /// Empties it.
    pub fn begin(&mut self, width: usize) {
        self.pixels.clear();
        self.pixels.resize(width + 2 * PAD, Color32::TRANSPARENT);
        (self.width, self.reach, self.is_blank) = (width as i32, -BEYOND, true);
    }

    /// Colours it from `left` to `right`.
    pub fn fill(&mut self, left: i32, right: i32, color: Color32) {
        let (left, right) = (left.max(-BEYOND), right.min(self.width + BEYOND));
        let place = |x: i32| (x + PAD as i32).max(0) as usize;
        let (from, to) = (place(left), place(right));
        if to <= from + NARROW && right >= self.reach && left < right {
            // Whatever comes after lies further right: what is too much is emptied again. No loop, and nothing to guess.
            self.put(from, color);
            self.put(to, Color32::TRANSPARENT);
        } else if let Some(pixels) = self.pixels.get_mut(from..to) {
            pixels.fill(color);
        }
        self.reach = self.reach.max(right);
        self.is_blank = false;
    }

    fn put(&mut self, at: usize, color: Color32) {
        let rest = self.pixels.get_mut(at..);
        if let Some(pixels) = rest.and_then(|rest| rest.first_chunk_mut::<NARROW>()) {
            *pixels = [color; NARROW];
        }
    }

    /// `width` of its pixels from `first` on; nothing where none was coloured.
    pub fn part(&self, first: i32, width: usize) -> Option<&[Color32]> {
        let first = usize::try_from(first).ok()? + PAD;
        let part = self.pixels.get(first..first + width);
        part.filter(|_| !self.is_blank)
    }
}

/// What is drawn of the pieces of a sub-lane at one zoom. Pixels are counted from where the view is pinned.
#[derive(Default)]
pub struct PixelRow {
    /// The number of the pin; 0 while nothing is drawn.
    pin: u64,
    /// The pixels that it tells of.
    range: Range<i32>,
    queued: PixelRowDraft,
    filled: PixelRowDraft,
    /// The places of the pieces that are more than pixels.
    wide: Vec<u32>,
}

impl PixelRow {
    /// Forgets what is drawn: the pieces are others.
    pub fn clear(&mut self) {
        self.pin = 0;
    }

    /// Whether it tells of the `width` pixels that the view shows.
    pub fn tells_of(&self, pin: &AnchoredFrame, width: i32) -> bool {
        self.pin == pin.number
            && self.range.start <= pin.moved
            && pin.moved + width <= self.range.end
    }

    /// Draws the pieces that show in `range`.
    pub fn draw(
        &mut self,
        (pieces, bars, grid): (&[BarGeometry], &[Bar], TimeGrid),
        (pin, pixels, pixel): (&AnchoredFrame, &PixelScale, f32),
        range: Range<i32>,
    ) {
        let Range {
            start: from,
            end: to,
        } = range;
        let width = (to - from).max(0) as usize;
        self.queued.begin(width);
        self.filled.begin(width);
        self.wide.clear();
        let steps = pixels.steps(grid.origin(), [from - BEYOND, to + BEYOND]);
        let first = pieces.partition_point(|piece| steps.at(piece.end) + LEAST < from);
        for (place, piece) in pieces.iter().enumerate().skip(first) {
            let extent = PixelExtent::of(piece, bars, (&steps, pixel));
            if extent.since > to {
                break;
            }
            if extent.waits() {
                let (since, left) = (extent.since - from, extent.left - from);
                self.queued.fill(since, left, piece.tint.queued);
            }
            if extent.left > to {
                continue;
            }
            if extent.is_wide {
                self.wide.push(place as u32);
            } else {
                let (left, right) = (extent.left - from, extent.right - from);
                self.filled.fill(left, right, piece.tint.plain);
            }
        }
        self.pin = pin.number;
        self.range = range;
    }

    /// The `width` pixels that the view shows: those of waiting, and those of bars. Nothing where they are empty.
    pub fn shown(&self, pin: &AnchoredFrame, width: usize) -> [Option<&[Color32]>; 2] {
        let first = pin.moved - self.range.start;
        [&self.queued, &self.filled].map(|draft| draft.part(first, width))
    }

    /// The pieces that are more than pixels and do not end before `left`, a step of their grid.
    pub fn wide<'a>(
        &self,
        pieces: &'a [BarGeometry],
        left: u32,
    ) -> impl Iterator<Item = &'a BarGeometry> {
        let ends = |&place: &u32| {
            let piece = pieces.get(place as usize);
            piece.is_some_and(|piece| piece.end < left)
        };
        let first = self.wide.partition_point(ends);
        let wide = self.wide.get(first..).unwrap_or(&[]);
        wide.iter().filter_map(|&place| pieces.get(place as usize))
    }
}

#[cfg(test)]
mod tests {
    use engine::time::{Interval, Nanos};

    use super::*;
    use crate::timeline::bar_geometry::BarTint;
    use crate::timeline::pan_anchor::PanAnchor;
    use crate::timeline::scale::Scale;

    fn random(seed: &mut u32, below: u32) -> u32 {
        *seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (*seed >> 8) % below
    }

    fn piece((enqueued, start, end): (u32, u32, u32), color: Color32) -> BarGeometry {
        BarGeometry {
            start,
            end,
            enqueued,
            tint: BarTint {
                plain: color,
                queued: color,
            },
            fill: BarFill::Solid,
            bar: u32::MAX,
        }
    }

    fn grid() -> TimeGrid {
        TimeGrid::over(Interval::new(Nanos(0), Nanos(0)))
    }

    /// Time to pixels where a view of 20 pixels shows `length` nanoseconds.
    fn pinned(start: i64, length: i64) -> (AnchoredFrame, PixelScale) {
        let view = Interval::new(Nanos(start), Nanos(start + length));
        let (scale, pinned) = PanAnchor::default().snap(Scale::new(view, 0.0, 20.0), 1.0);
        (pinned, scale.pixels(1.0, 0.0))
    }

    fn marks(pixels: Option<&[Color32]>) -> String {
        let mark = |pixel: &Color32| match *pixel {
            Color32::RED => 'r',
            Color32::BLUE => 'b',
            _ => '.',
        };
        pixels.unwrap_or_default().iter().map(mark).collect()
    }

    #[test]
    fn bars_become_the_pixels_that_they_cover() {
        let base = grid().origin().0.0;
        let (pin, pixels) = pinned(base, 100);
        let pieces = [
            piece((10, 10, 20), Color32::RED),
            piece((25, 40, 55), Color32::RED),
            piece((70, 70, 70), Color32::BLUE),
            piece((90, 90, 900), Color32::BLUE),
        ];
        let mut line = PixelRow::default();
        assert!(!line.tells_of(&pin, 20));
        line.draw((&pieces, &[], grid()), (&pin, &pixels, 1.0), 0..20);
        assert!(line.tells_of(&pin, 20));
        let [queued, filled] = line.shown(&pin, 20);
        assert_eq!(marks(queued), ".....rrr............");
        assert_eq!(marks(filled), "..rr....rrr...bb....");
        let wide: Vec<_> = line.wide(&pieces, 0).collect();
        assert_eq!(wide, [&pieces[3]], "what has corners is no row of pixels");
        assert_eq!(line.wide(&pieces, 901).count(), 0);
        line.clear();
        assert!(!line.tells_of(&pin, 20));
    }

    #[test]
    fn a_row_is_what_filling_pixel_by_pixel_makes_it() {
        let mut seed = 1_u32;
        for _ in 0..200 {
            let mut draft = PixelRowDraft::default();
            draft.begin(20);
            let mut plain = [Color32::TRANSPARENT; 20];
            let mut at = -8;
            while at < 24 {
                at += random(&mut seed, 4) as i32;
                let right = at + random(&mut seed, 9) as i32;
                let color = Color32::from_gray(1 + random(&mut seed, 250) as u8);
                draft.fill(at, right, color);
                for x in at..right {
                    if let Some(pixel) = usize::try_from(x).ok().and_then(|x| plain.get_mut(x)) {
                        *pixel = color;
                    }
                }
            }
            assert_eq!(draft.part(0, 20), Some(plain.as_slice()));
        }
    }

    #[test]
    fn a_line_drawn_once_shows_what_one_drawn_for_each_view_shows() {
        let mut seed = 3_u32;
        let mut shown = 0;
        for round in 0..100 {
            let (mut pieces, mut at, mut before) = (Vec::new(), 0, 0);
            while at < 4_000 {
                let start = at + random(&mut seed, 40);
                at = start + random(&mut seed, if round % 2 == 0 { 30 } else { 300 });
                // Streams take operations in the order in which they were enqueued.
                let since = before.max(start - random(&mut seed, 60).min(start));
                before = since;
                let color = Color32::from_gray(1 + random(&mut seed, 250) as u8);
                pieces.push(piece((since, start, at), color));
            }
            let base = grid().origin().0.0;
            let (pin, pixels) = pinned(base + 1_000, 150 + i64::from(random(&mut seed, 200)));
            let mut kept = PixelRow::default();
            kept.draw((&pieces, &[], grid()), (&pin, &pixels, 1.0), -40..60);
            for moved in [-40, -17, 0, 1, 33, 40] {
                let pin = AnchoredFrame { moved, ..pin };
                assert!(kept.tells_of(&pin, 20));
                let mut own = PixelRow::default();
                own.draw(
                    (&pieces, &[], grid()),
                    (&pin, &pixels, 1.0),
                    moved..moved + 20,
                );
                let rows = |line: &PixelRow| line.shown(&pin, 20).map(|row| marks_of(row));
                assert_eq!(rows(&kept), rows(&own), "round {round}, moved by {moved}");
                let left = grid().at(pixels_start(&pixels, moved));
                let steps = pixels.steps(grid().origin(), [moved - BEYOND, moved + 20 + BEYOND]);
                let is_in_view = |piece: &&BarGeometry| {
                    steps.at(piece.end) >= moved && steps.at(piece.start) <= moved + 20
                };
                let wide = |line: &PixelRow| -> Vec<BarGeometry> {
                    line.wide(&pieces, left)
                        .filter(is_in_view)
                        .copied()
                        .collect()
                };
                assert_eq!(wide(&kept), wide(&own), "round {round}, moved by {moved}");
                shown += wide(&own).len();
            }
        }
        assert!(shown > 200, "only {shown} were more than pixels");
    }

    /// All of a row's pixels; transparent ones where there is none.
    fn marks_of(row: Option<&[Color32]>) -> Vec<Color32> {
        row.map_or_else(|| vec![Color32::TRANSPARENT; 20], <[Color32]>::to_vec)
    }

    /// An instant that is shown left of the pixel `at`.
    fn pixels_start(pixels: &PixelScale, at: i32) -> Nanos {
        let mut time = Nanos(0);
        while pixels.at(time + Nanos(1)) < at {
            time += Nanos(1);
        }
        time
    }
}

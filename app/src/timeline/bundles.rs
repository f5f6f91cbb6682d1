//! All arrows in view, bundled where they would cover each other.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use eframe::egui::{Painter, Rect, pos2};
use engine::record::{DependencyId, LaneId, SpanId};

use super::arrows::{ArrowEnd, BarEdge, route};
use super::fold::Folds;
use super::frame::PaintFrame;
use super::layout::RowContent;
use super::mesh_builder::MeshBuilder;
use crate::text;
use crate::theme::mixed;

/// How many spans are asked for their dependencies in one frame.
const ASKED: usize = 6_000;

/// How many bundles are drawn.
const MOST: usize = 1_500;

/// How wide a column of bundled arrows is, in points: the first of these at which few enough lines are left.
const COLUMNS: [f32; 5] = [6.0, 24.0, 48.0, 96.0, 192.0];

/// Between two lines of one pair of lanes there are so many points on average, at least.
const SPACING: f32 = 40.0;

/// How wide a line can be, in pixels.
const WIDEST: f32 = 3.0;

/// What was drawn and what was not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ArrowTally {
    /// Arrows that are drawn, alone or in a bundle.
    pub arrows: usize,
    /// Lines that they are drawn as.
    pub lines: usize,
    /// Spans whose arrows are left out: folded ones, and those beyond what can be looked at.
    pub left_out: usize,
}

/// As the note in the corner says it.
impl fmt::Display for ArrowTally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let arrows = text::counted(self.arrows as u64, "arrow");
        if self.lines < self.arrows {
            write!(
                f,
                "{arrows} in {}",
                text::counted(self.lines as u64, "line")
            )?;
        } else {
            f.write_str(&arrows)?;
        }
        if self.left_out > 0 {
            let spans = text::counted(self.left_out as u64, "span");
            write!(f, " · zoom in for those of {spans}")?;
        }
        Ok(())
    }
}

/// Dependencies between two lanes that leave in one column of the screen and arrive in one.
#[derive(Default)]
pub struct ArrowBundles {
    /// The arrows of each pair of lanes.
    pairs: BTreeMap<(LaneId, LaneId), Vec<(BarEdge, BarEdge)>>,
    /// What they are drawn as: the first of each bundle, and how many it has.
    lines: Vec<(BarEdge, BarEdge, usize)>,
    seen: BTreeSet<DependencyId>,
    tally: ArrowTally,
    asked: usize,
}

impl ArrowBundles {
    /// The dependencies of the spans that are drawn alone.
    pub fn new(frame: &PaintFrame<'_>, folds: &Folds) -> Self {
        let mut bundles = Self::default();
        for row in frame.visible() {
            let RowContent::Entry(entry) = row.content else {
                continue;
            };
            let Some(lane) = entry.lane() else {
                continue;
            };
            for depth in frame.depths(row) {
                bundles.strip(frame, folds, (lane, depth));
            }
        }
        let width = frame.areas.body.width();
        let pairs = std::mem::take(&mut bundles.pairs);
        bundles.lines = pairs
            .into_values()
            .flat_map(|arrows| bundled(&arrows, width))
            .collect();
        bundles.lines.truncate(MOST);
        bundles.tally.lines = bundles.lines.len();
        bundles
    }

    /// What is drawn.
    pub fn tally(&self) -> ArrowTally {
        self.tally
    }

    fn strip(&mut self, frame: &PaintFrame<'_>, folds: &Folds, (lane, depth): (LaneId, usize)) {
        let view = frame.scale.interval();
        for bar in folds.last(lane, depth) {
            if bar.cell.interval.start > view.end || bar.cell.interval.end < view.start {
                continue;
            }
            if bar.cell.count > 1 || self.asked >= ASKED {
                self.tally.left_out += bar.cell.count as usize;
                continue;
            }
            self.asked += 1;
            self.of_span(frame, bar.cell.span);
        }
    }

    fn of_span(&mut self, frame: &PaintFrame<'_>, span: SpanId) {
        let capture = frame.picture.capture;
        for id in capture.causes(span).chain(capture.effects(span)).take(16) {
            if !self.seen.insert(id) {
                continue;
            }
            let Some(dependency) = capture.dependency(id) else {
                continue;
            };
            let (Some(cause), Some(effect)) = (
                frame.locate(dependency.cause),
                frame.locate(dependency.effect),
            ) else {
                continue;
            };
            let Some((from, to)) = frame.ends(&dependency) else {
                continue;
            };
            self.tally.arrows += 1;
            let pair = self.pairs.entry((cause.lane, effect.lane)).or_default();
            pair.push((from, to));
        }
    }

    /// Paints them faintly, a bundle the wider the more it holds, and nothing over the names of spans, which lie at `names`.
    pub fn paint(&self, painter: &Painter, frame: &PaintFrame<'_>, names: &[Rect]) {
        let theme = frame.picture.theme;
        let mut sheet = MeshBuilder::new(painter.pixels_per_point());
        let port = frame.port();
        let pixel = sheet.pixel();
        let names = NameColumns::new(names);
        for &(from, to, count) in &self.lines {
            let Some(route) = route(from, to, port) else {
                continue;
            };
            let strength = (0.35 + 0.2 * (count as f32).log2()).min(0.9);
            let color = mixed(theme.arrow, theme.row, strength);
            for pair in route.points.windows(2) {
                let &[[ax, ay], [bx, by]] = pair else {
                    continue;
                };
                let corner = |x: f32, y: f32| pos2(sheet.snap(x), sheet.snap(y));
                let (a, b) = (
                    corner(ax.min(bx), ay.min(by)),
                    corner(ax.max(bx), ay.max(by)),
                );
                let wide = pixel * (1.0 + (count as f32).log2()).round().min(WIDEST);
                let line = Rect::from_min_max(a, pos2(b.x.max(a.x + wide), b.y.max(a.y + wide)));
                for piece in names.around(line) {
                    sheet.rect(piece, color);
                }
            }
            let ArrowEnd::Span([x, y]) = route.effect else {
                continue;
            };
            let up = if to.top >= from.top { -4.0 } else { 4.0 };
            let head = [pos2(x, y), pos2(x - 2.5, y + up), pos2(x + 2.5, y + up)];
            sheet.triangle(head, color);
        }
        if !sheet.is_empty() {
            painter.add(sheet.into_shape());
        }
    }
}

/// The arrows of one pair of lanes as lines, so few that they can be told apart on a body of this width in points: the first
/// of each bundle, and how many it has.
fn bundled(arrows: &[(BarEdge, BarEdge)], width: f32) -> Vec<(BarEdge, BarEdge, usize)> {
    let most = (width / SPACING).max(1.0) as usize;
    let mut lines = BTreeMap::new();
    for column in COLUMNS {
        lines = BTreeMap::<_, (BarEdge, BarEdge, usize)>::new();
        let place = |x: f32| (x / column).round() as i32;
        for &(from, to) in arrows {
            let key = (place(from.x), place(to.x));
            lines.entry(key).or_insert((from, to, 0)).2 += 1;
        }
        if lines.len() <= most {
            break;
        }
    }
    lines.into_values().collect()
}

/// The names of spans by the columns of the screen that they reach into: a line crosses few of them.
struct NameColumns(BTreeMap<i32, Vec<Rect>>);

impl NameColumns {
    /// Width of a column, in points.
    const WIDTH: f32 = 32.0;

    fn new(names: &[Rect]) -> Self {
        let mut columns: BTreeMap<i32, Vec<Rect>> = BTreeMap::new();
        for name in names {
            for column in Self::column(name.left())..=Self::column(name.right()) {
                columns.entry(column).or_default().push(*name);
            }
        }
        Self(columns)
    }

    fn column(x: f32) -> i32 {
        (x / Self::WIDTH).floor() as i32
    }

    /// The parts of an upright line that lie on no name; one that lies level runs between bars, where there are none.
    fn around(&self, line: Rect) -> Vec<Rect> {
        let mut pieces = vec![line];
        if line.height() <= line.width() {
            return pieces;
        }
        let near = self.0.get(&Self::column(line.left()));
        let crossed = near.into_iter().flatten().filter(|it| it.intersects(line));
        for name in crossed {
            pieces = pieces
                .into_iter()
                .flat_map(|piece| {
                    let above = piece.with_max_y(name.top().min(piece.bottom()));
                    let below = piece.with_min_y(name.bottom().max(piece.top()));
                    [above, below]
                })
                .filter(|piece| piece.height() > 0.0)
                .collect();
        }
        pieces
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arrow(from: f32, to: f32) -> (BarEdge, BarEdge) {
        let edge = |x, top| BarEdge {
            x,
            top,
            bottom: top + 20.0,
        };
        (edge(from, 0.0), edge(to, 40.0))
    }

    #[test]
    fn few_arrows_stay_alone_and_many_are_bundled() {
        let few: Vec<_> = (0..10)
            .map(|at| arrow(at as f32 * 80.0, at as f32 * 80.0 + 9.0))
            .collect();
        assert_eq!(bundled(&few, 800.0).len(), 10);
        let many: Vec<_> = (0..400)
            .map(|at| arrow(at as f32 * 2.0, at as f32 * 2.0 + 1.0))
            .collect();
        let lines = bundled(&many, 800.0);
        assert!(lines.len() <= 20, "{}", lines.len());
        assert_eq!(lines.iter().map(|it| it.2).sum::<usize>(), 400);
    }

    #[test]
    fn a_line_leaves_out_the_names_that_it_crosses() {
        let rect =
            |left, top, right, bottom| Rect::from_min_max(pos2(left, top), pos2(right, bottom));
        let line = rect(50.0, 0.0, 51.0, 100.0);
        let names = [
            rect(40.0, 20.0, 90.0, 30.0),
            rect(0.0, 60.0, 200.0, 70.0),
            rect(60.0, 40.0, 90.0, 50.0),
        ];
        let pieces = NameColumns::new(&names).around(line);
        let heights: Vec<_> = pieces.iter().map(|it| (it.top(), it.bottom())).collect();
        assert_eq!(heights, [(0.0, 20.0), (30.0, 60.0), (70.0, 100.0)]);
    }
}

//! All arrows in view, bundled where they would cover each other.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use eframe::egui::{Color32, Painter, Rect, pos2};
use engine::time::Nanos;

use super::arrow_index::{ArrowIndex, IndexedArrow, LanePair};
use super::arrow_route::{ArrowEnd, BarEdge, ScreenPoint, route};
use super::frame::PaintFrame;
use super::layout::RowContent;
use super::mesh_builder::MeshBuilder;
use super::scale::Scale;
use crate::text;
use crate::theme::mixed;

/// How many lines are drawn.
const MOST: usize = 1_500;

/// How wide a column of bundled arrows is, in points: the first of these at which few enough lines are left.
const COLUMNS: [f32; 7] = [6.0, 24.0, 48.0, 96.0, 192.0, 384.0, 768.0];

/// Between two lines of one pair of lanes there are so many points on average, at least.
const SPACING: f32 = 40.0;

/// Between two lines of all pairs of lanes there are so many points on average, at least, as far as bundles allow.
const SPACING_OF_ALL: f32 = 10.0;

/// Of more arrows than this between two lanes in view, no more is looked at than where they leave.
const FEW: usize = 512;

/// How wide a line can be, in pixels.
const WIDEST: f32 = 3.0;

/// How much of a long line is drawn strongly at each end, in points: in between it crosses lanes that it has nothing to do with.
const STRONG: f32 = 36.0;

/// How strong it is in between.
const FAINT: f32 = 0.2;

/// What was drawn and what was not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ArrowTally {
    /// Arrows that are drawn, alone or in a bundle.
    pub arrows: usize,
    /// Lines that they are drawn as.
    pub lines: usize,
    /// Dependencies that are still to be read.
    pub unread: usize,
}

/// As the status bar says it.
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
        if self.unread > 0 {
            let unread = text::counted(self.unread as u64, "dependency");
            write!(f, " · {unread} still to be read")?;
        }
        Ok(())
    }
}

/// A line on screen: the arrow that it is drawn as, and how many it stands for.
type ArrowLine = (IndexedArrow, usize);

/// The arrows in view as lines.
#[derive(Default)]
pub struct ArrowBundles {
    /// Where each line leaves and arrives, and how many arrows it stands for.
    lines: Vec<(BarEdge, BarEdge, usize)>,
    tally: ArrowTally,
}

impl ArrowBundles {
    /// The arrows of which an end lies on a row in view.
    pub fn new(frame: &PaintFrame<'_>, index: &ArrowIndex) -> Self {
        let capture = frame.picture.capture;
        let visible = frame.visible().iter().filter_map(|row| match row.content {
            RowContent::Entry(entry) => entry.lane(),
            RowContent::Group { .. } => None,
        });
        let visible: BTreeSet<_> = visible.collect();
        let pairs = index.pairs().filter(|((from, to), _)| {
            let is_in_view = visible.contains(from) || visible.contains(to);
            is_in_view
                && [from, to]
                    .iter()
                    .all(|it| frame.layout.row_of(**it).is_some())
        });
        let pairs: Vec<&LanePair> = pairs.map(|(_, pair)| pair).collect();
        let mut bundles = Self::default();
        for (arrow, count) in bundled(&pairs, &frame.scale) {
            let found = capture.dependency(arrow.id);
            if let Some((from, to)) = found.and_then(|found| frame.ends(&found)) {
                bundles.tally.arrows += count;
                bundles.lines.push((from, to, count));
            }
        }
        // What still runs is not in the index.
        for id in index.open().iter().take(MOST) {
            let found = capture.dependency(*id);
            if let Some((from, to)) = found.and_then(|found| frame.ends(&found)) {
                bundles.tally.arrows += 1;
                bundles.lines.push((from, to, 1));
            }
        }
        bundles.lines.truncate(MOST);
        bundles.tally.lines = bundles.lines.len();
        bundles.tally.unread = index.unread(capture);
        bundles
    }

    /// What is drawn.
    pub fn tally(&self) -> ArrowTally {
        self.tally
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
            let strength = (0.5 + 0.15 * (count as f32).log2()).min(0.9);
            let color = mixed(theme.arrow, theme.row, strength);
            let between = theme.arrow.gamma_multiply(strength * FAINT);
            let is_cut = |at: ScreenPoint| {
                let is_stub =
                    |end: ArrowEnd| matches!(end, ArrowEnd::Stub(point, _) if point == at);
                is_stub(route.cause) || is_stub(route.effect)
            };
            for pair in route.points.windows(2) {
                let &[from, to] = pair else {
                    continue;
                };
                let ([ax, ay], [bx, by]) = (from, to);
                let corner = |x: f32, y: f32| pos2(sheet.snap(x), sheet.snap(y));
                let (a, b) = (
                    corner(ax.min(bx), ay.min(by)),
                    corner(ax.max(bx), ay.max(by)),
                );
                let wide = pixel * (1.0 + (count as f32).log2()).round().min(WIDEST);
                let line = Rect::from_min_max(a, pos2(b.x.max(a.x + wide), b.y.max(a.y + wide)));
                let (upper, lower) = if ay <= by { (from, to) } else { (to, from) };
                let strong = [is_cut(upper), is_cut(lower)].map(|it| if it { 0.0 } else { STRONG });
                for piece in names.around(line) {
                    faded(&mut sheet, (line, piece), strong, (color, between));
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

/// Draws `piece` of a line, of an upright one fainter where it is further from its upper and its lower end than `strong` says.
fn faded(
    sheet: &mut MeshBuilder,
    (line, piece): (Rect, Rect),
    strong: [f32; 2],
    (color, between): (Color32, Color32),
) {
    if line.height() <= line.width().max(3.0 * STRONG) {
        return sheet.rect(piece, color);
    }
    let (upper, lower) = (line.top() + strong[0], line.bottom() - strong[1]);
    let parts = [
        (piece.with_max_y(piece.bottom().min(upper)), color),
        (
            piece
                .with_min_y(piece.top().max(upper))
                .with_max_y(piece.bottom().min(lower)),
            between,
        ),
        (piece.with_min_y(piece.top().max(lower)), color),
    ];
    for (part, color) in parts {
        if part.is_positive() {
            sheet.rect(part, color);
        }
    }
}

/// The arrows in view as lines, so few that they can be told apart: each pair of lanes has few for the width, and all together
/// as well, unless there are more pairs than that.
fn bundled(pairs: &[&LanePair], scale: &Scale) -> Vec<ArrowLine> {
    let width = scale.width();
    let most = |spacing: f32| (width / spacing).max(1.0) as usize;
    let by = |at: usize, pair: &&LanePair| {
        let column = COLUMNS.get(at).copied().unwrap_or(f32::MAX);
        in_columns(pair, scale, column)
    };
    // Which column each pair has, and its lines.
    let mut lines: Vec<(usize, Vec<ArrowLine>)> = Vec::with_capacity(pairs.len());
    for pair in pairs {
        let tried = (0..COLUMNS.len()).map(|at| (at, by(at, pair)));
        let fits = |it: &(usize, Vec<ArrowLine>)| it.1.len() <= most(SPACING);
        let mut tried = tried.skip_while(|it| !fits(it) && it.0 + 1 < COLUMNS.len());
        lines.extend(tried.next());
    }
    for at in 1..COLUMNS.len() {
        let all: usize = lines.iter().map(|it| it.1.len()).sum();
        if all <= most(SPACING_OF_ALL) {
            break;
        }
        for (pair, lines) in pairs.iter().zip(&mut lines) {
            if lines.0 < at && lines.1.len() > 1 {
                *lines = (at, by(at, pair));
            }
        }
    }
    lines.into_iter().flat_map(|it| it.1).collect()
}

/// The arrows between two lanes in view, those that leave in one column of the screen as one line; of few, those that arrive in
/// one as well. Those that left before the view are one line where they are many.
fn in_columns(pair: &LanePair, scale: &Scale, column: f32) -> Vec<ArrowLine> {
    let view = scale.interval();
    let (entering, rest) = pair.within(view);
    let place = |time: Nanos| (scale.x_from_time(time) / column).round() as i32;
    if entering.len() + rest.len() <= FEW {
        let mut lines: BTreeMap<_, ArrowLine> = BTreeMap::new();
        for arrow in entering.iter().chain(rest) {
            let leaves = place(arrow.complete.max(view.start));
            let key = (leaves, place(arrow.reached.min(view.end)));
            lines.entry(key).or_insert((*arrow, 0)).1 += 1;
        }
        return lines.into_values().collect();
    }
    let middle = |all: &[IndexedArrow]| all.get(all.len() / 2).map(|it| (*it, all.len()));
    let mut lines: Vec<ArrowLine> = middle(&entering).into_iter().collect();
    let mut rest = rest;
    while let Some(first) = rest.first() {
        let next = scale.time_from_x((place(first.complete) as f32 + 0.5) * column);
        let count = rest.partition_point(|it| it.complete < next).max(1);
        let (bundle, others) = rest.split_at(count.min(rest.len()));
        lines.extend(middle(bundle));
        rest = others;
    }
    lines
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
    use engine::time::Interval;

    use super::*;

    fn lines(arrows: impl Iterator<Item = (i64, i64)>) -> Vec<ArrowLine> {
        let pair = LanePair::of(arrows.map(|(from, to)| (Nanos(from), Nanos(to))));
        let scale = Scale::new(Interval::new(Nanos(0), Nanos(800)), 0.0, 800.0);
        bundled(&[&pair], &scale)
    }

    #[test]
    fn few_arrows_stay_alone_and_many_are_bundled() {
        let few = lines((0..10).map(|at| (at * 80, at * 80 + 9)));
        assert_eq!(few.len(), 10);
        for count in [400, 8_000] {
            let many = lines((0..count).map(|at| (at * 800 / count, at * 800 / count + 1)));
            assert!(many.len() <= 20, "{}", many.len());
            assert_eq!(many.iter().map(|it| it.1).sum::<usize>(), count as usize);
        }
    }

    #[test]
    fn what_passes_over_the_view_is_in_it_and_what_ends_before_is_not() {
        let found = lines([(-500, -1), (-400, 900), (-300, 20), (801, 900)].into_iter());
        assert_eq!(found.iter().map(|it| it.1).sum::<usize>(), 2);
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

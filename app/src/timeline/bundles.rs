//! All arrows in view, bundled where they would cover each other.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use eframe::egui::{Painter, Rect, pos2};
use engine::record::{DependencyId, LaneId, SpanId};

use super::arrows::{BarEdge, route};
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

/// How wide a column of bundled arrows is, in points.
const COLUMN: f32 = 6.0;

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

/// Dependencies between two lanes that arrive in one column of the screen.
#[derive(Default)]
pub struct ArrowBundles {
    lines: BTreeMap<BundleKey, (BarEdge, BarEdge, usize)>,
    seen: BTreeSet<DependencyId>,
    tally: ArrowTally,
    asked: usize,
}

type BundleKey = (LaneId, LaneId, i32, i32);

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
        bundles.tally.lines = bundles.lines.len().min(MOST);
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
            let place = |x: f32| (x / COLUMN).round() as i32;
            let key = (cause.lane, effect.lane, place(from.x), place(to.x));
            self.tally.arrows += 1;
            self.lines.entry(key).or_insert((from, to, 0)).2 += 1;
        }
    }

    /// Paints them faintly, a bundle the stronger the more it holds.
    pub fn paint(&self, painter: &Painter, frame: &PaintFrame<'_>) {
        let theme = frame.picture.theme;
        let mut sheet = MeshBuilder::new(painter.pixels_per_point());
        let port = frame.port();
        for &(from, to, count) in self.lines.values().take(MOST) {
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
                let pixel = sheet.pixel();
                let line = Rect::from_min_max(a, pos2(b.x.max(a.x + pixel), b.y.max(a.y + pixel)));
                sheet.rect(line, color);
            }
            let [x, y] = route.effect.point();
            let up = if to.top >= from.top { -4.0 } else { 4.0 };
            let head = [pos2(x, y), pos2(x - 2.5, y + up), pos2(x + 2.5, y + up)];
            sheet.triangle(head, color);
        }
        if !sheet.is_empty() {
            painter.add(sheet.into_shape());
        }
    }
}

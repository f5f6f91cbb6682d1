//! The line of the critical path: rectangles along the axes that egui draws as two meshes.

use eframe::egui::{Color32, Painter, Pos2, Rect, pos2, vec2};

use super::super::mesh_builder::MeshBuilder;

/// Width of the line, in points.
pub const WIDTH: f32 = 2.0;
/// Length of a dash where nothing ran, and of the space behind it, in points.
const DASH: f32 = 4.0;
const SPACE: f32 = 3.0;

/// The line on its way: what sets it off from the bars below it, and the line itself.
pub struct PathLine {
    halo: MeshBuilder,
    ink: MeshBuilder,
}

impl PathLine {
    /// Nothing yet, for a screen of `pixels` pixels a point.
    pub fn new(pixels: f32) -> Self {
        let sheet = || MeshBuilder::new(pixels);
        Self {
            halo: sheet(),
            ink: sheet(),
        }
    }

    /// Adds a line along an axis, as far as it is in `shown`.
    pub fn add(
        &mut self,
        [from, to]: [Pos2; 2],
        shown: Rect,
        (color, halo): (Color32, Color32),
        is_whole: bool,
    ) {
        let snapped = |at: Pos2| pos2(self.ink.snap(at.x), self.ink.snap(at.y));
        let bare = Rect::from_two_pos(snapped(from), snapped(to));
        // It reaches over both ends, so that the next one joins it.
        let line = bare.expand(WIDTH / 2.0).intersect(shown);
        if !line.is_positive() {
            return;
        }
        self.halo
            .rect(bare.expand(WIDTH / 2.0 + 1.0).intersect(shown), halo);
        if is_whole {
            self.ink.rect(line, color);
        } else {
            dashes(&mut self.ink, line, color);
        }
    }

    /// Paints it.
    pub fn paint(self, painter: &Painter) {
        for sheet in [self.halo, self.ink] {
            if !sheet.is_empty() {
                painter.add(sheet.into_shape());
            }
        }
    }
}

/// A rectangle along an axis, broken into dashes.
fn dashes(sheet: &mut MeshBuilder, line: Rect, color: Color32) {
    let is_upright = line.height() > line.width();
    let length = line.width().max(line.height());
    let mut at = 0.0;
    while at < length {
        let until = (at + DASH).min(length);
        let (along, size) = if is_upright {
            (vec2(0.0, at), vec2(line.width(), until - at))
        } else {
            (vec2(at, 0.0), vec2(until - at, line.height()))
        };
        sheet.rect(Rect::from_min_size(line.min + along, size), color);
        at += DASH + SPACE;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_drawn_as_far_as_it_is_in_sight() {
        let shown = Rect::from_min_max(pos2(0.0, 0.0), pos2(100.0, 50.0));
        let colors = (Color32::RED, Color32::BLACK);
        let drawn = |ends: [Pos2; 2], is_whole: bool| {
            let mut line = PathLine::new(1.0);
            line.add(ends, shown, colors, is_whole);
            let count = line.halo.into_mesh().indices.len() / 6;
            (count, line.ink.into_mesh())
        };
        let (halos, whole) = drawn([pos2(-20.0, 10.0), pos2(40.0, 10.0)], true);
        let bounds = Rect::from_min_max(pos2(0.0, 9.0), pos2(41.0, 11.0));
        assert_eq!((halos, whole.calc_bounds()), (1, bounds));
        // Seven points for each dash with its space.
        let (_, dashed) = drawn([pos2(30.0, -1_000_000.0), pos2(30.0, 1_000_000.0)], false);
        assert_eq!(dashed.indices.len() / 6, 8);
        assert!(shown.contains_rect(dashed.calc_bounds()));
        let (halos, none) = drawn([pos2(0.0, 80.0), pos2(90.0, 80.0)], false);
        assert!(halos == 0 && none.is_empty());
    }
}

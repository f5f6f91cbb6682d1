//! The critical path, drawn as one line through the lanes: along what it was spent on, and across where it goes on because of
//! another.

use eframe::egui::{Color32, Painter, Pos2, Rect, pos2, vec2};
use engine::analysis::causes::{ChainSegment, TimeUse};

use super::frame::PaintFrame;
use super::mesh_builder::MeshBuilder;

/// Width of the line, in points.
const WIDTH: f32 = 2.0;
/// Length of a dash where nothing ran, and of the space behind it, in points.
const DASH: f32 = 4.0;
const SPACE: f32 = 3.0;

/// Paints the part of the path in view. The cost follows the points on screen: segments narrower than one are passed over.
pub fn paint(painter: &Painter, frame: &PaintFrame<'_>) {
    let path = frame.picture.path;
    let view = frame.scale.interval();
    let first = path.partition_point(|it| it.interval.end <= view.start);
    let mut rest = path.get(first..).unwrap_or_default();
    let mut at: Option<Pos2> = None;
    let mut line = PathLine::new(painter.pixels_per_point());
    while let Some(segment) = rest.first() {
        if segment.interval.start >= view.end {
            break;
        }
        at = step(&mut line, frame, segment, at);
        // The next that ends at least a point further right.
        let from = frame
            .scale
            .x_from_time(segment.interval.end.max(view.start));
        let until = frame.scale.time_from_x(from + 1.0);
        let next = rest.partition_point(|it| it.interval.end < until);
        rest = rest.get(next.max(1)..).unwrap_or_default();
    }
    for sheet in [line.halo, line.ink] {
        if !sheet.is_empty() {
            painter.add(sheet.into_shape());
        }
    }
}

/// The line on its way: what sets it off from the bars below it, and the line itself.
struct PathLine {
    halo: MeshBuilder,
    ink: MeshBuilder,
}

impl PathLine {
    fn new(pixels: f32) -> Self {
        let sheet = || MeshBuilder::new(pixels);
        Self {
            halo: sheet(),
            ink: sheet(),
        }
    }

    /// Adds a line along an axis, as far as it is in `shown`.
    fn add(
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
}

/// Paints one segment from where the line has come to, and says where it ends.
fn step(
    line: &mut PathLine,
    frame: &PaintFrame<'_>,
    segment: &ChainSegment,
    before: Option<Pos2>,
) -> Option<Pos2> {
    let body = frame.areas.body;
    let y = height(frame, segment).or(before.map(|it| it.y))?;
    let x = |time| {
        let x = frame.scale.x_from_time(time);
        x.clamp(body.left() - WIDTH, body.right() + WIDTH)
    };
    let from = pos2(x(segment.interval.start), y);
    let to = pos2(x(segment.interval.end).max(from.x), y);
    let theme = frame.picture.theme;
    let ink = if segment.what == TimeUse::Unknown {
        theme.weak
    } else {
        theme.warning
    };
    // What nothing ran in is no work that could be shorter by itself.
    let is_whole = matches!(segment.what, TimeUse::Run | TimeUse::Host);
    let shown = body.expand(2.0 * WIDTH);
    let across = before.map(|it| [pos2(from.x, it.y), from]);
    let across = across.filter(|it| it[0] != it[1]);
    for part in across.into_iter().chain([[from, to]]) {
        line.add(part, shown, (ink, theme.canvas), is_whole);
    }
    Some(to)
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

/// How far down the line is in a segment: on the lower edge of its span, or of its lane, where no name is under it.
fn height(frame: &PaintFrame<'_>, segment: &ChainSegment) -> Option<f32> {
    if let Some(place) = segment.span.and_then(|span| frame.locate(span)) {
        return Some(place.rect.bottom());
    }
    let (_, row) = frame.layout.row_of(segment.lane?)?;
    let y = frame.bar_rect(row, 0, 0.0, 0.0).bottom();
    // Of a lane whose beginning is scrolled away the line stays in sight.
    let top = frame.areas.body.top() + WIDTH;
    let is_in_sight = frame.y(row.y + row.height) > top;
    Some(if is_in_sight { y.max(top) } else { y })
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

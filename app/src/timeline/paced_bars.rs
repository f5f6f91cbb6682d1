//! What a paced device's bars bear: how much of its time an operation worked, and how long it waited for its engine.

use eframe::egui::{Color32, FontId, Painter, Rect, pos2};
use engine::analysis::pace::PacedShare;
use engine::capture::Capture;
use engine::record::SpanId;
use engine::time::Nanos;

use super::frame::PaintFrame;
use super::label;
use super::mesh_builder::MeshBuilder;
use crate::theme::{GRID, RADIUS, SMALL, mixed};

/// Points from one line of the texture of what is held to the next.
const LINES: f32 = 4.0;
/// From so many points on a wait for an engine is named.
const NAMED: f32 = 24.0;

/// Waits for engines that are to be named.
pub type EngineLabels = Vec<(Rect, String)>;

/// Fills the bar of an operation that the pace held: its work as a band as high as its share of the time, since it is spread
/// over all of it, and the rest in the same hue with fine lines. Answers the colour that a name stands on.
pub fn fill(
    sheet: &mut MeshBuilder,
    frame: &PaintFrame<'_>,
    (rect, hue): (Rect, Color32),
    share: &PacedShare,
) -> Color32 {
    let theme = frame.picture.theme;
    let ran = share.ran.unwrap_or_default();
    let whole = (ran.worked + ran.held).0.max(1) as f64;
    let worked = (ran.worked.0 as f64 / whole).clamp(0.0, 1.0) as f32;
    let ground = mixed(hue, theme.canvas, 0.62);
    sheet.rounded(rect, RADIUS, ground);
    let pixel = sheet.pixel();
    let mut y = rect.top() + LINES / 2.0;
    while y < rect.bottom() - pixel {
        let top = sheet.snap(y);
        let line = rect
            .with_min_y(top)
            .with_max_y(top + pixel)
            .shrink2([1.0, 0.0].into());
        sheet.rect(line, mixed(hue, theme.canvas, 0.85));
        y += LINES;
    }
    if ran.worked > Nanos::ZERO {
        let height = (rect.height() * worked).max(2.0 * pixel);
        let top = sheet.snap(rect.bottom() - height);
        sheet.rect(rect.with_min_y(top).shrink2([1.0, 0.0].into()), hue);
    }
    ground
}

/// Adds how long an operation waited for its engine, as an outlined bar before its own.
pub fn wait(
    sheet: &mut MeshBuilder,
    frame: &PaintFrame<'_>,
    (capture, span, rect): (&Capture, SpanId, Rect),
    share: &PacedShare,
    labels: &mut EngineLabels,
) {
    let Some(placed) = capture.span(span).filter(|_| share.waited > Nanos::ZERO) else {
        return;
    };
    let theme = frame.picture.theme;
    let body = frame.areas.body;
    let from = frame.scale.x_from_time(placed.span.start - share.waited);
    let left = sheet.snap(from.clamp(body.left() - 2.0, body.right()));
    let right = rect.left().min(body.right());
    let pixel = sheet.pixel();
    if right - left < 3.0 * pixel {
        return;
    }
    let (top, bottom) = (
        sheet.snap(rect.top() + 2.0),
        sheet.snap(rect.bottom() - 4.0),
    );
    let color = mixed(theme.weak, theme.row, 0.7);
    let outer = Rect::from_min_max(pos2(left, top), pos2(right, bottom));
    for edge in [
        outer.with_max_y(top + pixel),
        outer.with_min_y(bottom - pixel),
        outer.with_max_x(left + pixel),
        outer.with_min_x(right - pixel),
    ] {
        sheet.rect(edge, color);
    }
    if outer.width() >= NAMED {
        labels.push((outer, share.engine.clone()));
    }
}

/// Writes the names of engines that were waited for.
pub fn name(painter: &Painter, frame: &PaintFrame<'_>, labels: &EngineLabels) {
    let font = FontId::proportional(SMALL);
    for (rect, engine) in labels {
        let seen = rect.intersect(frame.areas.body);
        let room = seen.width() - 2.0 * GRID;
        let at = pos2(seen.left() + GRID, seen.center().y);
        let words = format!("waits for {engine}");
        label::write(painter, at, room, &words, (&font, frame.picture.theme.weak));
    }
}

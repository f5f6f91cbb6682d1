//! Paints what lies above the spans: outlines, the selected range, faults, the pointer's instant.

use eframe::egui::{
    Align2, Color32, CornerRadius, Painter, Rangef, Rect, Stroke, StrokeKind, pos2, vec2,
};
use engine::analysis::Chain;
use engine::record::SpanId;
use engine::time::{Interval, Nanos};

use super::frame::PaintFrame;
use super::rows::COVERED;
use crate::text;
use crate::theme::{GRID, RADIUS, mixed, mono, small};

/// Spans of a group that are outlined; of more, the table alone tells.
const OUTLINED: usize = 2_000;

/// Paints the tint of the selected range of time, which lies under the spans so that they stay readable.
pub fn range_ground(painter: &Painter, frame: &PaintFrame<'_>, range: Interval) {
    let rect = range_rect(frame, range);
    painter.rect_filled(rect, 0.0, frame.picture.theme.range.gamma_multiply(0.6));
}

/// Paints the edges of the selected range of time, and its length on the ruler.
pub fn range(painter: &Painter, frame: &PaintFrame<'_>, range: Interval) {
    let theme = frame.picture.theme;
    let body = frame.areas.body;
    let rect = range_rect(frame, range);
    let whole = painter.with_clip_rect(body.union(frame.areas.ruler));
    whole.rect_filled(rect.intersect(frame.areas.ruler), 0.0, theme.range);
    for x in [rect.left(), rect.right()] {
        whole.vline(x, rect.y_range(), Stroke::new(1.0, theme.accent));
    }
    if let Some(at) = length_place(frame, range) {
        let label = format!("Δ {}", text::duration(range.length()));
        let at = pos2(at, frame.areas.ruler.center().y);
        let colors = (theme.accent, theme.panel);
        pill(&whole, at, Align2::CENTER_CENTER, &label, colors);
    }
}

/// Where on the ruler the length of a range is written, unless another time is written there; the status bar has it as well.
fn length_place(frame: &PaintFrame<'_>, range: Interval) -> Option<f32> {
    let seen = range_rect(frame, range).intersect(frame.areas.body);
    let at = seen.center().x;
    let own = Rangef::new(at - COVERED, at + COVERED);
    let play = frame.picture.state.playback.map(|play| {
        let x = frame.scale.x_from_time(play.at);
        Rangef::new(x - COVERED, x + COVERED)
    });
    let over = [covered_by_pointer(frame), play];
    let is_free = over.iter().flatten().all(|it| !it.intersects(own));
    is_free.then_some(at)
}

/// What the pointer's time covers on the ruler.
pub fn covered_by_pointer(frame: &PaintFrame<'_>) -> Option<Rangef> {
    let time = frame.picture.state.hover.time?;
    let (digits, middle) = pointer_time(frame, time);
    let half = half_width(&digits) + GRID;
    Some(Rangef::new(middle - half, middle + half))
}

/// The pointer's time as it is written, and where on the ruler its middle lies: whole beside the edges as well.
fn pointer_time(frame: &PaintFrame<'_>, time: Nanos) -> (String, f32) {
    let ruler = frame.areas.ruler;
    let digits = exact(time, frame.scale.nanos_per_point());
    let half = half_width(&digits);
    let left = ruler.left() + half;
    let middle = frame.scale.x_from_time(time);
    let middle = middle.clamp(left, (ruler.right() - half).max(left));
    (digits, middle)
}

/// Half of the width of a time, in points.
fn half_width(digits: &str) -> f32 {
    4.2 * digits.chars().count() as f32
}

/// What the length of the selected range covers on the ruler.
pub fn covered(frame: &PaintFrame<'_>) -> Option<Rangef> {
    let at = length_place(frame, frame.picture.state.selection.range?)?;
    Some(Rangef::new(at - COVERED, at + COVERED))
}

fn range_rect(frame: &PaintFrame<'_>, range: Interval) -> Rect {
    let body = frame.areas.body;
    let x = |time| {
        let x = frame.scale.x_from_time(time);
        x.clamp(body.left() - 2.0, body.right() + 2.0)
    };
    let top = frame.areas.ruler.top();
    Rect::from_min_max(pos2(x(range.start), top), pos2(x(range.end), body.bottom()))
}

/// Paints the outlines of the selected span and of the one pointed at.
pub fn outlines(painter: &Painter, frame: &PaintFrame<'_>) {
    let state = frame.picture.state;
    let theme = frame.picture.theme;
    if let Some(span) = state
        .hover
        .span
        .filter(|_| state.hover.span != state.selection.span)
    {
        outline(
            painter,
            frame,
            span,
            Stroke::new(1.0, mixed(theme.selected, theme.row, 0.7)),
        );
    }
    if state.selection.group.len() <= OUTLINED {
        for span in &state.selection.group {
            outline(painter, frame, *span, Stroke::new(1.5, theme.selected));
        }
    }
    if let Some(span) = state.selection.span {
        chain(painter, frame, span);
        outline(painter, frame, span, Stroke::new(2.0, theme.selected));
    }
    let chosen = state.selection.dependency.or(state.hover.dependency);
    if let Some(dependency) = chosen.and_then(|id| frame.picture.capture.dependency(id)) {
        for span in [dependency.cause, dependency.effect] {
            outline(
                painter,
                frame,
                span,
                Stroke::new(1.0, mixed(theme.selected, theme.row, 0.7)),
            );
        }
    }
}

/// Outlines the steps that led to a span and those that it led to.
fn chain(painter: &Painter, frame: &PaintFrame<'_>, span: SpanId) {
    let theme = frame.picture.theme;
    let chain = Chain::of(frame.picture.capture, span);
    for (spans, ink) in [(chain.before, theme.cause), (chain.after, theme.effect)] {
        for span in spans {
            outline(painter, frame, span, Stroke::new(1.5, ink));
        }
    }
}

fn outline(painter: &Painter, frame: &PaintFrame<'_>, span: SpanId, stroke: Stroke) {
    let Some(place) = frame.locate(span) else {
        return;
    };
    let mut rect = place.rect;
    let body = frame.areas.body;
    rect.min.x = rect.min.x.max(body.left() - 8.0);
    rect.max.x = rect.max.x.min(body.right() + 8.0).max(rect.min.x + 3.0);
    if rect.intersects(body) {
        let rect = Rect::from_min_max(
            painter_snap(painter, rect.min),
            painter_snap(painter, rect.max),
        );
        painter.rect_stroke(
            rect,
            CornerRadius::same(RADIUS as u8),
            stroke,
            StrokeKind::Outside,
        );
    }
}

fn painter_snap(painter: &Painter, at: eframe::egui::Pos2) -> eframe::egui::Pos2 {
    let pixels = painter.pixels_per_point();
    pos2(
        (at.x * pixels).round() / pixels,
        (at.y * pixels).round() / pixels,
    )
}

/// Paints the instant under the pointer: a line through the lanes, and its time on the ruler.
pub fn pointer(painter: &Painter, frame: &PaintFrame<'_>, time: Nanos) {
    let theme = frame.picture.theme;
    let body = frame.areas.body;
    let x = frame.scale.x_from_time(time);
    if !body.x_range().contains(x) {
        return;
    }
    let stroke = Stroke::new(frame.pixel, mixed(theme.text, theme.canvas, 0.35));
    painter
        .with_clip_rect(body)
        .vline(x, body.y_range(), stroke);
    let ruler = frame.areas.ruler;
    let (digits, middle) = pointer_time(frame, time);
    let at = pos2(middle, ruler.center().y);
    pill(
        &painter.with_clip_rect(ruler),
        at,
        Align2::CENTER_CENTER,
        &digits,
        (theme.text, theme.hovered),
    );
}

/// `time` with the digits that differ from one point of the screen to the next.
fn exact(time: Nanos, nanos_per_point: f64) -> String {
    let (unit, nanos) = match time.0.unsigned_abs() {
        0..1_000 => ("ns", 1.0),
        1_000..1_000_000 => ("µs", 1e3),
        1_000_000..1_000_000_000 => ("ms", 1e6),
        _ => ("s", 1e9),
    };
    let decimals = (nanos / nanos_per_point.max(1.0))
        .log10()
        .ceil()
        .clamp(0.0, 9.0) as usize;
    let decimals = decimals.min(f64::log10(nanos).round() as usize);
    format!("{:.decimals$} {unit}", time.0 as f64 / nanos)
}

/// Writes a line on a ground of its own, and returns where that lies.
pub fn pill(
    painter: &Painter,
    at: eframe::egui::Pos2,
    align: Align2,
    label: &str,
    (ink, ground): (Color32, Color32),
) -> Rect {
    let font = if label.starts_with(|first: char| first.is_ascii_digit() || first == '-') {
        mono()
    } else {
        small()
    };
    let galley = painter.layout_no_wrap(label.to_owned(), font, ink);
    let rect = align.anchor_size(at, galley.size());
    let around = rect.expand2(vec2(5.0, 1.0));
    painter.rect_filled(around, 4.0, mixed(ink, ground, 0.14));
    painter.galley(rect.min, galley, ink);
    around
}

/// Paints the band that chooses spans.
pub fn band(painter: &Painter, frame: &PaintFrame<'_>, band: Rect) {
    let theme = frame.picture.theme;
    let inside = painter.with_clip_rect(frame.areas.body);
    inside.rect_filled(band, 2.0, theme.range);
    inside.rect_stroke(
        band,
        2.0,
        Stroke::new(1.0, theme.accent),
        StrokeKind::Inside,
    );
}

/// Paints where a lane that is dragged by its name would come to lie.
pub fn insertion(painter: &Painter, frame: &PaintFrame<'_>, y: f32) {
    let theme = frame.picture.theme;
    let y = frame.y(y);
    painter.hline(
        frame.areas.whole.x_range(),
        y,
        Stroke::new(2.0, theme.accent),
    );
}

/// Paints how far down the view is, where not all rows fit.
pub fn scrollbar(painter: &Painter, frame: &PaintFrame<'_>) {
    if let Some(thumb) = thumb(frame) {
        let theme = frame.picture.theme;
        painter.rect_filled(thumb, 2.5, mixed(theme.weak, theme.canvas, 0.45));
    }
}

/// Where the scrollbar's thumb lies; nothing where all rows fit.
pub fn thumb(frame: &PaintFrame<'_>) -> Option<Rect> {
    let body = frame.areas.body;
    let whole = frame.layout.height();
    if whole <= body.height() {
        return None;
    }
    let length = (body.height() / whole * body.height()).max(24.0);
    let share = frame.scroll / (whole - body.height());
    let top = body.top() + share * (body.height() - length);
    Some(Rect::from_min_size(
        pos2(body.right() - 7.0, top),
        vec2(5.0, length),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pointers_time_has_the_digits_that_matter() {
        assert_eq!(exact(Nanos(562_904), 100.0), "562.9 µs");
        assert_eq!(exact(Nanos(562_904), 1.0), "562.904 µs");
        assert_eq!(exact(Nanos(562_904), 100_000.0), "563 µs");
        assert_eq!(exact(Nanos(12), 0.01), "12 ns");
        assert_eq!(exact(Nanos(-2_500_000), 100_000.0), "-2.5 ms");
    }
}

//! The order that a lesson's text lacks, as an outlined arrow: from the end of what should come first to the beginning of
//! what should come after it.

use eframe::egui::{Align2, Painter, Pos2, Shape, Stroke, vec2};

use engine::record::SpanId;

use super::frame::PaintFrame;
use super::overlay::pill;
use crate::text;
use crate::theme::Theme;

/// Widths of the arrow and of what is left out inside it, in points.
const WIDTHS: (f32, f32) = (6.0, 3.0);
/// Length of the head, and half of its width, in points.
const HEAD: (f32, f32) = (11.0, 7.0);

/// The two spans that it is about: what should come first, and what after it.
pub fn pair(frame: &PaintFrame<'_>) -> Option<(SpanId, SpanId)> {
    let taken = frame.picture.state.lesson.as_ref()?;
    taken.verdict.as_ref()?.missing
}

/// Paints it, where a check found one and both of its ends have a lane in view.
pub fn paint(painter: &Painter, frame: &PaintFrame<'_>) {
    let Some((cause, effect)) = pair(frame) else {
        return;
    };
    let (Some(cause), Some(effect)) = (frame.locate(cause), frame.locate(effect)) else {
        return;
    };
    let (from, to) = (cause.rect.right_center(), effect.rect.left_center());
    let body = frame.areas.body;
    if !body.intersects(cause.rect.union(effect.rect)) || (to - from).length() < HEAD.0 {
        return;
    }
    arrow(painter, frame.picture.theme, (from, to));
    let theme = frame.picture.theme;
    let words = text::tr(frame.picture.state.language(), "missing order");
    let colours = (theme.bad, theme.panel);
    pill(
        painter,
        label_place(from, to),
        Align2::LEFT_CENTER,
        words,
        colours,
    );
}

/// The outline of an arrow.
fn arrow(painter: &Painter, theme: &Theme, (from, to): (Pos2, Pos2)) {
    let way = (to - from).normalized();
    let neck = to - way * HEAD.0;
    let [left, right] = [1.0, -1.0].map(|side| neck + way.rot90() * HEAD.1 * side);
    painter.line_segment([from, neck], Stroke::new(WIDTHS.0, theme.bad));
    let edge = Stroke::new((WIDTHS.0 - WIDTHS.1) / 2.0, theme.bad);
    let head = vec![to, left, right];
    painter.add(Shape::convex_polygon(head, theme.canvas, edge));
    painter.line_segment([from, neck + way], Stroke::new(WIDTHS.1, theme.canvas));
}

/// Where its words stand: beside its middle.
fn label_place(from: Pos2, to: Pos2) -> Pos2 {
    let way = to - from;
    let aside = if way.x.abs() > way.y.abs() {
        vec2(0.0, -14.0)
    } else {
        vec2(12.0, 0.0)
    };
    from + way * 0.5 + aside
}

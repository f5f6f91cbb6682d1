//! The head of what is played: a line at its instant, with what has not come yet dimmed, and a handle to drag it by.

use eframe::egui::{
    Align2, CornerRadius, CursorIcon, Painter, Rangef, Rect, Sense, Shape, Stroke, Ui, pos2, vec2,
};

use super::frame::PaintFrame;
use super::overlay::{covered_by_pointer, pill};
use super::rows::COVERED;
use crate::action::Action;
use crate::state::Playback;
use crate::text;

/// Half of the room that its time takes, in points.
const HALF: f32 = 36.0;

/// Paints the head, and dims what comes after it.
pub fn paint(painter: &Painter, frame: &PaintFrame<'_>) {
    let Some(play) = frame.picture.state.playback else {
        return;
    };
    let theme = frame.picture.theme;
    let body = frame.areas.body;
    let x = frame.scale.x_from_time(play.at);
    let from = x.clamp(body.left(), body.right());
    let rest = body.with_min_x(from);
    let veil = theme.canvas.gamma_multiply(0.62);
    painter
        .with_clip_rect(body)
        .rect_filled(rest, CornerRadius::ZERO, veil);
    if !body.x_range().contains(x) {
        return;
    }
    let area = painter.with_clip_rect(body.union(frame.areas.ruler));
    area.vline(x, body.y_range(), Stroke::new(1.5, theme.accent));
    let handle = handle(frame, x);
    let tip = pos2(x, handle.bottom());
    let corners = vec![tip, tip + vec2(-6.0, -8.0), tip + vec2(6.0, -8.0)];
    area.add(Shape::convex_polygon(corners, theme.accent, Stroke::NONE));
    // The pointer's time is written over it; the line below the timeline has it as well.
    let own = Rangef::new(x - COVERED, x + COVERED);
    if covered_by_pointer(frame).is_some_and(|it| it.intersects(own)) {
        return;
    }
    // Whole beside the edges as well.
    let (left, right) = (body.left() + HALF, body.right() - HALF);
    let at = pos2(
        x.clamp(left, right.max(left)),
        frame.areas.ruler.top() + 7.0,
    );
    let words = text::duration(play.at);
    pill(
        &area,
        at,
        Align2::CENTER_CENTER,
        &words,
        (theme.accent, theme.panel),
    );
}

fn handle(frame: &PaintFrame<'_>, x: f32) -> Rect {
    let ruler = frame.areas.ruler;
    Rect::from_center_size(pos2(x, ruler.center().y), vec2(16.0, ruler.height()))
}

/// Drags the head by its handle; says whether the pointer is on it.
pub fn input(ui: &Ui, frame: &PaintFrame<'_>, actions: &mut Vec<Action>) -> bool {
    let Some(play) = frame.picture.state.playback else {
        return false;
    };
    let x = frame.scale.x_from_time(play.at);
    let rect = handle(frame, x).intersect(frame.areas.ruler);
    if !rect.is_positive() {
        return false;
    }
    let id = ui.scope_id().with("play head");
    let response = ui.interact(rect, id, Sense::click_and_drag());
    if let Some(at) = response
        .interact_pointer_pos()
        .filter(|_| response.dragged())
    {
        let at = frame.scale.time_from_x(at.x);
        let moved = Playback {
            at,
            is_playing: false,
            ..play
        };
        actions.push(Action::SetPlayback(Some(moved)));
    }
    let is_taken = response.hovered() || response.dragged();
    response.on_hover_cursor(CursorIcon::ResizeHorizontal);
    is_taken
}

//! Losses that the next run is to suffer at a time: handles on the ruler that are dragged there, moved and thrown away.

use eframe::egui::{
    CornerRadius, CursorIcon, DragAndDrop, Painter, Pos2, Rangef, Rect, Response, Sense, Shape,
    Stroke, Ui, pos2, vec2,
};
use engine::time::Nanos;
use engine::workload::{Injection, LossMoment};

use super::frame::PaintFrame;
use crate::action::Action;
use crate::text;
use crate::theme::mixed;

/// What is dragged from a place that makes losses to the timeline.
#[derive(Clone, Copy, Debug)]
pub struct NewLoss;

/// The armed losses that have a time, each with its position.
fn timed(armed: &[Injection]) -> impl Iterator<Item = (usize, &Injection, Nanos)> {
    let all = armed.iter().enumerate();
    all.filter_map(|(at, injection)| match injection.at {
        LossMoment::Time(time) => Some((at, injection, time)),
        _ => None,
    })
}

/// The handle of a loss at `x`, on the ruler's lower edge.
fn handle(frame: &PaintFrame<'_>, x: f32) -> Rect {
    let ruler = frame.areas.ruler;
    Rect::from_center_size(pos2(x, ruler.bottom() - 9.0), vec2(14.0, 16.0))
}

/// The parts of the ruler that the handles cover, in points.
pub fn covered(frame: &PaintFrame<'_>) -> impl Iterator<Item = Rangef> {
    let all = timed(frame.picture.state.armed()).filter(|_| frame.picture.can_lose);
    all.map(|(_, _, time)| handle(frame, frame.scale.x_from_time(time)).x_range())
}

/// The place on the left of the ruler that new losses are dragged from.
fn source(frame: &PaintFrame<'_>) -> Rect {
    let strip = frame.areas.ruler.with_min_x(frame.areas.whole.left());
    Rect::from_center_size(
        pos2(strip.left() + 14.0, strip.center().y),
        vec2(18.0, 18.0),
    )
}

/// Paints the handles, their lines, and the place that new ones come from.
pub fn paint(painter: &Painter, frame: &PaintFrame<'_>) {
    if !frame.picture.can_lose {
        return;
    }
    let theme = frame.picture.theme;
    let place = source(frame);
    bolt(painter, place.center(), mixed(theme.bad, theme.panel, 0.8));
    for (_, _, time) in timed(frame.picture.state.armed()) {
        mark(painter, frame, frame.scale.x_from_time(time));
    }
    let dragged = DragAndDrop::has_payload_of_type::<NewLoss>(painter.ctx());
    let at = painter.ctx().pointer_latest_pos();
    if let Some(at) = at.filter(|at| dragged && area(frame).contains(*at)) {
        mark(painter, frame, at.x);
    }
}

fn area(frame: &PaintFrame<'_>) -> Rect {
    frame.areas.ruler.union(frame.areas.body)
}

fn mark(painter: &Painter, frame: &PaintFrame<'_>, x: f32) {
    let theme = frame.picture.theme;
    let inside = painter.with_clip_rect(area(frame));
    let rect = handle(frame, x);
    let line = [pos2(x, rect.bottom()), pos2(x, frame.areas.body.bottom())];
    let stroke = Stroke::new(1.0, theme.bad);
    inside.extend(Shape::dashed_line(&line, stroke, 6.0, 4.0));
    let ground = mixed(theme.bad, theme.panel, 0.25);
    inside.rect_filled(rect, CornerRadius::same(4), ground);
    bolt(&inside, rect.center(), theme.bad);
}

/// Drags out of the source, drops, and what is done to the handles; says whether the pointer is on one.
pub fn input(ui: &Ui, frame: &PaintFrame<'_>, actions: &mut Vec<Action>) -> bool {
    if !frame.picture.can_lose {
        return false;
    }
    let mut is_taken = take(ui, frame);
    let released = ui.input(|input| input.pointer.any_released());
    let at = ui.ctx().pointer_latest_pos();
    if released && DragAndDrop::has_payload_of_type::<NewLoss>(ui.ctx()) {
        DragAndDrop::clear_payload(ui.ctx());
        if let Some(at) = at.filter(|at| area(frame).contains(*at)) {
            let time = frame.scale.time_from_x(at.x).max(Nanos::ZERO);
            actions.push(Action::Lose(LossMoment::Time(time)));
        }
        is_taken = true;
    }
    for (place, injection, time) in timed(frame.picture.state.armed()) {
        let rect = handle(frame, frame.scale.x_from_time(time));
        if !rect.intersects(frame.areas.ruler) {
            continue;
        }
        let id = ui.scope_id().with(("loss", place));
        let response = ui.interact(rect, id, Sense::click_and_drag());
        is_taken |= response.hovered() || response.dragged();
        act(frame, (place, injection), response, actions);
    }
    is_taken
}

/// Starts to drag a new loss out of its place beside the ruler.
fn take(ui: &Ui, frame: &PaintFrame<'_>) -> bool {
    let response = ui.interact(source(frame), ui.scope_id().with("new loss"), Sense::drag());
    if response.drag_started() {
        DragAndDrop::set_payload(ui.ctx(), NewLoss);
    }
    let is_taken = response.hovered() || response.dragged();
    response.on_hover_cursor(CursorIcon::Grab).on_hover_text(
        "Drag this onto the timeline to lose the device at that time of the next run",
    );
    is_taken
}

fn act(
    frame: &PaintFrame<'_>,
    (place, injection): (usize, &Injection),
    response: Response,
    actions: &mut Vec<Action>,
) {
    let at: Option<Pos2> = response.interact_pointer_pos();
    if let Some(at) = at.filter(|_| response.dragged()) {
        let time = frame.scale.time_from_x(at.x).max(Nanos::ZERO);
        actions.push(Action::MoveLoss(place, time));
    }
    let outside = at.is_some_and(|at| !area(frame).expand(12.0).contains(at));
    if response.secondary_clicked() || response.drag_stopped() && outside {
        actions.push(Action::Disarm(place));
    }
    let when = match injection.at {
        LossMoment::Time(time) => text::duration(time),
        _ => String::new(),
    };
    response
        .on_hover_cursor(CursorIcon::ResizeHorizontal)
        .on_hover_text(format!(
            "Every run from now on loses its device here ({} at {when}). Drag it elsewhere; drag it off the timeline or \
             press the right button to remove it",
            injection.by.label()
        ));
}

/// Draws a flash about `middle`, 11 points high: the sign of a loss.
pub fn bolt(painter: &Painter, middle: Pos2, colour: eframe::egui::Color32) {
    let halves = [
        [(1.5, -5.5), (-4.0, 1.0), (0.5, 1.0)],
        [(-1.5, 5.5), (4.0, -1.0), (-0.5, -1.0)],
    ];
    for half in halves {
        let corners = half.map(|(x, y)| middle + vec2(x, y)).to_vec();
        painter.add(Shape::convex_polygon(corners, colour, Stroke::NONE));
    }
}

#[cfg(test)]
mod tests {
    use engine::workload::LossBy;

    use super::*;

    #[test]
    fn only_losses_with_a_time_have_a_place_on_the_ruler() {
        let by = LossBy::Driver;
        let armed = [
            LossMoment::Stream("compute".into()),
            LossMoment::Time(Nanos(5)),
            LossMoment::Now,
        ]
        .map(|at| Injection { by, at });
        let found: Vec<_> = timed(&armed).map(|(at, _, time)| (at, time)).collect();
        assert_eq!(found, [(1, Nanos(5))]);
    }
}

//! From the pointer to actions: choosing, panning, zooming, selecting a range, moving lanes.

use eframe::egui::{CursorIcon, Key, Modifiers, PointerButton, Pos2, Rect, Response, Ui};
use engine::record::{LaneId, SpanId};
use engine::time::{Interval, Nanos};

use super::arrow_route::ArrowPart;
use super::arrows::{DependencyArrow, link_at};
use super::card::CardSubject;
use super::fold::{Bar, Folds, bar_at};
use super::frame::PaintFrame;
use super::layout::RowContent;
use super::overlay;
use super::rows;
use super::scale::{self, Scale};
use crate::action::Action;
use crate::state::{GroupKey, Hover, MOST_SELECTED, ViewChange};

/// How near to an edge of a span a range snaps to it, in points.
const SNAP: f32 = 6.0;

/// How near to a narrow span the pointer may be, in points.
const REACH: f32 = 3.0;

/// How many times its own length a capture can be zoomed out to.
const MOST: i64 = 4;

/// What is being dragged.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Drag {
    /// Nothing.
    #[default]
    Nothing,
    /// The end of a range that began at this instant.
    Range(Nanos),
    /// The view.
    Pan,
    /// A lane, by its name.
    Lane(LaneId, GroupKey),
    /// The scrollbar's thumb.
    Thumb,
    /// A corner of the band that chooses spans, from this one on screen.
    Band(Pos2),
}

/// What the pointer is on in the body.
#[derive(Clone, Copy, Debug)]
pub enum HitTarget<'a> {
    /// A part of an arrow.
    Arrow(&'a DependencyArrow, ArrowPart),
    /// A bar.
    Bar(Bar),
    /// An operation that runs now.
    Open(engine::record::SpanId),
    /// The row of a group's name.
    Group(GroupKey),
}

/// What lies at `at` in the body.
pub fn target<'a>(
    frame: &PaintFrame<'_>,
    folds: &Folds,
    links: &'a [DependencyArrow],
    at: Pos2,
) -> Option<HitTarget<'a>> {
    if let Some((link, part)) = link_at(links, [at.x, at.y]) {
        return Some(HitTarget::Arrow(link, part));
    }
    let y = frame.row_y(at.y);
    let row = frame.layout.rows.get(frame.layout.row_at(y)?)?;
    let lane = match row.content {
        RowContent::Group { .. } => return Some(HitTarget::Group(row.key)),
        RowContent::Entry(entry) => entry.lane()?,
    };
    let depth = frame.layout.depths(row, y, y).start;
    let time = frame.scale.time_from_x(at.x);
    let reach = Nanos((frame.scale.nanos_per_point() * f64::from(REACH)) as i64);
    let open = frame.opens.of(lane).iter().find(|open| {
        open.depth == depth && open.began.start <= time && time <= frame.now() + reach
    });
    if let Some(open) = open {
        return Some(HitTarget::Open(open.began.id));
    }
    bar_at(folds.last(lane, depth), time, reach).map(|bar| HitTarget::Bar(*bar))
}

impl HitTarget<'_> {
    /// What the card beside the pointer is about.
    pub fn subject(&self) -> Option<CardSubject> {
        match *self {
            HitTarget::Arrow(link, _) => Some(CardSubject::Tie(link.dependency)),
            HitTarget::Bar(bar) if bar.cell.count > 1 => Some(CardSubject::Run(bar)),
            HitTarget::Bar(bar) => Some(CardSubject::Span(bar.cell.span)),
            HitTarget::Open(span) => Some(CardSubject::Span(span)),
            HitTarget::Group(_) => None,
        }
    }

    fn hover(&self) -> Hover {
        match *self {
            HitTarget::Arrow(link, _) => Hover {
                dependency: Some(link.id),
                ..Hover::default()
            },
            HitTarget::Bar(bar) => Hover {
                span: Some(bar.cell.span),
                ..Hover::default()
            },
            HitTarget::Open(span) => Hover {
                span: Some(span),
                ..Hover::default()
            },
            HitTarget::Group(_) => Hover::default(),
        }
    }
}

/// Scrolls, pans and zooms by the wheel over the lanes or their names.
pub fn wheel(ui: &Ui, frame: &PaintFrame<'_>, at: Pos2, actions: &mut Vec<Action>) {
    let (delta, zoom) = ui.input(|input| (input.smooth_scroll_delta(), input.zoom_delta()));
    if zoom != 1.0 {
        // From where the view goes to: what is shown on the way there is wider, and the next notch would go back to it.
        let body = frame.areas.body;
        let state = frame.picture.state;
        let view = state.view.shown(frame.picture.capture.extent());
        let going = Scale::new(view, body.left(), body.width());
        let anchor = going.time_from_x(at.x.max(body.left()));
        let zoomed = scale::zoomed(view, anchor, f64::from(1.0 / zoom));
        let extent = frame.picture.capture.extent().unwrap_or(view);
        let longest = extent.length().0.saturating_mul(MOST);
        if zoom < 1.0 && zoomed.length().0 > longest {
            return;
        }
        if zoomed != view {
            actions.push(Action::Show(Some(zoomed), ViewChange::Zoom));
        }
        return;
    }
    if delta.x != 0.0 {
        pan(frame, -delta.x, actions);
    }
    if delta.y != 0.0 {
        scroll(frame, frame.scroll - delta.y, actions);
    }
}

/// Scrolls the rows to `to` points, as far as there are rows.
pub fn scroll(frame: &PaintFrame<'_>, to: f32, actions: &mut Vec<Action>) {
    let most = (frame.layout.height() - frame.areas.body.height()).max(0.0);
    let to = to.clamp(0.0, most);
    if to != frame.picture.state.view.scroll {
        actions.push(Action::Scroll(to));
    }
}

fn pan(frame: &PaintFrame<'_>, points: f32, actions: &mut Vec<Action>) {
    let by = Nanos((f64::from(points) * frame.scale.nanos_per_point()).round() as i64);
    let view = frame.scale.interval();
    let extent = frame.picture.capture.extent().unwrap_or(view);
    let moved = scale::clamped(scale::moved(view, by), extent);
    if moved != view {
        actions.push(Action::Show(Some(moved), ViewChange::Pan));
    }
}

/// Drags and clicks on the body.
pub fn body(
    ui: &Ui,
    frame: &PaintFrame<'_>,
    (response, folds): (&Response, &Folds),
    target: Option<&HitTarget<'_>>,
    (drag, actions): (&mut Drag, &mut Vec<Action>),
) {
    if let Some(at) = response.hover_pos() {
        let mut hover = target.map(HitTarget::hover).unwrap_or_default();
        hover.time = Some(frame.scale.time_from_x(at.x));
        actions.push(Action::Hover(hover));
        if target.is_some_and(|target| matches!(target, HitTarget::Arrow(..))) {
            ui.ctx().set_cursor_icon(CursorIcon::PointingHand);
        }
    }
    let (space, shift) = ui.input(|input| (input.key_down(Key::Space), input.modifiers.shift));
    if response.drag_started() {
        let primary = response.drag_started_by(PointerButton::Primary);
        let origin = ui.input(|input| input.pointer.press_origin());
        *drag = match origin {
            Some(at) if primary && shift => Drag::Band(at),
            Some(at) if primary && !space => Drag::Range(snapped(ui, frame, folds, at)),
            _ => Drag::Pan,
        };
    }
    match (*drag, response.interact_pointer_pos()) {
        (Drag::Range(anchor), Some(at)) if response.dragged() => {
            let range = Interval::new(anchor, snapped(ui, frame, folds, at));
            actions.push(Action::SelectRange(Some(range)));
        }
        (Drag::Band(from), Some(at)) if response.dragged() => {
            overlay::band(ui.painter(), frame, Rect::from_two_pos(from, at));
        }
        (Drag::Pan, Some(_)) if response.dragged() => {
            ui.ctx().set_cursor_icon(CursorIcon::Grabbing);
            let delta = response.drag_delta();
            if delta.x != 0.0 {
                pan(frame, -delta.x, actions);
            }
            if delta.y != 0.0 {
                scroll(frame, frame.scroll - delta.y, actions);
            }
        }
        _ => {}
    }
    if response.drag_stopped() {
        if let (Drag::Band(from), Some(at)) = (*drag, response.interact_pointer_pos()) {
            let chosen = within(frame, Rect::from_two_pos(from, at));
            actions.push(Action::SelectGroup(chosen));
        }
        *drag = Drag::Nothing;
    }
    click(frame, response, target, actions);
}

/// The spans under a part of the screen, as many as can be chosen.
fn within(frame: &PaintFrame<'_>, band: Rect) -> Vec<SpanId> {
    let capture = frame.picture.capture;
    let x = |x: f32| frame.scale.time_from_x(x);
    let time = Interval::new(
        x(band.left()),
        x(band.right()).max(x(band.left()) + Nanos(1)),
    );
    let mut found = Vec::new();
    let pinned = frame.layout.rows.get(frame.layout.pinned_rows());
    let pinned = pinned.filter(|_| frame.sticky > 0.0).unwrap_or_default();
    for row in frame.visible().iter().chain(pinned) {
        let RowContent::Entry(entry) = row.content else {
            continue;
        };
        let Some(lane) = entry.lane() else {
            continue;
        };
        for depth in 0..entry.depths() {
            if frame
                .bar_rect(row, depth, band.left(), band.right())
                .intersects(band)
            {
                let spans = capture.spans_of(lane, depth, time).map(|it| it.span.id);
                found.extend(spans.take(MOST_SELECTED.saturating_sub(found.len())));
            }
        }
    }
    found
}

/// The spans of a sub-lane from the selected one to `to`; `to` alone where they lie elsewhere.
fn run_to(frame: &PaintFrame<'_>, to: SpanId) -> Vec<SpanId> {
    let capture = frame.picture.capture;
    let from = frame
        .picture
        .state
        .selection
        .span
        .and_then(|id| capture.span(id));
    let (Some(from), Some(end)) = (from, capture.span(to)) else {
        return vec![to];
    };
    if from.span.lane != end.span.lane {
        return vec![from.span.id, to];
    }
    let both = from.interval().union(end.interval());
    let spans = capture.spans_in(from.span.lane, both).map(|it| it.span.id);
    spans.take(MOST_SELECTED).collect()
}

/// The stream and the instant at a position where nothing is drawn.
pub fn idle(frame: &PaintFrame<'_>, at: Pos2) -> Option<CardSubject> {
    let y = frame.row_y(at.y);
    let row = frame.layout.row_at(y)?;
    let row = frame.layout.rows.get(row)?;
    let RowContent::Entry(entry) = row.content else {
        return None;
    };
    let time = frame.scale.time_from_x(at.x);
    Some(CardSubject::Idle(entry.lane()?, time))
}

/// Drags on the ruler select a range, and a double click shows everything.
pub fn ruler(
    ui: &Ui,
    frame: &PaintFrame<'_>,
    response: &Response,
    (drag, actions): (&mut Drag, &mut Vec<Action>),
) {
    if response.drag_started()
        && let Some(at) = ui.input(|input| input.pointer.press_origin())
    {
        *drag = Drag::Range(frame.scale.time_from_x(at.x));
    }
    if let (true, Drag::Range(anchor), Some(at)) =
        (response.dragged(), *drag, response.interact_pointer_pos())
    {
        let range = Interval::new(anchor, frame.scale.time_from_x(at.x));
        actions.push(Action::SelectRange(Some(range)));
    }
    if response.drag_stopped() {
        *drag = Drag::Nothing;
    }
    if response.double_clicked() {
        actions.push(Action::Show(None, ViewChange::Jump));
    } else if response.clicked() && frame.picture.state.selection.range.is_some() {
        actions.push(Action::SelectRange(None));
    }
    if let Some(at) = response.hover_pos() {
        let time = Some(frame.scale.time_from_x(at.x));
        actions.push(Action::Hover(Hover {
            time,
            ..Hover::default()
        }));
    }
}

fn click(
    frame: &PaintFrame<'_>,
    response: &Response,
    target: Option<&HitTarget<'_>>,
    actions: &mut Vec<Action>,
) {
    if response.double_clicked() {
        match target {
            Some(HitTarget::Bar(bar)) => {
                let shown = scale::padded(bar.cell.interval, 0.15);
                actions.push(Action::Show(Some(shown), ViewChange::Zoom));
            }
            Some(HitTarget::Group(key)) => actions.push(Action::Collapse(*key)),
            None => actions.push(Action::Show(None, ViewChange::Jump)),
            _ => {}
        }
        return;
    }
    if !response.clicked() {
        return;
    }
    let empty = matches!(target, Some(HitTarget::Group(_)) | None);
    if empty && frame.picture.state.selection.range.is_some() {
        actions.push(Action::SelectRange(None));
    }
    let modifiers = response.ctx.input(|input| input.modifiers);
    let span = match target {
        Some(HitTarget::Bar(bar)) => Some(bar.cell.span),
        Some(HitTarget::Open(span)) => Some(*span),
        _ => None,
    };
    if let Some(span) = span.filter(|_| modifiers.command || modifiers.shift) {
        actions.push(if modifiers.command {
            Action::SelectAlso(span)
        } else {
            Action::SelectGroup(run_to(frame, span))
        });
        return;
    }
    actions.push(match target {
        Some(HitTarget::Arrow(link, ArrowPart::Cause)) => Action::Reveal(link.dependency.cause),
        Some(HitTarget::Arrow(link, ArrowPart::Effect)) => Action::Reveal(link.dependency.effect),
        Some(HitTarget::Arrow(link, ArrowPart::Line)) => Action::SelectDependency(link.id),
        Some(HitTarget::Bar(bar)) => Action::Select(Some(bar.cell.span)),
        Some(HitTarget::Open(span)) => Action::Select(Some(*span)),
        Some(HitTarget::Group(_)) | None => Action::Select(None),
    });
}

/// The instant at `at`, or the edge of a span near it; with Alt always the instant itself.
fn snapped(ui: &Ui, frame: &PaintFrame<'_>, folds: &Folds, at: Pos2) -> Nanos {
    let time = frame.scale.time_from_x(at.x);
    if ui.input(|input| input.modifiers.contains(Modifiers::ALT)) {
        return time;
    }
    let reach = Nanos((frame.scale.nanos_per_point() * f64::from(SNAP)) as i64);
    let found = match target(frame, folds, &[], at) {
        Some(HitTarget::Bar(bar)) => Some(bar.cell.interval),
        _ => None,
    };
    found
        .into_iter()
        .flat_map(|interval| [interval.start, interval.end])
        .filter(|edge| (*edge - time).0.abs() <= reach.0)
        .min_by_key(|edge| (*edge - time).0.abs())
        .unwrap_or(time)
}

/// Clicks and drags on the column of names.
pub fn names(
    frame: &PaintFrame<'_>,
    response: &Response,
    drag: &mut Drag,
    actions: &mut Vec<Action>,
) {
    let at = response.interact_pointer_pos().or(response.hover_pos());
    let Some(at) = at else {
        return;
    };
    let y = frame.row_y(at.y);
    let row = frame
        .layout
        .row_at(y)
        .and_then(|row| frame.layout.rows.get(row));
    let is_group = row.is_some_and(|row| matches!(row.content, RowContent::Group { .. }));
    if let Some(row) = row.filter(|_| *drag == Drag::Nothing) {
        let about = rows::about(frame, row);
        response.clone().on_hover_text_at_pointer(about);
    }
    if is_group && *drag == Drag::Nothing {
        response.ctx.set_cursor_icon(CursorIcon::PointingHand);
    }
    if let Some(row) = row.filter(|_| response.clicked() && is_group) {
        actions.push(Action::Collapse(row.key));
    }
    if response.drag_started_by(PointerButton::Primary)
        && let Some((lane, key)) = taken(frame, response)
    {
        *drag = Drag::Lane(lane, key);
    }
    let Drag::Lane(lane, key) = *drag else {
        return;
    };
    response.ctx.set_cursor_icon(CursorIcon::Grabbing);
    if response.drag_stopped() {
        *drag = Drag::Nothing;
        let before = frame.layout.lane_below(key, y);
        actions.push(Action::Reorder(reordered(frame, lane, before)));
    }
}

/// The lane whose name was pressed: a quick pointer is on another one by the time it counts as a drag.
fn taken(frame: &PaintFrame<'_>, response: &Response) -> Option<(LaneId, GroupKey)> {
    let origin = response.ctx.input(|input| input.pointer.press_origin())?;
    let y = frame.row_y(origin.y);
    let row = frame.layout.rows.get(frame.layout.row_at(y)?)?;
    match row.content {
        RowContent::Entry(entry) => Some((entry.lane()?, row.key)),
        RowContent::Group { .. } => None,
    }
}

/// All lanes in their order on screen, with `lane` moved before `before`.
fn reordered(frame: &PaintFrame<'_>, lane: LaneId, before: Option<LaneId>) -> Vec<LaneId> {
    let Some((_, row)) = frame.layout.row_of(lane) else {
        return Vec::new();
    };
    let entries = frame.layout.entries.iter();
    let all: Vec<LaneId> = entries.filter_map(|entry| entry.lane()).collect();
    let key = row.key;
    let in_group = |id: &LaneId| {
        let found = frame.layout.row_of(*id);
        found.is_some_and(|(_, row)| row.key == key)
    };
    moved(&all, lane, before, in_group)
}

/// `lanes` with `lane` before `before`, or after the last one that is `in_group`.
fn moved(
    lanes: &[LaneId],
    lane: LaneId,
    before: Option<LaneId>,
    in_group: impl Fn(&LaneId) -> bool,
) -> Vec<LaneId> {
    if before == Some(lane) {
        return lanes.to_vec();
    }
    let mut order: Vec<LaneId> = lanes.iter().copied().filter(|&id| id != lane).collect();
    let place = match before {
        Some(before) => order.iter().position(|&id| id == before),
        None => order.iter().rposition(in_group).map(|last| last + 1),
    };
    order.insert(place.unwrap_or(order.len()), lane);
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lane_moves_within_its_group() {
        let lanes = [0, 1, 2, 3, 4].map(LaneId);
        let in_group = |lane: &LaneId| (1..=3).contains(&lane.0);
        let order = |lane, before: Option<u32>| {
            let moved = moved(&lanes, LaneId(lane), before.map(LaneId), in_group);
            moved.into_iter().map(|lane| lane.0).collect::<Vec<u32>>()
        };
        assert_eq!(order(3, Some(1)), [0, 3, 1, 2, 4]);
        assert_eq!(order(1, None), [0, 2, 3, 1, 4]);
        assert_eq!(order(2, Some(2)), [0, 1, 2, 3, 4]);
    }
}

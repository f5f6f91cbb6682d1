//! The lanes and spans in view for those who hear the timeline: a list a lane with an item a span, which can be chosen, and
//! the selected span, which is said whenever it changes. It costs nothing where no screen reader listens.

use eframe::egui::accesskit::{Action as Request, Live, Node, Rect as Bounds, Role};
use eframe::egui::{Id, Rect, Sense, Ui, UiBuilder, vec2};
use engine::capture::{Capture, PlacedSpan};
use engine::record::{Lane, LaneId, State};

use super::frame::PaintFrame;
use super::layout::{LayoutRow, RowContent};
use crate::action::Action;
use crate::text;

/// Spans of a lane that are items of their own: of more, one zooms in.
const MOST_OF_LANE: usize = 100;
/// Spans of all lanes that are.
const MOST: usize = 1_000;

/// Tells a screen reader of what is in view; where it asks for a span, that is selected.
pub(super) fn ui(ui: &mut Ui, frame: &PaintFrame<'_>, actions: &mut Vec<Action>) {
    let interval = frame.scale.interval();
    let told = node(ui, ui.unique_id(), |node| {
        node.set_role(Role::Group);
        node.set_bounds(bounds(frame.areas.whole));
        node.set_label(format!("Timeline, {} to {}", interval.start, interval.end));
    });
    if !told {
        return;
    }
    selected(ui, frame);
    let mut left = MOST;
    let pinned = frame.pinned();
    let rows = pinned.iter().chain([frame]).flat_map(PaintFrame::visible);
    for row in rows {
        if let RowContent::Entry(entry) = &row.content
            && let Some(lane) = entry.lane()
            && let Some(known) = frame.picture.capture.lane(lane)
        {
            left -= of_lane(ui, frame, (row, lane, known), left, actions);
        }
    }
}

/// Says which span is selected, once it changes.
fn selected(ui: &mut Ui, frame: &PaintFrame<'_>) {
    let capture = frame.picture.capture;
    let span = frame.picture.state.selection.span;
    let words = span.and_then(|it| capture.span(it)).map(|placed| {
        let lane = capture.lane_title(placed.span.lane);
        format!("Selected: {} on {lane}", words_of(capture, &placed))
    });
    let id = ui.unique_id().with("selected span");
    // A point of the timeline that takes no input.
    let place = Rect::from_min_size(frame.areas.whole.left_top(), vec2(1.0, 1.0));
    ui.interact(place, id, Sense::hover());
    node(ui, id, |node| {
        node.set_role(Role::Status);
        node.set_bounds(bounds(place));
        node.set_live(Live::Polite);
        node.set_label(words.unwrap_or_else(|| "No span is selected".to_owned()));
    });
}

/// The spans of a lane in view, at most so many; returns how many.
fn of_lane(
    ui: &mut Ui,
    frame: &PaintFrame<'_>,
    (row, lane, known): (&LayoutRow, LaneId, &Lane),
    most: usize,
    actions: &mut Vec<Action>,
) -> usize {
    let capture = frame.picture.capture;
    let most = most.min(MOST_OF_LANE);
    let depths = frame.depths(row);
    let spans = capture.spans_in(lane, frame.scale.interval());
    let spans = spans.filter(|it| depths.contains(&(it.depth as usize)));
    let mut spans: Vec<PlacedSpan> = spans.take(most + 1).collect();
    let has_more = spans.len() > most;
    spans.truncate(most);
    spans.sort_by_key(|it| (it.span.start, it.depth));
    let id = ("lane", lane.0);
    let area = frame.row_rect(row).intersect(frame.areas.body);
    let list = ui.new_child(UiBuilder::new().id_salt(id).max_rect(area));
    let count = if has_more {
        format!(
            "the first {} spans in view; zoom in for the others",
            spans.len()
        )
    } else {
        text::counted(spans.len() as u64, "span") + " in view"
    };
    let title = capture.lane_title(lane);
    node(&list, list.unique_id(), |node| {
        node.set_role(Role::List);
        node.set_bounds(bounds(area));
        node.set_label(format!("{title}, {}: {count}", known.group.label()));
    });
    for placed in &spans {
        let id = list.unique_id().with(placed.span.id.0);
        let rect = frame.locate(placed.span.id).map(|it| it.rect);
        // A sub-lane may lie partly below the body.
        let rect = rect.map(|it| it.intersect(area));
        let rect = rect.filter(|it| !it.is_negative()).unwrap_or(area);
        list.interact(rect, id, Sense::hover());
        let is_selected = frame.picture.state.selection.span == Some(placed.span.id);
        node(&list, id, |node| {
            node.set_role(Role::ListItem);
            node.set_bounds(bounds(rect));
            node.set_label(words_of(capture, placed));
            node.set_selected(is_selected);
            node.add_action(Request::Click);
        });
        if list.input(|input| input.has_accesskit_action_request(id, Request::Click)) {
            actions.push(Action::Select(Some(placed.span.id)));
        }
    }
    spans.len()
}

/// A span in words: its name, kind, length and start, and what became of it where it is not done.
fn words_of(capture: &Capture, placed: &PlacedSpan) -> String {
    let span = &placed.span;
    let name = capture.name(span.name);
    let length = text::duration(placed.interval().length());
    let (kind, start) = (span.kind.label(), span.start);
    let state = match span.state {
        State::Done => String::new(),
        state => format!(", {}", state.label()),
    };
    format!("{name}, {kind}, {length} from {start}{state}")
}

/// Where a part lies that is no widget, in points.
fn bounds(rect: Rect) -> Bounds {
    let [x0, y0, x1, y1] = [rect.min.x, rect.min.y, rect.max.x, rect.max.y].map(f64::from);
    Bounds { x0, y0, x1, y1 }
}

/// Fills the node of a widget; whether there are any.
fn node(ui: &Ui, id: Id, fill: impl FnOnce(&mut Node)) -> bool {
    ui.ctx().accesskit_node_builder(id, fill).is_some()
}

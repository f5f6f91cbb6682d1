//! Lanes beneath the streams of a device: what ranges of the host launched there, from the first operation to the last.

use eframe::egui::{CursorIcon, Painter, Response, Ui};
use engine::analysis::DeviceStretch;

use super::answers;
use super::frame::PaintFrame;
use super::layout::{LayoutEntry, LayoutRow, RowContent};
use crate::action::Action;
use crate::state::{DrawnBar, ProjectedLane, ViewChange};
use crate::text;
use crate::theme::mixed;

/// The widest that what is told of a bar becomes, in points.
const CARD: f32 = 420.0;

/// The lane that a row of the timeline shows.
pub fn of<'a>(frame: &PaintFrame<'a>, row: &LayoutRow) -> Option<&'a ProjectedLane> {
    let RowContent::Entry(LayoutEntry::Projected(place, _)) = row.content else {
        return None;
    };
    frame.picture.state.projected.all().get(place)
}

/// What the pointer on the name of such a row is told.
pub fn about(lane: &ProjectedLane) -> String {
    let what = text::counted(lane.ranges.len() as u64, "range");
    let about = format!(
        "{} · {what} of the host, each from the start of the first operation that it launched here to the end of the last",
        lane.name
    );
    match lane.left_out {
        0 => about,
        rest => format!(
            "{about} · {} that lie too deep are not drawn",
            text::count(rest as u64)
        ),
    }
}

/// Paints the lanes in view, in the colours that their ranges have on the host.
pub fn paint(painter: &Painter, frame: &PaintFrame<'_>) {
    let (theme, capture) = (frame.picture.theme, frame.picture.capture);
    let hue = |bar: &DrawnBar| {
        let placed = bar.span.and_then(|it| capture.span(it));
        placed.map_or(theme.accent, |placed| {
            let role = capture.lane(placed.span.lane).map(|it| it.role);
            theme.span(role.unwrap_or_default(), placed.span.kind, placed.span.name)
        })
    };
    for row in frame.visible() {
        if let Some(lane) = of(frame, row) {
            let colours = |bar: &DrawnBar| {
                let hue = hue(bar);
                (mixed(hue, theme.row, 0.45), hue)
            };
            answers::bars(painter, frame, (row, &lane.bars), colours);
        }
    }
}

/// Tells what the bar under the pointer is, and goes to its range where it is clicked.
pub fn input(ui: &Ui, frame: &PaintFrame<'_>, body: &Response, actions: &mut Vec<Action>) {
    let Some(at) = body.hover_pos() else {
        return;
    };
    let y = frame.row_y(at.y);
    let row = frame
        .layout
        .row_at(y)
        .and_then(|it| frame.layout.rows.get(it));
    let Some((row, lane)) = row.and_then(|row| Some((row, of(frame, row)?))) else {
        return;
    };
    let Some(bar) = answers::bar_at(frame, (row, &lane.bars), at) else {
        return;
    };
    let lines = told(frame, lane, bar);
    body.clone().on_hover_ui_at_pointer(|ui| {
        ui.set_max_width(CARD);
        ui.label(lines.join("\n"));
    });
    if body.double_clicked() {
        let shown = super::scale::padded(bar.interval, 0.15);
        actions.push(Action::Show(Some(shown), ViewChange::Zoom));
    } else if body.clicked() {
        actions.push(Action::Select(bar.span));
    }
    ui.ctx().set_cursor_icon(CursorIcon::PointingHand);
}

/// What is told of a bar: the range, when that was on the host, and what it launched.
fn told(frame: &PaintFrame<'_>, lane: &ProjectedLane, bar: &DrawnBar) -> Vec<String> {
    let mut lines = vec![bar.name.to_string(), lane.name.clone()];
    let Some(range) = bar.span.and_then(|it| lane.range(it)) else {
        return lines;
    };
    if let Some(placed) = frame.picture.capture.span(range.span) {
        let (length, start) = (placed.interval().length(), placed.span.start);
        let on = frame.picture.capture.lane_title(placed.span.lane);
        let length = text::duration(length);
        lines.push(format!("{length} from {} on {on}", text::duration(start)));
    }
    if range.own.operations > 0 {
        lines.push(format!("launched {}", stretch(&range.own)));
    }
    if let Some(linked) = range.linked() {
        lines.push(format!("by what goes on with it {}", stretch(&linked)));
    }
    lines
}

/// What operations come to, in words.
fn stretch(of: &DeviceStretch) -> String {
    format!(
        "{} within {} from {}, busy for {} ({})",
        text::counted(of.operations, "operation"),
        text::duration(of.interval.length()),
        text::duration(of.interval.start),
        text::duration(of.busy),
        text::percent(of.share())
    )
}

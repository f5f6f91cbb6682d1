//! Menus of the right button: on lanes, groups, spans, arrows, the ruler, and where nothing is.

use eframe::egui::{Button, Ui};
use engine::record::{Bookmark, DependencyId, LaneId, SpanId};
use engine::time::{Interval, Nanos};

use super::InputResponses;
use super::bookmarks;
use super::field_colours::MOST_FIELDS;
use super::frame::PaintFrame;
use super::input::HitTarget;
use super::layout::{LayoutEntry, RowContent};
use super::rows;
use super::scale;
use crate::action::{Action, BookmarkAction, Command};
use crate::state::{GroupKey, LaneSort, ViewChange};
use crate::text;

mod copied;

/// What a menu is about.
#[derive(Clone, Debug, PartialEq)]
enum MenuSubject {
    Lane(LaneId),
    Group(GroupKey, Vec<LaneId>),
    Span(SpanId),
    /// Several spans that are too narrow to be told apart.
    Run(Interval),
    Arrow(DependencyId),
    Instant(Nanos),
    /// A bookmark, with its place in the list.
    Bookmark(usize, Bookmark),
    /// What is drawn of an answer, by its place.
    Answer(usize),
}

/// The menu of the right button, which keeps what it is about while it is open.
#[derive(Default)]
pub struct TimelineMenu {
    subject: Option<MenuSubject>,
}

impl TimelineMenu {
    /// Opens the menu where the right button was pressed, and shows it.
    pub(super) fn ui(
        &mut self,
        frame: &PaintFrame<'_>,
        responses: &InputResponses,
        target: Option<&HitTarget<'_>>,
        actions: &mut Vec<Action>,
    ) {
        if responses.names.secondary_clicked() {
            let at = responses.names.interact_pointer_pos();
            self.subject = at.and_then(|at| of_row(frame, at.y));
        }
        for area in [&responses.body, &responses.ruler] {
            if !area.secondary_clicked() {
                continue;
            }
            let Some(at) = area.interact_pointer_pos() else {
                continue;
            };
            let time = frame.scale.time_from_x(at.x);
            let found = target.filter(|_| area.id == responses.body.id);
            let subject = found.and_then(|target| of_target(frame, target));
            let flag = bookmarks::at(frame, at).filter(|_| area.id == responses.ruler.id);
            let flag = flag.map(|(place, it)| MenuSubject::Bookmark(place, it));
            let subject = subject.or(flag);
            if let Some(MenuSubject::Span(span)) = subject {
                actions.push(Action::Select(Some(span)));
            }
            self.subject = Some(subject.unwrap_or(MenuSubject::Instant(time)));
        }
        let Some(subject) = self.subject.clone() else {
            return;
        };
        for area in [&responses.names, &responses.body, &responses.ruler] {
            area.context_menu(|ui| {
                ui.set_min_width(220.0);
                show(ui, frame, &subject, actions);
            });
        }
    }
}

fn of_row(frame: &PaintFrame<'_>, y: f32) -> Option<MenuSubject> {
    let row = frame.layout.row_at(frame.row_y(y))?;
    let row = frame.layout.rows.get(row)?;
    Some(match &row.content {
        RowContent::Entry(LayoutEntry::Answer(place, _)) => MenuSubject::Answer(*place),
        RowContent::Entry(entry) => MenuSubject::Lane(entry.lane()?),
        RowContent::Group { members, .. } => {
            let entries = frame
                .layout
                .entries
                .get(members.clone())
                .unwrap_or_default();
            let lanes = entries.iter().filter_map(|entry| entry.lane());
            MenuSubject::Group(row.key, lanes.collect())
        }
    })
}

fn of_target(frame: &PaintFrame<'_>, target: &HitTarget<'_>) -> Option<MenuSubject> {
    Some(match target {
        HitTarget::Arrow(link, _) => MenuSubject::Arrow(link.id),
        HitTarget::Bar(bar) if bar.cell.count > 1 => MenuSubject::Run(bar.cell.interval),
        HitTarget::Bar(bar) => MenuSubject::Span(bar.cell.span),
        HitTarget::Open(span) => MenuSubject::Span(*span),
        HitTarget::Group(key) => {
            let mut rows = frame.layout.rows.iter();
            let row = rows.find(|row| row.key == *key)?;
            return of_row(frame, frame.y(row.y) + 1.0);
        }
    })
}

fn show(ui: &mut Ui, frame: &PaintFrame<'_>, subject: &MenuSubject, actions: &mut Vec<Action>) {
    match subject {
        MenuSubject::Lane(lane) => of_lane(ui, frame, *lane, actions),
        MenuSubject::Group(GroupKey::ANSWERS, _) => {
            let all = Action::StopDrawing(None);
            item(ui, "Remove all answers", all, actions);
        }
        MenuSubject::Group(key, lanes) => of_group(ui, frame, (*key, lanes), actions),
        MenuSubject::Span(span) => of_span(ui, frame, *span, actions),
        MenuSubject::Run(interval) => {
            let zoom = Action::Show(Some(scale::padded(*interval, 0.15)), ViewChange::Zoom);
            item(ui, "Zoom in until they can be told apart", zoom, actions);
            let range = Action::SelectRange(Some(*interval));
            item(ui, "Make their time the range", range, actions);
        }
        MenuSubject::Arrow(id) => of_arrow(ui, frame, *id, actions),
        MenuSubject::Instant(time) => of_instant(ui, frame, *time, actions),
        MenuSubject::Bookmark(place, bookmark) => {
            of_bookmark(ui, frame, (*place, bookmark), actions);
        }
        MenuSubject::Answer(place) => {
            let remove = Action::StopDrawing(Some(*place));
            item(ui, "Remove from the timeline", remove, actions);
            let all = Action::StopDrawing(None);
            item(ui, "Remove all answers", all, actions);
        }
    }
}

/// An entry that asks for an action.
fn item(ui: &mut Ui, words: &str, action: Action, actions: &mut Vec<Action>) {
    if ui.button(words).clicked() {
        actions.push(action);
        ui.close();
    }
}

/// An entry that does what a key does, with the key.
fn entry(ui: &mut Ui, command: Command, actions: &mut Vec<Action>) {
    let label = command.entry().map_or("", |entry| entry.label);
    let button = ui.add(Button::new(label).shortcut_text(command.key()));
    if button.clicked() {
        actions.push(command.into());
        ui.close();
    }
}

fn of_lane(ui: &mut Ui, frame: &PaintFrame<'_>, lane: LaneId, actions: &mut Vec<Action>) {
    let view = &frame.picture.state.view;
    let pin = if view.pinned.contains(&lane) {
        "Unpin"
    } else {
        "Pin to the top"
    };
    item(ui, pin, Action::PinLane(lane), actions);
    item(ui, "Hide", Action::HideLanes(vec![lane]), actions);
    item(
        ui,
        "Show only this lane",
        Action::ShowOnly(vec![lane]),
        actions,
    );
    let name = frame.picture.capture.lane_title(lane).into_owned();
    item(ui, "Copy its name", Action::Copy(name), actions);
    of_all_lanes(ui, frame, actions);
}

fn of_group(
    ui: &mut Ui,
    frame: &PaintFrame<'_>,
    (key, lanes): (GroupKey, &[LaneId]),
    actions: &mut Vec<Action>,
) {
    let fold = if frame.picture.state.view.collapsed.contains(&key) {
        "Expand"
    } else {
        "Collapse"
    };
    item(ui, fold, Action::Collapse(key), actions);
    item(
        ui,
        "Hide these lanes",
        Action::HideLanes(lanes.to_vec()),
        actions,
    );
    item(
        ui,
        "Show only these lanes",
        Action::ShowOnly(lanes.to_vec()),
        actions,
    );
    let title = rows::title(frame, key);
    item(ui, "Copy its name", Action::Copy(title), actions);
    of_all_lanes(ui, frame, actions);
}

fn of_all_lanes(ui: &mut Ui, frame: &PaintFrame<'_>, actions: &mut Vec<Action>) {
    ui.separator();
    ui.menu_button("Sort the lanes of each group", |ui| {
        for (words, sort) in [
            ("By name", LaneSort::Name),
            ("By busy time", LaneSort::Busy),
            ("By first use", LaneSort::FirstUse),
            ("As in the capture", LaneSort::Capture),
        ] {
            item(ui, words, Action::SortLanes(sort), actions);
        }
    });
    entry(ui, Command::ExpandAll, actions);
    entry(ui, Command::CollapseAll, actions);
    let view = &frame.picture.state.view;
    if !view.hidden.is_empty() || !view.filter.is_empty() {
        entry(ui, Command::ShowAllLanes, actions);
    }
}

fn of_span(ui: &mut Ui, frame: &PaintFrame<'_>, span: SpanId, actions: &mut Vec<Action>) {
    let capture = frame.picture.capture;
    let Some(placed) = capture.span(span) else {
        entry(ui, Command::Focus, actions);
        return;
    };
    let zoom = Action::Show(
        Some(scale::padded(placed.interval(), 0.15)),
        ViewChange::Zoom,
    );
    item(ui, "Zoom to it", zoom, actions);
    entry(ui, Command::MarkRange, actions);
    entry(ui, Command::Bookmark, actions);
    entry(ui, Command::Cause, actions);
    entry(ui, Command::Effect, actions);
    let name = capture.name(placed.span.name).to_owned();
    let search = Action::Search(name.clone());
    item(ui, "Search for its name", search, actions);
    colour_fields(ui, frame, span, actions);
    ui.separator();
    item(ui, "Copy its name", Action::Copy(name), actions);
    let queued = frame.queued(&placed);
    let text = copied::span_text(capture, &placed, queued);
    item(ui, "Copy as text", Action::Copy(text), actions);
    let row = copied::span_row(capture, &placed);
    item(ui, "Copy as a table row", Action::Copy(row), actions);
    let link = Action::CopyLink(placed.interval(), Some(span));
    item(ui, "Copy a link to it", link, actions);
    ui.separator();
    entry(ui, Command::PinLane, actions);
    entry(ui, Command::HideLane, actions);
}

/// The fields of a span, to colour all by one of them.
fn colour_fields(ui: &mut Ui, frame: &PaintFrame<'_>, span: SpanId, actions: &mut Vec<Action>) {
    let chosen = &frame.picture.state.view.colour_field;
    let fields = frame.picture.capture.arguments(span);
    let mut fields: Vec<&str> = fields.map(|it| it.0).take(MOST_FIELDS).collect();
    fields.dedup();
    if !fields.is_empty() {
        ui.menu_button("Colour by field", |ui| {
            for field in fields.into_iter().filter(|it| it != chosen) {
                let label = text::shorten(&text::shown(field), 48);
                let colour = Action::ColourByField(field.to_owned());
                item(ui, &label, colour, actions);
            }
        });
    }
    if !chosen.is_empty() {
        let words = format!("No longer colour by {}", text::shown(chosen));
        item(ui, &words, Action::ColourByField(String::new()), actions);
    }
}

fn of_arrow(ui: &mut Ui, frame: &PaintFrame<'_>, id: DependencyId, actions: &mut Vec<Action>) {
    let capture = frame.picture.capture;
    let Some(found) = capture.dependency(id) else {
        return;
    };
    item(ui, "Go to its cause", Action::Reveal(found.cause), actions);
    item(
        ui,
        "Go to its effect",
        Action::Reveal(found.effect),
        actions,
    );
    item(ui, "Select it", Action::SelectDependency(id), actions);
    let text = copied::arrow_text(capture, &found);
    item(ui, "Copy as text", Action::Copy(text), actions);
}

fn of_instant(ui: &mut Ui, frame: &PaintFrame<'_>, time: Nanos, actions: &mut Vec<Action>) {
    if let Some(range) = frame.picture.state.selection.range {
        let shown = Action::Show(Some(scale::padded(range, 0.05)), ViewChange::Jump);
        item(ui, "Zoom to the range", shown, actions);
        item(ui, "Clear the range", Action::SelectRange(None), actions);
        let words = copied::range_text(range);
        item(ui, "Copy the range", Action::Copy(words), actions);
        let link = Action::CopyLink(range, None);
        item(ui, "Copy a link to the range", link, actions);
        item(ui, "Bookmark the range", bookmark(range), actions);
        ui.separator();
    }
    let instant = bookmark(Interval::new(time, time));
    item(ui, "Bookmark this time", instant, actions);
    let words = format!("Copy this time ({})", text::duration(time));
    item(ui, &words, Action::Copy(time.0.to_string()), actions);
    let shown = Action::CopyLink(frame.scale.interval(), None);
    item(ui, "Copy a link to what is in view", shown, actions);
    entry(ui, Command::Fit, actions);
    entry(ui, Command::Undo, actions);
    of_all_lanes(ui, frame, actions);
}

fn of_bookmark(
    ui: &mut Ui,
    frame: &PaintFrame<'_>,
    (place, bookmark): (usize, &Bookmark),
    actions: &mut Vec<Action>,
) {
    let capture = frame.picture.capture;
    let visit = Action::Bookmark(BookmarkAction::Visit(place));
    item(ui, "Go to it", visit, actions);
    if bookmark.at.length() > Nanos::ZERO {
        let range = Action::SelectRange(Some(bookmark.at));
        item(ui, "Make its time the range", range, actions);
    }
    let what = text::of_bookmark(capture, bookmark);
    let words = match bookmark.text.as_str() {
        "" => format!("{what}, at {} ns", bookmark.at.start.0),
        note => format!("{note}: {what}, at {} ns", bookmark.at.start.0),
    };
    item(ui, "Copy as text", Action::Copy(words), actions);
    ui.separator();
    let remove = Action::Bookmark(BookmarkAction::Remove(place));
    item(ui, "Remove it", remove, actions);
}

/// Marks a stretch of time that is no span's.
fn bookmark(at: Interval) -> Action {
    Action::Bookmark(BookmarkAction::Add(Bookmark {
        at,
        span: SpanId::NONE,
        text: String::new(),
    }))
}

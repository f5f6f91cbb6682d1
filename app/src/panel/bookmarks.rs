//! The bookmarks of the capture on screen, each with the field in which its note is typed.

use eframe::egui::{Align, Button, Layout, RichText, ScrollArea, TextEdit, Ui, vec2};
use engine::record::Bookmark;

use super::widgets::{hint, link, shortened, sign_button};
use super::{Panel, PanelPosition, Scene};
use crate::action::{Action, BookmarkAction, Command};
use crate::text;
use crate::theme::{GRID, mono};

/// Height of a row, in points.
const ROW: f32 = 24.0;
/// Width of what is marked, in points.
const MARKED: f32 = 260.0;

/// The bookmarks of the capture on screen.
pub struct BookmarksPanel;

impl Panel for BookmarksPanel {
    fn id(&self) -> &'static str {
        "bookmarks"
    }

    fn title(&self) -> &'static str {
        "Bookmarks"
    }

    fn place(&self) -> PanelPosition {
        PanelPosition::Docked
    }

    fn count(&self, scene: &Scene<'_>) -> Option<usize> {
        Some(scene.state.bookmarks.list.len())
    }

    fn is_idle(&self, scene: &Scene<'_>) -> bool {
        scene.state.bookmarks.list.is_empty()
    }

    fn ui(&mut self, ui: &mut Ui, scene: &Scene<'_>, actions: &mut Vec<Action>) {
        let all = &scene.state.bookmarks;
        if all.list.is_empty() {
            let words = format!(
                "{} bookmarks the selected span or range, or the instant under the pointer; what you note of it is kept \
                 with this capture, and saved with it",
                Command::Bookmark.key()
            );
            return hint(ui, scene.theme, &words);
        }
        // A time is written whole: a part of it would be another time.
        let digits = all
            .list
            .iter()
            .map(|it| it.at.start.to_string().chars().count());
        let digits = digits.max().unwrap_or(0) as f32;
        let times = ui.fonts_mut(|it| it.glyph_width(&mono(), '0')) * digits + 6.0 * GRID;
        let area = ScrollArea::vertical().auto_shrink(false);
        let area = match all.visited.filter(|_| all.is_typing) {
            Some(place) => {
                let above = place as f32 * (ROW + ui.spacing().item_spacing.y);
                area.vertical_scroll_offset((above - ui.available_height() / 2.0).max(0.0))
            }
            None => area,
        };
        area.show_rows(ui, ROW, all.list.len(), |ui, range| {
            let first = range.start;
            let shown = all.list.get(range).unwrap_or_default();
            for (at, bookmark) in shown.iter().enumerate() {
                row(ui, scene, (times, first + at, bookmark), actions);
            }
        });
    }
}

fn row(
    ui: &mut Ui,
    scene: &Scene<'_>,
    (times, place, bookmark): (f32, usize, &Bookmark),
    actions: &mut Vec<Action>,
) {
    ui.push_id(place, |ui| {
        ui.horizontal(|ui| {
            ui.set_height(ROW);
            let left = Layout::left_to_right(Align::Center);
            let right = Layout::right_to_left(Align::Center);
            ui.allocate_ui_with_layout(vec2(times, ROW), right, |ui| {
                ui.set_width(times);
                ui.add_space(4.0 * GRID);
                let is_visited = scene.state.bookmarks.visited == Some(place);
                let theme = scene.theme;
                let colour = if is_visited { theme.text } else { theme.weak };
                let time = bookmark.at.start.to_string();
                ui.label(RichText::new(time).font(mono()).color(colour));
            });
            // Half of what a narrow window has is for the note.
            let width = MARKED.min(ui.available_width() / 2.0);
            ui.allocate_ui_with_layout(vec2(width, ROW), left, |ui| {
                ui.set_width(width);
                marked(ui, scene, (place, bookmark), actions);
            });
            ui.with_layout(right, |ui| note(ui, scene, (place, bookmark), actions));
        });
    });
}

/// What is marked, as a link to it.
fn marked(
    ui: &mut Ui,
    scene: &Scene<'_>,
    (place, bookmark): (usize, &Bookmark),
    actions: &mut Vec<Action>,
) {
    let what = text::of_bookmark(scene.capture, bookmark);
    let short = shortened(ui, &what, ui.available_width());
    let response = link(ui, short.as_ref().unwrap_or(&what), scene.theme.accent);
    if response.clicked() {
        actions.push(Action::Bookmark(BookmarkAction::Visit(place)));
    }
    if short.is_some() {
        response.on_hover_text(what);
    }
}

/// The field of its note, and the way to remove it.
fn note(
    ui: &mut Ui,
    scene: &Scene<'_>,
    (place, bookmark): (usize, &Bookmark),
    actions: &mut Vec<Action>,
) {
    let all = &scene.state.bookmarks;
    let words = "Remove this bookmark";
    if sign_button(ui, Button::new("×"), words, "").clicked() {
        actions.push(Action::Bookmark(BookmarkAction::Remove(place)));
    }
    let mut text = bookmark.text.clone();
    let field = TextEdit::singleline(&mut text).hint_text("note");
    let response = ui.add(field.desired_width(ui.available_width() - 2.0 * GRID));
    let is_awaited = all.is_typing && all.visited == Some(place);
    if is_awaited {
        response.request_focus();
    }
    if is_awaited || response.changed() {
        actions.push(Action::Bookmark(BookmarkAction::Note(place, text)));
    }
    if response.lost_focus() {
        actions.push(Action::Bookmark(BookmarkAction::Keep));
    }
}

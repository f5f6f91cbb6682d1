//! The window of keys and gestures, made from the table of commands.

use eframe::egui::{Grid, RichText, ScrollArea, Ui};

use super::widgets::{compact, section};
use super::{Panel, PanelPosition, Scene};
use crate::action::{Action, COMMANDS, CommandEntry, Menu};
use crate::state::OverlayWindow;
use crate::theme::{GRID, Theme};

/// The window of keys and gestures, made from the table of commands.
pub struct HelpWindow;

/// What the mouse does, which has no row in the table of commands.
const GESTURES: &[(&str, &str)] = &[
    ("drag", "Choose a range of time"),
    ("middle drag", "Move the view"),
    ("Shift+drag", "Choose the spans under a band"),
    ("Ctrl+click", "Choose a span besides those that are chosen"),
    ("Shift+click", "Choose the spans of the lane up to this one"),
    ("right click", "What can be done with what is pointed at"),
    ("wheel", "Scroll the lanes"),
    ("Shift+wheel", "Move in time"),
    ("Ctrl+wheel, pinch", "Zoom about the pointer"),
    ("click", "Select a span or an arrow"),
    ("double-click", "Select a span and zoom to it"),
    ("drag a lane's name", "Move the lane"),
];

/// The width of the column of keys, in points.
const KEYS: f32 = 112.0;

impl Panel for HelpWindow {
    fn id(&self) -> &'static str {
        "help"
    }

    fn title(&self) -> &'static str {
        "Keys and gestures"
    }

    fn place(&self) -> PanelPosition {
        PanelPosition::Window(OverlayWindow::Keys)
    }

    fn ui(&mut self, ui: &mut Ui, scene: &Scene<'_>, _actions: &mut Vec<Action>) {
        let theme = scene.theme;
        ScrollArea::vertical().show(ui, |ui| {
            ui.columns(2, |columns| {
                let [left, right] = columns else { return };
                for menu in [Menu::File, Menu::View] {
                    group(left, theme, menu);
                    menu.inner().iter().for_each(|it| group(left, theme, *it));
                }
                for menu in [Menu::Run, Menu::Go, Menu::Help] {
                    group(right, theme, menu);
                }
                section(right, theme, "Mouse");
                table(
                    right,
                    theme,
                    "mouse",
                    GESTURES
                        .iter()
                        .map(|(how, what)| ((*how).to_owned(), *what)),
                );
            });
        });
    }
}

fn group(ui: &mut Ui, theme: &Theme, menu: Menu) {
    section(ui, theme, menu.label());
    let entries = COMMANDS
        .iter()
        .filter(|entry| entry.menu == menu && !entry.keys.is_empty());
    table(
        ui,
        theme,
        menu.label(),
        entries.map(|entry| (keys(entry), entry.help)),
    );
}

fn keys(entry: &CommandEntry) -> String {
    // The third key of a command is there for habits of other programs; the guide on keys lists it.
    let keys: Vec<_> = entry.keys.iter().take(2).map(ToString::to_string).collect();
    keys.join("  ")
}

fn table(ui: &mut Ui, theme: &Theme, id: &str, rows: impl Iterator<Item = (String, &'static str)>) {
    compact(ui);
    let gap = 4.0 * GRID;
    // What a command does is written on several lines where the window is narrow.
    let room = (ui.available_width() - KEYS - gap).max(KEYS);
    Grid::new(id)
        .num_columns(2)
        .min_col_width(KEYS)
        .max_col_width(room)
        .spacing([gap, GRID])
        .show(ui, |ui| {
            for (keys, help) in rows {
                ui.label(RichText::new(keys).monospace().color(theme.accent));
                ui.label(help);
                ui.end_row();
            }
        });
}

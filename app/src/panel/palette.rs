//! The window in which commands are found by a few letters of their names.

use eframe::egui::{Id, Key, Label, Modifiers, RichText, ScrollArea, Sense, TextEdit, Ui, vec2};

use super::{PANELS, Panel, PanelPosition, Scene, unavailable};
use crate::action::{Action, COMMANDS, Command};
use crate::state::OverlayWindow;
use crate::text;
use crate::theme::{GRID, SMALL};
use crate::timeline::field_colours;

mod fuzzy;

/// Rows that are shown at once.
const ROWS: usize = 12;

/// The window in which commands are found.
#[derive(Default)]
pub struct CommandPalette {
    wanted: String,
    /// The place of the chosen row.
    at: usize,
    /// The fields of the capture on screen when the window was opened.
    fields: Vec<String>,
    /// The last frame that it was open in.
    seen: u64,
}

/// Something that can be done.
struct PaletteEntry {
    /// What it is called.
    label: String,
    /// What it does, or what it is.
    help: String,
    /// What it is found by besides that: a workload's id.
    id: String,
    key: String,
    action: Action,
    /// Why it can do nothing now.
    reason: Option<&'static str>,
}

impl Panel for CommandPalette {
    fn id(&self) -> &'static str {
        "palette"
    }

    fn title(&self) -> &'static str {
        "Commands"
    }

    fn place(&self) -> PanelPosition {
        PanelPosition::Window(OverlayWindow::Palette)
    }

    fn ui(&mut self, ui: &mut Ui, scene: &Scene<'_>, actions: &mut Vec<Action>) {
        let now = ui.ctx().cumulative_pass_nr();
        if self.seen + 1 < now {
            // It was closed meanwhile: what was wanted then is not wanted now.
            *self = Self {
                fields: field_colours::fields(scene.capture),
                ..Self::default()
            };
        }
        self.seen = now;
        let (down, up, enter, leave) = ui.input_mut(|input| {
            let mut is = |key| input.consume_key(Modifiers::NONE, key);
            (
                is(Key::ArrowDown),
                is(Key::ArrowUp),
                is(Key::Enter),
                is(Key::Escape),
            )
        });
        let id = Id::unique("palette field");
        let field = TextEdit::singleline(&mut self.wanted)
            .id(id)
            .hint_text("Type a few letters of what you want to do")
            .desired_width(f32::INFINITY);
        let response = ui.add(field);
        response.request_focus();
        ui.ctx()
            .accesskit_node_builder(id, |node| node.set_label("Find a command"));
        if response.changed() {
            self.at = 0;
        }
        let found = found(entries(scene, &self.fields), &self.wanted);
        let last = found.len().saturating_sub(1);
        match (down, up) {
            (true, _) => self.at = if self.at >= last { 0 } else { self.at + 1 },
            (_, true) => self.at = self.at.checked_sub(1).unwrap_or(last),
            _ => self.at = self.at.min(last),
        }
        ui.add_space(GRID);
        let clicked = self.rows(ui, scene, &found, down || up);
        let done = clicked.or_else(|| enter.then_some(self.at));
        let done = done.and_then(|at| found.get(at));
        if let Some(entry) = done.filter(|it| it.reason.is_none()) {
            actions.extend([Command::Clear.into(), entry.action.clone()]);
        } else if leave {
            actions.push(Command::Clear.into());
        }
    }
}

impl CommandPalette {
    /// What was found, a row each; the place of the one that was clicked.
    fn rows(
        &self,
        ui: &mut Ui,
        scene: &Scene<'_>,
        found: &[PaletteEntry],
        is_moved: bool,
    ) -> Option<usize> {
        let theme = scene.theme;
        if found.is_empty() {
            super::hint(ui, theme, "No command matches.");
            return None;
        }
        let mut clicked = None;
        let height = 7.0 * GRID;
        let area = ScrollArea::vertical()
            .max_height(height * ROWS as f32)
            .auto_shrink([false, true]);
        area.show(ui, |ui| {
            ui.spacing_mut().item_spacing.y = 0.0;
            for (at, entry) in found.iter().enumerate() {
                let size = vec2(ui.available_width(), height);
                let (rect, response) = ui.allocate_exact_size(size, Sense::click());
                response.widget_info(|| {
                    let role = eframe::egui::Role::Button;
                    eframe::egui::WidgetInfo::selected(role, true, at == self.at, &entry.label)
                });
                if at == self.at || response.hovered() {
                    let fill = if at == self.at {
                        theme.chosen
                    } else {
                        theme.hovered
                    };
                    ui.painter().rect_filled(rect, 4.0, fill);
                }
                if at == self.at && is_moved {
                    response.scroll_to_me(None);
                }
                let inside = rect.shrink2(vec2(2.0 * GRID, 0.0));
                ui.put(inside, |ui: &mut Ui| line(ui, scene, entry));
                if response.clicked() {
                    clicked = Some(at);
                }
            }
        });
        clicked
    }
}

fn line(ui: &mut Ui, scene: &Scene<'_>, entry: &PaletteEntry) -> eframe::egui::Response {
    let theme = scene.theme;
    ui.horizontal_centered(|ui| {
        let label = RichText::new(&entry.label);
        let label = if entry.reason.is_some() {
            label.color(theme.weak)
        } else {
            label
        };
        ui.add(Label::new(label).selectable(false));
        ui.with_layout(
            eframe::egui::Layout::right_to_left(eframe::egui::Align::Center),
            |ui| {
                if !entry.key.is_empty() {
                    let key = RichText::new(&entry.key).monospace().size(SMALL);
                    ui.add(Label::new(key.color(theme.accent)).selectable(false));
                }
                let help = entry.reason.unwrap_or(&entry.help);
                let help = RichText::new(help).size(SMALL).color(theme.weak);
                ui.add(Label::new(help).truncate().selectable(false));
            },
        );
    })
    .response
}

/// What matches, the best first; everything, in the order of the menus, where nothing is wanted.
fn found(all: Vec<PaletteEntry>, wanted: &str) -> Vec<PaletteEntry> {
    if wanted.trim().is_empty() {
        return all;
    }
    let mut scored: Vec<_> = all
        .into_iter()
        .filter_map(|entry| {
            let of = |name: &str| fuzzy::score(wanted, name);
            let told = of(&entry.label).max(of(&entry.id));
            Some((told.or_else(|| told_in_help(&entry.help, wanted))?, entry))
        })
        .collect();
    scored.sort_by_key(|(score, entry)| (std::cmp::Reverse(*score), entry.label.len()));
    scored.into_iter().map(|(_, entry)| entry).collect()
}

/// The score of what is only spoken of in an entry's help, which is less than that of any name.
fn told_in_help(help: &str, wanted: &str) -> Option<u32> {
    let help = help.to_lowercase();
    let mut words = wanted.split_whitespace();
    words
        .all(|word| help.contains(&word.to_lowercase()))
        .then_some(0)
        .filter(|_| wanted.trim().len() >= 3)
}

/// Commands, then colours by these fields, tabs, open captures, workloads and recent files.
fn entries(scene: &Scene<'_>, fields: &[String]) -> Vec<PaletteEntry> {
    let commands = COMMANDS.iter().filter(|it| it.command != Command::Palette);
    let commands = commands.map(|it| PaletteEntry {
        label: it.label.to_owned(),
        help: it.help.to_owned(),
        id: String::new(),
        key: it.command.key(),
        action: it.command.into(),
        reason: unavailable(scene, it.command),
    });
    let entry = |label: String, help: &str, action| PaletteEntry {
        label,
        help: help.to_owned(),
        id: String::new(),
        key: String::new(),
        action,
        reason: None,
    };
    let panels = PANELS.iter().map(|make| make());
    let docks = &scene.state.settings.docks;
    let tabs = panels
        .filter(|panel| panel.place() == PanelPosition::Docked)
        .flat_map(|panel| {
            let (id, title) = (panel.id(), panel.title());
            let help = "Where the tab of this panel stands";
            let moves = docks.side_of(id).others().map(move |side| {
                let words = format!("Move {title} to the {}", side.label());
                entry(words, help, Action::Dock(id, side))
            });
            let open = entry(format!("Tab {title}"), "", Action::OpenTab(id));
            std::iter::once(open).chain(moves)
        });
    let captures = scene.status.tabs.iter().enumerate();
    let captures = captures
        .filter(|(at, _)| *at != scene.status.tab)
        .map(|(at, tab)| {
            entry(
                format!("Show {}", tab.name),
                "A capture that is open",
                Action::ShowTab(at),
            )
        });
    let texts = scene.state.documents.texts.iter().enumerate();
    let texts = texts.map(|(at, text)| {
        let help = format!("A workload · {}", text.name);
        PaletteEntry {
            id: text.name.clone(),
            ..entry(format!("Run {}", text.title), &help, Action::Run(at))
        }
    });
    let colours = fields.iter().map(|field| {
        let words = format!("Colour by field {}", text::shown(field));
        let help = "Spans with the same value have the same colour";
        entry(words, help, Action::ColourByField(field.clone()))
    });
    let recent = scene.state.settings.recent.iter().map(|path| {
        let name = path
            .file_name()
            .unwrap_or(path.as_os_str())
            .to_string_lossy();
        let help = path.display().to_string();
        entry(
            format!("Open {name}"),
            &help,
            Action::OpenFile(path.clone()),
        )
    });
    let others = colours
        .chain(tabs)
        .chain(captures)
        .chain(texts)
        .chain(recent);
    commands.chain(others).collect()
}

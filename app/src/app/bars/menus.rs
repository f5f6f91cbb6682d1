//! The menus, made from the table of commands.

use eframe::egui::{Button, MenuBar, ScrollArea, Ui, Vec2};

use engine::lesson::TextLanguage;

use super::synchronization;
use crate::action::{Action, COMMANDS, Command, CommandEntry, Menu};
use crate::panel::{Scene, unavailable};
use crate::state::{AppState, OpenedFiles, Switch};
use crate::text;
use crate::timeline::field_colours;

/// Width of all menus' names, in points.
const WIDTH: f32 = 212.0;

/// What is above and around an open menu, in points.
const ABOVE: f32 = 60.0;

/// What the bar takes that scrolls it, in points.
const BAR: f32 = 8.0;

/// Shows the menus.
pub fn show(ui: &mut Ui, scene: &Scene<'_>, actions: &mut Vec<Action>) {
    // A menu bar takes all the width it is given, and the rest of the bar follows it.
    ui.allocate_ui(Vec2::new(WIDTH, 24.0), |ui| bar(ui, scene, actions));
}

fn bar(ui: &mut Ui, scene: &Scene<'_>, actions: &mut Vec<Action>) {
    MenuBar::new().ui(ui, |ui| {
        for menu in Menu::ALL {
            ui.menu_button(menu.label(), |ui| {
                ui.set_min_width(220.0);
                // A small window has less room than some menus have entries.
                let room = ui.ctx().content_rect().height() - ABOVE;
                ui.spacing_mut().scroll.floating_allocated_width = BAR;
                // What floats has 400 points at first, whatever the window has.
                let area = ScrollArea::vertical().max_height(room);
                area.min_scrolled_height(room).show(ui, |ui| {
                    for inner in menu.inner() {
                        ui.menu_button(inner.label(), |ui| {
                            ui.set_min_width(220.0);
                            entries(ui, scene, *inner, actions);
                        });
                    }
                    entries(ui, scene, menu, actions);
                });
            });
        }
    });
}

/// The entries of a menu, and what else is in it.
fn entries(ui: &mut Ui, scene: &Scene<'_>, menu: Menu, actions: &mut Vec<Action>) {
    for entry in COMMANDS.iter().filter(|entry| entry.menu == menu) {
        item(ui, scene, entry, actions);
        match entry.command {
            Command::Open => recent(ui, scene, actions),
            Command::ColourByName => colour_fields(ui, scene, actions),
            _ => {}
        }
    }
    match menu {
        Menu::View => language(ui, scene, actions),
        Menu::Run => {
            super::speed_menu(ui, scene, actions);
            synchronization::menu(ui, scene, actions);
        }
        _ => {}
    }
}

/// The fields that spans may be coloured by.
fn colour_fields(ui: &mut Ui, scene: &Scene<'_>, actions: &mut Vec<Action>) {
    let chosen = &scene.state.view.colour_field;
    ui.menu_button("Colour by field", |ui| {
        let fields = field_colours::fields(scene.capture);
        if fields.is_empty() {
            ui.weak("The spans of this capture have no fields");
        }
        ScrollArea::vertical().show(ui, |ui| {
            for field in fields {
                let is_chosen = *chosen == field;
                let label = text::shorten(&text::shown(&field), 48);
                if ui.selectable_label(is_chosen, label).clicked() {
                    let field = if is_chosen { String::new() } else { field };
                    actions.push(Action::ColourByField(field));
                    ui.close();
                }
            }
        });
    });
}

/// The languages of lessons.
fn language(ui: &mut Ui, scene: &Scene<'_>, actions: &mut Vec<Action>) {
    let chosen = scene.state.settings.language.as_deref();
    let system = scene.state.system_language.name();
    let all = TextLanguage::ALL.map(|it| (Some(it), it.name().to_owned()));
    let all = all
        .into_iter()
        .chain([(None, format!("As the system ({system})"))]);
    ui.menu_button("Language of lessons", |ui| {
        for (language, name) in all {
            let is_chosen = chosen == language.map(TextLanguage::code);
            if ui.selectable_label(is_chosen, name).clicked() {
                actions.push(Action::SetLanguage(language));
                ui.close();
            }
        }
    });
}

fn item(ui: &mut Ui, scene: &Scene<'_>, entry: &CommandEntry, actions: &mut Vec<Action>) {
    let on = is_on((scene.state, &scene.status.files), entry.command);
    let button =
        Button::selectable(on == Some(true), entry.label).shortcut_text(entry.command.key());
    let reason = unavailable(scene, entry.command);
    let response = ui.add_enabled(reason.is_none(), button);
    let response = response.on_disabled_hover_text(reason.unwrap_or_default());
    if response.on_hover_text(entry.help).clicked() {
        actions.push(entry.command.into());
        ui.close();
    }
}

/// Whether what a command switches is on; nothing where it switches nothing.
fn is_on((state, files): (&AppState, &OpenedFiles), command: Command) -> Option<bool> {
    let switch = match command {
        Command::AllArrows => Switch::AllArrows,
        Command::Path => Switch::Path,
        Command::Dense => Switch::Dense,
        Command::ColourByKind => Switch::ColourByKind,
        Command::ColourByName => Switch::ColourByName,
        Command::Legend => Switch::Legend,
        Command::ThreadStates => Switch::ThreadStates,
        Command::ProjectNvtx => Switch::ProjectNvtx,
        Command::ProjectPython => Switch::ProjectPython,
        Command::ProjectOperators => Switch::ProjectOperators,
        Command::Left => Switch::Left,
        Command::Right => Switch::Right,
        Command::Bottom => Switch::Bottom,
        Command::ReduceMotion => Switch::ReduceMotion,
        Command::Follow => return Some(state.follow),
        Command::ReloadChanged => return Some(files.is_followed),
        _ => return None,
    };
    Some(state.settings.is_on(switch))
}

fn recent(ui: &mut Ui, scene: &Scene<'_>, actions: &mut Vec<Action>) {
    let files = &scene.state.settings.recent;
    ui.add_enabled_ui(!files.is_empty(), |ui| {
        ui.menu_button("Recent", |ui| {
            for path in files {
                if ui.button(path.display().to_string()).clicked() {
                    actions.push(Action::OpenFile(path.clone()));
                    ui.close();
                }
            }
        });
    });
}

#[cfg(test)]
mod tests {
    use engine::capture::Capture;

    use super::*;
    use crate::apply::apply;

    #[test]
    fn what_a_command_switches_is_marked_in_its_menu() {
        for entry in COMMANDS {
            let (mut state, files) = (AppState::default(), OpenedFiles::default());
            let before = state.settings.switches.clone();
            apply(&mut state, &Capture::new(), entry.command.into());
            let is_switch = before != state.settings.switches;
            assert!(
                !is_switch || is_on((&state, &files), entry.command).is_some(),
                "{}",
                entry.label
            );
        }
    }
}

//! What was opened, and what can be done with it: there is nothing to run.

use eframe::egui::{Button, Label, RichText, Ui};

use crate::action::{Action, Command};
use crate::panel::{Scene, shortened, unavailable, width};
use crate::text;
use crate::theme::GRID;

/// Room for a file's name, in points: at most, and as a share of the bar.
const ROOM: f32 = 360.0;
const SHARE: f32 = 0.32;
/// Room that is left to the search: for its field, and for what it found.
const FIELD: f32 = 130.0;
const FOUND: f32 = 150.0;

/// The name of the files on screen, and buttons for what is asked of a capture first.
pub fn show(ui: &mut Ui, scene: &Scene<'_>, actions: &mut Vec<Action>) {
    let name = scene.status.opened.as_deref().unwrap_or("a capture");
    ui.scope(|ui| {
        ui.set_max_width((ui.available_width() * SHARE).min(ROOM));
        let files = scene.status.parts.iter();
        let paths = files.map(|it| &it.path).chain(&scene.state.fleet.root);
        let paths: Vec<String> = paths.map(|it| it.display().to_string()).collect();
        // Strong letters are a little wider.
        let fitted = shortened(ui, name, ui.available_width() - 2.0 * GRID);
        let shown = fitted.as_deref().unwrap_or(name);
        ui.add(Label::new(RichText::new(shown).strong()).truncate())
            .on_hover_text(paths.join("\n"));
    });
    if scene.state.fleet.is_shown() {
        return;
    }
    ui.add_space(2.0 * GRID);
    ui.spacing_mut().item_spacing.x = GRID;
    let is_searching = !scene.state.search.is_empty();
    let reserved = FIELD + if is_searching { FOUND } else { 0.0 };
    let made = scene.status.why.conclusions.as_ref();
    let findings = made.map_or_else(
        || "Findings".to_owned(),
        |made| text::counted(made.findings() as u64, "finding"),
    );
    let is_playing = scene.state.playback.is_some_and(|it| it.is_playing);
    let play = if is_playing { "Pause" } else { "Play" };
    // Of an empty capture there is nothing to find, to ask or to play.
    let empty = unavailable(scene, Command::Play);
    for (words, help, action, reason) in [
        (
            play,
            "Play the capture again, slower (Space)",
            Command::Play.into(),
            empty,
        ),
        (
            findings.as_str(),
            "What the analyses found in the capture",
            Action::OpenTab("findings"),
            empty,
        ),
        (
            "Why",
            "Where the time of each stream went, and the critical path",
            Action::OpenTab("why"),
            empty,
        ),
        (
            "Extract workload…",
            "Write a workload that does what the capture shows, to change it and to run it",
            Command::Extract.into(),
            unavailable(scene, Command::Extract),
        ),
    ] {
        // A narrow bar leaves the rest to the menus and the tabs.
        let room = width(ui, words) + 6.0 * GRID + reserved;
        if room > ui.available_width() {
            break;
        }
        let response = ui.add_enabled(reason.is_none(), Button::new(words));
        let response = response.on_disabled_hover_text(reason.unwrap_or_default());
        if response.on_hover_text(help).clicked() {
            actions.push(action);
        }
    }
}

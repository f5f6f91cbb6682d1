//! The line that plays a capture again: back, play, on, how slow, over and over, and where the head is.

use eframe::egui::{
    Align, Button, ComboBox, Frame, Label, Layout, Margin, Panel as Side, RichText, Ui,
};
use engine::time::{Interval, Nanos};

use crate::action::{Action, Command};
use crate::panel::{Scene, has_room, sign_button};
use crate::state::{Playback, SPEEDS};
use crate::text;
use crate::theme::GRID;

/// Shows the line below the timeline while something is played.
pub fn show(ui: &mut Ui, scene: &Scene<'_>, actions: &mut Vec<Action>) {
    let Some(play) = scene.state.playback else {
        return;
    };
    let frame = Frame::new()
        .fill(scene.theme.panel)
        .inner_margin(Margin::symmetric(12, 4));
    Side::bottom("playback").frame(frame).show(ui, |ui| {
        ui.horizontal(|ui| {
            ui.spacing_mut().item_spacing.x = GRID;
            let toggle = if play.is_playing { "Pause" } else { "Play" };
            for (words, command) in [
                ("◀", Command::PreviousEdge),
                (toggle, Command::Play),
                ("▶", Command::NextEdge),
            ] {
                let button = Button::new(words).min_size([28.0, 22.0].into());
                let help = command.entry().map_or("", |entry| entry.help);
                if sign_button(ui, button, help, &command.key()).clicked() {
                    actions.push(command.into());
                }
            }
            ui.add_space(2.0 * GRID);
            speed(ui, play, actions);
            let mut is_looped = play.is_looped;
            let range = match scene.state.selection.range {
                Some(_) => "Loop over the range",
                None => "Loop",
            };
            if ui.checkbox(&mut is_looped, range).changed() {
                actions.push(Action::SetPlayback(Some(Playback { is_looped, ..play })));
            }
            ui.add_space(2.0 * GRID);
            let words = RichText::new(format!("play head {}", text::instant(play.at)));
            ui.label(words.monospace().color(scene.theme.weak));
            let edge = edge(scene, play.at);
            ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                let close = Button::new("×").frame(false);
                if sign_button(ui, close, "Stop playing", "").clicked() {
                    actions.push(Action::SetPlayback(None));
                }
                let about = "This plays what was measured and changes nothing".to_owned();
                let is_edge = edge.is_some();
                let words = edge.unwrap_or(about);
                if is_edge || has_room(ui, &words) {
                    ui.add(Label::new(RichText::new(words).color(scene.theme.weak)).truncate());
                }
            });
        });
    });
}

/// That the selected span begins or ends where the head is, which is so after a step.
fn edge(scene: &Scene<'_>, at: Nanos) -> Option<String> {
    let placed = scene.capture.span(scene.state.selection.span?)?;
    let Interval { start, end } = placed.interval();
    let name = text::shown(scene.capture.name(placed.span.name));
    let lane = scene.capture.lane_title(placed.span.lane);
    let what = match (at == start, at == end) {
        (true, true) => "is",
        (true, false) => "begins",
        (false, true) => "ends",
        (false, false) => return None,
    };
    Some(format!("{name} {what} here, on {lane}"))
}

fn speed(ui: &mut Ui, play: Playback, actions: &mut Vec<Action>) {
    let shown = |slower: u32| format!("1/{} of its speed", text::count(u64::from(slower)));
    let combo = ComboBox::from_id_salt("playback speed").selected_text(shown(play.slower));
    let combo = combo.width(150.0).show_ui(ui, |ui| {
        for slower in SPEEDS.iter().copied() {
            let entry = ui.selectable_label(slower == play.slower, shown(slower));
            if entry.clicked() {
                actions.push(Action::SetPlayback(Some(Playback { slower, ..play })));
            }
        }
    });
    let combo = combo.response;
    combo.widget_info(|| {
        let role = eframe::egui::Role::ComboBox;
        eframe::egui::WidgetInfo::labeled(role, true, "Speed of playing")
    });
    combo.on_hover_text("How many times slower than it happened");
}

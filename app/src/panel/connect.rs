//! The window that asks where to run: in this process, in one of its own, or on another machine.

use eframe::egui::{Button, Color32, Key, RichText, TextEdit, Ui};
use engine::runner::far::{Connection, ConnectionState};

use super::widgets::{field, section};
use super::{Panel, PanelPosition, Scene};
use crate::action::Action;
use crate::state::OverlayWindow;
use crate::text;
use crate::theme::{GRID, Theme};

/// The window that asks where to run.
#[derive(Default)]
pub struct ConnectDialog {
    place: String,
}

/// What happens when somebody connects.
const ABOUT: &str = "Runs “ssh user@host syncline worker” and talks to it over its standard input and output: no port is \
    opened, and keys and host checks are those of ssh. Syncline must be installed there, in the same version; write \
    user@host:/path/to/syncline where ssh does not find it by its name.";

impl Panel for ConnectDialog {
    fn id(&self) -> &'static str {
        "connect"
    }

    fn title(&self) -> &'static str {
        "Connect"
    }

    fn place(&self) -> PanelPosition {
        PanelPosition::Window(OverlayWindow::Connect)
    }

    fn ui(&mut self, ui: &mut Ui, scene: &Scene<'_>, actions: &mut Vec<Action>) {
        let theme = scene.theme;
        section(ui, theme, "Another machine");
        ui.horizontal(|ui| {
            let edit = TextEdit::singleline(&mut self.place).hint_text("user@host");
            let edit = ui.add(edit.desired_width(320.0));
            let entered = edit.lost_focus() && ui.input(|input| input.key_pressed(Key::Enter));
            let is_named = !self.place.trim().is_empty();
            let clicked = ui.add_enabled(is_named, Button::new("Connect")).clicked();
            if is_named && (clicked || entered) {
                actions.push(Action::Connect(Some(self.place.trim().to_owned())));
            }
        });
        ui.add_space(GRID);
        ui.label(RichText::new(ABOUT).color(theme.weak));
        let places = &scene.state.settings.places;
        if places.iter().any(|place| place != ".") {
            section(ui, theme, "Lately");
        }
        for place in places.iter().filter(|place| *place != ".") {
            if ui.button(place).clicked() {
                actions.push(Action::Connect(Some(place.clone())));
            }
        }
        section(ui, theme, "This machine");
        ui.horizontal(|ui| {
            if ui
                .button("In this process")
                .on_hover_text("The usual way: nothing between the engine and the window")
                .clicked()
            {
                actions.push(Action::Connect(None));
            }
            if ui
                .button("In a process of its own")
                .on_hover_text(
                    "A fault that kills the engine leaves the window and what was captured",
                )
                .clicked()
            {
                actions.push(Action::Connect(Some(".".to_owned())));
            }
        });
        section(ui, theme, "Now");
        match &scene.status.connection {
            Some(connection) => figures(ui, theme, connection),
            None => {
                ui.label("The engine runs in this process.");
            }
        }
    }
}

fn figures(ui: &mut Ui, theme: &Theme, connection: &Connection) {
    let (sign, words, colour) = state_of(connection, theme);
    ui.label(RichText::new(format!("{sign} {words}")).color(colour));
    if !connection.detail.is_empty() {
        ui.label(RichText::new(&connection.detail).color(theme.weak));
    }
    field(
        ui,
        theme,
        "round trip",
        &text::duration(connection.round_trip),
    );
    let ahead = format!(
        "{} ± {}",
        text::duration(connection.ahead),
        text::duration(connection.uncertainty)
    );
    field(ui, theme, "its clock is ahead by", &ahead);
    field(ui, theme, "behind", &text::duration(connection.behind));
}

/// The sign, the words and the colour of how a link is.
pub fn state_of(connection: &Connection, theme: &Theme) -> (&'static str, String, Color32) {
    let name = &connection.name;
    match connection.state {
        ConnectionState::Connecting => ("○", format!("connecting to {name}"), theme.warning),
        ConnectionState::Connected if connection.behind.0 > LATE => {
            let behind = text::duration(connection.behind);
            ("●", format!("{name}, {behind} behind"), theme.warning)
        }
        ConnectionState::Connected => ("●", name.clone(), theme.good),
        ConnectionState::Dropped => (
            "×",
            format!("link to {name} dropped, trying again"),
            theme.bad,
        ),
        ConnectionState::Gone => ("×", format!("{name} is gone"), theme.bad),
    }
}

/// Nanoseconds that a picture may be behind before it is said so.
const LATE: i64 = 300_000_000;

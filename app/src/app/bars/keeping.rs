//! What is kept of a program that is recorded: started and stopped by hand, or the last stretch of time, kept now.

use eframe::egui::{RichText, Ui};
use engine::runner::{WindowControl, WindowStatus};
use engine::time::Nanos;

use crate::action::Action;
use crate::panel::Scene;
use crate::text;
use crate::theme::GRID;

/// Whether it is kept now, and the button that changes that; nothing where all of it is kept.
pub fn show(ui: &mut Ui, scene: &Scene<'_>, actions: &mut Vec<Action>) {
    let Some(status) = scene.status.window else {
        return;
    };
    let theme = scene.theme;
    ui.add_space(2.0 * GRID);
    let length = |nanos: u64| text::duration(Nanos(i64::try_from(nanos).unwrap_or(i64::MAX)));
    let (words, colour, label, help, control) = match status {
        WindowStatus::Open => (
            "● kept".to_owned(),
            theme.good,
            "Stop keeping",
            "Keep nothing of what the program does from now on, until you start again",
            Some(WindowControl::Stop),
        ),
        WindowStatus::Closed => (
            "○ not kept".to_owned(),
            theme.weak,
            "Start keeping",
            "Keep what the program does from now on; ranges that are open now are kept whole",
            Some(WindowControl::Start),
        ),
        WindowStatus::Last(nanos) => (
            format!("the last {}", length(nanos)),
            theme.weak,
            "Keep now",
            "Put the last stretch of time into a tab of its own, and into a file beside the output if one was named; the program goes on",
            Some(WindowControl::Keep),
        ),
        WindowStatus::Keeping(nanos) => (
            format!("keeping the last {}", length(nanos)),
            theme.accent,
            "Keep now",
            "It is put into a tab of its own in a moment",
            None,
        ),
    };
    let button = ui.add_enabled_ui(control.is_some(), |ui| ui.button(label));
    let button = button
        .inner
        .on_hover_text(help)
        .on_disabled_hover_text(help);
    if button.clicked() {
        actions.extend(control.map(Action::Window));
    }
    ui.label(RichText::new(words).color(colour));
}

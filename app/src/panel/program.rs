//! The window that asks which program to record.

use eframe::egui::{Button, DragValue, Key, RichText, TextEdit, Ui};
use engine::activity::{CaptureWindow, RingLimit};
use engine::runner::Phase;

use super::widgets::section;
use super::{Panel, PanelPosition, Scene};
use crate::action::Action;
use crate::state::OverlayWindow;
use crate::theme::GRID;

/// The window that asks which program to record.
pub struct ProgramDialog {
    line: String,
    kept: KeptPart,
    /// How long the last stretch of time is, in seconds.
    seconds: f64,
}

/// What part of what the program does is kept.
#[derive(Clone, Copy, PartialEq, Eq)]
enum KeptPart {
    Whole,
    Switched,
    Last,
}

impl Default for ProgramDialog {
    fn default() -> Self {
        Self {
            line: String::new(),
            kept: KeptPart::Whole,
            seconds: 10.0,
        }
    }
}

impl ProgramDialog {
    /// What is kept, as the engine is told.
    fn window(&self) -> CaptureWindow {
        match self.kept {
            KeptPart::Whole => CaptureWindow::Whole,
            KeptPart::Switched => CaptureWindow::Switched,
            KeptPart::Last => CaptureWindow::Last(RingLimit {
                nanos: (self.seconds * 1e9) as u64,
                bytes: RingLimit::USUAL,
            }),
        }
    }

    /// What of it is kept.
    fn choices(&mut self, ui: &mut Ui) {
        ui.horizontal_wrapped(|ui| {
            ui.radio_value(&mut self.kept, KeptPart::Whole, "Keep everything");
            ui.radio_value(&mut self.kept, KeptPart::Switched, "Start paused")
                .on_hover_text(
                    "Keep nothing until you press Start keeping in the bar at the top",
                );
            ui.radio_value(&mut self.kept, KeptPart::Last, "Keep the last")
                .on_hover_text(
                    "Keep the last stretch of time before the end, and each time that you press Keep now in the bar at the top",
                );
            let seconds = DragValue::new(&mut self.seconds).range(0.1..=86_400.0);
            ui.add_enabled(self.kept == KeptPart::Last, seconds.suffix(" s"));
        });
    }
}

/// What happens when somebody records.
const ABOUT: &str = "Starts it here, with a library of Syncline's that NVIDIA's driver loads into it and into all that it \
    starts; CUPTI tells that what they do on the device. Its input and output are those of the terminal that Syncline was \
    started from. Stop ends it as Ctrl-C does, and when it has ended, its capture is on screen to be saved.";

/// Why the command line cannot be taken apart, in words for the user.
const UNFINISHED: &str = "a quotation mark is open: close it, or put a backslash before it";

/// The words of a command line, as a shell takes it apart; nothing where it is unfinished or has none.
pub fn words(line: &str) -> Option<Vec<String>> {
    shlex::split(line).filter(|words| !words.is_empty())
}

impl Panel for ProgramDialog {
    fn id(&self) -> &'static str {
        "program"
    }

    fn title(&self) -> &'static str {
        "Record a program"
    }

    fn place(&self) -> PanelPosition {
        PanelPosition::Window(OverlayWindow::Program)
    }

    fn ui(&mut self, ui: &mut Ui, scene: &Scene<'_>, actions: &mut Vec<Action>) {
        let theme = scene.theme;
        section(ui, theme, "A program that uses CUDA or NVTX");
        let obstacle = obstacle(scene);
        let mut wanted = None;
        ui.horizontal(|ui| {
            let edit = TextEdit::singleline(&mut self.line).hint_text("python train.py --steps 10");
            let edit = ui.add(edit.desired_width(360.0));
            let entered = edit.lost_focus() && ui.input(|input| input.key_pressed(Key::Enter));
            let can = obstacle.is_none() && words(&self.line).is_some();
            let clicked = ui.add_enabled(can, Button::new("Record")).clicked();
            if can && (clicked || entered) {
                wanted = Some(self.line.trim().to_owned());
            }
        });
        self.choices(ui);
        let is_unfinished = !self.line.trim().is_empty() && words(&self.line).is_none();
        if let Some(reason) = obstacle.or(is_unfinished.then_some(UNFINISHED)) {
            ui.label(RichText::new(format!("! {reason}")).color(theme.warning));
        }
        ui.add_space(GRID);
        ui.label(RichText::new(ABOUT).color(theme.weak));
        let lines = &scene.state.settings.programs;
        if !lines.is_empty() {
            section(ui, theme, "Lately");
        }
        for line in lines {
            if ui
                .add_enabled(obstacle.is_none(), Button::new(line))
                .clicked()
            {
                wanted = Some(line.clone());
            }
        }
        actions.extend(wanted.map(|line| Action::Record(line, self.window())));
    }
}

/// Why no program can be recorded now.
fn obstacle(scene: &Scene<'_>) -> Option<&'static str> {
    if !cfg!(target_os = "linux") {
        Some("programs are recorded on Linux alone")
    } else if scene.status.connection.is_some() {
        Some("the engine is elsewhere: choose “In this process” under Connect… first")
    } else if scene.status.phase != Phase::Idle {
        Some("something runs: stop it first")
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn command_lines_are_taken_apart_as_a_shell_does() {
        let found = words("python 'my file.py' --name=\"a b\" x\\ y").unwrap();
        assert_eq!(found, ["python", "my file.py", "--name=a b", "x y"]);
        assert!(words("   ").is_none() && words("echo 'open").is_none());
    }
}

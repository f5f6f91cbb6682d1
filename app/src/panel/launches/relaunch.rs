//! Changing an argument and launching again: two lines behind the last launch in the workload's text, and another run.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use eframe::egui::{DragValue, RichText, Ui};
use engine::capture::LaunchHistory;
use engine::record::{CallId, LaunchStep};

use crate::action::{Action, Command};
use crate::panel::Scene;
use crate::panel::widgets::{field, hint, link};
use crate::text;

/// The values that arguments were moved to, by launch and argument.
#[derive(Default)]
pub struct LaunchEdits(BTreeMap<(u32, String), f64>);

/// Where a launch was made last: the line of the call, counted from 1, and the stream.
struct LastLaunch<'s> {
    line: u32,
    stream: &'s str,
}

impl LaunchEdits {
    /// Shows the arguments, numbers as fields to change, and the offer to launch again.
    pub fn show(
        &mut self,
        ui: &mut Ui,
        scene: &Scene<'_>,
        launched: &LaunchHistory,
        step: &LaunchStep,
        actions: &mut Vec<Action>,
    ) {
        let id = launched.launch.id.0;
        let last = last(scene, launched);
        let mut moved = Vec::new();
        for (name, value) in &step.arguments {
            let Ok(own) = value.parse::<f64>() else {
                field(ui, scene.theme, name, value);
                continue;
            };
            let key = (id, name.clone());
            let mut number = self.0.get(&key).copied().unwrap_or(own);
            ui.horizontal(|ui| {
                ui.label(RichText::new(name).color(scene.theme.weak));
                ui.add_enabled(last.is_some(), DragValue::new(&mut number).speed(0.1));
                if number != own {
                    ui.label(RichText::new(format!("was {value}")).color(scene.theme.weak));
                }
            });
            if number == own {
                self.0.remove(&key);
            } else {
                self.0.insert(key, number);
                moved.push((name.as_str(), number));
            }
        }
        let Some(last) = last else {
            let words = "To launch it again with other numbers, run the workload from this window: this needs its text";
            hint(ui, scene.theme, words);
            return;
        };
        let words = format!("▶ Set and launch again ({})", Command::Rerun.key());
        let help = format!(
            "Writes set and relaunch after line {} of the workload's text, on {}, and runs it again from its beginning",
            last.line, last.stream
        );
        if link(ui, &words, scene.theme.accent)
            .on_hover_text(&help)
            .clicked()
            && let Some(source) = source(scene)
        {
            let name = &launched.launch.name;
            actions.push(Action::Edit(with_launch(source, &last, name, &moved)));
            actions.push(Command::Rerun.into());
            self.0.clear();
        }
        ui.label(RichText::new(help).color(scene.theme.weak).small());
    }
}

/// The text of the run on screen, where it is the one that is edited.
fn source<'s>(scene: &Scene<'s>) -> Option<&'s str> {
    let run = scene.capture.run()?;
    let text = scene.state.documents.text()?;
    (text.name == run.name && text.source == run.source).then_some(&text.source)
}

fn last<'s>(scene: &Scene<'s>, launched: &LaunchHistory) -> Option<LastLaunch<'s>> {
    source(scene)?;
    let last = launched.launches.last()?;
    let span = scene.capture.span(last.operation)?.span;
    let line = call_line(scene, span.call)?;
    let stream = &scene.capture.lane(span.lane)?.name;
    Some(LastLaunch { line, stream })
}

fn call_line(scene: &Scene<'_>, call: CallId) -> Option<u32> {
    let call = scene.capture.calls().get(call.index())?;
    (call.line > 0).then_some(call.line)
}

/// The text with the arguments set and one more launch behind the last one, indented as that is.
fn with_launch(source: &str, last: &LastLaunch<'_>, name: &str, moved: &[(&str, f64)]) -> String {
    let mut out = String::new();
    for (at, line) in source.lines().enumerate() {
        out.push_str(line);
        out.push('\n');
        if at + 1 != last.line as usize {
            continue;
        }
        let indent: String = line.chars().take_while(|it| it.is_whitespace()).collect();
        for (argument, value) in moved {
            let value = text::number(*value).replace(text::THIN, "");
            // Writing to a string cannot fail.
            let _ = writeln!(out, "{indent}set \"{name}\" \"{argument}\" {value}");
        }
        let _ = writeln!(out, "{indent}relaunch \"{name}\" on=\"{}\"", last.stream);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::workload::Document;

    #[test]
    fn one_more_launch_is_written_behind_the_last_one() {
        let source = "stream \"s\"\nbuffer \"x\" f32=4\nrecorded \"r\"\nhost \"main\" {\n    record-launch \"r\" \
                      \"scale\" { read \"x\"; write \"x\" }\n    relaunch \"r\" on=\"s\"\n    synchronize-device\n}\n";
        let last = LastLaunch {
            line: 6,
            stream: "s",
        };
        let text = with_launch(source, &last, "r", &[("a", 2.5)]);
        assert!(text.contains(
            "    relaunch \"r\" on=\"s\"\n    set \"r\" \"a\" 2.5\n    relaunch \"r\" on=\"s\"\n"
        ));
        assert_eq!(Document::check("a.kdl", &text), []);
    }
}

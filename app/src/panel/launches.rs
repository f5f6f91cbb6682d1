//! Launches: what was recorded or captured once, with its arguments, and every time it was launched.

mod detail;
mod graph;
mod relaunch;

use eframe::egui::{ScrollArea, Ui};
use engine::capture::LaunchHistory;
use engine::record::{LaunchKind, LaunchStep};

use self::relaunch::LaunchEdits;
use super::widgets::hint;
use super::{Panel, PanelPosition, Scene};
use crate::action::Action;
use crate::text;

/// Launches: what was recorded or captured once, with its arguments, and every time it was launched.
#[derive(Default)]
pub struct LaunchesPanel {
    chosen: usize,
    again: LaunchEdits,
}

/// Width of the list.
const LIST: f32 = 360.0;

impl Panel for LaunchesPanel {
    fn id(&self) -> &'static str {
        "launches"
    }

    fn title(&self) -> &'static str {
        "Launches"
    }

    fn place(&self) -> PanelPosition {
        PanelPosition::Docked
    }

    fn count(&self, scene: &Scene<'_>) -> Option<usize> {
        let count = scene.capture.launches().len();
        (count > 0).then_some(count)
    }

    fn is_idle(&self, scene: &Scene<'_>) -> bool {
        scene.capture.launches().is_empty()
    }

    fn ui(&mut self, ui: &mut Ui, scene: &Scene<'_>, actions: &mut Vec<Action>) {
        let all = scene.capture.launches();
        if all.is_empty() {
            hint(
                ui,
                scene.theme,
                "This capture has no recorded launches and no graphs. A workload that calls record-launch or begin-capture \
                 fills this list: what is made once, changed, and launched many times",
            );
            return;
        }
        self.chosen = self.chosen.min(all.len() - 1);
        ui.horizontal_top(|ui| {
            ui.vertical(|ui| {
                ui.set_width(LIST);
                self.list(ui, scene, all);
            });
            ui.separator();
            ui.vertical(|ui| {
                if let Some(launched) = all.get(self.chosen) {
                    ScrollArea::vertical()
                        .id_salt(("launch", self.chosen))
                        .auto_shrink(false)
                        .show(ui, |ui| {
                            detail::show(ui, scene, launched, &mut self.again, actions);
                        });
                }
            });
        });
    }
}

impl LaunchesPanel {
    fn list(&mut self, ui: &mut Ui, scene: &Scene<'_>, all: &[LaunchHistory]) {
        let height = ui.spacing().interact_size.y;
        let rows = ScrollArea::vertical()
            .id_salt("launches")
            .auto_shrink(false);
        rows.show_rows(ui, height, all.len(), |ui, shown| {
            for at in shown {
                let Some(launched) = all.get(at) else {
                    continue;
                };
                let words = line(scene, launched);
                let row = ui.selectable_label(at == self.chosen, words);
                if row.clicked() {
                    self.chosen = at;
                }
            }
        });
    }
}

/// A launch in one line: its name, what it is, how often it was launched and where last.
fn line(scene: &Scene<'_>, launched: &LaunchHistory) -> String {
    let step = launched.step();
    let what = match launched.launch.kind {
        LaunchKind::Kernel => step.map_or("not recorded", |step| &step.kernel).to_owned(),
        LaunchKind::Graph => {
            let nodes = step.map_or(0, |step| step.nodes.len() as u64);
            format!("graph of {}", text::counted(nodes, "node"))
        }
    };
    let count = launched.launches.len();
    let last = match last_stream(scene, launched) {
        Some(stream) => format!("{count} × , last on {stream}"),
        None => "never launched".to_owned(),
    };
    format!("{} · {what} · {last}", launched.launch.name).replace("× ,", "×,")
}

/// The stream that it was launched on last.
fn last_stream<'s>(scene: &Scene<'s>, launched: &LaunchHistory) -> Option<&'s str> {
    let last = launched.launches.last()?;
    let span = scene.capture.span(last.operation)?.span;
    scene.capture.lane(span.lane).map(|lane| lane.name.as_str())
}

/// How many elements a launch treats.
fn dimensions(step: &LaunchStep) -> String {
    match step.elements {
        Some(elements) => text::counted(elements, "element"),
        None => "as many elements as its buffers have".to_owned(),
    }
}

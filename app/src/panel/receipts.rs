//! What became of all that the opened files held, and how several files lie against each other; of a recording that is on
//! screen and in no file yet, what its window left out.

use eframe::egui::{DragValue, RichText, ScrollArea, Ui};
use engine::importer::MergedFile;
use engine::time::Nanos;

use super::widgets::hint;
use super::{Panel, PanelPosition, Scene};
use crate::action::Action;
use crate::text;
use crate::theme::GRID;

/// What became of all that the opened files held.
pub struct ReceiptsPanel;

impl Panel for ReceiptsPanel {
    fn id(&self) -> &'static str {
        "receipt"
    }

    fn title(&self) -> &'static str {
        "Receipt"
    }

    fn place(&self) -> PanelPosition {
        PanelPosition::Docked
    }

    fn ui(&mut self, ui: &mut Ui, scene: &Scene<'_>, actions: &mut Vec<Action>) {
        let parts = &scene.status.parts;
        let notes = scene.capture.notes();
        if parts.is_empty() && !notes.is_empty() {
            ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
                ui.add_space(GRID);
                for text in notes {
                    note(ui, scene, text);
                }
            });
            return;
        }
        if parts.is_empty() {
            hint(
                ui,
                scene.theme,
                "An opened file's receipt stands here: how much was read, repaired and inferred, and what the file \
                 does not hold",
            );
            return;
        }
        ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
            for (place, part) in parts.iter().enumerate() {
                ui.add_space(GRID);
                file(ui, scene, part);
                if parts.len() > 1 {
                    alignment(ui, scene, (place, part), actions);
                }
                rows(ui, scene, part);
                ui.add_space(2.0 * GRID);
            }
        });
    }
}

fn file(ui: &mut Ui, scene: &Scene<'_>, part: &MergedFile) {
    ui.horizontal_wrapped(|ui| {
        if !part.label.is_empty() {
            ui.label(RichText::new(&part.label).strong().color(scene.theme.text));
        }
        let path = part.path.display().to_string();
        ui.label(RichText::new(path).color(scene.theme.weak));
    });
    let receipt = &part.receipt;
    let counts = [
        format!(
            "{} {} read",
            text::count(receipt.events),
            receipt.unit.label(receipt.events)
        ),
        format!("{} repaired", text::count(receipt.repaired)),
        format!("{} inferred", text::count(receipt.inferred)),
        format!("{} dropped", text::count(receipt.dropped)),
    ];
    ui.label(counts.join(" · "));
}

/// How the file lies against the first, and a number to move it by.
fn alignment(
    ui: &mut Ui,
    scene: &Scene<'_>,
    (place, part): (usize, &MergedFile),
    actions: &mut Vec<Action>,
) {
    ui.horizontal(|ui| {
        let how = format!("aligned {}, moved by", part.aligned.label());
        ui.label(RichText::new(how).color(scene.theme.weak));
        let by = scene
            .state
            .alignment
            .get(place)
            .copied()
            .unwrap_or_default();
        let mut nanos = by.0;
        let number = DragValue::new(&mut nanos).speed(100.0).suffix(" ns");
        let changed = ui
            .add(number)
            .on_hover_text("Drag, or click and type; Back undoes it");
        if nanos != by.0 && changed.changed() {
            actions.push(Action::Align(place, Nanos(nanos)));
        }
    });
}

fn rows(ui: &mut Ui, scene: &Scene<'_>, part: &MergedFile) {
    for (cause, count) in &part.receipt.repairs {
        let text = format!("repaired: {cause}: {}", text::count(*count));
        ui.label(RichText::new(text).color(scene.theme.warning));
    }
    for text in &part.receipt.notes {
        note(ui, scene, text);
    }
}

fn note(ui: &mut Ui, scene: &Scene<'_>, text: &str) {
    ui.horizontal_wrapped(|ui| {
        ui.label(RichText::new("•").color(scene.theme.weak));
        ui.label(text);
    });
}

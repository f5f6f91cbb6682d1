//! The line of the workload that made a span, with two lines around it.

use eframe::egui::{Label, RichText, Sense, Ui, text::LayoutJob};
use engine::record::CallId;

use crate::action::Action;
use crate::panel::Scene;
use crate::panel::source::highlight;
use crate::panel::widgets::{card, compact, section};

/// Lines shown before and after the one that is meant.
const AROUND: usize = 2;

/// Shows the line that `call` stands in, where the capture carries its workload.
pub fn show(ui: &mut Ui, scene: &Scene<'_>, call: CallId, actions: &mut Vec<Action>) {
    let source = scene.capture.run().map_or("", |run| run.source.as_str());
    let line = scene
        .capture
        .calls()
        .get(call.index())
        .map_or(0, |call| call.line as usize);
    if !call.is_some() || line == 0 || source.is_empty() {
        return;
    }
    section(ui, scene.theme, "Source");
    let first = line.saturating_sub(AROUND + 1);
    let shown = || source.lines().enumerate().skip(first).take(2 * AROUND + 1);
    let filled = shown().filter(|(_, words)| !words.trim().is_empty());
    let indents = filled.map(|(_, words)| words.len() - words.trim_start().len());
    let indent = indents.min().unwrap_or(0);
    card(ui, scene.theme.well, |ui| {
        ui.set_width(ui.available_width());
        ui.spacing_mut().item_spacing.y = 0.0;
        compact(ui);
        for (at, words) in shown() {
            let words = words.get(indent..).unwrap_or_default();
            if one(ui, scene, at + 1, words, at + 1 == line) {
                actions.push(Action::OpenTab("source"));
            }
        }
    });
}

fn one(ui: &mut Ui, scene: &Scene<'_>, number: usize, words: &str, meant: bool) -> bool {
    let theme = scene.theme;
    let fill = if meant { theme.chosen } else { theme.well };
    let frame = eframe::egui::Frame::new()
        .fill(fill)
        .corner_radius(3)
        .inner_margin(2);
    let shown = frame.show(ui, |ui| {
        ui.set_width(ui.available_width());
        ui.horizontal(|ui| {
            ui.add(
                Label::new(
                    RichText::new(format!("{number:>3}"))
                        .monospace()
                        .color(theme.weak),
                )
                .selectable(false),
            );
            let job: LayoutJob = highlight(theme, words.trim_end(), &[]);
            ui.add(Label::new(job).truncate().sense(Sense::click()))
        })
        .inner
    });
    shown.inner.on_hover_text(words.trim()).clicked()
}

//! What several selected spans come to, and a table of them.

use eframe::egui::{RichText, Ui};
use engine::capture::Capture;
use engine::record::SpanId;
use engine::time::{Interval, Nanos, total};

use super::range_table::OriginTable;
use super::span_table::SpanListTable;
use super::widgets::{hint, toggle};
use super::{Panel, PanelPosition, Scene};
use crate::action::Action;
use crate::text;
use crate::theme::GRID;

/// What several selected spans come to, and a table of them.
#[derive(Default)]
pub struct SelectionPanel {
    table: SpanListTable,
    origins: OriginTable,
    /// Whether the ranges that they came from are listed, in place of the spans.
    lists_ranges: bool,
    /// What the figures are of, and another number for each.
    of: (Vec<SpanId>, u64),
    figures: String,
}

impl Panel for SelectionPanel {
    fn id(&self) -> &'static str {
        "selection"
    }

    fn title(&self) -> &'static str {
        "Selection"
    }

    fn place(&self) -> PanelPosition {
        PanelPosition::Docked
    }

    fn count(&self, scene: &Scene<'_>) -> Option<usize> {
        Some(scene.state.selection.group.len())
    }

    fn is_idle(&self, scene: &Scene<'_>) -> bool {
        scene.state.selection.group.is_empty()
    }

    fn ui(&mut self, ui: &mut Ui, scene: &Scene<'_>, actions: &mut Vec<Action>) {
        let group = &scene.state.selection.group;
        if group.is_empty() {
            let words = "Several spans are chosen by Ctrl and Shift with a click, or by Shift with a drag: what they come \
                to stands here";
            return hint(ui, scene.theme, words);
        }
        if !group.iter().eq(&self.of.0) {
            self.of = (group.iter().copied().collect(), self.of.1 + 1);
            self.figures = figures(scene.capture, &self.of.0);
        }
        ui.horizontal_wrapped(|ui| {
            for (is_ranges, words) in [(false, "Spans"), (true, "Ranges they came from")] {
                if toggle(ui, scene.theme, self.lists_ranges == is_ranges, words).clicked() {
                    self.lists_ranges = is_ranges;
                }
            }
            ui.label(RichText::new(&self.figures).color(scene.theme.text));
        });
        ui.add_space(GRID);
        let spans = self.of.0.as_slice();
        let clicked = if self.lists_ranges {
            self.origins.show(ui, scene, (self.of.1, spans))
        } else {
            let of = (self.of.1, spans.len(), spans.iter().copied());
            self.table.show(ui, scene, "selected spans", of)
        };
        if let Some(span) = clicked {
            let spans = self.of.0.clone();
            actions.extend([Action::Reveal(span), Action::SelectGroup(spans)]);
        }
    }
}

/// How many they are, their lengths added up, how long any of them ran, and from the first to the last.
fn figures(capture: &Capture, spans: &[SpanId]) -> String {
    let placed = spans.iter().filter_map(|span| capture.span(*span));
    let mut all: Vec<Interval> = placed.map(|it| it.interval()).collect();
    all.sort_by_key(|it| (it.start, it.end));
    let sum: Nanos = all.iter().map(|it| it.length()).sum();
    let mut merged: Vec<Interval> = Vec::new();
    for interval in &all {
        match merged.last_mut() {
            Some(last) if interval.start <= last.end => *last = last.union(*interval),
            _ => merged.push(*interval),
        }
    }
    let whole = all
        .iter()
        .copied()
        .reduce(Interval::union)
        .unwrap_or_default();
    format!(
        "{} · {} added up · {} in which any of them ran · {} from the first to the last",
        text::counted(spans.len() as u64, "span"),
        text::duration(sum),
        text::duration(total(&merged)),
        text::duration(whole.length()),
    )
}

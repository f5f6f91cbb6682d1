//! The buttons above: of which device, at which moment, and put together by what.

use eframe::egui::Ui;
use engine::analysis::memory::MemoryGrouping;

use super::loader::MemoryMomentChoice;
use super::{MemoryPanel, MemoryView};
use crate::action::Action;
use crate::panel::Scene;
use crate::panel::widgets::toggle;

impl MemoryPanel {
    /// What is shown, and how; gives the pool that was chosen.
    pub(super) fn heading(
        &mut self,
        ui: &mut Ui,
        scene: &Scene<'_>,
        actions: &mut Vec<Action>,
    ) -> Option<usize> {
        let mut chosen = None;
        ui.horizontal_wrapped(|ui| {
            let answer = self.loader.found();
            let shown = answer.map_or(0, |it| it.pool);
            let pools = answer.map_or(&[][..], |it| it.pools.as_slice());
            let shown_by = answer.and_then(|it| it.by);
            let has_segments = answer.is_some_and(|it| !it.segments.is_empty());
            if pools.len() > 1 {
                for (place, title) in pools.iter().enumerate() {
                    if toggle(ui, scene.theme, shown == place, title).clicked() {
                        chosen = Some(place);
                    }
                }
                ui.separator();
            }
            self.moments(ui, scene);
            ui.separator();
            for by in MemoryGrouping::ALL {
                let view = MemoryView::Groups(by);
                let is_usual = self.view == MemoryView::Usual && shown_by == Some(by);
                let is_shown = is_usual || self.view == view;
                if toggle(ui, scene.theme, is_shown, grouping_title(by)).clicked() {
                    self.view = view;
                }
            }
            let others = [
                (MemoryView::Each, "Each allocation", true),
                (MemoryView::Segments, "Segments", has_segments),
            ];
            for (view, words, is_there) in others {
                let is_shown = self.view == view;
                if (is_there || is_shown) && toggle(ui, scene.theme, is_shown, words).clicked() {
                    self.view = view;
                }
            }
            ui.separator();
            let help = "Copy the rows of the table as comma-separated values, times in nanoseconds";
            if ui.button("Copy as CSV").on_hover_text(help).clicked() {
                actions.push(Action::Copy(self.table.csv(shown_by.is_some())));
            }
        });
        chosen
    }

    /// The moments that may be chosen.
    fn moments(&mut self, ui: &mut Ui, scene: &Scene<'_>) {
        let selection = &scene.state.selection;
        let peak = match selection.range {
            Some(_) => "Peak of the range",
            None => "Peak",
        };
        let choices = [
            (
                MemoryMomentChoice::Peak,
                peak,
                "What was alive when most was allocated",
                true,
            ),
            (
                MemoryMomentChoice::Selected,
                "Selected span",
                "What was alive when the selected span began",
                selection.span.is_some(),
            ),
            (
                MemoryMomentChoice::End,
                "End",
                "What was alive at the end of the capture, or of the selected range",
                true,
            ),
            (
                MemoryMomentChoice::Kept,
                "Kept beyond its step",
                "What was freed after the end of the step in which it was allocated, or never",
                true,
            ),
        ];
        for (moment, words, help, is_there) in choices {
            let is_shown = self.moment == moment;
            // It keeps its place, so that the others do not move under the pointer.
            let is_enabled = is_there || is_shown;
            let button =
                ui.add_enabled_ui(is_enabled, |ui| toggle(ui, scene.theme, is_shown, words));
            if button.inner.on_hover_text(help).clicked() {
                self.moment = moment;
            }
        }
    }
}

/// What a grouping is called on its button.
const fn grouping_title(by: MemoryGrouping) -> &'static str {
    match by {
        MemoryGrouping::Operator => "By operator",
        MemoryGrouping::Range => "By range",
        MemoryGrouping::Function => "By function",
        MemoryGrouping::Size => "By size",
    }
}

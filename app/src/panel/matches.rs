//! The matches of the search, as a table that sorts.

use eframe::egui::Ui;

use super::span_table::SpanListTable;
use super::widgets::hint;
use super::{Panel, PanelPosition, Scene};
use crate::action::{Action, Command};

/// The matches of the search.
#[derive(Default)]
pub struct MatchesPanel(SpanListTable);

impl Panel for MatchesPanel {
    fn id(&self) -> &'static str {
        "matches"
    }

    fn title(&self) -> &'static str {
        "Matches"
    }

    fn place(&self) -> PanelPosition {
        PanelPosition::Docked
    }

    fn is_idle(&self, scene: &Scene<'_>) -> bool {
        scene.state.search.is_empty()
    }

    fn count(&self, scene: &Scene<'_>) -> Option<usize> {
        let found = &scene.status.found;
        (!scene.state.search.is_empty()).then_some(found.count)
    }

    fn ui(&mut self, ui: &mut Ui, scene: &Scene<'_>, actions: &mut Vec<Action>) {
        let found = &scene.status.found;
        if scene.state.search.is_empty() {
            let words = format!(
                "What is searched for is listed here; {} goes to the field",
                Command::Search.key()
            );
            return hint(ui, scene.theme, &words);
        }
        let spans = found.matches.iter().map(|(_, span)| *span);
        let of = (found.version, found.count, spans);
        if let Some(span) = self.0.show(ui, scene, "matches", of) {
            actions.push(Action::Reveal(span));
        }
    }
}

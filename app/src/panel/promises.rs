//! The promises: what each asynchronous call came to, when and why, by the specification and in fact.

mod lines;

use eframe::egui::Ui;

use self::lines::{COLUMNS, PromiseLine};
use super::table::{FilteredTable, SortOrder};
use super::widgets::hint;
use super::{Panel, PanelPosition, Scene};
use crate::action::Action;
use crate::state::Topic;

/// The promises: what each asynchronous call came to, when and why, by the specification and in fact.
pub struct PromisesPanel(FilteredTable<PromiseLine>);

impl Default for PromisesPanel {
    fn default() -> Self {
        Self(FilteredTable::new(SortOrder::by(4)))
    }
}

impl Panel for PromisesPanel {
    fn id(&self) -> &'static str {
        "promises"
    }

    fn title(&self) -> &'static str {
        "Promises"
    }

    fn place(&self) -> PanelPosition {
        PanelPosition::Docked
    }

    fn count(&self, scene: &Scene<'_>) -> Option<usize> {
        let count = scene.capture.promises().len();
        (count > 0).then_some(count)
    }

    fn is_idle(&self, scene: &Scene<'_>) -> bool {
        scene.capture.promises().is_empty()
    }

    fn ui(&mut self, ui: &mut Ui, scene: &Scene<'_>, actions: &mut Vec<Action>) {
        if scene.capture.promises().is_empty() {
            hint(
                ui,
                scene.theme,
                "This capture has no promises. Every call of an asynchronous API makes one, such as map-async or \
                 create-pipeline-async, and this table says how each ended",
            );
            return;
        }
        let promises = scene.capture.promises();
        let now = (scene.capture.revision(), promises.len(), scene.theme.dark);
        let rows = promises.iter().map(|it| lines::line(scene, it));
        self.0.read(now, rows);
        let endings = lines::endings(scene.theme);
        let chosen = scene.state.selection.topic;
        let is_chosen = |line: &PromiseLine| chosen == Some(Topic::Promise(line.id));
        let table = (COLUMNS, endings.as_slice());
        let clicked = self.0.show(ui, scene, ("promises", ""), table, is_chosen);
        if let Some((line, _)) = clicked {
            actions.push(Action::SelectTopic(Topic::Promise(line.id)));
        }
    }
}

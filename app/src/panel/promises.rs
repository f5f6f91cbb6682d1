//! The promises: what each asynchronous call came to, when and why, by the specification and in fact.

mod lines;

use std::collections::BTreeSet;

use eframe::egui::Ui;

use self::lines::{COLUMNS, PromiseEnding, PromiseLine};
use super::pipelines::{bar, flip, kept};
use super::table::{self, SortOrder, TableCell};
use super::widgets::hint;
use super::{Panel, PanelPosition, Scene};
use crate::action::Action;
use crate::state::Topic;

/// The promises: what each asynchronous call came to, when and why, by the specification and in fact.
pub struct PromisesPanel {
    order: SortOrder,
    filter: String,
    hidden: BTreeSet<PromiseEnding>,
    lines: Vec<PromiseLine>,
    cells: Vec<Vec<TableCell>>,
    read: Option<(u64, usize, bool)>,
}

impl Default for PromisesPanel {
    fn default() -> Self {
        Self {
            order: SortOrder::by(4),
            filter: String::new(),
            hidden: BTreeSet::new(),
            lines: Vec::new(),
            cells: Vec::new(),
            read: None,
        }
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
        PanelPosition::Bottom
    }

    fn count(&self, scene: &Scene<'_>) -> Option<usize> {
        let count = scene.capture.promises().len();
        (count > 0).then_some(count)
    }

    fn ui(&mut self, ui: &mut Ui, scene: &Scene<'_>, actions: &mut Vec<Action>) {
        if scene.capture.promises().is_empty() {
            hint(
                ui,
                scene.theme,
                "This capture has no promises. Every call of an asynchronous API makes one, such as map-async or \
                 create-pipeline-async, and this table says what each came to",
            );
            return;
        }
        self.read(scene);
        let chips = lines::chips(scene, &self.lines, &self.hidden);
        let clicked = bar(ui, scene, ("promises", ""), &chips, &mut self.filter);
        flip(&mut self.hidden, clicked);
        let wanted = self.filter.to_lowercase();
        let shown = table::sorted(&self.cells, self.order, |at| {
            let line = self.lines.get(at);
            line.is_some_and(|line| {
                !self.hidden.contains(&line.state) && kept(&line.words, &wanted)
            })
        });
        let chosen = match scene.state.selection.topic {
            Some(Topic::Promise(id)) => Some(id.index()),
            _ => None,
        };
        let rows = (self.cells.as_slice(), shown.as_slice(), chosen);
        let click = table::show(ui, scene, COLUMNS, &mut self.order, rows);
        if let Some(line) = click.and_then(|click| self.lines.get(click.row)) {
            actions.push(Action::SelectTopic(Topic::Promise(line.id)));
        }
    }
}

impl PromisesPanel {
    /// Reads the promises again where the capture has changed.
    fn read(&mut self, scene: &Scene<'_>) {
        let capture = scene.capture;
        let now = (
            capture.revision(),
            capture.promises().len(),
            scene.theme.dark,
        );
        if self.read == Some(now) {
            return;
        }
        self.read = Some(now);
        let read = |pledge| lines::line(scene, pledge);
        (self.lines, self.cells) = capture.promises().iter().map(read).unzip();
    }
}

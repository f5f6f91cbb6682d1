//! The pipelines: how each came to be ready, who compiled it and what needed it first.

mod lines;

use std::collections::BTreeSet;

use eframe::egui::Ui;
use engine::record::{CompileTime, PipelineState};

use self::lines::{COLUMNS, DETAIL, FIRST_USE, PipelineLine};
use super::table::{ChipState, FilteredTable, SortOrder};
use super::widgets::{Sign, hint};
use super::{Panel, PanelPosition, Scene};
use crate::action::Action;
use crate::state::Topic;

pub use lines::generation;

/// The pipelines: how each came to be ready, who compiled it and what needed it first.
pub struct PipelinesPanel(FilteredTable<PipelineLine>);

impl Default for PipelinesPanel {
    fn default() -> Self {
        Self(FilteredTable::new(SortOrder::by(3)))
    }
}

impl Panel for PipelinesPanel {
    fn id(&self) -> &'static str {
        "pipelines"
    }

    fn title(&self) -> &'static str {
        "Pipelines"
    }

    fn place(&self) -> PanelPosition {
        PanelPosition::Docked
    }

    fn count(&self, scene: &Scene<'_>) -> Option<usize> {
        let count = scene.capture.pipelines().len();
        (count > 0).then_some(count)
    }

    fn is_idle(&self, scene: &Scene<'_>) -> bool {
        scene.capture.pipelines().is_empty()
    }

    fn ui(&mut self, ui: &mut Ui, scene: &Scene<'_>, actions: &mut Vec<Action>) {
        if scene.capture.pipelines().is_empty() {
            hint(
                ui,
                scene.theme,
                "This capture has no pipelines. A workload that names pipelines, or calls create-pipeline, fills this table: \
                 each kernel with every state on its way from request to ready",
            );
            return;
        }
        let pipelines = scene.capture.pipelines();
        let now = (scene.capture.revision(), pipelines.len(), scene.theme.dark);
        let rows = pipelines.iter().map(|it| lines::line(scene, it));
        self.0.read(now, rows);
        let note = notes(scene);
        let states = PipelineState::ALL.iter();
        let states: Vec<ChipState<PipelineState>> = states
            .map(|&it| (it, it.label(), Some(Sign::of_state(it, scene.theme))))
            .collect();
        let chosen = scene.state.selection.topic;
        let is_chosen = |line: &PipelineLine| chosen == Some(Topic::Pipeline(line.id));
        let table = (COLUMNS, states.as_slice());
        let clicked = self
            .0
            .show(ui, scene, ("pipelines", &note), table, is_chosen);
        if let Some((line, column)) = clicked {
            follow(line, column, actions);
        }
    }
}

/// Goes where a cell of a pipeline's row leads.
fn follow(line: &PipelineLine, column: usize, actions: &mut Vec<Action>) {
    match (column, line.first_use, line.source) {
        (FIRST_USE, Some(span), _) => actions.push(Action::Reveal(span)),
        (DETAIL, _, true) => {
            actions.push(Action::SelectTopic(Topic::Pipeline(line.id)));
            actions.push(Action::OpenTab("source"));
        }
        _ => actions.push(Action::SelectTopic(Topic::Pipeline(line.id))),
    }
}

/// When the devices really compile, where that is not when a pipeline is created.
fn notes(scene: &Scene<'_>) -> String {
    let said: BTreeSet<CompileTime> = scene
        .capture
        .pipelines()
        .iter()
        .flat_map(|it| &it.steps)
        .filter_map(|step| step.compiles)
        .collect();
    let late = said.into_iter().filter(|it| *it != CompileTime::Creation);
    let words = late.map(|it| format!("on this device {}", it.about()));
    words.collect::<Vec<_>>().join(" · ")
}

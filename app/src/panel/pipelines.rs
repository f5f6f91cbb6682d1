//! The pipelines: how each came to be ready, who compiled it and what needed it first.

mod chips;
mod lines;

use std::collections::BTreeSet;

use eframe::egui::Ui;
use engine::record::{CompileTime, PipelineState};

use self::lines::{COLUMNS, DETAIL, FIRST_USE, PipelineLine};
use super::table::{self, SortOrder, TableCell, TableClick};
use super::widgets::{Sign, hint};
use super::{Panel, PanelPosition, Scene};
use crate::action::Action;
use crate::state::Topic;

pub use chips::{FilterChip, bar, flip, kept};
pub use lines::generation;

/// The pipelines: how each came to be ready, who compiled it and what needed it first.
pub struct PipelinesPanel {
    order: SortOrder,
    filter: String,
    hidden: BTreeSet<PipelineState>,
    lines: Vec<PipelineLine>,
    cells: Vec<Vec<TableCell>>,
    read: Option<(u64, usize, bool)>,
}

impl Default for PipelinesPanel {
    fn default() -> Self {
        Self {
            order: SortOrder::by(3),
            filter: String::new(),
            hidden: BTreeSet::new(),
            lines: Vec::new(),
            cells: Vec::new(),
            read: None,
        }
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
        PanelPosition::Bottom
    }

    fn count(&self, scene: &Scene<'_>) -> Option<usize> {
        let count = scene.capture.pipelines().len();
        (count > 0).then_some(count)
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
        self.read(scene);
        let chips = self.chips(scene);
        let note = notes(scene);
        let clicked = bar(ui, scene, ("pipelines", &note), &chips, &mut self.filter);
        flip(&mut self.hidden, clicked);
        let wanted = self.filter.to_lowercase();
        let shown = table::sorted(&self.cells, self.order, |at| {
            let line = self.lines.get(at);
            line.is_some_and(|line| {
                !self.hidden.contains(&line.state) && kept(&line.words, &wanted)
            })
        });
        let chosen = match scene.state.selection.topic {
            Some(Topic::Pipeline(id)) => Some(id.index()),
            _ => None,
        };
        let rows = (self.cells.as_slice(), shown.as_slice(), chosen);
        if let Some(click) = table::show(ui, scene, COLUMNS, &mut self.order, rows) {
            self.clicked(click, actions);
        }
    }
}

impl PipelinesPanel {
    /// Reads the pipelines again where the capture has changed.
    fn read(&mut self, scene: &Scene<'_>) {
        let capture = scene.capture;
        let now = (
            capture.revision(),
            capture.pipelines().len(),
            scene.theme.dark,
        );
        if self.read == Some(now) {
            return;
        }
        self.read = Some(now);
        let read = |stages| lines::line(scene, stages);
        (self.lines, self.cells) = capture.pipelines().iter().map(read).unzip();
    }

    /// A chip for each state that some pipeline is in.
    fn chips(&self, scene: &Scene<'_>) -> Vec<FilterChip<PipelineState>> {
        let chip = |&state: &PipelineState| {
            let lines = self.lines.iter();
            let count = lines.filter(|line| line.state == state).count();
            let chip = FilterChip {
                value: state,
                words: state.label(),
                sign: Sign::of_state(state, scene.theme),
                count,
                is_on: !self.hidden.contains(&state),
            };
            (count > 0).then_some(chip)
        };
        PipelineState::ALL.iter().filter_map(chip).collect()
    }

    fn clicked(&self, click: TableClick, actions: &mut Vec<Action>) {
        let Some(line) = self.lines.get(click.row) else {
            return;
        };
        match (click.column, line.first_use, line.source) {
            (FIRST_USE, Some(span), _) => actions.push(Action::Reveal(span)),
            (DETAIL, _, true) => {
                actions.push(Action::SelectTopic(Topic::Pipeline(line.id)));
                actions.push(Action::OpenTab("source"));
            }
            _ => actions.push(Action::SelectTopic(Topic::Pipeline(line.id))),
        }
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

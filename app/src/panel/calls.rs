//! What called what on the host, as a table and as a flame graph: of all, of the selected range, or of a selection.

mod flame;
mod loader;
mod table;

use std::collections::BTreeSet;
use std::sync::Arc;

use eframe::egui::{RichText, Ui};
use engine::analysis::{CallTree, HostLevel};
use engine::capture::Capture;
use engine::record::SpanId;

use self::flame::FlameGraph;
use self::loader::{CallLoader, CallQuestion};
use self::table::CallTable;
use super::widgets::{hint, toggle, without_spans};
use super::{Panel, PanelPosition, Scene};
use crate::action::Action;
use crate::state::MOST_SELECTED;
use crate::text;
use crate::theme::GRID;

/// How calls are shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum CallView {
    /// A row for each way of calls.
    #[default]
    Table,
    /// A bar for each, as wide as it took.
    Flame,
}

/// What the calls are of.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
enum CallPart {
    /// All of the capture.
    #[default]
    Whole,
    /// The selected range of time, as it moves.
    Range,
    /// The spans that were selected when this was asked for.
    Spans(Arc<BTreeSet<SpanId>>),
}

/// What called what on the host.
#[derive(Default)]
pub struct CallsPanel {
    loader: CallLoader,
    level: Option<HostLevel>,
    is_bottom_up: bool,
    view: CallView,
    part: CallPart,
    table: CallTable,
    flame: FlameGraph,
}

impl Panel for CallsPanel {
    fn id(&self) -> &'static str {
        "calls"
    }

    fn title(&self) -> &'static str {
        "Calls"
    }

    fn place(&self) -> PanelPosition {
        PanelPosition::Docked
    }

    fn is_idle(&self, scene: &Scene<'_>) -> bool {
        scene.status.contents.host_level.is_none()
    }

    fn ui(&mut self, ui: &mut Ui, scene: &Scene<'_>, actions: &mut Vec<Action>) {
        if scene.capture.span_count() == 0 {
            return hint(ui, scene.theme, &without_spans(scene, "Calls appear"));
        }
        if scene.grows() {
            let words = "Calls appear here when what runs has ended";
            return hint(ui, scene.theme, words);
        }
        let question = self.question(scene);
        self.loader.advance(ui.ctx(), scene.capture, question);
        self.heading(ui, scene, actions);
        ui.add_space(GRID);
        let Some((tree, version)) = self.loader.found() else {
            return hint(ui, scene.theme, "Reading calls…");
        };
        if tree.nodes.is_empty() {
            return hint(ui, scene.theme, nothing(scene.capture, &self.part));
        }
        let clicked = match self.view {
            CallView::Table => self.table.show(ui, scene, (tree, version)),
            CallView::Flame => self.flame.show(ui, scene, (tree, version)),
        };
        if let Some(node) = clicked {
            let spans = self.loader.spans(node);
            actions.extend(select(spans, tree, node));
        }
    }
}

impl CallsPanel {
    /// What is to be shown.
    fn question(&self, scene: &Scene<'_>) -> CallQuestion {
        let range = scene.state.selection.range;
        let (within, spans) = match &self.part {
            CallPart::Whole => (None, Arc::default()),
            CallPart::Range => (range, Arc::default()),
            CallPart::Spans(spans) => (None, Arc::clone(spans)),
        };
        CallQuestion {
            instance: scene.capture.instance(),
            revision: scene.capture.revision(),
            level: self.level,
            is_bottom_up: self.is_bottom_up,
            within,
            spans,
        }
    }

    /// What is shown, and how.
    fn heading(&mut self, ui: &mut Ui, scene: &Scene<'_>, actions: &mut Vec<Action>) {
        ui.horizontal_wrapped(|ui| {
            let shown = self.loader.level();
            for level in HostLevel::ALL {
                if toggle(ui, scene.theme, shown == Some(level), level.title()).clicked() {
                    self.level = Some(level);
                }
            }
            ui.separator();
            for (is_up, words) in [(false, "Top down"), (true, "Bottom up")] {
                if toggle(ui, scene.theme, self.is_bottom_up == is_up, words).clicked() {
                    self.is_bottom_up = is_up;
                }
            }
            ui.separator();
            for (view, words) in [(CallView::Table, "Table"), (CallView::Flame, "Flame graph")] {
                if toggle(ui, scene.theme, self.view == view, words).clicked() {
                    self.view = view;
                }
            }
            ui.separator();
            self.parts(ui, scene);
            let help = "Copy the rows of the table as comma-separated values, times in nanoseconds";
            let is_table = self.view == CallView::Table;
            if is_table && ui.button("Copy as CSV").on_hover_text(help).clicked() {
                actions.push(Action::Copy(self.table.csv()));
            }
            if self.loader.found().is_some_and(|it| it.0.is_cut) {
                let words = "! callers of callers are left out: there are too many ways";
                ui.label(RichText::new(words).color(scene.theme.warning));
            }
        });
    }

    /// The parts of the capture that may be chosen.
    fn parts(&mut self, ui: &mut Ui, scene: &Scene<'_>) {
        let selection = &scene.state.selection;
        let is_whole = self.part == CallPart::Whole;
        if toggle(ui, scene.theme, is_whole, "All").clicked() {
            self.part = CallPart::Whole;
        }
        let is_range = self.part == CallPart::Range;
        if selection.range.is_some() || is_range {
            let is_chosen = toggle(ui, scene.theme, is_range, "Selected range").clicked();
            if is_chosen {
                self.part = CallPart::Range;
            }
        }
        let is_of_spans = matches!(self.part, CallPart::Spans(_));
        let chosen: BTreeSet<SpanId> = match (selection.group.is_empty(), selection.span) {
            (true, span) => span.into_iter().collect(),
            (false, _) => selection.group.clone(),
        };
        if !chosen.is_empty() || is_of_spans {
            let help = "The calls within the selected spans of the host, or those that the selected operations were launched \
                in; click again for what is selected now";
            let button = toggle(ui, scene.theme, is_of_spans, "Selection");
            if button.on_hover_text(help).clicked() && !chosen.is_empty() {
                self.part = CallPart::Spans(Arc::new(chosen));
            }
        }
    }
}

/// Why there are no calls.
fn nothing(capture: &Capture, part: &CallPart) -> &'static str {
    match part {
        CallPart::Whole if capture.dependency_count() == 0 => {
            "This capture has no ranges of this sort: NVTX ranges, functions of Python and operators are told by profilers"
        }
        CallPart::Whole => "This capture has no ranges of this sort",
        CallPart::Range => "No call of this sort lies in the selected range",
        CallPart::Spans(_) => {
            "No call of this sort lies in what was selected, and none launched it"
        }
    }
}

/// Chooses the spans of a node, the longest of them first.
fn select(mut spans: Vec<SpanId>, tree: &CallTree, node: usize) -> Vec<Action> {
    let longest = tree.nodes.get(node).map(|it| it.longest);
    let count = spans.len();
    spans.truncate(MOST_SELECTED);
    let mut actions = Vec::new();
    actions.extend(longest.map(Action::Reveal));
    if count > 1 {
        actions.push(Action::SelectGroup(spans));
    }
    if count > MOST_SELECTED {
        let text = format!(
            "{} of {} are selected, as many as can be at once: a range of time has fewer.",
            text::count(MOST_SELECTED as u64),
            text::count(count as u64)
        );
        actions.push(Action::Notify(Some(crate::state::Notice {
            is_error: false,
            text,
        })));
    }
    actions
}

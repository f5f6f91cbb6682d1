//! Memory of allocators: what was alive at a moment, who had asked for it, and what was kept beyond its step.

mod choices;
mod figures;
mod loader;
mod rows;
mod segment_map;
mod table;

use eframe::egui::Ui;
use engine::analysis::memory::MemoryGrouping;
use engine::record::SpanId;

use self::loader::{MemoryLoader, MemoryMomentChoice, MemoryQuestion, RowGrouping};
use self::table::MemoryTable;
use super::widgets::{hint, without_spans};
use super::{Panel, PanelPosition, Scene};
use crate::action::Action;
use crate::state::MOST_SELECTED;
use crate::text::without_pools;
use crate::theme::GRID;

/// How memory is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum MemoryView {
    /// Put together by whatever tells most apart.
    #[default]
    Usual,
    /// Allocations put together.
    Groups(MemoryGrouping),
    /// A row for each allocation.
    Each,
    /// The segments that the allocator had reserved.
    Segments,
}

/// Memory of allocators.
#[derive(Default)]
pub struct MemoryPanel {
    loader: MemoryLoader,
    /// The place of the shown pool among all.
    pool: usize,
    moment: MemoryMomentChoice,
    view: MemoryView,
    table: MemoryTable,
}

impl Panel for MemoryPanel {
    fn id(&self) -> &'static str {
        "memory"
    }

    fn title(&self) -> &'static str {
        "Memory"
    }

    fn place(&self) -> PanelPosition {
        PanelPosition::Docked
    }

    fn is_idle(&self, scene: &Scene<'_>) -> bool {
        !scene.status.contents.tells_memory
    }

    fn ui(&mut self, ui: &mut Ui, scene: &Scene<'_>, actions: &mut Vec<Action>) {
        if scene.capture.span_count() == 0 {
            return hint(ui, scene.theme, &without_spans(scene, "Memory appears"));
        }
        if scene.grows() {
            let words = "Memory appears here when what runs has ended; counters on the timeline show it meanwhile";
            return hint(ui, scene.theme, words);
        }
        let question = self.question(scene);
        self.loader.advance(ui.ctx(), scene.capture, question);
        let Some(answer) = self.loader.found() else {
            return hint(ui, scene.theme, "Reading memory…");
        };
        if answer.pools.is_empty() {
            let words = format!("No memory to show: {}", without_pools(scene.capture));
            return hint(ui, scene.theme, &words);
        }
        let chosen = self.heading(ui, scene, actions);
        ui.add_space(GRID);
        self.answer(ui, scene, actions);
        if let Some(pool) = chosen {
            self.pool = pool;
        }
    }
}

impl MemoryPanel {
    /// The figures, and below them the table or the map.
    fn answer(&mut self, ui: &mut Ui, scene: &Scene<'_>, actions: &mut Vec<Action>) {
        let Some(answer) = self.loader.found() else {
            return;
        };
        figures::show(ui, scene, answer, actions);
        ui.add_space(GRID);
        if self.view == MemoryView::Segments && !answer.segments.is_empty() {
            let clicked = segment_map::show(ui, scene, answer);
            return actions.extend(clicked.map(Action::Reveal));
        }
        if answer.rows.is_empty() {
            return hint(ui, scene.theme, figures::nothing(answer, self.moment));
        }
        let version = self.loader.version();
        if let Some(spans) = self.table.show(ui, scene, (answer, version)) {
            actions.extend(select(spans));
        }
    }

    /// What is to be shown.
    fn question(&self, scene: &Scene<'_>) -> MemoryQuestion {
        let selection = &scene.state.selection;
        let span = selection.span.and_then(|it| scene.capture.span(it));
        let at = span.map(|it| it.span.start);
        MemoryQuestion {
            instance: scene.capture.instance(),
            revision: scene.capture.revision(),
            pool: self.pool,
            moment: self.moment,
            range: selection.range,
            at: at.filter(|_| self.moment == MemoryMomentChoice::Selected),
            by: match self.view {
                MemoryView::Usual => RowGrouping::Usual,
                MemoryView::Groups(by) => RowGrouping::By(by),
                MemoryView::Each | MemoryView::Segments => RowGrouping::Each,
            },
        }
    }
}

/// Chooses spans, the first of them the one to look at.
fn select(spans: &[SpanId]) -> Vec<Action> {
    let mut actions: Vec<Action> = spans
        .first()
        .map(|it| Action::Reveal(*it))
        .into_iter()
        .collect();
    if spans.len() > 1 {
        let some = spans.iter().take(MOST_SELECTED).copied();
        actions.push(Action::SelectGroup(some.collect()));
    }
    actions
}

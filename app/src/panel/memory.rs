//! Memory of allocators: what was alive at a moment, who had asked for it, and what was kept beyond its step.

mod loader;
mod segment_map;
mod table;

use eframe::egui::{RichText, Ui};
use engine::analysis::memory::{MemoryBasis, MemoryGrouping};
use engine::record::SpanId;
use engine::time::Nanos;

use self::loader::{MemoryAnswer, MemoryLoader, MemoryMomentChoice, MemoryQuestion};
use self::table::MemoryTable;
use super::widgets::{hint, toggle, without_spans};
use super::{Panel, PanelPosition, Scene};
use crate::action::Action;
use crate::state::MOST_SELECTED;
use crate::text;
use crate::theme::GRID;

/// How memory is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum MemoryView {
    /// Allocations put together.
    Groups(MemoryGrouping),
    /// A row for each allocation.
    Each,
    /// The segments that the allocator had reserved.
    Segments,
}

impl Default for MemoryView {
    fn default() -> Self {
        Self::Groups(MemoryGrouping::Operator)
    }
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
        !scene.status.tells_memory
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
            let words = "This capture tells nothing of allocators. PyTorch's profiler does with profile_memory=True";
            return hint(ui, scene.theme, words);
        }
        let version = self.loader.version();
        let chosen = self.heading(ui, scene, actions);
        ui.add_space(GRID);
        if let Some(answer) = self.loader.found() {
            figures(ui, scene, answer, actions);
            ui.add_space(GRID);
            if self.view == MemoryView::Segments && !answer.segments.is_empty() {
                let clicked = segment_map::show(ui, scene, &answer.segments);
                actions.extend(clicked.map(Action::Reveal));
            } else if answer.rows.is_empty() {
                hint(ui, scene.theme, nothing(answer, self.moment));
            } else if let Some(spans) = self.table.show(ui, scene, (answer, version)) {
                actions.extend(select(spans));
            }
        }
        if let Some(pool) = chosen {
            self.pool = pool;
        }
    }
}

impl MemoryPanel {
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
                MemoryView::Groups(by) => Some(by),
                MemoryView::Each | MemoryView::Segments => None,
            },
        }
    }

    /// What is shown, and how; gives the pool that was chosen.
    fn heading(
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
                if toggle(ui, scene.theme, self.view == view, grouping_title(by)).clicked() {
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
                actions.push(Action::Copy(
                    self.table.csv(matches!(self.view, MemoryView::Groups(_))),
                ));
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
            if (is_there || is_shown)
                && toggle(ui, scene.theme, is_shown, words)
                    .on_hover_text(help)
                    .clicked()
            {
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

/// Says how much there was, and when.
fn figures(ui: &mut Ui, scene: &Scene<'_>, answer: &MemoryAnswer, actions: &mut Vec<Action>) {
    let bytes = |bytes: i64| text::amount(bytes as f64, "bytes");
    ui.horizontal_wrapped(|ui| {
        if let Some(at) = answer.at {
            let mut words = vec![format!("{} allocated", bytes(answer.allocated))];
            if let Some(reserved) = answer.reserved {
                words.push(format!("{} reserved", bytes(reserved)));
            }
            let alive = text::counted(answer.alive, "allocation");
            words.push(format!("{alive} known"));
            ui.label(words.join(" · "));
            go_to(ui, scene, (at, answer.event), actions);
        } else {
            let words = [
                text::counted(answer.alive, "allocation"),
                format!("{} in all", bytes(answer.allocated)),
            ];
            ui.label(words.join(" · "));
        }
        for remark in answer.remarks() {
            ui.label(RichText::new(format!("! {remark}")).color(scene.theme.warning));
        }
    });
}

/// The moment, which the timeline goes to when it is pressed.
fn go_to(
    ui: &mut Ui,
    scene: &Scene<'_>,
    (at, event): (Nanos, Option<SpanId>),
    actions: &mut Vec<Action>,
) {
    let words = format!("at {}", text::instant(at));
    let Some(event) = event else {
        ui.label(words);
        return;
    };
    let link = ui.link(RichText::new(words).color(scene.theme.accent));
    let help = "Go to what the allocator did last before, on the timeline";
    if link.on_hover_text(help).clicked() {
        actions.push(Action::Reveal(event));
    }
}

/// Why there are no rows.
fn nothing(answer: &MemoryAnswer, moment: MemoryMomentChoice) -> &'static str {
    if answer.has_no_blocks {
        return "This capture has no addresses of what was allocated, so that what was alive is not known; the counters on the \
                timeline show how much it was";
    }
    match moment {
        MemoryMomentChoice::Kept => {
            "Nothing was kept beyond the step in which it was allocated, and all was freed"
        }
        _ => "Nothing that this capture knows of was alive then",
    }
}

impl MemoryAnswer {
    /// What of it does not hold as it looks.
    fn remarks(&self) -> Vec<String> {
        let mut remarks = Vec::new();
        if self.basis == Some(MemoryBasis::SinceStart) {
            remarks.push("bytes count from zero at the start: the file has no totals".to_owned());
        }
        if self.missing_frees > 0 {
            let blocks = text::counted(self.missing_frees, "free");
            remarks.push(format!("{blocks} not told"));
        }
        remarks
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

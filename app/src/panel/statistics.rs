//! Figures of the selected range, or of the view: how long operations took, how busy streams were, what overlapped.

mod background;
mod charts;
mod operations;
mod overlap_matrix;
mod overlaps;

use eframe::egui::{ScrollArea, Ui};

use self::background::{ReadyStatistics, StatisticsLoader};
use self::operations::OperationsTable;
use super::widgets::{fitting, hint, toggle, without_spans};
use super::{Panel, PanelPosition, Scene};
use crate::action::Action;
use crate::text;
use crate::theme::GRID;

/// What of the figures is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum StatisticsView {
    /// Three charts: how long, how busy, how much at the same time.
    #[default]
    Charts,
    /// A matrix of what ran at the same time.
    Overlap,
    /// A table of operations.
    Operations,
}

impl StatisticsView {
    const ALL: [Self; 3] = [Self::Charts, Self::Overlap, Self::Operations];

    const fn label(self) -> &'static str {
        match self {
            Self::Charts => "Charts",
            Self::Overlap => "Overlap",
            Self::Operations => "All operations",
        }
    }
}

/// Figures of the selected range, or of the view.
#[derive(Default)]
pub struct StatisticsPanel {
    reading: StatisticsLoader,
    view: StatisticsView,
    operations: OperationsTable,
}

impl Panel for StatisticsPanel {
    fn id(&self) -> &'static str {
        "statistics"
    }

    fn title(&self) -> &'static str {
        "Statistics"
    }

    fn place(&self) -> PanelPosition {
        PanelPosition::Docked
    }

    fn ui(&mut self, ui: &mut Ui, scene: &Scene<'_>, actions: &mut Vec<Action>) {
        self.reading.read_on(ui, scene);
        let Some(found) = self.reading.found() else {
            let words = if scene.capture.span_count() == 0 {
                without_spans(scene, "Figures appear")
            } else {
                let done = self.reading.progress().unwrap_or(0.0);
                format!("Reading spans… {}", text::percent(f64::from(done)))
            };
            return hint(ui, scene.theme, &words);
        };
        let due = self.reading.is_stale().then_some(0.0);
        let figures = (found, self.reading.progress().or(due));
        ui.horizontal(|ui| {
            for view in StatisticsView::ALL {
                if toggle(ui, scene.theme, self.view == view, view.label()).clicked() {
                    self.view = view;
                }
            }
            let is_table = self.view == StatisticsView::Operations;
            let help = "Copy the rows below as comma-separated values, times in nanoseconds";
            if is_table && ui.button("Copy as CSV").on_hover_text(help).clicked() {
                actions.push(Action::Copy(self.operations.csv()));
            }
            heading(ui, scene, figures);
        });
        ui.add_space(GRID);
        match self.view {
            StatisticsView::Charts => charts(ui, scene, found),
            StatisticsView::Overlap => overlap_matrix::show(ui, scene, &found.statistics),
            StatisticsView::Operations => {
                let figures = (&found.statistics, self.reading.version());
                self.operations.show(ui, scene, figures, actions);
            }
        }
    }
}

/// Three charts beside each other.
fn charts(ui: &mut Ui, scene: &Scene<'_>, found: &ReadyStatistics) {
    ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
        ui.spacing_mut().item_spacing.x = 6.0 * GRID;
        ui.columns(3, |columns| {
            let [left, middle, right] = columns else {
                return;
            };
            left.vertical(|ui| charts::durations(ui, scene, &found.statistics));
            middle.vertical(|ui| charts::busy(ui, scene, &found.statistics, &found.strips));
            right.vertical(|ui| overlaps::show(ui, scene, &found.statistics));
        });
    });
}

/// What the figures are of, as long as there is room.
fn heading(ui: &mut Ui, scene: &Scene<'_>, (found, progress): (&ReadyStatistics, Option<f32>)) {
    let of = if scene.state.selection.range.is_some() {
        "Selected range"
    } else {
        "In view"
    };
    let within = found.statistics.within;
    let ends = format!("{of} · {}", text::range(within));
    let length = format!("{ends} · {}", text::duration(within.length()));
    let mut whole = format!("{length} · {}", text::counted(found.spans as u64, "span"));
    if let Some(progress) = progress {
        whole = format!("{whole} · reading {}", text::percent(f64::from(progress)));
    }
    fitting(ui, scene.theme, &[whole, length, ends]);
}

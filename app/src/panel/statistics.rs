//! Figures of the selected range, or of the view: durations by kernel, how busy streams were, what overlapped.

mod charts;
mod reading;

use eframe::egui::{RichText, ScrollArea, Ui};
use engine::analysis::Statistics;

use self::reading::StatisticsLoader;
use super::widgets::hint;
use super::{Panel, PanelPosition, Scene};
use crate::action::{Action, Command};
use crate::text;
use crate::theme::GRID;

/// Figures of the selected range, or of the view.
#[derive(Default)]
pub struct StatisticsPanel {
    reading: StatisticsLoader,
}

impl Panel for StatisticsPanel {
    fn id(&self) -> &'static str {
        "statistics"
    }

    fn title(&self) -> &'static str {
        "Statistics"
    }

    fn place(&self) -> PanelPosition {
        PanelPosition::Bottom
    }

    fn ui(&mut self, ui: &mut Ui, scene: &Scene<'_>, _actions: &mut Vec<Action>) {
        self.reading.read_on(ui, scene);
        let Some(found) = self.reading.found() else {
            let words = if scene.capture.span_count() == 0 {
                format!(
                    "Figures appear here when something has run: {} runs the chosen workload",
                    Command::Rerun.key()
                )
            } else {
                String::from("Reading spans…")
            };
            return hint(ui, scene.theme, &words);
        };
        heading(ui, scene, &found.statistics, self.reading.progress());
        ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
            ui.spacing_mut().item_spacing.x = 6.0 * GRID;
            ui.columns(3, |columns| {
                let [left, middle, right] = columns else {
                    return;
                };
                left.vertical(|ui| charts::durations(ui, scene, &found.statistics));
                middle.vertical(|ui| charts::busy(ui, scene, &found.statistics, &found.strips));
                right.vertical(|ui| charts::overlaps(ui, scene, &found.statistics));
            });
        });
    }
}

fn heading(ui: &mut Ui, scene: &Scene<'_>, statistics: &Statistics, progress: Option<f32>) {
    let of = if scene.state.selection.range.is_some() {
        "Selected range"
    } else {
        "In view"
    };
    let within = statistics.within;
    let spans: usize = statistics.lanes.iter().map(|lane| lane.spans).sum();
    let mut words = format!(
        "{of} · {} to {} · {} · {}",
        text::duration(within.start),
        text::duration(within.end),
        text::duration(within.length()),
        text::counted(spans as u64, "span")
    );
    if let Some(progress) = progress {
        words = format!("{words} · reading {}", text::percent(f64::from(progress)));
    }
    ui.label(RichText::new(words).color(scene.theme.weak));
    ui.add_space(GRID);
}

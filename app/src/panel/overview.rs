//! The overview: how busy devices were, where idle time went, what the critical path is made of, what would save most, and
//! what the capture cannot tell; each line leads to its place.

use eframe::egui::{ScrollArea, Ui};
use engine::analysis::{OverviewLine, OverviewTopic};
use engine::runner::Phase;

use super::widgets::{hint, link, pieces, slowed, without_spans};
use super::{Panel, PanelPosition, Scene};
use crate::action::Action;
use crate::state::Switch;
use crate::text;
use crate::theme::GRID;

/// Width of the column of topics, in points.
const TOPICS: f32 = 130.0;

/// What the capture comes to.
pub struct OverviewTab;

impl Panel for OverviewTab {
    fn id(&self) -> &'static str {
        "overview"
    }

    fn title(&self) -> &'static str {
        "Overview"
    }

    fn place(&self) -> PanelPosition {
        PanelPosition::Docked
    }

    fn ui(&mut self, ui: &mut Ui, scene: &Scene<'_>, actions: &mut Vec<Action>) {
        slowed(ui, scene);
        let why = &scene.status.why;
        let Some(made) = &why.conclusions else {
            let words = match why.progress {
                Some(done) => format!(
                    "Reading causes, {} done: how busy devices were, where idle time went and what would save most",
                    text::percent(f64::from(done))
                ),
                None if scene.reading().is_some() => {
                    "The overview appears here when the file has been read".to_owned()
                }
                None if scene.capture.span_count() > 0 => {
                    "The overview of a run appears when it has ended or pauses".to_owned()
                }
                None => without_spans(scene, "A summary of the capture appears"),
            };
            return hint(ui, scene.theme, &words);
        };
        let lines = &made.overview.lines;
        if lines.is_empty() {
            let words = if scene.status.phase == Phase::Idle || scene.capture.end().is_some() {
                "Nothing to conclude: no operation, call or wait of this capture has ended, and ranges that programs name have no causes"
            } else {
                "Nothing to tell yet: no operation has ended, or the run is still too large to conclude while it goes on"
            };
            return hint(ui, scene.theme, words);
        }
        // Long rows above may have made more room than can be seen.
        let width = ui.clip_rect().width().min(ui.available_width());
        let is_narrow = width < 3.0 * TOPICS;
        ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
            let mut before: Option<OverviewTopic> = None;
            for line in lines {
                let is_new = before != Some(line.topic);
                before = Some(line.topic);
                if is_narrow {
                    if is_new {
                        topic(ui, scene, line.topic, actions);
                    }
                    said(ui, scene, line, width - 4.0 * GRID, actions);
                    continue;
                }
                ui.horizontal_top(|ui| {
                    ui.allocate_ui([TOPICS, 4.0 * GRID].into(), |ui| {
                        ui.set_min_width(TOPICS);
                        if is_new {
                            topic(ui, scene, line.topic, actions);
                        }
                    });
                    said(ui, scene, line, width - TOPICS - 6.0 * GRID, actions);
                });
            }
        });
    }
}

/// What a line says, in so many points.
fn said(
    ui: &mut Ui,
    scene: &Scene<'_>,
    line: &OverviewLine,
    width: f32,
    actions: &mut Vec<Action>,
) {
    ui.vertical(|ui| {
        ui.set_max_width(width);
        if let Some(span) = pieces(ui, scene.theme, &line.says) {
            actions.push(Action::Reveal(span));
        }
    });
}

/// A topic, which leads to the tab that has more of it.
fn topic(ui: &mut Ui, scene: &Scene<'_>, of: OverviewTopic, actions: &mut Vec<Action>) {
    let (tab, shows_path) = match of {
        OverviewTopic::Busy => ("statistics", false),
        OverviewTopic::Idle | OverviewTopic::Iterations => ("why", false),
        OverviewTopic::Path => ("why", true),
        OverviewTopic::Errors | OverviewTopic::Savings => ("findings", false),
        OverviewTopic::Unknown => ("problems", false),
    };
    let response = link(ui, of.label(), scene.theme.weak);
    if response
        .on_hover_text(format!("Open the tab {tab}"))
        .clicked()
    {
        actions.push(Action::OpenTab(tab));
        if shows_path {
            actions.push(Action::Set(Switch::Path, true));
        }
    }
}

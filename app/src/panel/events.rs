//! Events: what each was made with, how it stands, and each of its records with what waited for it.

mod history_lines;
mod table_line;

use std::time::Duration;

use eframe::egui::{Label, RichText, ScrollArea, Ui};
use engine::analysis::{EventHistory, event_histories};
use engine::record::EventId;

use self::history_lines::HistoryLine;
use self::table_line::{COLUMNS, EventLine};
use super::table::{FilteredTable, SortOrder, TableRevision};
use super::widgets::{compact, hint, link};
use super::{Panel, PanelPosition, Scene};
use crate::action::Action;
use crate::text;
use crate::theme::GRID;

/// The least width of the history beside the table, and the part of the panel that it takes.
const HISTORY: f32 = 240.0;
const PART: f32 = 0.32;
/// Seconds between two readings of a capture that grows.
const PAUSE: f64 = 0.25;

/// Events: what each was made with, how it stands, and each of its records with what waited for it.
pub struct EventsPanel {
    table: FilteredTable<EventLine>,
    /// What became of each event, and what of the capture that was read from.
    histories: Vec<EventHistory>,
    read: Option<TableRevision>,
    /// When that was, in seconds of the window's clock.
    read_at: f64,
    chosen: Option<EventId>,
    /// The history of the chosen one.
    lines: Vec<HistoryLine>,
}

impl Default for EventsPanel {
    fn default() -> Self {
        Self {
            table: FilteredTable::new(SortOrder::by(0)),
            histories: Vec::new(),
            read: None,
            read_at: f64::NEG_INFINITY,
            chosen: None,
            lines: Vec::new(),
        }
    }
}

impl Panel for EventsPanel {
    fn id(&self) -> &'static str {
        "events"
    }

    fn title(&self) -> &'static str {
        "Events"
    }

    fn place(&self) -> PanelPosition {
        PanelPosition::Docked
    }

    fn count(&self, scene: &Scene<'_>) -> Option<usize> {
        let count = scene.capture.events().len();
        (count > 0).then_some(count)
    }

    fn is_idle(&self, scene: &Scene<'_>) -> bool {
        scene.capture.events().is_empty()
    }

    fn ui(&mut self, ui: &mut Ui, scene: &Scene<'_>, actions: &mut Vec<Action>) {
        if scene.capture.events().is_empty() {
            hint(
                ui,
                scene.theme,
                "This capture has no events. A workload that calls record fills this table: how each event stands, which record \
                 is its latest, and what waited for which",
            );
            return;
        }
        self.read(ui, scene);
        let whole = ui.available_width();
        let beside = (whole * PART).max(HISTORY);
        ui.horizontal_top(|ui| {
            ui.vertical(|ui| {
                ui.set_width(whole - beside - 4.0 * GRID);
                self.table(ui, scene);
            });
            ui.separator();
            ui.vertical(|ui| self.history(ui, scene, actions));
        });
    }
}

impl EventsPanel {
    /// Reads what became of the events again where the capture is another.
    fn read(&mut self, ui: &Ui, scene: &Scene<'_>) {
        let capture = scene.capture;
        let now = (capture.revision(), capture.events().len(), scene.theme.dark);
        let time = ui.input(|it| it.time);
        if self.read != Some(now) && scene.grows() && time < self.read_at + PAUSE {
            ui.ctx()
                .request_repaint_after(Duration::from_secs_f64(PAUSE));
        } else if self.read != Some(now) {
            (self.read, self.read_at) = (Some(now), time);
            self.histories = event_histories(capture);
            let rows = self.histories.iter();
            let rows: Vec<_> = rows.map(|it| table_line::line(scene, it)).collect();
            self.table.read(now, rows.into_iter());
            let known = |id: &EventId| id.index() < self.histories.len();
            let first = || self.table.first().map(|it| it.event);
            self.choose(scene, self.chosen.filter(known).or_else(first));
        }
    }

    fn choose(&mut self, scene: &Scene<'_>, event: Option<EventId>) {
        self.chosen = event;
        let history = event.and_then(|it| self.histories.get(it.index()));
        self.lines = history.map_or_else(Vec::new, |it| history_lines::of(scene, it));
    }

    fn table(&mut self, ui: &mut Ui, scene: &Scene<'_>) {
        let states = table_line::states(scene.theme);
        let chosen = self.chosen;
        let table = (COLUMNS, states.as_slice());
        let is_chosen = |line: &EventLine| chosen == Some(line.event);
        let clicked = self.table.show(ui, scene, ("events", ""), table, is_chosen);
        if let Some(event) = clicked.map(|(line, _)| line.event) {
            self.choose(scene, Some(event));
        }
    }

    fn history(&self, ui: &mut Ui, scene: &Scene<'_>, actions: &mut Vec<Action>) {
        let event = self
            .chosen
            .and_then(|it| scene.capture.events().get(it.index()));
        let Some(event) = event else {
            return;
        };
        let name = RichText::new(scene.capture.name(event.name)).strong();
        ui.add(Label::new(name).truncate());
        let options = text::made_with(scene.capture, event);
        if !options.is_empty() {
            ui.label(RichText::new(format!("made with {options}")).color(scene.theme.weak));
        }
        if self.lines.is_empty() {
            let words = "It was never recorded: whatever waits for it passes at once";
            hint(ui, scene.theme, words);
            return;
        }
        compact(ui);
        let height = ui.text_style_height(&eframe::egui::TextStyle::Body);
        let rows = ScrollArea::vertical()
            .id_salt(("event", event.id.0))
            .auto_shrink(false);
        rows.show_rows(ui, height, self.lines.len(), |ui, shown| {
            for line in self.lines.get(shown).unwrap_or_default() {
                ui.horizontal(|ui| {
                    ui.add_space(f32::from(line.depth) * 4.0 * GRID);
                    let colour = line.colour(scene.theme);
                    if !line.span.is_some() {
                        ui.colored_label(colour, &line.words);
                    } else if link(ui, &line.words, colour).clicked() {
                        actions.push(Action::Reveal(line.span));
                    }
                });
            }
        });
    }
}

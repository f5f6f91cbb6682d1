//! Why the selected range, the view or all of the capture took its time: each stream's time by use, and the critical path by use and
//! by operation. Every row leads to the longest of what it sums.

mod lines;

use eframe::egui::Ui;

use self::lines::WhyLines;
use super::table::{self, SortOrder};
use super::widgets::{fitting, has_room, hint, toggle, without_spans};
use super::{Panel, PanelPosition, Scene};
use crate::action::{Action, Command};
use crate::state::Switch;
use crate::text;
use crate::theme::GRID;

/// What is said while the tables of a stretch are made.
const SUMMING: &str = "Adding up where the time went…";

/// Which of the tables is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WhyTable {
    /// Each stream's and engine's time by use.
    #[default]
    Idle,
    /// Each host thread's time by use.
    Threads,
    /// What each lane waited for, in finer words.
    Reasons,
    /// The critical path by use.
    Path,
    /// The operations on the critical path.
    Operations,
    /// Steps and frames of the whole capture.
    Iterations,
}

impl WhyTable {
    const ALL: [Self; 6] = [
        Self::Idle,
        Self::Threads,
        Self::Reasons,
        Self::Path,
        Self::Operations,
        Self::Iterations,
    ];

    const fn label(self) -> &'static str {
        match self {
            Self::Idle => "Idle time",
            Self::Threads => "Host threads",
            Self::Reasons => "By reason",
            Self::Path => "Critical path",
            Self::Operations => "Operations on it",
            Self::Iterations => "Iterations",
        }
    }
}

/// Where time went, as tables.
pub struct WhyTab {
    chosen: WhyTable,
    orders: [SortOrder; 6],
    /// What is shown, of which table and of which conclusions it was made.
    read: Option<(usize, usize, WhyTable)>,
    lines: WhyLines,
}

impl Default for WhyTab {
    fn default() -> Self {
        let mut orders = [SortOrder::default(); 6];
        // What took the most time is what one looks for there.
        for table in [WhyTable::Path, WhyTable::Operations] {
            if let Some(order) = orders.get_mut(table as usize) {
                *order = lines::LONGEST_FIRST;
            }
        }
        Self {
            chosen: WhyTable::default(),
            orders,
            read: None,
            lines: WhyLines::default(),
        }
    }
}

impl Panel for WhyTab {
    fn id(&self) -> &'static str {
        "why"
    }

    fn title(&self) -> &'static str {
        "Why"
    }

    fn place(&self) -> PanelPosition {
        PanelPosition::Docked
    }

    fn ui(&mut self, ui: &mut Ui, scene: &Scene<'_>, actions: &mut Vec<Action>) {
        let why = &scene.status.why;
        let Some(found) = &why.table else {
            let words = match why.progress {
                Some(done) => format!("Reading causes, {} done", text::percent(f64::from(done))),
                None if why.is_tabling => SUMMING.to_owned(),
                None if scene.capture.span_count() > 0 => {
                    "Where the time of a run went appears when it has ended or pauses".to_owned()
                }
                None => without_spans(
                    scene,
                    "Where the time of each stream went, and what the whole time was made of, appears",
                ),
            };
            return hint(ui, scene.theme, &words);
        };
        let made = why.conclusions.as_ref();
        let of = made.map_or(0, |made| std::sync::Arc::as_ptr(made) as usize);
        let key = (std::sync::Arc::as_ptr(found) as usize, of, self.chosen);
        if self.read != Some(key) {
            self.read = Some(key);
            let steps = made.map(|made| &made.iterations);
            self.lines = WhyLines::new(scene.capture, (found, steps), self.chosen);
        }
        self.heading(ui, scene, actions);
        let order = self
            .orders
            .get_mut(self.chosen as usize)
            .map_or_else(SortOrder::default, |order| *order);
        let shown = table::sorted(&self.lines.cells, order, |_| true);
        let rows = (self.lines.cells.as_slice(), shown.as_slice(), None);
        let mut turned = order;
        let click = table::show(ui, scene, self.lines.columns, &mut turned, rows);
        if let Some(order) = self.orders.get_mut(self.chosen as usize) {
            *order = turned;
        }
        let Some(click) = click else { return };
        match self.lines.stretch(click.row) {
            Some(stretch) => actions.extend(Action::visit(stretch)),
            None => actions.extend(
                self.lines
                    .place(click.row, click.column)
                    .map(Action::Reveal),
            ),
        }
    }
}

impl WhyTab {
    fn heading(&mut self, ui: &mut Ui, scene: &Scene<'_>, actions: &mut Vec<Action>) {
        ui.horizontal_wrapped(|ui| {
            for table in WhyTable::ALL {
                if toggle(ui, scene.theme, self.chosen == table, table.label()).clicked() {
                    self.chosen = table;
                }
            }
            let has_range = scene.state.selection.range.is_some();
            let in_view = scene.state.settings.is_on(Switch::InView);
            ui.add_enabled_ui(!has_range, |ui| {
                let button = toggle(ui, scene.theme, in_view && !has_range, "In view");
                let button = button.on_hover_text(
                    "Only of the time in view; otherwise of all of the capture. This holds for the path on the timeline as well",
                );
                let words = "A range is selected, and comes before what is in view";
                if button.on_disabled_hover_text(words).clicked() {
                    actions.push(Action::Set(Switch::InView, !in_view));
                }
            });
            let is_on = scene.state.settings.is_on(Switch::Path);
            if toggle(ui, scene.theme, is_on, "On the timeline")
                .on_hover_text(format!(
                    "Draw the critical path of {} through the lanes ({}); {} goes along it",
                    Self::of(scene).1,
                    Command::Path.key(),
                    Command::NextOnPath.key()
                ))
                .clicked()
            {
                actions.push(Action::Set(Switch::Path, !is_on));
            }
            if ui
                .button("Copy")
                .on_hover_text("Copy the table, with tabs between its columns")
                .clicked()
            {
                let order = self.orders.get(self.chosen as usize).copied();
                let cells = &self.lines.cells;
                let shown = table::sorted(cells, order.unwrap_or_default(), |_| true);
                actions.push(Action::Copy(self.lines.text(&shown)));
            }
            let ways = self.said(scene);
            if !ways.iter().any(|it| has_room(ui, it)) {
                ui.end_row();
            }
            fitting(ui, scene.theme, &ways);
        });
        ui.add_space(GRID);
    }

    /// What the tables are of: as a title, and within a sentence.
    fn of(scene: &Scene<'_>) -> (&'static str, &'static str) {
        match (scene.state.selection.range, scene.state.stretch()) {
            (Some(_), _) => ("Selected range", "the selected range"),
            (None, Some(_)) => ("In view", "what is in view"),
            (None, None) => ("Whole capture", "the whole capture"),
        }
    }

    /// What the table is of, in several lengths: a longer line would widen the table below beyond what can be seen.
    fn said(&self, scene: &Scene<'_>) -> Vec<String> {
        if self.chosen == WhyTable::Iterations {
            return Self::iterations(scene);
        }
        let table = scene.status.why.table.as_ref();
        let Some(table) = table.filter(|_| !scene.status.why.is_tabling) else {
            return vec![SUMMING.to_owned()];
        };
        let (of, within) = (Self::of(scene).0, table.within);
        let ends = format!(
            "{} to {}",
            text::duration(within.start),
            text::duration(within.end)
        );
        let length = text::duration(within.length());
        vec![
            format!("{of} · {ends} · {length}"),
            format!("{of} · {length}"),
            ends,
        ]
    }

    /// How the iterations were found, in several lengths.
    fn iterations(scene: &Scene<'_>) -> Vec<String> {
        let made = scene.status.why.conclusions.as_ref();
        let Some(table) = made
            .map(|it| &it.iterations)
            .filter(|it| !it.rows.is_empty())
        else {
            return vec![
                "None: nothing marks steps or frames, and nothing repeats itself".to_owned(),
                "None were found".to_owned(),
            ];
        };
        let count = text::count((table.rows.len() + table.left_out) as u64);
        let short = format!("{count} by {}", table.label());
        let median = text::duration(table.median);
        let middle = match table.rows.len() {
            1 => short.clone(),
            _ => format!("{short} · half {}take at most {median}", table.which()),
        };
        let sums = match table.streams {
            0 | 1 => middle.clone(),
            many => format!("{middle} · idle times summed over {many} streams"),
        };
        let key = Command::NextIteration.key();
        vec![
            format!("{sums} · {key} goes to the next"),
            sums,
            middle,
            short,
        ]
    }
}

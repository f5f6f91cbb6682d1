//! Why the selected range, the view or all of it took its time: each stream's time by use, and the critical path by use and
//! by operation. Every row leads to the longest of what it sums.

mod lines;

use eframe::egui::{RichText, Ui};

use self::lines::Lines;
use super::table::{self, Order};
use super::widgets::{hint, toggle};
use super::{Panel, Place, Scene};
use crate::action::{Action, Command};
use crate::state::Switch;
use crate::text;
use crate::theme::GRID;

/// Which of the tables is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WhyTable {
    /// Each stream's time by use.
    #[default]
    Idle,
    /// The critical path by use.
    Path,
    /// The operations on the critical path.
    Operations,
}

impl WhyTable {
    const ALL: [Self; 3] = [Self::Idle, Self::Path, Self::Operations];

    const fn label(self) -> &'static str {
        match self {
            Self::Idle => "Idle time by stream",
            Self::Path => "Critical path",
            Self::Operations => "Operations on it",
        }
    }
}

/// Where time went, as tables.
#[derive(Default)]
pub struct WhyTab {
    chosen: WhyTable,
    orders: [Order; 3],
    /// What is shown, and of which table it was made.
    read: Option<(usize, WhyTable)>,
    lines: Lines,
}

impl Panel for WhyTab {
    fn id(&self) -> &'static str {
        "why"
    }

    fn title(&self) -> &'static str {
        "Why"
    }

    fn place(&self) -> Place {
        Place::Bottom
    }

    fn ui(&mut self, ui: &mut Ui, scene: &Scene<'_>, actions: &mut Vec<Action>) {
        let why = &scene.status.why;
        let Some(found) = &why.table else {
            let words = match why.progress {
                Some(done) => format!("Reading causes, {} done", text::percent(f64::from(done))),
                None if scene.capture.span_count() > 0 => {
                    "Where the time of a run went appears when it has ended or pauses".to_owned()
                }
                None => format!(
                    "Where the time of each stream went, and what the whole time was made of, appears here when something has \
                     run: {} runs the chosen workload",
                    Command::Rerun.key()
                ),
            };
            return hint(ui, scene.theme, &words);
        };
        let key = (std::sync::Arc::as_ptr(found) as usize, self.chosen);
        if self.read != Some(key) {
            self.read = Some(key);
            self.lines = Lines::new(scene.capture, found, self.chosen);
        }
        self.heading(ui, scene, actions);
        let order = self
            .orders
            .get_mut(self.chosen as usize)
            .map_or_else(Order::default, |order| *order);
        let shown = table::sorted(&self.lines.cells, order, |_| true);
        let rows = (self.lines.cells.as_slice(), shown.as_slice(), None);
        let mut turned = order;
        let click = table::show(ui, scene, self.lines.columns, &mut turned, rows);
        if let Some(order) = self.orders.get_mut(self.chosen as usize) {
            *order = turned;
        }
        let place = click.and_then(|click| self.lines.place(click.row, click.column));
        actions.extend(place.map(Action::Reveal));
    }
}

impl WhyTab {
    fn heading(&mut self, ui: &mut Ui, scene: &Scene<'_>, actions: &mut Vec<Action>) {
        let of = if scene.state.selection.range.is_some() {
            "Selected range"
        } else {
            "In view"
        };
        let within = scene.status.why.table.as_ref().map(|it| it.within);
        ui.horizontal(|ui| {
            for table in WhyTable::ALL {
                if toggle(ui, scene.theme, self.chosen == table, table.label()).clicked() {
                    self.chosen = table;
                }
            }
            let is_on = scene.state.settings.is_on(Switch::Path);
            if toggle(ui, scene.theme, is_on, "On the timeline")
                .on_hover_text(format!(
                    "Draw the critical path of the whole capture through the lanes ({})",
                    Command::Path.key()
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
                actions.push(Action::Copy(self.lines.text()));
            }
            let words = within.map(|within| {
                format!(
                    "{of} · {} to {} · {}",
                    text::duration(within.start),
                    text::duration(within.end),
                    text::duration(within.length())
                )
            });
            ui.label(RichText::new(words.unwrap_or_default()).color(scene.theme.weak));
        });
        ui.add_space(GRID);
    }
}

//! The ranks that others waited for, and the steps that took a rank much longer than the others.

use std::sync::Arc;

use eframe::egui::{Align, Key, Label, Layout, PointerButton, RichText, Ui, vec2};
use engine::fleet::FleetPicture;
use engine::time::{Interval, Nanos};

use super::fleet_words::{step_interval, time};
use super::heatmap::choose;
use crate::action::{Action, FleetAction};
use crate::panel::Scene;
use crate::panel::table::{self, SortOrder, TableCell, TableColumn, sorted};
use crate::panel::widgets::{hint, section};
use crate::state::FleetCell;
use crate::text::{self, clock_words, no_outlier, no_straggler};

const STRAGGLERS: &[TableColumn] = &[
    TableColumn::number("rank", "The rank that others waited for", 54.0),
    TableColumn::number(
        "last",
        "To how many collective operations it came last",
        54.0,
    ),
    TableColumn {
        takes_rest: true,
        ..TableColumn::time(
            "others lost",
            "How long all others waited for it, added up",
            90.0,
        )
    },
    TableColumn::time(
        "worst",
        "The most that others waited in one operation, added up",
        88.0,
    ),
    TableColumn::number("in step", "The step of that operation", 66.0),
];

const OUTLIERS: &[TableColumn] = &[
    TableColumn::number("rank", "The rank whose step took long", 54.0),
    TableColumn::number("step", "The step", 54.0),
    TableColumn {
        takes_rest: true,
        ..TableColumn::time("time", "How long it took", 90.0)
    },
    TableColumn::time("median", "The median of that step over all ranks", 88.0),
    TableColumn::number("times", "How many times the median it took", 66.0),
];

/// Height of a table's titles and of a row in it, in points.
const TITLES: f32 = 34.0;
const ROW: f32 = 22.0;
/// What is shown around a moment that lies in no step.
const AROUND: Nanos = Nanos(1_000_000);

/// What a row stands for.
#[derive(Clone, Copy)]
struct RankLine {
    rank: u32,
    step: Option<i64>,
    /// When, where it lies in no step.
    ts: Option<i64>,
}

impl RankLine {
    fn cell(self) -> Option<FleetCell> {
        let rank = self.rank;
        self.step.map(|step| FleetCell { rank, step })
    }

    /// The action that opens the rank's capture at it.
    fn open(self, picture: &FleetPicture) -> Action {
        let moment = |ts: i64| Interval::new(Nanos(ts) - AROUND, Nanos(ts) + AROUND);
        let at = self.cell().and_then(|it| step_interval(picture, it));
        let at = at.or_else(|| self.ts.map(moment));
        Action::Fleet(FleetAction::OpenCapture(self.rank, at))
    }
}

/// A table whose rows are made once for a picture, and sorted again when its order changes.
struct RankTable {
    order: SortOrder,
    of: Option<Arc<FleetPicture>>,
    lines: Vec<RankLine>,
    cells: Vec<Vec<TableCell>>,
    sorted: (Option<SortOrder>, Vec<usize>),
}

impl RankTable {
    /// The rows in the order in which they come, the worst first, until a title is clicked.
    const fn new(order: SortOrder) -> Self {
        Self {
            order,
            of: None,
            lines: Vec::new(),
            cells: Vec::new(),
            sorted: (None, Vec::new()),
        }
    }

    fn read(
        &mut self,
        picture: &Arc<FleetPicture>,
        rows: impl Iterator<Item = (RankLine, Vec<TableCell>)>,
    ) {
        if self.of.as_ref().is_none_or(|it| !Arc::ptr_eq(it, picture)) {
            self.of = Some(Arc::clone(picture));
            (self.lines, self.cells) = rows.unzip();
            self.sorted.0 = None;
        }
        if self.sorted.0 != Some(self.order) {
            self.sorted = (Some(self.order), sorted(&self.cells, self.order, |_| true));
        }
    }

    /// Shows the rows in the height that is left; a click chooses the cell, and a double click or Enter opens the capture.
    fn ui(
        &mut self,
        ui: &mut Ui,
        scene: &Scene<'_>,
        columns: &[TableColumn],
        actions: &mut Vec<Action>,
    ) {
        let Some(picture) = self.of.clone() else {
            return;
        };
        let chosen = scene.state.fleet.cell;
        let chosen = self
            .lines
            .iter()
            .position(|it| chosen.is_some() && it.cell() == chosen);
        let rows = (self.cells.as_slice(), self.sorted.1.as_slice(), chosen);
        let click = table::show(ui, scene, columns, &mut self.order, rows);
        let Some(line) = click.and_then(|it| self.lines.get(it.row)) else {
            return;
        };
        if let Some(cell) = line.cell() {
            actions.extend(choose(scene, &picture, cell));
        }
        let is_opened = ui.input(|input| {
            let pointer = input.pointer.button_double_clicked(PointerButton::Primary);
            pointer || input.key_pressed(Key::Enter)
        });
        if is_opened {
            actions.push(line.open(&picture));
        }
    }
}

/// Both lists.
pub struct RankLists {
    stragglers: RankTable,
    outliers: RankTable,
}

impl Default for RankLists {
    fn default() -> Self {
        let most = |column| SortOrder {
            column,
            is_descending: true,
        };
        Self {
            stragglers: RankTable::new(most(2)),
            outliers: RankTable::new(most(4)),
        }
    }
}

fn whole(value: i64) -> TableCell {
    TableCell::number(Some(value), |it| it.to_string())
}

fn nanos(value: i64) -> TableCell {
    TableCell::number(Some(value), time)
}

fn straggler_rows(picture: &FleetPicture) -> impl Iterator<Item = (RankLine, Vec<TableCell>)> {
    picture.stragglers.iter().map(|it| {
        let line = RankLine {
            rank: it.rank,
            step: it.worst_step,
            ts: Some(it.worst_ts),
        };
        let last = i64::try_from(it.times_last).unwrap_or(i64::MAX);
        let cells = vec![
            whole(it.rank.into()),
            whole(last),
            nanos(it.lost_by_others),
            nanos(it.worst),
            TableCell::number(it.worst_step, |it| it.to_string()),
        ];
        (line, cells)
    })
}

fn outlier_rows(picture: &FleetPicture) -> impl Iterator<Item = (RankLine, Vec<TableCell>)> {
    picture.outliers.iter().map(|it| {
        let line = RankLine {
            rank: it.rank,
            step: Some(it.step),
            ts: None,
        };
        let times = it.time as f64 / it.median.max(1) as f64;
        let times = TableCell::number(Some((times * 1e6) as i64), |_| text::significant(times));
        let cells = vec![
            whole(it.rank.into()),
            whole(it.step),
            nanos(it.time),
            nanos(it.median),
            times,
        ];
        (line, cells)
    })
}

impl RankLists {
    /// Shows one below the other, or beside it where `is_wide`.
    pub fn ui(
        &mut self,
        ui: &mut Ui,
        scene: &Scene<'_>,
        (picture, is_wide): (&Arc<FleetPicture>, bool),
        actions: &mut Vec<Action>,
    ) {
        self.stragglers.read(picture, straggler_rows(picture));
        self.outliers.read(picture, outlier_rows(picture));
        let size = ui.available_size();
        if is_wide {
            let half = vec2((size.x - 16.0) / 2.0, size.y);
            ui.horizontal_top(|ui| {
                ui.spacing_mut().item_spacing.x = 16.0;
                sized(ui, half, |ui| self.stragglers(ui, scene, picture, actions));
                sized(ui, half, |ui| self.outliers(ui, scene, picture, actions));
            });
            return;
        }
        // Few rows leave the room to the other list.
        let rows = |count: usize| 90.0 + TITLES + count as f32 * ROW;
        let first = rows(picture.stragglers.len());
        let rest = rows(picture.outliers.len());
        let half = (size.y - rest).max(size.y / 2.0);
        let first = first.min(half);
        sized(ui, vec2(size.x, first), |ui| {
            self.stragglers(ui, scene, picture, actions);
        });
        sized(ui, vec2(size.x, size.y - first), |ui| {
            self.outliers(ui, scene, picture, actions);
        });
    }

    fn stragglers(
        &mut self,
        ui: &mut Ui,
        scene: &Scene<'_>,
        picture: &FleetPicture,
        actions: &mut Vec<Action>,
    ) {
        section(
            ui,
            scene.theme,
            &title("Stragglers", picture.stragglers.len()),
        );
        let clocks = clock_words(picture);
        if !clocks.is_empty() {
            let words = RichText::new(clocks).small().color(scene.theme.weak);
            ui.add(Label::new(words).wrap());
        }
        if picture.stragglers.is_empty() {
            return hint(ui, scene.theme, no_straggler(picture));
        }
        ui.push_id("stragglers", |ui| {
            self.stragglers.ui(ui, scene, STRAGGLERS, actions);
        });
    }

    fn outliers(
        &mut self,
        ui: &mut Ui,
        scene: &Scene<'_>,
        picture: &FleetPicture,
        actions: &mut Vec<Action>,
    ) {
        section(ui, scene.theme, &title("Outliers", picture.outliers.len()));
        if picture.outliers.is_empty() {
            return hint(ui, scene.theme, no_outlier(picture));
        }
        let words = RichText::new("Steps that took a rank much longer than the others").small();
        ui.add(Label::new(words.color(scene.theme.weak)).wrap());
        ui.push_id("outliers", |ui| {
            self.outliers.ui(ui, scene, OUTLIERS, actions);
        });
    }
}

fn title(name: &str, count: usize) -> String {
    if count == 0 {
        name.to_owned()
    } else {
        format!("{name} {}", text::count(count as u64))
    }
}

/// Shows contents in exactly this room.
fn sized(ui: &mut Ui, size: eframe::egui::Vec2, contents: impl FnOnce(&mut Ui)) {
    ui.allocate_ui_with_layout(size, Layout::top_down(Align::Min), |ui| {
        ui.set_min_size(size);
        ui.set_max_size(size);
        contents(ui);
    });
}

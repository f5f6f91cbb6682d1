//! Memory as a table: a row for each group of allocations, or for each of them.

use eframe::egui::Ui;
use engine::record::SpanId;
use engine::time::Nanos;

use super::loader::MemoryAnswer;
use super::rows::MemoryRow;
use crate::panel::Scene;
use crate::panel::table::{
    CellEmphasis, FilteredTable, SortOrder, TableCell, TableColumn, TableLine, TableRevision,
};
use crate::text;

const GROUP_COLUMNS: &[TableColumn] = &[
    TableColumn {
        width: 420.0,
        ..TableColumn::wide(
            "asked by",
            "What the allocations share; click to select what tells of them, the largest first",
        )
    },
    TableColumn::number("allocations", "How many of them are known", 100.0),
    TableColumn::number("bytes", "How many bytes they have together", 120.0),
    TableColumn::share("share", "Their share of the bytes of all rows", 80.0),
];

const EACH_COLUMNS: &[TableColumn] = &[
    TableColumn {
        width: 150.0,
        ..TableColumn::wide(
            "block",
            "The address of the allocation, or what the file calls it; click to go to where it was made",
        )
    },
    TableColumn::number("bytes", "How many bytes it has", 110.0),
    TableColumn::text("operator", "The innermost operator that asked", 220.0),
    TableColumn::text("range", "The innermost range that the program named", 160.0),
    TableColumn::text("function", "The innermost function of a script", 160.0),
    TableColumn::time(
        "allocated",
        "When it was allocated; blank before the capture",
        96.0,
    ),
    TableColumn::time("freed", "When it was freed; blank where it never was", 96.0),
    TableColumn::time("held", "How long it was there", 96.0),
];

/// What a row stands for.
struct MemoryLine {
    row: usize,
    words: String,
}

impl TableLine for MemoryLine {
    type State = ();

    fn state(&self) {}

    fn words(&self) -> &str {
        &self.words
    }
}

/// The table, those with most bytes first until it is sorted by something else.
pub struct MemoryTable {
    groups: FilteredTable<MemoryLine>,
    each: FilteredTable<MemoryLine>,
}

impl Default for MemoryTable {
    fn default() -> Self {
        let by = |column| {
            FilteredTable::new(SortOrder {
                column,
                is_descending: true,
            })
        };
        Self {
            groups: by(2),
            each: by(1),
        }
    }
}

impl MemoryTable {
    /// Shows an answer, of which `version` is the number; gives the spans of the row that was clicked.
    pub fn show<'a>(
        &mut self,
        ui: &mut Ui,
        scene: &Scene<'_>,
        (answer, version): (&'a MemoryAnswer, u64),
    ) -> Option<&'a [SpanId]> {
        let now: TableRevision = (version, answer.rows.len(), scene.theme.dark);
        let bytes = answer.rows.iter().map(|it| it.bytes);
        let whole = bytes.fold(0, u64::saturating_add);
        let (table, columns) = match answer.by {
            Some(_) => (&mut self.groups, GROUP_COLUMNS),
            None => (&mut self.each, EACH_COLUMNS),
        };
        let is_group = answer.by.is_some();
        let rows = answer.rows.iter().enumerate();
        table.read(
            now,
            rows.map(|(place, row)| {
                let cells = if is_group {
                    group_cells(row, whole)
                } else {
                    each_cells(row)
                };
                let line = MemoryLine {
                    row: place,
                    words: words(row),
                };
                (line, cells)
            }),
        );
        let note = match answer.left_out {
            0 => String::new(),
            rest => format!("{} more are not listed", text::count(rest as u64)),
        };
        let selected = scene.state.selection.span;
        let first = |line: &MemoryLine| answer.rows.get(line.row)?.spans.first().copied();
        let is_chosen = |line: &MemoryLine| selected.is_some() && first(line) == selected;
        let clicked = table.show(ui, scene, ("memory", &note), (columns, &[]), is_chosen);
        let row = answer.rows.get(clicked?.0.row)?;
        Some(&row.spans)
    }

    /// What is shown as comma-separated values, times in nanoseconds.
    pub fn csv(&self, is_grouped: bool) -> String {
        if is_grouped {
            self.groups.csv(GROUP_COLUMNS)
        } else {
            self.each.csv(EACH_COLUMNS)
        }
    }
}

/// What a row is filtered by.
fn words(row: &MemoryRow) -> String {
    let origin = &row.origin;
    let names = [&origin.operator, &origin.range, &origin.function];
    let names = names.into_iter().flatten().map(|it| &**it);
    let all: Vec<&str> = std::iter::once(row.name.as_str()).chain(names).collect();
    all.join(" ").to_lowercase()
}

fn number(value: u64) -> TableCell {
    let value = i64::try_from(value).unwrap_or(i64::MAX);
    TableCell::number(Some(value), |it| text::count(it.unsigned_abs()))
}

fn bytes(value: u64) -> TableCell {
    let value = i64::try_from(value).unwrap_or(i64::MAX);
    TableCell::number(Some(value), |it| text::amount(it as f64, "bytes"))
}

fn link(name: &str) -> TableCell {
    TableCell {
        ink: CellEmphasis::Link,
        ..TableCell::text(name)
    }
}

fn group_cells(row: &MemoryRow, whole: u64) -> Vec<TableCell> {
    let share = row.bytes as f64 / whole.max(1) as f64;
    vec![
        link(&row.name),
        number(row.count),
        bytes(row.bytes),
        TableCell::number(Some((share * 1e6) as i64), |_| text::percent(share)),
    ]
}

fn each_cells(row: &MemoryRow) -> Vec<TableCell> {
    let name = |name: &Option<Box<str>>| TableCell::text(name.as_deref().unwrap_or_default());
    let time = |time: Option<Nanos>| {
        TableCell::number(time.map(|it| it.0), |it| text::duration(Nanos(it)))
    };
    let held = row.from.zip(row.to).map(|(from, to)| to - from);
    vec![
        link(&row.name),
        bytes(row.bytes),
        name(&row.origin.operator),
        name(&row.origin.range),
        name(&row.origin.function),
        time(row.from),
        time(row.to),
        time(held),
    ]
}

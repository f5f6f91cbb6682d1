//! A table whose rows are filtered by their state and by words.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use eframe::egui::{Color32, Ui};

use super::chips::{FilterChip, bar, flip, kept};
use super::{SortOrder, TableCell, TableColumn, show, sorted};
use crate::panel::Scene;
use crate::panel::widgets::{Sign, hint};
use crate::text;

/// What a row of a table stands for.
pub trait TableLine {
    /// What rows are told apart by: each that occurs has a chip.
    type State: Copy + Ord;

    /// The state it is in.
    fn state(&self) -> Self::State;

    /// All its words in lower case, to be searched.
    fn words(&self) -> &str;
}

/// A state, its word, and where it has one its sign with the colour of that.
pub type ChipState<S> = (S, &'static str, Option<(Sign, Color32)>);

/// What a table was read of: the capture's revision, how many things it had, and whether the theme was dark.
pub type TableRevision = (u64, usize, bool);

/// A table with a chip for each state of its rows, and a field to filter them by.
pub struct FilteredTable<L: TableLine> {
    order: SortOrder,
    filter: String,
    hidden: BTreeSet<L::State>,
    lines: Vec<L>,
    /// How many rows are in each state.
    counts: BTreeMap<L::State, usize>,
    cells: Vec<Vec<TableCell>>,
    read: Option<TableRevision>,
    /// The rows that were shown last: to sort thousands of them takes longer than to draw those in view.
    sorted: Option<SortedRows<L::State>>,
}

/// The rows that are shown, in order, and what they are shown of.
type SortedRows<S> = (RowsKey<S>, Arc<[usize]>);

/// What they depend on.
type RowsKey<S> = (Option<TableRevision>, SortOrder, String, BTreeSet<S>);

impl<L: TableLine> FilteredTable<L> {
    /// A table without rows, in this order.
    pub const fn new(order: SortOrder) -> Self {
        Self {
            order,
            filter: String::new(),
            hidden: BTreeSet::new(),
            lines: Vec::new(),
            counts: BTreeMap::new(),
            cells: Vec::new(),
            read: None,
            sorted: None,
        }
    }

    /// Reads the rows again where they were read of something else.
    pub fn read(&mut self, now: TableRevision, rows: impl Iterator<Item = (L, Vec<TableCell>)>) {
        if self.read != Some(now) {
            self.read = Some(now);
            (self.lines, self.cells) = rows.unzip();
            self.counts.clear();
            for line in &self.lines {
                *self.counts.entry(line.state()).or_default() += 1;
            }
        }
    }

    /// Shows the chips, the field with a note beside it, and the rows; gives the row and the column that were clicked.
    pub fn show(
        &mut self,
        ui: &mut Ui,
        scene: &Scene<'_>,
        (what, note): (&str, &str),
        (columns, states): (&[TableColumn], &[ChipState<L::State>]),
        is_chosen: impl Fn(&L) -> bool,
    ) -> Option<(&L, usize)> {
        let chips = self.chips(states);
        let clicked = bar(ui, scene, (what, note), &chips, &mut self.filter);
        flip(&mut self.hidden, clicked);
        let shown = self.rows();
        if shown.is_empty() && !self.lines.is_empty() {
            let rows = text::counted(self.lines.len() as u64, "row");
            let mut words = format!("None of {rows} matches the filter");
            if !note.is_empty() {
                words = format!("{words}; {note}");
            }
            hint(ui, scene.theme, &words);
            return None;
        }
        let chosen = self.lines.iter().position(is_chosen);
        let rows = (self.cells.as_slice(), &*shown, chosen);
        let click = show(ui, scene, columns, &mut self.order, rows)?;
        Some((self.lines.get(click.row)?, click.column))
    }

    /// The same as [`Self::shown`], found again only where something has changed.
    fn rows(&mut self) -> Arc<[usize]> {
        if let Some(((read, order, filter, hidden), rows)) = &self.sorted
            && (*read, *order) == (self.read, self.order)
            && (filter, hidden) == (&self.filter, &self.hidden)
        {
            return Arc::clone(rows);
        }
        let rows: Arc<[usize]> = self.shown().into();
        let key = (
            self.read,
            self.order,
            self.filter.clone(),
            self.hidden.clone(),
        );
        self.sorted = Some((key, Arc::clone(&rows)));
        rows
    }

    /// The row that is shown first.
    pub fn first(&self) -> Option<&L> {
        self.lines.get(*self.shown().first()?)
    }

    /// The positions of the rows that are shown, in order.
    fn shown(&self) -> Vec<usize> {
        let wanted = self.filter.to_lowercase();
        sorted(&self.cells, self.order, |at| {
            let line = self.lines.get(at);
            line.is_some_and(|line| {
                !self.hidden.contains(&line.state()) && kept(line.words(), &wanted)
            })
        })
    }

    /// A chip for each state that some row is in.
    fn chips(&self, states: &[ChipState<L::State>]) -> Vec<FilterChip<L::State>> {
        let chips = states.iter().map(|&(value, words, sign)| FilterChip {
            value,
            words,
            sign,
            count: self.counts.get(&value).copied().unwrap_or_default(),
            is_on: !self.hidden.contains(&value),
        });
        chips.filter(|chip| chip.count > 0).collect()
    }

    /// The rows that are shown as comma-separated values under the titles, numbers as they are sorted by.
    pub fn csv(&self, columns: &[TableColumn]) -> String {
        let title = |it: &TableColumn| quoted(&format!("{}{}", it.title, it.unit.suffix()));
        let titles = columns.iter().map(title);
        let mut lines = vec![titles.collect::<Vec<_>>().join(",")];
        for at in self.shown() {
            let cells = self.cells.get(at).into_iter().flatten();
            let fields = cells.zip(columns).map(|(cell, column)| match cell.rank {
                Some(number) if column.is_number => column.unit.plain(number),
                _ => quoted(&cell.text.replace(text::THIN, " ")),
            });
            lines.push(fields.collect::<Vec<_>>().join(","));
        }
        lines.join("\n")
    }
}

/// A text as a field of comma-separated values. One that a spreadsheet would take for a formula has an apostrophe before it.
fn quoted(text: &str) -> String {
    let guard = if text.starts_with(['=', '+', '-', '@', '\t', '\r']) {
        "'"
    } else {
        ""
    };
    if guard.is_empty() && !text.contains([',', '"', '\n', '\r']) {
        return text.to_owned();
    }
    format!("\"{guard}{}\"", text.replace('"', "\"\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Named(&'static str, bool);

    impl TableLine for Named {
        type State = bool;

        fn state(&self) -> bool {
            self.1
        }

        fn words(&self) -> &str {
            self.0
        }
    }

    const COLUMNS: &[TableColumn] = &[
        TableColumn::wide("name", "What it is called"),
        TableColumn::time("time", "How long", 80.0),
    ];

    fn table() -> FilteredTable<Named> {
        let mut table = FilteredTable::new(SortOrder::by(1));
        let rows = [("b, c", 7, true), ("=a", 20, false), ("d", 3, true)];
        let rows = rows.map(|(name, time, state)| {
            let cells = vec![
                TableCell::text(name),
                TableCell::number(Some(time), |it| format!("{it} ns")),
            ];
            (Named(name, state), cells)
        });
        table.read((0, 3, true), rows.into_iter());
        table
    }

    #[test]
    fn what_is_copied_is_what_is_shown_with_numbers_as_numbers() {
        let mut table = table();
        assert_eq!(
            table.csv(COLUMNS),
            "name,time (ns)\nd,3\n\"b, c\",7\n\"'=a\",20"
        );
        table.hidden.insert(true);
        assert_eq!(table.csv(COLUMNS), "name,time (ns)\n\"'=a\",20");
        table.hidden.clear();
        table.filter = "B".to_owned();
        assert_eq!(table.csv(COLUMNS), "name,time (ns)\n\"b, c\",7");
    }

    #[test]
    fn a_share_is_copied_as_a_number_of_percent() {
        let columns = [COLUMNS[0], TableColumn::share("share", "Of all", 80.0)];
        let mut table = FilteredTable::new(SortOrder::by(1));
        let share = TableCell::number(Some(553_210), |_| format!("55{}%", text::THIN));
        let cells = vec![TableCell::text("a"), share];
        table.read((0, 1, true), std::iter::once((Named("a", true), cells)));
        assert_eq!(table.csv(&columns), "name,share (%)\na,55.3210");
    }

    #[test]
    fn rows_are_read_once_for_each_revision() {
        let mut table = table();
        table.read((0, 3, true), std::iter::once_with(|| unreachable!()));
        table.read((1, 0, true), std::iter::empty());
        assert_eq!(table.csv(COLUMNS), "name,time (ns)");
    }
}

//! A table on its way, row by row.

use crate::column::{CellValue, ColumnValues, NO_INTEGER, NO_NUMBER, TextDraft};
use crate::guard::{QueryGuard, StopReason};
use crate::rows::TableRows;
use crate::schema::{SqlColumn, SqlType, TableId};
use crate::source::QuerySource;
use record::Value;

/// Rows between two looks at whether to go on.
const STRIDE: usize = 1 << 14;

/// The values of a column so far.
pub(crate) enum DraftColumn {
    Integers(Vec<i64>),
    Reals(Vec<f64>),
    Texts(TextDraft),
}

impl DraftColumn {
    /// No values of a column.
    pub fn new(column: &SqlColumn) -> Self {
        match column.holds {
            SqlType::Integer => Self::Integers(Vec::new()),
            SqlType::Real => Self::Reals(Vec::new()),
            SqlType::Text => Self::Texts(TextDraft::default()),
        }
    }

    /// Adds the value of the next row. One of another type than the column's is NULL.
    pub fn push(&mut self, value: &CellValue<'_>) {
        match (self, value) {
            (Self::Integers(all), CellValue::Integer(value)) => all.push(*value),
            (Self::Integers(all), _) => all.push(NO_INTEGER),
            (Self::Reals(all), CellValue::Real(value)) => all.push(*value),
            (Self::Reals(all), _) => all.push(f64::NAN),
            (Self::Texts(all), CellValue::Text(value)) => all.push(Some(value)),
            (Self::Texts(all), _) => all.push(None),
        }
    }

    /// Bytes of its rows.
    pub fn row_bytes(&self) -> usize {
        match self {
            Self::Integers(all) => all.len() * 8,
            Self::Reals(all) => all.len() * 8,
            Self::Texts(all) => all.row_bytes(),
        }
    }

    /// The column.
    pub fn finish(self) -> ColumnValues {
        match self {
            Self::Integers(all) => integers(all),
            Self::Reals(all) if all.iter().all(|it| it.is_nan()) => ColumnValues::Same(None),
            Self::Reals(all) => ColumnValues::Reals(all),
            Self::Texts(all) => all.finish(),
        }
    }
}

/// Whole numbers in the fewest bytes.
pub(super) fn integers(all: Vec<i64>) -> ColumnValues {
    let first = all.first().copied().unwrap_or(NO_INTEGER);
    if all.iter().all(|it| *it == first) {
        let value = (first != NO_INTEGER).then_some(Value::Integer(first));
        return ColumnValues::Same(value);
    }
    let narrow = |it: &i64| *it == NO_INTEGER || (0..i64::from(NO_NUMBER)).contains(it);
    if all.iter().all(narrow) {
        let number = |it: i64| u32::try_from(it).unwrap_or(NO_NUMBER);
        return ColumnValues::Numbers(all.into_iter().map(number).collect());
    }
    ColumnValues::Integers(all)
}

/// A number, or NULL.
pub(super) fn int<'a>(value: Option<i64>) -> CellValue<'a> {
    value.map_or(CellValue::Null, CellValue::Integer)
}

/// A text, or NULL.
pub(super) fn text(value: Option<&str>) -> CellValue<'_> {
    value.map_or(CellValue::Null, CellValue::Text)
}

/// A table on its way. Its last columns are the run and the rank.
pub(super) struct TableDraft<'a> {
    columns: Vec<DraftColumn>,
    ranks: Vec<i64>,
    run: ColumnValues,
    guard: Option<&'a QueryGuard>,
    counted: usize,
}

impl<'a> TableDraft<'a> {
    /// A table without rows; the guard looks after one that may become large.
    pub fn of(source: &QuerySource, id: TableId, guard: Option<&'a QueryGuard>) -> Self {
        let columns = id.schema().map_or(&[][..], |it| it.columns);
        let own = columns.len().saturating_sub(2);
        Self {
            columns: columns.iter().take(own).map(DraftColumn::new).collect(),
            ranks: Vec::new(),
            run: source.run(),
            guard,
            counted: 0,
        }
    }

    /// Adds a row: its rank, and the values before that and the run.
    pub fn row(&mut self, rank: u32, values: &[CellValue<'_>]) -> Result<(), StopReason> {
        for (column, value) in self.columns.iter_mut().zip(values) {
            column.push(value);
        }
        self.ranks.push(i64::from(rank));
        if self.ranks.len().is_multiple_of(STRIDE)
            && let Some(guard) = self.guard
        {
            let bytes: usize = self.columns.iter().map(DraftColumn::row_bytes).sum();
            guard.take_room(bytes.saturating_sub(self.counted))?;
            self.counted = bytes;
        }
        Ok(())
    }

    /// The table.
    pub fn finish(self) -> TableRows {
        let len = self.ranks.len();
        if let Some(guard) = self.guard {
            guard.return_room(self.counted);
        }
        let mut columns: Vec<ColumnValues> =
            self.columns.into_iter().map(DraftColumn::finish).collect();
        columns.push(self.run);
        columns.push(integers(self.ranks));
        TableRows::new(columns, len)
    }
}

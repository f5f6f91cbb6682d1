//! Rows on their way into a file, wherever they come from.

use std::collections::HashMap;

use query::{CellValue, SqlColumn, SqlType};

/// Rows of a table, in the order in which they are to be written.
pub trait RowSource {
    /// How many rows there are.
    fn row_count(&self) -> usize;

    /// The value of a column in a row.
    fn cell(&self, column: usize, row: usize) -> CellValue<'_>;

    /// A number that equal texts of a column have in common, from 0 on; nothing for NULL.
    fn text_code(&self, column: usize, row: usize) -> Option<usize>;
}

/// The values of a column.
#[derive(Clone, Debug)]
enum StoredValues {
    Integers(Vec<Option<i64>>),
    Reals(Vec<Option<f64>>),
    Texts(TextPool),
}

/// Texts, each kept once.
#[derive(Clone, Debug, Default)]
struct TextPool {
    rows: Vec<Option<u32>>,
    texts: Vec<String>,
    codes: HashMap<String, u32>,
}

impl TextPool {
    fn push(&mut self, text: Option<&str>) {
        let code = text.map(|text| {
            self.codes.get(text).copied().unwrap_or_else(|| {
                let code = self.texts.len() as u32;
                self.texts.push(text.to_owned());
                self.codes.insert(text.to_owned(), code);
                code
            })
        });
        self.rows.push(code);
    }

    fn get(&self, row: usize) -> Option<&str> {
        let code = (*self.rows.get(row)?)?;
        self.texts.get(code as usize).map(String::as_str)
    }
}

/// Rows that are held in memory: those of small tables, and those that were read from a file.
#[derive(Clone, Debug)]
pub struct StoredRows {
    columns: Vec<StoredValues>,
    len: usize,
}

impl StoredRows {
    /// No rows of these columns.
    pub fn new(columns: &[SqlColumn]) -> Self {
        Self::of_types(columns.iter().map(|it| it.holds))
    }

    /// No rows of columns that hold this.
    pub(crate) fn of_types(types: impl Iterator<Item = SqlType>) -> Self {
        let empty = |holds| match holds {
            SqlType::Integer => StoredValues::Integers(Vec::new()),
            SqlType::Real => StoredValues::Reals(Vec::new()),
            SqlType::Text => StoredValues::Texts(TextPool::default()),
        };
        Self {
            columns: types.map(empty).collect(),
            len: 0,
        }
    }

    /// Adds a row. A value of another type than its column's is NULL there, and so is one that is left out.
    pub fn push(&mut self, values: &[CellValue<'_>]) {
        for (place, column) in self.columns.iter_mut().enumerate() {
            let value = values.get(place).copied().unwrap_or(CellValue::Null);
            match (column, value) {
                (StoredValues::Integers(all), CellValue::Integer(value)) => all.push(Some(value)),
                (StoredValues::Integers(all), _) => all.push(None),
                (StoredValues::Reals(all), CellValue::Real(value)) => all.push(Some(value)),
                (StoredValues::Reals(all), _) => all.push(None),
                (StoredValues::Texts(all), CellValue::Text(text)) => all.push(Some(text)),
                (StoredValues::Texts(all), _) => all.push(None),
            }
        }
        self.len += 1;
    }
}

impl RowSource for StoredRows {
    fn row_count(&self) -> usize {
        self.len
    }

    fn cell(&self, column: usize, row: usize) -> CellValue<'_> {
        match self.columns.get(column) {
            Some(StoredValues::Integers(all)) => {
                let value = all.get(row).copied().flatten();
                value.map_or(CellValue::Null, CellValue::Integer)
            }
            Some(StoredValues::Reals(all)) => {
                let value = all.get(row).copied().flatten();
                value.map_or(CellValue::Null, CellValue::Real)
            }
            Some(StoredValues::Texts(all)) => all.get(row).map_or(CellValue::Null, CellValue::Text),
            None => CellValue::Null,
        }
    }

    fn text_code(&self, column: usize, row: usize) -> Option<usize> {
        match self.columns.get(column)? {
            StoredValues::Texts(all) => all.rows.get(row).copied().flatten().map(|it| it as usize),
            _ => None,
        }
    }
}

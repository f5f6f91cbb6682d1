//! Columns in memory: a value for each row, in the fewest bytes that hold it.

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use capture::Capture;
use record::{NameId, Value};

/// Stands for NULL among numbers of 32 bits.
pub(crate) const NO_NUMBER: u32 = u32::MAX;
/// Stands for NULL among numbers of 64 bits.
pub(crate) const NO_INTEGER: i64 = i64::MIN;

/// The texts that the codes of a column stand for. Equal texts have one code.
#[derive(Clone)]
pub(crate) enum TextWords {
    /// The labels of a closed set.
    Labels(&'static [&'static str]),
    /// Texts of this column's own.
    Own(Arc<Vec<Box<str>>>),
    /// The names of a capture.
    Names(Arc<Capture>),
    /// The texts of a capture's fields.
    Fields(Arc<Capture>),
}

impl TextWords {
    /// The text of a code.
    pub fn get(&self, code: u32) -> Option<&str> {
        match self {
            Self::Labels(labels) => labels.get(code as usize).copied(),
            Self::Own(words) => words.get(code as usize).map(|it| &**it),
            Self::Names(capture) => Some(capture.name(NameId(code))),
            Self::Fields(capture) => Some(capture.argument_text(code)),
        }
    }

    /// How many codes there may be.
    pub fn len(&self) -> usize {
        match self {
            Self::Labels(labels) => labels.len(),
            Self::Own(words) => words.len(),
            Self::Names(capture) => capture.name_count(),
            Self::Fields(capture) => capture.argument_text_count(),
        }
    }

    fn heap_bytes(&self) -> usize {
        match self {
            Self::Own(words) => words.iter().map(|it| it.len() + 16).sum(),
            _ => 0,
        }
    }
}

/// The values of a column, row by row.
pub(crate) enum ColumnValues {
    /// Whole numbers; [`NO_INTEGER`] is NULL.
    Integers(Vec<i64>),
    /// Whole numbers from 0; [`NO_NUMBER`] is NULL.
    Numbers(Vec<u32>),
    /// The same numbers, which another column holds as the codes of its texts.
    Shared(Arc<Vec<u32>>),
    /// Numbers with a fraction; one that is no number is NULL.
    Reals(Vec<f64>),
    /// Texts by their codes; [`NO_NUMBER`] is NULL.
    Texts(Arc<Vec<u32>>, TextWords),
    /// Labels of a closed set, in a byte each.
    Labels(Vec<u8>, &'static [&'static str]),
    /// The same in every row.
    Same(Option<Value>),
}

impl ColumnValues {
    /// Bytes held on the heap.
    pub fn heap_bytes(&self) -> usize {
        match self {
            Self::Integers(all) => all.capacity() * 8,
            Self::Numbers(all) => all.capacity() * 4,
            Self::Reals(all) => all.capacity() * 8,
            Self::Texts(codes, words) => codes.capacity() * 4 + words.heap_bytes(),
            Self::Labels(codes, _) => codes.capacity(),
            Self::Shared(_) | Self::Same(_) => 0,
        }
    }
}

/// A column: its values, and what was found out about them.
pub(crate) struct StoredColumn {
    /// The values, once they are there: some columns are made when a question first needs them.
    values: OnceLock<ColumnValues>,
    /// The place of each text among all of them in order, once somebody has asked.
    ranks: OnceLock<Vec<u32>>,
    /// The codes of texts, once somebody has looked for one.
    codes: OnceLock<HashMap<Box<str>, u32>>,
    /// The rows in order of their keys, once it pays.
    index: OnceLock<Vec<u32>>,
}

/// A value of a row, as SQLite is told it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum CellValue<'a> {
    /// No value.
    Null,
    /// A whole number.
    Integer(i64),
    /// A number with a fraction.
    Real(f64),
    /// A text.
    Text(&'a str),
}

/// What a column has that is not made yet.
static NOTHING: ColumnValues = ColumnValues::Same(None);

impl From<ColumnValues> for StoredColumn {
    fn from(values: ColumnValues) -> Self {
        Self {
            values: OnceLock::from(values),
            ..Self::default()
        }
    }
}

impl Default for StoredColumn {
    /// A column that is made later.
    fn default() -> Self {
        Self {
            values: OnceLock::new(),
            ranks: OnceLock::new(),
            codes: OnceLock::new(),
            index: OnceLock::new(),
        }
    }
}

impl StoredColumn {
    /// The values, row by row.
    #[inline]
    pub fn values(&self) -> &ColumnValues {
        self.values.get().unwrap_or(&NOTHING)
    }

    /// Gives a column its values, unless it has some.
    pub fn fill(&self, values: ColumnValues) {
        // Two questions may have made the same.
        let _ = self.values.set(values);
    }

    /// Whether it has its values.
    pub fn is_made(&self) -> bool {
        self.values.get().is_some()
    }

    /// The value of a row.
    pub fn cell(&self, row: usize) -> CellValue<'_> {
        match self.values() {
            ColumnValues::Integers(all) => match all.get(row) {
                Some(&NO_INTEGER) | None => CellValue::Null,
                Some(value) => CellValue::Integer(*value),
            },
            ColumnValues::Numbers(all) => match all.get(row) {
                Some(&NO_NUMBER) | None => CellValue::Null,
                Some(value) => CellValue::Integer(i64::from(*value)),
            },
            ColumnValues::Shared(all) => match all.get(row) {
                Some(&NO_NUMBER) | None => CellValue::Null,
                Some(value) => CellValue::Integer(i64::from(*value)),
            },
            ColumnValues::Reals(all) => match all.get(row) {
                Some(value) if !value.is_nan() => CellValue::Real(*value),
                _ => CellValue::Null,
            },
            ColumnValues::Texts(codes, words) => match codes.get(row) {
                Some(&NO_NUMBER) | None => CellValue::Null,
                Some(code) => words.get(*code).map_or(CellValue::Null, CellValue::Text),
            },
            ColumnValues::Labels(codes, labels) => {
                let code = codes.get(row).copied().unwrap_or(u8::MAX);
                let label = labels.get(usize::from(code)).copied();
                label.map_or(CellValue::Null, CellValue::Text)
            }
            ColumnValues::Same(value) => match value {
                None => CellValue::Null,
                Some(Value::Integer(value)) => CellValue::Integer(*value),
                Some(Value::Number(value)) => CellValue::Real(*value),
                Some(Value::Text(value)) => CellValue::Text(value),
            },
        }
    }

    /// A number by which rows of equal values can be told: the value itself, or a text's code; nothing for NULL, and for
    /// numbers with a fraction.
    #[inline]
    pub fn key(&self, row: usize) -> Option<i64> {
        match self.values() {
            ColumnValues::Integers(all) => all.get(row).copied().filter(|it| *it != NO_INTEGER),
            ColumnValues::Numbers(all) => {
                let found = all.get(row).copied().filter(|it| *it != NO_NUMBER);
                found.map(i64::from)
            }
            ColumnValues::Texts(codes, _) | ColumnValues::Shared(codes) => {
                let found = codes.get(row).copied().filter(|it| *it != NO_NUMBER);
                found.map(i64::from)
            }
            ColumnValues::Labels(codes, _) => codes.get(row).map(|it| i64::from(*it)),
            ColumnValues::Reals(_) => None,
            ColumnValues::Same(value) => match value {
                Some(Value::Integer(value)) => Some(*value),
                Some(Value::Text(_)) => Some(0),
                _ => None,
            },
        }
    }

    /// The key of a text; nothing where no row has it.
    pub fn key_of(&self, text: &str) -> Option<i64> {
        match self.values() {
            ColumnValues::Labels(_, labels) => {
                let place = labels.iter().position(|it| *it == text)?;
                Some(place as i64)
            }
            ColumnValues::Texts(codes, words) => {
                let made = || {
                    // Of the names of a capture only those that occur are codes: equal ones may have several numbers.
                    let mut used = vec![false; words.len()];
                    for code in codes.iter() {
                        if let Some(used) = used.get_mut(*code as usize) {
                            *used = true;
                        }
                    }
                    let used = used.into_iter().enumerate().filter(|it| it.1);
                    let texts = used.filter_map(|(code, _)| {
                        let code = code as u32;
                        words.get(code).map(|text| (text.into(), code))
                    });
                    texts.collect()
                };
                self.codes
                    .get_or_init(made)
                    .get(text)
                    .copied()
                    .map(i64::from)
            }
            ColumnValues::Same(Some(Value::Text(value))) => (&**value == text).then_some(0),
            _ => None,
        }
    }

    /// How many different keys there are from 0 on; nothing where they are not few numbers from 0 on.
    pub fn key_count(&self) -> Option<usize> {
        match self.values() {
            ColumnValues::Texts(_, words) => Some(words.len()),
            ColumnValues::Labels(_, labels) => Some(labels.len()),
            ColumnValues::Same(_) => Some(1),
            ColumnValues::Numbers(all) => {
                let most = all.iter().filter(|it| **it != NO_NUMBER).max();
                Some(most.map_or(0, |it| *it as usize + 1))
            }
            _ => None,
        }
    }

    /// Whether its values are texts.
    pub fn is_text(&self) -> bool {
        matches!(
            self.values(),
            ColumnValues::Texts(..)
                | ColumnValues::Labels(..)
                | ColumnValues::Same(Some(Value::Text(_)))
        )
    }

    /// Whether no row has a value.
    pub fn is_empty(&self) -> bool {
        matches!(self.values(), ColumnValues::Same(None))
    }

    /// Whether every row has the same value.
    pub fn is_same(&self) -> bool {
        matches!(self.values(), ColumnValues::Same(_))
    }

    /// The place of each text among all of them, in order of their bytes; nothing for other columns.
    pub fn ranks(&self) -> Option<&[u32]> {
        let words = match self.values() {
            ColumnValues::Texts(_, words) => words.clone(),
            ColumnValues::Labels(_, labels) => TextWords::Labels(labels),
            _ => return None,
        };
        let made = || {
            let mut order: Vec<u32> = (0..words.len() as u32).collect();
            order.sort_by(|a, b| words.get(*a).cmp(&words.get(*b)));
            let mut ranks = vec![0; order.len()];
            for (rank, code) in order.into_iter().enumerate() {
                if let Some(slot) = ranks.get_mut(code as usize) {
                    *slot = rank as u32;
                }
            }
            ranks
        };
        Some(self.ranks.get_or_init(made))
    }

    /// The rows in order of their keys, those without one first, and equal ones in order of their rows.
    pub fn index(&self, rows: usize) -> &[u32] {
        self.index.get_or_init(|| {
            let mut order: Vec<u32> = (0..rows as u32).collect();
            order.sort_by_key(|row| self.key(*row as usize));
            order
        })
    }

    /// Whether the rows in order of their keys are there already.
    pub fn has_index(&self) -> bool {
        self.index.get().is_some()
    }

    /// Bytes held on the heap.
    pub fn heap_bytes(&self) -> usize {
        let index = self.index.get().map_or(0, |it| it.len() * 4);
        let ranks = self.ranks.get().map_or(0, |it| it.len() * 4);
        self.values().heap_bytes() + index + ranks
    }
}

/// Texts on their way into a column, each kept once.
#[derive(Default)]
pub(crate) struct TextDraft {
    places: HashMap<Box<str>, u32>,
    words: Vec<Box<str>>,
    codes: Vec<u32>,
}

impl TextDraft {
    /// Adds the text of the next row.
    pub fn push(&mut self, text: Option<&str>) {
        let code = text.map_or(NO_NUMBER, |text| self.code(text));
        self.codes.push(code);
    }

    /// The code of a text.
    pub fn code(&mut self, text: &str) -> u32 {
        if let Some(code) = self.places.get(text) {
            return *code;
        }
        let code = self.words.len() as u32;
        self.places.insert(text.into(), code);
        self.words.push(text.into());
        code
    }

    /// The column.
    pub fn finish(self) -> ColumnValues {
        let words = TextWords::Own(Arc::new(self.words));
        ColumnValues::Texts(Arc::new(self.codes), words)
    }

    /// The texts alone, where the rows' codes are known.
    pub fn into_words(self) -> TextWords {
        TextWords::Own(Arc::new(self.words))
    }

    /// Bytes that the rows take.
    pub const fn row_bytes(&self) -> usize {
        self.codes.len() * 4
    }
}

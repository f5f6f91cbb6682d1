//! Rows: a process and a thread, each named by a number or a word.

use super::intern::hash;
use crate::importer::key_index::KeyIndex;

/// What names a process or a thread.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum RowToken {
    /// Nothing does.
    #[default]
    None,
    /// A number, be it written as a number or as a text.
    Number(i64),
    /// The text with this number.
    Text(u32),
}

/// A process and one of its threads.
pub type RowKey = (RowToken, RowToken);

/// The rows of one scanner. The last few are remembered, since events come in runs.
#[derive(Default)]
pub struct RowKeys {
    list: Vec<RowKey>,
    places: KeyIndex,
    recent: [(RowKey, u32); 8],
}

impl RowKeys {
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// The rows from a number on.
    pub fn since(&self, first: usize) -> &[RowKey] {
        self.list.get(first..).unwrap_or_default()
    }

    /// The number of a row.
    pub fn place(&mut self, row: RowKey) -> u32 {
        let mix = |token: RowToken| match token {
            RowToken::None => 0,
            RowToken::Number(number) => number as u64,
            RowToken::Text(text) => !u64::from(text),
        };
        let (process, thread) = (mix(row.0), mix(row.1));
        let slot = (process ^ thread.rotate_left(3)) as usize % self.recent.len();
        if let Some((known, place)) = self.recent.get(slot)
            && *known == row
            && !self.list.is_empty()
            && self.list.get(*place as usize) == Some(&row)
        {
            return *place;
        }
        let list = &self.list;
        let next = list.len();
        let known = |place: u32| list.get(place as usize).copied();
        let place = self.places.place(&row, next, known);
        if place as usize == next {
            self.list.push(row);
        }
        if let Some(slot) = self.recent.get_mut(slot) {
            *slot = (row, place);
        }
        place
    }
}

/// A number that stands for a text where numbers are expected, as ids of flows.
pub fn number_of(text: &[u8]) -> u64 {
    hash(text)
}

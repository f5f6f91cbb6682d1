//! The file's own table of texts, by the file's own numbers.

use std::cell::OnceCell;

use super::SqliteDraft;
use record::NameId;

/// Texts by number. A text gets a name of the capture only once something is called so.
#[derive(Debug, Default)]
pub(in crate::importer) struct StringTable {
    ids: Vec<i64>,
    ends: Vec<usize>,
    text: String,
    names: Vec<NameId>,
    sorted: bool,
    /// The places by number, where they are not sorted.
    by_id: OnceCell<Vec<u32>>,
}

impl StringTable {
    /// Takes a text, if the file says both its number and what it is.
    pub fn take(&mut self, id: Option<i64>, text: Option<&str>) {
        if let (Some(id), Some(text)) = (id, text) {
            self.add(id, text);
        }
    }

    /// Adds a text.
    pub fn add(&mut self, id: i64, text: &str) {
        self.sorted = self.ids.last().is_none_or(|&last| self.sorted && last < id);
        self.by_id.take();
        self.ids.push(id);
        self.text.push_str(text);
        self.ends.push(self.text.len());
        self.names.push(NameId::NONE);
    }

    /// The text of a number.
    pub fn text(&self, id: i64) -> Option<&str> {
        self.at(self.place(id)?)
    }

    /// The capture's name for a number; of one that the file does not explain, the number itself.
    pub fn name(&mut self, id: i64, draft: &mut SqliteDraft<'_, '_>) -> NameId {
        let Some(place) = self.place(id) else {
            return draft.name(&format!("string {id}"));
        };
        if let Some(&name) = self.names.get(place)
            && name.is_some()
        {
            return name;
        }
        let name = draft.name(self.at(place).unwrap_or("?"));
        if let Some(slot) = self.names.get_mut(place) {
            *slot = name;
        }
        name
    }

    fn at(&self, place: usize) -> Option<&str> {
        let start = match place.checked_sub(1) {
            Some(before) => *self.ends.get(before)?,
            None => 0,
        };
        self.text.get(start..*self.ends.get(place)?)
    }

    /// Numbers mostly run on without gaps, then the place is known at once.
    fn place(&self, id: i64) -> Option<usize> {
        let first = *self.ids.first()?;
        let guess = usize::try_from(id.wrapping_sub(first)).ok();
        match guess.filter(|&at| self.ids.get(at) == Some(&id)) {
            Some(at) => Some(at),
            None if self.sorted => self.ids.binary_search(&id).ok(),
            None => self.search(id),
        }
    }

    /// The first place of a number where they come in any order.
    fn search(&self, id: i64) -> Option<usize> {
        let of = |place: &u32| self.ids.get(*place as usize).copied();
        let by_id = self.by_id.get_or_init(|| {
            let mut places: Vec<u32> = (0..self.ids.len() as u32).collect();
            places.sort_by_key(of);
            places
        });
        let first = by_id.partition_point(|place| of(place) < Some(id));
        let place = by_id.get(first).filter(|place| of(place) == Some(id))?;
        Some(*place as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_found_in_whichever_order_they_come() {
        let mut table = StringTable::default();
        for id in (0..1_000).rev() {
            table.add(id * 3, &format!("text {id}"));
        }
        table.add(30, "a second one");
        let found = (0..1_000).map(|id| table.text(id * 3).unwrap().to_owned());
        assert!(found.eq((0..1_000).map(|id| format!("text {id}"))));
        assert_eq!(table.text(31), None);
        table.add(-5, "behind the search");
        assert_eq!(table.text(-5), Some("behind the search"));
    }
}

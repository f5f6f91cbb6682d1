//! The texts of names, page by page: those of one page lie behind each other, so that all can be looked through quickly.

use super::Capture;
use record::NameId;

/// Names of one page.
pub const PAGE: usize = 256;

/// Stands for a name that has not arrived.
const UNKNOWN: &str = "?";

/// The names of one page, in order of their numbers.
#[derive(Clone, Default)]
struct TextPage {
    text: String,
    /// Where each of them ends.
    ends: Vec<u32>,
}

impl TextPage {
    fn get(&self, at: usize) -> Option<&str> {
        let end = *self.ends.get(at)? as usize;
        self.text.get(self.start(at)..end)
    }

    fn start(&self, at: usize) -> usize {
        let before = at.checked_sub(1).and_then(|before| self.ends.get(before));
        before.map_or(0, |&end| end as usize)
    }

    /// Appends a name; says whether there was room.
    fn push(&mut self, name: &str) -> bool {
        let Ok(end) = u32::try_from(self.text.len() + name.len()) else {
            return false;
        };
        self.text.push_str(name);
        self.ends.push(end);
        true
    }

    /// Puts a name in the place of another; says whether there was room.
    fn replace(&mut self, at: usize, name: &str) -> bool {
        let Some(old) = self.get(at).map(str::len) else {
            return false;
        };
        if u32::try_from(self.text.len() - old + name.len()).is_err() {
            return false;
        }
        let start = self.start(at);
        self.text.replace_range(start..start + old, name);
        for end in self.ends.iter_mut().skip(at) {
            *end = (*end as usize - old + name.len()) as u32;
        }
        true
    }
}

/// Texts by number.
#[derive(Clone, Default)]
pub(super) struct Names {
    pages: Vec<TextPage>,
    len: usize,
}

impl Names {
    pub fn len(&self) -> usize {
        self.len
    }

    pub fn get(&self, at: usize) -> Option<&str> {
        self.pages.get(at / PAGE)?.get(at % PAGE)
    }

    /// Writes a name at its position, and the sign for an unknown one at those before it that are empty; says whether
    /// there was room: a page holds 4 GB.
    pub fn put(&mut self, at: usize, name: &str) -> bool {
        while self.len < at {
            if !self.push(UNKNOWN) {
                return false;
            }
        }
        if at == self.len {
            return self.push(name);
        }
        let page = self.pages.get_mut(at / PAGE);
        page.is_some_and(|page| page.replace(at % PAGE, name))
    }

    fn push(&mut self, name: &str) -> bool {
        if self.len == self.pages.len() * PAGE {
            // The page before is full, and will hardly change: it gives back what it reserved.
            if let Some(page) = self.pages.last_mut() {
                page.text.shrink_to_fit();
            }
            super::column::push(&mut self.pages, TextPage::default());
        }
        let took = self.pages.last_mut().is_some_and(|page| page.push(name));
        self.len += usize::from(took);
        took
    }

    /// Bytes held on the heap.
    pub fn heap_bytes(&self) -> usize {
        let held = |page: &TextPage| page.text.capacity() + page.ends.capacity() * 4;
        let pages: usize = self.pages.iter().map(held).sum();
        pages + self.pages.capacity() * size_of::<TextPage>()
    }
}

/// The names of one page of a capture.
#[derive(Clone, Copy, Debug)]
pub struct NamePage<'a> {
    /// The number of its first name; those of the others follow.
    pub first: NameId,
    /// Its names, one behind the other.
    pub text: &'a str,
    /// Where in the text each of them ends, in bytes.
    pub ends: &'a [u32],
}

impl<'a> NamePage<'a> {
    /// One of its names, by its place in the page.
    pub fn name(&self, at: usize) -> Option<&'a str> {
        let end = *self.ends.get(at)? as usize;
        let before = at.checked_sub(1).and_then(|before| self.ends.get(before));
        self.text.get(before.map_or(0, |&end| end as usize)..end)
    }
}

impl Capture {
    /// How many pages of names there are; each but the last holds [`PAGE`] of them.
    pub fn name_page_count(&self) -> usize {
        self.names.pages.len()
    }

    /// A page of names: the quickest way to look at all of them.
    pub fn name_page(&self, page: usize) -> Option<NamePage<'_>> {
        let TextPage { text, ends } = self.names.pages.get(page)?;
        let first = NameId((page * PAGE) as u32);
        Some(NamePage { first, text, ends })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_in_whatever_order_they_came() {
        let mut names = Names::default();
        let mut expected = vec![UNKNOWN.to_owned(); 2_000];
        for round in 0..3_000_usize {
            let at = if round == 0 {
                1_999
            } else {
                round * 7_919 % 2_000
            };
            let name = "é".repeat(round % 11);
            assert!(names.put(at, &name));
            if let Some(slot) = expected.get_mut(at) {
                *slot = name;
            }
        }
        let found: Vec<_> = (0..2_000).filter_map(|at| names.get(at)).collect();
        assert_eq!(
            (found, names.len()),
            (expected.iter().map(String::as_str).collect(), 2_000)
        );
        assert_eq!(names.get(2_000), None);
    }

    #[test]
    fn pages_hold_every_name_in_order() {
        let mut capture = Capture::new();
        capture.apply(
            (0..1_000).map(|id| record::Record::Name(NameId(id), format!("name {id}").into())),
        );
        let mut found = Vec::new();
        for page in (0..capture.name_page_count()).filter_map(|at| capture.name_page(at)) {
            for (at, id) in (0..page.ends.len()).zip(page.first.0..) {
                let name = page.name(at).unwrap();
                assert_eq!(name, capture.name(NameId(id)));
                found.push(name);
            }
        }
        assert_eq!(found.len(), 1_000);
        assert_eq!(found.last(), Some(&"name 999"));
    }

    #[test]
    fn short_names_take_little_more_than_their_letters() {
        let mut names = Names::default();
        for at in 0..100_000 {
            names.put(at, "cudaLaunchKernel");
        }
        assert!(names.heap_bytes() < 100_000 * (16 + 6));
    }
}

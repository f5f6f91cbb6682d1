//! The places of the capture on screen that the user has marked.

use engine::capture::Capture;
use engine::record::{Bookmark, SpanId};
use engine::time::Interval;

/// The places of the capture on screen that the user has marked.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Bookmarks {
    /// All of them, in the order of time. What is noted may be changed here; to add one there is [`Bookmarks::add`].
    pub list: Vec<Bookmark>,
    /// The one that was made or gone to last.
    pub visited: Option<usize>,
    /// Whether the cursor is to be put where that one's note is typed.
    pub is_typing: bool,
    /// Those that were removed or renamed, as they were: the files in which they stand tell of them again when others are added.
    former: Vec<Bookmark>,
}

impl Bookmarks {
    /// Adds one and says its place. Of two that mark the same, the first stays.
    pub fn add(&mut self, bookmark: Bookmark) -> usize {
        // A file may say anything.
        let (one, other) = (bookmark.at.start, bookmark.at.end);
        let at = Interval::new(one.min(other), one.max(other));
        let bookmark = Bookmark { at, ..bookmark };
        let key = |it: &Bookmark| (it.at.start, it.at.end, it.span);
        match self.list.binary_search_by_key(&key(&bookmark), key) {
            Ok(place) => place,
            Err(place) => {
                self.list.insert(place, bookmark);
                place
            }
        }
    }

    /// Removes one; says whether it was there.
    pub fn remove(&mut self, place: usize) -> bool {
        let is_there = place < self.list.len();
        if is_there {
            let bookmark = self.list.remove(place);
            self.former.push(bookmark);
            self.visited = None;
        }
        is_there
    }

    /// Notes something of one.
    pub fn note(&mut self, place: usize, text: String) {
        if let Some(bookmark) = self.list.get_mut(place).filter(|it| it.text != text) {
            self.former.push(bookmark.clone());
            bookmark.text = text;
        }
    }

    /// Adds one that was kept, or stands in a file. Where files are added to a capture, those of before come again with it, of
    /// which the spans were forgotten.
    pub fn restore(&mut self, bookmark: Bookmark) {
        let is_same = |it: &&mut Bookmark| {
            it.span == SpanId::NONE && it.at == bookmark.at && it.text == bookmark.text
        };
        if let Some(known) = self.list.iter_mut().find(is_same) {
            known.span = bookmark.span;
            return;
        }
        let is_former = |it: &Bookmark| it.at == bookmark.at && it.text == bookmark.text;
        if !self.former.iter().any(is_former) {
            self.add(bookmark);
            return;
        }
        let is_renamed = |it: &&mut Bookmark| it.span == SpanId::NONE && it.at == bookmark.at;
        if let Some(renamed) = self.list.iter_mut().find(is_renamed) {
            renamed.span = bookmark.span;
        }
    }

    /// Spans have other numbers from now on: what marked one marks its time.
    pub fn forget_spans(&mut self) {
        for bookmark in &mut self.list {
            bookmark.span = SpanId::NONE;
        }
    }

    /// Spans have moved in time, and what marks one moves with it.
    pub fn follow(&mut self, capture: &Capture) {
        for bookmark in std::mem::take(&mut self.list) {
            let placed = capture.span(bookmark.span);
            let at = placed.map_or(bookmark.at, |it| it.interval());
            self.add(Bookmark { at, ..bookmark });
        }
        self.visited = None;
    }
}

#[cfg(test)]
mod tests {
    use engine::time::Nanos;

    use super::*;

    #[test]
    fn they_are_in_the_order_of_time_and_each_place_is_marked_once() {
        let bookmark = |start, text: &str| Bookmark {
            at: Interval::new(Nanos(start), Nanos(start + 5)),
            span: SpanId::NONE,
            text: text.to_owned(),
        };
        let mut all = Bookmarks::default();
        let places = [(30, "c"), (10, "a"), (20, "b"), (10, "again")];
        let places = places.map(|(start, text)| all.add(bookmark(start, text)));
        assert_eq!(places, [0, 0, 1, 0]);
        let texts: Vec<_> = all.list.iter().map(|it| it.text.as_str()).collect();
        assert_eq!(texts, ["a", "b", "c"]);
        // A file that is read again with others has the same ones, and says which span each is of by now.
        all.forget_spans();
        let read = Bookmark {
            span: SpanId(9),
            ..bookmark(20, "b")
        };
        all.restore(read.clone());
        all.restore(bookmark(40, "d"));
        assert_eq!(all.list.len(), 4);
        assert_eq!(all.list.get(1), Some(&read));
        // What was removed does not come again, and what was renamed comes as it is called now.
        assert!(all.remove(3) && !all.remove(3));
        all.note(1, "renamed".to_owned());
        all.forget_spans();
        all.restore(read.clone());
        all.restore(bookmark(40, "d"));
        assert_eq!(all.list.len(), 3);
        let renamed = Bookmark {
            text: "renamed".to_owned(),
            ..read
        };
        assert_eq!(all.list.get(1), Some(&renamed));
    }
}

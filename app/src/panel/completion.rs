//! The list of words that complete what is written in an editor, below the line of the caret.
//!
//! It opens while somebody types and closes when the caret goes elsewhere. Tab takes a word from it. Enter takes one only after
//! an arrow key has chosen it, so that whoever writes on gets a new line and never a word that they did not ask for.

mod written_word;

use eframe::egui::text::CCursor;
use eframe::egui::text_edit::TextEditOutput;
use eframe::egui::{
    Atom, Button, Context, Event, Id, InputState, Key, LayerId, Popup, PopupCloseBehavior,
    PopupKind, Rect, RectAlign, RichText, ScrollArea, Ui, Vec2,
};

pub use written_word::{byte_of, write};

use crate::theme::{GRID, MONO, SMALL};

/// So many words are offered.
const OFFERED: usize = 40;
/// Letters that describe a word that is offered, at most.
const DESCRIBED: usize = 60;
/// How wide and how high the list may become, in points.
const WIDTH: f32 = 520.0;
const HEIGHT: f32 = 190.0;

/// A word that is offered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OfferedWord {
    /// It.
    pub text: String,
    /// What it is or does, in a sentence or a few words; empty where nothing is known.
    pub about: String,
}

/// The words that are offered now.
#[derive(Default)]
pub struct CompletionList {
    /// They; none while the list is closed.
    words: Vec<OfferedWord>,
    /// Where the word begins that they complete, and where the caret is, in bytes.
    range: (usize, usize),
    /// Which of them the arrow keys have chosen.
    chosen: Option<usize>,
    /// Whether the arrow keys were used in this frame, so that the chosen one is to be seen.
    has_moved: bool,
}

/// What keys asked of the list, taken away from the editor.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ListKeys {
    /// The word that is chosen is taken, or else the first.
    takes: bool,
    /// The list is closed.
    closes: bool,
}

/// A word that is taken, and the bytes that it replaces.
struct TakenWord {
    /// It.
    pub text: String,
    /// From where to where it goes.
    pub range: (usize, usize),
}

impl CompletionList {
    /// Whether there is anything to choose.
    pub const fn is_open(&self) -> bool {
        !self.words.is_empty()
    }

    /// Closes it until somebody types on.
    pub fn close(&mut self) {
        self.words.clear();
        self.chosen = None;
    }

    /// Takes the keys that are for the list, before the editor sees them.
    pub fn take_keys(&mut self, ui: &Ui) -> ListKeys {
        self.has_moved = false;
        if !self.is_open() {
            return ListKeys::default();
        }
        ui.input_mut(|input| {
            for _ in 0..presses(input, Key::ArrowDown) {
                self.go(true);
            }
            // The caret goes up as ever as long as no word is chosen.
            if self.chosen.is_some() {
                for _ in 0..presses(input, Key::ArrowUp) {
                    self.go(false);
                }
            }
            let is_entered = self.chosen.is_some() && presses(input, Key::Enter) > 0;
            ListKeys {
                takes: presses(input, Key::Tab) > 0 || is_entered,
                closes: presses(input, Key::Escape) > 0,
            }
        })
    }

    fn go(&mut self, down: bool) {
        let last = self.words.len().saturating_sub(1);
        self.chosen = match (self.chosen, down) {
            (None, _) => Some(0),
            (Some(at), true) => Some(if at == last { 0 } else { at + 1 }),
            (Some(at), false) => at.checked_sub(1),
        };
        self.has_moved = true;
    }

    /// Follows the editor that was just drawn, draws itself below its caret, and writes the word that is taken; says whether
    /// one was. `offer` has the words that may stand at a byte of the text, and where what they complete begins.
    pub fn attend(
        &mut self,
        ui: &Ui,
        (id, text): (Id, &mut String),
        (output, keys): (&TextEditOutput, ListKeys),
        offer: impl FnOnce(&str, usize) -> (usize, Vec<OfferedWord>),
    ) -> bool {
        let is_pointed = self.is_pointed(ui.ctx(), id);
        if !output.response.response.has_focus() && !is_pointed {
            self.close();
            return false;
        }
        if let Some(range) = output.cursor_range {
            let caret = byte_of(text, range.primary.index.0);
            self.follow((text, caret), output.response.changed(), offer);
        }
        let begins = text.get(..self.range.0).unwrap_or_default();
        let begins = CCursor::new(begins.chars().count());
        let begins = output.galley.pos_from_cursor(begins);
        let begins = begins.translate(output.galley_pos.to_vec2());
        let taken = self.heed(keys);
        let clicked = self.ui(ui, id, begins);
        let Some(word) = taken.or(clicked) else {
            return false;
        };
        write(ui.ctx(), (id, text), &word.text, word.range);
        ui.ctx().memory_mut(|memory| memory.request_focus(id));
        ui.ctx().request_repaint();
        true
    }

    /// Follows the caret, which is `at` so many bytes: words are offered for what was typed, and none once it goes elsewhere.
    fn follow(
        &mut self,
        (text, at): (&str, usize),
        is_typed: bool,
        offer: impl FnOnce(&str, usize) -> (usize, Vec<OfferedWord>),
    ) {
        if is_typed {
            let (start, mut words) = offer(text, at);
            let typed = text.get(start..at).unwrap_or_default();
            // A word that is whole needs no completion, and what is open over it would be in the way.
            words.retain(|it| it.text != typed);
            words.truncate(OFFERED);
            self.words = words;
            self.range = (start, at);
            self.chosen = None;
        } else if self.range.1 != at {
            self.close();
        }
    }

    /// Does what the keys asked for.
    fn heed(&mut self, keys: ListKeys) -> Option<TakenWord> {
        let taken = keys.takes.then(|| self.take(self.chosen.unwrap_or(0)));
        if keys.closes {
            self.close();
        }
        taken.flatten()
    }

    fn take(&mut self, at: usize) -> Option<TakenWord> {
        let text = self.words.get(at)?.text.clone();
        let range = self.range;
        self.close();
        Some(TakenWord { text, range })
    }

    /// Whether the pointer is on the list, a click on which is no click beside the editor.
    fn is_pointed(&self, context: &Context, editor: Id) -> bool {
        let layer = LayerId::new(PopupKind::Popup.order(), popup(editor));
        let pointer = context.pointer_interact_pos();
        let below = pointer.and_then(|it| context.layer_id_at(it));
        self.is_open() && below == Some(layer)
    }

    /// Draws it below `caret`, or above where there is no room; a word that is clicked is taken.
    fn ui(&mut self, ui: &Ui, editor: Id, caret: Rect) -> Option<TakenWord> {
        if !self.is_open() {
            return None;
        }
        let width = WIDTH.min(ui.ctx().content_rect().width() - 8.0 * GRID);
        let list = Popup::new(popup(editor), ui.ctx().clone(), caret, ui.layer_id());
        let list = list
            .kind(PopupKind::Popup)
            .open(true)
            .close_behavior(PopupCloseBehavior::IgnoreClicks)
            .align(RectAlign::BOTTOM_START)
            .align_alternatives(&[RectAlign::TOP_START])
            .gap(GRID / 2.0)
            .width(width);
        let rows = |ui: &mut Ui| {
            let area = ScrollArea::vertical().max_height(HEIGHT);
            area.show(ui, |ui| self.rows(ui)).inner
        };
        let clicked = list.show(rows).and_then(|it| it.inner);
        clicked.and_then(|at| self.take(at))
    }

    /// Draws the words; says which was clicked.
    fn rows(&self, ui: &mut Ui) -> Option<usize> {
        let mut clicked = None;
        for (at, word) in self.words.iter().enumerate() {
            let is_chosen = self.chosen == Some(at);
            let name = RichText::new(&word.text).monospace().size(MONO);
            let about = RichText::new(beginning(&word.about)).size(SMALL).weak();
            let row = Button::selectable(is_chosen, (name, Atom::grow(), about));
            let row = ui.add(row.min_size(Vec2::new(ui.available_width(), 0.0)));
            if is_chosen && self.has_moved {
                row.scroll_to_me(None);
            }
            if row.clicked() {
                clicked = Some(at);
            }
        }
        clicked
    }
}

fn popup(editor: Id) -> Id {
    editor.with("completion")
}

/// Takes the presses of a key without modifiers away from whoever comes next, and counts them.
fn presses(input: &mut InputState, wanted: Key) -> usize {
    let mut count = 0;
    input.events.retain(|event| {
        let is_it = matches!(
            event,
            Event::Key { key, modifiers, pressed: true, .. }
                if *key == wanted && modifiers.is_none()
        );
        count += usize::from(is_it);
        !is_it
    });
    count
}

/// As much of a sentence as has room, without the signs that set code apart in the guide.
fn beginning(about: &str) -> String {
    let plain = about.replace('`', "");
    if plain.chars().count() <= DESCRIBED {
        return plain;
    }
    let mut short = String::new();
    for word in plain.split(' ') {
        if short.chars().count() + word.chars().count() + 2 > DESCRIBED {
            break;
        }
        if !short.is_empty() {
            short.push(' ');
        }
        short.push_str(word);
    }
    short + " …"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descriptions_are_sentences_without_backticks_and_end_in_an_ellipsis_where_they_are_cut() {
        let long = "`completed`, `failed`, `cancelled`, `lost` or `running`";
        let plain = "completed, failed, cancelled, lost or running";
        assert_eq!(beginning(long), plain);
        let cut = beginning(&format!(
            "{plain}, and then many more words that have no room"
        ));
        assert!(cut.ends_with(" …") && cut.chars().count() <= DESCRIBED + 2);
        assert!(cut.starts_with(plain));
    }

    #[test]
    fn words_are_offered_while_somebody_types_and_taken_from_their_beginning() {
        let mut list = CompletionList::default();
        let offer = |_: &str, _: usize| {
            let word = OfferedWord {
                text: "lane_overlap".to_owned(),
                about: String::new(),
            };
            (14, vec![word])
        };
        list.follow(("SELECT 1", 8), false, offer);
        assert!(!list.is_open());
        let sql = "SELECT * FROM lane_ov";
        list.follow((sql, sql.len()), true, offer);
        let keys = ListKeys {
            takes: true,
            closes: false,
        };
        let taken = list.heed(keys).map(|it| (it.text, it.range));
        assert_eq!(taken, Some(("lane_overlap".to_owned(), (14, sql.len()))));
        assert!(!list.is_open());
        // The caret went elsewhere.
        list.follow((sql, sql.len()), true, offer);
        list.follow((sql, 3), false, offer);
        assert!(!list.is_open());
    }
}

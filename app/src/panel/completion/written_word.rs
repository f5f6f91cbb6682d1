//! Writes a word into the text of an editor, and puts the caret behind it.

use eframe::egui::text::{CCursor, CCursorRange};
use eframe::egui::text_edit::TextEditState;
use eframe::egui::{Context, Id};

/// Where a letter of a text begins, in bytes.
pub fn byte_of(text: &str, letter: usize) -> usize {
    let mut letters = text.char_indices();
    letters.nth(letter).map_or(text.len(), |it| it.0)
}

/// Replaces these bytes of the text of the editor `id`, and puts the caret behind what is there then.
pub fn write(
    context: &Context,
    (id, text): (Id, &mut String),
    word: &str,
    (from, to): (usize, usize),
) {
    let parts = (text.get(..from), text.get(to..));
    let (Some(before), Some(after)) = parts else {
        return;
    };
    let caret = before.chars().count() + word.chars().count();
    *text = format!("{before}{word}{after}");
    let mut state = TextEditState::load(context, id).unwrap_or_default();
    let caret = CCursorRange::one(CCursor::new(caret));
    state.cursor.set_char_range(Some(caret));
    state.store(context, id);
}

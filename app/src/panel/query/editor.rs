//! The editor of a question.

use std::sync::Arc;

use eframe::egui::text::{CCursor, CCursorRange};
use eframe::egui::text_edit::TextEditState;
use eframe::egui::{
    Context, CornerRadius, EventFilter, Frame, Galley, Id, Key, Margin, Modifiers, ScrollArea,
    TextBuffer, TextEdit, Ui, Vec2,
};
use engine::query::SqlError;

use super::completion::CompletionList;
use super::highlight::highlight;
use crate::theme::{RADIUS, Theme};

/// The name of the editor, for tests and for whoever reads the screen aloud.
pub const LABEL: &str = "Question in SQL";
/// What it keeps free around its text, in points.
const MARGIN: Margin = Margin::symmetric(8, 6);

/// The editor: a question, the caret in it, and the words that are offered there.
#[derive(Default)]
pub struct QuestionEditor {
    /// The question.
    pub sql: String,
    list: CompletionList,
}

/// What the editor is known by.
fn id() -> Id {
    Id::unique("question editor")
}

impl QuestionEditor {
    /// An editor with a question in it.
    pub fn new(sql: &str) -> Self {
        Self {
            sql: sql.to_owned(),
            list: CompletionList::default(),
        }
    }

    /// Puts another question in the place of this one.
    pub fn replace(&mut self, sql: String) {
        self.list.close();
        self.sql = sql;
    }

    /// Writes a word at the caret, or in the place of what is selected, and puts the caret behind it.
    pub fn insert(&mut self, context: &Context, word: &str) {
        let state = TextEditState::load(context, id()).unwrap_or_default();
        let selected = state
            .cursor
            .char_range()
            .map(|it| it.as_sorted_char_range());
        let (from, to) = match selected {
            Some(range) => (self.byte(range.start.0), self.byte(range.end.0)),
            None => (self.sql.len(), self.sql.len()),
        };
        // Two words side by side would be one.
        let before = self.sql.get(..from).and_then(|it| it.chars().next_back());
        let is_glued = before.is_some_and(|it| it.is_alphanumeric() || it == '_');
        let word = format!("{}{word}", if is_glued { " " } else { "" });
        self.write(context, &word, (from, to));
        context.memory_mut(|memory| memory.request_focus(id()));
    }

    /// Replaces these bytes, and puts the caret behind what is there then.
    fn write(&mut self, context: &Context, word: &str, (from, to): (usize, usize)) {
        let parts = (self.sql.get(..from), self.sql.get(to..));
        let (Some(before), Some(after)) = parts else {
            return;
        };
        let caret = before.chars().count() + word.chars().count();
        self.sql = format!("{before}{word}{after}");
        let mut state = TextEditState::load(context, id()).unwrap_or_default();
        let caret = CCursorRange::one(CCursor::new(caret));
        state.cursor.set_char_range(Some(caret));
        state.store(context, id());
        self.list.close();
    }

    /// Where a letter of the question begins, in bytes.
    fn byte(&self, letter: usize) -> usize {
        let mut letters = self.sql.char_indices();
        letters.nth(letter).map_or(self.sql.len(), |it| it.0)
    }

    /// Shows it in all the room that there is; says whether the question is to be asked.
    pub fn ui(&mut self, ui: &mut Ui, theme: &Theme, error: Option<&SqlError>) -> bool {
        let has_focus = ui.memory(|memory| memory.has_focus(id()));
        let is_asked = has_focus && is_asked_by_key(ui);
        let place = ui.available_rect_before_wrap();
        let corners = CornerRadius::same(RADIUS as u8);
        ui.painter().rect_filled(place, corners, theme.well);
        let area = ScrollArea::vertical().id_salt("question");
        // In the smallest window there is room for two lines.
        let area = area.min_scrolled_height(0.0);
        area.auto_shrink(false).show(ui, |ui| {
            self.text(ui, theme, error.and_then(|it| it.offset));
        });
        if is_asked {
            self.list.close();
        }
        let reader = ui.ctx();
        reader.accesskit_node_builder(id(), |node| node.set_label(LABEL));
        is_asked
    }

    /// Shows the text, with the list of words below the caret.
    fn text(&mut self, ui: &mut Ui, theme: &Theme, wrong: Option<usize>) {
        let keys = self.list.take_keys(ui);
        let mut layouter = |ui: &Ui, text: &dyn TextBuffer, width: f32| -> Arc<Galley> {
            let job = highlight(theme, text.as_str(), (wrong, width));
            ui.fonts_mut(|fonts| fonts.layout_job(job))
        };
        let room = Vec2::new(0.0, ui.available_height());
        let output = TextEdit::multiline(&mut self.sql)
            .id(id())
            .code_editor()
            // With the list open, Escape closes that and leaves the caret where it is.
            .event_filter(EventFilter {
                tab: true,
                horizontal_arrows: true,
                vertical_arrows: true,
                escape: self.list.is_open(),
            })
            .frame(Frame::new().inner_margin(MARGIN))
            .desired_width(f32::INFINITY)
            .min_size(room)
            .layouter(&mut layouter)
            .show(ui);
        let is_pointed = self.list.is_pointed(ui.ctx(), id());
        let has_focus = output.response.response.has_focus();
        if !has_focus && !is_pointed {
            return self.list.close();
        }
        if let Some(range) = output.cursor_range {
            let caret = self.byte(range.primary.index.0);
            let is_typed = output.response.response.changed();
            self.list.follow(&self.sql, caret, is_typed);
        }
        let begins = self.sql.get(..self.list.start()).unwrap_or_default();
        let begins = CCursor::new(begins.chars().count());
        let begins = output.galley.pos_from_cursor(begins);
        let begins = begins.translate(output.galley_pos.to_vec2());
        let taken = self.list.heed(keys);
        let clicked = self.list.ui(ui, id(), begins);
        if let Some(word) = taken.or(clicked) {
            self.write(ui.ctx(), word.text, word.range);
            ui.ctx().memory_mut(|memory| memory.request_focus(id()));
            ui.ctx().request_repaint();
        }
    }
}

/// Whether Ctrl+Enter was pressed, which is taken from the editor.
fn is_asked_by_key(ui: &Ui) -> bool {
    ui.input_mut(|input| input.consume_key(Modifiers::COMMAND, Key::Enter))
}

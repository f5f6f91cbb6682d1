//! The editor of a question.

use std::sync::Arc;

use eframe::egui::text_edit::TextEditState;
use eframe::egui::{
    Context, CornerRadius, EventFilter, Frame, Galley, Id, Key, Margin, Modifiers, ScrollArea,
    TextBuffer, TextEdit, Ui, Vec2,
};
use engine::query::{CompletionKind, SqlError, complete};

use super::highlight::highlight;
use crate::panel::completion::{CompletionList, OfferedWord, byte_of, write};
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
            Some(range) => (
                byte_of(&self.sql, range.start.0),
                byte_of(&self.sql, range.end.0),
            ),
            None => (self.sql.len(), self.sql.len()),
        };
        // Two words side by side would be one.
        let before = self.sql.get(..from).and_then(|it| it.chars().next_back());
        let is_glued = before.is_some_and(|it| it.is_alphanumeric() || it == '_');
        let word = format!("{}{word}", if is_glued { " " } else { "" });
        write(context, (id(), &mut self.sql), &word, (from, to));
        self.list.close();
        context.memory_mut(|memory| memory.request_focus(id()));
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
        let editor = (id(), &mut self.sql);
        self.list.attend(ui, editor, (&output, keys), offered);
    }
}

/// The words that may stand at a byte of a question, and where what they complete begins.
fn offered(sql: &str, at: usize) -> (usize, Vec<OfferedWord>) {
    let (start, words) = complete(sql, at);
    let words = words.into_iter().map(|it| OfferedWord {
        text: it.text.to_owned(),
        about: match it.kind {
            CompletionKind::Function if it.about.is_empty() => "function".to_owned(),
            _ => it.about.to_owned(),
        },
    });
    (start, words.collect())
}

/// Whether Ctrl+Enter was pressed, which is taken from the editor.
fn is_asked_by_key(ui: &Ui) -> bool {
    ui.input_mut(|input| input.consume_key(Modifiers::COMMAND, Key::Enter))
}

//! The editor of a question: colours, completion, and a line under what is wrong.

use std::sync::Arc;

use eframe::egui::text::LayoutJob;
use eframe::egui::{
    Color32, CompletionPopup, FontId, Frame, Galley, Id, Margin, RectAlign, Stroke, Suggestion,
    TextBuffer, TextEdit, TextFormat, Ui,
};
use engine::query::{CompletionKind, KEYWORDS, SqlError, SqlTokenKind, TABLES, complete, tokens};

use super::is_asked_by_key;
use crate::theme::{MONO, Theme};

/// So many words are offered.
const OFFERED: usize = 40;

/// Letters that describe a word that is offered, at most.
const DESCRIBED: usize = 36;

/// The name of the editor, for tests and for whoever reads the screen aloud.
pub const LABEL: &str = "Question in SQL";

/// Shows it; says whether the question is to be asked.
pub fn editor(ui: &mut Ui, theme: &Theme, sql: &mut String, error: Option<&SqlError>) -> bool {
    let wrong = error.and_then(|it| it.offset);
    let mut layouter = |ui: &Ui, text: &dyn TextBuffer, _wrap: f32| -> Arc<Galley> {
        ui.fonts_mut(|fonts| fonts.layout_job(highlight(theme, text.as_str(), wrong)))
    };
    let id = Id::unique("question editor");
    let is_asked = ui.memory(|memory| memory.has_focus(id)) && is_asked_by_key(ui);
    let edit = TextEdit::multiline(sql)
        .code_editor()
        .frame(
            Frame::new()
                .fill(theme.well)
                .inner_margin(Margin::symmetric(8, 6)),
        )
        .desired_width(f32::INFINITY)
        .desired_rows(8)
        .layouter(&mut layouter);
    CompletionPopup::new(id)
        .align(RectAlign::BOTTOM_START)
        .word_boundary(|it| !it.is_alphanumeric() && it != '_')
        .show(ui, edit, |asked| {
            let end = asked.word_range.end.0;
            let at = asked
                .text
                .char_indices()
                .nth(end)
                .map_or(asked.text.len(), |it| it.0);
            let (_, found) = complete(asked.text, at);
            // A word that is whole needs no completion, and what is open over it would be in the way.
            let shown = found.into_iter().filter(|it| it.text != asked.word);
            shown
                .take(OFFERED)
                .map(|it| {
                    let about = match it.kind {
                        CompletionKind::Function if it.about.is_empty() => "function",
                        _ => it.about,
                    };
                    Suggestion::new(it.text).description(beginning(about))
                })
                .collect()
        });
    ui.ctx()
        .accesskit_node_builder(id, |node| node.set_label(LABEL));
    is_asked
}

/// As much of a description as stands beside a word that is offered: its first clause, or less.
fn beginning(about: &str) -> String {
    let clause = about.split([';', '.', ',', ':']).next().unwrap_or(about);
    let mut short = String::new();
    for word in clause.split(' ') {
        if short.len() + word.len() >= DESCRIBED {
            return short + " …";
        }
        if !short.is_empty() {
            short.push(' ');
        }
        short.push_str(word);
    }
    short
}

/// A question laid out in colours, with what is wrong underlined.
/// What a piece of a question is written in.
fn color(theme: &Theme, kind: SqlTokenKind, word: &str) -> Color32 {
    let is_keyword = || KEYWORDS.iter().any(|it| it.eq_ignore_ascii_case(word));
    let is_table = || TABLES.iter().any(|it| it.name.eq_ignore_ascii_case(word));
    match kind {
        SqlTokenKind::Word if is_keyword() => theme.accent,
        SqlTokenKind::Word if is_table() => theme.good,
        SqlTokenKind::Number | SqlTokenKind::Text => theme.warning,
        SqlTokenKind::Comment => theme.weak,
        _ => theme.text,
    }
}

fn highlight(theme: &Theme, sql: &str, wrong: Option<usize>) -> LayoutJob {
    let mut job = LayoutJob {
        wrap: eframe::egui::text::TextWrapping::no_max_width(),
        ..LayoutJob::default()
    };
    let plain = TextFormat::simple(FontId::monospace(MONO), theme.text);
    let mut at = 0;
    for token in tokens(sql) {
        let between = sql.get(at..token.range.start).unwrap_or_default();
        job.append(between, 0.0, plain.clone());
        let word = token.text(sql);
        let mut format = plain.clone();
        format.color = color(theme, token.kind, word);
        format.italics = token.kind == SqlTokenKind::Comment;
        if wrong.is_some_and(|it| token.range.contains(&it)) {
            format.underline = Stroke::new(1.5, theme.bad);
        }
        at = token.range.end;
        job.append(word, 0.0, format);
    }
    job.append(sql.get(at..).unwrap_or_default(), 0.0, plain);
    job
}

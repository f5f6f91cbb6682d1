//! The colours of a question in the editor, and the line under what is wrong.

use eframe::egui::text::{LayoutJob, TextWrapping};
use eframe::egui::{Color32, FontId, Stroke, TextFormat};
use engine::query::{KEYWORDS, SqlTokenKind, TABLES, tokens};

use crate::theme::{MONO, Theme};

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

/// A question laid out in colours in lines of at most `width` points, with what is wrong underlined.
pub fn highlight(theme: &Theme, sql: &str, (wrong, width): (Option<usize>, f32)) -> LayoutJob {
    let mut job = LayoutJob {
        wrap: TextWrapping {
            max_width: width,
            ..TextWrapping::default()
        },
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

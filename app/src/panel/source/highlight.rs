//! Colours for KDL: nodes, properties, texts, numbers, comments and errors.

use std::ops::Range;

use eframe::egui::{Color32, FontId, Stroke, TextFormat, text::LayoutJob};
use engine::workload::WorkloadError;

use crate::theme::{MONO, Theme};

/// What a piece of the text is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SyntaxToken {
    Plain,
    Comment,
    Quoted,
    Number,
    Node,
    Property,
}

/// `source` laid out in colours, with the places of `errors` underlined.
pub fn highlight(theme: &Theme, source: &str, errors: &[WorkloadError]) -> LayoutJob {
    let mut job = LayoutJob {
        wrap: eframe::egui::text::TextWrapping::no_max_width(),
        ..LayoutJob::default()
    };
    let wrong: Vec<_> = errors
        .iter()
        .filter_map(|error| place(source, error))
        .collect();
    for (range, token) in tokens(source) {
        let mut at = range.start;
        while at < range.end {
            let error = wrong.iter().find(|wrong| wrong.contains(&at));
            let next = wrong
                .iter()
                .map(|wrong| wrong.start)
                .filter(|start| *start > at)
                .min();
            let end = error
                .map_or(next.unwrap_or(range.end), |wrong| wrong.end)
                .min(range.end);
            let mut format = TextFormat::simple(FontId::monospace(MONO), colour(theme, token));
            format.italics = token == SyntaxToken::Comment;
            if error.is_some() {
                format.underline = Stroke::new(1.5, theme.bad);
            }
            job.append(source.get(at..end).unwrap_or_default(), 0.0, format);
            at = end.max(at + 1);
        }
    }
    job
}

fn colour(theme: &Theme, token: SyntaxToken) -> Color32 {
    match token {
        SyntaxToken::Plain => theme.text,
        SyntaxToken::Comment | SyntaxToken::Property => theme.weak,
        SyntaxToken::Quoted => theme.good,
        SyntaxToken::Number => theme.warning,
        SyntaxToken::Node => theme.accent,
    }
}

/// The bytes of the text that an error is about.
fn place(source: &str, error: &WorkloadError) -> Option<Range<usize>> {
    let before = error.line.checked_sub(1)? as usize;
    let start: usize = source
        .split_inclusive('\n')
        .take(before)
        .map(str::len)
        .sum();
    let line = source.get(start..)?.lines().next()?;
    let byte = |chars: usize| {
        line.char_indices()
            .nth(chars)
            .map_or(line.len(), |(at, _)| at)
    };
    let from = (error.column.max(1) - 1) as usize;
    let range = start + byte(from)..start + byte(from + error.length.max(1) as usize);
    (range.start < range.end).then_some(range)
}

/// The text cut into pieces that follow on each other without a gap.
fn tokens(source: &str) -> Vec<(Range<usize>, SyntaxToken)> {
    let mut found = Vec::new();
    let mut at = 0;
    let mut first = true;
    while let Some(rest) = source.get(at..).filter(|rest| !rest.is_empty()) {
        let (length, token) = token(rest, first);
        found.push((at..at + length, token));
        let piece = rest.get(..length).unwrap_or_default();
        first = match token {
            SyntaxToken::Plain if piece.ends_with(['\n', '{', '}', ';']) => true,
            SyntaxToken::Plain if piece.trim().is_empty() => first,
            SyntaxToken::Comment => first,
            _ => false,
        };
        at += length;
    }
    found
}

/// The length and the sort of the piece that `rest` begins with.
fn token(rest: &str, first: bool) -> (usize, SyntaxToken) {
    let until = |end: &dyn Fn(char) -> bool| rest.find(end).unwrap_or(rest.len());
    let mut chars = rest.chars();
    let Some(head) = chars.next() else {
        return (0, SyntaxToken::Plain);
    };
    let is_end =
        |c: char| c.is_whitespace() || matches!(c, '{' | '}' | ';' | '"' | '=' | '(' | ')');
    match head {
        '/' if rest.starts_with("//") => (until(&|c| c == '\n'), SyntaxToken::Comment),
        '/' if rest.starts_with("/*") => (
            rest.find("*/").map_or(rest.len(), |at| at + 2),
            SyntaxToken::Comment,
        ),
        '"' => (quoted(rest), SyntaxToken::Quoted),
        '0'..='9' | '-' | '+' => (until(&is_end).max(1), SyntaxToken::Number),
        _ if is_end(head) => (head.len_utf8(), SyntaxToken::Plain),
        _ => {
            let length = until(&is_end);
            let is_property = rest
                .get(length..)
                .is_some_and(|after| after.starts_with('='));
            let token = match (is_property, first) {
                (true, _) => SyntaxToken::Property,
                (false, true) => SyntaxToken::Node,
                (false, false) => SyntaxToken::Plain,
            };
            (length, token)
        }
    }
}

/// The length of a quoted text, its quotes included; to the end where none closes it.
fn quoted(rest: &str) -> usize {
    let mut escaped = false;
    for (at, c) in rest.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return at + 1,
            _ => {}
        }
    }
    rest.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::theme::DARK;

    const TEXT: &str = "stream \"copy\" role=\"a\" // c\nrepeat 8 { wait x }\n";

    #[test]
    fn pieces_follow_without_a_gap() {
        for text in [TEXT, "", "\"open", "\"a\\\"b\" c", "ü=1 {é", "/* open"] {
            let mut at = 0;
            for (range, _) in tokens(text) {
                assert_eq!(range.start, at);
                at = range.end;
            }
            assert_eq!(at, text.len());
        }
    }

    #[test]
    fn pieces_are_told_apart() {
        let found: Vec<_> = tokens(TEXT)
            .into_iter()
            .filter(|(_, token)| *token != SyntaxToken::Plain)
            .map(|(range, token)| (TEXT.get(range).unwrap(), token))
            .collect();
        let expected = [
            ("stream", SyntaxToken::Node),
            ("\"copy\"", SyntaxToken::Quoted),
            ("role", SyntaxToken::Property),
            ("\"a\"", SyntaxToken::Quoted),
            ("// c", SyntaxToken::Comment),
            ("repeat", SyntaxToken::Node),
            ("8", SyntaxToken::Number),
            ("wait", SyntaxToken::Node),
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn an_error_is_underlined_where_it_is() {
        let error = WorkloadError {
            file: String::new(),
            line: 2,
            column: 8,
            length: 1,
            message: String::new(),
            help: String::new(),
            text: String::new(),
            skipped: 0,
        };
        let job = highlight(&DARK, TEXT, &[error]);
        assert_eq!(job.text, TEXT);
        let under: Vec<_> = job
            .sections
            .iter()
            .filter(|part| part.format.underline.width > 0.0)
            .collect();
        assert_eq!(under.len(), 1);
        let range = under[0].byte_range.clone();
        assert_eq!(&TEXT[range.start.0..range.end.0], "8");
    }
}

//! SQL cut into words, numbers, texts, comments and signs, whether it is right or not.

use std::ops::Range;

/// What a piece of SQL is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SqlTokenKind {
    /// A name or a word of the language.
    Word,
    /// A number.
    Number,
    /// A text in apostrophes.
    Text,
    /// A name in quotation marks.
    Quoted,
    /// A comment.
    Comment,
    /// Anything else but blanks.
    Sign,
}

/// A piece of SQL.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SqlToken {
    /// What it is.
    pub kind: SqlTokenKind,
    /// Where it stands, in bytes.
    pub range: Range<usize>,
}

impl SqlToken {
    /// Whether it is a comment of which the end is missing.
    pub fn is_open_comment(&self, sql: &str) -> bool {
        let rest = self.text(sql).strip_prefix("/*");
        self.kind == SqlTokenKind::Comment && rest.is_some_and(|it| !it.ends_with("*/"))
    }

    /// The name that it is, without the signs around it.
    pub fn bare<'a>(&self, sql: &'a str) -> &'a str {
        let signs: &[char] = &['"', '\'', '`', '[', ']'];
        self.text(sql).trim_matches(signs)
    }

    /// Its text.
    pub fn text<'a>(&self, sql: &'a str) -> &'a str {
        sql.get(self.range.clone()).unwrap_or_default()
    }
}

/// Cuts SQL into its pieces.
pub fn tokens(sql: &str) -> Vec<SqlToken> {
    let mut found = Vec::new();
    let mut rest = sql;
    while let Some(first) = rest.chars().next() {
        let start = sql.len() - rest.len();
        let (kind, len) = if first.is_whitespace() {
            (None, first.len_utf8())
        } else {
            let (kind, len) = token(rest, first);
            (Some(kind), len)
        };
        if let Some(kind) = kind {
            found.push(SqlToken {
                kind,
                range: start..start + len,
            });
        }
        rest = rest.get(len..).unwrap_or_default();
    }
    found
}

/// The kind and the length of what SQL begins with.
fn token(sql: &str, first: char) -> (SqlTokenKind, usize) {
    let until = |end: &str| sql.find(end).map_or(sql.len(), |at| at + end.len());
    let while_is = |is: fn(char) -> bool| sql.find(|it| !is(it)).unwrap_or(sql.len());
    if sql.starts_with("--") {
        return (SqlTokenKind::Comment, sql.find('\n').unwrap_or(sql.len()));
    }
    if let Some(rest) = sql.strip_prefix("/*") {
        let len = rest.find("*/").map_or(sql.len(), |at| at + 4);
        return (SqlTokenKind::Comment, len);
    }
    match first {
        '\'' => (SqlTokenKind::Text, quoted(sql, '\'')),
        '"' | '`' => (SqlTokenKind::Quoted, quoted(sql, first)),
        '[' => (SqlTokenKind::Quoted, until("]")),
        it if it.is_alphabetic() || it == '_' => {
            let is_word = |it: char| it.is_alphanumeric() || it == '_' || it == '$';
            (SqlTokenKind::Word, while_is(is_word))
        }
        it if it.is_ascii_digit() => {
            let is_number = |it: char| it.is_ascii_alphanumeric() || it == '.' || it == '_';
            (SqlTokenKind::Number, while_is(is_number))
        }
        _ => (SqlTokenKind::Sign, first.len_utf8()),
    }
}

/// How long a text is that begins with a quotation mark, in which two of them stand for one.
fn quoted(sql: &str, mark: char) -> usize {
    let mut at = mark.len_utf8();
    while let Some(end) = sql.get(at..).and_then(|rest| rest.find(mark)) {
        at += end + mark.len_utf8();
        if !sql.get(at..).is_some_and(|rest| rest.starts_with(mark)) {
            return at;
        }
        at += mark.len_utf8();
    }
    sql.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sql_is_cut_into_its_pieces() {
        let sql = "SELECT s.dur*1e3, 'it''s' -- why\nFROM \"a b\" /* x */ wäre";
        let pieces: Vec<&str> = tokens(sql).iter().map(|it| it.text(sql)).collect();
        let expected = [
            "SELECT", "s", ".", "dur", "*", "1e3", ",", "'it''s'", "-- why", "FROM", "\"a b\"",
            "/* x */", "wäre",
        ];
        assert_eq!(pieces, expected);
        for odd in ["'", "'a''", "/*", "/*/", "--", "\"", "[", "ß'", "é"] {
            assert_eq!(tokens(odd).last().unwrap().range.end, odd.len(), "{odd}");
        }
    }
}

//! Keeps files out of questions: some engines take a text or a function in the place of a table for a file, which nobody has
//! verified and which no answer names.

use query::{SqlError, SqlToken, SqlTokenKind};

/// Functions that are tables and read no file.
const TABLE_FUNCTIONS: &[&str] = &[
    "explode",
    "explode_outer",
    "generate_series",
    "inline",
    "json_each",
    "json_tree",
    "lateral",
    "posexplode",
    "range",
    "stack",
    "unnest",
    "values",
];

/// Words behind which a table stands wherever they are.
const BEFORE_TABLES: &[&str] = &[
    "describe",
    "join",
    "lateral",
    "only",
    "pivot",
    "show",
    "summarize",
    "table",
    "unpivot",
];

/// Functions in whose brackets FROM names no table.
const TEXT_FUNCTIONS: &[&str] = &["extract", "overlay", "substr", "substring", "trim"];

/// Words that end the tables of a SELECT.
const BEHIND_TABLES: &[&str] = &[
    "except",
    "group",
    "having",
    "intersect",
    "limit",
    "order",
    "qualify",
    "select",
    "union",
    "values",
    "where",
    "window",
];

/// What is known at a depth of brackets.
#[derive(Clone, Copy, Default)]
struct BracketLevel {
    /// FROM names a part of a text or of a time.
    is_text: bool,
    /// The words are those of a list of tables.
    has_tables: bool,
}

/// Refuses a path, or a function that may read one, where a table stands.
///
/// # Errors
/// There is one; the error names its place.
pub(crate) fn refuse_files(sql: &str, all: &[SqlToken]) -> Result<(), SqlError> {
    let mut levels = vec![BracketLevel::default()];
    let word = |at: usize| all.get(at).map_or("", |it| it.text(sql));
    let is_any =
        |at: usize, words: &[&str]| words.iter().any(|it| word(at).eq_ignore_ascii_case(it));
    // IS DISTINCT FROM compares.
    let is_from = |at: usize| {
        is_any(at, &["from"])
            && !at
                .checked_sub(1)
                .is_some_and(|it| is_any(it, &["distinct"]))
    };
    for (at, token) in all.iter().enumerate() {
        let level = levels.last().copied().unwrap_or_default();
        let before = at.checked_sub(1);
        let is_table = before.is_some_and(|before| {
            let begins = is_from(before) || is_any(before, &[",", "("]);
            // A name behind a dot may be a path in what is before it.
            let is_part = token.kind == SqlTokenKind::Quoted && is_any(before, &["."]);
            (begins && level.has_tables) || is_part || is_any(before, BEFORE_TABLES)
        });
        if is_table && let Some(text) = refusal(sql, token, word(at + 1)) {
            return Err(SqlError::in_question(text, sql, token.range.start));
        }
        match word(at) {
            "(" => levels.push(BracketLevel {
                is_text: before.is_some_and(|it| is_any(it, TEXT_FUNCTIONS)),
                has_tables: is_table,
            }),
            ")" => drop(levels.pop()),
            _ => {}
        }
        let Some(level) = levels.last_mut() else {
            // A bracket too many is the engine's to refuse.
            return Ok(());
        };
        if token.kind == SqlTokenKind::Word {
            if is_from(at) {
                level.has_tables = !level.is_text;
            } else if is_any(at, BEHIND_TABLES) {
                level.has_tables = false;
            }
        }
    }
    Ok(())
}

/// Why a word in the place of a table is refused; nothing where it is none.
fn refusal(sql: &str, token: &SqlToken, next: &str) -> Option<String> {
    let text = token.text(sql);
    let is_path = match token.kind {
        SqlTokenKind::Text => true,
        SqlTokenKind::Quoted => text.contains(['/', '\\', '.', '*']),
        _ => false,
    };
    if is_path {
        return Some(format!(
            "the path {text} is refused: a question reads the tables of the dataset alone"
        ));
    }
    let is_known = |it: &&str| text.eq_ignore_ascii_case(it);
    let is_function = token.kind == SqlTokenKind::Word && next == "(";
    (is_function && !TABLE_FUNCTIONS.iter().any(is_known)).then(|| {
        format!("{text} is refused: it may read a file, and a question reads the tables of the dataset alone")
    })
}

#[cfg(test)]
mod tests;

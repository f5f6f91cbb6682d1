//! Where in a question something is: a name, a call, what is wrong.

use crate::tokens::{SqlToken, SqlTokenKind, tokens};

/// Where a name stands in a question first, with its table where it is written so.
pub(super) fn find_word(sql: &str, name: &str) -> Option<usize> {
    if let Some((table, column)) = name.split_once('.') {
        let all = tokens(sql);
        let is = |at: Option<&SqlToken>, text: &str| {
            at.is_some_and(|it| it.bare(sql).eq_ignore_ascii_case(text))
        };
        let mut places = 0..all.len();
        let found = places.find(|at| {
            is(all.get(*at), table) && is(all.get(at + 1), ".") && is(all.get(at + 2), column)
        });
        if let Some(found) = found.and_then(|at| all.get(at)) {
            return Some(found.range.start);
        }
    }
    let bare = name.rsplit('.').next().unwrap_or(name);
    let found = tokens(sql).into_iter().find(|it| {
        let is_name = !matches!(it.kind, SqlTokenKind::Comment | SqlTokenKind::Sign);
        is_name && it.bare(sql).eq_ignore_ascii_case(bare)
    });
    found.map(|it| it.range.start)
}

/// Where the second statement of a text begins.
pub(super) fn second_statement(sql: &str) -> Option<usize> {
    let mut all = tokens(sql).into_iter();
    all.find(|it| it.text(sql) == ";")?;
    let next = all.find(|it| it.kind != SqlTokenKind::Comment && it.text(sql) != ";")?;
    Some(next.range.start)
}

/// The words with which a statement begins that changes something, or reaches elsewhere.
const CHANGING: &[&str] = &[
    "alter",
    "analyze",
    "attach",
    "begin",
    "commit",
    "create",
    "delete",
    "detach",
    "drop",
    "end",
    "insert",
    "pragma",
    "reindex",
    "release",
    "replace",
    "rollback",
    "savepoint",
    "update",
    "vacuum",
];

/// Those that may stand behind WITH; REPLACE is a function there as a rule.
const BEHIND_WITH: &[&str] = &["delete", "insert", "update"];

/// Where a question says that it changes something: where a statement begins with such a word, or behind WITH.
pub(super) fn changing_word(sql: &str) -> Option<usize> {
    let all = tokens(sql).into_iter();
    let all: Vec<SqlToken> = all.filter(|it| it.kind != SqlTokenKind::Comment).collect();
    let first = all.first()?;
    let is_with = first.text(sql).eq_ignore_ascii_case("with");
    let previous = std::iter::once(None).chain(all.iter().map(Some));
    let found = all.iter().zip(previous).find(|(it, before)| {
        let is_any = |words: &[&str]| {
            words
                .iter()
                .any(|word| it.text(sql).eq_ignore_ascii_case(word))
        };
        let begins = before.is_none_or(|it| it.text(sql) == ";");
        (begins && is_any(CHANGING)) || (is_with && is_any(BEHIND_WITH))
    });
    Some(found.map_or(first, |it| it.0).range.start)
}

/// The place that SQLite means where it names none: the end of what breaks off, a function, a name, or words of the language
/// that stand there once.
pub(super) fn place_meant(message: &str, sql: &str) -> Option<usize> {
    if message == "incomplete input" {
        return Some(sql.trim_end().len());
    }
    if REFUSED.iter().any(|it| message.contains(it)) {
        return changing_word(sql);
    }
    if message == "datatype mismatch" {
        return only_word(sql, "limit").or_else(|| only_word(sql, "offset"));
    }
    if message.starts_with("sub-select returns") {
        return only_sub_select(sql);
    }
    if message.starts_with("cannot join using") {
        return only_word(sql, "using");
    }
    for start in ["circular reference: ", "no such window: ", "table "] {
        let name = message.strip_prefix(start);
        if let Some(name) = name.and_then(|it| it.split(' ').next()) {
            return find_word(sql, name);
        }
    }
    let is_capital = |word: &&str| word.len() > 1 && word.chars().all(|it| it.is_ascii_uppercase());
    let mut words = message.split([' ', '-']);
    if let Some(function) = words.clone().find_map(|it| it.strip_suffix("()")) {
        let calls = tokens(sql)
            .iter()
            .filter(|it| it.text(sql).eq_ignore_ascii_case(function))
            .count();
        return find_function(sql, function).filter(|_| calls == 1);
    }
    only_word(sql, words.find(is_capital)?)
}

/// Where a function is called first.
pub(super) fn find_function(sql: &str, name: &str) -> Option<usize> {
    let all = tokens(sql);
    let mut pairs = all.iter().zip(all.iter().skip(1));
    let found =
        pairs.find(|(it, next)| it.text(sql).eq_ignore_ascii_case(name) && next.text(sql) == "(");
    found.map(|it| it.0.range.start)
}

/// Where a word stands, if it stands there once.
fn only_word(sql: &str, word: &str) -> Option<usize> {
    let all = tokens(sql);
    let mut found = all
        .iter()
        .filter(|it| it.text(sql).eq_ignore_ascii_case(word));
    let only = found.next()?;
    found.next().is_none().then_some(only.range.start)
}

/// Where a question in brackets begins, if there is one.
fn only_sub_select(sql: &str) -> Option<usize> {
    let all = tokens(sql);
    let mut found = all
        .iter()
        .zip(all.iter().skip(1))
        .filter(|(it, next)| it.text(sql) == "(" && next.text(sql).eq_ignore_ascii_case("select"));
    let only = found.next()?;
    found.next().is_none().then_some(only.0.range.start)
}

/// What SQLite says of changes that a table cannot be made to take.
pub(super) const REFUSED: &[&str] = &["may not be", "cannot create triggers", "not authorized"];

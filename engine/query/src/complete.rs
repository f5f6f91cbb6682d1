//! What may stand at a place of a question: for the editor.

use super::error::{FUNCTIONS, tables_in};
use super::schema::{SqlTable, TABLES};
use super::tokens::{SqlTokenKind, tokens};

/// What a word that completes another is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum CompletionKind {
    /// A column.
    Column,
    /// A table.
    Table,
    /// A function.
    Function,
    /// A word of the language.
    Keyword,
}

/// A word that completes what is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SqlCompletion {
    /// The word.
    pub text: &'static str,
    /// What it is.
    pub kind: CompletionKind,
    /// What it says or does, in a few words; empty for words of the language.
    pub about: &'static str,
}

/// Words of the language that questions are written with.
pub const KEYWORDS: &[&str] = &[
    "AND",
    "AS",
    "ASC",
    "BETWEEN",
    "BY",
    "CASE",
    "CAST",
    "DESC",
    "DISTINCT",
    "ELSE",
    "END",
    "EXISTS",
    "FILTER",
    "FROM",
    "GROUP",
    "HAVING",
    "IN",
    "IS",
    "JOIN",
    "LEFT",
    "LIKE",
    "LIMIT",
    "NOT",
    "NULL",
    "OFFSET",
    "ON",
    "OR",
    "ORDER",
    "OVER",
    "PARTITION",
    "PRECEDING",
    "RECURSIVE",
    "ROWS",
    "SELECT",
    "THEN",
    "UNBOUNDED",
    "UNION",
    "VALUES",
    "WHEN",
    "WHERE",
    "WITH",
];

/// The words that complete what stands before `at`, in bytes, the best first; and where that begins.
pub fn complete(sql: &str, at: usize) -> (usize, Vec<SqlCompletion>) {
    let all = tokens(sql);
    let before: Vec<_> = all.iter().take_while(|it| it.range.start < at).collect();
    let last = before.last().filter(|it| it.range.end >= at);
    if last.is_some_and(|it| !matches!(it.kind, SqlTokenKind::Word | SqlTokenKind::Sign)) {
        return (at, Vec::new());
    }
    let word = last.filter(|it| it.kind == SqlTokenKind::Word);
    let start = word.map_or(at, |it| it.range.start);
    let typed = sql.get(start..at).unwrap_or_default().to_lowercase();
    let rest = before.len() - usize::from(word.is_some());
    let sign = |back: usize| {
        let token = rest.checked_sub(back).and_then(|at| before.get(at));
        token.map_or("", |it| it.text(sql))
    };
    if sign(1) == "." {
        let table = table_of(sql, sign(2));
        let columns = table.map_or(&[][..], |it| it.columns);
        let columns = columns.iter().map(|it| (it.name, it.about));
        return (start, matching(&typed, columns, CompletionKind::Column));
    }
    if typed.is_empty() {
        return (start, Vec::new());
    }
    // Behind a table stands its other name or the next word, and behind AS a new name.
    if sign(1).eq_ignore_ascii_case("as") {
        return (start, Vec::new());
    }
    let is_named = TABLES
        .iter()
        .any(|it| it.name.eq_ignore_ascii_case(sign(1)));
    if is_named && ["from", "join", ","].contains(&sign(2).to_lowercase().as_str()) {
        let keywords = KEYWORDS.iter().map(|it| (*it, ""));
        return (start, matching(&typed, keywords, CompletionKind::Keyword));
    }
    let is_table = ["from", "join"].contains(&sign(1).to_lowercase().as_str());
    let tables = TABLES.iter().map(|it| (it.name, it.about));
    let tables = matching(&typed, tables, CompletionKind::Table);
    if is_table {
        return (start, tables);
    }
    let mut named = tables_in(sql);
    if named.is_empty() {
        named = TABLES.iter().collect();
    }
    let columns = named
        .iter()
        .flat_map(|it| it.columns)
        .map(|it| (it.name, it.about));
    let mut found = matching(&typed, columns, CompletionKind::Column);
    found.extend(tables);
    let functions = FUNCTIONS.iter().map(|it| (*it, ""));
    found.extend(matching(&typed, functions, CompletionKind::Function));
    let keywords = KEYWORDS.iter().map(|it| (*it, ""));
    found.extend(matching(&typed, keywords, CompletionKind::Keyword));
    // What is written already needs no completion.
    found.retain(|it| !it.text.eq_ignore_ascii_case(&typed));
    (start, found)
}

fn matching(
    typed: &str,
    all: impl Iterator<Item = (&'static str, &'static str)>,
    kind: CompletionKind,
) -> Vec<SqlCompletion> {
    let mut found: Vec<SqlCompletion> = Vec::new();
    for (text, about) in all {
        let fits = text.to_lowercase().starts_with(typed);
        if fits && found.iter().all(|it| it.text != text) {
            found.push(SqlCompletion { text, kind, about });
        }
    }
    found
}

/// The table that a name in a question stands for: its own, or the one before it in `FROM spans s` or `JOIN spans AS s`.
fn table_of(sql: &str, name: &str) -> Option<&'static SqlTable> {
    let table = |name: &str| TABLES.iter().find(|it| it.name.eq_ignore_ascii_case(name));
    if let Some(found) = table(name) {
        return Some(found);
    }
    let all = tokens(sql);
    let words: Vec<&str> = all
        .iter()
        .filter(|it| it.kind != SqlTokenKind::Comment)
        .map(|it| it.text(sql))
        .filter(|it| !it.eq_ignore_ascii_case("as"))
        .collect();
    let mut pairs = words.windows(2);
    pairs.find_map(|pair| match pair {
        [of, alias] if alias.eq_ignore_ascii_case(name) => table(of),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The completions at `|`.
    fn at(marked: &str) -> Vec<&'static str> {
        let place = marked.find('|').unwrap();
        let sql = marked.replace('|', "");
        complete(&sql, place)
            .1
            .into_iter()
            .map(|it| it.text)
            .collect()
    }

    #[test]
    fn tables_columns_functions_and_words_are_offered_where_they_fit() {
        assert_eq!(at("SELECT * FROM sp|"), ["spans"]);
        assert_eq!(
            at("SELECT s.la| FROM spans s"),
            ["lane_id", "lane", "launch_id"]
        );
        assert_eq!(at("SELECT g.re| FROM spans s JOIN gaps AS g"), ["reason"]);
        assert_eq!(at("SELECT du| FROM spans"), ["dur"]);
        assert!(at("SELECT cou| FROM spans").contains(&"count"));
        assert!(at("SEL|").contains(&"SELECT"));
        assert!(at("SELECT |").is_empty());
        assert!(at("SELECT count(*) AS by|").is_empty());
        assert!(!at("SELECT count(*) FROM spans b|").contains(&"bytes"));
        assert!(at("SELECT count(*) FROM spans wh|").contains(&"WHERE"));
        assert!(at("SELECT 'sp|").is_empty());
        assert!(at("-- sp|").is_empty());
        assert!(at("SELECT x.d| FROM nothing x").is_empty());
        assert_eq!(at("SELECT waits.for| FROM waits"), ["for_id"]);
    }
}

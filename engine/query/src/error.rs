//! What is wrong with a question: where, and what was probably meant.

mod error_place;

use std::collections::BTreeSet;
use std::fmt;

use super::schema::{SqlTable, TABLES};
use super::tokens::{SqlTokenKind, tokens};
use error_place::{
    REFUSED, changing_word, find_function, find_word, place_meant, second_statement,
};

/// Why a question has no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SqlError {
    /// What is wrong, and what to do.
    pub text: String,
    /// Where in the question, in bytes, where that is known.
    pub offset: Option<usize>,
    /// The line, counted from 1, and the character in it, counted from 1.
    pub place: Option<(usize, usize)>,
}

impl fmt::Display for SqlError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.place {
            Some((line, character)) => {
                write!(
                    formatter,
                    "line {line}, character {character}: {}",
                    self.text
                )
            }
            None => formatter.write_str(&self.text),
        }
    }
}

impl std::error::Error for SqlError {}

impl SqlError {
    /// An error that is about no place of the question.
    pub fn new(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            offset: None,
            place: None,
        }
    }

    /// An error at a place of a question, in bytes.
    pub fn in_question(text: impl Into<String>, sql: &str, offset: usize) -> Self {
        Self::at(text.into(), sql, Some(offset))
    }

    /// An error at a place of the text.
    fn at(text: String, sql: &str, offset: Option<usize>) -> Self {
        let offset = offset.filter(|it| sql.is_char_boundary(*it));
        let before = offset.and_then(|it| sql.get(..it));
        let place = before.map(|before| {
            let line = before.matches('\n').count() + 1;
            let start = before.rfind('\n').map_or(0, |it| it + 1);
            let own = before.get(start..).unwrap_or_default();
            (line, own.chars().count() + 1)
        });
        Self {
            text,
            offset,
            place,
        }
    }

    /// What stands behind a character of number 0 would not be read, so that another question would be answered.
    pub(crate) fn of_nul(sql: &str) -> Option<Self> {
        let text = "the question has a character of number 0 in it; take it out";
        let place = sql.find('\0')?;
        Some(Self::at(text.to_owned(), sql, Some(place)))
    }

    /// An error at the first place where a function is called.
    pub(crate) fn at_function(text: String, sql: &str, function: &str) -> Self {
        Self::at(text, sql, find_function(sql, function))
    }

    /// A comment that is not closed takes the rest of the question with it.
    ///
    /// # Errors
    /// There is such a one.
    pub fn check_comments(sql: &str) -> Result<(), Self> {
        let mut all = tokens(sql).into_iter();
        match all.find(|it| it.is_open_comment(sql)) {
            None => Ok(()),
            Some(open) => {
                let text = "this comment has no end: write */ behind it";
                Err(Self::in_question(text, sql, open.range.start))
            }
        }
    }

    /// An error at the word with which a question says that it changes something.
    pub(crate) fn at_change(text: String, sql: &str) -> Self {
        Self::at(text, sql, changing_word(sql))
    }

    /// A value that is to be given later, which nobody could give.
    pub(crate) fn of_parameter(sql: &str) -> Self {
        let text = "a value is missing where there is a ?, or a name behind :, @ or $; write the value itself";
        let mut signs = tokens(sql).into_iter();
        let place = signs.find(|it| ["?", ":", "@", "$"].contains(&it.text(sql)));
        Self::at(text.to_owned(), sql, place.map(|it| it.range.start))
    }

    /// What SQLite says of a question that it cannot prepare.
    pub(crate) fn prepared(error: &rusqlite::Error, sql: &str) -> Self {
        let (message, offset) = match error {
            rusqlite::Error::SqlInputError { msg, offset, .. } => {
                (msg.clone(), usize::try_from(*offset).ok())
            }
            rusqlite::Error::SqliteFailure(_, Some(message)) => (message.clone(), None),
            rusqlite::Error::MultipleStatement => {
                let text =
                    "ask one question at a time: there is another statement behind the first";
                return Self::at(text.to_owned(), sql, second_statement(sql));
            }
            other => (other.to_string(), None),
        };
        for (start, explain) in UNKNOWN {
            if let Some(name) = message.strip_prefix(start) {
                // SQLite adds a guess of its own to a name in quotation marks.
                let name = name.split(" - should").next().unwrap_or(name);
                let name = name.trim_matches('"');
                let offset = offset.or_else(|| find_word(sql, name));
                return Self::at(explain(name, sql), sql, offset);
            }
        }
        let offset = offset.or_else(|| place_meant(&message, sql));
        Self::at(in_words(&message), sql, offset)
    }

    /// What went wrong while a question was answered.
    pub(crate) fn ran(error: &rusqlite::Error, sql: &str) -> Self {
        let message = match error {
            rusqlite::Error::SqliteFailure(_, Some(message)) => message.clone(),
            rusqlite::Error::SqliteFailure(code, None) => code.to_string(),
            other => other.to_string(),
        };
        Self::at(in_words(&message), sql, place_meant(&message, sql))
    }
}

/// Explains what has no meaning, by its name and the question.
type Explanation = fn(&str, &str) -> String;

/// How SQLite says that something has no meaning, and what it is said with here.
const UNKNOWN: &[(&str, Explanation)] = &[
    ("no such table: ", |name, _| unknown_table(name)),
    ("no such column: ", unknown_column),
    ("no such function: ", |name, _| {
        format!(
            "there is no function “{name}”{}",
            hint(nearest(name, FUNCTIONS.iter().copied()))
        )
    }),
    ("ambiguous column name: ", |name, _| {
        format!(
            "several tables of the question have a column “{name}”; write the table's name and a dot before it"
        )
    }),
];

/// Functions that questions are written with; SQLite has more.
pub(crate) const FUNCTIONS: &[&str] = &[
    "abs",
    "avg",
    "coalesce",
    "count",
    "dense_rank",
    "first_value",
    "group_concat",
    "instr",
    "lag",
    "last_value",
    "lead",
    "length",
    "lower",
    "max",
    "min",
    "ntile",
    "nullif",
    "printf",
    "rank",
    "replace",
    "round",
    "row_number",
    "string_agg",
    "substr",
    "sum",
    "total",
    "trim",
    "typeof",
    "upper",
];

/// What other tools call our tables and columns.
const OTHER_NAMES: &[(&str, &str)] = &[
    ("args", "arguments"),
    ("begin", "ts"),
    ("counter", "counters"),
    ("correlation_id", "launch_id"),
    ("duration", "dur"),
    ("double_value", "decimal"),
    ("end_ns", "ts + dur"),
    ("event", "spans"),
    ("events", "spans"),
    ("flow", "dependencies"),
    ("gpu_slice", "spans"),
    ("int_value", "whole"),
    ("key", "name"),
    ("kernel", "kernels"),
    ("overlaps", "lane_overlap"),
    ("slice", "spans"),
    ("slices", "spans"),
    ("start", "ts"),
    ("start_ns", "ts"),
    ("stream", "lane"),
    ("string_value", "text"),
    ("thread_track", "lanes"),
    ("timestamp", "ts"),
    ("track", "lanes"),
    ("track_id", "lane_id"),
];

fn unknown_table(name: &str) -> String {
    let bare = name.rsplit('.').next().unwrap_or(name);
    let all = TABLES.iter().map(|it| it.name);
    let near = other_name(bare, |it| TABLES.iter().any(|table| table.name == it));
    let near = near.or_else(|| nearest(bare, all.clone()));
    let list: Vec<&str> = all.collect();
    // A hint is a question and ends as one.
    let stop = if near.is_some() { "" } else { "." };
    format!(
        "there is no table “{name}”{}{stop} There are {}",
        hint(near),
        list.join(", ")
    )
}

fn unknown_column(name: &str, sql: &str) -> String {
    let bare = name.rsplit('.').next().unwrap_or(name);
    let qualifier = name.rsplit_once('.').map(|it| it.0);
    let named = match qualifier.and_then(|it| table_called(sql, it)) {
        Some(table) => vec![table],
        None => tables_in(sql),
    };
    let columns = |tables: &[&'static SqlTable]| -> Vec<&'static str> {
        let all = tables.iter().flat_map(|it| it.columns);
        all.map(|it| it.name).collect()
    };
    let own = columns(&named);
    if let Some(qualifier) = qualifier.filter(|it| !has_name(sql, it)) {
        let list: Vec<&str> = named.iter().map(|it| it.name).collect();
        return format!(
            "no table of the question is called “{qualifier}”; it reads {}",
            list.join(", ")
        );
    }
    if is_quoted(sql, bare) {
        return format!("there is no column “{bare}”; a text stands in apostrophes: '{bare}'");
    }
    if own.contains(&bare) {
        // A question in brackets may leave it out, and so do the files of a dataset.
        return format!(
            "there is no column “{name}” here: what is read at this place has none of that name"
        );
    }
    let near = other_name(bare, |it| own.contains(&it) || it.contains(' '));
    let near = near.or_else(|| nearest(bare, own.iter().copied()));
    if near.is_some() {
        return format!("there is no column “{name}”{}", hint(near));
    }
    let others = TABLES.iter().filter(|it| it.column(bare).is_some());
    let list = others.map(|it| it.name).collect::<Vec<_>>().join(", ");
    if !list.is_empty() && qualifier.is_none() {
        return format!(
            "there is no column “{name}” in the tables of the question; it is one of {list}"
        );
    }
    if let [table] = named.as_slice() {
        let all: Vec<&str> = table.columns.iter().map(|it| it.name).collect();
        return format!(
            "there is no column “{name}”; {} has {}",
            table.name,
            all.join(", ")
        );
    }
    let all: Vec<&SqlTable> = TABLES.iter().collect();
    // A column of one capture that a dataset has not is no better name for itself.
    let others = columns(&all).into_iter().filter(|it| *it != bare);
    let near = nearest(bare, others);
    format!("there is no column “{name}”{}", hint(near))
}

/// Whether a table of the question may have a name: it stands somewhere without a column behind it.
fn has_name(sql: &str, name: &str) -> bool {
    let all = tokens(sql);
    let nexts = all.iter().skip(1).map(Some).chain([None]);
    let mut pairs = all.iter().zip(nexts);
    pairs.any(|(it, next)| {
        it.bare(sql).eq_ignore_ascii_case(name) && next.is_none_or(|it| it.text(sql) != ".")
    })
}

/// Whether a name stands in quotation marks, which is where people mean a text.
fn is_quoted(sql: &str, name: &str) -> bool {
    let quoted = format!("\"{name}\"");
    tokens(sql)
        .iter()
        .any(|it| it.kind == SqlTokenKind::Quoted && it.text(sql) == quoted)
}

fn hint(near: Option<&str>) -> String {
    near.map_or_else(String::new, |near| format!("; did you mean {near}?"))
}

fn other_name(name: &str, is_fit: impl Fn(&str) -> bool) -> Option<&'static str> {
    let lower = name.to_lowercase();
    let known = OTHER_NAMES.iter().find(|it| it.0 == lower)?;
    is_fit(known.1).then_some(known.1)
}

/// The name that looks most like another, where one does.
pub fn nearest<'a>(name: &str, all: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let lower = name.to_lowercase();
    let far = |it: &str| strsim::damerau_levenshtein(&lower, it);
    let (distance, found) = all.map(|it| (far(it), it)).min()?;
    (distance <= 1 + lower.chars().count() / 3).then_some(found)
}

/// The table that a question calls so: by its own name, or by one that stands behind it.
fn table_called(sql: &str, name: &str) -> Option<&'static SqlTable> {
    let words: Vec<String> = tokens(sql)
        .into_iter()
        .filter(|it| it.kind != SqlTokenKind::Comment)
        .map(|it| it.text(sql).to_lowercase())
        .filter(|it| it != "as")
        .collect();
    let known = |word: &str| TABLES.iter().find(|it| it.name == word);
    let name = name.to_lowercase();
    let mut pairs = words.iter().zip(words.iter().skip(1));
    let behind = pairs.find_map(|(table, alias)| known(table).filter(|_| *alias == name));
    behind.or_else(|| known(&name))
}

/// The tables whose names stand in a question.
pub(crate) fn tables_in(sql: &str) -> Vec<&'static SqlTable> {
    let words = tokens(sql)
        .into_iter()
        .filter(|it| it.kind == SqlTokenKind::Word);
    let words: BTreeSet<String> = words.map(|it| it.text(sql).to_lowercase()).collect();
    TABLES.iter().filter(|it| words.contains(it.name)).collect()
}

/// What SQLite says, as a sentence that says what to do where that is known.
fn in_words(message: &str) -> String {
    if let Some(near) = message
        .strip_prefix("near ")
        .and_then(|it| it.strip_suffix(": syntax error"))
    {
        let near = near.trim_matches('"');
        return format!(
            "“{near}” cannot stand here; look at what is before it: a comma, a word or a bracket may be missing"
        );
    }
    if REFUSED.iter().any(|it| message.contains(it)) {
        return "changes are switched off: a question only reads the capture; write one that begins with SELECT or WITH"
            .to_owned();
    }
    match message {
        "incomplete input" => {
            "the question breaks off; a bracket, an apostrophe or the rest of it is missing"
                .to_owned()
        }
        "integer overflow" => {
            "a whole number is larger than 2^63; multiply by 1.0 for one that is rounded, such as in sum(x * 1.0)"
                .to_owned()
        }
        "string or blob too big" => {
            "a text of the answer is too long; ask for less of it".to_owned()
        }
        "datatype mismatch" => {
            "a text or a number with a fraction stands where a whole number is needed, such as behind LIMIT".to_owned()
        }
        "not an error" => "SQLite gave up without a reason; please report this question".to_owned(),
        "Recursion limit" => "brackets are nested too deep for SQLite; write it in parts, by WITH".to_owned(),
        other => format!("SQLite says: {other}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_name_is_near() {
        assert_eq!(
            nearest("span", TABLES.iter().map(|it| it.name)),
            Some("spans")
        );
        assert_eq!(
            nearest("Kernles", TABLES.iter().map(|it| it.name)),
            Some("kernels")
        );
        assert_eq!(nearest("xyz", TABLES.iter().map(|it| it.name)), None);
    }

    #[test]
    fn what_other_tools_call_it_is_known() {
        assert!(unknown_table("slice").contains("did you mean spans?"));
        assert!(
            unknown_column("timestamp", "SELECT timestamp FROM spans").contains("did you mean ts?")
        );
        for (_, ours) in OTHER_NAMES {
            let is_table = TABLES.iter().any(|it| it.name == *ours);
            let is_column = TABLES.iter().any(|it| it.column(ours).is_some());
            assert!(is_table || is_column || *ours == "ts + dur", "{ours}");
        }
    }
}

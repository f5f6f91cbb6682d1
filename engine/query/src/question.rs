//! The bundled questions, and the values at the head of a question that are there to be changed.

use std::ops::Range;

use super::tokens::{SqlToken, SqlTokenKind, tokens};

/// A question that comes with the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BundledQuestion {
    /// Its name, as commands use it: the file's, without `.sql`.
    pub name: &'static str,
    /// Its text: comments that say what it asks, what it needs and which columns it answers with, and SQL.
    pub sql: &'static str,
}

macro_rules! questions {
    ($($name:literal)*) => {
        /// The list of questions, in the order in which they are offered.
        const QUESTIONS: &[BundledQuestion] = &[$(BundledQuestion {
            name: $name,
            sql: include_str!(concat!("../../../assets/queries/", $name, ".sql")),
        },)*];
    };
}

questions! {
    "top-kernels"
    "kernel-spread"
    "kernel-outliers"
    "busy-by-stream"
    "busy-union"
    "first-and-last"
    "idle-by-reason"
    "longest-gaps"
    "launch-latency"
    "longest-launch-latency"
    "queue-depth"
    "longest-waits"
    "waits-by-cause"
    "host-blocked"
    "host-calls"
    "critical-path"
    "critical-path-kernels"
    "step-time"
    "slowest-steps"
    "between-steps"
    "step-contents"
    "overlap"
    "followers"
    "copies"
    "copy-sizes"
    "memory-peak"
    "counter-summary"
    "collective-time"
    "stragglers"
    "failed-operations"
    "findings-by-severity"
    "dependency-kinds"
}

/// The questions that come with the program, in the order in which they are offered.
pub const fn questions() -> &'static [BundledQuestion] {
    QUESTIONS
}

impl BundledQuestion {
    /// What it asks, in a sentence.
    pub fn sentence(&self) -> &'static str {
        let first = self.sql.lines().next().unwrap_or_default();
        first.trim_start_matches('-').trim()
    }

    /// The tables that have to have rows for an answer.
    pub fn needs(&self) -> Vec<&'static str> {
        self.list("-- needs:")
    }

    /// The columns that it answers with.
    pub fn columns(&self) -> Vec<&'static str> {
        self.list("-- columns:")
    }

    fn list(&self, head: &str) -> Vec<&'static str> {
        let mut lines = self.sql.lines();
        let list = lines.find_map(|it| it.strip_prefix(head));
        let items = list.unwrap_or_default().split(',').map(str::trim);
        items.filter(|it| !it.is_empty()).collect()
    }
}

/// A value at the head of a question, such as the 100000 of `WITH p AS (SELECT 100000 AS least_ns)`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QuestionParameter {
    /// Its name.
    pub name: String,
    /// Its value as it stands there; of a text without its apostrophes.
    pub value: String,
    /// Whether it is a text.
    pub is_text: bool,
    /// Where the value stands, in bytes, with its apostrophes.
    pub range: Range<usize>,
}

/// The values at the head of a question: those of its first `WITH p AS (SELECT value AS name, …)`.
pub fn parameters(sql: &str) -> Vec<QuestionParameter> {
    let all = tokens(sql);
    let all: Vec<&SqlToken> = all
        .iter()
        .filter(|it| it.kind != SqlTokenKind::Comment)
        .collect();
    let is = |at: usize, word: &str| {
        let token = all.get(at);
        token.is_some_and(|it| it.text(sql).eq_ignore_ascii_case(word))
    };
    let head = ["with", "p", "as", "(", "select"];
    if !head.iter().enumerate().all(|(at, word)| is(at, word)) {
        return Vec::new();
    }
    let mut at = head.len();
    let mut found = Vec::new();
    loop {
        let is_negative = is(at, "-");
        let first = all.get(at);
        at += usize::from(is_negative);
        let (Some(first), Some(value), true, Some(name)) =
            (first, all.get(at), is(at + 1, "as"), all.get(at + 2))
        else {
            return found;
        };
        if !matches!(value.kind, SqlTokenKind::Number | SqlTokenKind::Text) {
            return found;
        }
        let range = first.range.start..value.range.end;
        let text = sql.get(range.clone()).unwrap_or_default();
        let is_text = value.kind == SqlTokenKind::Text;
        let inner = text.strip_prefix('\'').and_then(|it| it.strip_suffix('\''));
        found.push(QuestionParameter {
            name: name.text(sql).to_owned(),
            value: inner.map_or_else(|| text.to_owned(), |it| it.replace("''", "'")),
            is_text,
            range,
        });
        if !is(at + 3, ",") {
            return found;
        }
        at += 4;
    }
}

/// The question with another value at its head.
///
/// # Errors
/// It has no such value, or the new one is no number where the old one is; the text says which.
pub fn with_parameter(sql: &str, name: &str, value: &str) -> Result<String, String> {
    let all = parameters(sql);
    let Some(found) = all.iter().find(|it| it.name == name) else {
        let names: Vec<&str> = all.iter().map(|it| it.name.as_str()).collect();
        return Err(match names.as_slice() {
            [] => format!("the question has no value to change, so there is no “{name}”"),
            names => format!(
                "the question has no value “{name}”; it has {}",
                names.join(", ")
            ),
        });
    };
    let written = if found.is_text {
        format!("'{}'", value.replace('\'', "''"))
    } else {
        let bare = value.replace('_', "");
        let is_number = bare.parse::<f64>().is_ok_and(f64::is_finite);
        if !is_number {
            return Err(format!("“{value}” is not a number, which {name} has to be"));
        }
        bare
    };
    let (before, after) = (sql.get(..found.range.start), sql.get(found.range.end..));
    Ok(format!(
        "{}{written}{}",
        before.unwrap_or_default(),
        after.unwrap_or_default()
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_at_the_head_are_found_and_changed() {
        let sql =
            "-- a\nWITH p AS (SELECT 100000 AS least_ns, -2.5 AS x, 'it''s' AS name)\nSELECT 1";
        let found: Vec<(String, String)> = parameters(sql)
            .into_iter()
            .map(|it| (it.name, it.value))
            .collect();
        let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        assert_eq!(
            found,
            [
                pair("least_ns", "100000"),
                pair("x", "-2.5"),
                pair("name", "it's")
            ]
        );
        let changed = with_parameter(sql, "least_ns", "5_000").unwrap();
        let changed = with_parameter(&changed, "name", "o'c").unwrap();
        let changed = with_parameter(&changed, "x", "-1").unwrap();
        assert_eq!(
            changed,
            "-- a\nWITH p AS (SELECT 5000 AS least_ns, -1 AS x, 'o''c' AS name)\nSELECT 1"
        );
        assert!(with_parameter(sql, "least_ns", "1; DROP").is_err());
        assert!(
            with_parameter(sql, "y", "1")
                .unwrap_err()
                .contains("least_ns, x, name")
        );
        for plain in [
            "SELECT 1",
            "WITH q AS (SELECT 1 AS a) SELECT 1",
            "WITH p AS (SELECT a AS b)",
            "",
        ] {
            assert!(parameters(plain).is_empty(), "{plain}");
        }
    }
}

//! What of a question may go to an engine, and how: engines cut SQL into words each in its own way, so that what is a text or a
//! comment here could be a statement there.

use dataset::tables;
use query::{KEYWORDS, SqlError, SqlToken, SqlTokenKind, nearest_name, tokens};

use super::engine::FleetEngine;
use super::file_check::refuse_files;

/// Words with which SQL behind WITH or in a SELECT changes something, in some engine.
const REFUSED: &[&str] = &[
    "delete",
    "insert",
    "merge",
    "overwrite",
    "truncate",
    "update",
];

/// Functions of Spark that reach Java, or what is named by a text. As names they are like any other.
const REFUSED_FUNCTIONS: &[&str] = &["identifier", "java_method", "reflect", "try_reflect"];

/// The question as an engine is to have it: without comments, each of which is as many blanks.
///
/// # Errors
/// It is more than one question that reads the tables of a dataset, or has signs that engines read differently.
pub(crate) fn checked(sql: &str, engine: &FleetEngine) -> Result<String, SqlError> {
    SqlError::check_comments(sql)?;
    let all = tokens(sql).into_iter();
    let all: Vec<SqlToken> = all.filter(|it| it.kind != SqlTokenKind::Comment).collect();
    one_statement(sql, &all)?;
    if let Some(word) = refused_word(sql, &all) {
        let text = format!(
            "{} is refused: a question only reads the dataset; write one statement that begins with SELECT or WITH",
            word.text(sql)
        );
        return Err(SqlError::in_question(text, sql, word.range.start));
    }
    plain_signs(sql, &all, engine)?;
    refuse_files(sql, &all)?;
    known_tables(sql, &all)?;
    Ok(without_comments(sql))
}

/// Refuses what is no statement that reads, or several.
fn one_statement(sql: &str, all: &[SqlToken]) -> Result<(), SqlError> {
    let mut rest = all.iter().skip_while(|it| it.text(sql) == "(");
    let first = rest.next();
    let begins = |word: &str| first.is_some_and(|it| it.text(sql).eq_ignore_ascii_case(word));
    if !begins("select") && !begins("with") {
        let text = "a question only reads the dataset: write one statement that begins with SELECT or WITH";
        return Err(match first {
            Some(first) => SqlError::in_question(text, sql, first.range.start),
            None => SqlError::new(text),
        });
    }
    let mut behind = all.iter().skip_while(|it| it.text(sql) != ";");
    match behind.find(|it| it.text(sql) != ";") {
        None => Ok(()),
        Some(second) => {
            let text = "ask one question at a time: there is another statement behind the first";
            Err(SqlError::in_question(text, sql, second.range.start))
        }
    }
}

fn refused_word<'a>(sql: &str, all: &'a [SqlToken]) -> Option<&'a SqlToken> {
    let nexts = all.iter().skip(1).map(Some).chain([None]);
    let mut words = all
        .iter()
        .zip(nexts)
        .filter(|it| it.0.kind == SqlTokenKind::Word);
    let found = words.find(|(word, next)| {
        let is = |refused: &&str| word.text(sql).eq_ignore_ascii_case(refused);
        let is_called = next.is_some_and(|it| it.text(sql) == "(");
        REFUSED.iter().any(is) || (is_called && REFUSED_FUNCTIONS.iter().any(is))
    });
    found.map(|it| it.0)
}

/// Refuses signs that begin a text, a comment, a path or a value of the program in one engine and not in another.
fn plain_signs(sql: &str, all: &[SqlToken], engine: &FleetEngine) -> Result<(), SqlError> {
    let is_spark = matches!(engine, FleetEngine::Spark(_) | FleetEngine::Connect(_));
    let pairs = all.iter().zip(all.iter().skip(1).map(Some).chain([None]));
    for (token, next) in pairs {
        let text = token.text(sql);
        let is_text = matches!(token.kind, SqlTokenKind::Text | SqlTokenKind::Quoted);
        let refused = if text.starts_with('`') {
            Some("` is refused: names of tables and columns need no signs around them")
        } else if text.starts_with('[') && text.contains(['\'', '"', '(', '-', '/']) {
            Some(
                "brackets with more than a name or numbers in them are refused: write it without a list",
            )
        } else if !is_text && text.contains('$') {
            Some("$ is refused: write a text in apostrophes")
        } else if is_text && is_spark && text.contains(['\\', '$']) {
            Some(
                "\\ and $ in a text are refused: Spark reads the one as an escape, and the other as a name of a setting",
            )
        } else if text.eq_ignore_ascii_case("using")
            && next.is_some_and(|it| matches!(it.kind, SqlTokenKind::Text | SqlTokenKind::Quoted))
        {
            Some(
                "USING with a text is refused: it starts a program; a question only reads the dataset",
            )
        } else if token.kind == SqlTokenKind::Word && is_prefix(token, next) {
            Some(
                "a word right before an apostrophe is refused: it changes what the text means; put a blank between them",
            )
        } else {
            None
        };
        if let Some(refused) = refused {
            return Err(SqlError::in_question(refused, sql, token.range.start));
        }
    }
    Ok(())
}

/// Whether a text begins right behind a word, as in `E'\n'`.
fn is_prefix(word: &SqlToken, next: Option<&SqlToken>) -> bool {
    next.is_some_and(|it| it.kind == SqlTokenKind::Text && it.range.start == word.range.end)
}

fn without_comments(sql: &str) -> String {
    let mut text = sql.to_owned();
    let comments = tokens(sql).into_iter();
    for comment in comments.filter(|it| it.kind == SqlTokenKind::Comment) {
        let blanks = comment.text(sql).chars();
        let blanks: String = blanks
            .flat_map(|it| match it {
                '\n' => vec!['\n'],
                other => vec![' '; other.len_utf8()],
            })
            .collect();
        text.replace_range(comment.range, &blanks);
    }
    text
}

/// Refuses names of tables that a dataset has not: engines do not know what was meant.
fn known_tables(sql: &str, all: &[SqlToken]) -> Result<(), SqlError> {
    let names = FromNames { sql, all };
    for (at, token) in all.iter().enumerate().filter(|it| names.is_table(it.0)) {
        let name = token.text(sql);
        if tables().any(|it| it.name.eq_ignore_ascii_case(name)) || names.is_own(name) {
            continue;
        }
        let known: Vec<&str> = tables().map(|it| it.name).collect();
        let near = nearest_name(name, known.iter().copied());
        let near = near.map_or_else(|| ".".to_owned(), |it| format!("; did you mean {it}?"));
        let text = format!(
            "there is no table “{name}” in a dataset{near} There are {}",
            known.join(", ")
        );
        let start = all.get(at).map_or(0, |it| it.range.start);
        return Err(SqlError::in_question(text, sql, start));
    }
    Ok(())
}

/// The words of a question, of which some name tables.
struct FromNames<'a> {
    sql: &'a str,
    all: &'a [SqlToken],
}

impl FromNames<'_> {
    fn word(&self, at: usize) -> &str {
        self.all.get(at).map_or("", |it| it.text(self.sql))
    }

    fn is(&self, at: usize, text: &str) -> bool {
        self.word(at).eq_ignore_ascii_case(text)
    }

    /// Whether a table alone can stand at a place: right behind FROM or JOIN. What engines know besides, such as tables of
    /// other schemas and functions, and `IS DISTINCT FROM x` and `extract(year FROM ts)`, are none.
    fn is_table(&self, at: usize) -> bool {
        let is_word = self
            .all
            .get(at)
            .is_some_and(|it| it.kind == SqlTokenKind::Word);
        let Some(before) = at.checked_sub(1).filter(|_| is_word) else {
            return false;
        };
        let is_behind =
            self.is(before, "join") || (self.is(before, "from") && !self.is_distinct(before));
        let word = self.word(at);
        let is_keyword = KEYWORDS.iter().any(|it| it.eq_ignore_ascii_case(word));
        // DATE '2026-01-02' is a value.
        let is_value = self
            .all
            .get(at + 1)
            .is_some_and(|it| it.kind == SqlTokenKind::Text);
        is_behind
            && !is_keyword
            && !is_value
            && !["(", ")", "."].contains(&self.word(at + 1))
            && !self.is(at, "lateral")
    }

    fn is_distinct(&self, from: usize) -> bool {
        from.checked_sub(1)
            .is_some_and(|it| self.is(it, "distinct"))
    }

    /// Whether the question itself has a table of this name, by WITH.
    fn is_own(&self, name: &str) -> bool {
        let mut places = (0..self.all.len()).filter(|at| self.is(*at, name));
        places.any(|at| {
            (self.is(at + 1, "as") && self.word(at + 2) == "(") || self.word(at + 1) == "("
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SPARK: FleetEngine = FleetEngine::Spark(None);

    #[test]
    fn questions_reach_engines_without_comments() {
        let sql = "WITH t AS (SELECT 'it''s -- no comment' AS a) -- ${env:HOME}\r; COPY x\nSELECT * FROM t, spans /* ä */;";
        let sent = checked(sql, &FleetEngine::DuckDb).unwrap();
        assert_eq!(sent.len(), sql.len());
        assert!(!sent.contains("HOME") && !sent.contains("COPY") && !sent.contains('ä'));
        assert!(sent.contains("'it''s -- no comment'") && sent.ends_with(';'));
        for fine in [
            "SELECT load, \"update\" FROM (SELECT 1 AS load, 2 AS \"update\") x",
            "(SELECT 1 AS a) UNION ALL SELECT 2",
            "SELECT extract(year FROM ts) AS y FROM spans",
            "SELECT extract(YEAR FROM DATE '2020-01-02') AS y FROM spans",
            "SELECT a.id FROM spans a JOIN spans b USING (id) WHERE a.name IS DISTINCT FROM b.name",
            "SELECT trim(both 'a' FROM a.name) AS n FROM spans a",
            "SELECT * FROM information_schema.tables",
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n",
            "SELECT 1 AS \"a/b\", 2 AS identifier, 3 AS reflect",
            "SELECT transform(array(1, 2), x -> x + 1) AS t",
            "SELECT count(*) AS n FROM spans AS s JOIN spans AS t USING (id)",
        ] {
            for engine in [FleetEngine::DuckDb, FleetEngine::DataFusion, SPARK] {
                checked(fine, &engine).unwrap_or_else(|error| panic!("{fine}: {error}"));
            }
        }
    }

    #[test]
    fn what_an_engine_would_read_differently_is_refused() {
        let refused =
            |sql: &str, engine: &FleetEngine| checked(sql, engine).unwrap_err().to_string();
        for (sql, words) in [
            ("SELECT $$'$$; COPY (SELECT 1) TO 'x' -- '", "$ is refused"),
            ("SELECT $a$'$a$ AS x", "$ is refused"),
            ("SELECT [1, (SELECT 1 FROM 'x')]", "brackets"),
            ("SELECT ['a]', (SELECT 1 FROM 'x')]", "brackets"),
            (
                "SELECT E'\\''; COPY (SELECT 1) TO 'x' -- '",
                "right before an apostrophe",
            ),
            ("SELECT E'\\'' || 'x'", "right before an apostrophe"),
            ("SELECT * FROM `/etc/passwd`", "` is refused"),
            (
                "WITH t AS (SELECT 1 AS a) INSERT INTO spans SELECT 1",
                "INSERT is refused",
            ),
            ("DROP TABLE spans", "only reads"),
            ("", "only reads"),
            ("SELECT 1; SELECT 2", "one question at a time"),
            ("SELECT * FROM span", "did you mean spans?"),
            (
                "SELECT 1 AS a FROM kernels",
                "no table “kernels” in a dataset",
            ),
        ] {
            let told = refused(sql, &FleetEngine::DuckDb);
            assert!(told.contains(words), "{sql}: {told}");
        }
        for sql in [
            "WITH t AS (SELECT '\\'' AS x) INSERT OVERWRITE DIRECTORY 'o' SELECT * FROM t -- '",
            "SELECT '${env:HOME}' AS x",
            "WITH t AS (MAP s.rank USING 'touch x' AS a FROM (SELECT rank FROM captures) s) SELECT a FROM t",
            "SELECT IDENTIFIER('java_method')('java.lang.System', 'getenv', 'HOME') AS home",
            "SELECT * FROM IDENTIFIER('text.x')",
            "SELECT * FROM text.\"/etc/hostname\"",
            "SELECT identifier /* x */ ('a') AS b",
            "SELECT TRANSFORM(rank) USING \"touch x\" AS a FROM captures",
        ] {
            assert!(!refused(sql, &SPARK).is_empty(), "{sql}");
        }
        checked("SELECT 'a\\b' AS x", &FleetEngine::DuckDb).unwrap();
        assert!(refused("SELECT *\nFROM span", &SPARK).starts_with("line 2, character 6"));
    }
}

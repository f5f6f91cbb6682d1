//! Questions that would change something, reach out, or never end.

use super::{rows_within, source};
use crate::{SqlLimits, StopReason};
use std::time::Duration;

/// Refused before they run, each with a word of the reason.
const REFUSED: &[(&str, &str)] = &[
    ("ATTACH DATABASE '/tmp/x.db' AS x", "ATTACH"),
    ("ATTACH ':memory:' AS x", "ATTACH"),
    ("DETACH main", "ATTACH"),
    ("CREATE TABLE t(a)", "switched off"),
    ("CREATE TABLE t AS SELECT * FROM spans", "switched off"),
    ("CREATE TEMP TABLE t(a)", "switched off"),
    ("CREATE VIEW v AS SELECT 1", "switched off"),
    ("CREATE TEMP VIEW v AS SELECT 1", "switched off"),
    ("CREATE INDEX i ON spans(id)", "switched off"),
    (
        "CREATE TRIGGER t AFTER INSERT ON spans BEGIN SELECT 1; END",
        "switched off",
    ),
    ("CREATE VIRTUAL TABLE t USING fts5(a)", "switched off"),
    ("CREATE VIRTUAL TABLE t USING spans", "switched off"),
    ("DROP TABLE spans", "switched off"),
    ("ALTER TABLE spans RENAME TO x", "switched off"),
    ("INSERT INTO spans(id) VALUES (1)", "switched off"),
    ("UPDATE spans SET ts = 0", "switched off"),
    ("DELETE FROM spans", "switched off"),
    ("REPLACE INTO spans(id) VALUES (1)", "switched off"),
    (
        "INSERT INTO sqlite_master VALUES (1, 2, 3, 4, 5)",
        "switched off",
    ),
    ("DELETE FROM sqlite_master", "switched off"),
    ("PRAGMA query_only = 0", "PRAGMA"),
    ("PRAGMA writable_schema = 1", "PRAGMA"),
    ("PRAGMA temp_store_directory = '/tmp'", "PRAGMA"),
    ("PRAGMA hard_heap_limit = 1", "PRAGMA"),
    ("SELECT * FROM pragma_database_list", ""),
    ("VACUUM", "VACUUM is switched off"),
    ("VACUUM INTO '/tmp/stolen.db'", "VACUUM is switched off"),
    ("ANALYZE", "switched off"),
    ("REINDEX", "REINDEX is switched off"),
    ("BEGIN", "transactions"),
    ("COMMIT", "transactions"),
    ("ROLLBACK", "transactions"),
    ("SAVEPOINT a", "transactions"),
    ("SELECT load_extension('/tmp/x.so')", "load_extension"),
    ("SELECT readfile('/etc/passwd')", "readfile"),
    ("SELECT writefile('/tmp/x', 'y')", "writefile"),
    ("SELECT edit('a', 'vi')", "edit"),
    ("SELECT json_patch('{}', '{}')", "json_patch"),
    ("SELECT fts3_tokenizer('simple')", "fts3_tokenizer"),
    ("SELECT * FROM '/etc/passwd'", "no table"),
    ("SELECT 1; DROP TABLE spans", "switched off"),
    ("SELECT 1; SELECT 2", "one question"),
    ("SELECT id FROM spans WHERE id = ?", "value"),
    ("SELECT :name", "value"),
    ("", "no question"),
    ("-- only a comment", "no question"),
    (";", "no question"),
    ("SELECT 1 \0 FROM spans", "character"),
    ("SELECT zeroblob(2000000000)", "too"),
    ("SELECT printf('%1000000000d', 1)", "too"),
];

/// Cut off while they run.
const ENDLESS: &[&str] = &[
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n",
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n WHERE i < 0",
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION SELECT i + 1 FROM n) SELECT count(*) FROM n",
    "SELECT count(*) FROM spans a, spans b, spans c, spans d, spans e",
    "SELECT count(*) FROM spans a JOIN spans b ON a.ts < b.ts JOIN spans c ON b.ts < c.ts JOIN spans d ON c.ts < d.ts",
    "SELECT sum(a.dur * b.dur) FROM spans a, spans b, spans c, spans d WHERE a.name LIKE '%m%' AND b.name LIKE '%e%'",
    "SELECT count(*) FROM (SELECT DISTINCT a.id, b.id, c.id, d.id FROM spans a, spans b, spans c, spans d)",
    "WITH RECURSIVE t(s) AS (SELECT 'x' UNION ALL SELECT s || s FROM t WHERE length(s) < 20000000) \
     SELECT count(*) FROM t a, t b, t c, t d, t e, t f, t g, t h",
    "SELECT group_concat(a.name || b.name || c.name || d.name) FROM spans a, spans b, spans c, spans d",
    "SELECT a.id FROM spans a, spans b, spans c, spans d ORDER BY random()",
];

#[test]
fn what_would_change_or_reach_out_is_refused_with_words() {
    let source = source(8);
    for (sql, word) in REFUSED {
        let answer = rows_within(&source, sql, SqlLimits::default());
        let error = answer.expect_err(sql).to_string();
        assert!(error.contains(word), "{sql}: {error}");
        assert!(error.len() > 15, "{sql}: {error}");
    }
    assert!(REFUSED.len() + ENDLESS.len() >= 50);
}

/// Each with the part that the place of its error begins with; the end where that is empty.
const PLACED: &[(&str, &str)] = &[
    ("SELECT id FROM spans WHERE id = ? LIMIT 1", "? LIMIT"),
    ("SELECT 1,\n  :name", ":name"),
    (
        "SELECT id FROM spans\nWHERE load_extension('x')",
        "load_ext",
    ),
    (
        "WITH t AS (SELECT replace('a', 'b', 'c'))\nDELETE FROM spans",
        "DELETE",
    ),
    (" DROP TABLE spans", "DROP"),
    ("PRAGMA query_only = 0", "PRAGMA"),
    ("SELECT 1; SELECT 2", "SELECT 2"),
    ("SELECT (1 + 2 \n", ""),
    ("SELECT 1 UNION SELECT 1, 2", "UNION"),
    ("SELECT id FROM spans ORDER BY 9", "ORDER BY"),
    ("SELECT 1, total(1, 2)", "total("),
    ("WITH a AS (SELECT * FROM a) SELECT * FROM a", "a AS"),
    ("SELECT 1; DROP TABLE spans", "DROP"),
    ("SELECT 1 AS edit, edit(1, 2) AS b", "edit(1"),
    ("SELECT id FROM 'spanz'", "'spanz'"),
    ("SELECT id FROM [spanz]", "[spanz]"),
    ("SELECT s.id FROM spans s JOIN gaps g USING (id)", "USING"),
    ("SELECT sum(dur) OVER w FROM spans", "w FROM"),
    ("SELECT (SELECT id, ts FROM spans)", "(SELECT id"),
    ("WITH a(x, y) AS (SELECT 1) SELECT * FROM a", "a(x"),
    ("SELECT id FROM spans LIMIT 'x'", "LIMIT"),
    ("SELECT 'a' LIKE 'b' ESCAPE 'abc'", "ESCAPE"),
    ("SELECT 1 /* open", "/*"),
    ("SELECT t.name FROM spans s", "t.name"),
];

#[test]
fn an_error_names_its_place() {
    let source = source(4);
    for (sql, part) in PLACED {
        let answer = rows_within(&source, sql, SqlLimits::default());
        let error = answer.expect_err(sql);
        let wanted = match *part {
            "" => sql.trim_end().len(),
            part => sql.find(part).expect("the part is one of the question"),
        };
        assert_eq!(error.offset, Some(wanted), "{sql}: {error}");
    }
}

/// A wrong place is worse than none.
#[test]
fn an_error_that_may_be_at_several_places_names_none() {
    let source = source(4);
    for sql in [
        "SELECT 1 AS a UNION SELECT 2 AS a UNION\nSELECT 3, 4",
        "SELECT * FROM (SELECT 1 UNION SELECT 2), (SELECT 1 UNION ALL SELECT 2, 3)",
    ] {
        let answer = rows_within(&source, sql, SqlLimits::default());
        assert_eq!(answer.expect_err(sql).offset, None, "{sql}");
    }
    let told = super::error("SELECT t.name FROM (SELECT id FROM spans) t");
    assert!(told.contains("has none of that name"), "{told}");
    let told = super::error("SELECT t.name FROM spans s");
    assert!(
        told.contains("no table of the question is called “t”"),
        "{told}"
    );
}

#[test]
fn what_never_ends_is_cut_off() {
    let source = source(80);
    let limits = SqlLimits {
        time: Duration::from_millis(300),
        memory: 200_000_000,
        rows: 1_000,
    };
    for sql in ENDLESS {
        let (summary, rows) = match rows_within(&source, sql, limits) {
            Ok(answer) => answer,
            // A text that grows beyond the longest is refused instead.
            Err(error) if error.to_string().contains("too long") => continue,
            Err(error) => panic!("{sql}: {error}"),
        };
        assert!(
            matches!(
                summary.cut,
                Some(StopReason::Time(_) | StopReason::Memory(_))
            ),
            "{sql}: {summary:?} {rows:?}"
        );
    }
}

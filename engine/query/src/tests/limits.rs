//! Limits, cancelling, and what is wrong with a question.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;

use super::{error, rows_within, source};
use crate::{SqlLimits, SqlWatch, StopReason, ask};

#[test]
fn rows_beyond_the_limit_are_cut_and_said() {
    let source = source(20);
    let limits = |rows| SqlLimits {
        rows,
        ..SqlLimits::default()
    };
    let (summary, rows) = rows_within(&source, "SELECT id FROM spans", limits(10)).unwrap();
    assert_eq!((summary.cut, rows.len()), (Some(StopReason::Rows(10)), 10));
    // Exactly as many as there may be is all of them.
    let (summary, _) = rows_within(&source, "SELECT id FROM spans LIMIT 10", limits(10)).unwrap();
    assert_eq!(summary.cut, None);
}

#[test]
fn memory_of_sorting_and_of_tables_is_limited() {
    let source = source(20);
    let limits = SqlLimits {
        memory: 3_000_000,
        time: Duration::from_mins(10),
        ..SqlLimits::default()
    };
    let sql = "SELECT a.id, b.id, c.id FROM spans a, spans b, spans c ORDER BY a.name || b.name || c.name";
    let (summary, rows) = rows_within(&source, sql, limits).unwrap();
    assert_eq!(
        (summary.cut, rows.len()),
        (Some(StopReason::Memory(3_000_000)), 0)
    );
}

#[test]
fn a_question_ends_when_it_is_cancelled_and_the_next_is_answered() {
    let source = source(60);
    let watch = Arc::new(SqlWatch::default());
    let endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n";
    let other = Arc::clone(&watch);
    let limits = SqlLimits {
        rows: u64::MAX,
        time: Duration::from_mins(10),
        ..SqlLimits::default()
    };
    let mut seen = 0;
    let summary = ask(&source, endless, (limits, &watch), &mut |_, _| {
        seen += 1;
        if seen == 100 {
            other.cancel();
        }
        ControlFlow::Continue(())
    });
    assert_eq!(summary.unwrap().cut, Some(StopReason::Cancelled));
    // Cancelled before it begins, it makes no table; and the table is made for the next.
    let (_, rows) =
        rows_within(&source, "SELECT count(*) FROM waits", SqlLimits::default()).unwrap();
    assert_ne!(rows, [["0"]]);
}

#[test]
fn the_sink_ends_a_question() {
    let (source, watch) = (source(20), Arc::new(SqlWatch::default()));
    let summary = ask(
        &source,
        "SELECT id FROM spans",
        (SqlLimits::default(), &watch),
        &mut |_, _| ControlFlow::Break(()),
    );
    let summary = summary.unwrap();
    assert_eq!(
        (summary.rows, summary.cut),
        (1, Some(StopReason::Cancelled))
    );
    assert!(watch.rows() > 0 || summary.rows == 1);
}

#[test]
fn errors_name_the_place_and_what_was_meant() {
    let cases = [
        (
            "SELECT nme FROM spans",
            "line 1, character 8: there is no column “nme”; did you mean name?",
        ),
        (
            "SELECT *\nFROM span",
            "line 2, character 6: there is no table “span”; did you mean spans?",
        ),
        (
            "SELECT s.duration FROM spans s",
            "there is no column “s.duration”; did you mean dur?",
        ),
        (
            "SELECT id FROM spans WHERE name = \"gemm\"",
            "a text stands in apostrophes: 'gemm'",
        ),
        (
            "SELECT s.foo FROM spans s",
            "there is no column “s.foo”; spans has id, lane_id, lane, kind, name",
        ),
        (
            "SELECT s.id FROM spans s JOIN lanes l ON l.id = s.lane_id",
            "line 1, character 42: there is no column “l.id”; lanes has lane_id,",
        ),
        (
            "SELECT a.key FROM spans s JOIN arguments AS a ON a.span_id = s.id",
            "line 1, character 8: there is no column “a.key”; did you mean name?",
        ),
        (
            "SELECT 1 AS a FROM kernel",
            "did you mean kernels? There are spans",
        ),
        (
            "SELECT reason FROM spans",
            "it is one of gaps, critical_path",
        ),
        (
            "SELECT cout(*) FROM spans",
            "there is no function “cout”; did you mean count?",
        ),
        ("SELECT id FROM spans WHERE", "breaks off"),
        (
            "SELEC id FROM spans",
            "line 1, character 1: “SELEC” cannot stand here",
        ),
        (
            "SELECT id,, ts FROM spans",
            "line 1, character 11: “,” cannot stand here",
        ),
        (
            "SELECT id FROM spans a, spans b",
            "several tables of the question have a column “id”",
        ),
        (
            "SELECT 1;\n\n  SELECT 2",
            "line 3, character 3: ask one question at a time",
        ),
        (
            "SELECT sum(9223372036854775807) FROM spans",
            "larger than 2^63",
        ),
        ("SELECT ä FROM spans", "there is no column “ä”"),
    ];
    for (sql, expected) in cases {
        let found = error(sql);
        assert!(found.contains(expected), "{sql}\n{found}");
    }
}

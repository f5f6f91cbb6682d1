//! Questions with files in the place of tables, and questions without.

use super::*;
use query::tokens;

fn check(sql: &str) -> Result<(), SqlError> {
    refuse_files(sql, &tokens(sql))
}

#[test]
fn files_are_refused_wherever_a_table_may_stand() {
    for sql in [
        "SELECT * FROM 'd/spans/run=b/rank=2/part-0.parquet'",
        "SELECT * FROM \"part-0.parquet\"",
        "SELECT * FROM \"d/x\" AS t",
        "SELECT * FROM text.\"/etc/hostname\"",
        "SELECT * FROM spans, 'x.parquet'",
        "SELECT * FROM spans s JOIN 'x.parquet' t USING (id)",
        "SELECT * FROM (spans JOIN read_parquet('x') USING (id))",
        "SELECT * FROM read_parquet('x')",
        "SELECT * FROM spans, glob('*')",
        "SELECT (SELECT count(*) FROM parquet_metadata('x'))",
        "WITH t AS (FROM 'x') SELECT * FROM t",
        "WITH t AS (SUMMARIZE 'x') SELECT * FROM t",
        "SELECT * FROM (PIVOT 'x' ON a)",
        "SELECT id FROM spans WHERE id IN (SELECT id FROM 'x') ORDER BY id",
        "SELECT 1 UNION SELECT id FROM spans LEFT JOIN query('x') ON 1 = 1",
        "SELECT * FROM query_table('x')",
        "WITH t AS (WITH u AS (SELECT 1) FROM 'x') SELECT * FROM t",
        "WITH t AS (TABLE 'x') SELECT * FROM t",
        "SELECT extract(year FROM (SELECT ts FROM 'x'))",
        "SELECT * FROM (SELECT 1) a, 'x'",
        "SELECT * FROM spans, LATERAL read_text('x')",
    ] {
        let told = check(sql).expect_err(sql).to_string();
        assert!(told.contains("refused"), "{sql}: {told}");
    }
}

#[test]
fn what_reads_no_file_is_not_refused() {
    for sql in [
        "SELECT trim(both 'a' FROM 'abc') AS a, substring('abc' FROM 2) AS b FROM spans",
        "SELECT a.id FROM spans a JOIN spans b ON a.kind = 'kernel' AND b.kind IN ('a', 'b') WHERE a.name = 'x/y'",
        "SELECT 1 IS DISTINCT FROM 'x' AS a",
        "SELECT * FROM unnest([1, 2]) AS t, range(3) AS u",
        "SELECT \"a/b\" FROM (SELECT 1 AS \"a/b\") t",
        "SELECT count(*) FROM spans s, lanes l WHERE s.lane_id = l.lane_id AND coalesce(s.name, 'x') <> 'y'",
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n",
        "WITH p AS (SELECT 'kernel' AS k) SELECT kind FROM spans, p WHERE kind = k",
        "SELECT sum(dur) FILTER (WHERE kind = 'x') FROM spans GROUP BY lane ORDER BY max(ts), 'x'",
        "SELECT * FROM spans a JOIN (SELECT 'x' AS y) b ON b.y = a.name",
        "SELECT * FROM (VALUES (1, 'a'), (2, 'b')) t",
    ] {
        check(sql).unwrap_or_else(|error| panic!("{sql}: {error}"));
    }
}

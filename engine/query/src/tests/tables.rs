//! What the tables hold, against the capture itself.

use super::{rows, sample, source};
use crate::column::ColumnValues;
use crate::guard::{QueryGuard, SqlLimits, SqlWatch};
use crate::schema::{SqlType, TABLES, TableId};
use analysis::causes::{Causes, IdleUse};
use record::Value;
use std::sync::Arc;

#[test]
fn every_table_has_the_columns_of_its_schema_and_types() {
    for rounds in [0, 40] {
        let source = source(rounds);
        let guard = QueryGuard::new(SqlLimits::default(), Arc::new(SqlWatch::default()));
        for (place, table) in TABLES.iter().enumerate() {
            let made = source.table(TableId(place), u64::MAX, &guard).unwrap();
            assert_eq!(made.columns.len(), table.columns.len(), "{}", table.name);
            for (data, column) in made.columns.iter().zip(table.columns) {
                let holds = match data.values() {
                    ColumnValues::Integers(all) => (all.len(), SqlType::Integer),
                    ColumnValues::Numbers(all) => (all.len(), SqlType::Integer),
                    ColumnValues::Shared(all) => (all.len(), SqlType::Integer),
                    ColumnValues::Reals(all) => (all.len(), SqlType::Real),
                    ColumnValues::Texts(all, _) => (all.len(), SqlType::Text),
                    ColumnValues::Labels(all, _) => (all.len(), SqlType::Text),
                    ColumnValues::Same(None) => continue,
                    ColumnValues::Same(Some(Value::Integer(_))) => (made.len, SqlType::Integer),
                    ColumnValues::Same(Some(Value::Number(_))) => (made.len, SqlType::Real),
                    ColumnValues::Same(Some(Value::Text(_))) => (made.len, SqlType::Text),
                };
                assert_eq!(
                    holds,
                    (made.len, column.holds),
                    "{}.{}",
                    table.name,
                    column.name
                );
            }
            let sql = format!(
                "SELECT count(*), count(run), count(rank) FROM {}",
                table.name
            );
            let count = made.len.to_string();
            assert_eq!(rows(&source, &sql), [[count.as_str(); 3]], "{}", table.name);
        }
    }
}

#[test]
fn spans_are_those_of_the_capture_and_what_still_runs() {
    let (source, capture) = (source(60), sample(60));
    let found = rows(
        &source,
        "SELECT id, lane, kind, name, ts, dur, enqueued, depth FROM spans WHERE state <> 'running'",
    );
    assert_eq!(found.len(), capture.span_count());
    for (row, placed) in found.iter().zip(capture.spans()) {
        let span = placed.span;
        let expected = [
            span.id.0.to_string(),
            capture.lane(span.lane).unwrap().name.clone(),
            span.kind.label().to_owned(),
            capture.name(span.name).to_owned(),
            span.start.0.to_string(),
            (span.end - span.start).0.to_string(),
            span.enqueued.0.to_string(),
            placed.depth.to_string(),
        ];
        assert_eq!(row[..], expected);
    }
    let running = rows(
        &source,
        "SELECT id, state FROM spans WHERE state = 'running'",
    );
    assert_eq!(
        running,
        [[capture.span_count().to_string(), "running".to_owned()]]
    );
}

#[test]
fn equal_names_of_different_numbers_are_one_name() {
    let source = source(60);
    let groups = rows(
        &source,
        "SELECT name, count(*) FROM spans WHERE name = 'gemm' GROUP BY name",
    );
    let all = rows(&source, "SELECT count(*) FROM spans WHERE +name = 'gemm'");
    assert_eq!(groups, [["gemm".to_owned(), all[0][0].clone()]]);
    let joined = rows(
        &source,
        "SELECT count(*) FROM spans s JOIN names n ON n.name_id = s.name_id WHERE n.name = s.name",
    );
    assert_eq!(joined, rows(&source, "SELECT count(*) FROM spans"));
}

#[test]
fn what_is_launched_belongs_to_the_step_of_its_call() {
    let source = source(60);
    let steps = rows(&source, "SELECT step, name FROM steps ORDER BY step");
    assert_eq!(steps, [["1", "step 1"], ["2", "step 2"], ["3", "step 3"]]);
    let odd = "SELECT count(*) FROM spans k JOIN spans c ON c.id = k.launch_id JOIN steps t ON t.step = k.step \
               WHERE c.ts < t.ts OR c.ts >= t.ts + t.dur";
    assert_eq!(rows(&source, odd), [["0"]]);
    let count = rows(
        &source,
        "SELECT count(*) FROM spans WHERE launch_id IS NOT NULL AND step IS NOT NULL",
    );
    assert_eq!(count, [["180"]]);
}

#[test]
fn gaps_add_up_to_idle_time_by_reason_and_do_not_overlap() {
    let (source, capture) = (source(200), sample(200));
    let causes = Causes::build(&capture);
    let reader = causes.read(&capture);
    for lane in reader.streams() {
        let time = reader.idle(lane, causes.extent());
        for what in IdleUse::ALL {
            let word = match what {
                IdleUse::HostLate => "host",
                IdleUse::HostBlocked => "host_sync",
                IdleUse::Busy | IdleUse::OtherRanks => continue,
                other => other.label(),
            };
            let sql = format!(
                "SELECT total(dur) FROM gaps WHERE lane_id = {} AND reason = '{word}'",
                lane.0
            );
            let expected = format!("{:?}", what.of(&time).0 as f64);
            assert_eq!(rows(&source, &sql), [[expected]], "{word}");
        }
    }
    assert_ne!(
        rows(
            &source,
            "SELECT count(*) FROM gaps WHERE reason = 'host_sync'"
        ),
        [["0"]]
    );
    let overlapping = "SELECT count(*) FROM (SELECT ts - lag(ts + dur) OVER (PARTITION BY lane_id ORDER BY ts) AS ns FROM gaps) \
                       WHERE ns < 0";
    assert_eq!(rows(&source, overlapping), [["0"]]);
    let running = "SELECT count(*) FROM gaps g JOIN spans s ON s.lane_id = g.lane_id AND s.ts < g.ts + g.dur AND g.ts < s.ts + s.dur \
                   WHERE s.state <> 'running'";
    assert_eq!(rows(&source, running), [["0"]]);
}

#[test]
fn the_critical_path_has_no_gap_and_kernels_sum_up() {
    let source = source(100);
    let path = rows(
        &source,
        "SELECT min(ts), max(ts + dur) - min(ts) - sum(dur), count(*) FROM critical_path",
    );
    assert_eq!(path[0][1], "0");
    let by_table = "SELECT name, kind, lane, times, total_ns, least_ns, most_ns FROM kernels ORDER BY name, kind, lane";
    let by_sum = "SELECT s.name, s.kind, s.lane, count(*), sum(s.dur), min(s.dur), max(s.dur) FROM spans s \
                  JOIN lanes l ON l.lane_id = s.lane_id WHERE l.grp = 'streams' AND s.state <> 'running' \
                  GROUP BY s.name, s.kind, s.lane ORDER BY s.name, s.kind, s.lane";
    assert_eq!(rows(&source, by_table), rows(&source, by_sum));
    let median = "WITH p AS (SELECT name, lane_id, dur, row_number() OVER (PARTITION BY name, kind, lane_id ORDER BY dur) AS r, \
                  count(*) OVER (PARTITION BY name, kind, lane_id) AS n FROM spans WHERE state <> 'running') \
                  SELECT count(*) FROM kernels k JOIN p ON p.name = k.name AND p.lane_id = k.lane_id \
                  WHERE p.dur = k.p50_ns AND p.r * 2 >= p.n AND (p.r - 1) * 2 < p.n";
    assert_eq!(
        rows(&source, median),
        rows(&source, "SELECT count(*) FROM kernels")
    );
}

#[test]
fn arguments_bytes_and_collectives_are_found() {
    let source = source(100);
    let of_uploads = rows(
        &source,
        "SELECT sum(bytes), count(bytes) FROM spans WHERE kind = 'upload'",
    );
    assert_eq!(
        of_uploads,
        rows(
            &source,
            "SELECT sum(whole), count(whole) FROM arguments WHERE name = 'bytes'"
        )
    );
    let values = rows(
        &source,
        "SELECT DISTINCT name, whole, decimal, text FROM arguments WHERE name = 'note' ORDER BY text",
    );
    assert_eq!(
        values,
        [
            ["note", "NULL", "0.5", "NULL"],
            ["note", "NULL", "NULL", "ü"]
        ]
    );
    let parts = rows(
        &source,
        "SELECT count(*), min(number), max(number) + 1 FROM collectives",
    );
    let kernels = rows(
        &source,
        "SELECT count(*) FROM spans WHERE name LIKE 'nccl%'",
    );
    assert_eq!(
        parts,
        [[kernels[0][0].as_str(), "0", kernels[0][0].as_str()]]
    );
    let tied = rows(
        &source,
        "SELECT count(*) FROM spans s JOIN collectives c ON c.span_id = s.id AND c.number = s.collective",
    );
    assert_eq!(tied, kernels);
}

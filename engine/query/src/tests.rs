//! Questions over a capture of known content.

mod bundled;
mod hostile;
mod limits;
mod pushdown;
mod tables;

use std::ops::ControlFlow;
use std::sync::Arc;

use crate::{QuerySource, SqlError, SqlLimits, SqlSummary, SqlWatch, ask};
use capture::Capture;
use record::time::Nanos;
use record::{
    Basis, CallId, Counter, CounterId, Dependency, DependencyKind, Device, DeviceId, EventId,
    Group, Lane, LaneId, NameId, Record, Role, Sample, Span, SpanId, SpanKind, SpanStart, State,
    Value,
};

/// Numbers that look random and are the same each time.
pub struct Chance(u64);

impl Chance {
    pub fn below(&mut self, limit: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit
    }
}

const NAMES: &[&str] = &[
    "gemm",
    "cudaLaunchKernel",
    "memcpy",
    "step 1",
    "step 2",
    "step 3",
    "ncclDevKernel_AllReduce_Sum",
    "gemm",
    "Ä name",
    "cudaStreamSynchronize",
];

fn lane(id: u32, name: &str, group: Group) -> Record {
    Record::Lane(Box::new(Lane {
        id: LaneId(id),
        group,
        device: (group == Group::Streams).then_some(DeviceId(0)),
        role: Role::None,
        name: name.to_owned(),
        order: id as i32,
        process: "".into(),
        thread: "".into(),
    }))
}

/// The device, the lanes and the names.
fn heads() -> Vec<Record> {
    let mut records = vec![
        Record::Device(Box::new(Device {
            id: DeviceId(0),
            name: "test device".to_owned(),
            backend: "mock".to_owned(),
            detail: String::new(),
            paced: None,
            rank: None,
        })),
        lane(0, "main", Group::Host),
        lane(1, "stream 7", Group::Streams),
        lane(2, "stream 8", Group::Streams),
    ];
    let names = NAMES.iter().zip(0..);
    records.extend(names.map(|(text, id)| Record::Name(NameId(id), (*text).into())));
    records.push(Record::Name(NameId(20), "bytes".into()));
    records.push(Record::Name(NameId(21), "note".into()));
    records
}

/// A counter of memory.
fn samples() -> Vec<Record> {
    let mut records = vec![Record::Counter(Box::new(Counter {
        id: CounterId(0),
        name: "memory".to_owned(),
        unit: "bytes".to_owned(),
        device: Some(DeviceId(0)),
    }))];
    records.extend((0..20).map(|at| {
        Record::Sample(Sample {
            counter: CounterId(0),
            time: Nanos(at * 1_000),
            value: (at % 7) as f64 * 1.5,
        })
    }));
    records
}

/// A host thread that submits kernels, copies and collective operations to two streams, in three steps.
pub fn sample(rounds: u32) -> Capture {
    let mut chance = Chance(7);
    let mut records = heads();
    let mut next = 0;
    let mut span =
        |records: &mut Vec<Record>, lane: u32, name: u32, kind, (enqueued, start, end)| {
            let id = SpanId(next);
            next += 1;
            records.push(Record::Span(Span {
                id,
                lane: LaneId(lane),
                name: NameId(name),
                call: CallId::NONE,
                kind,
                state: if name == 2 && id.0 % 50 == 3 {
                    State::Failed
                } else {
                    State::Done
                },
                enqueued: Nanos(enqueued),
                start: Nanos(start),
                end: Nanos(end),
            }));
            id
        };
    let (mut host, mut streams) = (0_i64, [0_i64; 2]);
    for step in 0..3 {
        let began = host;
        for round in 0..rounds {
            let called = host + 200 + chance.below(3_000) as i64;
            host = called + 500 + chance.below(1_500) as i64;
            let call = span(&mut records, 0, 1, SpanKind::Call, (called, called, host));
            let on = chance.below(2) as usize;
            let (name, kind) = match chance.below(8) {
                0 => (2, SpanKind::Upload),
                1 => (6, SpanKind::Kernel),
                2 => (7, SpanKind::Kernel),
                3 => (8, SpanKind::Kernel),
                _ => (0, SpanKind::Kernel),
            };
            let start = (host + 100 + chance.below(4_000) as i64).max(streams[on]);
            let end = start + chance.below(5_000) as i64;
            streams[on] = end;
            let work = span(
                &mut records,
                on as u32 + 1,
                name,
                kind,
                (called, start, end),
            );
            records.push(Record::Dependency(Dependency::submission(call, work)));
            if kind == SpanKind::Upload {
                let bytes = Value::Integer(chance.below(1 << 20) as i64);
                records.push(Record::Argument(work, NameId(20), bytes));
                records.push(Record::Argument(work, NameId(21), Value::Number(0.5)));
                records.push(Record::Argument(work, NameId(21), Value::Text("ü".into())));
            }
            if round % 16 == 15 {
                let end = streams[0].max(streams[1]).max(host) + 300;
                let wait = span(&mut records, 0, 9, SpanKind::Synchronize, (host, host, end));
                records.push(Record::Dependency(Dependency {
                    cause: work,
                    effect: wait,
                    kind: DependencyKind::Synchronization,
                    basis: Basis::Enforced,
                    event: EventId::NONE,
                    generation: 0,
                }));
                host = end;
            }
        }
        span(
            &mut records,
            0,
            3 + step,
            SpanKind::Scope,
            (began, began, host),
        );
    }
    records.extend(samples());
    let mut capture = Capture::new();
    capture.apply(records);
    capture.apply([Record::Began(SpanStart {
        id: SpanId(next),
        lane: LaneId(2),
        name: NameId(0),
        kind: SpanKind::Kernel,
        enqueued: Nanos(host),
        start: Nanos(host),
    })]);
    capture
}

pub fn source(rounds: u32) -> Arc<QuerySource> {
    Arc::new(QuerySource::new(Arc::new(sample(rounds)), None))
}

/// The rows of an answer, each value as a text.
pub fn rows_within(
    source: &Arc<QuerySource>,
    sql: &str,
    limits: SqlLimits,
) -> Result<(SqlSummary, Vec<Vec<String>>), SqlError> {
    let mut rows = Vec::new();
    let watch = Arc::new(SqlWatch::default());
    let summary = ask(source, sql, (limits, &watch), &mut |_, row| {
        let text = |value: &Option<Value>| match value {
            None => "NULL".to_owned(),
            Some(Value::Integer(value)) => value.to_string(),
            Some(Value::Number(value)) => format!("{value:?}"),
            Some(Value::Text(value)) => value.to_string(),
        };
        rows.push(row.iter().map(text).collect());
        ControlFlow::Continue(())
    })?;
    Ok((summary, rows))
}

pub fn rows(source: &Arc<QuerySource>, sql: &str) -> Vec<Vec<String>> {
    let answer = rows_within(source, sql, SqlLimits::default());
    let (summary, rows) = answer.unwrap_or_else(|error| panic!("{sql}: {error}"));
    assert_eq!(summary.cut, None, "{sql}");
    rows
}

#[test]
fn columns_that_hold_ids_of_spans_are_known_by_their_table() {
    let source = source(20);
    for (sql, places) in [
        ("SELECT name, id, ts FROM spans", vec![1]),
        (
            "SELECT s.name, s.id AS x, s.launch_id FROM spans s",
            vec![1, 2],
        ),
        (
            "SELECT id, kind, cause_id, effect_id FROM dependencies",
            vec![2, 3],
        ),
        ("SELECT id, severity, span_id FROM findings", vec![2]),
        ("SELECT w.id, w.span_id, w.for_id FROM waits w", vec![1, 2]),
        (
            "SELECT x.id FROM (SELECT id FROM (SELECT * FROM spans)) x",
            vec![0],
        ),
        (
            "WITH d AS (SELECT id FROM dependencies) SELECT id FROM d",
            vec![],
        ),
        (
            "SELECT min(s.id) AS id, max(w.span_id) AS span_id FROM spans s, waits w",
            vec![1],
        ),
        ("SELECT count(*) AS id FROM spans", vec![]),
        ("SELECT lane_id FROM lanes", vec![]),
    ] {
        let (summary, _) = rows_within(&source, sql, SqlLimits::default()).unwrap();
        assert_eq!(summary.span_columns, places, "{sql}");
    }
}

pub fn error(sql: &str) -> String {
    let answer = rows_within(&source(4), sql, SqlLimits::default());
    answer.expect_err(sql).to_string()
}

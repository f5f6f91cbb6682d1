//! What calls of WebGPU's come to that are made in one go: as in a script, nothing settles between two calls of a host
//! thread that does not wait.

use std::collections::BTreeMap;

use engine::record::{Group, Lane, LaneId, Record, SpanId, SpanKind, State, Verdict};
use engine::runner::RecoveryMode;

use super::{backends, lose};

/// What a run came to: what each promise settled with, by its names, and the errors that no scope caught.
struct Came {
    records: Vec<Record>,
    settled: BTreeMap<String, Vec<String>>,
}

impl Came {
    fn of(backend: &str, source: &str) -> Self {
        let (records, outcome) = lose(backend, source, None, RecoveryMode::Stay);
        assert_eq!(
            outcome,
            engine::record::RunOutcome::Finished,
            "{backend}: {source}"
        );
        let mut names = BTreeMap::new();
        for record in &records {
            if let Record::Promise(it) = record {
                names.insert(it.id, it.name.clone());
            }
        }
        let mut settled: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for record in &records {
            if let Record::Settlement(it) = record {
                let sign = if it.verdict == Verdict::Resolved {
                    "+"
                } else {
                    "-"
                };
                let came = format!("{sign}{}", it.value);
                settled
                    .entry(names[&it.promise].clone())
                    .or_default()
                    .push(came);
            }
        }
        Self { records, settled }
    }

    fn with(&self, name: &str) -> Vec<&str> {
        let found = self.settled.get(name);
        found.map_or(Vec::new(), |found| {
            found.iter().map(String::as_str).collect()
        })
    }

    fn uncaught(&self) -> Vec<&str> {
        let problems = self.records.iter().filter_map(|record| match record {
            Record::Problem(it) if it.code == "uncaptured-error" => Some(it.text.as_str()),
            _ => None,
        });
        problems.collect()
    }

    /// How many operations of this kind ran on streams.
    fn ran(&self, kind: SpanKind) -> usize {
        let lanes = self.records.iter().filter_map(|record| match record {
            Record::Lane(lane) if is_stream(lane) => Some(lane.id),
            _ => None,
        });
        let lanes: Vec<LaneId> = lanes.collect();
        let spans = self.records.iter().filter(|record| {
            matches!(record, Record::Span(it)
                if it.kind == kind && it.state == State::Done && lanes.contains(&it.lane))
        });
        spans.count()
    }

    fn settled_by(&self, name: &str) -> SpanId {
        let id = self.records.iter().find_map(|record| match record {
            Record::Promise(it) if it.name == name => Some(it.id),
            _ => None,
        });
        let step = self.records.iter().find_map(|record| match record {
            Record::Settlement(it) if Some(it.promise) == id => Some(it.span),
            _ => None,
        });
        step.unwrap()
    }
}

fn is_stream(lane: &Lane) -> bool {
    lane.group == Group::Streams && lane.role != engine::record::Role::Queue
}

/// How often each program is run: what would depend on who is quicker does not come out the same so often.
const TIMES: usize = 8;

#[test]
fn a_map_that_is_refused_leaves_the_pending_one_as_it_was() {
    for backend in backends() {
        for edition in ["present", "before-2024-07"] {
            let aborted = format!(
                r#"
                buffer "b" f32=64
                promise "p0"; promise "p1"; promise "p2"
                host "main" edition="{edition}" {{
                    map-async "b" promise="p0"
                    map-async "b" promise="p1"
                    work micros=300
                    unmap "b"
                    map-async "b" promise="p2"
                    settle-all
                }}"#
            );
            let awaited = aborted.replace("work micros=300", "settle \"p0\"");
            for _ in 0..TIMES {
                let came = Came::of(backend, &aborted);
                let what = format!("{backend}, {edition}: {:?}", came.settled);
                assert_eq!(came.with("p0"), ["-AbortError"], "{what}");
                assert_eq!(came.with("p1"), ["-OperationError"], "{what}");
                assert_eq!(came.with("p2"), ["+undefined"], "{what}");
            }
            let came = Came::of(backend, &awaited);
            assert_eq!(came.with("p0"), ["+undefined"], "{backend}, {edition}");
            assert_eq!(came.with("p1"), ["-OperationError"], "{backend}, {edition}");
        }
    }
}

#[test]
fn work_on_a_mapped_buffer_is_a_validation_error() {
    let head = r#"
        stream "a"
        buffer "x" f32=64
        buffer "y" f32=64
        graph "g"
        recorded "again"
        promise "map"; promise "before"; promise "scope"; promise "after"
    "#;
    let uses = [
        ("fill \"x\" value=2 on=\"a\"", SpanKind::Fill),
        ("upload \"x\" on=\"a\"", SpanKind::Upload),
        ("download \"x\" on=\"a\"", SpanKind::Download),
        ("copy \"x\" \"y\" on=\"a\"", SpanKind::Copy),
        (
            "launch \"scale\" on=\"a\" { read \"x\"; write \"y\"; set \"a\" 2.0 }",
            SpanKind::Kernel,
        ),
        ("relaunch \"again\" on=\"a\"", SpanKind::Kernel),
        ("replay \"g\" on=\"a\"", SpanKind::Graph),
    ];
    for backend in backends() {
        for (call, kind) in uses {
            for settle in ["", "settle \"map\""] {
                let body = format!(
                    r#"host "main" {{
                        record-launch "again" "scale" {{ read "x"; write "y"; set "a" 2.0 }}
                        begin-capture "a"; fill "x" value=3 on="a"; end-capture "a" "g"; instantiate "g"
                        map-async "x" promise="map"
                        {settle}
                        push-error-scope "validation"; {call}; pop-error-scope promise="scope"
                        {call}
                        unmap "x"
                        push-error-scope "validation"; {call}; pop-error-scope promise="after"
                        settle-all
                        synchronize-device
                    }}"#
                );
                let came = Came::of(backend, &format!("{head}{body}"));
                let what = format!("{backend}, {call}, {settle}");
                assert_eq!(came.with("scope"), ["+GPUValidationError"], "{what}");
                assert_eq!(came.with("after"), ["+null"], "{what}");
                assert_eq!(came.ran(kind), 1, "{what}");
                let uncaught = came.uncaught();
                assert_eq!(uncaught.len(), 1, "{what}: {uncaught:?}");
                assert!(
                    uncaught[0].contains("uses x, which is"),
                    "{what}: {uncaught:?}"
                );
            }
        }
    }
}

#[test]
fn every_name_of_device_lost_settles() {
    let source = |end: &str| {
        format!(
            r#"
            promise "j"; promise "k"; promise "l"
            host "main" {{
                device-lost promise="j"
                device-lost promise="k"
                device-lost promise="k"
                {end}
            }}"#
        )
    };
    for backend in backends() {
        let came = Came::of(
            backend,
            &source(
                "lose-device by=\"destroy\"; settle \"k\"; device-lost promise=\"l\"; settle \"l\"",
            ),
        );
        for name in ["j", "k", "l"] {
            assert_eq!(came.with(name), ["+destroyed"], "{backend}, {name}");
        }
        // One promise, as the specification has it: the same step settles it under both names.
        assert_eq!(came.settled_by("j"), came.settled_by("k"), "{backend}");
        let kept = Came::of(backend, &source("work micros=1"));
        assert!(kept.settled.is_empty(), "{backend}: {:?}", kept.settled);
        let promises = kept.records.iter();
        let promises = promises.filter(|record| matches!(record, Record::Promise(_)));
        assert_eq!(promises.count(), 2, "{backend}");
    }
}

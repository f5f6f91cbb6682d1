//! Promises in whole runs, on every backend that opens: whatever moment the device is lost at, each settles once, and
//! nothing is pending at the end.

mod calls;
mod observed;

use std::collections::BTreeMap;

use engine::backend::BACKENDS;
use engine::record::{PromiseId, Record, RunOutcome, State};
use engine::runner::{RecoveryMode, RunRequest, run};
use engine::workload::Injection;

use crate::semantics::conformance::BRISK;

/// Two host threads by two editions, with pipelines of every fate, maps, scopes and work on two streams.
const BUSY: &str = r#"
stream "a"
stream "b"
event "done"
buffer "x" f32=4096 init="k"
buffer "y" f32=4096
shader "broken" wgsl="""
    @compute @workgroup_size(64)
    fn main() { let x: u32 = 1.5; }
    """
pipeline "many" kernel="saxpy" count=6 slow-micros=400
pipeline "inner" kernel="scale" slow-micros=300 fails=#true
pipeline "bad" shader="broken"
promise "built" count=6
promise "other"
promise "mapped"
promise "scope"
promise "done"
promise "told"
promise "lost"
host "one" {
    device-lost promise="lost"
    upload "x" on="a"
    repeat 6 index="i" {
        create-pipeline-async "many" i promise="built[i]"
        push-error-scope "validation"
        create-pipeline "bad"
        pop-error-scope promise="scope"
        launch "spin" on="a" { set "micros" 150 }
        record "done" on="a"
        map-async "x" promise="mapped"
        work-done promise="done"
        launch "saxpy" on="b" pipeline="many[i]" { read "x"; write "y" }
    }
    settle-all
}
host "two" edition="before-2024-07" {
    repeat 4 {
        create-pipeline-async "inner" promise="other"
        compilation-info "bad" promise="told"
        wait "done" on="b"
        launch "spin" on="b" { set "micros" 100 }
        map-async "y" promise="mapped"
        settle "other"
        unmap "y"
    }
}
"#;

fn backends() -> Vec<&'static str> {
    let open = |name: &str, probe: Result<_, engine::backend::BackendError>| {
        probe
            .inspect_err(|error| eprintln!("skipped {name}: {error}"))
            .is_ok()
    };
    let all = BACKENDS.iter().filter(|it| !it.ends_processes());
    let all = all.filter(|it| open(it.name(), it.probe()));
    all.map(|it| it.name()).collect()
}

fn lose(
    backend: &str,
    source: &str,
    injection: Option<&str>,
    recovery: RecoveryMode,
) -> (Vec<Record>, RunOutcome) {
    let mut records = Vec::new();
    let request = RunRequest {
        name: "busy".to_owned(),
        source: source.to_owned(),
        backend: backend.to_owned(),
        paced: BRISK,
        lose: injection
            .iter()
            .map(|it| it.parse::<Injection>().unwrap())
            .collect(),
        recovery,
        ..RunRequest::default()
    };
    let end = run(request, |batch| records.extend(batch)).unwrap();
    (records, end.outcome)
}

/// Checks that each promise settled once, those of devices that were never lost apart. Gives how many did.
fn check(what: &str, records: &[Record]) -> usize {
    let mut promises: BTreeMap<PromiseId, (&str, usize)> = BTreeMap::new();
    for record in records {
        match record {
            Record::Promise(it) => promises.entry(it.id).or_insert(("", 0)).0 = &it.api,
            Record::Settlement(it) => promises.entry(it.promise).or_insert(("", 0)).1 += 1,
            _ => {}
        }
    }
    for (id, (api, settled)) in &promises {
        let may_wait = *api == "device.lost" && *settled == 0;
        assert!(
            *settled == 1 || may_wait,
            "{what}: {id:?} of {api} settled {settled} times"
        );
    }
    promises.len()
}

#[test]
fn a_loss_at_any_moment_settles_every_promise_once() {
    for backend in backends() {
        let (records, outcome) = lose(backend, BUSY, None, RecoveryMode::Stay);
        assert_eq!(outcome, RunOutcome::Finished, "{backend}");
        let all = check(backend, &records);
        assert!(all > 30, "{backend}: {all} promises");
        let length = length(&records);
        for place in 0..200_u64 {
            let by = if place % 2 == 0 { "driver" } else { "destroy" };
            let at = place * length / 200;
            let recovery = match place % 3 {
                0 => RecoveryMode::Resume,
                _ => RecoveryMode::Stay,
            };
            let injection = format!("{by}@{at}ns");
            let (records, _) = lose(backend, BUSY, Some(&injection), recovery);
            check(&format!("{backend}, {injection}, {recovery:?}"), &records);
            let losses = records
                .iter()
                .filter(|it| matches!(it, Record::Loss(_)))
                .count();
            assert!(losses <= 1, "{backend}, {injection}: {losses} losses");
        }
    }
}

/// How long the calls of a run took, in nanoseconds.
fn length(records: &[Record]) -> u64 {
    let ends = records.iter().filter_map(|record| match record {
        Record::Span(span) if span.state == State::Done => Some(span.end.0),
        _ => None,
    });
    ends.max().unwrap_or_default().max(1) as u64
}

/// One pipeline of the text of today, one of the text before, and nothing else.
const RACE: &str = r#"
pipeline "one" kernel="saxpy" slow-micros=200000 fails=#true
pipeline "two" kernel="saxpy" slow-micros=200000 fails=#true
promise "today"
promise "before"
host "now" { create-pipeline-async "one" promise="today"; settle "today" }
host "then" edition="before-2024-07" { create-pipeline-async "two" promise="before"; settle "before" }
"#;

#[test]
fn a_loss_while_a_pipeline_compiles_comes_out_by_the_edition() {
    let value = |records: &[Record], place: u32| {
        let found = records.iter().find_map(|record| match record {
            Record::Settlement(it) if it.promise == PromiseId(place) => Some(it.value.clone()),
            _ => None,
        });
        found.unwrap_or_default()
    };
    let of = |records: &[Record], name: &str| {
        let place = records.iter().find_map(|record| match record {
            Record::Promise(it) if it.name == name => Some(it.id.0),
            _ => None,
        });
        value(records, place.unwrap_or_default())
    };
    let failed = "GPUPipelineError: internal";
    for backend in backends() {
        let meanwhile = lose(
            backend,
            RACE,
            Some("driver@pipeline:one"),
            RecoveryMode::Stay,
        )
        .0;
        assert_eq!(of(&meanwhile, "today"), "pipeline", "{backend}");
        assert_eq!(of(&meanwhile, "before"), failed, "{backend}");
        let after = lose(backend, RACE, Some("driver@10s"), RecoveryMode::Stay).0;
        assert_eq!(of(&after, "today"), failed, "{backend}");
        assert_eq!(of(&after, "before"), failed, "{backend}");
    }
}

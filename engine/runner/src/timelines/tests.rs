//! The layer in whole runs, on the backends that need no hardware: what is settled with what, and in which order.

use crate::{RecoveryMode, RunRequest, run};
use record::time::Nanos;
use record::{
    DependencyKind, PipelineState,
    PipelineState::{Checked, Compiling, Queued, Ready, Requested},
    Record, RunOutcome, Span, SpanId, SpanKind, State, Verdict,
};

const HEAD: &str = r#"
stream "main"
buffer "x" f32=64 init="k"
buffer "y" f32=64
shader "broken" wgsl="""
    @compute @workgroup_size(64)
    fn main() { let x: u32 = 1.5; }
    """
pipeline "quick" kernel="saxpy"
pipeline "slow" kernel="saxpy" slow-micros=4000
pipeline "many" kernel="saxpy" count=12 slow-micros=300
pipeline "bad" shader="broken"
pipeline "inner" kernel="saxpy" fails=#true
promise "p"
promise "a" count=12
promise "q"
promise "lost"
"#;

/// What a run reported.
struct TestReport {
    records: Vec<Record>,
    outcome: RunOutcome,
}

fn report(backend: &str, body: &str) -> TestReport {
    let mut records = Vec::new();
    let request = RunRequest {
        name: "timelines".to_owned(),
        source: format!("{HEAD}{body}"),
        backend: backend.to_owned(),
        recovery: RecoveryMode::Stay,
        ..RunRequest::default()
    };
    let end = run(request, |batch| records.extend(batch)).unwrap();
    TestReport {
        records,
        outcome: end.outcome,
    }
}

impl TestReport {
    /// What each promise came to, as `name: verdict value`, in the order of settling.
    fn settled(&self) -> Vec<String> {
        let name = |id| {
            let found = self.records.iter().find_map(|record| match record {
                Record::Promise(it) if it.id == id => Some(it.name.clone()),
                _ => None,
            });
            found.unwrap_or_default()
        };
        let settlements = self.records.iter().filter_map(|record| match record {
            Record::Settlement(it) => Some(it),
            _ => None,
        });
        settlements
            .map(|it| {
                let verdict = if it.verdict == Verdict::Resolved {
                    "+"
                } else {
                    "-"
                };
                format!("{} {verdict} {}", name(it.promise), it.value)
            })
            .collect()
    }

    fn spans(&self, kind: SpanKind) -> Vec<Span> {
        let spans = self.records.iter().filter_map(|record| match record {
            Record::Span(span) if span.kind == kind => Some(*span),
            _ => None,
        });
        spans.collect()
    }

    fn span(&self, id: SpanId) -> Span {
        let found = self.records.iter().find_map(|record| match record {
            Record::Span(span) if span.id == id => Some(*span),
            _ => None,
        });
        found.unwrap()
    }

    fn causes(&self, effect: SpanId, kind: DependencyKind) -> Vec<SpanId> {
        let ties = self.records.iter().filter_map(|record| match record {
            Record::Dependency(it) if it.effect == effect && it.kind == kind => Some(it.cause),
            _ => None,
        });
        ties.collect()
    }

    fn effects(&self, cause: SpanId, kind: DependencyKind) -> Vec<SpanId> {
        let ties = self.records.iter().filter_map(|record| match record {
            Record::Dependency(it) if it.cause == cause && it.kind == kind => Some(it.effect),
            _ => None,
        });
        ties.collect()
    }

    fn promises(&self) -> usize {
        let is_one = |record: &&Record| matches!(record, Record::Promise(_));
        self.records.iter().filter(is_one).count()
    }

    fn stages(&self, pipeline: u32) -> Vec<PipelineState> {
        let steps = self.records.iter().filter_map(|record| match record {
            Record::PipelineStep(it) if it.pipeline.0 == pipeline => Some(it.state),
            _ => None,
        });
        steps.collect()
    }
}

const BACKENDS: [&str; 2] = ["mock", "cpu"];

#[test]
fn a_pipeline_goes_through_its_states_and_its_promise_settles() {
    for backend in BACKENDS {
        let run = report(
            backend,
            r#"host "main" {
                device-lost promise="lost"
                create-pipeline-async "quick" promise="p"
                settle "p"
                launch "saxpy" on="main" pipeline="quick" { read "x"; write "y" }
                synchronize-device
            }"#,
        );
        assert_eq!(run.outcome, RunOutcome::Finished, "{backend}");
        assert_eq!(run.settled(), ["p + pipeline"], "{backend}");
        assert_eq!(
            run.stages(0),
            [Requested, Checked, Queued, Compiling, Ready],
            "{backend}"
        );
    }
}

#[test]
fn errors_come_out_as_rejections_scopes_and_problems() {
    for backend in BACKENDS {
        let run = report(
            backend,
            r#"host "main" {
                create-pipeline-async "bad" promise="p" 
                settle-all
                create-pipeline-async "inner" promise="p"
                settle-all
                push-error-scope "validation"
                create-pipeline "bad"
                pop-error-scope promise="q"
                settle "q"
                create-pipeline "inner"
                compilation-info "bad" promise="q"
                settle "q"
                launch "saxpy" on="main" pipeline="inner" { read "x"; write "y" }
            }"#,
        );
        assert_eq!(run.outcome, RunOutcome::Finished, "{backend}");
        assert_eq!(
            run.settled(),
            [
                "p - GPUPipelineError: validation",
                "p - GPUPipelineError: internal",
                "q + GPUValidationError",
                "q + 1 message",
            ],
            "{backend}"
        );
        let problems = run.records.iter().filter_map(|record| match record {
            Record::Problem(it) if it.code == "uncaptured-error" => Some(&it.text),
            _ => None,
        });
        assert_eq!(
            problems.count(),
            2,
            "{backend}: the sync creation, and the launch of what failed"
        );
    }
}

#[test]
fn the_chain_of_an_asynchronous_call_can_be_walked() {
    for backend in BACKENDS {
        let run = report(
            backend,
            r#"host "main" {
                create-pipeline-async "slow" promise="p"
                launch "saxpy" on="main" pipeline="slow" { read "x"; write "y" }
                synchronize-device
            }"#,
        );
        let compile = run.spans(SpanKind::Compile)[0];
        let initial = run.causes(compile.id, DependencyKind::Step)[0];
        let call = run.causes(initial, DependencyKind::Step)[0];
        assert_eq!(run.span(call).kind, SpanKind::Call);
        let decided = run.effects(compile.id, DependencyKind::Step)[0];
        let settle = run.effects(decided, DependencyKind::Step)[0];
        assert_eq!(run.span(settle).lane, run.span(call).lane);
        let held = run.effects(decided, DependencyKind::Pipeline);
        let kinds: Vec<_> = held.iter().map(|id| run.span(*id).kind).collect();
        assert!(kinds.contains(&SpanKind::Stall), "{backend}: {kinds:?}");
        assert!(kinds.contains(&SpanKind::Kernel), "{backend}: {kinds:?}");
        let kernel = run.spans(SpanKind::Kernel)[0];
        assert!(kernel.start >= compile.end, "{backend}");
    }
}

#[test]
fn workers_compile_beside_each_other() {
    for backend in BACKENDS {
        // Whether two are at it at one moment is the machine's to decide, so it is asked until they were.
        while !compiles_overlap(backend) {}
    }
}

/// Whether two of twelve pipelines were compiled at the same time in a run.
fn compiles_overlap(backend: &str) -> bool {
    let run = report(
        backend,
        r#"host "main" {
            repeat 12 index="i" { create-pipeline-async "many" i promise="a[i]" }
        }"#,
    );
    assert_eq!(run.settled().len(), 12, "{backend}");
    let compiles = run.spans(SpanKind::Compile);
    assert_eq!(compiles.len(), 12);
    compiles.iter().any(|one| {
        compiles
            .iter()
            .any(|other| one.lane != other.lane && one.start < other.end && other.start < one.end)
    })
}

#[test]
fn a_loss_by_the_driver_settles_everything_by_the_table() {
    for backend in BACKENDS {
        let run = report(
            backend,
            r#"host "main" {
                device-lost promise="lost"
                launch "spin" on="main" { set "micros" 300000 }
                create-pipeline-async "slow" promise="a[0]"
                map-async "x" promise="a[1]"
                work-done promise="a[2]"
                work micros=500
                lose-device by="driver"
                map-async "y" promise="a[3]"
                pop-error-scope promise="a[4]"
                compilation-info "bad" promise="a[5]"
                settle-all
            }"#,
        );
        let settled = run.settled();
        assert_eq!(
            settled.first().map(String::as_str),
            Some("lost + unknown"),
            "{backend}"
        );
        for expected in [
            "a[0] + pipeline",
            "a[1] - AbortError",
            "a[2] + undefined",
            "a[3] - AbortError",
            "a[4] + null",
            "a[5] + empty",
        ] {
            assert!(
                settled.iter().any(|it| it == expected),
                "{backend}: {expected}: {settled:?}"
            );
        }
        assert_eq!(settled.len(), run.promises(), "{backend}");
    }
}

#[test]
fn destroy_ends_maps_first_and_loses_the_device_in_its_turn() {
    for backend in BACKENDS {
        let run = report(
            backend,
            r#"host "main" {
                device-lost promise="lost"
                launch "spin" on="main" { set "micros" 3000 }
                map-async "x" promise="a[1]"
                create-pipeline-async "slow" promise="a[0]"
                lose-device by="destroy"
                settle-all
            }"#,
        );
        assert_eq!(
            run.settled(),
            ["a[1] - AbortError", "lost + destroyed", "a[0] + pipeline"],
            "{backend}"
        );
        let losses = run
            .records
            .iter()
            .filter(|it| matches!(it, Record::Loss(_)));
        assert_eq!(losses.count(), 1, "{backend}");
    }
}

#[test]
fn a_recovered_device_compiles_its_pipelines_again() {
    for backend in BACKENDS {
        let run = report(
            backend,
            r#"host "main" {
                create-pipeline-async "quick" promise="p"
                settle "p"
                lose-device by="driver"
                recover-device
                launch "saxpy" on="main" pipeline="quick" { read "x"; write "y" }
                synchronize-device
            }"#,
        );
        assert_eq!(run.outcome, RunOutcome::Finished, "{backend}");
        assert_eq!(run.settled().len(), run.promises(), "{backend}");
        assert_eq!(
            run.stages(0).last(),
            Some(&PipelineState::Lost),
            "{backend}"
        );
        assert_eq!(
            run.stages(1).last(),
            Some(&PipelineState::Ready),
            "{backend}"
        );
    }
}

#[test]
fn the_editions_stand_beside_each_other() {
    let body = |edition: &str| {
        format!(
            r#"host "main" edition="{edition}" {{
                device-lost promise="lost"
                create-pipeline-async "inner" promise="p"
                lose-device by="driver" after-micros=20
                settle-all
            }}"#
        )
    };
    let today = report("mock", &body("present"));
    assert_eq!(today.settled(), ["lost + unknown", "p + pipeline"]);
    let before = report("mock", &body("before-2024-07"));
    assert_eq!(
        before.settled(),
        ["lost + unknown", "p - GPUPipelineError: internal"]
    );
}

#[test]
fn virtual_time_gives_the_same_records_every_time() {
    let body = r#"
        buffer "m" f32=64
        host "one" {
            repeat 12 index="i" { create-pipeline-async "many" i promise="a[i]" }
            launch "saxpy" on="main" pipeline="many[11]" { read "x"; write "y" }
            work-done promise="q"
            lose-device by="driver" after-micros=1000
        }
        host "two" {
            create-pipeline "slow"
            map-async "m" promise="lost"
            settle-all
        }"#;
    let first = report("mock", body);
    assert!(first.records.len() > 100);
    // What is found stands behind the batch in which it was seen, which the clock of the engine's thread ends.
    let split = |records: &[Record]| -> (Vec<Record>, Vec<Record>) {
        let records = records.iter().cloned();
        records.partition(|it| matches!(it, Record::Finding(_)))
    };
    for _ in 0..20 {
        assert!(split(&report("mock", body).records) == split(&first.records));
    }
    let time = |record: &Record| match record {
        Record::Settlement(it) => it.time,
        _ => Nanos::ZERO,
    };
    assert!(first.records.iter().any(|it| time(it) > Nanos(1_000_000)));
}

#[test]
fn nothing_follows_by_force_from_a_compile_that_was_lost() {
    for backend in BACKENDS {
        let run = report(
            backend,
            r#"host "main" {
                device-lost promise="lost"
                create-pipeline-async "slow" promise="p"
                work micros=500
                lose-device by="driver"
                settle "p"
            }"#,
        );
        let lost = run.spans(SpanKind::Compile);
        let lost: Vec<&Span> = { lost.iter() }
            .filter(|it| it.state == State::Lost)
            .collect();
        if backend == "mock" {
            assert_eq!(lost.len(), 1);
        }
        for compile in lost {
            let effects = run.effects(compile.id, DependencyKind::Step);
            assert_eq!(effects, [], "{backend}: {compile:?}");
        }
        // What was decided is there because of the loss.
        assert!(
            run.settled().iter().any(|it| it.starts_with("p +")),
            "{backend}"
        );
    }
}

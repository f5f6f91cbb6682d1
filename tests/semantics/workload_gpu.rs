//! WebGPU's calls in the workload language: what they say, and where they are wrong.

use engine::time::Nanos;
use engine::workload::{
    Call, DataCall, Document, Edition, GpuCall, LossBy, LossMoment, MapMode, PipelineIndex,
    PipelinePurpose, Plan, PromiseIndex, ShaderPlan, WorkloadError,
};

const ALL: &str = r#"
param "n" 3
stream "main"
buffer "x" f32=64
shader "mine" wgsl="""
    @compute @workgroup_size(64)
    fn main() {}
    """
pipeline "late" kernel="saxpy" count="n" slow-micros="n * 1000"
pipeline "own" shader="mine" entry="main" kind="render" fails=#true
promise "built" count="n"
promise "mapped"
host "main" edition="before-2024-07" {
    repeat "n" index="i" {
        create-pipeline-async "late" i promise="built[i]"
    }
    create-pipeline "own"
    push-error-scope "out-of-memory"
    pop-error-scope promise="mapped"
    map-async "x" promise="mapped" mode="write"
    unmap "x"
    compilation-info "late[1]" promise="mapped"
    work-done promise="mapped"
    device-lost promise="mapped"
    settle "built[2]"
    settle-all
    lose-device by="driver" pipeline="late[1]"
    lose-device by="destroy" after-micros="n * 100"
    recover-device
    launch "saxpy" on="main" pipeline="late[2]" { read "x"; write "y" }
}
buffer "y" f32=64
expect { settles "built" "resolved" value="pipeline" }
"#;

fn plan(source: &str) -> Plan {
    let document = Document::parse("gpu.kdl", source).unwrap();
    document.plan(&[]).unwrap()
}

#[test]
fn every_word_means_its_call() {
    let plan = plan(ALL);
    let calls: Vec<GpuCall> = plan
        .calls(0)
        .filter_map(|placed| match placed.call {
            Call::Gpu(call) => Some(call),
            _ => None,
        })
        .collect();
    let promise = PromiseIndex(3);
    let expected = [
        GpuCall::CreatePipeline {
            pipeline: PipelineIndex(3),
        },
        GpuCall::PushErrorScope {
            filter: engine::workload::ErrorFilter::OutOfMemory,
        },
        GpuCall::PopErrorScope { promise },
        GpuCall::MapAsync {
            buffer: engine::record::BufferIndex(0),
            mode: MapMode::Write,
            promise,
        },
        GpuCall::Unmap {
            buffer: engine::record::BufferIndex(0),
        },
        GpuCall::CompilationInfo {
            pipeline: PipelineIndex(1),
            promise,
        },
        GpuCall::WorkDone { promise },
        GpuCall::DeviceLost { promise },
        GpuCall::Settle {
            promise: PromiseIndex(2),
        },
        GpuCall::SettleAll {},
        GpuCall::Lose {
            by: LossBy::Driver,
            at: LossMoment::Pipeline("late[1]".to_owned()),
        },
        GpuCall::Lose {
            by: LossBy::Destroy,
            at: LossMoment::Time(Nanos::from_micros(300)),
        },
        GpuCall::Recover {},
    ];
    for (place, call) in calls.iter().take(3).enumerate() {
        let (pipeline, promise) = (PipelineIndex(place as u32), PromiseIndex(place as u32));
        assert_eq!(*call, GpuCall::CreatePipelineAsync { pipeline, promise });
    }
    assert_eq!(calls[3..], expected);
    let launches = plan.calls(0).find_map(|placed| match placed.call {
        Call::Data(DataCall::Launch { pipeline, .. }) => Some(pipeline),
        _ => None,
    });
    assert_eq!(launches, Some(Some(PipelineIndex(2))));
}

#[test]
fn pipelines_and_hosts_are_as_declared() {
    let plan = plan(ALL);
    assert_eq!(plan.hosts[0].edition, Edition::Former);
    let names: Vec<&str> = plan.pipelines.iter().map(|it| it.name.as_str()).collect();
    assert_eq!(names, ["late[0]", "late[1]", "late[2]", "own"]);
    assert_eq!(plan.pipelines[0].shader, ShaderPlan::Kernel("saxpy"));
    assert_eq!(plan.pipelines[0].slow, Nanos::from_micros(3000));
    let own = &plan.pipelines[3];
    assert_eq!((own.kind, own.fails), (PipelinePurpose::Render, true));
    let ShaderPlan::Text { name, source, line } = &own.shader else {
        panic!("{own:?}");
    };
    assert_eq!((&**name, *line), ("mine", 6));
    assert!(source.starts_with("@compute"), "{source}");
    assert_eq!(
        plan.promises,
        ["built[0]", "built[1]", "built[2]", "mapped"]
    );
}

fn errors(source: &str) -> Vec<WorkloadError> {
    Document::check("gpu.kdl", source)
}

#[test]
fn what_is_wrong_is_said_at_its_line() {
    let cases: &[(&str, &str, u32, &str)] = &[
        (
            "promise=\"built[i]\"",
            "promise=\"bild[i]\"",
            15,
            "did you mean “built”?",
        ),
        (
            "shader=\"mine\"",
            "shader=\"mien\"",
            10,
            "did you mean “mine”?",
        ),
        ("shader=\"mine\"", "", 10, "kernel"),
        (
            "kind=\"render\"",
            "kind=\"renders\"",
            10,
            "did you mean “render”?",
        ),
        (
            "push-error-scope \"out-of-memory\"",
            "push-error-scope \"memory\"",
            18,
            "known: validation",
        ),
        (
            "edition=\"before-2024-07\"",
            "edition=\"2023\"",
            13,
            "known: present",
        ),
        (
            "by=\"driver\" pipeline=\"late[1]\"",
            "by=\"driver\" stream=\"main\" pipeline=\"late[1]\"",
            27,
            "keep one",
        ),
        ("by=\"destroy\"", "by=\"burn\"", 28, "known: destroy"),
        (
            "settle \"built[2]\"",
            "settle \"built\"",
            25,
            "give an index",
        ),
        (
            "pipeline=\"late[2]\"",
            "pipeline=\"own\"",
            30,
            "declare one",
        ),
        (
            "device-lost promise=\"mapped\"",
            "device-lost",
            24,
            "write: device-lost",
        ),
        ("\"resolved\"", "\"done\"", 33, "known: resolved"),
    ];
    for (good, bad, line, help) in cases {
        assert!(ALL.contains(good), "{good}");
        let found = errors(&ALL.replacen(good, bad, 1));
        let first = found.first().unwrap_or_else(|| panic!("{bad} is accepted"));
        assert_eq!(first.line, *line, "{bad}: {first}");
        assert!(first.help.contains(help), "{bad}: {first}: {}", first.help);
    }
    let waits = "promise \"never\"\nhost \"main\" { settle \"never\" }";
    assert!(errors(waits)[0].message.contains("waits for ever"));
}

//! What calls of recorded launches and graphs are called.

use record::StreamIndex;
use workload::{ArgumentName, GraphIndex, LaunchCall, Plan, RecordedIndex};

/// The element that a call is about: in a loop it may be another one every time.
pub const fn launch_about(call: &LaunchCall) -> u32 {
    match call {
        LaunchCall::Record(plan) => plan.launch.0,
        LaunchCall::Set { launch, .. }
        | LaunchCall::SetAll { launch, .. }
        | LaunchCall::SetDimensions { launch, .. }
        | LaunchCall::Relaunch { launch, .. } => launch.0,
        LaunchCall::BeginCapture { stream, .. } => stream.0,
        LaunchCall::EndCapture { graph, .. }
        | LaunchCall::Instantiate(graph)
        | LaunchCall::Update(graph)
        | LaunchCall::Replay { graph, .. } => graph.0,
    }
}

/// A call, and what it is about.
pub fn launch_text(plan: &Plan, call: &LaunchCall) -> String {
    let launch = |index: &RecordedIndex| {
        let found = plan.recorded.get(index.index());
        found.map_or("?", |found| &found.name)
    };
    let graph = |index: &GraphIndex| {
        let found = plan.graphs.get(index.index());
        found.map_or("?", |found| found)
    };
    let stream = |index: &StreamIndex| {
        let found = plan.streams.get(index.index());
        found.map_or("?", |found| &found.name)
    };
    match call {
        LaunchCall::Record(plan) => format!("record-launch {}", launch(&plan.launch)),
        LaunchCall::Set {
            launch: of,
            argument,
            ..
        } => match argument {
            ArgumentName::Named(name) => format!("set {} {name}", launch(of)),
            ArgumentName::At(place) => format!("set {} {place}", launch(of)),
        },
        LaunchCall::SetAll { launch: of, .. } => format!("set-all {}", launch(of)),
        LaunchCall::SetDimensions { launch: of, .. } => format!("set-dimensions {}", launch(of)),
        LaunchCall::Relaunch { launch: of, .. } => format!("relaunch {}", launch(of)),
        LaunchCall::BeginCapture { stream: on, .. } => format!("begin-capture {}", stream(on)),
        LaunchCall::EndCapture { graph: to, .. } => format!("end-capture {}", graph(to)),
        LaunchCall::Instantiate(it) => format!("instantiate {}", graph(it)),
        LaunchCall::Update(it) => format!("update {}", graph(it)),
        LaunchCall::Replay { graph: it, .. } => format!("replay {}", graph(it)),
    }
}

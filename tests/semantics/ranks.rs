//! Ranks: workloads on several processes that compute together, and what becomes of them when one fails.
#![cfg(unix)]

mod capture;
mod faults;
mod kills;
mod machines;
mod placement;

use engine::capture::Capture;
use engine::record::{RunEnd, SpanKind};
use engine::runner::{RunRequest, run};
use engine::workload::bundled;

use crate::house::program::syncline;

/// A request for a workload with this text.
fn request(source: &str) -> RunRequest {
    // Ranks are processes of the program.
    syncline();
    RunRequest {
        name: "ranks".to_owned(),
        source: source.to_owned(),
        backend: "cpu".to_owned(),
        ..RunRequest::default()
    }
}

/// A request for a workload that comes with the program.
fn bundle(name: &str) -> RunRequest {
    let found = bundled().iter().find(|it| it.name == name).unwrap();
    request(found.source)
}

/// What a run came to.
fn ran(request: RunRequest) -> (Capture, RunEnd) {
    let mut capture = Capture::new();
    let end = run(request, |records| capture.apply(records)).unwrap();
    (capture, end)
}

/// All ranks wait for each other `steps` times.
fn steps(placement: &str, steps: u32) -> String {
    format!(
        r#"
        about "All ranks add up, again and again."
        {placement}
        stream "main"
        buffer "x" f32=1024 init="rank"
        host "main" {{
            upload "x" on="main"
            repeat {steps} index="i" {{
                launch "spin" on="main" {{ set "micros" 100 }}
                all-reduce "x" by="max" on="main"
            }}
            synchronize-device
        }}"#
    )
}

/// The text of an argument.
fn argument(capture: &Capture, span: engine::record::SpanId, name: &str) -> String {
    let mut found = capture.arguments(span).filter(|(it, _)| *it == name);
    found
        .next()
        .map_or_else(String::new, |(_, value)| match value {
            engine::record::Value::Text(text) => text.to_string(),
            engine::record::Value::Integer(number) => number.to_string(),
            engine::record::Value::Number(number) => number.to_string(),
        })
}

/// Parts of collective operations.
fn parts(capture: &Capture) -> Vec<engine::capture::PlacedSpan> {
    let spans = capture.spans();
    spans
        .filter(|it| it.span.kind == SpanKind::Collective)
        .collect()
}

//! Runs a workload and prints its arrows: each dependency from its cause to its effect, and how it is known.
//!
//! `cargo run -p syncline-engine --example arrows -- WORKLOAD [BACKEND]`, where a workload is a bundled one's name or a file.

use std::error::Error;
use std::fmt::Write as _;
use std::io::Write as _;

use engine::capture::Capture;
use engine::record::{DependencyId, SpanId};
use engine::runner::{RunRequest, run};
use engine::workload::bundled;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let name = arguments.next().unwrap_or_else(|| "fork-join".to_owned());
    let backend = arguments.next().unwrap_or_else(|| "cpu".to_owned());
    std::io::stdout().write_all(arrows(&name, &backend)?.as_bytes())?;
    Ok(())
}

/// A line for each dependency of a run.
///
/// # Errors
/// What is wrong with the workload, or why the backend does not open.
pub fn arrows(name: &str, backend: &str) -> Result<String, Box<dyn Error>> {
    let source = match bundled().iter().find(|it| it.name == name) {
        Some(workload) => workload.source.to_owned(),
        None => std::fs::read_to_string(name)?,
    };
    let request = RunRequest {
        name: name.to_owned(),
        source,
        backend: backend.to_owned(),
        ..RunRequest::default()
    };
    let mut capture = Capture::new();
    run(request, |batch| capture.apply(batch))?;
    let title = |id: SpanId| {
        let span = capture.span(id)?.span;
        let lane = &capture.lane(span.lane)?.name;
        Some(format!("{} ({lane})", capture.name(span.name)))
    };
    let mut text = String::new();
    let ids = (0..capture.dependency_count() as u32).map(DependencyId);
    for arrow in ids.filter_map(|id| capture.dependency(id)) {
        let (Some(cause), Some(effect)) = (title(arrow.cause), title(arrow.effect)) else {
            continue;
        };
        let (kind, basis) = (arrow.kind.label(), arrow.basis.label());
        writeln!(text, "{cause} -> {effect}: {kind}, {basis}")?;
    }
    Ok(text)
}

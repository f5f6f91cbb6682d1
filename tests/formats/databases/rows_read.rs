//! Opens databases, and puts what is in them in words that tests compare.

use std::ops::ControlFlow;

use engine::capture::Capture;
use engine::importer::{self, Receipt, Source};
use engine::record::{Dependency, DependencyId, SpanId, Value};

/// What bytes hold.
pub fn open(name: &str, bytes: Vec<u8>) -> (Capture, Receipt) {
    let mut capture = Capture::new();
    let source = Source::from_bytes(name, bytes).unwrap();
    let receipt = importer::open_source(&source, &mut |batch| {
        capture.apply(batch.records);
        ControlFlow::Continue(())
    });
    (capture, receipt.unwrap())
}

/// Every dependency.
pub fn dependencies(capture: &Capture) -> Vec<Dependency> {
    let ids = (0..capture.dependency_count()).map(|id| DependencyId(id as u32));
    ids.filter_map(|id| capture.dependency(id)).collect()
}

/// A span as `lane: name start..end`.
pub fn span(capture: &Capture, id: SpanId) -> String {
    let span = capture.span(id).unwrap().span;
    let lane = capture.lane(span.lane).unwrap();
    let name = capture.name(span.name);
    format!("{}: {name} {}..{}", lane.name, span.start.0, span.end.0)
}

/// Every dependency as `kind basis: cause -> effect`, in order.
pub fn arrows(capture: &Capture) -> Vec<String> {
    let mut arrows: Vec<String> = dependencies(capture)
        .iter()
        .map(|it| {
            let (cause, effect) = (span(capture, it.cause), span(capture, it.effect));
            format!(
                "{} {}: {cause} -> {effect}",
                it.kind.label(),
                it.basis.label()
            )
        })
        .collect();
    arrows.sort();
    arrows
}

/// The lanes in order, as `group role: name`.
pub fn lanes(capture: &Capture) -> Vec<String> {
    let lanes = capture
        .lane_order()
        .into_iter()
        .filter_map(|id| capture.lane(id));
    lanes
        .map(|lane| {
            format!(
                "{} {}: {}",
                lane.group.label(),
                lane.role.label(),
                lane.name
            )
        })
        .collect()
}

/// The first span of that name, and its arguments as `name=value`.
pub fn arguments(capture: &Capture, name: &str) -> Vec<String> {
    let span = capture
        .spans()
        .find(|it| capture.name(it.span.name) == name)
        .unwrap();
    let value = |value| match value {
        Value::Integer(value) => value.to_string(),
        Value::Number(value) => value.to_string(),
        Value::Text(value) => value.to_string(),
    };
    let arguments = capture.arguments(span.span.id);
    arguments
        .map(|(name, it)| format!("{name}={}", value(it)))
        .collect()
}

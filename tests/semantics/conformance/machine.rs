//! The virtual machine gives the same order whoever launches: one thread or many.

use std::collections::BTreeMap;

use engine::record::{Group, RunOutcome};
use engine::workload::bundled;

use super::view::View;
use super::{backends, view};

/// Which operation comes after which, and why, by their lanes, names and how often each.
fn order(view: &View) -> BTreeMap<String, usize> {
    let capture = &view.capture;
    let label = |id| {
        let span = capture.span(id)?.span;
        let lane = capture.lane(span.lane)?;
        let is_stream = lane.group == Group::Streams && lane.role != engine::record::Role::Queue;
        is_stream.then(|| format!("{} on {}", capture.name(span.name), lane.name))
    };
    let all = capture.spans().flat_map(|it| capture.causes(it.span.id));
    let mut order = BTreeMap::new();
    for tie in all.filter_map(|id| capture.dependency(id)) {
        if let (Some(cause), Some(effect)) = (label(tie.cause), label(tie.effect)) {
            let text = format!("{cause} -> {effect}: {}", tie.kind.label());
            *order.entry(text).or_default() += 1;
        }
    }
    order
}

#[test]
fn one_thread_and_many_give_the_same_order() {
    let bundled = bundled()
        .iter()
        .find(|it| it.name == "instructions")
        .unwrap();
    let many = bundled.source;
    let one = many.replace("threads=\"many\"", "threads=\"one\"");
    assert_ne!(one, many);
    for backend in backends() {
        let (one, many) = (view(&one, backend.name()), view(many, backend.name()));
        assert_eq!(one.end.outcome, RunOutcome::Finished);
        let (by_one, by_many) = (order(&one), order(&many));
        assert!(by_one.len() > 5, "{by_one:?}");
        assert_eq!(by_one, by_many, "on {}", backend.name());
        for view in [&one, &many] {
            assert!(view.capture.expectations().iter().all(|it| !it.is_missed()));
            assert!(view.capture.findings().iter().all(|it| it.code != "race"));
        }
    }
}

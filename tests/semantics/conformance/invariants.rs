//! What holds of the records of every run, whatever it runs.

use std::collections::{BTreeMap, BTreeSet};

use engine::record::{
    Basis, Dependency, DependencyKind, Group, LaneId, Record, Role, Span, SpanId, SpanKind, State,
};

/// Fails unless the records of a whole run agree with each other.
pub fn check(records: &[Record]) {
    let mut spans = BTreeMap::new();
    let mut streams = BTreeSet::new();
    let mut queues = BTreeSet::new();
    let mut dependencies = Vec::new();
    for record in records {
        match record {
            Record::Span(span) => {
                assert!(
                    spans.insert(span.id, *span).is_none(),
                    "{span:?} came twice"
                );
            }
            Record::Lane(lane) if lane.role == Role::Queue => {
                queues.insert(lane.id);
            }
            Record::Lane(lane) if lane.group == Group::Streams => {
                streams.insert(lane.id);
            }
            Record::Dependency(dependency) => dependencies.push(*dependency),
            _ => {}
        }
    }
    let Some(Record::End(end)) = records.last() else {
        panic!("the last record is the end")
    };
    assert_eq!(
        end.records,
        records.len() as u64,
        "records given and delivered"
    );
    let dense: Vec<SpanId> = (0..spans.len() as u32).map(SpanId).collect();
    assert_eq!(
        spans.keys().copied().collect::<Vec<_>>(),
        dense,
        "ids are dense"
    );
    for span in spans.values() {
        assert!(
            span.enqueued <= span.start && span.start <= span.end,
            "{span:?}"
        );
        assert!(span.end <= end.time, "{span:?} ends after the run");
    }
    in_order(&spans, &streams);
    // What was merely observed or is declared need not hold.
    let enforced = dependencies.iter();
    for dependency in enforced.filter(|found| found.basis == Basis::Enforced) {
        hold(&spans, dependency);
    }
    every_operation_has_one_call(&spans, &streams, &dependencies);
    serialised(&spans, &queues, &dependencies);
}

/// What went through one queue ran one after the other, each when its stream says it did.
fn serialised(
    spans: &BTreeMap<SpanId, Span>,
    queues: &BTreeSet<LaneId>,
    dependencies: &[Dependency],
) {
    let found = spans.values().filter(|span| queues.contains(&span.lane));
    let mut operations: Vec<Span> = found.copied().collect();
    for span in &operations {
        let cause = dependencies.iter().find(|tie| tie.effect == span.id);
        let cause = cause.map(|tie| (tie.kind, spans[&tie.cause]));
        let (kind, cause) = cause.expect("each operation in a queue is one of a stream");
        assert_eq!(kind, DependencyKind::Step);
        assert_eq!((cause.name, cause.state), (span.name, span.state));
        assert_eq!(cause.end, span.end, "{cause:?} {span:?}");
    }
    operations.retain(|span| span.state == State::Done);
    operations.sort_by_key(|span| (span.start, span.end));
    for pair in operations.windows(2) {
        assert!(pair[0].end <= pair[1].start, "{pair:?} overlap in a queue");
    }
}

/// Operations of one stream run one after the other, in the order of their submission.
fn in_order(spans: &BTreeMap<SpanId, Span>, streams: &BTreeSet<LaneId>) {
    let mut last: BTreeMap<LaneId, Span> = BTreeMap::new();
    for span in spans.values().filter(|span| streams.contains(&span.lane)) {
        if let Some(replay) = last.get(&span.lane)
            && replay.kind == SpanKind::Graph
            && span.start >= replay.start
            && span.end <= replay.end
            && span.enqueued == replay.enqueued
        {
            // A node: those of one replay may overlap, and lie within it.
            continue;
        }
        if let Some(previous) = last.insert(span.lane, *span) {
            assert!(previous.end <= span.start, "{previous:?} overlaps {span:?}");
            assert!(previous.enqueued <= span.enqueued);
        }
    }
}

fn hold(spans: &BTreeMap<SpanId, Span>, dependency: &Dependency) {
    let (cause, effect) = (spans[&dependency.cause], spans[&dependency.effect]);
    let holds = match dependency.kind {
        DependencyKind::Submission => cause.start <= effect.start,
        DependencyKind::Signal => cause.start <= effect.end,
        _ => cause.end <= effect.end,
    };
    // What was cancelled waited in vain.
    assert!(
        holds || effect.state != State::Done,
        "{dependency:?}: {cause:?} {effect:?}"
    );
    assert_eq!(dependency.event.is_some(), dependency.generation > 0);
}

fn every_operation_has_one_call(
    spans: &BTreeMap<SpanId, Span>,
    streams: &BTreeSet<LaneId>,
    dependencies: &[Dependency],
) {
    let submissions = dependencies.iter();
    let submissions = submissions.filter(|found| found.kind == DependencyKind::Submission);
    let mut effects: Vec<SpanId> = submissions.map(|found| found.effect).collect();
    effects.sort_unstable();
    let operations = spans.values().filter(|span| streams.contains(&span.lane));
    let operations: Vec<SpanId> = operations.map(|span| span.id).collect();
    assert_eq!(
        effects, operations,
        "each operation was submitted by one call"
    );
}

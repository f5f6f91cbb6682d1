//! The operations of a run as a multiset: what was done, whatever did it and when.

use std::collections::BTreeMap;

use capture::Capture;
use record::{CALL_LABEL, Group, ITERATION, Role, SpanKind, Value};

/// How often each operation was done.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct OperationCounts {
    /// Each by its kind, what it is called, and its numbers and buffers without their index.
    pub work: BTreeMap<String, u32>,
    /// The same of operations that bear a label, by it.
    pub labelled: BTreeMap<(String, String), u32>,
}

impl OperationCounts {
    /// Those of a run.
    pub fn of(capture: &Capture) -> Self {
        let mut counts = Self::default();
        for placed in capture.spans() {
            let span = placed.span;
            let lane = capture.lane(span.lane);
            let is_of_stream =
                lane.is_some_and(|it| it.group == Group::Streams && it.role != Role::Queue);
            let is_operation = match span.kind {
                SpanKind::HostWork => true,
                SpanKind::EventRecord
                | SpanKind::EventWait
                | SpanKind::Hold
                | SpanKind::Join
                | SpanKind::Call
                | SpanKind::Synchronize
                | SpanKind::Stall
                | SpanKind::Step => false,
                _ => is_of_stream,
            };
            if !is_operation {
                continue;
            }
            let (text, label) = told(capture, &span);
            if let Some(label) = label {
                *counts.labelled.entry((label, text.clone())).or_default() += 1;
            }
            *counts.work.entry(text).or_default() += 1;
        }
        counts
    }

    /// What one has and the other has not, or less often; what the other has comes with its label where it has one.
    pub fn difference(&self, other: &Self) -> Option<String> {
        difference(&self.work, &other.work).cloned()
    }

    /// The label that stands on something else, or as often as not.
    pub fn moved_label(&self, other: &Self) -> Option<String> {
        let found = difference(&self.labelled, &other.labelled);
        found.map(|(label, _)| label.clone())
    }
}

fn difference<'a, K: Ord>(
    ours: &'a BTreeMap<K, u32>,
    theirs: &'a BTreeMap<K, u32>,
) -> Option<&'a K> {
    let more = ours
        .iter()
        .find(|(key, count)| theirs.get(key) != Some(count));
    let less = theirs
        .iter()
        .find(|(key, count)| ours.get(key) != Some(count));
    more.or(less).map(|(key, _)| key)
}

/// What an operation does, and its label.
fn told(capture: &Capture, span: &record::Span) -> (String, Option<String>) {
    let (mut label, mut arguments) = (None, Vec::new());
    for (name, value) in capture.arguments(span.id) {
        if let (CALL_LABEL, Value::Text(text)) = (name, &value) {
            label = Some(text.to_string());
        }
        let is_of_call = !name.contains([' ', '(']) && !OTHERS.contains(&name);
        if is_of_call {
            arguments.push(format!("{name}={}", without_index(&shown(&value))));
        }
    }
    arguments.sort_unstable();
    let mut name = capture.name(span.name);
    if let Some(label) = &label
        && let Some(rest) = name.strip_prefix(label.as_str())
        && let Some(rest) = rest.strip_prefix(": ")
    {
        name = rest;
    }
    let name = without_index(name);
    (
        format!("{} {name} {}", span.kind.label(), arguments.join(" ")),
        label,
    )
}

/// Arguments that say how an operation ran, and not what it does.
const OTHERS: [&str; 9] = [
    CALL_LABEL,
    ITERATION,
    "engine",
    "exchange",
    "generation",
    "part",
    "parts",
    "rank",
    "revision",
];

fn shown(value: &Value) -> String {
    match value {
        Value::Text(text) => text.to_string(),
        other => format!("{other:?}"),
    }
}

/// A text without what stands in square brackets.
fn without_index(text: &str) -> String {
    let mut depth = 0_u32;
    let kept = text.chars().filter(|c| {
        depth += u32::from(*c == '[');
        let is_kept = depth == 0;
        depth -= u32::from(*c == ']' && depth > 0);
        is_kept
    });
    kept.collect()
}

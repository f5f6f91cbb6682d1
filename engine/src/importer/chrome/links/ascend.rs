//! Waits and records of Ascend's streams. No number ties them: a wait ends when the record that it waited for does.

use super::order::Order;
use super::{Ties, rests_on};
use crate::importer::Sink;
use crate::importer::chrome::build::Builder;
use crate::importer::chrome::work::Operation;
use crate::record::{Basis, DependencyKind};

/// How far apart the two may end, in nanoseconds.
const NEAR: i64 = 1_000;

/// Ties each wait to the record on another stream that ended with it.
pub(super) fn tie(builder: &mut Builder, order: &Order, ties: &mut Ties, sink: &mut Sink<'_>) {
    let named = |name: &str| -> Vec<Operation> {
        let all = order.all().iter();
        all.filter(|it| builder.texts.text(it.name) == name)
            .copied()
            .collect()
    };
    let (mut records, waits) = (named("EVENT_RECORD"), named("EVENT_WAIT"));
    records.sort_by_key(|it| it.end);
    for wait in waits {
        ties.waits += 1;
        let first = records.partition_point(|it| it.end < wait.end.saturating_sub(NEAR));
        let near = records
            .iter()
            .skip(first)
            .take_while(|it| it.end <= wait.end.saturating_add(NEAR));
        let (process, stream) = order.stream_of(&wait);
        let others = near.filter(|it| {
            let other = order.stream_of(it);
            other.0 == process && other.1 != stream
        });
        let text = if let Some(record) = others.min_by_key(|it| it.end.abs_diff(wait.end)) {
            ties.tie(
                (record.span, wait.span),
                DependencyKind::Event,
                Basis::Inferred,
                sink,
            );
            "times: it ended with a record on another stream; the file names no event"
        } else {
            ties.unresolved += 1;
            "nothing: no record on another stream ended with it"
        };
        rests_on(builder, wait.span, text, sink);
    }
}

//! Waits of streams of which only the calls are known: the streams are concluded from what was launched around them.

use std::collections::{BTreeMap, BTreeSet};

use super::order::LaunchOrder;
use super::{DependencySummary, rests_on};
use crate::importer::RecordSink;
use crate::importer::chrome::build::ChromeBuilder;
use crate::importer::chrome::class::ApiVerb;
use crate::importer::chrome::scan::RowToken;
use crate::importer::chrome::work::{ChromeCall, ChromeOperation};
use record::{Basis, DependencyKind, SpanId};

/// How far back work is looked at for each wait.
const REACH: usize = 256;

/// Ties the next work that a thread launched after a wait to the last work that its process launched, before the
/// record before the wait, on another stream. Where the times contradict that, nothing is tied.
pub(super) fn report_dependencies(
    builder: &mut ChromeBuilder,
    order: &LaunchOrder,
    ties: &mut DependencySummary,
    sink: &mut RecordSink<'_>,
) {
    let calls = |verb| {
        builder
            .work
            .calls
            .iter()
            .filter(move |it| it.verb == verb)
            .copied()
    };
    let waits: Vec<ChromeCall> = calls(ApiVerb::Wait).collect();
    ties.wait_calls = waits.len() as u64;
    // Where the file tells of waits itself, it leaves out those of streams that it has no work of, or none yet: nothing can be
    // concluded from their calls.
    if ties.waits > 0 {
        let told: BTreeSet<Option<i64>> = builder
            .work
            .details
            .iter()
            .map(|it| it.correlation)
            .collect();
        let untold = waits.iter().filter(|it| {
            !told.contains(&Some(it.correlation))
                && order.next_of_thread(it.row, it.start).is_some()
        });
        ties.left_out = untold.count() as u64;
        return;
    }
    let mut records: BTreeMap<u32, Vec<i64>> = BTreeMap::new();
    for record in calls(ApiVerb::Record) {
        records.entry(record.row).or_default().push(record.start);
    }
    for list in records.values_mut() {
        list.sort_unstable();
    }
    let mut done: BTreeSet<(SpanId, SpanId)> = BTreeSet::new();
    for wait in waits {
        let recorded = records.get(&wait.row).and_then(|list| {
            let before = list.partition_point(|it| *it < wait.start);
            list.get(before.checked_sub(1)?).copied()
        });
        let process = builder
            .rows
            .get(wait.row)
            .map_or(RowToken::None, |it| it.row.0);
        let instant = recorded.unwrap_or(wait.start);
        let Some((cause, effect)) = pair(order, &wait, process, instant) else {
            continue;
        };
        if cause.end > effect.start {
            ties.contradicted += 1;
            continue;
        }
        let text = "the order of calls alone: the file names neither stream nor event";
        rests_on(builder, wait.span, text, sink);
        if done.insert((cause.span, effect.span)) {
            ties.from_calls += 1;
            ties.report(
                (cause.span, effect.span),
                DependencyKind::Event,
                Basis::Inferred,
                sink,
            );
        }
    }
}

/// The work that a wait probably held back, and the work that it probably waited for.
fn pair<'a>(
    order: &'a LaunchOrder,
    wait: &ChromeCall,
    process: RowToken,
    instant: i64,
) -> Option<(&'a ChromeOperation, &'a ChromeOperation)> {
    let effect = order.next_of_thread(wait.row, wait.start)?;
    let before = order.of_host(process, instant).take(REACH);
    let (process, stream) = order.stream_of(effect);
    let mut others = before.filter(|it| {
        let other = order.stream_of(it);
        other.0 == process && other.1 != stream
    });
    Some((others.next()?, effect))
}

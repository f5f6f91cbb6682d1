//! Host calls that blocked, and the work that they waited for.

use std::collections::BTreeSet;

use super::order::LaunchOrder;
use super::{CLOCKS, DependencySummary};
use crate::importer::RecordSink;
use crate::importer::chrome::build::ChromeBuilder;
use crate::importer::chrome::class::ApiVerb;
use crate::importer::chrome::scan::{RowToken, words};
use crate::importer::chrome::work::{ChromeCall, ChromeOperation, SyncDetail};
use record::{Basis, DependencyKind, SpanId};

/// How far back work is looked at for each call of which only the name is known.
const REACH: usize = 256;

/// Ties each blocking call of which only the name is known to what it waited for.
pub(super) fn report_dependencies(
    builder: &ChromeBuilder,
    order: &LaunchOrder,
    ties: &mut DependencySummary,
    sink: &mut RecordSink<'_>,
) {
    let details = builder.work.details.iter();
    let syncs = [words::EVENT_SYNC, words::STREAM_SYNC, words::CONTEXT_SYNC];
    let told = details.filter(|it| syncs.contains(&it.name));
    let told: BTreeSet<i64> = told.filter_map(|it| it.correlation).collect();
    for call in builder.work.calls.iter().filter(|it| it.verb.blocks()) {
        if !told.contains(&call.correlation) {
            tie_call(builder, order, call, ties, sink);
        }
    }
}

/// A call that the file says to have waited.
pub(super) struct BlockedCall {
    pub effect: SpanId,
    pub called: i64,
    pub end: i64,
    pub basis: Basis,
}

/// The call that a row of waits of the host is about. One that only asks whether something is complete blocks nobody.
pub(super) fn blocked(builder: &ChromeBuilder, detail: &SyncDetail) -> BlockedCall {
    let call = detail.correlation.and_then(|it| builder.work.of(it));
    BlockedCall {
        effect: call.map_or(detail.span, |it| it.span),
        called: call.map_or(detail.start, |it| it.start),
        end: call.map_or(detail.end, |it| it.end),
        basis: if call.is_some_and(|it| !it.verb.blocks()) {
            Basis::Observed
        } else {
            Basis::Enforced
        },
    }
}

/// A blocking call of which only the name is known.
fn tie_call(
    builder: &ChromeBuilder,
    order: &LaunchOrder,
    call: &ChromeCall,
    ties: &mut DependencySummary,
    sink: &mut RecordSink<'_>,
) {
    let process = builder
        .rows
        .get(call.row)
        .map_or(RowToken::None, |it| it.row.0);
    let device = order
        .of_host(process, call.start)
        .next()
        .map(|it| order.stream_of(it).0);
    if call.verb == ApiVerb::SyncDevice {
        if device.is_some() {
            let causes = order.last_of_each(device, call.start);
            tie_all(&causes, (call.span, call.end), Basis::Enforced, ties, sink);
        }
        return;
    }
    // The work that ended last while the call blocked is what it waited for; where none did, it did not wait.
    let within = order
        .of_host(process, call.start)
        .take(REACH)
        .filter(|it| call.start < it.end && it.end <= call.end);
    if let Some(cause) = within.max_by_key(|it| it.end) {
        ties.report(
            (cause.span, call.span),
            DependencyKind::Synchronization,
            Basis::Inferred,
            sink,
        );
    }
}

/// Ties what had ended when the call returned, as far as the clocks can tell; a query of an event returns before.
pub(super) fn tie_all(
    causes: &[&ChromeOperation],
    (effect, end): (SpanId, i64),
    basis: Basis,
    ties: &mut DependencySummary,
    sink: &mut RecordSink<'_>,
) {
    let clocks = if basis == Basis::Observed { 0 } else { CLOCKS };
    let ended = |it: &&&ChromeOperation| it.end <= end.saturating_add(clocks);
    for cause in causes.iter().filter(ended) {
        let both = (cause.span, effect);
        ties.report(both, DependencyKind::Synchronization, basis, sink);
    }
}

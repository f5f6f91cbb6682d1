//! Host calls that blocked, and the work that they waited for.

use std::collections::BTreeSet;

use super::Ties;
use super::order::Order;
use super::waits::stream;
use crate::importer::Sink;
use crate::importer::chrome::build::Builder;
use crate::importer::chrome::class::Verb;
use crate::importer::chrome::scan::{Token, words};
use crate::importer::chrome::work::{Call, Detail, Operation};
use crate::record::{Basis, DependencyKind, SpanId};

/// How far back work is looked at for each call of which only the name is known.
const REACH: usize = 256;

/// Ties each blocking call to what it waited for.
pub(super) fn tie(builder: &Builder, order: &Order, ties: &mut Ties, sink: &mut Sink<'_>) {
    let mut told = BTreeSet::new();
    for detail in &builder.work.details {
        if [words::EVENT_SYNC, words::STREAM_SYNC, words::CONTEXT_SYNC].contains(&detail.name) {
            told.extend(detail.correlation);
            tie_detail(builder, order, detail, ties, sink);
        }
    }
    for call in builder.work.calls.iter().filter(|it| it.verb.blocks()) {
        if !told.contains(&call.correlation) {
            tie_call(builder, order, call, ties, sink);
        }
    }
}

/// A wait of the host that the file tells of.
fn tie_detail(
    builder: &Builder,
    order: &Order,
    detail: &Detail,
    ties: &mut Ties,
    sink: &mut Sink<'_>,
) {
    let call = detail.correlation.and_then(|it| builder.work.of(it));
    let (effect, called, end) = call.map_or((detail.span, detail.start, detail.end), |it| {
        (it.span, it.start, it.end)
    });
    let causes: Vec<&Operation> = match detail.name {
        words::EVENT_SYNC => {
            let record = detail.wait_record.and_then(|it| builder.work.of(it));
            let from = stream(detail.wait_stream).zip(record);
            let last = from
                .and_then(|(from, record)| order.last_before((detail.process, from), record.start));
            last.into_iter().collect()
        }
        words::STREAM_SYNC => {
            let on = stream(detail.stream);
            on.and_then(|on| order.last_before((detail.process, on), called))
                .into_iter()
                .collect()
        }
        _ => order.last_of_each(Some(detail.process), called),
    };
    tie_all(&causes, effect, end, Basis::Enforced, ties, sink);
}

/// A blocking call of which only the name is known.
fn tie_call(builder: &Builder, order: &Order, call: &Call, ties: &mut Ties, sink: &mut Sink<'_>) {
    let process = builder
        .rows
        .get(call.row)
        .map_or(Token::None, |it| it.row.0);
    let device = order
        .of_host(process, call.start)
        .next()
        .map(|it| order.stream_of(it).0);
    if call.verb == Verb::SyncDevice {
        if device.is_some() {
            let causes = order.last_of_each(device, call.start);
            tie_all(&causes, call.span, call.end, Basis::Enforced, ties, sink);
        }
        return;
    }
    // The work that ended last while the call blocked is what it waited for; where none did, it did not wait.
    let within = order
        .of_host(process, call.start)
        .take(REACH)
        .filter(|it| call.start < it.end && it.end <= call.end);
    if let Some(cause) = within.max_by_key(|it| it.end) {
        ties.tie(
            (cause.span, call.span),
            DependencyKind::Synchronization,
            Basis::Inferred,
            sink,
        );
    }
}

/// Ties what had ended when the call returned; a query of an event returns before.
fn tie_all(
    causes: &[&Operation],
    effect: SpanId,
    end: i64,
    basis: Basis,
    ties: &mut Ties,
    sink: &mut Sink<'_>,
) {
    for cause in causes.iter().filter(|it| it.end <= end) {
        ties.tie(
            (cause.span, effect),
            DependencyKind::Synchronization,
            basis,
            sink,
        );
    }
}

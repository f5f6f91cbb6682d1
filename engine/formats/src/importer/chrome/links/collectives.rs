//! The parts of one collective operation on several devices, matched by name, group and sequence.

use std::collections::{BTreeMap, BTreeSet};

use super::DependencySummary;
use super::order::LaunchOrder;
use crate::importer::chrome::build::ChromeBuilder;
use crate::importer::chrome::scan::RowToken;
use crate::importer::chrome::work::{ChromeOperation, CollectiveKey};
use crate::importer::{Receipt, RecordSink};
use record::{Basis, DependencyKind};

/// Ties the part that started last, which all others had to wait for, to each of the others.
pub(super) fn report_dependencies(
    builder: &ChromeBuilder,
    order: &LaunchOrder,
    ties: &mut DependencySummary,
    (receipt, sink): (&mut Receipt, &mut RecordSink<'_>),
) {
    let all = order.all().iter().filter(|it| it.collective);
    let mut lists: BTreeMap<(u32, CollectiveKey), BTreeMap<RowToken, Vec<ChromeOperation>>> =
        BTreeMap::new();
    let mut devices = BTreeSet::new();
    for operation in all {
        let (process, _) = order.stream_of(operation);
        devices.insert(process);
        let group = builder.work.group_of(operation.span);
        let of = lists.entry((operation.name, group)).or_default();
        of.entry(process).or_default().push(*operation);
    }
    if devices.len() < 2 {
        return;
    }
    receipt.knows_collectives = true;
    for ((_, key), mut parts) in lists {
        let is_numbered = key.number.is_some();
        for list in parts.values_mut() {
            list.sort_by_key(|it| it.start);
        }
        // A device that took no further part is not looked at again.
        let mut lists: Vec<_> = parts.values().map(|it| it.iter()).collect();
        while !lists.is_empty() {
            let mut members: Vec<&ChromeOperation> = Vec::new();
            lists.retain_mut(|list| {
                let member = list.next();
                members.extend(member);
                member.is_some()
            });
            tie_one(&members, is_numbered, ties, sink);
        }
    }
}

/// Ties the members of one, if the file numbers it or they were at work together.
fn tie_one(
    members: &[&ChromeOperation],
    is_numbered: bool,
    ties: &mut DependencySummary,
    sink: &mut RecordSink<'_>,
) {
    let Some(last) = members.iter().max_by_key(|it| it.start) else {
        return;
    };
    let ended = members.iter().map(|it| it.end).min();
    if !is_numbered && ended.is_some_and(|ended| ended < last.start) {
        return;
    }
    let basis = if is_numbered {
        Basis::Enforced
    } else {
        Basis::Inferred
    };
    for member in members.iter().filter(|it| it.span != last.span) {
        ties.report(
            (last.span, member.span),
            DependencyKind::Collective,
            basis,
            sink,
        );
    }
}

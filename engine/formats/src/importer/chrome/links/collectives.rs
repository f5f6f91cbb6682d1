//! The parts of one collective operation on several devices, matched by name, group and sequence.

use std::collections::{BTreeMap, BTreeSet};

use super::DependencySummary;
use super::order::LaunchOrder;
use crate::importer::RecordSink;
use crate::importer::chrome::build::ChromeBuilder;
use crate::importer::chrome::scan::RowToken;
use crate::importer::chrome::work::ChromeOperation;
use record::{Basis, DependencyKind};

/// Ties the part that started last, which all others had to wait for, to each of the others.
pub(super) fn report_dependencies(
    builder: &ChromeBuilder,
    order: &LaunchOrder,
    ties: &mut DependencySummary,
    sink: &mut RecordSink<'_>,
) {
    let all = order.all().iter().filter(|it| it.collective);
    let mut lists: BTreeMap<(u32, u32), BTreeMap<RowToken, Vec<ChromeOperation>>> = BTreeMap::new();
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
    for mut parts in lists.into_values() {
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
            tie_one(&members, ties, sink);
        }
    }
}

/// Ties the members of one, if they were at work together.
fn tie_one(members: &[&ChromeOperation], ties: &mut DependencySummary, sink: &mut RecordSink<'_>) {
    let Some(last) = members.iter().max_by_key(|it| it.start) else {
        return;
    };
    let ended = members.iter().map(|it| it.end).min();
    if ended.is_some_and(|ended| ended < last.start) {
        return;
    }
    for member in members.iter().filter(|it| it.span != last.span) {
        ties.report(
            (last.span, member.span),
            DependencyKind::Collective,
            Basis::Inferred,
            sink,
        );
    }
}

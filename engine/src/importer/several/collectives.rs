//! Collective operations: the kernels that several ranks ran for one exchange, matched by name, group and sequence.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::Part;
use crate::record::{
    Basis, Dependency, DependencyKind, EventId, NameId, Record, Span, SpanId, SpanKind, Value,
};
use crate::time::Nanos;

/// What NCCL, RCCL and HCCL call their operations, in lower case.
const OPERATIONS: &[&str] = &[
    "allreduce",
    "allgather",
    "reducescatter",
    "alltoall",
    "broadcast",
    "sendrecv",
    "reduce",
    "gather",
    "scatter",
];

/// Arguments that name the group of ranks, best first.
const GROUPS: &[&str] = &[
    "Process Group Name",
    "Process Group Description",
    "groupName",
    "group_name",
    "comm",
];
/// Arguments that number the operations of a group.
const SEQUENCES: &[&str] = &["Seq", "seq", "seq_num", "Sequence number", "sequence"];

/// A part of an exchange.
#[derive(Clone, Copy, Debug)]
struct Found {
    part: usize,
    span: SpanId,
    start: Nanos,
    operation: &'static str,
}

/// Everything that may be part of an exchange.
#[derive(Debug, Default)]
pub(super) struct Collectives {
    operations: HashMap<NameId, &'static str>,
    groups: HashMap<NameId, usize>,
    sequences: HashSet<NameId>,
    found: Vec<Found>,
    /// The group of a span, and how good the argument was that named it.
    group_of: HashMap<SpanId, (usize, Box<str>)>,
    sequence_of: HashMap<SpanId, i64>,
}

/// What tells an exchange from all others: its operation, its group and its number.
type Key = (&'static str, Box<str>, Option<i64>);

impl Collectives {
    /// Looks at a record of the file at place `part`.
    pub fn see(&mut self, record: &Record, part: usize) {
        match record {
            Record::Name(id, text) => self.see_name(*id, text),
            Record::Span(span) => self.see_span(span, part),
            Record::Argument(span, name, value) => self.see_argument(*span, *name, value),
            _ => {}
        }
    }

    fn see_name(&mut self, id: NameId, text: &str) {
        if let Some(operation) = operation(text) {
            self.operations.insert(id, operation);
        }
        if let Some(rank) = GROUPS.iter().position(|it| *it == text) {
            self.groups.insert(id, rank);
        }
        if SEQUENCES.contains(&text) {
            self.sequences.insert(id);
        }
    }

    fn see_span(&mut self, span: &Span, part: usize) {
        if !matches!(span.kind, SpanKind::Kernel | SpanKind::Copy) {
            return;
        }
        if let Some(&operation) = self.operations.get(&span.name) {
            self.found.push(Found {
                part,
                span: span.id,
                start: span.start,
                operation,
            });
        }
    }

    fn see_argument(&mut self, span: SpanId, name: NameId, value: &Value) {
        if let Some(&rank) = self.groups.get(&name) {
            let text = match value {
                Value::Text(text) => text.clone(),
                other => format!("{other:?}").into(),
            };
            let known = self.group_of.entry(span).or_insert((rank, text.clone()));
            if rank < known.0 {
                *known = (rank, text);
            }
        }
        if self.sequences.contains(&name)
            && let Value::Integer(number) = value
        {
            self.sequence_of.insert(span, *number);
        }
    }

    /// A dependency from the part that came last to each other part of its exchange, and what could not be matched.
    pub fn ties(&mut self, parts: &[Part]) -> (Vec<Record>, Vec<String>) {
        let mut found = std::mem::take(&mut self.found);
        found.sort_by_key(|it| (it.start, it.span));
        let mut by_key: BTreeMap<Key, Vec<Vec<Found>>> = BTreeMap::new();
        for one in found {
            let group = self.group_of.get(&one.span);
            let group = group.map_or_else(Box::default, |(_, text)| text.clone());
            let key = (
                one.operation,
                group,
                self.sequence_of.get(&one.span).copied(),
            );
            let ranks = by_key
                .entry(key)
                .or_insert_with(|| vec![Vec::new(); parts.len()]);
            if let Some(rank) = ranks.get_mut(one.part) {
                rank.push(one);
            }
        }
        let (mut ties, mut notes) = (Vec::new(), Vec::new());
        for ((operation, group, sequence), ranks) in by_key {
            let taking: Vec<&Vec<Found>> = ranks.iter().filter(|it| !it.is_empty()).collect();
            let count = taking.first().map_or(0, |rank| rank.len());
            if taking.len() < 2 {
                continue;
            }
            if taking.iter().any(|rank| rank.len() != count) {
                notes.push(unequal(operation, &group, &ranks, parts));
                continue;
            }
            for nth in 0..count {
                let exchange = taking.iter().filter_map(|rank| rank.get(nth)).copied();
                tie(exchange.collect(), sequence.is_some(), &mut ties);
            }
        }
        (ties, notes)
    }
}

/// Ties the part that started last, which all others waited for, to each of them.
fn tie(exchange: Vec<Found>, is_numbered: bool, ties: &mut Vec<Record>) {
    let Some(last) = exchange
        .iter()
        .max_by_key(|it| (it.start, it.span))
        .copied()
    else {
        return;
    };
    let others = exchange.into_iter().filter(|it| it.span != last.span);
    ties.extend(others.map(|other| {
        Record::Dependency(Dependency {
            cause: last.span,
            effect: other.span,
            kind: DependencyKind::Collective,
            basis: if is_numbered {
                Basis::Enforced
            } else {
                Basis::Inferred
            },
            event: EventId::NONE,
            generation: 0,
        })
    }));
}

fn unequal(operation: &str, group: &str, ranks: &[Vec<Found>], parts: &[Part]) -> String {
    let counts: Vec<String> = ranks
        .iter()
        .zip(parts)
        .map(|(found, part)| format!("{} in {}", found.len(), part.label))
        .collect();
    let of = if group.is_empty() {
        String::new()
    } else {
        format!(" of group {group}")
    };
    format!(
        "{operation}{of} ran a different number of times ({}) and the files do not number its runs: which belong \
         together cannot be known.",
        counts.join(", ")
    )
}

/// The operation that a kernel's name speaks of, where it is one of a library for collective operations.
fn operation(name: &str) -> Option<&'static str> {
    let name = name.to_ascii_lowercase();
    let known = ["nccl", "rccl", "hcom_", "hccl", "msccl"];
    if !known.iter().any(|library| name.contains(library)) {
        return None;
    }
    let plain: String = name.chars().filter(char::is_ascii_alphanumeric).collect();
    OPERATIONS.iter().find(|it| plain.contains(*it)).copied()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{CallId, LaneId, State};

    fn run(counts: &[usize], numbered: bool) -> (Vec<Record>, Vec<String>) {
        let mut all = Collectives::default();
        all.see(
            &Record::Name(NameId(0), "ncclKernel_AllReduce_RING_LL_Sum_float".into()),
            0,
        );
        all.see(&Record::Name(NameId(1), "Seq".into()), 0);
        let mut id = 0;
        for (part, &count) in counts.iter().enumerate() {
            for nth in 0..count {
                let start = Nanos(nth as i64 * 1000 + part as i64 * 10);
                all.see(
                    &Record::Span(Span {
                        id: SpanId(id),
                        lane: LaneId(part as u32),
                        name: NameId(0),
                        call: CallId::NONE,
                        kind: SpanKind::Kernel,
                        state: State::Done,
                        enqueued: start,
                        start,
                        end: start + Nanos(500),
                    }),
                    part,
                );
                if numbered {
                    let number = Value::Integer(nth as i64);
                    all.see(&Record::Argument(SpanId(id), NameId(1), number), part);
                }
                id += 1;
            }
        }
        all.ties(&vec![Part::default(); counts.len()])
    }

    #[test]
    fn the_last_to_come_is_the_cause_of_the_others() {
        let (ties, notes) = run(&[2, 2, 2], false);
        assert!(notes.is_empty());
        let pairs: Vec<_> = ties
            .iter()
            .map(|record| match record {
                Record::Dependency(tie) => (tie.cause.0, tie.effect.0, tie.basis),
                _ => panic!("{record:?}"),
            })
            .collect();
        let inferred = Basis::Inferred;
        assert_eq!(
            pairs,
            [
                (4, 0, inferred),
                (4, 2, inferred),
                (5, 1, inferred),
                (5, 3, inferred)
            ]
        );
    }

    #[test]
    fn without_numbers_unequal_counts_are_said_and_not_guessed() {
        let (ties, notes) = run(&[2, 3], false);
        assert!(ties.is_empty() && notes[0].contains("allreduce"));
        let (ties, notes) = run(&[2, 3], true);
        assert_eq!((ties.len(), notes.len()), (2, 0));
    }

    #[test]
    fn operations_of_all_libraries_are_known() {
        assert_eq!(
            operation("ncclDevKernel_AllGather_RING_LL(x)"),
            Some("allgather")
        );
        assert_eq!(operation("hcom_allReduce__868_0_1"), Some("allreduce"));
        assert_eq!(
            operation("ncclKernel_SendRecv_RING_SIMPLE"),
            Some("sendrecv")
        );
        assert_eq!(operation("reduce_kernel<512>"), None);
    }
}

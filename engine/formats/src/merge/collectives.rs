//! Collective operations: the kernels that several ranks ran for one exchange, matched by name, group and sequence.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use record::time::Interval;
use record::{
    Basis, COLLECTIVE_GROUPS, Dependency, DependencyKind, DeviceId, LaneId, NameId, Record, Span,
    SpanId, SpanKind, Value,
};

/// What NCCL, RCCL, HCCL and gloo call their operations, in lower case.
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
    "barrier",
    "send",
    "recv",
];
/// Both ends of one message are parts of one exchange.
const MESSAGE: &str = "sendrecv";
/// How gloo's own spans begin, which are of host threads.
const GLOO: &str = "gloo:";

/// Arguments that number the operations of a group.
const SEQUENCES: &[&str] = &["Seq", "seq", "seq_num", "Sequence number", "sequence"];
/// The argument that says how large what an operation moves is.
const SHAPE: &str = "Input Dims";

/// Who takes part in an exchange: a device of a file, or a file whose lanes name none.
type RankKey = (usize, Option<DeviceId>);

/// A part of an exchange.
#[derive(Clone, Copy, Debug)]
struct CollectivePart {
    rank: RankKey,
    span: SpanId,
    time: Interval,
    operation: &'static str,
    /// Whether it is a host thread's.
    is_host: bool,
}

/// Everything that may be part of an exchange.
#[derive(Debug, Default)]
pub struct Collectives {
    /// By name the operation, and whether it is one of host threads.
    operations: HashMap<NameId, (&'static str, bool)>,
    groups: HashMap<NameId, usize>,
    sequences: HashSet<NameId>,
    lanes: HashMap<LaneId, DeviceId>,
    devices: HashMap<DeviceId, String>,
    found: Vec<CollectivePart>,
    /// Whether the records say themselves which belong together.
    is_tied: bool,
    /// The group of a span, and how good the argument was that named it.
    group_of: HashMap<SpanId, (usize, Box<str>)>,
    sequence_of: HashMap<SpanId, i64>,
    /// The names of arguments that say how large what is moved is, and what they say, as a number.
    shapes: HashSet<NameId>,
    shape_of: HashMap<SpanId, u64>,
}

/// What tells an exchange from all others: its operation, its group, its number, and of those of host threads, which have none,
/// its shape.
type ExchangeKey = (&'static str, Box<str>, Option<i64>, Option<u64>);

impl Collectives {
    /// Looks at a record of the file at place `part`.
    pub fn see(&mut self, record: &Record, part: usize) {
        match record {
            Record::Name(id, text) => self.see_name(*id, text),
            Record::Device(device) => {
                self.devices.insert(device.id, device.name.clone());
            }
            Record::Lane(lane) => {
                self.lanes
                    .extend(lane.device.map(|device| (lane.id, device)));
            }
            Record::Span(span) => self.see_span(span, part),
            Record::Argument(span, name, value) => self.see_argument(*span, *name, value),
            Record::Dependency(tie) => self.is_tied |= tie.kind == DependencyKind::Collective,
            _ => {}
        }
    }

    fn see_name(&mut self, id: NameId, text: &str) {
        if let Some(operation) = operation(text) {
            self.operations.insert(id, operation);
        }
        if let Some(rank) = COLLECTIVE_GROUPS.iter().position(|it| *it == text) {
            self.groups.insert(id, rank);
        }
        if SEQUENCES.contains(&text) {
            self.sequences.insert(id);
        }
        if text == SHAPE {
            self.shapes.insert(id);
        }
    }

    fn see_span(&mut self, span: &Span, part: usize) {
        if let Some(&(operation, is_host)) = self.operations.get(&span.name)
            && (is_host || matches!(span.kind, SpanKind::Kernel | SpanKind::Copy))
        {
            self.found.push(CollectivePart {
                rank: (part, self.lanes.get(&span.lane).copied()),
                span: span.id,
                time: Interval::new(span.start, span.end),
                operation,
                is_host,
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
        if self.shapes.contains(&name)
            && let Value::Text(text) = value
        {
            let mut hasher = DefaultHasher::new();
            text.hash(&mut hasher);
            self.shape_of.insert(span, hasher.finish());
        }
    }

    /// A dependency from the part that came last to each other part of its exchange, and what could not be matched.
    pub fn ties(&mut self, parts: &[&str]) -> (Vec<Record>, Vec<String>) {
        if self.is_tied && parts.len() < 2 {
            return Default::default();
        }
        let mut found = std::mem::take(&mut self.found);
        found.sort_by_key(|it| (it.time.start, it.span));
        let mut by_key: BTreeMap<ExchangeKey, BTreeMap<RankKey, Vec<CollectivePart>>> =
            BTreeMap::new();
        for one in found {
            let group = self.group_of.get(&one.span);
            let group = group.map_or_else(Box::default, |(_, text)| text.clone());
            let sequence = self.sequence_of.get(&one.span).copied();
            let shape = self.shape_of.get(&one.span).copied();
            let shape = shape.filter(|_| one.is_host && sequence.is_none());
            let ranks = by_key.entry((one.operation, group, sequence, shape));
            let rank = ranks.or_default().entry(one.rank).or_default();
            rank.push(one);
        }
        let (mut ties, mut notes) = (Vec::new(), Vec::new());
        for ((operation, group, sequence, _), ranks) in by_key {
            let count = ranks.values().next().map_or(0, Vec::len);
            if ranks.len() < 2 {
                continue;
            }
            if ranks.values().any(|rank| rank.len() != count) {
                notes.push(self.unequal(operation, &group, &ranks, parts));
                continue;
            }
            let mut apart = 0;
            for nth in 0..count {
                let exchange = ranks.values().filter_map(|rank| rank.get(nth)).copied();
                let exchange: Vec<CollectivePart> = exchange.collect();
                // Nobody is through before the last has come. The clocks of several files may be off by more.
                if parts.len() < 2 && sequence.is_none() && !is_at_once(&exchange) {
                    apart += 1;
                } else {
                    add_dependencies(exchange, sequence.is_some(), &mut ties);
                }
            }
            if apart > 0 {
                notes.push(format!(
                    "{apart} of {count} runs of {operation} on {} devices did not overlap: they are of several \
                     exchanges, which the file does not tell apart.",
                    ranks.len()
                ));
            }
        }
        (ties, notes)
    }

    fn unequal(
        &self,
        operation: &str,
        group: &str,
        ranks: &BTreeMap<RankKey, Vec<CollectivePart>>,
        parts: &[&str],
    ) -> String {
        let place = |rank: &RankKey| match (parts.get(rank.0), rank.1) {
            (_, Some(device)) if parts.len() < 2 => self
                .devices
                .get(&device)
                .map_or_else(|| format!("device {}", device.0), Clone::clone),
            (Some(part), _) => (*part).to_owned(),
            (None, _) => String::from("the file"),
        };
        let counts: Vec<String> = ranks
            .iter()
            .map(|(rank, found)| format!("{} in {}", found.len(), place(rank)))
            .collect();
        let of = if group.is_empty() {
            String::new()
        } else {
            format!(" of group {group}")
        };
        format!(
            "{operation}{of} ran a different number of times ({}) and its runs are not numbered: which belong \
             together cannot be known.",
            counts.join(", ")
        )
    }
}

/// Whether there is an instant at which all of them ran.
fn is_at_once(exchange: &[CollectivePart]) -> bool {
    let last = exchange.iter().map(|it| it.time.start).max();
    let first = exchange.iter().map(|it| it.time.end).min();
    last <= first
}

/// Ties the part that started last, which all others waited for, to each of them.
fn add_dependencies(exchange: Vec<CollectivePart>, is_numbered: bool, ties: &mut Vec<Record>) {
    let Some(last) = exchange
        .iter()
        .max_by_key(|it| (it.time.start, it.span))
        .copied()
    else {
        return;
    };
    let others = exchange.into_iter().filter(|it| it.span != last.span);
    let basis = if is_numbered {
        Basis::Enforced
    } else {
        Basis::Inferred
    };
    let kind = DependencyKind::Collective;
    ties.extend(
        others.map(|other| Record::Dependency(Dependency::new(last.span, other.span, kind, basis))),
    );
}

/// The operation that a name speaks of, where it is one of a library for collective operations, and whether host threads do it.
fn operation(name: &str) -> Option<(&'static str, bool)> {
    if let Some(own) = name.strip_prefix(GLOO) {
        return Some((plain(own)?, true));
    }
    // Few names are of any, and there may be millions of others.
    let bytes = name.as_bytes();
    memchr::memchr2_iter(b'c', b'C', bytes).find(|&at| {
        let next = bytes.get(at + 1);
        next.is_some_and(|next| matches!(next, b'c' | b'C' | b'o' | b'O'))
    })?;
    let name = name.to_ascii_lowercase();
    let known = ["nccl", "rccl", "hcom_", "hccl", "msccl"];
    let is_known = known.iter().any(|library| name.contains(library));
    Some((plain(&name).filter(|_| is_known)?, false))
}

/// The operation among the letters of a name.
fn plain(name: &str) -> Option<&'static str> {
    let letters = name.chars().filter(char::is_ascii_alphanumeric);
    let letters: String = letters.map(|it| it.to_ascii_lowercase()).collect();
    let found = OPERATIONS.iter().find(|it| letters.contains(*it)).copied();
    found.map(|it| {
        if matches!(it, "send" | "recv") {
            MESSAGE
        } else {
            it
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use record::time::Nanos;
    use record::{CallId, Group, Lane, Role, State};

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
        all.ties(&vec![""; counts.len()])
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

    /// Runs on two devices of one file, each from when to when.
    fn one_file(runs: &[[(i64, i64); 2]]) -> (Vec<Record>, Vec<String>) {
        let mut all = Collectives::default();
        all.see(&Record::Name(NameId(0), "ncclDevKernel_SendRecv".into()), 0);
        for device in 0..2 {
            let lane = Lane {
                id: LaneId(device),
                group: Group::Streams,
                device: Some(DeviceId(device)),
                role: Role::Collective,
                name: format!("Stream {device}"),
                order: 0,
                process: "".into(),
                thread: "".into(),
            };
            all.see(&Record::Lane(Box::new(lane)), 0);
        }
        let flat = runs.iter().flat_map(|run| run.iter().enumerate());
        for (id, (device, &(start, end))) in flat.enumerate() {
            let span = Span {
                id: SpanId(id as u32),
                lane: LaneId(device as u32),
                name: NameId(0),
                call: CallId::NONE,
                kind: SpanKind::Kernel,
                state: State::Done,
                enqueued: Nanos(start),
                start: Nanos(start),
                end: Nanos(end),
            };
            all.see(&Record::Span(span), 0);
        }
        all.ties(&[""])
    }

    #[test]
    fn devices_of_one_file_are_tied_where_they_ran_at_once() {
        let (ties, notes) = one_file(&[[(0, 50), (20, 50)], [(100, 150), (90, 140)]]);
        let pair = |record: &Record| match record {
            Record::Dependency(tie) => (tie.cause.0, tie.effect.0),
            _ => panic!("{record:?}"),
        };
        let pairs: Vec<_> = ties.iter().map(pair).collect();
        assert_eq!((pairs, notes.len()), (vec![(1, 0), (2, 3)], 0));
        let (ties, notes) = one_file(&[[(0, 50), (20, 50)], [(100, 150), (190, 240)]]);
        assert_eq!(ties.len(), 1);
        assert!(
            notes[0].starts_with("1 of 2 runs of sendrecv on 2 devices"),
            "{notes:?}"
        );
    }

    /// Spans of host threads of two ranks: the name's number, when, and the shape.
    fn gloo(runs: [&[(u32, i64, &str)]; 2]) -> Vec<(u32, u32, Basis)> {
        let mut all = Collectives::default();
        for (id, name) in [
            (0, "gloo:all_reduce"),
            (1, "gloo:send"),
            (2, "gloo:recv"),
            (3, "Input Dims"),
        ] {
            all.see(&Record::Name(NameId(id), name.into()), 0);
        }
        let flat = runs.iter().enumerate();
        let flat = flat.flat_map(|(part, run)| run.iter().map(move |it| (part, it)));
        for (id, (part, &(name, start, shape))) in flat.enumerate() {
            let id = SpanId(id as u32);
            all.see(
                &Record::Argument(id, NameId(3), Value::Text(shape.into())),
                part,
            );
            let span = Span {
                id,
                lane: LaneId(part as u32),
                name: NameId(name),
                call: CallId::NONE,
                kind: SpanKind::Scope,
                state: State::Done,
                enqueued: Nanos(start),
                start: Nanos(start),
                end: Nanos(start + 5),
            };
            all.see(&Record::Span(span), part);
        }
        let (ties, notes) = all.ties(&["a", "b"]);
        assert_eq!(notes, Vec::<String>::new());
        let mut found: Vec<_> = ties
            .iter()
            .map(|record| match record {
                Record::Dependency(tie) => (tie.cause.0, tie.effect.0, tie.basis),
                _ => panic!("{record:?}"),
            })
            .collect();
        found.sort_unstable_by_key(|it| (it.0, it.1));
        found
    }

    #[test]
    fn gloo_is_tied_by_name_order_and_shape() {
        // Two sizes of one operation, in another order on each rank, and one message.
        let first = [
            (0, 0, "[[8]]"),
            (0, 10, "[[9]]"),
            (0, 20, "[[8]]"),
            (1, 30, "[[1]]"),
        ];
        let second = [
            (0, 2, "[[9]]"),
            (0, 5, "[[8]]"),
            (0, 25, "[[8]]"),
            (2, 29, "[[1]]"),
        ];
        let inferred = Basis::Inferred;
        let expected = [
            (1, 4, inferred),
            (3, 7, inferred),
            (5, 0, inferred),
            (6, 2, inferred),
        ];
        assert_eq!(gloo([&first, &second]), expected);
    }

    #[test]
    fn operations_of_all_libraries_are_known() {
        assert_eq!(
            operation("ncclDevKernel_AllGather_RING_LL(x)"),
            Some(("allgather", false))
        );
        assert_eq!(
            operation("hcom_allReduce__868_0_1"),
            Some(("allreduce", false))
        );
        assert_eq!(
            operation("ncclKernel_SendRecv_RING_SIMPLE"),
            Some(("sendrecv", false))
        );
        assert_eq!(operation("gloo:all_reduce"), Some(("allreduce", true)));
        assert_eq!(operation("gloo:send"), operation("gloo:recv"));
        assert_eq!(operation("c10d::allreduce_"), None);
        assert_eq!(operation("reduce_kernel<512>"), None);
    }
}

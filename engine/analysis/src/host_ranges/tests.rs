//! Projections and call trees of drawn captures against what is counted range by range.

use std::collections::{BTreeMap, BTreeSet};

use super::*;
use record::time::{total, union};
use record::{
    Basis, CallId, Dependency, DependencyKind, Lane, Record, Role, Span, SpanKind, State,
};

/// A drawn capture: two threads, two streams, ranges that nest and cross, calls, and links between ranges.
struct DrawnHost {
    capture: Capture,
    spans: Vec<Span>,
    launches: Vec<(SpanId, SpanId)>,
    links: Vec<(SpanId, SpanId)>,
}

fn lane(id: u32, group: Group) -> Record {
    Record::Lane(Box::new(Lane {
        id: LaneId(id),
        group,
        device: None,
        role: Role::None,
        name: format!("lane {id}"),
        order: 0,
        process: "".into(),
        thread: "".into(),
    }))
}

fn draw(seed: u64) -> DrawnHost {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let mut below = |count: i64| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % count as u64) as i64
    };
    let groups = [Group::Host, Group::Host, Group::Streams, Group::Streams];
    let lanes = (0..).zip(groups).map(|(id, group)| lane(id, group));
    let mut capture = Capture::new();
    capture.apply(lanes);
    capture.apply((0..4).map(|name| Record::Name(NameId(name), format!("n{name}").into())));
    let (mut spans, mut launches, mut links) = (Vec::new(), Vec::new(), Vec::new());
    for place in 0..60_u32 {
        let id = SpanId(spans.len() as u32);
        let start = below(90);
        let (kind, length) = match below(3) {
            0 => (SpanKind::Call, below(4)),
            _ => (SpanKind::Scope, 1 + below(50)),
        };
        spans.push(Span {
            id,
            lane: LaneId(place % 2),
            name: NameId(below(4) as u32),
            call: CallId::NONE,
            kind,
            state: State::Done,
            enqueued: Nanos(start),
            start: Nanos(start),
            end: Nanos(start + length),
        });
        if kind == SpanKind::Call {
            for _ in 0..below(3) {
                let operation = SpanId(spans.len() as u32);
                let start = below(200);
                launches.push((id, operation));
                spans.push(Span {
                    id: operation,
                    lane: LaneId(2 + below(2) as u32),
                    kind: SpanKind::Kernel,
                    enqueued: Nanos(start),
                    start: Nanos(start),
                    end: Nanos(start + below(12)),
                    ..spans[id.index()]
                });
            }
        }
    }
    let ranges: Vec<SpanId> = spans
        .iter()
        .filter(|it| it.kind == SpanKind::Scope)
        .map(|it| it.id)
        .collect();
    for _ in 0..below(6) {
        let [from, to] = [0; 2].map(|_| ranges[below(ranges.len() as i64) as usize]);
        if from != to {
            links.push((from, to));
        }
    }
    capture.apply(spans.iter().copied().map(Record::Span));
    let ties = launches
        .iter()
        .map(|(call, it)| Dependency::submission(*call, *it));
    let flows = links
        .iter()
        .map(|(from, to)| Dependency::new(*from, *to, DependencyKind::Flow, Basis::Declared));
    capture.apply(ties.chain(flows).map(Record::Dependency));
    DrawnHost {
        capture,
        spans,
        launches,
        links,
    }
}

impl DrawnHost {
    fn span(&self, id: SpanId) -> &Span {
        &self.spans[id.index()]
    }

    fn ranges(&self) -> impl Iterator<Item = &Span> {
        self.spans.iter().filter(|it| it.kind == SpanKind::Scope)
    }

    /// The operations whose calls began while a range was open.
    fn launched(&self, range: &Span) -> BTreeSet<SpanId> {
        let within = |call: &Span| {
            call.lane == range.lane && range.start <= call.start && call.start < range.end
        };
        let own = self
            .launches
            .iter()
            .filter(|(call, _)| within(self.span(*call)));
        own.map(|it| it.1).collect()
    }

    /// Those that spans launched which links lead to from within a range, and that it did not launch itself.
    fn linked(&self, range: &Span) -> BTreeSet<SpanId> {
        let own = self.launched(range);
        let within = |from: &Span| {
            from.lane == range.lane && range.start <= from.start && from.start < range.end
        };
        let links = self
            .links
            .iter()
            .filter(|(from, _)| within(self.span(*from)));
        let all = links.flat_map(|(_, to)| self.launched(self.span(*to)));
        all.filter(|it| !own.contains(it)).collect()
    }

    fn stretch(&self, operations: &BTreeSet<SpanId>) -> DeviceStretch {
        let ran: Vec<Interval> = operations
            .iter()
            .map(|it| Interval::new(self.span(*it).start, self.span(*it).end))
            .collect();
        DeviceStretch {
            interval: ran
                .iter()
                .copied()
                .reduce(Interval::union)
                .unwrap_or_default(),
            busy: total(&union(ran)),
            operations: operations.len() as u64,
        }
    }
}

#[test]
fn a_range_is_projected_onto_what_is_counted_for_it() {
    for seed in 1..400 {
        let drawn = draw(seed);
        let ranges = HostRanges::new(&drawn.capture, &HostScope::default());
        let found = ranges.project(HostLevel::Nvtx);
        let found: BTreeMap<SpanId, &RangeProjection> =
            found.iter().map(|it| (it.span, it)).collect();
        for range in drawn.ranges() {
            let (own, linked) = (drawn.launched(range), drawn.linked(range));
            let whole: BTreeSet<SpanId> = own.union(&linked).copied().collect();
            let Some(found) = found.get(&range.id) else {
                assert!(whole.is_empty(), "seed {seed}: {range:?}");
                continue;
            };
            assert_eq!(found.own, drawn.stretch(&own), "seed {seed}: {range:?}");
            assert_eq!(
                found.whole(),
                drawn.stretch(&whole),
                "seed {seed}: {range:?}"
            );
            let alone = found.linked().unwrap_or_default();
            assert_eq!(alone, drawn.stretch(&linked), "seed {seed}: {range:?}");
        }
    }
}

#[test]
fn operations_lead_back_to_the_ranges_that_launched_them() {
    for seed in 1..100 {
        let drawn = draw(seed);
        let ranges = HostRanges::new(&drawn.capture, &HostScope::default());
        let chosen: BTreeSet<SpanId> = drawn.launches.iter().step_by(3).map(|it| it.1).collect();
        let found = ranges.origins(HostLevel::Nvtx, &chosen);
        let found: BTreeMap<SpanId, u64> = found
            .iter()
            .map(|it| (it.span, it.whole().operations))
            .collect();
        let expected = drawn.ranges().filter_map(|range| {
            let all = drawn.launched(range).into_iter().chain(drawn.linked(range));
            let own: BTreeSet<SpanId> = all.filter(|it| chosen.contains(it)).collect();
            (!own.is_empty()).then_some((range.id, own.len() as u64))
        });
        assert_eq!(found, expected.collect(), "seed {seed}");
    }
}

/// The range that each lies in: what began last of those that hold it whole, and of equal ones the first in the file.
fn parents(drawn: &DrawnHost) -> BTreeMap<SpanId, Option<SpanId>> {
    let key = |it: &Span| (it.start, Reverse(it.end), it.id);
    let parent = |range: &Span| {
        let holds =
            |it: &&Span| it.lane == range.lane && key(it) < key(range) && it.end >= range.end;
        drawn
            .ranges()
            .filter(holds)
            .max_by_key(|it| key(it))
            .map(|it| it.id)
    };
    drawn.ranges().map(|it| (it.id, parent(it))).collect()
}

/// The bars of what was called are as wide as the self time of all calls, and those of callers lie within what they called.
fn assert_widths_add_up(tree: &CallTree, callers: &CallTree) {
    let sum = |nodes: &[CallNode]| nodes.iter().map(|it| it.host_self).sum::<Nanos>();
    assert_eq!(tree.self_time, sum(&tree.nodes));
    assert_eq!(callers.self_time, tree.self_time);
    let mut below: BTreeMap<Option<u32>, Nanos> = BTreeMap::new();
    for node in &callers.nodes {
        *below.entry(node.parent).or_default() += callers.width(node);
    }
    let called = below.remove(&None).unwrap_or_default();
    assert_eq!(called, callers.self_time);
    for (parent, width) in below {
        let parent = &callers.nodes[parent.unwrap() as usize];
        assert!(width <= callers.width(parent), "{parent:?}");
    }
}

#[test]
fn a_tree_is_what_is_counted_range_by_range_both_ways() {
    for seed in 1..200 {
        let drawn = draw(seed);
        let parents = parents(&drawn);
        let ranges = HostRanges::new(&drawn.capture, &HostScope::default());
        let tree = ranges.tree(&drawn.capture, HostLevel::Nvtx, &TreeScope::default());
        let mut down: BTreeMap<Vec<NameId>, (u64, Nanos)> = BTreeMap::new();
        let mut up: BTreeMap<Vec<NameId>, (u64, Nanos)> = BTreeMap::new();
        for range in drawn.ranges() {
            let chain = std::iter::successors(Some(range.id), |it| parents[it]);
            let names: Vec<NameId> = chain.map(|it| drawn.span(it).name).collect();
            let length = range.end - range.start;
            let entry = down.entry(names.clone()).or_default();
            (entry.0, entry.1) = (entry.0 + 1, entry.1 + length);
            for most in 1..=names.len() {
                let is_within = (1..names.len()).any(|it| names[it..].starts_with(&names[..most]));
                let entry = up.entry(names[..most].to_vec()).or_default();
                entry.0 += 1;
                entry.1 += if is_within { Nanos::ZERO } else { length };
            }
        }
        let of =
            |tree: &CallTree, node: usize| (tree.nodes[node].count, tree.nodes[node].host_total);
        let places = 0..tree.nodes.len();
        let found = places
            .clone()
            .map(|it| (tree.path(it).collect(), of(&tree, it)));
        assert_eq!(found.collect::<BTreeMap<_, _>>(), down, "seed {seed}");
        let spans: usize = places.map(|it| tree.spans(it).len()).sum();
        assert_eq!(spans, parents.len());
        let callers = tree.bottom_up();
        let found = (0..callers.nodes.len()).map(|it| {
            let mut path: Vec<NameId> = callers.path(it).collect();
            path.reverse();
            (path, of(&callers, it))
        });
        assert_eq!(found.collect::<BTreeMap<_, _>>(), up, "seed {seed}");
        assert_widths_add_up(&tree, &callers);
        for node in 0..callers.nodes.len() {
            let mut path: Vec<NameId> = callers.path(node).collect();
            path.reverse();
            let spans = tree
                .ending_with(&path)
                .map(|it| tree.spans(it).len() as u64);
            assert_eq!(spans.sum::<u64>(), callers.nodes[node].count, "seed {seed}");
        }
    }
}

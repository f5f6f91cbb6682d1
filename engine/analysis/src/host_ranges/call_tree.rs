//! Call trees: what called what, how long that took on the host, and what it launched.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::ops::Range;

use capture::Capture;
use record::time::{Interval, Nanos};
use record::{NameId, SpanId};

use super::launches::{LaunchedOperation, Launches, ThreadLink};
use super::scope::{ChosenRanges, TreeScope};
use super::sweep::{RangeVisitor, sweep};
use super::{HostLevel, HostRange, HostRanges, ThreadNumbers};

/// Calls by one way through the names: from the outermost in, or of a tree from the bottom up from what was called out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CallNode {
    /// What is called, or calls.
    pub name: NameId,
    /// The place of the node that it lies below, before its own; none of one that lies below none.
    pub parent: Option<u32>,
    /// How many nodes it lies below.
    pub depth: u32,
    /// How often it was called.
    pub count: u64,
    /// The time of the calls on the host; what calls itself counts its time once.
    pub host_total: Nanos,
    /// The part of it that lies in no call that it made.
    pub host_self: Nanos,
    /// The lengths of what was launched within, added up.
    pub device: Nanos,
    /// Calls within that launched something.
    pub launches: u64,
    /// Bytes that copies moved and fills wrote that were launched within.
    pub bytes: u64,
    /// The longest of the calls.
    pub longest: SpanId,
    /// Its length.
    pub longest_length: Nanos,
}

/// What called what: nodes from the outermost calls in, or from what was called out to its callers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CallTree {
    /// The nodes: each before those below it, which follow at once, what took longest first.
    pub nodes: Vec<CallNode>,
    /// The spans of each node, node by node; empty in a tree from the bottom up.
    pub(super) spans: Vec<SpanId>,
    /// Where the spans of each node begin.
    pub(super) starts: Vec<u32>,
    /// Whether there would be more nodes than are kept.
    pub is_cut: bool,
    /// The self time of all calls together, which is the same from both ends.
    pub self_time: Nanos,
    /// Whether it goes from what was called out to its callers.
    pub is_bottom_up: bool,
}

impl CallTree {
    /// The spans of a node, by number.
    pub fn spans(&self, node: usize) -> &[SpanId] {
        let at = |place: usize| self.starts.get(place).map(|it| *it as usize);
        let range = at(node).zip(at(node + 1));
        let range = range.map_or(0..0, |(from, to)| from..to);
        self.spans.get(range).unwrap_or_default()
    }

    /// The names from a node up to the one that lies below none.
    pub fn path(&self, node: usize) -> impl Iterator<Item = NameId> {
        let mut next = Some(node);
        std::iter::from_fn(move || {
            let node = self.nodes.get(next?)?;
            next = node.parent.map(|it| it as usize);
            Some(node.name)
        })
    }
}

impl HostRanges {
    /// The call tree of a level, from the outermost calls in.
    pub fn tree(&self, capture: &Capture, level: HostLevel, scope: &TreeScope) -> CallTree {
        let chosen = ChosenRanges::of(capture, &ThreadNumbers::new(capture), &scope.spans);
        let of_operations = chosen.is_none() && !scope.spans.is_empty();
        let only = of_operations.then(|| self.launches.only(&scope.spans));
        let launches = only.as_ref().unwrap_or(&self.launches);
        let mut sweeper = TreeSweep {
            launches,
            of_operations,
            draft: TreeDraft::default(),
            open: Vec::new(),
            spans: Vec::with_capacity(self.count(level)),
        };
        for (number, thread) in self.threads.iter().enumerate() {
            let own = chosen.as_ref().and_then(|it| it.get(number));
            let is_chosen = |it: &HostRange| own.is_none_or(|own| own.hold(it));
            let ranges = thread.level(level).iter().copied().filter(is_chosen);
            let clipped = ranges.filter_map(|it| scope.clip(it));
            sweep(clipped, (launches, number), &mut sweeper);
        }
        let (nodes, places) = sweeper
            .draft
            .finish(|it| (Reverse(it.host_total), Reverse(it.device)));
        let (spans, starts) = by_node(sweeper.spans, &places, nodes.len());
        CallTree {
            self_time: nodes.iter().map(|it| it.host_self).sum(),
            nodes,
            spans,
            starts,
            ..CallTree::default()
        }
    }
}

/// Spans by the place of their node, and where those of each begin.
fn by_node(
    spans: Vec<(u32, SpanId)>,
    places: &[Option<u32>],
    count: usize,
) -> (Vec<SpanId>, Vec<u32>) {
    let place = |node: u32| places.get(node as usize).copied().flatten();
    let mut starts = vec![0_u32; count + 1];
    for node in spans.iter().filter_map(|it| place(it.0)) {
        if let Some(count) = starts.get_mut(node as usize + 1) {
            *count += 1;
        }
    }
    let mut sum = 0;
    for start in &mut starts {
        sum += *start;
        *start = sum;
    }
    let mut next = starts.clone();
    let mut sorted = vec![SpanId::NONE; spans.len()];
    for (node, span) in spans {
        let next = place(node).and_then(|it| next.get_mut(it as usize));
        if let Some(next) = next
            && let Some(slot) = sorted.get_mut(*next as usize)
        {
            *slot = span;
            *next += 1;
        }
    }
    (sorted, starts)
}

/// The place of a node that there is not.
const NO_NODE: u32 = u32::MAX;

/// A tree under construction, in the order in which its nodes were met.
#[derive(Default)]
pub(super) struct TreeDraft {
    nodes: Vec<CallNode>,
    children: HashMap<(u32, NameId), u32>,
    /// The child that was asked for last, of each node.
    last: Vec<u32>,
}

impl TreeDraft {
    /// The node of a name below another one.
    pub fn child(&mut self, parent: Option<u32>, name: NameId) -> u32 {
        let above = parent.and_then(|it| self.last.get(it as usize).copied());
        if let Some(last) = above.filter(|it| self.get(*it).is_some_and(|it| it.name == name)) {
            return last;
        }
        let next = self.nodes.len() as u32;
        let key = (parent.unwrap_or(NO_NODE), name);
        let found = *self.children.entry(key).or_insert(next);
        if found == next {
            let depth = parent.and_then(|it| self.get(it)).map(|it| it.depth + 1);
            self.last.push(NO_NODE);
            self.nodes.push(CallNode {
                name,
                parent,
                depth: depth.unwrap_or(0),
                count: 0,
                host_total: Nanos::ZERO,
                host_self: Nanos::ZERO,
                device: Nanos::ZERO,
                launches: 0,
                bytes: 0,
                longest: SpanId::NONE,
                longest_length: Nanos(-1),
            });
        }
        if let Some(last) = parent.and_then(|it| self.last.get_mut(it as usize)) {
            *last = found;
        }
        found
    }

    /// A node.
    pub fn get(&self, node: u32) -> Option<&CallNode> {
        self.nodes.get(node as usize)
    }

    /// The same, to add to.
    pub fn get_mut(&mut self, node: u32) -> Option<&mut CallNode> {
        self.nodes.get_mut(node as usize)
    }

    /// How many nodes there are.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// The nodes that were called at all, each before those below it, siblings by `key` and then as they were met; and where each
    /// node came to lie.
    pub fn finish<K: Ord>(self, key: impl Fn(&CallNode) -> K) -> (Vec<CallNode>, Vec<Option<u32>>) {
        let count = self.nodes.len();
        let mut order: Vec<u32> = (0..count as u32).collect();
        let node = |place: u32| self.nodes.get(place as usize);
        // The last of the siblings first, since they are taken from the end.
        order.sort_by_cached_key(|place| {
            let own = node(*place).map(&key);
            let parent = node(*place).and_then(|it| it.parent);
            Reverse((parent.map_or(0, |it| it + 1), own, *place))
        });
        let parent_of = |place: u32| node(place).and_then(|it| it.parent).map_or(0, |it| it + 1);
        let mut places = vec![None; count];
        let mut nodes = Vec::with_capacity(count);
        let below = |parent: u32| {
            let first = order.partition_point(|it| parent_of(*it) > parent);
            let last = order.partition_point(|it| parent_of(*it) >= parent);
            order.get(first..last).unwrap_or_default()
        };
        let mut rest: Vec<u32> = below(0).to_vec();
        while let Some(place) = rest.pop() {
            let Some(found) = node(place).filter(|it| it.count > 0) else {
                continue;
            };
            let parent = found.parent;
            let parent = parent.and_then(|it| places.get(it as usize).copied().flatten());
            if let Some(slot) = places.get_mut(place as usize) {
                *slot = Some(nodes.len() as u32);
            }
            nodes.push(CallNode { parent, ..*found });
            rest.extend(below(place + 1));
        }
        (nodes, places)
    }
}

/// A call that is open.
struct OpenCall {
    node: u32,
    range: HostRange,
    /// The time of its calls so far, and up to when that is counted.
    within: Nanos,
    counted: Nanos,
}

/// A tree in the making.
struct TreeSweep<'a> {
    launches: &'a Launches,
    /// Whether only calls count that launched something.
    of_operations: bool,
    draft: TreeDraft,
    open: Vec<OpenCall>,
    spans: Vec<(u32, SpanId)>,
}

impl RangeVisitor for TreeSweep<'_> {
    fn open(&mut self, range: &HostRange) {
        let Interval { start, end } = range.interval;
        let outer = self.open.last_mut();
        let parent = outer.map(|outer| {
            let fresh = end - start.max(outer.counted);
            outer.within += fresh.max(Nanos::ZERO);
            outer.counted = outer.counted.max(end);
            outer.node
        });
        self.open.push(OpenCall {
            node: self.draft.child(parent, range.name),
            range: *range,
            within: Nanos::ZERO,
            counted: start,
        });
    }

    fn launch(&mut self, _launched: &LaunchedOperation) {}

    fn link(&mut self, _link: &ThreadLink) {}

    fn close(&mut self, window: Range<usize>) {
        let Some(open) = self.open.pop() else {
            return;
        };
        if self.of_operations && window.is_empty() {
            return;
        }
        let length = open.range.interval.length();
        let sums = self.launches.sums(&window);
        if let Some(node) = self.draft.get_mut(open.node) {
            node.count += 1;
            node.host_total += length;
            node.host_self += length - open.within;
            node.device += sums.device;
            node.launches += sums.calls;
            node.bytes = node.bytes.saturating_add(sums.bytes);
            let span = open.range.span;
            if length > node.longest_length
                || (length == node.longest_length && span < node.longest)
            {
                (node.longest, node.longest_length) = (span, length);
            }
            self.spans.push((open.node, span));
        }
    }
}

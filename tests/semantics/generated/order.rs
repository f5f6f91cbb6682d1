//! What must come after what in a generated workload, worked out from its calls alone: a graph of moments and its closure.
//!
//! Written apart from the engine's order of calls, and in another way: no clocks, but every pair of moments.

use std::collections::BTreeMap;

use super::aborts;
use super::meetings;
use super::submitted::{CapturedGraph, ModelOperation, captures, operations};
use super::text::{
    BufferCopy, GeneratedCall, GeneratedWorkload, PlacedCall, SynchronizationMode, share_legacy,
};

/// A moment: the begin or the end of a call, or of an operation.
pub type MomentIndex = usize;

/// Two operations that use one copy of a buffer, one of them writing, in no order: their lines, the lower first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ModelRace {
    /// The lines of the calls that say what the two do.
    pub lines: (u32, u32),
    /// What both use.
    pub copy: BufferCopy,
}

/// What enforces which order in a workload.
pub struct EnforcedOrder {
    /// Every call.
    pub calls: Vec<PlacedCall>,
    /// Every operation, in the order of the calls.
    pub operations: Vec<ModelOperation>,
    /// For each moment, those that come before it.
    before: Vec<MomentSet>,
    /// Of moments at which something runs that an abort may have dropped, when its stream is past it.
    past: BTreeMap<MomentIndex, MomentIndex>,
    /// Buffers from here on have memory from their allocation on.
    memories: usize,
    /// Whether something waits for itself, or would where memory that is allocated again is the memory that was freed.
    is_circle: bool,
    /// Pairs of calls of two host threads that nothing orders, and that use one stream or one event.
    pub unordered_calls: Vec<(usize, usize)>,
}

/// The first of two moments comes before the second.
type MomentEdge = (MomentIndex, MomentIndex);

/// A set of moments.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct MomentSet(Vec<u64>);

impl MomentSet {
    fn insert(&mut self, moment: MomentIndex) {
        if self.0.len() <= moment / 64 {
            self.0.resize(moment / 64 + 1, 0);
        }
        self.0[moment / 64] |= 1 << (moment % 64);
    }

    fn contains(&self, moment: MomentIndex) -> bool {
        let word = self.0.get(moment / 64);
        word.is_some_and(|word| word & (1 << (moment % 64)) != 0)
    }

    /// Takes in another set; says whether that was news.
    fn join(&mut self, other: &Self) -> bool {
        if self.0.len() < other.0.len() {
            self.0.resize(other.0.len(), 0);
        }
        let mut is_news = false;
        for (own, more) in self.0.iter_mut().zip(&other.0) {
            is_news |= *more & !*own != 0;
            *own |= *more;
        }
        is_news
    }
}

/// The begin of the call at a place; its return is the next moment.
const fn begin(call: usize) -> MomentIndex {
    2 * call
}

const fn end(call: usize) -> MomentIndex {
    2 * call + 1
}

impl EnforcedOrder {
    /// Of a workload without the calls at these places.
    pub fn of(workload: &GeneratedWorkload, without: &[usize]) -> Self {
        let mut calls = workload.placed();
        let mut place = 0;
        calls.retain(|_| {
            place += 1;
            !without.contains(&(place - 1))
        });
        let (graphs, captured) = captures(&calls);
        let mut operations = operations(&calls, &graphs, &captured);
        aborts::drop_what_stands(workload, &calls, &mut operations);
        let moments = operations.iter().map(|it| it.gone + 1).max();
        let moments = moments.unwrap_or_default().max(2 * calls.len());
        let mut order = Self {
            calls,
            operations,
            before: vec![MomentSet::default(); moments],
            past: BTreeMap::new(),
            memories: workload.counts.buffers,
            is_circle: false,
            unordered_calls: Vec::new(),
        };
        let mut edges = Vec::new();
        // Which record a wait means, and what a synchronisation covers, depends on the order of host threads, and that
        // on synchronisations: until nothing changes.
        for _ in 0..order.calls.len() + 2 {
            let past;
            (edges, past) = order.edges(workload, &graphs, &captured);
            let before = closure(moments, &edges);
            if before == order.before && past == order.past {
                break;
            }
            (order.before, order.past) = (before, past);
        }
        edges.extend(order.memory_edges());
        order.is_circle = order.has_circle(edges);
        order.unordered_calls = meetings::unordered_calls(&order, workload);
        order
    }

    /// Whether one moment comes before another, whatever happens.
    pub fn is_before(&self, first: MomentIndex, second: MomentIndex) -> bool {
        // What ran was not dropped: that says nothing of what it came after.
        let past = self.past.get(&first);
        self.before[second].contains(first)
            || past.is_some_and(|&past| past == second || self.before[second].contains(past))
    }

    /// Whether something waits for itself, or for a signal that nobody raises: then the whole never ends.
    pub fn is_stuck(&self) -> bool {
        let is_raised = |signal| {
            self.calls
                .iter()
                .any(|it| it.call == GeneratedCall::Signal(signal))
        };
        self.is_circle
            || self
                .calls
                .iter()
                .enumerate()
                .any(|(place, it)| match it.call {
                    GeneratedCall::Hold(signal, _) => !is_raised(signal) && !self.is_dropped(place),
                    GeneratedCall::Await(signal) => !is_raised(signal),
                    _ => false,
                })
    }

    /// Whether what a call submits is dropped by an abort for certain.
    fn is_dropped(&self, call: usize) -> bool {
        let mut own = self.operations.iter().filter(|it| it.call == call);
        own.any(|it| it.dropped_by.is_some())
    }

    /// How often a buffer was allocated or freed for certain by calls before the operation at a place.
    fn life(&self, buffer: usize, place: usize) -> usize {
        let calls = self.operations[..place]
            .iter()
            .filter(|it| it.dropped_by.is_none() && self.may_be_dropped_by(it).is_none())
            .map(|it| self.calls[it.site].call);
        let own = calls.filter(|it| matches!(it, GeneratedCall::Allocate(of, _) | GeneratedCall::Free(of, _) if *of == buffer));
        own.count()
    }

    /// Whether a call is on a stream that another host thread captures: it may be captured by chance, and takes its turn in
    /// each replay then.
    pub fn may_be_captured(&self, call: usize) -> bool {
        let (host, stream) = (self.calls[call].host, self.calls[call].call.stream());
        let begins = |it: &PlacedCall| match it.call {
            GeneratedCall::BeginCapture(origin) => it.host != host && stream == Some(origin),
            _ => false,
        };
        self.calls.iter().any(begins)
    }

    /// Whether a call has returned before another begins.
    pub fn returned(&self, first: usize, second: usize) -> bool {
        self.is_before(end(first), begin(second))
    }

    /// Every pair of operations that conflict in no order.
    pub fn races(&self, mode: SynchronizationMode) -> Vec<ModelRace> {
        let mut races = Vec::new();
        for (place, first) in self.operations.iter().enumerate() {
            for (other, second) in self.operations[..place].iter().enumerate() {
                let never_ran = first.dropped_by.is_some() || second.dropped_by.is_some();
                let is_ordered = never_ran
                    || self.is_before(first.moments.1, second.moments.0)
                    || self.is_before(second.moments.1, first.moments.0);
                if is_ordered || mode != SynchronizationMode::Manual {
                    continue;
                }
                let sites = (self.calls[first.site], self.calls[second.site]);
                let lines = (
                    sites.0.line.min(sites.1.line),
                    sites.0.line.max(sites.1.line),
                );
                let mut conflicts = conflicts(sites.0.call, sites.1.call);
                // Uses of memory that was given back meanwhile are faults of another sort.
                conflicts.retain(|it| {
                    it.buffer < self.memories
                        || self.life(it.buffer, place) == self.life(it.buffer, other)
                });
                races.extend(conflicts.into_iter().map(|copy| ModelRace { lines, copy }));
            }
        }
        races.sort_unstable();
        races.dedup();
        races
    }

    /// The operations of the calls before which the call at a place returns, on one stream, or all where none is given.
    fn submitted(
        &self,
        call: usize,
        stream: Option<usize>,
    ) -> impl Iterator<Item = &ModelOperation> {
        let operations = self.operations.iter().filter(|it| !it.is_node);
        operations.filter(move |it| {
            stream.is_none_or(|stream| it.stream == stream) && self.returned(it.call, call)
        })
    }

    /// The record that an event stands for where the call at a place is made; none where two may be meant.
    fn record(&self, event: usize, call: usize) -> Option<&ModelOperation> {
        let records = self.operations.iter().filter(|it| {
            let site = self.calls[it.site].call;
            matches!(site, GeneratedCall::Record(recorded, _) if recorded == event)
                && self.returned(it.call, call)
        });
        let records: Vec<&ModelOperation> = records.collect();
        let latest = records.iter().copied().find(|it| {
            let mut others = records.iter().filter(|other| other.call != it.call);
            others.all(|other| self.returned(other.call, it.call))
        });
        // A record by another host thread may come between.
        let unordered = self.calls.iter().enumerate().any(|(place, it)| {
            matches!(it.call, GeneratedCall::Record(recorded, _) if recorded == event)
                && place != call
                && !self.returned(place, call)
                && !self.returned(call, place)
        });
        latest.filter(|_| !unordered)
    }

    /// What comes before the first raise of a signal, whichever of its raises that is.
    fn raised(&self, signal: usize) -> Vec<MomentIndex> {
        let calls = 0..self.calls.len();
        let raises = calls.filter(|&it| self.calls[it].call == GeneratedCall::Signal(signal));
        let raises: Vec<usize> = raises.collect();
        let mut first = raises.clone();
        first.retain(|&it| !raises.iter().any(|&other| self.returned(other, it)));
        match first.as_slice() {
            [] => Vec::new(),
            &[only] => vec![begin(only)],
            several => {
                let is_common = |moment: &MomentIndex| {
                    let mut before = several.iter().map(|&it| &self.before[begin(it)]);
                    before.all(|it| it.contains(*moment))
                };
                (0..self.before.len()).filter(is_common).collect()
            }
        }
    }

    fn edges(
        &self,
        workload: &GeneratedWorkload,
        graphs: &BTreeMap<usize, CapturedGraph>,
        captured: &[bool],
    ) -> (Vec<MomentEdge>, BTreeMap<MomentIndex, MomentIndex>) {
        let mut edges = Vec::new();
        let mut past = BTreeMap::new();
        for (place, placed) in self.calls.iter().enumerate() {
            edges.push((begin(place), end(place)));
            let before = self.calls[..place].iter();
            if let Some(before) = before.clone().rposition(|it| it.host == placed.host) {
                edges.push((end(before), begin(place)));
            }
            if !captured[place] {
                self.host_edges(place, placed.call, workload, &mut edges);
            }
        }
        for (place, operation) in self.operations.iter().enumerate() {
            if operation.is_node {
                continue;
            }
            self.fate_edges(place, workload, &mut edges, &mut past);
            if operation.dropped_by.is_some() {
                continue;
            }
            edges.push((begin(operation.call), operation.moments.0));
            if operation.moments.0 != operation.moments.1 {
                self.node_edges(place, graphs, &mut edges);
            }
            self.stream_edges(place, workload, &mut edges);
        }
        (edges, past)
    }

    /// What comes before an operation on its stream, and when its stream is past it.
    fn fate_edges(
        &self,
        place: usize,
        workload: &GeneratedWorkload,
        edges: &mut Vec<MomentEdge>,
        past: &mut BTreeMap<MomentIndex, MomentIndex>,
    ) {
        let operation = &self.operations[place];
        let (ran, gone) = (operation.moments, operation.gone);
        let runs = operation.dropped_by.is_none();
        for earlier in self.submitted(operation.call, None) {
            let is_own = earlier.stream == operation.stream;
            if !is_own && !share_legacy(workload, earlier.stream, operation.stream) {
                continue;
            }
            if runs {
                edges.push((earlier.gone, ran.0));
            }
            if is_own && gone != ran.1 {
                edges.push((earlier.gone, gone));
            }
            // What runs was not dropped, and so neither was what is before it on its stream.
            let abort = self.abort_after(earlier);
            if is_own && runs && abort.is_some_and(|abort| abort > operation.call) {
                edges.push((earlier.moments.1, ran.0));
            }
        }
        if gone == ran.1 {
            return;
        }
        edges.push((begin(operation.call), gone));
        if let Some(abort) = operation.dropped_by {
            edges.push((begin(abort), gone));
            return;
        }
        if self.may_be_dropped_by(operation).is_none() {
            edges.push((ran.1, gone));
        } else {
            past.insert(ran.1, gone);
        }
    }

    /// The abort that may drop an operation or not. What is gone before it is called was not dropped by it.
    fn may_be_dropped_by(&self, operation: &ModelOperation) -> Option<usize> {
        let abort = self.abort_after(operation)?;
        let is_over = |moment| self.is_before(moment, begin(abort));
        let may = operation.dropped_by.is_none()
            && !is_over(operation.moments.1)
            && !is_over(operation.gone);
        may.then_some(abort)
    }

    /// For each abort the operations that it may drop, in the order of their stream: it drops all from some point on.
    pub fn doubtful(&self) -> Vec<Vec<usize>> {
        let mut found: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (place, operation) in self.operations.iter().enumerate() {
            if let Some(abort) = self.may_be_dropped_by(operation) {
                found.entry(abort).or_default().push(place);
            }
        }
        found.into_values().collect()
    }

    /// The first abort of an operation's stream that is called after it.
    fn abort_after(&self, operation: &ModelOperation) -> Option<usize> {
        let mut later = (operation.call..self.calls.len()).filter(|it| *it > operation.call);
        later.find(|&it| self.calls[it].call == GeneratedCall::Abort(operation.stream))
    }

    /// What a host thread waits for.
    fn host_edges(
        &self,
        place: usize,
        call: GeneratedCall,
        workload: &GeneratedWorkload,
        edges: &mut Vec<MomentEdge>,
    ) {
        // One that may be refused waits for nothing then.
        if workload.has_refusals() && !matches!(call, GeneratedCall::Await(_)) {
            return;
        }
        let mut wait = |moment| edges.push((moment, end(place)));
        match call {
            GeneratedCall::SynchronizeDevice => {
                self.submitted(place, None).for_each(|it| wait(it.gone));
            }
            GeneratedCall::SynchronizeStream(stream) => {
                let covers = |it: &&ModelOperation| {
                    it.stream == stream || share_legacy(workload, stream, it.stream)
                };
                let found = self.submitted(place, None).filter(covers);
                found.for_each(|it| wait(it.gone));
            }
            // Nothing of the stream is left to run then.
            GeneratedCall::Abort(stream) => {
                let own = self.submitted(place, Some(stream));
                own.for_each(|it| wait(it.gone));
            }
            GeneratedCall::SynchronizeEvent(event) => {
                if let Some(record) = self.record(event, place) {
                    wait(record.gone);
                }
            }
            GeneratedCall::Await(signal) => {
                self.raised(signal).into_iter().for_each(wait);
            }
            _ => {}
        }
    }

    /// What an operation of a stream waits for on others.
    fn stream_edges(
        &self,
        place: usize,
        workload: &GeneratedWorkload,
        edges: &mut Vec<MomentEdge>,
    ) {
        let operation = &self.operations[place];
        let mut wait = |moment| edges.push((moment, operation.moments.0));
        match self.calls[operation.call].call {
            // Where its stream goes on once it has given up, it orders nothing.
            GeneratedCall::TimedWait(_, stream, _) if workload.goes_on(stream) => {}
            GeneratedCall::Wait(event, _) | GeneratedCall::TimedWait(event, ..) => {
                if let Some(record) = self.record(event, operation.call) {
                    wait(record.gone);
                }
            }
            GeneratedCall::Join(from, _) if operation.stream != from => {
                let own = self.operations[..place]
                    .iter()
                    .rfind(|it| it.call == operation.call);
                let record = own.filter(|it| it.stream == from);
                if let Some(record) = record {
                    wait(record.gone);
                }
            }
            GeneratedCall::Hold(signal, _) => {
                self.raised(signal).into_iter().for_each(wait);
            }
            _ => {}
        }
    }

    /// The nodes of the replay at a place, which follow it in the list.
    fn node_edges(
        &self,
        place: usize,
        graphs: &BTreeMap<usize, CapturedGraph>,
        edges: &mut Vec<MomentEdge>,
    ) {
        let replay = &self.operations[place];
        let GeneratedCall::Replay(graph, _) = self.calls[replay.call].call else {
            return;
        };
        let Some(graph) = graphs.get(&graph) else {
            return;
        };
        edges.push((replay.moments.0, replay.moments.1));
        for (node, before) in graph.before.iter().enumerate() {
            let moment = |node: usize| self.operations[place + 1 + node].moments.0;
            edges.push((replay.moments.0, moment(node)));
            edges.push((moment(node), replay.moments.1));
            edges.extend(before.iter().map(|&it| (moment(it), moment(node))));
        }
    }

    /// Whether something waits for itself by these edges, also by way of what runs or is dropped: both come after what
    /// comes before both.
    fn has_circle(&self, mut edges: Vec<MomentEdge>) -> bool {
        let doubtful: Vec<_> = (self.operations.iter())
            .filter_map(|it| Some((it, self.may_be_dropped_by(it)?)))
            .collect();
        loop {
            let before = closure(self.before.len(), &edges);
            if (0..before.len()).any(|it| before[it].contains(it)) {
                return true;
            }
            let known = edges.len();
            for (operation, abort) in &doubtful {
                let (ran, dropped) = (&before[operation.moments.1], &before[begin(*abort)]);
                let common = (0..before.len()).filter(|&it| {
                    let is_news = !before[operation.gone].contains(it);
                    is_news && ran.contains(it) && dropped.contains(it)
                });
                edges.extend(common.map(|it| (it, operation.gone)));
            }
            if edges.len() == known {
                return false;
            }
        }
    }

    /// What an allocation waits for by chance: what its buffer's memory was freed behind, on another stream. A pool may give
    /// out other memory, so that this is no order (rule A35).
    fn memory_edges(&self) -> Vec<MomentEdge> {
        let mut edges = Vec::new();
        let all = self.operations.iter();
        for operation in all.filter(|it| !it.is_node && it.dropped_by.is_none()) {
            let GeneratedCall::Allocate(buffer, _) = self.calls[operation.call].call else {
                continue;
            };
            let frees = self.submitted(operation.call, None).filter(
                |it| matches!(self.calls[it.call].call, GeneratedCall::Free(of, _) if of == buffer),
            );
            if let Some(last) = frees.last().filter(|it| it.stream != operation.stream) {
                let behind = self.submitted(operation.call, Some(last.stream));
                edges.extend(behind.map(|it| (it.gone, operation.moments.0)));
            }
        }
        edges
    }
}

/// What two calls both use, one of them writing.
pub fn conflicts(first: GeneratedCall, second: GeneratedCall) -> Vec<BufferCopy> {
    let (GeneratedCall::Work(first, _), GeneratedCall::Work(second, _)) = (first, second) else {
        return Vec::new();
    };
    let mut found = Vec::new();
    if second.reads().contains(&first.writes()) || second.writes() == first.writes() {
        found.push(first.writes());
    }
    if first.reads().contains(&second.writes()) {
        found.push(second.writes());
    }
    found
}

/// For each moment, all that come before it, directly or not.
fn closure(moments: usize, edges: &[MomentEdge]) -> Vec<MomentSet> {
    let mut before = vec![MomentSet::default(); moments];
    for &(first, second) in edges {
        before[second].insert(first);
    }
    loop {
        let mut is_news = false;
        for &(first, second) in edges {
            let earlier = before[first].clone();
            is_news |= before[second].join(&earlier);
        }
        if !is_news {
            return before;
        }
    }
}

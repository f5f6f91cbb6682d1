//! What expectations need to know of a run, noted while its records pass by.

use std::collections::{BTreeMap, BTreeSet};

use record::time::{Interval, Nanos, union};
use record::{LaneId, PromiseId, Record, Span, SpanId, SpanKind, State, StreamIndex, Verdict};
use workload::{ExpectationKind, Plan};

/// What expectations need to know of a run; empty where they need nothing.
#[derive(Debug, Default)]
pub struct ExpectationLog {
    first_stream: u32,
    /// The first lane behind those of the streams: of the queue, and of what is done with calls.
    first_other: u32,
    streams: BTreeSet<LaneId>,
    calls: BTreeSet<u32>,
    /// The calls of which something was lost on a stream: how long the call itself took says nothing of that.
    lost: BTreeSet<u32>,
    /// The calls that tell a stream to wait for another.
    joins: BTreeSet<u32>,
    /// When each stream that is asked about was busy.
    busy: BTreeMap<LaneId, Vec<Interval>>,
    on_streams: BTreeMap<u32, Vec<Interval>>,
    on_hosts: BTreeMap<u32, Vec<Interval>>,
    /// When each call that is asked about was made, whatever became of it, and its span: calls of one host thread that begin
    /// at one time have theirs in order.
    called: BTreeMap<u32, Vec<(Nanos, SpanId)>>,
    /// The lanes of streams on which each call that is asked about had operations.
    lanes: BTreeMap<u32, BTreeSet<LaneId>>,
    /// How often each call was made.
    made: BTreeMap<u32, u64>,
    /// Whether it is asked what was called, and how.
    counts_calls: bool,
    host_waits: u64,
    stream_waits: u64,
    stalled: u64,
    problems: BTreeMap<String, u64>,
    /// The name of each promise, and what it came to.
    promises: BTreeMap<PromiseId, (String, Option<PromiseAnswer>)>,
    extent: Option<Interval>,
}

/// What a promise came to: whether it was resolved, and with what.
type PromiseAnswer = (bool, String);

impl ExpectationLog {
    /// For the expectations of `plan`; the lanes of its streams begin at `first_stream`.
    pub fn new(plan: &Plan, first_stream: LaneId) -> Self {
        let mut ledger = Self {
            first_stream: first_stream.0,
            first_other: first_stream.0 + plan.streams.len() as u32,
            joins: joins(plan),
            ..Self::default()
        };
        for expectation in &plan.expectations {
            match &expectation.kind {
                ExpectationKind::Overlap { first, second, .. } => {
                    ledger.want_streams(first);
                    ledger.want_streams(second);
                }
                ExpectationKind::Busy { streams, .. } => ledger.want_streams(streams),
                ExpectationKind::Before { first, second }
                | ExpectationKind::InTurn { first, second }
                | ExpectationKind::EndsBefore { first, second } => {
                    ledger.calls.extend(first.iter().chain(second));
                }
                ExpectationKind::RunsOn { calls, .. } => ledger.calls.extend(calls),
                ExpectationKind::CalledBefore {
                    first,
                    second,
                    after,
                    ..
                } => {
                    let all = first.iter().chain(second).chain(after);
                    ledger.calls.extend(all);
                }
                ExpectationKind::HostWaits(_)
                | ExpectationKind::StreamWaits(_)
                | ExpectationKind::Stalled(_)
                | ExpectationKind::Calls { .. } => ledger.counts_calls = true,
                ExpectationKind::Each { .. }
                | ExpectationKind::Sum { .. }
                | ExpectationKind::Problem { .. }
                | ExpectationKind::Settles { .. }
                | ExpectationKind::Ordered { .. }
                | ExpectationKind::Apart { .. }
                | ExpectationKind::Race { .. }
                | ExpectationKind::HostKnows(_)
                | ExpectationKind::LastError { .. }
                | ExpectationKind::Used { .. }
                | ExpectationKind::Elapsed { .. } => {}
            }
        }
        ledger
    }

    fn want_streams(&mut self, streams: &[StreamIndex]) {
        let lanes = streams
            .iter()
            .map(|stream| LaneId(self.first_stream + stream.0));
        self.streams.extend(lanes);
    }

    /// The workload begins again: what was noted is of an attempt that does not count.
    pub fn begin_attempt(&mut self) {
        self.busy.clear();
        self.on_streams.clear();
        self.on_hosts.clear();
        self.called.clear();
        self.lost.clear();
        self.lanes.clear();
        self.made.clear();
        (self.host_waits, self.stream_waits, self.stalled) = (0, 0, 0);
        self.problems.clear();
        self.promises.clear();
        self.extent = None;
    }

    /// Notes what these records say.
    pub fn note(&mut self, records: &[Record]) {
        let wants_spans = !self.streams.is_empty() || !self.calls.is_empty() || self.counts_calls;
        for record in records {
            match record {
                Record::Span(span) if wants_spans => self.note_span(span),
                Record::Problem(problem) => {
                    *self.problems.entry(problem.code.clone()).or_default() += 1;
                }
                Record::Promise(promise) => {
                    let slot = self.promises.entry(promise.id).or_default();
                    slot.0.clone_from(&promise.name);
                }
                Record::Settlement(settled) => {
                    let slot = self.promises.entry(settled.promise).or_default();
                    let resolved = settled.verdict == Verdict::Resolved;
                    slot.1 = Some((resolved, settled.value.clone()));
                }
                _ => {}
            }
        }
    }

    fn note_span(&mut self, span: &Span) {
        let is_operation = span.lane.0 >= self.first_stream;
        if span.state == State::Lost {
            self.note_lost(span, is_operation);
            return;
        }
        if span.lane.0 >= self.first_other || span.kind == SpanKind::Step {
            return;
        }
        // One that was inserted is not what the call does.
        if span.kind == SpanKind::Join && !self.joins.contains(&span.call.0) {
            return;
        }
        let interval = Interval::new(span.start, span.end);
        if is_operation {
            let extent = self.extent.unwrap_or(interval);
            self.extent = Some(extent.union(interval));
            if self.streams.contains(&span.lane) && is_work(span.kind) {
                self.busy.entry(span.lane).or_default().push(interval);
            }
        }
        self.count(span, is_operation);
        if self.calls.contains(&span.call.0) {
            self.note_asked(span, interval, is_operation);
        }
    }

    /// Notes a span of a call that is asked about.
    fn note_asked(&mut self, span: &Span, interval: Interval, is_operation: bool) {
        let side = if is_operation {
            let lanes = self.lanes.entry(span.call.0).or_default();
            lanes.insert(span.lane);
            &mut self.on_streams
        } else {
            self.note_called(span);
            &mut self.on_hosts
        };
        side.entry(span.call.0).or_default().push(interval);
    }

    /// What was lost on a stream did not run; a call that a loss ended was made all the same.
    fn note_lost(&mut self, span: &Span, is_operation: bool) {
        if !is_operation {
            self.count(span, false);
            self.note_called(span);
        } else if span.lane.0 < self.first_other {
            self.lost.insert(span.call.0);
        }
    }

    fn note_called(&mut self, span: &Span) {
        if self.calls.contains(&span.call.0) {
            self.called
                .entry(span.call.0)
                .or_default()
                .push((span.start, span.id));
        }
    }

    fn count(&mut self, span: &Span, is_operation: bool) {
        match span.kind {
            SpanKind::Stall => self.stalled += 1,
            SpanKind::EventWait | SpanKind::Join if is_operation => self.stream_waits += 1,
            _ if is_operation => {}
            kind => {
                self.host_waits += u64::from(kind == SpanKind::Synchronize);
                *self.made.entry(span.call.0).or_default() += 1;
            }
        }
    }

    /// How many calls blocked a host thread.
    pub const fn host_waits(&self) -> u64 {
        self.host_waits
    }

    /// How many waits of streams were called.
    pub const fn stream_waits(&self) -> u64 {
        self.stream_waits
    }

    /// How many launches waited for their pipeline.
    pub const fn stalled(&self) -> u64 {
        self.stalled
    }

    /// How often these calls were made.
    pub fn made(&self, calls: &[u32]) -> u64 {
        calls.iter().filter_map(|it| self.made.get(it)).sum()
    }

    /// When these calls were made, in this order.
    pub fn called(&self, calls: &[u32]) -> Vec<(Nanos, SpanId)> {
        let all = calls.iter().filter_map(|it| self.called.get(it));
        let mut times: Vec<(Nanos, SpanId)> = all.flatten().copied().collect();
        times.sort_unstable();
        times
    }

    /// The streams on which these calls had operations.
    pub fn ran_on(&self, calls: &[u32]) -> BTreeSet<StreamIndex> {
        let lanes = calls.iter().filter_map(|it| self.lanes.get(it)).flatten();
        lanes
            .map(|lane| StreamIndex(lane.0 - self.first_stream))
            .collect()
    }

    /// When any of `streams` was busy: apart, and in order.
    pub fn busy(&self, streams: &[StreamIndex]) -> Vec<Interval> {
        let lanes = streams
            .iter()
            .map(|stream| LaneId(self.first_stream + stream.0));
        let intervals = lanes.filter_map(|lane| self.busy.get(&lane)).flatten();
        union(intervals.copied().collect())
    }

    /// The operations of `calls`, in the order of their starts.
    pub fn operations(&self, calls: &[u32]) -> Vec<Interval> {
        let of = |call| {
            let on_host = || (self.on_hosts.get(call)).filter(|_| !self.lost.contains(call));
            self.on_streams.get(call).or_else(on_host)
        };
        let mut found: Vec<Interval> = calls.iter().filter_map(of).flatten().copied().collect();
        found.sort_by_key(|interval| (interval.start, interval.end));
        found
    }

    /// From the start of the first operation to the end of the last.
    pub fn extent(&self) -> Nanos {
        self.extent.map_or(Nanos::ZERO, Interval::length)
    }

    /// What each promise of this name came to, in the order of the calls; nothing where it is pending.
    pub fn promises<'a>(
        &'a self,
        name: &'a str,
    ) -> impl Iterator<Item = Option<&'a PromiseAnswer>> {
        let named = self
            .promises
            .values()
            .filter(move |(known, _)| known == name);
        named.map(|(_, settled)| settled.as_ref())
    }

    /// How many problems have this code.
    pub fn problems(&self, code: &str) -> u64 {
        self.problems.get(code).copied().unwrap_or_default()
    }
}

fn joins(plan: &Plan) -> BTreeSet<u32> {
    let sites = plan.sites.iter().zip(0_u32..);
    let joins = sites.filter(|(site, _)| matches!(site.verb, "wait-stream" | "barrier"));
    joins.map(|(_, place)| place).collect()
}

/// Whether an operation keeps its stream busy, rather than waiting or marking an instant.
const fn is_work(kind: SpanKind) -> bool {
    !matches!(
        kind,
        SpanKind::EventRecord
            | SpanKind::EventWait
            | SpanKind::Hold
            | SpanKind::Join
            | SpanKind::Callback
            | SpanKind::Allocate
            | SpanKind::Free
    )
}

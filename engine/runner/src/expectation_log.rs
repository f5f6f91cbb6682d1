//! What expectations need to know of a run, noted while its records pass by.

use std::collections::{BTreeMap, BTreeSet};

use record::time::{Interval, Nanos, union};
use record::{LaneId, PromiseId, Record, Span, SpanKind, State, StreamIndex, Verdict};
use workload::{ExpectationKind, Plan};

/// What expectations need to know of a run; empty where they need nothing.
#[derive(Debug, Default)]
pub struct ExpectationLog {
    first_stream: u32,
    /// The first lane behind those of the streams: of the queue, and of what is done with calls.
    first_other: u32,
    streams: BTreeSet<LaneId>,
    calls: BTreeSet<u32>,
    /// The calls that tell a stream to wait for another.
    joins: BTreeSet<u32>,
    /// When each stream that is asked about was busy.
    busy: BTreeMap<LaneId, Vec<Interval>>,
    on_streams: BTreeMap<u32, Vec<Interval>>,
    on_hosts: BTreeMap<u32, Vec<Interval>>,
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
                ExpectationKind::Each { .. }
                | ExpectationKind::Sum { .. }
                | ExpectationKind::Problem { .. }
                | ExpectationKind::Settles { .. } => {}
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
        self.problems.clear();
        self.promises.clear();
        self.extent = None;
    }

    /// Notes what these records say.
    pub fn note(&mut self, records: &[Record]) {
        let wants_spans = !self.streams.is_empty() || !self.calls.is_empty();
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
        // What was lost did not run.
        if span.state == State::Lost {
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
        let is_operation = span.lane.0 >= self.first_stream;
        if is_operation {
            let extent = self.extent.unwrap_or(interval);
            self.extent = Some(extent.union(interval));
            if self.streams.contains(&span.lane) && is_work(span.kind) {
                self.busy.entry(span.lane).or_default().push(interval);
            }
        }
        if self.calls.contains(&span.call.0) {
            let side = if is_operation {
                &mut self.on_streams
            } else {
                &mut self.on_hosts
            };
            side.entry(span.call.0).or_default().push(interval);
        }
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
            self.on_streams
                .get(call)
                .or_else(|| self.on_hosts.get(call))
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
            | SpanKind::Allocate
            | SpanKind::Free
    )
}

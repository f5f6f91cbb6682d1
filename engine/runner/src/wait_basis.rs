//! What waits waited for, handed on once it is known what that enforced.
//!
//! A wait that timed out, or was cancelled or lost before it ended, enforced nothing: what it was to wait for is declared. What
//! held the start of an operation was enforced once that had begun, whatever became of it then.
//! Where several host threads call and nothing orders two of their calls, what follows from the order in which these came
//! is observed. That is known for certain only once every call was made, so such dependencies come last. Edges of graphs are
//! of the same sort: a node that never began was not held by them, and several host threads may have called into one capture.

use std::collections::{HashMap, HashSet};

use super::order::RaceDetector;
use record::{Basis, Dependency, DependencyKind, Record, Span, SpanId, SpanKind, State};
use workload::Plan;

/// Waits that are remembered in case that their dependencies are fetched after them.
const MOST_REMEMBERED: usize = 1 << 16;

/// How a span ended, as far as that says whether what was to hold it did.
#[derive(Clone, Copy, Debug)]
struct SpanOutcome {
    is_done: bool,
    has_begun: bool,
    is_wait: bool,
}

impl SpanOutcome {
    fn of(span: &Span) -> Self {
        Self {
            is_done: span.state == State::Done,
            has_begun: span.state != State::Cancelled && span.start < span.end,
            is_wait: is_wait(span),
        }
    }

    /// Whether a dependency of this kind held it: a wait until its end, and all else until it began.
    fn was_held(self, by: DependencyKind) -> bool {
        let is_for_end = self.is_wait && by != DependencyKind::Edge;
        self.is_done || self.has_begun && !is_for_end
    }
}

/// Dependencies of waits that are not handed on yet.
#[derive(Debug)]
pub struct WaitDependencies {
    /// Those of waits that have not ended, by the wait.
    pending: HashMap<SpanId, Vec<Dependency>>,
    /// Waits that ended before their dependencies were fetched, each with how.
    ended: HashMap<SpanId, SpanOutcome>,
    /// Whether several host threads call.
    is_shared: bool,
    /// Whether graphs are replayed: edges lead into their nodes, which are no waits.
    has_graphs: bool,
    /// How many host threads raise signals.
    raisers: usize,
    /// Those that depend on calls of several host threads.
    undecided: Vec<Dependency>,
    is_over: bool,
}

impl WaitDependencies {
    /// Of a run, before its first call.
    pub fn new(plan: &Plan) -> Self {
        let raising = plan.sites.iter().filter(|it| it.verb == "signal");
        let raising: HashSet<usize> = raising.map(|it| it.host).collect();
        Self {
            pending: HashMap::new(),
            ended: HashMap::new(),
            is_shared: plan.hosts.len() > 1,
            has_graphs: plan.sites.iter().any(|it| it.verb == "replay"),
            raisers: raising.len(),
            undecided: Vec::new(),
            is_over: false,
        }
    }

    /// Takes the dependencies of waits out of `records`, and puts in those that are known by now, each before its wait.
    pub fn sift(&mut self, records: Vec<Record>) -> Vec<Record> {
        let concerns = |record: &Record| match record {
            Record::Dependency(it) => self.is_of_wait(it),
            Record::Span(span) => self.may_have_causes(span) || self.pending.contains_key(&span.id),
            _ => false,
        };
        if self.is_over || !records.iter().any(concerns) {
            return records;
        }
        let mut sifted = Vec::with_capacity(records.len());
        for record in records {
            match record {
                Record::Dependency(it) if self.is_of_wait(&it) => {
                    match self.ended.get(&it.effect) {
                        Some(&outcome) => self.decide(it, outcome, &mut sifted),
                        None => self.pending.entry(it.effect).or_default().push(it),
                    }
                }
                Record::Span(span) => {
                    self.end(&span, &mut sifted);
                    sifted.push(Record::Span(span));
                }
                other => sifted.push(other),
            }
        }
        sifted
    }

    /// What is left once every call was made and every operation has ended.
    pub fn finish(&mut self, races: &RaceDetector) -> Vec<Record> {
        self.is_over = true;
        let pending = self.pending.drain().flat_map(|(_, all)| all);
        let mut rest: Vec<Dependency> = self.undecided.drain(..).chain(pending).collect();
        rest.sort_unstable_by_key(|it| (it.effect, it.cause));
        for it in rest.iter_mut().filter(|it| it.basis == Basis::Enforced) {
            if self.is_shared && !races.enforces(it.cause, it.effect) {
                it.basis = Basis::Observed;
            }
        }
        rest.into_iter().map(Record::Dependency).collect()
    }

    fn end(&mut self, span: &Span, sifted: &mut Vec<Record>) {
        let outcome = SpanOutcome::of(span);
        let pending = self.pending.remove(&span.id);
        if self.may_have_causes(span) && (pending.is_none() || !outcome.is_done) {
            // Those that were satisfied are only late by a batch, and what is left over in the end is handed on then.
            if self.ended.len() >= MOST_REMEMBERED {
                self.ended.retain(|_, outcome| !outcome.is_done);
            }
            self.ended.insert(span.id, outcome);
        }
        for it in pending.unwrap_or_default() {
            self.decide(it, outcome, sifted);
        }
    }

    fn decide(&mut self, mut it: Dependency, outcome: SpanOutcome, sifted: &mut Vec<Record>) {
        // A blocking call says by itself what it waited for: one that reports an earlier failure has waited.
        if !outcome.was_held(it.kind) && it.kind != DependencyKind::Synchronization {
            it.basis = Basis::Declared;
        }
        let is_certain = !self.is_shared
            || it.basis != Basis::Enforced
            || it.kind == DependencyKind::Signal && self.raisers < 2;
        if is_certain {
            sifted.push(Record::Dependency(it));
        } else {
            self.undecided.push(it);
        }
    }

    /// Whether dependencies of it may still come that say more than that it was submitted.
    fn may_have_causes(&self, span: &Span) -> bool {
        is_wait(span) || self.has_graphs && span.state != State::Done
    }

    fn is_of_wait(&self, it: &Dependency) -> bool {
        use DependencyKind::{
            Automatic, Barrier, Edge, Event, Join, Legacy, Signal, Synchronization,
        };
        it.basis != Basis::Declared
            && match it.kind {
                Edge | Event | Signal | Join | Barrier | Legacy | Automatic => true,
                Synchronization => self.is_shared,
                _ => false,
            }
    }
}

const fn is_wait(span: &Span) -> bool {
    matches!(
        span.kind,
        SpanKind::EventWait | SpanKind::Hold | SpanKind::Join
    )
}

//! What the host threads tell of the order of their calls, compared off their path: races become findings.

mod foretold;
mod text;

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

pub use text::buffer_name;

use super::recorder::Reporter;
use super::shared::RunState;
use order::{
    Actor, CallBatch, Hazard, HazardKind, HazardParty, HazardRelation, InsertionRule,
    MOST_MEETINGS, Meeting, Order, SharedResource, WatchedStep,
};
use record::{
    BufferIndex, EventId, Finding, FindingId, FindingSearch, Problem, Record, Severity, SpanId,
};
use workload::{ExpectationPlan, Synchronization};

/// The code of findings about uses that nothing orders.
const RACE: &str = "race";
/// The code of findings about host threads that use one stream or event by calls in no order.
const HOSTS: &str = "unordered-hosts";
/// The code of findings about waits that add nothing.
const REDUNDANT: &str = "redundant-wait";
/// What drops operations of a stream.
const ABORT: &str = "abort-stream";
/// What makes calls the nodes of a graph.
const CAPTURE: &str = "begin-capture";
/// Calls that are kept, to be taken once more where it was chance which record a wait meant, or whether that was dropped.
const MOST_KEPT: usize = 1_000_000;
/// Findings that are reported; further ones are counted.
const MOST: usize = 1000;

/// The two calls, what is wrong with them, and the buffer.
type HazardKey = (u32, u32, HazardKind, BufferIndex);

/// Compares calls as they come in, and reports what nothing orders: once for each pair of calls of the source.
pub struct RaceDetector {
    shared: Arc<RunState>,
    order: Order,
    /// All calls so far, where several host threads make them, or streams are aborted.
    kept: Option<Vec<CallBatch>>,
    /// For each stream or event and two host threads, what is found of them.
    met: HashMap<(SharedResource, u32, u32), FindingId>,
    /// For each pair of calls, what is wrong with them and the buffer, its finding.
    found: HashMap<HazardKey, Finding>,
    /// Those of calls of two host threads, and of memory where streams are aborted, and how many: what is said of them may
    /// depend on calls that are still to come.
    late: BTreeMap<HazardKey, (Hazard, u64)>,
    /// Whether streams are aborted: what an abort drops is known only then, and with it what is wrong with memory.
    has_aborts: bool,
    /// Whether several host threads call, and something is captured or waits are inserted: what of that is chance is known
    /// only in the end.
    has_chances: bool,
    /// The buffers of the races that were found, each as often as there are.
    races: BTreeMap<BufferIndex, u64>,
    /// The buffers that operations use.
    used: BTreeSet<BufferIndex>,
    left_out: u64,
    /// Findings so far.
    count: u32,
}

/// What those who expect something of the order of calls have to know.
#[derive(Debug, Default)]
pub struct OrderAnswers {
    /// Every operation of the calls that are asked about, each with whether a host thread has waited for it.
    pub steps: Vec<(WatchedStep, bool)>,
    /// How many races of each buffer were found.
    pub races: BTreeMap<BufferIndex, u64>,
    /// The buffers that operations use.
    pub used: BTreeSet<BufferIndex>,
    /// How many pairs of operations were compared so far.
    pub compared: Cell<usize>,
}

impl RaceDetector {
    /// Of a run, before its first call.
    pub fn new(shared: Arc<RunState>) -> Self {
        let calls = |verb: &str| shared.plan.sites.iter().any(|it| it.verb == verb);
        let has_aborts = calls(ABORT);
        let has_captures = calls(CAPTURE);
        let count = shared.plan.hosts.len();
        let mut order = Order::of_hosts(count);
        if has_aborts {
            order = order.with_aborts();
        }
        let inserts = shared.plan.synchronization != Synchronization::Manual;
        order = match shared.plan.synchronization {
            Synchronization::Manual => order,
            Synchronization::Least => order.with_insertions(InsertionRule::Conflicts),
            Synchronization::Automatic | Synchronization::Compared => {
                order.with_insertions(InsertionRule::EveryUse)
            }
        };
        let asked = shared.plan.expectations.iter();
        let asked: BTreeSet<u32> = asked.flat_map(ExpectationPlan::ordered_calls).collect();
        Self {
            order: order.watching(asked),
            kept: (count > 1 || has_aborts).then(Vec::new),
            late: BTreeMap::new(),
            has_aborts,
            has_chances: count > 1 && (has_captures || inserts),
            met: HashMap::new(),
            races: BTreeMap::new(),
            used: BTreeSet::new(),
            shared,
            found: HashMap::new(),
            left_out: 0,
            count: 0,
        }
    }

    /// Takes in what was called since.
    pub fn look(&mut self, reporter: &Reporter) {
        let batch = self.shared.order.take();
        batch.each(|_, uses| {
            let used = uses.iter().map(|it| crate::uses::named(it.buffer).0);
            self.used.extend(used);
        });
        self.order.take_all(&batch);
        self.keep(batch);
        self.report(reporter);
    }

    fn keep(&mut self, batch: CallBatch) {
        let Some(kept) = self.kept.as_mut().filter(|_| !batch.is_empty()) else {
            return;
        };
        kept.push(batch);
        // Those that were found before are told in the end.
        if kept.iter().map(CallBatch::len).sum::<usize>() > MOST_KEPT {
            self.kept = None;
        }
    }

    fn report(&mut self, reporter: &Reporter) {
        for found in self.order.hazards() {
            let hazard = self.outside_graphs(found);
            let is_known = hazard.first.host == hazard.second.host
                && !self.has_chances
                && (hazard.kind.is_of_uses() || !self.has_aborts);
            if is_known || self.kept.is_none() {
                self.note(&hazard, 1, reporter);
            } else {
                self.note_late(hazard);
            }
        }
        let meetings = self.order.meetings();
        // Where there may be more than are told, those that are must not depend on which came first.
        if !self.has_many_hosts() {
            for meeting in meetings {
                self.note_meeting(&meeting, reporter);
            }
        }
    }

    /// Every call was made: reports how often each was found, and how much was looked at.
    pub fn conclude(&mut self, reporter: &Reporter) {
        if self.shared.is_stalled() || self.shared.failure().is_some() {
            foretold::foretell(&self.shared);
        }
        self.look(reporter);
        // A record that came after a wait may have been the one that it meant: what was ordered by it was not.
        while let Some((again, kept)) = self.order.again().zip(self.kept.take()) {
            self.order = again;
            self.late.clear();
            self.found.values_mut().for_each(|it| it.count = 0);
            for batch in &kept {
                self.order.take_all(batch);
            }
            self.kept = Some(kept);
            self.report(reporter);
        }
        self.order.conclude_memory();
        self.report(reporter);
        self.tell_meetings(reporter);
        for (hazard, count) in std::mem::take(&mut self.late).into_values() {
            self.note(&hazard, count, reporter);
        }
        let mut again: Vec<Finding> = self.found.drain().map(|(_, finding)| finding).collect();
        again.sort_by_key(|finding| finding.id);
        let count = again.len();
        for finding in again.into_iter().filter(|finding| finding.count > 1) {
            reporter.send(Record::Finding(Box::new(finding)));
        }
        if self.left_out > 0 {
            self.report_excess(reporter);
        }
        let (calls, left) = (self.order.operations(), self.order.standing() as u64);
        reporter.send(Record::Search(Box::new(FindingSearch {
            code: RACE.to_owned(),
            calls,
            left,
            text: text::searched(count, calls, left),
        })));
        self.report_redundant(reporter);
    }

    /// What is to be said of the order of calls to those who expect something of it, once every call was made.
    pub fn answers(&self) -> OrderAnswers {
        let steps = self.order.watched().into_iter();
        let steps = steps.map(|step| {
            let is_known = self.order.is_known_to_host(&step);
            (step, is_known)
        });
        OrderAnswers {
            steps: steps.collect(),
            races: self.races.clone(),
            used: self.used.clone(),
            compared: Cell::default(),
        }
    }

    /// Whether pairs of host threads may be more than are told.
    fn has_many_hosts(&self) -> bool {
        let count = self.shared.plan.hosts.len();
        count * (count.saturating_sub(1)) / 2 > MOST_MEETINGS
    }

    /// What is told of two host threads once every call was made.
    fn tell_meetings(&mut self, reporter: &Reporter) {
        if self.has_many_hosts() {
            let (meetings, has_more) = self.order.all_meetings();
            let meetings: Vec<Meeting> = meetings.collect();
            for meeting in meetings {
                self.note_meeting(&meeting, reporter);
            }
            if has_more {
                Self::report_more_meetings(reporter);
            }
        }
        for meeting in self.order.circular_waits() {
            self.note_meeting(&meeting, reporter);
        }
    }

    fn report_more_meetings(reporter: &Reporter) {
        reporter.send(Record::Problem(Box::new(Problem {
            severity: Severity::DataLoss,
            code: "too-many-findings".to_owned(),
            text: format!(
                "more than {MOST_MEETINGS} pairs of host threads use one stream, event or signal by calls in no order, and only \
                 so many are listed; mend those that are and run again"
            ),
            span: SpanId::NONE,
            event: EventId::NONE,
        })));
    }

    /// Waits that add nothing: known once all are, since a loop may need one of many.
    fn report_redundant(&mut self, reporter: &Reporter) {
        let plan = &self.shared.plan;
        // Of a text for several ranks this one may be all that runs, and what it does not need another may.
        let is_alone = plan
            .placement
            .as_ref()
            .is_some_and(|it| it.ranks.len() == 1);
        let found = self.order.redundant_waits().filter(|_| !is_alone);
        for mut wait in found.collect::<Vec<_>>() {
            wait.stream = self.shared.launches.stream_of(wait.stream);
            wait.from = self.shared.launches.stream_of(wait.from);
            let site = plan.sites.get(wait.wait.site as usize);
            reporter.send(Record::Finding(Box::new(Finding {
                id: FindingId(self.count),
                code: REDUNDANT.to_owned(),
                severity: Severity::Info,
                text: text::of_redundant(plan, &wait),
                spans: vec![wait.wait.span, wait.record.span],
                lines: site.map(|site| site.line).into_iter().collect(),
                count: wait.count,
            })));
            self.count += 1;
        }
        let search = redundant_search(self.order.waits(), is_alone);
        reporter.send(Record::Search(Box::new(search)));
    }

    /// Two host threads that use one stream or event: told once for both, of the calls that stand first in the source.
    fn note_meeting(&mut self, meeting: &Meeting, reporter: &Reporter) {
        let key = (meeting.resource, meeting.first.0, meeting.second.0);
        let (count, plan) = (&mut self.count, &self.shared.plan);
        let id = *self.met.entry(key).or_insert_with(|| {
            *count += 1;
            FindingId(*count - 1)
        });
        let (first, second) = (meeting.first.1, meeting.second.1);
        let lines = [first, second].map(|it| plan.sites.get(it.site as usize));
        // One that is the same is told once, and one that was not made has no span.
        let mut spans = vec![first.span, second.span];
        spans.dedup();
        reporter.send(Record::Finding(Box::new(Finding {
            id,
            code: HOSTS.to_owned(),
            severity: Severity::Warning,
            text: text::of_meeting(plan, meeting),
            spans: spans.into_iter().filter(|it| it.is_some()).collect(),
            lines: lines.map(|it| it.map_or(0, |site| site.line)).to_vec(),
            count: 1,
        })));
    }

    /// Keeps what is found of the calls of two host threads. Where some of several are in no order at all, all are told so.
    fn note_late(&mut self, hazard: Hazard) {
        let is_chance = hazard.relation == HazardRelation::Hosts;
        let (known, count) = self.late.entry(key(&hazard)).or_insert((hazard, 0));
        if is_chance {
            *known = hazard;
        }
        *count += 1;
    }

    fn note(&mut self, hazard: &Hazard, count: u64, reporter: &Reporter) {
        let (first, second) = (hazard.first.origin, hazard.second.origin);
        let plan = &self.shared.plan;
        let is_chance = hazard.relation == HazardRelation::Hosts;
        // Automatic synchronisation makes uses wait for each other in the order in which the calls happened to come, also by
        // way of what other host threads call between them.
        let by_others = hazard.relation == HazardRelation::Unordered && plan.hosts.len() > 1;
        if (is_chance || by_others && hazard.kind.is_of_uses())
            && plan.synchronization != Synchronization::Manual
        {
            return;
        }
        // How often depends on how the calls happened to come where nothing orders them.
        let count = if is_chance { 1 } else { count };
        let key = key(hazard);
        if let Some(known) = self.found.get_mut(&key) {
            if !is_chance || known.count == 0 {
                known.count += count;
            }
            return;
        }
        if self.found.len() >= MOST {
            self.left_out += 1;
            return;
        }
        let lines = [hazard.first, hazard.second];
        let mut lines = lines.map(|it| text::line(plan, it)).to_vec();
        lines.dedup();
        let finding = Finding {
            id: FindingId(self.count),
            code: RACE.to_owned(),
            severity: Severity::Error,
            text: text::of_hazard(plan, hazard),
            spans: vec![first.span, second.span],
            lines,
            count,
        };
        reporter.send(Record::Finding(Box::new(finding.clone())));
        self.found.insert(key, finding);
        let (buffer, _) = crate::uses::named(hazard.buffer);
        *self.races.entry(buffer).or_default() += 1;
        self.count += 1;
    }

    /// The same of the streams of the plan: nodes of a graph are told as what the stream of its replay did.
    fn outside_graphs(&self, found: Hazard) -> Hazard {
        let (first, second) = (self.party(found.first), self.party(found.second));
        let is_inside = found.relation == HazardRelation::Unordered
            && found.first.actor != first.actor
            && first.actor == second.actor;
        Hazard {
            relation: if is_inside {
                HazardRelation::Nodes
            } else {
                found.relation
            },
            first,
            second,
            ..found
        }
    }

    /// Whoever it was, with the node of a graph as an operation of the stream of its replay.
    fn party(&self, party: HazardParty) -> HazardParty {
        let actor = match party.actor {
            Actor::Stream(stream) => Actor::Stream(self.shared.launches.stream_of(stream)),
            host @ Actor::Host(_) => host,
        };
        HazardParty { actor, ..party }
    }

    /// Whether a wait comes after what it waited for in every run: nothing of that is chance between host threads.
    pub fn enforces(&self, cause: SpanId, effect: SpanId) -> bool {
        self.order.enforces(cause, effect)
    }

    /// The place of a finding that is made after all of these.
    pub const fn next_finding(&self) -> FindingId {
        FindingId(self.count)
    }

    fn report_excess(&self, reporter: &Reporter) {
        reporter.send(Record::Problem(Box::new(Problem {
            severity: Severity::DataLoss,
            code: "too-many-findings".to_owned(),
            text: format!(
                "{} further uses that nothing orders are not listed, because {MOST} pairs of calls have such uses; \
                 mend those that are listed and run again",
                self.left_out
            ),
            span: SpanId::NONE,
            event: EventId::NONE,
        })));
    }
}

const fn key(hazard: &Hazard) -> HazardKey {
    let (first, second) = (hazard.first.origin, hazard.second.origin);
    (first.site, second.site, hazard.kind, hazard.buffer)
}

/// What was looked for of waits that add nothing.
fn redundant_search(waits: u64, is_alone: bool) -> FindingSearch {
    let none = if is_alone {
        "; none is named, since other ranks of the text may need what this one does not"
    } else {
        ""
    };
    FindingSearch {
        code: REDUNDANT.to_owned(),
        calls: waits,
        left: 0,
        text: format!("{waits} waits for events looked at{none}"),
    }
}

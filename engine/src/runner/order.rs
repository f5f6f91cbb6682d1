//! What the host threads tell of the order of their calls, compared off their path: races become findings.

use std::collections::HashMap;
use std::sync::Arc;

use super::recorder::Reporter;
use super::shared::Shared;
use crate::device::order::{Actor, Hazard, HazardKind, Order, Party};
use crate::record::{EventId, Finding, FindingId, Problem, Record, Search, Severity, SpanId};
use crate::workload::Plan;

/// The code of findings about uses that nothing orders.
const RACE: &str = "race";
/// Findings that are reported; further ones are counted.
const MOST: usize = 1000;

/// Compares calls as they come in, and reports what nothing orders: once for each pair of calls of the source.
pub struct Races {
    shared: Arc<Shared>,
    order: Order,
    /// For each pair of calls and what is wrong with them, its finding.
    found: HashMap<(u32, u32, HazardKind), Finding>,
    left_out: u64,
    /// Findings so far.
    count: u32,
}

impl Races {
    /// Of a run, before its first call.
    pub fn new(shared: Arc<Shared>) -> Self {
        Self {
            shared,
            order: Order::new(),
            found: HashMap::new(),
            left_out: 0,
            count: 0,
        }
    }

    /// Takes in what was called since.
    pub fn look(&mut self, reporter: &Reporter) {
        let batch = self.shared.order.take();
        self.order.take_all(&batch);
        for found in self.order.hazards() {
            let hazard = Hazard {
                first: self.party(found.first),
                second: self.party(found.second),
                ..found
            };
            self.note(&hazard, reporter);
        }
    }

    /// Every call was made: reports how often each was found, and how much was looked at.
    pub fn conclude(&mut self, reporter: &Reporter) {
        self.look(reporter);
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
        reporter.send(Record::Search(Box::new(Search {
            code: RACE.to_owned(),
            calls,
            left,
            text: searched(count, calls, left),
        })));
    }

    fn note(&mut self, hazard: &Hazard, reporter: &Reporter) {
        let (first, second) = (hazard.first.origin, hazard.second.origin);
        let key = (first.site, second.site, hazard.kind);
        if let Some(known) = self.found.get_mut(&key) {
            known.count += 1;
            return;
        }
        if self.found.len() >= MOST {
            self.left_out += 1;
            return;
        }
        let plan = &self.shared.plan;
        let mut lines = vec![line(plan, hazard.first), line(plan, hazard.second)];
        lines.dedup();
        let finding = Finding {
            id: FindingId(self.count),
            code: RACE.to_owned(),
            severity: Severity::Error,
            text: sentence(plan, hazard),
            spans: vec![first.span, second.span],
            lines,
            count: 1,
        };
        reporter.send(Record::Finding(Box::new(finding.clone())));
        self.found.insert(key, finding);
        self.count += 1;
    }

    /// Whoever it was, with the node of a graph as an operation of the stream of its replay.
    fn party(&self, party: Party) -> Party {
        let actor = match party.actor {
            Actor::Stream(stream) => Actor::Stream(self.shared.launches.stream_of(stream)),
            host @ Actor::Host(_) => host,
        };
        Party { actor, ..party }
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

/// What was looked for, and what came of it.
fn searched(found: usize, calls: u64, left: u64) -> String {
    let what = match found {
        0 => "no two unordered uses of one buffer".to_owned(),
        1 => "unordered uses of one buffer by one pair of calls".to_owned(),
        _ => format!("unordered uses of one buffer by {found} pairs of calls"),
    };
    let rest = match left {
        0 => String::new(),
        _ => format!(", and {left} that never had their turn were not"),
    };
    format!("{what}, {calls} operations looked at{rest}")
}

/// Names both calls, their lines and streams, the buffer, and the least that mends it.
fn sentence(plan: &Plan, hazard: &Hazard) -> String {
    let (buffer, copy) = buffer_name(plan, hazard.buffer.0);
    let (first, second) = (call(plan, hazard.first), call(plan, hazard.second));
    let (before, after) = match hazard.kind {
        HazardKind::ReadAfterWrite => ("writes", "reads"),
        HazardKind::WriteAfterRead => ("reads", "overwrites"),
        HazardKind::WriteAfterWrite => ("writes", "overwrites"),
        HazardKind::FreeWhileInUse => ("uses", "frees"),
        HazardKind::UseAfterFree => ("frees", "uses"),
        HazardKind::UseBeforeAllocation => ("allocates", "uses"),
        HazardKind::ReuseOfMemory => ("uses the memory of", "takes over"),
    };
    let remedy = match (hazard.first.actor, hazard.second.actor) {
        (Actor::Stream(first), Actor::Stream(second)) if first == second => {
            "inside the capture, record an event after the first, and wait for it before the second"
                .to_owned()
        }
        (Actor::Stream(first), Actor::Stream(second)) => format!(
            "record an event on {} after the first, and let {} wait for it before the second",
            stream(plan, first.0),
            stream(plan, second.0)
        ),
        (Actor::Stream(first), Actor::Host(_)) => {
            format!("synchronise {} between the two", stream(plan, first.0))
        }
        (Actor::Host(_), _) => "order the two host threads by a signal".to_owned(),
    };
    format!(
        "{second} {after} {copy}{buffer}, and nothing makes it come after {first}, which {before} it: {remedy}"
    )
}

/// `launch saxpy (line 14, on compute)`.
fn call(plan: &Plan, party: Party) -> String {
    let site = plan.sites.get(party.origin.site as usize);
    let (verb, label) = site.map_or(("call", ""), |site| (site.verb, site.label.as_str()));
    let name = match label {
        "" => verb.to_owned(),
        label => format!("{verb} “{label}”"),
    };
    let place = match party.actor {
        Actor::Stream(index) => format!("on {}", stream(plan, index.0)),
        Actor::Host(host) => {
            let host = plan.hosts.get(host as usize);
            format!("by host {}", host.map_or("?", |host| &host.name))
        }
    };
    format!("{name} (line {}, {place})", line(plan, party))
}

fn line(plan: &Plan, party: Party) -> u32 {
    let site = plan.sites.get(party.origin.site as usize);
    site.map_or(0, |site| site.line)
}

fn stream(plan: &Plan, index: u32) -> &str {
    let found = plan.streams.get(index as usize);
    found.map_or("?", |stream| &stream.name)
}

/// The name of a buffer, and whether it is its copy on the host: see [`super::uses`].
pub fn buffer_name(plan: &Plan, number: u32) -> (&str, &'static str) {
    let found = plan.buffers.get(number as usize / 2);
    let copy = if number % 2 == 1 {
        "the host's copy of "
    } else {
        ""
    };
    (found.map_or("?", |buffer| &buffer.name), copy)
}

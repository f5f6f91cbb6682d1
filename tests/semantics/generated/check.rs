//! Compares the records of a run with what the model of its workload allows.

mod arrows;
mod drawn_times;

use std::collections::{BTreeMap, BTreeSet};

use engine::analysis::ANALYSES;
use engine::capture::Capture;
use engine::record::{
    Basis, CallId, Dependency, DependencyKind, Expectation, Finding, Group, Lane, LaneId, Record,
    Role, RunOutcome, Span, SpanId, SpanKind, State, Value,
};
use engine::time::Nanos;

use super::chance;
use super::inserted_waits::WrittenOut;
use super::meetings;
use super::memory::{self, MemoryFault};
use super::order::{EnforcedOrder, ModelRace};
use super::text::{GeneratedCall, GeneratedWorkload, SynchronizationMode};
use crate::house::causality::is_in_time;

/// What a run told.
#[derive(Default)]
pub struct RunRecords {
    spans: BTreeMap<SpanId, Span>,
    lanes: BTreeMap<LaneId, Lane>,
    dependencies: Vec<Dependency>,
    findings: BTreeMap<u32, Finding>,
    concluded: Vec<Finding>,
    lines: BTreeMap<CallId, u32>,
    expectations: Vec<Expectation>,
    problems: Vec<String>,
    /// Inserted waits that are called redundant.
    redundant: BTreeSet<SpanId>,
    outcome: Option<RunOutcome>,
    ended: Nanos,
}

impl RunRecords {
    /// Of the records of a whole run.
    pub fn new(records: &[Record]) -> Self {
        let mut run = Self::default();
        for record in records {
            match record {
                Record::Span(span) => {
                    run.spans.insert(span.id, *span);
                }
                Record::Lane(lane) => {
                    run.lanes.insert(lane.id, (**lane).clone());
                }
                Record::Dependency(dependency) => run.dependencies.push(*dependency),
                Record::Finding(finding) => {
                    run.findings.insert(finding.id.0, (**finding).clone());
                }
                Record::Call(call) => {
                    run.lines.insert(call.id, call.line);
                }
                Record::Expectation(it) => run.expectations.push((**it).clone()),
                Record::Argument(span, _, Value::Text(text))
                    if text.contains("this wait is redundant") =>
                {
                    run.redundant.insert(*span);
                }
                Record::Problem(problem) => run.problems.push(problem.code.clone()),
                Record::End(end) => {
                    run.outcome = Some(end.outcome.clone());
                    run.ended = end.time;
                }
                _ => {}
            }
        }
        let mut capture = Capture::new();
        capture.apply(records.iter().cloned());
        let analyses = ANALYSES.iter().map(|make| make());
        let redundant = analyses.filter(|it| it.code() == "redundant-wait");
        run.concluded = redundant.flat_map(|mut it| it.run(&capture)).collect();
        run
    }

    /// Findings of the run with a code.
    pub fn findings(&self, code: &str) -> impl Iterator<Item = &Finding> {
        self.findings.values().filter(move |it| it.code == code)
    }

    fn group(&self, span: &Span) -> Option<Group> {
        let lane = self.lanes.get(&span.lane)?;
        (lane.role != Role::Queue).then_some(lane.group)
    }

    /// Every span.
    pub fn spans(&self) -> impl Iterator<Item = &Span> {
        self.spans.values()
    }

    /// The name of the lane of a span.
    pub fn lane_name(&self, span: &Span) -> Option<&str> {
        self.lanes.get(&span.lane).map(|it| it.name.as_str())
    }

    /// The causes of a span by dependencies of a kind.
    pub fn causes(&self, effect: SpanId, kind: DependencyKind) -> impl Iterator<Item = &Span> {
        let ties = self.dependencies.iter();
        let ties = ties.filter(move |it| it.effect == effect && it.kind == kind);
        ties.filter_map(|it| self.spans.get(&it.cause))
    }

    /// Whether an inserted wait is called redundant.
    pub fn is_redundant(&self, wait: SpanId) -> bool {
        self.redundant.contains(&wait)
    }

    /// The line of the call of a span.
    pub fn line(&self, span: &Span) -> u32 {
        self.lines.get(&span.call).copied().unwrap_or_default()
    }

    /// What each buffer of the host held at the end.
    fn values(&self) -> Option<Vec<i64>> {
        let found = self.expectations.iter().map(|it| it.found.parse::<f64>());
        let found: Result<Vec<f64>, _> = found.collect();
        Some(found.ok()?.into_iter().map(|it| it as i64).collect())
    }

    fn told(&self, span: &Span) -> String {
        format!(
            "{} of line {} ({}, {} to {}, {})",
            span.kind.label(),
            self.line(span),
            span.id.0,
            span.start,
            span.end,
            span.state.label()
        )
    }
}

/// A workload, what its calls enforce, and what a run of it told.
pub struct Comparison<'a> {
    /// The workload.
    pub workload: &'a GeneratedWorkload,
    /// What it enforces.
    pub order: &'a EnforcedOrder,
    /// What was run.
    pub run: &'a RunRecords,
    /// Whether the times are those of a device that does not see the host's memory: an upload has read it before, and a
    /// download writes it after.
    pub is_apart: bool,
    /// By how much a device's times may be off: an H100 tells of work that begins up to a microsecond before what it waits
    /// for ends.
    pub slack: Nanos,
}

impl Comparison<'_> {
    /// Everything that is not as it should be, each with a word for its kind.
    pub fn complaints(&self) -> Vec<(&'static str, String)> {
        let mut complaints = Vec::new();
        self.outcome(&mut complaints);
        self.spans(&mut complaints);
        self.streams(&mut complaints);
        self.dependencies(&mut complaints);
        self.arrows_in_time(&mut complaints);
        self.chance_is_told(&mut complaints);
        if self.workload.has_refusals() {
            // What ran is chance, and what is found of host threads is not.
            self.unordered_hosts(&mut complaints);
        } else if !self.is_stuck() {
            self.aborted(&mut complaints);
            self.moments(&mut complaints);
            if !self.workload.has_aborts {
                self.arrows_in_order(&mut complaints);
            }
            self.values(&mut complaints);
            self.races(&mut complaints);
            self.memory(&mut complaints);
            self.redundant_waits(&mut complaints);
            if self.workload.mode != SynchronizationMode::Manual && self.workload.hosts.len() == 1 {
                let written = WrittenOut::of(self.workload, self.run);
                complaints.extend(written.map(|it| it.complaints()).unwrap_or_default());
            }
        }
        complaints
    }

    /// Whether nothing went on, as it had to be or may have been by chance.
    fn is_stuck(&self) -> bool {
        let has_chances = !self.order.unordered_calls.is_empty();
        self.order.is_stuck()
            || has_chances && self.says_stuck() && chance::may_get_stuck(self.workload)
    }

    fn says_stuck(&self) -> bool {
        matches!(&self.run.outcome, Some(RunOutcome::Failed(text)) if text.contains("nothing can go on"))
    }

    fn outcome(&self, complaints: &mut Vec<(&'static str, String)>) {
        let is_stuck = self.is_stuck();
        let agrees = match &self.run.outcome {
            Some(RunOutcome::Finished) => !is_stuck,
            _ => is_stuck && self.says_stuck(),
        };
        if !agrees {
            complaints.push((
                "outcome",
                format!("stuck: {is_stuck}, and it says {:?}", self.run.outcome),
            ));
        }
    }

    /// What holds of every span by itself.
    fn spans(&self, complaints: &mut Vec<(&'static str, String)>) {
        for span in self.run.spans.values() {
            let told = || self.run.told(span);
            if !self.run.lanes.contains_key(&span.lane) {
                complaints.push(("lane", format!("{} is on no lane", told())));
            }
            if span.enqueued > span.start || span.start > span.end || span.end > self.run.ended {
                complaints.push(("times", format!("{} has times in no order", told())));
            }
        }
    }

    /// What is on a stream runs in the order of its submission; a host thread makes one call at a time.
    fn streams(&self, complaints: &mut Vec<(&'static str, String)>) {
        let mut last: BTreeMap<LaneId, Span> = BTreeMap::new();
        for span in self.run.spans.values() {
            let group = self.run.group(span);
            let is_call = matches!(
                span.kind,
                SpanKind::Call | SpanKind::Synchronize | SpanKind::HostWork
            );
            if !(group == Some(Group::Streams) || group == Some(Group::Host) && is_call) {
                continue;
            }
            if let Some(replay) = last.get(&span.lane)
                && replay.kind == SpanKind::Graph
                && span.enqueued == replay.enqueued
                && span.kind != SpanKind::Graph
                && (replay.start..=replay.end).contains(&span.start)
                && span.end <= replay.end
            {
                continue;
            }
            if let Some(before) = last.insert(span.lane, *span)
                && before.end > span.start
            {
                let (before, span) = (self.run.told(&before), self.run.told(span));
                complaints.push(("in order", format!("{before} overlaps {span}")));
            }
        }
    }

    /// Every cause and effect is there, and what was enforced has happened.
    /// A span as late as the device's times may mean it.
    fn at_latest(&self, span: &Span) -> Span {
        Span {
            start: span.start + self.slack,
            end: span.end + self.slack,
            ..*span
        }
    }

    fn dependencies(&self, complaints: &mut Vec<(&'static str, String)>) {
        for dependency in &self.run.dependencies {
            let ends = (
                self.run.spans.get(&dependency.cause),
                self.run.spans.get(&dependency.effect),
            );
            let (Some(cause), Some(effect)) = ends else {
                let text = format!("{dependency:?} leads to a span that does not exist");
                complaints.push(("dependency", text));
                continue;
            };
            if dependency.basis != Basis::Enforced {
                continue;
            }
            // What gave up did not wait to the end.
            let never_ran = |span: &Span| {
                matches!(span.state, State::Cancelled | State::Lost)
                    || span.state == State::Failed && span.kind.is_waiting()
            };
            let is_submitted = dependency.kind != DependencyKind::Submission
                || cause.start <= effect.enqueued && effect.enqueued <= effect.start;
            let holds = is_submitted && is_in_time(dependency, cause, &self.at_latest(effect));
            if !holds && !never_ran(effect) {
                let (cause, effect) = (self.run.told(cause), self.run.told(effect));
                let kind = dependency.kind.label();
                complaints.push(("cause", format!("{kind}: {effect} ends before {cause}")));
            }
        }
    }

    /// What an abort cancelled is cancelled by it, and not before; what waited for that, not before that.
    fn aborted(&self, complaints: &mut Vec<(&'static str, String)>) {
        if !self.workload.has_aborts {
            return;
        }
        let aborted = |stream: usize| {
            let calls = self.order.calls.iter();
            calls
                .map(|it| it.call)
                .any(|it| it == GeneratedCall::Abort(stream))
        };
        let is_abort = |span: &&Span| {
            let line = self.run.line(span);
            let calls = self.order.calls.iter().find(|it| it.line == line);
            self.run.group(span) == Some(Group::Host)
                && calls.is_some_and(|it| matches!(it.call, GeneratedCall::Abort(_)))
        };
        let first = self
            .run
            .spans
            .values()
            .filter(is_abort)
            .map(|it| it.start)
            .min();
        let spans = self.run.spans.values();
        for span in spans.filter(|it| it.state == State::Cancelled) {
            if first.is_none_or(|first| span.end < first) {
                let text = format!("{} before any abort", self.run.told(span));
                complaints.push(("cancelled early", text));
            }
            let lane = self
                .run
                .lanes
                .get(&span.lane)
                .map_or("", |it| it.name.as_str());
            let own = (0..self.workload.streams.len()).find(|it| lane == format!("s{it}"));
            if own.is_none_or(aborted) {
                continue;
            }
            let causes = self
                .run
                .dependencies
                .iter()
                .filter(|it| it.effect == span.id);
            let causes = causes.filter_map(|it| self.run.spans.get(&it.cause));
            for cause in causes.filter(|it| it.start > span.end) {
                let text = format!("{} before {}", self.run.told(span), self.run.told(cause));
                complaints.push(("cancelled early", text));
            }
        }
    }

    fn is_free_of_races(&self) -> bool {
        // Where the engine inserts waits, uses are ordered as they happen to be called.
        let is_called_in_order =
            self.workload.mode == SynchronizationMode::Manual || self.workload.hosts.len() == 1;
        self.order.races(self.workload.mode).is_empty()
            && self.order.unordered_calls.is_empty()
            && self.memory_faults().is_empty()
            && !self.workload.has_aborts
            && is_called_in_order
    }

    fn memory_faults(&self) -> Vec<MemoryFault> {
        if self.workload.mode != SynchronizationMode::Manual {
            return Vec::new();
        }
        memory::faults(self.workload, self.order)
    }

    /// The races that are found are races, and of each buffer that has some, some are found.
    fn races(&self, complaints: &mut Vec<(&'static str, String)>) {
        let mode = self.workload.mode;
        let races = self.order.races(mode);
        let mut missing = races.clone();
        missing.retain(|it| !self.workload.is_memory(it.copy.buffer));
        let replays: Vec<u32> = (self.order.calls.iter())
            .filter(|it| matches!(it.call, GeneratedCall::Replay(..)))
            .map(|it| it.line)
            .collect();
        for finding in self.run.findings("race") {
            let Some((first, second)) = both_lines(finding) else {
                continue;
            };
            // A graph whose nodes are one may be named by its replay.
            let fits = |line: u32, found: u32| line == found || replays.contains(&found);
            let agrees = |race: &ModelRace| {
                names(finding, race.copy.buffer)
                    && race.copy.is_host == finding.text.contains("the host's copy of")
                    && (fits(race.lines.0, first) && fits(race.lines.1, second)
                        || fits(race.lines.0, second) && fits(race.lines.1, first))
            };
            let faults = self.memory_faults();
            let mut faults = faults.iter();
            if faults.any(|it| names(finding, it.buffer) && it.lines == (first, second)) {
                continue;
            }
            let Some(race) = races.iter().find(|it| agrees(it)) else {
                complaints.push(("false race", finding.text.clone()));
                continue;
            };
            missing.retain(|it| it.copy != race.copy);
        }
        for race in &missing {
            complaints.push(("missed race", format!("{race:?}")));
        }
        self.unordered_hosts(complaints);
    }

    /// Where the run stands still by chance, a finding says which calls nothing orders, the same as where it does not.
    fn chance_is_told(&self, complaints: &mut Vec<(&'static str, String)>) {
        if !self.says_stuck() || self.order.is_stuck() {
            return;
        }
        let mut told = self.run.findings("unordered-hosts");
        if told.next().is_none() {
            complaints.push(("stuck by chance", "no finding says so".to_owned()));
        }
        if !self.workload.has_refusals() {
            self.unordered_hosts(complaints);
        }
    }

    /// Of each thing and two host threads, the two places are named that come first in the text.
    fn unordered_hosts(&self, complaints: &mut Vec<(&'static str, String)>) {
        let expected = meetings::told_lines(self.order, self.workload);
        let told = self.run.findings("unordered-hosts");
        let mut told: Vec<(u32, u32)> = told.filter_map(|it| pair(&it.lines)).collect();
        told.sort_unstable();
        told.dedup();
        if told != expected {
            let text = format!("told: {told:?}; unordered: {expected:?}");
            complaints.push(("unordered hosts", text));
        }
    }

    /// Of each memory something that is wrong is found, and all sorts of it where it has but one.
    fn memory(&self, complaints: &mut Vec<(&'static str, String)>) {
        let faults = self.memory_faults();
        let races = self.order.races(self.workload.mode);
        let found = |fault: &MemoryFault| {
            let mut findings = self.run.findings("race");
            findings.any(|it| names(it, fault.buffer) && both_lines(it) == Some(fault.lines))
        };
        for fault in &faults {
            let is_alone = races.iter().all(|it| it.copy.buffer != fault.buffer);
            let mut same = faults
                .iter()
                .filter(|it| it.buffer == fault.buffer && (it.sort == fault.sort || !is_alone));
            if !same.any(found) {
                complaints.push(("missed fault of memory", format!("{fault:?}")));
            }
        }
    }

    /// A wait that is called redundant may be taken out.
    fn redundant_waits(&self, complaints: &mut Vec<(&'static str, String)>) {
        if self.workload.mode != SynchronizationMode::Manual {
            return;
        }
        let races = self.order.races(self.workload.mode);
        let faults = self.memory_faults();
        let mut idle = Vec::new();
        for finding in &self.run.concluded {
            for line in finding.lines.iter().take(1) {
                let place = self.order.calls.iter().position(|it| it.line == *line);
                let Some(place) = place else { continue };
                idle.push(place);
                let mut without = |places: &[usize]| {
                    let without = EnforcedOrder::of(self.workload, places);
                    let more = without.races(self.workload.mode);
                    let text = format!("{}: without {places:?}", finding.text);
                    if let Some(race) = more.iter().find(|it| !races.contains(it)) {
                        complaints.push(("redundant wait", format!("{text} {race:?}")));
                    }
                    let more = memory::faults(self.workload, &without);
                    if let Some(fault) = more.iter().find(|it| !faults.contains(it)) {
                        complaints.push(("redundant wait", format!("{text} {fault:?}")));
                    }
                };
                without(&[place]);
                without(&idle);
            }
        }
    }
}

fn pair(lines: &[u32]) -> Option<(u32, u32)> {
    match *lines {
        [first, second] => Some((first, second)),
        _ => None,
    }
}

/// The lines of a finding, the lower first.
fn both_lines(finding: &Finding) -> Option<(u32, u32)> {
    match *finding.lines {
        [only] => Some((only, only)),
        [first, second] => Some((first.min(second), first.max(second))),
        _ => None,
    }
}

/// Whether a finding is about a buffer.
fn names(finding: &Finding, buffer: usize) -> bool {
    finding.text.contains(&format!("x{buffer}"))
}

//! Virtual time never runs backwards: whatever the bundled workloads do on the deterministic device, and whenever that
//! is lost, nothing happens before what it comes after.

use std::collections::{BTreeMap, BTreeSet};

use engine::record::{
    Basis, Dependency, Group, LaneId, Loss, NameId, Promise, PromiseOutcome, Record, Recovery,
    Span, SpanId, SpanKind, State,
};
use engine::runner::{RecoveryMode, RunRequest, run};
use engine::time::Nanos;
use engine::workload::{Document, bundled};

use crate::house::causality::is_in_time;
use crate::semantics::conformance::BRISK;

/// Losses that every workload is run with, and what is done then.
const LOSSES: &[(&str, RecoveryMode)] = &[
    ("", RecoveryMode::Stay),
    ("destroy@50us", RecoveryMode::Stay),
    ("destroy@1ms", RecoveryMode::Resume),
    ("driver@1ms", RecoveryMode::Resume),
    ("driver@300us", RecoveryMode::Replay),
    ("destroy@100ms", RecoveryMode::Stay),
    ("destroy@100ms", RecoveryMode::Replay),
];

/// Calls that open the device anew while a step of the one before is due, and some that lose it in the middle of a step.
const EARLY: &[&str] = &[
    r#"push-error-scope "validation"; lose-device by="driver"; recover-device; pop-error-scope promise="p"; settle-all"#,
    r#"push-error-scope "validation"; lose-device by="destroy"; recover-device; pop-error-scope promise="p"; settle-all"#,
    r#"work-done promise="p"; lose-device by="driver"; pop-error-scope promise="q"; settle-all"#,
    r#"push-error-scope "validation"; lose-device by="driver"; recover-device; lose-device by="driver"; recover-device
       pop-error-scope promise="p"; work-done promise="q"; settle-all"#,
    r#"device-lost promise="p"; create-pipeline-async "k" promise="q"; lose-device by="driver"; recover-device
       push-error-scope "validation"; pop-error-scope promise="p"; settle-all"#,
];

/// What a run told.
#[derive(Default)]
struct TimedRecords {
    spans: BTreeMap<SpanId, Span>,
    dependencies: Vec<Dependency>,
    losses: Vec<Loss>,
    recoveries: Vec<Recovery>,
    promises: Vec<Promise>,
    settlements: Vec<PromiseOutcome>,
    /// The lanes of streams.
    streams: BTreeSet<LaneId>,
    names: BTreeMap<NameId, String>,
}

impl TimedRecords {
    fn of(source: &str, lose: &str, recovery: RecoveryMode) -> Self {
        Self::on("mock", source, lose, recovery)
    }

    fn on(backend: &str, source: &str, lose: &str, recovery: RecoveryMode) -> Self {
        let injections = lose.split_whitespace().map(|it| it.parse().unwrap());
        let request = RunRequest {
            name: "virtual".to_owned(),
            source: source.to_owned(),
            backend: backend.to_owned(),
            paced: BRISK,
            lose: injections.collect(),
            recovery,
            ..RunRequest::default()
        };
        let mut told = Self::default();
        run(request, |batch| {
            for record in batch {
                told.take(record);
            }
        })
        .unwrap();
        told
    }

    fn take(&mut self, record: Record) {
        match record {
            Record::Span(span) => {
                self.spans.insert(span.id, span);
            }
            Record::Lane(lane) if lane.group == Group::Streams => {
                self.streams.insert(lane.id);
            }
            Record::Name(id, name) => drop(self.names.insert(id, name.to_string())),
            Record::Dependency(it) => self.dependencies.push(it),
            Record::Loss(it) => self.losses.push(*it),
            Record::Recovery(it) => self.recoveries.push(*it),
            Record::Promise(it) => self.promises.push(*it),
            Record::Settlement(it) => self.settlements.push(*it),
            _ => {}
        }
    }

    /// What comes before its enforced cause.
    fn too_early(&self) -> Vec<String> {
        let enforced = self.dependencies.iter();
        let enforced = enforced.filter(|it| it.basis == Basis::Enforced);
        let found = enforced.filter_map(|it| {
            let (Some(cause), Some(effect)) =
                (self.spans.get(&it.cause), self.spans.get(&it.effect))
            else {
                return Some(format!("{it:?} leads nowhere"));
            };
            let holds = is_in_time(it, cause, effect);
            // What gave up did not wait to the end.
            let waits = effect.kind.is_waiting();
            let ran = effect.state == State::Done || effect.state == State::Failed && !waits;
            (ran && !holds).then(|| format!("{:?}: {cause:?} after {effect:?}", it.kind))
        });
        found.collect()
    }

    /// What begins on a stream before what was submitted to it earlier has ended. Nodes lie within their replay.
    fn out_of_turn(&self) -> Vec<String> {
        let mut last: BTreeMap<LaneId, Span> = BTreeMap::new();
        let mut found = Vec::new();
        let spans = self.spans.values();
        for span in spans.filter(|it| self.streams.contains(&it.lane)) {
            if let Some(before) = last.get(&span.lane) {
                let is_node = before.kind == SpanKind::Graph
                    && span.enqueued == before.enqueued
                    && before.start <= span.start
                    && span.end <= before.end;
                if is_node {
                    continue;
                }
                if before.end > span.start {
                    found.push(format!("{span:?} overlaps {before:?}"));
                }
            }
            last.insert(span.lane, *span);
        }
        found
    }

    /// Steps of the device timeline that hear of a loss before that was: the step of a `destroy()` ends in the loss itself.
    fn lost_early(&self) -> Vec<String> {
        let name = |span: &Span| self.names.get(&span.name).map_or("", |it| it.as_str());
        let steps = self.spans.values();
        let steps =
            steps.filter(|it| it.kind == SpanKind::Step && name(it).contains("lose the device"));
        let is_early = |it: &&Span| {
            let mut losses = self.losses.iter();
            losses.all(|loss| it.start < loss.time && it.end != loss.time)
        };
        let found = steps.filter(is_early);
        found
            .map(|it| format!("{it:?} before {:?}", self.losses))
            .collect()
    }

    /// Promises of a loss that were kept before it.
    fn heard_early(&self) -> Vec<String> {
        let found = self.settlements.iter().filter_map(|it| {
            let promise = self.promises.iter().find(|made| made.id == it.promise)?;
            let is_lost = promise.api.contains("lost");
            let mut losses = self.losses.iter();
            let loss = losses.find(|loss| loss.generation == promise.generation);
            let loss = loss.filter(|loss| is_lost && it.time < loss.time)?;
            Some(format!(
                "{promise:?} settled at {}, lost at {}",
                it.time, loss.time
            ))
        });
        found.collect()
    }

    /// What ran on a device that was lost.
    fn ran_lost(&self) -> Vec<String> {
        let mut found = Vec::new();
        for loss in &self.losses {
            let back = self.recoveries.iter().find(|it| it.lost == loss.time);
            let back = back.map(|it| it.time);
            let spans = self.spans.values().filter(|it| {
                it.kind.is_result()
                    && it.state == State::Done
                    && it.end > loss.time
                    && back.is_none_or(|back| it.end < back)
            });
            found.extend(spans.map(|it| format!("{it:?} ran after {}", loss.time)));
        }
        found
    }

    /// Everything that is wrong with its times.
    fn wrong(&self) -> Vec<String> {
        [
            self.too_early(),
            self.out_of_turn(),
            self.heard_early(),
            self.lost_early(),
            self.ran_lost(),
        ]
        .concat()
    }
}

#[test]
fn no_step_of_a_device_begins_before_what_calls_for_it() {
    for calls in EARLY {
        let source = format!(
            "promise \"p\"; promise \"q\"; pipeline \"k\" kernel=\"saxpy\"\nhost \"main\" {{ {calls} }}"
        );
        for lose in ["", "driver@500ns", "driver@2500ns"] {
            let told = TimedRecords::of(&source, lose, RecoveryMode::Resume);
            assert!(!told.promises.is_empty(), "{calls}");
            let wrong = told.wrong();
            assert_eq!(wrong, [""; 0], "{calls} with {lose:?}");
        }
    }
}

#[test]
fn nothing_happens_before_its_cause_on_the_deterministic_device() {
    let mut wrong = Vec::new();
    for workload in bundled() {
        let plan = Document::parse(workload.name, workload.source)
            .unwrap()
            .plan(&[]);
        // Ranks have clocks of their own, and processes.
        if plan.unwrap().placement.is_some() {
            continue;
        }
        for (lose, recovery) in LOSSES {
            let told = TimedRecords::of(workload.source, lose, *recovery);
            let all = told.wrong();
            if let Some(first) = all.first() {
                let count = all.len();
                wrong.push(format!(
                    "{} with {lose:?} {recovery:?}: {count}, first {first}",
                    workload.name
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{} runs: {wrong:#?}", wrong.len());
}

#[test]
fn what_an_abort_cancelled_has_waited_since_its_stream_came_to_it() {
    for held in [
        r#"hold "go" on="s""#,
        r#"hold "go" on="t"; record "e" on="t"; wait "e" on="s""#,
        r#"hold "go" on="t"; wait-stream "t" on="s""#,
    ] {
        let source = format!(
            r#"stream "s"; stream "t"; event "e"; signal "go"; buffer "x" f32=16
            host "main" {{ {held}; fill "x" value=1 on="s"; work micros=1000; abort-stream "s"; signal "go" }}"#
        );
        let told = TimedRecords::of(&source, "", RecoveryMode::Stay);
        let cancelled = told
            .spans
            .values()
            .filter(|it| it.state == State::Cancelled);
        let lengths: Vec<_> = cancelled.map(|it| it.end - it.start).collect();
        let [waited, queued] = lengths[..] else {
            panic!("{held}: {lengths:?}")
        };
        assert!(waited > Nanos(900_000), "{held}: {waited}");
        assert_eq!(queued, Nanos::ZERO, "{held}");
    }
}

/// Where time is the host's, the device timeline, the compile workers and the host thread go on while the device is opened
/// anew: what is settled then comes after all that they did. Without that about one run in three settled a promise before the
/// step that decided it.
#[test]
fn no_enforced_arrow_leads_back_in_time_where_a_device_is_opened_anew_beside_compiles() {
    let mut bundled = bundled().iter();
    let storm = bundled.find(|it| it.name == "compile-storm").unwrap();
    for lose in ["driver@pipeline:again[4]", "driver@pipeline:saxpy[7]"] {
        for _ in 0..10 {
            let told = TimedRecords::on("cpu", storm.source, lose, RecoveryMode::Resume);
            assert_eq!(told.recoveries.len(), 1, "{lose}");
            assert_eq!(told.too_early(), [""; 0], "{lose}");
        }
    }
}

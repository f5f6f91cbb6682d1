//! What promises, pipelines and losses came to, in figures.

use std::io::{self, Write};
use std::path::Path;

use engine::analysis::LossIndex;
use engine::capture::Capture;
use engine::record::{CompileTime, LossKind, SpanId, Verdict};
use engine::time::Nanos;
use serde::Serialize;

use super::plain_text::joined;
use super::table::TextTable;
use crate::text;

/// What promises, pipelines and losses came to.
#[derive(Debug, Serialize)]
pub(super) struct OutcomesReport {
    /// Promises, in the order of the calls.
    pub promises: Vec<PromiseReport>,
    /// Pipelines, in the order of the calls.
    pub pipelines: Vec<PipelineReport>,
    /// Losses of the device, by time.
    pub losses: Vec<DeviceLossReport>,
}

/// What an attempt came to after which a new worker began again.
#[derive(Debug, Serialize)]
pub(super) struct EarlierAttemptReport {
    /// The losses of its device, by time.
    losses: Vec<DeviceLossReport>,
    /// The file that its capture was written to.
    saved: Option<String>,
}

impl EarlierAttemptReport {
    /// Of its capture, which was saved there.
    pub fn new(capture: &Capture, saved: Option<&Path>) -> Self {
        Self {
            losses: losses(capture),
            saved: saved.map(|path| path.display().to_string()),
        }
    }

    /// Writes it as the attempt of this number, counted from 1.
    pub fn write(&self, number: usize, out: &mut dyn Write) -> io::Result<()> {
        let place = self.saved.as_ref();
        let place = place.map_or_else(String::new, |path| format!("; it is saved to {path}"));
        writeln!(out)?;
        writeln!(
            out,
            "attempt {number} lost its device, and a new worker began again{place}"
        )?;
        self.losses.iter().try_for_each(|it| it.write(out))
    }
}

/// What a promise came to.
#[derive(Debug, Serialize)]
pub(super) struct PromiseReport {
    api: String,
    name: String,
    /// `resolved`, `rejected`, or `pending`.
    outcome: &'static str,
    value: String,
    settled_ns: Option<i64>,
    reason: String,
    anchor: String,
    /// What the implementation below did for the same call in this run, or that it was not observed; empty where there
    /// is none.
    actual: String,
    /// Whether that is what the specification says, where it was observed.
    agrees: Option<bool>,
}

/// How far a pipeline came.
#[derive(Debug, Serialize)]
pub(super) struct PipelineReport {
    name: String,
    state: &'static str,
    is_async: bool,
    generation: u32,
    compile_ns: Option<i64>,
    /// When the device really compiles it: `never`, `at its creation` or `at its first use`.
    compiles: Option<&'static str>,
    detail: String,
}

/// A loss, and what it took.
#[derive(Debug, Serialize)]
pub(super) struct DeviceLossReport {
    kind: &'static str,
    generation: u32,
    reason: String,
    time_ns: i64,
    /// Operations that it took.
    operations: u64,
    /// Promises that were pending.
    promises: usize,
    /// From the loss to the new device.
    recovered_after_ns: Option<i64>,
    /// From the loss to the end of the first operation on the new device.
    first_result_after_ns: Option<i64>,
}

impl OutcomesReport {
    /// What everything in `capture` came to.
    pub fn new(capture: &Capture) -> Self {
        Self {
            promises: promises(capture),
            pipelines: pipelines(capture),
            losses: losses(capture),
        }
    }

    /// Writes them for people.
    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        self.write_losses(out)?;
        let mut table = TextTable::new(&["promise", "of", "outcome", "with", ">ended at"]);
        for it in &self.promises {
            let time = it.settled_ns.map(|time| text::duration(Nanos(time)));
            table.row([
                match it.name.as_str() {
                    "" => "(compiled again)".to_owned(),
                    name => name.to_owned(),
                },
                it.api.clone(),
                it.outcome.to_owned(),
                joined(&it.value),
                time.unwrap_or_default(),
            ]);
        }
        table.write_after_a_line(out)?;
        let mut table = TextTable::new(&["pipeline", "", "state", ">compiled for", "detail"]);
        for it in &self.pipelines {
            let time = it.compile_ns.map(|time| text::duration(Nanos(time)));
            let way = if it.is_async { "async" } else { "sync" };
            table.row([
                it.name.clone(),
                way.to_owned(),
                it.state.to_owned(),
                time.unwrap_or_default(),
                it.detail.lines().next().unwrap_or_default().to_owned(),
            ]);
        }
        table.write_after_a_line(out)?;
        self.write_reasons(out)
    }

    /// Why promises came to what they did: each reason once, with where the specification says so.
    fn write_reasons(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut told: Vec<&str> = Vec::new();
        for it in &self.promises {
            let known = told.contains(&it.reason.as_str());
            if known || it.reason.is_empty() || self.losses.is_empty() {
                continue;
            }
            if told.is_empty() {
                writeln!(out)?;
                writeln!(out, "why")?;
            }
            told.push(&it.reason);
            writeln!(
                out,
                "{} {}: {} ({})",
                it.api,
                it.outcome,
                joined(&it.reason),
                it.anchor
            )?;
            if !it.actual.is_empty() {
                writeln!(
                    out,
                    "  this implementation, in this run: {}",
                    joined(&it.actual)
                )?;
            }
        }
        Ok(())
    }

    fn write_losses(&self, out: &mut dyn Write) -> io::Result<()> {
        for loss in &self.losses {
            writeln!(out)?;
            loss.write(out)?;
        }
        Ok(())
    }
}

impl DeviceLossReport {
    fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let after = |time: Option<i64>| match time {
            Some(time) => format!("after {}", text::duration(Nanos(time))),
            None => "never".to_owned(),
        };
        let line = format!(
            "device lost ({}, generation {}) at {}: {}",
            self.kind,
            self.generation,
            text::duration(Nanos(self.time_ns)),
            joined(&self.reason),
        );
        let cost = format!(
            "  took {} and met {}; opened anew {}, first result {}",
            text::counted(self.operations, "operation"),
            text::counted(self.promises as u64, "promise"),
            after(self.recovered_after_ns),
            after(self.first_result_after_ns),
        );
        for line in [line, cost] {
            writeln!(out, "{}", line.replace(text::THIN, " "))?;
        }
        Ok(())
    }
}

fn promises(capture: &Capture) -> Vec<PromiseReport> {
    let all = capture.promises().iter();
    all.map(|pledge| {
        let settled = pledge.settlement.as_ref();
        let say = |text: fn(&engine::record::PromiseOutcome) -> &String| {
            settled.map(text).cloned().unwrap_or_default()
        };
        PromiseReport {
            api: pledge.promise.api.clone(),
            name: pledge.promise.name.clone(),
            outcome: settled.map_or("pending", |it| match it.verdict {
                Verdict::Resolved => "resolved",
                Verdict::Rejected => "rejected",
            }),
            value: say(|it| &it.value),
            settled_ns: settled.map(|it| it.time.0),
            reason: say(|it| &it.reason),
            anchor: say(|it| &it.anchor),
            actual: settled.map_or("", |it| it.observed.text()).to_owned(),
            agrees: settled.and_then(|it| it.observed.agrees()),
        }
    })
    .collect()
}

fn pipelines(capture: &Capture) -> Vec<PipelineReport> {
    let all = capture.pipelines().iter();
    all.map(|stages| {
        let details = stages.steps.iter().rev().map(|step| &step.detail);
        let detail = details.into_iter().find(|detail| !detail.is_empty());
        PipelineReport {
            name: stages.pipeline.name.clone(),
            state: stages.state().label(),
            is_async: stages.pipeline.is_async,
            generation: stages.pipeline.generation,
            compile_ns: stages.compile_time().map(|time| time.0),
            compiles: stages
                .steps
                .iter()
                .find_map(|it| it.compiles)
                .map(CompileTime::label),
            detail: detail.cloned().unwrap_or_default(),
        }
    })
    .collect()
}

fn losses(capture: &Capture) -> Vec<DeviceLossReport> {
    let all = capture.losses().iter();
    let all = all.zip(LossIndex::new(capture).aftermaths());
    // An operation that failed is a problem, and said there.
    let all = all.filter(|(loss, _)| loss.kind != LossKind::Failed);
    all.map(|(loss, aftermath)| {
        let since = |time: Nanos| (time - loss.time).0;
        let first = aftermath
            .first_result
            .map(|(_, end): (SpanId, Nanos)| since(end));
        DeviceLossReport {
            kind: loss.kind.label(),
            generation: loss.generation,
            reason: loss.reason.clone(),
            time_ns: loss.time.0,
            operations: aftermath.operations,
            promises: aftermath.promises.len(),
            recovered_after_ns: aftermath.recovery.map(|it| since(it.time)),
            first_result_after_ns: first,
        }
    })
    .collect()
}

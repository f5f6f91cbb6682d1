//! A worker of this machine's own, for one run after the other that may end its process: nobody is told of the link, and
//! a worker that had a fault is never used again.

use std::path::{Path, PathBuf};
use std::time::Instant;

use super::{LinkPhase, WorkerLink};
use crate::{Control, Message, RecoveryMode, RunRequest};
use record::{EventId, Log, LossKind, Problem, Record, Severity, SpanId};

/// How often a workload is begun again by itself after a fault, so that one that fails each time comes to an end.
const AGAIN: u32 = 3;

/// What is known of the run of a worker of our own.
#[derive(Debug, Default)]
pub(super) struct OwnWorkerRun {
    /// Whether the run is over.
    pub is_over: bool,
    /// Whether the device had a fault: the worker's process is good for nothing more.
    pub had_fault: bool,
    /// Why the device was lost, until the run that begins again for it has said so.
    reason: Option<String>,
    /// When the fault was heard of, until the first result after it.
    since: Option<Instant>,
    again: u32,
}

impl OwnWorkerRun {
    /// Notes what comes from the worker.
    pub fn note(&mut self, message: &Message, is_running: bool) {
        match message {
            Message::Batch(records) => {
                let fault = records.iter().find_map(|record| match record {
                    Record::Loss(loss)
                        if !matches!(
                            loss.kind,
                            LossKind::Destroyed | LossKind::Link | LossKind::Failed
                        ) =>
                    {
                        Some(&loss.reason)
                    }
                    _ => None,
                });
                if let Some(reason) = fault {
                    self.had_fault = true;
                    self.reason.get_or_insert_with(|| reason.clone());
                    self.since.get_or_insert_with(Instant::now);
                }
            }
            Message::Refused(_) if !is_running => self.is_over = true,
            _ => {}
        }
    }

    /// Adds to records what is to be said of a run that begins another anew.
    pub fn remark(&mut self, records: &mut Vec<Record>) {
        let again = self.begun_again(records);
        let first = self.first_result(records);
        // Before the end of the run, which is the last record.
        let place = records.len().saturating_sub(1);
        records.splice(place..place, again.into_iter().chain(first));
    }

    /// Says that the run whose records these are begins another anew, and why, once something ran.
    fn begun_again(&mut self, records: &[Record]) -> Option<Record> {
        let has_begun = |it: &Record| matches!(it, Record::Span(_) | Record::End(_));
        if self.had_fault || !records.iter().any(has_begun) {
            return None;
        }
        let reason = self.reason.take()?;
        Some(Record::Problem(Box::new(Problem {
            severity: Severity::Info,
            code: "begun-again".to_owned(),
            text: format!(
                "this is attempt {}: the workload was begun again in a new worker after the device was lost ({reason})",
                self.again + 1
            ),
            span: SpanId::NONE,
            event: EventId::NONE,
        })))
    }

    /// Says how long the first result took after the fault, once it is there.
    fn first_result(&mut self, records: &[Record]) -> Option<Record> {
        if self.had_fault {
            return None;
        }
        let result = records.iter().find_map(|record| match record {
            Record::Span(span) if span.kind.is_result() => Some(span.end),
            _ => None,
        })?;
        let since = self.since.take()?;
        Some(Record::Log(Box::new(Log {
            time: result,
            severity: Severity::Info,
            text: format!(
                "a new worker gave its first result {:.0?} after the fault was heard of",
                since.elapsed()
            ),
        })))
    }
}

impl WorkerLink {
    /// Runs `request` to its end, in a new worker where the last had a fault. Gives back the request that is to replace
    /// it, where one came.
    pub fn run_one(&mut self, request: Box<RunRequest>) -> Option<Box<RunRequest>> {
        let mut next = None;
        let since = self.own.since.take();
        if self.own.had_fault {
            self.retire();
        }
        self.own = OwnWorkerRun {
            since,
            ..OwnWorkerRun::default()
        };
        self.run(request);
        while !self.own.is_over && !self.is_closing() {
            match self.turn() {
                Some(Control::Run(request)) => {
                    next = Some(request);
                    self.apply_control(Control::Stop);
                }
                Some(control) => self.apply_control(control),
                None => {}
            }
        }
        next
    }

    /// Ends the worker: the next run starts another.
    fn retire(&mut self) {
        self.line = None;
        self.phase = LinkPhase::Gone;
        self.gone = Some(Instant::now());
    }

    /// The run ended. Answers whether it begins again, in a new worker, as a fault makes it where that was asked for.
    pub(super) fn begins_again(&mut self) -> bool {
        let asked = self.watch.request.clone();
        let asked = asked.filter(|request| {
            matches!(
                request.recovery,
                RecoveryMode::Replay | RecoveryMode::Resume
            ) && self.own.had_fault
                && self.own.again < AGAIN
        });
        let Some(mut request) = asked else {
            return false;
        };
        self.own.again += 1;
        // What was to be suffered once has been.
        request.lose.clear();
        request.save = self
            .saved
            .as_deref()
            .map(|path| again_path(path, self.own.again));
        self.retire();
        self.own.had_fault = false;
        self.run(request);
        true
    }
}

/// Where the capture of a run that began again in a new worker for the `again`th time is written, where that of the first
/// was to be `path`: the ones before stay as they are.
pub fn again_path(path: &Path, again: u32) -> PathBuf {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let extension = path.extension().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!("{stem}-again-{again}.{extension}"))
}

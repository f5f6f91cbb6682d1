//! A worker of this machine's own, for one run after the other that may end its process: nobody is told of the link, and
//! a worker that had a fault is never used again.

use std::path::PathBuf;
use std::time::Instant;

use super::{LinkPhase, WorkerLink};
use crate::{Control, Message, RecoveryMode, RunRequest};
use record::{Log, LossKind, Record, Severity};

/// How often a workload is begun again by itself after a fault, so that one that fails each time comes to an end.
const AGAIN: u32 = 3;

/// What is known of the run of a worker of our own.
#[derive(Debug, Default)]
pub(super) struct OwnWorkerRun {
    /// Whether the run is over.
    pub is_over: bool,
    /// Whether the device had a fault: the worker's process is good for nothing more.
    pub had_fault: bool,
    /// When the fault was heard of, until the first result after it.
    since: Option<Instant>,
    again: u32,
}

impl OwnWorkerRun {
    /// Notes what comes from the worker.
    pub fn note(&mut self, message: &Message, is_running: bool) {
        match message {
            Message::Batch(records) => {
                let is_fault = |record: &Record| {
                    matches!(record, Record::Loss(loss)
                        if !matches!(loss.kind, LossKind::Destroyed | LossKind::Link | LossKind::Failed))
                };
                if records.iter().any(is_fault) {
                    self.had_fault = true;
                    self.since.get_or_insert_with(Instant::now);
                }
            }
            Message::Refused(_) if !is_running => self.is_over = true,
            _ => {}
        }
    }

    /// Says how long the first result took after the fault, once it is there.
    pub fn first_result(&mut self, records: &[Record]) -> Option<Record> {
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

/// Where the capture of a run that began again is written: the one before stays as it is.
fn again_path(path: &std::path::Path, again: u32) -> PathBuf {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let extension = path.extension().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!("{stem}-again-{again}.{extension}"))
}

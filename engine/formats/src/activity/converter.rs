//! Takes what processes wrote, in whatever order it comes, and hands over records.

use std::collections::BTreeMap;

use cuda_recorder::{Fact, FactFileDamage};

use super::draft::ActivityDraft;
use super::process::ActivityProcess;
use super::ring::RingExcess;
use super::tally::{ActivitySummary, ProcessPresence};
use super::window::{ActivityWindow, CaptureWindow};
use record::time::Nanos;
use record::{Clock, Record, Run};

/// When waits are tied to what they waited for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ResolveMode {
    /// Once all is known.
    #[default]
    Whole,
    /// Two flushes after they were told, by what is known then: for whoever looks on.
    Live,
}

/// Makes records of what processes wrote.
#[derive(Debug, Default)]
pub struct ActivityConverter {
    draft: ActivityDraft,
    pace: ResolveMode,
    processes: BTreeMap<u32, ActivityProcess>,
    has_clock: bool,
}

impl ActivityConverter {
    /// Nothing is known yet.
    pub fn new(pace: ResolveMode) -> Self {
        Self {
            pace,
            ..Self::default()
        }
    }

    /// Keeps what lies in a window alone.
    #[must_use]
    pub fn within(mut self, window: CaptureWindow) -> Self {
        self.draft.window = ActivityWindow::new(window);
        self
    }

    /// A window that is opened and closed by hand opens or closes at an instant of the files' clock.
    pub fn flip_window(&mut self, at: u64) {
        self.draft.window.flip(at);
    }

    /// Keeps what touches the time between two instants of the files' clock, of segments before which others went: how much
    /// went with them, and what the ring had no room for.
    pub fn keep_last(&mut self, (from, to): (u64, u64), outside: u64, excess: Option<RingExcess>) {
        self.draft.window.keep_last((from, to), excess);
        self.draft.window.outside += outside;
    }

    /// Says what was recorded.
    pub fn begin(&mut self, run: Run) {
        self.draft.out.push(Record::Run(Box::new(run)));
    }

    /// Takes a fact of a file; files are told apart by numbers.
    pub fn take(&mut self, file: u32, fact: Fact) {
        let described = match &fact {
            Fact::Process(process) => Some(&**process),
            Fact::Continues(front) => Some(&front.process),
            _ => None,
        };
        if let Some(process) = described
            && !self.has_clock
        {
            self.has_clock = true;
            self.draft.origin = process.origin;
            let zero = process
                .unix
                .saturating_sub(process.at.saturating_sub(process.origin));
            let clock = Clock::unix(Nanos(zero as i64));
            self.draft.out.push(Record::Clock(Box::new(clock)));
        }
        let is_flush = matches!(fact, Fact::Counts(_) | Fact::End(_));
        let process = self.processes.entry(file);
        let process = process.or_insert_with(|| ActivityProcess::new(file));
        process.take(fact, self.pace == ResolveMode::Live, &mut self.draft);
        if is_flush {
            self.draft.refresh();
        }
    }

    /// The number of the process of a file, once it said so.
    pub fn process(&self, file: u32) -> Option<u32> {
        let number = self.processes.get(&file)?.told.process;
        (number != 0).then_some(number)
    }

    /// Whether the process of a file ended in order.
    pub fn has_ended(&self, file: u32) -> bool {
        self.processes.get(&file).is_some_and(|it| it.has_ended)
    }

    /// What was wrong with a file, and whether its process runs still: said once, in the end.
    pub fn damaged(&mut self, file: u32, damage: &FactFileDamage, is_running: bool) {
        let process = self.processes.entry(file);
        let process = process.or_insert_with(|| ActivityProcess::new(file));
        let presence = if is_running {
            ProcessPresence::Running
        } else {
            ProcessPresence::Gone
        };
        process.tell_damage(damage, presence, &mut self.draft);
    }

    /// Nothing more comes: ties what is left, and says what it all came to.
    pub fn finish(&mut self) -> ActivitySummary {
        for process in self.processes.values_mut() {
            process.finish(&mut self.draft);
        }
        self.draft.refresh();
        let processes = self.processes.values();
        let tally = &self.draft.tally;
        let nvtx_notes: Vec<String> = processes
            .clone()
            .flat_map(ActivityProcess::nvtx_notes)
            .collect();
        ActivitySummary {
            activities: processes.clone().map(|it| it.activities).sum(),
            operations: tally.operations,
            streams: self.draft.lanes.streams(),
            ties: tally.ties,
            inferred: tally.inferred,
            repairs: tally.repairs(),
            window: self.draft.window.notes(),
            notes: tally.notes().into_iter().chain(nvtx_notes).collect(),
            absence: self.draft.window.absence(),
            nvtx: processes.clone().map(|it| it.nvtx.tally.events()).sum(),
            tellers: processes.map(ActivityProcess::teller).collect(),
        }
    }

    /// The latest instant that was told of, as capture time.
    pub fn latest(&self) -> Nanos {
        self.draft.time(self.draft.latest.max(self.draft.origin))
    }

    /// Names the lanes of which nothing was said yet, so that no span that is handed over now is on a lane without a name.
    /// A flush names them too, but what a process writes may be read up to the middle of one.
    pub fn announce_lanes(&mut self) {
        if self.draft.lanes.has_unannounced() {
            self.draft.refresh();
        }
    }

    /// The records since the last time.
    pub fn drain(&mut self) -> Vec<Record> {
        std::mem::take(&mut self.draft.out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cuda_recorder::{CuptiApi, CuptiRecord, CuptiTimes, ProcessFact};

    #[test]
    fn spans_read_in_the_middle_of_a_flush_are_on_named_lanes() {
        let mut converter = ActivityConverter::new(ResolveMode::Live);
        converter.take(
            0,
            Fact::Process(Box::new(ProcessFact {
                process: 7,
                command: vec!["/opt/program".to_owned()],
                ..ProcessFact::default()
            })),
        );
        let call = CuptiApi {
            is_runtime: true,
            function: 1,
            name: "cudaLaunchKernel".to_owned(),
            times: CuptiTimes { start: 10, end: 20 },
            process: 7,
            thread: 7,
            correlation: 1,
            result: 0,
        };
        converter.take(0, Fact::Records(vec![CuptiRecord::Api(call)]));
        converter.announce_lanes();
        let records = converter.drain();
        let names = records.iter().filter_map(|record| match record {
            Record::Lane(lane) => Some(lane.name.as_str()),
            _ => None,
        });
        assert_eq!(names.collect::<Vec<_>>(), ["program 7"]);
        converter.announce_lanes();
        assert!(converter.drain().is_empty());
    }
}

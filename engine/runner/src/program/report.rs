//! What a recorded program came to: said in the log of its capture, and with its end.

use super::RecordedProgram;
use super::child::code_of;
use super::toggle::processes_of;
use crate::far::{ending, problem};
use crate::save::SaveFile;
use crate::{Message, Phase};
use formats::activity::{ActivityConverter, ActivitySummary};
use record::{Log, Record, RunEnd, RunOutcome, Severity, counted};

impl RecordedProgram<'_> {
    /// Says what it all came to, and that it is over.
    pub(super) fn report(&mut self, run: u64) {
        let lost = self.folder.loss();
        if self.folder.ring().is_none() && lost.is_none() {
            let left = self.left();
            for (file, damage) in (0..).zip(&self.folder.damage()) {
                let is_running = left.contains(&file);
                self.converter.damaged(file, damage, is_running);
            }
        }
        let mut summary = self.converter.finish();
        summary.notes.extend(self.silent_notes());
        self.hand_over();
        let status = self.child.ended();
        let mut records = log_of(&self.converter, &summary);
        let nothing = nothing(&summary).map(|why| match &lost {
            Some(lost) => format!("nothing was recorded: {lost}"),
            None => why,
        });
        let is_missing = lost.filter(|_| nothing.is_none());
        records
            .extend(is_missing.map(|lost| problem(Severity::DataLoss, "record-unwritten", lost)));
        self.has_recorded |= nothing.is_none();
        let kept = self.save.take_if(|it| !self.has_recorded && it.replaces());
        records.extend(kept.map(SaveFile::kept));
        if let Some(why) = &nothing {
            records.push(problem(Severity::Error, "nothing-recorded", why.clone()));
        }
        let outcome = match (status, nothing) {
            _ if self.is_stopped => RunOutcome::Stopped,
            (_, Some(why)) => RunOutcome::Failed(why),
            (Some(status), None) if !status.success() => {
                RunOutcome::Failed(format!("the program failed: {}", ending(status)))
            }
            _ => RunOutcome::Finished,
        };
        let count = self.records + records.len() as u64 + 1;
        records.push(Record::End(Box::new(RunEnd {
            time: self.converter.latest(),
            outcome,
            records: count,
        })));
        self.send_records(records);
        let finished = self.save.as_mut().map_or(Ok(()), SaveFile::finish);
        self.check(finished);
        self.outbox.post(Message::Exited(code_of(status)));
        self.outbox.post(Message::Finished { run, lost: 0 });
        self.outbox.post(Message::Phase(Phase::Idle));
    }

    /// What is said of processes that outlive the program and told nothing yet.
    fn silent_notes(&self) -> Vec<String> {
        let told: Vec<u32> = (0..self.folder.len())
            .filter_map(|it| self.folder.process(it))
            .collect();
        let running = processes_of(self.folder.path()).into_iter();
        let silent = running.filter(|(number, _)| !told.contains(number));
        let note = |(number, name): (u32, String)| {
            format!(
                "Process {number} ({name}) still runs and has told of no call of CUDA or NVTX: what it calls from now on is not recorded."
            )
        };
        silent.map(note).collect()
    }
}

/// What it all came to, as lines of the log; what a window left out is also a note of the capture, which its receipt shows.
pub(super) fn log_of(converter: &ActivityConverter, summary: &ActivitySummary) -> Vec<Record> {
    let line = |(severity, text)| {
        Record::Log(Box::new(Log {
            time: converter.latest(),
            severity,
            text,
        }))
    };
    let note = summary.window.as_deref().map(|it| Record::Note(it.into()));
    lines(summary).map(line).chain(note).collect()
}

/// What is said of the whole, of each process, and of what could not be known.
fn lines(summary: &ActivitySummary) -> impl Iterator<Item = (Severity, String)> {
    let whole = (summary.activities > 0).then(|| {
        let processes = summary
            .tellers
            .iter()
            .filter(|it| it.activities > 0)
            .count();
        format!(
            "recorded {} of {processes} {}: {} on {}, {}",
            counted(summary.activities, "{activity|activities}"),
            if processes == 1 {
                "process"
            } else {
                "processes"
            },
            counted(summary.operations, "{operation|operations}"),
            counted(summary.streams as u64, "{stream|streams}"),
            counted(summary.ties, "{dependency|dependencies}"),
        )
    });
    let by_nvtx = (summary.nvtx > 0).then(|| {
        let processes = summary.tellers.iter().filter(|it| it.nvtx > 0).count() as u64;
        format!(
            "recorded {} of {}",
            counted(
                summary.nvtx,
                "{range, mark or sample|ranges, marks and samples} of NVTX"
            ),
            counted(processes, "{process|processes}")
        )
    });
    let tellers = summary.tellers.iter().map(|teller| {
        let severity = if teller.silent.is_some() {
            Severity::Warning
        } else {
            Severity::Info
        };
        (severity, teller.text.clone())
    });
    let notes = summary.window.iter().chain(&summary.notes);
    let info = |text: String| (Severity::Info, text);
    let all: Vec<_> = whole
        .into_iter()
        .chain(by_nvtx)
        .map(info)
        .chain(tellers)
        .chain(notes.cloned().map(info))
        .collect();
    all.into_iter()
}

/// Why nothing was recorded, where nothing was.
fn nothing(summary: &ActivitySummary) -> Option<String> {
    if summary.activities + summary.nvtx > 0 {
        return None;
    }
    if let Some(why) = &summary.absence {
        return Some(format!("nothing was recorded: {why}"));
    }
    let why: Vec<&str> = summary.tellers.iter().map(|it| it.text.as_str()).collect();
    Some(if why.is_empty() {
        "nothing was recorded: no process of the program loaded the library, so none initialised CUDA or called NVTX, or one \
         that did had its environment cleared of CUDA_INJECTION64_PATH and NVTX_INJECTION64_PATH"
            .to_owned()
    } else {
        format!("nothing was recorded: {}", why.join("; "))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_window_left_out_is_a_note_of_the_capture() {
        let converter = ActivityConverter::new(formats::activity::ResolveMode::Whole);
        let window = "The capture is of a window: the last 1 s before its end.";
        let summary = ActivitySummary {
            window: Some(window.to_owned()),
            ..ActivitySummary::default()
        };
        let records = log_of(&converter, &summary);
        let is_note = |it: &&Record| matches!(it, Record::Note(text) if **text == *window);
        let is_line = |it: &&Record| matches!(it, Record::Log(log) if log.text == window);
        assert_eq!(records.iter().filter(is_note).count(), 1, "{records:?}");
        assert_eq!(records.iter().filter(is_line).count(), 1, "{records:?}");
        assert!(log_of(&converter, &ActivitySummary::default()).is_empty());
    }
}

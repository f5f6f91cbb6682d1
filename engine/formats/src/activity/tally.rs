//! What became of everything that was told: counted on the way, and said in the end.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use cuda_recorder::FactFileDamage;

use super::draft::ActivityDraft;
use super::process::ActivityProcess;
use record::{Severity, counted};

/// What is counted on the way.
#[derive(Debug, Default)]
pub(super) struct ActivityTally {
    pub operations: u64,
    pub ties: u64,
    /// Ties that were concluded from the order of calls.
    pub inferred: u64,
    /// Records of events.
    pub records: u64,
    /// Waits of streams.
    pub waits: u64,
    pub unknown: u64,
    pub own: u64,
    pub passed: u64,
    pub idle: u64,
    pub queries: u64,
    pub uncalled: u64,
    pub unlaunched: u64,
    pub untimed: u64,
    pub backwards: u64,
    pub early: u64,
    pub memory_steps: u64,
    /// Threads that were not followed.
    pub unfollowed: u64,
    /// Why it is not known when threads ran, of the first process that said so.
    pub unscheduled: Option<String>,
    /// Activities of kinds that are not shown, by CUPTI's number of the kind.
    pub others: BTreeMap<u32, u64>,
}

/// What a capture came to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ActivitySummary {
    /// Activities that were told.
    pub activities: u64,
    /// Operations of streams among them.
    pub operations: u64,
    /// Streams that did something.
    pub streams: usize,
    /// Causes tied to effects, and how many of those were concluded from the order of calls.
    pub ties: u64,
    /// How many of those were concluded from the order of calls.
    pub inferred: u64,
    /// What had to be mended, by cause.
    pub repairs: Vec<(&'static str, u64)>,
    /// What part of the program was kept and what was left out, where not all of it was to be kept.
    pub window: Option<String>,
    /// What else a reader should know, a sentence each.
    pub notes: Vec<String>,
    /// Ranges, marks and samples of NVTX.
    pub nvtx: u64,
    /// Why nothing lies in the window, where the ranges that it is of never came.
    pub absence: Option<String>,
    /// Each process that loaded the library.
    pub tellers: Vec<ProcessSummary>,
}

/// What one process came to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProcessSummary {
    /// Its program and number.
    pub title: String,
    /// Activities that it told.
    pub activities: u64,
    /// Ranges, marks and samples of NVTX that it told.
    pub nvtx: u64,
    /// Why it told nothing, where that is known.
    pub silent: Option<String>,
    /// All of that and what it cost, in a sentence.
    pub text: String,
}

impl ActivityTally {
    pub fn repairs(&self) -> Vec<(&'static str, u64)> {
        let all = [
            ("no time from CUPTI", self.untimed),
            ("ends before it starts", self.backwards),
            ("enqueued after it started", self.early),
        ];
        all.into_iter().filter(|(_, count)| *count > 0).collect()
    }

    pub fn notes(&self) -> Vec<String> {
        let said = [
            (
                self.inferred,
                "{tie of a wait is|ties of waits are} concluded from the order of calls, because CUPTI tells no number of the \
                 record before 12.8",
            ),
            (
                self.unknown,
                "{wait is|waits are} for an event of which no record was told",
            ),
            (
                self.idle,
                "{wait is of a stream|waits are of streams} to which nothing was submitted after",
            ),
            (
                self.own,
                "{wait is|waits are} for what was recorded on the same stream, whose order says it already",
            ),
            (
                self.passed,
                "{wait is for a record|waits are for records} before which nothing was recorded; what {it|they} waited for, if \
                 anything, came before that",
            ),
            (
                self.uncalled,
                "{wait has no call that was told, as a query of an event that is reached has none; it is on a lane of its|waits have \
                 no call that was told, as queries of events that are reached have none; they are on a lane of their} own",
            ),
            (
                self.unlaunched,
                "{operation has|operations have} no call that was told to have launched {it|them}",
            ),
            (
                self.memory_steps,
                "{step of memory says not when it was or what it did, and is|steps of memory say not when they were or what they \
                 did, and are} not counted",
            ),
            (
                self.unfollowed,
                "{thread was not followed from its first call on, because as many others were as may be: when it|threads were not \
                 followed from their first call on, because as many others were as may be: when they} ran is not known, or only in \
                 part",
            ),
        ];
        let said = said.into_iter().filter(|(count, _)| *count > 0);
        let mut notes: Vec<String> = said
            .map(|(count, words)| format!("{}.", counted(count, words)))
            .collect();
        notes.extend(self.unscheduled.clone());
        for (kind, count) in &self.others {
            let activities = counted(*count, "{activity|activities}");
            let are = if *count == 1 { "is" } else { "are" };
            notes.push(format!(
                "{activities} of CUPTI's kind {kind} {are} not shown."
            ));
        }
        notes
    }
}

/// Whether a process is there still when its capture ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ProcessPresence {
    Running,
    Gone,
}

impl ActivityProcess {
    /// Says what was wrong with its file, and how it ended.
    pub(super) fn tell_damage(
        &self,
        damage: &FactFileDamage,
        presence: ProcessPresence,
        draft: &mut ActivityDraft,
    ) {
        let title = self.title();
        if let Some((code, missing)) = damage.failed {
            let error = std::io::Error::from_raw_os_error(code);
            let text = format!(
                "{title} could not write down what CUPTI told: {error}. {missing} pieces are missing from then on. Make \
                 room, or set TMPDIR to where there is some."
            );
            draft.problem(Severity::DataLoss, "record-unwritten", text);
        }
        if damage.skipped > 0 {
            let text = format!(
                "{} bytes in the middle of what {title} wrote are damaged and were stepped over.",
                damage.skipped
            );
            draft.problem(Severity::DataLoss, "record-damaged", text);
        }
        if damage.cut > 0 {
            let text = format!(
                "What {title} wrote is cut short: the last {} bytes are no whole piece. It ended while it wrote them; \
                 everything before is here.",
                damage.cut
            );
            draft.problem(Severity::DataLoss, "cut-short", text);
        }
        if self.has_ended || damage.failed.is_some() {
            return;
        }
        let text = match presence {
            ProcessPresence::Running => format!("{title} still runs; it was recorded up to here."),
            ProcessPresence::Gone => format!(
                "{title} ended without a word, as _exit, exec and SIGKILL have it: what CUPTI and threads had not handed over \
                 then, a quarter of a second at most if they kept up, is not here."
            ),
        };
        draft.problem(Severity::Warning, "no-end", text);
    }

    /// What it came to, in a sentence.
    pub(super) fn teller(&self) -> ProcessSummary {
        let title = self.title();
        let silent = self.silent.clone().filter(|_| self.activities == 0);
        let nvtx = self.nvtx.tally;
        let text = match (&silent, &self.ear) {
            _ if self.outside > 0 && self.activities + nvtx.events() == 0 => {
                format!("{title}: nothing of it lies in the window")
            }
            (None, None) if nvtx.events() == 0 && self.has_ended => {
                format!(
                    "{title}: no CUDA was initialised, and no range, mark or sample of NVTX called"
                )
            }
            (None, None) if nvtx.events() == 0 => {
                format!("{title}: nothing that it called was handed over")
            }
            (None, None) => format!("{title}: no CUDA was initialised"),
            (Some(why), _) => format!("{title}: nothing of CUDA was recorded: {why}"),
            (None, Some(_)) if self.activities == 0 => {
                let nothing = match self.counts.unread {
                    0 => "it made no call of CUDA but to initialise it",
                    _ => "nothing that CUPTI told could be read",
                };
                format!("{title}: {nothing}{}", self.refused())
            }
            (None, Some(ear)) => format!(
                "{title}: {} activities by {} ({}){}; {}",
                self.activities,
                cuda_recorder::version_name(ear.version),
                ear.path,
                self.refused(),
                self.cost()
            ),
        };
        let text = match nvtx.words() {
            Some(words) => format!("{text}; {words}"),
            None => text,
        };
        ProcessSummary {
            title,
            activities: self.activities,
            nvtx: nvtx.events(),
            silent: silent.filter(|_| nvtx.events() == 0),
            text,
        }
    }

    /// The kinds that CUPTI does not tell, in words.
    fn refused(&self) -> String {
        let kinds = self.ear.iter().flat_map(|ear| &ear.kinds);
        let refused = kinds.filter(|(_, code)| *code != 0);
        let words: Vec<String> = refused
            .map(|(kind, code)| format!("{kind} ({code})"))
            .collect();
        if words.is_empty() {
            return String::new();
        }
        format!("; CUPTI does not tell of {}", words.join(", "))
    }

    /// What recording cost, in words.
    fn cost(&self) -> String {
        let counts = self.counts;
        let ms = |nanos: u64| nanos as f64 / 1e6;
        let lasted = counts.at.saturating_sub(self.told.at);
        let share = 100.0 * counts.taking as f64 / lasted.max(1) as f64;
        let mut text = format!(
            "handing over held threads up for {:.1} ms ({share:.2} % of {:.1} ms), and beside the program flushing {} \
             times took {:.1} ms and writing {:.1} ms",
            ms(counts.taking),
            ms(lasted),
            counts.flushes,
            ms(counts.flushing),
            ms(counts.writing)
        );
        for (name, nanos) in &self.overheads {
            // A text takes whatever is written.
            let _ = write!(text, ", {name} {:.1} ms", ms(*nanos));
        }
        text
    }
}

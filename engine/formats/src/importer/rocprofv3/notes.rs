//! What the receipt says: how the file ended, what could not be read, and what the format does not hold.

use std::collections::BTreeMap;
use std::io;

use super::Rocprofv3Reader;
use super::walk::{ElementPosition, WalkStop};
use crate::importer::json::window::{ReadWindow, WindowFault};
use crate::importer::sqlite::{SqliteDraft, SqliteWaitOutcome};
use crate::importer::{ImportError, Source, behind};
use record::{Severity, counted};

/// How the file ended.
#[derive(Debug)]
pub(super) struct Rocprofv3FileEnd {
    fault: Option<WindowFault>,
    at: u64,
    failed: Option<io::Error>,
    /// Whether something follows the end, and that looks like another file.
    behind: Option<bool>,
}

impl Rocprofv3FileEnd {
    /// How a walk ended. Fails where the reader wants no more.
    pub fn of(walked: Result<(), WalkStop>, window: &mut ReadWindow) -> Result<Self, ImportError> {
        let fault = match walked {
            Ok(()) => None,
            Err(WalkStop::Fault(fault)) => Some(fault),
            Err(WalkStop::Error(error)) => return Err(error),
        };
        Ok(Self {
            fault,
            at: window.place(),
            failed: window.failed(),
            behind: if fault.is_none() {
                behind::is_capture(window.ahead())
            } else {
                None
            },
        })
    }

    /// Why nothing can be shown of a file without records.
    pub fn useless(self, source: &Source, window: &mut ReadWindow) -> ImportError {
        if let Some(error) = self.failed.or_else(|| window.failed()) {
            return source.failed(error);
        }
        let why = match self.fault {
            None => "it is of rocprofv3 and has no records; profile with --sys-trace".to_owned(),
            Some(fault) => {
                let at = self.at;
                format!(
                    "it is of rocprofv3 and {} at byte {at}, before its first record; copy it again",
                    said(fault)
                )
            }
        };
        ImportError::Useless {
            path: source.path().to_owned(),
            why,
        }
    }

    /// Says how it ended, where that was not as it should.
    pub fn tell(&self, draft: &mut SqliteDraft<'_, '_>) {
        let at = self.at;
        let (code, text) = match (&self.failed, self.fault) {
            (Some(error), _) => (
                "unreadable",
                format!(
                    "The file could not be read beyond byte {at}: {error}. Check the disk and open it again."
                ),
            ),
            (None, Some(fault)) => {
                // What is behind a place that cannot be read was written, and nobody knows how much of it.
                draft.receipt.dropped += u64::from(fault != WindowFault::Cut);
                let text = format!(
                    "The file {} at byte {at}: what follows was left out. If it was copied, copy it again.",
                    said(fault)
                );
                let is_cut = fault == WindowFault::Cut;
                (if is_cut { "cut-short" } else { "damaged" }, text)
            }
            (None, None) => return self.tell_behind(draft),
        };
        draft.sink.complain(Severity::DataLoss, code, text.clone());
        draft.receipt.note(text);
        draft.receipt.repair("cut short", 1);
    }

    /// Says what follows the end, and is not read.
    fn tell_behind(&self, draft: &mut SqliteDraft<'_, '_>) {
        let at = self.at;
        let (code, text) = match self.behind {
            None => return,
            Some(true) => {
                // How many records it has is not known.
                draft.receipt.dropped += 1;
                let text = format!(
                    "Something follows the end of the results at byte {at}, as if other ones began there, which is not read. Cut \
                     the file in two there, and open both together."
                );
                ("second-trace", text)
            }
            Some(false) => {
                draft.receipt.repair("text behind the end", 1);
                let text = format!(
                    "What follows the end of the results at byte {at} is no part of them; open the file elsewhere to read it."
                );
                ("text-behind-trace", text)
            }
        };
        let kind = (Severity::Warning, code);
        draft.receipt.complain(draft.sink, kind, text);
    }
}

/// What is wrong, after the words "the file".
const fn said(fault: WindowFault) -> &'static str {
    match fault {
        WindowFault::Cut => "breaks off",
        WindowFault::Bad => "is damaged",
        WindowFault::Long => "holds a value of more than 64 MB",
    }
}

/// Records that are not shown, by list.
#[derive(Debug, Default)]
pub(super) struct UnreadRecords {
    other: BTreeMap<String, u64>,
    untimed: BTreeMap<String, u64>,
    spoilt: Option<(u64, u64)>,
    strays: u64,
}

impl UnreadRecords {
    /// A record that is nothing that a timeline shows.
    pub fn add(&mut self, list: &str) {
        *self.other.entry(list.to_owned()).or_default() += 1;
    }

    /// A record without a time.
    pub fn untimed(&mut self, list: &str) {
        *self.untimed.entry(list.to_owned()).or_default() += 1;
    }

    /// Whether there was any.
    pub fn has_untimed(&self) -> bool {
        !self.untimed.is_empty()
    }

    /// An element that cannot be understood.
    pub fn spoilt(&mut self, place: ElementPosition<'_>, length: usize) {
        let first = place.end.saturating_sub(length as u64);
        let (_, count) = self.spoilt.get_or_insert((first, 0));
        *count += 1;
    }

    /// A count of a kernel that is not in the file.
    pub fn stray(&mut self) {
        self.strays += 1;
    }

    /// Says it all, in problems of the capture and in the receipt.
    pub fn tell(&self, draft: &mut SqliteDraft<'_, '_>) {
        let mut lost = Vec::new();
        let mut dropped = self.untimed.values().sum::<u64>();
        if let Some((first, count)) = self.spoilt {
            dropped += count;
            lost.push(("records-damaged", format!(
                "{} at byte {first}.",
                counted(count, "{element|elements} cannot be understood and {is not shown; it|are not shown; the first} is")
            )));
        }
        for (list, count) in &self.untimed {
            lost.push((
                "rows-without-time",
                counted(
                    *count,
                    &format!("{{record of {list} has no time that can be read and is|records of {list} have no time that can be read and are}} not shown."),
                ),
            ));
        }
        draft.receipt.dropped += dropped;
        for (code, text) in lost {
            (draft.receipt).complain(draft.sink, (Severity::DataLoss, code), text);
        }
        for (list, count) in &self.other {
            let words = format!(
                "{{record of {list} is no operation and was|records of {list} are no operations and were}} not read."
            );
            draft.receipt.note(counted(*count, &words));
        }
        let strays = "{count belongs|counts belong} to a kernel that is not in the file";
        draft.receipt.note_counts([(self.strays, strays)]);
    }
}

impl Rocprofv3Reader<'_, '_> {
    /// Says what the file does not hold.
    pub(super) fn tell(&mut self, outcome: SqliteWaitOutcome) {
        let receipt = &mut self.draft.receipt;
        let unlaunched = "{operation of the GPU has|operations of the GPU have} no call in the file that launched {it|them}: when \
                          {it was|they were} enqueued is not known. Profile with --hip-trace to have the calls";
        receipt.note_counts([(self.unlaunched, unlaunched)]);
        if outcome.waits == 0 {
            receipt.note(
                "The file does not say which stream waited for which event; arrows between streams cannot be known.",
            );
        }
        outcome.tell(receipt);
    }
}

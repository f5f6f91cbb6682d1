//! The last stretch of time as it is kept: in the end, and in files of their own while the program goes on.

use std::collections::VecDeque;
use std::io;
use std::path::{Path, PathBuf};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use super::report::log_of;
use super::ring::{FactRing, RingCopy};
use super::{RecordedProgram, ResolveMode, run_of};
use crate::Message;
use crate::save::SaveFile;
use cuda_recorder::now;
use formats::activity::{ActivityConverter, CaptureWindow};
use record::{Record, RunEnd, RunOutcome};

/// How long processes have to hand over what they did until what is kept is written: they do so four times a second.
const HANDOVER: Duration = Duration::from_millis(600);
/// How many may wait to be written.
const MOST_WAITING: usize = 16;

/// What was kept of the last stretch of time while the program went on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct KeptCapture {
    /// What it is called.
    pub name: String,
    /// Where it was written; nothing where no file was named.
    pub path: Option<PathBuf>,
    /// Why it could not be written.
    pub error: Option<String>,
    /// What was kept.
    pub records: Vec<Record>,
}

/// What is to be written of the last stretch of time while the program goes on.
struct PendingKeep {
    /// The instant up to which it is kept.
    to: u64,
    /// When processes have handed over what they did until then.
    due: Instant,
    /// What the ring held, or why it could not stay.
    copy: Result<RingCopy, String>,
}

/// What is written of the last stretch of time while the program goes on, in the order in which it was asked for.
#[derive(Default)]
pub(super) struct PendingKeeps {
    waiting: VecDeque<PendingKeep>,
    writing: Option<JoinHandle<KeptCapture>>,
    /// How often it was done.
    count: u32,
}

impl PendingKeeps {
    /// Whether anything is to be written, or is being written.
    pub(super) fn is_any(&self) -> bool {
        self.writing.is_some() || !self.waiting.is_empty()
    }
}

/// What a converter needs to know of a program.
struct ConversionRequest {
    name: String,
    window: CaptureWindow,
    /// Files whose processes run still.
    left: Vec<u32>,
}

impl ConversionRequest {
    /// A converter of the last stretch of time up to an instant, which has taken all of it.
    fn convert(&self, ring: &mut FactRing, to: u64, is_over: bool) -> ActivityConverter {
        let mut converter = ActivityConverter::new(ResolveMode::Whole).within(self.window.clone());
        converter.begin(run_of(&self.name));
        let from = to.saturating_sub(ring.nanos());
        converter.keep_last((from, to), ring.outside(), ring.excess(to));
        let damage = ring.read(is_over, &mut |file, fact| converter.take(file, fact));
        for (file, damage) in (0..).zip(&damage) {
            converter.damaged(file, damage, self.left.contains(&file));
        }
        converter
    }
}

impl RecordedProgram<'_> {
    fn conversion(&self) -> ConversionRequest {
        ConversionRequest {
            name: self.request.name(),
            window: self.request.window.clone(),
            left: self.left(),
        }
    }

    /// A converter of the last stretch of time up to an instant, which has taken all of it.
    pub(super) fn convert_last(&mut self, to: u64, is_over: bool) -> Option<ActivityConverter> {
        let request = self.conversion();
        let ring = self.folder.ring()?;
        Some(request.convert(ring, to, is_over))
    }

    /// Has the last stretch of time up to now written into a file of its own.
    pub(super) fn keep(&mut self) {
        let to = now();
        let Some(ring) = self.folder.ring() else {
            return;
        };
        let copy = if self.keeps.waiting.len() < MOST_WAITING {
            RingCopy::of(ring).map_err(|error| unlinked(&error))
        } else {
            Err(format!(
                "{MOST_WAITING} wait to be written already; ask again later"
            ))
        };
        self.keeps.waiting.push_back(PendingKeep {
            to,
            due: Instant::now() + HANDOVER,
            copy,
        });
        self.folder.page().note_asked();
        self.tell_window();
    }

    /// Writes what is to be kept once processes have handed it over.
    pub(super) fn attend_keeps(&mut self) {
        if let Some(ring) = self.folder.ring() {
            for keep in &mut self.keeps.waiting {
                if let Ok(copy) = &mut keep.copy
                    && let Err(error) = copy.follow(ring)
                {
                    keep.copy = Err(unlinked(&error));
                }
            }
        }
        let writing = self.keeps.writing.as_ref();
        if writing.is_some_and(JoinHandle::is_finished) {
            self.end_keep();
        }
        let is_due = |it: &PendingKeep| Instant::now() >= it.due;
        if self.keeps.writing.is_none() && self.keeps.waiting.front().is_some_and(is_due) {
            self.begin_keep();
        }
    }

    /// Writes all that is to be kept, however long that takes.
    pub(super) fn finish_keeps(&mut self) {
        while self.keeps.is_any() {
            self.end_keep();
            self.begin_keep();
        }
    }

    /// Begins to write what waits longest, on a thread of its own: the ring goes on meanwhile.
    fn begin_keep(&mut self) {
        let Some(keep) = self.keeps.waiting.pop_front() else {
            return;
        };
        let mut copy = match keep.copy {
            Ok(copy) => copy,
            Err(why) => return self.cannot_keep(&why),
        };
        self.keeps.count += 1;
        let count = self.keeps.count;
        let request = self.conversion();
        let save = self.request.save.clone();
        let write = move || {
            let mut converter = request.convert(copy.ring(), keep.to, false);
            let records = kept_records(&mut converter);
            let path = save.as_deref().map(|it| free_path(it, count));
            let error = path.as_deref().and_then(|path| write(path, &records).err());
            KeptCapture {
                name: format!("{}, kept {count}", request.name),
                path,
                error,
                records,
            }
        };
        let thread = thread::Builder::new().name("write kept".to_owned());
        match thread.spawn(write) {
            Ok(thread) => self.keeps.writing = Some(thread),
            Err(error) => self.cannot_keep(&format!("no thread can be started: {error}")),
        }
    }

    /// Waits for what is being written, and says that it is.
    fn end_keep(&mut self) {
        let Some(thread) = self.keeps.writing.take() else {
            return;
        };
        let written = match thread.join() {
            Ok(written) => written,
            Err(panic) => std::panic::resume_unwind(panic),
        };
        self.folder.page().note_done(written.error.is_none());
        self.outbox.post(Message::Kept(Box::new(written)));
        self.tell_window();
    }

    fn cannot_keep(&self, why: &str) {
        let text = format!("what was asked for was not kept: {why}");
        self.outbox.post(Message::Notice(text));
        self.folder.page().note_done(false);
        self.tell_window();
    }
}

/// Why a ring cannot stay for a while.
fn unlinked(error: &io::Error) -> String {
    format!(
        "what was recorded lately cannot stay among the temporary files: {error}; set TMPDIR to a folder on a file system that \
         has hard links, and record anew"
    )
}

/// All that a converter has taken of a program that runs on, as a capture of its own.
fn kept_records(converter: &mut ActivityConverter) -> Vec<Record> {
    let summary = converter.finish();
    converter.announce_lanes();
    let mut records = converter.drain();
    records.extend(log_of(converter, &summary));
    records.push(Record::End(Box::new(RunEnd {
        time: converter.latest(),
        outcome: RunOutcome::Finished,
        records: records.len() as u64 + 1,
    })));
    records
}

/// A path beside another one that nothing has, with a number behind its name.
fn free_path(path: &Path, first: u32) -> PathBuf {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let ending = path.extension().map(|it| it.to_string_lossy());
    let numbered = |number: u32| {
        path.with_file_name(match &ending {
            Some(ending) => format!("{stem}-{number}.{ending}"),
            None => format!("{stem}-{number}"),
        })
    };
    let free = (first..u32::MAX).map(numbered).find(|it| !it.exists());
    free.unwrap_or_else(|| numbered(first))
}

/// Writes records as a file.
fn write(path: &Path, records: &[Record]) -> Result<(), String> {
    let failed = |error: std::io::Error| {
        format!(
            "{} could not be written: {error}; make room, or record with another path",
            path.display()
        )
    };
    let Some(mut file) = SaveFile::of_request(Some(path))? else {
        return Ok(());
    };
    file.write(records)
        .and_then(|()| file.finish())
        .map_err(failed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_lies_beside_the_capture_and_over_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.b.pftrace");
        assert_eq!(free_path(&path, 1), folder.path().join("a.b-1.pftrace"));
        std::fs::write(folder.path().join("a.b-1.pftrace"), "other").unwrap();
        assert_eq!(free_path(&path, 1), folder.path().join("a.b-2.pftrace"));
        assert_eq!(
            free_path(&folder.path().join("out"), 3),
            folder.path().join("out-3")
        );
    }
}

//! What is kept of a program as somebody wants it while it runs: windows that are opened and closed by hand, and the last
//! stretch of time, which is written while the program goes on.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use super::{RecordedProgram, ResolveMode, run_of};
use crate::Message;
use crate::save::SaveFile;
use cuda_recorder::{MOST_FLIPS, now};
use formats::activity::{ActivityConverter, CaptureWindow};
use record::Record;

/// How long processes have to see that a window opens or closes, in nanoseconds: it does so for all at once.
const NOTICE: u64 = 5_000_000;
/// How long processes have to hand over what they did until what is kept is written: they do so four times a second.
const HANDOVER: Duration = Duration::from_millis(600);

/// Set by a signal that wants what [`WindowControl::Toggle`] does.
static SIGNALLED: LazyLock<Arc<AtomicBool>> = LazyLock::new(Arc::default);

/// What a handler of a signal sets to have the recording of this process do what [`WindowControl::Toggle`] does.
pub fn window_signal() -> Arc<AtomicBool> {
    Arc::clone(&SIGNALLED)
}

/// What somebody wants of the window of a recording.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum WindowControl {
    /// Keep what happens from now on.
    Start,
    /// Keep no more of it.
    Stop,
    /// Start where nothing is kept, and stop where it is; where the last stretch of time is kept, write it.
    Toggle,
    /// Write the last stretch of time, and go on.
    Keep,
}

/// How the window of a recording is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum WindowStatus {
    /// What happens is kept.
    Open,
    /// It is not, until somebody starts it.
    Closed,
    /// So many nanoseconds are kept.
    Last(u64),
    /// They are being written.
    Keeping(u64),
}

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

/// What is to be written soon.
#[derive(Clone, Copy, Debug)]
pub(super) struct PendingKeep {
    /// The instant up to which it is kept.
    to: u64,
    due: Instant,
}

impl RecordedProgram<'_> {
    /// Says how the window is.
    pub(super) fn tell_window(&self) {
        let status = match &self.request.window {
            CaptureWindow::Switched if self.is_open() => WindowStatus::Open,
            CaptureWindow::Switched => WindowStatus::Closed,
            CaptureWindow::Last(limit) if self.keep.is_some() => WindowStatus::Keeping(limit.nanos),
            CaptureWindow::Last(limit) => WindowStatus::Last(limit.nanos),
            CaptureWindow::Whole | CaptureWindow::Time { .. } | CaptureWindow::Ranges(_) => return,
        };
        self.outbox.post(Message::Window(status));
    }

    fn is_open(&self) -> bool {
        self.folder.page().flips() % 2 == 1
    }

    /// Does what somebody wants of the window.
    pub(super) fn apply_window(&mut self, control: WindowControl) {
        match (&self.request.window, control) {
            (CaptureWindow::Switched, WindowControl::Start) => self.switch(true),
            (CaptureWindow::Switched, WindowControl::Stop) => self.switch(false),
            (CaptureWindow::Switched, WindowControl::Toggle) => self.switch(!self.is_open()),
            (CaptureWindow::Last(_), WindowControl::Keep | WindowControl::Toggle) => {
                if self.keep.is_none() {
                    self.keep = Some(PendingKeep {
                        to: now(),
                        due: Instant::now() + HANDOVER,
                    });
                    self.tell_window();
                }
            }
            _ => self.outbox.post(Message::Notice(
                "this recording has no window to start, stop or keep: it was not begun with --paused or --last".to_owned(),
            )),
        }
    }

    /// Opens or closes the window.
    fn switch(&mut self, is_wanted: bool) {
        if self.is_open() == is_wanted {
            return;
        }
        let page = self.folder.page();
        // Never before the last time.
        let at = (now() + NOTICE).max(page.instants().last().map_or(0, |last| last + 1));
        if !page.flip(at) {
            self.outbox.post(Message::Notice(format!(
                "this recording was started and stopped {} times, which is as often as can be: record anew",
                MOST_FLIPS / 2
            )));
            return;
        }
        self.converter.flip_window(at);
        self.tell_window();
    }

    /// Does what signals want, and writes what is to be kept once processes have handed it over.
    pub(super) fn attend_window(&mut self) {
        if SIGNALLED.swap(false, Ordering::SeqCst) {
            self.apply_window(WindowControl::Toggle);
        }
        let is_due = |keep: &mut PendingKeep| Instant::now() >= keep.due;
        if let Some(keep) = self.keep.take_if(is_due) {
            self.write_kept(keep.to);
            self.folder.page().note_kept();
            self.tell_window();
        }
        // What is to be written soon stays until it was.
        let to = self.keep.map_or_else(now, |keep| keep.to);
        self.folder.trim(to, self.request.is_live);
    }

    /// A converter of the last stretch of time up to an instant, which has taken all of it.
    pub(super) fn convert_last(&mut self, to: u64, is_over: bool) -> Option<ActivityConverter> {
        let left = self.left();
        let mut converter =
            ActivityConverter::new(ResolveMode::Whole).within(self.request.window.clone());
        converter.begin(run_of(&self.request.name()));
        let ring = self.folder.ring()?;
        let from = to.saturating_sub(ring.nanos());
        converter.keep_last((from, to), ring.outside(), ring.excess(to));
        let damage = ring.read(is_over, &mut |file, fact| converter.take(file, fact));
        for (file, damage) in (0..).zip(&damage) {
            converter.damaged(file, damage, left.contains(&file));
        }
        Some(converter)
    }

    /// Writes the last stretch of time up to an instant into a file of its own, and says so.
    fn write_kept(&mut self, to: u64) {
        let Some(mut converter) = self.convert_last(to, false) else {
            return;
        };
        self.kept += 1;
        let records = super::report::kept_records(&mut converter);
        let path = self
            .request
            .save
            .as_deref()
            .map(|it| free_path(it, self.kept));
        let error = path.as_deref().and_then(|path| write(path, &records).err());
        self.outbox.post(Message::Kept(Box::new(KeptCapture {
            name: format!("{}, kept {}", self.request.name(), self.kept),
            path,
            error,
            records,
        })));
    }
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

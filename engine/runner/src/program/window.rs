//! What is kept of a program as somebody wants it while it runs: windows that are opened and closed by hand, and the last
//! stretch of time, which is written (`kept`) while the program goes on.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock};

use serde::{Deserialize, Serialize};

use super::RecordedProgram;
use super::ring::segments_of;
use crate::Message;
use cuda_recorder::{CapturePurpose, MOST_FLIPS, SegmentLimits, now};
use formats::activity::CaptureWindow;

/// How long processes have to see that a window opens or closes, in nanoseconds: it does so for all at once.
const NOTICE: u64 = 5_000_000;

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

/// What of a window processes themselves know, and how large their segments are.
pub(super) fn purpose(window: &CaptureWindow) -> (CapturePurpose, SegmentLimits) {
    let usual = SegmentLimits::default();
    match window {
        // Which ranges are wanted is known to whoever reads them.
        CaptureWindow::Whole | CaptureWindow::Ranges(_) => (CapturePurpose::Whole, usual),
        CaptureWindow::Time { .. } => (CapturePurpose::Windows, usual),
        CaptureWindow::Switched => (CapturePurpose::Switched, usual),
        CaptureWindow::Last(limit) => (CapturePurpose::Last, segments_of(*limit)),
    }
}

impl RecordedProgram<'_> {
    /// Says how the window is.
    pub(super) fn tell_window(&self) {
        let status = match &self.request.window {
            CaptureWindow::Switched if self.is_open() => WindowStatus::Open,
            CaptureWindow::Switched => WindowStatus::Closed,
            CaptureWindow::Last(limit) if self.keeps.is_any() => WindowStatus::Keeping(limit.nanos),
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
            (CaptureWindow::Last(_), WindowControl::Keep | WindowControl::Toggle) => self.keep(),
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

    /// Does what signals want, and writes what is to be kept.
    pub(super) fn attend_window(&mut self) {
        if SIGNALLED.swap(false, Ordering::SeqCst) {
            self.apply_window(WindowControl::Toggle);
        }
        self.attend_keeps();
        self.folder.trim(now(), self.request.is_live);
    }
}

//! A program that is recorded: started with the library that tells what CUPTI knows of it and of all that it starts, and
//! followed to its end.
//!
//! Each process that initialises CUDA writes a file of its own in a folder that lives as long as the program. The files are
//! read as they grow, so that whoever looks on sees what happens, and whoever is killed leaves what it wrote.

mod child;
mod file;
mod folder;
mod kept_capture;
mod library;
mod report;
mod ring;
mod toggle;
mod window;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, select};
use serde::{Deserialize, Serialize};

use self::child::ProgramProcess;
use self::folder::FactFolder;
pub use self::folder::abandoned_captures;
pub use self::kept_capture::KeptCapture;
use self::kept_capture::PendingKeeps;
pub use self::library::carry_recorder;
use self::ring::FactRing;
pub use self::toggle::{ToggleOutcome, toggle_capture};
pub use self::window::{WindowControl, WindowStatus, window_signal};
use super::outbox::Outbox;
use super::save::SaveFile;
use super::{Control, Message, Phase, RunRequest};
use cuda_recorder::ThreadSwitches;
use formats::activity::{ActivityConverter, CaptureWindow, ResolveMode};
use formats::exporter::refuse_input;
use record::{Record, Run};

/// How often files are read.
const TICK: Duration = Duration::from_millis(50);
/// The same where it is kept in a ring.
const RING_TICK: Duration = Duration::from_millis(10);
/// Pieces of each file that are read before controls are looked at.
const PIECES: usize = 16;
/// How long what the program started is waited for once it has ended itself.
const GRACE: Duration = Duration::from_secs(1);

/// A program to record.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProgramRequest {
    /// The program and its arguments.
    pub command: Vec<OsString>,
    /// Where to write the capture while it runs.
    pub save: Option<PathBuf>,
    /// What part of what it does is kept.
    pub window: CaptureWindow,
    /// Whether somebody looks on: waits are tied as they come, and not in the end.
    pub is_live: bool,
}

impl ProgramRequest {
    /// What it is called on screen: the program without its folders, and its arguments.
    pub fn name(&self) -> String {
        let words = self.command.iter().map(|word| word.to_string_lossy());
        let words: Vec<_> = words.collect();
        let line = words.join(" ");
        let first = words
            .first()
            .map_or(0, |it| it.rfind('/').map_or(0, |at| at + 1));
        line.get(first..).unwrap_or(&line).to_owned()
    }
}

/// A program that is recorded.
pub struct RecordedProgram<'e> {
    inbox: &'e Receiver<Control>,
    outbox: &'e Arc<Outbox>,
    is_closing: &'e AtomicBool,
    child: ProgramProcess,
    folder: FactFolder,
    converter: ActivityConverter,
    request: ProgramRequest,
    /// What is to be written of the last stretch of time.
    keeps: PendingKeeps,
    /// Whether what is handed over is what is kept: of the last stretch of time that is known in the end.
    is_decided: bool,
    save: Option<SaveFile>,
    /// Records that wait until something was recorded: a file that was there stays until then.
    unsaved: Vec<Record>,
    has_recorded: bool,
    /// Records that were handed over.
    records: u64,
    is_stopped: bool,
    next: Option<Box<RunRequest>>,
}

impl<'e> RecordedProgram<'e> {
    /// Runs a program to its end and hands over what it did. Gives the workload that somebody wants to run instead, where
    /// one does.
    ///
    /// # Errors
    /// It could not begin, for this reason.
    pub fn conduct(
        request: &ProgramRequest,
        run: u64,
        (inbox, outbox, is_closing): (&'e Receiver<Control>, &'e Arc<Outbox>, &'e AtomicBool),
    ) -> Result<Option<Box<RunRequest>>, String> {
        let origin = cuda_recorder::now();
        let folder = FactFolder::new(&request.window, origin)?;
        let library = library::find(folder.path())?;
        if let Some(path) = &request.save {
            refuse_input(path, request.command.iter().map(Path::new))?;
        }
        let save = SaveFile::of_request(request.save.as_deref())?;
        // The first thread that anybody follows has the kernel patch its scheduler, which takes milliseconds: not in the program's
        // first call, but here.
        let _followed = ThreadSwitches::of_this_thread();
        let place = (folder.path(), origin);
        let child = ProgramProcess::start(&request.command, &library, place)?;
        folder.page().set_program(child.number());
        outbox.post(Message::Started { run });
        outbox.post(Message::Phase(Phase::Running));
        let resolving = if request.is_live {
            ResolveMode::Live
        } else {
            ResolveMode::Whole
        };
        let mut program = Self {
            inbox,
            outbox,
            is_closing,
            child,
            folder,
            converter: ActivityConverter::new(resolving).within(request.window.clone()),
            request: request.clone(),
            keeps: PendingKeeps::default(),
            is_decided: !matches!(request.window, CaptureWindow::Last(_)),
            save,
            unsaved: Vec::new(),
            has_recorded: false,
            records: 0,
            is_stopped: false,
            next: None,
        };
        program.converter.begin(run_of(&request.name()));
        program.tell_window();
        program.attend();
        let end = cuda_recorder::now();
        program.read_all();
        program.take_last(run, end);
        program.report(run);
        Ok(program.next)
    }

    /// How long nothing is looked at where nothing comes: a ring is to be no larger than it may be.
    const fn tick(&self) -> Duration {
        match self.request.window {
            CaptureWindow::Last(_) => RING_TICK,
            _ => TICK,
        }
    }

    /// The program was over at an instant: of the last stretch of time, that which is kept takes the place of what was shown.
    fn take_last(&mut self, run: u64, end: u64) {
        self.attend_keeps();
        self.finish_keeps();
        let latest = self.folder.ring().and_then(FactRing::latest);
        let end = latest.map_or(end, |it| it.min(end));
        if let Some(converter) = self.convert_last(end, true) {
            self.is_decided = true;
            self.converter = converter;
            if self.request.is_live {
                self.outbox.post(Message::Started { run });
                self.records = 0;
            }
        }
    }

    /// Looks after the program until it has ended.
    fn attend(&mut self) {
        while self.child.ended().is_none() {
            select! {
                recv(self.inbox) -> control => if let Ok(control) = control {
                    self.apply_control(control);
                } else {
                    self.child.end();
                    std::thread::sleep(TICK);
                },
                default(self.tick()) => {}
            }
            if self.is_closing.load(Ordering::SeqCst) {
                self.is_stopped = true;
                self.child.end();
            }
            self.attend_window();
            // Whoever is too slow for what came keeps the rest on the disk.
            let until = Instant::now() + TICK;
            for _ in 0..PIECES {
                // Somebody may wait for the window to open or to close.
                if !self.outbox.flush() || !self.read() || Instant::now() > until {
                    break;
                }
            }
        }
    }

    fn apply_control(&mut self, control: Control) {
        match control {
            Control::Stop => self.stop(),
            Control::Run(request) => {
                self.next = Some(request);
                self.stop();
            }
            Control::Shutdown => {
                self.is_stopped = true;
                self.child.end();
            }
            Control::Window(control) => self.apply_window(control),
            Control::Record(_) => self.outbox.post(Message::Refused(
                "a program is being recorded; stop it first".to_owned(),
            )),
            // A program makes its calls as it likes.
            Control::Pause
            | Control::Resume
            | Control::Step
            | Control::Pace(_)
            | Control::Lose(_)
            | Control::Recover(_)
            | Control::Rank(_) => self.outbox.post(Message::Refused(
                "a program that is recorded cannot be held or changed, only stopped".to_owned(),
            )),
        }
    }

    fn stop(&mut self) {
        self.is_stopped = true;
        self.outbox.post(Message::Phase(Phase::Stopping));
        self.child.interrupt();
    }

    /// Reads what the processes wrote since the last time, a piece of each file, and says whether that was anything.
    fn read(&mut self) -> bool {
        if self.folder.ring().is_some() && !self.request.is_live {
            // It is read once it is known what of it is kept.
            self.folder.look();
            return false;
        }
        let converter = &mut self.converter;
        let has_read = self
            .folder
            .read(&mut |file, fact| converter.take(file, fact));
        self.hand_over();
        has_read
    }

    /// Reads all that there is, and waits a little for processes that outlive the program.
    fn read_all(&mut self) {
        let until = Instant::now() + GRACE;
        loop {
            while self.read() {
                self.outbox.flush();
            }
            let is_alone = self.left().is_empty() || self.is_closing.load(Ordering::SeqCst);
            if is_alone || Instant::now() > until {
                break;
            }
            std::thread::sleep(TICK / 4);
        }
        // What those that have ended by now wrote last.
        while self.read() {}
        self.folder.finish();
        while self.read() {}
    }

    /// Files whose processes run still.
    fn left(&self) -> Vec<u32> {
        let files = 0..self.folder.len();
        let runs = |file: &u32| {
            let process = self.folder.process(*file);
            !self.converter.has_ended(*file) && process.is_some_and(child::runs)
        };
        files.filter(runs).collect()
    }

    /// Hands over what became records.
    fn hand_over(&mut self) {
        self.converter.announce_lanes();
        let records = self.converter.drain();
        self.send_records(records);
    }

    fn send_records(&mut self, records: Vec<Record>) {
        if records.is_empty() {
            return;
        }
        self.records += records.len() as u64;
        if self.save.is_some() && self.is_decided {
            self.write(&records);
        }
        self.outbox.post_records(records);
    }

    /// Writes records to the file; over another capture only from the first activity of the program on.
    fn write(&mut self, records: &[Record]) {
        self.has_recorded |= records.iter().any(is_activity);
        let has_recorded = self.has_recorded;
        let Some(save) = &mut self.save else {
            return;
        };
        if !has_recorded && save.replaces() {
            self.unsaved.extend_from_slice(records);
            return;
        }
        let before = std::mem::take(&mut self.unsaved);
        let written = save.write(&before).and_then(|()| save.write(records));
        let written = written.and_then(|()| save.flush());
        self.check(written);
    }

    /// Gives up on the file where it cannot be written, and says so.
    fn check(&mut self, written: std::io::Result<()>) {
        if let Err(error) = written
            && let Some(save) = self.save.take()
        {
            self.outbox.post_records(vec![save.failed(&error)]);
        }
    }
}

/// What a capture of a program begins with.
fn run_of(name: &str) -> Run {
    Run {
        name: name.to_owned(),
        backend: "cuda".to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        ..Run::default()
    }
}

/// Whether a record tells what the program did, and not only that it was there.
const fn is_activity(record: &Record) -> bool {
    matches!(
        record,
        Record::Span(_) | Record::Began(_) | Record::Sample(_) | Record::Fields(_)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_is_called_without_its_folders() {
        let named = |words: &[&str]| {
            let command = words.iter().map(OsString::from).collect();
            let request = ProgramRequest {
                command,
                ..ProgramRequest::default()
            };
            request.name()
        };
        assert_eq!(named(&["/usr/bin/python3", "a/b.py"]), "python3 a/b.py");
        assert_eq!(named(&["train"]), "train");
        assert_eq!(named(&[]), "");
    }
}

//! Files and dialogs: read, written and asked for on threads of their own, with progress and cancel.

mod jobs;
mod picture;

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use eframe::egui::{Context, Rect};
use engine::capture::Capture;
use engine::exporter::{self, PieceRequest};
use engine::importer::MergedFile;
use engine::record::Bookmark;
use engine::time::{Interval, Nanos};

use super::App;
use super::file_opening::KEPT_ON_SCREEN;
use crate::action::{Action, BookmarkAction, Command, FleetAction};
use crate::panel::{BackendChoice, JobProgress};
use crate::report::ReportFormat;
use crate::state::{AppState, FilePurpose, FileReading, FileRequest, Notice};

/// A capture that was read.
pub struct ReadCapture {
    /// What was read.
    pub capture: Capture,
    /// The files that it came from.
    pub parts: Vec<MergedFile>,
    /// What says which capture it is.
    pub content: Option<String>,
    /// What was named to be read.
    pub asked: Vec<PathBuf>,
    /// How it was read.
    pub reading: FileReading,
}

/// What a thread has to say.
pub enum JobMessage {
    /// A dialog for a purpose and a new file's name was closed, with paths or without one, after it had been open for a time.
    Chosen((FilePurpose, String), Vec<PathBuf>, std::time::Duration),
    /// How much is done, from 0 to 1, and how fast it goes.
    Progress(f32, String),
    /// A capture as far as it was read.
    Glimpse(Box<Capture>),
    /// A capture was read.
    Capture(Box<ReadCapture>),
    /// The capture's files were moved in time.
    Aligned(Box<Capture>, Vec<MergedFile>),
    /// A workload was read.
    Text(PathBuf, String),
    /// A capture was written, with something to know about it.
    CaptureWritten(PathBuf, String),
    /// A file for other tools was written, with something to know about it.
    Exported(PathBuf, String),
    /// The chosen workload's text was written.
    TextWritten(PathBuf),
    /// Nothing came of it, for this reason; none where it was cancelled.
    Failed(Option<String>),
    /// The backends were asked.
    Backends(Vec<BackendChoice>),
}

impl JobMessage {
    /// Whether it tells of files that are being read.
    const fn is_of_reading(&self) -> bool {
        matches!(
            self,
            Self::Progress(..) | Self::Glimpse(_) | Self::Capture(..) | Self::Failed(None)
        )
    }
}

/// Answers that wait for a frame. No thread ever waits for one: how much is done replaces what was said of it before, and all
/// else comes once or twice for each thing that the user asked for.
#[derive(Clone, Default)]
struct JobMessages(Arc<Mutex<VecDeque<JobMessage>>>);

impl JobMessages {
    /// Adds an answer; says whether the window has to be woken for it. Of what is read nothing is told any more once that
    /// was given up.
    fn put(&self, answer: JobMessage, cancelled: &AtomicBool) -> bool {
        let mut waiting = self.waiting();
        if answer.is_of_reading() && cancelled.load(Ordering::SeqCst) {
            return false;
        }
        let kind = std::mem::discriminant(&answer);
        let replaces = matches!(answer, JobMessage::Progress(..) | JobMessage::Glimpse(_));
        let before = waiting
            .iter_mut()
            .find(|it| replaces && std::mem::discriminant(*it) == kind);
        if let Some(before) = before {
            *before = answer;
            return false;
        }
        waiting.push_back(answer);
        true
    }

    /// Forgets what was told of what is read, because that was given up.
    fn forget_reading(&self) {
        self.waiting().retain(|it| !it.is_of_reading());
    }

    fn take_all(&self) -> VecDeque<JobMessage> {
        std::mem::take(&mut *self.waiting())
    }

    fn waiting(&self) -> MutexGuard<'_, VecDeque<JobMessage>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What the threads said, and how to stop the one under way.
pub struct FileJobs {
    context: Context,
    answers: JobMessages,
    cancel: Arc<AtomicBool>,
    /// Whether the system was found to have no dialog for files.
    has_no_dialog: bool,
}

/// A thread's way to answer.
#[derive(Clone)]
pub struct JobSender {
    context: Context,
    answers: JobMessages,
    cancel: Arc<AtomicBool>,
}

impl JobSender {
    /// Hands over an answer and wakes the window.
    pub fn say(&self, answer: JobMessage) {
        if self.answers.put(answer, &self.cancel) {
            self.context.request_repaint();
        }
    }

    /// Whether the user has given up on it.
    pub fn is_cancelled(&self) -> bool {
        self.cancel.load(Ordering::Relaxed)
    }
}

impl FileJobs {
    /// No thread yet. Answers wake `context`.
    pub fn new(context: &Context) -> Self {
        Self {
            context: context.clone(),
            answers: JobMessages::default(),
            cancel: Arc::default(),
            has_no_dialog: false,
        }
    }

    /// What answers wake.
    pub const fn context(&self) -> &Context {
        &self.context
    }

    /// Starts a thread that answers; whatever was under way is told to stop.
    fn start(&mut self, name: &str, work: impl FnOnce(&JobSender) + Send + 'static) {
        self.cancel();
        self.cancel = Arc::default();
        let answering = self.answering();
        let failed = answering.clone();
        let thread = std::thread::Builder::new().name(name.to_owned());
        if let Err(error) = thread.spawn(move || work(&answering)) {
            failed.say(JobMessage::Failed(Some(format!(
                "no thread could be started: {error}"
            ))));
        }
    }

    fn answering(&self) -> JobSender {
        JobSender {
            context: self.context.clone(),
            answers: self.answers.clone(),
            cancel: Arc::clone(&self.cancel),
        }
    }

    /// Asks every backend whether it can be used here.
    pub fn probe(&mut self) {
        self.start("probe", jobs::probe);
    }

    /// Asks the user for a path; the window goes on meanwhile.
    pub fn ask(&self, purpose: FilePurpose, name: &str) {
        let answering = self.answering();
        let dialog = jobs::dialog(purpose, name);
        let name = name.to_owned();
        let opened = Instant::now();
        let failed = answering.clone();
        let thread = std::thread::Builder::new().name(String::from("dialog"));
        let work = move || {
            let path = jobs::wait(dialog);
            answering.say(JobMessage::Chosen((purpose, name), path, opened.elapsed()));
        };
        if let Err(error) = thread.spawn(work) {
            failed.say(JobMessage::Failed(Some(format!(
                "no thread could be started: {error}"
            ))));
        }
    }

    /// Reads a workload, or captures as one.
    pub fn open(&mut self, paths: Vec<PathBuf>) {
        self.start("open", move |answering| jobs::open(&paths, answering));
    }

    /// Moves the files of a capture in time, to `wanted` from where their clocks put them.
    pub fn align(&mut self, capture: Arc<Capture>, parts: Vec<MergedFile>, wanted: Vec<Nanos>) {
        self.start("align", move |answering| {
            jobs::align(capture, parts, &wanted, answering);
        });
    }

    /// Writes a capture, or what is seen of it, for other tools.
    pub fn export(&mut self, path: PathBuf, capture: Arc<Capture>, state: AppState) {
        self.start("export", move |answering| {
            jobs::export(&path, capture, state, answering);
        });
    }

    /// Writes the part `area` of the window, as it is on screen, in PNG.
    pub fn picture(&self, path: PathBuf, area: Rect) {
        let answering = self.answering();
        let pixels = self.context.pixels_per_point();
        self.context.request_screenshot(move |image| {
            picture::write(path, image, (area, pixels), answering);
        });
    }

    /// Writes a workload that does what a capture shows.
    pub fn extract(&mut self, path: PathBuf, capture: Arc<Capture>, range: Interval) {
        self.start("extract", move |answering| {
            jobs::extract(&path, capture, range, answering);
        });
    }

    /// Writes a capture with these bookmarks.
    pub fn write_capture(
        &mut self,
        path: PathBuf,
        capture: Arc<Capture>,
        bookmarks: Vec<Bookmark>,
    ) {
        self.start("write", move |answering| {
            jobs::write_capture(&path, (capture, &bookmarks), String::new(), answering);
        });
    }

    /// Writes a piece of a capture with these bookmarks.
    pub fn write_piece(
        &mut self,
        path: PathBuf,
        (capture, bookmarks): (Arc<Capture>, Vec<Bookmark>),
        request: PieceRequest,
    ) {
        self.start("write", move |answering| {
            jobs::write_piece(&path, (capture, &bookmarks), &request, answering);
        });
    }

    /// Writes what a capture comes to, with the files that it was read from.
    pub fn write_report(
        &mut self,
        path: PathBuf,
        (capture, parts): (Arc<Capture>, Vec<MergedFile>),
        format: ReportFormat,
    ) {
        self.start("report", move |answering| {
            jobs::write_report(&path, (capture, &parts), format, answering);
        });
    }

    /// Writes a workload's text.
    pub fn write_text(&mut self, path: PathBuf, text: String) {
        self.start("write", move |answering| {
            jobs::write_text(&path, &text, answering);
        });
    }

    /// Tells the thread under way to stop.
    pub fn cancel(&self) {
        self.cancel.store(true, Ordering::SeqCst);
        self.answers.forget_reading();
    }
}

/// Whether a file's name has this ending, whatever its case.
pub fn ends_with(path: &Path, ending: &str) -> bool {
    let own = path.extension();
    own.is_some_and(|own| own.eq_ignore_ascii_case(ending))
}

/// What files are called together.
pub fn called(paths: &[PathBuf]) -> String {
    match paths {
        [] => "no file".to_owned(),
        [only] => name(only),
        [first, second] => format!("{} and {}", name(first), name(second)),
        [first, more @ ..] => format!("{} and {} more", name(first), more.len()),
    }
}

/// A file's name for people.
pub fn name(path: &Path) -> String {
    path.file_name()
        .unwrap_or(path.as_os_str())
        .to_string_lossy()
        .into_owned()
}

impl App {
    /// Takes the answers of the file threads, and says whether there was one.
    pub(super) fn hear_files(&mut self) -> bool {
        let answers = self.files.answers.take_all();
        let any = !answers.is_empty();
        for answer in answers {
            self.hear(answer);
        }
        any
    }

    fn hear(&mut self, answer: JobMessage) {
        match answer {
            JobMessage::Chosen((purpose, _), paths, _) if !paths.is_empty() => {
                self.chosen(purpose, paths);
            }
            // A person takes longer to press Cancel: there is no dialog on this system, so one of our own is shown.
            JobMessage::Chosen((purpose, name), _, open) if open.as_millis() < 200 => {
                self.files.has_no_dialog = true;
                self.ask_here(purpose, name);
            }
            JobMessage::Chosen(..) => {}
            JobMessage::Progress(share, rate) => {
                if let Some(job) = &mut self.status.job {
                    job.progress = Some(share);
                    job.rate = rate;
                }
            }
            JobMessage::Glimpse(capture) => self.in_loading_tab(|app| {
                // What is read again stays whole on screen until it was.
                if !app.status.files.is_read_again {
                    app.show_capture(Arc::from(capture));
                }
            }),
            JobMessage::Capture(read) => self.in_loading_tab(|app| app.opened(*read)),
            JobMessage::Aligned(capture, parts) => {
                self.status.job = None;
                self.status.parts = parts;
                self.show_capture(Arc::from(capture));
                let follow = Action::Bookmark(BookmarkAction::Follow);
                self.act(vec![follow], None);
            }
            JobMessage::Text(path, source) => self.adopt(path, source),
            JobMessage::CaptureWritten(path, words) => {
                self.status.job = None;
                self.tell(false, format!("Saved as {}{words}", path.display()));
                self.act(vec![Action::Remember(path)], None);
            }
            JobMessage::Exported(path, words) => {
                self.status.job = None;
                self.tell(false, format!("Written to {}{words}", path.display()));
            }
            JobMessage::TextWritten(path) => {
                self.status.job = None;
                self.act(vec![Action::Saved(path)], None);
            }
            JobMessage::Failed(reason) => {
                self.status.job = None;
                let is_again = self.status.files.is_read_again;
                self.end_loading();
                if let Some(mut reason) = reason {
                    if is_again {
                        let end = if reason.ends_with('.') { "" } else { "." };
                        reason = format!("{reason}{end} {KEPT_ON_SCREEN}");
                    }
                    self.tell(true, reason);
                }
            }
            // Those of another machine count, once it said which they are.
            JobMessage::Backends(_) if self.status.connection.is_some() => {}
            JobMessage::Backends(backends) => {
                self.status.backends = backends;
                if std::mem::take(&mut self.is_first) {
                    self.act(vec![Command::Rerun.into()], None);
                }
            }
        }
    }

    /// Asks for a path: in the system's dialog, or in one of our own where it has none.
    pub(super) fn ask(&mut self, purpose: FilePurpose, ending: &str) {
        let text = self.state.documents.text();
        let name = match purpose {
            FilePurpose::Open
            | FilePurpose::OpenFolder
            | FilePurpose::OpenDataset
            | FilePurpose::SearchCaptures
            | FilePurpose::Add => String::new(),
            FilePurpose::SaveText => {
                let own = text.map_or("workload", |text| text.name.trim_end_matches(".kdl"));
                format!("{own}.{ending}")
            }
            FilePurpose::SavePiece => self.file_name("-piece", ending),
            FilePurpose::Report => self.file_name("-report", ending),
            _ => self.file_name("", ending),
        };
        if self.files.has_no_dialog {
            self.ask_here(purpose, name);
        } else {
            self.files.ask(purpose, &name);
        }
    }

    fn ask_here(&mut self, purpose: FilePurpose, name: String) {
        let endings = jobs::endings(purpose);
        let request = FileRequest {
            purpose,
            name,
            endings: endings.iter().map(|it| (*it).to_owned()).collect(),
        };
        self.act(vec![Action::AskFile(request)], None);
    }

    pub(super) fn chosen(&mut self, purpose: FilePurpose, paths: Vec<PathBuf>) {
        match purpose {
            FilePurpose::Open | FilePurpose::OpenFolder => {
                return self.act(vec![Action::OpenFiles(paths)], None);
            }
            FilePurpose::Add => return self.open_more(paths),
            FilePurpose::OpenDataset => return self.open_datasets(paths),
            FilePurpose::SearchCaptures => {
                let folder = paths.into_iter().next();
                let search = folder.map(|it| Action::Fleet(FleetAction::SearchIn(it)));
                return self.act(search.into_iter().collect(), None);
            }
            _ => {}
        }
        let Some(path) = paths.into_iter().next() else {
            return;
        };
        let inputs = self.status.parts.iter().map(|part| part.path.as_path());
        if purpose != FilePurpose::SaveText
            && let Err(reason) = exporter::refuse_input(&path, inputs)
        {
            return self.tell(true, reason);
        }
        let capture = Arc::clone(&self.capture);
        match purpose {
            FilePurpose::Open
            | FilePurpose::OpenFolder
            | FilePurpose::OpenDataset
            | FilePurpose::SearchCaptures
            | FilePurpose::Add => {}
            FilePurpose::SaveCapture => {
                self.begin_job(format!("Saving {}", name(&path)));
                let bookmarks = self.state.bookmarks.list.clone();
                self.files.write_capture(path, capture, bookmarks);
            }
            FilePurpose::SavePiece => {
                self.begin_job(format!("Saving {}", name(&path)));
                let bookmarks = self.state.bookmarks.list.clone();
                let view = self.state.view.shown(self.capture.extent());
                let request = PieceRequest {
                    within: Some(self.state.selection.range.unwrap_or(view)),
                    ..PieceRequest::default()
                };
                self.files.write_piece(path, (capture, bookmarks), request);
            }
            FilePurpose::Report => match ReportFormat::of(&path) {
                Ok(format) => {
                    self.begin_job(format!("Writing {}", name(&path)));
                    let parts = self.status.parts.clone();
                    self.files.write_report(path, (capture, parts), format);
                }
                Err(reason) => self.tell(true, reason),
            },
            FilePurpose::SaveText => self.write_text(path),
            FilePurpose::Export if ends_with(&path, "png") => {
                self.files.picture(path, self.timeline.areas().whole);
            }
            FilePurpose::Export => {
                self.begin_job(format!("Writing {}", name(&path)));
                self.files.export(path, capture, self.state.clone());
            }
            FilePurpose::Extract => {
                self.begin_job(format!("Writing {}", name(&path)));
                let all = self.capture.extent().unwrap_or_default();
                let range = self.state.selection.range;
                let range = range.unwrap_or(Interval::new(all.start, all.end + Nanos(1)));
                self.files.extract(path, capture, range);
            }
        }
    }

    /// Writes the chosen workload's text to `path`.
    pub(super) fn write_text(&mut self, path: PathBuf) {
        if let Some(text) = self.state.documents.text() {
            self.files.write_text(path, text.source.clone());
        }
    }

    /// Shows that something is under way.
    pub(super) fn begin_job(&mut self, label: String) {
        self.status.job = Some(JobProgress {
            label,
            ..JobProgress::default()
        });
    }

    pub(super) fn tell(&mut self, is_error: bool, text: String) {
        self.act(vec![Action::Notify(Some(Notice { is_error, text }))], None);
    }

    /// Moves the files of the capture to where the state wants them.
    pub(super) fn align(&mut self) {
        self.begin_job("Aligning".to_owned());
        let (capture, parts) = (Arc::clone(&self.capture), self.status.parts.clone());
        self.files
            .align(capture, parts, self.state.alignment.clone());
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    /// Every file is several batches, each of which says how far reading has come.
    #[test]
    fn files_are_read_to_their_end_while_no_frame_is_drawn() {
        let folder = tempfile::tempdir().unwrap();
        let paths: Vec<PathBuf> = (0..100)
            .map(|it| folder.path().join(format!("{it}.json")))
            .collect();
        for path in &paths {
            let text = r#"[{"ph":"X","pid":1,"tid":1,"ts":1,"dur":1,"name":"step"}]"#;
            std::fs::write(path, text).unwrap();
        }
        let mut files = FileJobs::new(&Context::default());
        files.open(paths);
        let begun = Instant::now();
        let is_read =
            |it: &JobMessage| matches!(it, JobMessage::Capture(read) if read.parts.len() == 100);
        while !files.answers.waiting().iter().any(is_read) {
            assert!(begun.elapsed() < Duration::from_mins(1), "nobody reads on");
            std::thread::sleep(Duration::from_millis(5));
        }
        let waiting = files.answers.take_all();
        let is_of_end = |it: &&JobMessage| !matches!(it, JobMessage::Glimpse(_));
        let count = waiting.iter().filter(is_of_end).count();
        assert_eq!(count, 2, "how far it came, and what came of it");
        assert!(waiting.len() <= 3, "of glimpses the latest is enough");
    }
}

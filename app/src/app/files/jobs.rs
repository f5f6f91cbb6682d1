//! What the file threads do: ask for a path, read a capture or a workload, write one.

use std::collections::BTreeSet;
use std::fs;
use std::future::Future;
use std::io::{self, Read as _};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread::Thread;
use std::time::{Duration, Instant};

use engine::capture::Capture;
use engine::exporter::{self, EXPORTERS, PieceRequest};
use engine::importer::{self, IMPORTERS, MergedFile};
use engine::record::{Bookmark, Record};
use engine::runner::far;
use engine::time::{Interval, Nanos};

use super::{JobMessage, JobSender, ReadCapture};
use crate::app::link::choice;
use crate::app::view_store::content_key;
use crate::report::{self, ReportFormat};
use crate::state::{AppState, FilePurpose, FileReading, FilesVersion};
use crate::text;
use crate::timeline::drawing;

/// Records of a capture that is made again which are applied at once.
const BATCH: usize = 65_536;

/// Files that are larger than this are no workloads, in bytes.
const LARGEST_TEXT: u64 = 16 << 20;

/// How long a file is read before it is first shown, and by how much longer before it is again.
const FIRST_GLIMPSE: Duration = Duration::from_millis(120);
const GROWTH: f64 = 1.5;
/// Of a capture with more spans no copy is made while it is read: that would take memory that its end needs.
const MOST_GLIMPSED: usize = 8_000_000;

/// Asks every backend whether it can be used here.
pub fn probe(answering: &JobSender) {
    let offers = far::offers().into_iter();
    answering.say(JobMessage::Backends(offers.filter_map(choice).collect()));
}

/// A dialog that the user will close.
type PendingDialog = Pin<Box<dyn Future<Output = Vec<rfd::FileHandle>> + Send>>;

/// A dialog for `purpose`; `name` is what a new file is called at first.
pub fn dialog(
    purpose: FilePurpose,
    name: &str,
) -> impl Future<Output = Vec<PathBuf>> + Send + 'static {
    let dialog = rfd::AsyncFileDialog::new();
    let endings = endings(purpose);
    let filter = |name: &str| format!("{name} ({})", text::patterns(&endings));
    let dialog = match purpose {
        FilePurpose::Open | FilePurpose::Add => dialog
            .add_filter("Captures and workloads", &endings)
            .add_filter("All files", &["*"]),
        FilePurpose::OpenFolder | FilePurpose::OpenDataset | FilePurpose::SearchCaptures => dialog,
        FilePurpose::SaveCapture => dialog.add_filter(filter("Perfetto capture"), &endings),
        FilePurpose::SaveText | FilePurpose::Extract => {
            dialog.add_filter(filter("Workload"), &endings)
        }
        FilePurpose::SavePiece => kept_formats().fold(dialog, |dialog, (name, ending)| {
            dialog.add_filter(format!("{name} ({})", text::patterns(&[ending])), &[ending])
        }),
        FilePurpose::Report => dialog
            .add_filter("Page (*.html)", &["html", "htm"])
            .add_filter("Markdown (*.md)", &["md"]),
        FilePurpose::Export => formats()
            .into_iter()
            .fold(dialog, |dialog, (name, ending)| {
                dialog.add_filter(format!("{name} ({})", text::patterns(&[ending])), &[ending])
            }),
    };
    let is_opened = matches!(purpose, FilePurpose::Open | FilePurpose::Add);
    let closed: PendingDialog = if purpose.is_folder() {
        let chosen = dialog.pick_folder();
        Box::pin(async { chosen.await.into_iter().collect() })
    } else if is_opened {
        let chosen = dialog.pick_files();
        Box::pin(async { chosen.await.unwrap_or_default() })
    } else {
        let chosen = dialog.set_file_name(name).save_file();
        Box::pin(async { chosen.await.into_iter().collect() })
    };
    async move {
        let files = closed.await;
        files.iter().map(|it| it.path().to_path_buf()).collect()
    }
}

/// What files for `purpose` may end in.
pub fn endings(purpose: FilePurpose) -> Vec<&'static str> {
    // Several tools write files of one ending, and any of them may be packed.
    let known = IMPORTERS.iter().flat_map(|it| it.extensions()).copied();
    let captures: BTreeSet<&str> = known.chain(["gz"]).collect();
    let captures = captures.into_iter();
    match purpose {
        FilePurpose::Open => captures.chain(["kdl"]).collect(),
        FilePurpose::OpenFolder | FilePurpose::SearchCaptures | FilePurpose::Add => {
            captures.collect()
        }
        // All in it are folders.
        FilePurpose::OpenDataset => Vec::new(),
        FilePurpose::SaveCapture => vec!["pftrace"],
        FilePurpose::SavePiece => kept_formats().map(|(_, ending)| ending).collect(),
        FilePurpose::Report => vec!["html", "htm", "md"],
        FilePurpose::SaveText | FilePurpose::Extract => vec!["kdl"],
        FilePurpose::Export => formats().into_iter().map(|(_, ending)| ending).collect(),
    }
}

/// What a capture is written as: a name and an ending; the first keeps everything.
fn kept_formats() -> impl Iterator<Item = (&'static str, &'static str)> {
    EXPORTERS.iter().map(|it| (it.name(), it.extension()))
}

/// What a capture or a view is written as for other tools: a name and an ending.
fn formats() -> Vec<(&'static str, &'static str)> {
    let exporters = kept_formats();
    let pictures = [
        ("Drawing of the view", "svg"),
        ("Picture of the view", "png"),
    ];
    exporters.chain(pictures).collect()
}

struct ParkedThread(Thread);

impl Wake for ParkedThread {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

/// Waits for a future on this thread.
pub fn wait<T>(future: impl Future<Output = T>) -> T {
    let waker = Waker::from(Arc::new(ParkedThread(std::thread::current())));
    let mut context = Context::from_waker(&waker);
    let mut future = pin!(future);
    loop {
        match future.as_mut().poll(&mut context) {
            Poll::Ready(value) => return value,
            Poll::Pending => std::thread::park(),
        }
    }
}

/// Reads a workload, or captures as one, by their ending.
pub fn open(paths: &[PathBuf], answering: &JobSender) {
    let is_text = |path: &Path| super::ends_with(path, "kdl");
    let (texts, captures): (Vec<PathBuf>, Vec<PathBuf>) =
        paths.iter().cloned().partition(|path| is_text(path));
    for text in texts {
        answering.say(open_text(&text));
    }
    if !captures.is_empty() {
        answering.say(open_captures(&captures, answering));
    }
}

fn open_text(path: &Path) -> JobMessage {
    let why = |error: &dyn std::fmt::Display| {
        JobMessage::Failed(Some(format!("{} cannot be read: {error}", path.display())))
    };
    if path.is_dir() {
        return why(&"it is a directory; name a file in it");
    }
    // Of a pipe no length is known.
    let mut source = String::new();
    let file = fs::File::open(path);
    let read = file.and_then(|file| file.take(LARGEST_TEXT + 1).read_to_string(&mut source));
    match read {
        Ok(count) if count as u64 > LARGEST_TEXT => {
            why(&"it is too large for a workload, which is a text")
        }
        Ok(_) => JobMessage::Text(path.to_path_buf(), source),
        Err(error) => why(&error),
    }
}

/// How fast a file is read, in megabytes a second.
fn rate(read: u64, gone: Duration) -> String {
    let seconds = gone.as_secs_f64();
    if seconds < 0.1 {
        return String::new();
    }
    format!("{} MB/s", text::significant(read as f64 / 1e6 / seconds))
}

fn open_captures(asked: &[PathBuf], answering: &JobSender) -> JobMessage {
    // What is written while it is read counts as a change.
    let version = FilesVersion::of(asked);
    let mut capture = Capture::new();
    let begun = Instant::now();
    let mut glimpse = FIRST_GLIMPSE;
    // A folder is named as one, so that two files of one rank in it are refused.
    let parts = importer::open_all(asked, &mut |batch| {
        if answering.is_cancelled() {
            return ControlFlow::Break(());
        }
        capture.apply(batch.records);
        let gone = begun.elapsed();
        // What comes by a pipe has no end that is known.
        if batch.total > 0 {
            let share = batch.read as f64 / batch.total as f64;
            answering.say(JobMessage::Progress(share as f32, rate(batch.read, gone)));
        }
        if gone >= glimpse && capture.span_count() <= MOST_GLIMPSED {
            answering.say(JobMessage::Glimpse(Box::new(capture.clone())));
            // A copy takes a small part of the time that what it shows took to read, however long that goes on.
            glimpse = begun.elapsed().mul_f64(GROWTH);
        }
        ControlFlow::Continue(())
    });
    match parts {
        Ok(mut parts) => {
            importer::note_dropped(&mut parts, &mut capture);
            // What can be read only once is not known again.
            let paths: Vec<PathBuf> = parts.iter().map(|it| it.path.clone()).collect();
            let content = content_key(&paths).ok();
            let reading = FileReading {
                version,
                ended: Instant::now(),
                took: begun.elapsed(),
            };
            JobMessage::Capture(Box::new(ReadCapture {
                capture,
                parts,
                content,
                asked: asked.to_vec(),
                reading,
            }))
        }
        Err(importer::ImportError::Cancelled) => JobMessage::Failed(None),
        Err(error) => JobMessage::Failed(Some(error.to_string())),
    }
}

/// Makes the capture again with its files moved in time: an id stays what it was.
pub fn align(
    capture: Arc<Capture>,
    mut parts: Vec<MergedFile>,
    wanted: &[Nanos],
    answering: &JobSender,
) {
    let moves: Vec<Nanos> = parts
        .iter()
        .enumerate()
        .map(|(place, part)| wanted.get(place).copied().unwrap_or_default() - part.hand)
        .collect();
    let mut aligned = Capture::new();
    let mut records = exporter::records(&capture).map(|record| {
        let each = parts.iter().zip(&moves);
        each.fold(record, |record, (part, by)| {
            importer::moved(record, part, *by)
        })
    });
    loop {
        if answering.is_cancelled() {
            return answering.say(JobMessage::Failed(None));
        }
        let batch: Vec<Record> = records.by_ref().take(BATCH).collect();
        if batch.is_empty() {
            break;
        }
        aligned.apply(batch);
    }
    drop(records);
    aligned.leave_out(capture.dropped().saturating_sub(aligned.refused()));
    drop(capture);
    for (part, by) in parts.iter_mut().zip(moves) {
        part.hand += by;
    }
    answering.say(JobMessage::Aligned(Box::new(aligned), parts));
}

/// Writes a capture beside its place and then puts it there, so that a failure leaves what was there before; `words` are told
/// with its path.
pub fn write_capture(
    path: &Path,
    (capture, bookmarks): (Arc<Capture>, &[Bookmark]),
    words: String,
    answering: &JobSender,
) {
    let exporter = exporter::for_path(path).or(EXPORTERS.first().copied());
    let Some(exporter) = exporter else {
        return;
    };
    let mut go_on = |_| !answering.is_cancelled();
    let written = exporter::save((&capture, bookmarks), exporter, path, &mut go_on);
    // The window takes no record while the capture is shared.
    drop(capture);
    let done = |path| JobMessage::CaptureWritten(path, words);
    answering.say(wrote(written, path, answering, done));
}

/// Writes a piece of a capture.
pub fn write_piece(
    path: &Path,
    (capture, bookmarks): (Arc<Capture>, &[Bookmark]),
    request: &PieceRequest,
    answering: &JobSender,
) {
    let piece = exporter::piece((&capture, bookmarks), request);
    drop(capture);
    let piece = match piece {
        Ok(piece) => piece,
        Err(reason) => return answering.say(JobMessage::Failed(Some(reason))),
    };
    let bookmarks = piece.capture.bookmarks().to_vec();
    // The last of them says what was cut.
    let words = piece.capture.notes().last().map(|it| format!(". {it}"));
    let words = words.unwrap_or_default();
    write_capture(
        path,
        (Arc::new(piece.capture), &bookmarks),
        words,
        answering,
    );
}

/// Writes what a capture comes to, with the files that it was read from.
pub fn write_report(
    path: &Path,
    (capture, parts): (Arc<Capture>, &[MergedFile]),
    format: ReportFormat,
    answering: &JobSender,
) {
    let text = report::write((&capture, parts), format);
    let words = report::remark(&capture).map(|it| format!(". {it}"));
    // The window takes no record while the capture is shared.
    drop(capture);
    let mut go_on = |_| !answering.is_cancelled();
    let written = exporter::replace(path, &mut go_on, &mut |output| {
        output.write_all(text.as_bytes())
    });
    let done = |path| JobMessage::Exported(path, words.unwrap_or_default());
    answering.say(wrote(written, path, answering, done));
}

/// Writes a capture for other tools, or a picture of what `state` shows of it.
pub fn export(path: &Path, capture: Arc<Capture>, state: AppState, answering: &JobSender) {
    let mut go_on = |_| !answering.is_cancelled();
    let bookmarks = state.bookmarks.list.clone();
    let written = if super::ends_with(path, "svg") {
        let picture = drawing::svg(&capture, state);
        exporter::replace(path, &mut go_on, &mut |output| {
            output.write_all(picture.as_bytes())
        })
    } else if let Some(exporter) = exporter::for_path(path) {
        exporter::save((&capture, &bookmarks), exporter, path, &mut go_on)
    } else {
        let known: Vec<&str> = formats().into_iter().map(|(_, ending)| ending).collect();
        Err(io::Error::other(format!(
            "its ending names no format; use one of .{}",
            known.join(", .")
        )))
    };
    drop(capture);
    let done = |path| JobMessage::Exported(path, String::new());
    answering.say(wrote(written, path, answering, done));
}

/// Writes a workload that does what a capture shows in `range`.
pub fn extract(path: &Path, capture: Arc<Capture>, range: Interval, answering: &JobSender) {
    let extracted = exporter::extract(&capture, range);
    drop(capture);
    let extracted = match extracted {
        Ok(extracted) => extracted,
        Err(error) => return answering.say(JobMessage::Failed(Some(error.to_string()))),
    };
    let mut go_on = |_| !answering.is_cancelled();
    let written = exporter::replace(path, &mut go_on, &mut |output| {
        output.write_all(extracted.text.as_bytes())
    });
    let words: String = extracted
        .notes
        .iter()
        .fold(String::new(), |all, note| all + " · " + note);
    let done = |path| JobMessage::Exported(path, words);
    answering.say(wrote(written, path, answering, done));
}

/// Writes a workload's text.
pub fn write_text(path: &Path, text: &str, answering: &JobSender) {
    let written = exporter::replace(path, &mut |_| true, &mut |output| {
        output.write_all(text.as_bytes())
    });
    answering.say(wrote(written, path, answering, JobMessage::TextWritten));
}

fn wrote(
    written: io::Result<()>,
    path: &Path,
    answering: &JobSender,
    done: impl FnOnce(PathBuf) -> JobMessage,
) -> JobMessage {
    match written {
        Ok(()) => done(path.to_path_buf()),
        Err(_) if answering.is_cancelled() => JobMessage::Failed(None),
        Err(error) => {
            JobMessage::Failed(Some(format!("{} was not written: {error}", path.display())))
        }
    }
}

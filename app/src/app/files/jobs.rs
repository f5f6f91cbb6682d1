//! What the file threads do: ask for a path, read a capture or a workload, write one.

use std::fs::{self, File};
use std::future::Future;
use std::io::{self, BufWriter, Write};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread::Thread;

use engine::backend::BACKENDS;
use engine::capture::Capture;
use engine::exporter::EXPORTERS;
use engine::importer::{self, IMPORTERS};

use super::{Answer, Answering, Purpose};
use crate::panel::BackendChoice;

/// Files that are larger than this are no workloads, in bytes.
const LARGEST_TEXT: u64 = 16 << 20;

/// Asks every backend whether it can be used here. The one for tests is not offered.
pub fn probe(answering: &Answering) {
    let offered = BACKENDS.iter().filter(|backend| backend.name() != "mock");
    let choices = offered.map(|backend| {
        let (opens, detail) = match backend.probe() {
            Ok(found) => (
                true,
                found
                    .first()
                    .map_or_else(String::new, |device| device.name.clone()),
            ),
            Err(error) => (false, error.to_string()),
        };
        BackendChoice {
            name: backend.name().to_owned(),
            detail,
            opens,
        }
    });
    answering.say(Answer::Backends(choices.collect()));
}

/// A dialog that the user will close.
type Closed = Pin<Box<dyn Future<Output = Option<rfd::FileHandle>> + Send>>;

/// A dialog for `purpose`; `name` is what a new file is called at first.
pub fn dialog(
    purpose: Purpose,
    name: &str,
) -> impl Future<Output = Option<PathBuf>> + Send + 'static {
    let dialog = rfd::AsyncFileDialog::new();
    let captures: Vec<&str> = IMPORTERS
        .iter()
        .flat_map(|importer| importer.extensions())
        .copied()
        .collect();
    let everything: Vec<&str> = captures.iter().copied().chain(["kdl"]).collect();
    let closed: Closed = match purpose {
        Purpose::Open => Box::pin(
            dialog
                .add_filter("Captures and workloads", &everything)
                .add_filter("All files", &["*"])
                .pick_file(),
        ),
        Purpose::SaveCapture => {
            let extensions: Vec<_> = EXPORTERS
                .iter()
                .map(|exporter| exporter.extension())
                .collect();
            Box::pin(
                dialog
                    .add_filter("Captures", &extensions)
                    .set_file_name(name)
                    .save_file(),
            )
        }
        Purpose::SaveText => Box::pin(
            dialog
                .add_filter("Workloads", &["kdl"])
                .set_file_name(name)
                .save_file(),
        ),
    };
    async move { closed.await.map(|file| file.path().to_path_buf()) }
}

struct Parked(Thread);

impl Wake for Parked {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

/// Waits for a future on this thread.
pub fn wait<T>(future: impl Future<Output = T>) -> T {
    let waker = Waker::from(Arc::new(Parked(std::thread::current())));
    let mut context = Context::from_waker(&waker);
    let mut future = pin!(future);
    loop {
        match future.as_mut().poll(&mut context) {
            Poll::Ready(value) => return value,
            Poll::Pending => std::thread::park(),
        }
    }
}

/// Reads a capture or a workload, by its ending.
pub fn open(path: &Path, answering: &Answering) {
    let is_text = path
        .extension()
        .is_some_and(|ending| ending.eq_ignore_ascii_case("kdl"));
    answering.say(if is_text {
        open_text(path)
    } else {
        open_capture(path, answering)
    });
}

fn open_text(path: &Path) -> Answer {
    let why = |error: &dyn std::fmt::Display| {
        Answer::Failed(Some(format!("{} cannot be read: {error}", path.display())))
    };
    match fs::metadata(path) {
        Ok(found) if found.is_dir() => why(&"it is a directory; name a file in it"),
        Ok(found) if found.len() > LARGEST_TEXT => {
            why(&"it is too large for a workload, which is a text")
        }
        Ok(_) => match fs::read_to_string(path) {
            Ok(source) => Answer::Text(path.to_path_buf(), source),
            Err(error) => why(&error),
        },
        Err(error) => why(&error),
    }
}

fn open_capture(path: &Path, answering: &Answering) -> Answer {
    let mut capture = Capture::new();
    let receipt = importer::open(path, &mut |batch| {
        if answering.is_cancelled() {
            return ControlFlow::Break(());
        }
        capture.apply(batch.records);
        answering.say(Answer::Progress(
            (batch.read as f64 / batch.total.max(1) as f64) as f32,
        ));
        ControlFlow::Continue(())
    });
    match receipt {
        Ok(receipt) => Answer::Capture(path.to_path_buf(), Box::new(capture), receipt.notes),
        Err(importer::Error::Cancelled) => Answer::Failed(None),
        Err(error) => Answer::Failed(Some(error.to_string())),
    }
}

/// An output that gives up when the user does.
struct Cancellable<'a, W> {
    output: W,
    answering: &'a Answering,
}

impl<W: Write> Write for Cancellable<'_, W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.answering.is_cancelled() {
            return Err(io::Error::other("cancelled"));
        }
        self.output.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.output.flush()
    }
}

/// Writes a capture beside its place and then puts it there, so that a failure leaves what was there before.
pub fn write_capture(path: &Path, capture: Arc<Capture>, answering: &Answering) {
    let ending = path.extension().unwrap_or_default();
    let mut exporters = EXPORTERS.iter();
    let exporter = exporters
        .find(|exporter| ending == exporter.extension())
        .or(EXPORTERS.first());
    let Some(exporter) = exporter else {
        return;
    };
    let written = in_place_of(path, |file| {
        let mut output = Cancellable {
            output: BufWriter::new(file),
            answering,
        };
        exporter.write(&capture, &mut output)?;
        output.flush()
    });
    // The window takes no record while the capture is shared.
    drop(capture);
    answering.say(match written {
        Ok(()) => Answer::CaptureWritten(path.to_path_buf()),
        Err(_) if answering.is_cancelled() => Answer::Failed(None),
        Err(error) => Answer::Failed(Some(format!("{} was not written: {error}", path.display()))),
    });
}

/// Writes a workload's text.
pub fn write_text(path: &Path, text: &str, answering: &Answering) {
    let written = in_place_of(path, |mut file| file.write_all(text.as_bytes()));
    answering.say(match written {
        Ok(()) => Answer::TextWritten(path.to_path_buf()),
        Err(error) => Answer::Failed(Some(format!("{} was not written: {error}", path.display()))),
    });
}

fn in_place_of(path: &Path, write: impl FnOnce(&File) -> io::Result<()>) -> io::Result<()> {
    let mut name = path.file_name().unwrap_or_default().to_os_string();
    name.push(".part");
    let beside = path.with_file_name(name);
    let done = File::create(&beside)
        .and_then(|file| write(&file))
        .and_then(|()| fs::rename(&beside, path));
    if done.is_err() {
        // What is half written helps nobody; that it cannot be removed changes nothing about the error.
        let _ = fs::remove_file(&beside);
    }
    done
}

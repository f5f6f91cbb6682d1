//! What can be read only once, such as a pipe or standard input: copied to a temporary file, so that every format may read
//! it as often and at whatever place it needs.

use std::fs::{File, Metadata};
use std::io::{self, Read, Write as _};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use crossbeam_channel::{RecvTimeoutError, Sender, bounded};

use super::compression::CompressionLayer;
use super::{HEAD, Source};
use crate::importer::error::MissingThread;
use crate::importer::{IMPORTERS, ImportError, REFUSED, sqlite};
use crate::temporary::{TemporaryCopy, create_copy, plain};

/// The name that stands for standard input.
const STANDARD_INPUT: &str = "-";
/// What it is called.
const CALLED: &str = "standard input";
/// How much is copied at a time.
const PIECE: usize = 1 << 20;
/// How often whoever waits is asked whether to go on while nothing comes.
const LOOK: Duration = Duration::from_millis(50);

/// Says of so many bytes read whether to go on.
pub type ReadProgress<'a> = &'a mut dyn FnMut(u64) -> ControlFlow<()>;

/// Whether a path stands for standard input.
pub fn is_standard_input(path: &Path) -> bool {
    path == Path::new(STANDARD_INPUT)
}

/// Whether a file has no length and no places: all but files of a disk, and those that a system makes up as they are read.
pub(super) fn is_needed(found: &Metadata) -> bool {
    !found.is_file() || found.len() == 0
}

/// A copy of what is read at `path`, and what it is called. Ends once it is known that no format begins like that.
pub(super) fn copy(
    path: &Path,
    go_on: ReadProgress<'_>,
) -> Result<(PathBuf, Arc<TemporaryCopy>, u64), ImportError> {
    let called = if is_standard_input(path) {
        PathBuf::from(CALLED)
    } else {
        path.to_owned()
    };
    let uncopied = |error| ImportError::Uncopied {
        path: called.clone(),
        folder: std::env::temp_dir(),
        error,
    };
    // Kept here and not by the thread: whoever gives up leaves that behind, and no file.
    let plainly = |error: io::Error| io::Error::new(error.kind(), plain(&error));
    let (file, kept) = create_copy(".copy").map_err(plainly).map_err(uncopied)?;
    let (sender, counts) = bounded(4);
    let work = CopyJob {
        path: path.to_owned(),
        called: called.clone(),
        file,
        sender,
    };
    let named = thread::Builder::new().name("pipe".to_owned());
    let started = named.spawn(move || work.run());
    let started =
        started.map_err(|error| ImportError::from_io(&called, MissingThread::told(error)))?;
    let mut read = 0;
    loop {
        match counts.recv_timeout(LOOK) {
            Ok(count) => read = count,
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => break,
        }
        if go_on(read).is_break() {
            return Err(ImportError::Cancelled);
        }
    }
    match started.join() {
        Ok(copied) => Ok((called, Arc::new(kept), copied?)),
        Err(panic) => std::panic::resume_unwind(panic),
    }
}

/// What the thread that copies works with.
struct CopyJob {
    path: PathBuf,
    called: PathBuf,
    file: File,
    sender: Sender<u64>,
}

impl CopyJob {
    fn run(mut self) -> Result<u64, ImportError> {
        let unreadable = |error| ImportError::from_io(&self.called, error);
        let mut input: Box<dyn Read> = if is_standard_input(&self.path) {
            Box::new(io::stdin())
        } else {
            Box::new(File::open(&self.path).map_err(unreadable)?)
        };
        let mut head = Vec::new();
        let begun = input.by_ref().take(HEAD).read_to_end(&mut head);
        begun.map_err(unreadable)?;
        refuse_unknown(&self.called, &head)?;
        let mut read = 0;
        let mut piece = head;
        while !piece.is_empty() {
            self.file
                .write_all(&piece)
                .map_err(|error| ImportError::Uncopied {
                    path: self.called.clone(),
                    folder: std::env::temp_dir(),
                    error,
                })?;
            read += piece.len() as u64;
            if self.sender.send(read).is_err() {
                return Err(ImportError::Cancelled);
            }
            piece.clear();
            let next = input.by_ref().take(PIECE as u64).read_to_end(&mut piece);
            next.map_err(unreadable)?;
        }
        Ok(read)
    }
}

/// Refuses what begins like no format, which may never end.
fn refuse_unknown(called: &Path, head: &[u8]) -> Result<(), ImportError> {
    let is_known = CompressionLayer::of(head).is_some()
        || sqlite::is_database(head)
        || IMPORTERS.iter().any(|it| it.recognises(head));
    if is_known && !REFUSED.iter().any(|it| (it.recognises)(head)) {
        return Ok(());
    }
    let begun = Source::from_bytes(&called.to_string_lossy(), head.to_vec())?;
    Err(ImportError::unknown(&begun))
}

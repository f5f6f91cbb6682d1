//! The file that a capture is appended to while it runs: touched once the run has begun, and held for this run alone.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use formats::exporter::pftrace::PftraceWriter;
use formats::exporter::{self, Destination, DestinationKind, hold, open_existing};
use record::{EventId, Problem, Record, Severity, SpanId};

/// The code of the problem that tells of a file that could not be written.
pub const SAVE_FAILED: &str = "save-failed";

/// The code of the problem that tells of a file that was to be replaced and was not, because there was nothing to write.
pub const FILE_KEPT: &str = "file-kept";

/// Tries to hold a file that others make and remove at the same time.
const TRIES: usize = 8;

/// The file that a capture is appended to while it runs.
pub struct SaveFile {
    path: PathBuf,
    writer: PftraceWriter<SaveOutput>,
    has_records: bool,
}

impl SaveFile {
    /// Opens the file and holds it. What is in it stays until the first record is written; a file that was made for it
    /// goes again where none is.
    ///
    /// # Errors
    /// It cannot be written, or another run writes to it.
    pub fn open(path: &Path) -> io::Result<Self> {
        Ok(Self {
            path: path.to_owned(),
            writer: PftraceWriter::new(SaveOutput::open(path)?),
            has_records: false,
        })
    }

    /// The same, with words for whoever named the file.
    ///
    /// # Errors
    /// It cannot be written, another run writes to it, or its ending says that it is something else.
    pub fn of_request(path: Option<&Path>) -> Result<Option<Self>, String> {
        let Some(path) = path else {
            return Ok(None);
        };
        let is_drawing = path.extension().is_some_and(|it| it == "svg");
        if is_drawing || exporter::for_path(path).is_some_and(|it| it.extension() != "pftrace") {
            return Err(format!(
                "{} was not touched: what is written while something runs has Perfetto's format; name another file, one that ends \
                 in .pftrace, of which `syncline convert` makes others",
                path.display()
            ));
        }
        let save = Self::open(path).map_err(|error| {
            format!(
                "{} cannot be written: {error}; choose another place",
                path.display()
            )
        });
        save.map(Some)
    }

    /// Appends records.
    ///
    /// # Errors
    /// The system refuses.
    pub fn write(&mut self, records: &[Record]) -> io::Result<()> {
        self.has_records |= !records.is_empty();
        records
            .iter()
            .try_for_each(|record| self.writer.write(record))
    }

    /// What is to be told of a file that could not be written on.
    pub fn failed(&self, error: &io::Error) -> Record {
        let path = self.path.display();
        let text = if error.kind() == io::ErrorKind::NotFound {
            format!(
                "what was written as {path} is not there: another program removed or replaced it meanwhile; run again, or \
                 save again from a window that shows it"
            )
        } else {
            format!(
                "{path} ends early, because it could not be written: {error}; run again with another path, or save \
                 again from a window that shows it"
            )
        };
        Record::Problem(Box::new(Problem {
            severity: Severity::DataLoss,
            code: SAVE_FAILED.to_owned(),
            text,
            span: SpanId::NONE,
            event: EventId::NONE,
        }))
    }

    /// Whether the first record is written over what somebody keeps there.
    pub fn replaces(&mut self) -> bool {
        let output = self.writer.output();
        let length = output.file.metadata().map_or(0, |it| it.len());
        output.is_regular && !output.has_begun && length > 0
    }

    /// Nothing is written after all, and what was there stays: what is to be told of that.
    pub fn kept(self) -> Record {
        Record::Problem(Box::new(Problem {
            severity: Severity::Warning,
            code: FILE_KEPT.to_owned(),
            text: format!(
                "{} was not written: there was nothing to put in the place of what it holds, and it is as it was before",
                self.path.display()
            ),
            span: SpanId::NONE,
            event: EventId::NONE,
        }))
    }

    /// Makes what was appended survive this process.
    ///
    /// # Errors
    /// The system refuses.
    pub fn flush(&mut self) -> io::Result<()> {
        if self.has_records {
            self.writer.flush()
        } else {
            Ok(())
        }
    }

    /// Nothing more comes: makes what was appended survive this machine, as far as its disk does.
    ///
    /// # Errors
    /// The system refuses, which some find out only now.
    pub fn finish(&mut self) -> io::Result<()> {
        if self.has_records {
            self.writer.finish()?;
        }
        let output = self.writer.output();
        output.finish()?;
        if output.has_begun && !output.is_at(&self.path) {
            return Err(io::ErrorKind::NotFound.into());
        }
        output.refuse_shortened()
    }
}

/// An open file that is emptied by the first write.
struct SaveOutput {
    file: File,
    is_regular: bool,
    /// Where it is to be removed if nothing is written, because it was made for this.
    is_new: Option<PathBuf>,
    has_begun: bool,
    /// Bytes so far.
    written: u64,
}

impl SaveOutput {
    fn open(path: &Path) -> io::Result<Self> {
        for _ in 0..TRIES {
            if let Some(output) = Self::try_open(path)? {
                return Ok(output);
            }
        }
        let text = "others make and remove it all the time; name another file";
        Err(io::Error::new(io::ErrorKind::ResourceBusy, text))
    }

    /// Nothing where the file changed meanwhile.
    fn try_open(path: &Path) -> io::Result<Option<Self>> {
        let found = Destination::find(path)?;
        let (file, is_regular, is_new) = match found.kind {
            DestinationKind::Special => {
                let file = OpenOptions::new().write(true).open(&found.path)?;
                (file, false, None)
            }
            DestinationKind::Regular(_) => match open_existing(&found.path) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
                file => (file?, true, None),
            },
            DestinationKind::New => {
                let made = OpenOptions::new()
                    .write(true)
                    .create_new(true)
                    .open(&found.path);
                match made {
                    Err(error) if error.kind() == io::ErrorKind::AlreadyExists => return Ok(None),
                    file => (file?, true, Some(found.path.clone())),
                }
            }
        };
        if is_new.is_some() {
            hold(&file)?;
        }
        let output = Self {
            file,
            is_regular,
            is_new,
            has_begun: false,
            written: 0,
        };
        // Whoever held it before may have removed it in the end.
        let is_there = !is_regular || fs::exists(&found.path)?;
        Ok(is_there.then_some(output))
    }

    /// Says where the file is shorter than what was written to it.
    fn refuse_shortened(&self) -> io::Result<()> {
        if self.is_regular && self.has_begun && self.file.metadata()?.len() < self.written {
            return Err(io::Error::other("another program shortened it meanwhile"));
        }
        Ok(())
    }

    fn finish(&self) -> io::Result<()> {
        if self.is_regular && self.has_begun {
            self.file.sync_all()
        } else {
            Ok(())
        }
    }
}

impl SaveOutput {
    /// Whether what was written is what a path leads to; pipes and devices are nowhere else.
    #[cfg(unix)]
    fn is_at(&self, path: &Path) -> bool {
        use std::os::unix::fs::MetadataExt as _;
        let of = |found: io::Result<fs::Metadata>| found.ok().map(|it| (it.dev(), it.ino()));
        !self.is_regular || of(fs::metadata(path)) == of(self.file.metadata())
    }

    #[cfg(not(unix))]
    fn is_at(&self, path: &Path) -> bool {
        !self.is_regular || path.exists()
    }
}

impl Write for SaveOutput {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if !self.has_begun {
            if self.is_regular {
                self.file.set_len(0)?;
            }
            self.has_begun = true;
        }
        // What is written behind a gap is not found again.
        self.refuse_shortened()?;
        let count = self.file.write(bytes)?;
        self.written += count as u64;
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Drop for SaveOutput {
    fn drop(&mut self) {
        if let (Some(path), false) = (&self.is_new, self.has_begun) {
            // It was made to see whether it can be, and is of no use.
            let _ = fs::remove_file(path);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record() -> Record {
        Record::Run(Box::default())
    }

    #[test]
    fn a_file_is_touched_by_the_first_record_and_not_before() {
        let folder = tempfile::tempdir().unwrap();
        let (old, new) = (folder.path().join("old"), folder.path().join("new"));
        fs::write(&old, "before").unwrap();
        for path in [&old, &new] {
            let mut save = SaveFile::open(path).unwrap();
            save.flush().unwrap();
            save.finish().unwrap();
        }
        assert_eq!(fs::read_to_string(&old).unwrap(), "before");
        assert!(!new.exists());
        for path in [&old, &new] {
            let mut save = SaveFile::open(path).unwrap();
            save.write(&[record()]).unwrap();
            save.finish().unwrap();
        }
        assert!(fs::read(&old).unwrap().starts_with(&[0x0A]));
        assert_eq!(fs::read(&old).unwrap(), fs::read(&new).unwrap());
    }

    #[test]
    fn a_file_that_others_remove_or_replace_was_not_saved() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.pftrace");
        for is_replaced in [false, true] {
            let mut save = SaveFile::open(&path).unwrap();
            save.write(&[record()]).unwrap();
            fs::remove_file(&path).unwrap();
            if is_replaced {
                fs::write(&path, "another's").unwrap();
            }
            let error = save.finish().unwrap_err();
            let Record::Problem(problem) = save.failed(&error) else {
                panic!("a problem")
            };
            assert!(problem.text.contains("removed or replaced"), "{problem:?}");
            drop(save);
            assert_eq!(path.exists(), is_replaced);
        }
    }

    #[test]
    fn a_file_that_others_shorten_was_not_saved() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.pftrace");
        let mut save = SaveFile::open(&path).unwrap();
        save.write(&[record()]).unwrap();
        save.flush().unwrap();
        OpenOptions::new()
            .write(true)
            .open(&path)
            .unwrap()
            .set_len(3)
            .unwrap();
        let error = save.finish().unwrap_err();
        assert!(error.to_string().contains("shortened"), "{error}");
        // Also where it has been written on.
        let again = save.write(&[record()]).and_then(|()| save.flush());
        let error = again.unwrap_err();
        assert!(error.to_string().contains("shortened"), "{error}");
        assert_eq!(fs::read(&path).unwrap().len(), 3);
    }

    #[test]
    fn a_file_of_another_format_is_not_written_over() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["capture.json", "spans.csv", "drawing.svg"] {
            let path = folder.path().join(name);
            fs::write(&path, "precious").unwrap();
            let said = SaveFile::of_request(Some(&path)).err().unwrap();
            assert!(said.contains(".pftrace") && said.contains(name), "{said}");
            assert_eq!(fs::read(&path).unwrap(), b"precious");
        }
        for name in ["a.pftrace", "b.perfetto-trace", "pipe"] {
            assert!(SaveFile::of_request(Some(&folder.path().join(name))).is_ok());
        }
    }

    #[test]
    fn two_runs_do_not_write_to_one_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.pftrace");
        let mut first = SaveFile::open(&path).unwrap();
        assert!(SaveFile::open(&path).is_err());
        first.write(&[record()]).unwrap();
        first.finish().unwrap();
        let refused = SaveFile::of_request(Some(&path)).err().unwrap();
        assert!(refused.contains("another run"), "{refused}");
        drop(first);
        assert!(SaveFile::open(&path).is_ok());
        assert!(path.exists(), "what was written stays");
    }
}

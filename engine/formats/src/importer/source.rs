//! Where a capture is read from: a file on disk or bytes in memory, unpacked on the way where they are packed.

mod compression;
mod meter;
mod single_read;

use std::fmt;
use std::fs::File;
use std::io::{self, Cursor, Read};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::temporary::TemporaryCopy;

use super::ImportError;
use compression::{CompressionLayer, FileCompression};
pub(super) use meter::ReadMeter;
use meter::UnpackGuard;
pub use single_read::{ReadProgress, is_standard_input};

/// How much of a file an importer sees before it says whether it recognises it.
const HEAD: u64 = 64 << 10;
/// How many packings may lie around each other. Nobody packs a file more often.
const DEEPEST: usize = 4;

/// A file that can be read from its beginning as often as an importer needs. What lies in gzip, zip or zstd, which
/// its content says and not its name, is unpacked as it is read.
#[derive(Clone, Debug)]
pub struct Source {
    path: PathBuf,
    head: Vec<u8>,
    length: u64,
    bytes: SourceBytes,
    packing: FileCompression,
    meter: Arc<ReadMeter>,
}

/// Where the bytes of a source are.
#[derive(Clone)]
enum SourceBytes {
    /// In the file at the path.
    File,
    /// In a copy of what can be read only once, which goes with the last who knows of it.
    Copied(Arc<TemporaryCopy>),
    /// In memory.
    Memory(Arc<[u8]>),
    /// They are made anew for each reading.
    Made(Arc<ReaderFactory>),
}

/// Makes a reader of the same bytes each time.
type ReaderFactory = dyn Fn() -> Box<dyn Read + Send> + Send + Sync;

impl fmt::Debug for SourceBytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File => f.write_str("file"),
            Self::Copied(copy) => write!(f, "copied to {}", copy.path().display()),
            Self::Memory(bytes) => write!(f, "{} bytes in memory", bytes.len()),
            Self::Made(_) => f.write_str("made bytes"),
        }
    }
}

impl Source {
    /// The file at `path`, or standard input for `-`.
    ///
    /// # Errors
    /// It is missing, empty, a directory, may not be read, or is packed and cannot be unpacked.
    pub fn open(path: &Path) -> Result<Self, ImportError> {
        Self::open_while(path, &mut |_| ControlFlow::Continue(()))
    }

    /// The same; what can be read only once is read as long as `go_on` says so.
    ///
    /// # Errors
    /// As for [`Source::open`], and [`ImportError::Cancelled`] where `go_on` ended it.
    pub fn open_while(path: &Path, go_on: ReadProgress<'_>) -> Result<Self, ImportError> {
        if !is_standard_input(path) {
            let facts =
                std::fs::metadata(path).map_err(|error| ImportError::from_io(path, error))?;
            if facts.is_dir() {
                return Err(ImportError::directory(path.to_owned()));
            }
            if !single_read::is_needed(&facts) {
                return Self::new(path.to_owned(), facts.len(), SourceBytes::File);
            }
        }
        let (called, copy, length) = single_read::copy(path, go_on)?;
        Self::new(called, length, SourceBytes::Copied(copy))
    }

    /// Bytes in memory under a name.
    ///
    /// # Errors
    /// There are none, or they are packed and cannot be unpacked.
    pub fn from_bytes(name: &str, bytes: Vec<u8>) -> Result<Self, ImportError> {
        let length = bytes.len() as u64;
        Self::new(name.into(), length, SourceBytes::Memory(bytes.into()))
    }

    /// `length` bytes that `make` makes anew for each reading, under a name.
    ///
    /// # Errors
    /// As for [`Source::from_bytes`].
    pub fn from_maker(
        name: &str,
        length: u64,
        make: impl Fn() -> Box<dyn Read + Send> + Send + Sync + 'static,
    ) -> Result<Self, ImportError> {
        Self::new(name.into(), length, SourceBytes::Made(Arc::new(make)))
    }

    fn new(path: PathBuf, length: u64, bytes: SourceBytes) -> Result<Self, ImportError> {
        let mut source = Self {
            path,
            head: Vec::new(),
            length,
            bytes,
            packing: FileCompression::default(),
            meter: Arc::default(),
        };
        source.peel()?;
        Ok(source)
    }

    /// Finds out how it is packed, and reads its first bytes.
    fn peel(&mut self) -> Result<(), ImportError> {
        loop {
            let mut head = Vec::new();
            let reader = self.reader()?;
            let read = reader.take(HEAD).read_to_end(&mut head);
            read.map_err(|error| self.failed(error))?;
            if head.is_empty() {
                return Err(self.nothing());
            }
            let Some(layer) = CompressionLayer::of(&head) else {
                self.head = head;
                return Ok(());
            };
            let layer = match layer {
                // The table of a zip is at its end, so it cannot lie inside another packing.
                CompressionLayer::Zip(_) if self.packing.is_plain() => {
                    let entry = self.packing.entry(self.whole()?);
                    entry.map_err(|method| ImportError::Unsupported {
                        path: self.path.clone(),
                        method,
                    })?
                }
                other => other,
            };
            if self.packing.add(layer) >= DEEPEST {
                return Err(ImportError::Nested(self.path.clone()));
            }
        }
    }

    /// Why there is not one byte in it.
    fn nothing(&self) -> ImportError {
        if self.packing.is_plain() {
            return ImportError::Empty(self.path.clone());
        }
        let why = self.meter.damage().unwrap_or("it is empty inside".into());
        ImportError::Packed {
            path: self.path.clone(),
            how: self.packing.to_string(),
            why,
        }
    }

    /// Its path, or its name where it is no file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Its name without the folders.
    pub fn name(&self) -> String {
        let name = self.path.file_name().unwrap_or(self.path.as_os_str());
        name.to_string_lossy().into_owned()
    }

    /// Its first bytes, unpacked: 65,536 of them, or all of a shorter one.
    pub fn head(&self) -> &[u8] {
        &self.head
    }

    /// How many bytes it held when it was opened, packed as it is.
    pub fn length(&self) -> u64 {
        self.length
    }

    /// How many bytes its reader gives; nothing where only unpacking it would tell.
    pub fn unpacked_length(&self) -> Option<u64> {
        self.packing.is_plain().then_some(self.length)
    }

    /// The file on disk, for readers that need one; nothing where it is packed or in memory.
    pub fn plain_file(&self) -> Option<&Path> {
        let file: &Path = match &self.bytes {
            SourceBytes::File => &self.path,
            SourceBytes::Copied(copy) => copy.path(),
            SourceBytes::Memory(_) | SourceBytes::Made(_) => return None,
        };
        self.packing.is_plain().then_some(file)
    }

    /// How it is packed, such as `gzip`; nothing where it is not.
    pub fn packed(&self) -> Option<String> {
        (!self.packing.is_plain()).then(|| self.packing.to_string())
    }

    /// What a reader should know of how it is packed, a sentence each.
    pub fn notes(&self) -> &[String] {
        self.packing.notes()
    }

    /// What was wrong with its packing, as far as it has been read: a sentence.
    pub fn damage(&self) -> Option<String> {
        self.meter.damage()
    }

    /// Whether that is that the file ends within it.
    pub fn is_packing_cut(&self) -> bool {
        self.meter.is_cut()
    }

    /// How far it has been read, in bytes as it lies there packed.
    pub(super) fn meter(&self) -> Arc<ReadMeter> {
        Arc::clone(&self.meter)
    }

    /// Reads it from its beginning, unpacked. Where the packing is damaged, reading ends as if the file did, and
    /// [`Source::damage`] says so.
    ///
    /// # Errors
    /// The file cannot be opened any more.
    pub fn reader(&self) -> Result<Box<dyn Read + Send>, ImportError> {
        let bytes: Box<dyn Read + Send> = match &self.bytes {
            SourceBytes::Made(make) => make(),
            _ => Box::new(self.whole()?),
        };
        self.meter.reset();
        let metered = self.meter.over(bytes);
        let unpacked = self.packing.open(metered);
        let unpacked = unpacked.map_err(|error| self.failed(error))?;
        if self.packing.is_plain() {
            return Ok(unpacked);
        }
        Ok(Box::new(UnpackGuard::new(unpacked, self.meter())))
    }

    /// The bytes as they lie there, at any place of them.
    fn whole(&self) -> Result<SeekableBytes, ImportError> {
        Ok(match &self.bytes {
            SourceBytes::File => {
                SeekableBytes::File(File::open(&self.path).map_err(|it| self.failed(it))?)
            }
            SourceBytes::Copied(copy) => {
                SeekableBytes::File(File::open(copy.path()).map_err(|it| self.failed(it))?)
            }
            SourceBytes::Memory(bytes) => SeekableBytes::Memory(Cursor::new(Arc::clone(bytes))),
            SourceBytes::Made(_) => return Err(ImportError::Nested(self.path.clone())),
        })
    }

    /// An error of reading it.
    pub fn failed(&self, error: io::Error) -> ImportError {
        ImportError::from_io(&self.path, error)
    }
}

/// Bytes that can be read from any place.
pub(super) enum SeekableBytes {
    File(File),
    Memory(Cursor<Arc<[u8]>>),
}

impl Read for SeekableBytes {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::File(file) => file.read(into),
            Self::Memory(bytes) => bytes.read(into),
        }
    }
}

impl io::Seek for SeekableBytes {
    fn seek(&mut self, to: io::SeekFrom) -> io::Result<u64> {
        match self {
            Self::File(file) => file.seek(to),
            Self::Memory(bytes) => bytes.seek(to),
        }
    }
}

#[cfg(test)]
mod tests;

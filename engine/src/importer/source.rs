//! Where a capture is read from: a file on disk, or bytes in memory.

use std::fs::File;
use std::io::{self, Cursor, Read};
use std::path::{Path, PathBuf};

use super::Error;

/// How much of a file an importer sees before it says whether it recognises it.
const HEAD: u64 = 4096;

/// A file that can be read from its beginning as often as an importer needs.
#[derive(Clone, Debug)]
pub struct Source {
    path: PathBuf,
    head: Vec<u8>,
    length: u64,
    bytes: Option<Vec<u8>>,
}

impl Source {
    /// The file at `path`. Fails where it is missing, empty, a directory, or may not be read.
    pub fn open(path: &Path) -> Result<Self, Error> {
        let failed = |error| Error::from_io(path, error);
        let facts = std::fs::metadata(path).map_err(failed)?;
        if facts.is_dir() {
            return Err(Error::Directory(path.to_owned()));
        }
        let mut head = Vec::new();
        let file = File::open(path).map_err(failed)?;
        file.take(HEAD).read_to_end(&mut head).map_err(failed)?;
        if head.is_empty() {
            return Err(Error::Empty(path.to_owned()));
        }
        Ok(Self {
            path: path.to_owned(),
            head,
            length: facts.len(),
            bytes: None,
        })
    }

    /// Bytes in memory under a name. Fails where there are none.
    pub fn from_bytes(name: &str, bytes: Vec<u8>) -> Result<Self, Error> {
        if bytes.is_empty() {
            return Err(Error::Empty(name.into()));
        }
        Ok(Self {
            path: name.into(),
            head: bytes.iter().copied().take(HEAD as usize).collect(),
            length: bytes.len() as u64,
            bytes: Some(bytes),
        })
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

    /// Its first bytes.
    pub fn head(&self) -> &[u8] {
        &self.head
    }

    /// How many bytes it held when it was opened.
    pub fn length(&self) -> u64 {
        self.length
    }

    /// Reads it from its beginning.
    pub fn reader(&self) -> Result<Box<dyn Read + '_>, Error> {
        if let Some(bytes) = &self.bytes {
            return Ok(Box::new(Cursor::new(bytes.as_slice())));
        }
        let file = File::open(&self.path).map_err(|error| self.failed(error))?;
        Ok(Box::new(file))
    }

    /// An error of reading it.
    pub fn failed(&self, error: io::Error) -> Error {
        Error::from_io(&self.path, error)
    }
}

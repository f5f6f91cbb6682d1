//! Writes files: each fact with one call of the system, so that none is half there while the process lives.

use std::io::{self, Write};
use std::path::Path;

use super::fact_file::FactFile;
use super::{FRONT, Fact, HEADER, MAGIC, MARK, VERSION, check};

/// Appends facts.
#[derive(Debug)]
pub struct FactWriter<W> {
    out: W,
    length: u64,
    entry: Vec<u8>,
}

impl FactWriter<FactFile> {
    /// Makes a file at a path where none is, which is begun at an instant.
    ///
    /// # Errors
    /// The system refuses.
    pub fn create(path: &Path, at: u64) -> io::Result<Self> {
        Self::begin(FactFile::create(path)?, at)
    }

    /// Notes in the header that writing ended because of `error` and that so many facts are missing for it, and takes
    /// back what is not whole. The header is there already, so a full disk takes it.
    pub fn give_up(&mut self, error: &io::Error, missing: u64) {
        let code = error.raw_os_error().unwrap_or(-1);
        let note: Vec<u8> = [code.to_le_bytes().as_slice(), &missing.to_le_bytes()].concat();
        // Where even this fails, what is cut tells that something is missing.
        let _ = self.out.take_back(self.length, (20, &note));
    }
}

impl<W: Write> FactWriter<W> {
    /// Writes the header.
    ///
    /// # Errors
    /// The system refuses.
    pub fn new(out: W) -> io::Result<Self> {
        Self::begin(out, 0)
    }

    fn begin(mut out: W, at: u64) -> io::Result<Self> {
        let mut header = [MAGIC.as_slice(), &VERSION.to_le_bytes(), &[0; 12]].concat();
        header.extend_from_slice(&at.to_le_bytes());
        header.resize(HEADER, 0);
        out.write_all(&header)?;
        Ok(Self {
            out,
            length: HEADER as u64,
            entry: Vec::new(),
        })
    }

    /// Appends a fact.
    ///
    /// # Errors
    /// The system refuses, or the fact is too long.
    pub fn append(&mut self, fact: &Fact) -> io::Result<()> {
        self.entry.clear();
        self.entry.extend_from_slice(&[0; FRONT]);
        rmp_serde::encode::write(&mut self.entry, fact).map_err(io::Error::other)?;
        let (front, body) = self.entry.split_at_mut(FRONT);
        let length = u32::try_from(body.len()).map_err(io::Error::other)?;
        let said = [MARK, length.to_le_bytes(), check(body).to_le_bytes()];
        front.copy_from_slice(said.as_flattened());
        self.out.write_all(&self.entry)?;
        self.length += self.entry.len() as u64;
        Ok(())
    }

    /// Bytes that are whole.
    pub const fn length(&self) -> u64 {
        self.length
    }

    /// What it was written to.
    pub fn into_inner(self) -> W {
        self.out
    }
}

#[cfg(test)]
mod tests {
    use super::super::FactDecoder;
    use super::*;

    #[test]
    fn a_file_that_could_not_be_written_on_says_so() {
        let folder = std::env::temp_dir().join(format!("syncline-write-{}", std::process::id()));
        let fact = Fact::Silent("first".to_owned());
        let mut writer = FactWriter::create(&folder, 0).unwrap();
        writer.append(&fact).unwrap();
        // As a full disk leaves it: the start of a fact.
        writer.out.write_all(b"\xF6act\x40").unwrap();
        writer.give_up(&io::Error::from_raw_os_error(28), 3);
        let bytes = std::fs::read(&folder).unwrap();
        std::fs::remove_file(&folder).unwrap();
        let mut decoder = FactDecoder::default();
        decoder.push(&bytes);
        decoder.finish();
        assert_eq!(decoder.by_ref().collect::<Vec<_>>(), [fact]);
        assert_eq!(decoder.damage().failed, Some((28, 3)));
        assert_eq!(decoder.damage().cut, 0);
    }
}

//! A file in a program that knows nothing of it: one that closes all that it has open closes this too, and the next that it
//! opens may get its number.

use std::fs::{File, OpenOptions};
use std::io::{self, Seek as _, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// A file that is written to only while its number is still its own. Where it is not, it is opened again.
#[derive(Debug)]
pub struct FactFile {
    /// Nothing after it was found closed, until it is open again.
    file: Option<File>,
    path: PathBuf,
    identity: FileIdentity,
}

/// Which file it is: its device and its number there.
type FileIdentity = (u64, u64);

impl FactFile {
    /// Makes a file at a path where none is.
    ///
    /// # Errors
    /// The system refuses.
    pub fn create(path: &Path) -> io::Result<Self> {
        let file = File::create_new(path)?;
        Ok(Self {
            identity: identity(&file)?,
            file: Some(file),
            // The program may go to another folder.
            path: std::path::absolute(path)?,
        })
    }

    /// Cuts it to a length and writes something at an earlier place; what comes next stands at its end.
    ///
    /// # Errors
    /// The system refuses.
    pub fn take_back(&mut self, length: u64, (at, bytes): (u64, &[u8])) -> io::Result<()> {
        let file = self.own()?;
        file.set_len(length)?;
        file.seek(SeekFrom::Start(at))?;
        file.write_all(bytes)?;
        file.seek(SeekFrom::Start(length))?;
        Ok(())
    }

    /// The file, open.
    fn own(&mut self) -> io::Result<&mut File> {
        let is_own = |file: &File| identity(file).is_ok_and(|it| it == self.identity);
        if self.file.as_ref().is_some_and(|file| !is_own(file)) {
            // Its number is nobody's, or that of a file of the program's: it is not ours to close.
            std::mem::forget(self.file.take());
        }
        if self.file.is_none() {
            let mut again = OpenOptions::new().write(true).open(&self.path)?;
            if !is_own(&again) {
                return Err(io::Error::other("another file lies where it was"));
            }
            again.seek(SeekFrom::End(0))?;
            self.file = Some(again);
        }
        self.file
            .as_mut()
            .ok_or_else(|| io::ErrorKind::NotFound.into())
    }
}

impl Write for FactFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.own()?.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        // Nothing is held back.
        Ok(())
    }
}

impl Drop for FactFile {
    fn drop(&mut self) {
        // What is not ours stays open.
        let _ = self.own();
    }
}

#[cfg(unix)]
fn identity(file: &File) -> io::Result<FileIdentity> {
    use std::os::unix::fs::MetadataExt as _;
    let found = file.metadata()?;
    Ok((found.dev(), found.ino()))
}

/// Files have no numbers there that a program could close by mistake.
#[cfg(not(unix))]
#[expect(clippy::unnecessary_wraps, reason = "as elsewhere")]
fn identity(_: &File) -> io::Result<FileIdentity> {
    Ok((0, 0))
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    #![expect(
        unsafe_code,
        reason = "files are closed by their numbers, as programs do"
    )]

    use std::os::fd::AsRawFd as _;

    use super::*;

    #[test]
    fn a_program_that_closes_all_files_gets_nothing_into_its_own() {
        let folder = std::env::temp_dir().join(format!("syncline-own-{}", std::process::id()));
        std::fs::create_dir(&folder).unwrap();
        let (path, other) = (folder.join("facts"), folder.join("other"));
        let mut facts = FactFile::create(&path).unwrap();
        facts.write_all(b"one ").unwrap();
        let theirs = File::create(&other).unwrap();
        let number = facts.file.as_ref().unwrap().as_raw_fd();
        // SAFETY: both are open; from now on the number is that of the program's file.
        assert_eq!(unsafe { libc::dup2(theirs.as_raw_fd(), number) }, number);
        facts.write_all(b"two ").unwrap();
        facts.take_back(4, (0, b"ONE")).unwrap();
        facts.write_all(b"three").unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"ONE three");
        drop(facts);
        assert_eq!(std::fs::read(&other).unwrap(), b"");
        // SAFETY: the number is that of the program's file, which nobody closed.
        assert_eq!(unsafe { libc::close(number) }, 0);
        std::fs::remove_dir_all(&folder).unwrap();
    }
}

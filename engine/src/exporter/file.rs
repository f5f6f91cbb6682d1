//! Files that are there whole or not at all: written beside their place under another name, then put there.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use super::Exporter;
use crate::capture::Capture;

/// Says of so many bytes written whether to go on.
pub type GoOn<'a> = &'a mut dyn FnMut(u64) -> bool;

/// Writes `capture` to the file at `path`, which is there afterwards as a whole, or as it was before. An answer of
/// `false` from `go_on` ends it with an error.
pub fn save(
    capture: &Capture,
    exporter: &dyn Exporter,
    path: &Path,
    go_on: GoOn<'_>,
) -> io::Result<()> {
    replace(path, go_on, &mut |output| exporter.write(capture, output))
}

/// The same for whatever `write` writes.
pub fn replace(
    path: &Path,
    go_on: GoOn<'_>,
    write: &mut dyn FnMut(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    let beside = beside(path);
    let done = File::create(&beside).and_then(|file| {
        let mut output = Watched {
            output: BufWriter::new(file),
            written: 0,
            go_on,
        };
        write(&mut output)?;
        output.flush()
    });
    let done = done.and_then(|()| fs::rename(&beside, path));
    if done.is_err() {
        // What is half written helps nobody; that it cannot be removed changes nothing about the error.
        let _ = fs::remove_file(&beside);
    }
    done
}

/// The name that a file has until it is whole.
fn beside(path: &Path) -> PathBuf {
    let mut name: OsString = path.file_name().unwrap_or_default().to_os_string();
    name.push(".part");
    path.with_file_name(name)
}

/// An output that asks whether to go on.
struct Watched<'a, W> {
    output: W,
    written: u64,
    go_on: GoOn<'a>,
}

impl<W: Write> Write for Watched<'_, W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        // An error of the kind `Interrupted` would be tried again for ever.
        if !(self.go_on)(self.written) {
            return Err(io::Error::other("it was cancelled"));
        }
        let count = self.output.write(bytes)?;
        self.written += count as u64;
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.output.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_there_stays_where_writing_ends_early() {
        let folder = std::env::temp_dir().join(format!("syncline-file-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let path = folder.join("a.csv");
        fs::write(&path, "before").unwrap();
        let mut stop = |written| written < 3;
        let stopped = replace(&path, &mut stop, &mut |output| {
            (0..9).try_for_each(|_| output.write_all(b"x"))
        });
        assert!(stopped.is_err());
        assert_eq!(fs::read_to_string(&path).unwrap(), "before");
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
        replace(&path, &mut |_| true, &mut |output| {
            output.write_all(b"after")
        })
        .unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "after");
        fs::remove_dir_all(&folder).unwrap();
    }
}

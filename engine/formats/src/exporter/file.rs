//! Files that are there whole or not at all: written beside their place under another name, then put there.

use std::fs::{self, File, Metadata};
use std::io::{self, BufWriter, Write};
use std::path::Path;

use tempfile::NamedTempFile;

use super::Exporter;
use super::destination::{Destination, DestinationKind, open_existing};
use crate::temporary::{create, plain};
use capture::Capture;
use record::Bookmark;

/// Says of so many bytes written whether to go on.
pub type WriteProgress<'a> = &'a mut dyn FnMut(u64) -> bool;

/// What writes the bytes of a file.
type FileContent<'a> = &'a mut dyn FnMut(&mut dyn Write) -> io::Result<()>;

/// Writes `capture`, with these bookmarks, to the file at `path`, which is there afterwards as a whole, or as it was before. An answer of
/// `false` from `go_on` ends it.
///
/// # Errors
/// It cannot be written, `exporter` cannot hold such a capture, or `go_on` ended it.
pub fn save(
    (capture, bookmarks): (&Capture, &[Bookmark]),
    exporter: &dyn Exporter,
    path: &Path,
    go_on: WriteProgress<'_>,
) -> io::Result<()> {
    replace(path, go_on, &mut |output| {
        exporter.write_with(capture, bookmarks, output)
    })
}

/// The same for whatever `write` writes. A link is followed to its file, which keeps its permissions; a file that may not
/// be written to is refused; into a pipe or a device it is written as it comes.
///
/// # Errors
/// As for [`save`].
pub fn replace(path: &Path, go_on: WriteProgress<'_>, write: FileContent<'_>) -> io::Result<()> {
    let found = Destination::find(path)?;
    let former = match found.kind {
        DestinationKind::Special => {
            let file = fs::OpenOptions::new().write(true).open(&found.path)?;
            return fill(&file, go_on, write);
        }
        DestinationKind::New => None,
        DestinationKind::Regular(former) => Some((open_existing(&found.path)?, former)),
    };
    // What is half written helps nobody: dropped, the file is removed.
    let beside = temporary_file(&found.path)?;
    fill(beside.as_file(), go_on, write)?;
    // Some systems find out only now that there is no room.
    beside.as_file().sync_all()?;
    if let Some((_, former)) = &former {
        keep(beside.as_file(), former)?;
    }
    drop(former);
    beside.persist(&found.path).map_err(|error| error.error)?;
    Ok(())
}

/// A file that has another name until it is whole.
fn temporary_file(path: &Path) -> io::Result<NamedTempFile> {
    let folder = match path.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    };
    let mut builder = tempfile::Builder::new();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        // Those of any new file, and not of a secret one.
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    let made = create(&mut builder, ".part", folder);
    made.map_err(|error| {
        let text = format!(
            "nothing can be made in {}: {}; name a folder that is there and may be written to",
            folder.display(),
            plain(&error)
        );
        io::Error::new(error.kind(), text)
    })
}

/// Gives a file the permissions of the one whose place it takes, and its owner where that is allowed.
fn keep(file: &File, former: &Metadata) -> io::Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::{MetadataExt as _, fchown};
        // Only root may give a file away; anybody else's is its own from now on.
        let _ = fchown(file, Some(former.uid()), Some(former.gid()));
    }
    file.set_permissions(former.permissions())
}

fn fill(file: &File, go_on: WriteProgress<'_>, write: FileContent<'_>) -> io::Result<()> {
    let mut output = ProgressWriter {
        output: BufWriter::new(file),
        written: 0,
        go_on,
    };
    write(&mut output)?;
    output.flush()
}

/// An output that asks whether to go on.
struct ProgressWriter<'a, W> {
    output: W,
    written: u64,
    go_on: WriteProgress<'a>,
}

impl<W: Write> Write for ProgressWriter<'_, W> {
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

    fn write(path: &Path, text: &str) -> io::Result<()> {
        replace(path, &mut |_| true, &mut |output| {
            output.write_all(text.as_bytes())
        })
    }

    #[cfg(unix)]
    #[test]
    fn a_name_that_no_file_can_have_is_told_as_that() {
        use std::os::unix::fs::symlink;
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        symlink(at("b"), at("a")).unwrap();
        symlink(at("a"), at("b")).unwrap();
        for name in ["a", "a/x.csv", &"n".repeat(300)] {
            let error = write(&at(name), "x").unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::InvalidFilename, "{name}");
        }
    }

    #[test]
    fn what_was_there_stays_where_writing_ends_early() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.csv");
        fs::write(&path, "before").unwrap();
        let mut stop = |written| written < 3;
        let stopped = replace(&path, &mut stop, &mut |output| {
            (0..9).try_for_each(|_| output.write_all(b"x"))
        });
        assert!(stopped.is_err());
        assert_eq!(fs::read_to_string(&path).unwrap(), "before");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
        write(&path, "after").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "after");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[cfg(unix)]
    #[test]
    fn links_are_followed_and_permissions_kept() {
        use std::os::unix::fs::{PermissionsExt as _, symlink};
        let folder = tempfile::tempdir().unwrap();
        let (file, link) = (folder.path().join("file"), folder.path().join("link"));
        fs::write(&file, "before").unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).unwrap();
        symlink("file", &link).unwrap();
        write(&link, "after").unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read_to_string(&file).unwrap(), "after");
        assert_eq!(
            fs::metadata(&file).unwrap().permissions().mode() & 0o777,
            0o640
        );

        let (absent, dangling) = (folder.path().join("absent"), folder.path().join("dangling"));
        symlink("absent", &dangling).unwrap();
        write(&dangling, "new").unwrap();
        assert_eq!(fs::read_to_string(&absent).unwrap(), "new");
        symlink("round", folder.path().join("round")).unwrap();
        assert!(write(&folder.path().join("round"), "x").is_err());

        fs::set_permissions(&file, fs::Permissions::from_mode(0o444)).unwrap();
        for path in [&file, &link] {
            let refused = write(path, "again").unwrap_err();
            assert!(refused.to_string().contains("read-only"), "{refused}");
        }
        assert_eq!(fs::read_to_string(&file).unwrap(), "after");
    }

    #[test]
    fn a_file_that_a_run_writes_to_is_left_to_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.pftrace");
        fs::write(&path, "before").unwrap();
        let held = open_existing(&path).unwrap();
        let refused = write(&path, "after").unwrap_err();
        assert!(refused.to_string().contains("another run"), "{refused}");
        drop(held);
        write(&path, "after").unwrap();
    }
}

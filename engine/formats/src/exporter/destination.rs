//! Where output goes: the file behind a name, whether it may be written, and that it is none of those that are read.

use std::fs::{self, File, Metadata, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Links from one name to the next that are followed, as systems do.
const LINKS: usize = 40;

/// The file behind a name that output is to go to.
#[derive(Debug)]
pub struct Destination {
    /// Where it lies, once links are followed.
    pub path: PathBuf,
    /// What is there already.
    pub kind: DestinationKind,
}

/// What a destination is before anything is written.
#[derive(Debug)]
pub enum DestinationKind {
    /// Nothing is there.
    New,
    /// A file, which may be written to.
    Regular(Metadata),
    /// A pipe, a terminal or another device: what is written goes into it.
    Special,
}

impl Destination {
    /// Finds out where output to `path` goes.
    ///
    /// # Errors
    /// It is a directory, a file that may not be written to, or a link that leads nowhere.
    pub fn find(path: &Path) -> io::Result<Self> {
        let found = match fs::metadata(path) {
            Ok(found) => found,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Ok(Self {
                    path: follow(path)?,
                    kind: DestinationKind::New,
                });
            }
            Err(error) => return Err(unusable(error)),
        };
        if found.is_dir() {
            let text = "it is a directory; name a file in it";
            return Err(io::Error::new(io::ErrorKind::IsADirectory, text));
        }
        // What a process has open is written into under these names, whatever it is.
        let is_open =
            path.starts_with("/proc") || path.starts_with("/dev") && !path.starts_with("/dev/shm");
        if !found.is_file() || is_open {
            return Ok(Self {
                path: path.to_owned(),
                kind: DestinationKind::Special,
            });
        }
        if found.permissions().readonly() {
            return Err(read_only());
        }
        Ok(Self {
            path: path.canonicalize()?,
            kind: DestinationKind::Regular(found),
        })
    }
}

/// Why a name cannot be that of a file, as an error of a kind that tells this: that of links in a circle has none yet.
fn unusable(error: io::Error) -> io::Error {
    match error.kind() {
        io::ErrorKind::NotADirectory | io::ErrorKind::PermissionDenied => error,
        _ => io::Error::new(io::ErrorKind::InvalidFilename, error),
    }
}

/// Where a name leads that no file is at: itself, or where the link leads that it is.
fn follow(path: &Path) -> io::Result<PathBuf> {
    let mut path = path.to_owned();
    for _ in 0..LINKS {
        let Ok(next) = fs::read_link(&path) else {
            return Ok(path);
        };
        path = path.parent().unwrap_or(Path::new("")).join(next);
    }
    let text = "its links lead around in a circle";
    Err(io::Error::new(io::ErrorKind::InvalidFilename, text))
}

fn read_only() -> io::Error {
    let text = "it is read-only; change its permissions or name another file";
    io::Error::new(io::ErrorKind::PermissionDenied, text)
}

/// Opens a file that is there to be written to, leaves what is in it, and holds it.
///
/// # Errors
/// It may not be written to, or another process writes a capture to it.
pub fn open_existing(path: &Path) -> io::Result<File> {
    let file = OpenOptions::new().write(true).open(path);
    let file = file.map_err(|error| match error.kind() {
        io::ErrorKind::PermissionDenied => read_only(),
        _ => error,
    })?;
    hold(&file)?;
    Ok(file)
}

/// How often it is tried to hold a file, and how long it is waited between.
const HOLDS: u32 = 20;
const HOLD: Duration = Duration::from_millis(10);

/// Holds a file for this process alone. Where the system knows no locks there it is taken to be free.
///
/// # Errors
/// Another process holds it.
pub fn hold(file: &File) -> io::Result<()> {
    // A process that was forked here holds what this one let go of until it becomes another program.
    for _ in 0..HOLDS {
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => std::thread::sleep(HOLD),
            Ok(()) | Err(TryLockError::Error(_)) => return Ok(()),
        }
    }
    Err(io::Error::new(
        io::ErrorKind::ResourceBusy,
        "another run is writing its capture to it; wait for its end or name another file",
    ))
}

/// Refuses output to a file that is read, by whatever names the two go; `-` is standard input.
///
/// # Errors
/// The output is one of `inputs`.
pub fn refuse_input<'a>(
    output: &Path,
    inputs: impl IntoIterator<Item = &'a Path>,
) -> Result<(), String> {
    let Ok(found) = fs::metadata(output) else {
        return Ok(());
    };
    let named = |input: &'a Path| match input.to_str() {
        Some("-") => Path::new("/dev/stdin"),
        _ => input,
    };
    let is_same = |input: &&'a Path| is_same_file((output, &found), named(input));
    match inputs.into_iter().find(is_same) {
        Some(input) if found.is_file() => Err(format!(
            "{} is what is read ({}), and writing would destroy it; name another file",
            output.display(),
            input.display()
        )),
        _ => Ok(()),
    }
}

#[cfg(unix)]
fn is_same_file((_, found): (&Path, &Metadata), other: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    let other = fs::metadata(other);
    other.is_ok_and(|other| (other.dev(), other.ino()) == (found.dev(), found.ino()))
}

#[cfg(not(unix))]
fn is_same_file((path, _): (&Path, &Metadata), other: &Path) -> bool {
    let whole = |path: &Path| path.canonicalize().ok();
    whole(path).is_some_and(|path| whole(other) == Some(path))
}

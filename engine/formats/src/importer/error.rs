//! Why a file could not be opened, and what to do about it.

use std::io;
use std::path::{Path, PathBuf};

use super::log_folder::is_log_folder;
use super::{IMPORTERS, REFUSED, Source};
use record::counted;

/// The system gives no thread, in its own words.
#[derive(Debug, thiserror::Error)]
#[error(
    "the system gives no thread for it ({0}); end other programs, or raise the limit of processes"
)]
pub struct MissingThread(io::Error);

impl MissingThread {
    /// As an error of reading.
    pub(super) fn told(error: io::Error) -> io::Error {
        io::Error::new(error.kind(), Self(error))
    }
}

/// Why nothing could be read from a file.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// There is no such file.
    #[error("there is no file {0}; check the path")]
    Missing(PathBuf),
    /// It is a directory.
    #[error("{0} is a directory; name a file in it")]
    Directory(PathBuf),
    /// It is a folder without captures.
    #[error(
        "{folder} holds no capture that Syncline opens ({}); name another folder, or the file that is meant",
        counted(*looked as u64, "{file in it or below is called as captures are, and is none|files in it and below are called as \
        captures are, and none is one}")
    )]
    NoCaptures {
        /// The folder.
        folder: PathBuf,
        /// Files whose names end as those of captures do.
        looked: usize,
    },
    /// It is a folder with more in it than can be meant.
    #[error(
        "{folder} holds more than {captures} captures or {entries} files: name a folder in it, or a pattern such as \
         \"{}\"",
        .folder.join("rank*.json").display()
    )]
    TooMany {
        /// The folder.
        folder: PathBuf,
        /// Captures that are opened together, at most.
        captures: usize,
        /// Files and folders that are looked at, at most.
        entries: usize,
    },
    /// It is a folder with two files of one rank.
    #[error(
        "{folder} holds two files of rank {rank}, {} and {}: name those that are meant, or a pattern that fits one a rank",
        .files[0].display(),
        .files[1].display()
    )]
    SameRank {
        /// The folder.
        folder: PathBuf,
        /// The rank.
        rank: u32,
        /// The names of the first two.
        files: [PathBuf; 2],
    },
    /// It is a pattern that no file and no folder fits.
    #[error("no file or folder fits {0}; check the path")]
    Unmatched(PathBuf),
    /// It may not be read.
    #[error("{0} may not be read by you; change its permissions or open a copy")]
    Denied(PathBuf),
    /// It holds nothing.
    #[error("{0} is empty; the program that was to write it has written nothing yet")]
    Empty(PathBuf),
    /// It is no capture of a known format.
    #[error("{path} is not a capture: it {looks}, and Syncline opens {known}")]
    Unknown {
        /// The file.
        path: PathBuf,
        /// What it looks like instead.
        looks: String,
        /// The formats that are opened.
        known: String,
    },
    /// Only its maker reads it.
    #[error("{path} is {name}, which Syncline cannot read as it is; {instead}")]
    Refused {
        /// The file.
        path: PathBuf,
        /// What it is.
        name: &'static str,
        /// What to do instead.
        instead: &'static str,
    },
    /// It is packed, and nothing of it can be unpacked.
    #[error("{path} is compressed with {how}, and nothing in it can be read: {why}")]
    Packed {
        /// The file.
        path: PathBuf,
        /// The packing.
        how: String,
        /// Why it cannot be unpacked.
        why: String,
    },
    /// It is packed too often.
    #[error("{0} is packed several times over; unpack it and open what is inside")]
    Nested(PathBuf),
    /// It is of a known format and holds nothing of what the format is for.
    #[error("{path} holds no capture: {why}")]
    Useless {
        /// The file.
        path: PathBuf,
        /// What was looked for, what was found, and what to do.
        why: String,
    },
    /// A later version of Syncline wrote it.
    #[error(
        "{path} was written by a later version of Syncline, in version {found} of the format where this one knows \
         {known}; open it with that version"
    )]
    Newer {
        /// The file.
        path: PathBuf,
        /// The version it is written in.
        found: u64,
        /// The latest version that is known.
        known: u64,
    },
    /// Reading it takes more memory than any file should.
    #[error(
        "{path} fills memory: reading it would take more than {most} MiB, which is 4 times what it holds and 1 GiB. It is damaged, or \
         made to do that"
    )]
    Memory {
        /// The file.
        path: PathBuf,
        /// What it may take, in MiB.
        most: u64,
    },
    /// The system failed to read it.
    #[error("{path} could not be read: {error}; check the disk and try again")]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The system's own words.
        error: io::Error,
    },
    /// The system gives no thread that would read it.
    #[error("{path} could not be read: {error}")]
    Unthreaded {
        /// The file.
        path: PathBuf,
        /// The system's own words, and what to do.
        error: MissingThread,
    },
    /// It can be read only once, and there is no room for a copy of it.
    #[error(
        "{path} can be read only once, and a copy of it could not be made in {folder}: {error}; set TMPDIR to where \
         there is room, or write it to a file and open that"
    )]
    Uncopied {
        /// The file.
        path: PathBuf,
        /// Where the copy was to be.
        folder: PathBuf,
        /// The system's own words.
        error: io::Error,
    },
    /// Standard input is named several times.
    #[error("standard input can be read only once; name - once, and write the others to files")]
    Twice,
    /// It is packed in a way that is not unpacked here.
    #[error(
        "{path} is a zip archive packed with {method}, which Syncline does not unpack; unpack it and open what is inside"
    )]
    Unsupported {
        /// The file.
        path: PathBuf,
        /// The name of the method.
        method: String,
    },
    /// The reader asked to stop.
    #[error("opening was cancelled")]
    Cancelled,
}

impl ImportError {
    /// What the system said about a file.
    pub(super) fn from_io(path: &Path, error: io::Error) -> Self {
        let path = path.to_owned();
        match error.kind() {
            io::ErrorKind::NotFound => Self::Missing(path),
            io::ErrorKind::PermissionDenied => Self::Denied(path),
            io::ErrorKind::IsADirectory => Self::directory(path),
            _ => match error.downcast() {
                Ok(error) => Self::Unthreaded { path, error },
                Err(error) => Self::Unreadable { path, error },
            },
        }
    }

    /// A folder was named where a file is wanted.
    pub(super) fn directory(path: PathBuf) -> Self {
        let (name, instead) = if path.join("plugins/profile").is_dir() {
            (
                "a folder of TensorBoard's profiler",
                "no run below its plugins/profile has a profile (.xplane.pb): profile anew, with \
                 jax.profiler.start_trace or tf.profiler.experimental.start, and stop it before the program ends",
            )
        } else if is_log_folder(&path) {
            (
                "a folder of TensorBoard's logs",
                "they have no timeline: profile with tf.profiler.experimental.start or jax.profiler.start_trace into \
                 it, and open it again",
            )
        } else {
            return Self::Directory(path);
        };
        Self::Refused {
            path,
            name,
            instead,
        }
    }

    /// No format recognises a source.
    pub(super) fn unknown(source: &Source) -> Self {
        let head = source.head();
        if let Some(refused) = REFUSED.iter().find(|it| (it.recognises)(head)) {
            return Self::Refused {
                path: source.path().to_owned(),
                name: refused.name,
                instead: refused.instead,
            };
        }
        let known: Vec<String> = IMPORTERS
            .iter()
            .map(|it| format!(".{} ({})", it.extensions().join(", ."), it.about()))
            .collect();
        Self::Unknown {
            path: source.path().to_owned(),
            looks: looks(source),
            known: known.join("; "),
        }
    }
}

/// Brackets inside each other at the beginning of a text that is no capture.
const TOO_DEEP: usize = 64;

/// How many opening brackets and nothing else a text begins with.
fn nesting(head: &[u8]) -> usize {
    let mut bytes = head.iter().filter(|it| !it.is_ascii_whitespace());
    let others = bytes.by_ref().take_while(|it| matches!(it, b'[' | b'{'));
    others.count()
}

/// What a file looks like, for people who picked the wrong one.
fn looks(source: &Source) -> String {
    const KNOWN: &[(&[u8], &str)] = &[
        (b"SQLite format 3", "is an SQLite database"),
        (b"PK\x03\x04", "is a zip archive"),
        (b"\x7FELF", "is a program"),
        (b"\x89PNG", "is a picture"),
    ];
    let head = source.head();
    if let Some((_, looks)) = KNOWN.iter().find(|(magic, _)| head.starts_with(magic)) {
        return (*looks).to_owned();
    }
    if nesting(head) >= TOO_DEEP {
        let unpacked = match source.packed() {
            Some(_) => ", once unpacked,",
            None => "",
        };
        return format!(
            "begins{unpacked} with more than {TOO_DEEP} brackets inside each other, which no program writes that \
             traces; it is damaged, or made to exhaust whoever opens it: do not trust where it came from, and make the \
             capture again"
        );
    }
    let text = String::from_utf8_lossy(head.get(..64).unwrap_or(head));
    let readable = |it: char| it != '\u{FFFD}' && (!it.is_control() || it.is_whitespace());
    if text.chars().all(readable) {
        let start: String = text
            .trim()
            .chars()
            .take_while(|it| !it.is_control())
            .collect();
        let start: String = start.chars().take(24).collect();
        if start.is_empty() {
            return "is a text that begins with blanks alone".to_owned();
        }
        format!("is a text that begins with “{start}”")
    } else {
        let bytes: Vec<String> = head
            .iter()
            .take(8)
            .map(|byte| format!("{byte:02x}"))
            .collect();
        format!("begins with the bytes {}", bytes.join(" "))
    }
}

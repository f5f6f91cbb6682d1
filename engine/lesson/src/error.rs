//! Why a course cannot be read, or a hand-in cannot be judged.

use std::io;
use std::path::PathBuf;

/// Why a course cannot be read, or a hand-in cannot be judged.
#[derive(Debug, thiserror::Error)]
pub enum LessonError {
    /// A file or a folder cannot be read.
    #[error("{}: {error}; look whether it is there and may be read", path.display())]
    Io {
        /// Which.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// A file of a course says something that no lesson says.
    #[error("{file}:{line}: {what}")]
    Document {
        /// The file, from the course's folder.
        file: String,
        /// Its line, counted from 1.
        line: usize,
        /// What is wrong, and what to write.
        what: String,
    },
    /// A file is too long, or there are too many.
    #[error("{0}")]
    TooMuch(String),
    /// There is no such lesson.
    #[error("there is no lesson “{0}”; syncline lessons lists them")]
    Unknown(String),
    /// The backend cannot be opened here, or the lesson is not for it.
    #[error("{0}")]
    NotHere(String),
}

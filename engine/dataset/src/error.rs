//! What keeps a dataset from being written or read, each with the file that it is about.

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};

use query::SCHEMA_VERSION;

use super::layout::{PartitionKey, partition_number};
use super::rank_list::rank_list;

/// Why something of a dataset could not be done.
#[derive(Debug, thiserror::Error)]
pub enum DatasetError {
    /// The name of a run cannot be the name of a folder that every engine reads as a text.
    #[error(
        "“{0}” cannot be the name of a run: write a letter and then letters, digits, `-`, `_` or `.`, at most 100 in all, such as base-2"
    )]
    Run(String),
    /// A rank that is none below [`MOST_RANKS`](crate::MOST_RANKS).
    #[error(
        "rank {0} is larger than a dataset takes, which has ranks below {most}: a pattern may have found another number in a path, \
         such as a time", most = crate::MOST_RANKS
    )]
    Rank(u32),
    /// A file or folder could not be read.
    #[error("{} cannot be read: {error}", path.display())]
    Unread {
        /// The file.
        path: PathBuf,
        /// What the system says.
        error: io::Error,
    },
    /// A file or folder could not be written.
    #[error("{} was not written: {error}; make room there, or name a folder that can be written", path.display())]
    Unwritten {
        /// The file.
        path: PathBuf,
        /// What the system or the encoder says.
        error: io::Error,
    },
    /// A file of the dataset is cut off, or its bytes are not what was written.
    #[error("{} is damaged: {reason}; delete it and convert {} again", path.display(), its_captures(path))]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// A file that a receipt says to be there is not.
    #[error("{} is missing: convert {captures} again", path.display())]
    Missing {
        /// The file.
        path: PathBuf,
        /// The captures that its rows are of, in words.
        captures: String,
    },
    /// A link stands where a folder or a file of the dataset belongs.
    #[error(
        "{} is a link, and some engines read nothing that lies outside of the dataset: move what it leads to into its place",
        path.display()
    )]
    Link {
        /// The link.
        path: PathBuf,
    },
    /// A file stands where one of the dataset belongs, and Syncline did not write it.
    #[error(
        "{} was not written by `syncline convert`: move it out of the dataset, or name another folder", path.display()
    )]
    Foreign {
        /// The file.
        path: PathBuf,
    },
    /// A file or folder lies among those of a table, and engines would read it.
    #[error(
        "{} is no part of the dataset, and an engine would read it as one: move it elsewhere, or delete it if a conversion that \
         was stopped has left it", path.display()
    )]
    Stranger {
        /// The file or folder.
        path: PathBuf,
    },
    /// A file was written by a later version of Syncline, whose columns this one does not know.
    #[error(
        "{} has version {schema} of the tables, and this Syncline knows version {SCHEMA_VERSION}: use the newer Syncline, or name another folder", path.display()
    )]
    Newer {
        /// The file.
        path: PathBuf,
        /// Its version of the tables.
        schema: i64,
    },
    /// Whoever waited asked to end.
    #[error("it was stopped")]
    Stopped,
}

impl DatasetError {
    pub(crate) fn unread(path: &Path, error: io::Error) -> Self {
        let path = path.to_owned();
        Self::Unread { path, error }
    }

    pub(crate) fn unwritten(path: &Path, error: impl Into<io::Error>) -> Self {
        let (path, error) = (path.to_owned(), error.into());
        Self::Unwritten { path, error }
    }

    pub(crate) fn damaged(path: &Path, reason: &impl ToString) -> Self {
        Self::Damaged {
            path: path.to_owned(),
            reason: reason.to_string(),
        }
    }

    /// That the file with the rows of these ranks is gone.
    pub(crate) fn missing(path: &Path, ranks: &BTreeSet<u32>) -> Self {
        let words = if ranks.len() == 1 {
            "the capture of rank"
        } else {
            "the captures of ranks"
        };
        Self::Missing {
            path: path.to_owned(),
            captures: format!("{words} {}", rank_list(ranks)),
        }
    }
}

/// What the rows of a file are of, in words, as far as its path says it.
fn its_captures(path: &Path) -> String {
    let folder = path.parent().and_then(Path::file_name);
    let folder = folder.map(|it| it.to_string_lossy().into_owned());
    let rank = folder.and_then(|it| partition_number(&it, PartitionKey::Rank));
    rank.map_or_else(
        || "the captures of its ranks".to_owned(),
        |rank| format!("the capture of rank {rank}"),
    )
}

//! Why a dataset gave no answer, and what to do.

use std::path::{Path, PathBuf};

use dataset::DatasetError;
use query::{SqlError, StopReason};

use super::client::python;
use super::engine::FleetEngine;

/// Why something could not be done with a dataset.
#[derive(Debug, thiserror::Error)]
pub enum FleetError {
    /// The folder, or a file in it, is not as a dataset has it.
    #[error(transparent)]
    Dataset(#[from] DatasetError),
    /// The folder holds no receipt of a rank.
    #[error("{} is no dataset: there is no rank of any run in it; `syncline convert --to` writes one", .0.display())]
    NoDataset(PathBuf),
    /// No engine is called so.
    #[error(
        "“{0}” is no engine: write duckdb, datafusion, sqlite, spark, spark=MASTER such as spark=local-cluster[2,1,1024], \
         or connect=sc://HOST"
    )]
    Engine(String),
    /// An address that is none of Spark's.
    #[error(
        "“{0}” is no address that Spark knows: write spark=spark://HOST:7077, spark=local[2], spark=local-cluster[2,1,1024], \
         spark=yarn or spark=k8s://…, or spark alone for this computer"
    )]
    Master(String),
    /// There is no Python to start an engine with.
    #[error(
        "Python was not found as {}, and engines other than sqlite are started by it: install Python 3, or set SYNCLINE_PYTHON \
         to one", .0.display()
    )]
    Python(PathBuf),
    /// A folder whose name an engine takes for a pattern.
    #[error(
        "{engine} takes {} in a path for a pattern or an escape, and the dataset is {}: rename its folder, or ask sqlite",
        sign_words(*sign), path.display(), engine = engine.title()
    )]
    Pattern {
        /// The engine.
        engine: FleetEngine,
        /// The dataset.
        path: PathBuf,
        /// The letter.
        sign: char,
    },
    /// An engine that is not installed.
    #[error("{engine} cannot be started: {reason}; to get it: {install}", engine = engine.title(), install = engine.install())]
    Absent {
        /// The engine.
        engine: FleetEngine,
        /// What is not there.
        reason: String,
    },
    /// The question is wrong, as SQLite says it.
    #[error(transparent)]
    Sql(#[from] SqlError),
    /// The question is wrong, as another engine says it.
    #[error("{engine}: {text}", engine = engine.title())]
    Question {
        /// The engine.
        engine: FleetEngine,
        /// What it says.
        text: String,
    },
    /// An engine ended without an answer.
    #[error("{engine} did not answer: {text}", engine = engine.title())]
    Failed {
        /// The engine.
        engine: FleetEngine,
        /// What it says.
        text: String,
    },
    /// A question was ended before its answer was whole, where half of it is of no use.
    #[error("{}", cut_text(*.0))]
    Cut(StopReason),
    /// There is no such run or rank.
    #[error(
        "run {run} has no rank {rank} in this dataset; `syncline dataset check` lists what it has"
    )]
    NoRank {
        /// The run.
        run: String,
        /// The rank.
        rank: u32,
    },
    /// The capture of a rank is not where it was converted from, and nowhere below the folder.
    #[error(
        "{} is not there, or has other content than when it was converted, and no file below {} has its content: name the folder \
         that the captures are in", path.display(), below.as_deref().map_or_else(|| "a chosen folder".into(), Path::to_string_lossy)
    )]
    Moved {
        /// Where it was.
        path: PathBuf,
        /// The folder that was looked through.
        below: Option<PathBuf>,
    },
}

impl FleetError {
    pub(crate) fn python() -> Self {
        Self::Python(python().into())
    }
}

/// A sign of a path, in words where it cannot be seen.
fn sign_words(sign: char) -> String {
    match sign {
        '\n' => "a line break".to_owned(),
        other => other.to_string(),
    }
}

/// Why there is no picture, and what to do.
fn cut_text(cut: StopReason) -> String {
    match cut {
        StopReason::Cancelled => "the questions were stopped".to_owned(),
        StopReason::Time(time) => format!(
            "the questions were ended after {} s, their limit: another engine may be quicker (pip install duckdb)",
            time.as_secs()
        ),
        StopReason::Memory(most) => format!(
            "the rows do not fit into {} MB, which is what SQLite may hold: install an engine that needs less (pip install duckdb)",
            most / 1_000_000
        ),
        StopReason::Rows(most) => {
            format!("a question answers with more than {most} rows: the run has too many steps")
        }
    }
}

//! Captures of many ranks as tables in Parquet, in folders that engines for SQL read where they lie.
//!
//! The tables and their columns are those of [`query::TABLES`], so that one question runs over one capture and over thousands.
//! A rank's ids are larger than those of its capture by the rank times 2^32, and its instants lie on the clock that ranks share
//! where the capture says what that is. Each conversion works by itself: nothing but files ties them together.
//!
//! ```
//! use std::sync::Arc;
//!
//! use capture::Capture;
//! use dataset::{Dataset, RankFile, check_dataset};
//!
//! let folder = tempfile::tempdir()?;
//! let dataset = Dataset::open(folder.path(), "base".parse()?)?;
//! let file = RankFile { rank: 3, path: "rank3.json", content: None };
//! dataset.begin(3)?;
//! let written = dataset.write_rank(&file, &Arc::new(Capture::new()), &|| false)?;
//! dataset.commit(0, &mut [written], &|| false)?;
//! let report = check_dataset(folder.path(), None)?;
//! assert_eq!(report.runs[0].complete.iter().copied().collect::<Vec<_>>(), [3]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod answer_file;
mod capture_rows;
mod check;
mod checked_files;
mod checksum;
mod column_reader;
mod content_hash;
mod coverage;
mod dataset;
mod declarations;
mod error;
mod file_blocks;
mod file_stamp;
mod layout;
mod rank_list;
mod rank_work;
mod rank_writer;
mod receipt;
mod receipt_row;
mod row_source;
mod shard;
mod strangers;
mod table_reader;
mod table_writer;
mod whole_file;

pub use answer_file::answer_file;
pub use check::{DatasetProblem, DatasetReport, RunReport, check_dataset};
pub use checked_files::CheckedFiles;
pub use column_reader::{CellSink, ReadEnd, TableFiles};
pub use content_hash::{ContentHash, shard_of};
pub use coverage::{RunCoverage, coverage, is_dataset};
pub use dataset::Dataset;
pub use declarations::{DeclaredEngine, declarations};
pub use error::DatasetError;
pub use layout::{RunName, file_columns, tables};
pub use rank_list::{MOST_RANKS, rank_list};
pub use rank_writer::{RankFile, WrittenRank};
pub use receipt::RankReceipt;
pub use receipt_row::{ReceiptRow, receipt_row};
pub use row_source::{RowSource, StoredRows};
pub use strangers::check_strangers;
pub use table_writer::StopCheck;

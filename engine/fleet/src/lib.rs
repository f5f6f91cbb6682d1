//! Questions to the captures of many ranks: an engine for SQL that is installed answers them, or SQLite in this process where
//! the rows fit into its memory.
//!
//! A dataset is what [`dataset`] writes. Nothing here is distributed by itself: [`FleetEngine`] names engines that other people
//! wrote, and a small program in Python hands them the question.
//!
//! ```
//! use std::ops::ControlFlow;
//! use std::sync::Arc;
//!
//! use capture::Capture;
//! use dataset::{Dataset, RankFile};
//! use fleet::{FleetDataset, FleetEngine, ask_fleet};
//! use query::{SqlLimits, SqlWatch};
//! use record::Value;
//!
//! let folder = tempfile::tempdir()?;
//! let written = Dataset::open(folder.path(), "base".parse()?)?;
//! for rank in [0, 1, 3] {
//!     written.begin(rank)?;
//!     let file = RankFile { rank, path: "a.json", content: None };
//!     let rows = written.write_rank(&file, &Arc::new(Capture::new()), &|| false)?;
//!     written.commit(0, &mut [rows], &|| false)?;
//! }
//! let fleet = FleetDataset::open(folder.path())?;
//! assert!(fleet.runs()[0].missing.contains(&2));
//! let (limits, watch) = (SqlLimits::default(), Arc::new(SqlWatch::default()));
//! let mut ranks = Vec::new();
//! let sql = "SELECT rank FROM captures ORDER BY rank";
//! ask_fleet(&fleet, &FleetEngine::Sqlite, sql, (limits, &watch), &mut |_, row| {
//!     ranks.extend(row);
//!     ControlFlow::Continue(())
//! })?;
//! assert_eq!(ranks, [0, 1, 3].map(|it| Some(Value::Integer(it))));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod answer;
mod ask;
mod client;
mod dataset_feed;
mod engine;
mod error;
mod file_check;
mod fleet_dataset;
mod outliers;
mod picture;
mod picture_draft;
mod question_check;
mod rank_capture;

pub use answer::FleetSummary;
pub use ask::ask_fleet;
pub use engine::{FleetEngine, FoundEngine, choose_engine, found_engines};
pub use error::FleetError;
pub use fleet_dataset::FleetDataset;
pub use outliers::{StepOutlier, median};
pub use picture::{FleetMeasure, FleetPicture, LateRank, MeasureGrid, fleet_picture};
pub use rank_capture::RankCapture;

pub use dataset::{RunCoverage, RunName};

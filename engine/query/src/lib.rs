//! A capture as tables that SQL asks: what analyses know is in tables of its own, since joins of intervals are slow in SQL.
//!
//! The tables are SQLite's virtual ones over columns in memory. Each is made when a question first needs it and is kept by its
//! [`QuerySource`]; a question reads and changes nothing, and ends at its [`SqlLimits`].
//!
//! ```
//! use std::ops::ControlFlow;
//! use std::sync::Arc;
//!
//! use capture::Capture;
//! use query::{QuerySource, SqlLimits, SqlWatch, ask};
//! use record::Value;
//!
//! let source = Arc::new(QuerySource::new(Arc::new(Capture::new()), None));
//! let watch = Arc::new(SqlWatch::default());
//! let mut rows = Vec::new();
//! let sql = "SELECT count(*) AS spans FROM spans";
//! let summary = ask(&source, sql, (SqlLimits::default(), &watch), &mut |_, row| {
//!     rows.push(row);
//!     ControlFlow::Continue(())
//! })?;
//! assert_eq!(summary.columns, ["spans"]);
//! assert_eq!(rows, [[Some(Value::Integer(0))]]);
//! # Ok::<(), query::SqlError>(())
//! ```

mod ask;
mod column;
mod column_feed;
mod complete;
mod error;
mod functions;
mod guard;
mod plan;
mod question;
mod rows;
mod schema;
mod source;
mod table_snapshot;
mod tables;
#[cfg(test)]
mod tests;
mod tokens;
mod vtab;

pub use ask::{RowSink, SqlSummary, ask, row_bytes, sqlite_version};
pub use column::CellValue;
pub use column_feed::{CellTaker, ColumnFeed};
pub use complete::{CompletionKind, KEYWORDS, SqlCompletion, complete};
pub use error::{SqlError, nearest as nearest_name};
pub use guard::{SqlLimits, SqlWatch, StopReason};
pub use question::{BundledQuestion, QuestionParameter, parameters, questions, with_parameter};
pub use schema::{CAPTURE_ONLY, SCHEMA_VERSION, SqlColumn, SqlTable, SqlType, TABLES};
pub use source::{FileLanes, QuerySource};
pub use table_snapshot::TableSnapshot;
pub use tables::is_collective_name;
pub use tokens::{SqlToken, SqlTokenKind, tokens};

//! Why operations began when they did, how long they took, where idle time went, the critical path, what ranges of the host
//! launched, and where memory went, of files: for people and for programs.

mod explain;
mod host_ranges;
mod idle;
mod json;
mod memory;
mod path;
mod row_list;
mod scope;
mod statistics;
mod threads;
mod what_if;

pub use explain::ExplainOptions;
pub(super) use explain::explain;
pub use host_ranges::{ProjectOptions, TreeOptions};
pub(super) use host_ranges::{project, tree};
pub(super) use idle::idle;
pub use memory::MemoryOptions;
pub(super) use memory::memory;
pub(super) use path::critical_path;
pub use scope::CauseOptions;
pub(super) use statistics::statistics;
pub use threads::ThreadsOptions;
pub(super) use threads::threads;
pub use what_if::WhatIfOptions;
pub(super) use what_if::what_if;

//! Captures of every format: read as an independent count has them, written, and read again.

pub mod answers;
pub mod captures;
pub mod chrome;
pub mod cupti;
pub mod damage;
pub mod databases;
pub mod datasets;
pub mod exact;
pub mod exports;
pub mod extract;
pub mod host_ranges;
pub mod joined;
pub mod memory;
pub mod multi_file;
pub mod pieces;
pub mod python;
pub mod questions;
pub mod real;
pub mod record;
pub mod reports;
pub mod rocprofv3;
pub mod round_trip;
pub mod thread_states;
pub mod torch_snapshot;
pub mod xplane;

//! The engine of Syncline, without a pixel.
pub mod analysis;
pub mod capture;
pub mod record;
pub mod runner;
pub mod time;
pub mod workload;

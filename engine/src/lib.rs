//! The engine of Syncline, without a pixel.
pub mod analysis;
pub mod backend;
pub mod capture;
pub mod device;
pub mod exporter;
pub mod importer;
pub mod perfetto;
pub mod record;
pub mod runner;
pub mod time;
pub mod workload;

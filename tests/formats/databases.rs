//! Captures of other tools in SQLite: small ones made here, and real ones where they are at hand.

mod ascend;
pub mod build;
mod hostile;
mod misc_formats;
pub mod nsight;
mod nsight_reading;
mod nvprof;
mod real;
mod rocpd;
pub mod rows_read;
mod rpd;

/// A small file of each format, by name.
pub fn samples() -> Vec<(String, Vec<u8>)> {
    let samples = [
        ("nsight.sqlite", nsight::sample()),
        ("nvprof.prof", nvprof::sample()),
        ("rocpd.db", rocpd::sample()),
        ("rpd.rpd", rpd::sample()),
        ("ascend.db", ascend::sample()),
    ];
    samples.map(|(name, bytes)| (name.to_owned(), bytes)).into()
}

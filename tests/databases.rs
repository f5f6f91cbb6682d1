//! Captures of other tools in SQLite: small ones made here, and real ones where they are at hand.

mod build;
mod nsight;
mod nsight_reading;
mod reading;

/// A small file of each format, by name.
pub fn samples() -> Vec<(String, Vec<u8>)> {
    vec![("nsight.sqlite".to_owned(), nsight::sample())]
}

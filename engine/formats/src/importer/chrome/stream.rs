//! Reads a file as a stream of stretches, each scanned on whichever thread is free and taken in order.
//!
//! Where a stretch may end can only be guessed without reading all that is before it. So a stretch is scanned as if
//! the guess were right; the scan of the one before it either ends exactly there, which proves it, or it does not,
//! and then the two are scanned together.

pub(super) mod file_header;
mod pool;
mod stretch_join;
mod stretch_reader;
pub(super) mod top;

pub(super) use stretch_join::{ChromeFileEnd, ScannedStretch, run};

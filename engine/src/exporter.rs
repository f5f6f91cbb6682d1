//! Writes captures to files: one format a file, all listed in [`EXPORTERS`].

pub mod pftrace;

use std::io::{self, Write};

use crate::capture::Capture;

mod records;

pub use records::records;

/// A format that captures are written in.
pub trait Exporter: Sync {
    /// A short word for it, such as `pftrace`.
    fn name(&self) -> &'static str;
    /// What its files are called, without the dot.
    fn extension(&self) -> &'static str;
    /// One line that says what opens it and what it keeps.
    fn about(&self) -> &'static str;
    /// Writes the whole capture. An error of `output` ends it and is handed back.
    fn write(&self, capture: &Capture, output: &mut dyn Write) -> io::Result<()>;
}

/// Every format that captures are written in; the first is the one that keeps everything.
pub const EXPORTERS: &[&dyn Exporter] = &[&pftrace::Pftrace];

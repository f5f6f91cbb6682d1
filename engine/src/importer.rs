//! Opens files of captures: one format a file, all listed in [`IMPORTERS`] and recognised by their content.

mod error;
pub mod pftrace;
mod sink;
mod source;

pub use error::Error;
pub use sink::{Batch, Sink};
pub use source::Source;

use std::ops::ControlFlow;
use std::path::Path;

/// A format that captures are read from.
pub trait Importer: Sync {
    /// A short word for it, such as `pftrace`.
    fn name(&self) -> &'static str;
    /// What its files are usually called, without the dot.
    fn extensions(&self) -> &'static [&'static str];
    /// One line that says which tools write it.
    fn about(&self) -> &'static str;
    /// Whether a file that begins with `head` is of this format. At least the first 4,096 bytes of the file are
    /// given, or all of a shorter one.
    fn recognises(&self, head: &[u8]) -> bool;
    /// Hands every record of `source` to `sink`, batch by batch.
    fn read(&self, source: &Source, sink: &mut Sink<'_>) -> Result<Receipt, Error>;
}

/// Every format that captures are read from.
pub const IMPORTERS: &[&dyn Importer] = &[&pftrace::Pftrace];

/// What became of all that a file held.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Receipt {
    /// Records that were handed over.
    pub read: u64,
    /// How many of the file's facts had to be mended, each of them marked or counted by a problem.
    pub repaired: u64,
    /// How many records were concluded rather than read.
    pub inferred: u64,
    /// How many whole facts that were understood were left out: always 0.
    pub dropped: u64,
    /// What a reader should know, a sentence each.
    pub notes: Vec<String>,
}

/// Opens the file at `path`, whatever its format, and hands its records to `sink` batch by batch. A sink that
/// answers [`ControlFlow::Break`] cancels.
///
/// A damaged file is read up to the damage, and a problem of the capture says what was left out. Errors are for
/// files of which nothing can be read.
pub fn open(path: &Path, sink: &mut dyn FnMut(Batch) -> ControlFlow<()>) -> Result<Receipt, Error> {
    open_source(&Source::open(path)?, sink)
}

/// The same for a source that is at hand, such as bytes in memory.
pub fn open_source(
    source: &Source,
    sink: &mut dyn FnMut(Batch) -> ControlFlow<()>,
) -> Result<Receipt, Error> {
    let found = IMPORTERS.iter().find(|it| it.recognises(source.head()));
    let Some(importer) = found else {
        return Err(Error::unknown(source));
    };
    importer.read(source, &mut Sink::new(source.length(), sink))
}

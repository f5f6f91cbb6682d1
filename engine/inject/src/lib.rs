//! What reads CUPTI for Syncline: in its own engine, and in other programs as the library that `syncline record` loads
//! into them.
//!
//! [`Cupti`] finds the installed library, [`Listening`] subscribes to it, and [`Reader`] makes plain [`Record`]s of what it
//! writes into its buffers.

mod buffers;
mod clock;
mod code;
#[cfg(unix)]
mod entry;
mod file;
mod functions;
mod kind;
mod layout;
mod library;
mod listening;
mod nodes;
mod parse;
mod places;
mod quiet;
mod read;
mod record;
mod strides;
mod texts;

pub use clock::now;
pub use file::{
    Counts, Damage, Decoder, ENDING, Ear, FOLDER, Fact, HEADER, MAGIC, ORIGIN, Process, VERSION,
    Writer,
};
pub use kind::Kind;
pub use library::{Cupti, version_name};
pub use listening::{Listening, Take};
pub use nodes::Node;
pub use places::{OFF, VARIABLE};
pub use read::{Batch, Reader, walk};
pub use record::{
    Api, Compilation, CompilationKind, Context, Copy, Device, Event, Graph, Kernel, Memory,
    MemoryStep, Overhead, OverheadKind, Place, Record, Set, Stream, StreamSort, Sync, SyncKind,
    Times,
};
pub use strides::Strides;

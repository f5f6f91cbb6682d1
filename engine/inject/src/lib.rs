//! What reads CUPTI for Syncline: in its own engine, and in other programs as the library that `syncline record` loads
//! into them.

mod record;

pub use record::{
    Api, Compilation, CompilationKind, Context, Copy, Event, Graph, Kernel, Memory, MemoryStep,
    Overhead, OverheadKind, Place, Record, Set, Sync, SyncKind, Times,
};

//! What reads CUPTI for Syncline, in its own engine and in other programs as the library that `syncline record` loads into
//! them, where it listens to NVTX too.
//!
//! [`CuptiLibrary`] finds the installed library, [`CuptiListener`] subscribes to it, and [`CuptiBufferReader`] makes
//! plain [`CuptiRecord`]s of what it writes into its buffers.

mod buffers;
mod clock;
mod code;
mod control;
#[cfg(unix)]
mod entry;
mod file;
mod functions;
mod kind;
mod layout;
mod library;
mod listening;
mod nodes;
mod nvtx;
mod parse;
mod quiet;
mod read;
mod record;
mod search_paths;
mod strides;
mod switches;
mod texts;

pub use clock::now;
pub use control::{CONTROL, CapturePurpose, ControlPage, MOST_FLIPS, SegmentLimits};
pub use file::{
    ContinuationFact, ENDING, FOLDER, Fact, FactDecoder, FactFileDamage, FactWriter, HEADER,
    ListeningCounts, ListeningFact, MAGIC, ORIGIN, ProcessFact, SegmentName, SegmentWriter,
    VERSION,
};
pub use kind::ActivityKind;
pub use library::{CuptiLibrary, version_name};
pub use listening::{BatchHandler, CuptiListener};
pub use nodes::NodeOrigin;
pub use nvtx::{
    NvtxAttributes, NvtxChunk, NvtxCounts, NvtxDefinition, NvtxEvent, NvtxEvents, NvtxField,
    NvtxResource, NvtxStep, NvtxValue,
};
pub use read::{CuptiBatch, CuptiBufferReader, walk};
pub use record::{
    CompilationKind, CuptiApi, CuptiCompilation, CuptiContext, CuptiCopy, CuptiDevice, CuptiEvent,
    CuptiGraph, CuptiKernel, CuptiLocation, CuptiMemory, CuptiMemset, CuptiOverhead, CuptiRecord,
    CuptiStream, CuptiStreamKind, CuptiSync, CuptiTimes, MemoryStep, OverheadKind, SyncKind,
};
pub use search_paths::{OFF, VARIABLE};
pub use strides::Strides;
pub use switches::{SwitchInterval, SwitchState, ThreadSwitches};

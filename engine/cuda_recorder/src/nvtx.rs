//! NVTX: ranges, marks, names and counters that programs set themselves, told by callbacks of NVTX's headers.
//!
//! A header loads the library that `NVTX_INJECTION64_PATH` names and hands over its tables of functions (`tables`). Each
//! call writes an [`NvtxEvent`] into a buffer of its thread (`thread`), and what is said once, such as a name, is an
//! [`NvtxDefinition`]. Layouts and numbers are those of NVTX 3 (`nvToolsExt.h`, `nvToolsExtPayload.h`,
//! `nvToolsExtCounters.h`).

#[cfg(unix)]
mod append_list;
#[cfg(unix)]
mod attributes;
#[cfg(unix)]
mod calls;
#[cfg(unix)]
mod counters;
#[cfg(unix)]
mod deferred;
#[cfg(unix)]
mod deferred_starts;
mod definition;
mod event;
#[cfg(unix)]
mod names;
#[cfg(unix)]
mod number;
#[cfg(unix)]
mod payload;
#[cfg(unix)]
mod payload_reader;
#[cfg(unix)]
mod schema;
#[cfg(unix)]
mod tables;
#[cfg(unix)]
mod text;
#[cfg(unix)]
mod thread;

#[cfg(unix)]
pub(crate) use append_list::DefinitionReader;
pub use definition::{NvtxCounts, NvtxDefinition, NvtxResource};
pub use event::{NvtxAttributes, NvtxChunk, NvtxEvent, NvtxEvents, NvtxField, NvtxStep, NvtxValue};
#[cfg(unix)]
pub(crate) use thread::{ThreadRegistry, counts, forget_threads};

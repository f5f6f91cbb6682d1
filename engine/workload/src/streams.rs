//! What streams and memory are like besides their names.

use serde::{Deserialize, Serialize};

/// What sort of stream it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum StreamKind {
    /// One that somebody made.
    #[default]
    User,
    /// The default stream of old: it and every blocking stream wait for each other (rule A22).
    Legacy,
    /// The default stream of one host thread: a blocking one (rule A25).
    PerThread,
}

/// What a stream is like besides its role.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StreamTraits {
    /// What sort it is.
    pub kind: StreamKind,
    /// Whether it and the legacy default stream wait for each other; one that does not is exempt both ways (rule A23).
    pub is_blocking: bool,
    /// Whether nobody declared it: a call that names no stream made it.
    pub is_lazy: bool,
}

impl StreamTraits {
    /// What is to be said of it beside its name; empty for an ordinary stream.
    pub const fn note(self) -> &'static str {
        match self.kind {
            StreamKind::Legacy => "legacy",
            StreamKind::PerThread => "per-thread",
            StreamKind::User if self.is_blocking => "blocking",
            StreamKind::User if self.is_lazy => "lazy",
            StreamKind::User => "",
        }
    }
}

/// Who launches the instructions of a virtual machine, whose order does not depend on it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MachineThreads {
    /// The thread that calls, as with `ONEFLOW_VM_MULTI_THREAD=0`.
    #[default]
    One,
    /// Workers of the machine's: one for all streams, and one of their own for critical sections and for lazy jobs.
    Many,
}

impl MachineThreads {
    /// Each with the word for it.
    pub const LABELS: &'static [(&'static str, Self)] = &[("one", Self::One), ("many", Self::Many)];
}

/// A virtual machine between the calls and the streams: how many instructions may be on their way (rule E13).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VirtualMachine {
    /// So many that the device has not ended make whoever calls wait.
    pub high: u32,
    /// Until no more than these are left.
    pub low: u32,
    /// Who launches instructions.
    pub threads: MachineThreads,
}

/// Who sees to it that a buffer is not used on two streams at once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Synchronization {
    /// The workload, by its own waits.
    #[default]
    Manual,
    /// The engine: a buffer remembers its last stream, and a use on another one waits for it, reads too (rule E2).
    Automatic,
    /// The engine, where two uses conflict and nothing orders them yet: the least that is needed.
    Least,
    /// The engine, by the automatic rule; before, the least is run, to say what the rule cost over it.
    Compared,
}

/// Where a buffer's memory is from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MemoryKind {
    /// Of the device, there from the beginning; its copy on the host is pinned.
    #[default]
    Device,
    /// The same; said aloud.
    Pinned,
    /// The same, but its copy on the host is pageable: copies block the host thread (rule A31).
    Pageable,
    /// Allocated and freed in the order of streams (rules A33 to A35).
    StreamOrdered,
}

macro_rules! labels {
    ($($name:ident { $($label:literal => $variant:ident,)* })*) => {$(
        impl $name {
            /// Every value with the word for it in a workload.
            pub const LABELS: &'static [(&'static str, Self)] = &[$(($label, Self::$variant),)*];

            /// The word for it.
            pub const fn label(self) -> &'static str {
                match self { $(Self::$variant => $label,)* }
            }
        }
    )*};
}

labels! {
    StreamKind { "user" => User, "legacy" => Legacy, "per-thread" => PerThread, }
    Synchronization { "manual" => Manual, "automatic" => Automatic, "least" => Least, "compared" => Compared, }
    MemoryKind { "device" => Device, "pinned" => Pinned, "pageable" => Pageable, "stream-ordered" => StreamOrdered, }
}

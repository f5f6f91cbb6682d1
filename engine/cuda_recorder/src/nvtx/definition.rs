//! What a program says once: names of domains, strings, categories, counters, threads and things of CUDA.

use serde::{Deserialize, Serialize};

/// Something that was named or registered. Numbers are unique in a process.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum NvtxDefinition {
    /// A domain was created; number 0 is the default one, which nobody creates.
    Domain {
        /// Its number.
        domain: u32,
        /// Its name.
        name: String,
    },
    /// A string was registered.
    Text {
        /// Its number.
        text: u32,
        /// The string.
        string: String,
    },
    /// A category was named.
    Category {
        /// The domain that it is of.
        domain: u32,
        /// Its number there.
        category: u32,
        /// Its name.
        name: String,
    },
    /// A counter was registered, or one of a group.
    Counter {
        /// The domain that it is of.
        domain: u32,
        /// The number of the counter or its group.
        counter: u64,
        /// Its place in the group; 0 where it is alone.
        place: u32,
        /// Its name.
        name: String,
        /// The unit of its values, empty where none was given.
        unit: String,
    },
    /// A thread, a device, a stream or an event was named.
    Name {
        /// What it is.
        resource: NvtxResource,
        /// Its number or, where it has none that is known, its address.
        handle: u64,
        /// Its name.
        name: String,
    },
}

/// What can be named besides what NVTX has itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum NvtxResource {
    /// A thread, by the system's number.
    Thread,
    /// A device, by its number in the process.
    Device,
    /// A context, by its address.
    Context,
    /// A stream, by the number that CUPTI gives it.
    Stream,
    /// A stream, by its address: CUPTI was not there to be asked for its number.
    StreamAddress,
    /// An event, by its address: CUPTI tells events by numbers of its own and has no way from one to the other.
    Event,
    /// Anything else.
    Other,
}

/// What listening to NVTX came to so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct NvtxCounts {
    /// Calls that could not be written down: of a signal handler that came while its thread was writing another.
    pub missed: u64,
    /// Texts that were longer than is kept.
    pub cut: u64,
    /// Attributes whose size or version cannot be: they were read as far as they go.
    pub misfit: u64,
    /// Payloads of a schema that was not registered or not understood.
    pub unread_payloads: u64,
    /// Events and samples that were submitted later, with times of clocks of the program's own: they are not kept.
    pub deferred: u64,
    /// Ranges, marks and samples that lie outside of every window: they are not written.
    pub outside: u64,
}

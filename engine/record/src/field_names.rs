//! Names of fields of spans that analyses read: whoever writes such a field and whoever reads it says it by these.

/// For how many nanoseconds a wait waits at most.
pub const TIME_LIMIT: &str = "time limit (ns)";
/// What a query of an event came to: the label of a [`crate::QueryAnswer`].
pub const QUERY_ANSWER: &str = "answer";
/// What a workload calls the call that a span is of, its `label=`: a text.
pub const CALL_LABEL: &str = "label";

/// Of the first call of a host thread in each round of an outermost loop with two rounds or more: which round it is, counted
/// from 1. Of the first call after such a loop: 0.
pub const ITERATION: &str = "iteration";
/// Why a wait was inserted, in a sentence.
pub const INSERTED_BECAUSE: &str = "inserted because";
/// Why a call was blocked, in a sentence.
pub const BLOCKED_BECAUSE: &str = "blocked because";
/// Which group of ranks a collective operation is of, as different writers call it, the best name first.
pub const COLLECTIVE_GROUPS: &[&str] = &[
    "Process Group Name",
    "Process Group Description",
    "groupName",
    "group_name",
    "comm",
];
/// The engine of a paced device on which an operation ran, or for which it waited.
pub const ENGINE: &str = "engine";
/// For how many nanoseconds an operation waited for its engine, once everything else let it go.
pub const ENGINE_WAIT: &str = "waited for its engine (ns)";
/// For how many nanoseconds an operation of a paced device really worked.
pub const WORKED: &str = "worked (ns)";
/// For how many nanoseconds the pace held it besides.
pub const HELD: &str = "held by the pace (ns)";
/// How many nanoseconds later it ended than the pace's law says.
pub const LATE: &str = "late (ns)";
/// Of a stub: the kind of the span that it stands for.
pub const STUB_KIND: &str = "stands for";
/// Of a stub: when the span that it stands for began, in nanoseconds of capture time.
pub const STUB_BEGAN: &str = "began (ns)";
/// Of a stub: when the span that it stands for ended, in nanoseconds of capture time.
pub const STUB_ENDED: &str = "ended (ns)";
/// What an event of an allocator is called: an instant at which memory was allocated or freed. The names of its fields are those
/// of PyTorch's profiler (`torch/csrc/profiler/collection.cpp`), whatever tool a file comes from.
pub const MEMORY_EVENT: &str = "[memory]";
/// Of an allocator's event: how many bytes were allocated, or freed where it is negative.
pub const MEMORY_BYTES: &str = "Bytes";
/// Of an allocator's event: the address of what was allocated or freed.
pub const MEMORY_ADDRESS: &str = "Addr";
/// Of an allocator's event whose address is not known: a number or a name that an allocation and its free share.
pub const MEMORY_BLOCK: &str = "Block";
/// Of an allocator's event: the type of the device, by PyTorch's numbers (`c10/core/DeviceType.h`).
pub const MEMORY_DEVICE_TYPE: &str = "Device Type";
/// Of an allocator's event: the number of the device among those of its type; -1 for the CPU.
pub const MEMORY_DEVICE: &str = "Device Id";
/// Of an allocator's event: how many bytes its device has allocated afterwards.
pub const MEMORY_ALLOCATED: &str = "Total Allocated";
/// Of an allocator's event: how many bytes the allocator has reserved of its device afterwards.
pub const MEMORY_RESERVED: &str = "Total Reserved";
/// Of an allocator's event: which operator asked, where the file says so itself.
pub const MEMORY_OPERATOR: &str = "Operator";
/// Of an allocator's event: what it did, in its own word, such as `free_requested`.
pub const MEMORY_ACTION: &str = "Action";
/// Of an allocator's event: the stream that the memory is for.
pub const MEMORY_STREAM: &str = "Stream";
/// What an event is called at which an allocator reserved memory of a device, or gave it back.
pub const MEMORY_SEGMENT: &str = "segment";
/// Of an allocator's event: how many bytes it reserved of the device, or gave back where it is negative.
pub const MEMORY_SEGMENT_BYTES: &str = "Segment Bytes";
/// Of an allocator's event: the calls that led to it, the innermost first, a line each.
pub const MEMORY_STACK: &str = "Stack";

//! What CUPTI tells of a program: every activity as plain data, its texts with it.

use serde::{Deserialize, Serialize};

/// One activity. CUPTI gives them in no order: what belongs together is told by correlation and by synchronisation
/// numbers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum CuptiRecord {
    /// A kernel that ran.
    Kernel(Box<CuptiKernel>),
    /// A copy that ran, between devices too.
    Copy(CuptiCopy),
    /// Memory that was set.
    Set(CuptiMemset),
    /// A call that waited for the device, or made a stream wait for an event.
    Sync(CuptiSync),
    /// A record of an event.
    Event(CuptiEvent),
    /// A call of the driver or of the runtime.
    Api(CuptiApi),
    /// Time that the driver or CUPTI itself took.
    Overhead(CuptiOverhead),
    /// A compilation when a module was loaded.
    Compilation(CuptiCompilation),
    /// A launch of a graph, where graphs are told as a whole.
    Graph(CuptiGraph),
    /// Memory that was allocated or freed.
    Memory(CuptiMemory),
    /// A context that was made.
    Context(CuptiContext),
    /// A stream that was made.
    Stream(CuptiStream),
    /// A device that there is.
    Device(CuptiDevice),
    /// What the program said belongs to a call: its own number for it.
    Correlation {
        /// The program's number.
        external: u64,
        /// CUPTI's number of the call.
        correlation: u32,
    },
    /// A kind that is not read, by CUPTI's number for it.
    Other(u32),
}

impl CuptiRecord {
    /// When an activity was; nothing of what has no time or is needed whatever its time.
    pub fn interval(&self) -> Option<(u64, u64)> {
        let times = match self {
            Self::Kernel(it) => it.times,
            Self::Copy(it) => it.times,
            Self::Set(it) => it.times,
            Self::Sync(it) => it.times,
            Self::Api(it) => it.times,
            Self::Overhead(it) => it.times,
            Self::Compilation(it) => it.times,
            Self::Graph(it) => it.times,
            Self::Event(_)
            | Self::Memory(_)
            | Self::Context(_)
            | Self::Stream(_)
            | Self::Device(_)
            | Self::Correlation { .. }
            | Self::Other(_) => return None,
        };
        match (times.start, times.end) {
            (0, 0) => None,
            (0, end) => Some((end, end)),
            (start, 0) => Some((start, start)),
            both => Some(both),
        }
    }
}

/// When an activity was, in nanoseconds of the clock that CUPTI was given. Both are 0 where CUPTI does not know.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CuptiTimes {
    /// When it began.
    pub start: u64,
    /// When it ended.
    pub end: u64,
}

/// Where on a device an activity was.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CuptiLocation {
    /// The device's number.
    pub device: u32,
    /// The context's number in its process.
    pub context: u32,
    /// The stream's number in its context.
    pub stream: u32,
}

/// A kernel that ran.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CuptiKernel {
    /// Its mangled name, empty where CUPTI has none.
    pub name: String,
    /// When it ran.
    pub times: CuptiTimes,
    /// Where it ran.
    pub place: CuptiLocation,
    /// The number of the call that launched it.
    pub correlation: u32,
    /// Blocks in x, y and z.
    pub grid: [u32; 3],
    /// Threads of a block in x, y and z.
    pub block: [u32; 3],
    /// Shared memory of a block that the kernel declares, in bytes.
    pub shared_static: u32,
    /// Shared memory of a block that the launch asked for, in bytes.
    pub shared_dynamic: u32,
    /// Registers of a thread.
    pub registers: u16,
    /// The graph that launched it, or 0.
    pub graph: u32,
    /// Its node in the graph, or 0.
    pub graph_node: u64,
    /// The priority of its stream, where CUPTI tells it.
    pub priority: Option<i32>,
}

/// A copy that ran.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CuptiCopy {
    /// Which way: CUPTI's number (1 host to device, 2 device to host, 8 device to device, 10 between devices).
    pub way: u8,
    /// What kind of memory was read: CUPTI's number (1 pageable, 2 pinned, 3 device, 4 array, 5 and 6 managed).
    pub from: u8,
    /// What kind of memory was written, by the same numbers.
    pub to: u8,
    /// How many bytes.
    pub bytes: u64,
    /// When it ran.
    pub times: CuptiTimes,
    /// Where it ran.
    pub place: CuptiLocation,
    /// The device that was written, where it is another.
    pub peer: Option<u32>,
    /// The number of the call that asked for it.
    pub correlation: u32,
    /// The graph that launched it, or 0.
    pub graph: u32,
    /// Its node in the graph, or 0.
    pub graph_node: u64,
}

/// Memory that was set.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CuptiMemset {
    /// To what.
    pub value: u32,
    /// How many bytes.
    pub bytes: u64,
    /// When.
    pub times: CuptiTimes,
    /// Where.
    pub place: CuptiLocation,
    /// The number of the call that asked for it.
    pub correlation: u32,
    /// The graph that launched it, or 0.
    pub graph: u32,
    /// Its node in the graph, or 0.
    pub graph_node: u64,
}

/// What kind of synchronisation a call was.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum SyncKind {
    /// The host waited for an event.
    EventSynchronize,
    /// A stream waits for an event from here on.
    StreamWaitEvent,
    /// The host waited for a stream.
    StreamSynchronize,
    /// The host waited for a context.
    ContextSynchronize,
    /// Another, by CUPTI's number.
    Other(u32),
}

/// A call that waited, or made a stream wait. Its times are those of the host's call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CuptiSync {
    /// What kind.
    pub kind: SyncKind,
    /// When the call ran on the host.
    pub times: CuptiTimes,
    /// The call's number.
    pub correlation: u32,
    /// The context.
    pub context: u32,
    /// The stream that it is about, if any.
    pub stream: Option<u32>,
    /// The event that it is about, if any.
    pub event: Option<u32>,
    /// Which record of the event was waited for, where CUPTI tells it (12.8 and newer).
    pub sync: Option<u64>,
}

/// A record of an event.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CuptiEvent {
    /// The number of the call that recorded it.
    pub correlation: u32,
    /// The context.
    pub context: u32,
    /// The stream that it was recorded in.
    pub stream: u32,
    /// The event's number.
    pub event: u32,
    /// When the device came to it, where CUPTI tells it (13.0 and newer).
    pub at: Option<u64>,
    /// Which record it is, where CUPTI tells it (12.8 and newer).
    pub sync: Option<u64>,
}

/// A call of the driver or of the runtime.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CuptiApi {
    /// Whether it is the runtime's; else the driver's.
    pub is_runtime: bool,
    /// CUPTI's number for the function.
    pub function: u32,
    /// The function's name, empty where CUPTI has none.
    pub name: String,
    /// When it ran.
    pub times: CuptiTimes,
    /// The process that called.
    pub process: u32,
    /// The thread that called.
    pub thread: u32,
    /// The call's number.
    pub correlation: u32,
    /// What it returned.
    pub result: u32,
}

/// What an overhead is from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum OverheadKind {
    /// The driver compiled.
    Compiler,
    /// CUPTI flushed a buffer.
    Flush,
    /// CUPTI instrumented the program.
    Instrumentation,
    /// CUPTI made or freed what it needs.
    Resource,
    /// The runtime loaded a module.
    ModuleLoading,
    /// A function was loaded at its first use.
    LazyLoading,
    /// The device's command buffer was full.
    CommandBufferFull,
    /// CUPTI asked for a buffer.
    BufferRequest,
    /// Another, by CUPTI's number.
    Other(u32),
}

/// Time that the driver or CUPTI itself took.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CuptiOverhead {
    /// What it is from.
    pub kind: OverheadKind,
    /// When.
    pub times: CuptiTimes,
    /// The process it was in, where CUPTI tells it.
    pub process: Option<u32>,
    /// The thread it was in, where CUPTI tells it.
    pub thread: Option<u32>,
    /// The call that it belongs to, or 0.
    pub correlation: u32,
}

impl OverheadKind {
    /// In words.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Compiler => "driver compiles",
            Self::Flush => "CUPTI flushes a buffer",
            Self::Instrumentation => "CUPTI instruments",
            Self::Resource => "CUPTI makes or frees what it needs",
            Self::ModuleLoading => "runtime loads a module",
            Self::LazyLoading => "function loaded at its first use",
            Self::CommandBufferFull => "command buffer full",
            Self::BufferRequest => "CUPTI asks for a buffer",
            Self::Other(_) => "other overhead",
        }
    }
}

/// What was done when code was loaded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum CompilationKind {
    /// It was taken from the cache.
    CacheLoad,
    /// It was put into the cache.
    CacheStore,
    /// It was compiled.
    Compile,
    /// Another, by CUPTI's number.
    Other(u32),
}

impl CompilationKind {
    /// In words.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Compile => "compile",
            Self::CacheLoad => "load compiled code",
            Self::CacheStore => "keep compiled code",
            Self::Other(_) => "load code",
        }
    }
}

/// A compilation when a module was loaded.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CuptiCompilation {
    /// What was done.
    pub kind: CompilationKind,
    /// When.
    pub times: CuptiTimes,
    /// The device it is for.
    pub device: u32,
    /// The number of the call that loaded it.
    pub correlation: u32,
    /// The process, where CUPTI tells it.
    pub process: Option<u32>,
    /// The thread, where CUPTI tells it.
    pub thread: Option<u32>,
}

/// A launch of a graph, told as a whole.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CuptiGraph {
    /// The number of the call that launched it.
    pub correlation: u32,
    /// When it ran.
    pub times: CuptiTimes,
    /// Where it was launched.
    pub place: CuptiLocation,
    /// The graph.
    pub graph: u32,
}

/// What was done with memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum MemoryStep {
    /// It was allocated.
    Allocate,
    /// It was freed.
    Free,
    /// Another, by CUPTI's number.
    Other(u32),
}

/// Memory that was allocated or freed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CuptiMemory {
    /// What was done.
    pub step: MemoryStep,
    /// When.
    pub at: u64,
    /// The address.
    pub address: u64,
    /// How many bytes.
    pub bytes: u64,
    /// Where; the stream is meant only where the order of a stream holds.
    pub place: CuptiLocation,
    /// Whether it is in the order of a stream.
    pub is_async: bool,
    /// The number of the call that asked for it.
    pub correlation: u32,
}

/// A context that was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CuptiContext {
    /// Its number.
    pub context: u32,
    /// Its device.
    pub device: u32,
    /// The number of its default stream.
    pub default_stream: u32,
}

/// What sort of stream one is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum CuptiStreamKind {
    /// It and the legacy default stream wait for each other.
    Blocking,
    /// Exempt from the legacy default stream.
    NonBlocking,
    /// The legacy default stream.
    Default,
    /// Another, by CUPTI's number.
    Other(u32),
}

/// A stream that was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CuptiStream {
    /// Its context.
    pub context: u32,
    /// Its number in its context.
    pub stream: u32,
    /// Its priority as the driver took it: lower runs first.
    pub priority: i32,
    /// What sort it is.
    pub sort: CuptiStreamKind,
    /// The number of the call that made it.
    pub correlation: u32,
}

/// A device that there is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CuptiDevice {
    /// Its number.
    pub device: u32,
    /// What it is called, such as `NVIDIA H200`.
    pub name: String,
    /// Its compute capability: major and minor.
    pub capability: [u32; 2],
    /// Bytes of its memory.
    pub memory: u64,
    /// How many multiprocessors it has.
    pub processors: u32,
}

//! CUPTI's numbers for the kinds of records that are told here (`CUpti_ActivityKind`).

/// `MEMCPY`
pub const COPY: u32 = 1;
/// `MEMSET`
pub const SET: u32 = 2;
/// `DRIVER`
pub const DRIVER: u32 = 4;
/// `DEVICE`
pub const DEVICE: u32 = 8;
/// `CONTEXT`
pub const CONTEXT: u32 = 9;
/// `CONCURRENT_KERNEL`
pub const KERNEL: u32 = 10;
/// `OVERHEAD`
pub const OVERHEAD: u32 = 17;
/// `CUDA_EVENT`
pub const EVENT: u32 = 36;
/// `STREAM`
pub const STREAM: u32 = 37;
/// `SYNCHRONIZATION`
pub const SYNC: u32 = 38;
/// `EXTERNAL_CORRELATION`
pub const CORRELATION: u32 = 39;
/// `MEMORY2`
pub const MEMORY: u32 = 49;
/// `GRAPH_TRACE`
pub const GRAPH: u32 = 51;
/// `JIT`
pub const COMPILATION: u32 = 52;

//! The words that mean something in these files. Every interner begins with them, so each has one number everywhere.

macro_rules! words {
    ($($name:ident = $text:literal,)*) => {
        #[derive(Clone, Copy)]
        #[repr(u32)]
        #[expect(non_camel_case_types, clippy::upper_case_acronyms, reason = "they name the constants below")]
        enum KnownWord { $($name,)* }

        $(
            #[doc = concat!("The number of `", $text, "`.")]
            pub const $name: u32 = KnownWord::$name as u32;
        )*

        /// Every word, in the order of its number.
        pub const WORDS: &[&str] = &[$($text,)*];
    };
}

words! {
    EMPTY = "",
    // Categories of work on a GPU.
    KERNEL = "kernel",
    KERNEL_OLD = "Kernel",
    MEMCPY = "gpu_memcpy",
    MEMCPY_OLD = "Memcpy",
    MEMSET = "gpu_memset",
    MEMSET_OLD = "Memset",
    MTIA = "mtia_ccp_events",
    GPU_ANNOTATION = "gpu_user_annotation",
    GPU_RANGE = "cuda_profiler_range",
    SYNC = "cuda_sync",
    EVENT = "cuda_event",
    NSIGHTFUL = "cuda",
    NVTX_KERNEL = "nvtx-kernel",
    USER_ANNOTATION = "user_annotation",
    NVTX = "nvtx",
    PROFILER = "Trace",
    // Categories of calls.
    RUNTIME = "cuda_runtime",
    DRIVER = "cuda_driver",
    RUNTIME_OLD = "Runtime",
    MTIA_RUNTIME = "mtia_runtime",
    NSIGHTFUL_API = "cuda_api",
    XPU_RUNTIME = "xpu_runtime",
    XPU_DRIVER = "xpu_driver",
    OTHER_RUNTIME = "privateuse1_runtime",
    OTHER_DRIVER = "privateuse1_driver",
    // Categories of flows that repeat what the correlation says.
    LAUNCH_FLOW = "ac2g",
    LAUNCH_FLOW_2022 = "async_cpu_to_gpu",
    LAUNCH_FLOW_2021 = "async",
    LAUNCH = "launch",
    // Names of metadata.
    PROCESS_NAME = "process_name",
    PROCESS_LABELS = "process_labels",
    PROCESS_ORDER = "process_sort_index",
    THREAD_NAME = "thread_name",
    THREAD_ORDER = "thread_sort_index",
    // Fields.
    NAME = "name",
    LABELS = "labels",
    SORT_INDEX = "sort_index",
    RANK = "rank",
    CORRELATION = "correlation",
    CORRELATION_ID = "correlationId",
    CONNECTION = "connection_id",
    STREAM = "stream",
    WAIT_STREAM = "wait_on_stream",
    WAIT_RECORD = "wait_on_cuda_event_record_corr_id",
    WAIT_EVENT = "wait_on_cuda_event_id",
    SEQUENCE = "seq_num",
    DIRECTION = "direction",
    PROCESS_GROUP = "Process Group Name",
    COLLECTIVE_NUMBER = "Seq",
    ARGS = "args",
    BIND_ID = "bind_id",
    EVENTS = "traceEvents",
    // Names of rows of the categories above.
    STREAM_WAIT = "Stream Wait Event",
    STREAM_SYNC = "Stream Sync",
    EVENT_SYNC = "Event Sync",
    CONTEXT_SYNC = "Context Sync",
    EVENT_WAIT = "event_wait",
    EVENT_RECORD = "event_record",
    // Fields and names of XLA.
    DEVICE_ORDINAL = "device_ordinal",
    HLO_OP = "hlo_op",
    NUM_THREADS = "num_threads",
    ID = "id",
    RENDEZVOUS = "Rendezvous",
    // What an allocator did, and its fields.
    MEMORY = "[memory]",
    BYTES = "Bytes",
    DEVICE_TYPE = "Device Type",
    DEVICE_ID = "Device Id",
    TOTAL_ALLOCATED = "Total Allocated",
    TOTAL_RESERVED = "Total Reserved",
    // What is added to spans.
    CATEGORY = "category",
    REPAIRED = "repaired",
    RESTS_ON = "rests on",
}

/// How many words there are.
pub const COUNT: u32 = WORDS.len() as u32;

//! Words that are kept: those of APIs, which explanations go by and which are everybody's.

use record::{
    BLOCKED_BECAUSE, CALL_LABEL, CATEGORY, COLLECTIVE_GROUPS, ENGINE, ENGINE_WAIT, HELD,
    INSERTED_BECAUSE, ITERATION, LATE, MEMORY_ACTION, MEMORY_ADDRESS, MEMORY_ALLOCATED,
    MEMORY_BLOCK, MEMORY_BYTES, MEMORY_DEVICE, MEMORY_DEVICE_TYPE, MEMORY_EVENT, MEMORY_OPERATOR,
    MEMORY_RESERVED, MEMORY_SEGMENT, MEMORY_SEGMENT_BYTES, MEMORY_STACK, MEMORY_STREAM,
    PYTHON_FUNCTION, QUERY_ANSWER, STUB_BEGAN, STUB_ENDED, STUB_KIND, SpanKind, TIME_LIMIT, WORKED,
};

/// What the names of an API's calls begin with, before a capital letter or an underscore.
const APIS: &[&str] = &[
    "cuda", "cu", "hip", "hsa", "nccl", "rccl", "cublas", "cudnn", "vk", "cl", "aclrt", "acl",
    "Hccl", "hccl",
];

/// What libraries call the collective operations of devices.
const LIBRARIES: &[&str] = &["nccl", "rccl", "hcom_", "hccl"];

/// The words that names of copies and fills are made of, in lower case.
const COPIES: &[&str] = &[
    "memcpy",
    "memset",
    "htod",
    "dtoh",
    "dtod",
    "htoh",
    "ptop",
    "dtos",
    "atoh",
    "htoa",
    "atod",
    "dtoa",
    "atoa",
    "pinned",
    "pageable",
    "device",
    "host",
    "managed",
    "array",
    "unified",
    "unknown",
    "cuda",
    "async",
    "memory",
    "copy",
    "fill",
    "buffer",
    "to",
    "peer",
    "kind",
    "copyhosttodevice",
    "copydevicetohost",
    "copydevicetodevice",
    "copyhosttohost",
    "fillbuffer",
    "copybuffer",
    "hosttodevice",
    "devicetohost",
    "devicetodevice",
];

/// Names of fields that tools write, which say nothing of a program.
const FIELDS: &[&str] = &[
    "Batch Id",
    "Call stack",
    "Collective name",
    "Concrete Inputs",
    "Ev Idx",
    "External id",
    "Fwd thread id",
    "Global rank start",
    "Global rank stride",
    "Group size",
    "In msg nelems",
    "In split size",
    "Input Dims",
    "Input Strides",
    "Input type",
    "Mode",
    "Model Id",
    "Op count",
    "Out msg nelems",
    "Out split size",
    "Physic Stream Id",
    "Process Group Ranks",
    "Python id",
    "Python module id",
    "Python parent id",
    "Rank",
    "Record function id",
    "Sequence number",
    "Subtask Id",
    "Task Id",
    "Task Type",
    "Thread Id",
    "args",
    "bandwidth(GB/s)",
    "block",
    "blocks per SM",
    "bytes",
    "cbid",
    "connection_id",
    "context",
    "context id",
    "corr_id",
    "correlation",
    "correlation_id",
    "count",
    "cuda_sync_kind",
    "data type",
    "data_type",
    "device",
    "deviceId",
    "dimBlocks",
    "dispatch",
    "dispatch_id",
    "domain",
    "dst",
    "dtype",
    "duration estimated(us)",
    "est. achieved occupancy %",
    "event",
    "flags",
    "from memory",
    "grid",
    "grid_size",
    "group_segment_size",
    "id",
    "kernel_hash",
    "kernel_id",
    "kind",
    "level",
    "link type",
    "local memory (bytes)",
    "memory bandwidth (GB/s)",
    "mode",
    "model id",
    "name",
    "node_id",
    "notify_id",
    "num_stages",
    "num_warps",
    "numBlocks",
    "private_segment_size",
    "ptr",
    "queue",
    "queued",
    "registers a thread",
    "registers per thread",
    "rests on",
    "shared memory",
    "shared memory (bytes)",
    "sharedMemBytes",
    "size",
    "size(Byte)",
    "sizeBytes",
    "src",
    "src rank",
    "dst rank",
    "start",
    "stream",
    "stream id",
    "task id",
    "task type",
    "to memory",
    "transport type",
    "value",
    "wait_on_cuda_event_id",
    "wait_on_cuda_event_record_corr_id",
    "wait_on_stream",
    "warps per SM",
    "workgroup",
    "workgroup_size",
];

/// Fields whose values are of few words, or are what analyses go by.
const PLAIN: &[&str] = &[QUERY_ANSWER, MEMORY_ACTION, "Collective name"];

/// The field that says of what type numbers are, and what names of types are made of, without their sizes.
const NUMBER_TYPE: &str = "dtype";
const TYPE_WORDS: &[&str] = &[
    "b", "bf", "bfloat", "bool", "byte", "c", "char", "complex", "double", "e", "f", "float", "fn",
    "fnuz", "fp", "half", "i", "int", "long", "m", "quint", "qint", "short", "signed", "torch",
    "u", "uint", "unsigned",
];

/// What profilers put there, beside what whoever made an event put there.
const CATEGORIES: &[&str] = &[
    "Kernel",
    "Memcpy",
    "Memset",
    "Operator",
    "Runtime",
    "Trace",
    "cpu_instant_event",
    "cpu_op",
    "cuda_driver",
    "cuda_event",
    "cuda_runtime",
    "cuda_sync",
    "gpu_memcpy",
    "gpu_memset",
    "gpu_user_annotation",
    "kernel",
    "mtia_ccp_events",
    "mtia_runtime",
    "nvtx",
    "overhead",
    "privateuse1_driver",
    "privateuse1_runtime",
    PYTHON_FUNCTION,
    "user_annotation",
    "xpu_driver",
    "xpu_runtime",
];

/// Units that counters are in.
const UNITS: &[&str] = &[
    "", "%", "B", "bytes", "KiB", "MiB", "GiB", "kB", "MB", "GB", "W", "mW", "J", "MHz", "Hz",
    "°C", "C", "count", "ns", "us", "µs", "ms", "s", "B/s", "bytes/s", "GB/s", "MB/s", "items",
    "pages", "V", "mV", "value",
];

/// Whether a name of spans of a kind is that of an API's call, of a copy, or of a library's collective operation.
pub(super) fn is_operation(kind: SpanKind, name: &str) -> bool {
    match kind {
        SpanKind::Call | SpanKind::Synchronize | SpanKind::Allocate | SpanKind::Free => {
            is_of_api(name) || is_copy(name)
        }
        SpanKind::Upload | SpanKind::Download | SpanKind::Copy | SpanKind::Fill => is_copy(name),
        SpanKind::Kernel | SpanKind::Collective | SpanKind::Stub => {
            is_of_library(name) || is_copy(name)
        }
        SpanKind::EventRecord | SpanKind::EventWait | SpanKind::EventReset => is_of_api(name),
        // What an allocator did is known by these.
        SpanKind::Scope => name == MEMORY_EVENT || name == MEMORY_SEGMENT,
        _ => false,
    }
}

/// Whether it is one word that begins as the calls of an API do.
fn is_of_api(name: &str) -> bool {
    let is_word = |it: char| it.is_ascii_alphanumeric() || it == '_';
    let follows = |rest: &str| rest.starts_with(|it: char| it.is_ascii_uppercase() || it == '_');
    name.chars().all(is_word)
        && APIS
            .iter()
            .any(|api| name.strip_prefix(api).is_some_and(follows))
}

fn is_of_library(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    LIBRARIES.iter().any(|it| lower.starts_with(it))
}

/// Whether it is made of the words that copies and fills are named by, and nothing else.
fn is_copy(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    let words = lower.split(|it: char| !it.is_alphabetic());
    let mut words = words.filter(|it| !it.is_empty()).peekable();
    words.peek().is_some() && words.all(|it| COPIES.contains(&it))
}

/// Fields that Syncline writes and reads.
const OWN: &[&str] = &[
    BLOCKED_BECAUSE,
    CALL_LABEL,
    CATEGORY,
    ENGINE,
    ENGINE_WAIT,
    HELD,
    INSERTED_BECAUSE,
    ITERATION,
    LATE,
    MEMORY_ACTION,
    MEMORY_ADDRESS,
    MEMORY_ALLOCATED,
    MEMORY_BLOCK,
    MEMORY_BYTES,
    MEMORY_DEVICE,
    MEMORY_DEVICE_TYPE,
    MEMORY_OPERATOR,
    MEMORY_RESERVED,
    MEMORY_SEGMENT_BYTES,
    MEMORY_STACK,
    MEMORY_STREAM,
    QUERY_ANSWER,
    STUB_BEGAN,
    STUB_ENDED,
    STUB_KIND,
    TIME_LIMIT,
    WORKED,
];

/// Whether the name of a field says nothing of a program.
pub(super) fn is_field(name: &str) -> bool {
    OWN.contains(&name) || FIELDS.contains(&name) || COLLECTIVE_GROUPS.contains(&name)
}

/// Whether a text is one of the few that a field has.
pub(super) fn is_value(field: &str, text: &str) -> bool {
    PLAIN.contains(&field)
        || (field == CATEGORY && CATEGORIES.contains(&text))
        || (field == NUMBER_TYPE && is_number_type(text))
}

/// Whether a text names a type of numbers, such as `BFloat16` or `torch.float8_e4m3fn`.
fn is_number_type(text: &str) -> bool {
    let lower = text.to_ascii_lowercase();
    let mut words = lower.split(|it: char| !it.is_ascii_alphabetic());
    words.all(|it| it.is_empty() || TYPE_WORDS.contains(&it))
}

/// Whether a counter's unit is one.
pub(super) fn is_unit(unit: &str) -> bool {
    UNITS.contains(&unit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_of_numbers_are_kept_and_other_words_are_not() {
        for kept in [
            "Float",
            "BFloat16",
            "torch.float8_e4m3fn",
            "c10::Half",
            "int64",
        ] {
            assert!(is_value("dtype", kept), "{kept}");
        }
        assert!(!is_value("dtype", "my_secret") && !is_value("other", "Float"));
    }

    #[test]
    fn apis_are_kept_and_programs_are_not() {
        let call = |name| is_operation(SpanKind::Call, name);
        assert!(call("cudaLaunchKernel") && call("hipMemcpyAsync") && call("cuLaunchKernelEx"));
        assert!(call("hsa_signal_wait") && !call("custom_op") && !call("cuda helper of mine"));
        assert!(is_operation(
            SpanKind::Upload,
            "Memcpy HtoD (Pinned -> Device)"
        ));
        assert!(is_operation(SpanKind::Fill, "Memset (Device)"));
        assert!(!is_operation(SpanKind::Upload, "upload weights"));
        let kernel = |name| is_operation(SpanKind::Kernel, name);
        assert!(kernel(
            "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)"
        ));
        assert!(!kernel("cudaSecretKernel") && !kernel("gemm"));
    }
}

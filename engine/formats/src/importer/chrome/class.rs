//! What an event is, by its category and its name.

use super::scan::words;
use record::SpanKind;

/// What an event is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EventClass {
    /// Work of a host thread, or of whatever its row turns out to be.
    Plain,
    /// A part of a host thread that somebody named.
    Annotation,
    /// A call of a GPU's API.
    Call,
    /// A kernel.
    Kernel,
    /// A copy.
    Copy,
    /// A buffer filled with one value.
    Fill,
    /// A task of an accelerator whose stream is an argument.
    Task,
    /// A part of a stream that somebody named on the host.
    Scope,
    /// A wait for a stream, an event or a context, in times of the host.
    Sync,
}

impl EventClass {
    pub fn of(category: u32) -> Self {
        match category {
            words::KERNEL | words::KERNEL_OLD | words::NSIGHTFUL => Self::Kernel,
            words::MEMCPY | words::MEMCPY_OLD => Self::Copy,
            words::MEMSET | words::MEMSET_OLD => Self::Fill,
            words::MTIA => Self::Task,
            words::GPU_ANNOTATION | words::GPU_RANGE | words::NVTX_KERNEL => Self::Scope,
            words::SYNC | words::EVENT => Self::Sync,
            words::RUNTIME
            | words::DRIVER
            | words::RUNTIME_OLD
            | words::MTIA_RUNTIME
            | words::XPU_RUNTIME
            | words::XPU_DRIVER
            | words::OTHER_RUNTIME
            | words::OTHER_DRIVER
            | words::NSIGHTFUL_API => Self::Call,
            words::USER_ANNOTATION | words::NVTX | words::PROFILER => Self::Annotation,
            _ => Self::Plain,
        }
    }

    /// Whether it ran on a stream.
    pub fn is_work(self) -> bool {
        matches!(self, Self::Kernel | Self::Copy | Self::Fill | Self::Task)
    }
}

/// What an API call does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum ApiVerb {
    #[default]
    Other,
    /// Puts work on a stream.
    Launch,
    Record,
    Wait,
    SyncStream,
    SyncEvent,
    SyncDevice,
}

impl ApiVerb {
    /// By the name of the call: `cudaStreamWaitEvent_v3020`, `hipEventRecord`, `AscendCL@aclrtStreamWaitEvent`.
    pub fn of(name: &str) -> Self {
        const KNOWN: &[(&str, ApiVerb)] = &[
            ("StreamWaitEvent", ApiVerb::Wait),
            ("StreamWaitNotify", ApiVerb::Wait),
            ("waitOnEvent", ApiVerb::Wait),
            ("EventRecord", ApiVerb::Record),
            ("RecordEvent", ApiVerb::Record),
            ("recordEvent", ApiVerb::Record),
            ("StreamSynchronize", ApiVerb::SyncStream),
            ("SynchronizeStream", ApiVerb::SyncStream),
            ("synchronizeStream", ApiVerb::SyncStream),
            ("EventSynchronize", ApiVerb::SyncEvent),
            ("SynchronizeEvent", ApiVerb::SyncEvent),
            ("DeviceSynchronize", ApiVerb::SyncDevice),
            ("SynchronizeDevice", ApiVerb::SyncDevice),
            ("CtxSynchronize", ApiVerb::SyncDevice),
            ("urQueueFinish", ApiVerb::SyncStream),
            ("zeCommandQueueSynchronize", ApiVerb::SyncStream),
            ("urEventWait", ApiVerb::SyncEvent),
            ("zeEventHostSynchronize", ApiVerb::SyncEvent),
            ("Launch", ApiVerb::Launch),
            ("Memcpy", ApiVerb::Launch),
            ("Memset", ApiVerb::Launch),
            ("runFunction", ApiVerb::Launch),
            ("memcpy", ApiVerb::Launch),
            ("urEnqueueUSMFill", ApiVerb::Launch),
            ("urEnqueueMem", ApiVerb::Launch),
            ("AppendMemoryCopy", ApiVerb::Launch),
            ("AppendMemoryFill", ApiVerb::Launch),
        ];
        let found = KNOWN.iter().find(|(part, _)| name.contains(part));
        found.map_or(Self::Other, |(_, verb)| *verb)
    }

    /// Whether the call blocks its thread.
    pub fn blocks(self) -> bool {
        matches!(self, Self::SyncStream | Self::SyncEvent | Self::SyncDevice)
    }
}

/// What a name says of an operation on a stream.
pub(super) fn kind_of_work(name: &str) -> SpanKind {
    let says = |words: &[&str]| words.iter().any(|word| name.contains(word));
    // Marks of Ascend's profiler are no work of the program, and nothing waits for them.
    if matches!(name, "PROFILING_ENABLE" | "PROFILING_DISABLE") {
        return SpanKind::Scope;
    }
    // As Syncline's own workloads call them.
    let own = [
        ("upload ", SpanKind::Upload),
        ("download ", SpanKind::Download),
        ("copy ", SpanKind::Copy),
        ("fill ", SpanKind::Fill),
    ];
    if let Some((_, kind)) = own.iter().find(|(start, _)| name.starts_with(start)) {
        return *kind;
    }
    if says(&[
        "HtoD",
        "HostToDevice",
        "H2D",
        "HOST_TO_DEVICE",
        "Host-to-Device",
    ]) {
        SpanKind::Upload
    } else if says(&[
        "DtoH",
        "DeviceToHost",
        "D2H",
        "DEVICE_TO_HOST",
        "Device-to-Host",
    ]) {
        SpanKind::Download
    } else if says(&["EVENT_WAIT", "Notify Wait", "Notify_Wait", "event_wait"]) {
        SpanKind::EventWait
    } else if says(&[
        "EVENT_RECORD",
        "Notify Record",
        "Notify_Record",
        "event_record",
    ]) {
        SpanKind::EventRecord
    } else if says(&[
        "Memcpy",
        "CopyDeviceToDevice",
        "MEMCPY_ASYNC",
        "dma_request",
        "[CUDA memcpy",
        "Memcpy_Inline",
    ]) {
        SpanKind::Copy
    } else if says(&["Memset", "FillBuffer", "[CUDA memset"]) {
        SpanKind::Fill
    } else {
        SpanKind::Kernel
    }
}

/// Whether an operation is one of several devices together.
pub(super) fn is_collective(name: &str) -> bool {
    ["nccl", "rccl", "hcom_"].iter().any(|part| {
        name.get(..64)
            .unwrap_or(name)
            .to_ascii_lowercase()
            .contains(part)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_are_known_by_their_names_in_every_api() {
        let cases = [
            ("cudaStreamWaitEvent", ApiVerb::Wait),
            ("cudaStreamWaitEvent_v3020", ApiVerb::Wait),
            ("hipEventRecord", ApiVerb::Record),
            ("cudaEventRecordWithFlags_v11010", ApiVerb::Record),
            ("AscendCL@aclrtRecordEvent", ApiVerb::Record),
            (
                "AscendCL@aclrtSynchronizeStreamWithTimeout",
                ApiVerb::SyncStream,
            ),
            ("cuCtxSynchronize", ApiVerb::SyncDevice),
            ("cudaLaunchKernelExC_v11060", ApiVerb::Launch),
            ("hipGraphLaunch", ApiVerb::Launch),
            ("cudaMemcpyAsync", ApiVerb::Launch),
            ("cudaGetDevice", ApiVerb::Other),
            ("urEnqueueKernelLaunch", ApiVerb::Launch),
            ("urEnqueueUSMMemcpy", ApiVerb::Launch),
            ("urEnqueueMemBufferWrite", ApiVerb::Launch),
            ("zeCommandListAppendLaunchKernel", ApiVerb::Launch),
            ("urQueueFinish", ApiVerb::SyncStream),
            ("urEventWait", ApiVerb::SyncEvent),
            ("urEventGetInfo", ApiVerb::Other),
        ];
        for (name, verb) in cases {
            assert_eq!(ApiVerb::of(name), verb, "{name}");
        }
    }

    #[test]
    fn copies_know_their_way() {
        let cases = [
            ("Memcpy HtoD (Pinned -> Device)", SpanKind::Upload),
            ("CopyDeviceToHost", SpanKind::Download),
            ("Memcpy PtoP (Device -> Device)", SpanKind::Copy),
            ("Memset (Device)", SpanKind::Fill),
            ("ampere_sgemm_128x64_nn", SpanKind::Kernel),
            ("EVENT_WAIT", SpanKind::EventWait),
            ("PROFILING_ENABLE", SpanKind::Scope),
        ];
        for (name, kind) in cases {
            assert_eq!(kind_of_work(name), kind, "{name}");
        }
        assert!(is_collective("ncclDevKernel_AllGather_RING_LL") && !is_collective("gemm"));
    }
}

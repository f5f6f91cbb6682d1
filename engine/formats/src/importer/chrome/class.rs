//! What an event is, by its category and its name.

use super::scan::words;
use record::SpanKind;

/// What an event is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Class {
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

impl Class {
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
pub(super) enum Verb {
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

impl Verb {
    /// By the name of the call: `cudaStreamWaitEvent_v3020`, `hipEventRecord`, `AscendCL@aclrtStreamWaitEvent`.
    pub fn of(name: &str) -> Self {
        const KNOWN: &[(&str, Verb)] = &[
            ("StreamWaitEvent", Verb::Wait),
            ("StreamWaitNotify", Verb::Wait),
            ("waitOnEvent", Verb::Wait),
            ("EventRecord", Verb::Record),
            ("RecordEvent", Verb::Record),
            ("recordEvent", Verb::Record),
            ("StreamSynchronize", Verb::SyncStream),
            ("SynchronizeStream", Verb::SyncStream),
            ("synchronizeStream", Verb::SyncStream),
            ("EventSynchronize", Verb::SyncEvent),
            ("SynchronizeEvent", Verb::SyncEvent),
            ("DeviceSynchronize", Verb::SyncDevice),
            ("SynchronizeDevice", Verb::SyncDevice),
            ("CtxSynchronize", Verb::SyncDevice),
            ("urQueueFinish", Verb::SyncStream),
            ("zeCommandQueueSynchronize", Verb::SyncStream),
            ("urEventWait", Verb::SyncEvent),
            ("zeEventHostSynchronize", Verb::SyncEvent),
            ("Launch", Verb::Launch),
            ("Memcpy", Verb::Launch),
            ("Memset", Verb::Launch),
            ("runFunction", Verb::Launch),
            ("memcpy", Verb::Launch),
            ("urEnqueueUSMFill", Verb::Launch),
            ("urEnqueueMem", Verb::Launch),
            ("AppendMemoryCopy", Verb::Launch),
            ("AppendMemoryFill", Verb::Launch),
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
            ("cudaStreamWaitEvent", Verb::Wait),
            ("cudaStreamWaitEvent_v3020", Verb::Wait),
            ("hipEventRecord", Verb::Record),
            ("cudaEventRecordWithFlags_v11010", Verb::Record),
            ("AscendCL@aclrtRecordEvent", Verb::Record),
            (
                "AscendCL@aclrtSynchronizeStreamWithTimeout",
                Verb::SyncStream,
            ),
            ("cuCtxSynchronize", Verb::SyncDevice),
            ("cudaLaunchKernelExC_v11060", Verb::Launch),
            ("hipGraphLaunch", Verb::Launch),
            ("cudaMemcpyAsync", Verb::Launch),
            ("cudaGetDevice", Verb::Other),
            ("urEnqueueKernelLaunch", Verb::Launch),
            ("urEnqueueUSMMemcpy", Verb::Launch),
            ("urEnqueueMemBufferWrite", Verb::Launch),
            ("zeCommandListAppendLaunchKernel", Verb::Launch),
            ("urQueueFinish", Verb::SyncStream),
            ("urEventWait", Verb::SyncEvent),
            ("urEventGetInfo", Verb::Other),
        ];
        for (name, verb) in cases {
            assert_eq!(Verb::of(name), verb, "{name}");
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
        ];
        for (name, kind) in cases {
            assert_eq!(kind_of_work(name), kind, "{name}");
        }
        assert!(is_collective("ncclDevKernel_AllGather_RING_LL") && !is_collective("gemm"));
    }
}

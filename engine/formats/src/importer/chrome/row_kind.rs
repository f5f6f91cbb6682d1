//! What a row is, where no category says it: by what its process and its thread are called.

use super::rows::ChromeRows;
use super::rows::RowFacts;
use super::texts::ChromeTexts;

/// What a row is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RowKind {
    /// A thread of the host, or something that happens there.
    Host,
    /// A stream of a device.
    Stream,
    /// What a tool made of a device's streams.
    Derived,
}

impl RowKind {
    pub fn of(rows: &ChromeRows, facts: &RowFacts, texts: &ChromeTexts) -> Self {
        let process = rows.processes.get(facts.row.0);
        let process = process
            .and_then(|it| it.name)
            .map_or("", |it| texts.text(it));
        let thread = facts.said().name.map_or("", |it| texts.text(it));
        Self::by_name(process.trim(), thread.trim())
    }

    fn by_name(process: &str, thread: &str) -> Self {
        if process.starts_with("/device:") {
            // XProf puts what it derived beside the streams of the same device.
            return if thread.starts_with("Stream #") {
                Self::Stream
            } else {
                Self::Derived
            };
        }
        match process {
            _ if is_npu(process) => Self::Stream,
            _ if is_communication(process) && thread.starts_with("Plane") => Self::Stream,
            _ if is_communication(process) || process == "Overlap Analysis" => Self::Derived,
            _ if is_gpu(process) => Self::Stream,
            _ => Self::Host,
        }
    }
}

/// Whether a process of Ascend's profiler is what runs on a device.
pub(super) fn is_npu(process: &str) -> bool {
    ["Ascend Hardware", "NPU"].contains(&process)
}

/// Whether a process of Ascend's profiler is what its library of collective operations does on a device.
pub(super) fn is_communication(process: &str) -> bool {
    ["HCCL", "Communication"].contains(&process)
}

/// Whether a process is called `GPU2` or `GPU 2`.
fn is_gpu(process: &str) -> bool {
    let number = process.strip_prefix("GPU").map(str::trim_start);
    number.is_some_and(|number| !number.is_empty() && number.bytes().all(|it| it.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_known_by_what_tools_call_them() {
        let cases = [
            (("Ascend Hardware", "Stream 2"), RowKind::Stream),
            (("HCCL", "Plane 0"), RowKind::Stream),
            (("HCCL", "Group 0 Communication"), RowKind::Derived),
            (("/device:GPU:0", "Stream #20(Compute)"), RowKind::Stream),
            (("/device:GPU:0", "XLA Ops"), RowKind::Derived),
            (("/host:CPU", "tf_XLA"), RowKind::Host),
            (("GPU2", ""), RowKind::Stream),
            (("GPU Process", "CrGpuMain"), RowKind::Host),
            (("python", "thread 1"), RowKind::Host),
        ];
        for ((process, thread), nature) in cases {
            assert_eq!(
                RowKind::by_name(process, thread),
                nature,
                "{process} {thread}"
            );
        }
    }
}

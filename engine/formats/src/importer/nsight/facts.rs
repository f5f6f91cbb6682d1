//! What the small tables of an export say: names of processes, threads, devices and streams, and the time of day.

use std::collections::HashMap;

use super::super::sqlite::{StringTable, SubmissionStream};
use super::NsightReader;
use super::host::THREAD_BITS;
use super::tables::{
    NsightDeviceRow, NsightExportRow, NsightGpuRow, NsightProcessRow, NsightStartRow,
    NsightStreamRow, NsightThreadRow, StringIdsRow,
};

/// Bits of a process's number within its global number.
pub(super) const PROCESS: i64 = 0x00FF_FFFF;
/// Flags of the stream that CUDA calls null: it waits for every blocking stream, and they for it.
const NULL_STREAM: i64 = 3;

/// A GPU of the machine.
#[derive(Clone, Debug, Default)]
struct NsightGpu {
    name: String,
    detail: String,
}

/// Everything that the small tables say.
#[derive(Debug, Default)]
pub(super) struct NsightFacts {
    pub strings: StringTable,
    /// Version of the program that exported it.
    pub version: String,
    processes: HashMap<i64, String>,
    threads: HashMap<i64, (i64, String)>,
    gpus: HashMap<i64, NsightGpu>,
    devices: HashMap<(i64, i64), i64>,
    /// Priority and flag.
    streams: HashMap<SubmissionStream, (i64, i64)>,
    /// What the time of day was at capture time zero.
    pub epoch: Option<i64>,
}

/// Rows of the small tables.
impl NsightReader<'_, '_> {
    pub(super) fn text(&mut self, row: StringIdsRow<'_>) {
        self.dialect.facts.strings.take(row.id, row.text);
    }

    pub(super) fn process(&mut self, row: NsightProcessRow<'_>) {
        if let Some(name) = row.name {
            let process = row.process >> THREAD_BITS;
            let processes = &mut self.dialect.facts.processes;
            processes.insert(process, last_part(name).to_owned());
        }
    }

    /// Of several names of a thread the one of the highest priority counts.
    pub(super) fn name_thread(&mut self, row: NsightThreadRow) {
        let NsightFacts {
            strings, threads, ..
        } = &mut self.dialect.facts;
        let (Some(thread), Some(name)) = (row.thread, row.name.and_then(|it| strings.text(it)))
        else {
            return;
        };
        let known = threads.get(&thread);
        if known.is_none_or(|(known, _)| *known < row.priority) {
            threads.insert(thread, (row.priority, name.to_owned()));
        }
    }

    pub(super) fn gpu(&mut self, row: NsightGpuRow<'_>) {
        let facts = [
            row.chip.map(str::to_owned),
            row.multiprocessors
                .map(|count| format!("{count} multiprocessors")),
            row.memory
                .map(|bytes| format!("{:.1} GB", bytes as f64 / 1e9)),
        ];
        let gpu = NsightGpu {
            name: row.name.to_owned(),
            detail: facts.into_iter().flatten().collect::<Vec<_>>().join(", "),
        };
        self.dialect.facts.gpus.insert(row.id, gpu);
    }

    pub(super) fn device(&mut self, row: NsightDeviceRow) {
        let devices = &mut self.dialect.facts.devices;
        devices.insert((row.process, row.device), row.gpu);
    }

    pub(super) fn describe_stream(&mut self, row: NsightStreamRow) {
        let stream = SubmissionStream {
            process: row.process,
            context: row.context,
            number: row.stream,
        };
        let streams = &mut self.dialect.facts.streams;
        streams.insert(stream, (row.priority, row.flag));
    }

    pub(super) fn epoch(&mut self, row: NsightStartRow) {
        self.dialect.facts.epoch = row.epoch;
    }

    pub(super) fn export(&mut self, row: NsightExportRow<'_>) {
        if row.name == "EXPORT_PRODUCT_VERSION" {
            row.value.clone_into(&mut self.dialect.facts.version);
        }
    }
}

impl NsightFacts {
    /// The number of the GPU that a process knows under another number.
    pub fn gpu(&self, process: i64, device: i64) -> i64 {
        let known = self.devices.get(&(process & PROCESS, device));
        known.copied().unwrap_or(device)
    }

    /// The name and the details of a GPU.
    pub fn device(&self, gpu: i64) -> (String, String) {
        match self.gpus.get(&gpu) {
            Some(NsightGpu { name, detail }) if !name.is_empty() => {
                (format!("{name} ({gpu})"), detail.clone())
            }
            _ => (format!("GPU {gpu}"), String::new()),
        }
    }

    /// What a stream is called on screen.
    pub fn stream_name(&self, stream: SubmissionStream) -> String {
        let own = SubmissionStream {
            process: stream.process & PROCESS,
            ..stream
        };
        let (priority, flag) = self.streams.get(&own).copied().unwrap_or((0, 0));
        let mut name = format!("Stream {}", stream.number);
        if flag == NULL_STREAM {
            name += " (default)";
        }
        // Written without a sign in the file.
        if priority as i32 != 0 {
            return format!("{name}, priority {}", priority as i32);
        }
        name
    }

    /// Whose a stream is: streams of several processes and contexts have the same numbers.
    pub fn owner(&self, stream: SubmissionStream) -> String {
        let process = self
            .processes
            .get(&stream.process)
            .map_or("process", String::as_str);
        format!(
            "{process} {}, context {}",
            stream.process & PROCESS,
            stream.context
        )
    }

    /// What a thread is called on screen.
    pub fn thread_name(&self, thread: i64) -> String {
        let number = thread & PROCESS;
        let own = self.threads.get(&thread).map(|(_, name)| name.as_str());
        let process = self
            .processes
            .get(&(thread >> THREAD_BITS))
            .map(String::as_str);
        match (own, process) {
            (Some(own), Some(process)) if own != process => {
                format!(
                    "{process} {}: {own} {number}",
                    (thread >> THREAD_BITS) & PROCESS
                )
            }
            (Some(name), _) | (None, Some(name)) => format!("{name} {number}"),
            (None, None) => format!("Thread {number}"),
        }
    }
}

/// A program's name without its folders.
fn last_part(path: &str) -> &str {
    path.rsplit(['/', '\\'])
        .find(|part| !part.is_empty())
        .unwrap_or(path)
}

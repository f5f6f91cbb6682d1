//! What the small tables of an export say: names of processes, threads, devices and streams, and the time of day.

use std::collections::HashMap;

use super::super::Error;
use super::super::sqlite::{As, Columns, Database, Draft, Query, Row, Stream, Strings, scan};
use super::host::THREAD_BITS;
use record::time::Nanos;
use record::{Clock, Record};

/// Bits of a process's number within its global number.
pub(super) const PROCESS: i64 = 0x00FF_FFFF;
/// Flags of the stream that CUDA calls null: it waits for every blocking stream, and they for it.
const NULL_STREAM: i64 = 3;

/// The tables, and what is read of each.
const TABLES: &[(&str, Columns)] = &[
    ("StringIds", Strings::NSIGHT),
    (
        "PROCESSES",
        &[("globalPid", As::Integer), ("name", As::Text)],
    ),
    (
        "ThreadNames",
        &[
            ("globalTid", As::Integer),
            ("nameId", As::Integer),
            ("priority", As::Integer),
        ],
    ),
    (
        "TARGET_INFO_GPU",
        &[
            ("id", As::Integer),
            ("name", As::Text),
            ("cuDevice", As::Integer),
            ("chipName", As::Text),
            ("smCount", As::Integer),
            ("totalMemory", As::Integer),
        ],
    ),
    (
        "TARGET_INFO_CUDA_DEVICE",
        &[
            ("gpuId", As::Integer),
            ("cudaId", As::Integer),
            ("pid", As::Integer),
        ],
    ),
    (
        "TARGET_INFO_CUDA_STREAM",
        &[
            ("streamId", As::Integer),
            ("processId", As::Integer),
            ("contextId", As::Integer),
            ("priority", As::Integer),
            ("flag", As::Integer),
        ],
    ),
    (
        "TARGET_INFO_SESSION_START_TIME",
        &[("utcEpochNs", As::Integer)],
    ),
    (
        "META_DATA_EXPORT",
        &[("name", As::Text), ("value", As::Text)],
    ),
    (
        "EXPORT_META_DATA",
        &[("name", As::Text), ("value", As::Text)],
    ),
];

/// A GPU of the machine.
#[derive(Clone, Debug, Default)]
struct Gpu {
    name: String,
    detail: String,
}

/// Everything that the small tables say.
#[derive(Debug, Default)]
pub(super) struct Facts {
    pub strings: Strings,
    /// Version of the program that exported it.
    pub version: String,
    processes: HashMap<i64, String>,
    threads: HashMap<i64, (i64, String)>,
    gpus: HashMap<i64, Gpu>,
    devices: HashMap<(i64, i64), i64>,
    /// Priority and flag.
    streams: HashMap<Stream, (i64, i64)>,
    epoch: Option<i64>,
}

impl Facts {
    /// Reads them.
    pub fn read(database: &Database, draft: &mut Draft<'_, '_>) -> Result<Self, Error> {
        let present: Vec<(&str, Query)> = TABLES
            .iter()
            .filter_map(|(name, columns)| Some((*name, Query::new(database.table(name)?, columns))))
            .collect();
        let queries: Vec<Query> = present.iter().map(|(_, query)| query.clone()).collect();
        let mut facts = Self::default();
        let faults = scan(database, &queries, &mut |at, block| {
            if let (Some((name, _)), Some(block)) = (present.get(at), block) {
                draft.troubles.mended(name, block.mended());
                block.rows().for_each(|row| facts.take(name, row));
            }
            Ok(())
        })?;
        draft.troubles.faults(faults);
        Ok(facts)
    }

    fn take(&mut self, table: &str, row: Row<'_>) {
        match table {
            "StringIds" => self.strings.take(row.integer(0), row.text(1)),
            "PROCESSES" => {
                if let Some(name) = row.text(1) {
                    self.processes
                        .insert(row.or_zero(0) >> THREAD_BITS, last_part(name).to_owned());
                }
            }
            "ThreadNames" => self.take_thread(row),
            "TARGET_INFO_GPU" => self.take_gpu(row),
            "TARGET_INFO_CUDA_DEVICE" => {
                self.devices
                    .insert((row.or_zero(2), row.or_zero(1)), row.or_zero(0));
            }
            "TARGET_INFO_CUDA_STREAM" => {
                let stream = Stream {
                    process: row.or_zero(1),
                    context: row.or_zero(2),
                    number: row.or_zero(0),
                };
                self.streams
                    .insert(stream, (row.or_zero(3), row.or_zero(4)));
            }
            "TARGET_INFO_SESSION_START_TIME" => self.epoch = row.integer(0),
            _ if row.text(0) == Some("EXPORT_PRODUCT_VERSION") => {
                row.text(1)
                    .unwrap_or_default()
                    .clone_into(&mut self.version);
            }
            _ => {}
        }
    }

    /// Of several names of a thread the one of the highest priority counts.
    fn take_thread(&mut self, row: Row<'_>) {
        let (Some(thread), Some(name)) = (row.integer(0), row.integer(1)) else {
            return;
        };
        let priority = row.or_zero(2);
        let Some(name) = self.strings.text(name) else {
            return;
        };
        if self
            .threads
            .get(&thread)
            .is_none_or(|(known, _)| *known < priority)
        {
            self.threads.insert(thread, (priority, name.to_owned()));
        }
    }

    fn take_gpu(&mut self, row: Row<'_>) {
        let facts = [
            row.text(3).map(str::to_owned),
            row.integer(4)
                .map(|count| format!("{count} multiprocessors")),
            row.integer(5)
                .map(|bytes| format!("{:.1} GB", bytes as f64 / 1e9)),
        ];
        let gpu = Gpu {
            name: row.text(1).unwrap_or_default().to_owned(),
            detail: facts.into_iter().flatten().collect::<Vec<_>>().join(", "),
        };
        self.gpus.insert(row.or_zero(0), gpu);
    }

    /// Says what the time of day was at capture time zero.
    pub fn clock(&self, draft: &mut Draft<'_, '_>) {
        if let Some(epoch) = self.epoch {
            draft
                .sink
                .push(Record::Clock(Box::new(Clock::unix(Nanos(epoch)))));
        }
    }

    /// The number of the GPU that a process knows under another number.
    pub fn gpu(&self, process: i64, device: i64) -> i64 {
        let known = self.devices.get(&(process & PROCESS, device));
        known.copied().unwrap_or(device)
    }

    /// The name and the details of a GPU.
    pub fn device(&self, gpu: i64) -> (String, String) {
        match self.gpus.get(&gpu) {
            Some(Gpu { name, detail }) if !name.is_empty() => {
                (format!("{name} ({gpu})"), detail.clone())
            }
            _ => (format!("GPU {gpu}"), String::new()),
        }
    }

    /// What a stream is called on screen.
    pub fn stream_name(&self, stream: Stream) -> String {
        let own = Stream {
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
    pub fn owner(&self, stream: Stream) -> String {
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

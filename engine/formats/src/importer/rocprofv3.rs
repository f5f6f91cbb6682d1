//! Reads what rocprofv3 writes as JSON: calls of HIP and HSA, work of the GPU by stream, ranges and counters.

mod counters;
mod facts;
mod gpu;
mod host;
mod notes;
mod raw_records;
mod row;
mod walk;

use memchr::memmem;
use serde_json::from_slice;

use super::json::window::ReadWindow;
use super::sqlite::{Handles, HostSpans, LaunchIndex, SqliteDraft, SubmittedOperations};
use super::{ImportError, Importer, Receipt, RecordSink, Source};
use counters::Rocprofv3Counters;
use facts::Rocprofv3Facts;
use notes::{Rocprofv3FileEnd, UnreadRecords};
use raw_records::RecordList;
use record::time::Nanos;
use record::{Clock, DeviceId, Record, Run};
use row::{CounterCollection, Rocprofv3Row};
use walk::{ElementPosition, ROOT, walk};

/// The format of rocprofv3 with `--output-format json`.
pub struct Rocprofv3;

impl Importer for Rocprofv3 {
    fn name(&self) -> &'static str {
        "rocprofv3"
    }

    fn extensions(&self) -> &'static [&'static str] {
        &["json"]
    }

    fn about(&self) -> &'static str {
        "results of rocprofv3"
    }

    fn recognises(&self, head: &[u8]) -> bool {
        let head = head.trim_ascii_start();
        head.starts_with(b"{") && memmem::find(head, ROOT.as_bytes()).is_some()
    }

    fn read(&self, source: &Source, sink: &mut RecordSink<'_>) -> Result<Receipt, ImportError> {
        let mut reading = Rocprofv3Reader::new(SqliteDraft::new(sink));
        let mut window = ReadWindow::new(source.reader()?);
        let walked = walk(&mut window, &mut |place, bytes| reading.take(place, bytes));
        let end = Rocprofv3FileEnd::of(walked, &mut window)?;
        if reading.is_empty() && !reading.unread.has_untimed() {
            return Err(end.useless(source, &mut window));
        }
        let run = Run {
            name: source.name(),
            backend: self.name().to_owned(),
            ..Run::default()
        };
        reading.draft.sink.push(Record::Run(Box::new(run)));
        reading.finish(&end, window.place())
    }
}

/// A record, and of which process it is.
type ProcessRecord<T> = (u32, T);

/// What is known while the file is read. Records wait for its end, since what ties them may follow.
struct Rocprofv3Reader<'a, 's> {
    draft: SqliteDraft<'a, 's>,
    facts: Rocprofv3Facts,
    calls: RecordList<host::RecordListKind>,
    work: RecordList<()>,
    collections: RecordList<()>,
    /// When the first of all of them began.
    first: Option<i64>,
    hosts: HostSpans,
    /// Calls by their correlation, which the work that they submitted has too.
    launches: LaunchIndex,
    operations: SubmittedOperations,
    handles: Handles,
    counters: Rocprofv3Counters,
    unread: UnreadRecords,
    unlaunched: u64,
}

impl<'a, 's> Rocprofv3Reader<'a, 's> {
    fn new(draft: SqliteDraft<'a, 's>) -> Self {
        Self {
            draft,
            facts: Rocprofv3Facts::default(),
            calls: RecordList::default(),
            work: RecordList::default(),
            collections: RecordList::default(),
            first: None,
            hosts: HostSpans::default(),
            launches: LaunchIndex::default(),
            operations: SubmittedOperations::default(),
            handles: Handles::default(),
            counters: Rocprofv3Counters::default(),
            unread: UnreadRecords::default(),
            unlaunched: 0,
        }
    }

    fn is_empty(&self) -> bool {
        self.calls.is_empty() && self.work.is_empty() && self.collections.is_empty()
    }

    fn take(&mut self, place: ElementPosition<'_>, bytes: &[u8]) -> Result<(), ImportError> {
        let process = place.process;
        let taken = match (place.section, place.list) {
            ("buffer_records", list) => match (from_slice::<Rocprofv3Row>(bytes), list) {
                (Ok(row), list) if is_work(list) && row.times().is_some() => {
                    self.started(&row);
                    self.work.push(process, (), bytes);
                    true
                }
                (Ok(row), list) if !is_work(list) && row.start_timestamp.time().is_some() => {
                    self.started(&row);
                    self.calls
                        .push(process, host::RecordListKind::of(list), bytes);
                    true
                }
                (
                    Ok(_),
                    "kernel_dispatch" | "memory_copy" | "hip_api" | "hsa_api" | "marker_api"
                    | "rccl_api" | "memory_allocation",
                ) => {
                    self.unread.untimed(list);
                    true
                }
                (Ok(_), _) => {
                    self.unread.add(list);
                    true
                }
                (Err(_), _) => false,
            },
            ("callback_records", "counter_collection") => {
                let collection = from_slice::<CounterCollection>(bytes);
                if let Ok(collection) = &collection {
                    self.started(&collection.dispatch_data);
                    self.collections.push(process, (), bytes);
                }
                collection.is_ok()
            }
            _ => self.facts.take(place, bytes),
        };
        if !taken {
            self.unread.spoilt(place, bytes.len());
        }
        if place.section.ends_with("records") {
            self.draft.receipt.events += 1;
        }
        self.draft.sink.advance(place.end)
    }

    /// Notes when a record began.
    fn started(&mut self, row: &Rocprofv3Row) {
        let started = row.start_timestamp.time();
        self.first = self.first.into_iter().chain(started).min();
    }

    fn finish(mut self, end: &Rocprofv3FileEnd, read: u64) -> Result<Receipt, ImportError> {
        self.begin();
        self.call_all(read)?;
        self.run_all(read)?;
        self.operations.sort();
        let handles = std::mem::take(&mut self.handles);
        let outcome = handles.resolve(&self.hosts, &self.operations, &mut self.draft);
        self.counters.finish(&mut self.draft);
        self.tell(outcome);
        end.tell(&mut self.draft);
        self.unread.tell(&mut self.draft);
        self.draft.finish()
    }

    /// Finds where capture time begins.
    fn begin(&mut self) {
        self.draft.zero = self.first.unwrap_or(0);
        self.draft.sink.push(Record::Clock(Box::new(Clock {
            device: DeviceId::NONE,
            name: "CLOCK_BOOTTIME".to_owned(),
            offset: Nanos(self.draft.zero),
            ..Clock::default()
        })));
    }
}

/// Whether a list is of what the GPU did.
fn is_work(list: &str) -> bool {
    matches!(list, "kernel_dispatch" | "memory_copy")
}

//! Reads snapshots of PyTorch's allocator (`torch.cuda.memory._dump_snapshot`): its segments and blocks, what was allocated and
//! freed before, and the calls that led to it. The names of fields are those of `torch/cuda/memory.py` and
//! `torch/csrc/cuda/memory_snapshot.cpp`.

mod device_history;
mod memory_before;
mod pickle;

use std::io::Read as _;

use self::device_history::{DeviceHistory, LeftOut};
use self::pickle::{Pickle, PickleId};
use super::sqlite::{LaneTitle, SqliteDraft, SqliteSpan};
use super::{ImportError, Importer, Receipt, RecordSink, Source};
use record::time::Nanos;
use record::{Clock, DeviceId, Group, Record, Run, Severity, SpanKind, State, counted};

/// What the format is called, which captures of it have as their backend.
pub const NAME: &str = "torch-snapshot";

/// The format of snapshots of PyTorch's allocator.
pub struct TorchSnapshot;

impl Importer for TorchSnapshot {
    fn name(&self) -> &'static str {
        NAME
    }

    fn extensions(&self) -> &'static [&'static str] {
        &["pickle", "pkl"]
    }

    fn about(&self) -> &'static str {
        "snapshots of PyTorch's CUDA allocator"
    }

    fn recognises(&self, head: &[u8]) -> bool {
        is_pickle(head) && has(head, b"segments")
    }

    fn read(&self, source: &Source, sink: &mut RecordSink<'_>) -> Result<Receipt, ImportError> {
        let mut bytes = Vec::new();
        let read = source.reader()?.read_to_end(&mut bytes);
        read.map_err(|error| source.failed(error))?;
        let useless = |why: String| ImportError::Useless {
            path: source.path().to_owned(),
            why,
        };
        let pickle = Pickle::read(&bytes).map_err(|error| useless(error.to_string()))?;
        let snapshot = pickle.root();
        if pickle.field(snapshot, "segments").is_none() {
            let why = "it is a pickle without segments, which snapshots of PyTorch's allocator have; write one by \
                       torch.cuda.memory._dump_snapshot";
            return Err(useless(why.to_owned()));
        }
        sink.push(Record::Run(Box::new(Run {
            name: source.name(),
            backend: self.name().to_owned(),
            ..Run::default()
        })));
        let mut draft = SqliteDraft::new(sink);
        if let Some(end) = pickle.cut() {
            let text = format!(
                "The snapshot breaks off after {end} bytes: of its segments and its history only what stands before is known. The \
                 program that wrote it did not finish, or the copy is not whole."
            );
            let kind = (Severity::DataLoss, "cut-short");
            draft.receipt.complain(draft.sink, kind, text);
        }
        tell(&pickle, &mut draft);
        draft.finish()
    }
}

/// Tells of a snapshot, device by device.
fn tell(pickle: &Pickle, draft: &mut SqliteDraft<'_, '_>) {
    let snapshot = pickle.root();
    let segments = pickle.list_of(snapshot, "segments");
    let histories = pickle.list_of(snapshot, "device_traces");
    let annotations = pickle.list_of(snapshot, "external_annotations");
    let entries = histories.iter().flat_map(|it| pickle.list(*it));
    let times = entries.chain(annotations);
    let times = times.filter_map(|it| pickle.number_of(*it, "time_us"));
    begin(times.min(), draft);
    let of_segments = segments.iter();
    let of_segments = of_segments.filter_map(|it| pickle.number_of(*it, "device"));
    let last = of_segments.max().unwrap_or(-1).saturating_add(1);
    let count = histories.len().max(usize::try_from(last).unwrap_or(0));
    let mut left_out = LeftOut::default();
    // A snapshot has a list for each device of the machine, most of them empty.
    for number in 0..count.min(MOST_DEVICES) {
        let history = histories.get(number).map_or(&[][..], |it| pickle.list(*it));
        let number = number as i64;
        let own = |it: &&PickleId| pickle.number_of(**it, "device").unwrap_or(0) == number;
        let segments: Vec<PickleId> = segments.iter().filter(own).copied().collect();
        if !segments.is_empty() || !history.is_empty() {
            let mut device = DeviceHistory::new(number, draft);
            let of_device = device.tell(pickle, (&segments, history), draft);
            left_out.entries += of_device.entries;
            left_out.memory += of_device.memory;
        }
    }
    let has_history = histories.iter().any(|it| !pickle.list(*it).is_empty());
    remark(left_out, has_history || pickle.cut().is_some(), draft);
    annotate(pickle, annotations, draft);
}

/// Says what the clock is: entries have microseconds since 1970.
fn begin(first: Option<i64>, draft: &mut SqliteDraft<'_, '_>) {
    draft.zero = first.unwrap_or(0).saturating_mul(1_000);
    draft.sink.push(Record::Clock(Box::new(Clock {
        device: DeviceId::NONE,
        name: "unix".to_owned(),
        offset: Nanos(draft.zero),
        drift: 0.0,
        uncertainty: Nanos(1_000),
        is_unix: first.is_some(),
    })));
}

/// Says what of the history is not there.
fn remark(left_out: LeftOut, has_history: bool, draft: &mut SqliteDraft<'_, '_>) {
    let LeftOut { entries, memory } = left_out;
    let causes = [
        (
            entries,
            "{entry of the history does|entries of the history do} not say what happened, when, or to which memory, and {is|are} left out.",
        ),
        (
            memory,
            "{segment or block|segments and blocks} of the snapshot {lacks its|lack their} address, size or state, and {is|are} left out.",
        ),
    ];
    for (count, words) in causes.into_iter().filter(|it| it.0 > 0) {
        let kind = (Severity::DataLoss, "incomplete");
        draft
            .receipt
            .complain(draft.sink, kind, counted(count, words));
        draft.receipt.dropped += count;
    }
    if !has_history {
        let words = "The snapshot has no history, so that all of it is one instant: torch.cuda.memory._record_memory_history() was \
                     not called before.";
        draft.receipt.note(words);
    }
}

/// Devices that are looked at, at most.
const MOST_DEVICES: usize = 1_024;

/// Ranges that the program named, such as `ProfilerStep#3` or `Optimizer.step`.
fn annotate(pickle: &Pickle, annotations: &[PickleId], draft: &mut SqliteDraft<'_, '_>) {
    let mut open: Vec<(String, i64)> = Vec::new();
    for annotation in annotations {
        let time = pickle.number_of(*annotation, "time_us");
        let name = pickle.text_of(*annotation, "name");
        let (Some(time), Some(name)) = (time, name) else {
            continue;
        };
        let time = time.saturating_mul(1_000);
        draft.receipt.events += 1;
        if pickle.text_of(*annotation, "stage") == Some("START") {
            open.push((name.to_owned(), time));
            continue;
        }
        let Some(place) = open.iter().rposition(|it| it.0 == name) else {
            continue;
        };
        let (name, start) = open.remove(place);
        range(&name, (start, time), draft);
    }
    draft.unended += open.len() as u64;
}

/// A range that the program named.
fn range(name: &str, (start, end): (i64, i64), draft: &mut SqliteDraft<'_, '_>) {
    let key = (Group::Host, [0; 4]);
    let lane = draft.lanes.id(key, draft.sink, |_| LaneTitle {
        name: "annotations".to_owned(),
        ..LaneTitle::default()
    });
    let name = draft.name(name);
    draft.ran(SqliteSpan {
        lane,
        name,
        kind: SpanKind::Scope,
        state: State::Done,
        enqueued: None,
        start,
        end,
    });
}

/// Whether a file begins as a pickle does since protocol 2.
fn is_pickle(head: &[u8]) -> bool {
    matches!(head, [0x80, 2..=5, ..])
}

/// Whether a file is a pickle of something else.
pub(super) fn is_other_pickle(head: &[u8]) -> bool {
    is_pickle(head) && !has(head, b"segments")
}

fn has(head: &[u8], words: &[u8]) -> bool {
    head.windows(words.len()).any(|it| it == words)
}

//! What the allocator of one device did, told from its end: a snapshot says what there is, and its history what changed before.

use std::collections::HashMap;

use super::memory_before::{EarlierMemory, HistoryChange, HistoryEntry, MemoryBefore};
use super::pickle::{Pickle, PickleId};
use crate::importer::sqlite::{LaneTitle, SqliteDraft, SqliteSpan};
use record::{
    Counter, CounterId, Group, LaneId, MEMORY_ACTION, MEMORY_ADDRESS, MEMORY_ALLOCATED,
    MEMORY_BYTES, MEMORY_DEVICE, MEMORY_DEVICE_TYPE, MEMORY_EVENT, MEMORY_RESERVED, MEMORY_SEGMENT,
    MEMORY_SEGMENT_BYTES, MEMORY_STACK, MEMORY_STREAM, Record, Sample, SpanKind, State, Value,
};

/// PyTorch's number of the type of devices that these snapshots are of.
const CUDA: i64 = 1;
/// Calls of a stack that are kept, the innermost first.
const MOST_CALLS: usize = 64;

/// What of a device's memory and history is not complete, and left out.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct LeftOut {
    /// Entries of the history.
    pub entries: u64,
    /// Segments and blocks.
    pub memory: u64,
}

/// How often memory ran out, and the most bytes that were asked for then with those that were free.
#[derive(Default)]
struct OutOfMemory {
    times: u64,
    largest: Option<(i64, i64)>,
}

/// The allocator of one device.
pub(super) struct DeviceHistory {
    number: i64,
    lane: LaneId,
    /// The counters of what is allocated and of what is reserved.
    counters: [CounterId; 2],
    totals: [i64; 2],
    /// The stacks that were written already, by the list of their calls.
    stacks: HashMap<PickleId, Option<Box<str>>>,
    out_of_memory: OutOfMemory,
}

impl DeviceHistory {
    /// Announces a device, its lane and its counters.
    pub fn new(number: i64, draft: &mut SqliteDraft<'_, '_>) -> Self {
        let device = draft.devices.id(number, "torch", draft.sink, || {
            (format!("CUDA {number}"), String::new())
        });
        let key = (Group::Device, [number, 0, 0, 0]);
        let lane = draft.lanes.id(key, draft.sink, |_| LaneTitle {
            name: format!("memory of CUDA {number}"),
            device: Some(device),
            ..LaneTitle::default()
        });
        // Two for each device that has any memory.
        let first = 2 * device.0;
        let counters = [CounterId(first), CounterId(first + 1)];
        for (id, what) in counters.into_iter().zip(["allocated", "reserved"]) {
            draft.sink.push(Record::Counter(Box::new(Counter {
                id,
                name: format!("Memory {what} · CUDA {number}"),
                unit: "bytes".to_owned(),
                device: Some(device),
            })));
        }
        Self {
            number,
            lane,
            counters,
            totals: [0, 0],
            stacks: HashMap::new(),
            out_of_memory: OutOfMemory::default(),
        }
    }

    /// Tells what was there when the history begins, and then what it says. Gives what was left out of it.
    pub fn tell(
        &mut self,
        pickle: &Pickle,
        (segments, history): (&[PickleId], &[PickleId]),
        draft: &mut SqliteDraft<'_, '_>,
    ) -> LeftOut {
        let before = MemoryBefore::new(pickle, segments, history);
        self.totals = before.totals();
        let zero = draft.zero;
        self.sample(zero, draft);
        // What there was is told of its beginning, whatever else happens there.
        let begins = (zero, "history begins", HistoryChange::Block(0));
        self.event(pickle, begins, None, draft);
        for segment in before.segments.values() {
            let there = (zero, "there already", HistoryChange::Segment(segment.size));
            self.event(pickle, there, Some(segment), draft);
        }
        for block in before.blocks.values() {
            let there = (zero, "there already", HistoryChange::Block(block.size));
            self.event(pickle, there, Some(block), draft);
        }
        let told = history.iter().map(|it| self.entry(pickle, *it, draft));
        let entries = told.filter(Option::is_none).count() as u64;
        draft.receipt.events += before.complete + (history.len() as u64).saturating_sub(entries);
        self.remark(draft);
        LeftOut {
            entries,
            memory: before.incomplete,
        }
    }

    /// Says that memory ran out.
    fn remark(&self, draft: &mut SqliteDraft<'_, '_>) {
        let Some((largest, free)) = self.out_of_memory.largest else {
            return;
        };
        let number = self.number;
        let (asked, free) = (bytes(largest), bytes(free));
        draft.receipt.note(match self.out_of_memory.times {
            1 => format!(
                "CUDA {number} ran out of memory when {asked} were asked for and {free} were free."
            ),
            times => format!(
                "CUDA {number} ran out of memory {times} times, at most when {asked} were asked for and {free} were free."
            ),
        });
    }

    /// Tells of an entry of the history; nothing where it does not say what happened when, or to which memory.
    fn entry(
        &mut self,
        pickle: &Pickle,
        entry: PickleId,
        draft: &mut SqliteDraft<'_, '_>,
    ) -> Option<()> {
        let read = HistoryEntry::read(pickle, entry)?;
        let HistoryEntry { action, change, .. } = read;
        let time = read.time.saturating_mul(1_000);
        let [allocated, reserved] = self.totals;
        self.totals = match change {
            HistoryChange::Block(bytes) => [allocated.saturating_add(bytes), reserved],
            HistoryChange::Segment(bytes) => [allocated, reserved.saturating_add(bytes)],
            HistoryChange::Nothing => self.totals,
        };
        self.event(pickle, (time, action, change), Some(&read.memory), draft);
        self.sample(time, draft);
        if action == "oom" {
            let free = pickle.number_of(entry, "device_free").unwrap_or(0);
            self.out_of_memory.times += 1;
            let asked = Some((read.memory.size, free));
            self.out_of_memory.largest = self.out_of_memory.largest.max(asked);
        }
        Some(())
    }

    fn event(
        &mut self,
        pickle: &Pickle,
        (time, action, change): (i64, &str, HistoryChange),
        memory: Option<&EarlierMemory>,
        draft: &mut SqliteDraft<'_, '_>,
    ) {
        let name = draft.name(match change {
            HistoryChange::Block(_) => MEMORY_EVENT,
            HistoryChange::Segment(_) => MEMORY_SEGMENT,
            HistoryChange::Nothing => action,
        });
        let span = draft.ran(SqliteSpan {
            lane: self.lane,
            name,
            kind: SpanKind::Scope,
            state: State::Done,
            enqueued: None,
            start: time,
            end: time,
        });
        for (name, value) in self.fields(change, memory) {
            if let Some(value) = value {
                draft.field(span, name, Value::Integer(value));
            }
        }
        draft.field(span, MEMORY_ACTION, Value::Text(action.into()));
        let entry = memory.and_then(|it| it.entry);
        if let Some(stack) = entry.and_then(|it| self.stack(pickle, it)) {
            draft.field(span, MEMORY_STACK, Value::Text(stack));
        }
    }

    /// The numbers of an event.
    fn fields(
        &self,
        change: HistoryChange,
        memory: Option<&EarlierMemory>,
    ) -> [(&'static str, Option<i64>); 8] {
        let (bytes, segment) = match change {
            HistoryChange::Block(bytes) => (Some(bytes), None),
            HistoryChange::Segment(bytes) => (None, Some(bytes)),
            HistoryChange::Nothing => (None, None),
        };
        let [allocated, reserved] = self.totals;
        [
            (MEMORY_BYTES, bytes),
            (MEMORY_SEGMENT_BYTES, segment),
            (MEMORY_ADDRESS, memory.map(|it| it.address)),
            (MEMORY_STREAM, memory.and_then(|it| it.stream)),
            (MEMORY_DEVICE_TYPE, Some(CUDA)),
            (MEMORY_DEVICE, Some(self.number)),
            (MEMORY_ALLOCATED, bytes.map(|_| allocated)),
            (MEMORY_RESERVED, Some(reserved)),
        ]
    }

    fn sample(&self, time: i64, draft: &mut SqliteDraft<'_, '_>) {
        let time = draft.time(time);
        for (counter, value) in self.counters.into_iter().zip(self.totals) {
            draft.sink.push(Record::Sample(Sample {
                counter,
                time,
                value: value as f64,
            }));
        }
    }

    /// The calls that led to an entry, the innermost first, a line each.
    fn stack(&mut self, pickle: &Pickle, entry: PickleId) -> Option<Box<str>> {
        let frames = pickle.field(entry, "frames")?;
        let known = self.stacks.entry(frames);
        let found = known.or_insert_with(|| {
            let all = pickle.list(frames).iter();
            let lines = all.take(MOST_CALLS).map(|it| frame(pickle, *it));
            let lines: Vec<String> = lines.collect();
            (!lines.is_empty()).then(|| lines.join("\n").into())
        });
        found.clone()
    }
}

/// A number of bytes, in the largest unit that it has whole.
fn bytes(bytes: i64) -> String {
    let units = [(1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")];
    let unit = units
        .into_iter()
        .find(|(unit, _)| bytes >= *unit && bytes % unit == 0);
    match unit {
        Some((unit, name)) => format!("{} {name}", bytes / unit),
        None => format!("{bytes} bytes"),
    }
}

/// A call: its function, its file and its line.
fn frame(pickle: &Pickle, frame: PickleId) -> String {
    let name = pickle.text_of(frame, "name").unwrap_or("?");
    let file = pickle.text_of(frame, "filename").unwrap_or_default();
    match pickle.number_of(frame, "line").filter(|it| *it > 0) {
        Some(line) => format!("{name} ({file}:{line})"),
        None if file.is_empty() || file == "??" => name.to_owned(),
        None => format!("{name} ({file})"),
    }
}

//! What the allocator of one device did, told from its end: a snapshot says what there is, and its history what changed before.

use std::collections::HashMap;

use super::memory_before::{EarlierMemory, HistoryChange, MemoryBefore};
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

/// The allocator of one device.
pub(super) struct DeviceHistory {
    number: i64,
    lane: LaneId,
    /// The counters of what is allocated and of what is reserved.
    counters: [CounterId; 2],
    totals: [i64; 2],
    /// The stacks that were written already, by the list of their calls.
    stacks: HashMap<PickleId, Option<Box<str>>>,
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
        }
    }

    /// Tells what was there when the history begins, and then what it says. Gives how many of its entries say not what happened when,
    /// and are left out.
    pub fn tell(
        &mut self,
        pickle: &Pickle,
        (segments, history): (&[PickleId], &[PickleId]),
        draft: &mut SqliteDraft<'_, '_>,
    ) -> u64 {
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
        told.filter(Option::is_none).count() as u64
    }

    /// Tells of an entry of the history; nothing where it says not what happened when.
    fn entry(
        &mut self,
        pickle: &Pickle,
        entry: PickleId,
        draft: &mut SqliteDraft<'_, '_>,
    ) -> Option<()> {
        let action = pickle.text_of(entry, "action")?;
        let time = pickle.number_of(entry, "time_us")?.saturating_mul(1_000);
        let size = pickle.number_of(entry, "size").unwrap_or(0);
        let change = HistoryChange::of(action, size);
        let [allocated, reserved] = self.totals;
        self.totals = match change {
            HistoryChange::Block(bytes) => [allocated.saturating_add(bytes), reserved],
            HistoryChange::Segment(bytes) => [allocated, reserved.saturating_add(bytes)],
            HistoryChange::Nothing => self.totals,
        };
        let memory = EarlierMemory {
            address: pickle.number_of(entry, "addr").unwrap_or(0),
            size,
            stream: pickle.number_of(entry, "stream"),
            entry: Some(entry),
        };
        self.event(pickle, (time, action, change), Some(&memory), draft);
        self.sample(time, draft);
        if action == "oom" {
            let free = pickle.number_of(entry, "device_free").unwrap_or(0);
            draft.receipt.note(format!(
                "CUDA {} ran out of memory when {size} bytes were asked for and {free} were free.",
                self.number
            ));
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

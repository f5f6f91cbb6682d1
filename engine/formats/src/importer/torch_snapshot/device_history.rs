//! What the allocator of one device did, told from its end: a snapshot says what there is, and its history what changed before.

use std::collections::{BTreeMap, HashMap};

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

/// What an entry of the history changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum HistoryChange {
    /// So many bytes more, or fewer, are allocated.
    Block(i64),
    /// So many bytes more, or fewer, are reserved of the device.
    Segment(i64),
    /// Nothing: a request, an error, a mark.
    Nothing,
}

impl HistoryChange {
    fn of(action: &str, size: i64) -> Self {
        match action {
            "alloc" => Self::Block(size),
            // What is requested to be freed is free once the streams that use it are done.
            "free_completed" => Self::Block(size.saturating_neg()),
            "segment_alloc" | "segment_map" => Self::Segment(size),
            "segment_free" | "segment_unmap" => Self::Segment(size.saturating_neg()),
            _ => Self::Nothing,
        }
    }
}

/// A block or a segment that was there before the history begins.
struct EarlierMemory {
    address: i64,
    size: i64,
    stream: Option<i64>,
    entry: Option<PickleId>,
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
}

impl DeviceHistory {
    /// Announces a device, its lane and its counters.
    pub fn new(number: i64, next_counter: u32, draft: &mut SqliteDraft<'_, '_>) -> Self {
        let device = draft.devices.id(number, "torch", draft.sink, || {
            (format!("CUDA {number}"), String::new())
        });
        let key = (Group::Device, [number, 0, 0, 0]);
        let lane = draft.lanes.id(key, draft.sink, |_| LaneTitle {
            name: format!("memory of CUDA {number}"),
            device: Some(device),
            ..LaneTitle::default()
        });
        let counters = [CounterId(next_counter), CounterId(next_counter + 1)];
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
        (segments, trace): (&[PickleId], &[PickleId]),
        draft: &mut SqliteDraft<'_, '_>,
    ) -> u64 {
        let (blocks, earlier_segments) = earlier(pickle, segments, trace);
        let sum = |all: &[EarlierMemory]| {
            let sizes = all.iter().map(|it| it.size);
            sizes.fold(0_i64, i64::saturating_add)
        };
        self.totals = [sum(&blocks), sum(&earlier_segments)];
        let zero = draft.zero;
        self.sample(zero, draft);
        // What there was is told of its beginning, whatever else happens there.
        self.event(
            pickle,
            (zero, "history begins"),
            HistoryChange::Block(0),
            None,
            draft,
        );
        for segment in earlier_segments {
            self.earlier(
                pickle,
                &segment,
                HistoryChange::Segment(segment.size),
                draft,
            );
        }
        for block in blocks {
            self.earlier(pickle, &block, HistoryChange::Block(block.size), draft);
        }
        let mut untimed = 0;
        for entry in trace {
            let action = pickle.text_of(*entry, "action");
            let time = pickle.number_of(*entry, "time_us");
            let (Some(action), Some(time)) = (action, time) else {
                untimed += 1;
                continue;
            };
            let size = pickle.number_of(*entry, "size").unwrap_or(0);
            let time = time.saturating_mul(1_000);
            let change = HistoryChange::of(action, size);
            match change {
                HistoryChange::Block(bytes) => {
                    self.totals[0] = self.totals[0].saturating_add(bytes);
                }
                HistoryChange::Segment(bytes) => {
                    self.totals[1] = self.totals[1].saturating_add(bytes);
                }
                HistoryChange::Nothing => {}
            }
            let address = pickle.number_of(*entry, "addr");
            let stream = pickle.number_of(*entry, "stream");
            let memory = EarlierMemory {
                address: address.unwrap_or(0),
                size,
                stream,
                entry: Some(*entry),
            };
            self.event(pickle, (time, action), change, Some(&memory), draft);
            if change != HistoryChange::Nothing {
                self.sample(time, draft);
            }
            if action == "oom" {
                let free = pickle.number_of(*entry, "device_free").unwrap_or(0);
                draft.receipt.note(format!(
                    "CUDA {} ran out of memory when {size} bytes were asked for and {free} were free.",
                    self.number
                ));
            }
        }
        untimed
    }

    /// Something that was there when the history begins.
    fn earlier(
        &mut self,
        pickle: &Pickle,
        memory: &EarlierMemory,
        change: HistoryChange,
        draft: &mut SqliteDraft<'_, '_>,
    ) {
        let zero = draft.zero;
        self.event(pickle, (zero, "there already"), change, Some(memory), draft);
    }

    fn event(
        &mut self,
        pickle: &Pickle,
        (time, action): (i64, &str),
        change: HistoryChange,
        memory: Option<&EarlierMemory>,
        draft: &mut SqliteDraft<'_, '_>,
    ) {
        let name = match change {
            HistoryChange::Block(_) => MEMORY_EVENT,
            HistoryChange::Segment(_) => MEMORY_SEGMENT,
            HistoryChange::Nothing => action,
        };
        let name = draft.name(name);
        let span = draft.ran(SqliteSpan {
            lane: self.lane,
            name,
            kind: SpanKind::Scope,
            state: State::Done,
            enqueued: None,
            start: time,
            end: time,
        });
        let (bytes, segment) = match change {
            HistoryChange::Block(bytes) => (Some(bytes), None),
            HistoryChange::Segment(bytes) => (None, Some(bytes)),
            HistoryChange::Nothing => (None, None),
        };
        let is_block = matches!(change, HistoryChange::Block(_));
        let fields = [
            (MEMORY_BYTES, bytes),
            (MEMORY_SEGMENT_BYTES, segment),
            (MEMORY_ADDRESS, memory.map(|it| it.address)),
            (MEMORY_STREAM, memory.and_then(|it| it.stream)),
            (MEMORY_DEVICE_TYPE, Some(CUDA)),
            (MEMORY_DEVICE, Some(self.number)),
            (MEMORY_ALLOCATED, Some(self.totals[0]).filter(|_| is_block)),
            (MEMORY_RESERVED, Some(self.totals[1])),
        ];
        for (name, value) in fields {
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

/// The blocks and the segments that were there before the history: those that are there at its end and that it does not begin, and
/// those that it ends without having begun them.
fn earlier(
    pickle: &Pickle,
    segments: &[PickleId],
    trace: &[PickleId],
) -> (Vec<EarlierMemory>, Vec<EarlierMemory>) {
    let mut blocks: BTreeMap<i64, EarlierMemory> = BTreeMap::new();
    let mut whole: BTreeMap<i64, EarlierMemory> = BTreeMap::new();
    for segment in segments {
        let stream = pickle.number_of(*segment, "stream");
        let at = |id: PickleId, size: &str, entry| {
            Some(EarlierMemory {
                address: pickle.number_of(id, "address")?,
                size: pickle.number_of(id, size)?,
                stream,
                entry,
            })
        };
        let Some(found) = at(*segment, "total_size", Some(*segment)) else {
            continue;
        };
        let mut next = found.address;
        whole.insert(found.address, found);
        for block in pickle.list_of(*segment, "blocks") {
            let size = pickle.number_of(*block, "size").unwrap_or(0);
            // Before blocks had addresses they lay one behind the other.
            let address = pickle.number_of(*block, "address").unwrap_or(next);
            next = address.saturating_add(size);
            let state = pickle.text_of(*block, "state").unwrap_or_default();
            if state.starts_with("active") {
                let entry = Some(*block);
                blocks.insert(
                    address,
                    EarlierMemory {
                        address,
                        size,
                        stream,
                        entry,
                    },
                );
            }
        }
    }
    // Backwards: what the history begins was not there before, and what it ends was.
    for entry in trace.iter().rev() {
        let is_timed = pickle.number_of(*entry, "time_us").is_some();
        let action = pickle.text_of(*entry, "action").filter(|_| is_timed);
        let action = action.unwrap_or_default();
        let size = pickle.number_of(*entry, "size").unwrap_or(0);
        let Some(address) = pickle.number_of(*entry, "addr") else {
            continue;
        };
        let memory = EarlierMemory {
            address,
            size,
            stream: pickle.number_of(*entry, "stream"),
            entry: None,
        };
        match HistoryChange::of(action, size) {
            HistoryChange::Block(bytes) if bytes < 0 => drop(blocks.insert(address, memory)),
            HistoryChange::Block(_) => drop(blocks.remove(&address)),
            HistoryChange::Segment(bytes) if bytes < 0 => drop(whole.insert(address, memory)),
            HistoryChange::Segment(_) => take_segment(&mut whole, address, size),
            HistoryChange::Nothing => {}
        }
    }
    (
        blocks.into_values().collect(),
        whole.into_values().collect(),
    )
}

/// Takes away what the history allocates or maps: a part of a segment that grew leaves the rest of it.
fn take_segment(all: &mut BTreeMap<i64, EarlierMemory>, address: i64, size: i64) {
    let end = address.saturating_add(size);
    let around = all.range(..=address).next_back().map(|it| *it.0);
    let Some(mut found) = around.and_then(|it| all.remove(&it)) else {
        return;
    };
    let found_end = found.address.saturating_add(found.size);
    if found_end <= address {
        all.insert(found.address, found);
        return;
    }
    if found_end > end {
        all.insert(
            end,
            EarlierMemory {
                address: end,
                size: found_end.saturating_sub(end),
                stream: found.stream,
                entry: None,
            },
        );
    }
    if found.address < address {
        found.size = address.saturating_sub(found.address);
        all.insert(found.address, found);
    }
}

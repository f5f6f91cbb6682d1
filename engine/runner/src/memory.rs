//! The memory lane: which buffers live from when to when, and how many bytes the device and each stream have allocated.

use std::collections::BTreeMap;
use std::sync::Mutex;

use super::recorder::Reporter;
use super::shared::RunState;
use device::lock;
use record::time::Nanos;
use record::{
    BufferIndex, CallId, Counter, CounterId, DeviceId, Group, Lane, LaneId, MEMORY_ALLOCATED,
    MEMORY_BLOCK, MEMORY_BYTES, Record, Role, Sample, Span, SpanId, SpanKind, State, StreamIndex,
    Value,
};
use workload::{MemoryKind, Plan};

/// What was submitted of allocations, and where it is shown.
pub struct MemoryReporter {
    lane: LaneId,
    /// The counter of the device's bytes; behind it those of bytes and of live buffers, for each stream that allocates one after
    /// the other.
    first_counter: CounterId,
    state: Mutex<MemoryNotes>,
}

#[derive(Debug, Default)]
struct MemoryNotes {
    lives: Vec<AllocationLife>,
    /// The life that each allocation begins and each free ends, by their spans.
    of: BTreeMap<SpanId, usize>,
    /// The life of each buffer that was allocated last.
    latest: BTreeMap<BufferIndex, usize>,
    /// The stream that gave each buffer back last.
    freed_on: BTreeMap<BufferIndex, StreamIndex>,
    /// Operations that ended and were not looked at yet, some before whoever submitted them could say what they are.
    ended: Vec<Span>,
    /// What each stream has.
    held: BTreeMap<StreamIndex, (i64, i64)>,
    /// How many bytes all streams have.
    allocated: i64,
    /// Streams whose counters were described, each with how many were before.
    known: BTreeMap<StreamIndex, u32>,
}

/// What an operation changes: when, which it is, of which stream, which buffer, by how many bytes and buffers. Those of one
/// instant are in the order of their submission.
type MemoryChange = (Nanos, SpanId, StreamIndex, BufferIndex, i64, i64);

impl MemoryNotes {
    /// What the operations that ended changed, in the order of time.
    fn changes(&mut self, shared: &RunState) -> Vec<MemoryChange> {
        let mut changes = Vec::new();
        for span in std::mem::take(&mut self.ended) {
            let Some(place) = self.of.remove(&span.id) else {
                self.ended.push(span);
                continue;
            };
            let Some(life) = self.lives.get_mut(place) else {
                continue;
            };
            let bytes = bytes(shared, life.buffer);
            match span.kind {
                _ if span.state != State::Done => {}
                SpanKind::Allocate => {
                    life.from = Some(span.end);
                    changes.push((span.end, span.id, life.stream, life.buffer, bytes, 1));
                }
                _ => {
                    life.to = Some(span.start);
                    changes.push((span.start, span.id, life.stream, life.buffer, -bytes, -1));
                }
            }
        }
        changes.sort_unstable();
        changes
    }
}

/// A buffer from its allocation to its free.
#[derive(Clone, Copy, Debug)]
struct AllocationLife {
    span: SpanId,
    call: CallId,
    buffer: BufferIndex,
    stream: StreamIndex,
    from: Option<Nanos>,
    to: Option<Nanos>,
    is_told: bool,
}

impl MemoryReporter {
    /// For a plan that allocates memory in the order of streams.
    pub fn new(plan: &Plan, lane: LaneId, first_counter: CounterId) -> Option<Self> {
        let is_ordered = |memory| memory == MemoryKind::StreamOrdered;
        let is_needed = plan.buffers.iter().any(|it| is_ordered(it.memory));
        is_needed.then(|| Self {
            lane,
            first_counter,
            state: Mutex::default(),
        })
    }

    /// Reports the lane.
    pub fn describe(&self, device: DeviceId, reporter: &Reporter) {
        reporter.send(Record::Lane(Box::new(Lane {
            id: self.lane,
            group: Group::Device,
            device: Some(device),
            role: Role::None,
            name: "memory".to_owned(),
            order: 1_000,
            process: "".into(),
            thread: "".into(),
        })));
    }

    /// An allocation was submitted to a stream: `life` is the span that the buffer's life will be.
    pub fn allocate(
        &self,
        ids: (SpanId, SpanId, CallId),
        buffer: BufferIndex,
        stream: StreamIndex,
    ) {
        let (span, life, call) = ids;
        let mut state = lock(&self.state);
        let place = state.lives.len();
        state.lives.push(AllocationLife {
            span: life,
            call,
            buffer,
            stream,
            from: None,
            to: None,
            is_told: false,
        });
        state.of.insert(span, place);
        state.latest.insert(buffer, place);
    }

    /// Whether an allocation of the buffer was submitted, and no free since.
    pub fn is_live(&self, buffer: BufferIndex) -> bool {
        lock(&self.state).latest.contains_key(&buffer)
    }

    /// The stream on which the buffer was freed last.
    pub fn freed_on(&self, buffer: BufferIndex) -> Option<StreamIndex> {
        lock(&self.state).freed_on.get(&buffer).copied()
    }

    /// A free was submitted.
    pub fn free(&self, span: SpanId, buffer: BufferIndex, stream: StreamIndex) {
        let mut state = lock(&self.state);
        state.freed_on.insert(buffer, stream);
        // A second free of it is a finding, and ends nothing.
        if let Some(place) = state.latest.remove(&buffer) {
            state.of.insert(span, place);
        }
    }

    /// Notes what these records say of allocations that ran.
    pub fn note(&self, records: &[Record]) {
        let spans = records.iter().filter_map(|record| match record {
            Record::Span(span) if matches!(span.kind, SpanKind::Allocate | SpanKind::Free) => {
                Some(*span)
            }
            _ => None,
        });
        for span in spans {
            lock(&self.state).ended.push(span);
        }
    }

    /// Reports what was noted, in the order of time; at the `end` of a run also the lives that nothing ended.
    pub fn report(&self, shared: &RunState, reporter: &Reporter, end: Option<Nanos>) {
        let mut state = lock(&self.state);
        let changes = state.changes(shared);
        for (time, span, stream, buffer, bytes, count) in changes {
            if state.known.is_empty() {
                describe_counter(self.first_counter, "memory allocated", "bytes", reporter);
            }
            state.allocated += bytes;
            let allocated = state.allocated;
            tell(shared, (span, buffer), (bytes, allocated), reporter);
            reporter.send(Record::Sample(Sample {
                counter: self.first_counter,
                time,
                value: allocated as f64,
            }));
            let others = state.known.len() as u32;
            let place = *state.known.entry(stream).or_insert(others);
            if place == others {
                self.describe_counters(shared, stream, place, reporter);
            }
            let held = state.held.entry(stream).or_default();
            held.0 += bytes;
            held.1 += count;
            let values = [held.0, held.1];
            for (counter, value) in self.counters(place).into_iter().zip(values) {
                let value = value as f64;
                reporter.send(Record::Sample(Sample {
                    counter,
                    time,
                    value,
                }));
            }
        }
        let untold = state.lives.iter_mut().filter(|it| !it.is_told);
        let mut untold: Vec<&mut AllocationLife> = untold
            .filter(|it| it.from.is_some() && it.to.is_some() || end.is_some())
            .collect();
        // Those that ended first, as if each had been told when it did.
        untold.sort_by_key(|it| (it.from.is_none() || it.to.is_none(), it.to));
        for life in untold {
            life.is_told = true;
            reporter.send(Record::Span(self.span(shared, life, end, reporter)));
        }
    }

    fn span(
        &self,
        shared: &RunState,
        life: &AllocationLife,
        end: Option<Nanos>,
        reporter: &Reporter,
    ) -> Span {
        let end = end.unwrap_or_default();
        let from = life.from.unwrap_or(end);
        let to = life.to.unwrap_or(end).max(from);
        let plan = shared.plan.buffers.get(life.buffer.index());
        let name = plan.map_or("?", |buffer| &buffer.name);
        Span {
            id: life.span,
            lane: self.lane,
            name: shared.names.id(name, reporter),
            call: life.call,
            kind: SpanKind::Scope,
            state: match life.from {
                Some(_) => State::Done,
                None => State::Cancelled,
            },
            enqueued: from,
            start: from,
            end: to,
        }
    }

    /// The counters of the stream before which so many allocated.
    const fn counters(&self, place: u32) -> [CounterId; 2] {
        let first = self.first_counter.0 + 1 + 2 * place;
        [CounterId(first), CounterId(first + 1)]
    }

    fn describe_counters(
        &self,
        shared: &RunState,
        stream: StreamIndex,
        place: u32,
        reporter: &Reporter,
    ) {
        let plan = shared.plan.streams.get(stream.index());
        let name = plan.map_or("?", |stream| &stream.name);
        let texts = [
            (format!("memory allocated on {name}"), "bytes"),
            (format!("live allocations of {name}"), "buffers"),
        ];
        for (id, (name, unit)) in self.counters(place).into_iter().zip(texts) {
            describe_counter(id, &name, unit, reporter);
        }
    }
}

fn describe_counter(id: CounterId, name: &str, unit: &str, reporter: &Reporter) {
    reporter.send(Record::Counter(Box::new(Counter {
        id,
        name: name.to_owned(),
        unit: unit.to_owned(),
        device: Some(super::prepare::DEVICE),
    })));
    reporter.send(Record::Sample(Sample {
        counter: id,
        time: Nanos::ZERO,
        value: 0.0,
    }));
}

/// Tells of an allocation or a free which buffer it is of, what it changes, and what there is afterwards.
fn tell(
    shared: &RunState,
    (span, buffer): (SpanId, BufferIndex),
    (bytes, allocated): (i64, i64),
    reporter: &Reporter,
) {
    let plan = shared.plan.buffers.get(buffer.index());
    let block = plan.map_or("?", |buffer| &buffer.name);
    let fields = [
        (MEMORY_BLOCK, Value::Text(block.into())),
        (MEMORY_BYTES, Value::Integer(bytes)),
        (MEMORY_ALLOCATED, Value::Integer(allocated)),
    ];
    for (name, value) in fields {
        let name = shared.names.id(name, reporter);
        reporter.send(Record::Argument(span, name, value));
    }
}

fn bytes(shared: &RunState, buffer: BufferIndex) -> i64 {
    let plan = shared.plan.buffers.get(buffer.index());
    plan.map_or(0, |buffer| buffer.len as i64 * 4)
}

//! Work of the GPU: kernels, copies, fills and launches of whole graphs.

use std::collections::HashMap;

use super::super::sqlite::{As, Columns, Draft, Operation, Ran, Row, Stream, Title, Work, copy};
use super::Reading;
use super::facts::PROCESS;
use super::host::THREAD_BITS;
use record::{
    Basis, Dependency, DependencyKind, Group, LaneId, NameId, SpanId, SpanKind, State, Value,
};

/// What every table of work has, and every query asks for first.
macro_rules! work {
    ($($more:expr),* $(,)?) => {
        &[
            ("start", As::Integer),
            ("end", As::Integer),
            ("deviceId", As::Integer),
            ("contextId", As::Integer),
            ("streamId", As::Integer),
            ("correlationId", As::Integer),
            ("globalPid", As::Integer),
            ("graphNodeId", As::Integer),
            $(($more, As::Integer),)*
        ]
    };
}

/// What is read of kernels.
pub(super) const KERNEL: Columns = work![
    "demangledName",
    "shortName",
    "registersPerThread",
    "staticSharedMemory",
    "dynamicSharedMemory",
    "gridX",
    "gridY",
    "gridZ",
    "blockX",
    "blockY",
    "blockZ",
];
/// What is read of copies.
pub(super) const COPY: Columns = work!["bytes", "copyKind", "srcKind", "dstKind"];
/// What is read of fills.
pub(super) const FILL: Columns = work!["bytes", "value", "memKind"];
/// What is read of launches of whole graphs.
pub(super) const GRAPH: Columns = work!["graphId", "graphExecId"];

/// Kinds of memory, by the numbers of Nsight.
const MEMORY: &[&str] = &[
    "pageable",
    "pinned",
    "device",
    "array",
    "managed",
    "device static",
    "managed static",
];

/// The first of them.
const PAGEABLE: i64 = 0;
/// How far the clocks of host and device may be apart: a call may seem to return so much before what it waited for ended.
const CLOCKS: i64 = 2_000;

/// Sizes that are kept as text at once, so that a file in which each differs does not fill the memory.
const SIZES: usize = 1 << 12;

/// Names of fields, and texts of sizes: the same few over and over.
#[derive(Debug)]
pub(super) struct Fields {
    pub returned: NameId,
    pub category: NameId,
    pub domain: NameId,
    pub payload: NameId,
    grid: NameId,
    block: NameId,
    registers: NameId,
    shared: NameId,
    node: NameId,
    bytes: NameId,
    value: NameId,
    from: NameId,
    to: NameId,
    sizes: HashMap<[i64; 3], Box<str>>,
}

impl Fields {
    pub fn new(draft: &mut Draft<'_, '_>) -> Self {
        Self {
            returned: draft.name("returned"),
            category: draft.name("category"),
            domain: draft.name("domain"),
            payload: draft.name("payload"),
            grid: draft.name("grid"),
            block: draft.name("block"),
            registers: draft.name("registers a thread"),
            shared: draft.name("shared memory (bytes)"),
            node: draft.name("graph node"),
            bytes: draft.name("bytes"),
            value: draft.name("value"),
            from: draft.name("from memory"),
            to: draft.name("to memory"),
            sizes: HashMap::new(),
        }
    }

    /// A size in three directions as text.
    fn size(&mut self, size: [i64; 3]) -> Value {
        if self.sizes.len() >= SIZES {
            self.sizes.clear();
        }
        let text = self.sizes.entry(size).or_insert_with(|| {
            let [x, y, z] = size;
            format!("{x}×{y}×{z}").into()
        });
        Value::Text(text.clone())
    }
}

impl Reading<'_, '_> {
    pub(super) fn kernel(&mut self, table: &str, row: Row<'_>) {
        let id = row.integer(8).or(row.integer(9)).unwrap_or(-1);
        let name = self.facts.strings.name(id, &mut self.draft);
        let work = Work::of(
            SpanKind::Kernel,
            self.facts.strings.text(id).unwrap_or_default(),
        );
        let Some(span) = self.work(table, row, name, SpanKind::Kernel, work) else {
            return;
        };
        let size = |at: usize| [row.or_zero(at), row.or_zero(at + 1), row.or_zero(at + 2)];
        for (field, at) in [(self.fields.grid, 13), (self.fields.block, 16)] {
            if row.integer(at).is_some() {
                let value = self.fields.size(size(at));
                self.draft.argument(span, field, value);
            }
        }
        if let Some(registers) = row.integer(10) {
            self.draft
                .argument(span, self.fields.registers, Value::Integer(registers));
        }
        let shared = row.or_zero(11).saturating_add(row.or_zero(12));
        if shared != 0 {
            self.draft
                .argument(span, self.fields.shared, Value::Integer(shared));
        }
    }

    pub(super) fn copy(&mut self, table: &str, row: Row<'_>) {
        let (name, kind) = copy(row.or_zero(9));
        let name = self.draft.name(name);
        let Some(span) = self.work(table, row, name, kind, Work::of(kind, "")) else {
            return;
        };
        self.draft
            .argument(span, self.fields.bytes, Value::Integer(row.or_zero(8)));
        for (field, at) in [(self.fields.from, 10), (self.fields.to, 11)] {
            self.memory(span, field, row, at);
        }
        if kind == SpanKind::Download && row.integer(11) == Some(PAGEABLE) {
            self.blocks_call(row, span);
        }
    }

    /// A copy to memory of the host that is not pinned blocks the call that submitted it until it is complete, as far as the
    /// clocks can tell.
    fn blocks_call(&mut self, row: Row<'_>, copy: SpanId) {
        let process = row.or_zero(6) >> THREAD_BITS;
        let call = row.integer(5).and_then(|it| self.launches.get(process, it));
        let end = row.or_zero(1).saturating_sub(CLOCKS);
        if let Some(call) = call.filter(|call| !self.hosts.ended_by(*call, end)) {
            self.draft.receipt.inferred += 1;
            self.draft.depends(Dependency::new(
                copy,
                self.hosts.span(call),
                DependencyKind::Synchronization,
                Basis::Inferred,
            ));
        }
    }

    pub(super) fn fill(&mut self, table: &str, row: Row<'_>) {
        let name = self.draft.name("Memset");
        let Some(span) = self.work(table, row, name, SpanKind::Fill, Work::Other) else {
            return;
        };
        self.draft
            .argument(span, self.fields.bytes, Value::Integer(row.or_zero(8)));
        self.draft
            .argument(span, self.fields.value, Value::Integer(row.or_zero(9)));
        self.memory(span, self.fields.to, row, 10);
    }

    pub(super) fn graph(&mut self, table: &str, row: Row<'_>) {
        let name = self.draft.name(&format!("graph {}", row.or_zero(8)));
        self.work(table, row, name, SpanKind::Kernel, Work::Kernel);
    }

    fn memory(&mut self, span: SpanId, field: NameId, row: Row<'_>, at: usize) {
        let kind = row.integer(at).and_then(|kind| usize::try_from(kind).ok());
        if let Some(kind) = kind.and_then(|kind| MEMORY.get(kind)) {
            self.draft
                .argument(span, field, Value::Text((*kind).into()));
        }
    }

    /// What all work has in common: its lane, its launch, its place in the order of its stream.
    fn work(
        &mut self,
        table: &str,
        row: Row<'_>,
        name: NameId,
        kind: SpanKind,
        work: Work,
    ) -> Option<SpanId> {
        let (Some(start), Some(end)) = (row.integer(0), row.integer(1)) else {
            self.draft.troubles.unplaced(table, row.number);
            return None;
        };
        let stream = Stream {
            process: row.or_zero(6) >> THREAD_BITS,
            context: row.or_zero(3),
            number: row.or_zero(4),
        };
        let lane = self.stream(stream, row.or_zero(2));
        let order = row.integer(5);
        let place = order.and_then(|order| self.launches.get(stream.process, order));
        let span = self.draft.ran(Ran {
            lane,
            name,
            kind,
            state: State::Done,
            enqueued: place.and_then(|place| self.hosts.start(place)),
            start,
            end,
        });
        self.draft.lanes.did(lane, work);
        match place {
            Some(place) => self
                .draft
                .depends(Dependency::submission(self.hosts.span(place), span)),
            None => self.tally.unlaunched += 1,
        }
        if let Some(order) = order {
            self.operations
                .add(stream, Operation { order, start, span });
        }
        if let Some(node) = row.integer(7).filter(|node| *node != 0) {
            self.draft
                .argument(span, self.fields.node, Value::Integer(node));
        }
        Some(span)
    }

    /// The lane of a stream. Work that unified memory does for another device is on a lane of that device.
    pub(super) fn stream(&mut self, stream: Stream, device: i64) -> LaneId {
        let device = self.facts.gpu(stream.process, device);
        let key = (
            Group::Streams,
            [device, stream.process, stream.context, stream.number],
        );
        let (facts, devices) = (&self.facts, &mut self.draft.devices);
        self.draft.lanes.id(key, self.draft.sink, |sink| {
            let id = devices.id(device, "cuda", sink, || facts.device(device));
            Title {
                name: facts.stream_name(stream),
                besides: facts.owner(stream),
                device: Some(id),
                process: (stream.process & PROCESS).to_string(),
                thread: stream.number.to_string(),
                rank: None,
            }
        })
    }
}

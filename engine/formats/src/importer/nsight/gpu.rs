//! Work of the GPU: kernels, copies, fills and launches of whole graphs.

use std::collections::HashMap;

use super::super::sqlite::{
    LaneTitle, SqliteDraft, SqliteSpan, SubmissionStream, SubmittedOperation, UntimedRow, WorkKind,
    copy,
};
use super::NsightReader;
use super::facts::PROCESS;
use super::host::THREAD_BITS;
use super::tables::{NsightCopyRow, NsightFillRow, NsightGraphRow, NsightKernelRow, NsightWorkRow};
use record::{
    Basis, Dependency, DependencyKind, Group, LaneId, NameId, SpanId, SpanKind, State, Value,
};

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
#[derive(Debug, Default)]
pub(super) struct NsightFields {
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

impl NsightFields {
    pub fn new(draft: &mut SqliteDraft<'_, '_>) -> Self {
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

impl NsightReader<'_, '_> {
    pub(super) fn kernel(&mut self, row: NsightKernelRow) -> Result<(), UntimedRow> {
        let id = row.name.or(row.short_name).unwrap_or(-1);
        let strings = &mut self.dialect.facts.strings;
        let name = strings.name(id, &mut self.draft);
        let work = WorkKind::of(SpanKind::Kernel, strings.text(id).unwrap_or_default());
        let span = self.work(row.work, name, SpanKind::Kernel, work)?;
        let fields = &mut self.dialect.fields;
        for (field, size) in [(fields.grid, row.grid), (fields.block, row.block)] {
            if let Some(size) = size {
                self.draft.argument(span, field, fields.size(size));
            }
        }
        if let Some(registers) = row.registers {
            self.draft
                .argument(span, fields.registers, Value::Integer(registers));
        }
        let shared = row.static_shared.saturating_add(row.dynamic_shared);
        if shared != 0 {
            self.draft
                .argument(span, fields.shared, Value::Integer(shared));
        }
        Ok(())
    }

    pub(super) fn copy(&mut self, row: NsightCopyRow) -> Result<(), UntimedRow> {
        let (name, kind) = copy(row.kind);
        let name = self.draft.name(name);
        let span = self.work(row.work, name, kind, WorkKind::of(kind, ""))?;
        let NsightFields {
            bytes, from, to, ..
        } = self.dialect.fields;
        self.draft.argument(span, bytes, Value::Integer(row.bytes));
        self.memory(span, from, row.source);
        self.memory(span, to, row.destination);
        if kind == SpanKind::Download && row.destination == Some(PAGEABLE) {
            self.blocks_call(row.work, span);
        }
        Ok(())
    }

    /// A copy to memory of the host that is not pinned blocks the call that submitted it until it is complete, as far as the
    /// clocks can tell.
    fn blocks_call(&mut self, row: NsightWorkRow, copy: SpanId) {
        let process = row.process >> THREAD_BITS;
        let call = row
            .correlation
            .and_then(|it| self.launches.get(process, it));
        let end = row.end.unwrap_or(0).saturating_sub(CLOCKS);
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

    pub(super) fn fill(&mut self, row: NsightFillRow) -> Result<(), UntimedRow> {
        let name = self.draft.name("Memset");
        let span = self.work(row.work, name, SpanKind::Fill, WorkKind::Other)?;
        let NsightFields {
            bytes, value, to, ..
        } = self.dialect.fields;
        self.draft.argument(span, bytes, Value::Integer(row.bytes));
        self.draft.argument(span, value, Value::Integer(row.value));
        self.memory(span, to, row.memory);
        Ok(())
    }

    pub(super) fn graph(&mut self, row: NsightGraphRow) -> Result<(), UntimedRow> {
        let name = self.draft.name(&format!("graph {}", row.graph));
        self.work(row.work, name, SpanKind::Kernel, WorkKind::Kernel)
            .map(drop)
    }

    fn memory(&mut self, span: SpanId, field: NameId, kind: Option<i64>) {
        let kind = kind.and_then(|kind| usize::try_from(kind).ok());
        if let Some(kind) = kind.and_then(|kind| MEMORY.get(kind)) {
            self.draft
                .argument(span, field, Value::Text((*kind).into()));
        }
    }

    /// What all work has in common: its lane, its launch, its place in the order of its stream.
    fn work(
        &mut self,
        row: NsightWorkRow,
        name: NameId,
        kind: SpanKind,
        work: WorkKind,
    ) -> Result<SpanId, UntimedRow> {
        let (start, end) = row.start.zip(row.end).ok_or(UntimedRow)?;
        let stream = SubmissionStream {
            process: row.process >> THREAD_BITS,
            context: row.context,
            number: row.stream,
        };
        let ran = SqliteSpan {
            lane: self.stream(stream, row.device),
            name,
            kind,
            state: State::Done,
            enqueued: None,
            start,
            end,
        };
        let order = row.correlation;
        let call = order.and_then(|order| self.launches.get(stream.process, order));
        let span = self.submitted(ran, work, call);
        if let Some(order) = order {
            self.operations
                .add(stream, SubmittedOperation::new(order, (start, end), span));
        }
        if row.node != 0 {
            let node = Value::Integer(row.node);
            self.draft.argument(span, self.dialect.fields.node, node);
        }
        Ok(span)
    }

    /// The lane of a stream. Work that unified memory does for another device is on a lane of that device.
    pub(super) fn stream(&mut self, stream: SubmissionStream, device: i64) -> LaneId {
        let device = self.dialect.facts.gpu(stream.process, device);
        let key = (
            Group::Streams,
            [device, stream.process, stream.context, stream.number],
        );
        let (facts, devices) = (&self.dialect.facts, &mut self.draft.devices);
        self.draft.lanes.id(key, self.draft.sink, |sink| {
            let id = devices.id(device, "cuda", sink, || facts.device(device));
            LaneTitle {
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

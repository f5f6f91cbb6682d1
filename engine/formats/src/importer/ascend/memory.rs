//! What allocators of NPU memory did, and how much each had.

use super::super::sqlite::{LaneTitle, SqliteSpan, UntimedRow};
use super::AscendReader;
use super::counter::CounterSeries;
use super::tables::{AllocatorRow, AllocatorTotalRow, OperatorMemoryRow};
use record::{
    Group, LaneId, MEMORY_ADDRESS, MEMORY_ALLOCATED, MEMORY_BLOCK, MEMORY_BYTES, MEMORY_EVENT,
    MEMORY_OPERATOR, MEMORY_RESERVED, NameId, SpanId, SpanKind, State, Value,
};

/// The allocator of PyTorch's own tensors, and that of graphs, which has no streams.
const ALLOCATORS: [&str; 2] = ["PTA", "GE"];
/// The place of the first.
const TENSORS: usize = 0;
/// The place of the second.
const GRAPHS: usize = 1;

/// Apart from the lanes of streams, whose numbers are not so small.
const MEMORY_LANE: i64 = i64::MIN;

/// An allocation or a free, as a table tells it.
struct MemoryEvent<'a> {
    time: i64,
    bytes: i64,
    operator: Option<i64>,
    /// The field by which it and its counterpart are known, where they are.
    block: Option<(&'a str, i64)>,
    totals: [Option<i64>; 2],
}

impl AscendReader<'_, '_> {
    /// An allocation that an operator made, with its free.
    pub(super) fn operator_memory(&mut self, row: OperatorMemoryRow) -> Result<(), UntimedRow> {
        self.dialect.has_operator_memory = true;
        if row.allocated.is_none() && row.released.is_none() {
            return Err(UntimedRow);
        }
        let is_graphs = row.stream.is_none();
        let of = (row.device, usize::from(is_graphs));
        self.dialect.memory_blocks += 1;
        let block = Some((MEMORY_BLOCK, self.dialect.memory_blocks));
        let (before, after) = (row.totals, row.totals_after);
        // What is freed while streams still use it is active for longer; what is not is inactive first. The total is less by it
        // from the first of both on.
        let freed = row.released.into_iter().chain(row.inactive).min();
        let steps = [
            (row.allocated, row.size, [before.allocated, before.reserved]),
            (
                freed,
                row.size.saturating_neg(),
                [after.allocated, after.reserved],
            ),
        ];
        for (time, bytes, totals) in steps {
            let Some(time) = time else { continue };
            self.call_of_allocator(
                of,
                MemoryEvent {
                    time,
                    bytes,
                    operator: Some(row.name),
                    block,
                    totals,
                },
            );
        }
        Ok(())
    }

    /// An allocation or a free of the allocator of graphs, where no other table tells it.
    pub(super) fn allocator(&mut self, row: AllocatorRow) -> Result<(), UntimedRow> {
        if self.dialect.has_operator_memory {
            return Ok(());
        }
        let time = row.time.ok_or(UntimedRow)?;
        let strings = &self.dialect.strings;
        let text = |id: Option<i64>| id.and_then(|id| strings.text(id)).unwrap_or_default();
        let is_free = text(row.sort) == "release";
        let of = ALLOCATORS.iter().position(|it| *it == text(row.component));
        let bytes = if is_free {
            row.size.saturating_neg()
        } else {
            row.size
        };
        self.call_of_allocator(
            (row.device, of.unwrap_or(GRAPHS)),
            MemoryEvent {
                time,
                bytes,
                operator: row.operator,
                block: Some((MEMORY_ADDRESS, row.address)),
                totals: [row.allocated, row.reserved],
            },
        );
        Ok(())
    }

    /// How much an allocator has at an instant.
    pub(super) fn allocator_total(&mut self, row: AllocatorTotalRow) -> Result<(), UntimedRow> {
        let component = row.component.and_then(|id| self.dialect.strings.text(id));
        let of = ALLOCATORS.iter().position(|it| Some(*it) == component);
        let at = row.time.map(|time| (row.device, time));
        let totals = &mut self.dialect.totals;
        let excess = match (of, at) {
            (Some(GRAPHS), Some(at)) => totals.excess_of_graphs(at),
            (None, _) if component.is_some() => totals.excess_of_sum(row.device),
            _ => 0,
        };
        let total = row.allocated.filter(|_| of == Some(TENSORS));
        if let (Some(at), Some(total)) = (at, total)
            && let Some(bytes) = self.dialect.totals.untold(at, total as i64)
        {
            let lane = self.memory_lane(row.device, TENSORS);
            let event = MemoryEvent {
                time: at.1,
                bytes,
                operator: None,
                block: None,
                totals: [row.allocated, row.reserved].map(|it| it.map(|it| it as i64)),
            };
            self.memory_event(lane, &event);
        }
        let at = (row.time, row.device);
        let allocated = row.allocated.map(|it| it - excess as f64);
        for (name, value) in [
            ("Memory allocated", allocated),
            ("Memory reserved", row.reserved),
        ] {
            let series = CounterSeries(name, "bytes", "");
            self.sample(series, at, value, (None, row.component))?;
        }
        Ok(())
    }

    /// What an allocator of a device was called for. The total that the one of graphs has of a free is the one before it.
    fn call_of_allocator(&mut self, (device, of): (i64, usize), mut event: MemoryEvent<'_>) {
        let at = (device, event.time);
        if of == TENSORS {
            self.dialect.totals.note_call(at);
        } else if event.bytes < 0 {
            self.dialect
                .totals
                .note_free(at, event.bytes.saturating_neg());
            let [allocated, _] = &mut event.totals;
            *allocated = allocated.map(|it| it.saturating_add(event.bytes));
        }
        let lane = self.memory_lane(device, of);
        self.memory_event(lane, &event);
    }

    fn memory_event(&mut self, lane: LaneId, event: &MemoryEvent<'_>) {
        let name: NameId = self.draft.name(MEMORY_EVENT);
        let span: SpanId = self.draft.ran(SqliteSpan {
            lane,
            name,
            kind: SpanKind::Scope,
            state: State::Done,
            enqueued: None,
            start: event.time,
            end: event.time,
        });
        let [allocated, reserved] = event.totals;
        let fields = [
            Some((MEMORY_BYTES, event.bytes)),
            event.block,
            allocated.map(|it| (MEMORY_ALLOCATED, it)),
            reserved.map(|it| (MEMORY_RESERVED, it)),
        ];
        for (name, value) in fields.into_iter().flatten() {
            self.draft.field(span, name, Value::Integer(value));
        }
        let operator = event.operator;
        if let Some(text) = operator.and_then(|id| self.dialect.strings.text(id)) {
            let value = Value::Text(text.into());
            self.draft.field(span, MEMORY_OPERATOR, value);
        }
    }

    /// The lane on which an allocator's events lie.
    fn memory_lane(&mut self, device: i64, allocator: usize) -> LaneId {
        let of = self.device(device);
        let rank = self.dialect.ranks.get(&device);
        let rank = rank.and_then(|it| u32::try_from(*it).ok());
        let name = ALLOCATORS.get(allocator).copied().unwrap_or_default();
        let key = (Group::Device, [MEMORY_LANE, device, allocator as i64, 0]);
        self.draft.lanes.id(key, self.draft.sink, |_| LaneTitle {
            name: format!("memory, {name}"),
            device: Some(of),
            process: device.to_string(),
            rank,
            ..LaneTitle::default()
        })
    }
}

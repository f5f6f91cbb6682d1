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

/// Apart from the lanes of streams, whose numbers are not so small.
const MEMORY_LANE: i64 = i64::MIN;

/// An allocation or a free, as a table tells it.
struct MemoryEvent<'a> {
    time: i64,
    bytes: i64,
    operator: Option<i64>,
    /// The field by which it and its counterpart are known.
    block: (&'a str, i64),
    totals: [Option<i64>; 2],
}

impl AscendReader<'_, '_> {
    /// An allocation that an operator made, with its free.
    pub(super) fn operator_memory(&mut self, row: OperatorMemoryRow) -> Result<(), UntimedRow> {
        self.dialect.has_operator_memory = true;
        if row.allocated.is_none() && row.released.is_none() {
            return Err(UntimedRow);
        }
        let lane = self.memory_lane(row.device, usize::from(row.stream.is_none()));
        self.dialect.memory_blocks += 1;
        let block = (MEMORY_BLOCK, self.dialect.memory_blocks);
        let (before, after) = (row.totals, row.totals_after);
        let steps = [
            (row.allocated, row.size, [before.allocated, before.reserved]),
            (
                row.released,
                row.size.saturating_neg(),
                [after.allocated, after.reserved],
            ),
        ];
        for (time, bytes, totals) in steps {
            let Some(time) = time else { continue };
            let event = MemoryEvent {
                time,
                bytes,
                operator: Some(row.name),
                block,
                totals,
            };
            self.memory_event(lane, &event);
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
        let lane = self.memory_lane(row.device, of.unwrap_or(1));
        let event = MemoryEvent {
            time,
            bytes: if is_free {
                row.size.saturating_neg()
            } else {
                row.size
            },
            operator: row.operator,
            block: (MEMORY_ADDRESS, row.address),
            totals: [row.allocated, row.reserved],
        };
        self.memory_event(lane, &event);
        Ok(())
    }

    /// How much an allocator has at an instant.
    pub(super) fn allocator_total(&mut self, row: AllocatorTotalRow) -> Result<(), UntimedRow> {
        let at = (row.time, row.device);
        let totals = [
            ("Memory allocated", row.allocated),
            ("Memory reserved", row.reserved),
        ];
        for (name, value) in totals {
            let series = CounterSeries(name, "bytes", "");
            self.sample(series, at, value, (None, row.component))?;
        }
        Ok(())
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
        let (block, number) = event.block;
        let [allocated, reserved] = event.totals;
        let fields = [
            (MEMORY_BYTES, Some(event.bytes)),
            (block, Some(number)),
            (MEMORY_ALLOCATED, allocated),
            (MEMORY_RESERVED, reserved),
        ];
        for (name, value) in fields {
            if let Some(value) = value {
                self.draft.field(span, name, Value::Integer(value));
            }
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

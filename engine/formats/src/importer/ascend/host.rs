//! Calls of PyTorch and of CANN, ranges of the program itself, and steps.

use super::super::sqlite::{HostSpan, Row, Title};
use super::part::Part;
use super::{PROCESS, Reading};
use record::{Group, LaneId, SpanKind, State, Value};

/// Bits of a global thread number below those of its process.
const THREAD_BITS: u32 = 32;

impl Reading<'_, '_> {
    /// A call of CANN.
    pub(super) fn cann(&mut self, part: &Part, row: Row<'_>) {
        let text = self.strings.text(row.or_zero(3)).unwrap_or_default();
        let all = text == "aclrtSynchronizeDevice";
        let kind = if text.contains("Synchronize") {
            SpanKind::Synchronize
        } else {
            SpanKind::Call
        };
        let Some(place) = self.host(part, row, kind) else {
            return;
        };
        if let Some(number) = row.integer(4) {
            self.launches.add(PROCESS, number, place);
        }
        if all {
            self.syncs.all.push(place);
        } else if kind == SpanKind::Synchronize {
            self.syncs.unknown += 1;
        }
    }

    /// A call of PyTorch, or of Python.
    pub(super) fn python(&mut self, part: &Part, row: Row<'_>) {
        let Some(place) = self.host(part, row, SpanKind::Call) else {
            return;
        };
        if let Some(id) = row.integer(4) {
            self.flows.call(id, place);
        }
        for (name, at) in [("input types", 6), ("input shapes", 7)] {
            if let Some(text) = row.integer(at).and_then(|id| self.strings.text(id)) {
                let value = Value::Text(text.into());
                let field = self.draft.name(name);
                self.hosts.argument(place, field, value);
            }
        }
        if let Some(number) = row.integer(5) {
            let field = self.draft.name("sequence number");
            self.hosts.argument(place, field, Value::Integer(number));
        }
    }

    /// A range of the program itself.
    pub(super) fn range(&mut self, part: &Part, row: Row<'_>) {
        self.host(part, row, SpanKind::Scope);
    }

    /// A step of the training loop, which is of no thread.
    pub(super) fn step(&mut self, part: &Part, row: Row<'_>) {
        let Some(start) = row.integer(0) else {
            return self.draft.troubles.unplaced(&part.query.table, row.number);
        };
        let name = self.draft.name(&format!("step {}", row.or_zero(2)));
        let lane = self
            .draft
            .lanes
            .id((Group::Host, [i64::MIN, 0, 0, 0]), self.draft.sink, |_| {
                Title {
                    name: "Steps".to_owned(),
                    ..Title::default()
                }
            });
        let span = HostSpan {
            start,
            end: row.integer(1),
            name,
            kind: SpanKind::Scope,
            state: State::Done,
        };
        self.hosts.push(lane, span);
    }

    fn host(&mut self, part: &Part, row: Row<'_>, kind: SpanKind) -> Option<u32> {
        let Some(start) = row.integer(0) else {
            self.draft.troubles.unplaced(&part.query.table, row.number);
            return None;
        };
        let name = self.strings.name(row.or_zero(3), &mut self.draft);
        let lane = self.thread(row.or_zero(2));
        let span = HostSpan {
            start,
            end: row.integer(1),
            name,
            kind,
            state: State::Done,
        };
        Some(self.hosts.push(lane, span))
    }

    fn thread(&mut self, thread: i64) -> LaneId {
        let (process, number) = (thread >> THREAD_BITS, thread as u32);
        self.draft.lanes.id(
            (Group::Host, [process, thread, 0, 0]),
            self.draft.sink,
            |_| Title {
                name: format!("Thread {number}"),
                besides: format!("process {process}"),
                device: None,
                process: process.to_string(),
                thread: number.to_string(),
                rank: None,
            },
        )
    }
}

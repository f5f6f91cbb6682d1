//! Calls of PyTorch and of CANN, ranges of the program itself, and steps.

use super::super::sqlite::{HostSpan, LaneTitle, UntimedRow};
use super::tables::{AscendHostRow, AscendStepRow, CannRow, MstxRow, PytorchRow};
use super::{AscendReader, PROCESS};
use record::{Group, LaneId, SpanKind, State, Value};

/// Bits of a global thread number below those of its process.
const THREAD_BITS: u32 = 32;

impl AscendReader<'_, '_> {
    /// A call of CANN.
    pub(super) fn cann(&mut self, row: CannRow) -> Result<(), UntimedRow> {
        let text = self.dialect.strings.text(row.name).unwrap_or_default();
        let all = text == "aclrtSynchronizeDevice";
        let kind = if text.contains("Synchronize") {
            SpanKind::Synchronize
        } else {
            SpanKind::Call
        };
        let place = self.host(row.host, row.name, kind)?;
        if let Some(number) = row.connection {
            self.launches.add(PROCESS, number, place);
        }
        if all {
            self.dialect.syncs.all.push(place);
        } else if kind == SpanKind::Synchronize {
            self.dialect.syncs.unknown += 1;
        }
        Ok(())
    }

    /// A call of PyTorch, or of Python.
    pub(super) fn python(&mut self, row: PytorchRow) -> Result<(), UntimedRow> {
        let place = self.host(row.host, row.name, SpanKind::Call)?;
        if let Some(id) = row.connection {
            self.dialect.flows.call(id, place);
        }
        for (name, id) in [("input types", row.types), ("input shapes", row.shapes)] {
            if let Some(text) = id.and_then(|id| self.dialect.strings.text(id)) {
                let value = Value::Text(text.into());
                let field = self.draft.name(name);
                self.hosts.argument(place, field, value);
            }
        }
        if let Some(number) = row.sequence {
            let field = self.draft.name("sequence number");
            self.hosts.argument(place, field, Value::Integer(number));
        }
        Ok(())
    }

    /// A range of the program itself.
    pub(super) fn range(&mut self, row: MstxRow) -> Result<(), UntimedRow> {
        self.host(row.host, row.name, SpanKind::Scope).map(drop)
    }

    /// A step of the training loop, which is of no thread.
    pub(super) fn step(&mut self, row: AscendStepRow) -> Result<(), UntimedRow> {
        let start = row.start.ok_or(UntimedRow)?;
        let name = self.draft.name(&format!("step {}", row.id));
        let lane = self
            .draft
            .lanes
            .id((Group::Host, [i64::MIN, 0, 0, 0]), self.draft.sink, |_| {
                LaneTitle {
                    name: "Steps".to_owned(),
                    ..LaneTitle::default()
                }
            });
        let span = HostSpan {
            start,
            end: row.end,
            name,
            kind: SpanKind::Scope,
            state: State::Done,
        };
        self.hosts.push(lane, span);
        Ok(())
    }

    fn host(&mut self, row: AscendHostRow, name: i64, kind: SpanKind) -> Result<u32, UntimedRow> {
        let start = row.start.ok_or(UntimedRow)?;
        let name = self.dialect.strings.name(name, &mut self.draft);
        let lane = self.thread(row.thread);
        let span = HostSpan {
            start,
            end: row.end,
            name,
            kind,
            state: State::Done,
        };
        Ok(self.hosts.push(lane, span))
    }

    fn thread(&mut self, thread: i64) -> LaneId {
        let (process, number) = (thread >> THREAD_BITS, thread as u32);
        self.draft.lanes.id(
            (Group::Host, [process, thread, 0, 0]),
            self.draft.sink,
            |_| LaneTitle {
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

//! Calls of host threads, and ranges and marks of the program itself.

use super::super::sqlite::{HostSpan, LaneTitle, UntimedRow};
use super::tables::{NvprofCallRow, NvprofDeviceRow, NvprofMarkRow};
use super::{NvprofReader, PROCESS, api};
use record::{Group, LaneId, NameId, SpanKind, State, Value};

/// What a query answers while the work is not done yet. It is no failure.
const NOT_READY: i64 = 600;

/// Flags of marks, from CUPTI's `CUpti_ActivityFlag`.
mod flag {
    pub const INSTANT: i64 = 1;
    pub const START: i64 = 2;
    pub const END: i64 = 4;
}

/// A range that has begun.
#[derive(Clone, Copy, Debug)]
pub(super) struct OpenRange {
    start: i64,
    name: NameId,
}

impl NvprofReader<'_, '_> {
    pub(super) fn device(&mut self, row: NvprofDeviceRow) {
        let name = self.dialect.strings.text(row.name).unwrap_or_default();
        self.dialect.devices.insert(row.id, name.to_owned());
    }

    pub(super) fn runtime_call(&mut self, row: NvprofCallRow) -> Result<(), UntimedRow> {
        self.call(row, &api::name(row.function, true))
    }

    pub(super) fn driver_call(&mut self, row: NvprofCallRow) -> Result<(), UntimedRow> {
        self.call(row, &api::name(row.function, false))
    }

    /// A call of the runtime or of the driver.
    fn call(&mut self, row: NvprofCallRow, text: &str) -> Result<(), UntimedRow> {
        let start = row.start.filter(|&start| start > 0).ok_or(UntimedRow)?;
        let name = self.draft.name(text);
        let returned = row.returned;
        let lane = self.thread(row.process, row.thread);
        let kind = if text.contains("Synchronize") {
            SpanKind::Synchronize
        } else {
            SpanKind::Call
        };
        let state = match returned {
            0 | NOT_READY => State::Done,
            _ => State::Failed,
        };
        let end = row.end.filter(|&end| end > 0);
        let span = HostSpan {
            start,
            end,
            name,
            kind,
            state,
        };
        let place = self.hosts.push(lane, span);
        if returned != 0 {
            let field = self.draft.name("returned");
            self.hosts.argument(place, field, Value::Integer(returned));
        }
        if let Some(number) = row.correlation {
            self.launches.add(PROCESS, number, place);
        }
        Ok(())
    }

    fn thread(&mut self, process: i64, thread: i64) -> LaneId {
        let key = (Group::Host, [process, thread, 0, 0]);
        // Written without a sign in some versions, and with one in others.
        let number = thread as u32;
        self.draft.lanes.id(key, self.draft.sink, |_| LaneTitle {
            name: format!("Thread {number}"),
            besides: format!("process {process}"),
            device: None,
            process: process.to_string(),
            thread: number.to_string(),
            rank: None,
        })
    }

    /// The beginning or the end of a range, or an instant.
    pub(super) fn mark(&mut self, row: NvprofMarkRow) {
        let (start, flags, id) = (row.time, row.flags, row.id);
        if flags & flag::END != 0 {
            if let Some(mark) = self.dialect.marks.remove(&id) {
                self.range(mark, Some(start));
            }
            return;
        }
        let name = self.dialect.strings.name(row.name, &mut self.draft);
        let mark = OpenRange { start, name };
        if flags & flag::START != 0 {
            self.dialect.marks.insert(id, mark);
        } else if flags & flag::INSTANT != 0 {
            self.range(mark, Some(start));
        }
    }

    /// Ranges that have not ended are shown as still running.
    pub(super) fn close_marks(&mut self) {
        let mut open: Vec<(i64, OpenRange)> = std::mem::take(&mut self.dialect.marks)
            .into_iter()
            .collect();
        open.sort_unstable_by_key(|(id, mark)| (mark.start, *id));
        for (_, mark) in open {
            self.range(mark, None);
        }
    }

    fn range(&mut self, mark: OpenRange, end: Option<i64>) {
        let lane = self
            .draft
            .lanes
            .id((Group::Host, [i64::MIN, 0, 0, 0]), self.draft.sink, |_| {
                LaneTitle {
                    name: "Ranges of the program".to_owned(),
                    ..LaneTitle::default()
                }
            });
        let span = HostSpan {
            start: mark.start,
            end,
            name: mark.name,
            kind: SpanKind::Scope,
            state: State::Done,
        };
        self.hosts.push(lane, span);
    }
}

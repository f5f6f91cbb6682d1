//! Calls of host threads, and ranges and marks of the program itself.

use super::super::sqlite::{HostSpan, Row, Title};
use super::part::Part;
use super::{PROCESS, Reading, api};
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
pub(super) struct Mark {
    start: i64,
    name: NameId,
}

impl Reading<'_, '_> {
    pub(super) fn device(&mut self, row: Row<'_>) {
        let name = self.strings.text(row.or_zero(1)).unwrap_or_default();
        self.devices.insert(row.or_zero(0), name.to_owned());
    }

    /// A call of the runtime or of the driver.
    pub(super) fn call(&mut self, part: &Part, row: Row<'_>, is_runtime: bool) {
        let Some(start) = row.integer(0).filter(|&start| start > 0) else {
            return self.draft.troubles.unplaced(&part.query.table, row.number);
        };
        let text = api::name(row.or_zero(5), is_runtime);
        let name = self.draft.name(&text);
        let returned = row.or_zero(6);
        let lane = self.thread(row.or_zero(2), row.or_zero(3));
        let place = self.hosts.push(
            lane,
            HostSpan {
                start,
                end: row.integer(1).filter(|&end| end > 0),
                name,
                kind: if text.contains("Synchronize") {
                    SpanKind::Synchronize
                } else {
                    SpanKind::Call
                },
                state: match returned {
                    0 | NOT_READY => State::Done,
                    _ => State::Failed,
                },
            },
        );
        if returned != 0 {
            let field = self.draft.name("returned");
            self.hosts.argument(place, field, Value::Integer(returned));
        }
        if let Some(number) = row.integer(4) {
            self.launches.add(PROCESS, number, place);
        }
    }

    fn thread(&mut self, process: i64, thread: i64) -> LaneId {
        let key = (Group::Host, [process, thread, 0, 0]);
        // Written without a sign in some versions, and with one in others.
        let number = thread as u32;
        self.draft.lanes.id(key, self.draft.sink, |_| Title {
            name: format!("Thread {number}"),
            besides: format!("process {process}"),
            device: None,
            process: process.to_string(),
            thread: number.to_string(),
            rank: None,
        })
    }

    /// The beginning or the end of a range, or an instant.
    pub(super) fn mark(&mut self, row: Row<'_>) {
        let (start, flags, id) = (row.or_zero(0), row.or_zero(1), row.or_zero(2));
        if flags & flag::END != 0 {
            if let Some(mark) = self.marks.remove(&id) {
                self.range(mark, Some(start));
            }
            return;
        }
        let name = self.strings.name(row.or_zero(3), &mut self.draft);
        let mark = Mark { start, name };
        if flags & flag::START != 0 {
            self.marks.insert(id, mark);
        } else if flags & flag::INSTANT != 0 {
            self.range(mark, Some(start));
        }
    }

    /// Ranges that have not ended are shown as still running.
    pub(super) fn close_marks(&mut self) {
        let mut open: Vec<(i64, Mark)> = std::mem::take(&mut self.marks).into_iter().collect();
        open.sort_unstable_by_key(|(id, mark)| (mark.start, *id));
        for (_, mark) in open {
            self.range(mark, None);
        }
    }

    fn range(&mut self, mark: Mark, end: Option<i64>) {
        let lane = self
            .draft
            .lanes
            .id((Group::Host, [i64::MIN, 0, 0, 0]), self.draft.sink, |_| {
                Title {
                    name: "Ranges of the program".to_owned(),
                    ..Title::default()
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

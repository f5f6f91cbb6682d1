//! Calls of host threads.

use super::super::sqlite::{HostSpan, Row, Title};
use super::Reading;
use super::facts::PROCESS;
use record::{Group, LaneId, State, Value};

/// What a query answers while the work is not done yet: CUDA's `not ready`. It is no failure.
const NOT_READY: i64 = 600;

/// Bits of a global thread number below those of its process.
pub(super) const THREAD_BITS: u32 = 24;

impl Reading<'_, '_> {
    /// A row of a table of calls.
    pub(super) fn api(&mut self, table: &str, row: Row<'_>, cuda: bool) {
        let Some(start) = row.integer(0) else {
            return self.draft.troubles.unplaced(table, row.number);
        };
        let thread = row.or_zero(2);
        let lane = self.thread(thread);
        let id = row.integer(3).or(row.integer(6)).unwrap_or(-1);
        let api = self.calls.get(id, &self.facts.strings, &mut self.draft);
        let returned = row.or_zero(5);
        let failed = cuda && returned != 0 && returned != NOT_READY;
        let place = self.hosts.push(
            lane,
            HostSpan {
                start,
                end: row.integer(1),
                name: api.name,
                kind: api.kind,
                state: if failed { State::Failed } else { State::Done },
            },
        );
        if returned != 0 {
            self.hosts
                .argument(place, self.fields.returned, Value::Integer(returned));
        }
        // Only the calls of CUDA share numbers with work of the GPU.
        if let Some(number) = row.integer(4).filter(|_| cuda) {
            let process = thread >> THREAD_BITS;
            self.launches.add(process, number, place);
            if api.records {
                self.recorders.push((process, number, place));
            }
        }
    }

    /// The lane of a thread.
    pub(super) fn thread(&mut self, thread: i64) -> LaneId {
        let key = (Group::Host, [thread >> THREAD_BITS, thread, 0, 0]);
        let facts = &self.facts;
        self.draft.lanes.id(key, self.draft.sink, |_| Title {
            name: facts.thread_name(thread),
            process: ((thread >> THREAD_BITS) & PROCESS).to_string(),
            thread: (thread & PROCESS).to_string(),
            ..Title::default()
        })
    }
}

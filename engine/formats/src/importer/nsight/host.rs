//! Calls of host threads.

use super::super::sqlite::{HostSpan, LaneTitle, UntimedRow};
use super::NsightReader;
use super::facts::PROCESS;
use super::tables::NsightCallRow;
use record::{Group, LaneId, State, Value};

/// What a query answers while the work is not done yet: CUDA's `not ready`. It is no failure.
const NOT_READY: i64 = 600;

/// Bits of a global thread number below those of its process.
pub(super) const THREAD_BITS: u32 = 24;

impl NsightReader<'_, '_> {
    pub(super) fn cuda_call(&mut self, row: NsightCallRow) -> Result<(), UntimedRow> {
        self.call(row, true)
    }

    pub(super) fn other_call(&mut self, row: NsightCallRow) -> Result<(), UntimedRow> {
        self.call(row, false)
    }

    /// A call of CUDA or of another library.
    fn call(&mut self, row: NsightCallRow, cuda: bool) -> Result<(), UntimedRow> {
        let start = row.start.ok_or(UntimedRow)?;
        let lane = self.thread(row.thread);
        let id = row.name.or(row.text).unwrap_or(-1);
        let known = &mut self.dialect;
        let api = known.calls.get(id, &known.facts.strings, &mut self.draft);
        let returned = row.returned;
        let failed = cuda && returned != 0 && returned != NOT_READY;
        let place = self.hosts.push(
            lane,
            HostSpan {
                start,
                end: row.end,
                name: api.name,
                kind: api.kind,
                state: if failed { State::Failed } else { State::Done },
            },
        );
        if returned != 0 {
            self.hosts
                .argument(place, known.fields.returned, Value::Integer(returned));
        }
        // Only the calls of CUDA share numbers with work of the GPU.
        if let Some(number) = row.correlation.filter(|_| cuda) {
            let process = row.thread >> THREAD_BITS;
            self.launches.add(process, number, place);
            if api.records {
                known.recorders.push((process, number, place));
            }
            if api.waits && !failed {
                known.waiters.push((process, number, api.name));
            }
        }
        Ok(())
    }

    /// The lane of a thread.
    pub(super) fn thread(&mut self, thread: i64) -> LaneId {
        let key = (Group::Host, [thread >> THREAD_BITS, thread, 0, 0]);
        let facts = &self.dialect.facts;
        self.draft.lanes.id(key, self.draft.sink, |_| LaneTitle {
            name: facts.thread_name(thread),
            process: ((thread >> THREAD_BITS) & PROCESS).to_string(),
            thread: (thread & PROCESS).to_string(),
            ..LaneTitle::default()
        })
    }
}

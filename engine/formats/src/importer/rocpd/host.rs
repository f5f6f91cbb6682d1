//! Calls and other parts of host threads, and what the calls were given.

use super::super::sqlite::{HostSpan, LaneTitle, UntimedRow};
use super::RocpdReader;
use super::tables::{RocpdAllocationRow, RocpdArgumentRow, RocpdRegionRow};
use record::{Group, LaneId, SpanKind, State, Value};

/// Bits of a process's number below those of the one who profiled it.
const PROCESS_BITS: u32 = 40;

/// A process, of all that any profiler saw.
pub(super) fn process(owner: i64, number: i64) -> i64 {
    owner << PROCESS_BITS | (number & ((1 << PROCESS_BITS) - 1))
}

impl RocpdReader<'_, '_> {
    /// A call, or another part of a host thread.
    pub(super) fn region(&mut self, row: RocpdRegionRow) -> Result<(), UntimedRow> {
        let start = row.start.ok_or(UntimedRow)?;
        let (owner, event) = (self.owner, (self.owner, row.event));
        let facts = &self.dialect.facts;
        let text = facts.text((owner, row.name));
        let kind = kind(facts.category(event), text);
        let name = self.draft.names.id(text, self.draft.sink);
        let lane = self.thread(row.process, row.thread);
        let place = self.hosts.push(
            lane,
            HostSpan {
                start,
                end: row.end,
                name,
                kind,
                state: State::Done,
            },
        );
        let (process, known) = (process(owner, row.process), &mut self.dialect);
        if let Some(stack) = known.facts.stack(event) {
            self.launches.add(process, stack, place);
        }
        known.calls.insert(event, place);
        let text = known.facts.text((owner, row.name));
        known.handles.call(text, process, place, &self.hosts);
        Ok(())
    }

    /// Memory that was taken or given back.
    pub(super) fn allocation(&mut self, row: RocpdAllocationRow<'_>) -> Result<(), UntimedRow> {
        let start = row.start.ok_or(UntimedRow)?;
        let lane = self.thread(row.process, row.thread);
        let name = match row.sort {
            Some("ALLOC") => "allocate memory",
            Some("FREE") => "free memory",
            Some(other) => other,
            None => "memory",
        };
        let name = self.draft.name(name);
        let place = self.hosts.push(
            lane,
            HostSpan {
                start,
                end: row.end,
                name,
                kind: SpanKind::HostWork,
                state: State::Done,
            },
        );
        if let Some(bytes) = row.bytes {
            let field = self.draft.name("bytes");
            self.hosts.argument(place, field, Value::Integer(bytes));
        }
        Ok(())
    }

    /// What a call was given.
    pub(super) fn call_argument(&mut self, row: RocpdArgumentRow<'_>) {
        let known = &mut self.dialect;
        let place = known.calls.get(&(self.owner, row.event)).copied();
        let (Some(place), Some(name), Some(value)) = (place, row.name, row.value) else {
            known.strays += 1;
            return;
        };
        known.handles.note_address(place, name, value);
        self.draft
            .field(self.hosts.span(place), name, Value::Text(value.into()));
    }

    fn thread(&mut self, process_number: i64, thread: i64) -> LaneId {
        let owner = self.owner;
        let key = (Group::Host, [process(owner, process_number), thread, 0, 0]);
        let facts = &self.dialect.facts;
        self.draft.lanes.id(key, self.draft.sink, |_| LaneTitle {
            name: facts.thread(owner, process_number, thread).0,
            besides: facts.owner(owner, process_number),
            device: None,
            process: process_number.to_string(),
            thread: facts.thread(owner, process_number, thread).1.to_string(),
            rank: None,
        })
    }
}

/// What sort of span a region is.
fn kind(category: &str, name: &str) -> SpanKind {
    let api = ["hip", "hsa", "rccl", "api"];
    let calls = api
        .iter()
        .any(|it| category.to_ascii_lowercase().contains(it))
        || name.starts_with("hip");
    match name {
        _ if name.starts_with("hip") && name.contains("Synchronize") => SpanKind::Synchronize,
        _ if calls => SpanKind::Call,
        _ if category.to_ascii_lowercase().contains("marker") => SpanKind::Scope,
        _ => SpanKind::HostWork,
    }
}

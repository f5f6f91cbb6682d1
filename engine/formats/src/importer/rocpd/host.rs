//! Calls and other parts of host threads, and what the calls were given.

use super::super::sqlite::{HostSpan, Row, Title};
use super::Reading;
use super::part::Part;
use record::{Group, LaneId, SpanKind, State, Value};

/// Bits of a process's number below those of the one who profiled it.
const PROCESS_BITS: u32 = 40;

/// A process, of all that any profiler saw.
pub(super) fn process(owner: i64, number: i64) -> i64 {
    owner << PROCESS_BITS | (number & ((1 << PROCESS_BITS) - 1))
}

impl Reading<'_, '_> {
    /// A call, or another part of a host thread.
    pub(super) fn region(&mut self, part: &Part, row: Row<'_>) {
        let Some(start) = row.integer(0) else {
            return self.draft.troubles.unplaced(&part.query.table, row.number);
        };
        let (owner, process_number) = (part.owner, row.or_zero(2));
        let event = (owner, row.or_zero(5));
        let text = self.facts.text((owner, row.or_zero(4)));
        let kind = kind(self.facts.category(event), text);
        let name = self.draft.names.id(text, self.draft.sink);
        let lane = self.thread(owner, process_number, row.or_zero(3));
        let place = self.hosts.push(
            lane,
            HostSpan {
                start,
                end: row.integer(1),
                name,
                kind,
                state: State::Done,
            },
        );
        let process = process(owner, process_number);
        if let Some(stack) = self.facts.stack(event) {
            self.launches.add(process, stack, place);
        }
        self.calls.insert(event, place);
        let text = self.facts.text((owner, row.or_zero(4)));
        self.handles.call(text, process, place, &self.hosts);
    }

    /// Memory that was taken or given back.
    pub(super) fn allocation(&mut self, part: &Part, row: Row<'_>) {
        let Some(start) = row.integer(0) else {
            return self.draft.troubles.unplaced(&part.query.table, row.number);
        };
        let lane = self.thread(part.owner, row.or_zero(2), row.or_zero(3));
        let name = match row.text(4) {
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
                end: row.integer(1),
                name,
                kind: SpanKind::HostWork,
                state: State::Done,
            },
        );
        if let Some(bytes) = row.integer(5) {
            let field = self.draft.name("bytes");
            self.hosts.argument(place, field, Value::Integer(bytes));
        }
    }

    /// What a call was given.
    pub(super) fn call_argument(&mut self, part: &Part, row: Row<'_>) {
        let place = self.calls.get(&(part.owner, row.or_zero(0))).copied();
        let (Some(place), Some(name), Some(value)) = (place, row.text(1), row.text(2)) else {
            self.strays += 1;
            return;
        };
        self.draft
            .field(self.hosts.span(place), name, Value::Text(value.into()));
        self.handles.given(place, name, value);
    }

    fn thread(&mut self, owner: i64, process_number: i64, thread: i64) -> LaneId {
        let key = (Group::Host, [process(owner, process_number), thread, 0, 0]);
        let facts = &self.facts;
        self.draft.lanes.id(key, self.draft.sink, |_| Title {
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

//! Calls, ranges that the program marked, and what else threads did.

use serde_json::Value as Json;

use super::Rocprofv3Reader;
use super::row::Rocprofv3Row;
use crate::importer::ImportError;
use crate::importer::sqlite::{HostSpan, LaneTitle};
use record::{Group, LaneId, SpanKind, State, Value};

/// What a list of records is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RecordListKind {
    Call,
    Marker,
    Memory,
    Other,
}

impl RecordListKind {
    /// What the records of a list are.
    pub fn of(list: &str) -> Self {
        match list {
            "marker_api" => Self::Marker,
            "memory_allocation" | "scratch_memory" => Self::Memory,
            list if list.ends_with("_api") => Self::Call,
            _ => Self::Other,
        }
    }
}

impl Rocprofv3Reader<'_, '_> {
    /// Hands over everything that threads did.
    pub(super) fn call_all(&mut self, read: u64) -> Result<(), ImportError> {
        while let Some((process, sort, row)) = self.calls.next() {
            self.call(process, row, sort);
        }
        self.hosts.hand_over(&mut self.draft, read)
    }

    fn call(&mut self, process: u32, row: Rocprofv3Row, sort: RecordListKind) {
        let (Some(start), owner) = (row.start_timestamp.time(), i64::from(process)) else {
            return;
        };
        let correlation = row.correlation_id.internal;
        let marked = correlation.0.filter(|_| sort == RecordListKind::Marker);
        let marked = marked.and_then(|it| self.facts.marker(process, it));
        let text = marked.or_else(|| self.facts.operation(process, row.kind, row.operation));
        let text = text.unwrap_or("?").to_owned();
        let span = HostSpan {
            start,
            end: row.end_timestamp.time(),
            name: self.draft.name(&text),
            kind: kind(sort, &text),
            state: State::Done,
        };
        let lane = self.thread(process, row.thread_id.or_zero());
        let place = self.hosts.push(lane, span);
        if sort == RecordListKind::Call {
            if let Some(correlation) = correlation.0 {
                self.launches.add(owner, correlation, place);
            }
            self.handles.call(&text, owner, place, &self.hosts);
        }
        if let Some(bytes) = row.allocation_size.0 {
            let field = self.draft.name("bytes");
            self.hosts.argument(place, field, Value::Integer(bytes));
        }
        for (name, value) in row.args.map(|it| *it).into_iter().flatten() {
            self.argument(place, &name, value);
        }
    }

    /// What a call was given.
    fn argument(&mut self, place: u32, name: &str, value: Json) {
        let text = match value {
            Json::String(text) => text,
            other => other.to_string(),
        };
        self.handles.note_address(place, name, &text);
        let field = self.draft.name(name);
        self.hosts.argument(place, field, Value::Text(text.into()));
    }

    fn thread(&mut self, process: u32, thread: i64) -> LaneId {
        let key = (Group::Host, [i64::from(process), thread, 0, 0]);
        let facts = &self.facts;
        self.draft.lanes.id(key, self.draft.sink, |_| LaneTitle {
            name: format!("Thread {thread}"),
            besides: format!("process {}", facts.process(process)),
            device: None,
            process: facts.process(process).to_string(),
            thread: thread.to_string(),
            rank: None,
        })
    }
}

/// What sort of span a record is.
fn kind(sort: RecordListKind, name: &str) -> SpanKind {
    match sort {
        RecordListKind::Call if name.starts_with("hip") && name.contains("Synchronize") => {
            SpanKind::Synchronize
        }
        RecordListKind::Call => SpanKind::Call,
        RecordListKind::Marker => SpanKind::Scope,
        RecordListKind::Memory | RecordListKind::Other => SpanKind::HostWork,
    }
}

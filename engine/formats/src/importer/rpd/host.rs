//! Calls, and what they were given.

use super::super::sqlite::{HostSpan, Row, Title};
use super::part::Part;
use super::{Call, Reading};
use record::{Group, LaneId, SpanKind, State, Value};

/// What the profiler calls a range that the program itself set; its name is what the call was given.
const MARKER: &str = "UserMarker";

impl Reading<'_, '_> {
    pub(super) fn call(&mut self, part: &Part, row: Row<'_>) {
        let Some(start) = row.integer(0) else {
            return self.draft.troubles.unplaced(&part.query.table, row.number);
        };
        let process = row.or_zero(3);
        let lane = self.thread(process, row.or_zero(4));
        let text = self.strings.text(row.or_zero(5)).unwrap_or("?").to_owned();
        let longer = self.longer.text(row.or_zero(6));
        let given = longer
            .or_else(|| self.strings.text(row.or_zero(6)))
            .unwrap_or_default()
            .to_owned();
        let marker = text == MARKER && !given.is_empty();
        let name = self.draft.name(if marker { &given } else { &text });
        let kind = match text.as_str() {
            MARKER => SpanKind::Scope,
            name if name.starts_with("hip") && name.contains("Synchronize") => {
                SpanKind::Synchronize
            }
            _ => SpanKind::Call,
        };
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
        self.calls.insert(row.or_zero(2), Call { place, process });
        self.handles.call(&text, process, place, &self.hosts);
        for (name, value) in pairs(&given).filter(|_| !marker) {
            self.handles.given(place, name, value);
        }
        if !marker && !given.is_empty() {
            let field = self.draft.name("arguments");
            self.hosts.argument(place, field, Value::Text(given.into()));
        }
    }

    /// What a launch of a kernel was given.
    pub(super) fn kernel_call(&mut self, row: Row<'_>) {
        let Some(call) = self.given_stream(row) else {
            return;
        };
        let size = |at: usize| {
            format!(
                "{}×{}×{}",
                row.or_zero(at),
                row.or_zero(at + 1),
                row.or_zero(at + 2)
            )
        };
        let span = self.hosts.span(call.place);
        for (name, at) in [("grid", 2), ("workgroup", 5)] {
            self.draft.field(span, name, Value::Text(size(at).into()));
        }
    }

    /// What a copy was given.
    pub(super) fn copy_call(&mut self, row: Row<'_>) {
        let Some(call) = self.given_stream(row) else {
            return;
        };
        let span = self.hosts.span(call.place);
        self.draft
            .field(span, "bytes", Value::Integer(row.or_zero(2)));
    }

    fn given_stream(&mut self, row: Row<'_>) -> Option<Call> {
        let call = *self.calls.get(&row.or_zero(0))?;
        if let Some(stream) = row.text(1) {
            self.handles.given(call.place, "stream", stream);
            let span = self.hosts.span(call.place);
            self.draft.field(span, "stream", Value::Text(stream.into()));
        }
        Some(call)
    }

    fn thread(&mut self, process: i64, thread: i64) -> LaneId {
        let key = (Group::Host, [process, thread, 0, 0]);
        self.draft.lanes.id(key, self.draft.sink, |_| Title {
            name: format!("Thread {thread}"),
            besides: format!("process {process}"),
            device: None,
            process: process.to_string(),
            thread: thread.to_string(),
            rank: None,
        })
    }
}

/// What a call was given, where that is written as names and values.
fn pairs(given: &str) -> impl Iterator<Item = (&str, &str)> {
    let parts = given.split(['|', ',', ';']);
    parts.filter_map(|part| {
        let (name, value) = part.split_once(['=', ':'])?;
        Some((name.trim(), value.trim()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_call_was_given_is_pairs() {
        let found: Vec<_> = pairs("stream=0x10 | event: 0x20, 7").collect();
        assert_eq!(found, [("stream", "0x10"), ("event", "0x20")]);
    }
}

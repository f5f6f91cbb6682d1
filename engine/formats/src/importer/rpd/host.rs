//! Calls, and what they were given.

use super::super::sqlite::{HostSpan, LaneTitle, UntimedRow};
use super::tables::{RpdCallRow, RpdCopyCallRow, RpdKernelCallRow};
use super::{RpdCall, RpdReader};
use record::{Group, LaneId, SpanKind, State, Value};

/// What the profiler calls a range that the program itself set; its name is what the call was given.
const MARKER: &str = "UserMarker";

impl RpdReader<'_, '_> {
    pub(super) fn call(&mut self, row: RpdCallRow) -> Result<(), UntimedRow> {
        let start = row.start.ok_or(UntimedRow)?;
        let (process, known) = (row.process, &self.dialect);
        let text = known.strings.text(row.name).unwrap_or("?").to_owned();
        let given = known.longer.text(row.given);
        let given = given
            .or_else(|| known.strings.text(row.given))
            .unwrap_or_default()
            .to_owned();
        let lane = self.thread(process, row.thread);
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
                end: row.end,
                name,
                kind,
                state: State::Done,
            },
        );
        let handles = &mut self.dialect.handles;
        handles.call(&text, process, place, &self.hosts);
        for (name, value) in pairs(&given).filter(|_| !marker) {
            handles.note_address(place, name, value);
        }
        let call = RpdCall { place, process };
        self.dialect.calls.insert(row.id, call);
        if !marker && !given.is_empty() {
            let field = self.draft.name("arguments");
            self.hosts.argument(place, field, Value::Text(given.into()));
        }
        Ok(())
    }

    /// What a launch of a kernel was given.
    pub(super) fn kernel_call(&mut self, row: RpdKernelCallRow<'_>) {
        let Some(call) = self.given_stream(row.call, row.stream) else {
            return;
        };
        let span = self.hosts.span(call.place);
        for (name, [x, y, z]) in [("grid", row.grid), ("workgroup", row.workgroup)] {
            let size = format!("{x}×{y}×{z}");
            self.draft.field(span, name, Value::Text(size.into()));
        }
    }

    /// What a copy was given.
    pub(super) fn copy_call(&mut self, row: RpdCopyCallRow<'_>) {
        if let Some(call) = self.given_stream(row.call, row.stream) {
            let span = self.hosts.span(call.place);
            self.draft.field(span, "bytes", Value::Integer(row.bytes));
        }
    }

    fn given_stream(&mut self, call: i64, stream: Option<&str>) -> Option<RpdCall> {
        let call = *self.dialect.calls.get(&call)?;
        if let Some(stream) = stream {
            self.dialect
                .handles
                .note_address(call.place, "stream", stream);
            let span = self.hosts.span(call.place);
            self.draft.field(span, "stream", Value::Text(stream.into()));
        }
        Some(call)
    }

    fn thread(&mut self, process: i64, thread: i64) -> LaneId {
        let key = (Group::Host, [process, thread, 0, 0]);
        self.draft.lanes.id(key, self.draft.sink, |_| LaneTitle {
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

//! Work of the GPU: kernels and copies, by stream.

use super::super::sqlite::{
    LaneTitle, SqliteSpan, SubmissionStream, SubmittedOperation, UntimedRow, WorkKind,
};
use super::RocpdReader;
use super::host::process;
use super::tables::{RocpdCopyRow, RocpdKernelRow, RocpdWorkRow};
use record::{Group, LaneId, SpanId, SpanKind, State, Value};

impl RocpdReader<'_, '_> {
    /// A kernel.
    pub(super) fn dispatch(&mut self, row: RocpdKernelRow) -> Result<(), UntimedRow> {
        let text = self.dialect.facts.symbol((self.owner, row.kernel));
        let work = WorkKind::of(SpanKind::Kernel, text);
        let name = self.draft.names.id(text, self.draft.sink);
        let ran = (name, SpanKind::Kernel, work);
        let key = (process(self.owner, row.work.process), row.work.stream);
        self.dialect.agents.entry(key).or_insert(row.agent);
        let span = self.work(row.work, row.agent, ran)?;
        for (field, [x, y, z]) in [("grid", row.grid), ("workgroup", row.workgroup)] {
            let size = format!("{x}×{y}×{z}");
            self.draft.field(span, field, Value::Text(size.into()));
        }
        for (name, bytes) in [
            ("local memory (bytes)", row.local_memory),
            ("scratch memory (bytes)", row.scratch_memory),
        ] {
            if bytes != 0 {
                self.draft.field(span, name, Value::Integer(bytes));
            }
        }
        if let Some(dispatch) = row.dispatch {
            self.draft.field(span, "dispatch", Value::Integer(dispatch));
        }
        let event = (self.owner, row.work.event);
        self.dialect.dispatched.insert(event, span);
        Ok(())
    }

    /// A copy.
    pub(super) fn copy(&mut self, row: RocpdCopyRow) -> Result<(), UntimedRow> {
        let (owner, to, from) = (self.owner, row.destination, row.source);
        let facts = &self.dialect.facts;
        let text = facts.text((owner, row.name));
        let is_gpu = |agent: i64| facts.agent((owner, agent)).is_some_and(|it| it.is_gpu);
        let kind = match text {
            _ if text.contains("HOST_TO_DEVICE") => SpanKind::Upload,
            _ if text.contains("DEVICE_TO_HOST") => SpanKind::Download,
            _ if text.contains("DEVICE_TO_DEVICE") || is_gpu(to) == is_gpu(from) => SpanKind::Copy,
            _ if is_gpu(to) => SpanKind::Upload,
            _ => SpanKind::Download,
        };
        // Some writers name the destination twice: then the stream says which GPU it was.
        let key = (process(owner, row.work.process), row.work.stream);
        let agent = match (is_gpu(to), is_gpu(from)) {
            (true, _) => to,
            (_, true) => from,
            _ => self.dialect.agents.get(&key).copied().unwrap_or(to),
        };
        let name = self.draft.names.id(text, self.draft.sink);
        let span = self.work(row.work, agent, (name, kind, WorkKind::of(kind, "")))?;
        self.draft.field(span, "bytes", Value::Integer(row.bytes));
        Ok(())
    }

    /// What all work has in common.
    fn work(
        &mut self,
        row: RocpdWorkRow,
        agent: i64,
        (name, kind, work): (record::NameId, SpanKind, WorkKind),
    ) -> Result<SpanId, UntimedRow> {
        let (start, end) = row.start.zip(row.end).ok_or(UntimedRow)?;
        let stream = SubmissionStream {
            process: process(self.owner, row.process),
            context: agent,
            number: row.stream,
        };
        let ran = SqliteSpan {
            lane: self.stream(row.process, stream),
            name,
            kind,
            state: State::Done,
            enqueued: None,
            start,
            end,
        };
        let stack = self.dialect.facts.stack((self.owner, row.event));
        let place = stack.and_then(|stack| self.launches.get(stream.process, stack));
        let span = self.submitted(ran, work, place);
        if let Some(place) = place {
            self.dialect.handles.ran(place, stream);
            let order = self.hosts.start(place).unwrap_or(start);
            self.operations
                .add(stream, SubmittedOperation::new(order, (start, end), span));
        }
        if let Some(queue) = self.dialect.facts.queue((self.owner, row.queue)) {
            let queue = Value::Text(queue.into());
            self.draft.field(span, "queue", queue);
        }
        Ok(span)
    }

    fn stream(&mut self, process_number: i64, stream: SubmissionStream) -> LaneId {
        let owner = self.owner;
        let key = (
            Group::Streams,
            [owner, stream.context, stream.process, stream.number],
        );
        let (facts, devices) = (&self.dialect.facts, &mut self.draft.devices);
        self.draft.lanes.id(key, self.draft.sink, |sink| {
            let agent = facts
                .agent((owner, stream.context))
                .cloned()
                .unwrap_or_default();
            let device = process(owner, stream.context);
            let id = devices.id(device, "hip", sink, || (agent.name, agent.detail));
            LaneTitle {
                name: facts.stream((owner, stream.number)),
                besides: facts.owner(owner, process_number),
                device: Some(id),
                process: process_number.to_string(),
                thread: stream.number.to_string(),
                rank: None,
            }
        })
    }
}

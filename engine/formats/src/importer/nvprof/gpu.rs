//! Work of the GPU: kernels, copies and fills.

use super::super::sqlite::{
    LaneTitle, SqliteSpan, SubmissionStream, SubmittedOperation, UntimedRow, WorkKind, copy,
};
use super::tables::{NvprofCopyRow, NvprofFillRow, NvprofKernelRow, NvprofWorkRow};
use super::{NvprofReader, PROCESS};
use record::{Group, LaneId, NameId, SpanId, SpanKind, State, Value};

impl NvprofReader<'_, '_> {
    pub(super) fn kernel(&mut self, row: NvprofKernelRow) -> Result<(), UntimedRow> {
        let strings = &mut self.dialect.strings;
        let name = strings.name(row.name, &mut self.draft);
        let text = strings.text(row.name).unwrap_or_default();
        let work = WorkKind::of(SpanKind::Kernel, text);
        let span = self.work(row.work, name, SpanKind::Kernel, work)?;
        for (field, [x, y, z]) in [("grid", row.grid), ("block", row.block)] {
            let size = format!("{x}×{y}×{z}");
            self.draft.field(span, field, Value::Text(size.into()));
        }
        self.draft
            .field(span, "registers a thread", Value::Integer(row.registers));
        let shared = row.static_shared.saturating_add(row.dynamic_shared);
        if shared != 0 {
            self.draft
                .field(span, "shared memory (bytes)", Value::Integer(shared));
        }
        Ok(())
    }

    pub(super) fn copy(&mut self, row: NvprofCopyRow) -> Result<(), UntimedRow> {
        let (name, kind) = copy(row.kind);
        let name = self.draft.name(name);
        let span = self.work(row.work, name, kind, WorkKind::of(kind, ""))?;
        self.draft.field(span, "bytes", Value::Integer(row.bytes));
        Ok(())
    }

    pub(super) fn fill(&mut self, row: NvprofFillRow) -> Result<(), UntimedRow> {
        let name = self.draft.name("Memset");
        let span = self.work(row.work, name, SpanKind::Fill, WorkKind::Other)?;
        self.draft.field(span, "bytes", Value::Integer(row.bytes));
        self.draft.field(span, "value", Value::Integer(row.value));
        Ok(())
    }

    /// What all work has in common. Of what never ran the file has the time 0.
    fn work(
        &mut self,
        row: NvprofWorkRow,
        name: NameId,
        kind: SpanKind,
        work: WorkKind,
    ) -> Result<SpanId, UntimedRow> {
        let (start, end) = row.start.zip(row.end).ok_or(UntimedRow)?;
        if start <= 0 || end <= 0 {
            return Err(UntimedRow);
        }
        let stream = SubmissionStream {
            process: PROCESS,
            context: row.context,
            number: row.stream,
        };
        let ran = SqliteSpan {
            lane: self.stream(stream, row.device),
            name,
            kind,
            state: State::Done,
            enqueued: None,
            start,
            end,
        };
        let order = row.correlation;
        let call = order.and_then(|order| self.launches.get(PROCESS, order));
        let span = self.submitted(ran, work, call);
        if let Some(order) = order {
            self.operations
                .add(stream, SubmittedOperation::new(order, (start, end), span));
        }
        Ok(span)
    }

    fn stream(&mut self, stream: SubmissionStream, device: i64) -> LaneId {
        let key = (Group::Streams, [device, stream.context, stream.number, 0]);
        let (names, devices) = (&self.dialect.devices, &mut self.draft.devices);
        self.draft.lanes.id(key, self.draft.sink, |sink| {
            let name = names.get(&device).map_or("GPU", String::as_str);
            let id = devices.id(device, "cuda", sink, || {
                (format!("{name} ({device})"), String::new())
            });
            LaneTitle {
                name: format!("Stream {}", stream.number),
                besides: format!("context {}", stream.context),
                device: Some(id),
                thread: stream.number.to_string(),
                ..LaneTitle::default()
            }
        })
    }
}

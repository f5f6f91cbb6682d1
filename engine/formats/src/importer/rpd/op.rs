//! Work of the GPU, by queue.

use super::super::sqlite::{
    LaneTitle, SqliteSpan, SubmissionStream, SubmittedOperation, UntimedRow, WorkKind,
};
use super::RpdReader;
use super::tables::RpdOperationRow;
use record::{Group, LaneId, SpanKind, State};

impl RpdReader<'_, '_> {
    pub(super) fn operation(&mut self, row: RpdOperationRow) -> Result<(), UntimedRow> {
        let (start, end) = row.start.zip(row.end).ok_or(UntimedRow)?;
        let known = &self.dialect;
        let sort = known.strings.text(row.sort).unwrap_or_default();
        let described = known.strings.text(row.description);
        let text = described.filter(|it| !it.is_empty()).unwrap_or(sort);
        let kind = kind(sort);
        let work = WorkKind::of(kind, text);
        let name = self.draft.names.id(text, self.draft.sink);
        let call = known.launched.get(&row.id);
        let call = call.and_then(|call| known.calls.get(call)).copied();
        let stream = SubmissionStream {
            process: call.map_or(0, |call| call.process),
            context: row.gpu,
            number: row.queue,
        };
        let ran = SqliteSpan {
            lane: self.queue(stream),
            name,
            kind,
            state: State::Done,
            enqueued: None,
            start,
            end,
        };
        let place = call.map(|call| call.place);
        let span = self.submitted(ran, work, place);
        if let Some(place) = place {
            self.dialect.handles.ran(place, stream);
            let order = self.hosts.start(place).unwrap_or(start);
            self.operations
                .add(stream, SubmittedOperation::new(order, (start, end), span));
        }
        Ok(())
    }

    /// The file numbers queues by GPU, whichever process used them.
    fn queue(&mut self, stream: SubmissionStream) -> LaneId {
        let (gpu, queue) = (stream.context, stream.number);
        let devices = &mut self.draft.devices;
        self.draft.lanes.id(
            (Group::Streams, [gpu, queue, 0, 0]),
            self.draft.sink,
            |sink| {
                let device = devices.id(gpu, "hip", sink, || (format!("GPU {gpu}"), String::new()));
                LaneTitle {
                    name: format!("Queue {queue}"),
                    device: Some(device),
                    thread: queue.to_string(),
                    ..LaneTitle::default()
                }
            },
        )
    }
}

/// What sort of operation is meant by a name such as `CopyHostToDevice`.
fn kind(sort: &str) -> SpanKind {
    match sort {
        _ if sort.starts_with("CopyHostToDevice") => SpanKind::Upload,
        _ if sort.starts_with("CopyDeviceToHost") => SpanKind::Download,
        _ if sort.starts_with("Copy") => SpanKind::Copy,
        _ if sort.starts_with("Fill") || sort.starts_with("Memset") => SpanKind::Fill,
        _ if sort.starts_with("Barrier") => SpanKind::EventWait,
        _ => SpanKind::Kernel,
    }
}

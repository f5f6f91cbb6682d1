//! Work of the GPU, by queue.

use super::super::sqlite::{Operation, Ran, Row, Stream, Title, Work};
use super::Reading;
use super::part::Part;
use record::{Dependency, Group, LaneId, SpanKind, State};

impl Reading<'_, '_> {
    pub(super) fn operation(&mut self, part: &Part, row: Row<'_>) {
        let (Some(start), Some(end)) = (row.integer(0), row.integer(1)) else {
            return self.draft.troubles.unplaced(&part.query.table, row.number);
        };
        let sort = self.strings.text(row.or_zero(6)).unwrap_or_default();
        let described = self
            .strings
            .text(row.or_zero(5))
            .filter(|it| !it.is_empty());
        let text = described.unwrap_or(sort);
        let kind = kind(sort);
        let work = Work::of(kind, text);
        let name = self.draft.names.id(text, self.draft.sink);
        let call = self
            .launched
            .get(&row.or_zero(2))
            .and_then(|api| self.calls.get(api))
            .copied();
        let stream = Stream {
            process: call.map_or(0, |call| call.process),
            context: row.or_zero(3),
            number: row.or_zero(4),
        };
        let lane = self.queue(stream);
        let enqueued = call.and_then(|call| self.hosts.start(call.place));
        let span = self.draft.ran(Ran {
            lane,
            name,
            kind,
            state: State::Done,
            enqueued,
            start,
            end,
        });
        self.draft.lanes.did(lane, work);
        match call {
            Some(call) => {
                self.draft
                    .depends(Dependency::submission(self.hosts.span(call.place), span));
                self.handles.ran(call.place, stream);
                let order = enqueued.unwrap_or(start);
                self.operations
                    .add(stream, Operation { order, start, span });
            }
            None => self.unlaunched += 1,
        }
    }

    /// The file numbers queues by GPU, whichever process used them.
    fn queue(&mut self, stream: Stream) -> LaneId {
        let (gpu, queue) = (stream.context, stream.number);
        let devices = &mut self.draft.devices;
        self.draft.lanes.id(
            (Group::Streams, [gpu, queue, 0, 0]),
            self.draft.sink,
            |sink| {
                let device = devices.id(gpu, "hip", sink, || (format!("GPU {gpu}"), String::new()));
                Title {
                    name: format!("Queue {queue}"),
                    device: Some(device),
                    thread: queue.to_string(),
                    ..Title::default()
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

//! Work of the GPU: kernels, copies and fills.

use super::super::sqlite::{Operation, Ran, Row, Stream, Title, Work, copy};
use super::part::Part;
use super::{PROCESS, Reading};
use record::{Dependency, Group, LaneId, NameId, SpanId, SpanKind, State, Value};

impl Reading<'_, '_> {
    pub(super) fn kernel(&mut self, part: &Part, row: Row<'_>) {
        let id = row.or_zero(6);
        let name = self.strings.name(id, &mut self.draft);
        let work = Work::of(SpanKind::Kernel, self.strings.text(id).unwrap_or_default());
        let Some(span) = self.work(part, row, name, SpanKind::Kernel, work) else {
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
        self.draft.field(span, "grid", Value::Text(size(7).into()));
        self.draft
            .field(span, "block", Value::Text(size(10).into()));
        self.draft
            .field(span, "registers a thread", Value::Integer(row.or_zero(13)));
        let shared = row.or_zero(14).saturating_add(row.or_zero(15));
        if shared != 0 {
            self.draft
                .field(span, "shared memory (bytes)", Value::Integer(shared));
        }
    }

    pub(super) fn copy(&mut self, part: &Part, row: Row<'_>) {
        let (name, kind) = copy(row.or_zero(7));
        let name = self.draft.name(name);
        if let Some(span) = self.work(part, row, name, kind, Work::of(kind, "")) {
            self.draft
                .field(span, "bytes", Value::Integer(row.or_zero(6)));
        }
    }

    pub(super) fn fill(&mut self, part: &Part, row: Row<'_>) {
        let name = self.draft.name("Memset");
        if let Some(span) = self.work(part, row, name, SpanKind::Fill, Work::Other) {
            self.draft
                .field(span, "bytes", Value::Integer(row.or_zero(6)));
            self.draft
                .field(span, "value", Value::Integer(row.or_zero(7)));
        }
    }

    /// What all work has in common. Of what never ran the file has the time 0.
    fn work(
        &mut self,
        part: &Part,
        row: Row<'_>,
        name: NameId,
        kind: SpanKind,
        work: Work,
    ) -> Option<SpanId> {
        let timed = |at: usize| row.integer(at).filter(|&time| time > 0);
        let (Some(start), Some(end)) = (timed(0), timed(1)) else {
            self.draft.troubles.unplaced(&part.query.table, row.number);
            return None;
        };
        let stream = Stream {
            process: PROCESS,
            context: row.or_zero(3),
            number: row.or_zero(4),
        };
        let lane = self.stream(stream, row.or_zero(2));
        let order = row.integer(5);
        let place = order.and_then(|order| self.launches.get(PROCESS, order));
        let span = self.draft.ran(Ran {
            lane,
            name,
            kind,
            state: State::Done,
            enqueued: place.and_then(|place| self.hosts.start(place)),
            start,
            end,
        });
        self.draft.lanes.did(lane, work);
        match place {
            Some(place) => self
                .draft
                .depends(Dependency::submission(self.hosts.span(place), span)),
            None => self.unlaunched += 1,
        }
        if let Some(order) = order {
            self.operations
                .add(stream, Operation { order, start, span });
        }
        Some(span)
    }

    fn stream(&mut self, stream: Stream, device: i64) -> LaneId {
        let key = (Group::Streams, [device, stream.context, stream.number, 0]);
        let (names, devices) = (&self.devices, &mut self.draft.devices);
        self.draft.lanes.id(key, self.draft.sink, |sink| {
            let name = names.get(&device).map_or("GPU", String::as_str);
            let id = devices.id(device, "cuda", sink, || {
                (format!("{name} ({device})"), String::new())
            });
            Title {
                name: format!("Stream {}", stream.number),
                besides: format!("context {}", stream.context),
                device: Some(id),
                thread: stream.number.to_string(),
                ..Title::default()
            }
        })
    }
}

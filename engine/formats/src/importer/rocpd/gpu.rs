//! Work of the GPU: kernels and copies, by stream.

use super::super::sqlite::{Operation, Ran, Row, Stream, Title, Work};
use super::Reading;
use super::host::process;
use super::part::Part;
use record::{Dependency, Group, LaneId, SpanId, SpanKind, State, Value};

impl Reading<'_, '_> {
    /// A kernel.
    pub(super) fn dispatch(&mut self, part: &Part, row: Row<'_>) {
        let text = self.facts.symbol((part.owner, row.or_zero(7)));
        let work = Work::of(SpanKind::Kernel, text);
        let name = self.draft.names.id(text, self.draft.sink);
        let ran = (name, SpanKind::Kernel, work);
        let owner = process(part.owner, row.or_zero(2));
        self.agents
            .entry((owner, row.or_zero(4)))
            .or_insert(row.or_zero(3));
        let Some(span) = self.work(part, row, row.or_zero(3), ran) else {
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
        self.draft.field(span, "grid", Value::Text(size(9).into()));
        self.draft
            .field(span, "workgroup", Value::Text(size(12).into()));
        for (name, at) in [("local memory (bytes)", 15), ("scratch memory (bytes)", 16)] {
            if let Some(bytes) = row.integer(at).filter(|bytes| *bytes != 0) {
                self.draft.field(span, name, Value::Integer(bytes));
            }
        }
        if let Some(dispatch) = row.integer(8) {
            self.draft.field(span, "dispatch", Value::Integer(dispatch));
        }
        self.dispatched.insert((part.owner, row.or_zero(6)), span);
    }

    /// A copy.
    pub(super) fn copy(&mut self, part: &Part, row: Row<'_>) {
        let (to, from) = (row.or_zero(3), row.or_zero(7));
        let text = self.facts.text((part.owner, row.or_zero(8)));
        let is_gpu = |agent: i64| {
            self.facts
                .agent((part.owner, agent))
                .is_some_and(|it| it.is_gpu)
        };
        let kind = match text {
            _ if text.contains("HOST_TO_DEVICE") => SpanKind::Upload,
            _ if text.contains("DEVICE_TO_HOST") => SpanKind::Download,
            _ if text.contains("DEVICE_TO_DEVICE") || is_gpu(to) == is_gpu(from) => SpanKind::Copy,
            _ if is_gpu(to) => SpanKind::Upload,
            _ => SpanKind::Download,
        };
        // Some writers name the destination twice: then the stream says which GPU it was.
        let owner = process(part.owner, row.or_zero(2));
        let agent = match (is_gpu(to), is_gpu(from)) {
            (true, _) => to,
            (_, true) => from,
            _ => self
                .agents
                .get(&(owner, row.or_zero(4)))
                .copied()
                .unwrap_or(to),
        };
        let name = self.draft.names.id(text, self.draft.sink);
        let ran = (name, kind, Work::of(kind, ""));
        if let Some(span) = self.work(part, row, agent, ran) {
            self.draft
                .field(span, "bytes", Value::Integer(row.or_zero(9)));
        }
    }

    /// What all work has in common. The columns up to the event are the same for all.
    fn work(
        &mut self,
        part: &Part,
        row: Row<'_>,
        agent: i64,
        (name, kind, work): (record::NameId, SpanKind, Work),
    ) -> Option<SpanId> {
        let (Some(start), Some(end)) = (row.integer(0), row.integer(1)) else {
            self.draft.troubles.unplaced(&part.query.table, row.number);
            return None;
        };
        let stream = Stream {
            process: process(part.owner, row.or_zero(2)),
            context: agent,
            number: row.or_zero(4),
        };
        let lane = self.stream(part.owner, row.or_zero(2), stream);
        let stack = self.facts.stack((part.owner, row.or_zero(6)));
        let place = stack.and_then(|stack| self.launches.get(stream.process, stack));
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
            Some(place) => {
                self.draft
                    .depends(Dependency::submission(self.hosts.span(place), span));
                self.handles.ran(place, stream);
                let order = self.hosts.start(place).unwrap_or(start);
                self.operations
                    .add(stream, Operation { order, start, span });
            }
            None => self.unlaunched += 1,
        }
        if let Some(queue) = self.facts.queue((part.owner, row.or_zero(5))) {
            let queue = Value::Text(queue.into());
            self.draft.field(span, "queue", queue);
        }
        Some(span)
    }

    fn stream(&mut self, owner: i64, process_number: i64, stream: Stream) -> LaneId {
        let key = (
            Group::Streams,
            [owner, stream.context, stream.process, stream.number],
        );
        let (facts, devices) = (&self.facts, &mut self.draft.devices);
        self.draft.lanes.id(key, self.draft.sink, |sink| {
            let agent = facts
                .agent((owner, stream.context))
                .cloned()
                .unwrap_or_default();
            let device = process(owner, stream.context);
            let id = devices.id(device, "hip", sink, || (agent.name, agent.detail));
            Title {
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

//! What devices did: kernels, copies, sets and graphs, and the streams that they were in.

use cuda_recorder::{
    CuptiContext, CuptiCopy, CuptiGraph, CuptiKernel, CuptiLocation, CuptiMemset, CuptiStream,
    CuptiTimes,
};

use super::copies::copy as copy_of;
use super::draft::{ActivityDraft, ActivitySpan};
use super::host::unknown_time;
use super::process::{ActivityProcess, ActivityStream};
use record::{Group, LaneId, SpanId, SpanKind, State, Value};

/// Kinds of memory by CUPTI's numbers (`CUpti_ActivityMemoryKind`).
const MEMORY: &[&str] = &[
    "",
    "pageable",
    "pinned",
    "device",
    "array",
    "managed",
    "device static",
    "managed static",
];

/// What all work has in common.
struct ActivityWork<'a> {
    text: &'a str,
    kind: SpanKind,
    place: CuptiLocation,
    times: CuptiTimes,
    correlation: u32,
    graph: u32,
    node: u64,
}

impl ActivityProcess {
    pub(super) fn kernel(&mut self, kernel: &CuptiKernel, draft: &mut ActivityDraft) {
        let text = match kernel.name.as_str() {
            "" => "kernel without a name",
            name => name,
        };
        let span = self.work(
            &ActivityWork {
                text,
                kind: SpanKind::Kernel,
                place: kernel.place,
                times: kernel.times,
                correlation: kernel.correlation,
                graph: kernel.graph,
                node: kernel.graph_node,
            },
            draft,
        );
        let size = |[x, y, z]: [u32; 3]| Value::Text(format!("{x}×{y}×{z}").into());
        draft.field(span, "grid", size(kernel.grid));
        draft.field(span, "block", size(kernel.block));
        draft.number(span, "registers a thread", u64::from(kernel.registers));
        let shared = u64::from(kernel.shared_static) + u64::from(kernel.shared_dynamic);
        if shared > 0 {
            draft.number(span, "shared memory (bytes)", shared);
        }
        if let Some(priority) = kernel.priority.filter(|priority| *priority != 0) {
            draft.field(span, "priority", Value::Integer(i64::from(priority)));
        }
    }

    pub(super) fn copy(&mut self, copy: &CuptiCopy, draft: &mut ActivityDraft) {
        let (text, kind) = copy_of(i64::from(copy.way));
        let span = self.work(
            &ActivityWork {
                text,
                kind,
                place: copy.place,
                times: copy.times,
                correlation: copy.correlation,
                graph: copy.graph,
                node: copy.graph_node,
            },
            draft,
        );
        draft.number(span, "bytes", copy.bytes);
        for (field, memory) in [("from memory", copy.from), ("to memory", copy.to)] {
            let known = MEMORY.get(usize::from(memory)).filter(|it| !it.is_empty());
            if let Some(known) = known {
                draft.field(span, field, Value::Text((*known).into()));
            }
        }
        if let Some(peer) = copy.peer {
            draft.number(span, "to device", u64::from(peer));
        }
    }

    pub(super) fn set(&mut self, set: &CuptiMemset, draft: &mut ActivityDraft) {
        let span = self.work(
            &ActivityWork {
                text: "Memset",
                kind: SpanKind::Fill,
                place: set.place,
                times: set.times,
                correlation: set.correlation,
                graph: set.graph,
                node: set.graph_node,
            },
            draft,
        );
        draft.number(span, "bytes", set.bytes);
        draft.number(span, "value", u64::from(set.value));
    }

    /// A launch of a graph that CUPTI tells as a whole.
    pub(super) fn graph(&mut self, graph: &CuptiGraph, draft: &mut ActivityDraft) {
        self.work(
            &ActivityWork {
                text: &format!("graph {}", graph.graph),
                kind: SpanKind::Graph,
                place: graph.place,
                times: graph.times,
                correlation: graph.correlation,
                graph: 0,
                node: 0,
            },
            draft,
        );
    }

    /// An operation: its lane, its launch, its place in the order of its stream.
    fn work(&mut self, work: &ActivityWork<'_>, draft: &mut ActivityDraft) -> SpanId {
        let stream = (work.place.context, work.place.stream);
        let lane = self.stream(stream, Some(work.place.device), draft);
        let call = self.calls.get(&work.correlation).copied();
        let (times, is_known) = self.placed(work.times, call);
        let name = match work.kind {
            SpanKind::Kernel => draft.kernel(work.text),
            _ => draft.name(work.text),
        };
        let span = draft.ran(ActivitySpan {
            lane,
            name,
            kind: work.kind,
            state: State::Done,
            enqueued: call.filter(|_| is_known).map(|call| call.start),
            start: times.start,
            end: times.end,
        });
        if !is_known {
            unknown_time(span, draft);
        }
        draft.lanes.did(lane, work.kind, work.text);
        draft.tally.operations += 1;
        self.launched(work.correlation, span, draft);
        let ran = (times.start, times.end);
        self.submitted(stream, work.correlation, ran, span);
        if work.graph != 0 {
            draft.number(span, "graph", u64::from(work.graph));
        }
        if work.node != 0 {
            draft.number(span, "graph node", work.node);
        }
        span
    }

    /// The lane of a stream, on a device where it is known.
    pub(super) fn stream(
        &self,
        stream: ActivityStream,
        device: Option<u32>,
        draft: &mut ActivityDraft,
    ) -> LaneId {
        let context = stream.0;
        let known = self.contexts.get(&context).map(|it| it.device);
        let device = device.or(known);
        draft
            .lanes
            .id(self.stream_key(stream), (self.told.process, device), || {
                let besides = format!("{}, context {context}", self.title());
                (self.stream_title(stream), besides)
            })
    }

    fn stream_key(&self, (context, number): ActivityStream) -> (Group, u32, u64, u64) {
        let (context, number) = (u64::from(context), u64::from(number));
        (Group::Streams, self.place, context, number)
    }

    /// A context was made: its default stream is known by that.
    pub(super) fn context(&mut self, context: CuptiContext, draft: &mut ActivityDraft) {
        self.contexts.insert(context.context, context);
        let stream = (context.context, context.default_stream);
        draft
            .lanes
            .rename(self.stream_key(stream), &self.stream_title(stream));
    }

    /// A stream was made: its priority is known by that.
    pub(super) fn made_stream(&mut self, made: CuptiStream, draft: &mut ActivityDraft) {
        let stream = (made.context, made.stream);
        self.priorities.insert(stream, made.priority);
        draft
            .lanes
            .rename(self.stream_key(stream), &self.stream_title(stream));
    }

    fn stream_title(&self, stream: ActivityStream) -> String {
        let context = self.contexts.get(&stream.0);
        let is_default = context.is_some_and(|it| it.default_stream == stream.1);
        let priority = self.priorities.get(&stream).copied();
        let title = title(stream.1, is_default, priority.unwrap_or_default());
        match self.own_streams.get(&stream.1) {
            Some(own) => format!("{own}: {title}"),
            None => title,
        }
    }

    /// The program calls one of its streams so.
    pub(super) fn name_stream(&mut self, number: u32, name: &str, draft: &mut ActivityDraft) {
        self.own_streams.insert(number, name.to_owned());
        for key in draft.lanes.streams_of(self.place, number) {
            let stream = (u32::try_from(key.2).unwrap_or(u32::MAX), number);
            draft.lanes.rename(key, &self.stream_title(stream));
        }
    }
}

/// What a stream is called.
fn title(number: u32, is_default: bool, priority: i32) -> String {
    let sort = if is_default { " (default)" } else { "" };
    let priority = match priority {
        0 => String::new(),
        priority => format!(", priority {priority}"),
    };
    format!("Stream {number}{sort}{priority}")
}

//! What host threads did: calls, and what their waits are for.

use cuda_recorder::{CuptiApi, CuptiEvent, CuptiSync, CuptiTimes, SyncKind};

use super::draft::{ActivityDraft, ActivitySpan};
use super::event::ActivityRecord;
use super::process::{ActivityCall, ActivityProcess, ActivityStream, submission_stream};
use super::wait::{ActivityWait, ActivityWaitTarget, EventOccurrence};
use crate::submission::SubmittedOperation;
use record::{Group, SpanId, SpanKind, State, Value};

/// What a query answers while the work is not done yet: CUDA's `not ready`. It is no failure.
const NOT_READY: u32 = 600;

impl ActivityProcess {
    /// A call of the driver or of the runtime.
    pub(super) fn api(&mut self, api: &CuptiApi, draft: &mut ActivityDraft) {
        let lane = self.thread(api.thread, draft);
        let number = format!("function {}", api.function);
        let text = match api.name.as_str() {
            "" => &number,
            name => clean(name),
        };
        let blocks = text.contains("Synchronize");
        let name = draft.name(text);
        let failed = api.result != 0 && api.result != NOT_READY;
        let (times, is_known) = self.placed(api.times, None);
        let span = draft.ran(ActivitySpan {
            lane,
            name,
            kind: if blocks {
                SpanKind::Synchronize
            } else {
                SpanKind::Call
            },
            state: if failed { State::Failed } else { State::Done },
            enqueued: None,
            start: times.start,
            end: times.end,
        });
        if !is_known {
            unknown_time(span, draft);
        }
        if api.result != 0 {
            draft.number(span, "returned", u64::from(api.result));
        }
        let call = ActivityCall {
            span,
            start: times.start,
            end: times.end,
            blocks,
        };
        self.called(api.correlation, call, draft);
    }

    /// Times, and whether CUPTI knew them. Where it did not, they are those of the call, or those of the process.
    pub(super) fn placed(
        &self,
        times: CuptiTimes,
        call: Option<ActivityCall>,
    ) -> (CuptiTimes, bool) {
        let instant = |at| CuptiTimes { start: at, end: at };
        match (times.start, times.end) {
            (0, 0) => {
                let near = call.map_or(self.told.at, |call| call.start);
                (instant(near), false)
            }
            (0, end) => (instant(end), false),
            (start, 0) => (instant(start), false),
            _ => (times, true),
        }
    }

    /// A call that waited, or made a stream wait. It doubles a call of a thread; where that is missing it is a span of its
    /// own.
    pub(super) fn sync(&mut self, sync: &CuptiSync, draft: &mut ActivityDraft) {
        let context = sync.context;
        let stream = sync.stream.map(|stream| (context, stream));
        let occasion = sync.event.map(|event| EventOccurrence {
            key: (context, event),
            id: self.events.id((context, event), draft),
            tie: sync.sync.filter(|tie| *tie != 0),
        });
        let on = stream.map(submission_stream);
        let awaited = match (sync.kind, on, occasion) {
            (SyncKind::StreamWaitEvent, Some(stream), Some(event)) => {
                ActivityWaitTarget::ByStream(stream, event)
            }
            (_, None, Some(event)) | (SyncKind::EventSynchronize, _, Some(event)) => {
                ActivityWaitTarget::Event(event)
            }
            (_, Some(stream), _) => ActivityWaitTarget::Stream(stream),
            (_, None, None) => ActivityWaitTarget::Context(context),
        };
        let call = self.calls.get(&sync.correlation).copied();
        let span = call.map_or_else(|| self.uncalled(sync, awaited, draft), |call| call.span);
        describe(span, stream, sync.event, draft);
        // A query only looks: nothing held it up.
        let queries = call.is_some_and(|call| !call.blocks);
        if queries && !matches!(awaited, ActivityWaitTarget::ByStream(..)) {
            draft.tally.queries += 1;
            return;
        }
        self.waits.add(ActivityWait {
            order: sync.correlation,
            call: span,
            times: call.map_or((sync.times.start, sync.times.end), |it| (it.start, it.end)),
            awaited,
            due: self.due(),
            is_idle: false,
        });
    }

    /// A wait whose call is not known, on a lane for those.
    fn uncalled(
        &self,
        sync: &CuptiSync,
        awaited: ActivityWaitTarget,
        draft: &mut ActivityDraft,
    ) -> SpanId {
        draft.tally.uncalled += 1;
        let (kind, text) = match awaited {
            ActivityWaitTarget::ByStream(..) => (SpanKind::Call, "Stream wait event"),
            ActivityWaitTarget::Event(_) => (SpanKind::Synchronize, "Event synchronize"),
            ActivityWaitTarget::Stream(_) => (SpanKind::Synchronize, "Stream synchronize"),
            ActivityWaitTarget::Context(_) => (SpanKind::Synchronize, "Context synchronize"),
        };
        let name = draft.name(text);
        let key = (Group::Host, self.place, u64::MAX, 0);
        let lane = draft.lanes.id(key, (self.told.process, None), || {
            (
                format!("Synchronisation of {}", self.title()),
                String::new(),
            )
        });
        let (times, is_known) = self.placed(sync.times, None);
        let span = draft.ran(ActivitySpan {
            lane,
            name,
            kind,
            state: State::Done,
            enqueued: None,
            start: times.start,
            end: times.end,
        });
        if !is_known {
            unknown_time(span, draft);
        }
        span
    }

    /// A record of an event. Where CUPTI says when the stream came to it, that is a span of the stream.
    pub(super) fn event(&mut self, event: &CuptiEvent, draft: &mut ActivityDraft) {
        let key = (event.context, event.event);
        let stream = (event.context, event.stream);
        self.events.id(key, draft);
        let call = self.calls.get(&event.correlation).copied();
        if let Some(call) = call {
            describe(call.span, Some(stream), Some(event.event), draft);
        }
        // What waits for it is known all the same.
        let at = event.at.filter(|at| *at != 0);
        let kept = at.filter(|at| draft.keeps(*at, *at));
        self.outside += u64::from(kept != at);
        let span = kept.map(|at| {
            let lane = self.stream(stream, None, draft);
            let name = draft.name("event record");
            let span = draft.ran(ActivitySpan {
                lane,
                name,
                kind: SpanKind::EventRecord,
                state: State::Done,
                enqueued: call.map(|call| call.start),
                start: at,
                end: at,
            });
            self.launched(event.correlation, span, draft);
            span
        });
        let recorded = ActivityRecord {
            order: event.correlation,
            stream: submission_stream(stream),
            span,
        };
        draft.tally.records += 1;
        self.events
            .add(key, recorded, event.sync.filter(|tie| *tie != 0));
    }

    /// What the program itself calls one of its calls.
    pub(super) fn correlation(&self, external: u64, number: u32, draft: &mut ActivityDraft) {
        if let Some(call) = self.calls.get(&number) {
            draft.number(call.span, "external id", external);
        }
    }

    /// Notes an operation in the order of its stream.
    pub(super) fn submitted(
        &mut self,
        stream: ActivityStream,
        order: u32,
        (start, end): (u64, u64),
        span: SpanId,
    ) {
        let times = (start as i64, end as i64);
        let operation = SubmittedOperation::new(i64::from(order), times, span);
        self.operations.add(submission_stream(stream), operation);
    }
}

/// Says on which stream a call acted, and on which event.
fn describe(
    call: SpanId,
    stream: Option<ActivityStream>,
    event: Option<u32>,
    draft: &mut ActivityDraft,
) {
    if let Some((_, stream)) = stream {
        draft.number(call, "stream", u64::from(stream));
    }
    if let Some(event) = event {
        draft.number(call, "event", u64::from(event));
    }
}

/// Marks a span of which CUPTI does not know when it was.
pub(super) fn unknown_time(span: SpanId, draft: &mut ActivityDraft) {
    draft.tally.untimed += 1;
    let text = "CUPTI does not know when this was; it is shown where its call was";
    draft.field(span, "time", Value::Text(text.into()));
}

/// A name without the version that CUPTI adds: `cudaLaunchKernel_v7000` is `cudaLaunchKernel`. A `_v2` belongs to the name.
fn clean(name: &str) -> &str {
    match name.rsplit_once("_v") {
        Some((start, version))
            if version.len() >= 4 && version.bytes().all(|it| it.is_ascii_digit()) =>
        {
            start
        }
        _ => name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_not_part_of_a_name() {
        assert_eq!(clean("cudaStreamWaitEvent_v3020"), "cudaStreamWaitEvent");
        assert_eq!(clean("cuMemAlloc_v2"), "cuMemAlloc_v2");
    }
}

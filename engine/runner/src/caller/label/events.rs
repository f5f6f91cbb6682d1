//! What calls about events are called.

use record::{EventIndex, StreamIndex};
use workload::{EventCall, Plan, Target, ThreadIndex};

/// The element that a call is about: in a loop it may be another one every time.
pub(super) const fn about(call: &EventCall) -> u32 {
    match call {
        EventCall::Elapsed { end: event, .. }
        | EventCall::Reset { event, .. }
        | EventCall::RecordExternal { event, .. }
        | EventCall::WaitExternal { event, .. }
        | EventCall::DestroyEvent(event)
        | EventCall::Wait { event, .. }
        | EventCall::Demand(event)
        | EventCall::Acquire(event)
        | EventCall::Release(event)
        | EventCall::Synchronize {
            target: Target::Event(event),
            ..
        } => event.0,
        EventCall::DestroyStream(stream)
        | EventCall::Abort(stream)
        | EventCall::Subscribe { stream, .. }
        | EventCall::Unsubscribe { stream, .. }
        | EventCall::Callback { stream, .. }
        | EventCall::Panic { stream, .. }
        | EventCall::Synchronize {
            target: Target::Stream(stream),
            ..
        } => stream.0,
        EventCall::BeginTime { .. } | EventCall::EndTime { .. } | EventCall::Synchronize { .. } => {
            0
        }
    }
}

/// A call as the workload writes it, and what it is about.
pub(super) fn text(plan: &Plan, call: &EventCall) -> String {
    let event = |index: &EventIndex| {
        let found = plan.events.get(index.index());
        found.map_or("?", |found| &found.name)
    };
    let stream = |index: &StreamIndex| {
        let found = plan.streams.get(index.index());
        found.map_or("?", |found| &found.name)
    };
    let thread = |index: &ThreadIndex| {
        let found = plan.callback_threads.get(index.0 as usize);
        found.map_or("?", |name| name.as_str())
    };
    match call {
        EventCall::Elapsed { start, end } => format!("elapsed {} to {}", event(start), event(end)),
        EventCall::RecordExternal { event: it, .. } => format!("record {}", event(it)),
        EventCall::Reset { event: it, .. } => format!("reset {}", event(it)),
        EventCall::DestroyEvent(it) => format!("destroy {}", event(it)),
        EventCall::DestroyStream(it) => format!("destroy {}", stream(it)),
        EventCall::Abort(it) => format!("abort {}", stream(it)),
        EventCall::Wait { event: it, .. } | EventCall::WaitExternal { event: it, .. } => {
            format!("wait {}", event(it))
        }
        EventCall::Synchronize { target, .. } => match target {
            Target::Event(it) => format!("synchronize {}", event(it)),
            Target::Stream(it) => format!("synchronize {}", stream(it)),
            Target::Device => "synchronize device".to_owned(),
        },
        EventCall::Demand(it) => format!("query {}", event(it)),
        EventCall::Acquire(it) => format!("acquire {}", event(it)),
        EventCall::Release(it) => format!("release {}", event(it)),
        EventCall::BeginTime { start, .. } => format!("record {}", event(start)),
        EventCall::EndTime { end, .. } => format!("record {}", event(end)),
        EventCall::Subscribe {
            thread: it,
            stream: to,
        } => {
            format!("subscribe {} to {}", thread(it), stream(to))
        }
        EventCall::Unsubscribe {
            thread: it,
            stream: to,
        } => {
            format!("unsubscribe {} from {}", thread(it), stream(to))
        }
        EventCall::Callback { name, .. } | EventCall::Panic { name, .. } => {
            format!("host-function {name}")
        }
    }
}

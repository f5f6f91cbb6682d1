//! Calls by which host threads may wait for each other for ever: holds, what ends them, and what waits behind them.

use super::resources::UsedResource;
use super::streams::covered;
use crate::captured_streams::is_legacy;
use crate::shared::RunState;
use ::order::{CircularCall, ResourceAccess, SharedResource, WaitStart};
use record::StreamIndex;
use workload::{
    Call, DataCall, EventCall, GpuCall, HostCall, LaunchCall, MemoryKind, StreamCall, StreamKind,
    StreamPlan,
};

/// What a call has to do with host threads that wait for each other. One that waits for the stream that it names uses that
/// already, and so only what the legacy stream makes it wait for besides is told; one that gives up in the end stops nothing.
pub fn circular(shared: &RunState, call: &Call, uses: &[UsedResource]) -> Vec<CircularCall> {
    use WaitStart::{Event, Promise, Stream};
    let plan = &shared.plan;
    if !shared.has_holds {
        return Vec::new();
    }
    let mut found = Vec::new();
    for &(resource, access) in uses.iter().filter(|_| submits(call)) {
        if let (SharedResource::Stream(stream), ResourceAccess::Changes) = (resource, access) {
            let related = related(&plan.streams, stream);
            if !related.is_empty() {
                found.push(CircularCall::Begins(Stream(stream), related));
            }
        }
    }
    match *call {
        Call::Data(DataCall::Upload { buffer, stream } | DataCall::Download { buffer, stream }) => {
            let memory = plan.buffers.get(buffer.index()).map(|it| it.memory);
            // It returns once the copy has ended (rule A31).
            if memory == Some(MemoryKind::Pageable) {
                found.push(CircularCall::Blocks(Stream(stream)));
            }
        }
        Call::Event(EventCall::Record {
            event,
            stream,
            is_external: false,
            ..
        }) => {
            let related = related(&plan.streams, stream);
            found.push(if related.is_empty() {
                CircularCall::Forgets(Event(event))
            } else {
                CircularCall::Begins(Event(event), related)
            });
        }
        Call::Event(EventCall::Synchronize {
            event,
            timeout: None,
            ..
        }) => found.push(CircularCall::Blocks(Event(event))),
        Call::Stream(StreamCall::SynchronizeDevice { timeout: None }) => {
            found.push(CircularCall::Synchronizes(Box::default()));
        }
        Call::Stream(StreamCall::Synchronize {
            timeout: None,
            stream,
        }) => {
            let others: Box<[_]> = covered(&plan.streams, stream)
                .into_iter()
                .filter(|it| *it != stream)
                .collect();
            found.push(if others.is_empty() {
                CircularCall::Blocks(Stream(stream))
            } else {
                CircularCall::Synchronizes(others)
            });
        }
        Call::Stream(StreamCall::Hold { signal, stream }) => {
            found.push(CircularCall::Holds(signal, stream));
        }
        Call::Stream(StreamCall::Abort { stream }) => found.push(CircularCall::Aborts(stream)),
        Call::Launch(LaunchCall::BeginCapture { stream, .. }) if !is_legacy(plan, stream) => {
            found.push(CircularCall::BeginsCapture(stream));
        }
        Call::Launch(LaunchCall::EndCapture { stream, .. }) => {
            found.push(CircularCall::EndsCapture(stream));
        }
        Call::Host(HostCall::Signal { signal }) => found.push(CircularCall::Raises(signal)),
        Call::Gpu(GpuCall::WorkDone { promise } | GpuCall::MapAsync { promise, .. }) => {
            found.push(CircularCall::Begins(Promise(promise.0), Box::default()));
        }
        Call::Gpu(GpuCall::Settle { promise }) => {
            found.push(CircularCall::Blocks(Promise(promise.0)));
        }
        Call::Gpu(GpuCall::SettleAll {}) => found.push(CircularCall::BlocksForPromises),
        _ => {}
    }
    found
}

/// Whether a call that changes a stream submits to it.
const fn submits(call: &Call) -> bool {
    !matches!(
        call,
        Call::Stream(
            StreamCall::Destroy { .. }
                | StreamCall::Abort { .. }
                | StreamCall::Subscribe { .. }
                | StreamCall::Unsubscribe { .. }
        ) | Call::Launch(LaunchCall::BeginCapture { .. } | LaunchCall::EndCapture { .. })
    )
}

/// The streams that what is submitted to a stream waits for by the rules of the legacy stream.
fn related(streams: &[StreamPlan], stream: StreamIndex) -> Box<[StreamIndex]> {
    let is_legacy = |it: &StreamPlan| it.traits.kind == StreamKind::Legacy;
    let Some(own) = streams.get(stream.index()) else {
        return Box::default();
    };
    if !own.traits.is_blocking && !is_legacy(own) {
        return Box::default();
    }
    let wants_legacy = !is_legacy(own);
    let others = (0_u32..).zip(streams);
    let others = others.filter(|(_, it)| {
        if wants_legacy {
            is_legacy(it)
        } else {
            it.traits.is_blocking && !is_legacy(it)
        }
    });
    others.map(|(place, _)| StreamIndex(place)).collect()
}

//! Which streams, events and signals a call names, for host threads that use one of them in no order.
//!
//! Every call says so before it is made. Whether it is refused may depend on what another host thread did first, and then
//! so would what is found.

use super::circular_wait::circular;
use super::other_hosts::only;
use super::streams::covered;
use super::{Caller, CurrentCall, order};
use crate::shared::RunState;
use crate::uses::of_plan;
use ::order::ResourceAccess::{self, Changes, Reads};
use ::order::{CallOrigin, SharedResource, SyncOp};
use backend::Operation;
use device::RecordedLaunch;
use record::{BufferIndex, EventIndex, SpanId, StreamIndex};
use workload::{
    Call, DataCall, EventCall, GpuCall, GraphIndex, HostCall, LaunchCall, PlacedCall, PromiseIndex,
    RecordedIndex, StreamCall,
};

/// So many calls that are not made are looked at, of each `try` that is left early.
const MOST_LEFT_OUT: usize = 1000;

/// What a call does with something that it names.
pub type UsedResource = (SharedResource, ResourceAccess);

impl Caller {
    /// Tells the order of calls what a call names. Events of a pool count by the names that they are taken for: which event
    /// that is now may be chance.
    pub(super) fn note_uses(&self, current: &CurrentCall, call: &Call) {
        if !self.is_among_others() {
            return;
        }
        for act in acts(&self.shared, call) {
            self.note(current, act);
        }
        match call {
            Call::Launch(LaunchCall::Replay { graph, .. }) => {
                self.note_uses_of_nodes(current, *graph);
            }
            Call::Launch(LaunchCall::Relaunch { launch, .. }) if self.shared.has_maps => {
                let recorded = self.shared.launches.recorded(*launch);
                let recorded = recorded.and_then(|it| it.launch.clone());
                let buffers: Vec<_> = recorded.iter().flat_map(RecordedLaunch::used).collect();
                self.note_mappings(current, buffers.into_iter());
            }
            _ => {}
        }
    }

    /// Tells the order of calls what those name that are not made, because `refused` was, an earlier one of their `try`: whether
    /// it is refused may be chance. Behind one that waits for another host thread they would come after that, and count only
    /// where they are made.
    pub fn note_uses_left_out(&self, refused: &PlacedCall, left: impl Iterator<Item = PlacedCall>) {
        if !self.is_among_others() {
            return;
        }
        let waits = |it: &PlacedCall| matches!(it.call, Call::Host(HostCall::Await { .. }));
        if waits(refused) {
            return;
        }
        let host = self.host.0 as u32;
        for placed in left.take_while(|it| !waits(it)).take(MOST_LEFT_OUT) {
            let origin = CallOrigin {
                site: placed.place.call,
                span: SpanId::NONE,
            };
            for act in acts(&self.shared, &placed.call) {
                self.shared.order.push(host, origin, act, &[]);
            }
        }
    }

    /// What is used on the device cannot be used while the host has it mapped.
    fn note_mappings(&self, current: &CurrentCall, buffers: impl Iterator<Item = BufferIndex>) {
        for buffer in buffers {
            self.note(current, SyncOp::Use(SharedResource::Mapping(buffer), Reads));
        }
    }

    /// A replay records the events of its graph and waits for them (rule A42). What other host threads called into the
    /// capture by chance is no part of that.
    fn note_uses_of_nodes(&self, current: &CurrentCall, index: GraphIndex) {
        let ready = self.shared.launches.graph(index);
        let Some((graph, ..)) = ready.and_then(|graph| graph.ready.clone()) else {
            return;
        };
        if self.shared.has_maps {
            let used = graph.uses.iter().filter_map(|it| of_plan(it.buffer));
            self.note_mappings(current, used);
        }
        for (place, node) in graph.nodes.iter().enumerate() {
            let (event, access) = match node.operation {
                Operation::RecordExternal(event) => (event, Changes),
                Operation::WaitExternal(event) => (event, Reads),
                _ => continue,
            };
            let act = SyncOp::Use(SharedResource::Event(event), access);
            let guests = graph.own.as_ref().map(|own| &own.guests);
            let guests = guests.filter(|it| it.nodes.get(place) == Some(&true));
            let act = guests.map_or(act.clone(), |it| only(it.begun_by, false, act));
            let host = self.host.0 as u32;
            let origin = order::origin(current, current.span);
            self.shared.order.push(host, origin, act, &[]);
        }
    }
}

/// What the order of calls is told of a call before it is made.
pub fn acts(shared: &RunState, call: &Call) -> impl Iterator<Item = SyncOp> {
    let mut uses = uses(shared, call);
    let streams = uses.iter().filter_map(|(it, _)| match it {
        SharedResource::Stream(stream) => Some(*stream),
        _ => None,
    });
    let of_captures = shared.captured.uses(&shared.plan, call, streams);
    uses.extend(of_captures);
    uses.extend(shared.device_ends.uses(&shared.plan, call));
    let circular = circular(shared, call, &uses);
    let uses = uses.into_iter();
    let uses = uses.map(|(resource, access)| SyncOp::Use(resource, access));
    uses.chain(circular.into_iter().map(SyncOp::Circular))
}

fn uses(shared: &RunState, call: &Call) -> Vec<UsedResource> {
    match call {
        Call::Data(call) => of_data_call(shared, call),
        Call::Event(call) => of_event_call(call),
        Call::Stream(call) => of_stream_call(shared, call),
        Call::Launch(call) => of_launch_call(call),
        Call::Rank(call) => vec![submits(call.stream())],
        Call::Host(HostCall::Signal { signal }) => vec![(SharedResource::Signal(*signal), Changes)],
        Call::Gpu(call) => of_gpu_call(call),
        // Who comes first to a copy on the host is told by its uses.
        Call::Host(_) => Vec::new(),
    }
}

/// Which promise a name means is up to who asked last.
fn of_gpu_call(call: &GpuCall) -> Vec<UsedResource> {
    let promise = |it: PromiseIndex, access| (SharedResource::Promise(it.0), access);
    match *call {
        GpuCall::MapAsync {
            buffer,
            promise: it,
            ..
        } => vec![
            (SharedResource::Mapping(buffer), Changes),
            promise(it, Changes),
        ],
        GpuCall::Unmap { buffer } => vec![(SharedResource::Mapping(buffer), Changes)],
        GpuCall::PushErrorScope { .. } => vec![(SharedResource::ErrorScopes, Changes)],
        GpuCall::PopErrorScope { promise: it } => {
            vec![(SharedResource::ErrorScopes, Changes), promise(it, Changes)]
        }
        GpuCall::CreatePipelineAsync { promise: it, .. }
        | GpuCall::CompilationInfo { promise: it, .. }
        | GpuCall::WorkDone { promise: it }
        | GpuCall::DeviceLost { promise: it } => vec![promise(it, Changes)],
        GpuCall::Settle { promise: it } => vec![promise(it, Reads)],
        GpuCall::CreatePipeline { .. }
        | GpuCall::SettleAll {}
        | GpuCall::Lose { .. }
        | GpuCall::Recover {} => Vec::new(),
    }
}

const fn submits(stream: StreamIndex) -> UsedResource {
    (SharedResource::Stream(stream), Changes)
}

const fn reads(stream: StreamIndex) -> UsedResource {
    (SharedResource::Stream(stream), Reads)
}

const fn with(event: EventIndex, access: ResourceAccess) -> UsedResource {
    (SharedResource::Event(event), access)
}

/// What a call uses on the device it cannot use while the host has it mapped.
fn of_data_call(shared: &RunState, call: &DataCall) -> Vec<UsedResource> {
    let mut found = vec![submits(data_stream(call))];
    if !shared.has_maps {
        return found;
    }
    let mapping = |it: &BufferIndex| (SharedResource::Mapping(*it), Reads);
    match call {
        DataCall::Upload { buffer, .. }
        | DataCall::Download { buffer, .. }
        | DataCall::Fill { buffer, .. } => found.push(mapping(buffer)),
        DataCall::Copy { from, to, .. } => found.extend([from, to].map(mapping)),
        DataCall::Launch { kernel, .. } => {
            found.extend(kernel.reads.iter().chain(&kernel.writes).map(mapping));
        }
        DataCall::Allocate { .. } | DataCall::Free { .. } => {}
    }
    found
}

const fn data_stream(call: &DataCall) -> StreamIndex {
    match call {
        DataCall::Upload { stream, .. }
        | DataCall::Download { stream, .. }
        | DataCall::Copy { stream, .. }
        | DataCall::Fill { stream, .. }
        | DataCall::Launch { stream, .. }
        | DataCall::Allocate { stream, .. }
        | DataCall::Free { stream, .. } => *stream,
    }
}

fn of_event_call(call: &EventCall) -> Vec<UsedResource> {
    match *call {
        // An event of a node of a graph is used by each replay.
        EventCall::Record {
            is_external: true,
            stream,
            ..
        }
        | EventCall::Wait {
            is_external: true,
            stream,
            ..
        } => vec![submits(stream)],
        EventCall::Record { event, stream, .. }
        | EventCall::Reset { event, stream }
        | EventCall::BeginTime {
            start: event,
            stream,
        } => vec![submits(stream), with(event, Changes)],
        EventCall::Wait { event, stream, .. } => vec![submits(stream), with(event, Reads)],
        EventCall::Synchronize { event, .. } | EventCall::Query { event, .. } => {
            vec![with(event, Reads)]
        }
        EventCall::Elapsed { start, end } => vec![with(start, Reads), with(end, Reads)],
        EventCall::Destroy { event }
        | EventCall::Acquire { event }
        | EventCall::Release { event } => vec![with(event, Changes)],
        EventCall::EndTime {
            start, end, stream, ..
        } => vec![submits(stream), with(start, Reads), with(end, Changes)],
    }
}

fn of_stream_call(shared: &RunState, call: &StreamCall) -> Vec<UsedResource> {
    match *call {
        StreamCall::Hold { stream, .. }
        | StreamCall::HostFunction { stream, .. }
        | StreamCall::Destroy { stream }
        | StreamCall::Abort { stream }
        // Whether a callback is refused depends on who takes them.
        | StreamCall::Subscribe { stream, .. }
        | StreamCall::Unsubscribe { stream, .. } => vec![submits(stream)],
        StreamCall::Join { from, stream } => vec![submits(from), submits(stream)],
        StreamCall::Barrier { .. } => {
            let count = shared.plan.streams.len() as u32;
            (0..count).map(|it| submits(StreamIndex(it))).collect()
        }
        // The legacy stream stands for the blocking ones as well (rule A24).
        StreamCall::Synchronize { stream, .. } | StreamCall::Query { stream, .. } => {
            let covered = covered(&shared.plan.streams, stream);
            covered.into_iter().map(reads).collect()
        }
        StreamCall::SynchronizeDevice { .. } => Vec::new(),
    }
}

const fn of_graph(graph: GraphIndex, access: ResourceAccess) -> UsedResource {
    (SharedResource::Graph(graph.0), access)
}

const fn of_launch(launch: RecordedIndex, access: ResourceAccess) -> UsedResource {
    (SharedResource::RecordedLaunch(launch.0), access)
}

fn of_launch_call(call: &LaunchCall) -> Vec<UsedResource> {
    match *call {
        LaunchCall::BeginCapture { stream, .. } => vec![submits(stream)],
        LaunchCall::EndCapture { stream, graph } => vec![submits(stream), of_graph(graph, Changes)],
        LaunchCall::Instantiate { graph } | LaunchCall::Update { graph } => {
            vec![of_graph(graph, Changes)]
        }
        LaunchCall::Replay { stream, graph } => vec![submits(stream), of_graph(graph, Reads)],
        LaunchCall::Relaunch { stream, launch } => {
            vec![submits(stream), of_launch(launch, Reads)]
        }
        LaunchCall::Record { launch, .. }
        | LaunchCall::Set { launch, .. }
        | LaunchCall::SetAll { launch, .. }
        | LaunchCall::SetDimensions { launch, .. } => vec![of_launch(launch, Changes)],
    }
}

//! What spans are called: made once for each sort of call and what it is about.

mod collectives;
mod events;

use std::collections::HashMap;

use super::Caller;
use super::streams::join_text;
use super::verb::{launch_about, launch_text};
use backend::Operation;
use record::{BufferIndex, EventIndex, NameId, SignalIndex, StreamIndex};
use workload::{Call, GpuCall, PipelineIndex, PipelineKind, Place, Plan, StreamCall, Target};

/// The names that were made so far, by what they are about.
#[derive(Debug, Default)]
pub struct Labels(HashMap<(Verb, u64), NameId>);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Verb {
    Upload,
    Download,
    Copy,
    Fill,
    Launch,
    Kernel,
    Record,
    Wait,
    Hold,
    HostFunction,
    Function,
    SynchronizeEvent,
    SynchronizeStream,
    SynchronizeDevice,
    Query,
    Signal,
    Await,
    Work,
    Event,
    Reset,
    Gpu,
    Join,
    WaitStream,
    Barrier,
    Allocate,
    Free,
    Launches,
    Graph,
    Collective,
}

impl Caller {
    /// What the span of a host call is called, such as `launch saxpy`.
    pub(super) fn label_of_call(&mut self, call: &Call, place: Place) -> NameId {
        let (verb, about) = match call {
            Call::Upload { buffer, .. } => (Verb::Upload, u64::from(buffer.0)),
            Call::Download { buffer, .. } => (Verb::Download, u64::from(buffer.0)),
            Call::Copy { from, to, .. } => (Verb::Copy, pair(*from, *to)),
            Call::Fill { buffer, .. } => (Verb::Fill, u64::from(buffer.0)),
            Call::Launch(launch) => (Verb::Launch, launch.kernel.as_ptr() as u64),
            Call::Record { event, .. } => (Verb::Record, u64::from(event.0)),
            Call::Wait { event, .. } => (Verb::Wait, u64::from(event.0)),
            Call::Hold { signal, .. } => (Verb::Hold, u64::from(signal.0)),
            Call::HostFunction { .. } => (Verb::HostFunction, u64::from(place.call)),
            Call::Synchronize(Target::Event(event)) => (Verb::SynchronizeEvent, u64::from(event.0)),
            Call::Synchronize(Target::Stream(stream)) => {
                (Verb::SynchronizeStream, u64::from(stream.0))
            }
            Call::Synchronize(Target::Device) => (Verb::SynchronizeDevice, 0),
            Call::Query(event) => (Verb::Query, u64::from(event.0)),
            Call::Signal(signal) => (Verb::Signal, u64::from(signal.0)),
            Call::Await(signal) => (Verb::Await, u64::from(signal.0)),
            Call::Work(_) => (Verb::Work, 0),
            Call::Streams(call) => match **call {
                StreamCall::Join { from, .. } => (Verb::WaitStream, u64::from(from.0)),
                StreamCall::Barrier { .. } => (Verb::Barrier, 0),
                StreamCall::Allocate { buffer, .. } => (Verb::Allocate, u64::from(buffer.0)),
                StreamCall::Free { buffer, .. } => (Verb::Free, u64::from(buffer.0)),
            },
            Call::Collective(call) => (Verb::Collective, collectives::about(call.what, place)),
            Call::Event(call) => {
                let about = u64::from(events::about(call));
                (Verb::Event, (u64::from(place.call) << 32) | about)
            }
            Call::Launches(call) => {
                let about = u64::from(launch_about(call));
                (Verb::Launches, (u64::from(place.call) << 32) | about)
            }
            Call::Gpu(call) => {
                let about = u64::from(gpu_about(call));
                (Verb::Gpu, (u64::from(place.call) << 32) | about)
            }
        };
        self.label(verb, about, |plan| match call {
            Call::Launches(call) => launch_text(plan, call),
            Call::Launch(launch) => format!("launch {}", launch.kernel),
            Call::HostFunction { name, .. } => format!("host-function {name}"),
            Call::Event(call) => events::text(plan, call),
            Call::Gpu(call) => gpu_text(plan, call),
            Call::Collective(call) => collectives::text(plan, call.what),
            _ => text(plan, verb, about),
        })
    }

    /// What the span of an operation is called: a kernel's name, or as its call.
    pub(super) fn label_of_operation(&mut self, operation: &Operation, place: Place) -> NameId {
        let (verb, about) = match operation {
            Operation::Upload(buffer) => (Verb::Upload, u64::from(buffer.0)),
            Operation::Download(buffer) => (Verb::Download, u64::from(buffer.0)),
            Operation::Copy { from, to } => (Verb::Copy, pair(*from, *to)),
            Operation::Fill { buffer, .. } => (Verb::Fill, u64::from(buffer.0)),
            Operation::Launch(launch) => (Verb::Kernel, launch.kernel.as_ptr() as u64),
            Operation::Packed(packed) => (Verb::Kernel, packed.launch.kernel.as_ptr() as u64),
            Operation::Replay(replay) => (Verb::Graph, u64::from(replay.place)),
            Operation::Record(event) | Operation::RecordExternal(event) => {
                (Verb::Record, u64::from(event.0))
            }
            Operation::Wait(event)
            | Operation::WaitFor(event, _)
            | Operation::WaitExternal(event) => (Verb::Wait, u64::from(event.0)),
            Operation::Hold(signal) => (Verb::Hold, u64::from(signal.0)),
            Operation::Allocate(buffer) => (Verb::Allocate, u64::from(buffer.0)),
            Operation::Free(buffer) => (Verb::Free, u64::from(buffer.0)),
            Operation::Join(positions) => match &**positions {
                [one] => (Verb::Join, u64::from(one.stream.0)),
                several => {
                    let text = join_text(&self.shared, several);
                    return self.shared.names.id(&text, &self.reporter);
                }
            },
            Operation::HostFunction(_) | Operation::Panic(_) | Operation::Callback(_) => {
                (Verb::Function, u64::from(place.call))
            }
            Operation::Reset(event) => (Verb::Reset, u64::from(event.0)),
            Operation::Collective(it) => (Verb::Collective, collectives::about(it.what, place)),
        };
        self.label(verb, about, |plan| match operation {
            Operation::Launch(launch) => launch.kernel.to_owned(),
            Operation::Packed(packed) => packed.launch.kernel.to_owned(),
            Operation::Collective(it) => collectives::text(plan, it.what),
            Operation::Replay(replay) => {
                let name = plan.graphs.get(replay.place as usize);
                name.map_or("?", |name| name).to_owned()
            }
            _ => text(plan, verb, about),
        })
    }

    /// Gives the operation of a host function its name.
    pub(super) fn label_function(&mut self, name: &str, place: Place) {
        self.label(Verb::Function, u64::from(place.call), |_| name.to_owned());
    }

    fn label(&mut self, verb: Verb, about: u64, text: impl FnOnce(&Plan) -> String) -> NameId {
        if let Some(id) = self.labels.0.get(&(verb, about)) {
            return *id;
        }
        let text = text(&self.shared.plan);
        let id = self.shared.names.id(&text, &self.reporter);
        self.labels.0.insert((verb, about), id);
        id
    }
}

fn pair(from: BufferIndex, to: BufferIndex) -> u64 {
    (u64::from(from.0) << 32) | u64::from(to.0)
}

fn text(plan: &Plan, verb: Verb, about: u64) -> String {
    let place = (about & u64::from(u32::MAX)) as u32;
    let buffer = |place: u32| {
        let found = plan.buffers.get(BufferIndex(place).index());
        found.map_or("?", |found| &found.name)
    };
    let event = || {
        let found = plan.events.get(EventIndex(place).index());
        found.map_or("?", |found| &found.name)
    };
    let signal = || {
        let found = plan.signals.get(SignalIndex(place).index());
        found.map_or("?", |found| found)
    };
    let stream = || {
        let found = plan.streams.get(StreamIndex(place).index());
        found.map_or("?", |found| &found.name)
    };
    match verb {
        Verb::Upload => format!("upload {}", buffer(place)),
        Verb::Download => format!("download {}", buffer(place)),
        Verb::Copy => format!("copy {} to {}", buffer((about >> 32) as u32), buffer(place)),
        Verb::Fill => format!("fill {}", buffer(place)),
        Verb::Record => format!("record {}", event()),
        Verb::Wait => format!("wait {}", event()),
        Verb::Hold => format!("hold {}", signal()),
        Verb::SynchronizeEvent => format!("synchronize {}", event()),
        Verb::SynchronizeStream => format!("synchronize {}", stream()),
        Verb::SynchronizeDevice => "synchronize device".to_owned(),
        Verb::Query => format!("query {}", event()),
        Verb::Signal => format!("signal {}", signal()),
        Verb::Await => format!("await {}", signal()),
        Verb::Work => "work".to_owned(),
        Verb::Function | Verb::HostFunction => "host function".to_owned(),
        Verb::Launches | Verb::Graph | Verb::Launch | Verb::Kernel => "kernel".to_owned(),
        Verb::Barrier => "barrier".to_owned(),
        Verb::Join => format!("join {}", stream()),
        Verb::WaitStream => format!("wait-stream {}", stream()),
        Verb::Allocate => format!("allocate {}", buffer(place)),
        Verb::Free => format!("free {}", buffer(place)),
        Verb::Reset => format!("reset {}", event()),
        Verb::Gpu | Verb::Event | Verb::Collective => "call".to_owned(),
    }
}

/// The element that a call of WebGPU's is about: in a loop it may be another one every time.
const fn gpu_about(call: &GpuCall) -> u32 {
    match call {
        GpuCall::CreatePipeline { pipeline }
        | GpuCall::CreatePipelineAsync { pipeline, .. }
        | GpuCall::CompilationInfo { pipeline, .. } => pipeline.0,
        GpuCall::MapAsync { buffer, .. } | GpuCall::Unmap(buffer) => buffer.0,
        GpuCall::Settle(promise) => promise.0,
        _ => 0,
    }
}

/// A call of WebGPU's as its specification writes it, and what it is about.
fn gpu_text(plan: &Plan, call: &GpuCall) -> String {
    let pipeline = |index: &PipelineIndex| plan.pipelines.get(index.index());
    let create = |index: &PipelineIndex, is_async: &str| {
        let found = pipeline(index);
        let kind = match found.map_or(PipelineKind::Compute, |it| it.kind) {
            PipelineKind::Compute => "Compute",
            PipelineKind::Render => "Render",
        };
        let name = found.map_or("?", |it| &it.name);
        format!("create{kind}Pipeline{is_async} {name}")
    };
    let buffer = |index: &BufferIndex| {
        let found = plan.buffers.get(index.index());
        found.map_or("?", |found| &found.name)
    };
    match call {
        GpuCall::CreatePipeline { pipeline } => create(pipeline, ""),
        GpuCall::CreatePipelineAsync { pipeline, .. } => create(pipeline, "Async"),
        GpuCall::MapAsync { buffer: it, .. } => format!("mapAsync {}", buffer(it)),
        GpuCall::Unmap(it) => format!("unmap {}", buffer(it)),
        GpuCall::PushErrorScope(filter) => format!("pushErrorScope {}", filter.label()),
        GpuCall::PopErrorScope { .. } => "popErrorScope".to_owned(),
        GpuCall::CompilationInfo { pipeline: it, .. } => {
            format!(
                "getCompilationInfo {}",
                pipeline(it).map_or("?", |it| &it.name)
            )
        }
        GpuCall::WorkDone { .. } => "onSubmittedWorkDone".to_owned(),
        GpuCall::DeviceLost { .. } => "device.lost".to_owned(),
        GpuCall::Settle(it) => {
            format!(
                "settle {}",
                plan.promises.get(it.index()).map_or("?", |it| it)
            )
        }
        GpuCall::SettleAll => "settle all".to_owned(),
        GpuCall::Lose(injection) => format!("lose device: {injection}"),
        GpuCall::Recover => "recover device".to_owned(),
    }
}

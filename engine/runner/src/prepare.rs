//! Everything before the first call: reads the workload, opens the device, fills the buffers.

use std::sync::Arc;

use super::RunRequest;
use super::comparison::RunFigures;
use super::gate::Gate;
use super::launches;
use super::loss::Losses;
use super::loss_scheduler;
use super::mesh::Mesh;
use super::names::NameRegistry;
use super::recorder::{Recorder, Reporter};
use super::save::SaveFile;
use super::shared::{RunState, first_callback, first_stream, queue_lane};
use super::timelines::{self, Timelines};
use backend::{
    self, Backend, DeviceBuffers, DeviceLayout, EventLayout, HostIndex, PaceLayout, StreamLayout,
};
use record::time::Nanos;
use record::{
    self, BufferIndex, Counter, DeviceId, ENGINE, ENGINE_WAIT, EventId, Group, HELD, LATE, Lane,
    NameId, PaceSetting, Record, Role, Run, StreamIndex, WORKED,
};
use workload::{self, Document, EventPlan, Injection, Plan, PoolIndex, SlotUse, ThreadIndex};

/// The device of a run in its capture.
pub const DEVICE: DeviceId = DeviceId(0);

/// A run that is ready for its first call.
pub struct PreparedRun {
    /// What its threads share.
    pub shared: Arc<RunState>,
    /// Where they report.
    pub recorder: Arc<Recorder>,
    /// The engine thread's own place to report.
    pub reporter: Reporter,
    /// The file it is written to.
    pub save: Option<SaveFile>,
    /// Losses to inject.
    pub lose: Vec<Injection>,
    /// What the least synchronisation that is needed came to, where that is compared.
    pub least: Option<RunFigures>,
}

/// Prepares a run on the backend that it asks for.
///
/// # Errors
/// Why it cannot begin, in words for the user.
pub fn prepare(request: &RunRequest) -> Result<PreparedRun, String> {
    prepare_on(backend_of(&request.backend)?, request)
}

/// Prepares a run on `backend`, whichever it asks for.
///
/// # Errors
/// Why it cannot begin, in words for the user.
pub fn prepare_on(backend: &dyn Backend, request: &RunRequest) -> Result<PreparedRun, String> {
    let document = Document::parse(&request.name, &request.source).map_err(|e| listed(&e))?;
    let mut plan = document.plan(&request.parameters).map_err(|e| listed(&e))?;
    plan.synchronization = request.synchronization.unwrap_or(plan.synchronization);
    if let (None, Some(fault)) = (&request.seat, request.faults.first()) {
        return Err(format!(
            "{fault}: this run has no ranks to which anything could be done; run it as several with --ranks, and not on a \
             backend of virtual time"
        ));
    }
    let found = backend.probe().map_err(|error| error.to_string())?;
    let adapter = adapter(request, &plan, found.len());
    let place = backend::pick(&found, &adapter).map_err(|error| error.to_string())?;
    let caps = found.get(place).map(|found| &found.caps);
    let is_virtual = caps.is_some_and(|caps| caps.deterministic);
    // Streams of virtual time need no thread.
    let streams = if is_virtual { plan.streams.len() } else { 0 };
    backend::check_threads(plan.thread_count() - streams)?;
    let recorder = Arc::new(Recorder::new(caps.is_some_and(|caps| caps.deterministic)));
    let has_queue = caps.is_some_and(|caps| caps.queue);
    // Swept before those of the device's threads, so that lanes and names come before what refers to them.
    let reporter = recorder.reporter();
    let names = NameRegistry::default();
    let mut layout = layout(&plan, &adapter, has_queue);
    if request.seed.is_some() && !is_virtual {
        return Err(format!(
            "a seed draws lengths of virtual time, and {} takes real time: leave --seed out, or run on mock",
            backend.name()
        ));
    }
    layout.seed = request.seed;
    if caps.is_some_and(|caps| caps.paced.is_some()) {
        layout.pace = pace(request.paced.or(plan.pace), &names, &reporter);
    }
    let sinks = || -> Box<dyn backend::ReportSink> { Box::new(recorder.reporter()) };
    let device = backend
        .open(&layout, &sinks)
        .map_err(|error| error.to_string())?;
    fill(&plan, device.as_ref());
    if let Some(law) = device.caps().paced {
        for pipeline in &mut plan.pipelines {
            pipeline.slow = law.stretched(pipeline.slow);
        }
    }
    let save = SaveFile::of_request(request.save.as_deref())?;
    let gate = Gate::new(request.paused, request.pace);
    for injection in &request.lose {
        loss_scheduler::check(&plan, injection)?;
    }
    let losses = Losses::new(request.recovery);
    let timelines = timelines::are_needed(&plan).then(|| {
        let is_virtual = device.caps().deterministic;
        let first = first_callback(&plan, has_queue).0 + plan.callback_threads.len() as u32;
        let first = record::LaneId(first);
        Timelines::new(&plan, DEVICE, first, is_virtual, reporter.clone())
    });
    let mut shared = RunState::new(plan, device, gate, names, losses, timelines);
    shared.mesh = mesh(request, &shared.plan)?;
    shared.reports_submissions = request.reports_submissions;
    shared.note_streams();
    describe(request, backend, &shared, &reporter);
    Ok(PreparedRun {
        shared: Arc::new(shared),
        recorder,
        reporter,
        save,
        lose: request.lose.clone(),
        least: None,
    })
}

/// The sockets to the other ranks, where this is one of several.
fn mesh(request: &RunRequest, plan: &Plan) -> Result<Option<Arc<Mesh>>, String> {
    let (Some(seat), Some(placement)) = (&request.seat, &plan.placement) else {
        return Ok(None);
    };
    let mesh = Mesh::listen(seat.clone(), placement.timeout, request.faults.clone());
    let mesh = mesh.map_err(|error| format!("this rank cannot listen for the others: {error}"))?;
    mesh.hold(request.paused);
    Ok(Some(mesh))
}

/// Which adapter to open: the one that is asked for, or that of the rank's number among several.
fn adapter(request: &RunRequest, plan: &Plan, count: usize) -> String {
    let placed = plan.placement.as_ref().zip(request.seat.as_ref());
    let rank = placed.and_then(|(placement, seat)| placement.ranks.get(seat.rank as usize));
    match rank.filter(|_| request.adapter.is_empty() && count > 1) {
        Some(rank) => (rank.device as usize % count).to_string(),
        None => request.adapter.clone(),
    }
}

fn backend_of(name: &str) -> Result<&'static dyn Backend, String> {
    if name.is_empty() {
        return Ok(backend::default_backend().0);
    }
    backend::find_backend(name).ok_or_else(|| {
        let names: Vec<_> = backend::BACKENDS.iter().map(|found| found.name()).collect();
        format!(
            "there is no backend called {name}; there are {}",
            names.join(", ")
        )
    })
}

fn listed(errors: &[workload::WorkloadError]) -> String {
    let lines: Vec<String> = errors.iter().map(ToString::to_string).collect();
    lines.join("\n")
}

fn layout(plan: &Plan, adapter: &str, has_queue: bool) -> DeviceLayout {
    let first = first_stream(plan).0;
    let streams = plan.streams.iter().enumerate();
    DeviceLayout {
        device: DEVICE,
        adapter: adapter.to_owned(),
        queue: if has_queue {
            queue_lane(plan)
        } else {
            record::LaneId::NONE
        },
        streams: streams
            .map(|(place, stream)| StreamLayout {
                name: stream.name.clone(),
                lane: record::LaneId(first + place as u32),
                pending: RunState::pending_counter(StreamIndex(place as u32)),
                role: stream.role,
                priority: stream
                    .priority
                    .clamp(*PRIORITIES.start(), *PRIORITIES.end()),
                failure: stream.failure,
                traits: stream.traits,
            })
            .collect(),
        events: plan.events.iter().map(event_layout).collect(),
        event_slots: plan.event_slots,
        callbacks: (0..plan.callback_threads.len() as u32)
            .map(|place| record::LaneId(first_callback(plan, has_queue).0 + place))
            .collect(),
        buffers: plan.buffers.iter().map(|buffer| buffer.len).collect(),
        signals: plan.signals.len(),
        hosts: plan.hosts.len(),
        may_drop: plan.aborts(),
        pace: PaceLayout::default(),
        seed: None,
    }
}

/// How a paced device is set, and under which names it tells what becomes of its operations.
fn pace(setting: PaceSetting, names: &NameRegistry, reporter: &Reporter) -> PaceLayout {
    let name = |text| names.id(text, reporter);
    PaceLayout {
        setting,
        engine: name(ENGINE),
        waited: name(ENGINE_WAIT),
        worked: name(WORKED),
        held: name(HELD),
        late: name(LATE),
    }
}

const fn event_layout(event: &EventPlan) -> EventLayout {
    EventLayout {
        timing: event.timing,
        blocking: matches!(event.options.blocking, Some(true)),
        takes_slot: matches!(event.options.slot, SlotUse::Record),
    }
}

/// Gives the host copies their first values.
pub fn fill(plan: &Plan, device: &dyn DeviceBuffers) {
    const BLOCK: usize = 1024;
    let mut numbers = [0.0_f64; BLOCK];
    for (place, buffer) in plan.buffers.iter().enumerate() {
        for first in (0..buffer.len).step_by(BLOCK) {
            buffer.init.fill(first, &mut numbers);
            let values = numbers.map(|number| number as f32);
            device.write(BufferIndex(place as u32), first, &values);
        }
    }
}

/// Makes all numbers that the host has zero.
pub fn clear(plan: &Plan, device: &dyn DeviceBuffers) {
    const ZEROS: [f32; 1024] = [0.0; 1024];
    for (place, buffer) in (0_u32..).zip(&plan.buffers) {
        for first in (0..buffer.len).step_by(ZEROS.len()) {
            device.write(BufferIndex(place), first, &ZEROS);
        }
    }
}

/// Reports everything that is known before the first call.
fn describe(request: &RunRequest, backend: &dyn Backend, shared: &RunState, reporter: &Reporter) {
    let (plan, device) = (&shared.plan, &shared.device);
    let is_real = !device.caps().deterministic;
    reporter.send(Record::Run(Box::new(Run {
        name: request.name.clone(),
        backend: backend.name().to_owned(),
        source: request.source.clone(),
        parameters: plan.parameters.clone(),
        machine: if is_real {
            machine()
        } else {
            "virtual".to_owned()
        },
        version: env!("CARGO_PKG_VERSION").to_owned(),
    })));
    reporter.send(Record::Device(Box::new(record::Device {
        id: DEVICE,
        name: device.name().to_owned(),
        backend: backend.name().to_owned(),
        detail: detail(&device.caps().detail, plan),
        rank: plan.placement.as_ref().and_then(place),
        paced: device.caps().paced,
    })));
    report_placement(request, plan, reporter);
    describe_lanes(shared, reporter);
    describe_pools(shared, reporter);
    if let Some(machine) = &shared.machine {
        machine.describe(plan, DEVICE, backend.name(), reporter);
    }
    if let Some(memory) = &shared.memory {
        memory.describe(DEVICE, reporter);
    }
    if let Some(timelines) = &shared.timelines {
        timelines.describe();
    }
    launches::describe(plan, reporter);
    for (place, event) in plan.events.iter().enumerate() {
        reporter.send(Record::Event(record::Event {
            id: EventId(place as u32),
            name: shared.names.id(&event.name, reporter),
            timing: event.timing,
            options: match event.options.words() {
                words if words.is_empty() => NameId::NONE,
                words => shared.names.id(&words, reporter),
            },
        }));
    }
}

/// Where the rank that runs here is placed.
fn place(placement: &workload::Placement) -> Option<record::RankPlace> {
    let rank = placement.rank;
    let found = placement.ranks.get(rank as usize)?;
    let machine = placement.machine(rank);
    Some(record::RankPlace {
        rank,
        count: placement.ranks.len() as u32,
        machine: found.machine,
        machine_name: machine.map_or("?", |it| &it.name).to_owned(),
        device: found.device,
    })
}

/// What a device can do, and where the rank that has it is placed.
fn detail(caps: &str, plan: &Plan) -> String {
    match &plan.placement {
        Some(placement) => format!("{} · {caps}", placement.words(placement.rank)),
        None => caps.to_owned(),
    }
}

/// Says which parts this rank leaves out, and why.
fn report_placement(request: &RunRequest, plan: &Plan, reporter: &Reporter) {
    let log = |text| {
        reporter.send(Record::Log(Box::new(record::Log {
            time: Nanos::ZERO,
            severity: record::Severity::Info,
            text,
        })));
    };
    let Some(placement) = &plan.placement else {
        return;
    };
    let (rank, ranks) = (placement.rank, placement.ranks.len());
    if request.seat.is_none() && ranks == 1 {
        log("one rank alone: ranks have real clocks, and this one's time is virtual, or there is but one".to_owned());
    }
    for part in &placement.left_out {
        log(format!(
            "line {}: “{}” is left out: it is placed on other ranks, and this is rank {rank}",
            part.line, part.text
        ));
    }
}

fn describe_lanes(shared: &RunState, reporter: &Reporter) {
    for (place, host) in shared.plan.hosts.iter().enumerate() {
        reporter.send(Record::Lane(Box::new(Lane {
            id: RunState::host_lane(HostIndex(place)),
            group: Group::Host,
            device: None,
            role: Role::None,
            name: host.name.clone(),
            order: place as i32,
            process: "".into(),
            thread: "".into(),
        })));
    }
    report_priorities(&shared.plan, reporter);
    for (place, stream) in shared.plan.streams.iter().enumerate() {
        let index = StreamIndex(place as u32);
        reporter.send(Record::Lane(Box::new(Lane {
            id: shared.stream_lane(index),
            group: Group::Streams,
            device: Some(DEVICE),
            role: role(stream.role),
            name: header(stream),
            order: place as i32,
            process: "".into(),
            thread: "".into(),
        })));
        reporter.send(Record::Counter(Box::new(Counter {
            id: RunState::pending_counter(index),
            name: format!("pending on {}", stream.name),
            unit: "operations".to_owned(),
            device: Some(DEVICE),
        })));
        reporter.send(Record::Sample(record::Sample {
            counter: RunState::pending_counter(index),
            time: Nanos::ZERO,
            value: 0.0,
        }));
    }
    if let Some(id) = shared.queue_lane() {
        reporter.send(Record::Lane(Box::new(Lane {
            id,
            group: Group::Streams,
            device: Some(DEVICE),
            role: Role::Queue,
            name: "queue".to_owned(),
            order: shared.plan.streams.len() as i32,
            process: "".into(),
            thread: "".into(),
        })));
    }
}

/// Priorities as CUDA's devices have them: the first is the highest.
const PRIORITIES: std::ops::RangeInclusive<i32> = -5..=0;

/// Says which priorities are beyond what devices have, and what becomes of them (rule A26).
fn report_priorities(plan: &Plan, reporter: &Reporter) {
    for stream in &plan.streams {
        let (least, most) = (*PRIORITIES.start(), *PRIORITIES.end());
        let clamped = stream.priority.clamp(least, most);
        if clamped != stream.priority {
            reporter.send(Record::Problem(Box::new(record::Problem {
                severity: record::Severity::Info,
                code: "priority-clamped".to_owned(),
                text: format!(
                    "the priority {} of stream {} counts as {clamped}: devices have {least} (first) to {most}; it is a \
                     hint and orders nothing, so write one of these",
                    stream.priority, stream.name
                ),
                span: record::SpanId::NONE,
                event: EventId::NONE,
            })));
        }
    }
}

/// What a stream's lane is called: its name, and of which kind it is where that is not the usual one.
fn header(stream: &workload::StreamPlan) -> String {
    match stream.traits.note() {
        "" => stream.name.clone(),
        note => format!("{} ({note})", stream.name),
    }
}

/// The lanes of threads that take callbacks, and how many events of each pool are in use.
fn describe_pools(shared: &RunState, reporter: &Reporter) {
    for (place, name) in shared.plan.callback_threads.iter().enumerate() {
        reporter.send(Record::Lane(Box::new(Lane {
            id: shared.callback_lane(ThreadIndex(place as u32)),
            group: Group::Host,
            device: None,
            role: Role::None,
            name: name.clone(),
            order: (shared.plan.hosts.len() + place) as i32,
            process: "".into(),
            thread: "".into(),
        })));
    }
    for (place, pool) in shared.plan.pools.iter().enumerate() {
        let id = RunState::pool_counter(&shared.plan, PoolIndex(place as u32));
        reporter.send(Record::Counter(Box::new(Counter {
            id,
            name: format!("in use of {}", pool.name),
            unit: "events".to_owned(),
            device: Some(DEVICE),
        })));
        reporter.send(Record::Sample(record::Sample {
            counter: id,
            time: Nanos::ZERO,
            value: 0.0,
        }));
    }
}

const fn role(role: workload::StreamRole) -> Role {
    match role {
        workload::StreamRole::Compute => Role::Compute,
        workload::StreamRole::HostToDevice => Role::HostToDevice,
        workload::StreamRole::DeviceToHost => Role::DeviceToHost,
        workload::StreamRole::DeviceToDevice => Role::DeviceToDevice,
        workload::StreamRole::Collective => Role::Collective,
        workload::StreamRole::Barrier => Role::Barrier,
        workload::StreamRole::CriticalSection => Role::CriticalSection,
        workload::StreamRole::LazyJob => Role::LazyJob,
        workload::StreamRole::PinnedCompute => Role::PinnedCompute,
    }
}

/// The machine, in words.
fn machine() -> String {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let text = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = text.lines().find_map(|line| {
        let (key, value) = line.split_once(':')?;
        (key.trim() == "model name").then(|| format!("{}, ", value.trim()))
    });
    let (system, processor) = (std::env::consts::OS, std::env::consts::ARCH);
    format!(
        "{}{cores} cores, {processor} {system}",
        model.unwrap_or_default()
    )
}

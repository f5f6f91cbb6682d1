//! A capture made by hand: many pipelines compiled at once, promises, a loss in the middle, and the way back.

use engine::record::{
    Basis, CallId, CompileTime, Dependency, DependencyKind, Device, DeviceId, EventId, Group, Lane,
    LaneId, Loss, LossKind, NameId, ObservedOutcome, Pipeline, PipelineId, PipelineKind,
    PipelineState, PipelineStep, Promise, PromiseId, PromiseOutcome, Record, Recovery, Role, Run,
    RunEnd, RunOutcome, SourceCall, Span, SpanId, SpanKind, State, Verdict,
};
use engine::time::Nanos;

const HOST: u32 = 0;
const TIMELINE: u32 = 1;
const WORKER: u32 = 2;
const COMPUTE: u32 = 6;
const COPY: u32 = 7;
const QUEUE: u32 = 8;

/// The moment of the loss, in microseconds.
pub const LOST: i64 = 620;
/// When the device could take work again, in microseconds.
pub const BACK: i64 = 760;

/// Collects records and gives out their numbers.
#[derive(Default)]
struct Maker {
    records: Vec<Record>,
    spans: u32,
    names: u32,
}

impl Maker {
    fn name(&mut self, text: &str) -> NameId {
        let id = NameId(self.names);
        self.names += 1;
        self.records.push(Record::Name(id, text.into()));
        id
    }

    fn lane(&mut self, id: u32, group: Group, role: Role, name: &str) {
        self.records.push(Record::Lane(Box::new(Lane {
            id: LaneId(id),
            group,
            device: (group != Group::Host).then_some(DeviceId(0)),
            role,
            name: name.to_owned(),
            order: id as i32,
            process: "".into(),
            thread: "".into(),
        })));
    }

    /// A span with its times in microseconds: enqueued, start and end.
    fn span(&mut self, lane: u32, name: &str, kind: SpanKind, times: (i64, i64, i64)) -> SpanId {
        let state = if times.1 >= LOST && times.2 == times.1 && kind == SpanKind::Kernel {
            State::Cancelled
        } else {
            State::Done
        };
        self.ended(lane, name, (kind, state), times)
    }

    fn ended(
        &mut self,
        lane: u32,
        name: &str,
        (kind, state): (SpanKind, State),
        (enqueued, start, end): (i64, i64, i64),
    ) -> SpanId {
        let name = self.name(name);
        let id = SpanId(self.spans);
        self.spans += 1;
        self.records.push(Record::Span(Span {
            id,
            lane: LaneId(lane),
            name,
            call: CallId(0),
            kind,
            state,
            enqueued: Nanos(enqueued * 1_000),
            start: Nanos(start * 1_000),
            end: Nanos(end * 1_000),
        }));
        id
    }

    fn tie(&mut self, cause: SpanId, effect: SpanId, kind: DependencyKind) {
        self.records.push(Record::Dependency(Dependency {
            cause,
            effect,
            kind,
            basis: Basis::Enforced,
            event: EventId::NONE,
            generation: 0,
        }));
    }

    fn step(&mut self, pipeline: u32, state: PipelineState, time: i64, span: SpanId, detail: &str) {
        let cache = match detail {
            "cache hit" => Some(true),
            "cache miss" => Some(false),
            _ => None,
        };
        self.records
            .push(Record::PipelineStep(Box::new(PipelineStep {
                pipeline: PipelineId(pipeline),
                state,
                time: Nanos(time * 1_000),
                span,
                detail: if cache.is_none() { detail } else { "" }.to_owned(),
                cached: cache,
                compiles: (state == PipelineState::Ready).then_some(CompileTime::FirstUse),
            })));
    }

    fn promise(&mut self, id: u32, api: &str, name: &str, generation: u32, call: SpanId) {
        self.records.push(Record::Promise(Box::new(Promise {
            id: PromiseId(id),
            api: api.to_owned(),
            name: name.to_owned(),
            device: DeviceId(0),
            generation,
            call,
        })));
    }

    fn settle(&mut self, id: u32, at: (i64, SpanId), verdict: Verdict, words: [&str; 4]) {
        let [value, reason, anchor, actual] = words.map(str::to_owned);
        self.records
            .push(Record::Settlement(Box::new(PromiseOutcome {
                promise: PromiseId(id),
                time: Nanos(at.0 * 1_000),
                span: at.1,
                verdict,
                value,
                reason,
                anchor,
                observed: match actual.as_str() {
                    "" => ObservedOutcome::Nothing,
                    _ => ObservedOutcome::Other(actual),
                },
                by_destroy: false,
            })));
    }
}

fn head(maker: &mut Maker) {
    maker.records.push(Record::Run(Box::new(Run {
        name: "storm".to_owned(),
        backend: "made".to_owned(),
        source: "about \"Many pipelines at once\"\nhost \"main\" {\n    create-pipeline \"p\"\n}\n"
            .to_owned(),
        ..Run::default()
    })));
    maker.records.push(Record::Device(Box::new(Device {
        id: DeviceId(0),
        name: "made by hand".to_owned(),
        backend: "made".to_owned(),
        detail: String::new(),
        rank: None,
        paced: None,
    })));
    maker.lane(HOST, Group::Host, Role::None, "main");
    maker.lane(TIMELINE, Group::Device, Role::None, "device timeline");
    for worker in 0..4 {
        let name = format!("compile worker {}", worker + 1);
        maker.lane(WORKER + worker, Group::Device, Role::None, &name);
    }
    maker.lane(COMPUTE, Group::Streams, Role::Compute, "compute");
    maker.lane(COPY, Group::Streams, Role::HostToDevice, "copy");
    maker.lane(QUEUE, Group::Streams, Role::Queue, "queue");
    let verb = maker.name("create-pipeline");
    maker.records.push(Record::Call(SourceCall {
        id: CallId(0),
        line: 3,
        name: verb,
    }));
}

/// One pipeline of `count` from its call to its settled promise; returns the span that made it ready.
fn pipeline(maker: &mut Maker, at: u32, count: u32) -> SpanId {
    let name = format!("blend {at}");
    let i = i64::from(at);
    let worker = WORKER + at % 4;
    let spread = 760 / i64::from(count.max(4)) * 4;
    let called = i * 6;
    let compiling = (i / 4) * spread + 30;
    let done = compiling + spread - 6;
    let is_lost = done > LOST;
    let call = maker.span(
        HOST,
        "create-pipeline-async",
        SpanKind::Call,
        (called, called, called + 3),
    );
    let check = maker.span(
        TIMELINE,
        "initial steps",
        SpanKind::Step,
        (called + 2, called + 4, called + 6),
    );
    maker.tie(call, check, DependencyKind::Step);
    maker.records.push(Record::Pipeline(Box::new(Pipeline {
        id: PipelineId(at),
        name: name.clone(),
        device: DeviceId(0),
        generation: 1,
        kind: PipelineKind::Compute,
        is_async: !at.is_multiple_of(5),
        call,
    })));
    maker.step(at, PipelineState::Requested, called, call, "");
    maker.step(at, PipelineState::Checked, called + 6, check, "");
    maker.step(at, PipelineState::Queued, called + 6, check, "");
    let mut compile = check;
    if compiling < LOST {
        let times = (called + 6, compiling, done);
        compile = maker.span(worker, &name, SpanKind::Compile, times);
        maker.tie(check, compile, DependencyKind::Step);
        let cache = if at % 3 == 2 {
            "cache hit"
        } else {
            "cache miss"
        };
        maker.step(at, PipelineState::Compiling, compiling, compile, cache);
    }
    let end = if is_lost { LOST } else { done };
    let decide = maker.span(
        TIMELINE,
        "completion",
        SpanKind::Step,
        (end, end + 1, end + 3),
    );
    maker.tie(compile, decide, DependencyKind::Step);
    let fails = at % 7 == 3 && !is_lost;
    match (is_lost, fails) {
        (true, _) => maker.step(
            at,
            PipelineState::Lost,
            LOST,
            decide,
            "the device was lost first",
        ),
        (_, true) => maker.step(
            at,
            PipelineState::Failed,
            done,
            decide,
            "validation: line 4: unknown identifier `blend_mode`\nline 9: expected `;`",
        ),
        _ => maker.step(at, PipelineState::Ready, done, decide, ""),
    }
    settle(maker, (at, &name), (call, decide, end), (is_lost, fails));
    compile
}

/// The answer to the call that asked for a pipeline.
fn settle(
    maker: &mut Maker,
    (at, name): (u32, &str),
    (call, decide, end): (SpanId, SpanId, i64),
    (is_lost, fails): (bool, bool),
) {
    let settled = maker.span(HOST, "settle", SpanKind::Step, (end + 3, end + 5, end + 6));
    maker.tie(decide, settled, DependencyKind::Step);
    maker.promise(at, "createComputePipelineAsync", name, 1, call);
    let words = match (is_lost, fails) {
        (true, _) => [
            "pipeline",
            "pipeline creation succeeds on a lost device",
            "#dom-gpudevice-createcomputepipelineasync",
            "",
        ],
        (_, true) => [
            "GPUPipelineError validation",
            "the shader did not compile",
            "#dom-gpudevice-createcomputepipelineasync",
            "",
        ],
        _ => [
            "pipeline",
            "compiled",
            "#dom-gpudevice-createcomputepipelineasync",
            "",
        ],
    };
    let verdict = if fails {
        Verdict::Rejected
    } else {
        Verdict::Resolved
    };
    maker.settle(at, (end + 5, settled), verdict, words);
}

fn work(maker: &mut Maker, ready: SpanId) {
    let call = maker.span(HOST, "launch", SpanKind::Call, (40, 40, 44));
    let stall = maker.span(COMPUTE, "stall: blend 0", SpanKind::Stall, (44, 44, 200));
    maker.tie(ready, stall, DependencyKind::Pipeline);
    let kernel = maker.span(COMPUTE, "blend", SpanKind::Kernel, (44, 200, 320));
    maker.tie(call, kernel, DependencyKind::Submission);
    maker.tie(ready, kernel, DependencyKind::Pipeline);
    maker.span(COPY, "upload x", SpanKind::Upload, (60, 70, 190));
    maker.span(COPY, "upload y", SpanKind::Upload, (65, 320, 420));
    maker.span(COMPUTE, "blend", SpanKind::Kernel, (100, 420, 560));
    maker.ended(
        COMPUTE,
        "blend",
        (SpanKind::Kernel, State::Lost),
        (120, 560, LOST),
    );
    maker.ended(
        COMPUTE,
        "blend",
        (SpanKind::Kernel, State::Cancelled),
        (150, LOST, LOST + 30),
    );
    maker.ended(
        COPY,
        "upload z",
        (SpanKind::Upload, State::Cancelled),
        (300, LOST, LOST + 40),
    );
    let queue = [
        ("upload x", SpanKind::Upload, 70, 190),
        ("blend", SpanKind::Kernel, 200, 320),
        ("upload y", SpanKind::Upload, 320, 420),
        ("blend", SpanKind::Kernel, 420, 560),
    ];
    for (name, kind, start, end) in queue {
        maker.span(QUEUE, name, kind, (start, start, end));
    }
}

fn loss(maker: &mut Maker, count: u32) {
    let call = maker.span(HOST, "map-async", SpanKind::Call, (580, 580, 584));
    maker.promise(count, "mapAsync", "result", 1, call);
    let rejected = maker.span(HOST, "settle", SpanKind::Step, (640, 645, 647));
    maker.tie(call, rejected, DependencyKind::Step);
    maker.settle(
        count,
        (645, rejected),
        Verdict::Rejected,
        [
            "AbortError",
            "the device was lost while the map was pending",
            "#dom-gpubuffer-mapasync",
            "wgpu calls back with Ok(()) when the queue is dropped",
        ],
    );
    let call = maker.span(HOST, "pop-error-scope", SpanKind::Call, (590, 590, 594));
    maker.promise(count + 1, "popErrorScope", "scope", 1, call);
    maker.records.push(Record::Loss(Box::new(Loss {
        device: DeviceId(0),
        time: Nanos(LOST * 1_000),
        reason: "injected while blend 9 compiles".to_owned(),
        kind: LossKind::Unknown,
        generation: 1,
    })));
    maker.records.push(Record::Recovery(Box::new(Recovery {
        device: DeviceId(0),
        generation: 2,
        lost: Nanos(LOST * 1_000),
        time: Nanos(BACK * 1_000),
    })));
    maker.span(COPY, "upload x", SpanKind::Upload, (765, 770, 840));
    maker.span(COMPUTE, "blend", SpanKind::Kernel, (770, 840, 960));
    maker.span(QUEUE, "upload x", SpanKind::Upload, (770, 770, 840));
    maker.span(QUEUE, "blend", SpanKind::Kernel, (840, 840, 960));
}

/// The records of a run with `count` pipelines.
pub fn records(count: u32) -> Vec<Record> {
    let mut maker = Maker::default();
    head(&mut maker);
    let mut ready = SpanId::NONE;
    for at in 0..count {
        let compile = pipeline(&mut maker, at, count);
        if at == 0 {
            ready = compile;
        }
    }
    work(&mut maker, ready);
    loss(&mut maker, count);
    maker.records.push(Record::End(Box::new(RunEnd {
        time: Nanos(1_000_000),
        outcome: RunOutcome::Finished,
        records: 0,
    })));
    maker.records
}

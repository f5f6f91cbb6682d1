//! A small capture that holds a record of every kind, and times, names and orders that are easily lost.

use engine::record::{
    Basis, BufferUse, CallId, Clock, CompileTime, Counter, CounterId, Dependency, DependencyKind,
    Device, DeviceId, Event, EventChange, EventId, EventStep, Expectation, Finding, FindingId,
    FindingSearch, Group, Lane, LaneId, Launch, LaunchChange, LaunchId, LaunchInstance, LaunchKind,
    LaunchStep, Log, Loss, LossKind, NameId, ObservedOutcome, Pipeline, PipelineId, PipelineKind,
    PipelineState, PipelineStep, Problem, Promise, PromiseId, PromiseOutcome, Record, Recovery,
    Role, Run, RunEnd, RunOutcome, Sample, Severity, SourceCall, Span, SpanId, SpanKind, SpanStart,
    State, ThreadInterval, ThreadSchedule, ThreadState, Value, Verdict,
};
use engine::time::{Interval, Nanos};

/// The records of the sample, in the order in which a run would report them.
pub fn records() -> Vec<Record> {
    let mut records = head();
    let names = [
        "launch",
        "saxpy",
        "record ready",
        "wait ready",
        "n",
        "fill",
        "späte Größe",
    ];
    for (id, name) in names.iter().enumerate() {
        records.push(Record::Name(NameId(id as u32), (*name).into()));
    }
    records.push(Record::Name(NameId(5), "fill, renamed".into()));
    records.push(Record::Event(Event {
        id: EventId(0),
        name: NameId(2),
        timing: true,
        options: NameId(3),
    }));
    for (generation, change) in [(1, EventChange::Recorded), (1, EventChange::Reset)] {
        records.push(Record::EventStep(EventStep {
            event: EventId(0),
            generation,
            change,
            span: SpanId(0),
        }));
    }
    records.push(Record::Call(SourceCall {
        id: CallId(0),
        line: 12,
        name: NameId(0),
    }));
    records.push(Record::BufferUse(BufferUse {
        call: CallId(0),
        buffer: NameId(2),
        is_host: true,
        is_write: false,
    }));
    records.extend([
        tie(0, 1, DependencyKind::Submission, Basis::Enforced, 0),
        tie(2, 3, DependencyKind::Event, Basis::Enforced, 3),
        tie(1, 3, DependencyKind::Buffer, Basis::Declared, 0),
        Record::Argument(SpanId(1), NameId(4), Value::Integer(-(1 << 60))),
        Record::Argument(SpanId(1), NameId(6), Value::Number(0.1 + 0.2)),
        Record::Argument(
            SpanId(1),
            NameId(99),
            Value::Text("a name that never comes".into()),
        ),
        span(0, 0, 0, SpanKind::Call, (-5, -5, 90)),
        span(3, 2, 3, SpanKind::EventWait, (0, 0, 220)),
        began(1, 1, 1, SpanKind::Kernel, 100),
        span(1, 1, 1, SpanKind::Kernel, (10, 100, 200)),
        span(2, 1, 2, SpanKind::EventRecord, (11, 200, 200)),
        Record::Argument(SpanId(1), NameId(0), Value::Number(f64::INFINITY)),
        tie(3, 4, DependencyKind::Signal, Basis::Observed, 0),
        span(4, 2, 5, SpanKind::Fill, (20, 150, 260)),
        span(5, 1, 1, SpanKind::Kernel, (500, 400, 300)),
        span(
            7,
            1,
            1,
            SpanKind::Kernel,
            (i64::MIN / 4, i64::MIN / 4 + 1, i64::MAX / 4),
        ),
        began(8, 2, 1, SpanKind::Kernel, 270),
    ]);
    records.extend(concluded());
    records.extend(launches());
    records.extend(schedules());
    records.extend(tail());
    records
}

fn head() -> Vec<Record> {
    let lane = |id, group, device: Option<u32>, role, name: &str, order| {
        Record::Lane(Box::new(Lane {
            id: LaneId(id),
            group,
            device: device.map(DeviceId),
            role,
            name: name.to_owned(),
            order,
            process: "".into(),
            thread: "".into(),
        }))
    };
    vec![
        Record::Run(Box::new(Run {
            name: "sample".to_owned(),
            backend: "cpu".to_owned(),
            source: "about \"a “sample”\"\n\thost \"main\" {}\n".to_owned(),
            parameters: vec![
                ("n".to_owned(), 0.1),
                ("infinite".to_owned(), f64::NEG_INFINITY),
            ],
            machine: "2 cores".to_owned(),
            version: "0.1.0".to_owned(),
        })),
        Record::Device(Box::new(Device {
            id: DeviceId(0),
            name: "cpu, 2 workers".to_owned(),
            backend: "cpu".to_owned(),
            detail: String::new(),
            rank: None,
            paced: None,
        })),
        lane(0, Group::Host, None, Role::None, "main", 0),
        lane(1, Group::Streams, Some(0), Role::Compute, "compute", -3),
        lane(
            2,
            Group::Streams,
            Some(0),
            Role::HostToDevice,
            "copy",
            i32::MAX,
        ),
        Record::Clock(Box::new(Clock {
            device: DeviceId(0),
            name: "CLOCK_MONOTONIC".to_owned(),
            offset: Nanos(123),
            drift: 1.0 / 3.0,
            uncertainty: Nanos(40),
            is_unix: false,
        })),
    ]
}

fn concluded() -> Vec<Record> {
    vec![
        Record::Finding(Box::new(Finding {
            id: FindingId(0),
            code: "race".to_owned(),
            severity: Severity::Error,
            text: "nothing orders the two".to_owned(),
            spans: vec![SpanId(1), SpanId(3)],
            lines: vec![3, 5],
            count: 7,
        })),
        Record::Search(Box::new(FindingSearch {
            code: "race".to_owned(),
            calls: 128,
            left: 1,
            text: "two unordered uses of one buffer".to_owned(),
        })),
    ]
}

/// What was made once and launched again.
fn launches() -> Vec<Record> {
    vec![
        Record::LaunchStep(Box::new(LaunchStep {
            launch: LaunchId(0),
            revision: 2,
            change: LaunchChange::Set,
            time: Nanos(8),
            span: SpanId(0),
            kernel: "saxpy".to_owned(),
            elements: Some(512),
            arguments: vec![("a".to_owned(), "2".to_owned())],
            nodes: Vec::new(),
            detail: "a = 2".to_owned(),
        })),
        Record::Launch(Box::new(Launch {
            id: LaunchId(0),
            name: "step".to_owned(),
            kind: LaunchKind::Kernel,
            device: DeviceId(0),
        })),
        Record::Relaunch(LaunchInstance {
            operation: SpanId(3),
            call: SpanId(0),
            launch: LaunchId(0),
            revision: 2,
        }),
    ]
}

/// States of the host's thread.
fn schedule(states: &[(i64, i64, ThreadState, Option<u32>, NameId)]) -> Record {
    let intervals = states.iter().copied();
    let intervals = intervals.map(|(start, end, state, core, waker)| ThreadInterval {
        interval: Interval::new(Nanos(start), Nanos(end)),
        state,
        core,
        waker,
    });
    Record::Schedule(Box::new(ThreadSchedule {
        lane: LaneId(0),
        intervals: intervals.collect(),
    }))
}

/// States that come in pieces, of which one is late.
fn schedules() -> Vec<Record> {
    vec![
        schedule(&[
            (-20, 30, ThreadState::Running, Some(3), NameId::NONE),
            (30, 31, ThreadState::Uninterruptible, None, NameId::NONE),
        ]),
        schedule(&[
            (40, 70, ThreadState::Runnable, None, NameId(1)),
            (70, 70, ThreadState::Running, Some(0), NameId::NONE),
            (70, 300, ThreadState::OffCpu, None, NameId::NONE),
        ]),
        schedule(&[(31, 40, ThreadState::Blocked, None, NameId::NONE)]),
    ]
}

fn tail() -> Vec<Record> {
    let counter = |id, unit: &str| {
        Record::Counter(Box::new(Counter {
            id: CounterId(id),
            name: "bytes in flight".to_owned(),
            unit: unit.to_owned(),
            device: Some(DeviceId(0)),
        }))
    };
    let sample = |time, value| {
        Record::Sample(Sample {
            counter: CounterId(0),
            time: Nanos(time),
            value,
        })
    };
    vec![
        sample(50, 4096.5),
        counter(0, "bytes"),
        sample(-40, f64::MIN_POSITIVE),
        sample(i64::MIN, 1e300),
        Record::Loss(Box::new(Loss {
            device: DeviceId(0),
            time: Nanos(280),
            reason: "injected".to_owned(),
            kind: LossKind::Destroyed,
            generation: 1,
        })),
        Record::Recovery(Box::new(Recovery {
            device: DeviceId(0),
            generation: 2,
            lost: Nanos(280),
            time: Nanos(281),
        })),
        Record::PipelineStep(Box::new(PipelineStep {
            pipeline: PipelineId(1),
            state: PipelineState::Failed,
            time: Nanos(7),
            span: SpanId(3),
            detail: "line 2: unknown identifier".to_owned(),
            cached: Some(false),
            compiles: Some(CompileTime::FirstUse),
        })),
        Record::Pipeline(Box::new(Pipeline {
            id: PipelineId(1),
            name: "saxpy".to_owned(),
            device: DeviceId(0),
            generation: 1,
            kind: PipelineKind::Render,
            is_async: true,
            call: SpanId(0),
        })),
        Record::Promise(Box::new(Promise {
            id: PromiseId(0),
            api: "mapAsync".to_owned(),
            name: "map".to_owned(),
            device: DeviceId(0),
            generation: 1,
            call: SpanId(0),
        })),
        Record::Settlement(Box::new(PromiseOutcome {
            promise: PromiseId(0),
            time: Nanos(9),
            span: SpanId::NONE,
            verdict: Verdict::Rejected,
            value: "AbortError".to_owned(),
            reason: "the device was lost first".to_owned(),
            anchor: "#dom-gpubuffer-mapasync".to_owned(),
            observed: ObservedOutcome::Other("map_async: Ok(())".to_owned()),
            by_destroy: true,
        })),
        Record::Problem(Box::new(Problem {
            severity: Severity::Warning,
            code: "wait-before-record".to_owned(),
            text: "It passes at once.".to_owned(),
            span: SpanId(3),
            event: EventId(0),
        })),
        Record::Expectation(Box::new(Expectation {
            text: "overlap copy compute at-least 0.3".to_owned(),
            holds: None,
            found: "0.1, not judged: threads had no processor core".to_owned(),
            line: 9,
        })),
        Record::Log(Box::new(Log {
            time: Nanos(290),
            severity: Severity::Info,
            text: "the end is near".to_owned(),
        })),
        Record::End(Box::new(RunEnd {
            time: Nanos(300),
            outcome: RunOutcome::Failed("device lost".to_owned()),
            records: u64::MAX,
        })),
    ]
}

fn tie(cause: u32, effect: u32, kind: DependencyKind, basis: Basis, generation: u32) -> Record {
    Record::Dependency(Dependency {
        cause: SpanId(cause),
        effect: SpanId(effect),
        kind,
        basis,
        event: if generation > 0 {
            EventId(0)
        } else {
            EventId::NONE
        },
        generation,
    })
}

fn span(id: u32, lane: u32, name: u32, kind: SpanKind, times: (i64, i64, i64)) -> Record {
    Record::Span(Span {
        id: SpanId(id),
        lane: LaneId(lane),
        name: NameId(name),
        call: if kind == SpanKind::Call {
            CallId::NONE
        } else {
            CallId(0)
        },
        kind,
        state: if id == 4 { State::Lost } else { State::Done },
        enqueued: Nanos(times.0),
        start: Nanos(times.1),
        end: Nanos(times.2),
    })
}

fn began(id: u32, lane: u32, name: u32, kind: SpanKind, start: i64) -> Record {
    Record::Began(SpanStart {
        id: SpanId(id),
        lane: LaneId(lane),
        name: NameId(name),
        kind,
        enqueued: Nanos(start - 10),
        start: Nanos(start),
    })
}

//! Records at random: small numbers, so that they meet, and now and then the largest there are.

use engine::capture::{Capture, text};
use engine::record::{
    Basis, Bookmark, BufferUse, CallId, Clock, CompileTime, Counter, CounterId, Dependency,
    DependencyKind, Device, DeviceId, Event, EventChange, EventId, EventStep, Expectation,
    FileRepair, Finding, FindingId, FindingSearch, Group, Lane, LaneId, Launch, LaunchChange,
    LaunchId, LaunchInstance, LaunchKind, LaunchNode, LaunchStep, Log, Loss, LossKind, NameId,
    ObservedOutcome, Pipeline, PipelineId, PipelineKind, PipelineState, PipelineStep, Problem,
    Promise, PromiseId, PromiseOutcome, Record, Recovery, Role, Run, RunEnd, RunOutcome, Sample,
    Severity, SourceCall, Span, SpanId, SpanKind, SpanStart, State, ThreadInterval, ThreadSchedule,
    ThreadState, Value, Verdict,
};
use engine::time::{Interval, Nanos};
use proptest::prelude::{BoxedStrategy, Just, Strategy, any, prop, prop_oneof};

fn id() -> impl Strategy<Value = u32> {
    prop_oneof![20 => 0..12u32, 1 => Just(u32::MAX)]
}

fn time() -> impl Strategy<Value = Nanos> {
    // A span's length must fit as well.
    prop_oneof![20 => -50..200i64, 1 => any::<i64>().prop_map(|it| it / 4)].prop_map(Nanos)
}

fn words() -> impl Strategy<Value = String> {
    prop::sample::select(vec![
        "",
        "a",
        "saxpy",
        "“ü”\n\t\"\\",
        "{\"Name\":[0,1]}",
        "\u{0}\u{7F}",
    ])
    .prop_map(str::to_owned)
}

fn observed() -> impl Strategy<Value = ObservedOutcome> {
    prop_oneof![
        Just(ObservedOutcome::Nothing),
        Just(ObservedOutcome::Not),
        words().prop_map(ObservedOutcome::Same),
        words().prop_map(ObservedOutcome::Other),
    ]
}

fn one<T: Copy + std::fmt::Debug + 'static>(all: &'static [T]) -> impl Strategy<Value = T> {
    prop::sample::select(all)
}

fn value() -> impl Strategy<Value = Value> {
    prop_oneof![
        any::<i64>().prop_map(Value::Integer),
        any::<f64>().prop_map(Value::Number),
        words().prop_map(|it| Value::Text(it.into())),
    ]
}

fn span() -> impl Strategy<Value = Record> {
    // A lane beyond what a capture takes has it refuse the span, whose beginning then stays.
    let which = (
        id(),
        0..12u32,
        id(),
        id(),
        one(SpanKind::ALL),
        one(State::ALL),
    );
    (which, (time(), time(), time())).prop_map(|((id, lane, name, call, kind, state), times)| {
        Record::Span(Span {
            id: SpanId(id),
            lane: LaneId(lane),
            name: NameId(name),
            call: CallId(call),
            kind,
            state,
            enqueued: times.0,
            start: times.1,
            end: times.2,
        })
    })
}

fn began() -> impl Strategy<Value = Record> {
    // Not beyond what a capture takes: the beginning of a span that it refuses for its number is not written.
    let which = (0..12u32, id(), id(), one(SpanKind::ALL));
    (which, time(), time()).prop_map(|((id, lane, name, kind), enqueued, start)| {
        Record::Began(SpanStart {
            id: SpanId(id),
            lane: LaneId(lane),
            name: NameId(name),
            kind,
            enqueued,
            start,
        })
    })
}

fn dependency() -> impl Strategy<Value = Record> {
    let which = (id(), id(), id(), id());
    (which, one(DependencyKind::ALL), one(Basis::ALL)).prop_map(
        |((cause, effect, event, generation), kind, basis)| {
            Record::Dependency(Dependency {
                cause: SpanId(cause),
                effect: SpanId(effect),
                kind,
                basis,
                event: EventId(event),
                generation,
            })
        },
    )
}

fn lane() -> impl Strategy<Value = Record> {
    let which = (
        id(),
        one(Group::ALL),
        prop::option::of(id()),
        one(Role::ALL),
    );
    (which, words(), any::<i32>()).prop_map(|((id, group, device, role), name, order)| {
        Record::Lane(Box::new(Lane {
            id: LaneId(id),
            group,
            device: device.map(DeviceId),
            role,
            name,
            order,
            process: "".into(),
            thread: "".into(),
        }))
    })
}

fn run() -> impl Strategy<Value = Record> {
    let parameters = prop::collection::vec((words(), any::<f64>()), 0..3);
    (words(), words(), parameters).prop_map(|(name, source, parameters)| {
        Record::Run(Box::new(Run {
            name,
            source,
            parameters,
            ..Run::default()
        }))
    })
}

fn tables() -> BoxedStrategy<Record> {
    prop_oneof![
        (id(), words()).prop_map(|(id, text)| Record::Name(NameId(id), text.into())),
        lane(),
        (id(), words()).prop_map(|(id, name)| {
            let (id, backend, detail) = (DeviceId(id), String::new(), name.clone());
            Record::Device(Box::new(Device {
                id,
                name,
                backend,
                detail,
                rank: None,
                paced: None,
            }))
        }),
        (id(), id(), any::<bool>(), id()).prop_map(|(id, name, timing, options)| {
            let (id, name, options) = (EventId(id), NameId(name), NameId(options));
            Record::Event(Event {
                id,
                name,
                timing,
                options,
            })
        }),
        (id(), id(), one(EventChange::ALL), id()).prop_map(|(event, generation, change, span)| {
            Record::EventStep(EventStep {
                event: EventId(event),
                generation,
                change,
                span: SpanId(span),
            })
        }),
        (id(), id(), id()).prop_map(|(id, line, name)| {
            let (id, name) = (CallId(id), NameId(name));
            Record::Call(SourceCall { id, line, name })
        }),
        (id(), id(), any::<(bool, bool)>()).prop_map(|(call, buffer, (is_host, is_write))| {
            Record::BufferUse(BufferUse {
                call: CallId(call),
                buffer: NameId(buffer),
                is_host,
                is_write,
            })
        }),
        (id(), words(), words(), prop::option::of(id())).prop_map(|(id, name, unit, device)| {
            let (id, device) = (CounterId(id), device.map(DeviceId));
            Record::Counter(Box::new(Counter {
                id,
                name,
                unit,
                device,
            }))
        }),
    ]
    .boxed()
}

fn launching() -> BoxedStrategy<Record> {
    prop_oneof![
        (id(), one(LaunchKind::ALL), words()).prop_map(|(id, kind, name)| {
            Record::Launch(Box::new(Launch {
                id: LaunchId(id),
                name,
                kind,
                device: DeviceId(0),
            }))
        }),
        (id(), time(), one(LaunchChange::ALL), words(), id()).prop_map(
            |(id, time, change, words, revision)| {
                Record::LaunchStep(Box::new(LaunchStep {
                    launch: LaunchId(id),
                    revision,
                    change,
                    time,
                    span: SpanId(id),
                    kernel: words.clone(),
                    elements: (revision > 3).then_some(u64::MAX),
                    arguments: vec![(words.clone(), "2".to_owned())],
                    nodes: vec![LaunchNode {
                        name: words,
                        lane: LaneId(id),
                        span: SpanId(revision),
                        before: vec![revision],
                    }],
                    detail: String::new(),
                }))
            }
        ),
        (id(), id(), id(), id()).prop_map(|(launch, revision, call, operation)| {
            Record::Relaunch(LaunchInstance {
                operation: SpanId(operation),
                call: SpanId(call),
                launch: LaunchId(launch),
                revision,
            })
        }),
    ]
    .boxed()
}

fn promising() -> BoxedStrategy<Record> {
    prop_oneof![
        (id(), time(), one(PipelineState::ALL), words()).prop_map(|(id, time, state, detail)| {
            Record::PipelineStep(Box::new(PipelineStep {
                pipeline: PipelineId(id),
                state,
                time,
                span: SpanId(id),
                detail,
                cached: [None, Some(true), Some(false)][id as usize % 3],
                compiles: CompileTime::ALL.get(id as usize % 4).copied(),
            }))
        }),
        (id(), one(PipelineKind::ALL), words(), any::<bool>()).prop_map(
            |(id, kind, name, is_async)| {
                Record::Pipeline(Box::new(Pipeline {
                    id: PipelineId(id),
                    name,
                    device: DeviceId(0),
                    generation: 1,
                    kind,
                    is_async,
                    call: SpanId(id),
                }))
            }
        ),
        (id(), words(), words()).prop_map(|(id, api, name)| {
            Record::Promise(Box::new(Promise {
                id: PromiseId(id),
                api,
                name,
                device: DeviceId(0),
                generation: 1,
                call: SpanId(id),
            }))
        }),
        (id(), time(), one(Verdict::ALL), words(), observed()).prop_map(
            |(id, time, verdict, value, observed)| {
                Record::Settlement(Box::new(PromiseOutcome {
                    promise: PromiseId(id),
                    time,
                    span: SpanId(id),
                    verdict,
                    value,
                    reason: String::new(),
                    anchor: String::new(),
                    observed,
                    by_destroy: id % 2 == 0,
                }))
            }
        ),
        launching(),
        (id(), time(), time()).prop_map(|(device, lost, time)| {
            Record::Recovery(Box::new(Recovery {
                device: DeviceId(device),
                generation: 2,
                lost,
                time,
            }))
        }),
    ]
    .boxed()
}

fn concluding() -> BoxedStrategy<Record> {
    let spans = prop::collection::vec(id().prop_map(SpanId), 0..4);
    prop_oneof![
        (id(), one(Severity::ALL), words(), spans).prop_map(|(id, severity, text, spans)| {
            let lines = spans.iter().map(|span| span.0).collect();
            Record::Finding(Box::new(Finding {
                id: FindingId(id),
                code: "race".to_owned(),
                severity,
                text,
                spans,
                lines,
                count: u64::from(id),
            }))
        }),
        (words(), any::<u64>(), any::<u64>()).prop_map(|(text, calls, left)| {
            let code = "race".to_owned();
            Record::Search(Box::new(FindingSearch {
                code,
                calls,
                left,
                text,
            }))
        }),
    ]
    .boxed()
}

fn rest() -> BoxedStrategy<Record> {
    prop_oneof![
        run(),
        words().prop_map(|text| Record::Note(text.into())),
        (id(), time(), time(), words()).prop_map(|(span, one, other, text)| {
            let at = Interval::new(one.min(other), one.max(other));
            let span = SpanId(span);
            Record::Bookmark(Box::new(Bookmark { at, span, text }))
        }),
        (words(), 1..u64::MAX >> 1).prop_map(|(cause, count)| {
            let cause = cause.into();
            Record::FileRepair(Box::new(FileRepair { cause, count }))
        }),
        (id(), time(), any::<f64>(), time()).prop_map(|(device, offset, drift, uncertainty)| {
            let (device, name) = (DeviceId(device), "clock".to_owned());
            Record::Clock(Box::new(Clock {
                device,
                name,
                offset,
                drift,
                uncertainty,
                is_unix: drift > 0.0,
            }))
        }),
        (id(), time(), words()).prop_map(|(device, time, reason)| {
            let device = DeviceId(device);
            Record::Loss(Box::new(Loss {
                device,
                time,
                reason,
                kind: LossKind::Unknown,
                generation: 1,
            }))
        }),
        promising(),
        concluding(),
        (one(Severity::ALL), words(), id(), id()).prop_map(|(severity, text, span, event)| {
            let (span, event, code) = (SpanId(span), EventId(event), "code".to_owned());
            Record::Problem(Box::new(Problem {
                severity,
                code,
                text,
                span,
                event,
            }))
        }),
        (words(), any::<Option<bool>>(), id()).prop_map(|(text, holds, line)| {
            let found = text.clone();
            Record::Expectation(Box::new(Expectation {
                text,
                holds,
                found,
                line,
            }))
        }),
        (time(), one(Severity::ALL), words()).prop_map(|(time, severity, text)| Record::Log(
            Box::new(Log {
                time,
                severity,
                text
            })
        )),
        (time(), words(), any::<u64>()).prop_map(|(time, text, records)| {
            let outcome = if text.is_empty() {
                RunOutcome::Stopped
            } else {
                RunOutcome::Failed(text)
            };
            Record::End(Box::new(RunEnd {
                time,
                outcome,
                records,
            }))
        }),
    ]
    .boxed()
}

/// States of a thread, in any order and overlapping.
fn schedule() -> impl Strategy<Value = Record> {
    let state = proptest::sample::select(ThreadState::ALL);
    let one = (time(), time(), state, any::<Option<u32>>(), id());
    let one = one.prop_map(|(start, end, state, core, waker)| ThreadInterval {
        interval: Interval::new(start, end),
        state,
        core,
        waker: NameId(waker),
    });
    let all = proptest::collection::vec(one, 1..4);
    (id(), all).prop_map(|(lane, intervals)| {
        Record::Schedule(Box::new(ThreadSchedule {
            lane: LaneId(lane),
            intervals,
        }))
    })
}

/// Any record.
pub fn record() -> impl Strategy<Value = Record> {
    let argument = (id(), id(), value())
        .prop_map(|(span, name, value)| Record::Argument(SpanId(span), NameId(name), value));
    let sample = (id(), time(), any::<f64>()).prop_map(|(counter, time, value)| {
        let counter = CounterId(counter);
        Record::Sample(Sample {
            counter,
            time,
            value,
        })
    });
    prop_oneof![
        1 => schedule(),
        4 => span(),
        1 => began(),
        2 => dependency(),
        1 => argument,
        1 => sample,
        3 => tables(),
        1 => rest(),
    ]
}

/// The text of a capture with its problems in no order, and without the words of those about spans that it refused:
/// spans and arguments reach a file a little later than they came, when a name may be known that was not. Where something still
/// runs on a lane, its sub-lanes depend on what had ended when it was told that it began.
pub fn shown(capture: &Capture) -> Vec<String> {
    let text = text(capture);
    // What a reader says of a run without an end is not in the records.
    let signs = [
        "its run ended before it wrote",
        "spans named and not written",
    ];
    let unwritten = |line: &&str| signs.iter().any(|sign| line.contains(sign));
    let lines = text.lines().filter(|line| !unwritten(line));
    let mut lines: Vec<String> = lines.map(str::to_owned).collect();
    for line in &mut lines {
        if line.contains("code: \"span-refused\"") {
            let parts = line.split_once("text: ").zip(line.rsplit_once("span: "));
            *line = parts.map_or_else(String::new, |(front, back)| front.0.to_owned() + back.1);
        }
    }
    for began in capture.open() {
        let place = format!(" on {}.", began.lane.0);
        for line in lines.iter_mut().filter(|it| it.starts_with("span ")) {
            if let Some((front, back)) = line.clone().split_once(&place) {
                let rest = back.trim_start_matches(|it: char| it.is_ascii_digit());
                *line = format!("{front}{place}{rest}");
            }
        }
    }
    lines.sort_by_key(|line| {
        if line.starts_with("problem ") {
            line.clone()
        } else {
            String::new()
        }
    });
    lines
}

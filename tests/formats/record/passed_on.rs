//! What records of events capture, and what host threads wait for, in drawn programs: counted here by sets of operations, and
//! compared with what can be reached by the ties and the order of streams of the capture.

use std::collections::{BTreeMap, BTreeSet};

use cuda_recorder::{
    CuptiApi, CuptiEvent, CuptiKernel, CuptiLocation, CuptiRecord, CuptiSync, CuptiTimes, Fact,
    ListeningCounts, ProcessFact, SyncKind,
};
use engine::activity::{ActivityConverter, ResolveMode};
use engine::capture::Capture;
use engine::record::{Basis, DependencyKind, SpanId, SpanKind};

use crate::semantics::generated::SeededRandom;

/// A context and a stream of it.
type Stream = (u32, u32);
/// Numbers of calls that launched kernels.
type Kernels = BTreeSet<u32>;

/// What a drawn program did.
#[derive(Default)]
struct Program {
    told: Vec<CuptiRecord>,
    /// By the number of the call: the kernels that have to end before a kernel starts.
    before: BTreeMap<u32, Kernels>,
    /// The same for a call that blocks. What ended before an earlier call for its whole context is not in it.
    blocked: BTreeMap<u32, Kernels>,
    streams: BTreeMap<Stream, Kernels>,
    /// With each record its number, the context of its event, and what it captured.
    events: BTreeMap<u32, (u64, u32, Kernels)>,
    ends: BTreeMap<u32, u64>,
    seen: BTreeMap<u32, Kernels>,
    records: u64,
    host: u64,
    call: u32,
}

/// What CUPTI tells, which differs by its version.
#[derive(Clone, Copy, Debug)]
struct Telling {
    numbers: bool,
    times: bool,
}

impl Program {
    fn api(&mut self, name: &str, end: u64) {
        self.call += 1;
        let times = CuptiTimes {
            start: self.host,
            end: end.max(self.host + 2),
        };
        self.host = times.end + 1;
        self.told.push(CuptiRecord::Api(CuptiApi {
            is_runtime: false,
            function: 1,
            name: name.to_owned(),
            times,
            process: 7,
            thread: 7,
            correlation: self.call,
            result: 0,
        }));
    }

    fn launch(&mut self, stream: Stream, lasts: u64) {
        self.api("cuLaunchKernel", 0);
        let before = self.streams.entry(stream).or_default();
        let ends = before.iter().map(|it| self.ends[it]);
        let start = ends.max().unwrap_or_default().max(self.host) + 1;
        self.before.insert(self.call, before.clone());
        before.insert(self.call);
        self.ends.insert(self.call, start + lasts);
        self.told.push(CuptiRecord::Kernel(Box::new(CuptiKernel {
            name: format!("k{}", self.call),
            times: CuptiTimes {
                start,
                end: start + lasts,
            },
            place: CuptiLocation {
                device: 0,
                context: stream.0,
                stream: stream.1,
            },
            correlation: self.call,
            grid: [1; 3],
            block: [1; 3],
            shared_static: 0,
            shared_dynamic: 0,
            registers: 1,
            graph: 0,
            graph_node: 0,
            priority: None,
        })));
    }

    fn end(&self, kernels: &Kernels) -> u64 {
        let ends = kernels.iter().map(|it| self.ends[it]);
        ends.max().unwrap_or_default()
    }

    fn record(&mut self, event: u32, stream: Stream, telling: Telling) {
        self.api("cuEventRecord", 0);
        let captured = self.streams.entry(stream).or_default().clone();
        self.records += 1;
        let at = self.end(&captured).max(self.host) + 1;
        self.told.push(CuptiRecord::Event(CuptiEvent {
            correlation: self.call,
            context: stream.0,
            stream: stream.1,
            event,
            at: telling.times.then_some(at),
            sync: telling.numbers.then_some(self.records),
        }));
        self.events
            .insert(event, (self.records, stream.0, captured));
    }

    fn sync(&mut self, kind: SyncKind, of: (u32, Option<u32>, Option<u32>), number: Option<u64>) {
        let (context, stream, event) = of;
        self.told.push(CuptiRecord::Sync(CuptiSync {
            kind,
            times: CuptiTimes::default(),
            correlation: self.call,
            context,
            stream,
            event,
            sync: number,
        }));
    }

    fn wait(&mut self, stream: Stream, event: u32, telling: Telling) {
        let Some((number, context, captured)) = self.events.get(&event).cloned() else {
            return;
        };
        // CUPTI names a stream and an event of one context.
        if context != stream.0 && !telling.numbers {
            return;
        }
        self.api("cuStreamWaitEvent", 0);
        self.streams.entry(stream).or_default().extend(captured);
        let of = (stream.0, Some(stream.1), Some(event));
        self.sync(
            SyncKind::StreamWaitEvent,
            of,
            telling.numbers.then_some(number),
        );
    }

    fn block(&mut self, kernels: Kernels, name: &str) {
        self.api(name, self.end(&kernels) + 1);
        self.blocked.insert(self.call, kernels);
    }

    fn wait_for_context(&mut self, context: u32) {
        let streams = self
            .streams
            .iter()
            .filter(|(stream, _)| stream.0 == context);
        let all: Kernels = streams.flat_map(|(_, kernels)| kernels.clone()).collect();
        self.block(all.clone(), "cuCtxSynchronize");
        self.sync(SyncKind::ContextSynchronize, (context, None, None), None);
        self.seen.insert(self.call, all);
    }
}

fn draw(random: &mut SeededRandom, telling: Telling) -> Program {
    let mut program = Program {
        host: 1_000,
        ..Program::default()
    };
    let contexts = 1 + random.below(2) as u32;
    for _ in 0..8 + random.below(40) {
        let stream = (
            1 + random.below(contexts as usize) as u32,
            7 + random.below(4) as u32,
        );
        let event = random.below(4) as u32;
        match random.below(12) {
            0..4 => program.launch(stream, 5 + random.below(400) as u64),
            4..7 => program.record(event + 10 * stream.0, stream, telling),
            7..10 => {
                let context = 1 + random.below(contexts as usize) as u32;
                program.wait(stream, event + 10 * context, telling);
            }
            10 => {
                let kernels = program.streams.entry(stream).or_default().clone();
                program.block(kernels, "cuStreamSynchronize");
                program.sync(
                    SyncKind::StreamSynchronize,
                    (stream.0, Some(stream.1), None),
                    None,
                );
            }
            _ if random.below(3) == 0 => program.wait_for_context(stream.0),
            _ => {
                let event = event + 10 * stream.0;
                let Some((number, context, captured)) = program.events.get(&event).cloned() else {
                    continue;
                };
                program.block(captured, "cuEventSynchronize");
                let number = telling.numbers.then_some(number);
                program.sync(
                    SyncKind::EventSynchronize,
                    (context, None, Some(event)),
                    number,
                );
            }
        }
    }
    program
}

/// Whether something is told only once the device came to it; a record with the device's time is.
fn is_told_late(record: &CuptiRecord) -> bool {
    match record {
        CuptiRecord::Kernel(_) => true,
        CuptiRecord::Event(event) => event.at.is_some(),
        CuptiRecord::Sync(sync) => sync.kind != SyncKind::StreamWaitEvent,
        _ => false,
    }
}

/// What was told, as a capture: all at once and in any order, or bit by bit as while it runs.
fn converted(program: &Program, random: &mut SeededRandom, mode: ResolveMode) -> Capture {
    let mut converter = ActivityConverter::new(mode);
    converter.take(
        0,
        Fact::Process(Box::new(ProcessFact {
            process: 7,
            command: vec!["/opt/program".to_owned()],
            ..ProcessFact::default()
        })),
    );
    let mut told = program.told.clone();
    if mode == ResolveMode::Live {
        // What takes long is told long after it was submitted, and so is what waited for it.
        let lag = random.below(12);
        let mut late = std::collections::VecDeque::from(vec![Vec::new(); lag]);
        for piece in told.chunks(5) {
            let (slow, fast) = piece.iter().cloned().partition(is_told_late);
            late.push_back(slow);
            converter.take(0, Fact::Records(fast));
            converter.take(0, Fact::Records(late.pop_front().unwrap_or_default()));
            converter.take(0, Fact::Counts(ListeningCounts::default()));
        }
        for slow in late {
            converter.take(0, Fact::Records(slow));
            converter.take(0, Fact::Counts(ListeningCounts::default()));
        }
    } else {
        for at in (1..told.len()).rev() {
            told.swap(at, random.below(at + 1));
        }
        converter.take(0, Fact::Records(told));
    }
    converter.finish();
    let mut capture = Capture::new();
    capture.apply(converter.drain());
    capture
}

/// For each span that is a kernel or a call: the kernels that can be reached from it by ties and the order of streams.
fn reached(capture: &Capture) -> BTreeMap<SpanId, Kernels> {
    let mut operations: Vec<_> = capture.spans().map(|it| it.span).collect();
    let rank = |kind| u32::from(kind == SpanKind::EventRecord);
    operations.retain(|it| !matches!(it.kind, SpanKind::Call));
    operations.sort_by_key(|it| {
        (
            it.kind == SpanKind::Synchronize,
            it.end,
            rank(it.kind),
            it.enqueued,
        )
    });
    let kinds = [DependencyKind::Event, DependencyKind::Synchronization];
    let ties = kinds.map(|kind| super::ties(capture, kind)).concat();
    let mut reached: BTreeMap<SpanId, Kernels> = BTreeMap::new();
    let mut streams: BTreeMap<_, Kernels> = BTreeMap::new();
    for span in operations {
        let is_host = span.kind == SpanKind::Synchronize;
        let own = streams.entry(span.lane).or_default();
        let mut before = if is_host { Kernels::new() } else { own.clone() };
        let into = ties.iter().filter(|tie| tie.effect == span.id);
        for tie in into {
            before.extend(reached.get(&tie.cause).unwrap());
            before.extend(number(capture, tie.cause));
        }
        if !is_host {
            own.extend(&before);
            own.extend(number(capture, span.id));
        }
        reached.insert(span.id, before);
    }
    reached
}

/// The number of the call that launched a kernel, which is in its name.
fn number(capture: &Capture, span: SpanId) -> Option<u32> {
    let name = super::name(capture, span);
    name.strip_prefix('k')?.parse().ok()
}

fn check(program: &Program, capture: &Capture, telling: Telling, said: &str) {
    let reached = reached(capture);
    for (span, found) in &reached {
        if let Some(number) = number(capture, *span) {
            assert_eq!(found, &program.before[&number], "kernel {number}: {said}");
        }
    }
    let mut calls: Vec<_> = capture.spans().map(|it| it.span).collect();
    calls.retain(|it| it.kind == SpanKind::Synchronize);
    calls.sort_by_key(|it| it.start);
    assert_eq!(calls.len(), program.blocked.len(), "{said}");
    for (call, (number, kernels)) in calls.iter().zip(&program.blocked) {
        let mut found = reached[&call.id].clone();
        assert!(
            found.is_subset(kernels),
            "call {number}: {found:?} of {kernels:?}, {said}"
        );
        if program.seen.contains_key(number) {
            // What an earlier call for everything has seen end is left out.
            let earlier = program.seen.range(..number);
            found.extend(earlier.flat_map(|(_, kernels)| kernels));
            assert!(
                found.is_superset(kernels),
                "call {number}: {found:?} of {kernels:?}, {said}"
            );
        } else {
            assert_eq!(&found, kernels, "call {number}: {said}");
        }
    }
    for tie in super::ties(capture, DependencyKind::Event) {
        let expected = if telling.numbers {
            Basis::Enforced
        } else {
            Basis::Inferred
        };
        assert_eq!(tie.basis, expected, "{said}");
    }
}

#[test]
fn what_a_stream_waits_for_is_passed_on_by_its_records() {
    let now = std::time::UNIX_EPOCH.elapsed().unwrap();
    let seed = now.as_secs();
    for drawn in 0..400 {
        let mut random = SeededRandom::new(seed.wrapping_add(drawn));
        let telling = Telling {
            numbers: drawn % 4 != 0,
            times: drawn % 3 == 0,
        };
        let program = draw(&mut random, telling);
        for mode in [ResolveMode::Whole, ResolveMode::Live] {
            let capture = converted(&program, &mut random, mode);
            let said = format!("seed {seed}, program {drawn}, {telling:?}, {mode:?}");
            check(&program, &capture, telling, &said);
        }
    }
}

/// Two host threads synchronise one context at the same time: both wait for the kernel, and a later call waits for nothing.
#[test]
fn calls_for_everything_at_the_same_time_wait_for_the_same() {
    let mut program = Program {
        host: 1_000,
        ..Program::default()
    };
    program.launch((1, 7), 500);
    let launched = program.call;
    for (thread, start, end) in [(7, 1_010, 1_600), (8, 1_020, 1_602), (8, 1_700, 1_710)] {
        program.api("cuCtxSynchronize", 0);
        if let Some(CuptiRecord::Api(api)) = program.told.last_mut() {
            api.thread = thread;
            api.times = CuptiTimes { start, end };
        }
        program.sync(SyncKind::ContextSynchronize, (1, None, None), None);
    }
    let capture = converted(&program, &mut SeededRandom::new(1), ResolveMode::Whole);
    let ties = super::ties(&capture, DependencyKind::Synchronization);
    let mut waited: Vec<_> = ties
        .iter()
        .map(|tie| {
            let call = capture.span(tie.effect).unwrap().span;
            (number(&capture, tie.cause), call.end - call.start)
        })
        .collect();
    waited.sort();
    let expected = [582, 590].map(|length| (Some(launched), engine::time::Nanos(length)));
    assert_eq!(waited, expected);
}

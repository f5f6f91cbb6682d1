//! What host threads and engines did of their time: programs of chance, run by a machine of our own that notes what everybody
//! does as it goes, and nothing else.

use engine::analysis::causes::{Causes, CollectiveMember, IdleReason, IdleTime, IdleUse};
use engine::capture::Capture;
use engine::record::{
    Basis, CallId, Dependency, DependencyKind, Group, Lane, LaneId, NameId, Record, Role, Span,
    SpanId, SpanKind, State,
};
use engine::time::{Interval, Nanos};

use super::lines;

const HOST: u32 = 0;
const STREAM: u32 = 1;
const WORKER: u32 = 2;

/// What an operation takes to begin.
const START: i64 = 2_000;

/// Numbers that a seed determines.
struct ThreadDice(u64);

impl ThreadDice {
    const fn below(&mut self, count: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % count
    }

    const fn length(&mut self, most: u64) -> i64 {
        1_000 + self.below(most) as i64
    }
}

/// What one did, in the words of a table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct KnownTime {
    busy: i64,
    host: i64,
    host_blocked: i64,
    dependency: i64,
    latency: i64,
    after: i64,
}

impl KnownTime {
    fn of(time: &IdleTime) -> Self {
        assert_eq!(time.unknown, Nanos::ZERO);
        Self {
            busy: time.busy.0,
            host: time.host.0,
            host_blocked: time.host_sync.0,
            dependency: time.dependency.0,
            latency: time.latency.0,
            after: time.after.0,
        }
    }
}

/// A machine with a host thread, a stream and a compile worker.
#[derive(Default)]
struct ThreadMachine {
    records: Vec<Record>,
    spans: u32,
    now: i64,
    kernel: Option<(u32, i64)>,
    compiled: i64,
    host: KnownTime,
    worker: KnownTime,
    /// When the host was in calls that were blocked.
    blocked: Vec<[i64; 2]>,
}

impl ThreadMachine {
    fn new() -> Self {
        let lane = |(id, group): (u32, Group)| {
            Record::Lane(Box::new(Lane {
                id: LaneId(id),
                group,
                device: None,
                role: Role::None,
                name: format!("lane {id}"),
                order: id as i32,
                process: "".into(),
                thread: "".into(),
            }))
        };
        let lanes = [
            (HOST, Group::Host),
            (STREAM, Group::Streams),
            (WORKER, Group::Device),
        ];
        Self {
            records: lanes.map(lane).to_vec(),
            ..Self::default()
        }
    }

    fn span(&mut self, lane: u32, kind: SpanKind, [start, end]: [i64; 2]) -> u32 {
        self.records.push(Record::Span(Span {
            id: SpanId(self.spans),
            lane: LaneId(lane),
            name: NameId::NONE,
            call: CallId::NONE,
            kind,
            state: State::Done,
            enqueued: Nanos(start),
            start: Nanos(start),
            end: Nanos(end),
        }));
        self.spans += 1;
        self.spans - 1
    }

    fn tie(&mut self, cause: u32, effect: u32, kind: DependencyKind) {
        self.records.push(Record::Dependency(Dependency::new(
            SpanId(cause),
            SpanId(effect),
            kind,
            Basis::Enforced,
        )));
    }

    /// The host does nothing that a capture shows.
    fn rest(&mut self, length: i64) {
        self.host.host += length;
        self.now += length;
    }

    fn call(&mut self, length: i64) -> u32 {
        let span = self.span(HOST, SpanKind::Call, [self.now, self.now + length]);
        self.host.busy += length;
        self.now += length;
        span
    }

    fn launch(&mut self, call: i64, kernel: i64) {
        let begun = self.now;
        let call = self.call(call);
        let free = self.kernel.map_or(0, |it| it.1);
        let start = free.max(begun + START);
        let span = self.span(STREAM, SpanKind::Kernel, [start, start + kernel]);
        self.tie(call, span, DependencyKind::Submission);
        self.kernel = Some((span, start + kernel));
    }

    fn synchronize(&mut self, back: i64) {
        let begun = self.now;
        let Some((kernel, free)) = self.kernel else {
            return;
        };
        self.now = begun.max(free) + back;
        let call = self.span(HOST, SpanKind::Synchronize, [begun, self.now]);
        self.tie(kernel, call, DependencyKind::Synchronization);
        if free > begun {
            self.host.dependency += free - begun;
            self.host.latency += back;
            self.blocked.push([begun, self.now]);
        } else {
            self.host.busy += back;
        }
    }

    fn compile(&mut self, call: i64, length: i64) {
        let asked = self.now;
        let call = self.call(call);
        let free = self.compiled.max(asked);
        let span = [free + START, free + START + length];
        let compile = self.span(WORKER, SpanKind::Compile, span);
        self.tie(call, compile, DependencyKind::Step);
        // Until it was asked for, the worker waited for the host, which may have been blocked.
        let idle = [self.compiled, free];
        let blocked: i64 = self
            .blocked
            .iter()
            .map(|it| (it[1].min(idle[1]) - it[0].max(idle[0])).max(0))
            .sum();
        self.worker.host_blocked += blocked;
        self.worker.host += idle[1] - idle[0] - blocked;
        self.worker.latency += START;
        self.worker.busy += length;
        self.compiled = free + START + length;
    }

    fn finish(mut self) -> (Capture, KnownTime, KnownTime) {
        let end = self.now.max(self.compiled);
        let end = end.max(self.kernel.map_or(0, |it| it.1));
        self.host.after = end - self.now;
        self.worker.after = end - self.compiled;
        let mut capture = Capture::new();
        capture.apply(self.records);
        (capture, self.host, self.worker)
    }
}

fn program(seed: u64) -> (Capture, KnownTime, KnownTime) {
    let mut dice = ThreadDice(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
    let mut machine = ThreadMachine::new();
    // From its start on, the time is that of a call.
    machine.call(1_000);
    for _ in 0..10 + dice.below(40) {
        match dice.below(5) {
            0 => machine.rest(dice.length(300_000)),
            1 => _ = machine.call(dice.length(50_000)),
            2 => machine.launch(dice.length(20_000), dice.length(400_000)),
            3 => machine.synchronize(dice.length(40_000)),
            _ => machine.compile(dice.length(20_000), dice.length(500_000)),
        }
    }
    machine.compile(5_000, 5_000);
    machine.finish()
}

#[test]
fn threads_and_engines_did_what_the_machine_that_ran_them_noted() {
    for seed in 0..200 {
        let (capture, host, worker) = program(seed);
        let causes = Causes::build(&capture);
        let reader = causes.read(&capture);
        let all = causes.extent();
        let thread = reader.thread_idle(LaneId(HOST), all);
        assert_eq!(KnownTime::of(&thread.time), host, "host of {seed}");
        assert_eq!(thread.reasons.of(IdleReason::Kernel).0, host.dependency);
        assert_eq!(thread.reasons.of(IdleReason::Release).0, host.latency);
        let engine = reader.lane_idle(LaneId(WORKER), all);
        assert_eq!(KnownTime::of(&engine.time), worker, "worker of {seed}");
        assert_eq!(reader.engines(), [LaneId(WORKER)]);
        assert_eq!(reader.threads(), [LaneId(HOST)]);
    }
}

#[test]
fn parts_of_the_time_add_up_and_so_do_their_reasons() {
    for seed in 0..60 {
        let (capture, ..) = program(seed);
        let causes = Causes::build(&capture);
        let reader = causes.read(&capture);
        let all = causes.extent();
        let mut dice = ThreadDice(seed + 1);
        let cut = all.start + Nanos(dice.below(all.length().0 as u64) as i64);
        let mut whole = [IdleTime::default(); 3];
        for within in [Interval::new(all.start, cut), Interval::new(cut, all.end)] {
            for (lane, sums) in (0..).zip(&mut whole) {
                let idle = match lane {
                    HOST => reader.thread_idle(LaneId(lane), within),
                    _ => reader.lane_idle(LaneId(lane), within),
                };
                assert_eq!(idle.time.total(), within.length(), "{seed}, lane {lane}");
                assert!(idle.reasons.adds_up_to(&idle.time), "{seed}: {idle:?}");
                sums.add(&idle.time);
            }
            let shares = reader.thread_shares(LaneId(HOST), within);
            let sum: i64 = shares.iter().map(|it| it.time.0).sum();
            assert_eq!(sum, within.length().0, "{seed}");
        }
        // Cut in two anywhere, the parts are those of the whole.
        let thread = reader.thread_idle(LaneId(HOST), all).time;
        assert_eq!(whole[HOST as usize], thread, "{seed}");
    }
}

#[test]
fn what_a_host_was_late_with_is_told_by_the_calls_that_it_was_in() {
    let mut machine = ThreadMachine::new();
    machine.launch(1_000, 1_000);
    let outer = machine.now;
    machine.rest(500_000);
    machine.launch(1_000, 1_000);
    // An operator around both halves: the time in between is its own.
    machine.span(HOST, SpanKind::Call, [outer, machine.now + 1_000]);
    let (capture, ..) = machine.finish();
    let causes = Causes::build(&capture);
    let reader = causes.read(&capture);
    let second = capture
        .spans_in(LaneId(STREAM), causes.extent())
        .nth(1)
        .unwrap();
    let from = Nanos(START + 1_000);
    let (thread, shares) = reader.late_host(second.span.id, from).unwrap();
    assert_eq!(thread, LaneId(HOST));
    let [only] = &shares[..] else {
        panic!("one share: {shares:?}");
    };
    assert_eq!(only.span, Some(SpanId(4)));
    assert_eq!(only.time, Nanos(outer + 500_000) - from);
}

#[test]
fn the_command_line_tells_of_engines_threads_and_pipelines() {
    let folder = tempfile::TempDir::new().unwrap();
    let file = folder.path().join("run.pftrace");
    let path = file.display().to_string();
    let run = [
        "syncline",
        "run",
        "compile-storm",
        "--backend",
        "mock",
        "--save",
        &path,
    ];
    let run = run.map(str::to_owned);
    assert_eq!(app::cli::run(&run, &mut Vec::new(), &mut Vec::new()), 0);
    let of_lane = |lane: &str| lines("idle", std::slice::from_ref(&file), &["--lane", lane]);
    let worker = of_lane("compile worker 1");
    let row = worker
        .iter()
        .find(|it| it["type"] == "idle-engine")
        .unwrap();
    assert!(row["busy_ns"].as_i64().unwrap() > 0, "{row}");
    let all = lines("idle", std::slice::from_ref(&file), &[]);
    let threads = all.iter().filter(|it| it["type"] == "idle-thread");
    assert!(threads.count() > 0);
    // A wait for a pipeline is told apart from other dependencies.
    let waits = |it: &&serde_json::Value| it["dependency_by"]["pipeline"].as_i64() > Some(0);
    assert!(all.iter().any(|it| waits(&it)), "{all:?}");
    let sum = |row: &serde_json::Value| -> i64 {
        let parts = row["dependency_by"].as_object().unwrap().values();
        parts.map(|it| it.as_i64().unwrap()).sum()
    };
    let rows = all.iter().filter(|it| !it["dependency_by"].is_null());
    for row in rows {
        assert_eq!(row["dependency_ns"].as_i64(), Some(sum(row)), "{row}");
        let uses = IdleUse::ALL.len();
        let fields = row.as_object().unwrap().keys();
        assert_eq!(fields.filter(|it| it.ends_with("_ns")).count(), uses);
    }
}

#[test]
fn threads_that_meet_without_devices_wait_for_each_other_by_name() {
    let (capture, _) = crate::formats::xplane::opened(crate::formats::xplane::sample());
    let causes = Causes::build(&capture);
    let found = causes.read(&capture).arrivals(causes.extent());
    let title = |it: CollectiveMember| it.title(&capture, &found.members);
    let mut last: Vec<String> = found.last.iter().map(|it| title(it.member)).collect();
    for row in &found.last {
        let waits = row.waited.iter().map(|it| title(it.0));
        for other in waits {
            assert_ne!(title(row.member), other);
        }
    }
    last.sort();
    last.dedup();
    assert_eq!(last.len(), found.last.len(), "{last:?}");
    assert!(found.last.len() > 2, "{last:?}");
}

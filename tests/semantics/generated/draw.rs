//! Draws small workloads by a seed: which resources there are, and which calls come in which order.

use super::families;
use super::text::{
    BufferWork, CallRefusals, GeneratedCall, GeneratedWorkload, ResourceCounts, StreamSort,
    SynchronizationMode,
};

/// What a generated workload is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Family {
    /// One host thread, streams and events.
    Plain,
    /// With the legacy default stream.
    Legacy,
    /// Streams and host threads that wait for signals.
    Signals,
    /// Several host threads, ordered by signals.
    Hosts,
    /// Several host threads that nothing orders.
    UnorderedHosts,
    /// Calls that are captured and replayed.
    Graphs,
    /// The engine inserts the waits.
    Automatic,
    /// Functions of a callback thread.
    Callbacks,
    /// Streams that are aborted.
    Aborts,
    /// The same with streams that wait for signals.
    HeldAborts,
    /// Waits that have an end.
    Timeouts,
    /// Memory that is allocated and freed in the order of streams.
    Memory,
    /// Several host threads that begin after the first, and that it waits for.
    Fans,
    /// The same as memory, with streams that are aborted.
    AbortedMemory,
    /// Several host threads in no order, of which two raise one signal that a third waits for.
    SharedSignals,
    /// Several host threads where the engine inserts the waits, with streams that wait for signals.
    AutomaticHosts,
    /// A host thread that calls on a stream which another captures, in no order.
    UnorderedCaptures,
    /// Several host threads of which one destroys what another uses, or makes the device fail.
    Refusals,
}

/// Every family, the more of it the more often it is drawn.
const FAMILIES: &[Family] = &[
    Family::Plain,
    Family::Graphs,
    Family::Legacy,
    Family::Signals,
    Family::Automatic,
    Family::Hosts,
    Family::Graphs,
    Family::UnorderedHosts,
    Family::Callbacks,
    Family::Aborts,
    Family::Memory,
    Family::HeldAborts,
    Family::UnorderedCaptures,
    Family::Timeouts,
    Family::Refusals,
    Family::Automatic,
    Family::Fans,
    Family::Memory,
    Family::AbortedMemory,
    Family::SharedSignals,
    Family::AutomaticHosts,
];

/// Numbers that a seed determines.
pub struct SeededRandom(u64);

impl SeededRandom {
    /// By a seed.
    pub const fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ 0x5DEE_CE66_D1CE_1234)
    }

    const fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// A number below `count`.
    pub const fn below(&mut self, count: usize) -> usize {
        (self.next() % count as u64) as usize
    }

    /// Whether something happens that does so in `percent` of the cases.
    pub const fn happens(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }
}

/// The family of a seed.
pub fn family(seed: u64) -> Family {
    FAMILIES[seed as usize % FAMILIES.len()]
}

/// The workload of a seed.
pub fn draw(seed: u64) -> GeneratedWorkload {
    draw_of(family(seed), seed)
}

/// The workload of this family that a seed determines.
pub fn draw_of(family: Family, seed: u64) -> GeneratedWorkload {
    let mut random = SeededRandom::new(seed);
    let mut workload = resources(family, &mut random);
    match family {
        Family::Hosts
        | Family::UnorderedHosts
        | Family::SharedSignals
        | Family::AutomaticHosts
        | Family::Refusals => hosts(family, &mut workload, &mut random),
        Family::Graphs | Family::UnorderedCaptures => graphs(&mut workload, &mut random),
        Family::Memory | Family::AbortedMemory => families::memory(&mut workload, &mut random),
        Family::Fans => families::fans(&mut workload, &mut random),
        _ => {
            let count = 4 + random.below(11);
            let calls = calls(family, &mut workload, count, &mut random);
            workload.hosts.push(calls);
        }
    }
    match family {
        Family::Signals => raise_signals(&mut workload, true, &mut random),
        Family::HeldAborts => raise_signals(&mut workload, false, &mut random),
        Family::AbortedMemory => {
            families::abort(&mut workload, &mut random);
            raise_signals(&mut workload, false, &mut random);
        }
        Family::Refusals => families::refuse(&mut workload, &mut random),
        Family::SharedSignals => families::share_signal(&mut workload, &mut random),
        Family::AutomaticHosts => families::hold_back(&mut workload, &mut random),
        Family::UnorderedCaptures => families::call_into_captures(&mut workload, &mut random),
        Family::Timeouts => {
            raise_signals(&mut workload, true, &mut random);
            families::end_long_waits(&mut workload);
        }
        _ => {}
    }
    workload
}

fn resources(family: Family, random: &mut SeededRandom) -> GeneratedWorkload {
    let count = 2 + random.below(3);
    let mut streams = vec![StreamSort::NonBlocking; count];
    if family == Family::Legacy || random.happens(10) {
        for stream in &mut streams {
            if random.happens(70) {
                *stream = StreamSort::Blocking;
            }
        }
        let legacy = random.below(count);
        // Captures cannot be begun there.
        if !matches!(family, Family::Graphs | Family::UnorderedCaptures) {
            streams[legacy] = StreamSort::Legacy;
        }
    }
    GeneratedWorkload {
        streams,
        counts: ResourceCounts {
            events: 1 + random.below(3),
            buffers: 2 + random.below(2),
            ..ResourceCounts::default()
        },
        has_callbacks: family == Family::Callbacks,
        has_aborts: matches!(
            family,
            Family::Aborts | Family::HeldAborts | Family::AbortedMemory
        ),
        refusals: match family {
            Family::Refusals => CallRefusals::Apart,
            _ => CallRefusals::Never,
        },
        goes_on: match family {
            Family::Timeouts => (0..count).map(|_| random.happens(70)).collect(),
            _ => Vec::new(),
        },
        mode: match family {
            Family::Automatic | Family::AutomaticHosts if random.happens(50) => {
                SynchronizationMode::Automatic
            }
            Family::Automatic | Family::AutomaticHosts => SynchronizationMode::Least,
            _ => SynchronizationMode::Manual,
        },
        hosts: Vec::new(),
    }
}

/// Work on buffers that always have memory.
pub fn work(workload: &GeneratedWorkload, random: &mut SeededRandom) -> BufferWork {
    let count = workload.counts.buffers;
    let from = random.below(count);
    let to = (from + 1 + random.below(count - 1)) % count;
    let value = 1 + random.below(9) as u32;
    match random.below(10) {
        0..3 => BufferWork::Fill(to, value),
        3..5 => BufferWork::Copy(from, to),
        5 => BufferWork::Scale(from, to, value),
        6 => BufferWork::Scale(to, to, value),
        7 => BufferWork::Add(from, to),
        8 => BufferWork::Upload(to),
        _ => BufferWork::Download(from),
    }
}

/// A call that any workload may make on one of these streams.
pub fn any_call(
    workload: &GeneratedWorkload,
    streams: &[usize],
    random: &mut SeededRandom,
) -> GeneratedCall {
    let stream = streams[random.below(streams.len())];
    let event = random.below(workload.counts.events - workload.counts.captured_events);
    match random.below(100) {
        0..48 => GeneratedCall::Work(work(workload, random), stream),
        48..58 => GeneratedCall::Spin(20 + 30 * random.below(6) as u32, stream),
        58..72 => GeneratedCall::Record(event, stream),
        72..86 => GeneratedCall::Wait(event, stream),
        86..89 => GeneratedCall::Join(streams[random.below(streams.len())], stream),
        // A stream has functions of one sort.
        89..91 if !workload.has_callbacks => GeneratedCall::HostFunction(30, stream),
        91..93 => GeneratedCall::SynchronizeEvent(event),
        93..96 => GeneratedCall::SynchronizeStream(stream),
        96 => GeneratedCall::SynchronizeDevice,
        _ => GeneratedCall::HostWork(10 + 20 * random.below(5) as u32),
    }
}

fn calls(
    family: Family,
    workload: &mut GeneratedWorkload,
    count: usize,
    random: &mut SeededRandom,
) -> Vec<GeneratedCall> {
    let streams: Vec<usize> = (0..workload.streams.len()).collect();
    let mut calls = Vec::new();
    for _ in 0..count {
        let stream = streams[random.below(streams.len())];
        let call = match family {
            Family::Callbacks if random.happens(30) => GeneratedCall::Callback {
                micros: 50 + 100 * random.below(4) as u32,
                stream,
                blocks: random.happens(60),
                panics: random.happens(25),
            },
            Family::HeldAborts if random.happens(20) => {
                workload.counts.signals += 1;
                GeneratedCall::Hold(workload.counts.signals - 1, stream)
            }
            Family::HeldAborts if random.happens(20) => {
                let event = random.below(workload.counts.events);
                workload.counts.signals += 1;
                calls.push(GeneratedCall::Hold(workload.counts.signals - 1, stream));
                calls.push(GeneratedCall::Work(work(workload, random), stream));
                calls.push(GeneratedCall::Record(event, stream));
                let other = streams[random.below(streams.len())];
                calls.push(GeneratedCall::Wait(event, other));
                calls.push(GeneratedCall::Work(work(workload, random), other));
                GeneratedCall::Abort(stream)
            }
            Family::HeldAborts if random.happens(25) => GeneratedCall::Abort(stream),
            Family::Timeouts if random.happens(25) => {
                let event = random.below(workload.counts.events);
                let micros = if workload.goes_on(stream) {
                    100 + 100 * random.below(4) as u32
                } else {
                    families::FOR_EVER
                };
                GeneratedCall::TimedWait(event, stream, micros)
            }
            Family::Aborts if random.happens(15) => GeneratedCall::Abort(stream),
            Family::Aborts if random.happens(20) => {
                // Whoever waits for what an abort drops.
                let event = random.below(workload.counts.events);
                calls.push(GeneratedCall::Spin(800, stream));
                calls.push(GeneratedCall::Record(event, stream));
                calls.push(GeneratedCall::Wait(
                    event,
                    streams[random.below(streams.len())],
                ));
                calls.push(GeneratedCall::HostWork(300));
                GeneratedCall::Abort(stream)
            }
            Family::Automatic if random.happens(40) => {
                GeneratedCall::Work(work(workload, random), stream)
            }
            Family::Signals | Family::Timeouts if random.happens(20) => {
                workload.counts.signals += 1;
                GeneratedCall::Hold(workload.counts.signals - 1, stream)
            }
            _ => any_call(workload, &streams, random),
        };
        calls.push(call);
    }
    calls
}

/// Raises each signal that streams wait for: later, sooner, by another host thread, or sometimes too late.
fn raise_signals(
    workload: &mut GeneratedWorkload,
    may_have_other: bool,
    random: &mut SeededRandom,
) {
    let has_other = may_have_other && random.happens(40);
    let mut other = Vec::new();
    for signal in 0..workload.counts.signals {
        let call = GeneratedCall::Signal(signal);
        let calls = &mut workload.hosts[0];
        if random.happens(15) {
            // Too late for a synchronisation that waits for the held stream.
            if random.happens(50) {
                calls.push(GeneratedCall::SynchronizeDevice);
            }
            calls.push(call);
            continue;
        }
        if has_other && random.happens(60) {
            other.push(GeneratedCall::HostWork(20 + 60 * random.below(5) as u32));
            other.push(call);
            continue;
        }
        let hold = |it: &GeneratedCall| matches!(it, GeneratedCall::Hold(it, _) if *it == signal);
        let place = calls.iter().position(hold).unwrap_or_default();
        // Seldom before the hold; behind the next synchronisation it would be too late, which is sometimes drawn.
        let at = if random.happens(15) {
            random.below(place + 1)
        } else {
            let ends = calls.iter().skip(place + 1).position(|it| {
                matches!(
                    it,
                    GeneratedCall::SynchronizeDevice
                        | GeneratedCall::SynchronizeStream(_)
                        | GeneratedCall::SynchronizeEvent(_)
                )
            });
            let room = ends.unwrap_or(calls.len() - place - 1);
            let late = usize::from(random.happens(25));
            (place + 1 + random.below(room + 1) + late).min(calls.len())
        };
        calls.insert(at, call);
    }
    if has_other {
        workload.hosts.push(other);
    }
}

/// Several host threads, which hand over to each other by signals, or do not.
fn hosts(family: Family, workload: &mut GeneratedWorkload, random: &mut SeededRandom) {
    let count = 2 + random.below(2);
    let all: Vec<usize> = (0..workload.streams.len()).collect();
    let mut hosts = vec![Vec::new(); count];
    let rounds = 2 + random.below(3);
    let takes_turns =
        family == Family::Hosts || family == Family::AutomaticHosts && random.happens(50);
    for round in 0..rounds * usize::from(takes_turns) {
        // One thread calls, and hands over to the next.
        let (now, next) = (round % count, (round + 1) % count);
        for _ in 0..=random.below(4) {
            let call = any_call(workload, &all, random);
            hosts[now].push(call);
        }
        let signal = workload.counts.signals;
        workload.counts.signals += 1;
        hosts[now].push(GeneratedCall::Signal(signal));
        hosts[next].push(GeneratedCall::Await(signal));
    }
    if !takes_turns {
        let shares = random.happens(70);
        for (place, calls) in hosts.iter_mut().enumerate() {
            let own: Vec<usize> = if shares {
                all.clone()
            } else {
                all.iter()
                    .copied()
                    .filter(|it| it % count == place)
                    .collect()
            };
            let own = if own.is_empty() { vec![0] } else { own };
            for _ in 0..2 + random.below(4) {
                calls.push(any_call(workload, &own, random));
            }
        }
    }
    workload.hosts = hosts;
}

/// Graphs: a capture that forks and joins, replayed among other calls.
fn graphs(workload: &mut GeneratedWorkload, random: &mut SeededRandom) {
    let streams: Vec<usize> = (0..workload.streams.len()).collect();
    let mut all = Vec::new();
    for graph in 0..=random.below(2) {
        workload.counts.graphs = graph + 1;
        capture(workload, graph, &mut all, random);
        for _ in 0..=random.below(2) {
            for _ in 0..random.below(3) {
                all.push(any_call(workload, &streams, random));
            }
            let stream = streams[random.below(streams.len())];
            all.push(GeneratedCall::Replay(graph, stream));
        }
        for _ in 0..random.below(4) {
            all.push(any_call(workload, &streams, random));
        }
    }
    workload.hosts.push(all);
}

/// A capture: events of its own fork it to other streams and join those back.
fn capture(
    workload: &mut GeneratedWorkload,
    graph: usize,
    calls: &mut Vec<GeneratedCall>,
    random: &mut SeededRandom,
) {
    let count = workload.streams.len();
    let origin = random.below(count);
    let fork = workload.counts.events;
    calls.push(GeneratedCall::BeginCapture(origin));
    let mut taking_part = vec![origin];
    let node = |workload: &GeneratedWorkload, stream: usize, random: &mut SeededRandom| {
        if random.happens(20) {
            GeneratedCall::Spin(20 + 100 * random.below(4) as u32, stream)
        } else {
            GeneratedCall::Work(work(workload, random), stream)
        }
    };
    calls.push(node(workload, origin, random));
    let others = (0..count).filter(|&it| it != origin);
    let mut next = fork;
    for other in others.take(1 + random.below(2)) {
        let from = taking_part[random.below(taking_part.len())];
        calls.push(GeneratedCall::Record(next, from));
        calls.push(GeneratedCall::Wait(next, other));
        taking_part.push(other);
        next += 1;
        for _ in 0..=random.below(3) {
            let stream = taking_part[random.below(taking_part.len())];
            calls.push(node(workload, stream, random));
        }
        if random.happens(50) {
            let pair = (
                random.below(taking_part.len()),
                random.below(taking_part.len()),
            );
            calls.push(GeneratedCall::Record(next, taking_part[pair.0]));
            calls.push(GeneratedCall::Wait(next, taking_part[pair.1]));
            next += 1;
        }
    }
    calls.push(node(
        workload,
        *taking_part.last().unwrap_or(&origin),
        random,
    ));
    for &other in taking_part.iter().skip(1) {
        calls.push(GeneratedCall::Record(next, other));
        calls.push(GeneratedCall::Wait(next, origin));
        next += 1;
    }
    if random.happens(60) {
        calls.push(node(workload, origin, random));
    }
    calls.push(GeneratedCall::EndCapture(origin, graph));
    // An event that was last recorded in a capture is of no use outside: those of the capture are its own.
    workload.counts.events = next;
    workload.counts.captured_events += next - fork;
}

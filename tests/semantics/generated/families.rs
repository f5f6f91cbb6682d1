//! Draws workloads whose calls belong together: lives of memory, host threads that hand over to several others.

use super::draw::{SeededRandom, any_call, work};
use super::order::EnforcedOrder;
use super::text::{BufferWork, CallRefusals, GeneratedCall, GeneratedWorkload};

/// Microseconds that no wait lasts.
pub const FOR_EVER: u32 = 60_000_000;

/// Where nothing would ever go on, no wait has an end that is far away.
pub fn end_long_waits(workload: &mut GeneratedWorkload) {
    if EnforcedOrder::of(workload, &[]).is_stuck() {
        for calls in &mut workload.hosts {
            calls.retain(|it| !matches!(it, GeneratedCall::TimedWait(_, _, FOR_EVER)));
        }
    }
}

/// Memory that is allocated, used on one stream or two, and freed; more often than not something is wrong with it.
pub fn memory(workload: &mut GeneratedWorkload, random: &mut SeededRandom) {
    workload.counts.memories = 1 + random.below(2);
    let buffers = workload.counts.buffers;
    let all: Vec<usize> = (0..workload.streams.len()).collect();
    let mut lives: Vec<Vec<GeneratedCall>> = Vec::new();
    let other_events = workload.counts.events;
    for memory in buffers..buffers + workload.counts.memories {
        let mut calls = Vec::new();
        for _ in 0..=random.below(2) {
            life(workload, memory, &mut calls, random);
        }
        lives.push(calls);
    }
    let own_events = workload.counts.events - other_events;
    workload.counts.captured_events = own_events;
    let mut calls = Vec::new();
    while let Some(next) = lives.iter().position(|it| !it.is_empty()) {
        let next = if random.happens(50) {
            next
        } else {
            lives.len() - 1
        };
        if !lives[next].is_empty() {
            calls.push(lives[next].remove(0));
        }
        if random.happens(20) {
            calls.push(any_call(workload, &all, random));
        }
    }
    workload.counts.captured_events = 0;
    for _ in 0..random.below(4) {
        spoil(&mut calls, workload.streams.len(), random);
    }
    workload.hosts.push(calls);
}

/// One life of a memory, as it should be.
fn life(
    workload: &mut GeneratedWorkload,
    memory: usize,
    calls: &mut Vec<GeneratedCall>,
    random: &mut SeededRandom,
) {
    use GeneratedCall::{Allocate, Free, Work};
    let count = workload.streams.len();
    let (own, other) = (random.below(count), random.below(count));
    let buffer = random.below(workload.counts.buffers);
    calls.push(Allocate(memory, own));
    calls.push(Work(
        BufferWork::Fill(memory, 1 + random.below(9) as u32),
        own,
    ));
    hand_over(workload, own, other, calls, random);
    calls.push(Work(BufferWork::Copy(memory, buffer), other));
    if random.happens(50) {
        calls.push(Work(BufferWork::Scale(memory, memory, 3), other));
        calls.push(Work(BufferWork::Add(memory, buffer), other));
    }
    hand_over(workload, other, own, calls, random);
    calls.push(Free(memory, own));
}

/// What the second stream does next comes after the first.
fn hand_over(
    workload: &mut GeneratedWorkload,
    from: usize,
    to: usize,
    calls: &mut Vec<GeneratedCall>,
    random: &mut SeededRandom,
) {
    if from == to {
        return;
    }
    if random.happens(25) {
        calls.push(GeneratedCall::SynchronizeStream(from));
        return;
    }
    let event = workload.counts.events;
    workload.counts.events += 1;
    calls.push(GeneratedCall::Record(event, from));
    calls.push(GeneratedCall::Wait(event, to));
}

/// Leaves a call out, makes it twice, sooner, or on another stream.
fn spoil(calls: &mut Vec<GeneratedCall>, streams: usize, random: &mut SeededRandom) {
    let is_end =
        |it: &GeneratedCall| matches!(it, GeneratedCall::Allocate(..) | GeneratedCall::Free(..));
    let ends: Vec<usize> = (0..calls.len()).filter(|&it| is_end(&calls[it])).collect();
    let place = if ends.is_empty() || random.happens(40) {
        random.below(calls.len())
    } else {
        ends[random.below(ends.len())]
    };
    match random.below(4) {
        0 => drop(calls.remove(place)),
        1 => calls.insert(place, calls[place]),
        2 => calls.swap(place, place.saturating_sub(1)),
        _ => calls[place] = calls[place].moved(random.below(streams)),
    }
}

/// The first host thread signals to others, which begin then, and waits for them; some of their streams stand for signals
/// of each other.
pub fn fans(workload: &mut GeneratedWorkload, random: &mut SeededRandom) {
    let count = 2 + random.below(2);
    let all: Vec<usize> = (0..workload.streams.len()).collect();
    let is_apart = random.happens(60);
    let mut hosts: Vec<Vec<GeneratedCall>> = vec![Vec::new(); count + 1];
    let signal = |workload: &mut GeneratedWorkload| {
        workload.counts.signals += 1;
        workload.counts.signals - 1
    };
    for _ in 0..=random.below(4) {
        hosts[0].push(any_call(workload, &all, random));
    }
    let mut overs = Vec::new();
    for host in 1..=count {
        let (begin, over) = (signal(workload), signal(workload));
        hosts[0].push(GeneratedCall::Signal(begin));
        hosts[host].push(GeneratedCall::Await(begin));
        let apart = all.iter().copied().filter(|it| it % count == host - 1);
        let mut own: Vec<usize> = if is_apart {
            apart.collect()
        } else {
            all.clone()
        };
        if own.is_empty() {
            own.clone_from(&all);
        }
        for _ in 0..=random.below(4) {
            let call = match any_call(workload, &own, random) {
                // An event is recorded by whoever has it.
                GeneratedCall::Record(..) | GeneratedCall::Wait(..) if is_apart => {
                    GeneratedCall::Work(work(workload, random), own[0])
                }
                call => call,
            };
            hosts[host].push(call);
        }
        if random.happens(30) {
            // Another thread lets its stream go on.
            let held = signal(workload);
            let stream = own[random.below(own.len())];
            let place = 1 + random.below(hosts[host].len());
            hosts[host].insert(place, GeneratedCall::Hold(held, stream));
            let other = if random.happens(50) {
                0
            } else {
                1 + host % count
            };
            hosts[other].push(GeneratedCall::Signal(held));
        }
        hosts[host].push(GeneratedCall::Signal(over));
        overs.push(over);
    }
    while !overs.is_empty() {
        let over = overs.remove(random.below(overs.len()));
        for _ in 0..random.below(3) {
            hosts[0].push(any_call(workload, &all, random));
        }
        hosts[0].push(GeneratedCall::Await(over));
    }
    for _ in 0..random.below(4) {
        hosts[0].push(any_call(workload, &all, random));
    }
    workload.hosts = hosts;
}

/// Aborts streams behind some of the calls that allocate or free, which stand for a signal meanwhile or may have run.
pub fn abort(workload: &mut GeneratedWorkload, random: &mut SeededRandom) {
    for _ in 0..=random.below(2) {
        let calls = &mut workload.hosts[0];
        let is_end = |it: &GeneratedCall| {
            matches!(it, GeneratedCall::Allocate(..) | GeneratedCall::Free(..))
        };
        let ends: Vec<usize> = (0..calls.len()).filter(|&it| is_end(&calls[it])).collect();
        let Some(&place) = ends.get(random.below(ends.len().max(1))) else {
            return;
        };
        let Some(stream) = calls[place].stream() else {
            return;
        };
        let after = (place + 1 + random.below(3)).min(calls.len());
        calls.insert(after, GeneratedCall::Abort(stream));
        match random.below(3) {
            0 => calls.insert(place, GeneratedCall::Spin(300, stream)),
            1 => {
                let signal = workload.counts.signals;
                workload.counts.signals += 1;
                calls.insert(place, GeneratedCall::Hold(signal, stream));
            }
            _ => {}
        }
    }
}

/// Lets two host threads raise one signal, and a third wait for it.
pub fn share_signal(workload: &mut GeneratedWorkload, random: &mut SeededRandom) {
    let signal = workload.counts.signals;
    workload.counts.signals += 1;
    workload.hosts.resize(3, Vec::new());
    let all: Vec<usize> = (0..workload.streams.len()).collect();
    for host in 0..3 {
        let call = any_call(workload, &all, random);
        let calls = &mut workload.hosts[host];
        let place = random.below(calls.len() + 1);
        let shared = if host == 2 {
            GeneratedCall::Await(signal)
        } else {
            GeneratedCall::Signal(signal)
        };
        calls.insert(place, shared);
        calls.push(call);
    }
}

/// Host threads that ask for what others use, destroy it, or make the device fail; some of their calls are ordered by a
/// signal.
pub fn refuse(workload: &mut GeneratedWorkload, random: &mut SeededRandom) {
    let counts = workload.counts;
    for _ in 0..2 + random.below(4) {
        let (stream, event) = (
            random.below(workload.streams.len()),
            random.below(counts.events),
        );
        let call = match random.below(10) {
            0..2 => GeneratedCall::QueryStream(stream, random.happens(50)),
            2 => GeneratedCall::QueryEvent(event, random.happens(50)),
            3..5 => GeneratedCall::Reset(event, stream),
            5..7 => GeneratedCall::DestroyEvent(event),
            7..9 => GeneratedCall::DestroyStream(stream),
            _ => GeneratedCall::Trap(stream),
        };
        let host = random.below(workload.hosts.len());
        let calls = &mut workload.hosts[host];
        calls.insert(random.below(calls.len() + 1), call);
    }
    if random.happens(60) {
        workload.refusals = CallRefusals::Shared;
    }
    if random.happens(50) {
        let signal = counts.signals;
        workload.counts.signals += 1;
        let own = [GeneratedCall::Signal(signal), GeneratedCall::Await(signal)];
        for (calls, call) in workload.hosts.iter_mut().zip(own) {
            calls.insert(random.below(calls.len() + 1), call);
        }
    }
}

/// Streams that wait for a signal which another host thread raises.
pub fn hold_back(workload: &mut GeneratedWorkload, random: &mut SeededRandom) {
    let (signal, stream) = (
        workload.counts.signals,
        random.below(workload.streams.len()),
    );
    workload.counts.signals += 1;
    let place = random.below(workload.hosts[0].len() + 1);
    workload.hosts[0].insert(place, GeneratedCall::Hold(signal, stream));
    // Before anything that might wait for the stream.
    workload.hosts[1].insert(0, GeneratedCall::Signal(signal));
}

/// Memory that one host thread allocates and uses between its other calls, on any streams.
pub fn use_memory(workload: &mut GeneratedWorkload, random: &mut SeededRandom) {
    use GeneratedCall::{Allocate, Free, Work};
    let memory = workload.counts.buffers + workload.counts.memories;
    workload.counts.memories += 1;
    let (count, buffer) = (
        workload.streams.len(),
        random.below(workload.counts.buffers),
    );
    let mut own = vec![
        Allocate(memory, random.below(count)),
        Work(BufferWork::Fill(memory, 2), random.below(count)),
        Work(BufferWork::Copy(buffer, memory), random.below(count)),
        Work(BufferWork::Copy(memory, buffer), random.below(count)),
    ];
    if random.happens(50) {
        own.push(Free(memory, random.below(count)));
    }
    let host = random.below(workload.hosts.len());
    let calls = &mut workload.hosts[host];
    let mut place = 0;
    for call in own {
        place += random.below(calls.len() + 1 - place);
        calls.insert(place, call);
        place += 1;
    }
}

/// The same workload once for each host thread, which begins after the others there: the lines of its text are the same.
pub fn each_last(workload: &GeneratedWorkload) -> Vec<GeneratedWorkload> {
    let hosts = 0..workload.hosts.len();
    let delayed = |last: usize| {
        let mut delayed = workload.clone();
        for (host, calls) in delayed.hosts.iter_mut().enumerate() {
            let micros = if host == last { 5_000 } else { 1 };
            calls.insert(0, GeneratedCall::HostWork(micros));
        }
        delayed
    };
    hosts.map(delayed).collect()
}

/// A host thread of its own calls on streams on which the first one begins captures. Streams that only join one are left
/// out: a call there that is captured behind the last join makes the capture fail.
pub fn call_into_captures(workload: &mut GeneratedWorkload, random: &mut SeededRandom) {
    let calls = &workload.hosts[0];
    let first_captured = workload.counts.events - workload.counts.captured_events;
    let mut begun = None;
    let (mut origins, mut forks) = (Vec::new(), Vec::new());
    for call in calls {
        match *call {
            GeneratedCall::BeginCapture(stream) => {
                begun = Some(stream);
                origins.push(stream);
            }
            GeneratedCall::Wait(event, stream)
                if event >= first_captured && begun != Some(stream) =>
            {
                forks.push(stream);
            }
            _ => {}
        }
    }
    origins.retain(|it| !forks.contains(it));
    let mut other = Vec::new();
    for _ in 0..random.below(5) * usize::from(!origins.is_empty()) {
        let stream = origins[random.below(origins.len())];
        other.push(match random.below(10) {
            0..6 => GeneratedCall::Work(work(workload, random), stream),
            6 => GeneratedCall::Spin(20 + 30 * random.below(6) as u32, stream),
            _ => GeneratedCall::HostWork(10 + 20 * random.below(5) as u32),
        });
    }
    // So that calls come between those of the capture.
    for _ in 0..3 {
        let place = random.below(workload.hosts[0].len());
        let pause = GeneratedCall::HostWork(10 + 20 * random.below(5) as u32);
        workload.hosts[0].insert(place, pause);
    }
    workload.hosts.push(other);
}

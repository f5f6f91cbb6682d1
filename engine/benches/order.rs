//! What it costs to know the order of calls: 10,000 streams, 100,000 events, 1 million calls.

use std::hint::black_box;
use std::time::Instant;

use engine::order::{CallBatch, CallOrigin, DeclaredUse, HostWaitTarget, Order, SyncOp};
use engine::record::{BufferIndex, EventIndex, SpanId, StreamIndex};

const STREAMS: u64 = 10_000;
const EVENTS: u64 = 100_000;
const BUFFERS: u64 = 20_000;
const CALLS: u64 = 1_000_000;
/// Calls that are noted down before they are compared, as a run does a few dozen times a second.
const BATCH: u64 = 4_096;

/// Numbers that look random, the same every time.
struct RandomNumbers(u64);

impl RandomNumbers {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (self.0 >> 33) % end
    }
}

/// The call at this place of a workload.
type CallGenerator = fn(u64, &mut RandomNumbers) -> (SyncOp, Vec<DeclaredUse>);

const fn stream(number: u64) -> StreamIndex {
    StreamIndex((number % STREAMS) as u32)
}

/// Streams in a ring hand parts on: each waits for its neighbour, works and records; now and then the host waits for
/// all of them.
fn ring(place: u64, _: &mut RandomNumbers) -> (SyncOp, Vec<DeclaredUse>) {
    let (step, part) = (place / 3, place % 3);
    let event = |step: u64| EventIndex((step % EVENTS) as u32);
    let buffer = |step: u64| BufferIndex((step % BUFFERS) as u32);
    match part {
        _ if place.is_multiple_of(50_000) => {
            (SyncOp::Begin(HostWaitTarget::Device(0), 0), Vec::new())
        }
        _ if place % 50_000 == 1 => (SyncOp::End(0), Vec::new()),
        0 => (
            SyncOp::Wait(event(step + EVENTS - 1), stream(step)),
            Vec::new(),
        ),
        1 => {
            let uses = vec![
                DeclaredUse::read(buffer(step + BUFFERS - 1)),
                DeclaredUse::write(buffer(step)),
            ];
            (SyncOp::Work(stream(step)), uses)
        }
        _ => (SyncOp::Record(event(step), stream(step)), Vec::new()),
    }
}

/// Any stream waits for any event: what each knows spreads over all, and no two know the same.
fn gossip(place: u64, random: &mut RandomNumbers) -> (SyncOp, Vec<DeclaredUse>) {
    let stream = stream(random.below(STREAMS));
    let event = EventIndex(random.below(EVENTS) as u32);
    let mut buffer = || BufferIndex(random.below(BUFFERS) as u32);
    match place % 3 {
        0 => (SyncOp::Wait(event, stream), Vec::new()),
        1 => (
            SyncOp::Work(stream),
            vec![DeclaredUse::read(buffer()), DeclaredUse::write(buffer())],
        ),
        _ => (SyncOp::Record(event, stream), Vec::new()),
    }
}

/// Nanoseconds a call, and what `take` came to have taken.
fn passed(make: CallGenerator, mut take: impl FnMut(&CallBatch)) -> f64 {
    let mut random = RandomNumbers(7);
    let mut spent = 0.0;
    let mut place = 0;
    while place < CALLS {
        let calls: Vec<_> = (place..(place + BATCH).min(CALLS))
            .map(|place| (place, make(place, &mut random)))
            .collect();
        place += calls.len() as u64;
        let start = Instant::now();
        let mut batch = CallBatch::default();
        for (place, (act, uses)) in calls {
            let (site, span) = ((place % 1_000) as u32, SpanId(place as u32));
            batch.push(0, CallOrigin { site, span }, act, &uses);
        }
        take(&batch);
        spent += start.elapsed().as_secs_f64();
    }
    spent * 1e9 / CALLS as f64
}

/// The most memory that the process had, in MB.
fn peak() -> f64 {
    let text = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<f64>().ok());
    kilobytes.unwrap_or_default() / 1e3
}

#[expect(clippy::print_stdout, reason = "a bench prints its table")]
fn main() {
    println!("{STREAMS} streams, {EVENTS} events, {CALLS} calls");
    let all: [(&str, CallGenerator); 2] = [("ring", ring), ("gossip", gossip)];
    for (name, make) in all {
        let bare = passed(make, |batch| {
            batch.each(|op, uses| {
                black_box((op, uses));
            });
        });
        let mut order = Order::new();
        let mut hazards = 0;
        let full = passed(make, |batch| {
            order.take_all(batch);
            hazards += order.hazards().len();
        });
        println!(
            "{name}: {bare:.0} ns a call noted down, {full:.0} ns compared, {:.1}x; {hazards} hazards; {:.0} MB at most",
            full / bare,
            peak()
        );
    }
}

//! Whatever is advised may be followed: without a wait that is called redundant, with a narrower wait where one is said to be
//! enough, or with a copy on a stream of its own, a generated workload has the same races and the same numbers.

use std::collections::BTreeMap;
use std::ops::Range;

use engine::analysis::analyse;
use engine::analysis::causes::Causes;
use engine::capture::Capture;
use engine::record::{Finding, Record};
use engine::time::Nanos;

use super::draw::{SeededRandom, draw};
use super::order::EnforcedOrder;
use super::text::{
    BufferWork, CallRefusals, GeneratedCall, GeneratedWorkload, PlacedCall, ResourceCounts,
    StreamSort, SynchronizationMode,
};
use super::{backends, records};

/// How many workloads are drawn where nothing else is asked for.
const SAMPLE: u64 = 120;
/// Asks for another number, from a seed on, as `500@720311`.
const WANTED: &str = "SYNCLINE_ADVICE";

/// Findings that advise another order of calls.
const CODES: [&str; 3] = ["redundant-wait", "over-synchronised", "exposed-copies"];

/// An operation that a call which needs nothing of it should not wait for.
const LONG_MICROS: u32 = 200;
/// An operation in whose shade a copy would be worth mentioning.
const SHORT_MICROS: u32 = 10;

/// What fewer calls and starts save besides.
const CALLS: Nanos = Nanos(10_000);

/// A call that orders nothing, in the place of one that is left out: all lines stay as they are.
const NOTHING: GeneratedCall = GeneratedCall::HostWork(1);

/// The workload of a seed with more to give advice about. For even seeds a copy behind a kernel that has nothing to do with it;
/// for odd ones a long operation before each synchronisation of the device, and one such synchronisation more: what others ran
/// would be over sooner.
fn tempting(seed: u64) -> GeneratedWorkload {
    let mut workload = draw(seed);
    let own = seed as usize % workload.streams.len();
    let is_plain = workload.counts.graphs == 0 && !workload.has_aborts;
    if let Some(calls) = workload.hosts.first_mut().filter(|_| is_plain) {
        let middle = calls.len() / 2;
        if seed.is_multiple_of(2) {
            let copy = GeneratedCall::Work(BufferWork::Copy(0, 1), own);
            calls.splice(
                middle..middle,
                [GeneratedCall::Spin(SHORT_MICROS, own), copy],
            );
            return workload;
        }
        calls.insert(middle, GeneratedCall::SynchronizeDevice);
        let placed = calls.iter().enumerate();
        let waits = placed.filter(|(_, it)| **it == GeneratedCall::SynchronizeDevice);
        let waits: Vec<usize> = waits.map(|(place, _)| place).collect();
        for place in waits.into_iter().rev() {
            calls.insert(place, GeneratedCall::Spin(LONG_MICROS, own));
        }
    }
    workload
}

/// A workload that deserves advice and is in order without what is advised against: a wait that an earlier one makes
/// redundant, a synchronisation of the device where a stream's would do, and a copy between kernels that need nothing of it.
fn deserving(seed: u64) -> GeneratedWorkload {
    use BufferWork::{Add, Copy, Fill, Scale};
    use GeneratedCall::{Record, Spin, SynchronizeDevice, SynchronizeStream, Wait, Work};
    let mut random = SeededRandom::new(seed);
    let streams = 3 + random.below(2);
    let spare = streams;
    let mut counts = ResourceCounts {
        buffers: 3,
        ..ResourceCounts::default()
    };
    let mut calls: Vec<GeneratedCall> = (0..counts.buffers)
        .map(|buffer| Work(Fill(buffer, 1 + buffer as u32), 0))
        .collect();
    calls.push(SynchronizeStream(0));
    for _ in 0..2 + random.below(3) {
        let one = random.below(streams);
        let other = (one + 1 + random.below(streams - 1)) % streams;
        let (from, to) = (random.below(3), 1 + random.below(2));
        let (to, number) = ((from + to) % 3, 1 + random.below(9) as u32);
        match random.below(3) {
            0 => {
                let event = counts.events;
                counts.events += 1;
                calls.extend([
                    Spin(SHORT_MICROS, one),
                    Work(Fill(from, number), one),
                    Record(event, one),
                    Wait(event, other),
                    Work(Copy(from, to), other),
                    Wait(event, other),
                    Work(Add(from, to), other),
                ]);
            }
            1 => {
                // A stream that only spins shares no buffer that a wait for it might be needed for.
                calls.extend([Spin(LONG_MICROS, spare), Work(Fill(from, number), other)]);
                calls.extend([SynchronizeDevice, Work(Copy(from, to), other)]);
            }
            _ => {
                calls.extend([Spin(SHORT_MICROS, one), Work(Copy(from, to), one)]);
                calls.push(Work(Scale(to, from, number), one));
            }
        }
        calls.extend([SynchronizeStream(one), SynchronizeStream(other)]);
    }
    GeneratedWorkload {
        streams: vec![StreamSort::NonBlocking; streams + 1],
        counts,
        has_callbacks: false,
        has_aborts: false,
        refusals: CallRefusals::Never,
        goes_on: Vec::new(),
        mode: SynchronizationMode::Manual,
        hosts: vec![calls],
    }
}

/// The workload of a seed: of any sort, or each third one that deserves advice.
fn advised(seed: u64) -> GeneratedWorkload {
    if seed % 3 == 2 {
        deserving(seed)
    } else {
        tempting(seed)
    }
}

/// What a run showed: its capture, its races and what buffers held.
struct AdvisedRun {
    capture: Capture,
    races: Vec<(String, Vec<u32>)>,
    values: Vec<String>,
}

impl AdvisedRun {
    fn of(workload: &GeneratedWorkload, backend: &str) -> Self {
        let made = records(workload, backend);
        let made = made.unwrap_or_else(|reason| panic!("{reason}\n{}", workload.text()));
        let values = made.iter().filter_map(|it| match it {
            Record::Expectation(it) => Some(it.found.clone()),
            _ => None,
        });
        let values = values.collect();
        let mut capture = Capture::new();
        capture.apply(made);
        let races = capture.findings().iter();
        let races = races.filter(|it| ["race", "unordered-hosts"].contains(&it.code.as_str()));
        let mut races: Vec<_> = races
            .map(|it| (it.text.clone(), it.lines.clone()))
            .collect();
        races.sort();
        Self {
            capture,
            races,
            values,
        }
    }

    /// Whether nothing is unordered that was not in another run, and all races are the same. A wait that is left out uses no
    /// stream any more, so that host threads may share fewer.
    fn has_the_races_of(&self, other: &Self) -> bool {
        let of_hosts = |it: &&(String, Vec<u32>)| it.0.contains("both use");
        let races = |run: &Self| -> Vec<(String, Vec<u32>)> {
            let races = run.races.iter().filter(|it| !of_hosts(it));
            races.cloned().collect()
        };
        let shares = |run: &Self| run.races.iter().any(|it| of_hosts(&it));
        races(self) == races(other) && (shares(other) || !shares(self))
    }

    /// Everything that is advised about calls of the workload, and what each would save at most, where that is told.
    fn advice(&self) -> Vec<(Finding, Option<Nanos>)> {
        let answers = analyse(&self.capture, Causes::build(&self.capture).into());
        let findings = answers.into_iter().flat_map(|it| {
            let savings = it.savings.into_iter().map(Some);
            let savings = savings.chain(std::iter::repeat(None));
            it.answer.findings.into_iter().zip(savings)
        });
        findings
            .filter(|it| CODES.contains(&it.0.code.as_str()))
            .collect()
    }

    /// How long it took.
    fn length(&self) -> Nanos {
        let extent = self.capture.extent();
        extent.unwrap_or_default().length()
    }

    /// The stream that a span is on, by its place in the workload.
    fn stream(&self, finding: &Finding, place: usize) -> Option<usize> {
        let placed = self.capture.span(*finding.spans.get(place)?)?;
        let lane = self.capture.lane(placed.span.lane)?;
        lane.name.strip_prefix('s')?.parse().ok()
    }
}

/// The workload that does what a finding advises.
fn followed(
    workload: &GeneratedWorkload,
    run: &AdvisedRun,
    finding: &Finding,
) -> Option<GeneratedWorkload> {
    let placed = workload.placed();
    if finding.code == "exposed-copies" {
        return apart(workload, &placed, &finding.lines);
    }
    let line = *finding.lines.first()?;
    let at = placed.iter().position(|it| it.line == line)?;
    let call = placed[at];
    let place = placed[..at]
        .iter()
        .filter(|it| it.host == call.host)
        .count();
    let instead = match (finding.code.as_str(), call.call) {
        ("redundant-wait", GeneratedCall::Wait(..)) => NOTHING,
        // The third span is what the work after it waited for: waiting for its stream is said to be enough.
        ("over-synchronised", GeneratedCall::SynchronizeDevice) => {
            GeneratedCall::SynchronizeStream(run.stream(finding, 2)?)
        }
        _ => return None,
    };
    let mut changed = workload.clone();
    // What every workload ends with is no call of its own.
    *changed.hosts.get_mut(call.host)?.get_mut(place)? = instead;
    Some(changed)
}

/// The workload with the copy of two operations of one stream on a stream of its own, so that both may run at once; what comes
/// after them on their stream waits for it. Nothing where what lies between the two is ordered by the copy as well.
fn apart(
    workload: &GeneratedWorkload,
    placed: &[PlacedCall],
    lines: &[u32],
) -> Option<GeneratedWorkload> {
    let &[first, second] = lines else {
        return None;
    };
    let host = placed.iter().find(|it| it.line == first)?.host;
    let own: Vec<_> = placed.iter().filter(|it| it.host == host).collect();
    let at = |line| own.iter().position(|it| it.line == line);
    // The copy is named first, whichever of the two it is.
    let (first, second) = (at(first)?.min(at(second)?), at(first)?.max(at(second)?));
    let stream = stream_of(own[first].call)?;
    let is_plain = workload.counts.graphs == 0 && !workload.streams.contains(&StreamSort::Legacy);
    let between = own.get(first + 1..second)?;
    let is_alone = between
        .iter()
        .all(|it| stream_of(it.call).is_some_and(|other| other != stream));
    if !is_plain || !is_alone {
        return None;
    }
    let mut changed = workload.clone();
    let (apart, events) = (workload.streams.len(), workload.counts.events);
    changed.streams.push(StreamSort::NonBlocking);
    if !changed.goes_on.is_empty() {
        changed.goes_on.push(false);
    }
    changed.counts.events += 2;
    let calls = changed.hosts.get_mut(host)?;
    let copy = if is_copy(own[first].call) {
        first
    } else {
        second
    };
    let GeneratedCall::Work(work, _) = own[copy].call else {
        return None;
    };
    // From the back, so that the places in front stay as they are.
    calls.insert(second + 1, GeneratedCall::Wait(events + 1, stream));
    calls.insert(copy + 1, GeneratedCall::Record(events + 1, apart));
    *calls.get_mut(copy)? = GeneratedCall::Work(work, apart);
    calls.insert(first, GeneratedCall::Wait(events, apart));
    calls.insert(first, GeneratedCall::Record(events, stream));
    Some(changed)
}

/// The stream of work on buffers and of a kernel; nothing for every other call.
const fn stream_of(call: GeneratedCall) -> Option<usize> {
    match call {
        GeneratedCall::Work(_, stream) | GeneratedCall::Spin(_, stream) => Some(stream),
        _ => None,
    }
}

const fn is_copy(call: GeneratedCall) -> bool {
    use BufferWork::{Copy, Download, Upload};
    matches!(
        call,
        GeneratedCall::Work(Copy(..) | Upload(_) | Download(_), _)
    )
}

/// The workload without the wait or the blocking call of a line.
fn without_wait(workload: &GeneratedWorkload, line: u32) -> Option<GeneratedWorkload> {
    use GeneratedCall::{
        Await, Hold, Join, SynchronizeDevice, SynchronizeEvent, SynchronizeStream, TimedWait, Wait,
    };
    let placed = workload.placed();
    let at = placed.iter().position(|it| it.line == line)?;
    let call = placed[at];
    let waits = matches!(
        call.call,
        Await(_)
            | Hold(..)
            | Join(..)
            | SynchronizeDevice
            | SynchronizeEvent(_)
            | SynchronizeStream(_)
            | TimedWait(..)
            | Wait(..)
    );
    let before = placed[..at].iter().filter(|it| it.host == call.host);
    let mut changed = workload.clone();
    let calls = changed.hosts.get_mut(call.host)?;
    *calls.get_mut(before.count()).filter(|_| waits)? = NOTHING;
    Some(changed)
}

/// The seeds of the workloads that are drawn.
fn seeds() -> Range<u64> {
    let wanted = std::env::var(WANTED).unwrap_or_default();
    let (count, first) = wanted.split_once('@').unwrap_or((&wanted, "0"));
    let first = first.parse().expect("a seed");
    first..first + count.parse().unwrap_or(SAMPLE)
}

/// How many pieces of advice of each kind were followed on a backend; nothing where that does not open.
fn follow_all(backend: &str) -> Option<BTreeMap<String, usize>> {
    if !backends().iter().any(|it| it.name() == backend) {
        return None;
    }
    let (mut counts, mut wrong) = (BTreeMap::<String, usize>::new(), Vec::new());
    for seed in seeds() {
        let workload = advised(seed);
        let order = EnforcedOrder::of(&workload, &[]);
        let is_plain = workload.mode == SynchronizationMode::Manual && !workload.has_aborts;
        if !is_plain || order.is_stuck() {
            continue;
        }
        let is_ordered = order.races(workload.mode).is_empty() && order.unordered_calls.is_empty();
        let run = AdvisedRun::of(&workload, backend);
        for (finding, saves) in run.advice() {
            // Calls move to other lines there, by which races are compared.
            if finding.code == "exposed-copies" && !(is_ordered && run.races.is_empty()) {
                continue;
            }
            let Some(changed) = followed(&workload, &run, &finding) else {
                continue;
            };
            *counts.entry(finding.code.clone()).or_default() += 1;
            let after = AdvisedRun::of(&changed, backend);
            // Numbers of a race are chance.
            let same = after.has_the_races_of(&run) && (!is_ordered || after.values == run.values);
            // In virtual time alone nothing but the change makes a difference; calls take some of it themselves.
            let saved = run.length() - after.length() - CALLS;
            let is_most = backend != "mock" || saves.is_none_or(|it| saved <= it);
            if !same || !is_most {
                wrong.push(format!(
                    "seed {seed}: {} (saved {saved} besides)\n{:?} {:?}\n{:?} {:?}\n{}",
                    finding.text,
                    run.races,
                    run.values,
                    after.races,
                    after.values,
                    workload.text()
                ));
            }
        }
    }
    eprintln!(
        "{backend}: advice followed {counts:?}, {} wrong",
        wrong.len()
    );
    assert!(
        wrong.is_empty(),
        "{}",
        wrong[..wrong.len().min(3)].join("\n")
    );
    Some(counts)
}

/// Whether one piece of each of these kinds was followed for each fifty workloads.
fn assert_often(counts: &BTreeMap<String, usize>, codes: &[&str]) {
    let seeds = seeds();
    let least = (seeds.end - seeds.start) as usize / 50;
    let is_often = |code: &&str| counts.get(*code).is_some_and(|it| *it >= least);
    assert!(codes.iter().all(is_often), "{least} of each: {counts:?}");
}

/// In virtual time a workload without its costliest wait is shorter by no more than is said; and where two operations are said to
/// need the order that the wait makes, they have a race without it.
#[test]
fn without_its_costliest_wait_a_workload_saves_no_more_than_is_said() {
    let (mut bounded, mut needed, mut wrong) = (0, 0, Vec::new());
    for seed in seeds() {
        let workload = tempting(seed);
        let order = EnforcedOrder::of(&workload, &[]);
        if workload.mode != SynchronizationMode::Manual || workload.has_aborts || order.is_stuck() {
            continue;
        }
        let run = AdvisedRun::of(&workload, "mock");
        let answers = analyse(&run.capture, Causes::build(&run.capture).into());
        let costliest = answers.into_iter().find(|it| it.code == "costliest-wait");
        let costliest = costliest.expect("it is looked for in every run");
        let redundant = run.advice();
        for (finding, most) in costliest.answer.findings.iter().zip(costliest.savings) {
            let line = finding.lines.first().copied();
            let changed = line.and_then(|line| without_wait(&workload, line));
            let Some(changed) = changed else { continue };
            let without = EnforcedOrder::of(&changed, &[]);
            // Of threads that nothing orders any more another may come first, and the run is another one.
            if without.is_stuck() || !without.unordered_calls.is_empty() {
                continue;
            }
            // Beside a wait with a time limit no bound is given.
            if finding
                .text
                .contains("what would be saved without this wait is not told")
            {
                continue;
            }
            bounded += 1;
            let after = AdvisedRun::of(&changed, "mock");
            let saved = run.length() - after.length() - CALLS;
            let is_needed = finding.text.contains("is needed");
            // Of two waits for the same either can go, and the order stays; and so it does where the legacy stream makes it too.
            let is_alone = !workload.streams.contains(&StreamSort::Legacy);
            // Where the two race already with what is between them, the model tells of no other race.
            let is_alone = is_alone && order.races(workload.mode).is_empty();
            let is_alone = is_alone && redundant.iter().all(|it| it.0.code != "redundant-wait");
            let races = |order: &EnforcedOrder| order.races(SynchronizationMode::Manual).len();
            let is_said = is_needed && is_alone;
            needed += usize::from(is_said);
            // The model's races are of buffers; that memory is given back too early is found by the run.
            let is_race = races(&without) > races(&order);
            let found = |run: &AdvisedRun| run.capture.findings().len();
            let is_right = !is_said || is_race || found(&after) > found(&run);
            if saved > most || !is_right {
                wrong.push(format!(
                    "seed {seed}: {} (saved {saved} besides)\n{}",
                    finding.text,
                    workload.text()
                ));
            }
        }
    }
    eprintln!(
        "{bounded} waits left out, {needed} of them needed, {} wrong",
        wrong.len()
    );
    assert!(
        wrong.is_empty(),
        "{}",
        wrong[..wrong.len().min(3)].join("\n")
    );
    assert!(bounded > 20 && needed > 0, "{bounded} {needed}");
}

#[test]
fn advice_about_generated_workloads_can_be_followed_on_mock() {
    if let Some(counts) = follow_all("mock") {
        assert_often(&counts, &CODES);
    }
}

#[test]
fn advice_about_generated_workloads_can_be_followed_on_cpu() {
    // What else is advised there depends on how long things happen to take.
    if let Some(counts) = follow_all("cpu") {
        assert_often(&counts, &["redundant-wait"]);
    }
}

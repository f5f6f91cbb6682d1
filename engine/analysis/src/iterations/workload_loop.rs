//! Iterations of a run: the rounds of the outermost loops of its workload, as its host threads say them.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::anchor::{LEAST, from_each, has_run, is_covered, submitted};
use super::{IterationSource, MarkedInterval};
use crate::causes::CauseReader;
use capture::Capture;
use record::time::{Interval, Nanos};
use record::{CallId, Group, ITERATION, LaneId, SpanId, Value};

/// A round of a loop: the call of a host thread that it begins with.
#[derive(Clone, Copy, Debug)]
struct RoundStart {
    call: (Nanos, SpanId),
    /// Which loop of the thread it is a round of, counted from 1; 0 where no loop runs.
    of: u32,
}

/// An operation that a round submitted.
#[derive(Clone, Copy, Debug)]
struct RoundOperation {
    submitted: (Nanos, SpanId),
    start: Nanos,
    end: Nanos,
}

/// A loop as it ran.
#[derive(Default)]
struct LoopRun {
    /// What each round submitted first of all that ran, by the round's first call.
    first: BTreeMap<(Nanos, SpanId), RoundOperation>,
    /// When the last of its operations ended.
    end: Nanos,
}

/// Rounds, and where each loop begins among them.
pub(super) type LoopRounds = (Vec<MarkedInterval>, Vec<usize>);

/// The rounds of the outermost loops of a workload. Of loops that run at the same time, the longest counts.
pub(super) fn by_loops(
    reader: &CauseReader<'_>,
    lanes: &[LaneId],
    streams: &[LaneId],
) -> Option<(IterationSource, LoopRounds)> {
    let threads = threads(reader.capture(), lanes);
    if threads.is_empty() {
        return None;
    }
    let found = runs(reader, &threads, streams).into_values();
    let apart = one_after_the_other(found.filter(LoopRun::is_one_by_one).collect());
    let mut starts = Vec::new();
    let mut marked: Vec<MarkedInterval> = Vec::new();
    for run in apart {
        starts.push(marked.len());
        // The loop before may still run.
        if let (Some((before, _)), Some(first)) = (marked.last_mut(), run.begin()) {
            before.end = before.end.min(first);
        }
        marked.extend(from_each(&run.begins(), run.end));
    }
    let end = marked.last()?.0.end;
    let anchors: Vec<(Nanos, SpanId)> = marked.iter().map(|it| (it.0.start, it.1)).collect();
    is_covered(reader, &anchors, end).then_some((IterationSource::Repeat, (marked, starts)))
}

/// The loops of all host threads, as they ran.
fn runs(
    reader: &CauseReader<'_>,
    threads: &BTreeMap<LaneId, Vec<RoundStart>>,
    streams: &[LaneId],
) -> BTreeMap<(LaneId, u32), LoopRun> {
    let mut found: BTreeMap<(LaneId, u32), LoopRun> = BTreeMap::new();
    for placed in submitted(reader, streams).into_iter().filter(has_run) {
        let span = placed.span;
        if let Some((of, round)) = round_of(reader, threads, span.id) {
            let operation = RoundOperation {
                submitted: (span.enqueued, span.id),
                start: span.start,
                end: span.end,
            };
            found.entry(of).or_default().take(round, operation);
        }
    }
    found
}

/// Of each host thread that runs loops, the calls that rounds begin with, in order.
fn threads(capture: &Capture, lanes: &[LaneId]) -> BTreeMap<LaneId, Vec<RoundStart>> {
    let of_host = lanes.iter().filter(|lane| {
        let known = capture.lane(**lane);
        known.is_some_and(|it| it.group == Group::Host)
    });
    let rounds = of_host.map(|lane| (*lane, rounds(capture, *lane)));
    rounds.filter(|it| !it.1.is_empty()).collect()
}

fn rounds(capture: &Capture, lane: LaneId) -> Vec<RoundStart> {
    let all = Interval {
        start: Nanos::MIN,
        end: Nanos::MAX,
    };
    let calls = capture.spans_in(lane, all);
    let told = calls.filter(|it| it.span.call != CallId::NONE);
    let told = told.filter_map(|it| {
        Some((
            (it.span.start, it.span.id),
            told_round(capture, it.span.id)?,
        ))
    });
    let mut told: Vec<((Nanos, SpanId), i64)> = told.collect();
    told.sort_unstable();
    let (mut of, mut before) = (0, 0);
    let rounds = told.into_iter().map(|(call, round)| {
        // Rounds of one loop count up.
        of += u32::from(round > 0 && round <= before || before == 0);
        before = round;
        RoundStart {
            call,
            of: if round > 0 { of } else { 0 },
        }
    });
    rounds.collect()
}

/// What a call says of the round that begins with it.
fn told_round(capture: &Capture, call: SpanId) -> Option<i64> {
    let mut said = capture.arguments(call);
    said.find_map(|(name, value)| match value {
        Value::Integer(round) if name == ITERATION => Some(round),
        _ => None,
    })
}

/// The loop and the round in which an operation was submitted.
fn round_of(
    reader: &CauseReader<'_>,
    threads: &BTreeMap<LaneId, Vec<RoundStart>>,
    operation: SpanId,
) -> Option<((LaneId, u32), (Nanos, SpanId))> {
    let launch = reader.capture().span(reader.launch(operation)?)?.span;
    let rounds = threads.get(&launch.lane)?;
    let after = rounds.partition_point(|it| it.call <= (launch.start, launch.id));
    let round = rounds.get(after.checked_sub(1)?)?;
    (round.of > 0).then_some(((launch.lane, round.of), round.call))
}

impl LoopRun {
    fn take(&mut self, round: (Nanos, SpanId), operation: RoundOperation) {
        let first = self.first.entry(round).or_insert(operation);
        if operation.submitted < first.submitted {
            *first = operation;
        }
        self.end = self.end.max(operation.end);
    }

    /// Whether each round's first operation ends before that of the next begins: rounds of a loop that deals out work to
    /// several streams run beside each other.
    fn is_one_by_one(&self) -> bool {
        let firsts = self.first.values();
        self.first.len() >= LEAST && firsts.is_sorted_by(|a, b| a.end <= b.start)
    }

    fn begins(&self) -> Vec<(Nanos, SpanId)> {
        let firsts = self.first.values();
        firsts.map(|it| (it.start, it.submitted.1)).collect()
    }

    fn begin(&self) -> Option<Nanos> {
        self.first.values().next().map(|it| it.start)
    }

    /// Whether its last round began before the first of another.
    fn is_before(&self, other: &Self) -> bool {
        let last = self.first.values().next_back().map(|it| it.start);
        last < other.begin()
    }

    /// How long it took from its first round on.
    fn length(&self) -> Nanos {
        self.begin().map_or(Nanos::ZERO, |begin| self.end - begin)
    }
}

/// Loops that do not run at the same time, the longest of those that do, in order.
fn one_after_the_other(mut found: Vec<LoopRun>) -> Vec<LoopRun> {
    found.sort_by_key(|it| Reverse(it.length()));
    let mut taken: Vec<LoopRun> = Vec::new();
    for run in found {
        let is_beside = |it: &LoopRun| !it.is_before(&run) && !run.is_before(it);
        if !taken.iter().any(is_beside) {
            taken.push(run);
        }
    }
    taken.sort_by_key(LoopRun::begin);
    taken
}

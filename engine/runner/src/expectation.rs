//! Checks what a workload expects, once everything has run.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::call_order;
use super::expectation_log::ExpectationLog;
use super::found_errors::FoundErrors;
use super::order::OrderAnswers;
use super::starvation::StarvedTime;
use backend::{BackendDevice, BufferSide, DeviceBuffers};
use record::time::{Interval, Nanos, shared, total};
use record::{BufferIndex, EventIndex, Expectation, StreamIndex};
use workload::{Bounds, ExpectationKind, ExpectationPlan, Expression, Plan, compare};

/// Whether something holds, and what was found.
pub(super) type CheckResult = (bool, String);

/// The same, of what cannot always be told.
type JudgedResult = (Option<bool>, String);

/// What is known of a run that has ended.
#[derive(Clone, Copy)]
pub struct RunFacts<'a> {
    /// What was noted while its records passed by.
    pub ledger: &'a ExpectationLog,
    /// What is known of the order of calls.
    pub order: &'a OrderAnswers,
    /// The time that was measured last between two events.
    pub measured: &'a BTreeMap<(EventIndex, EventIndex), Nanos>,
    /// What calls found that asked for the last error of their thread, by the place of the call.
    pub last_errors: &'a BTreeMap<u32, FoundErrors>,
    /// The device, with what its buffers hold.
    pub device: &'a dyn BackendDevice,
}

/// What is said of shares of time on a paced device whose law was not kept.
const NOT_KEPT: &str = "not judged: the pace was not kept";

/// What is said of an overlap that a device cannot have.
const TURNS: &str = "not judged: the streams of this device take turns";

/// A share of time that this much less or more makes no other.
const SLIGHT: f64 = 0.01;

/// Checks every expectation of `plan` on the attempt that ended the run, whose number is said where there were others. For
/// each expectation `starved` says how long its threads were ready to run and had no processor core.
pub fn check(
    plan: &Plan,
    facts: &RunFacts<'_>,
    attempt: u32,
    starved: &[Option<StarvedTime>],
) -> Vec<Expectation> {
    let all = plan.expectations.iter().enumerate();
    let checked = all.map(|(place, expectation)| {
        let starved = starved.get(place).copied().flatten();
        let (holds, mut found) = verdict(plan, facts, (expectation, starved));
        if attempt > 1 {
            found = format!("{found} (attempt {attempt})");
        }
        Expectation {
            text: expectation.text.clone(),
            holds,
            found,
            line: expectation.line,
        }
    });
    checked.collect()
}

fn verdict(
    plan: &Plan,
    facts: &RunFacts<'_>,
    (expectation, starved): (&ExpectationPlan, Option<StarvedTime>),
) -> JudgedResult {
    let RunFacts {
        ledger,
        order,
        measured,
        last_errors,
        device,
    } = *facts;
    let is_kept = device.pace().is_none_or(|report| report.kept);
    let (holds, found) = match &expectation.kind {
        ExpectationKind::Overlap { .. } | ExpectationKind::Busy { .. } if !is_kept => {
            return (None, NOT_KEPT.to_owned());
        }
        ExpectationKind::Overlap { .. } if !device.caps().overlap => {
            return (None, TURNS.to_owned());
        }
        ExpectationKind::Overlap {
            first,
            second,
            bounds,
        } => return overlap(ledger, first, second).judge(*bounds, starved),
        ExpectationKind::Busy { streams, bounds } => {
            return busy(ledger, streams).judge(*bounds, starved);
        }
        ExpectationKind::Each { buffers, tolerance } => each(plan, device, buffers, *tolerance),
        ExpectationKind::Sum { buffers, bounds } => within(sum(device, buffers), *bounds),
        ExpectationKind::Before { first, second } => {
            let pair = (ledger.operations(first), ledger.operations(second));
            before(&pair.0, &pair.1, |second| second.start)
        }
        ExpectationKind::EndsBefore { first, second } => {
            let pair = (ledger.operations(first), ledger.operations(second));
            before(&pair.0, &pair.1, |second| second.end)
        }
        ExpectationKind::InTurn { first, second } => {
            in_turn(&ledger.operations(first), &ledger.operations(second))
        }
        ExpectationKind::Settles {
            promises,
            resolved,
            value,
        } => {
            let names = promises
                .iter()
                .filter_map(|it| plan.promises.get(it.index()));
            settles(ledger, names, *resolved, value.as_deref())
        }
        ExpectationKind::Problem { code, bounds } => counted(ledger.problems(code), *bounds),
        ExpectationKind::Ordered {
            first,
            second,
            pairs,
        } => order.ordered(first, second, *pairs),
        ExpectationKind::Apart {
            first,
            second,
            pairs,
            at_least,
        } => order.apart(first, second, (*pairs, *at_least)),
        ExpectationKind::Race { buffers, bounds } => {
            counted(order.races(buffers.as_deref()), *bounds)
        }
        ExpectationKind::HostWaits(bounds) => counted(ledger.host_waits(), *bounds),
        ExpectationKind::StreamWaits(bounds) => counted(ledger.stream_waits(), *bounds),
        ExpectationKind::Stalled(bounds) => counted(ledger.stalled(), *bounds),
        ExpectationKind::HostKnows(calls) => order.host_knows(calls),
        ExpectationKind::RunsOn { calls, streams } => {
            call_order::on_streams(plan, &ledger.ran_on(calls), streams)
        }
        ExpectationKind::Calls { calls, bounds } => counted(ledger.made(calls), *bounds),
        ExpectationKind::CalledBefore {
            first,
            second,
            after,
            bounds,
        } => {
            let after = (&*ledger.called(after), !after.is_empty());
            let (first, second) = (ledger.called(first), ledger.called(second));
            call_order::between(&first, &second, after, *bounds)
        }
        ExpectationKind::Used { buffers, bounds } => within(order.used(buffers) as f64, *bounds),
        ExpectationKind::LastError { call } => match last_errors.get(call) {
            Some(found) => found.judge(),
            None => return (None, "not judged: it was not asked".to_owned()),
        },
        ExpectationKind::Elapsed { start, end, bounds } => {
            let Some(latest) = measured.get(&(*start, *end)) else {
                return (Some(false), "nothing was measured".to_owned());
            };
            within(latest.0 as f64 / 1e3, *bounds)
        }
    };
    (Some(holds), found)
}

fn counted(count: u64, bounds: Bounds) -> CheckResult {
    within(count as f64, bounds)
}

/// What becomes of the expectations of a run that did not come to its end.
pub fn unchecked(plan: &Plan, why: &str) -> Vec<Expectation> {
    let given_up = plan.expectations.iter().map(|expectation| Expectation {
        text: expectation.text.clone(),
        holds: Some(false),
        found: format!("not checked: {why}"),
        line: expectation.line,
    });
    given_up.collect()
}

fn within(value: f64, bounds: Bounds) -> CheckResult {
    (bounds.contain(value), short(value))
}

fn short(value: f64) -> String {
    if value.fract() == 0.0 && value.abs() < 1e15 {
        format!("{value:.0}")
    } else {
        format!("{value:.6}").trim_end_matches('0').to_owned()
    }
}

/// Whether the latest promise of each of these names settled so; what is found first to be otherwise is said.
fn settles<'a>(
    ledger: &'a ExpectationLog,
    names: impl Iterator<Item = &'a String>,
    resolved: bool,
    value: Option<&str>,
) -> CheckResult {
    let mut count = 0;
    for (name, settled) in names.filter_map(|name| Some((name, ledger.promises(name).last()?))) {
        let Some((found, with)) = settled else {
            return (false, format!("{name} is pending"));
        };
        if *found != resolved || value.is_some_and(|value| value != with) {
            let verdict = if *found { "resolved" } else { "rejected" };
            return (false, format!("{name} was {verdict} with {with}"));
        }
        count += 1;
    }
    match count {
        0 => (false, "no such promise was made".to_owned()),
        count => (true, format!("{count} of {count}")),
    }
}

/// A part of some time.
#[derive(Clone, Copy, Debug)]
struct TimeShare {
    part: Nanos,
    whole: Nanos,
}

impl TimeShare {
    fn ratio(self) -> f64 {
        if self.whole.0 == 0 {
            0.0
        } else {
            self.part.0 as f64 / self.whole.0 as f64
        }
    }

    /// Whether it is within `bounds`. What threads of streams were without a core may have been counted as work, and what any
    /// thread was may have kept work from beginning: where the one or the other would decide, nothing is judged.
    fn judge(self, bounds: Bounds, starved: Option<StarvedTime>) -> JudgedResult {
        let found = self.ratio();
        let starved = starved.unwrap_or_default();
        let all = starved.streams + starved.hosts;
        let least = (found - self.doubt(starved.streams)).max(0.0);
        let most = (found + self.doubt(all)).min(1.0);
        let is_out = most < bounds.at_least || least > bounds.at_most;
        let holds = match (bounds.contain(least) && bounds.contain(most), is_out) {
            (true, _) => Some(true),
            (_, true) => Some(false),
            _ => None,
        };
        let mut text = short(found);
        if holds.is_none() {
            let _ = write!(
                text,
                ", not judged: it may be anything from {least:.2} to {most:.2}, because threads of streams were ready to run and \
                 had no processor core for {}, and host threads for {}, of the {} that this is a share of; run it again while \
                 the machine does less",
                rounded(starved.streams),
                rounded(starved.hosts),
                rounded(self.whole)
            );
        }
        (holds, text)
    }

    /// What so much time is of the whole; nothing where that is slight.
    fn doubt(self, time: Nanos) -> f64 {
        let doubt = Self { part: time, ..self };
        Some(doubt.ratio())
            .filter(|it| *it >= SLIGHT)
            .unwrap_or_default()
    }
}

/// A time in words, to a hundredth of a millisecond.
fn rounded(time: Nanos) -> String {
    format!("{:.2} ms", time.0 as f64 / 1e6)
}

fn overlap(ledger: &ExpectationLog, first: &[StreamIndex], second: &[StreamIndex]) -> TimeShare {
    let (first, second) = (ledger.busy(first), ledger.busy(second));
    TimeShare {
        part: shared(&first, &second),
        whole: total(&first).min(total(&second)),
    }
}

fn busy(ledger: &ExpectationLog, streams: &[StreamIndex]) -> TimeShare {
    TimeShare {
        part: total(&ledger.busy(streams)),
        whole: ledger.extent(),
    }
}

fn each(
    plan: &Plan,
    device: &dyn DeviceBuffers,
    buffers: &[(BufferIndex, Expression)],
    tolerance: f64,
) -> CheckResult {
    for (buffer, formula) in buffers {
        let values = device.read(*buffer, BufferSide::Host);
        if let Err(wrong) = compare(&values, formula, tolerance) {
            let name = plan
                .buffers
                .get(buffer.index())
                .map_or("?", |found| &found.name);
            let text = format!(
                "element {} of {name} is {}, not {}; {} of {} are wrong",
                wrong.element,
                wrong.found,
                wrong.expected,
                wrong.count,
                values.len()
            );
            return (false, text);
        }
    }
    (true, "every element is right".to_owned())
}

fn sum(device: &dyn DeviceBuffers, buffers: &[BufferIndex]) -> f64 {
    let values = buffers
        .iter()
        .flat_map(|buffer| device.read(*buffer, BufferSide::Host));
    values.map(f64::from).sum()
}

fn before(first: &[Interval], second: &[Interval], moment: fn(&Interval) -> Nanos) -> CheckResult {
    let last = first.iter().map(|interval| interval.end).max();
    let next = second.iter().map(moment).min();
    let (Some(last), Some(next)) = (last, next) else {
        return nothing(first);
    };
    if last <= next {
        (true, format!("{} to spare", next - last))
    } else {
        (false, format!("{} too late", last - next))
    }
}

fn in_turn(first: &[Interval], second: &[Interval]) -> CheckResult {
    if first.is_empty() || second.is_empty() {
        return nothing(first);
    }
    if first.len() != second.len() {
        return (
            false,
            format!(
                "{} of the first and {} of the second",
                first.len(),
                second.len()
            ),
        );
    }
    let mut pairs = first.iter().zip(second).enumerate();
    match pairs.find(|(_, (first, second))| first.end > second.start) {
        None => (true, format!("{} pairs in turn", first.len())),
        Some((place, (first, second))) => {
            let late = first.end - second.start;
            (false, format!("pair {place} overlaps by {late}"))
        }
    }
}

fn nothing(first: &[Interval]) -> CheckResult {
    let side = if first.is_empty() { "first" } else { "second" };
    (false, format!("no operation of the {side} ran"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn intervals(pairs: &[(i64, i64)]) -> Vec<Interval> {
        let make = |(start, end): &(i64, i64)| Interval::new(Nanos(*start), Nanos(*end));
        pairs.iter().map(make).collect()
    }

    #[test]
    fn order() {
        let (a, b) = (intervals(&[(0, 5), (6, 8)]), intervals(&[(5, 6), (8, 9)]));
        assert!(!before(&a, &b, |second| second.start).0);
        assert!(before(&a, &b[1..], |second| second.start).0);
        assert!(in_turn(&a, &b).0 && !in_turn(&b, &a).0 && !in_turn(&a[1..], &b).0);
        assert!(before(&a, &b[1..], |second| second.end).0);
        assert!(!before(&a, &[], |second| second.end).0);
    }

    #[test]
    fn numbers_are_written_short() {
        let any = Bounds {
            at_least: 0.0,
            at_most: 1.0,
        };
        assert_eq!(within(1.0, any), (true, "1".to_owned()));
        assert_eq!(within(1.0 / 3.0, any).1, "0.333333");
        assert!(!within(f64::NAN, any).0);
    }

    #[test]
    fn a_share_of_time_is_judged_where_threads_without_a_core_cannot_have_made_it() {
        let judge = |part, starved: Option<(i64, i64)>, at_least, at_most| {
            let share = TimeShare {
                part: Nanos(part),
                whole: Nanos(1_000_000),
            };
            let starved = starved.map(|(streams, hosts)| StarvedTime {
                streams: Nanos(streams),
                hosts: Nanos(hosts),
            });
            share.judge(Bounds { at_least, at_most }, starved)
        };
        // Without any doubt worth a word, and where the system tells nothing.
        for starved in [Some((0, 0)), Some((9_999, 0)), Some((0, 9_999)), None] {
            assert_eq!(judge(300_000, starved, 0.3, 1.0).0, Some(true));
            assert_eq!(judge(299_999, starved, 0.3, 1.0).0, Some(false));
        }
        // It may be so for want of a core, of whichever thread: neither held nor missed.
        for starved in [(400_000, 0), (0, 400_000), (200_000, 200_000)] {
            let (holds, text) = judge(0, Some(starved), 0.05, 1.0);
            assert_eq!(holds, None);
            let said = "0, not judged: it may be anything from 0.00 to 0.40, ";
            assert!(text.starts_with(said) && text.contains("1.00 ms"), "{text}");
        }
        assert_eq!(judge(350_000, Some((100_000, 0)), 0.3, 1.0).0, None);
        assert_eq!(judge(50_000, Some((0, 60_000)), 0.0, 0.1).0, None);
        // However it came: what was without a core is taken off, or added, and changes nothing.
        assert_eq!(judge(800_000, Some((400_000, 0)), 0.3, 1.0).0, Some(true));
        assert_eq!(
            judge(100_000, Some((60_000, 40_000)), 0.3, 1.0).0,
            Some(false)
        );
        assert_eq!(judge(900_000, Some((100_000, 0)), 0.0, 0.5).0, Some(false));
        // A host thread that comes late makes no work of what was none.
        assert_eq!(judge(350_000, Some((0, 900_000)), 0.3, 1.0).0, Some(true));
        // Nothing ran at all: that was no want of a core.
        let nothing = TimeShare {
            part: Nanos(0),
            whole: Nanos(0),
        };
        let bounds = Bounds {
            at_least: 0.1,
            at_most: 1.0,
        };
        assert_eq!(nothing.judge(bounds, None).0, Some(false));
    }
}

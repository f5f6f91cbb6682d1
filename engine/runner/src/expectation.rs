//! Checks what a workload expects, once everything has run.

use super::expectation_log::ExpectationLog;
use backend::{BackendDevice, BufferSide, DeviceBuffers};
use record::time::{Interval, Nanos, shared, total};
use record::{BufferIndex, Expectation, StreamIndex};
use workload::{Bounds, ExpectationKind, ExpectationPlan, Expression, Plan, compare};

/// Whether something holds, and what was found.
type CheckResult = (bool, String);

/// What is said of an overlap that a device cannot have.
const TURNS: &str = "not asked: the streams of this device take turns";

/// Checks every expectation of `plan` on the attempt that ended the run, whose number is said where there were others.
pub fn check(
    plan: &Plan,
    ledger: &ExpectationLog,
    device: &dyn BackendDevice,
    attempt: u32,
) -> Vec<Expectation> {
    let verdict = |expectation: &ExpectationPlan| match &expectation.kind {
        ExpectationKind::Overlap {
            first,
            second,
            bounds,
        } if device.caps().overlap => within(overlap(ledger, first, second), *bounds),
        ExpectationKind::Overlap { .. } => (true, TURNS.to_owned()),
        ExpectationKind::Busy { streams, bounds } => within(busy(ledger, streams), *bounds),
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
        ExpectationKind::Problem { code, bounds } => within(ledger.problems(code) as f64, *bounds),
    };
    let checked = plan.expectations.iter().map(|expectation| {
        let (holds, mut found) = verdict(expectation);
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

/// What becomes of the expectations of a run that did not come to its end.
pub fn unchecked(plan: &Plan, why: &str) -> Vec<Expectation> {
    let given_up = plan.expectations.iter().map(|expectation| Expectation {
        text: expectation.text.clone(),
        holds: false,
        found: format!("not checked: {why}"),
        line: expectation.line,
    });
    given_up.collect()
}

fn within(value: f64, bounds: Bounds) -> CheckResult {
    let text = if value.fract() == 0.0 && value.abs() < 1e15 {
        format!("{value:.0}")
    } else {
        format!("{value:.6}").trim_end_matches('0').to_owned()
    };
    (bounds.contain(value), text)
}

/// Whether all promises of these names settled so; what is found first to be otherwise is said.
fn settles<'a>(
    ledger: &'a ExpectationLog,
    names: impl Iterator<Item = &'a String>,
    resolved: bool,
    value: Option<&str>,
) -> CheckResult {
    let mut count = 0;
    for (name, settled) in names.flat_map(|name| ledger.promises(name).map(move |it| (name, it))) {
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

fn ratio(part: Nanos, whole: Nanos) -> f64 {
    if whole.0 == 0 {
        0.0
    } else {
        part.0 as f64 / whole.0 as f64
    }
}

fn overlap(ledger: &ExpectationLog, first: &[StreamIndex], second: &[StreamIndex]) -> f64 {
    let (first, second) = (ledger.busy(first), ledger.busy(second));
    ratio(shared(&first, &second), total(&first).min(total(&second)))
}

fn busy(ledger: &ExpectationLog, streams: &[StreamIndex]) -> f64 {
    ratio(total(&ledger.busy(streams)), ledger.extent())
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
}

//! What is expected of the order of calls: of what enforces it, and never of the times that it came to.

use std::collections::BTreeSet;

use super::expectation::CheckResult;
use super::order::OrderAnswers;
use order::WatchedStep;
use record::{BufferIndex, StreamIndex};
use workload::{Bounds, OperationPairs, Plan};

/// Pairs that are compared for one line, at most: what they come to is told with the run, and nobody waits for it.
const PAIRS: usize = 25_000_000;
/// And for all lines together.
const PAIRS_OF_ALL: usize = 100_000_000;

impl OrderAnswers {
    /// The operations of these calls, in the order of the calls; the calls themselves where they have none.
    fn operations(&self, calls: &[u32]) -> Vec<&(WatchedStep, bool)> {
        let own = self.steps.iter();
        let own = own.filter(|(step, _)| calls.contains(&step.origin.site));
        let has_operations: BTreeSet<u32> = own
            .clone()
            .filter(|(step, _)| step.is_operation)
            .map(|(step, _)| step.origin.site)
            .collect();
        let is_meant = |(step, _): &&(WatchedStep, bool)| {
            step.is_operation || !has_operations.contains(&step.origin.site)
        };
        own.filter(is_meant).collect()
    }

    /// How many pairs of two groups of operations are good, and how many there are; an operation is no partner of its own,
    /// and two of one group are one pair.
    ///
    /// # Errors
    /// There are more than are compared: so many.
    fn good_pairs(
        &self,
        (first, second): (&[u32], &[u32]),
        pairs: OperationPairs,
        is_good: impl Fn(&WatchedStep, &WatchedStep) -> bool,
    ) -> Result<(usize, usize), usize> {
        let (one, other) = (self.operations(first), self.operations(second));
        let is_one_group = first == second;
        let partners = |place: usize| match pairs {
            OperationPairs::InTurn { shift } => place + shift..place + shift + 1,
            OperationPairs::All if is_one_group => place + 1..other.len(),
            OperationPairs::All => 0..other.len(),
        };
        let partners = |place| other.get(partners(place)).unwrap_or_default();
        let count = (0..one.len()).map(|place| partners(place).len()).sum();
        let all = self.compared.get().saturating_add(count);
        if count > PAIRS || all > PAIRS_OF_ALL {
            return Err(count);
        }
        self.compared.set(all);
        let of_each = one.iter().enumerate().map(|(place, (step, _))| {
            let partners = partners(place).iter();
            partners.filter(|(other, _)| is_good(step, other)).count()
        });
        Ok((of_each.sum(), count))
    }

    /// Whether the first of each pair is enforced to end before the second begins.
    pub fn ordered(&self, first: &[u32], second: &[u32], pairs: OperationPairs) -> CheckResult {
        let counts = (self.operations(first).len(), self.operations(second).len());
        if let Some(nothing) = nothing(counts) {
            return nothing;
        }
        if pairs == (OperationPairs::InTurn { shift: 0 }) && counts.0 != counts.1 {
            let text = format!("{} of the first and {} of the second", counts.0, counts.1);
            return (false, text);
        }
        let (good, count) = match self.good_pairs((first, second), pairs, WatchedStep::is_before) {
            Ok(counts) => counts,
            Err(count) => return too_many(count),
        };
        let text = format!("{good} of {count} pairs are ordered");
        (good == count && good > 0, text)
    }

    /// Whether nothing orders each pair, or so many of them.
    pub fn apart(
        &self,
        first: &[u32],
        second: &[u32],
        (pairs, at_least): (OperationPairs, Option<f64>),
    ) -> CheckResult {
        let counts = (self.operations(first).len(), self.operations(second).len());
        if let Some(nothing) = nothing(counts) {
            return nothing;
        }
        // That of the first which is further on is compared with the second.
        let is_apart =
            |one: &WatchedStep, other: &WatchedStep| !one.is_before(other) && !other.is_before(one);
        let (apart, count) = match self.good_pairs((second, first), pairs, is_apart) {
            Ok(counts) => counts,
            Err(count) => return too_many(count),
        };
        let is_enough = at_least.map_or(apart == count, |least| apart as f64 >= least);
        let text = format!("nothing orders {apart} of {count} pairs");
        (is_enough && apart > 0, text)
    }

    /// Whether a host thread has waited for all operations of these calls.
    pub fn host_knows(&self, calls: &[u32]) -> CheckResult {
        let all = self.operations(calls);
        let known = all.iter().filter(|(_, is_known)| *is_known).count();
        let text = format!("{known} of {} are waited for", all.len());
        (known == all.len() && known > 0, text)
    }

    /// How many races were found, of these buffers or of all.
    pub fn races(&self, buffers: Option<&[BufferIndex]>) -> u64 {
        let own = self.races.iter();
        let own = own.filter(|(buffer, _)| buffers.is_none_or(|it| it.contains(buffer)));
        own.map(|(_, count)| count).sum()
    }

    /// How many of these buffers operations use.
    pub fn used(&self, buffers: &[BufferIndex]) -> usize {
        let used = buffers.iter().filter(|it| self.used.contains(it));
        used.count()
    }
}

/// What is said of more pairs than are compared.
fn too_many(count: usize) -> CheckResult {
    let text = format!(
        "not checked: {count} pairs are more than the {PAIRS} that are compared, or with those of the lines before more than \
         {PAIRS_OF_ALL}; ask about fewer calls, or of each with the next"
    );
    (false, text)
}

/// What is said where one of two groups has no operation.
fn nothing(counts: (usize, usize)) -> Option<CheckResult> {
    let side = match counts {
        (0, _) => "first",
        (_, 0) => "second",
        _ => return None,
    };
    Some((false, format!("no operation of the {side} ran")))
}

/// Whether all ran on one of these streams.
pub fn on_streams(
    plan: &Plan,
    found: &BTreeSet<StreamIndex>,
    wanted: &[StreamIndex],
) -> CheckResult {
    let names = found.iter().map(|it| {
        let stream = plan.streams.get(it.index());
        stream.map_or("?", |it| it.name.as_str())
    });
    let names: Vec<&str> = names.collect();
    let holds = !found.is_empty() && found.iter().all(|it| wanted.contains(it));
    let text = if names.is_empty() {
        "on no stream".to_owned()
    } else {
        format!("on {}", names.join(", "))
    };
    (holds, text)
}

/// Whether so many calls lie between others, by their times: they are those of one host thread.
pub fn between<T: Ord + Copy>(
    counted: &[T],
    before: &[T],
    (after, asks_after): (&[T], bool),
    bounds: Bounds,
) -> CheckResult {
    let Some(end) = before.iter().min() else {
        return (false, "the second was never called".to_owned());
    };
    let start = after.iter().max();
    if asks_after && start.is_none() {
        return (false, "the third was never called".to_owned());
    }
    let counted = counted.iter();
    let counted = counted.filter(|it| *it < end && start.is_none_or(|start| *it > start));
    let count = counted.count();
    (bounds.contain(count as f64), count.to_string())
}

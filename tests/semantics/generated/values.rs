//! What buffers hold at the end: by what is enforced, and by the times at which operations are drawn.

use std::collections::{BTreeMap, BTreeSet};

use engine::time::Interval;

use super::order::EnforcedOrder;
use super::text::{
    BufferCopy, BufferWork, GeneratedCall, GeneratedWorkload, SynchronizationMode, device, host,
    initial,
};

/// What each copy of a buffer holds.
pub type BufferValues = BTreeMap<BufferCopy, i64>;

/// Possibilities that are kept in mind at once; beyond them nothing is said.
const MOST_STATES: usize = 20_000;

fn at_first(workload: &GeneratedWorkload) -> BufferValues {
    let count = workload.counts.buffers + workload.counts.memories;
    let copies = (0..count).flat_map(|it| [device(it), host(it)]);
    copies.map(|it| (it, initial(it) as i64)).collect()
}

fn result(work: BufferWork, values: &BufferValues) -> i64 {
    let read: Vec<f64> = work.reads().iter().map(|it| values[it] as f64).collect();
    work.compute(&read) as i64
}

/// What buffers hold at the end of a workload without races: operations one after the other, in an order that is allowed.
pub fn by_order(workload: &GeneratedWorkload, order: &EnforcedOrder) -> BufferValues {
    let mut values = at_first(workload);
    let mut left: Vec<usize> = (0..order.operations.len()).collect();
    let is_sequential = workload.mode != SynchronizationMode::Manual;
    while !left.is_empty() {
        let is_free = |place: &usize| {
            let own = &order.operations[*place];
            is_sequential
                || left.iter().all(|other| {
                    let other = &order.operations[*other];
                    !order.is_before(other.moments.1, own.moments.0)
                })
        };
        let Some(next) = left.iter().position(is_free) else {
            return values;
        };
        let operation = &order.operations[left.remove(next)];
        if let GeneratedCall::Work(work, _) = order.calls[operation.site].call {
            let value = result(work, &values);
            values.insert(work.writes(), value);
        }
    }
    values
}

/// An operation as it is drawn.
#[derive(Clone, Copy, Debug)]
pub struct DrawnWork {
    /// What it does.
    pub work: BufferWork,
    /// When.
    pub ran: Interval,
    /// Whether it may have had no effect: it was killed while it ran.
    pub is_doubtful: bool,
}

/// How far an operation is that is drawn as running.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum WorkProgress {
    Begun,
    HasRead(i64),
    Over,
}

type PossibleState = (BufferValues, BTreeMap<usize, WorkProgress>);

/// Every combination of values that buffers may hold at the end, where an operation reads and writes somewhere between
/// its drawn begin and end. None where they are too many to tell.
pub fn by_times(workload: &GeneratedWorkload, drawn: &[DrawnWork]) -> Option<Vec<BufferValues>> {
    let mut moments: Vec<(i64, u8, usize)> = Vec::new();
    for (place, it) in drawn.iter().enumerate() {
        // What ends at an instant ends before something else begins at it.
        let end = if it.ran.start == it.ran.end { 2 } else { 0 };
        moments.push((it.ran.start.0, 1, place));
        moments.push((it.ran.end.0, end, place));
    }
    moments.sort_unstable();
    let mut states = BTreeSet::from([(at_first(workload), BTreeMap::new())]);
    for (_, sort, place) in moments {
        if sort == 1 {
            let begun = |(values, mut going): PossibleState| {
                going.insert(place, WorkProgress::Begun);
                (values, going)
            };
            states = states.into_iter().map(begun).collect();
            continue;
        }
        states = everything_possible(states, drawn)?;
        let over = states
            .into_iter()
            .filter(|(_, going)| going[&place] == WorkProgress::Over);
        let over = over.map(|(values, mut going)| {
            going.remove(&place);
            (values, going)
        });
        states = over.collect();
    }
    Some(states.into_iter().map(|(values, _)| values).collect())
}

/// All states that running operations may come to.
fn everything_possible(
    states: BTreeSet<PossibleState>,
    drawn: &[DrawnWork],
) -> Option<BTreeSet<PossibleState>> {
    let mut found = states.clone();
    let mut fresh: Vec<PossibleState> = states.into_iter().collect();
    while let Some((values, going)) = fresh.pop() {
        for (&place, &progress) in &going {
            let DrawnWork {
                work, is_doubtful, ..
            } = drawn[place];
            let mut next: Vec<(BufferValues, WorkProgress)> = Vec::new();
            match progress {
                WorkProgress::Begun => {
                    next.push((values.clone(), WorkProgress::HasRead(result(work, &values))));
                }
                WorkProgress::HasRead(value) => {
                    let mut written = values.clone();
                    written.insert(work.writes(), value);
                    next.push((written, WorkProgress::Over));
                    if is_doubtful {
                        next.push((values.clone(), WorkProgress::Over));
                    }
                }
                WorkProgress::Over => {}
            }
            for (values, progress) in next {
                let mut going = going.clone();
                going.insert(place, progress);
                if found.insert((values.clone(), going.clone())) {
                    fresh.push((values, going));
                }
            }
        }
        if found.len() > MOST_STATES {
            return None;
        }
    }
    Some(found)
}

//! What to check after a run: its forms, and the comparison of a buffer with a formula.

use super::{Expression, PromiseIndex};
use record::{BufferIndex, EventIndex, StreamIndex};

/// What to check after the run.
#[derive(Clone, Debug, PartialEq)]
pub struct ExpectationPlan {
    /// As written.
    pub text: String,
    /// Line in the source, counted from 1.
    pub line: u32,
    /// What it says.
    pub kind: ExpectationKind,
}

impl ExpectationPlan {
    /// The calls of which it matters what orders them.
    pub fn ordered_calls(&self) -> impl Iterator<Item = u32> {
        let both: [&[u32]; 2] = match &self.kind {
            ExpectationKind::Ordered { first, second, .. }
            | ExpectationKind::Apart { first, second, .. } => [first, second],
            ExpectationKind::HostKnows(calls) => [calls, &[]],
            _ => [&[], &[]],
        };
        both.into_iter().flatten().copied()
    }
}

/// The forms of an expectation.
///
/// A call's operations are its spans on streams, or, for calls that run on none (a synchronisation, say), its spans
/// on the host's lane. Calls are given by [`crate::SourceLocation::call`].
#[derive(Clone, Debug, PartialEq)]
pub enum ExpectationKind {
    /// How much of the time that the less busy side was busy, both were: 0 … 1. A side is busy while any of its
    /// streams runs an operation that is no event record, wait or hold. A side that was never busy gives 0.
    Overlap {
        /// The streams of one side.
        first: Vec<StreamIndex>,
        /// The streams of the other.
        second: Vec<StreamIndex>,
        /// Where the share must lie.
        bounds: Bounds,
    },
    /// The share of the time from the start of the first operation of the run to the end of the last during which
    /// any of these streams was busy: 0 … 1.
    Busy {
        /// The streams.
        streams: Vec<StreamIndex>,
        /// Where the share must lie.
        bounds: Bounds,
    },
    /// Every element of the host copy of each buffer is what the formula says; see [`compare`].
    Each {
        /// Each buffer with its formula over the element number `k`.
        buffers: Vec<(BufferIndex, Expression)>,
        /// How far off an element may be; see [`compare`].
        tolerance: f64,
    },
    /// The sum of all elements of the host copies of these buffers.
    Sum {
        /// The buffers.
        buffers: Vec<BufferIndex>,
        /// Where the sum must lie.
        bounds: Bounds,
    },
    /// Every operation of the first calls ended before any operation of the second calls started.
    Before {
        /// The calls that come first.
        first: Vec<u32>,
        /// The calls that come after.
        second: Vec<u32>,
    },
    /// There are as many operations of the first calls as of the second, and, in the order of their starts, each of
    /// the first ended before its partner started.
    InTurn {
        /// The calls that come first.
        first: Vec<u32>,
        /// The calls that come after.
        second: Vec<u32>,
    },
    /// Every operation of the first calls ended before any operation of the second calls ended.
    EndsBefore {
        /// The calls that end first.
        first: Vec<u32>,
        /// The calls that end after.
        second: Vec<u32>,
    },
    /// Something enforces, whatever the times, that operations of the first calls end before operations of the second begin.
    Ordered {
        /// The calls that come first.
        first: Vec<u32>,
        /// The calls that come after.
        second: Vec<u32>,
        /// Which of them.
        pairs: OperationPairs,
    },
    /// Nothing orders operations of the first calls and operations of the second, either way.
    Apart {
        /// The calls of the one side.
        first: Vec<u32>,
        /// The calls of the other.
        second: Vec<u32>,
        /// Which of them.
        pairs: OperationPairs,
        /// Of how many pairs at least it is so; of all where nothing is said.
        at_least: Option<f64>,
    },
    /// How many races are found, of these buffers where some are named.
    Race {
        /// The buffers; all where none is named.
        buffers: Option<Vec<BufferIndex>>,
        /// Where the count must lie.
        bounds: Bounds,
    },
    /// How many calls blocked a host thread.
    HostWaits(Bounds),
    /// How many waits and joins of streams were called.
    StreamWaits(Bounds),
    /// The host has waited for every operation of these calls by its last call.
    HostKnows(Vec<u32>),
    /// Every operation of the calls ran on one of the streams.
    RunsOn {
        /// The calls.
        calls: Vec<u32>,
        /// The streams.
        streams: Vec<StreamIndex>,
    },
    /// How many calls of one sort were made.
    Calls {
        /// Those of the source, by their places.
        calls: Vec<u32>,
        /// Where the count must lie.
        bounds: Bounds,
    },
    /// How many of the first calls were made before the first of the second, and after the last of others.
    CalledBefore {
        /// The calls that are counted.
        first: Vec<u32>,
        /// The calls before which they are.
        second: Vec<u32>,
        /// The calls behind which they are, where it matters.
        after: Vec<u32>,
        /// Where the count must lie.
        bounds: Bounds,
    },
    /// How many launches waited for their pipeline.
    Stalled(Bounds),
    /// How many of these buffers operations use.
    Used {
        /// The buffers.
        buffers: Vec<BufferIndex>,
        /// Where the count must lie.
        bounds: Bounds,
    },
    /// The time that was measured last between two events, in microseconds.
    Elapsed {
        /// The event at its begin.
        start: EventIndex,
        /// The event at its end.
        end: EventIndex,
        /// Where the time must lie.
        bounds: Bounds,
    },
    /// Every call at one place that asked for the last error of its thread found what it expected.
    LastError {
        /// The call.
        call: u32,
    },
    /// How many problems with this code the capture holds.
    Problem {
        /// The problem's code, such as `wait-before-record`.
        code: String,
        /// Where the count must lie.
        bounds: Bounds,
    },
    /// Every promise of these names settled so, and there was one at least.
    Settles {
        /// The names.
        promises: Vec<PromiseIndex>,
        /// Resolved, or else rejected.
        resolved: bool,
        /// With what, where that matters.
        value: Option<String>,
    },
}

/// Which operations of two groups of calls are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OperationPairs {
    /// Each of the first with each of the second.
    All,
    /// In the order of the calls, each of the first with the one that is so many places further in the second.
    InTurn {
        /// How many places: 0 for those of one number.
        shift: usize,
    },
}

/// Where a number must lie, both ends included.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// The smallest number allowed; −∞ where there is no such bound.
    pub at_least: f64,
    /// The largest number allowed; ∞ where there is no such bound.
    pub at_most: f64,
}

impl Bounds {
    /// Whether `value` lies inside; NaN never does.
    pub fn contain(self, value: f64) -> bool {
        (self.at_least..=self.at_most).contains(&value)
    }

    /// The bounds of what counts as equal to `value`: off by `tolerance` at most, or, for values beyond ±1, by
    /// `tolerance` times their magnitude.
    pub fn around(value: f64, tolerance: f64) -> Self {
        let slack = tolerance * value.abs().max(1.0);
        Self {
            at_least: value - slack,
            at_most: value + slack,
        }
    }
}

/// An element that is not what a formula says.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mismatch {
    /// The element's number.
    pub element: usize,
    /// What it holds.
    pub found: f32,
    /// What the formula says.
    pub expected: f64,
    /// How many elements are wrong in all.
    pub count: usize,
}

/// Compares every element of `values` with `expected`: equal within [`Bounds::around`].
///
/// # Errors
/// The first element that differs, and how many do.
pub fn compare(values: &[f32], expected: &Expression, tolerance: f64) -> Result<(), Mismatch> {
    const BLOCK: usize = 1024;
    let mut wanted = [0.0; BLOCK];
    let mut first: Option<Mismatch> = None;
    for (block, found) in values.chunks(BLOCK).enumerate() {
        expected.fill(block * BLOCK, &mut wanted);
        for (offset, (found, expected)) in found.iter().zip(wanted).enumerate() {
            if Bounds::around(expected, tolerance).contain(f64::from(*found)) {
                continue;
            }
            first
                .get_or_insert(Mismatch {
                    element: block * BLOCK + offset,
                    found: *found,
                    expected,
                    count: 0,
                })
                .count += 1;
        }
    }
    first.map_or(Ok(()), Err)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compare_names_the_first_and_counts_all() {
        let formula = super::super::expression::parse("k * 2", &["k"]).unwrap();
        let mut values: Vec<f32> = (0..3000).map(|k| k as f32 * 2.0).collect();
        assert_eq!(compare(&values, &formula, 1e-6), Ok(()));
        values[1500] = -1.0;
        values[2000] = f32::NAN;
        let mismatch = compare(&values, &formula, 1e-6).unwrap_err();
        assert_eq!(
            (mismatch.element, mismatch.found, mismatch.count),
            (1500, -1.0, 2)
        );
        assert_eq!(mismatch.expected, 3000.0);
    }

    #[test]
    fn tolerance_is_relative_beyond_one() {
        assert!(Bounds::around(1e6, 1e-5).contain(1e6 + 9.0));
        assert!(!Bounds::around(1e6, 1e-5).contain(1e6 + 11.0));
        assert!(Bounds::around(0.0, 1e-5).contain(-9e-6));
        assert!(!Bounds::around(0.0, 1e-5).contain(f64::NAN));
    }
}

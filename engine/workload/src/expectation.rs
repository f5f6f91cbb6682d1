//! What to check after a run: its forms, and the comparison of a buffer with a formula.

use super::{Expression, PromiseIndex};
use record::{BufferIndex, StreamIndex};

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

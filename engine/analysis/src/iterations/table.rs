//! What each iteration comes to: how long it took, why its streams stood idle, what its critical path is made of.

use std::collections::BTreeMap;

use super::{Iteration, IterationSource, Iterations};
use crate::causes::{CauseReader, CausesTable, IdleTime, PathReader, TimeUse};
use record::time::Nanos;

/// More iterations than this are not looked into one by one.
const MOST: usize = 5_000;
/// Nor are more pairs of an iteration and a stream.
const MOST_PAIRS: usize = 1_000_000;
/// An outlier is so many times as far from the median as half of all iterations are at most.
const FAR: i64 = 5;
/// And further than one part in so many of the median.
const LITTLE: i64 = 10;

/// An iteration, and what it comes to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IterationRow {
    /// Which.
    pub iteration: Iteration,
    /// What its streams did of its time, all together.
    pub time: IdleTime,
    /// What most of its critical path was spent on, and how much of it.
    pub critical: Option<(TimeUse, Nanos)>,
    /// The duration that half of those of its loop do not exceed.
    pub usual: Nanos,
    /// Whether it took much longer, or shorter, than most of its loop.
    pub is_outlier: bool,
}

/// All iterations of a capture.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct IterationTable {
    /// How they were found.
    pub source: IterationSource,
    /// The rank that they are of, where the capture has several.
    pub rank: Option<u32>,
    /// In order of time.
    pub rows: Vec<IterationRow>,
    /// Of how many loops they are.
    pub loops: usize,
    /// Over how many streams their idle time is summed.
    pub streams: usize,
    /// The duration that half of them do not exceed.
    pub median: Nanos,
    /// How many more there are than are looked into.
    pub left_out: usize,
}

impl IterationTable {
    /// What the iterations of a capture come to.
    pub fn new(reader: &CauseReader<'_>, iterations: &Iterations) -> Self {
        let lengths = iterations.all.iter().map(|it| it.interval.length());
        let (median, _) = median_and_spread(lengths.collect());
        let usual = usual_lengths(iterations);
        let loops = usual.len();
        // What begins an iteration ends the one before it, with what came in between; the last of a loop has nothing after it, and
        // ends with what it gave to any stream.
        let has_end = |usual: &UsualLength, number: u32| {
            !iterations.source.is_by_starts() || number != usual.last
        };
        let most = MOST
            .min(MOST_PAIRS / iterations.streams.len().max(1))
            .max(1);
        let mut paths = PathReader::new(reader);
        let rows = iterations.all.iter().take(most).map(|iteration| {
            let within = iteration.interval;
            let mut time = IdleTime::default();
            // Its mark may begin before anything that counts, where a range that is asked about ends too.
            if let Some(counted) = within.intersection(reader.causes().extent()) {
                for lane in &iterations.streams {
                    time.add(&reader.idle(*lane, counted));
                }
            }
            let path = paths.within(within);
            let usual = usual.get(&iterations.loop_of(iteration));
            let usual = usual.copied().unwrap_or_default();
            let off = (within.length() - usual.median).0.saturating_abs();
            let is_far = off > usual.spread.0.saturating_mul(FAR) && off > usual.median.0 / LITTLE;
            IterationRow {
                iteration: iteration.clone(),
                time,
                critical: CausesTable::most_of(&path),
                usual: usual.median,
                is_outlier: is_far && has_end(&usual, iteration.number),
            }
        });
        Self {
            source: iterations.source,
            rank: iterations.rank,
            rows: rows.collect(),
            loops,
            streams: iterations.streams.len(),
            median,
            left_out: iterations.all.len().saturating_sub(most),
        }
    }

    /// What they were found by, and of which rank, in a few words.
    pub fn label(&self) -> String {
        self.source.label_of(self.rank)
    }

    /// Those that took much longer, or shorter, than most.
    pub fn outliers(&self) -> impl Iterator<Item = &IterationRow> {
        self.rows.iter().filter(|it| it.is_outlier)
    }
}

/// How long iterations of a loop take.
#[derive(Clone, Copy, Debug, Default)]
struct UsualLength {
    median: Nanos,
    /// How far from the median half of them are at most.
    spread: Nanos,
    /// The number of the last of them.
    last: u32,
}

/// How long those of each loop take.
fn usual_lengths(iterations: &Iterations) -> BTreeMap<usize, UsualLength> {
    let mut lengths: BTreeMap<usize, (Vec<Nanos>, u32)> = BTreeMap::new();
    for iteration in &iterations.all {
        let of_loop = iterations.loop_of(iteration);
        let (of, last) = lengths.entry(of_loop).or_default();
        of.push(iteration.interval.length());
        *last = iteration.number;
    }
    let all = lengths.into_iter().map(|(of_loop, (of, last))| {
        let (median, spread) = median_and_spread(of);
        let usual = UsualLength {
            median,
            spread,
            last,
        };
        (of_loop, usual)
    });
    all.collect()
}

/// The duration that half of all do not exceed, and how far from it half of all are at most.
fn median_and_spread(mut lengths: Vec<Nanos>) -> (Nanos, Nanos) {
    lengths.sort_unstable();
    // Of an even number the earlier of the two in the middle: half of all do not exceed it.
    let middle = |sorted: &[Nanos]| {
        let at = sorted.len().saturating_sub(1) / 2;
        sorted.get(at).copied().unwrap_or(Nanos::ZERO)
    };
    let median = middle(&lengths);
    let mut off: Vec<Nanos> = lengths
        .iter()
        .map(|it| Nanos((*it - median).0.saturating_abs()))
        .collect();
    off.sort_unstable();
    (median, middle(&off))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_of_all_do_not_exceed_the_median_nor_are_further_from_it_than_the_spread() {
        let lengths = [181_565, 123_884, 126_824, 126_272, 163_461, 116_146].map(Nanos);
        let found = median_and_spread(lengths.to_vec());
        assert_eq!(found, (Nanos(126_272), Nanos(2_388)));
        assert_eq!(median_and_spread(vec![Nanos(5)]), (Nanos(5), Nanos::ZERO));
        assert_eq!(median_and_spread(Vec::new()), (Nanos::ZERO, Nanos::ZERO));
    }
}

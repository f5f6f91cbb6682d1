//! What each iteration comes to: how long it took, why its streams stood idle, what its critical path is made of.

use std::collections::{BTreeMap, BTreeSet};

use super::{Iteration, IterationSource, Iterations};
use crate::causes::{CauseReader, CausesTable, IdleTime, PathReader, TimeUse};
use record::State;
use record::time::{Interval, Nanos};

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
    /// Whether a loss of the device cut it off, so that how long it took says nothing.
    pub is_cut_off: bool,
    /// Whether it took much longer, or shorter, than most of its loop.
    pub is_outlier: bool,
}

impl IterationRow {
    /// What is remarkable about it, in a word or two; empty where nothing is.
    pub const fn remark(&self) -> &'static str {
        match (self.is_cut_off, self.is_outlier) {
            (true, _) => "cut off",
            (false, true) => "outlier",
            (false, false) => "",
        }
    }
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
    /// How many of them a loss of the device cut off.
    pub cut_off: usize,
    /// The duration that half of the others do not exceed.
    pub median: Nanos,
    /// How many more there are than are looked into.
    pub left_out: usize,
}

impl IterationTable {
    /// What the iterations of a capture come to.
    pub fn new(reader: &CauseReader<'_>, iterations: &Iterations) -> Self {
        let cut_off = cut_off(reader, iterations);
        let whole = |it: &&Iteration| !cut_off.contains(&it.number);
        let lengths = iterations.all.iter().filter(whole);
        let (median, _) = median_and_spread(lengths.map(|it| it.interval.length()).collect());
        let usual = usual_lengths(iterations, &cut_off);
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
            let is_cut_off = cut_off.contains(&iteration.number);
            let off = (within.length() - usual.median).0.saturating_abs();
            let is_far = off > usual.spread.0.saturating_mul(FAR) && off > usual.median.0 / LITTLE;
            IterationRow {
                iteration: iteration.clone(),
                time,
                critical: CausesTable::most_of(&path),
                usual: usual.median,
                is_cut_off,
                is_outlier: is_far && !is_cut_off && has_end(&usual, iteration.number),
            }
        });
        Self {
            source: iterations.source,
            rank: iterations.rank,
            rows: rows.collect(),
            loops,
            streams: iterations.streams.len(),
            cut_off: cut_off.len(),
            median,
            left_out: iterations.all.len().saturating_sub(most),
        }
    }

    /// What they were found by, and of which rank, in a few words.
    pub fn label(&self) -> String {
        self.source.label_of(self.rank)
    }

    /// Which of them the median is of, as the words between "half" and "take at most".
    pub const fn which(&self) -> &'static str {
        match self.cut_off {
            0 => "",
            _ => "of those that no loss cut off ",
        }
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

/// The numbers of those of which an operation was lost with its device, or never ran for that.
fn cut_off(reader: &CauseReader<'_>, iterations: &Iterations) -> BTreeSet<u32> {
    let capture = reader.capture();
    let Some(first) = capture.losses().iter().map(|it| it.time).min() else {
        return BTreeSet::new();
    };
    let is_hit = |within: Interval| {
        let lanes = iterations.streams.iter();
        let mut spans = lanes.flat_map(|lane| capture.spans_in(*lane, within));
        spans.any(|it| matches!(it.span.state, State::Lost | State::Cancelled))
    };
    let later = iterations.all.iter();
    let later = later.filter(|it| it.interval.end >= first && is_hit(it.interval));
    later.map(|it| it.number).collect()
}

/// How long those of each loop take that nothing cut off.
fn usual_lengths(iterations: &Iterations, cut_off: &BTreeSet<u32>) -> BTreeMap<usize, UsualLength> {
    let mut lengths: BTreeMap<usize, (Vec<Nanos>, u32)> = BTreeMap::new();
    for iteration in &iterations.all {
        let of_loop = iterations.loop_of(iteration);
        let (of, last) = lengths.entry(of_loop).or_default();
        if !cut_off.contains(&iteration.number) {
            of.push(iteration.interval.length());
        }
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

//! Steps that took a rank much longer than the others.

/// Ranks of which the middle says something.
const LEAST_RANKS: usize = 4;
/// By how many times the usual distance from the median a step is far from it.
const FAR: f64 = 5.0;
/// The usual distance of values that scatter evenly is their median distance times this (for a normal distribution).
const SCATTER: f64 = 1.4826;
/// How much longer than the median a step is at least, as a share of it: ranks that run in lock-step hardly scatter.
const LEAST_SHARE: f64 = 0.1;
/// Outliers that are listed.
const MOST: usize = 200;

/// A step that took a rank much longer than the others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StepOutlier {
    /// The rank.
    pub rank: u32,
    /// The step.
    pub step: i64,
    /// How long it took, in nanoseconds.
    pub time: i64,
    /// The median of that step over all ranks, in nanoseconds.
    pub median: i64,
}

/// The steps that lie far above the median over ranks, those that took longest beyond it first.
///
/// `values` has the time of each rank and step, all steps of the first rank first.
pub(crate) fn outliers(ranks: &[u32], steps: &[i64], values: &[Option<i64>]) -> Vec<StepOutlier> {
    let mut found = Vec::new();
    for (place, step) in steps.iter().enumerate() {
        let of_rank = |rank: usize| values.get(rank * steps.len() + place).copied().flatten();
        let column = ranks.iter().enumerate();
        let column = column.filter_map(|(at, rank)| Some((*rank, of_rank(at)?)));
        let column: Vec<(u32, i64)> = column.collect();
        if column.len() < LEAST_RANKS {
            continue;
        }
        let middle = median(column.iter().map(|it| it.1).collect());
        let distances = column.iter().map(|it| it.1.saturating_sub(middle).abs());
        let scatter = median(distances.collect()) as f64 * SCATTER;
        let least = (scatter * FAR).max(middle as f64 * LEAST_SHARE);
        let far = column
            .iter()
            .filter(|it| it.1.saturating_sub(middle) as f64 > least);
        found.extend(far.map(|(rank, time)| StepOutlier {
            rank: *rank,
            step: *step,
            time: *time,
            median: middle,
        }));
    }
    found.sort_by_key(|it| (it.median.saturating_sub(it.time), it.rank, it.step));
    found.truncate(MOST);
    found
}

/// The value in the middle, or the mean of the two there; 0 of none.
pub fn median(mut values: Vec<i64>) -> i64 {
    values.sort_unstable();
    let middle = values.len() / 2;
    let at = |place: usize| values.get(place).copied().unwrap_or(0);
    if values.len().is_multiple_of(2) {
        i64::midpoint(at(middle.saturating_sub(1)), at(middle))
    } else {
        at(middle)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_far_above_the_others_is_found_and_scatter_is_not() {
        let ranks: Vec<u32> = (0..8).collect();
        let steps = [1, 2];
        // Step 1 scatters by 5 %, and rank 3 takes twice as long; step 2 is the same for all but rank 6, which is quicker.
        let first = |rank: i64| if rank == 3 { 2_000 } else { 1_000 + rank * 7 };
        let second = |rank: i64| if rank == 6 { 100 } else { 1_000 };
        let values: Vec<Option<i64>> = (0..8)
            .flat_map(|rank| [Some(first(rank)), Some(second(rank))])
            .collect();
        let found = outliers(&ranks, &steps, &values);
        let of: Vec<(u32, i64, i64)> = found.iter().map(|it| (it.rank, it.step, it.time)).collect();
        assert_eq!(of, [(3, 1, 2_000)]);
        assert_eq!(found.first().map(|it| it.median), Some(1_031));
        assert!(outliers(&ranks, &steps, &[]).is_empty());
        // Of three ranks none is the usual one.
        assert!(outliers(&ranks[..3], &[1], &[Some(1), Some(1), Some(90)]).is_empty());
    }
}

//! How long something takes.

use std::time::Instant;

/// Median seconds of `work` over so many rounds.
pub fn median(rounds: usize, mut work: impl FnMut()) -> f64 {
    let round = |_| {
        let start = Instant::now();
        work();
        start.elapsed().as_secs_f64()
    };
    let mut times: Vec<f64> = (0..rounds).map(round).collect();
    times.sort_by(f64::total_cmp);
    times.get(rounds / 2).copied().unwrap_or_default()
}

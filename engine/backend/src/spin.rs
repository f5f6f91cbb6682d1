//! Computes on one core of the host for a given time.

use std::hint::black_box;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use super::threads::ExecutionError;
use record::time::Nanos;

/// Computes for about `length` on an idle core: as many steps as that takes, so cores that are shared
/// take longer.
///
/// # Errors
/// `is_over` came true in its middle.
pub fn spin(length: Nanos, is_over: &dyn Fn() -> bool) -> Result<(), ExecutionError> {
    const PIECE: u64 = 20_000;
    let mut steps = (length.0.max(0) as f64 * steps_per_nano()) as u64;
    while steps > 0 {
        let piece = steps.min(PIECE);
        burn(piece);
        steps -= piece;
        if steps > 0 && is_over() {
            return Err(ExecutionError::Stopped);
        }
    }
    Ok(())
}

/// Steps of [`spin`] in a nanosecond, measured once as the best of several tries.
fn steps_per_nano() -> f64 {
    static RATE: OnceLock<f64> = OnceLock::new();
    *RATE.get_or_init(|| {
        const STEPS: u64 = 100_000;
        burn(STEPS);
        let tries = (0..20).map(|_| {
            let start = Instant::now();
            burn(STEPS);
            start.elapsed()
        });
        let best = tries.min().unwrap_or_default().max(Duration::from_nanos(1));
        STEPS as f64 / best.as_nanos() as f64
    })
}

/// Measures the speed of [`spin`] now rather than in the middle of a run.
pub fn calibrate() {
    steps_per_nano();
}

#[inline(never)]
fn burn(steps: u64) {
    let mut state = black_box(0x9e37_79b9_7f4a_7c15_u64);
    for _ in 0..steps {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
    }
    black_box(state);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_spin_takes_at_least_about_its_length_and_stops_when_told() {
        let length = Nanos::from_millis(5);
        let start = Instant::now();
        spin(length, &|| false).unwrap();
        assert!(
            start.elapsed() >= Duration::from_millis(3),
            "{:?}",
            start.elapsed()
        );
        let start = Instant::now();
        assert_eq!(
            spin(Nanos::from_millis(60_000), &|| true),
            Err(ExecutionError::Stopped)
        );
        assert!(start.elapsed() < Duration::from_secs(10));
    }
}

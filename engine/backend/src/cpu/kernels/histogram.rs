//! How many elements fall into each of several equal parts of a range.

use super::{KernelImplementation, KernelInvocation, each_number};
use crate::threads::ExecutionError;

pub const HISTOGRAM: KernelImplementation = KernelImplementation {
    name: "histogram",
    run: histogram,
    work: each_number,
    per_nano: 4,
};

fn histogram(arguments: &KernelInvocation<'_>) -> Result<(), ExecutionError> {
    let (x, bins) = (arguments.read(0)?, arguments.write(0)?);
    let (low, high) = (arguments.number(0), arguments.number(1));
    let mut counts = vec![0_u32; bins.len()];
    let scale = bins.len() as f32 / (high - low);
    let last = bins.len().saturating_sub(1);
    arguments.parts(x.len(), |part| {
        for value in part.map(|place| x.get(place)) {
            // The cast takes what lies below, and NaN, to the first bin.
            let bin = ((value - low) * scale) as usize;
            if let Some(count) = counts.get_mut(bin.min(last)) {
                *count += 1;
            }
        }
    })?;
    for (place, count) in counts.into_iter().enumerate() {
        bins.set(place, count as f32);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::tests::{noise, run};

    #[test]
    fn as_counting_each_bin() {
        let x = noise(10_000, 8);
        let found = run("histogram", &[&x], &[&[9.0; 10]], &[-1.0, 1.0]);
        let edge = |bin: usize| bin as f32 / 5.0 - 1.0;
        for (bin, count) in found[0].iter().enumerate() {
            let inside = |x: &&f32| **x >= edge(bin) && **x < edge(bin + 1);
            let expected = x.iter().filter(inside).count() as f32;
            // A value on an edge may round to either side.
            assert!(
                (count - expected).abs() <= 2.0,
                "bin {bin}: {count}, not {expected}"
            );
        }
        assert_eq!(found[0].iter().sum::<f32>(), 10_000.0);
    }

    #[test]
    fn what_lies_outside_counts_at_the_ends() {
        let x = [-5.0, 0.1, 0.6, 9.0, 9.0, f32::NAN];
        assert_eq!(
            run("histogram", &[&x], &[&[0.0; 2]], &[0.0, 1.0])[0],
            [3.0, 3.0]
        );
    }
}

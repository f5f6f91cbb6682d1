//! The sum of each chunk of a buffer, as a tree.

use super::{KernelImplementation, KernelInvocation, each_number};
use crate::floats::Floats;
use crate::threads::ExecutionError;
use crate::work_flow::PARTS;

/// Elements that are summed one after the other at the leaves of the tree.
const LEAF: usize = 64;

pub const REDUCE: KernelImplementation = KernelImplementation {
    name: "reduce",
    run: reduce,
    work: each_number,
    per_nano: 8,
};

fn reduce(arguments: &KernelInvocation<'_>) -> Result<(), ExecutionError> {
    let (x, sum) = (arguments.read(0)?, arguments.write(0)?);
    let chunk = x.len() / sum.len().max(1);
    let size = x.len().div_ceil(PARTS).max(LEAF);
    let mut next = 0;
    let mut begin = |first: usize| {
        if first < next {
            return Ok(());
        }
        next = first + size;
        arguments.flow.part(first, x.len())
    };
    for place in 0..sum.len() {
        sum.set(place, tree(x, place * chunk, chunk, &mut begin)?);
    }
    Ok(())
}

/// The sum of `len` elements from `first` on; `begin` is asked before each leaf. Halves are summed apart, so that the error grows with
/// the tree's depth and not with its breadth.
fn tree(
    x: &Floats,
    first: usize,
    len: usize,
    begin: &mut impl FnMut(usize) -> Result<(), ExecutionError>,
) -> Result<f32, ExecutionError> {
    if len <= LEAF {
        begin(first)?;
        return Ok((first..first + len).map(|place| x.get(place)).sum());
    }
    let half = len / 2;
    Ok(tree(x, first, half, begin)? + tree(x, first + half, len - half, begin)?)
}

#[cfg(test)]
mod tests {
    use super::super::tests::{assert_near, noise, run};

    #[test]
    fn as_sums_in_double_precision() {
        for (len, chunks) in [(12_000, 1), (12_000, 4), (7, 7), (300, 3)] {
            let x = noise(len, 9);
            let found = run("reduce", &[&x], &[&vec![0.0; chunks]], &[]);
            let sums: Vec<f64> = x
                .chunks(len / chunks)
                .map(|chunk| chunk.iter().map(|x| f64::from(*x)).sum())
                .collect();
            assert_near(&found[0], &sums, 1e-5);
        }
    }
}

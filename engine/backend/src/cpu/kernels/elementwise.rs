//! Kernels that treat every element alike: saxpy, scale, add.

use super::{KernelImplementation, KernelInvocation, each_number};
use crate::threads::ExecutionError;

pub const SAXPY: KernelImplementation = KernelImplementation {
    name: "saxpy",
    run: |arguments| {
        let a = arguments.number(0);
        zip(arguments, |x, y| a.mul_add(x, y))
    },
    work: each_number,
    per_nano: 8,
};

pub const SCALE: KernelImplementation = KernelImplementation {
    name: "scale",
    run: |arguments| {
        let (a, b) = (arguments.number(0), arguments.number(1));
        zip(arguments, |x, _| a.mul_add(x, b))
    },
    work: each_number,
    per_nano: 8,
};

pub const ADD: KernelImplementation = KernelImplementation {
    name: "add",
    run: |arguments| {
        let (x, y, z) = (arguments.read(0)?, arguments.read(1)?, arguments.write(0)?);
        arguments.parts(z.len().min(arguments.elements), |part| {
            for place in part {
                z.set(place, x.get(place) + y.get(place));
            }
        })
    },
    work: each_number,
    per_nano: 8,
};

/// Writes `compute(x, y)` over y, element by element.
fn zip(
    arguments: &KernelInvocation<'_>,
    compute: impl Fn(f32, f32) -> f32,
) -> Result<(), ExecutionError> {
    let (x, y) = (arguments.read(0)?, arguments.write(0)?);
    arguments.parts(y.len().min(arguments.elements), |part| {
        for place in part {
            y.set(place, compute(x.get(place), y.get(place)));
        }
    })
}

#[cfg(test)]
mod tests {
    use super::super::tests::{assert_near, noise, run};

    #[test]
    fn as_the_formulas_say() {
        let (x, y) = (noise(1003, 1), noise(1003, 2));
        let expect = |formula: fn(f64, f64) -> f64| -> Vec<f64> {
            let pairs = x.iter().zip(&y);
            pairs
                .map(|(x, y)| formula(f64::from(*x), f64::from(*y)))
                .collect()
        };
        let saxpy = run("saxpy", &[&x], &[&y], &[2.5]);
        assert_near(&saxpy[0], &expect(|x, y| 2.5 * x + y), 1e-6);
        let scale = run("scale", &[&x], &[&y], &[-3.0, 0.5]);
        assert_near(&scale[0], &expect(|x, _| -3.0 * x + 0.5), 1e-6);
        let add = run("add", &[&x, &y], &[&[0.0; 1003]], &[]);
        assert_near(&add[0], &expect(|x, y| x + y), 1e-6);
    }
}

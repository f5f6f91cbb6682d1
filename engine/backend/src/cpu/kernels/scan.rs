//! The inclusive prefix sum.

use super::{KernelImplementation, each_number};

pub const SCAN: KernelImplementation = KernelImplementation {
    name: "scan",
    run: |arguments| {
        let (x, y) = (arguments.read(0)?, arguments.write(0)?);
        let mut sum = 0.0_f64;
        arguments.parts(y.len(), |part| {
            for place in part {
                sum += f64::from(x.get(place));
                y.set(place, sum as f32);
            }
        })
    },
    work: each_number,
    per_nano: 4,
};

#[cfg(test)]
mod tests {
    use super::super::tests::{assert_near, noise, run};

    #[test]
    fn each_is_the_sum_of_all_up_to_it() {
        let x = noise(4097, 3);
        let sums: Vec<f64> = (0..x.len())
            .map(|end| x[..=end].iter().map(|x| f64::from(*x)).sum())
            .collect();
        assert_near(
            &run("scan", &[&x], &[&vec![0.0; x.len()]], &[])[0],
            &sums,
            1e-6,
        );
    }
}

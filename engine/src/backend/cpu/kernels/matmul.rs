//! The tiled product of row-major matrices.

use super::{Arguments, Implementation};
use crate::backend::cpu::buffer::Floats;
use crate::backend::cpu::memory::Fault;

/// Side of a tile. Three of them fit into the first cache.
const TILE: usize = 32;

pub const MATMUL: Implementation = Implementation {
    name: "matmul",
    run: matmul,
    cost: |shape| {
        shape
            .matmul()
            .map_or(0, |[m, n, k]| m as u64 * n as u64 * k as u64 / 16)
    },
};

fn matmul(arguments: &Arguments<'_>) -> Result<(), Fault> {
    let (a, b, c) = (arguments.read(0)?, arguments.read(1)?, arguments.write(0)?);
    let sizes = arguments.with_shape(|shape| shape.matmul());
    let [rows, columns, inner] = sizes.map_err(Fault::Failed)?;
    let accumulate = arguments.number(3) != 0.0;
    for row in (0..rows).step_by(TILE) {
        for column in (0..columns).step_by(TILE) {
            let mut sums = Tile::default();
            if accumulate {
                sums.load(c, [row, column], [rows, columns]);
            }
            for step in (0..inner).step_by(TILE) {
                let (mut left, mut right) = (Tile::default(), Tile::default());
                left.load(a, [row, step], [rows, inner]);
                right.load(b, [step, column], [inner, columns]);
                sums.add_product(&left, &right);
            }
            sums.store(c, [row, column], [rows, columns]);
        }
    }
    Ok(())
}

/// A square piece of a matrix, with zeros beyond the matrix's edge.
struct Tile([[f32; TILE]; TILE]);

impl Default for Tile {
    fn default() -> Self {
        Self([[0.0; TILE]; TILE])
    }
}

impl Tile {
    fn load(&mut self, from: &Floats, [row, column]: [usize; 2], [rows, columns]: [usize; 2]) {
        let width = TILE.min(columns - column);
        for (offset, line) in self.0.iter_mut().enumerate().take(rows - row) {
            let first = (row + offset) * columns + column;
            from.load(first, line.get_mut(..width).unwrap_or_default());
        }
    }

    fn store(&self, to: &Floats, [row, column]: [usize; 2], [rows, columns]: [usize; 2]) {
        let width = TILE.min(columns - column);
        for (offset, line) in self.0.iter().enumerate().take(rows - row) {
            let first = (row + offset) * columns + column;
            to.store(first, line.get(..width).unwrap_or_default());
        }
    }

    fn add_product(&mut self, left: &Self, right: &Self) {
        for (sums, factors) in self.0.iter_mut().zip(&left.0) {
            for (factor, line) in factors.iter().zip(&right.0) {
                for (sum, value) in sums.iter_mut().zip(line) {
                    *sum += factor * value;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{assert_near, noise, run};

    fn reference(a: &[f32], b: &[f32], [m, n, k]: [usize; 3]) -> Vec<f64> {
        let cell = |i: usize, j: usize| {
            (0..k)
                .map(|l| f64::from(a[i * k + l]) * f64::from(b[l * n + j]))
                .sum()
        };
        (0..m * n).map(|place| cell(place / n, place % n)).collect()
    }

    #[test]
    fn as_three_plain_loops() {
        for [m, n, k] in [[1, 1, 1], [32, 32, 32], [33, 70, 5], [5, 3, 100]] {
            let (a, b, c) = (noise(m * k, 1), noise(k * n, 2), noise(m * n, 3));
            let sizes = [m as f64, n as f64, k as f64];
            let product = reference(&a, &b, [m, n, k]);
            let set = run("matmul", &[&a, &b], &[&c], &[&sizes[..], &[0.0]].concat());
            assert_near(&set[0], &product, 1e-5);
            let added = run("matmul", &[&a, &b], &[&c], &[&sizes[..], &[1.0]].concat());
            let sum: Vec<_> = product
                .iter()
                .zip(&c)
                .map(|(p, c)| p + f64::from(*c))
                .collect();
            assert_near(&added[0], &sum, 1e-5);
        }
    }
}

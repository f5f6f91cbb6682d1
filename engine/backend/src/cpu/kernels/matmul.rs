//! The tiled product of row-major matrices.

use super::{KernelImplementation, KernelInvocation, KernelWork};
use crate::floats::Floats;
use crate::threads::ExecutionError;
use crate::work_flow::in_large_parts;

/// Side of a tile. Three of them fit into the first cache.
const TILE: usize = 32;

pub const MATMUL: KernelImplementation = KernelImplementation {
    name: "matmul",
    run: matmul,
    work: |shape| {
        let sizes = shape.matmul().unwrap_or_default();
        KernelWork::Elements(sizes.iter().map(|it| *it as u64).product())
    },
    per_nano: 16,
};

fn matmul(arguments: &KernelInvocation<'_>) -> Result<(), ExecutionError> {
    let (a, b, c) = (arguments.read(0)?, arguments.read(1)?, arguments.write(0)?);
    let sizes = arguments.lens().with(arguments.parameters).matmul();
    let [rows, columns, inner] = sizes.map_err(ExecutionError::Failed)?;
    let accumulate = arguments.number(3) != 0.0;
    let (down, across) = (rows.div_ceil(TILE), columns.div_ceil(TILE));
    in_large_parts(arguments.flow, down * across, |tiles| {
        for tile in tiles {
            let (row, column) = (tile / across * TILE, tile % across * TILE);
            let mut sums = MatrixTile::default();
            if accumulate {
                sums.load(c, [row, column], [rows, columns]);
            }
            for step in (0..inner).step_by(TILE) {
                let (mut left, mut right) = (MatrixTile::default(), MatrixTile::default());
                left.load(a, [row, step], [rows, inner]);
                right.load(b, [step, column], [inner, columns]);
                sums.add_product(&left, &right);
            }
            sums.store(c, [row, column], [rows, columns]);
        }
        Ok(())
    })
}

/// A square piece of a matrix, with zeros beyond the matrix's edge.
struct MatrixTile([[f32; TILE]; TILE]);

impl Default for MatrixTile {
    fn default() -> Self {
        Self([[0.0; TILE]; TILE])
    }
}

impl MatrixTile {
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

    fn reference(a: &[f32], b: &[f32], [rows, columns, inner]: [usize; 3]) -> Vec<f64> {
        let cell = |row: usize, column: usize| {
            (0..inner)
                .map(|at| f64::from(a[row * inner + at]) * f64::from(b[at * columns + column]))
                .sum()
        };
        (0..rows * columns)
            .map(|place| cell(place / columns, place % columns))
            .collect()
    }

    #[test]
    fn as_three_plain_loops() {
        for sizes in [[1, 1, 1], [32, 32, 32], [33, 70, 5], [5, 3, 100]] {
            let [rows, columns, inner] = sizes;
            let (a, b) = (noise(rows * inner, 1), noise(inner * columns, 2));
            let c = noise(rows * columns, 3);
            let product = reference(&a, &b, sizes);
            let sizes = sizes.map(|size| size as f64);
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

//! One step of diffusion on a grid.

use super::{KernelImplementation, KernelInvocation, each_number};
use crate::threads::ExecutionError;
use crate::work_flow::in_large_parts;

pub const STENCIL: KernelImplementation = KernelImplementation {
    name: "stencil",
    run: stencil,
    work: each_number,
    per_nano: 2,
};

fn stencil(arguments: &KernelInvocation<'_>) -> Result<(), ExecutionError> {
    let (x, y) = (arguments.read(0)?, arguments.write(0)?);
    let grid = arguments.lens().with(arguments.parameters).grid();
    let [width, height] = grid.map_err(ExecutionError::Failed)?;
    let rate = arguments.number(1);
    in_large_parts(arguments.flow, height, |rows| {
        for row in rows {
            let (above, below) = (row.saturating_sub(1), (row + 1).min(height - 1));
            for column in 0..width {
                let (left, right) = (column.saturating_sub(1), (column + 1).min(width - 1));
                let at = |row: usize, column: usize| x.get(row * width + column);
                let center = at(row, column);
                let around = at(row, left) + at(row, right) + at(above, column) + at(below, column);
                let value = rate.mul_add(around - 4.0 * center, center);
                y.set(row * width + column, value);
            }
        }
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::super::tests::{assert_near, noise, run};

    #[test]
    fn as_the_formula_on_a_grid_with_a_copied_rim() {
        let (width, height) = (13, 7);
        let x = noise(width * height, 5);
        // The reference pads the grid by a copy of its edge, so that it needs no special case.
        let padded = |row: usize, column: usize| {
            let clamp = |at: usize, len: usize| at.max(1).min(len) - 1;
            f64::from(x[clamp(row, height) * width + clamp(column, width)])
        };
        let mut expected = Vec::new();
        for row in 1..=height {
            for column in 1..=width {
                let around = padded(row - 1, column) + padded(row + 1, column);
                let around = around + padded(row, column - 1) + padded(row, column + 1);
                let center = padded(row, column);
                expected.push(center + 0.2 * (around - 4.0 * center));
            }
        }
        let zeros = vec![0.0; x.len()];
        let found = run("stencil", &[&x], &[&zeros], &[width as f64, 0.2]);
        assert_near(&found[0], &expected, 1e-6);
    }

    #[test]
    fn a_flat_grid_stays_flat() {
        let found = run("stencil", &[&[3.0; 49]], &[&[0.0; 49]], &[0.0, 0.25]);
        assert_eq!(found[0], [3.0; 49]);
    }
}

//! Computes for a given time, and touches no buffer.

use super::{KernelImplementation, KernelWork};
use record::time::Nanos;

pub const SPIN: KernelImplementation = KernelImplementation {
    name: "spin",
    run: |arguments| arguments.flow.spin(length(arguments.parameters)),
    work: |shape| KernelWork::Time(length(shape.parameters)),
    per_nano: 1,
};

fn length(parameters: &[f64]) -> Nanos {
    let micros = parameters.first().copied().unwrap_or_default();
    Nanos((micros.max(0.0) * 1e3) as i64)
}

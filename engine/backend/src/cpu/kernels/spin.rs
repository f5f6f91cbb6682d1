//! Computes for a given time, and touches no buffer.

use super::KernelImplementation;
use crate::spin::spin;
use record::time::Nanos;

pub const SPIN: KernelImplementation = KernelImplementation {
    name: "spin",
    run: |arguments| {
        let micros = arguments.parameters.first().copied().unwrap_or_default();
        spin(Nanos((micros * 1e3) as i64), arguments.is_over)
    },
    cost: |shape| {
        (shape
            .parameters
            .first()
            .copied()
            .unwrap_or_default()
            .max(0.0)
            * 1e3) as u64
    },
};

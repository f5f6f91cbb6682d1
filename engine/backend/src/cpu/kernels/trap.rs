//! Fails, so that one can see what becomes of everything else.

use std::panic::resume_unwind;

use super::{KernelImplementation, KernelWork};

pub const TRAP: KernelImplementation = KernelImplementation {
    name: "trap",
    // Unwinds rather than fails, as a fault of a kernel would, and without the noise of a panic's message.
    run: |_| resume_unwind(Box::new("trap was launched, which does nothing but fail")),
    work: |_| KernelWork::Elements(0),
    per_nano: 1,
};

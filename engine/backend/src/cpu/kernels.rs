//! The kernel library in Rust: one family a file, each checked against a plain reference.

mod elementwise;
mod histogram;
mod matmul;
mod nbody;
mod reduce;
mod scan;
mod spin;
mod stencil;
mod trap;

use std::ops::Range;

use crate::floats::Floats;
use crate::threads::ExecutionError;
use crate::work_flow::{WorkFlow, in_parts};
use record::time::Nanos;
use workload::LaunchShape;

/// What a kernel runs on.
pub struct KernelInvocation<'a> {
    /// The buffers it reads.
    pub reads: &'a [&'a Floats],
    /// The buffers it writes.
    pub writes: &'a [&'a Floats],
    /// The values of its parameters.
    pub parameters: &'a [f64],
    /// How many elements it treats at most, where it treats each by itself.
    pub elements: usize,
    /// How its work goes on.
    pub flow: &'a dyn WorkFlow,
}

/// A kernel of the library, in Rust.
pub struct KernelImplementation {
    /// Its name in [`workload::KERNELS`].
    pub name: &'static str,
    /// Runs it. Buffers of lengths that do not fit make wrong numbers, never a fault of memory.
    pub run: fn(&KernelInvocation<'_>) -> Result<(), ExecutionError>,
    /// How much work it is, for its buffers' lengths.
    pub work: fn(&LaunchShape<'_>) -> KernelWork,
    /// Elements that the deterministic device treats in a nanosecond.
    pub per_nano: u64,
}

/// How much work a launch is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KernelWork {
    /// So many elements are treated: numbers, or for kernels that combine them pairs of numbers.
    Elements(u64),
    /// It takes so long by itself.
    Time(Nanos),
}

/// Every kernel of the library.
const IMPLEMENTATIONS: &[KernelImplementation] = &[
    elementwise::SAXPY,
    elementwise::SCALE,
    elementwise::ADD,
    matmul::MATMUL,
    reduce::REDUCE,
    scan::SCAN,
    stencil::STENCIL,
    histogram::HISTOGRAM,
    nbody::NBODY,
    spin::SPIN,
    trap::TRAP,
];

/// The kernel called `name`.
pub fn implementation(name: &str) -> Option<&'static KernelImplementation> {
    IMPLEMENTATIONS.iter().find(|found| found.name == name)
}

impl<'a> KernelInvocation<'a> {
    fn read(&self, place: usize) -> Result<&'a Floats, ExecutionError> {
        let missing = || {
            ExecutionError::Failed(format!(
                "the kernel was given no buffer to read as its number {place}"
            ))
        };
        self.reads.get(place).copied().ok_or_else(missing)
    }

    fn write(&self, place: usize) -> Result<&'a Floats, ExecutionError> {
        let missing = || {
            ExecutionError::Failed(format!(
                "the kernel was given no buffer to write as its number {place}"
            ))
        };
        self.writes.get(place).copied().ok_or_else(missing)
    }

    fn number(&self, place: usize) -> f32 {
        self.parameters.get(place).copied().unwrap_or_default() as f32
    }

    /// Does `work` for `count` elements, part by part.
    fn parts(
        &self,
        count: usize,
        mut work: impl FnMut(Range<usize>),
    ) -> Result<(), ExecutionError> {
        in_parts(self.flow, count, |part| {
            work(part);
            Ok(())
        })
    }

    /// The lengths of its buffers, for rules about them.
    fn lens(&self) -> BufferLengths {
        let lens = |buffers: &[&Floats]| buffers.iter().map(|b| b.len()).collect();
        BufferLengths {
            reads: lens(self.reads),
            writes: lens(self.writes),
        }
    }
}

/// The lengths of a kernel's buffers.
struct BufferLengths {
    reads: Vec<usize>,
    writes: Vec<usize>,
}

impl BufferLengths {
    /// With the numbers that go with them.
    fn with<'a>(&'a self, parameters: &'a [f64]) -> LaunchShape<'a> {
        LaunchShape {
            reads: &self.reads,
            writes: &self.writes,
            parameters,
        }
    }
}

/// A kernel that treats every number of its first buffer once.
fn each_number(shape: &LaunchShape<'_>) -> KernelWork {
    KernelWork::Elements(first_len(shape))
}

fn first_len(shape: &LaunchShape<'_>) -> u64 {
    shape.reads.first().copied().unwrap_or_default() as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::work_flow::AtOnce;
    use workload::KERNELS;

    /// Runs a kernel on copies of these numbers and gives back what it wrote.
    pub fn run(
        name: &str,
        reads: &[&[f32]],
        writes: &[&[f32]],
        parameters: &[f64],
    ) -> Vec<Vec<f32>> {
        let floats = |all: &[&[f32]]| all.iter().map(|v| Floats::from(*v)).collect::<Vec<_>>();
        let (reads, writes) = (floats(reads), floats(writes));
        let arguments = KernelInvocation {
            reads: &reads.iter().collect::<Vec<_>>(),
            writes: &writes.iter().collect::<Vec<_>>(),
            parameters,
            elements: usize::MAX,
            flow: &AtOnce(&|| false),
        };
        (implementation(name).unwrap().run)(&arguments).unwrap();
        writes.iter().map(Floats::to_vec).collect()
    }

    /// Numbers without a pattern, between −1 and 1, the same every time.
    pub fn noise(len: usize, seed: u32) -> Vec<f32> {
        let mut state = seed.wrapping_mul(2_654_435_761).max(1);
        let mut next = || {
            state ^= state << 13;
            state ^= state >> 17;
            state ^= state << 5;
            state as f32 / u32::MAX as f32 * 2.0 - 1.0
        };
        (0..len).map(|_| next()).collect()
    }

    /// Fails unless the two agree to `tolerance`, relative to 1 or to the larger.
    pub fn assert_near(found: &[f32], expected: &[f64], tolerance: f64) {
        assert_eq!(found.len(), expected.len());
        for (place, (found, expected)) in found.iter().zip(expected).enumerate() {
            let off = (f64::from(*found) - expected).abs();
            let scale = expected.abs().max(1.0);
            assert!(
                off <= tolerance * scale,
                "element {place}: {found}, not {expected}"
            );
        }
    }

    #[test]
    fn every_kernel_of_the_library_is_here_once() {
        let mut names: Vec<_> = IMPLEMENTATIONS.iter().map(|found| found.name).collect();
        let mut library: Vec<_> = KERNELS.iter().map(|kernel| kernel.name).collect();
        names.sort_unstable();
        library.sort_unstable();
        assert_eq!(names, library);
    }

    #[test]
    fn buffers_that_do_not_fit_are_no_fault_of_memory() {
        for found in IMPLEMENTATIONS {
            let kernel = workload::Kernel::find(found.name).unwrap();
            let lens = |count: usize| (0..count).map(|k| noise(7 - 3 * k, 5)).collect::<Vec<_>>();
            let (reads, writes) = (lens(kernel.reads.len()), lens(kernel.writes.len()));
            let floats =
                |all: &[Vec<f32>]| all.iter().map(|v| Floats::from(&v[..])).collect::<Vec<_>>();
            let (reads, writes) = (floats(&reads), floats(&writes));
            let arguments = KernelInvocation {
                reads: &reads.iter().collect::<Vec<_>>(),
                writes: &writes.iter().rev().collect::<Vec<_>>(),
                parameters: &[3.0, 5.0, 4.0, 0.0],
                elements: usize::MAX,
                flow: &AtOnce(&|| true),
            };
            if found.name == "trap" {
                continue;
            }
            let _ = (found.run)(&arguments);
            let nothing = KernelInvocation {
                reads: &[],
                writes: &[],
                ..arguments
            };
            assert_eq!(
                (found.run)(&nothing).is_err(),
                !kernel.writes.is_empty(),
                "{}",
                found.name
            );
        }
    }
}

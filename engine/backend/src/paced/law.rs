//! How long an operation takes by the law of its device.

use crate::Operation;
use crate::cpu::{KernelWork, implementation};
use record::time::Nanos;
use record::{BufferIndex, PaceLaw};
use workload::{KernelArguments, LaunchShape};

/// Bytes of a number.
const NUMBER: u64 = 4;

/// How long `operation` takes by `law`; `len` gives the length of a buffer, in numbers.
pub fn length(law: &PaceLaw, operation: &Operation, len: &dyn Fn(BufferIndex) -> usize) -> Nanos {
    let copy = |buffer: &BufferIndex| law.copy(len(*buffer) as u64 * NUMBER);
    match operation {
        Operation::Upload(buffer)
        | Operation::Download(buffer)
        | Operation::Fill { buffer, .. } => copy(buffer),
        Operation::Copy { to, .. } => copy(to),
        Operation::Launch(launch) => kernel(law, launch, len),
        Operation::Packed(packed) if packed.is_empty() => Nanos::ZERO,
        Operation::Packed(packed) => {
            let most = packed.elements.unwrap_or(usize::MAX);
            kernel(law, &packed.launch, &|buffer| len(buffer).min(most))
        }
        Operation::HostFunction(length) => law.stretched(*length),
        _ => Nanos::ZERO,
    }
}

fn kernel(law: &PaceLaw, launch: &KernelArguments, len: &dyn Fn(BufferIndex) -> usize) -> Nanos {
    let lens = |buffers: &[BufferIndex]| buffers.iter().map(|it| len(*it)).collect::<Vec<_>>();
    let shape = LaunchShape {
        reads: &lens(&launch.reads),
        writes: &lens(&launch.writes),
        parameters: &launch.parameters,
    };
    match implementation(launch.kernel.name).map(|found| (found.work)(&shape)) {
        Some(KernelWork::Elements(count)) => law.elements(count),
        Some(KernelWork::Time(time)) => law.stretched(time),
        None => Nanos::ZERO,
    }
}

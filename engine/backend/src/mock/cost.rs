//! What everything takes in virtual time.

use record::BufferIndex;
use std::time::Duration;

use super::replay;
use crate::{CompileRequest, Operation, cpu};
use record::time::Nanos;
use workload::{KernelArguments, LaunchShape};

/// A host call that does not block.
pub const CALL: Nanos = Nanos(1_000);
/// From the submission of an operation to its earliest start.
pub const LATENCY: Nanos = Nanos(2_000);
/// From what a host thread waited for to its return.
pub const WAKE: Nanos = Nanos(1_000);

/// What an operation takes once it runs. `len` gives the length of a buffer, in floats.
pub fn of(operation: &Operation, len: &dyn Fn(BufferIndex) -> usize) -> Nanos {
    let bytes = |buffer: BufferIndex| len(buffer) as i64 * 4;
    match operation {
        // About 12 GB/s between host and device, 100 within it, 200 to fill it.
        Operation::Upload(buffer) | Operation::Download(buffer) => {
            Nanos(1_000 + bytes(*buffer) / 12)
        }
        Operation::Copy { to, .. } => Nanos(1_000 + bytes(*to) / 100),
        Operation::Fill { buffer, .. } => Nanos(1_000 + bytes(*buffer) / 200),
        Operation::Launch(launch) => kernel(launch, len),
        Operation::Packed(packed) if packed.is_empty() => Nanos(2_000),
        Operation::Packed(packed) => kernel(&packed.launch, &|buffer| {
            packed.elements.unwrap_or(usize::MAX).min(len(buffer))
        }),
        Operation::Replay(replay) => replay::length(&replay.graph, len),
        Operation::Collective(exchange) => {
            let (read, written) = exchange.what.buffers();
            Nanos(1_000 + read.or(written).map_or(0, bytes) / 100)
        }
        Operation::HostFunction(length) | Operation::Panic(length) => *length,
        _ => Nanos::ZERO,
    }
}

/// What a compile takes: longer for longer shaders. Whoever schedules compiles charges it.
pub fn compile(request: &CompileRequest) -> Duration {
    Duration::from_micros(50 + request.shader.len() as u64 / 10) + request.slow
}

fn kernel(launch: &KernelArguments, len: &dyn Fn(BufferIndex) -> usize) -> Nanos {
    let lens = |buffers: &[BufferIndex]| buffers.iter().map(|b| len(*b)).collect::<Vec<_>>();
    let shape = LaunchShape {
        reads: &lens(&launch.reads),
        writes: &lens(&launch.writes),
        parameters: &launch.parameters,
    };
    let found = cpu::implementation(launch.kernel.name);
    let cost = found.map(|found| match (found.work)(&shape) {
        cpu::KernelWork::Elements(count) => {
            Nanos(i64::try_from(count / found.per_nano).unwrap_or(i64::MAX))
        }
        cpu::KernelWork::Time(time) => time,
    });
    Nanos(2_000) + cost.unwrap_or_default()
}

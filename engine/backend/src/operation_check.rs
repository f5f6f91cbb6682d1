//! Whether an operation names what there is and, if a kernel, fits it.

use super::{BackendError, Operation};
use record::BufferIndex;
use workload::{KernelArguments, LaunchShape};

/// Whether an operation names buffers that exist and, if a kernel, fits them. `len` gives the length of a buffer, in
/// floats.
///
/// # Errors
/// What is wrong.
pub fn operation(
    operation: &Operation,
    len: &dyn Fn(BufferIndex) -> Option<usize>,
) -> Result<(), BackendError> {
    let len = |buffer: BufferIndex| {
        let unknown = || BackendError::Unknown(format!("buffer {}", buffer.0));
        len(buffer).ok_or_else(unknown)
    };
    match operation {
        Operation::Upload(buffer)
        | Operation::Download(buffer)
        | Operation::Fill { buffer, .. } => len(*buffer).map(drop),
        Operation::Copy { from, to } => len(*from).and(len(*to)).map(drop),
        Operation::Launch(found) => launch(found, &len),
        // What was packed was looked at then.
        _ => Ok(()),
    }
}

/// Whether a launch of so many elements fits its kernel; none for as many as its buffers have.
///
/// # Errors
/// What is wrong.
pub fn arguments(
    found: &KernelArguments,
    elements: Option<usize>,
    len: &dyn Fn(BufferIndex) -> Option<usize>,
) -> Result<(), BackendError> {
    if elements == Some(0) {
        return Ok(());
    }
    let unknown = |buffer: BufferIndex| BackendError::Unknown(format!("buffer {}", buffer.0));
    launch(found, &|buffer| {
        let len = len(buffer).ok_or_else(|| unknown(buffer))?;
        Ok(elements.unwrap_or(len).min(len))
    })
}

fn launch(
    launch: &KernelArguments,
    len: &dyn Fn(BufferIndex) -> Result<usize, BackendError>,
) -> Result<(), BackendError> {
    let wrong = |reason: String| BackendError::Launch {
        kernel: launch.kernel.name.to_owned(),
        reason,
    };
    let kernel = launch.kernel;
    let lens = |buffers: &[BufferIndex]| -> Result<Vec<usize>, BackendError> {
        buffers.iter().map(|buffer| len(*buffer)).collect()
    };
    let (reads, writes) = (lens(&launch.reads)?, lens(&launch.writes)?);
    if (reads.len(), writes.len()) != (kernel.reads.len(), kernel.writes.len()) {
        let (reads, writes) = (kernel.reads.join(", "), kernel.writes.join(", "));
        return Err(wrong(format!("it reads {reads} and writes {writes}")));
    }
    let shape = LaunchShape {
        reads: &reads,
        writes: &writes,
        parameters: &launch.parameters,
    };
    kernel.check(&shape).map_err(wrong)
}

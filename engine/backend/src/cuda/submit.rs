//! Gives an operation of the engine to a stream of the driver: the same whether it runs now or is captured.

use record::BufferIndex;
use std::sync::Arc;
use std::time::Duration;

use cudarc::driver::sys::CUdeviceptr;

use super::code::DriverErrorCode;
use super::device_state::CudaDeviceState;
use super::host::HostFunction;
use super::in_flight::CompletionCheck;
use super::kernels::grid;
use super::memory::{CudaBuffer, buffer};
use super::stream::CudaStream;
use super::stream_slot::CudaStreamSlot;
use crate::Operation;
use crate::dispatch::{KernelDispatch, words};
use record::time::Nanos;
use workload::{KernelArguments, LaunchShape};

/// Blocks to the shorter sides of a grid.
const MOST_BLOCKS: u32 = 65_535;

/// Where functions of the host go that a graph calls again and again.
pub type HostFunctions = Vec<Arc<HostFunction>>;

/// What was given to a stream.
pub struct CudaSubmission {
    /// What has to be looked at once it has ended.
    pub after: CompletionCheck,
    /// Whether the device has something to do for it that CUPTI tells of.
    pub is_told: bool,
}

impl CudaSubmission {
    const fn timed_by_cupti(after: CompletionCheck) -> Self {
        Self {
            after,
            is_told: true,
        }
    }

    const fn untold(after: CompletionCheck) -> Self {
        Self {
            after,
            is_told: false,
        }
    }
}

/// Whether an operation can be given to a stream at all; the others are the engine's own.
pub const fn takes(operation: &Operation) -> bool {
    matches!(
        operation,
        Operation::Upload(_)
            | Operation::Download(_)
            | Operation::Copy { .. }
            | Operation::Fill { .. }
            | Operation::Launch(_)
            | Operation::Packed(_)
            | Operation::HostFunction(_)
            | Operation::Allocate(_)
            | Operation::Free(_)
            | Operation::Reset(_)
    )
}

/// Gives `operation` to `stream`, for `lane`; a captured function of the host goes into `functions`.
///
/// # Errors
/// What the driver says.
pub fn submit(
    body: &CudaDeviceState,
    lane: &CudaStreamSlot,
    stream: &CudaStream,
    operation: &Operation,
    functions: Option<&mut HostFunctions>,
) -> Result<CudaSubmission, DriverErrorCode> {
    let of = |index: BufferIndex| buffer(&body.buffers, index).map_err(wrong);
    match operation {
        Operation::Upload(index) => {
            let it = of(*index)?;
            stream.upload(it.pointer(), &it.host, it.len())?;
            return Ok(moved(it.len()));
        }
        Operation::Download(index) => {
            let it = of(*index)?;
            stream.download(&it.host, it.pointer(), it.len())?;
            return Ok(moved(it.len()));
        }
        Operation::Copy { from, to } if from == to => {}
        Operation::Copy { from, to } => {
            let (from, to) = (of(*from)?, of(*to)?);
            let floats = from.len().min(to.len());
            stream.copy(to.pointer(), from.pointer(), floats)?;
            return Ok(moved(floats));
        }
        Operation::Fill { buffer, value } => {
            let it = of(*buffer)?;
            stream.fill(it.pointer(), *value, it.len())?;
            return Ok(moved(it.len()));
        }
        Operation::Launch(launch) => return kernel(body, lane, stream, launch, None),
        Operation::Packed(packed) if packed.is_empty() => {}
        Operation::Packed(packed) => {
            let kept = packed.kept::<KernelDispatch>();
            return kernel(body, lane, stream, &packed.launch, kept);
        }
        Operation::HostFunction(length) => {
            return function(lane, stream, *length, functions).map(CudaSubmission::untold);
        }
        Operation::Allocate(index) => of(*index)?.allocate(stream)?,
        Operation::Free(index) => of(*index)?.free(stream)?,
        _ => {}
    }
    Ok(CudaSubmission::untold(CompletionCheck::Nothing))
}

/// So many floats were given to copy or to set: where there are none, the device has nothing to do.
const fn moved(floats: usize) -> CudaSubmission {
    CudaSubmission {
        after: CompletionCheck::Nothing,
        is_told: floats > 0,
    }
}

fn function(
    lane: &CudaStreamSlot,
    stream: &CudaStream,
    length: Nanos,
    functions: Option<&mut HostFunctions>,
) -> Result<CompletionCheck, DriverErrorCode> {
    let function = HostFunction::new(length, &lane.is_void);
    if let Some(kept) = functions {
        function.give_node(stream)?;
        kept.push(function);
        Ok(CompletionCheck::Nothing)
    } else {
        function.submit(stream)?;
        Ok(CompletionCheck::Function(function))
    }
}

fn kernel(
    body: &CudaDeviceState,
    lane: &CudaStreamSlot,
    stream: &CudaStream,
    launch: &KernelArguments,
    kept: Option<&KernelDispatch>,
) -> Result<CudaSubmission, DriverErrorCode> {
    let all: Result<Vec<&CudaBuffer>, DriverErrorCode> = launch
        .reads
        .iter()
        .chain(&launch.writes)
        .map(|index| buffer(&body.buffers, *index).map_err(wrong))
        .collect();
    let mut pointers: Vec<CUdeviceptr> = all?.iter().map(|it| it.pointer()).collect();
    let mut dispatch = match kept {
        Some(dispatch) => *dispatch,
        None => dispatch(launch, None, &|index| {
            body.buffers.get(index.index()).map(CudaBuffer::len)
        })
        .map_err(wrong)?,
    };
    let after = match launch.kernel.name {
        "spin" => {
            let nanos = spin_length(launch).as_nanos() as u64;
            let sizes = [nanos & 0xffff_ffff, nanos >> 32, 0];
            dispatch.given = words(0, sizes.map(|size| size as usize), &[]);
            CompletionCheck::Spin
        }
        "trap" => {
            dispatch.given = words(0, [usize::from(lane.goes_on), 0, 0], &[]);
            CompletionCheck::Word
        }
        _ => CompletionCheck::Nothing,
    };
    if pointers.is_empty() {
        pointers.push(lane.words());
    }
    let function = body.kernels.get(launch.kernel.name)?;
    let Some(grid) = grid(launch.kernel.name, &dispatch) else {
        return Ok(CudaSubmission::untold(after));
    };
    stream.launch(&function, grid, &dispatch.given, &pointers)?;
    Ok(CudaSubmission::timed_by_cupti(after))
}

/// How long a kernel was asked to spin.
pub fn spin_length(launch: &KernelArguments) -> Duration {
    let micros = launch.parameters.first().copied().unwrap_or_default();
    Duration::from_nanos((micros.max(0.0) * 1e3) as u64)
}

/// How long an operation was asked to run; nothing where it is as long as it is.
pub fn length(operation: &Operation) -> Duration {
    let launch = match operation {
        Operation::Launch(launch) => launch,
        Operation::Packed(packed) => &packed.launch,
        Operation::HostFunction(length) => return length.to_duration(),
        Operation::Replay(replay) => {
            let nodes = replay.graph.nodes.iter();
            return nodes.map(|node| self::length(&node.operation)).sum();
        }
        _ => return Duration::ZERO,
    };
    if launch.kernel.name == "spin" {
        spin_length(launch)
    } else {
        Duration::ZERO
    }
}

/// What a launch of so many elements is dispatched with.
///
/// # Errors
/// It does not fit its kernel.
pub fn dispatch(
    launch: &KernelArguments,
    elements: Option<usize>,
    len: &dyn Fn(BufferIndex) -> Option<usize>,
) -> Result<KernelDispatch, String> {
    let lens = |buffers: &[BufferIndex]| -> Vec<usize> {
        let lens = buffers.iter().map(|index| len(*index));
        lens.map(|len| len.unwrap_or_default().min(elements.unwrap_or(usize::MAX)))
            .collect()
    };
    let shape = LaunchShape {
        reads: &lens(&launch.reads),
        writes: &lens(&launch.writes),
        parameters: &launch.parameters,
    };
    KernelDispatch::of(launch.kernel.name, &shape, MOST_BLOCKS)
}

fn wrong(text: String) -> DriverErrorCode {
    DriverErrorCode::new(1, String::new(), text)
}

//! Losing a device for real: a kernel that traps, that writes where nothing is, that breaks an assertion, that never
//! ends; a context that is destroyed; or a process that is ended.

use std::time::{Duration, Instant};

use super::code::DriverErrorCode;
use super::device_state::CudaDeviceState;
use super::stream::LaunchGrid;
use crate::dispatch::words;
use crate::threads::LossOutcome;
use crate::worker;
use device::lock;
use record::LossKind;

/// The kinds of loss that are real here.
pub const LOSSES: &[LossKind] = &[
    LossKind::Destroyed,
    LossKind::Unknown,
    LossKind::Trap,
    LossKind::Address,
    LossKind::Assertion,
    LossKind::Hang,
    LossKind::Process,
];

/// How long a fault may take to be reported.
const PATIENCE: Duration = Duration::from_secs(5);
/// How long a kernel that never ends is given.
const HANG: Duration = Duration::from_secs(1);

/// Loses the device of `body`.
pub fn lose(body: &CudaDeviceState, kind: LossKind) -> LossOutcome {
    if kind == LossKind::Destroyed {
        body.lanes.iter().for_each(|lane| lane.interrupt(true));
        body.context.destroy();
        return LossOutcome {
            is_real: true,
            message: String::new(),
            how: "cuCtxDestroy, with whatever was queued",
        };
    }
    if kind == LossKind::Process {
        worker::end();
        return LossOutcome {
            is_real: false,
            message: String::new(),
            how: "this process is no worker, and is not ended",
        };
    }
    let (number, how) = match kind {
        LossKind::Address => (
            1,
            "a kernel wrote to address 0, where nothing is; what was queued went with it",
        ),
        LossKind::Assertion => (
            2,
            "an assertion of a kernel did not hold; what was queued went with it",
        ),
        LossKind::Hang => (
            3,
            "a kernel that never ends was launched, every stream was made to wait for it, and it was given a second",
        ),
        _ => (0, "a kernel executed trap; what was queued went with it"),
    };
    let message = fault(body, number).unwrap_or_else(|code| code.to_string());
    LossOutcome {
        is_real: true,
        message,
        how,
    }
}

/// Launches the kernel that loses devices, and waits for the fault; for a hang answers that there was none.
fn fault(body: &CudaDeviceState, number: usize) -> Result<String, DriverErrorCode> {
    let stream = lock(&body.aside);
    let function = body.kernels.get("fault")?;
    let grid = LaunchGrid {
        blocks: [1; 3],
        threads: [1; 3],
    };
    let given = words(0, [number, 0, 0], &[]);
    // Only a kernel that never ends looks at it, and an address that is one is all that the others ask for.
    let pointer = body
        .lanes
        .first()
        .map_or(0, super::stream_slot::CudaStreamSlot::words);
    stream.launch(&function, grid, &given, &[pointer])?;
    let end = body.events.lend()?;
    stream.record(&end, false)?;
    if number == 3 {
        body.lanes
            .iter()
            .try_for_each(|lane| lane.stream.wait(&end))?;
    }
    let begun = Instant::now();
    let most = if number == 3 { HANG } else { PATIENCE };
    while begun.elapsed() < most {
        // A fault is an error here; a kernel that ended well is none that was asked for.
        if end.is_reached()? {
            return Ok("the driver reported no fault".to_owned());
        }
        std::thread::sleep(Duration::from_micros(50));
    }
    let text = format!(
        "the device did nothing for {} s: hung, for as long as its process lives",
        most.as_secs()
    );
    body.context.give_up(&text);
    Ok(text)
}

//! How fast the device spins: how many steps of the shader take a microsecond is measured, not guessed.

use std::time::Duration;

use super::binding::BindingKey;
use super::device_state::KernelRuntime;
use super::stream_slot::{SubmissionResult, WgpuStream};
use crate::dispatch::{KernelDispatch, words};
use crate::threads::ExecutionError;

/// The longest that one dispatch spins: beyond a second or two a driver takes a device for hung.
const PIECE: Duration = Duration::from_millis(20);
/// The most steps of one dispatch: a software driver ends a loop after 65535 turns.
const MOST: u32 = 50_000;

/// Steps for `left`, and how much of `left` they take.
pub fn piece(left: Duration, steps_per_nano: f64) -> (u32, Duration) {
    let part = left.min(PIECE);
    let steps = part.as_nanos() as f64 * steps_per_nano;
    (steps.clamp(1.0, 1e9) as u32, part)
}

/// Runs about `steps` steps, in as many dispatches as they take.
///
/// # Errors
/// The device is lost, or does not take the shader.
pub fn run(
    lane: &mut WgpuStream,
    parts: &KernelRuntime<'_>,
    is_lost: &dyn Fn() -> bool,
    steps: u32,
) -> Result<SubmissionResult, ExecutionError> {
    let dispatches = steps.div_ceil(MOST).max(1);
    let each = steps.div_ceil(dispatches);
    let dispatch = KernelDispatch {
        given: words(0, [each as usize, 0, 0], &[]),
        groups: Some([1; 3]),
        turns: u64::from(each),
    };
    let key = BindingKey {
        kernel: "spin",
        given: dispatch.given,
        reads: Vec::new(),
        writes: Vec::new(),
    };
    let word = lane.word.clone();
    let device = &parts.gpu.device;
    let bound = lane.bindings.get(key, device, parts.pipelines, &[], &word);
    let bound = bound.map_err(ExecutionError::Failed)?;
    lane.submit(parts.gpu, is_lost, None, |encoder| {
        for _ in 0..dispatches {
            bound.encode(encoder, &dispatch);
        }
    })
}

/// Steps in a nanosecond: the best of several tries, each long enough to be measured well.
///
/// # Errors
/// The device is lost, or does not take the shader.
pub fn calibrate(
    lane: &mut WgpuStream,
    parts: &KernelRuntime<'_>,
    length: &dyn Fn(&SubmissionResult) -> Duration,
) -> Result<f64, ExecutionError> {
    let mut steps = 1_000;
    let mut best = 0.0_f64;
    // The first is compiled where the driver compiles at first use: what it takes says nothing.
    run(lane, parts, &|| false, steps)?;
    for _ in 0..12 {
        let took = length(&run(lane, parts, &|| false, steps)?);
        let rate = f64::from(steps) / took.as_nanos().max(1) as f64;
        if took >= Duration::from_micros(200) {
            best = best.max(rate);
        } else {
            steps *= 2;
            best = rate;
        }
    }
    Ok(best)
}

//! Losses of the device, at once or at a named point of a call.

use engine::device::webgpu::StepName;

use super::{CALL, Statement};
use crate::semantics::webgpu::machine::{Machine, Stop};

pub fn execute(machine: &mut Machine<'_>, it: &Statement<'_>) -> Option<Result<(), Stop>> {
    let text = it.text;
    if text.starts_with("device.destroy()") {
        machine.destroy();
    } else if text == "await device.lost" {
        return Some(machine.wait("lost").map(|_| ()));
    } else if text.starts_with("inject loss") {
        return Some(inject(machine, text));
    } else if text.starts_with("lose device before") || text.starts_with("loss kind") {
        lose(machine, text);
    } else if text == "natural loss" || text == "lose device" {
        // What comes after it meets a device that is lost already.
        lose(machine, text);
        while machine.losses.is_empty() && machine.step_device() {}
    } else {
        return None;
    }
    Some(Ok(()))
}

/// Loses the device by its owner or its driver, as the text says; in either way where it says neither.
fn lose(machine: &mut Machine<'_>, text: &str) {
    let says_destroy = text.contains("kind=destroy");
    let is_open = !says_destroy && !text.contains("natural");
    if says_destroy || (is_open && machine.schedule.variant & 1 == 1) {
        machine.destroy();
    } else {
        machine.model.lose(CALL);
    }
}

/// A loss at a point of the call that gave the promise `p`.
fn inject(machine: &mut Machine<'_>, text: &str) -> Result<(), Stop> {
    let point = text
        .rsplit_once(" at ")
        .map_or("before D2", |(_, point)| point);
    let promise = machine.promises.get("p").copied();
    let promise = promise.ok_or_else(|| Stop::Unknown(text.to_owned()))?;
    match point {
        "before_D1" => {}
        "between_D1_and_compile_done" | "before D2" => {
            machine.run_until(promise, StepName::Initial)?;
        }
        "after_D2_before_C2" => machine.run_until(promise, StepName::Decided)?,
        "after_C2" => {
            machine.wait("p")?;
        }
        _ => return Err(Stop::Unknown(text.to_owned())),
    }
    lose(machine, text);
    Ok(())
}

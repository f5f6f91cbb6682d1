//! The queue, every other object, and adapters.

use engine::device::webgpu::{Api, BufferShape, DeviceRequest};

use super::pipelines::control;
use super::{CALL, Statement, keep};
use crate::semantics::webgpu::machine::{HOST, Machine, Stop};

pub fn execute(machine: &mut Machine<'_>, it: &Statement<'_>) -> Option<Result<(), Stop>> {
    let text = it.text;
    match text {
        "submit work using b" | "submit long work" | "queue.submit" => {
            submit(machine, Api::Submit);
        }
        "q.writeBuffer" => submit(machine, Api::Write),
        "q.onSubmittedWorkDone()" => {
            let made = machine.model.on_submitted_work_done(HOST, CALL);
            keep(machine, it, &made);
        }
        "control: call before destroy -> no error" => {
            return Some(call(machine).and_then(|()| control(machine)));
        }
        "call again" => return Some(call(machine)),
        "control: encode, finish, submit -> no error" => {
            create(machine);
            create(machine);
            submit(machine, Api::Submit);
            return Some(control(machine));
        }
        "encode" | "encoder.finish()" => create(machine),
        "encode, finish" => {
            create(machine);
            create(machine);
        }
        // Handles are of no account to the model: a device lives until it is lost.
        "drop every handle to the device" => {}
        _ if text.starts_with("initial error") => request_wrongly(machine, text),
        _ if text.starts_with("requestDevice") => request(machine, text, DeviceRequest::default()),
        _ if text.contains(" x") && it.number().is_some() => {
            for _ in 0..it.number().unwrap_or(0) {
                if machine.schedule.choose() {
                    submit(machine, Api::Write);
                }
                let made = machine.model.on_submitted_work_done(HOST, CALL);
                keep(machine, it, &made);
            }
        }
        _ => return None,
    }
    Some(Ok(()))
}

fn submit(machine: &mut Machine<'_>, api: Api) {
    let made = machine.model.submit(HOST, CALL, api, None);
    machine.note(&made.effects);
}

fn create(machine: &mut Machine<'_>) {
    let made = machine.model.create(HOST, CALL, None);
    machine.note(&made.effects);
}

/// The call that the case is about, whichever it is.
fn call(machine: &mut Machine<'_>) -> Result<(), Stop> {
    let api = machine.case.api.clone();
    match api.as_str() {
        "createBuffer" => {
            let mapped = machine.schedule.variant & 1 == 1;
            machine.make_buffer(
                "new",
                BufferShape {
                    mapped,
                    ..BufferShape::default()
                },
            );
        }
        "createShaderModule" => {
            let (_, made) = machine.model.create_shader_module(HOST, CALL, false);
            machine.note(&made.effects);
        }
        _ if api.starts_with("queue,write") => submit(machine, Api::Write),
        _ if api.starts_with("create") => create(machine),
        _ => return Err(Stop::Unknown(api)),
    }
    Ok(())
}

fn request_wrongly(machine: &mut Machine<'_>, text: &str) {
    let request = DeviceRequest {
        misses_feature: text.contains("TypeError"),
        exceeds_limit: text.contains("OperationError"),
    };
    if request == DeviceRequest::default() {
        machine.requests.push(None);
    } else {
        self::request(machine, text, request);
    }
}

fn request(machine: &mut Machine<'_>, text: &str, request: DeviceRequest) {
    let promise = machine.adapter.request_device(request);
    machine.requests.push(Some(promise));
    if text.contains("awaited=True") {
        while machine.adapter.step() {}
    }
}

//! Buffers: made, mapped, unmapped, destroyed, looked into.

use engine::device::webgpu::{BufferId, BufferShape, GpuErrorKind, MapRange};

use super::{CALL, Statement, keep};
use crate::semantics::webgpu::machine::{HOST, Machine, Stop};

pub fn execute(machine: &mut Machine<'_>, it: &Statement<'_>) -> Option<Result<(), Stop>> {
    make(machine, it)
        .or_else(|| state(machine, it))
        .or_else(|| optional(machine, it))
        .or_else(|| method(machine, it))
}

/// Statements that make a buffer.
fn make(machine: &mut Machine<'_>, it: &Statement<'_>) -> Option<Result<(), Stop>> {
    let sound = BufferShape::default();
    let shape = match (it.name, it.text) {
        (Some(_), "buffer(usage has the matching MAP_* bit)" | "createBuffer") => sound,
        (Some(_), "buffer(usage without the MAP_* bit, or mode = 0)") => {
            machine.is_mode_wrong = machine.schedule.variant & 1 == 1;
            BufferShape {
                reads: machine.is_mode_wrong,
                writes: machine.is_mode_wrong,
                ..sound
            }
        }
        (Some(_), "invalid buffer (creation failed validation)") => {
            return Some(make_invalid(machine, it.name.unwrap_or("b")));
        }
        (Some(_), text) if text.starts_with("createBuffer(") => BufferShape {
            reads: !text.contains("usage=write"),
            writes: !text.contains("usage=read"),
            mapped: text.contains("mappedAtCreation"),
            ..sound
        },
        (None, "b mappedAtCreation") => BufferShape {
            mapped: true,
            ..sound
        },
        (None, text) if text.starts_with("b(size=") => BufferShape {
            size: it.number()?,
            ..sound
        },
        _ => return None,
    };
    machine.make_buffer(it.name.unwrap_or("b"), shape);
    Some(Ok(()))
}

/// A buffer whose creation raises an error that a scope of its own takes.
fn make_invalid(machine: &mut Machine<'_>, name: &str) -> Result<(), Stop> {
    let made = machine
        .model
        .push_error_scope(HOST, CALL, GpuErrorKind::Validation);
    machine.note(&made.effects);
    let wrong = Some(GpuErrorKind::Validation);
    machine.make_buffer(
        name,
        BufferShape {
            wrong,
            ..BufferShape::default()
        },
    );
    let made = machine.model.pop_error_scope(HOST, CALL);
    machine.name("creation", &made);
    machine.wait("creation").map(|_| ())
}

/// Statements that bring a buffer into a state.
fn state(machine: &mut Machine<'_>, it: &Statement<'_>) -> Option<Result<(), Stop>> {
    let done = match it.text {
        "b in state mappedAtCreation" => {
            make(machine, &named("b", "createBuffer(mappedAtCreation)"))?
        }
        "b in state destroyed" => {
            let buffer = machine.make_buffer("b", BufferShape::default());
            let made = machine.model.destroy_buffer(HOST, CALL, buffer);
            machine.note(&made.effects);
            Ok(())
        }
        "b in state mapped" => {
            machine.make_buffer("b", BufferShape::default());
            wait_for_map(machine, "b")
        }
        "b.mapState != unmapped" => {
            let buffer = machine.buffers.get("b").copied()?;
            if machine.schedule.variant & 1 == 0 {
                wait_for_map(machine, "b")
            } else {
                let made = machine
                    .model
                    .map_async(HOST, CALL, buffer, MapRange::default());
                machine.name("pending", &made);
                Ok(())
            }
        }
        "await" => machine.wait("unnamed").map(|_| ()),
        text if text.starts_with("await b.mapAsync") => {
            // “or mappedAtCreation” leaves it open.
            if text.contains("or mappedAtCreation") && machine.schedule.variant & 1 == 1 {
                make(machine, &named("b", "createBuffer(mappedAtCreation)"))?
            } else {
                wait_for_map(machine, "b")
            }
        }
        _ => return None,
    };
    Some(done)
}

const fn named<'s>(name: &'s str, text: &'s str) -> Statement<'s> {
    Statement {
        name: Some(name),
        text,
    }
}

fn wait_for_map(machine: &mut Machine<'_>, name: &str) -> Result<(), Stop> {
    let buffer = buffer(machine, name)?;
    let made = machine
        .model
        .map_async(HOST, CALL, buffer, MapRange::default());
    machine.name("first map", &made);
    machine.wait("first map").map(|_| ())
}

fn buffer(machine: &Machine<'_>, name: &str) -> Result<BufferId, Stop> {
    let found = machine.buffers.get(name).copied();
    found.ok_or_else(|| Stop::Unknown(format!("buffer {name}")))
}

/// Steps that a program may leave out: the variants of a schedule take them in turn.
fn optional(machine: &mut Machine<'_>, it: &Statement<'_>) -> Option<Result<(), Stop>> {
    let variant = machine.schedule.variant;
    let text = match it.text {
        "optional unmap()" | "optional unmap/destroy before it settles" if variant & 1 == 1 => {
            "b.unmap()"
        }
        "optional destroy()" | "optional unmap/destroy before it settles" if variant & 2 == 2 => {
            "b.destroy()"
        }
        text if text.starts_with("optional ") => return Some(Ok(())),
        _ => return None,
    };
    method(machine, &Statement { name: None, text })
}

/// Methods of a buffer.
fn method(machine: &mut Machine<'_>, it: &Statement<'_>) -> Option<Result<(), Stop>> {
    let (name, call) = it
        .text
        .split_once('.')
        .filter(|(name, _)| name.starts_with('b'))?;
    let buffer = match buffer(machine, name) {
        Ok(buffer) => buffer,
        Err(stop) => return Some(Err(stop)),
    };
    if call.starts_with("mapAsync") {
        let range = range(
            machine,
            &Statement {
                name: None,
                text: call,
            },
        );
        let made = machine.model.map_async(HOST, CALL, buffer, range);
        keep(machine, it, &made);
        return Some(Ok(()));
    }
    match call {
        "unmap()" => {
            let made = machine.model.unmap(HOST, CALL, buffer);
            machine.note(&made.effects);
        }
        "destroy()" => {
            let made = machine.model.destroy_buffer(HOST, CALL, buffer);
            machine.note(&made.effects);
        }
        "getMappedRange()" => {
            let row = machine.model.get_mapped_range(HOST, buffer);
            machine
                .ranges
                .push((it.name.unwrap_or_default().to_owned(), row));
        }
        _ => return None,
    }
    Some(Ok(()))
}

/// The arguments of a map: `(mode)`, `(mode, offset=8)`, `(mode, 8, 16)`.
fn range(machine: &Machine<'_>, it: &Statement<'_>) -> MapRange {
    let mut numbers = it.inside().split(',').skip(1).filter_map(|argument| {
        let argument = argument.trim();
        argument.trim_start_matches("offset=").parse::<u64>().ok()
    });
    MapRange {
        writes: false,
        is_wrong: machine.is_mode_wrong || it.inside().contains("without usage"),
        offset: numbers.next().unwrap_or(0),
        size: numbers.next(),
    }
}

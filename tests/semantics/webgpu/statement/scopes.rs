//! Error scopes: pushed, popped, and the errors between.

use engine::device::webgpu::GpuErrorKind;

use super::{CALL, Statement, keep};
use crate::semantics::webgpu::machine::{HOST, Machine, Stop};

pub fn execute(machine: &mut Machine<'_>, it: &Statement<'_>) -> Option<Result<(), Stop>> {
    let (text, count) = (it.text, it.number().unwrap_or(1));
    match text {
        "pop all" => {
            while !machine.filters.is_empty() {
                pop_unnamed(machine);
            }
        }
        "pop" => {
            let last = Statement {
                name: Some("last"),
                text,
            };
            pop(machine, &last);
        }
        _ if text.starts_with("pop()") => {
            pop(machine, it);
            if text.contains("device steps run") {
                machine.run_device();
            }
        }
        _ if text.ends_with(" x (push,pop)") => {
            for _ in 0..count {
                push(machine, GpuErrorKind::Validation);
                pop_unnamed(machine);
            }
        }
        _ if text.ends_with(" x push") => {
            (0..count).for_each(|place| push(machine, cycled(&GpuErrorKind::ALL, place)));
        }
        _ if text.ends_with(" x pop") => (0..count).for_each(|_| pop_unnamed(machine)),
        _ if text.ends_with("scopes of other filters") => {
            let outer = machine.filters.last().copied();
            let others: Vec<_> = GpuErrorKind::ALL
                .into_iter()
                .filter(|it| Some(*it) != outer)
                .collect();
            (0..count).for_each(|place| push(machine, cycled(&others, place)));
        }
        _ if text.starts_with("push ") && text.ends_with(" scopes") => {
            (0..count).for_each(|place| push(machine, cycled(&GpuErrorKind::ALL, place)));
        }
        _ if text.starts_with("push") => push(machine, error(it)),
        _ if text.starts_with("generate") => generate(machine, error(it)),
        "any invalid call" => generate(machine, GpuErrorKind::Validation),
        _ => return None,
    }
    Some(Ok(()))
}

/// The kind in parentheses; validation where none is given.
fn error(it: &Statement<'_>) -> GpuErrorKind {
    GpuErrorKind::from_label(it.inside()).unwrap_or(GpuErrorKind::Validation)
}

fn cycled(kinds: &[GpuErrorKind], place: u64) -> GpuErrorKind {
    let mut kinds = kinds.iter().cycle().skip((place % 6) as usize);
    kinds.next().copied().unwrap_or(GpuErrorKind::Internal)
}

fn push(machine: &mut Machine<'_>, filter: GpuErrorKind) {
    machine.filters.push(filter);
    let made = machine.model.push_error_scope(HOST, CALL, filter);
    machine.note(&made.effects);
}

fn pop(machine: &mut Machine<'_>, it: &Statement<'_>) {
    machine.filters.pop();
    let made = machine.model.pop_error_scope(HOST, CALL);
    keep(machine, it, &made);
}

fn pop_unnamed(machine: &mut Machine<'_>) {
    machine.filters.pop();
    let made = machine.model.pop_error_scope(HOST, CALL);
    machine.popped.extend(made.promise);
    machine.note(&made.effects);
}

fn generate(machine: &mut Machine<'_>, kind: GpuErrorKind) {
    let made = machine.model.raise_error(HOST, CALL, kind);
    machine.note(&made.effects);
}

//! What spans are called: a call by what it does, such as `launch saxpy`, and an operation as its call, unless it has a name
//! of its own, such as its kernel's. Where the workload gives the call a label, that stands before it.

use std::borrow::Cow;
use std::collections::HashMap;

use super::streams::join_text;
use super::{Caller, CurrentCall};
use backend::Operation;
use record::{CALL_LABEL, CallId, ITERATION, NameId, Record, SpanId, Value};
use workload::{Call, Kernel, SourceLocation};

/// The names that were made so far.
#[derive(Debug, Default)]
pub struct CallLabels {
    /// Of calls, by their places and by what they are about.
    calls: HashMap<(u32, u64), NameId>,
    /// Of kernels, by the places of the calls that launch them.
    kernels: HashMap<(u32, &'static str), NameId>,
}

impl Caller {
    /// What the span of a host call is called, such as `launch saxpy`.
    pub(super) fn label_of_call(&mut self, call: &Call, place: SourceLocation) -> NameId {
        let key = (place.call, call.key());
        if let Some(id) = self.labels.calls.get(&key) {
            return *id;
        }
        let text = call.label(&self.shared.plan);
        let id = self.labelled(place, &text);
        self.labels.calls.insert(key, id);
        id
    }

    /// The label that the workload gives to a call; nothing where it gives none.
    fn label(&self, call: u32) -> Option<&str> {
        let site = self.shared.plan.sites.get(call as usize)?;
        (!site.label.is_empty()).then_some(&*site.label)
    }

    /// What is done, behind the label of its call, as in `k1: spin`.
    fn labelled(&self, place: SourceLocation, name: &str) -> NameId {
        let label = self.label(place.call);
        let name = label.map_or(Cow::Borrowed(name), |label| with_label(label, name));
        self.shared.names.id(&name, &self.reporter)
    }

    /// Says of a call which round of a loop begins with it, or that a loop is over.
    pub(super) fn report_round(&mut self, current: &CurrentCall, round: u64) {
        if self.round != round {
            self.round = round;
            let name = self.shared.names.id(ITERATION, &self.reporter);
            let value = Value::Integer(i64::try_from(round).unwrap_or(i64::MAX));
            self.reporter
                .send(Record::Argument(current.span, name, value));
        }
    }

    /// Says what the text calls an operation or a call.
    pub(super) fn report_label(&self, span: SpanId, call: CallId) {
        if let Some(label) = self.label(call.0) {
            self.argue(span, CALL_LABEL, label);
        }
    }

    /// What the span of an operation is called that a call submits.
    pub(super) fn label_of_operation(
        &mut self,
        operation: &Operation,
        current: &CurrentCall,
    ) -> NameId {
        let plan = &self.shared.plan;
        let joined;
        let text = match operation {
            Operation::Launch(launch) => return self.label_of_kernel(current, launch.kernel),
            Operation::Packed(packed) => {
                return self.label_of_kernel(current, packed.launch.kernel);
            }
            Operation::Replay(replay) => {
                let name = plan.graphs.get(replay.place as usize);
                name.map_or("?", |name| name)
            }
            Operation::HostFunction(_) | Operation::Panic(_) | Operation::Callback(_) => {
                return current.function.unwrap_or(current.name);
            }
            Operation::Join(positions) => {
                joined = join_text(&self.shared, positions);
                &joined
            }
            Operation::Upload(_)
            | Operation::Download(_)
            | Operation::Copy { .. }
            | Operation::Fill { .. }
            | Operation::Record(_)
            | Operation::RecordExternal(_)
            | Operation::Wait(_)
            | Operation::WaitFor(..)
            | Operation::WaitExternal(_)
            | Operation::Hold(_)
            | Operation::Allocate(_)
            | Operation::Free(_)
            | Operation::Reset(_)
            | Operation::Collective(_) => return current.name,
        };
        self.labelled(current.place, text)
    }

    fn label_of_kernel(&mut self, current: &CurrentCall, kernel: &'static Kernel) -> NameId {
        let key = (current.place.call, kernel.name);
        if let Some(id) = self.labels.kernels.get(&key) {
            return *id;
        }
        let id = self.labelled(current.place, kernel.name);
        self.labels.kernels.insert(key, id);
        id
    }

    /// What the span of a function is called.
    pub(super) fn label_of_function(&self, current: &CurrentCall, name: &str) -> NameId {
        self.labelled(current.place, name)
    }
}

/// A name behind a label, unless it begins with that.
fn with_label<'a>(label: &str, name: &'a str) -> Cow<'a, str> {
    let rest = name.strip_prefix(label);
    let begins = rest.is_some_and(|rest| !rest.starts_with(char::is_alphanumeric));
    if begins {
        return Cow::Borrowed(name);
    }
    Cow::Owned(format!("{label}: {name}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_label_stands_before_what_is_done_and_never_twice() {
        let cases = [
            ("k1", "spin", "k1: spin"),
            ("upload", "upload x", "upload x"),
            ("spin", "spin", "spin"),
            ("up", "upload x", "up: upload x"),
            ("first", "launch saxpy", "first: launch saxpy"),
        ];
        for (label, name, expected) in cases {
            assert_eq!(with_label(label, name), expected);
        }
    }
}

//! What spans are called: a call as its definition labels it, and an operation as its call, unless it has a name of its
//! own.

use std::collections::HashMap;

use super::streams::join_text;
use super::{Caller, CurrentCall};
use backend::Operation;
use record::NameId;
use workload::{Call, Kernel, SourceLocation};

/// The names that were made so far.
#[derive(Debug, Default)]
pub struct CallLabels {
    /// Of calls, by their places and by what they are about.
    calls: HashMap<(u32, u64), NameId>,
    kernels: HashMap<&'static str, NameId>,
}

impl Caller {
    /// What the span of a host call is called, such as `launch saxpy`.
    pub(super) fn label_of_call(&mut self, call: &Call, place: SourceLocation) -> NameId {
        let key = (place.call, call.key());
        if let Some(id) = self.labels.calls.get(&key) {
            return *id;
        }
        let text = call.label(&self.shared.plan);
        let id = self.shared.names.id(&text, &self.reporter);
        self.labels.calls.insert(key, id);
        id
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
            Operation::Launch(launch) => return self.label_of_kernel(launch.kernel),
            Operation::Packed(packed) => return self.label_of_kernel(packed.launch.kernel),
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
        self.shared.names.id(text, &self.reporter)
    }

    fn label_of_kernel(&mut self, kernel: &'static Kernel) -> NameId {
        let make = || self.shared.names.id(kernel.name, &self.reporter);
        *self.labels.kernels.entry(kernel.name).or_insert_with(make)
    }
}

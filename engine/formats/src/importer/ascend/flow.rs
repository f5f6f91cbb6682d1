//! What calls of PyTorch are tied to: other calls, such as those that take from a queue, and tasks of the NPU.

use std::collections::BTreeMap;

use super::super::sqlite::{HostSpans, SqliteDraft};
use record::{Basis, Dependency, DependencyKind, SpanId};

/// Ties by number. A call has a number of its own that stands for several.
#[derive(Debug, Default)]
pub(super) struct AscendFlows {
    numbers: BTreeMap<i64, Vec<i64>>,
    /// Calls of PyTorch by number, by place.
    calls: BTreeMap<i64, Vec<u32>>,
    tasks: BTreeMap<i64, Vec<SpanId>>,
}

impl AscendFlows {
    /// The number `id` stands for `number` too.
    pub fn connect(&mut self, id: i64, number: i64) {
        self.numbers.entry(id).or_default().push(number);
    }

    /// The call at a place has what `id` stands for.
    pub fn call(&mut self, id: i64, place: u32) {
        for number in self.numbers.get(&id).into_iter().flatten() {
            self.calls.entry(*number).or_default().push(place);
        }
    }

    /// A task has a number.
    pub fn task(&mut self, number: i64, span: SpanId) {
        if self.calls.contains_key(&number) {
            self.tasks.entry(number).or_default().push(span);
        }
    }

    /// Ties the calls of each number in order of time, and each of its tasks to the last of them.
    pub fn report_dependencies(mut self, hosts: &HostSpans, draft: &mut SqliteDraft<'_, '_>) {
        for (number, calls) in &mut self.calls {
            calls.sort_by_key(|&place| (hosts.start(place), place));
            for pair in calls.windows(2) {
                if let [cause, effect] = pair {
                    draft.depends(flow(hosts.span(*cause), hosts.span(*effect)));
                }
            }
            let tasks = self.tasks.get(number).into_iter().flatten();
            if let Some(&last) = calls.last() {
                tasks.for_each(|task| draft.depends(flow(hosts.span(last), *task)));
            }
        }
    }
}

fn flow(cause: SpanId, effect: SpanId) -> Dependency {
    Dependency::new(cause, effect, DependencyKind::Flow, Basis::Enforced)
}

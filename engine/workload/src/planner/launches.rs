//! Lays recorded launches and graphs out, and checks the calls that use them.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;

use super::{Planner, extent};
use crate::call::{Call, LaunchCall};
use crate::phase::AsWritten;
use crate::program::{CallTemplate, ProgramStep};
use crate::{ArgumentName, ArgumentValue, Kernel, RecordedPlan, nearest};

/// The kernels that each declaration is recorded with, anywhere in the file.
type DeclaredKernels = BTreeMap<usize, Vec<&'static Kernel>>;

impl Planner<'_> {
    pub fn recorded(&mut self) -> Vec<RecordedPlan> {
        let template = Arc::clone(self.template);
        let mut plans = Vec::new();
        for recorded in &template.recorded {
            let names = self.elements(&recorded.declaration);
            self.layout.recorded.push(extent(plans.len(), names.len()));
            let kernel = recorded.kernel;
            plans.extend(names.into_iter().map(|name| RecordedPlan { name, kernel }));
        }
        plans
    }

    pub fn graphs(&mut self) -> Vec<String> {
        let template = Arc::clone(self.template);
        let mut names = Vec::new();
        for graph in &template.graphs {
            let elements = self.elements(graph);
            self.layout.graphs.push(extent(names.len(), elements.len()));
            names.extend(elements);
        }
        names
    }

    /// Launches that nothing records, graphs that nothing captures, and arguments that no kernel of theirs has. What
    /// depends on the order of the calls shows when they are made.
    pub(super) fn check_launch_calls(&mut self, hosts: &[Vec<ProgramStep>]) {
        let calls = || {
            hosts.iter().flatten().filter_map(|step| match step {
                ProgramStep::Call(CallTemplate {
                    call: Call::Launch(call),
                    range,
                    ..
                }) => Some((call, range)),
                _ => None,
            })
        };
        let mut kernels = DeclaredKernels::new();
        for (place, recorded) in self.template.recorded.iter().enumerate() {
            let kernel = recorded.kernel.and_then(Kernel::find);
            kernels.entry(place).or_default().extend(kernel);
        }
        let mut captured = BTreeSet::new();
        for (call, _) in calls() {
            match call {
                LaunchCall::Record { launch, kernel } => {
                    let known = kernels.entry(launch.declaration).or_default();
                    known.push(kernel.kernel);
                }
                LaunchCall::EndCapture { graph, .. } => {
                    captured.insert(graph.declaration);
                }
                LaunchCall::Set { .. }
                | LaunchCall::SetAll { .. }
                | LaunchCall::SetDimensions { .. }
                | LaunchCall::Relaunch { .. }
                | LaunchCall::BeginCapture { .. }
                | LaunchCall::Instantiate { .. }
                | LaunchCall::Update { .. }
                | LaunchCall::Replay { .. } => {}
            }
        }
        for (call, range) in calls() {
            let found = complaint(call, range, &kernels, &captured);
            if let Some((place, message, help)) = found {
                self.errors.report(place, message, help);
            }
        }
    }
}

fn complaint(
    call: &LaunchCall<AsWritten>,
    range: &Range<usize>,
    kernels: &DeclaredKernels,
    captured: &BTreeSet<usize>,
) -> Option<(Range<usize>, String, String)> {
    match call {
        LaunchCall::Relaunch { launch, .. }
        | LaunchCall::Set { launch, .. }
        | LaunchCall::SetAll { launch, .. }
        | LaunchCall::SetDimensions { launch, .. } => {
            let known = kernels.get(&launch.declaration);
            let Some(known) = known.filter(|known| !known.is_empty()) else {
                let message = "nothing records this launch".to_owned();
                let help = "record it first: record-launch \"step\" \"saxpy\" { … }".to_owned();
                return Some((launch.range.clone(), message, help));
            };
            let LaunchCall::Set {
                argument, value, ..
            } = call
            else {
                return None;
            };
            let (message, help) = unfit(argument, value, known)?;
            Some((range.clone(), message, help))
        }
        LaunchCall::Instantiate { graph }
        | LaunchCall::Update { graph }
        | LaunchCall::Replay { graph, .. } => {
            if captured.contains(&graph.declaration) {
                return None;
            }
            let message = "nothing captures this graph".to_owned();
            let help = "capture it first: begin-capture \"compute\", calls, end-capture \"compute\" \"step\"";
            Some((graph.range.clone(), message, help.to_owned()))
        }
        LaunchCall::Record { .. }
        | LaunchCall::BeginCapture { .. }
        | LaunchCall::EndCapture { .. } => None,
    }
}

/// Why no kernel of the launch takes this as that argument (rule D3).
fn unfit(
    which: &ArgumentName,
    given: &ArgumentValue<AsWritten>,
    kernels: &[&'static Kernel],
) -> Option<(String, String)> {
    let buffers = |kernel: &Kernel| kernel.reads.len() + kernel.writes.len();
    let place = |kernel: &&'static Kernel| match which {
        ArgumentName::Named(name) => names(kernel).position(|known| known == &**name),
        ArgumentName::At(place) => names(kernel).nth(*place).map(|_| *place),
    };
    let is_buffer = matches!(given, ArgumentValue::Buffer(_));
    let mut found = kernels.iter().filter_map(|it| Some((it, place(it)?)));
    if found.clone().next().is_none() {
        let all = || kernels.iter().flat_map(|kernel| names(kernel));
        let listed = format!("arguments: {}", all().collect::<Vec<_>>().join(", "));
        let (word, help) = match which {
            ArgumentName::Named(name) => {
                (format!("“{name}”"), nearest(name, all()).unwrap_or(listed))
            }
            ArgumentName::At(place) => (format!("at place {place}"), listed),
        };
        let kernel = kernels.first().map_or("", |kernel| kernel.name);
        return Some((
            format!("the kernel “{kernel}” has no argument {word}"),
            help,
        ));
    }
    if found.any(|(kernel, place)| is_buffer == (place < buffers(kernel))) {
        return None;
    }
    let (wanted, given) = if is_buffer {
        ("a number", "a buffer")
    } else {
        ("a buffer", "a number")
    };
    let help = if is_buffer {
        "write the number: set \"step\" \"a\" 2.0"
    } else {
        "name the buffer: set \"step\" \"x\" buffer=\"y\""
    };
    let message = format!("this argument expects {wanted} and gets {given}");
    Some((message, help.to_owned()))
}

fn names(kernel: &'static Kernel) -> impl Iterator<Item = &'static str> + Clone {
    let numbers = kernel.parameters.iter().map(|(name, _)| *name);
    let buffers = kernel.reads.iter().chain(kernel.writes).copied();
    buffers.chain(numbers)
}

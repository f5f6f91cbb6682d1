//! Goes through the calls without making them: indices, lengths, shapes, times, and how many calls there are.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

use super::Planner;
use super::count::{CALLS, CallCounter, TooManyCalls};
use crate::call::{Call, DataCall, EventCall, HostCall, StreamCall};
use crate::fields::KernelArguments;
use crate::phase::{AsWritten, Reference};
use crate::program::{CallTemplate, ProgramStep, rounds};
use crate::{BufferPlan, Expression, Kernel, LaunchShape, MemoryKind};

/// Rounds of one loop, at most.
const ROUNDS: f64 = 100_000_000.0;
/// A loop of more rounds than this is checked in its first rounds and its last.
const SAMPLED: u64 = 16;
/// Steps that are checked one by one; beyond, loops are checked in their first round alone.
const BUDGET: usize = 200_000;
/// The longest time that one call may be told to take, in microseconds: a minute.
const MICROS: f64 = 60_000_000.0;

impl Planner<'_> {
    /// How many calls there are in all, after checking them.
    pub fn check_calls(&mut self, buffers: &[BufferPlan]) -> u64 {
        let program = Arc::clone(&self.template.program);
        self.unraised(&program.hosts);
        self.check_gpu_calls(&program.hosts);
        self.check_launch_calls(&program.hosts);
        let mut total = 0_u64;
        for code in &program.hosts {
            let mut walk = CheckWalk {
                buffers,
                budget: BUDGET,
                faulty: BTreeSet::new(),
            };
            let mut variables = self.layout.values.clone();
            let before = self.errors.len();
            self.block(&mut walk, code, 0..code.len(), &mut variables);
            if self.errors.len() > before {
                continue;
            }
            match CallCounter::new(code).calls(&self.layout.values) {
                Ok(calls) => total = total.saturating_add(calls),
                Err(TooManyCalls(place)) => {
                    let message =
                        format!("with this loop the host makes more than {CALLS} calls or rounds");
                    self.errors.report(place, message, "repeat less");
                }
            }
        }
        total
    }

    /// Signals that something waits for and nothing raises: a certain standstill.
    fn unraised(&mut self, hosts: &[Vec<ProgramStep>]) {
        let calls = || {
            hosts.iter().flatten().filter_map(|step| match step {
                ProgramStep::Call(call) => Some(call),
                _ => None,
            })
        };
        let raised: BTreeSet<usize> = calls()
            .filter_map(|it| match &it.call {
                Call::Host(HostCall::Signal { signal }) => Some(signal.declaration),
                _ => None,
            })
            .collect();
        for call in calls() {
            if let Call::Host(HostCall::Await { signal })
            | Call::Stream(StreamCall::Hold { signal, .. }) = &call.call
                && !raised.contains(&signal.declaration)
            {
                let name = self
                    .template
                    .signals
                    .get(signal.declaration)
                    .map_or("", |found| found.name.as_str());
                let message = format!("nothing raises the signal “{name}”, so this waits for ever");
                let help = format!("let a host thread call: signal \"{name}\"");
                self.errors.report(signal.range.clone(), message, help);
            }
        }
    }

    /// Checks the steps `steps` of `code`.
    fn block(
        &mut self,
        walk: &mut CheckWalk<'_>,
        code: &[ProgramStep],
        steps: Range<usize>,
        variables: &mut Vec<f64>,
    ) {
        let mut place = steps.start;
        while place < steps.end {
            walk.budget = walk.budget.saturating_sub(1);
            match code.get(place) {
                Some(ProgramStep::Call(call)) => self.call(walk, call, variables),
                Some(ProgramStep::Repeat {
                    count,
                    range,
                    variable,
                    end,
                }) => {
                    let rounds = self.rounds(walk, count, range, variables);
                    variables.truncate(*variable);
                    self.repeat(walk, code, place + 1..*end, rounds, variables);
                    place = *end;
                }
                // Branches are checked and counted as if each were taken.
                Some(
                    ProgramStep::Again
                    | ProgramStep::Try { .. }
                    | ProgramStep::Leave(_)
                    | ProgramStep::Skip(_),
                )
                | None => {}
            }
            place += 1;
        }
    }

    fn rounds(
        &mut self,
        walk: &mut CheckWalk<'_>,
        count: &Expression,
        place: &Range<usize>,
        variables: &[f64],
    ) -> u64 {
        let value = count.evaluate(variables);
        if value.fract() == 0.0 && (0.0..=ROUNDS).contains(&value) {
            return rounds(value);
        }
        if walk.faulty.insert(place.start) {
            let message = format!("this repeats {value} times");
            let help = format!("write a whole number from 0 to {ROUNDS}");
            self.errors.report(place.clone(), message, help);
        }
        0
    }

    /// Checks a loop whose body is `steps`, and whose index is the variable after `variables`.
    fn repeat(
        &mut self,
        walk: &mut CheckWalk<'_>,
        code: &[ProgramStep],
        steps: Range<usize>,
        rounds: u64,
        variables: &mut Vec<f64>,
    ) {
        let variable = variables.len();
        let mut round = 0_u64;
        while round < rounds {
            variables.truncate(variable);
            variables.push(round as f64);
            walk.budget = walk.budget.saturating_sub(1);
            self.block(walk, code, steps.clone(), variables);
            if walk.budget == 0 {
                break;
            }
            let skip = rounds > SAMPLED && round + 1 >= SAMPLED;
            round = if skip {
                (rounds - 1).max(round + 1)
            } else {
                round + 1
            };
        }
        variables.truncate(variable);
    }

    fn call(&mut self, walk: &mut CheckWalk<'_>, call: &CallTemplate, variables: &[f64]) {
        if walk.faulty.contains(&call.range.start) {
            return;
        }
        let mentioned = call.call.mentioned();
        let found = mentioned
            .references
            .into_iter()
            .find_map(|reference| self.reference(reference, variables))
            .or_else(|| {
                let times = mentioned.micros.into_iter();
                let mut times = times.map(|micros| micros.evaluate(variables));
                let complaint = times.find_map(impossible_time);
                let complaint = complaint.or_else(|| self.complaint(walk, &call.call, variables));
                Some((call.range.clone(), complaint?))
            });
        if let Some((place, (message, help))) = found {
            walk.faulty.insert(call.range.start);
            self.errors.report(place, message, help);
        }
    }

    fn reference(
        &self,
        reference: &Reference,
        variables: &[f64],
    ) -> Option<(Range<usize>, Complaint)> {
        let count = self
            .layout
            .extent(reference.class, reference.declaration)
            .count;
        let complaint = match &reference.index {
            None if count > 1 => (
                format!("there are {count} of these, and this does not say which one"),
                "give an index: \"name[0]\", or a loop's index".to_owned(),
            ),
            Some(index) if !index.evaluate(variables).is_finite() => (
                format!("this index is {} here", index.evaluate(variables)),
                "write a number".to_owned(),
            ),
            _ => return None,
        };
        Some((reference.range.clone(), complaint))
    }

    fn complaint(
        &self,
        walk: &CheckWalk<'_>,
        call: &Call<AsWritten>,
        variables: &[f64],
    ) -> Option<Complaint> {
        match call {
            Call::Data(call) => self.data_complaint(walk, call, variables),
            Call::Rank(call) => self.collective(walk.buffers, call, variables),
            Call::Event(EventCall::Wait {
                is_external: true,
                timeout: Some(_),
                ..
            }) => Some((
                "a node of a graph waits for as long as it takes".to_owned(),
                "leave timeout-micros out, or external=".to_owned(),
            )),
            Call::Event(_) | Call::Stream(_) | Call::Host(_) | Call::Launch(_) | Call::Gpu(_) => {
                None
            }
        }
    }

    fn data_complaint(
        &self,
        walk: &CheckWalk<'_>,
        call: &DataCall<AsWritten>,
        variables: &[f64],
    ) -> Option<Complaint> {
        let element = |reference: &Reference| self.layout.element(reference, variables);
        let buffer = |reference: &Reference| walk.buffers.get(element(reference) as usize);
        let len = |reference: &Reference| buffer(reference).map_or(0, |buffer| buffer.len);
        match call {
            DataCall::Copy { from, to, .. } => {
                if element(from) == element(to) {
                    return Some((
                        "this copies a buffer to itself".into(),
                        "name two buffers".into(),
                    ));
                }
                let (source, target) = (len(from), len(to));
                (source != target).then(|| {
                    let message = format!("this copies {source} floats to a buffer of {target}");
                    (message, "make the two buffers equally long".into())
                })
            }
            DataCall::Allocate { buffer: it, .. } | DataCall::Free { buffer: it, .. } => {
                let found = buffer(it)?;
                (found.memory != MemoryKind::StreamOrdered).then(|| {
                    let message = format!("the memory of “{}” is not stream-ordered", found.name);
                    (message, "declare it with memory=\"stream-ordered\"".into())
                })
            }
            DataCall::Fill { value, .. } => {
                let value = value.evaluate(variables);
                (!value.is_finite())
                    .then(|| (format!("this fills with {value}"), "write a number".into()))
            }
            DataCall::Launch { kernel, .. } => {
                let KernelArguments {
                    kernel,
                    reads,
                    writes,
                    parameters,
                } = kernel;
                let elements = |all: &[Reference]| all.iter().map(element).collect::<Vec<_>>();
                aliases(kernel, &elements(reads), &elements(writes)).or_else(|| {
                    let lens = |all: &[Reference]| all.iter().map(len).collect::<Vec<_>>();
                    let numbers = parameters.iter().map(|it| it.evaluate(variables));
                    let shape = LaunchShape {
                        reads: &lens(reads),
                        writes: &lens(writes),
                        parameters: &numbers.collect::<Vec<_>>(),
                    };
                    let broken = kernel.check(&shape).err()?;
                    Some((
                        format!("“{}” cannot run: {broken}", kernel.name),
                        format!(
                            "give it other buffers or numbers; what the kernel does: {}",
                            kernel.about
                        ),
                    ))
                })
            }
            DataCall::Upload { .. } | DataCall::Download { .. } => None,
        }
    }
}

fn impossible_time(micros: f64) -> Option<Complaint> {
    (!(0.0..=MICROS).contains(&micros)).then(|| {
        (
            format!("this takes {micros} µs"),
            format!("write 0 to {MICROS} (a minute)"),
        )
    })
}

/// What is wrong, and what to do.
type Complaint = (String, String);

/// What a check carries through the loops.
struct CheckWalk<'b> {
    buffers: &'b [BufferPlan],
    budget: usize,
    /// First bytes of calls and counts that were reported already.
    faulty: BTreeSet<usize>,
}

fn aliases(kernel: &Kernel, reads: &[u32], writes: &[u32]) -> Option<Complaint> {
    let twice = writes
        .iter()
        .enumerate()
        .any(|(place, one)| writes.iter().skip(place + 1).any(|other| other == one));
    let read_too = !kernel.in_place && writes.iter().any(|written| reads.contains(written));
    if !twice && !read_too {
        return None;
    }
    let what = if twice {
        "writes one buffer twice"
    } else {
        "writes a buffer that it reads"
    };
    Some((
        format!("“{}” {what} here", kernel.name),
        "give it another buffer to write to".into(),
    ))
}

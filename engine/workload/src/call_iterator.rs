//! Unrolls the code of a host thread one call at a time: its loops, and the branches that take errors.

use std::ops::{ControlFlow, Range};
use std::sync::Arc;

use super::phase::VariableValues;
use super::program::{Branch, PlanLayout, Program, ProgramStep, rounds};
use super::{ErrorKind, PlacedCall};

/// The calls of one host thread, made as they are asked for.
#[derive(Clone, Debug)]
pub struct CallIterator {
    program: Arc<Program>,
    layout: Arc<PlanLayout>,
    host: usize,
    next: usize,
    variables: Vec<f64>,
    loops: Vec<LoopRound>,
    attempts: Vec<CallAttempt>,
}

/// Steps under way of which one may fail.
#[derive(Clone, Copy, Debug)]
struct CallAttempt {
    /// The step that began them.
    step: usize,
    /// Loops and variables around them.
    loops: usize,
    variables: usize,
}

/// A loop that is under way.
#[derive(Clone, Copy, Debug)]
struct LoopRound {
    body: usize,
    variable: usize,
    index: u64,
    count: u64,
}

impl CallAttempt {
    /// The branch that takes an error of this kind.
    fn branch(self, code: &[ProgramStep], kind: ErrorKind) -> Option<&Branch> {
        let mut branches = self.branches(code)?.iter();
        branches.find(|it| it.takes.takes(Some(kind)))
    }

    /// The steps of which one may fail.
    fn body(self, code: &[ProgramStep]) -> Option<Range<usize>> {
        let first = self.branches(code)?.first()?;
        Some(self.step + 1..first.start)
    }

    fn branches(self, code: &[ProgramStep]) -> Option<&[Branch]> {
        match code.get(self.step)? {
            ProgramStep::Try { branches } => Some(branches),
            _ => None,
        }
    }
}

impl CallIterator {
    pub(super) fn new(program: Arc<Program>, layout: Arc<PlanLayout>, host: usize) -> Self {
        let variables = layout.values.clone();
        Self {
            program,
            layout,
            host,
            next: 0,
            variables,
            loops: Vec::new(),
            attempts: Vec::new(),
        }
    }

    /// The call that was asked for last failed: goes on in the innermost branch that takes errors of this kind. Gives
    /// the line of the branch; none where nothing takes it.
    pub fn catch(&mut self, kind: ErrorKind) -> Option<u32> {
        let program = Arc::clone(&self.program);
        let code = program.hosts.get(self.host)?;
        while let Some(attempt) = self.attempts.pop() {
            let Some(branch) = attempt.branch(code, kind) else {
                continue;
            };
            self.loops.truncate(attempt.loops);
            self.variables.truncate(attempt.variables);
            self.next = branch.start;
            return Some(branch.line);
        }
        None
    }

    /// The calls that [`CallIterator::catch`] leaves out for an error of this kind: what is left of the `try` whose branch takes
    /// it, all rounds of its loops included.
    pub fn left_out(&self, kind: ErrorKind) -> impl Iterator<Item = PlacedCall> + use<> {
        let code = self.program.hosts.get(self.host).map(Vec::as_slice);
        let attempts = self.attempts.iter().rev();
        let code = code.unwrap_or_default();
        let taking = attempts.filter_map(|it| it.branch(code, kind).and(it.body(code)));
        let body = taking.take(1).next().unwrap_or_default();
        let mut left = self.clone();
        std::iter::from_fn(move || {
            while body.contains(&left.next) {
                if let ControlFlow::Break(found) = left.step() {
                    return found;
                }
            }
            None
        })
    }

    /// The round of the outermost loop with two rounds or more; 0 outside of such loops.
    fn round(&self) -> u64 {
        let outermost = self.loops.iter().find(|it| it.count > 1);
        outermost.map_or(0, |it| it.index + 1)
    }

    fn enter(&mut self, count: u64, variable: usize, end: usize) {
        if count == 0 {
            self.next = end + 1;
            return;
        }
        self.variables.truncate(variable);
        self.variables.push(0.0);
        self.loops.push(LoopRound {
            body: self.next,
            variable,
            index: 0,
            count,
        });
    }

    fn again(&mut self) {
        let Some(round) = self.loops.last_mut() else {
            return;
        };
        round.index += 1;
        if round.index < round.count {
            self.next = round.body;
            if let Some(index) = self.variables.get_mut(round.variable) {
                *index = round.index as f64;
            }
        } else {
            self.loops.pop();
        }
    }

    /// Goes one step on, and stops with a call, or with nothing at the end.
    fn step(&mut self) -> ControlFlow<Option<PlacedCall>> {
        let program = Arc::clone(&self.program);
        let code = program.hosts.get(self.host);
        let Some(step) = code.and_then(|it| it.get(self.next)) else {
            return ControlFlow::Break(None);
        };
        self.next += 1;
        match step {
            ProgramStep::Call(template) => {
                let values = VariableValues {
                    layout: &self.layout,
                    variables: &self.variables,
                };
                let call = template.call.plan(values);
                return ControlFlow::Break(Some(PlacedCall {
                    call,
                    place: template.place,
                    round: self.round(),
                }));
            }
            ProgramStep::Repeat {
                count,
                variable,
                end,
                ..
            } => {
                self.enter(rounds(count.evaluate(&self.variables)), *variable, *end);
            }
            ProgramStep::Again => self.again(),
            ProgramStep::Try { .. } => self.attempts.push(CallAttempt {
                step: self.next - 1,
                loops: self.loops.len(),
                variables: self.variables.len(),
            }),
            ProgramStep::Leave(end) => {
                self.attempts.pop();
                self.next = *end;
            }
            ProgramStep::Skip(end) => self.next = *end,
        }
        ControlFlow::Continue(())
    }
}

impl Iterator for CallIterator {
    type Item = PlacedCall;

    fn next(&mut self) -> Option<PlacedCall> {
        loop {
            if let ControlFlow::Break(found) = self.step() {
                return found;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::{Document, ErrorKind};

    #[test]
    fn what_is_left_out_is_what_is_left_of_the_attempt_that_takes_the_error() {
        let source = r#"
            about "Tries in loops."
            stream "s"
            host "main" {
                repeat 2 {
                    try {
                        work micros=1
                        try {
                            synchronize-stream "s"
                            work micros=2
                        }
                        catch "timed-out" { work micros=3 }
                        repeat 2 { work micros=4 }
                    }
                    catch { work micros=5 }
                }
                work micros=6
            }"#;
        let plan = Document::parse("tries", source).unwrap().plan(&[]).unwrap();
        let lines = |kind| {
            let mut calls = plan.calls(0);
            while calls.next().unwrap().place.line != 9 {}
            let left: Vec<u32> = calls.left_out(kind).map(|it| it.place.line).collect();
            // To ask changes nothing.
            assert_eq!(calls.next().unwrap().place.line, 10);
            left
        };
        // The inner one takes it, or the outer one.
        assert_eq!(lines(ErrorKind::TimedOut), [10]);
        assert_eq!(lines(ErrorKind::DeviceFailed), [10, 13, 13]);
        // Nothing does.
        let outside = plan.calls(0).last().map(|_| plan.calls(0));
        assert_eq!(outside.unwrap().left_out(ErrorKind::TimedOut).count(), 0);
    }
}

//! Unrolls the code of a host thread one call at a time: its loops, and the branches that take errors.

use std::sync::Arc;

use super::phase::VariableValues;
use super::program::{PlanLayout, Program, ProgramStep, rounds};
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
            let Some(ProgramStep::Try { branches }) = code.get(attempt.step) else {
                continue;
            };
            let takes = |taken: Option<ErrorKind>| taken.is_none_or(|taken| taken == kind);
            let Some(branch) = branches.iter().find(|branch| takes(branch.kind)) else {
                continue;
            };
            self.loops.truncate(attempt.loops);
            self.variables.truncate(attempt.variables);
            self.next = branch.start;
            return Some(branch.line);
        }
        None
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
}

impl Iterator for CallIterator {
    type Item = PlacedCall;

    fn next(&mut self) -> Option<PlacedCall> {
        let program = Arc::clone(&self.program);
        let code = program.hosts.get(self.host)?;
        loop {
            let step = code.get(self.next)?;
            self.next += 1;
            match step {
                ProgramStep::Call(template) => {
                    let values = VariableValues {
                        layout: &self.layout,
                        variables: &self.variables,
                    };
                    let call = template.call.plan(values);
                    return Some(PlacedCall {
                        call,
                        place: template.place,
                    });
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
        }
    }
}

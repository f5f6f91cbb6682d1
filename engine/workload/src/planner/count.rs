//! Counts the calls of a host thread without making them.

use std::ops::Range;

use crate::program::{ProgramStep, rounds};

/// Calls of one run, at most: far beyond what anybody waits for.
pub(super) const CALLS: u64 = 100_000_000;
/// Steps that are looked at, at most, where the count of an inner loop changes with the rounds of an outer one.
const BUDGET: u64 = 20_000_000;

/// Counts calls; too many of them end the count.
pub(super) struct CallCounter<'c> {
    code: &'c [ProgramStep],
    budget: u64,
}

/// More calls than may be, and where the innermost loop that has them gives its count.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct TooManyCalls(pub Range<usize>);

/// Calls, and rounds of loops, which take time even where they make no call.
#[derive(Clone, Copy, Debug, Default)]
struct CallTally {
    calls: u64,
    rounds: u64,
}

impl CallTally {
    fn plus(self, other: Self) -> Self {
        Self {
            calls: self.calls.saturating_add(other.calls),
            rounds: self.rounds.saturating_add(other.rounds),
        }
    }

    fn times(self, count: u64) -> Self {
        Self {
            calls: self.calls.saturating_mul(count),
            rounds: self.rounds.saturating_add(1).saturating_mul(count),
        }
    }

    fn fits(self) -> bool {
        self.calls <= CALLS && self.rounds <= CALLS
    }
}

impl<'c> CallCounter<'c> {
    pub fn new(code: &'c [ProgramStep]) -> Self {
        Self {
            code,
            budget: BUDGET,
        }
    }

    /// The calls of all steps, for these values of the parameters.
    pub fn calls(&mut self, values: &[f64]) -> Result<u64, TooManyCalls> {
        let mut variables = values.to_vec();
        let tally = self.steps(0..self.code.len(), &mut variables)?;
        Ok(tally.calls)
    }

    fn steps(
        &mut self,
        steps: Range<usize>,
        variables: &mut Vec<f64>,
    ) -> Result<CallTally, TooManyCalls> {
        let code = self.code;
        let mut total = CallTally::default();
        let mut place = steps.start;
        while place < steps.end {
            match code.get(place) {
                Some(ProgramStep::Call(_)) => total.calls += 1,
                Some(ProgramStep::Repeat {
                    count,
                    range,
                    variable,
                    end,
                }) => {
                    let count = rounds(count.evaluate(variables));
                    variables.truncate(*variable);
                    let inner = self.repeat(place + 1..*end, count, variables)?;
                    total = total.plus(inner.unwrap_or(CallTally {
                        calls: u64::MAX,
                        rounds: 0,
                    }));
                    if !total.fits() {
                        return Err(TooManyCalls(range.clone()));
                    }
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
        Ok(total)
    }

    /// The calls of a loop; nothing where they are too many to count.
    fn repeat(
        &mut self,
        body: Range<usize>,
        count: u64,
        variables: &mut Vec<f64>,
    ) -> Result<Option<CallTally>, TooManyCalls> {
        let variable = variables.len();
        if count == 0 {
            return Ok(Some(CallTally::default()));
        }
        // Once to see what changes, and once for each round.
        self.spend(body.len());
        variables.push(0.0);
        if !self.varies(body.clone(), variable) {
            let once = self.steps(body, variables)?;
            variables.truncate(variable);
            return Ok(Some(once.times(count)));
        }
        let mut total = CallTally::default();
        for round in 0..count {
            if self.budget == 0 || !total.fits() {
                return Ok(None);
            }
            self.spend(1 + body.len());
            variables.truncate(variable);
            variables.push(round as f64);
            total = total.plus(self.steps(body.clone(), variables)?.times(1));
        }
        variables.truncate(variable);
        Ok(Some(total))
    }

    fn spend(&mut self, steps: usize) {
        self.budget = self.budget.saturating_sub(steps as u64);
    }

    /// Whether the count of a loop in `body` changes with a variable.
    fn varies(&self, body: Range<usize>, variable: usize) -> bool {
        let steps = self.code.get(body).unwrap_or_default();
        steps.iter().any(
            |step| matches!(step, ProgramStep::Repeat { count, .. } if count.mentions(variable)),
        )
    }
}

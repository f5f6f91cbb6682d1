//! The outermost loops of a workload, told before it runs: how many rounds each has, and how often a round makes each call.

use std::ops::Range;

use super::Expression;
use super::program::{Program, ProgramStep, rounds};
use record::{CallId, WorkloadLoop};

impl Program {
    /// The outermost loops with two rounds or more, in the order of the text, for these values of the parameters.
    pub fn loops(&self, values: &[f64]) -> Vec<WorkloadLoop> {
        let of_host = |code: &Vec<ProgramStep>| {
            let mut finder = LoopFinder {
                code,
                variables: values.to_vec(),
                found: Vec::new(),
            };
            finder.outermost(0..code.len());
            finder.found
        };
        self.hosts.iter().flat_map(of_host).collect()
    }
}

/// A look through the code of one host thread.
struct LoopFinder<'c> {
    code: &'c [ProgramStep],
    variables: Vec<f64>,
    found: Vec<WorkloadLoop>,
}

impl LoopFinder<'_> {
    fn outermost(&mut self, steps: Range<usize>) {
        let code = self.code;
        let mut place = steps.start;
        while place < steps.end {
            if let Some((count, variable, end)) = repeat_at(code, place) {
                match self.enter(count, variable) {
                    0 => {}
                    1 => self.outermost(place + 1..end),
                    rounds => {
                        let mut calls = Vec::new();
                        self.count((place + 1..end, 1), variable, &mut calls);
                        self.found.push(WorkloadLoop { rounds, calls });
                    }
                }
                place = end;
            }
            place += 1;
        }
    }

    /// The rounds of a loop; its variable is that of the first from here on.
    fn enter(&mut self, count: &Expression, variable: usize) -> u64 {
        self.variables.truncate(variable);
        let rounds = rounds(count.evaluate(&self.variables));
        self.variables.push(0.0);
        rounds
    }

    /// Adds the calls of these steps, which a round of the loop over variable `outer` makes so many times. Those of an inner
    /// loop whose rounds depend on where the loops around it are, and those made in place of others that failed, have 0.
    fn count(
        &mut self,
        (steps, times): (Range<usize>, u64),
        outer: usize,
        calls: &mut Vec<(CallId, u64)>,
    ) {
        let code = self.code;
        let mut place = steps.start;
        while place < steps.end {
            if let Some((count, variable, end)) = repeat_at(code, place) {
                let inner = times.saturating_mul(self.enter(count, variable));
                let depends = (outer..variable).any(|it| count.mentions(it));
                let inner = if depends { 0 } else { inner };
                self.count((place + 1..end, inner), outer, calls);
                place = end;
            } else if let Some(ProgramStep::Leave(end)) = code.get(place) {
                self.count((place + 1..*end, 0), outer, calls);
                place = end.saturating_sub(1);
            } else if let Some(ProgramStep::Call(call)) = code.get(place) {
                calls.push((CallId(call.place.call), times));
            }
            place += 1;
        }
    }
}

/// The loop that begins with a step: its count, its variable, and its last step.
fn repeat_at(code: &[ProgramStep], place: usize) -> Option<(&Expression, usize, usize)> {
    match code.get(place)? {
        ProgramStep::Repeat {
            count,
            variable,
            end,
            ..
        } => Some((count, *variable, *end)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use crate::Document;

    #[test]
    fn the_outermost_loops_know_how_often_a_round_makes_each_call() {
        let text = r#"
            param "rounds" 3
            stream "s"
            host "one" {
                repeat 1 {
                    repeat "rounds" index="i" {
                        synchronize-stream "s"
                        repeat 4 { repeat 2 { synchronize-stream "s" } }
                        repeat "i" { synchronize-stream "s" }
                        try { synchronize-stream "s" }; catch { synchronize-device }
                    }
                    synchronize-device
                }
                repeat 0 { synchronize-device }
            }
            host "two" { repeat 5 { synchronize-device }; }
        "#;
        let plan = Document::parse("loops", text).unwrap().plan(&[]).unwrap();
        let found = plan.loops().into_iter().map(|it| {
            let calls = it.calls.iter().map(|(call, times)| (call.0, *times));
            (it.rounds, calls.collect::<Vec<_>>())
        });
        let expected = [
            (3, vec![(0, 1), (1, 8), (2, 0), (3, 1), (4, 0)]),
            (5, vec![(7, 1)]),
        ];
        assert_eq!(found.collect::<Vec<_>>(), expected);
    }
}

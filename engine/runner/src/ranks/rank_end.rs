//! The end of a rank, and what it means for the others.

use super::child::{RankProcess, RankStage};
use super::{Ranks, STOPPING};
use crate::mesh::{FAULT_UNMET, unmet_fault};
use crate::{Control, RankControl};
use formats::merge::IncompleteExchange;
use record::{Record, RunOutcome, Severity, SpanId};
use workload::{FaultKind, FaultMoment, RankFault};

impl Ranks<'_> {
    /// A rank's run is over: those who wait for it are told.
    pub(super) fn over(&mut self, rank: usize) {
        let Some(child) = self.children.get_mut(rank) else {
            return;
        };
        child.stage = RankStage::Over;
        self.merged.over(rank, self.outbox);
        let mut why = child.why_over();
        if !child.is_dead()
            && let Some(dead) = self.children.iter().find(|it| it.is_dead())
        {
            // The one that died is the reason, also where it is told by way of others.
            why = format!("it cannot go on without {}: {}", dead.label, dead.death());
        }
        let left = Control::Rank(RankControl::Left {
            rank: rank as u32,
            why,
        });
        for (place, other) in self.children.iter().enumerate() {
            if place != rank && other.stage == RankStage::Running {
                other.send(left.clone());
            }
        }
    }

    /// Waits no longer for ranks that were to stop and do not, such as those whose process is stopped.
    pub(super) fn give_up(&mut self) {
        if self
            .stopped
            .is_none_or(|(since, _)| since.elapsed() < STOPPING)
        {
            return;
        }
        for rank in 0..self.children.len() {
            let is_left = |it: &&mut RankProcess| it.stage != RankStage::Over;
            if let Some(child) = self.children.get_mut(rank).filter(is_left) {
                child.outcome.get_or_insert(RunOutcome::Stopped);
                self.over(rank);
            }
        }
    }

    /// Ends every process. They are told first and waited for afterwards.
    pub(super) fn end_children(&mut self) {
        self.send_all(&Control::Shutdown);
        self.children.clear();
    }

    /// Names the collective operations that not all ranks came to.
    pub(super) fn tell_missing(&mut self) {
        if self.stopped.is_some() || self.is_closing() {
            return;
        }
        for missing in self.merged.missing() {
            let text = self.words(&missing);
            self.merged.problem(
                Severity::Error,
                "collective-incomplete",
                text,
                missing.span,
                self.outbox,
            );
        }
    }

    /// Takes out of a rank's records what it did not come to: its next process may, and at the end it is told.
    pub(super) fn keep_unmet(&mut self, records: &mut Vec<Record>) {
        records.retain(|record| {
            let Record::Problem(problem) = record else {
                return true;
            };
            let is_it = |it: &mut RankFault| problem.text == unmet_fault(it);
            let unmet = if problem.code == FAULT_UNMET {
                self.handed.extract_if(.., is_it).next()
            } else {
                None
            };
            self.faults.extend(unmet);
            unmet.is_none()
        });
    }

    /// Takes back what did not come to pass: the killing of processes that had come to their end, or were ended for another's
    /// death, before it reached them; and what was to be done to those that were killed at an operation after that one.
    pub(super) fn keep_spared(&mut self) {
        let handed = std::mem::take(&mut self.handed);
        let kills = handed.iter().filter(|it| it.kind == FaultKind::Kill);
        let kills: Vec<RankFault> = kills.copied().collect();
        let is_dead = |rank: u32| {
            let child = self.children.get(rank as usize);
            child.is_none_or(RankProcess::is_dead)
        };
        let spared = handed.into_iter().filter(|it| match it.at {
            FaultMoment::Time(_) => it.kind == FaultKind::Kill && !is_dead(it.rank),
            FaultMoment::Collective(number) => {
                let own = kills.iter().filter(|kill| kill.rank == it.rank);
                let first = own.map(|kill| match kill.at {
                    FaultMoment::Collective(number) => number,
                    FaultMoment::Now | FaultMoment::Time(_) => u64::MAX,
                });
                first.min().is_some_and(|first| number > first)
            }
            FaultMoment::Now => false,
        });
        self.faults.extend(spared);
    }

    /// Names what was to be done to ranks at a moment that did not come while they ran.
    pub(super) fn tell_unmet(&mut self) {
        for fault in std::mem::take(&mut self.faults) {
            let text = unmet_fault(&fault);
            let span = SpanId::NONE;
            self.merged
                .problem(Severity::Warning, FAULT_UNMET, text, span, self.outbox);
        }
    }

    fn words(&self, missing: &IncompleteExchange) -> String {
        let ranks: Vec<String> = missing.came.iter().map(ToString::to_string).collect();
        let is_all = missing.parts as usize == self.children.len();
        let absent = self
            .children
            .iter()
            .enumerate()
            .filter(|(rank, _)| !missing.came.contains(rank));
        let absent: Vec<String> = absent
            .map(|(_, child)| format!("{} did not ({})", child.label, how_ended(child)))
            .collect();
        let absent = if is_all {
            absent.join("; ")
        } else {
            "the other one did not".to_owned()
        };
        format!(
            "{}: {} of {} ranks came ({}), and {absent}; all ranks must make the same calls",
            missing.exchange,
            missing.came.len(),
            missing.parts,
            ranks.join(", ")
        )
    }
}

/// How a rank ended that did not come to an exchange.
fn how_ended(child: &RankProcess) -> String {
    match &child.outcome {
        Some(RunOutcome::Finished) | None => "its run ended without it".to_owned(),
        Some(RunOutcome::Stopped) => "it was stopped".to_owned(),
        Some(RunOutcome::Failed(_)) => child.why_over(),
    }
}

//! The waits that automatic synchronisation inserted, written out as a workload that waits by itself: that one is judged
//! by the model like any other.

use std::collections::BTreeSet;

use engine::record::{DependencyKind, SpanKind};

use super::check::RunRecords;
use super::order::EnforcedOrder;
use super::text::{GeneratedCall, GeneratedWorkload, SynchronizationMode};

/// A workload of one host thread with the waits that a run of it inserted.
pub struct WrittenOut {
    /// It waits by itself.
    pub workload: GeneratedWorkload,
    /// The places of the waits among its calls, each with whether it was called redundant.
    pub inserted: Vec<(usize, bool)>,
}

impl WrittenOut {
    /// Of what a run told; none where a wait is for a stream that the workload does not have.
    pub fn of(workload: &GeneratedWorkload, run: &RunRecords) -> Option<Self> {
        let placed = workload.placed();
        let stream = |span| {
            let lane = run.lane_name(span)?;
            (0..workload.streams.len()).find(|it| lane == format!("s{it}"))
        };
        let mut before: Vec<Vec<(GeneratedCall, bool)>> = vec![Vec::new(); placed.len()];
        let joins = run.spans().filter(|it| it.kind == SpanKind::Join);
        for join in joins {
            let causes = run.causes(join.id, DependencyKind::Automatic);
            let from: BTreeSet<Option<usize>> = causes.map(stream).collect();
            let call = placed.iter().position(|it| it.line == run.line(join))?;
            let to = stream(join)?;
            for from in from {
                before[call].push((GeneratedCall::Join(from?, to), run.is_redundant(join.id)));
            }
        }
        let mut calls = Vec::new();
        let mut inserted = Vec::new();
        // Those that every workload ends with are added again.
        let own = workload.hosts.first()?.len();
        for (call, waits) in placed.iter().zip(before) {
            for (wait, is_redundant) in waits {
                inserted.push((calls.len(), is_redundant));
                calls.push(wait);
            }
            calls.push(call.call);
        }
        let ends = placed.len() - own;
        let mut written = workload.clone();
        written.mode = SynchronizationMode::Manual;
        let is_inserted = |place: &usize| inserted.iter().any(|it| it.0 == *place);
        let tail = (0..calls.len())
            .filter(|it| !is_inserted(it))
            .nth_back(ends - 1)?;
        // The final downloads come after all else by a synchronisation: nothing is inserted for them.
        calls.truncate(tail);
        inserted.retain(|it| it.0 < tail);
        written.hosts = vec![calls];
        Some(Self {
            workload: written,
            inserted,
        })
    }

    /// What is wrong: something that is not ordered with all of the waits, or without those that are called redundant.
    pub fn complaints(&self) -> Vec<(&'static str, String)> {
        let races = |without: &[usize]| {
            EnforcedOrder::of(&self.workload, without).races(SynchronizationMode::Manual)
        };
        let mut complaints = Vec::new();
        let mut complain = |kind, without: &[usize]| {
            if let Some(race) = races(without).first() {
                let calls = &self.workload.hosts[0];
                let waits: Vec<_> = without.iter().map(|it| calls[*it]).collect();
                let text = format!("without {waits:?}: {race:?} of\n{}", self.workload.text());
                complaints.push((kind, text));
            }
        };
        complain("automatic", &[]);
        let redundant = self.inserted.iter().filter(|it| it.1).map(|it| it.0);
        let redundant: Vec<usize> = redundant.collect();
        for place in &redundant {
            complain("redundant automatic wait", &[*place]);
        }
        complain("redundant automatic waits", &redundant);
        complaints
    }
}

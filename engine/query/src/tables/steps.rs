//! Steps and frames, and which of them a span belongs to.

use super::draft::TableDraft;
use super::lanes::LaneFacts;
use crate::column::CellValue;
use crate::guard::{QueryGuard, StopReason};
use crate::rows::TableRows;
use crate::schema::TableId;
use crate::source::QuerySource;
use analysis::causes::CauseReader;
use analysis::{IterationSource, Iterations};
use record::LaneId;
use record::time::{Interval, Nanos};

/// The steps of a rank.
pub(crate) struct RankSteps {
    /// The rank.
    pub rank: u32,
    /// Its steps.
    pub found: Iterations,
}

/// The steps of every rank.
pub(crate) struct StepIndex {
    ranks: Vec<RankSteps>,
    /// The place of each lane's rank among them.
    places: Vec<usize>,
}

impl StepIndex {
    /// Finds them.
    pub fn new(reader: &CauseReader<'_>, facts: &LaneFacts) -> Self {
        let ranks = facts.ranks();
        let lanes = reader.capture().lanes().iter();
        let place = |lane: LaneId| ranks.binary_search(&facts.rank(lane)).unwrap_or(0);
        let places = lanes.map(|it| place(it.id)).collect();
        // A capture of one rank, or of none that is told, is looked through as a whole.
        let asked = |rank: u32| (ranks.len() > 1).then_some(rank);
        let found = ranks.iter().map(|rank| RankSteps {
            rank: *rank,
            found: Iterations::find(reader, asked(*rank)),
        });
        Self {
            ranks: found.collect(),
            places,
        }
    }

    /// The ranks, in order.
    pub fn ranks(&self) -> &[RankSteps] {
        &self.ranks
    }

    /// The step of a span of a lane: where marks of the host tell of steps that in which the call that submitted it began,
    /// else that in which it began itself.
    pub fn step(&self, lane: LaneId, start: Nanos, launched: Option<Nanos>) -> Option<i64> {
        let steps = &self.ranks.get(*self.places.get(lane.index())?)?.found;
        let is_of_host = matches!(
            steps.source,
            IterationSource::Range | IterationSource::Frame
        );
        let instant = launched.filter(|_| is_of_host).unwrap_or(start);
        step_at(steps, instant)
    }

    /// The step of a rank in which an instant lies.
    pub fn step_of_rank(&self, rank: u32, instant: Nanos) -> Option<i64> {
        let steps = self.ranks.iter().find(|it| it.rank == rank)?;
        step_at(&steps.found, instant)
    }
}

fn step_at(steps: &Iterations, instant: Nanos) -> Option<i64> {
    let after = steps.all.partition_point(|it| it.interval.start <= instant);
    let last = steps.all.get(after.checked_sub(1)?)?;
    let Interval { start, end } = last.interval;
    (start <= instant && instant < end).then_some(i64::from(last.number))
}

/// The steps.
pub(super) fn make(source: &QuerySource, guard: &QueryGuard) -> Result<TableRows, StopReason> {
    let index = source.steps(guard)?;
    let mut draft = TableDraft::of(source, TableId::STEPS, Some(guard));
    for RankSteps { rank, found } in index.ranks() {
        for step in &found.all {
            let values = [
                CellValue::Integer(i64::from(step.number)),
                CellValue::Text(&step.name),
                CellValue::Integer(step.interval.start.0),
                CellValue::Integer(step.interval.length().0),
            ];
            draft.row(*rank, &values)?;
        }
    }
    Ok(draft.finish())
}

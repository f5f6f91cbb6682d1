//! How long streams of a device were busy at once, step by step.

use std::collections::BTreeMap;

use super::draft::{TableDraft, int};
use super::lanes::{id, lane_name};
use crate::column::CellValue;
use crate::guard::{QueryGuard, StopReason};
use crate::rows::TableRows;
use crate::schema::TableId;
use crate::source::QuerySource;
use record::LaneId;
use record::time::Nanos;

/// Two streams, in the order on screen, and for how long both were busy.
type PairTimes = BTreeMap<(LaneId, LaneId), Nanos>;

/// Finds them: of each step, and of the time outside of all steps.
pub(super) fn make(source: &QuerySource, guard: &QueryGuard) -> Result<TableRows, StopReason> {
    let causes = source.causes(guard)?;
    let facts = source.lanes()?;
    let index = source.steps(guard)?;
    let reader = causes.read(&source.capture);
    let mut draft = TableDraft::of(source, TableId::LANE_OVERLAP, Some(guard));
    let mut row = |step: Option<u32>, (first, second): (LaneId, LaneId), both: Nanos| {
        if both == Nanos::ZERO {
            return Ok(());
        }
        for (one, other) in [(first, second), (second, first)] {
            let values = [
                int(step.map(i64::from)),
                id(one.0),
                lane_name(&source.capture, one),
                id(other.0),
                lane_name(&source.capture, other),
                CellValue::Integer(both.0),
            ];
            draft.row(facts.rank(one), &values)?;
        }
        Ok(())
    };
    let all = reader.streams();
    for steps in index.ranks() {
        let own = |lane: &&LaneId| facts.rank(**lane) == steps.rank;
        let streams: Vec<LaneId> = all.iter().filter(own).copied().collect();
        let whole = reader.overlaps(&streams, causes.extent());
        let whole = whole.into_iter().map(|it| ((it.first, it.second), it.both));
        let mut rest: PairTimes = whole.filter(|it| it.1 > Nanos::ZERO).collect();
        // Streams that never ran at once did not do so in any step.
        let mut met: Vec<LaneId> = rest.keys().flat_map(|it| [it.0, it.1]).collect();
        met.sort_unstable();
        met.dedup();
        let streams: Vec<LaneId> = streams
            .into_iter()
            .filter(|it| met.binary_search(it).is_ok())
            .collect();
        for step in &steps.found.all {
            guard.check()?;
            for it in reader.overlaps(&streams, step.interval) {
                let pair = (it.first, it.second);
                row(Some(step.number), pair, it.both)?;
                if let Some(rest) = rest.get_mut(&pair) {
                    *rest = *rest - it.both;
                }
            }
        }
        for (pair, both) in rest {
            row(None, pair, both.max(Nanos::ZERO))?;
        }
    }
    Ok(draft.finish())
}

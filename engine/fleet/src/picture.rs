//! What the window shows of a run: a value for each rank and step, and who kept the others waiting.

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;

use dataset::RunName;
use query::{SqlLimits, SqlWatch, questions};
use record::Value;

use super::ask::ask_several;
use super::engine::FleetEngine;
use super::error::FleetError;
use super::fleet_dataset::FleetDataset;
use super::outliers::StepOutlier;
use super::picture_draft::PictureDraft;

/// What is measured of a rank in a step, in nanoseconds.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum FleetMeasure {
    /// How long the step took.
    StepTime,
    /// How long streams were idle, all reasons and streams together.
    Idle,
    /// How long streams were idle for one reason, as the column `reason` of `gaps` names it.
    IdleFor(String),
    /// How long the rank waited for others in collective operations.
    CollectiveWait,
}

/// The values of a measure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MeasureGrid {
    /// What is measured.
    pub measure: FleetMeasure,
    /// Nanoseconds of each rank and step: all steps of the first rank, then those of the next.
    pub values: Vec<Option<i64>>,
}

/// A rank that others waited for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LateRank {
    /// The rank.
    pub rank: u32,
    /// To how many collective operations it came last, by more than clocks are uncertain.
    pub times_last: u64,
    /// How long all others waited for it, in nanoseconds.
    pub lost_by_others: i64,
    /// The most that others waited in one operation, in nanoseconds.
    pub worst: i64,
    /// The step of that operation.
    pub worst_step: Option<i64>,
    /// When the rank came to it, in nanoseconds on the run's clock.
    pub worst_ts: i64,
}

/// A run in numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FleetPicture {
    /// The run's name.
    pub run: String,
    /// The ranks that have steps; besides, those of the run that have none or are not there, unless they are the greater part.
    pub ranks: Vec<u32>,
    /// How many of them have steps.
    pub ranks_with_steps: usize,
    /// The steps that some rank has: the numbers in their names, such as 12 of `ProfilerStep#12`, where every name has one, else
    /// their place in each capture, from 1.
    pub steps: Vec<i64>,
    /// When each step of each rank began, in nanoseconds on the run's clock; in the order of a [`MeasureGrid`].
    pub starts: Vec<Option<i64>>,
    /// What was measured. One without any value is not there.
    pub measures: Vec<MeasureGrid>,
    /// Ranks that others waited for, the worst first.
    pub stragglers: Vec<LateRank>,
    /// Steps that took a rank much longer than others, the worst first.
    pub outliers: Vec<StepOutlier>,
    /// Captures that could be read.
    pub captures: u64,
    /// Collective operations that at least two ranks took part in.
    pub collectives: u64,
    /// Those of them in which a rank was done by the captures' times before another one came, which no clock allows.
    pub impossible: u64,
    /// By how many nanoseconds clocks of ranks may be off, at most; nothing where no capture says it.
    pub clock_uncertainty: Option<i64>,
    /// Whether every capture says when it began, so that instants of ranks can be compared.
    pub is_clock_shared: bool,
    /// What answered, with its version.
    pub engine: String,
    /// How long it took.
    pub time: Duration,
}

/// When each step of each rank began, and how long it took.
const STEPS: &str = "SELECT rank, step, min(name) AS name, min(ts) AS ts, max(ts + dur) - min(ts) AS dur FROM steps \
    WHERE run = '{run}' AND step IS NOT NULL GROUP BY rank, step ORDER BY rank, step";
/// How long streams were idle within each step, by reason. A time that reaches over steps counts in each by its share.
const IDLE: &str = "SELECT g.rank AS rank, s.step AS step, g.reason AS reason, \
    sum(CASE WHEN g.ts + g.dur < s.ts + s.dur THEN g.ts + g.dur ELSE s.ts + s.dur END \
    - CASE WHEN g.ts > s.ts THEN g.ts ELSE s.ts END) AS ns \
    FROM steps s JOIN gaps g ON g.run = s.run AND g.rank = s.rank AND g.ts < s.ts + s.dur AND g.ts + g.dur > s.ts \
    WHERE s.run = '{run}' AND s.step IS NOT NULL GROUP BY g.rank, s.step, g.reason ORDER BY g.rank, s.step, g.reason";
/// How long each rank waited in the collective operations that it came to within a step.
const COLLECTIVE_WAIT: &str = "WITH arrivals AS (SELECT rank, ready, \
    max(ready) OVER (PARTITION BY grp, number) - ready AS ns FROM collectives \
    WHERE run = '{run}' AND number IS NOT NULL) \
    SELECT a.rank AS rank, s.step AS step, sum(a.ns) AS ns FROM arrivals a \
    JOIN steps s ON s.run = '{run}' AND s.rank = a.rank AND a.ready >= s.ts AND a.ready < s.ts + s.dur \
    WHERE s.step IS NOT NULL GROUP BY a.rank, s.step ORDER BY a.rank, s.step";
/// What the captures say of their clocks.
const CLOCKS: &str = "SELECT count(*) AS captures, count(clock_origin_ns) AS known, max(clock_uncertainty_ns) AS off_ns \
    FROM captures WHERE run = '{run}' AND spans > 0";

/// Collective operations of several ranks, and those that ended for one before another one came.
const COLLECTIVES: &str = "WITH each_one AS (SELECT min(ts + dur) AS first_end, max(ready) AS last_ready FROM collectives \
    WHERE run = '{run}' AND number IS NOT NULL GROUP BY grp, number HAVING min(rank) < max(rank)) \
    SELECT count(*) AS several, coalesce(sum(CASE WHEN first_end < last_ready THEN 1 ELSE 0 END), 0) AS impossible FROM each_one";

/// The ranks of a run, whether or not they are in the dataset, up to the highest one that is.
fn ranks_of(fleet: &FleetDataset, run: &RunName) -> BTreeSet<u32> {
    let run = fleet.runs().iter().find(|it| it.name == *run);
    let all = run.map(|it| [&it.complete, &it.missing, &it.unfinished, &it.unreadable]);
    all.into_iter().flatten().flatten().copied().collect()
}

/// Asks what the window shows of a run. What needs the ranks' clocks is left out where they cannot be compared.
///
/// # Errors
/// As [`ask_fleet`](crate::ask_fleet); besides, a limit or `watch` ended it before all was there.
pub fn fleet_picture(
    fleet: &FleetDataset,
    run: &RunName,
    engine: &FleetEngine,
    limits: SqlLimits,
    watch: &Arc<SqlWatch>,
) -> Result<FleetPicture, FleetError> {
    let stragglers = questions().iter().find(|it| it.name == "stragglers");
    let stragglers = stragglers.map_or("", |it| it.sql);
    let name = run.to_string();
    let asked = [
        STEPS,
        IDLE,
        COLLECTIVE_WAIT,
        CLOCKS,
        stragglers,
        COLLECTIVES,
    ]
    .map(|it| it.replace("{run}", &name));
    let mut draft = PictureDraft::new(&name);
    let mut take = |place: usize, _: &[String], row: Vec<Option<Value>>| {
        draft.row(place, &row);
        ControlFlow::Continue(())
    };
    let answers = ask_several(fleet, engine, &asked, (limits, watch), &mut take)?;
    if let Some(cut) = answers.iter().find_map(|it| it.answer.cut) {
        return Err(FleetError::Cut(cut));
    }
    let last = answers.last();
    Ok(FleetPicture {
        run: name,
        engine: last.map(|it| it.engine.clone()).unwrap_or_default(),
        time: match engine {
            FleetEngine::Sqlite => answers.iter().map(|it| it.answer.time).sum(),
            _ => last.map(|it| it.answer.time).unwrap_or_default(),
        },
        ..draft.finish(&ranks_of(fleet, run))
    })
}

//! What the window shows of a run: a value for each rank and step, and who kept the others waiting.

use std::collections::{BTreeMap, BTreeSet};
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
use super::outliers::{StepOutlier, outliers};

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
pub struct Straggler {
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
    /// The ranks that have steps.
    pub ranks: Vec<u32>,
    /// The steps that a rank has.
    pub steps: Vec<i64>,
    /// When each step of each rank began, in nanoseconds on the run's clock; in the order of a [`MeasureGrid`].
    pub starts: Vec<Option<i64>>,
    /// What was measured. One without any value is not there.
    pub measures: Vec<MeasureGrid>,
    /// Ranks that others waited for, the worst first.
    pub stragglers: Vec<Straggler>,
    /// Steps that took a rank much longer than others, the worst first.
    pub outliers: Vec<StepOutlier>,
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
const STEPS: &str = "SELECT rank, step, min(ts) AS ts, max(ts + dur) - min(ts) AS dur FROM steps \
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
/// Places of the questions.
const STEPS_AT: usize = 0;
const IDLE_AT: usize = 1;
const COLLECTIVE_WAIT_AT: usize = 2;
const CLOCKS_AT: usize = 3;
const STRAGGLERS_AT: usize = 4;

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
    let asked =
        [STEPS, IDLE, COLLECTIVE_WAIT, CLOCKS, stragglers].map(|it| it.replace("{run}", &name));
    let mut draft = PictureDraft {
        run: name.clone(),
        ..PictureDraft::default()
    };
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
        ..draft.finish()
    })
}

/// Rows on their way into a picture, by rank and step.
#[derive(Default)]
struct PictureDraft {
    run: String,
    steps: BTreeMap<(u32, i64), (i64, i64)>,
    sums: BTreeMap<FleetMeasure, BTreeMap<(u32, i64), i64>>,
    stragglers: Vec<Straggler>,
    captures: i64,
    known: i64,
    uncertainty: Option<i64>,
}

/// A whole number in a row.
fn whole(row: &[Option<Value>], place: usize) -> Option<i64> {
    match row.get(place)? {
        Some(Value::Integer(value)) => Some(*value),
        // Sums of some engines have more digits than whole numbers.
        Some(Value::Number(value)) => Some(*value as i64),
        _ => None,
    }
}

fn text(row: &[Option<Value>], place: usize) -> Option<&str> {
    match row.get(place)? {
        Some(Value::Text(text)) => Some(text),
        _ => None,
    }
}

impl PictureDraft {
    fn row(&mut self, question: usize, row: &[Option<Value>]) {
        // A row that is not as it was asked for says nothing.
        let _ = match question {
            STEPS_AT => self.step(row),
            IDLE_AT => self.idle(row),
            COLLECTIVE_WAIT_AT => self.collective_wait(row),
            CLOCKS_AT => self.clocks(row),
            STRAGGLERS_AT => self.straggler(row),
            _ => None,
        };
    }

    fn cell(row: &[Option<Value>]) -> Option<(u32, i64)> {
        Some((u32::try_from(whole(row, 0)?).ok()?, whole(row, 1)?))
    }

    fn step(&mut self, row: &[Option<Value>]) -> Option<()> {
        let step = (whole(row, 2)?, whole(row, 3)?);
        self.steps.insert(Self::cell(row)?, step);
        Some(())
    }

    fn idle(&mut self, row: &[Option<Value>]) -> Option<()> {
        let (cell, ns) = (Self::cell(row)?, whole(row, 3)?);
        let reason = FleetMeasure::IdleFor(text(row, 2)?.to_owned());
        for measure in [FleetMeasure::Idle, reason] {
            *self
                .sums
                .entry(measure)
                .or_default()
                .entry(cell)
                .or_default() += ns;
        }
        Some(())
    }

    fn collective_wait(&mut self, row: &[Option<Value>]) -> Option<()> {
        let waits = self.sums.entry(FleetMeasure::CollectiveWait).or_default();
        waits.insert(Self::cell(row)?, whole(row, 2)?);
        Some(())
    }

    fn clocks(&mut self, row: &[Option<Value>]) -> Option<()> {
        self.captures = whole(row, 0)?;
        self.known = whole(row, 1)?;
        self.uncertainty = whole(row, 2);
        Some(())
    }

    /// A row of the bundled question: run, last_rank, times_last, lost_by_others_ns, worst_ns, ts.
    fn straggler(&mut self, row: &[Option<Value>]) -> Option<()> {
        if text(row, 0)? != self.run {
            return None;
        }
        self.stragglers.push(Straggler {
            rank: u32::try_from(whole(row, 1)?).ok()?,
            times_last: u64::try_from(whole(row, 2)?).ok()?,
            lost_by_others: whole(row, 3)?,
            worst: whole(row, 4)?,
            worst_step: None,
            worst_ts: whole(row, 5)?,
        });
        Some(())
    }

    fn finish(mut self) -> FleetPicture {
        let is_clock_shared = self.captures <= 1 || self.known == self.captures;
        if !is_clock_shared {
            self.sums.remove(&FleetMeasure::CollectiveWait);
        }
        let ranks: BTreeSet<u32> = self.steps.keys().map(|it| it.0).collect();
        let steps: BTreeSet<i64> = self.steps.keys().map(|it| it.1).collect();
        let cells = || {
            ranks
                .iter()
                .flat_map(|rank| steps.iter().map(|step| (*rank, *step)))
        };
        let of = |cell: (u32, i64)| self.steps.get(&cell);
        let starts = cells().map(|it| of(it).map(|it| it.0)).collect();
        let times: Vec<Option<i64>> = cells().map(|it| of(it).map(|it| it.1)).collect();
        let grid = |(measure, sums): (FleetMeasure, BTreeMap<(u32, i64), i64>)| {
            // A step without a row has none of it.
            let value = |cell| of(cell).map(|_| sums.get(&cell).copied().unwrap_or(0));
            MeasureGrid {
                measure,
                values: cells().map(value).collect(),
            }
        };
        let step_of = |rank: u32, at: i64| {
            let own = self.steps.range((rank, i64::MIN)..=(rank, i64::MAX));
            let mut found = own.filter(|it| it.1.0 <= at && at < it.1.0 + it.1.1);
            found.next().map(|it| it.0.1)
        };
        let mut stragglers = self.stragglers;
        for straggler in &mut stragglers {
            straggler.worst_step = step_of(straggler.rank, straggler.worst_ts);
        }
        let (rank_list, step_list): (Vec<u32>, Vec<i64>) = (
            ranks.iter().copied().collect(),
            steps.iter().copied().collect(),
        );
        let outliers = outliers(&rank_list, &step_list, &times);
        let mut measures = vec![MeasureGrid {
            measure: FleetMeasure::StepTime,
            values: times,
        }];
        measures.extend(self.sums.into_iter().map(grid));
        measures.retain(|it| it.values.iter().any(Option::is_some));
        FleetPicture {
            ranks: rank_list,
            steps: step_list,
            starts,
            measures,
            stragglers,
            outliers,
            clock_uncertainty: self.uncertainty,
            is_clock_shared,
            ..FleetPicture::default()
        }
    }
}

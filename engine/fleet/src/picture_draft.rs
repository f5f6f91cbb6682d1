//! A picture on its way, from the rows of the answers.

use std::collections::{BTreeMap, BTreeSet};

use record::Value;

use super::outliers::outliers;
use super::picture::{FleetMeasure, FleetPicture, LateRank, MeasureGrid};

/// Places of the questions.
const STEPS_AT: usize = 0;
const IDLE_AT: usize = 1;
const COLLECTIVE_WAIT_AT: usize = 2;
const CLOCKS_AT: usize = 3;
const STRAGGLERS_AT: usize = 4;
const COLLECTIVES_AT: usize = 5;

/// A rank, and the number of a step in its capture.
type StepCell = (u32, i64);

/// A step of a rank.
struct DraftStep {
    name: String,
    start: i64,
    time: i64,
}

/// Rows on their way into a picture.
#[derive(Default)]
pub(crate) struct PictureDraft {
    run: String,
    steps: BTreeMap<StepCell, DraftStep>,
    sums: BTreeMap<FleetMeasure, BTreeMap<StepCell, i64>>,
    stragglers: Vec<LateRank>,
    captures: i64,
    several: i64,
    impossible: i64,
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
    /// Nothing of a run yet.
    pub fn new(run: &str) -> Self {
        Self {
            run: run.to_owned(),
            ..Self::default()
        }
    }

    /// Takes in a row of the answer to one of the questions, by its place.
    pub fn row(&mut self, question: usize, row: &[Option<Value>]) {
        // A row that is not as it was asked for says nothing.
        let _ = match question {
            STEPS_AT => self.step(row),
            IDLE_AT => self.idle(row),
            COLLECTIVE_WAIT_AT => self.collective_wait(row),
            CLOCKS_AT => self.clocks(row),
            STRAGGLERS_AT => self.straggler(row),
            COLLECTIVES_AT => self.collectives(row),
            _ => None,
        };
    }

    fn cell(row: &[Option<Value>]) -> Option<StepCell> {
        Some((u32::try_from(whole(row, 0)?).ok()?, whole(row, 1)?))
    }

    fn step(&mut self, row: &[Option<Value>]) -> Option<()> {
        let step = DraftStep {
            name: text(row, 2).unwrap_or_default().to_owned(),
            start: whole(row, 3)?,
            time: whole(row, 4)?,
        };
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

    fn collectives(&mut self, row: &[Option<Value>]) -> Option<()> {
        self.several = whole(row, 0)?;
        self.impossible = whole(row, 1)?;
        Some(())
    }

    /// A row of the bundled question `stragglers`, in the order of its columns.
    fn straggler(&mut self, row: &[Option<Value>]) -> Option<()> {
        if text(row, 0)? != self.run {
            return None;
        }
        self.stragglers.push(LateRank {
            rank: u32::try_from(whole(row, 1)?).ok()?,
            times_last: u64::try_from(whole(row, 2)?).ok()?,
            lost_by_others: whole(row, 3)?,
            worst: whole(row, 4)?,
            worst_step: None,
            worst_ts: whole(row, 5)?,
        });
        Some(())
    }

    /// The numbers by which steps of ranks are laid side by side: those in their names where every name has one, and no rank has
    /// one twice; else those of the captures, which begin with different steps.
    fn numbers(&self) -> BTreeMap<StepCell, i64> {
        let named = self.steps.iter().map(|(cell, step)| {
            let bare = step.name.trim_end_matches(|it: char| it.is_ascii_digit());
            let number = step.name.get(bare.len()..)?.parse::<i64>().ok()?;
            Some((*cell, number))
        });
        let named: Option<BTreeMap<StepCell, i64>> = named.collect();
        let is_distinct = |named: &BTreeMap<StepCell, i64>| {
            let pairs: BTreeSet<(u32, i64)> = named.iter().map(|it| (it.0.0, *it.1)).collect();
            pairs.len() == named.len()
        };
        let own = || self.steps.keys().map(|it| (*it, it.1)).collect();
        named.filter(is_distinct).unwrap_or_else(own)
    }

    /// The picture of a run that has these ranks, without who answered.
    pub fn finish(mut self, all: &BTreeSet<u32>) -> FleetPicture {
        let is_clock_shared = self.captures <= 1 || self.known == self.captures;
        if !is_clock_shared {
            self.sums.remove(&FleetMeasure::CollectiveWait);
        }
        let numbers = self.numbers();
        let mut ranks: BTreeSet<u32> = self.steps.keys().map(|it| it.0).collect();
        let ranks_with_steps = ranks.len();
        // Where most are not there, their empty rows would hide the others.
        if all.len() <= 2 * ranks_with_steps {
            ranks.extend(all);
        }
        let (ranks, steps): (Vec<u32>, BTreeSet<i64>) = (
            ranks.into_iter().collect(),
            numbers.values().copied().collect(),
        );
        let steps: Vec<i64> = steps.into_iter().collect();
        let place = |cell: &StepCell| {
            let rank = ranks.binary_search(&cell.0).ok()?;
            let step = steps.binary_search(numbers.get(cell)?).ok()?;
            Some(rank * steps.len() + step)
        };
        let grid = |value: &dyn Fn(&StepCell, &DraftStep) -> i64| {
            let mut values = vec![None; ranks.len() * steps.len()];
            for (cell, step) in &self.steps {
                if let Some(slot) = place(cell).and_then(|it| values.get_mut(it)) {
                    *slot = Some(value(cell, step));
                }
            }
            values
        };
        let starts = grid(&|_, step| step.start);
        let times = grid(&|_, step| step.time);
        let outliers = outliers(&ranks, &steps, &times);
        let mut measures = vec![MeasureGrid {
            measure: FleetMeasure::StepTime,
            values: times,
        }];
        measures.extend(self.sums.iter().map(|(measure, sums)| MeasureGrid {
            measure: measure.clone(),
            // A step without a row has none of it.
            values: grid(&|cell, _| sums.get(cell).copied().unwrap_or(0)),
        }));
        measures.retain(|it| it.values.iter().any(Option::is_some));
        let mut stragglers = self.stragglers;
        for straggler in &mut stragglers {
            let own = (straggler.rank, i64::MIN)..=(straggler.rank, i64::MAX);
            let at = straggler.worst_ts;
            let holds = |it: &DraftStep| it.start <= at && at < it.start.saturating_add(it.time);
            let step = self.steps.range(own).find(|it| holds(it.1));
            straggler.worst_step = step.and_then(|it| numbers.get(it.0)).copied();
        }
        FleetPicture {
            ranks,
            ranks_with_steps,
            steps,
            starts,
            measures,
            stragglers,
            outliers,
            captures: self.captures.unsigned_abs(),
            collectives: self.several.unsigned_abs(),
            impossible: self.impossible.unsigned_abs(),
            clock_uncertainty: self.uncertainty,
            is_clock_shared,
            ..FleetPicture::default()
        }
    }
}

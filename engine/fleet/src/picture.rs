//! What the window shows of a run: a value for each rank and step, and who kept the others waiting.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use dataset::RunName;
use query::{SqlLimits, SqlWatch};

use super::engine::FleetEngine;
use super::error::FleetError;
use super::fleet_dataset::FleetDataset;
use super::outliers::StepOutlier;

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

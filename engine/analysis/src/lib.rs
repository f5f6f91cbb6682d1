//! What can be concluded from a capture: findings, figures, and sentences about single spans. Nothing here changes it.
//!
//! ```
//! use analysis::Statistics;
//! use capture::Capture;
//!
//! /// The stream that was busy for the longest time.
//! fn busiest(capture: &Capture) -> Option<&str> {
//!     let statistics = Statistics::of(capture, capture.extent()?);
//!     let lane = statistics.lanes.iter().max_by_key(|it| it.busy)?.lane;
//!     Some(&capture.lane(lane)?.name)
//! }
//!
//! assert_eq!(busiest(&Capture::new()), None, "nothing has run");
//! ```

mod aftermath;
mod background;
pub mod causes;
mod conclusions;
mod costliest;
mod distinct_names;
mod event_history;
mod exposed_copies;
mod function_name;
mod host_bound;
mod host_ranges;
mod inserted_waits;
mod iterations;
mod launch_bound;
mod loss_outcome;
mod measure;
pub mod memory;
mod moved_bytes;
mod needed_order;
mod never_overlapped;
mod over_synchronization;
mod overview;
pub mod pace;
mod promise_chain;
mod races;
mod readiness;
mod redundant;
mod redundant_dependencies;
mod sentence_piece;
mod statistics;
mod straggler;
mod stream_clocks;
#[cfg(test)]
mod tests;
mod thread_totals;
mod unordered_hosts;
mod used_buffers;
mod words;

pub use aftermath::{LossAftermath, LossIndex, is_any_lost};
pub use background::{AnalysisJob, AnalysisResult, analyse};
pub use conclusions::Conclusions;
pub use distinct_names::distinct_names;
pub use event_history::{EventCondition, EventGeneration, EventHistory, event_histories};
pub use function_name::function_name;
pub use host_ranges::{
    CallNode, CallTree, DeviceStretch, HostLevel, HostRange, HostRanges, HostScope,
    RangeProjection, TreeScope, first_host_level, ranges_around_launch, ranges_open_at,
};
pub use iterations::{Iteration, IterationRow, IterationSource, IterationTable, Iterations};
pub use measure::{ElapsedMeasure, measure_of};
pub use moved_bytes::{has_bytes, told_bytes};
pub use overview::{Overview, OverviewLine, OverviewTopic};
pub use promise_chain::{Chain, steps};
pub use readiness::{PipelineReadiness, pipeline_of};
pub use sentence_piece::SentencePiece;
pub use statistics::{
    Durations, LaneUse, OperationKey, Overlap, RoleOverlap, Statistics, StatisticsJob,
};
pub use thread_totals::ThreadTotals;
pub use words::{shorten, shown};

use capture::{Capture, PlacedSpan};
use causes::{CauseReader, Causes};
use record::Finding;
use record::time::Nanos;

/// One question to a capture. It is shown every span that ran, once and by number, and then answers.
pub trait Analysis: Send {
    /// A short stable word: the code of its findings, as scripts and `--deny` write it.
    fn code(&self) -> &'static str;

    /// What it asks, in a few words.
    fn name(&self) -> &'static str;

    /// What it looks for and how it judges, in a sentence.
    fn about(&self) -> &'static str;

    /// Looks at a span.
    fn look(&mut self, capture: &Capture, placed: &PlacedSpan);

    /// Answers from the capture alone, once it has seen every span.
    fn conclude(&mut self, _capture: &Capture) -> Answer {
        Answer::default()
    }

    /// Answers from the graph of causes, once it has seen every span; the default asks the capture alone.
    fn weigh(&mut self, reader: &CauseReader<'_>) -> WeighedAnswer {
        WeighedAnswer {
            answer: self.conclude(reader.capture()),
            savings: Vec::new(),
        }
    }

    /// Looks at every span and answers, in one go. For captures that may be huge, use an [`AnalysisJob`].
    fn run(&mut self, capture: &Capture) -> Vec<Finding> {
        for placed in capture.spans().filter(|it| !it.is_stub()) {
            self.look(capture, &placed);
        }
        let causes = Causes::build(capture);
        self.weigh(&causes.read(capture)).answer.findings
    }
}

/// An answer, and what each of its findings would save at most.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WeighedAnswer {
    /// The answer.
    pub answer: Answer,
    /// For each finding, in their order, what mending it would save at most; nothing where that is not known.
    pub savings: Vec<Nanos>,
}

/// What an analysis found, and what it looked at: no finding is an answer as well.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answer {
    /// What it found.
    pub findings: Vec<Finding>,
    /// What it looked for, and at how much.
    pub looked: String,
    /// Whether it did not look at all, for the reason that it says.
    pub is_skipped: bool,
}

impl Answer {
    /// What was found, and what was looked for.
    pub const fn new(findings: Vec<Finding>, looked: String) -> Self {
        Self {
            findings,
            looked,
            is_skipped: false,
        }
    }

    /// Nothing was looked for, for this reason.
    pub const fn skipped(reason: String) -> Self {
        Self {
            findings: Vec::new(),
            looked: reason,
            is_skipped: true,
        }
    }
}

/// Makes an analysis that has seen nothing.
pub type AnalysisFactory = fn() -> Box<dyn Analysis>;

/// The list of analyses, the worst that they can find first.
pub const ANALYSES: &[AnalysisFactory] = &[
    || Box::new(races::Races),
    || Box::new(unordered_hosts::UnorderedHosts),
    || Box::new(costliest::CostliestWait),
    || Box::new(over_synchronization::OverSynchronization::default()),
    || Box::new(never_overlapped::NeverOverlapped::default()),
    || Box::new(redundant::RedundantWaits::default()),
    || Box::new(inserted_waits::InsertedWaits),
    || Box::new(straggler::Straggler),
    || Box::new(host_bound::HostBound),
    || Box::new(launch_bound::LaunchBound),
    || Box::new(exposed_copies::ExposedCopies),
];

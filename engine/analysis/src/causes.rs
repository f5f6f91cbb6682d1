//! Why each operation began when it did: one graph of what had to come first, and which of it was binding.
//!
//! Every span that counts has two points, its start and its end. What had to come before a point is a candidate cause of
//! it; the binding cause is the one that was complete last. [`Causes`] holds the graph in few bytes a span, without the
//! times, which stay the capture's; a [`CauseReader`] puts both together and answers.

mod arrow;
mod background;
mod binding_cause;
mod binding_chain;
mod blocked_calls;
mod collective;
mod draft;
mod dropped;
mod extra;
mod follow;
mod idle;
mod idle_reason;
mod idle_use;
mod kind;
mod last_arriver;
mod overlap;
mod path;
mod point;
mod program;
mod queue;
mod reader;
mod scheduled;
mod sentence;
mod slack;
mod span_class;
mod split;
mod table;
#[cfg(test)]
mod tests;
mod thread_idle;
mod timetable;
mod unprompted;
mod waits;
mod what_if;

pub use arrow::{DependencyRole, DependencyTimes};
pub use background::CausesJob;
pub use binding_cause::Candidate;
pub use binding_chain::{ChainSegment, WalkLimit};
pub use idle::{IdleGap, IdlePart, IdleTime, LaneIdle, LongestPart};
pub use idle_reason::{IdleReason, ReasonTimes};
pub use idle_use::IdleUse;
pub use kind::{CauseKind, TimeUse};
pub use last_arriver::{CollectiveArrivals, CollectiveMember, LastArriver};
pub use overlap::{COMPARED, LaneOverlap};
pub use path::PathReader;
pub use point::SpanPoint;
pub use reader::{CauseReader, SpanCause};
pub use scheduled::ThreadDelay;
pub use split::TimePart;
pub use table::{CausesTable, CausesTotals, PathOperation, PathUse};
pub use thread_idle::ThreadShare;
pub use waits::WaitCost;
pub use what_if::{WhatIf, WhatIfResult};

use std::collections::BTreeMap;
use std::sync::OnceLock;
use std::sync::atomic::AtomicBool;

use capture::Capture;
use collective::CollectiveGroups;
use extra::ExtraCauses;
use record::time::{CoveredTime, Interval, Nanos};
use record::{LaneId, SpanId};
use slack::Slack;
use span_class::{LaneClass, SpanClass};
use timetable::Timetable;

/// More than this between a cause and its effect is no latency: the capture does not tell what was in between.
pub const CEILING: Nanos = Nanos(100_000);

/// What had to come before each point of a capture's spans: ask it through [`Causes::read`] with the capture that it was built
/// from.
#[derive(Debug, Default)]
pub struct Causes {
    classes: Vec<SpanClass>,
    /// For an operation the call that submitted it, for a call the point before its start.
    firsts: Vec<u32>,
    /// For an operation the one before it on its stream, for a call the point before its end.
    seconds: Vec<u32>,
    extra: ExtraCauses,
    collectives: CollectiveGroups,
    lanes: Vec<LaneClass>,
    /// The number of each lane's stream, as far as the file says it.
    streams: Vec<i64>,
    /// When calls were blocked, by thread.
    blocked: BTreeMap<LaneId, CoveredTime>,
    /// Stubs, which stand for spans that are not in the capture: causes, and nothing that is asked about. In order.
    stubs: Vec<SpanId>,
    /// The spans that end last.
    last: Vec<SpanId>,
    /// By lane, when the last operation began, and the last span that counts.
    latest: Vec<LatestStart>,
    /// How much later each operation could begin, once somebody has asked: most of what a capture comes to needs none of it.
    slack: OnceLock<Slack>,
    /// How long the busiest stream ran nothing, once somebody has asked.
    beside_busiest: OnceLock<Nanos>,
    extent: Interval,
    /// The capture's revision that it was built from.
    revision: u64,
    /// When spans began and ended, while much is asked: the capture knows as well, and takes longer to say.
    times: Option<Timetable>,
}

/// When the last operation of a lane began, and its last span that counts; before all time where there is none.
#[derive(Clone, Copy, Debug)]
struct LatestStart {
    operation: Nanos,
    counting: Nanos,
}

impl LatestStart {
    const NONE: Self = Self {
        operation: Nanos::MIN,
        counting: Nanos::MIN,
    };
}

impl Causes {
    /// Builds the graph in one go. Where somebody waits for a picture, use a [`CausesJob`].
    pub fn build(capture: &Capture) -> Self {
        let mut job = CausesJob::default();
        job.finish_now(capture)
    }

    /// The same, telling how much is done from 0 to 1, until `cancelled` comes true.
    pub fn build_with(
        capture: &Capture,
        cancelled: &AtomicBool,
        progress: impl FnMut(f32),
    ) -> Option<Self> {
        CausesJob::run(capture, cancelled, progress)
    }

    /// Lets go of the times of spans: 20 bytes a span, without which each answer takes several times as long. For a graph that
    /// is kept, once everything at once has been asked.
    pub fn forget_times(&mut self) {
        self.times = None;
    }

    /// Answers with the capture that it was built from.
    pub fn read<'a>(&'a self, capture: &'a Capture) -> CauseReader<'a> {
        CauseReader::new(capture, self)
    }

    /// From the earliest start of a span that counts to the latest end.
    pub fn extent(&self) -> Interval {
        self.extent
    }

    /// The capture's revision that it was built from: with another one, it has to be built again.
    pub fn revision(&self) -> u64 {
        self.revision
    }

    /// Bytes held on the heap.
    pub fn heap_bytes(&self) -> usize {
        let columns = self.classes.capacity()
            + (self.firsts.capacity() + self.seconds.capacity()) * 4
            + self.latest.capacity() * size_of::<LatestStart>()
            + self.slack.get().map_or(0, Slack::heap_bytes);
        let calls: usize = self.blocked.values().map(CoveredTime::heap_bytes).sum();
        let times = self.times.as_ref().map_or(0, Timetable::heap_bytes);
        columns + calls + times + self.extra.heap_bytes() + self.collectives.heap_bytes()
    }

    /// Whether a span stands for one that is not in the capture.
    fn is_stub(&self, span: SpanId) -> bool {
        self.stubs.binary_search(&span).is_ok()
    }

    /// What a span counts as.
    fn class(&self, span: SpanId) -> SpanClass {
        self.classes.get(span.index()).copied().unwrap_or_default()
    }
}

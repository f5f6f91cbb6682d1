//! Calls that block: what such a call made begins when that is over, and when threads were blocked.

use std::collections::{BTreeMap, BTreeSet};

use super::Causes;
use super::binding_cause::Candidate;
use super::kind::CauseKind;
use super::point::SpanPoint;
use super::span_class::SpanClass;
use super::timetable::{SpanTimes as _, Timetable};
use super::unprompted::CauseEdge;
use record::time::{CoveredTime, Interval, Nanos};
use record::{CallId, LaneId, SpanId};

/// Blocking calls, and what was made by calls, of a run that tells which call made what.
#[derive(Debug, Default)]
pub(super) struct BlockingCalls {
    blocking: Vec<(u32, u32)>,
    made: Vec<(u32, u32)>,
}

impl BlockingCalls {
    /// A host thread was blocked within a call: by back-pressure, or until a slot was free.
    pub fn add_blocking(&mut self, call: CallId, span: SpanId) {
        self.blocking.push((call.0, span.0));
    }

    /// A call made an operation.
    pub fn add_made(&mut self, call: CallId, span: SpanId) {
        self.made.push((call.0, span.0));
    }

    /// For everything that a call made once it was no longer blocked, the end of that. What waited for a pipeline has that as
    /// its cause, and needs no call in between. A call that itself submitted an operation may have waited for that and not the
    /// other way round: `launches` says what submitted each span.
    pub fn causes(
        mut self,
        times: &Timetable,
        known: &[CauseEdge],
        launches: &[u32],
    ) -> Vec<CauseEdge> {
        self.blocking.sort_unstable();
        let pipelines = known.iter().filter(|it| it.2 == CauseKind::Pipeline);
        let pipelines: BTreeSet<SpanPoint> = pipelines.map(|it| it.0).collect();
        let mut found = Vec::new();
        for (call, span) in self.made {
            let to = SpanPoint::start(SpanId(span));
            let from = self.blocking.partition_point(|it| it.0 < call);
            let of_call = self.blocking.iter().skip(from);
            let of_call = of_call.take_while(|it| it.0 == call && !pipelines.contains(&to));
            let launch = launches.get(span as usize).copied();
            let over =
                of_call.filter(|it| times.end(it.1) <= times.start(span) && Some(it.1) != launch);
            found.extend(over.map(|it| (to, SpanPoint::end(SpanId(it.1)), CauseKind::Sync)));
        }
        found
    }
}

/// Finds the blocking calls that something held, or that took longer than is known why.
pub(super) fn find_blocked(causes: &mut Causes, times: &Timetable) {
    let mut blocked: BTreeMap<LaneId, Vec<Interval>> = BTreeMap::new();
    for span in 0..causes.classes.len() as u32 {
        let class = causes.class(SpanId(span));
        if !class.is_call() || !class.has(SpanClass::BLOCKING) {
            continue;
        }
        let end = SpanPoint::end(SpanId(span));
        let binding = causes.binding(times, end);
        let held = binding.is_none_or(|it| it.kind != CauseKind::Program);
        let unknown = |it: Candidate| causes.is_unknown(end, it.kind, times.time(end) - it.at);
        let is_unknown = binding.is_some_and(unknown);
        let start = times.start(span);
        let blocks = |it: Candidate| it.at.0 > start || it.kind == CauseKind::Limit;
        if held && binding.is_some_and(blocks) {
            let interval = Interval {
                start: Nanos(start),
                end: times.time(end),
            };
            let of_thread = blocked.entry(times.lane_of(SpanId(span)));
            of_thread.or_default().push(interval);
        }
        if (held || is_unknown)
            && let Some(class) = causes.classes.get_mut(span as usize)
        {
            class.mark(SpanClass::BLOCKED);
        }
    }
    let all = blocked.into_iter();
    causes.blocked = all
        .map(|(thread, calls)| (thread, CoveredTime::new(calls)))
        .collect();
}

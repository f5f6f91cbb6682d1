//! Calls that block before they submit anything: what such a call made begins when that is over.

use std::collections::BTreeSet;

use super::kind::CauseKind;
use super::point::SpanPoint;
use super::timetable::Timetable;
use record::{CallId, SpanId};

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
    /// its cause, and needs no call in between.
    pub fn causes(
        mut self,
        times: &Timetable,
        known: &[(SpanPoint, SpanPoint, CauseKind)],
    ) -> Vec<(SpanPoint, SpanPoint, CauseKind)> {
        self.blocking.sort_unstable();
        let pipelines = known.iter().filter(|it| it.2 == CauseKind::Pipeline);
        let pipelines: BTreeSet<SpanPoint> = pipelines.map(|it| it.0).collect();
        let mut found = Vec::new();
        for (call, span) in self.made {
            let to = SpanPoint::start(SpanId(span));
            let from = self.blocking.partition_point(|it| it.0 < call);
            let of_call = self.blocking.iter().skip(from);
            let of_call = of_call.take_while(|it| it.0 == call && !pipelines.contains(&to));
            let over = of_call.filter(|it| times.end(it.1) <= times.start(span));
            found.extend(over.map(|it| (to, SpanPoint::end(SpanId(it.1)), CauseKind::Sync)));
        }
        found
    }
}

//! Waits for operations that never ran: what let them go is what ended before those on their stream, or the call that dropped
//! them.

use record::time::TOLERANCE;
use std::collections::BTreeMap;

use super::kind::CauseKind;
use super::point::SpanPoint;
use super::timetable::Timetable;
use super::unprompted::CauseEdge;
use record::{Dependency, LaneId, SpanId};

/// Waits for operations that never ran.
#[derive(Debug, Default)]
pub(super) struct DroppedWaits {
    /// By the lane of what was waited for: that and the wait.
    waits: BTreeMap<LaneId, Vec<Dependency>>,
    /// The call that dropped an operation.
    aborts: BTreeMap<SpanId, SpanId>,
}

impl DroppedWaits {
    /// A call dropped an operation.
    pub fn add_abort(&mut self, found: &Dependency) {
        self.aborts.insert(found.effect, found.cause);
    }

    /// Something waited for an operation of a lane that never ran.
    pub fn add_wait(&mut self, lane: LaneId, found: &Dependency) {
        self.waits.entry(lane).or_default().push(*found);
    }

    /// What these waits came after: the last operation before each on its stream, of `spans`, which are in order, and the
    /// call that dropped it.
    pub fn causes(&mut self, lane: LaneId, spans: &[u32], times: &Timetable) -> Vec<CauseEdge> {
        let waits = self.waits.remove(&lane).unwrap_or_default();
        let mut made = Vec::new();
        for found in waits {
            let Some(kind) = CauseKind::of(found.kind) else {
                continue;
            };
            let to = SpanPoint::end(found.effect);
            if let Some(abort) = self.aborts.get(&found.cause) {
                made.push((to, SpanPoint::start(*abort), CauseKind::Abort));
            }
            let never = times.end(found.cause.0).saturating_add(TOLERANCE.0);
            let mut before = spans.iter().rev();
            if let Some(before) = before.find(|it| times.end(**it) <= never) {
                made.push((to, SpanPoint::end(SpanId(*before)), kind));
            }
        }
        made
    }
}

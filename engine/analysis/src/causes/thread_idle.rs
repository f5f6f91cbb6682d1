//! What host threads and engines did of a stretch of time, by the rule of streams, and what a thread did meanwhile.

use std::collections::BTreeMap;

use super::idle::{IdleSums, LaneIdle};
use super::idle_reason::IdleReason;
use super::idle_use::IdleUse;
use super::kind::TimeUse;
use super::point::SpanPoint;
use super::reader::CauseReader;
use super::span_class::{LaneClass, SpanClass};
use record::time::{Interval, Nanos};
use record::{LaneId, NameId, SpanId};

/// What a host thread spent part of a stretch of time in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ThreadShare {
    /// The calls of this name, those within them apart; none for the time outside of all.
    pub name: Option<NameId>,
    /// The one that took longest.
    pub span: Option<SpanId>,
    /// How long, all together.
    pub time: Nanos,
}

impl CauseReader<'_> {
    /// The lanes of this sort that have anything that counts, in the order in which they are drawn.
    fn lanes_of(&self, class: LaneClass) -> Vec<LaneId> {
        let all = Interval {
            start: Nanos::MIN,
            end: Nanos::MAX,
        };
        let counts = |lane: LaneId| {
            let mut spans = self.capture.spans_in(lane, all);
            spans.any(|it| self.causes.class(it.span.id).counts() && !it.is_stub())
        };
        let mut lanes = self.capture.lane_order();
        lanes.retain(|lane| self.causes.lanes.get(lane.index()) == Some(&class) && counts(*lane));
        lanes
    }

    /// The compile workers and device timelines that did anything.
    pub fn engines(&self) -> Vec<LaneId> {
        self.lanes_of(LaneClass::Engine)
    }

    /// The host threads that made any call.
    pub fn threads(&self) -> Vec<LaneId> {
        self.lanes_of(LaneClass::Thread)
    }

    /// What a host thread did of a stretch: in calls, which is busy; in blocking calls, until what they waited for was
    /// complete, which is a dependency, and after it, which is latency or unknown; in no call, which is host; and after its
    /// last call. Of blocking calls within each other the outer one counts.
    pub fn thread_idle(&self, lane: LaneId, within: Interval) -> LaneIdle {
        let mut sums = IdleSums::new(self, lane, within);
        let (mut covered, mut blocked) = (within.start, Nanos::MIN);
        let mut last = None;
        for ThreadCall {
            start, end, call, ..
        } in self.calls(lane, within)
        {
            sums.add(IdleUse::HostLate, sums.inside(covered, start), call);
            sums.add(IdleUse::Busy, sums.inside(start.max(covered), end), call);
            covered = covered.max(end);
            last = Some(call);
            let class = self.causes.class(call);
            if !class.has(SpanClass::BLOCKING) || end <= blocked {
                continue;
            }
            for part in self.inside(call) {
                let from = part.interval.start.max(blocked);
                let time = sums.inside(from, part.interval.end);
                let reason = match (part.what, part.by) {
                    (TimeUse::Blocked, Some(by)) => Some(self.reason(&by, call)),
                    (TimeUse::Return, _) => Some(IdleReason::Release),
                    (TimeUse::Unknown, _) => None,
                    _ => continue,
                };
                sums.take_from_busy(time);
                match reason {
                    Some(reason) => sums.add_reason(reason, time, call),
                    None => sums.add(IdleUse::Unknown, time, call),
                }
            }
            blocked = end;
        }
        if let Some(next) = self.call_after(lane, within.end) {
            sums.add(IdleUse::HostLate, sums.inside(covered, within.end), next);
            covered = within.end;
        }
        sums.finish(covered, last)
    }

    /// A call of a thread that begins at an instant or later, if there is any.
    pub(super) fn call_after(&self, lane: LaneId, time: Nanos) -> Option<SpanId> {
        let after = Interval {
            start: time,
            end: Nanos::MAX,
        };
        let first = |depth: usize| {
            let mut spans = self.capture.spans_of(lane, depth, after);
            spans.find(|it| it.span.start >= time && self.causes.class(it.span.id).is_call())
        };
        let found = (0..self.capture.depth(lane)).filter_map(first);
        found
            .min_by_key(|it| (it.span.start, it.span.id))
            .map(|it| it.span.id)
    }

    /// The calls of a thread in a stretch, by start, those around others first.
    fn calls(&self, lane: LaneId, within: Interval) -> impl Iterator<Item = ThreadCall> {
        let spans = self.capture.spans_by_start(lane, within);
        let spans = spans.filter(|it| self.causes.class(it.span.id).is_call());
        spans.map(|it| ThreadCall {
            start: it.span.start,
            end: it.span.end,
            call: it.span.id,
            name: it.span.name,
        })
    }

    /// What a thread did of a stretch, the most first: calls by name, each without those within it, and the time outside of
    /// all calls. It adds up to the stretch.
    pub fn thread_shares(&self, thread: LaneId, within: Interval) -> Vec<ThreadShare> {
        let mut shares = ShareDraft::default();
        let mut open: Vec<(Nanos, (SpanId, NameId))> = Vec::new();
        let mut at = within.start;
        for it in self.calls(thread, within) {
            while let Some((end, inner)) = open.pop_if(|open| open.0 <= it.start) {
                shares.add(Some(inner), (&mut at, end.min(within.end)));
            }
            let around = open.last().map(|it| it.1);
            shares.add(around, (&mut at, it.start));
            // One that overlaps the call around it without being within it counts until that ends.
            let most = open.last().map_or(within.end, |it| it.0);
            open.push((it.end.min(most), (it.call, it.name)));
        }
        while let Some((end, inner)) = open.pop() {
            shares.add(Some(inner), (&mut at, end.min(within.end)));
        }
        shares.add(None, (&mut at, within.end));
        shares.finish()
    }

    /// What the host thread that submitted an operation did of the time in which its stream waited for that; nothing where
    /// the submission is not known or came first.
    pub fn late_host(&self, next: SpanId, from: Nanos) -> Option<(LaneId, Vec<ThreadShare>)> {
        let call = self.launch(next)?;
        let thread = self.lane(call);
        let until = self.time(SpanPoint::start(call));
        let within = Interval {
            start: from,
            end: until,
        };
        (from < until).then(|| (thread, self.thread_shares(thread, within)))
    }
}

/// A call of a host thread.
#[derive(Clone, Copy, Debug)]
struct ThreadCall {
    start: Nanos,
    end: Nanos,
    call: SpanId,
    name: NameId,
}

/// Shares of a stretch under way.
#[derive(Default)]
struct ShareDraft(BTreeMap<Option<NameId>, (Nanos, Nanos, Option<SpanId>)>);

impl ShareDraft {
    /// Adds the time from `at` to `until`, and goes on there.
    fn add(&mut self, call: Option<(SpanId, NameId)>, (at, until): (&mut Nanos, Nanos)) {
        if until <= *at {
            return;
        }
        let time = until - *at;
        *at = until;
        let (call, name) = call.unzip();
        let (sum, longest, span) = self.0.entry(name).or_default();
        *sum += time;
        if time > *longest {
            (*longest, *span) = (time, call);
        }
    }

    fn finish(self) -> Vec<ThreadShare> {
        let shares = self.0.into_iter();
        let mut shares: Vec<ThreadShare> = shares
            .map(|(name, (time, _, span))| ThreadShare { name, span, time })
            .collect();
        shares.sort_by_key(|it| (std::cmp::Reverse(it.time), it.name));
        shares
    }
}

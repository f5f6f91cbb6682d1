//! What each stream did of a stretch of time: busy, or idle for a reason. Every nanosecond is in one of the sums.

use super::binding_cause::Candidate;
use super::idle_reason::{IdleReason, ReasonTimes};
use super::idle_use::IdleUse;
use super::kind::{CauseKind, TimeUse};
use super::last_arriver::CollectiveMember;
use super::point::SpanPoint;
use super::reader::CauseReader;
use super::{LaneClass, SpanClass};
use record::time::{Interval, Nanos, union};
use record::{LaneId, SpanId, SpanKind};

/// What a stream did of a stretch of time. All but the last add up to it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct IdleTime {
    /// An operation ran.
    pub busy: Nanos,
    /// It was empty, and the next operation had not been submitted.
    pub host: Nanos,
    /// The same, while the thread that submitted it was in a blocking call that blocked.
    pub host_sync: Nanos,
    /// The next operation was submitted and waited for another stream.
    pub dependency: Nanos,
    /// The next operation was free to run: what a start takes.
    pub latency: Nanos,
    /// The capture does not tell what held the next operation back.
    pub unknown: Nanos,
    /// It had nothing more to do.
    pub after: Nanos,
    /// Of the busy time: parts of collective operations that had begun and waited for the last one.
    pub rank_wait: Nanos,
}

impl IdleTime {
    /// All of it together, which is the length of the stretch.
    pub fn total(&self) -> Nanos {
        self.busy
            + self.host
            + self.host_sync
            + self.dependency
            + self.latency
            + self.unknown
            + self.after
    }

    /// Adds what another stream did.
    pub fn add(&mut self, other: &Self) {
        for what in IdleUse::ALL {
            *what.slot(self) += what.of(other);
        }
    }
}

/// The longest single part of a use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct LongestPart {
    /// How long it is.
    pub time: Nanos,
    /// The operation that ran, or was next, or the call.
    pub span: SpanId,
    /// Whether the part lies in that, as the time of a wait does; it lies before it otherwise.
    pub is_inside: bool,
}

/// A lane's sums, and for each use the operation at which the longest part of it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LaneIdle {
    /// The stream, the engine or the host thread.
    pub lane: LaneId,
    /// The sums.
    pub time: IdleTime,
    /// By use, in the order of [`IdleUse::ALL`]: the longest single part.
    pub longest: [Option<LongestPart>; 8],
    /// What it waited for, and what latency came after: these split the two sums.
    pub reasons: ReasonTimes,
    /// Of the waits for other ranks how long was for whom, in order.
    pub ranks: Vec<(CollectiveMember, Nanos)>,
}

impl LaneIdle {
    fn add(&mut self, what: IdleUse, part: LongestPart) {
        *what.slot(&mut self.time) += part.time;
        if let Some(longest) = self.longest.get_mut(what as usize)
            && part.time > longest.map_or(Nanos::ZERO, |it| it.time)
        {
            *longest = Some(part);
        }
    }

    /// The longest single part of a use.
    pub fn longest_of(&self, what: IdleUse) -> Option<LongestPart> {
        self.longest.get(what as usize).copied().flatten()
    }
}

/// A part of the time in which a stream ran nothing, spent in one way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IdlePart {
    /// From when to when.
    pub interval: Interval,
    /// In which way; never busy.
    pub what: IdleUse,
    /// The operation before it on the stream; nothing before the first.
    pub before: Option<SpanId>,
    /// The operation that was next, or the wait of the stream itself; nothing after the last.
    pub next: Option<SpanId>,
}

/// A lane's sums under way, within a stretch.
pub(super) struct IdleSums<'a, 'b> {
    reader: &'a CauseReader<'b>,
    within: Interval,
    sums: LaneIdle,
    /// Where each part lies, for whoever asks for more than sums.
    parts: Option<Vec<IdlePart>>,
    /// The operation that ended last so far.
    before: Option<SpanId>,
    /// When operations ran, in order: what waits beside them waits while the stream is busy.
    ran: Vec<Interval>,
    /// Whether what is added lies before the operation that it is said of.
    is_gap: bool,
}

impl CauseReader<'_> {
    /// What a stream did from the start of a stretch of time to its end.
    pub fn idle(&self, lane: LaneId, within: Interval) -> IdleTime {
        self.lane_idle(lane, within).time
    }

    /// The same, and where the longest part of each sum is.
    pub fn lane_idle(&self, lane: LaneId, within: Interval) -> LaneIdle {
        self.idle_of(IdleSums::new(self, lane, within)).0
    }

    /// Where a stream ran nothing from the start of a stretch of time to its end, part by part in order of time. By use they
    /// add up to the sums of [`CauseReader::idle`].
    pub fn idle_parts(&self, lane: LaneId, within: Interval) -> Vec<IdlePart> {
        let mut sums = IdleSums::new(self, lane, within);
        sums.parts = Some(Vec::new());
        self.idle_of(sums).1.unwrap_or_default()
    }

    fn idle_of(&self, mut sums: IdleSums<'_, '_>) -> (LaneIdle, Option<Vec<IdlePart>>) {
        let (lane, within) = (sums.sums.lane, sums.within);
        let mut last = None;
        let mut cursor = within.start;
        let operations = self.operations_until(lane, within);
        sums.ran = self.beside_waits(lane, &operations);
        // Where what ran so far has ended.
        let mut ran = within.start;
        for span in operations {
            let interval = self.interval(span);
            if interval.start > cursor {
                sums.is_gap = true;
                sums.gap(cursor, span);
                sums.is_gap = false;
            }
            let begins = interval.start.max(cursor);
            if self.capture.has_nodes(span) {
                // Its nodes come after it.
                cursor = begins;
                continue;
            }
            if self.causes.class(span).is_wait() {
                sums.wait(begins, span);
            } else {
                let from = if sums.ran.is_empty() {
                    begins
                } else {
                    interval.start.max(ran)
                };
                let busy = sums.inside(from, interval.end);
                ran = ran.max(interval.end);
                sums.add(IdleUse::Busy, busy, span);
                if self.causes.class(span).has(SpanClass::MEMBER) {
                    sums.ranks(span);
                }
            }
            cursor = cursor.max(interval.end);
            last = Some(span);
            sums.before = last;
        }
        sums.note(IdleUse::After, (cursor, within.end), None);
        let parts = sums.parts.take();
        (sums.finish(cursor, last), parts)
    }

    fn interval(&self, span: SpanId) -> Interval {
        Interval {
            start: self.time(SpanPoint::start(span)),
            end: self.time(SpanPoint::end(span)),
        }
    }

    /// When operations of a stream ran on which something waited at the same time; nothing where no spans overlap.
    fn beside_waits(&self, lane: LaneId, operations: &[SpanId]) -> Vec<Interval> {
        let is_wait = |it: &&SpanId| self.causes.class(**it).is_wait();
        if self.capture.depth(lane) < 2 || !operations.iter().any(|it| is_wait(&it)) {
            return Vec::new();
        }
        let ran = operations.iter().filter(|it| !is_wait(it));
        let ran = ran.filter(|it| !self.capture.has_nodes(**it));
        union(ran.map(|it| self.interval(*it)).collect())
    }

    /// The operations of a stream in a stretch, by start and end, and the first after it: what comes next is what an idle
    /// stream waits for.
    fn operations_until(&self, lane: LaneId, within: Interval) -> Vec<SpanId> {
        let counts = |span: &SpanId| self.causes.class(*span).is_operation();
        let mut found: Vec<(Nanos, Nanos, SpanId)> = Vec::new();
        for placed in self.capture.spans_in(lane, within) {
            if counts(&placed.span.id) {
                found.push((placed.span.start, placed.span.end, placed.span.id));
            }
        }
        found.sort_unstable();
        let after = Interval {
            start: within.end,
            end: Nanos::MAX,
        };
        let first = |depth: usize| {
            let mut spans = self.capture.spans_of(lane, depth, after);
            spans.find(|it| it.span.start >= within.end && counts(&it.span.id))
        };
        let next = (0..self.capture.depth(lane)).filter_map(first);
        let next = next.min_by_key(|it| (it.span.start, it.span.end, it.span.id));
        let spans = found.into_iter().map(|it| it.2);
        spans.chain(next.map(|it| it.span.id)).collect()
    }

    /// When of a stretch of time a thread was in blocking calls that blocked, in order.
    fn blocking_calls(&self, thread: LaneId, (start, end): (Nanos, Nanos)) -> Vec<Interval> {
        let within = Interval { start, end };
        let is_held = |call: SpanId| {
            let began = self.time(SpanPoint::start(call));
            let binding = self.binding(SpanPoint::end(call));
            let holds = |it: Candidate| it.at > began || it.kind == CauseKind::Limit;
            binding.is_some_and(|it| it.kind != CauseKind::Program && holds(it))
        };
        let calls = self.capture.spans_in(thread, within);
        let calls = calls.filter(|it| self.is_blocking(it.span.id) && is_held(it.span.id));
        union(
            calls
                .filter_map(|it| it.interval().intersection(within))
                .collect(),
        )
    }

    /// How long a thread was in blocking calls that blocked, of a stretch of time.
    pub fn blocked(&self, thread: LaneId, from: Nanos, to: Nanos) -> Nanos {
        let calls = self.causes.blocked.get(&thread);
        calls.map_or(Nanos::ZERO, |it| it.within(from, to))
    }
}

impl<'a, 'b> IdleSums<'a, 'b> {
    pub fn new(reader: &'a CauseReader<'b>, lane: LaneId, within: Interval) -> Self {
        Self {
            reader,
            within,
            sums: LaneIdle {
                lane,
                time: IdleTime::default(),
                longest: [None; 8],
                reasons: ReasonTimes::default(),
                ranks: Vec::new(),
            },
            parts: None,
            before: None,
            ran: Vec::new(),
            is_gap: false,
        }
    }

    /// How much of a stretch lies in the one that is asked for.
    pub fn inside(&self, from: Nanos, to: Nanos) -> Nanos {
        (to.min(self.within.end) - from.max(self.within.start)).max(Nanos::ZERO)
    }

    pub fn add(&mut self, what: IdleUse, time: Nanos, span: SpanId) {
        let of_host = matches!(what, IdleUse::HostLate | IdleUse::HostBlocked);
        let part = LongestPart {
            time,
            span,
            is_inside: !self.is_gap && !of_host,
        };
        self.sums.add(what, part);
    }

    pub fn add_reason(&mut self, reason: IdleReason, time: Nanos, at: SpanId) {
        self.add(reason.sum(), time, at);
        self.sums.reasons.add(reason, time, at);
    }

    /// So much of what counted as busy was none.
    pub fn take_from_busy(&mut self, time: Nanos) {
        self.sums.time.busy = self.sums.time.busy - time;
    }

    /// The sums, after the last operation.
    pub fn finish(mut self, from: Nanos, last: Option<SpanId>) -> LaneIdle {
        let after = self.inside(from, self.within.end);
        match last {
            Some(last) => self.add(IdleUse::After, after, last),
            None => self.sums.time.after += after,
        }
        self.sums
    }

    /// Remembers where a part lies, as far as that is within the stretch.
    fn note(&mut self, what: IdleUse, (from, to): (Nanos, Nanos), next: Option<SpanId>) {
        let interval = Interval {
            start: from.max(self.within.start),
            end: to.min(self.within.end),
        };
        let before = self.before;
        if let Some(parts) = self
            .parts
            .as_mut()
            .filter(|_| interval.start < interval.end)
        {
            parts.push(IdlePart {
                interval,
                what,
                before,
                next,
            });
        }
    }

    /// A part of an operation's wait, or of a wait that is a span.
    fn part(
        &mut self,
        (what, reason): (TimeUse, IdleReason),
        (from, to): (Nanos, Nanos),
        at: SpanId,
    ) {
        let first = self.ran.partition_point(|it| it.end <= from);
        let beside = self.ran.iter().skip(first);
        let beside: Vec<Interval> = beside.take_while(|it| it.start < to).copied().collect();
        let mut from = from;
        for ran in beside {
            self.idle_part((what, reason), (from, ran.start), at);
            from = ran.end;
        }
        self.idle_part((what, reason), (from, to), at);
    }

    /// A part of it in which nothing ran.
    fn idle_part(
        &mut self,
        (what, reason): (TimeUse, IdleReason),
        (from, to): (Nanos, Nanos),
        at: SpanId,
    ) {
        let time = self.inside(from, to);
        let sum = match what {
            _ if time == Nanos::ZERO => return,
            TimeUse::Unknown => {
                self.add(IdleUse::Unknown, time, at);
                IdleUse::Unknown
            }
            _ => {
                self.add_reason(reason, time, at);
                reason.sum()
            }
        };
        self.note(sum, (from, to), Some(at));
    }

    /// How long a part of a collective operation waited for the last one, and whose that was.
    fn ranks(&mut self, span: SpanId) {
        let reader = self.reader;
        let inside = reader.inside(span);
        for part in inside.iter().filter(|it| it.what == TimeUse::Blocked) {
            let held = self.inside(part.interval.start, part.interval.end);
            self.add(IdleUse::OtherRanks, held, span);
            let Some(by) = part.by.filter(|_| held > Nanos::ZERO) else {
                continue;
            };
            let member = reader.party(reader.lane(by.span()));
            let ranks = &mut self.sums.ranks;
            match ranks.binary_search_by_key(&member, |it| it.0) {
                Ok(place) => {
                    if let Some(known) = ranks.get_mut(place) {
                        known.1 += held;
                    }
                }
                Err(place) => ranks.insert(place, (member, held)),
            }
        }
    }

    /// The parts of a wait that is a span of the stream: it is no work.
    fn wait(&mut self, from: Nanos, span: SpanId) {
        let placed = self.reader.capture.span(span);
        let is_stall = placed.is_some_and(|it| it.span.kind == SpanKind::Stall);
        for part in self.reader.inside(span) {
            let stretch = (part.interval.start.max(from), part.interval.end);
            let reason = match (part.what, part.by) {
                (TimeUse::Blocked, _) if is_stall => IdleReason::Pipeline,
                (TimeUse::Blocked, Some(by)) => self.reader.reason(&by, span),
                _ => IdleReason::Release,
            };
            self.part((part.what, reason), stretch, span);
        }
    }

    /// From when the stream was idle to the start of its next operation.
    fn gap(&mut self, from: Nanos, span: SpanId) {
        let reader = self.reader;
        let start = reader.time(SpanPoint::start(span));
        let mut launch = None;
        reader.candidates(SpanPoint::start(span), |it| {
            if it.kind == CauseKind::Launch {
                launch = Some(it.point);
            }
        });
        let Some(launch) = launch else {
            return self.gap_without_launch(from, start, span);
        };
        let enqueued = reader.time(launch).max(from).min(start);
        if reader.is_operation(launch.span()) {
            // A function of the host has its stream to wait for, which calls it.
            let before = (TimeUse::Blocked, IdleReason::Other);
            self.part(before, (from, enqueued), span);
        } else {
            self.host(launch.span(), (from, enqueued), span);
        }
        // Where the one before was complete just as it was submitted, that is what it came after.
        let binding = reader.binding(SpanPoint::start(span));
        let mut after = match binding.map(|it| it.kind) {
            Some(CauseKind::Stream) => IdleReason::Next,
            _ => IdleReason::Launch,
        };
        for part in reader.split(span) {
            let stretch = (part.interval.start.max(enqueued), part.interval.end);
            let time = self.inside(stretch.0, stretch.1);
            let reason = match part.by {
                // Of its own stream only a wait that is a span can hold an operation while the stream is idle.
                Some(by) if !by.kind.is_dependency() => IdleReason::Next,
                Some(by) if time > Nanos::ZERO => reader.reason(&by, span),
                Some(_) => IdleReason::Other,
                None => after,
            };
            self.part((part.what, reason), stretch, span);
            after = match reason.sum() {
                IdleUse::Dependency => IdleReason::Release,
                _ => reason,
            };
        }
    }

    /// A stretch in which the host had not submitted the operation, until a call began.
    fn host(&mut self, call: SpanId, (from, to): (Nanos, Nanos), span: SpanId) {
        let (begin, end) = (from.max(self.within.start), to.min(self.within.end));
        if begin < end {
            let thread = self.reader.lane(call);
            let blocked = self.reader.blocked(thread, begin, end);
            self.add(IdleUse::HostBlocked, blocked, span);
            self.add(IdleUse::HostLate, end - begin - blocked, span);
            if self.parts.is_some() {
                self.note_host(thread, (begin, end), span);
            }
        }
    }

    /// Remembers when of a stretch a thread was in blocking calls that blocked, and when not.
    fn note_host(&mut self, thread: LaneId, (begin, end): (Nanos, Nanos), span: SpanId) {
        let mut at = begin;
        for call in self.reader.blocking_calls(thread, (begin, end)) {
            self.note(IdleUse::HostLate, (at, call.start), Some(span));
            self.note(IdleUse::HostBlocked, (call.start, call.end), Some(span));
            at = call.end;
        }
        self.note(IdleUse::HostLate, (at, end), Some(span));
    }

    fn gap_without_launch(&mut self, from: Nanos, start: Nanos, span: SpanId) {
        let point = SpanPoint::start(span);
        let reader = self.reader;
        let binding = reader.binding(point);
        let free = binding.map_or(from, |it| it.at.max(from).min(start));
        let lane = reader.causes.lanes.get(self.sums.lane.index());
        let is_engine = lane == Some(&LaneClass::Engine);
        let by_call = |it: &Candidate| is_engine && reader.causes.class(it.span()).is_call();
        match binding.filter(|it| CauseReader::is_dependency(it.kind)) {
            // It came from outside of the run: before that there was nothing to do.
            Some(by) if by.kind == CauseKind::Limit => {
                let time = self.inside(from, start);
                self.add(IdleUse::HostLate, time, span);
                self.note(IdleUse::HostLate, (from, start), Some(span));
                return;
            }
            // What an engine is given is given by a call: before that there was nothing to do.
            Some(by) if by_call(&by) => self.host(by.span(), (from, free), span),
            Some(by) => {
                let reason = reader.reason(&by, span);
                self.part((TimeUse::Blocked, reason), (from, free), span);
            }
            None => self.part((TimeUse::Unknown, IdleReason::Other), (from, free), span),
        }
        let is_unknown = binding.is_none() || start - free > super::CEILING;
        let (what, reason) = match binding.map(|it| it.kind) {
            _ if is_unknown => (TimeUse::Unknown, IdleReason::Other),
            Some(CauseKind::Stream) => (TimeUse::Latency, IdleReason::Next),
            _ => (TimeUse::Latency, IdleReason::Release),
        };
        self.part((what, reason), (free, start), span);
    }
}

/// A stretch in which a stream ran nothing, and what it was spent on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IdleGap {
    /// From the end of an operation to the start of the next.
    pub interval: Interval,
    /// The operation that was next; nothing after the last.
    pub next: Option<SpanId>,
    /// What the time was spent on.
    pub time: IdleTime,
}

impl CauseReader<'_> {
    /// The gap of a stream around an instant at which it ran nothing; nothing where it ran something, is no stream, or an
    /// instant lies outside of the capture.
    pub fn gap_at(&self, lane: LaneId, time: Nanos) -> Option<IdleGap> {
        let all = self.causes.extent;
        let is_stream = self.causes.lanes.get(lane.index()) == Some(&super::LaneClass::Stream);
        if !is_stream || time < all.start || time >= all.end {
            return None;
        }
        let at = Interval {
            start: time,
            end: time + Nanos(1),
        };
        if self
            .capture
            .spans_in(lane, at)
            .any(|it| self.occupies(it.span.id) && it.span.start <= time && time < it.span.end)
        {
            return None;
        }
        let next = self.operations_until(lane, at).last().copied();
        let interval = Interval {
            start: next.map_or(time, |next| self.gap_start(lane, next, time)),
            end: next.map_or(all.end, |it| self.time(SpanPoint::start(it))),
        };
        Some(IdleGap {
            interval,
            next,
            time: self.idle(lane, interval),
        })
    }

    /// When the operation before a gap around `time` ended, after which `next` ran.
    fn gap_start(&self, lane: LaneId, next: SpanId, time: Nanos) -> Nanos {
        let first = self.causes.extent.start;
        let from = Interval {
            start: self.time(SpanPoint::start(next)),
            end: Nanos::MAX,
        };
        let before = |depth: usize| {
            let after = self.capture.spans_of(lane, depth, from).next()?;
            self.capture.previous_span(after.span.id)
        };
        let ends = (0..self.capture.depth(lane)).filter_map(before);
        let ends = ends.map(|it| self.time(SpanPoint::end(it)));
        let near = ends.max().unwrap_or(first).clamp(first, time);
        // A sub-lane on which nothing comes later may hold one that ended still later.
        let since = Interval {
            start: near,
            end: time,
        };
        let since = self.capture.spans_in(lane, since);
        let ends = since.filter(|it| self.occupies(it.span.id));
        let latest = ends.map(|it| it.span.end).max().unwrap_or(near);
        latest.max(near).min(time)
    }
}

//! What if: the same graph timed again with something changed, all that takes time between cause and effect as it was.

use std::collections::BTreeSet;

use super::SpanClass;
use super::kind::CauseKind;
use super::point::SpanPoint;
use super::reader::CauseReader;
use super::timetable::{SpanTimes as _, Timetable, interval_of};
use record::time::{Interval, Nanos};
use record::{NameId, SpanId, SpanKind};

/// What is changed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WhatIf {
    /// Operations of these names take so many times as long.
    pub scale: Vec<(String, f64)>,
    /// Copies take no time.
    pub free_copies: bool,
    /// The start of an operation, and the release of a wait, takes at most this.
    pub latency: Option<Nanos>,
    /// Operations of the second name do not wait for events of operations of the first.
    pub dropped_waits: Vec<(String, String)>,
    /// Operations of these names run on a stream of their own beside their own stream.
    pub own_stream: Vec<String>,
}

/// What the changes come to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WhatIfResult {
    /// From the earliest start to the latest end, with the changes.
    pub makespan: Nanos,
    /// How much shorter that is.
    pub saved: Nanos,
    /// How many waits were left out of the graph.
    pub dropped_waits: usize,
    /// Whether any wait was given a time: whether that would have run out otherwise is not in it.
    pub has_time_limits: bool,
}

/// Stands for a point whose time is not known yet.
const UNKNOWN: i64 = i64::MIN;
/// Stands for one that is being asked for.
const ASKED: i64 = i64::MIN + 1;
/// Stands for no span, and for one that was not looked for.
const NONE: u32 = u32::MAX;
const UNSEEN: u32 = u32::MAX - 1;

/// A forward pass over the graph.
struct Retiming<'a, 'b> {
    reader: &'a CauseReader<'b>,
    change: &'a WhatIf,
    times: Timetable,
    names: Vec<NameId>,
    kinds: Vec<SpanKind>,
    /// The factors of names, dropped pairs and moved names, by number.
    scale: Vec<(NameId, f64)>,
    dropped: Vec<(NameId, NameId)>,
    moved: BTreeSet<NameId>,
    /// For each operation the last before it on its stream that is on either side.
    before: [Vec<u32>; 2],
    new: Vec<i64>,
    /// How many waits were left out.
    left_out: usize,
}

impl CauseReader<'_> {
    /// Times the graph again with changes. It keeps the order of each stream and all latencies: it cannot know what the
    /// machine would have decided otherwise.
    pub fn what_if(&self, change: &WhatIf) -> WhatIfResult {
        let mut pass = Retiming::new(self, change);
        let whole = pass.run();
        let makespan = whole.length();
        WhatIfResult {
            makespan,
            saved: self.causes.extent.length() - makespan,
            dropped_waits: pass.left_out,
            has_time_limits: self.has_limit_after(Nanos::MIN),
        }
    }
}

impl<'a, 'b> Retiming<'a, 'b> {
    fn new(reader: &'a CauseReader<'b>, change: &'a WhatIf) -> Self {
        let spans = reader.causes.classes.len();
        let mut times = Timetable::default();
        let (mut names, mut kinds) = (Vec::with_capacity(spans), Vec::with_capacity(spans));
        for span in 0..spans as u32 {
            let placed = reader.capture.span(SpanId(span));
            names.push(placed.map_or(NameId::NONE, |it| it.span.name));
            kinds.push(placed.map_or(SpanKind::Scope, |it| it.span.kind));
            times.push(placed.map(|it| (interval_of(reader.capture, &it), it.span.lane)));
        }
        let ids_of = |text: &str| -> Vec<NameId> {
            let all = (0..reader.capture.name_count() as u32).map(NameId);
            all.filter(|id| reader.capture.name(*id) == text).collect()
        };
        let scale = change.scale.iter();
        let scale = scale.flat_map(|(name, by)| ids_of(name).into_iter().map(|it| (it, *by)));
        let dropped = change.dropped_waits.iter().flat_map(|(cause, effect)| {
            let effects = ids_of(effect);
            let pairs = ids_of(cause).into_iter();
            pairs.flat_map(move |cause| effects.clone().into_iter().map(move |it| (cause, it)))
        });
        let moved: BTreeSet<NameId> = change.own_stream.iter().flat_map(|it| ids_of(it)).collect();
        let sides = if moved.is_empty() { 0 } else { spans };
        Self {
            scale: scale.collect(),
            dropped: dropped.collect(),
            moved,
            before: [vec![UNSEEN; sides], vec![UNSEEN; sides]],
            new: vec![UNKNOWN; spans * 2],
            left_out: 0,
            reader,
            change,
            times,
            names,
            kinds,
        }
    }

    fn name(&self, span: SpanId) -> NameId {
        self.names.get(span.index()).copied().unwrap_or_default()
    }

    /// Whether an operation runs on the stream beside its own.
    fn is_moved(&self, span: u32) -> bool {
        self.moved.contains(&self.name(SpanId(span)))
    }

    /// The last operation before one on its stream that is on a side.
    fn last_before(&mut self, span: u32, moved: bool) -> Option<u32> {
        let before = |of: u32| {
            let seconds = &self.reader.causes.seconds;
            seconds.get(of as usize).copied().filter(|it| *it != NONE)
        };
        let mut passed = Vec::new();
        let (mut at, mut found) = (span, NONE);
        loop {
            let known = self.before.get(usize::from(moved));
            let known = known.and_then(|it| it.get(at as usize)).copied();
            if let Some(known) = known.filter(|it| *it != UNSEEN) {
                found = known;
                break;
            }
            passed.push(at);
            let Some(next) = before(at) else { break };
            if self.is_moved(next) == moved {
                found = next;
                break;
            }
            at = next;
        }
        if let Some(column) = self.before.get_mut(usize::from(moved)) {
            for of in passed {
                if let Some(slot) = column.get_mut(of as usize) {
                    *slot = found;
                }
            }
        }
        Some(found).filter(|it| *it != NONE)
    }

    /// The points that a point comes after, with how far each is behind, and what takes time from the last of them to it.
    fn edges(&mut self, point: SpanPoint) -> (Vec<(SpanPoint, i64)>, i64) {
        let (causes, span) = (self.reader.causes, point.span());
        let mut edges = Vec::new();
        let mut found = Vec::new();
        causes.candidates(&self.times, point, &mut |it| {
            if it.kind != CauseKind::Collective {
                found.push(it);
            }
        });
        for it in found {
            let cause = it.span();
            // An operation waits before it starts; a wait that is a span of its own, until it ends.
            let can_wait = !point.is_end() || causes.class(span).is_wait();
            let pair = (self.name(cause), self.name(span));
            if it.kind == CauseKind::Event && can_wait && self.dropped.contains(&pair) {
                self.left_out += 1;
                continue;
            }
            let moves = !self.moved.is_empty();
            if moves && it.kind == CauseKind::Stream {
                let side = self.is_moved(span.0);
                let before = self.last_before(span.0, side);
                edges.extend(before.map(|it| self.edge(SpanPoint::end(SpanId(it)), point)));
                continue;
            }
            edges.push((it.point, it.back.0));
            let waits = matches!(it.kind, CauseKind::Sync | CauseKind::Event);
            if moves && waits && causes.class(cause).is_operation() && it.point.is_end() {
                let side = self.is_moved(cause.0);
                let other = self.last_before(cause.0, !side);
                edges.extend(other.map(|it| self.edge(SpanPoint::end(SpanId(it)), point)));
            }
        }
        if point.is_end() && causes.class(span).has(SpanClass::MEMBER) {
            let group = causes.collectives.of(span);
            for other in group.into_iter().flat_map(|it| it.others(span)) {
                edges.push(self.edge(SpanPoint::start(other), point));
            }
        }
        (edges, self.lag(point))
    }

    fn edge(&self, cause: SpanPoint, effect: SpanPoint) -> (SpanPoint, i64) {
        let back = self.times.time(cause) - self.times.time(effect);
        (cause, back.0.max(0))
    }

    /// What takes time from the binding cause of a point to it, with the changes.
    fn lag(&self, point: SpanPoint) -> i64 {
        let causes = self.reader.causes;
        let Some(binding) = causes.binding(&self.times, point) else {
            return 0;
        };
        let lag = (self.times.time(point) - binding.at).0;
        let class = causes.class(point.span());
        if !class.is_operation() {
            return lag;
        }
        if point.is_end() && !class.is_wait() {
            let kind = self.kinds.get(point.span().index());
            let is_copy = matches!(
                kind,
                Some(SpanKind::Upload | SpanKind::Download | SpanKind::Copy)
            );
            if self.change.free_copies && is_copy {
                return 0;
            }
            let name = self.name(point.span());
            let factor = self.scale.iter().find(|it| it.0 == name);
            return factor.map_or(lag, |it| (lag as f64 * it.1).floor() as i64);
        }
        let is_latency = binding.kind != super::CauseKind::Limit
            && !causes.is_unknown(point, binding.kind, Nanos(lag));
        match self.change.latency {
            Some(most) if is_latency => lag.min(most.0),
            _ => lag,
        }
    }

    /// Times every point, and gives from when to when all of it would run.
    fn run(&mut self) -> Interval {
        let mut whole: Option<Interval> = None;
        for span in 0..self.reader.causes.classes.len() as u32 {
            let span = SpanId(span);
            if !self.reader.causes.class(span).counts() {
                continue;
            }
            let [start, end] = [SpanPoint::start(span), SpanPoint::end(span)];
            let ran = Interval::new(Nanos(self.at(start)), Nanos(self.at(end)));
            whole = Some(whole.map_or(ran, |it| it.union(ran)));
        }
        whole.unwrap_or_default()
    }

    fn known(&self, point: SpanPoint) -> i64 {
        self.new.get(point.index()).copied().unwrap_or(0)
    }

    fn put(&mut self, point: SpanPoint, time: i64) {
        if let Some(slot) = self.new.get_mut(point.index()) {
            *slot = time;
        }
    }

    /// When a point would be: once all that it comes after are known.
    fn at(&mut self, point: SpanPoint) -> i64 {
        let mut open = vec![point];
        while let Some(&top) = open.last() {
            if self.known(top) > ASKED {
                open.pop();
                continue;
            }
            let (edges, lag) = self.edges(top);
            let unknown = edges.iter().map(|it| it.0);
            let missing: Vec<SpanPoint> = unknown.filter(|it| self.known(*it) == UNKNOWN).collect();
            if missing.is_empty() {
                let latest = edges
                    .iter()
                    .map(|(cause, back)| self.bound(*cause, *back))
                    .max();
                let time = latest.map_or(self.times.time(top).0, |it| it.saturating_add(lag));
                self.put(top, time);
                open.pop();
            } else {
                self.put(top, ASKED);
                open.extend(missing);
            }
        }
        self.known(point)
    }

    /// From when on a cause lets its effect go. Where times contradict each other, causes may go in a circle: there the
    /// times of the capture stand.
    fn bound(&self, cause: SpanPoint, back: i64) -> i64 {
        let known = self.known(cause);
        let time = if known == ASKED {
            self.times.time(cause).0
        } else {
            known
        };
        time.saturating_sub(back)
    }
}

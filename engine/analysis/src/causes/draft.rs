//! The graph in the making: what was read of a capture, in columns that another thread can order.

use std::sync::atomic::{AtomicBool, Ordering};

use super::blocked_calls::{BlockingCalls, find_blocked};
use super::collective::CollectiveGroups;
use super::dropped::DroppedWaits;
use super::extra::ExtraCauses;
use super::kind::CauseKind;
use super::point::{MOST_SPANS, SpanPoint};
use super::queue::{NONE, Predecessor, StreamOrder};
use super::span_class::{LaneClass, SpanClass};
use super::timetable::{SpanTimes as _, Timetable, interval_of};
use super::unprompted::{CauseEdge, UnpromptedSpans};
use super::{Causes, LatestStart, program};
use capture::{Capture, PlacedSpan};
use record::time::{Interval, Nanos, TOLERANCE};
use record::{
    Basis, CallId, Dependency, DependencyId, DependencyKind, LaneId, QUERY_ANSWER, SpanId, SpanKind,
};

/// What was read so far.
#[derive(Debug, Default)]
pub(super) struct CausesDraft {
    lanes: Vec<LaneClass>,
    streams: Vec<i64>,
    classes: Vec<SpanClass>,
    firsts: Vec<u32>,
    times: Timetable,
    /// Lanes on which waits or records are operations.
    has_waits: Vec<bool>,
    /// Stubs, which stand for spans that are not in the capture.
    stubs: Vec<SpanId>,
    /// Graphs that were replayed.
    graphs: Vec<u32>,
    extra: Vec<CauseEdge>,
    /// Steps on host threads, with what each had to come after.
    before_steps: Vec<(u32, SpanPoint)>,
    /// Such steps, with the blocking call within which each settled its promise.
    settled: Vec<(u32, u32)>,
    collectives: Vec<(u32, u32)>,
    /// Calls that blocked before they submitted anything.
    held: BlockingCalls,
    /// Waits for operations that never ran.
    dropped: DroppedWaits,
    /// Waits that nothing let go, and steps that nothing brought about.
    unprompted: UnpromptedSpans,
    /// Of launches whose operations overlap the first one, with each other that began before any had ended.
    roots: Vec<(u32, u32)>,
    revision: u64,
}

impl CausesDraft {
    /// Begins with the lanes of a capture.
    pub fn new(capture: &Capture) -> Self {
        let lanes: Vec<LaneClass> = capture.lanes().iter().map(LaneClass::of).collect();
        let number = |lane: u32| {
            let origin = capture.lane_origin(LaneId(lane));
            origin.and_then(|it| it.number).unwrap_or(i64::from(lane))
        };
        // What is there by now is most of it, mostly, and growing would take twice the room.
        let known = capture.span_ids();
        Self {
            unprompted: UnpromptedSpans::new(capture),
            times: Timetable::with_room(known),
            classes: Vec::with_capacity(known),
            firsts: Vec::with_capacity(known),
            streams: (0..lanes.len() as u32).map(number).collect(),
            has_waits: vec![false; lanes.len()],
            lanes,
            revision: capture.revision(),
            ..Self::default()
        }
    }

    /// How many numbers of spans were read.
    pub fn spans(&self) -> usize {
        self.times.len()
    }

    /// Reads the spans with the next numbers, up to `end`.
    pub fn read_spans(&mut self, capture: &Capture, end: usize) {
        let next = self.times.len() as u32;
        for placed in capture.spans_numbered(next..MOST_SPANS.min(end as u32)) {
            self.leave_out(placed.span.id.index());
            self.read_span(capture, &placed);
        }
        self.leave_out(end);
    }

    /// No span has the numbers up to this one.
    fn leave_out(&mut self, end: usize) {
        while self.times.len() < end {
            self.times.push(None);
            self.classes.push(SpanClass::default());
            self.firsts.push(NONE);
        }
    }

    fn read_span(&mut self, capture: &Capture, placed: &PlacedSpan) {
        let id = placed.span.id;
        let (lane, kind) = (placed.span.lane, placed.span.kind);
        self.times.push(Some((interval_of(capture, placed), lane)));
        let lane_class = self.lanes.get(lane.index()).copied();
        let lane_class = lane_class.unwrap_or(LaneClass::Derived);
        let class = SpanClass::of(lane_class, placed);
        self.classes.push(class);
        self.firsts.push(NONE);
        if matches!(kind, SpanKind::EventWait | SpanKind::EventRecord)
            && class.is_operation()
            && let Some(has_waits) = self.has_waits.get_mut(lane.index())
        {
            *has_waits = true;
        }
        if kind == SpanKind::Stub {
            self.stubs.push(id);
        }
        if kind == SpanKind::Graph && class.is_operation() {
            self.graphs.push(id.0);
        }
        self.note_call(placed.span.call, (id, class));
        self.unprompted.note(capture, placed, (lane_class, class));
    }

    fn note_call(&mut self, call: CallId, (id, class): (SpanId, SpanClass)) {
        if call.is_some() && class.has(SpanClass::BLOCKING) {
            self.held.add_blocking(call, id);
        } else if call.is_some() && class.is_operation() {
            self.held.add_made(call, id);
        }
    }

    fn class(&self, span: SpanId) -> SpanClass {
        self.classes.get(span.index()).copied().unwrap_or_default()
    }

    /// Reads a dependency, after all spans.
    pub fn read_dependency(&mut self, capture: &Capture, id: DependencyId) {
        let Some(found) = capture.dependency(id) else {
            return;
        };
        let (cause, effect) = (self.class(found.cause), self.class(found.effect));
        if found.kind == DependencyKind::Abort {
            if effect.is_wait() {
                let (end, called) = (SpanPoint::end(found.effect), SpanPoint::start(found.cause));
                self.extra.push((end, called, CauseKind::Abort));
            }
            return self.dropped.add_abort(&found);
        }
        if !cause.counts() && (effect.is_call() || effect.is_wait()) && explains(&found, effect) {
            let lane = self.times.lane_of(found.cause);
            if self.lanes.get(lane.index()) == Some(&LaneClass::Stream) {
                self.dropped.add_wait(lane, &found);
            }
            return;
        }
        if !cause.counts() || !effect.counts() || found.cause == found.effect {
            return;
        }
        // What a query saw complete it did not wait for.
        if found.kind == DependencyKind::Synchronization && is_query(capture, found.effect) {
            return;
        }
        match found.kind {
            DependencyKind::Submission if found.basis != Basis::Observed => {
                self.read_launch(&found, effect);
            }
            DependencyKind::Step if self.read_callback(&found) => {}
            _ if !explains(&found, effect) => {}
            DependencyKind::Collective => self.collectives.push((found.cause.0, found.effect.0)),
            kind => {
                if let Some(kind) = CauseKind::of(kind) {
                    self.read_wait(&found, kind, [cause, effect]);
                }
            }
        }
    }

    fn read_launch(&mut self, found: &Dependency, effect: SpanClass) {
        if !effect.is_operation() {
            return;
        }
        let start = self.times.start(found.cause.0);
        if let Some(launch) = self.firsts.get_mut(found.effect.index())
            && (*launch == NONE || self.times.start(*launch) < start)
        {
            *launch = found.cause.0;
        }
    }

    /// Whether a dependency is between a stream's operation and the function that it had a thread call, which begins once
    /// the stream has come to it, and whose end lets a stream go on that stands still for it.
    fn read_callback(&mut self, found: &Dependency) -> bool {
        let is_function = |span: SpanId| {
            let lane = self.times.lane_of(span).index();
            self.lanes.get(lane) == Some(&LaneClass::Thread) && self.class(span).is_operation()
        };
        let ends = (found.cause, found.effect);
        let (stream, function) = match (is_function(ends.0), is_function(ends.1)) {
            (true, false) => (ends.1, ends.0),
            (false, true) => ends,
            _ => return false,
        };
        if !self.class(stream).is_operation() {
            return false;
        }
        if stream == found.effect {
            let (end, complete) = (SpanPoint::end(stream), SpanPoint::end(function));
            self.extra.push((end, complete, CauseKind::Step));
        }
        if let Some(caller) = self.firsts.get_mut(function.index()) {
            *caller = stream.0;
        }
        true
    }

    fn read_wait(&mut self, found: &Dependency, kind: CauseKind, of: [SpanClass; 2]) {
        let [cause, effect] = of;
        let is_own_stream = self.times.lane_of(found.cause) == self.times.lane_of(found.effect);
        // What its own stream orders needs no wait.
        if kind == CauseKind::Event && is_own_stream && !effect.is_wait() {
            return;
        }
        if effect.is_call() {
            if kind == CauseKind::Step && !effect.has(SpanClass::BLOCKING) {
                self.before_steps
                    .push((found.effect.0, SpanPoint::end(found.cause)));
                return;
            }
            let is_step = matches!(kind, CauseKind::Step | CauseKind::Sync);
            if is_step && cause.is_call() && is_own_stream {
                self.settled.push((found.cause.0, found.effect.0));
                return;
            }
            if let Some(class) = self.classes.get_mut(found.effect.index()) {
                class.mark(SpanClass::BLOCKING);
            }
        }
        // A call does what others wait for while it runs; an operation is complete at its end.
        let early = cause.is_call() && matches!(kind, CauseKind::Signal | CauseKind::Step);
        let from = if early {
            SpanPoint::start(found.cause)
        } else {
            SpanPoint::end(found.cause)
        };
        let to = if effect.is_call() || effect.is_wait() {
            SpanPoint::end(found.effect)
        } else {
            SpanPoint::start(found.effect)
        };
        self.extra.push((to, from, kind));
    }

    /// A call that waits for a promise settles it itself, in a step within it: what it waited for is what that step had to
    /// come after.
    fn reach_through_steps(&mut self) {
        self.before_steps.sort_unstable();
        for (step, call) in std::mem::take(&mut self.settled) {
            let from = self.before_steps.partition_point(|it| it.0 < step);
            let earlier = self.before_steps.iter().skip(from);
            let earlier: Vec<SpanPoint> = earlier
                .take_while(|it| it.0 == step)
                .map(|it| it.1)
                .collect();
            let to = SpanPoint::end(SpanId(call));
            if earlier.is_empty() {
                let begun = SpanPoint::start(SpanId(step));
                self.extra.push((to, begun, CauseKind::Step));
                continue;
            }
            let points = earlier.into_iter().map(|it| (to, it, CauseKind::Step));
            self.extra.extend(points);
            if let Some(class) = self.classes.get_mut(step as usize) {
                *class = SpanClass::default();
            }
        }
    }

    /// Orders all that was read; nothing where it was cancelled.
    pub fn finish(mut self, cancelled: &AtomicBool) -> Option<Causes> {
        self.reach_through_steps();
        let held = std::mem::take(&mut self.held);
        let held = held.causes(&self.times, &self.extra, &self.firsts);
        self.extra.extend(held);
        let mut seconds = vec![NONE; self.classes.len()];
        let by_lane = self.spans_by_lane();
        for (lane, mut spans) in by_lane.into_iter().enumerate() {
            if cancelled.load(Ordering::Relaxed) {
                return None;
            }
            self.order_functions(lane, &mut spans, &mut seconds);
            match self.lanes.get(lane) {
                Some(LaneClass::Thread) => {
                    let (firsts, times) = (&mut self.firsts, &self.times);
                    program::points(&mut spans, times, &mut |point, before| {
                        let column = if point.is_end() {
                            &mut seconds
                        } else {
                            &mut *firsts
                        };
                        if let Some(slot) = column.get_mut(point.span().index()) {
                            *slot = before.number();
                        }
                    });
                }
                Some(LaneClass::Stream | LaneClass::Engine) => {
                    self.order_stream(lane, &mut spans, &mut seconds);
                    let more = self
                        .dropped
                        .causes(LaneId(lane as u32), &spans, &self.times);
                    self.extra.extend(more);
                }
                _ => {}
            }
        }
        self.complete(seconds, cancelled)
    }

    /// The numbers of the spans that count, lane by lane.
    fn spans_by_lane(&self) -> Vec<Vec<u32>> {
        let mut counts = vec![0_usize; self.lanes.len()];
        let counted = |it: &(usize, &SpanClass)| it.1.counts();
        let lane = |span: usize| self.times.lane_of(SpanId(span as u32)).index();
        for (span, _) in self.classes.iter().enumerate().filter(counted) {
            if let Some(count) = counts.get_mut(lane(span)) {
                *count += 1;
            }
        }
        let mut lists: Vec<Vec<u32>> = counts.into_iter().map(Vec::with_capacity).collect();
        for (span, _) in self.classes.iter().enumerate().filter(counted) {
            if let Some(list) = lists.get_mut(lane(span)) {
                list.push(span as u32);
            }
        }
        lists
    }

    /// Orders the functions that a host thread called for streams, and takes them from its spans. A thread that did nothing
    /// else is an engine.
    fn order_functions(&mut self, lane: usize, spans: &mut Vec<u32>, seconds: &mut [u32]) {
        if self.lanes.get(lane) != Some(&LaneClass::Thread) {
            return;
        }
        let is_function = |span: &mut u32| self.class(SpanId(*span)).is_operation();
        let mut functions: Vec<u32> = spans.extract_if(.., is_function).collect();
        if functions.is_empty() {
            return;
        }
        if spans.is_empty()
            && let Some(class) = self.lanes.get_mut(lane)
        {
            *class = LaneClass::Engine;
        }
        self.order_stream(lane, &mut functions, seconds);
    }

    fn order_stream(&mut self, lane: usize, spans: &mut Vec<u32>, seconds: &mut [u32]) {
        let has_waits = self.has_waits.get(lane).copied().unwrap_or(false);
        let is_graph = |span: u32| self.graphs.binary_search(&span).is_ok();
        let order = StreamOrder {
            times: &self.times,
            launches: &self.firsts,
            is_graph: &is_graph,
            // Nodes of a graph have edges, and where they do not they came first.
            has_edges: !self.graphs.is_empty(),
        };
        order.sort(spans, has_waits);
        let (classes, roots) = (&mut self.classes, &mut self.roots);
        order.predecessors(spans, &mut |found: Predecessor| {
            if let Some(slot) = seconds.get_mut(found.span as usize) {
                *slot = found.before;
            }
            if found.root != NONE {
                roots.push((found.root, found.span));
            }
            if found.is_branch
                && let Some(class) = classes.get_mut(found.span as usize)
            {
                class.mark(SpanClass::BRANCH);
            }
        });
        self.tie_nodes(spans);
    }

    /// A graph ends once its nodes have.
    fn tie_nodes(&mut self, spans: &[u32]) {
        let is_graph = |span: &u32| self.graphs.binary_search(span).is_ok();
        let mut around: Option<u32> = None;
        let mut by_start: Vec<u32> = Vec::new();
        if !self.graphs.is_empty() && spans.iter().any(is_graph) {
            by_start.extend(spans);
            by_start.sort_by_key(|it| (self.times.start(*it), !is_graph(it), *it));
        }
        for span in by_start {
            if is_graph(&span) {
                around = Some(span);
            } else if let Some(graph) = around
                && self.is_node(span, graph)
            {
                let node = SpanPoint::end(SpanId(span));
                self.extra
                    .push((SpanPoint::end(SpanId(graph)), node, CauseKind::Edge));
            }
        }
    }

    /// Whether a span at or behind the start of a graph is one of its nodes: of the same launch, where that is known. What is of
    /// no length may come right behind the graph.
    fn is_node(&self, span: u32, graph: u32) -> bool {
        let [own, of_graph] = [span, graph].map(|it| self.firsts.get(it as usize).copied());
        let end = self.times.end(graph);
        let is_within = self.times.start(span) < end || own != Some(NONE);
        own == of_graph && is_within && self.times.end(span) <= end
    }

    /// What held the first operation of a graph's launch, a wait of its stream, held the others that began with it too.
    fn share_with_roots(&mut self) {
        self.roots.sort_unstable();
        let mut held: Vec<_> = self.extra.clone();
        held.retain(|it| !it.0.is_end());
        held.sort_unstable();
        for (first, other) in std::mem::take(&mut self.roots) {
            let (first, other) = (
                SpanPoint::start(SpanId(first)),
                SpanPoint::start(SpanId(other)),
            );
            let from = held.partition_point(|it| it.0 < first);
            let causes = held.iter().skip(from).take_while(|it| it.0 == first);
            let time = self.times.time(first).0.saturating_add(TOLERANCE.0);
            let valid = causes.filter(|it| self.times.time(it.1).0 <= time);
            let latest = valid.max_by_key(|it| self.times.time(it.1));
            self.extra.extend(latest.map(|it| (other, it.1, it.2)));
        }
    }

    fn complete(mut self, seconds: Vec<u32>, cancelled: &AtomicBool) -> Option<Causes> {
        if !self.roots.is_empty() {
            self.share_with_roots();
        }
        let columns = (&self.classes[..], &self.firsts[..], &seconds[..]);
        self.unprompted
            .add_to(&mut self.extra, &self.times, columns);
        let extra = ExtraCauses::new(std::mem::take(&mut self.extra));
        let collectives = CollectiveGroups::new(&self.collectives, &self.times);
        for point in extra.points() {
            let flag = if point.is_end() {
                SpanClass::EXTRA_END
            } else {
                SpanClass::EXTRA_START
            };
            if let Some(class) = self.classes.get_mut(point.span().index()) {
                class.mark(flag);
            }
        }
        for member in collectives.members() {
            if let Some(class) = self.classes.get_mut(member.index()) {
                class.mark(SpanClass::MEMBER);
            }
        }
        let mut causes = Causes {
            classes: self.classes,
            firsts: self.firsts,
            seconds,
            extra,
            collectives,
            lanes: self.lanes,
            streams: self.streams,
            stubs: self.stubs,
            revision: self.revision,
            ..Causes::default()
        };
        bound(&mut causes, &self.times);
        find_blocked(&mut causes, &self.times);
        if cancelled.load(Ordering::Relaxed) {
            return None;
        }
        causes.times = Some(self.times);
        Some(causes)
    }
}

/// Whether a call asked what is complete.
fn is_query(capture: &Capture, call: SpanId) -> bool {
    let mut fields = capture.arguments(call);
    fields.any(|(name, _)| name == QUERY_ANSWER)
}

/// Whether a dependency tells why its effect ended no sooner. What a wait was to wait for does, whether or not it lived to
/// see that, and what it happened to wait for as well.
const fn explains(found: &Dependency, effect: SpanClass) -> bool {
    use DependencyKind::{Edge, Engine, Event, Signal, Synchronization};
    let is_asked = matches!(found.basis, Basis::Declared);
    // What a query saw complete blocked nobody: it is no call that waits.
    let is_seen = matches!(found.basis, Basis::Observed) && matches!(found.kind, Synchronization);
    if is_seen && effect.is_call() && !effect.has(SpanClass::BLOCKING) {
        return false;
    }
    match found.basis {
        Basis::Enforced | Basis::Inferred => true,
        // No order that anybody asked for, and one that held it all the same.
        Basis::Observed if matches!(found.kind, Engine) => true,
        // The nodes of a graph wait along its edges, whoever put those in, and until their device is lost.
        Basis::Declared | Basis::Observed if matches!(found.kind, Edge) => true,
        Basis::Declared | Basis::Observed => {
            (effect.is_wait() && is_asked)
                || (effect.is_wait() || effect.is_call())
                    && matches!(found.kind, Event | Signal | Synchronization)
        }
    }
}

/// Finds from when to when spans count, and which end last.
fn bound(causes: &mut Causes, times: &Timetable) {
    let mut extent: Option<Interval> = None;
    let mut last = Vec::new();
    let mut latest = vec![LatestStart::NONE; causes.lanes.len()];
    let spans = causes.classes.iter().enumerate();
    let counted =
        spans.filter(|(span, class)| class.counts() && !causes.is_stub(SpanId(*span as u32)));
    for (span, class) in counted {
        let interval = times.interval(SpanId(span as u32));
        let lane = times.lane_of(SpanId(span as u32));
        if let Some(latest) = latest.get_mut(lane.index()) {
            latest.counting = latest.counting.max(interval.start);
            if class.is_operation() {
                latest.operation = latest.operation.max(interval.start);
            }
        }
        let end = extent.map_or(Nanos::MIN, |it| it.end);
        if interval.end > end {
            last.clear();
        }
        if interval.end >= end {
            last.push(SpanId(span as u32));
        }
        extent = Some(extent.map_or(interval, |it| it.union(interval)));
    }
    causes.extent = extent.unwrap_or_default();
    causes.last = last;
    causes.latest = latest;
}

//! What of a capture is in a piece of it: spans, the dependencies that they have, and stubs where those lead outside.

use std::collections::{BTreeMap, BTreeSet};

use super::PieceRequest;
use super::overlapping_pair;
use super::stub::StubRole;
use capture::{Capture, PlacedSpan};
use record::time::{Interval, Nanos};
use record::{
    Basis, Dependency, DependencyId, DependencyKind, Group, Lane, LaneId, NameId, Role, STUB_KIND,
    SpanId, SpanSet, SpanStart,
};

/// Beyond so many rows of a stream nobody looks for the operations beside a stretch: they overlap, and none is before another.
pub(super) const MOST_ROWS: usize = 256;

/// What is in a piece.
#[derive(Default)]
pub(super) struct PieceSelection {
    /// The spans that are kept whole.
    pub spans: SpanSet,
    pub count: u64,
    /// Operations that had begun and not ended.
    pub running: Vec<SpanStart>,
    /// Spans of which a stub is kept, and what ties it to what is kept.
    pub stubs: BTreeMap<SpanId, StubRole>,
    /// The dependencies that are kept, in order.
    pub dependencies: Vec<DependencyId>,
}

impl PieceSelection {
    /// Finds what a request asks for.
    pub fn new(capture: &Capture, request: &PieceRequest) -> Self {
        let mut found = Self::default();
        let stretch = request.stretch(capture);
        let mut used = BTreeSet::new();
        for placed in spans(capture, request) {
            found.spans.insert(placed.span.id);
            found.count += 1;
            used.insert(placed.span.lane);
        }
        let is_kept =
            |began: &&SpanStart| began.start < stretch.end && is_wanted(request, began.lane);
        found.running = capture.open().filter(is_kept).copied().collect();
        if found.is_empty() {
            return found;
        }
        let mut beside = BTreeMap::new();
        if request.within.is_some() {
            let is_piece = is_piece(capture);
            let lanes = used.iter().filter_map(|it| capture.lane(*it));
            for lane in lanes.filter(|it| is_stream(it)) {
                found.find_neighbours(capture, lane.id, stretch, &mut beside);
                if is_piece {
                    found.add_stubs(capture, lane.id, &mut beside);
                }
            }
        }
        found.find_cut_launches(capture, &mut beside);
        found.find_dependencies(capture, request, &beside);
        found
    }

    /// Whether nothing is.
    pub fn is_empty(&self) -> bool {
        self.count == 0 && self.running.is_empty()
    }

    /// Whether a span is in it, whole or as one that runs.
    pub fn contains(&self, span: SpanId) -> bool {
        let runs = || self.running.binary_search_by_key(&span, |it| it.id).is_ok();
        self.spans.contains(span) || runs()
    }

    /// Whether a span is in it, be it as a stub.
    pub fn has(&self, span: SpanId) -> bool {
        self.contains(span) || self.stubs.contains_key(&span)
    }

    /// The operations right before and after the stretch on a stream; before it the last to end and the last to begin, since
    /// where those are two nothing tells which of them the next one came after. What holds the one after belongs to the piece as well:
    /// the stream is idle until then. Of the one before the submission does, by which streams are put in order.
    fn find_neighbours(
        &mut self,
        capture: &Capture,
        lane: LaneId,
        stretch: Interval,
        beside: &mut BTreeMap<SpanId, StubRole>,
    ) {
        if capture.depth(lane) > MOST_ROWS {
            return;
        }
        if let Some(ended) = last_before(capture, lane, stretch.start) {
            let begun = last_begun(capture, &ended);
            for before in [ended.span.id, begun.unwrap_or(ended.span.id)] {
                self.stubs.insert(before, StubRole::Before);
                beside.insert(before, StubRole::Before);
            }
        }
        if let Some(after) = first_after(capture, lane, stretch.end) {
            self.stubs.insert(after.span.id, StubRole::After);
            beside.insert(after.span.id, StubRole::After);
        }
        let overlapping = overlapping_pair::nearest(capture, lane, stretch);
        self.add_pair(overlapping, beside);
    }

    /// The stubs of a lane of a capture that is a piece itself: what they show of the whole shows nowhere else.
    fn add_stubs(
        &mut self,
        capture: &Capture,
        lane: LaneId,
        beside: &mut BTreeMap<SpanId, StubRole>,
    ) {
        let all = Interval::new(Nanos::MIN, Nanos::MAX);
        let stubs = capture.spans_in(lane, all).filter(PlacedSpan::is_stub);
        for stub in stubs.map(|it| it.span.id) {
            if !self.contains(stub) {
                self.stubs.entry(stub).or_insert(StubRole::Before);
                beside.entry(stub).or_insert(StubRole::Before);
            }
        }
    }

    /// Two operations that overlap, those of them that lie outside as stubs.
    fn add_pair(&mut self, pair: Option<[SpanId; 2]>, beside: &mut BTreeMap<SpanId, StubRole>) {
        for span in pair.into_iter().flatten() {
            if !self.contains(span) {
                self.stubs.entry(span).or_insert(StubRole::Before);
                beside.entry(span).or_insert(StubRole::Before);
            }
        }
    }

    /// Of launches that the stretch cuts through two operations that overlap, where two do.
    fn find_cut_launches(&mut self, capture: &Capture, beside: &mut BTreeMap<SpanId, StubRole>) {
        let edges: BTreeSet<(SpanId, LaneId)> = beside
            .keys()
            .filter_map(|id| Some((launch(capture, *id)?, capture.span(*id)?.span.lane)))
            .collect();
        for (call, lane) in edges {
            let mut effects = capture
                .effects(call)
                .filter_map(|id| capture.dependency(id));
            if !effects.any(|it| self.contains(it.effect)) {
                continue;
            }
            let pair = overlapping_pair::of_launch(capture, call, lane);
            self.add_pair(pair, beside);
        }
    }

    /// The dependencies of what is kept, and of what comes after it on its streams.
    fn find_dependencies(
        &mut self,
        capture: &Capture,
        request: &PieceRequest,
        beside: &BTreeMap<SpanId, StubRole>,
    ) {
        let mut found: Vec<DependencyId> = Vec::new();
        let all = capture.dependency_count() as u32;
        // One by one a span's dependencies are found more slowly than all are read.
        if self.count > capture.span_count() as u64 / 8 {
            found.extend((0..all).map(DependencyId));
        } else {
            let kept = spans(capture, request).map(|it| it.span.id);
            for span in kept.chain(self.running.iter().map(|it| it.id)) {
                found.extend(capture.causes(span).chain(capture.effects(span)));
            }
            found.extend(beside.keys().flat_map(|span| capture.causes(*span)));
            found.sort_unstable();
            found.dedup();
        }
        for id in found {
            if let Some(dependency) = capture.dependency(id) {
                let ends = [dependency.cause, dependency.effect];
                let [cause, effect] = ends.map(|it| self.contains(it));
                let is_held = match beside.get(&dependency.effect) {
                    Some(StubRole::Before) => dependency.kind == DependencyKind::Submission,
                    other => other.is_some(),
                };
                let is_known = ends
                    .iter()
                    .all(|it| self.contains(*it) || capture.span(*it).is_some());
                if !is_known || !(cause || effect || is_held) {
                    continue;
                }
                if !cause {
                    let role = StubRole::Cause(dependency.kind);
                    let known = self.stubs.entry(dependency.cause).or_insert(role);
                    *known = known.with(role);
                }
                if !effect {
                    self.stubs
                        .entry(dependency.effect)
                        .or_insert(StubRole::Effect);
                }
                self.dependencies.push(id);
            }
        }
    }
}

/// The spans that a request asks for, by lane, sub-lane and start.
pub(super) fn spans<'a>(
    capture: &'a Capture,
    request: &'a PieceRequest,
) -> impl Iterator<Item = PlacedSpan> + 'a {
    let stretch = request.stretch(capture);
    let lanes = capture.lanes().iter();
    let lanes = lanes.filter(|it| is_wanted(request, it.id));
    lanes.flat_map(move |lane| {
        let rows = capture.depth(lane.id);
        let most = request.depth.filter(|_| lane.group == Group::Host);
        let rows = most.map_or(rows, |most| rows.min(most as usize));
        (0..rows).flat_map(move |row| capture.spans_of(lane.id, row, stretch))
    })
}

/// When the last span before a stretch ends, and the next after it begins, of those on the lanes that are asked for.
pub(super) fn nearest(capture: &Capture, request: &PieceRequest) -> [Option<Nanos>; 2] {
    let stretch = request.stretch(capture);
    let wanted = || {
        capture
            .lanes()
            .iter()
            .filter(|it| is_wanted(request, it.id))
    };
    let before = wanted().filter_map(|it| last_before(capture, it.id, stretch.start));
    let after = wanted().filter_map(|it| first_after(capture, it.id, stretch.end));
    [
        before.map(|it| it.span.end).max(),
        after.map(|it| it.span.start).min(),
    ]
}

pub(super) fn is_wanted(request: &PieceRequest, lane: LaneId) -> bool {
    let lanes = request.lanes.as_ref();
    lanes.is_none_or(|it| it.lanes.contains(&lane))
}

/// Whether a capture is a piece of another: its stubs say what they stand for.
fn is_piece(capture: &Capture) -> bool {
    let mut names = (0..capture.name_count() as u32).map(NameId);
    names.any(|it| capture.name(it) == STUB_KIND)
}

fn is_stream(lane: &Lane) -> bool {
    lane.group == Group::Streams && lane.role != Role::Queue
}

/// The span of a lane that ends last of those that end no later than an instant. It is looked for in stretches before the
/// instant, each twice as long as the one before.
fn last_before(capture: &Capture, lane: LaneId, instant: Nanos) -> Option<PlacedSpan> {
    let first = capture.extent()?.start;
    let mut length = Nanos(100_000);
    loop {
        let start = instant - length;
        // Stubs of a piece lie before its extent.
        let is_all = start < first;
        let stretch = Interval {
            start: if is_all { Nanos::MIN } else { start },
            end: instant,
        };
        let ended = capture.spans_in(lane, stretch);
        let ended = ended.filter(|it| it.span.end <= instant);
        let last = ended.max_by_key(|it| (it.span.end, it.span.id));
        if last.is_some() || is_all {
            return last;
        }
        length = length + length;
    }
}

/// The call that submitted an operation, where it is known.
pub(super) fn launch(capture: &Capture, operation: SpanId) -> Option<SpanId> {
    let causes = capture
        .causes(operation)
        .filter_map(|id| capture.dependency(id));
    let is_launch =
        |it: &Dependency| it.kind == DependencyKind::Submission && it.basis != Basis::Observed;
    causes.filter(is_launch).map(|it| it.cause).next()
}

/// Of the spans of a lane that end no later than one of them the one that begins last.
fn last_begun(capture: &Capture, ended: &PlacedSpan) -> Option<SpanId> {
    let span = &ended.span;
    let beside = capture.spans_in(span.lane, ended.interval());
    let beside = beside.filter(|it| it.span.end <= span.end);
    let last = beside.max_by_key(|it| (it.span.start, it.span.enqueued, it.span.id));
    last.map(|it| it.span.id)
}

/// The span of a lane that begins first of those that begin no sooner than an instant.
fn first_after(capture: &Capture, lane: LaneId, instant: Nanos) -> Option<PlacedSpan> {
    let rest = Interval {
        start: instant,
        end: Nanos::MAX,
    };
    let of_row = |row: usize| {
        let mut later = capture.spans_of(lane, row, rest);
        later.find(|it| it.span.start >= instant)
    };
    let firsts = (0..capture.depth(lane)).filter_map(of_row);
    firsts.min_by_key(|it| (it.span.start, it.span.end, it.span.id))
}

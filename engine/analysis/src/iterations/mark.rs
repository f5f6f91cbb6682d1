//! Iterations by marks: ranges of a host thread that name a step or a frame, or that repeat, and instants between them.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use super::{IterationSource, MarkedInterval};
use crate::causes::CauseReader;
use capture::Capture;
use record::time::{Interval, Nanos};
use record::{Group, LaneId, MarkWording, NameId, Span, SpanId, SpanKind, mark_stem};

/// Ranges of any name that repeat are iterations where they cover at least one part in so many of the time.
const LEAST_COVERED: i64 = 2;
/// Fewer are no iterations.
const LEAST: usize = 2;

/// The iterations that marks of one sort on one thread tell of.
pub(super) fn by_marks(
    reader: &CauseReader<'_>,
    lanes: &[LaneId],
) -> Option<(IterationSource, Vec<MarkedInterval>)> {
    let capture = reader.capture();
    // Calls of a workload are no marks, whatever they are called.
    if capture.run().is_some_and(|it| !it.source.is_empty()) {
        return None;
    }
    let whole = reader.causes().extent().length().0.max(1);
    let names = NameStems::of(capture);
    let mut counts = vec![(LaneId(u32::MAX), 0); names.count as usize];
    let mut best: Option<((MarkWording, i64), Vec<MarkedInterval>)> = None;
    for lane in lanes {
        if capture.lane(*lane).map(|it| it.group) != Some(Group::Host) {
            continue;
        }
        for (telling, marks) in of_lane(capture, *lane, &names, &mut counts) {
            let covered = marks.iter().map(|it| it.0.length()).sum::<Nanos>().0;
            let is_frame = covered == 0;
            let is_enough = match telling {
                MarkWording::Plain => covered.saturating_mul(LEAST_COVERED) >= whole,
                _ => !is_frame || marks.len() > LEAST,
            };
            let key = (telling, covered);
            // One step that is most of a capture is what somebody recorded.
            let is_whole =
                telling == MarkWording::Numbered && covered.saturating_mul(LEAST_COVERED) >= whole;
            let least = if is_whole { 1 } else { LEAST };
            if marks.len() >= least && is_enough && best.as_ref().is_none_or(|it| key > it.0) {
                best = Some((key, marks));
            }
        }
    }
    let ((_, covered), marks) = best?;
    if covered == 0 {
        return Some((IterationSource::Frame, between(&marks)));
    }
    Some((IterationSource::Range, marks))
}

/// Which sort of mark each name is of.
struct NameStems {
    /// By name: the number of its stem, and how telling it is.
    of: Vec<(u32, MarkWording)>,
    count: u32,
}

impl NameStems {
    fn of(capture: &Capture) -> Self {
        // There may be millions of names: their stems are looked at one by one, and none is kept.
        let hash = |name: NameId| {
            let (stem, telling) = mark_stem(capture.name(name));
            let mut hasher = DefaultHasher::new();
            stem.hash(&mut hasher);
            (hasher.finish(), telling)
        };
        let names = (0..capture.name_count() as u32).map(NameId);
        let mut by_hash: Vec<(u64, u32)> = names.map(|it| (hash(it).0, it.0)).collect();
        by_hash.sort_unstable();
        let mut stems = Self {
            of: vec![(0, MarkWording::Plain); by_hash.len()],
            count: 0,
        };
        for alike in by_hash.chunk_by_mut(|a, b| a.0 == b.0) {
            let text = |name: u32| mark_stem(capture.name(NameId(name)));
            if alike.len() > 1 {
                alike.sort_by_cached_key(|it| text(it.1));
            }
            let mut before = None;
            for (_, name) in alike {
                let own = text(*name);
                stems.count += u32::from(before.as_ref() != Some(&own));
                if let Some(slot) = stems.of.get_mut(*name as usize) {
                    *slot = (stems.count - 1, own.1);
                }
                before = Some(own);
            }
        }
        stems
    }

    fn get(&self, name: NameId) -> Option<(u32, MarkWording)> {
        self.of.get(name.index()).copied()
    }
}

/// The marks of a host thread that begin after the one before of their sort ended, by sort, in order of time. With each stem it is
/// kept on which thread it was counted last, since there may be as many threads as names.
fn of_lane(
    capture: &Capture,
    lane: LaneId,
    names: &NameStems,
    counts: &mut [(LaneId, u32)],
) -> Vec<(MarkWording, Vec<MarkedInterval>)> {
    let all = Interval {
        start: Nanos::MIN,
        end: Nanos::MAX,
    };
    let sort = |span: &Span| {
        let (stem, telling) = names.get(span.name)?;
        let is_mark = telling != MarkWording::Plain || span.kind == SpanKind::Scope;
        (is_mark && span.kind != SpanKind::Stub).then_some((stem as usize, telling))
    };
    // Most names of a capture of very many are there once.
    for placed in capture.spans_in(lane, all) {
        if let Some(count) = sort(&placed.span).and_then(|(stem, _)| counts.get_mut(stem)) {
            *count = match *count {
                (of, known) if of == lane => (lane, known + 1),
                _ => (lane, 1),
            };
        }
    }
    let mut sorts: BTreeMap<usize, (MarkWording, Nanos, Vec<MarkedInterval>)> = BTreeMap::new();
    for placed in capture.spans_by_start(lane, all) {
        let Some((stem, telling)) = sort(&placed.span) else {
            continue;
        };
        // Only of numbered ones a single one counts.
        let count = counts.get(stem).map_or(0, |it| it.1);
        if telling != MarkWording::Numbered && (count as usize) < LEAST {
            continue;
        }
        let new = || (telling, Nanos::MIN, Vec::new());
        let (_, end, marks) = sorts.entry(stem).or_insert_with(new);
        let interval = placed.interval();
        if interval.start >= *end {
            marks.push((interval, placed.span.id));
        }
        *end = interval.end.max(*end);
    }
    let sorts = sorts.into_values();
    sorts.map(|(telling, _, marks)| (telling, marks)).collect()
}

/// What lies between one instant and the next.
fn between(marks: &[MarkedInterval]) -> Vec<MarkedInterval> {
    let pairs = marks.iter().zip(marks.iter().skip(1));
    let stretch = |((from, span), (to, _)): (&MarkedInterval, &MarkedInterval)| {
        let interval = Interval {
            start: from.start,
            end: to.start,
        };
        (interval, *span)
    };
    let all: Vec<(Interval, SpanId)> = pairs.map(stretch).collect();
    all.into_iter()
        .filter(|it| it.0.length() > Nanos::ZERO)
        .collect()
}

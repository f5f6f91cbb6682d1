//! Iterations by marks: ranges of a host thread that name a step or a frame, or that repeat, and instants between them.

use std::collections::BTreeMap;

use super::{IterationSource, MarkedInterval};
use crate::causes::CauseReader;
use capture::Capture;
use record::time::{Interval, Nanos};
use record::{Group, LaneId, NameId, SpanId, SpanKind};

/// What steps and frames are called.
const WORDS: [&str; 6] = ["step", "iteration", "iter", "frame", "batch", "epoch"];
/// Ranges of any name that repeat are iterations where they cover at least one part in so many of the time.
const LEAST_COVERED: i64 = 2;
/// Fewer are no iterations.
const LEAST: usize = 2;

/// What a name says, the most telling last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum MarkWording {
    /// Any name.
    Plain,
    /// It is a word for a step.
    Word,
    /// It is such a word with a number.
    Numbered,
}

/// What all marks of one sort are called, and how telling that is.
fn stem(name: &str) -> (String, MarkWording) {
    let bare = name.trim_end_matches(|it: char| it.is_ascii_digit());
    let has_number = bare.len() < name.len();
    let stem = bare
        .trim_end_matches(|it: char| !it.is_alphanumeric())
        .to_lowercase();
    let last = stem.rsplit(|it: char| !it.is_alphanumeric()).next();
    let is_word = WORDS.contains(&stem.as_str());
    let ends = last.is_some_and(|last| WORDS.iter().any(|word| last.ends_with(word)));
    match (has_number, is_word, ends) {
        (true, _, true) => (stem, MarkWording::Numbered),
        (false, true, _) => (stem, MarkWording::Word),
        _ => (name.to_owned(), MarkWording::Plain),
    }
}

/// The iterations that marks of one sort on one thread tell of.
pub(super) fn by_marks(
    reader: &CauseReader<'_>,
    lanes: &[LaneId],
) -> Option<(IterationSource, Vec<MarkedInterval>)> {
    let capture = reader.capture();
    let whole = reader.causes().extent().length().0.max(1);
    let names = NameStems::of(capture);
    let mut best: Option<((MarkWording, i64), Vec<MarkedInterval>)> = None;
    for lane in lanes {
        if capture.lane(*lane).map(|it| it.group) != Some(Group::Host) {
            continue;
        }
        for (telling, marks) in of_lane(capture, *lane, &names) {
            let marks = apart(marks);
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
}

impl NameStems {
    fn of(capture: &Capture) -> Self {
        let mut stems: BTreeMap<String, u32> = BTreeMap::new();
        let names = (0..capture.name_count() as u32).map(NameId);
        let of = names.map(|id| {
            let (stem, telling) = stem(capture.name(id));
            let next = stems.len() as u32;
            (*stems.entry(stem).or_insert(next), telling)
        });
        Self { of: of.collect() }
    }

    fn get(&self, name: NameId) -> (u32, MarkWording) {
        let known = self.of.get(name.index()).copied();
        known.unwrap_or((u32::MAX, MarkWording::Plain))
    }
}

/// The marks of a host thread, by sort, in order of time.
fn of_lane(
    capture: &Capture,
    lane: LaneId,
    names: &NameStems,
) -> Vec<(MarkWording, Vec<MarkedInterval>)> {
    let all = Interval {
        start: Nanos::MIN,
        end: Nanos::MAX,
    };
    let mut sorts: BTreeMap<u32, (MarkWording, Vec<MarkedInterval>)> = BTreeMap::new();
    for placed in capture.spans_in(lane, all) {
        let (stem, telling) = names.get(placed.span.name);
        if telling == MarkWording::Plain && placed.span.kind != SpanKind::Scope {
            continue;
        }
        let (_, marks) = sorts.entry(stem).or_insert((telling, Vec::new()));
        marks.push((placed.interval(), placed.span.id));
    }
    sorts.into_values().collect()
}

/// Those that begin after the one before them ended.
fn apart(mut marks: Vec<MarkedInterval>) -> Vec<MarkedInterval> {
    marks.sort_by_key(|(it, id)| (it.start, std::cmp::Reverse(it.end), *id));
    let mut end = Nanos::MIN;
    marks.retain(|(it, _)| {
        let is_apart = it.start >= end;
        end = end.max(it.end);
        is_apart
    });
    marks
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_and_frames_are_known_by_name() {
        for (name, expected) in [
            ("ProfilerStep#12", ("profilerstep", MarkWording::Numbered)),
            ("train_step_3", ("train_step", MarkWording::Numbered)),
            ("Frame 17", ("frame", MarkWording::Numbered)),
            ("iteration", ("iteration", MarkWording::Word)),
            (
                "Optimizer.step#SGD.step",
                ("Optimizer.step#SGD.step", MarkWording::Plain),
            ),
            ("layer 4", ("layer 4", MarkWording::Plain)),
        ] {
            assert_eq!(stem(name), (expected.0.to_owned(), expected.1), "{name}");
        }
    }
}

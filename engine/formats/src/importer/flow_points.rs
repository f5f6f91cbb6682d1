//! Points of arrows that stand apart from slices, as phases `s`, `t` and `f` do: which span each is at, and what leads where.

use crate::importer::chrome::RowToken;
use record::SpanId;

/// Spans of one row may lie so deep inside each other, or overlap so often, and still be looked through.
const DEEPEST: usize = 512;
/// An arrow between two rows may end this much before it begins, in nanoseconds: host and device have clocks of their own.
const CLOCKS: i64 = 1_000_000;

/// What tells one arrow from others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct FlowKey {
    /// Its category, by the number of the text.
    pub category: u32,
    /// Its name, by the number of the text.
    pub name: u32,
    /// In which process its number counts, where it does in one alone.
    pub process: Option<RowToken>,
    /// Its number.
    pub id: u64,
}

/// A point of an arrow.
#[derive(Clone, Copy, Debug)]
pub(super) struct FlowPoint {
    pub key: FlowKey,
    /// When, in nanoseconds of the file.
    pub time: i64,
    /// The row or track that it is on.
    pub row: u32,
    pub what: FlowStep,
    /// The span that it is at, where the file says.
    pub span: SpanId,
    /// Whether it is at the span around it, not at the next.
    pub enclosing: bool,
}

/// What a point is of its arrow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum FlowStep {
    Start,
    Step,
    End,
}

impl FlowStep {
    /// That of the phase `s`, `t` or `f`.
    pub fn of_phase(phase: u8) -> Self {
        match phase {
            b's' => Self::Start,
            b't' => Self::Step,
            _ => Self::End,
        }
    }

    /// That of a span which says whether the arrow comes in, and whether it goes out.
    pub fn of_directions(directions: (bool, bool)) -> Self {
        match directions {
            (true, true) => Self::Step,
            (true, false) => Self::End,
            _ => Self::Start,
        }
    }
}

/// A span that was handed over, for those that look for the one around an instant.
#[derive(Clone, Copy, Debug)]
pub(super) struct SpanExtent {
    pub start: i64,
    pub end: i64,
    pub span: SpanId,
}

/// Finds the spans of the points of one row, which are in order of time.
pub(super) fn bind_row(points: &mut [FlowPoint], spans: &mut [SpanExtent]) {
    let key = |it: &SpanExtent| (it.start, std::cmp::Reverse(it.end));
    if !spans.is_sorted_by_key(key) {
        spans.sort_by_key(key);
    }
    let mut open: Vec<SpanExtent> = Vec::new();
    let mut next = 0;
    for point in points {
        if point.span.is_some() {
            continue;
        }
        while let Some(span) = spans.get(next).filter(|it| it.start <= point.time) {
            open.retain(|it| it.end > span.start || it.start == span.start);
            if open.len() >= DEEPEST {
                open.remove(0);
            }
            open.push(*span);
            next += 1;
        }
        // A span that ends where the point is counts only if no other is around it.
        let inside = open
            .iter()
            .rev()
            .find(|it| it.end > point.time || it.start == point.time);
        let touching = open.iter().rev().find(|it| it.end == point.time);
        let following = spans.get(next);
        let found = if point.enclosing {
            inside.or(touching)
        } else {
            inside
                .filter(|it| it.start == point.time)
                .or(following)
                .or(inside)
        };
        point.span = found.map_or(SpanId::NONE, |it| it.span);
    }
}

/// Calls `tie` with the two ends of each arrow; says how many points have no partner.
pub(super) fn tie_points(
    mut points: Vec<FlowPoint>,
    mut tie: impl FnMut(&FlowPoint, &FlowPoint),
) -> u64 {
    // One number may serve arrows of several names.
    points.sort_by_key(|it| (it.key, it.time, it.what));
    let arrows = points.chunk_by(|a, b| a.key == b.key);
    arrows.map(|points| tie_arrow(points, &mut tie)).sum()
}

fn tie_arrow(points: &[FlowPoint], tie: &mut impl FnMut(&FlowPoint, &FlowPoint)) -> u64 {
    if let [end, start] = points
        && (end.what, start.what) == (FlowStep::End, FlowStep::Start)
        && end.row != start.row
        && start.time.saturating_sub(end.time) <= CLOCKS
        && end.span.is_some()
        && start.span.is_some()
    {
        tie(start, end);
        return 0;
    }
    let mut before: Option<&FlowPoint> = None;
    let (mut is_tied, mut loose) = (false, 0);
    for point in points {
        if point.what == FlowStep::Start {
            loose += u64::from(before.is_some() && !is_tied);
            (before, is_tied) = (Some(point), false);
            continue;
        }
        match before {
            // An arrow within one span ties nothing.
            Some(from) if from.span.is_some() && from.span == point.span => is_tied = true,
            Some(from) if from.span.is_some() && point.span.is_some() => {
                tie(from, point);
                is_tied = true;
            }
            _ => loose += 1,
        }
        // Several ends may follow one start, but nothing leads from an end, nor from a step that nothing led to.
        if point.what == FlowStep::Step && before.is_some() {
            before = Some(point);
        }
    }
    loose + u64::from(before.is_some() && !is_tied)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(what: FlowStep, row: u32, time: i64) -> FlowPoint {
        FlowPoint {
            key: FlowKey {
                category: 0,
                name: 0,
                process: None,
                id: 1,
            },
            time,
            row,
            what,
            span: SpanId(row),
            enclosing: true,
        }
    }

    fn tied(points: Vec<FlowPoint>) -> (Vec<(SpanId, SpanId)>, u64) {
        let mut found = Vec::new();
        let loose = tie_points(points, |from, to| found.push((from.span, to.span)));
        (found, loose)
    }

    #[test]
    fn an_arrow_may_end_a_little_before_it_begins_where_two_clocks_told_its_ends() {
        let late = [
            point(FlowStep::End, 2, 0),
            point(FlowStep::Start, 1, 13_000),
        ];
        assert_eq!(tied(late.to_vec()), (vec![(SpanId(1), SpanId(2))], 0));
        let far = [
            point(FlowStep::End, 2, 0),
            point(FlowStep::Start, 1, 13_000_000),
        ];
        assert_eq!(tied(far.to_vec()), (Vec::new(), 2));
        let of_one_row = [point(FlowStep::End, 1, 0), point(FlowStep::Start, 1, 9)];
        assert_eq!(tied(of_one_row.to_vec()).0, []);
    }
}

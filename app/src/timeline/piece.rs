//! From bars in time to rectangles on screen: what is drawn for each, and how wide.

use engine::record::{Role, SpanKind, State};
use engine::time::{Interval, Nanos};

use super::fold::{Bar, busy_share};
use super::scale::Scale;

/// How a bar is filled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fill {
    /// One span that ran.
    Solid,
    /// A wait: nothing ran, something was waited for.
    Hatched,
    /// A span that was lost or never ran.
    Struck,
    /// A span that ran and failed.
    Failed,
    /// Several spans, drawn as strong as they were busy: a level from 1 to [`LEVELS`].
    Folded(u8),
}

/// How many strengths folded runs are drawn with; neighbours of one strength join.
pub const LEVELS: u8 = 12;

/// A rectangle to draw: from `left` to `right` in points, unrounded.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Piece {
    /// Where it starts, in points.
    pub left: f32,
    /// Where it ends, in points; never less than a pixel after `left`.
    pub right: f32,
    /// Where the bar of its waiting in the queue begins, in points; `left` where there is none.
    pub queued: f32,
    /// How it is filled.
    pub fill: Fill,
}

/// The pieces of `bars` in view, with the bars they stand for.
pub fn pieces<'a>(
    bars: &'a [Bar],
    scale: &'a Scale,
    column: Nanos,
    pixel: f32,
) -> impl Iterator<Item = (Piece, &'a Bar)> {
    let (from, to) = (scale.left() - 8.0, scale.right() + 8.0);
    let mut before = Nanos::MIN;
    bars.iter()
        .map(move |bar| {
            let piece = piece(bar, before, scale, column, pixel);
            before = bar.cell.interval.end;
            (piece, bar)
        })
        .skip_while(move |(piece, _)| piece.right < from)
        .take_while(move |(piece, _)| piece.queued <= to || piece.left <= to)
}

/// The piece of one bar; the one before it ended at `before`.
fn piece(bar: &Bar, before: Nanos, scale: &Scale, column: Nanos, pixel: f32) -> Piece {
    let fill = fill(bar, column);
    let is_run = matches!(fill, Fill::Folded(_));
    let interval = if is_run {
        whole_columns(bar.cell.interval, before, column)
    } else {
        bar.cell.interval
    };
    let least = if is_run { pixel } else { 2.0 * pixel };
    let left = scale.x_from_time(interval.start);
    let right = scale.x_from_time(interval.end).max(left + least);
    let queued = if bar.enqueued < bar.cell.interval.start {
        scale.x_from_time(bar.enqueued)
    } else {
        left
    };
    Piece {
        left,
        right,
        queued,
        fill,
    }
}

/// A folded run fills its columns, so that its strength alone says how busy it was.
fn whole_columns(interval: Interval, before: Nanos, column: Nanos) -> Interval {
    let column = column.0.max(1);
    let start = Nanos(interval.start.0.div_euclid(column).saturating_mul(column));
    let end = Nanos(
        interval
            .end
            .0
            .saturating_add(column - 1)
            .div_euclid(column)
            .saturating_mul(column),
    );
    Interval::new(start.max(before).min(interval.start), end.max(interval.end))
}

fn fill(bar: &Bar, column: Nanos) -> Fill {
    let cell = &bar.cell;
    if cell.count > 1 {
        let share = busy_share(cell, column);
        let level = (share * f32::from(LEVELS)).ceil() as u8;
        return Fill::Folded(level.clamp(1, LEVELS));
    }
    match (cell.state, cell.kind) {
        (State::Lost | State::Cancelled, _) => Fill::Struck,
        (State::Failed, _) => Fill::Failed,
        (State::Done, kind) if is_wait(kind) => Fill::Hatched,
        (State::Done, _) => Fill::Solid,
    }
}

/// Whether an operation of `kind` only waits.
pub fn is_wait(kind: SpanKind) -> bool {
    kind.is_waiting()
}

/// The role whose hue a span has: that of what it does, and else that of its lane.
pub fn role(lane: Role, kind: SpanKind) -> Role {
    match (lane, kind) {
        (
            Role::Collective
            | Role::Barrier
            | Role::CriticalSection
            | Role::LazyJob
            | Role::PinnedCompute,
            _,
        ) => lane,
        (_, SpanKind::Kernel) => Role::Compute,
        (_, SpanKind::Upload) => Role::HostToDevice,
        (_, SpanKind::Download) => Role::DeviceToHost,
        (_, SpanKind::Copy | SpanKind::Fill) => Role::DeviceToDevice,
        _ => lane,
    }
}

#[cfg(test)]
mod tests {
    use engine::capture::{Cell, Repair};
    use engine::record::{NameId, SpanId};

    use super::*;

    fn bar(start: i64, end: i64, count: u32, busy: i64) -> Bar {
        Bar {
            cell: Cell {
                interval: Interval::new(Nanos(start), Nanos(end)),
                count,
                busy: Nanos(busy),
                span: SpanId(0),
                name: NameId(0),
                kind: SpanKind::Kernel,
                state: State::Done,
                repair: Repair::None,
            },
            enqueued: Nanos(start - 10),
        }
    }

    fn scale() -> Scale {
        Scale::new(Interval::new(Nanos(0), Nanos(1000)), 100.0, 500.0)
    }

    #[test]
    fn a_span_keeps_its_place_and_an_empty_one_can_be_seen() {
        let found = piece(&bar(100, 200, 1, 100), Nanos::MIN, &scale(), Nanos(4), 1.0);
        assert_eq!(
            (found.queued, found.left, found.right),
            (145.0, 150.0, 200.0)
        );
        let empty = piece(&bar(100, 100, 1, 0), Nanos::MIN, &scale(), Nanos(4), 1.0);
        assert_eq!(empty.right - empty.left, 2.0);
        assert_eq!(empty.fill, Fill::Solid);
    }

    #[test]
    fn folded_runs_are_as_strong_as_they_were_busy() {
        let fill = |busy| piece(&bar(0, 64, 9, busy), Nanos::MIN, &scale(), Nanos(64), 1.0).fill;
        assert_eq!(fill(64), Fill::Folded(LEVELS));
        assert_eq!(fill(32), Fill::Folded(LEVELS / 2));
        assert_eq!(fill(0), Fill::Folded(1));
    }

    #[test]
    fn a_folded_run_fills_its_columns_but_not_the_span_before() {
        let run = bar(70, 90, 3, 12);
        let found = piece(&run, Nanos::MIN, &scale(), Nanos(64), 1.0);
        assert_eq!((found.left, found.right), (132.0, 164.0));
        let found = piece(&run, Nanos(68), &scale(), Nanos(64), 1.0);
        assert_eq!((found.left, found.right), (134.0, 164.0));
    }

    #[test]
    fn states_and_waits_have_their_patterns() {
        let mut one = bar(0, 64, 1, 64);
        one.cell.kind = SpanKind::EventWait;
        assert_eq!(
            piece(&one, Nanos::MIN, &scale(), Nanos(4), 1.0).fill,
            Fill::Hatched
        );
        one.cell.state = State::Lost;
        assert_eq!(
            piece(&one, Nanos::MIN, &scale(), Nanos(4), 1.0).fill,
            Fill::Struck
        );
        one.cell.state = State::Failed;
        assert_eq!(
            piece(&one, Nanos::MIN, &scale(), Nanos(4), 1.0).fill,
            Fill::Failed
        );
    }

    #[test]
    fn only_what_is_in_view_is_drawn() {
        let bars: Vec<Bar> = (0..100)
            .map(|at| bar(at * 100, at * 100 + 50, 1, 50))
            .collect();
        let scale = scale();
        let found = pieces(&bars, &scale, Nanos(4), 1.0);
        assert_eq!(found.count(), 11);
    }

    #[test]
    fn hues_follow_what_a_span_does() {
        assert_eq!(role(Role::None, SpanKind::Upload), Role::HostToDevice);
        assert_eq!(role(Role::Collective, SpanKind::Kernel), Role::Collective);
        assert_eq!(role(Role::Compute, SpanKind::EventWait), Role::Compute);
    }
}

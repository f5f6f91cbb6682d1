//! From bars in time to what is drawn for each: how far it reaches, its pattern, and its colours.

use eframe::egui::Color32;
use engine::record::{Role, SpanKind, State};
use engine::time::{Interval, Nanos};

use super::fold::{Bar, busy_share};

/// How a bar is filled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BarFill {
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

/// The colours of a piece.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BarTint {
    /// Of the bar where it is too narrow for a pattern.
    pub plain: Color32,
    /// Of its waiting in the queue.
    pub queued: Color32,
}

/// Instants in 32 bits, in steps of a power of two of nanoseconds: a thousandth of a pixel or less.
#[derive(Clone, Copy, Debug, Default)]
pub struct TimeGrid {
    base: Nanos,
    shift: u32,
}

impl TimeGrid {
    /// For the instants of `cover` and some around them; those further off are as far as it goes.
    pub fn over(cover: Interval) -> Self {
        let length = cover.length().0.max(1);
        let around = length / 8 + 1;
        let whole = length.saturating_add(2 * around);
        Self {
            base: cover.start - Nanos(around),
            shift: (i64::BITS - whole.leading_zeros()).saturating_sub(u32::BITS),
        }
    }

    /// The instant that step 0 is, and to which power of two nanoseconds a step is long.
    pub fn origin(&self) -> (Nanos, u32) {
        (self.base, self.shift)
    }

    /// The step of an instant.
    pub fn at(&self, time: Nanos) -> u32 {
        ((time - self.base).0.max(0) >> self.shift).min(i64::from(u32::MAX)) as u32
    }
}

/// What is drawn for a bar, or for several folded ones beside each other that look the same. Its instants are steps of
/// a [`TimeGrid`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BarGeometry {
    /// Where it begins.
    pub start: u32,
    /// Where it ends.
    pub end: u32,
    /// Where the bar of its waiting in the queue begins; its own start where there is none.
    pub enqueued: u32,
    /// Its colours.
    pub tint: BarTint,
    /// How it is filled.
    pub fill: BarFill,
    /// The bar it stands for; the first of folded ones.
    pub bar: u32,
}

/// Puts the pieces of `bars`, which were folded by `column`, into `pieces`, in steps of `grid`; `tint` says their
/// colours. Returns the kinds of the spans that stand alone, each as the bit of its number.
pub fn cut(
    bars: &[Bar],
    (column, grid): (Nanos, TimeGrid),
    mut tint: impl FnMut(&Bar, BarFill) -> BarTint,
    pieces: &mut Vec<BarGeometry>,
) -> u64 {
    pieces.clear();
    let (mut before, mut alone) = (Nanos::MIN, 0);
    // Where the last piece ends, if it is a folded run.
    let mut open = None;
    for (place, bar) in bars.iter().enumerate() {
        let fill = fill(bar, column);
        let tint = tint(bar, fill);
        let own = bar.cell.interval;
        let is_run = matches!(fill, BarFill::Folded(_));
        let interval = if is_run {
            whole_columns(own, before, column)
        } else {
            alone |= 1 << (bar.cell.kind as u32 % u64::BITS);
            own
        };
        before = own.end;
        if is_run
            && let Some(last) = pieces.last_mut()
            && last.tint == tint
            && let Some(end) = open.filter(|&end| interval.start <= end)
        {
            let end = interval.end.max(end);
            last.end = grid.at(end);
            open = Some(end);
            continue;
        }
        open = is_run.then_some(interval.end);
        pieces.push(BarGeometry {
            start: grid.at(interval.start),
            end: grid.at(interval.end),
            enqueued: grid.at(bar.enqueued.min(interval.start)),
            tint,
            fill,
            bar: place as u32,
        });
    }
    alone
}

/// A folded run fills its columns, so that its strength alone says how busy it was.
fn whole_columns(interval: Interval, before: Nanos, column: Nanos) -> Interval {
    // Columns are powers of two.
    let mask = (1_i64 << column.0.max(1).ilog2()) - 1;
    let start = Nanos(interval.start.0 & !mask);
    let end = Nanos(interval.end.0.saturating_add(mask) & !mask);
    Interval::new(start.max(before).min(interval.start), end.max(interval.end))
}

fn fill(bar: &Bar, column: Nanos) -> BarFill {
    let cell = &bar.cell;
    if cell.count > 1 {
        let share = busy_share(cell, column);
        let level = (share * f32::from(LEVELS)).ceil() as u8;
        return BarFill::Folded(level.clamp(1, LEVELS));
    }
    match (cell.state, cell.kind) {
        (State::Lost | State::Cancelled, _) => BarFill::Struck,
        (State::Failed, _) => BarFill::Failed,
        (State::Done, kind) if is_wait(kind) => BarFill::Hatched,
        (State::Done, _) => BarFill::Solid,
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
    use engine::capture::{FoldedSpan, Repair};
    use engine::record::{NameId, SpanId};

    use super::*;

    fn bar(start: i64, end: i64, count: u32, busy: i64) -> Bar {
        Bar {
            cell: FoldedSpan {
                interval: Interval::new(Nanos(start), Nanos(end)),
                count,
                busy: Nanos(busy),
                span: SpanId(0),
                name: NameId(0),
                kind: SpanKind::Kernel,
                state: State::Done,
                repair: Repair::None,
                enqueued: Nanos(start - 10),
            },
            enqueued: Nanos(start - 10),
        }
    }

    fn pieces(bars: &[Bar], column: i64) -> Vec<BarGeometry> {
        let mut pieces = Vec::new();
        let level = |_: &Bar, fill| match fill {
            BarFill::Folded(level) => BarTint {
                plain: Color32::from_gray(level),
                ..BarTint::default()
            },
            _ => BarTint::default(),
        };
        cut(
            bars,
            (Nanos(column), TimeGrid::default()),
            level,
            &mut pieces,
        );
        pieces
    }

    #[test]
    fn a_span_keeps_its_place_and_knows_since_when_it_waited() {
        let found = pieces(&[bar(100, 200, 1, 100), bar(300, 300, 1, 0)], 4);
        let ends = |piece: &BarGeometry| (piece.enqueued, piece.start, piece.end);
        let found: Vec<_> = found.iter().map(ends).collect();
        assert_eq!(found, [(90, 100, 200), (290, 300, 300)]);
    }

    #[test]
    fn folded_runs_are_as_strong_as_they_were_busy() {
        let fill = |busy| pieces(&[bar(0, 64, 9, busy)], 64)[0].fill;
        assert_eq!(fill(64), BarFill::Folded(LEVELS));
        assert_eq!(fill(32), BarFill::Folded(LEVELS / 2));
        assert_eq!(fill(0), BarFill::Folded(1));
    }

    #[test]
    fn a_folded_run_fills_its_columns_but_not_the_span_before() {
        let run = bar(70, 90, 3, 12);
        let ends = |piece: &BarGeometry| (piece.start, piece.end);
        assert_eq!(ends(&pieces(&[run], 64)[0]), (64, 128));
        assert_eq!(ends(&pieces(&[bar(0, 68, 1, 68), run], 64)[1]), (68, 128));
    }

    #[test]
    fn runs_of_one_strength_join_where_they_touch() {
        let bars = [
            bar(0, 60, 3, 60),
            bar(64, 120, 5, 60),
            bar(130, 190, 5, 30),
            bar(260, 300, 2, 30),
            bar(390, 440, 2, 30),
        ];
        let found: Vec<_> = pieces(&bars, 64)
            .iter()
            .map(|piece| (piece.start, piece.end, piece.bar))
            .collect();
        assert_eq!(
            found,
            [(0, 128, 0), (128, 192, 2), (256, 320, 3), (384, 448, 4)]
        );
    }

    #[test]
    fn a_grid_holds_any_cover_and_keeps_short_ones_exact() {
        let exact = TimeGrid::over(Interval::new(Nanos(1_000), Nanos(2_000)));
        let since = |time| i64::from(exact.at(Nanos(time))) + exact.origin().0.0;
        assert_eq!(
            (since(1_000), since(1_234), since(2_000)),
            (1_000, 1_234, 2_000)
        );
        assert_eq!((exact.at(Nanos::MIN), exact.origin().1), (0, 0));
        for power in [31, 33, 40, 62] {
            let long = TimeGrid::over(Interval::new(Nanos(-5), Nanos(1 << power)));
            let (base, shift) = long.origin();
            let end = (i64::from(long.at(Nanos(1 << power))) << shift) + base.0;
            let off = (1_i64 << power) - end;
            assert!(
                (0..1_i64 << power.max(30) >> 30).contains(&off),
                "{power}: {off}"
            );
        }
    }

    #[test]
    fn the_kinds_of_lone_spans_are_known() {
        let (mut wait, run) = (bar(0, 64, 1, 64), bar(64, 100, 3, 20));
        wait.cell.kind = SpanKind::EventWait;
        let plain = |_: &Bar, _| BarTint::default();
        let kinds = cut(
            &[wait, run],
            (Nanos(64), TimeGrid::default()),
            plain,
            &mut Vec::new(),
        );
        assert_eq!(kinds, 1 << SpanKind::EventWait as u64);
    }

    #[test]
    fn states_and_waits_have_their_patterns() {
        let mut one = bar(0, 64, 1, 64);
        one.cell.kind = SpanKind::EventWait;
        assert_eq!(fill(&one, Nanos(4)), BarFill::Hatched);
        one.cell.state = State::Lost;
        assert_eq!(fill(&one, Nanos(4)), BarFill::Struck);
        one.cell.state = State::Failed;
        assert_eq!(fill(&one, Nanos(4)), BarFill::Failed);
    }

    #[test]
    fn hues_follow_what_a_span_does() {
        assert_eq!(role(Role::None, SpanKind::Upload), Role::HostToDevice);
        assert_eq!(role(Role::Collective, SpanKind::Kernel), Role::Collective);
        assert_eq!(role(Role::Compute, SpanKind::EventWait), Role::Compute);
    }
}

//! Perfetto wants the slices of a track to nest; this keeps spans that would not apart, whatever their order.

use std::collections::VecDeque;

use record::time::Interval;
#[cfg(test)]
use record::time::Nanos;

/// How many earlier spans of a row a span is compared with; what began before all of them goes to another row.
const RECENT: usize = 64;
/// How many rows a lane has at most. Beyond, spans are drawn wrongly by Perfetto and read back rightly all the same.
const ROWS: usize = 256;

/// The rows of one lane.
#[derive(Debug, Default)]
pub(super) enum NestedRows {
    /// Nothing was put there.
    #[default]
    Empty,
    /// One span: of a million lanes most have no more, and need no more room.
    One(Interval),
    /// At least one row.
    Rows(Vec<NestedRow>),
}

/// A row of spans that nest.
#[derive(Debug, Default)]
pub(super) struct NestedRow {
    recent: VecDeque<Interval>,
    /// The latest end of all spans that are not compared any more.
    floor: Option<Interval>,
}

impl NestedRows {
    /// The first row on which a span nests with all that was put there before it.
    pub(super) fn place(&mut self, span: Interval) -> u16 {
        let rows = match self {
            Self::Empty => {
                *self = Self::One(span);
                return 0;
            }
            Self::One(first) => {
                let mut row = NestedRow::default();
                row.put(*first);
                *self = Self::Rows(vec![row]);
                return self.place(span);
            }
            Self::Rows(rows) => rows,
        };
        let free = rows.iter().position(|row| row.takes(span));
        let place = free.unwrap_or_else(|| {
            if rows.len() < ROWS {
                rows.push(NestedRow::default());
            }
            rows.len() - 1
        });
        if let Some(row) = rows.get_mut(place) {
            row.put(span);
        }
        place as u16
    }
}

impl NestedRow {
    fn takes(&self, span: Interval) -> bool {
        self.floor.is_none_or(|floor| span.start >= floor.end)
            && self.recent.iter().rev().all(|&former| nests(former, span))
    }

    fn put(&mut self, span: Interval) {
        if self.recent.len() == RECENT
            && let Some(old) = self.recent.pop_front()
        {
            self.floor = Some(match self.floor {
                Some(floor) if floor.end >= old.end => floor,
                _ => old,
            });
        }
        self.recent.push_back(span);
    }
}

/// Whether a span nests with one that stands before it in the file. Perfetto sorts by time and keeps the file's
/// order among equals, which decides what happens where the two touch.
fn nests(former: Interval, span: Interval) -> bool {
    let after = span.start >= former.end;
    let before = span.end < former.start;
    let around = span.start < former.start && span.end >= former.end;
    let inside = span.start >= former.start && span.end < former.end;
    after || before || around || inside
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(spans: &[(i64, i64)]) -> Vec<u16> {
        let mut rows = NestedRows::default();
        spans
            .iter()
            .map(|&(start, end)| rows.place(Interval::new(Nanos(start), Nanos(end))))
            .collect()
    }

    #[test]
    fn a_stream_and_a_call_tree_stay_on_one_row() {
        assert_eq!(rows(&[(0, 5), (5, 9), (9, 9), (9, 12)]), [0, 0, 0, 0]);
        assert_eq!(rows(&[(2, 3), (4, 5), (1, 6), (0, 9)]), [0, 0, 0, 0]);
        assert_eq!(rows(&[(0, 9), (1, 6), (2, 3)]), [0, 0, 0]);
    }

    #[test]
    fn what_overlaps_or_touches_out_of_order_goes_to_another_row() {
        assert_eq!(rows(&[(0, 5), (3, 9), (4, 12), (9, 10)]), [0, 1, 2, 0]);
        assert_eq!(rows(&[(5, 9), (0, 5)]), [0, 1]);
        assert_eq!(rows(&[(0, 5), (0, 5)]), [0, 1]);
    }

    #[test]
    fn far_behind_is_another_row_and_rows_are_bounded() {
        let mut spans: Vec<(i64, i64)> = (0..200).map(|i| (i * 10 + 100, i * 10 + 105)).collect();
        spans.push((0, 5));
        assert_eq!(rows(&spans).last(), Some(&1));
        let piled: Vec<(i64, i64)> = (0..1000).map(|i| (i, i + 5000)).collect();
        assert_eq!(rows(&piled).iter().max(), Some(&(ROWS as u16 - 1)));
    }
}

//! The order of a table's rows.

use std::cmp::Ordering;

use engine::capture::natural_key;

use super::TableCell;

/// Which column a table is sorted by, and which way round.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct SortOrder {
    /// The column's position.
    pub column: usize,
    /// Whether the greatest come first.
    pub is_descending: bool,
}

impl SortOrder {
    /// By `column`, the least first.
    pub const fn by(column: usize) -> Self {
        Self {
            column,
            is_descending: false,
        }
    }

    /// Sorts by `column`, numbers the greatest first, or the other way round where it does already.
    pub fn turn(&mut self, column: usize, is_number: bool) {
        let turned = self.column == column;
        *self = Self {
            column,
            is_descending: if turned {
                !self.is_descending
            } else {
                is_number
            },
        };
    }
}

/// The positions of those `lines` that `wanted` takes, in `order`. Equal ones keep their order, empty cells come last.
pub fn sorted(
    lines: &[Vec<TableCell>],
    order: SortOrder,
    wanted: impl Fn(usize) -> bool,
) -> Vec<usize> {
    let mut shown: Vec<usize> = (0..lines.len()).filter(|&line| wanted(line)).collect();
    let cell = |line: usize| lines.get(line).and_then(|cells| cells.get(order.column));
    shown.sort_by(|&a, &b| match (cell(a), cell(b)) {
        (Some(a), Some(b)) => compare(a, b, order.is_descending),
        _ => Ordering::Equal,
    });
    shown
}

/// As people list names: stream 7 before stream 20.
fn by_text(a: &str, b: &str) -> Ordering {
    natural_key(a).cmp(&natural_key(b))
}

fn compare(a: &TableCell, b: &TableCell, is_descending: bool) -> Ordering {
    let is_empty = |cell: &TableCell| cell.rank.is_none() && cell.text.is_empty();
    let way = |order: Ordering| {
        if is_descending {
            order.reverse()
        } else {
            order
        }
    };
    is_empty(a)
        .cmp(&is_empty(b))
        .then_with(|| way(a.rank.cmp(&b.rank).then_with(|| by_text(&a.text, &b.text))))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines() -> Vec<Vec<TableCell>> {
        let ranks = [Some(30), None, Some(4), Some(30)];
        let line = |rank: Option<i64>| vec![TableCell::number(rank, |value| value.to_string())];
        ranks.into_iter().map(line).collect()
    }

    #[test]
    fn texts_are_sorted_as_people_list_names() {
        let line = |words: &str| vec![TableCell::text(words)];
        let lines = ["stream 20", "stream 7", "stream 100"].map(line);
        assert_eq!(sorted(&lines, SortOrder::default(), |_| true), [1, 0, 2]);
    }

    #[test]
    fn numbers_are_sorted_as_numbers_and_what_is_unknown_comes_last() {
        let mut order = SortOrder::default();
        assert_eq!(sorted(&lines(), order, |_| true), [2, 0, 3, 1]);
        order.turn(0, true);
        assert_eq!(sorted(&lines(), order, |_| true), [0, 3, 2, 1]);
        assert_eq!(sorted(&lines(), order, |line| line > 1), [3, 2]);
        // Of another column the greatest numbers and the first texts come first.
        order.turn(1, true);
        assert!(order.is_descending);
        order.turn(0, false);
        assert!(!order.is_descending);
    }
}

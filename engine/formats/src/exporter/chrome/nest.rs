//! Spans of one thread must nest in Chrome's trace JSON: those of a lane that would not go to rows of their own.

use record::time::{Interval, Nanos};

/// How many rows a lane has at most. Beyond, viewers draw spans cut short.
const ROWS: usize = 900;

/// The rows of one lane: the ends of the spans that are open at the latest start, the innermost last.
#[derive(Debug, Default)]
pub(super) struct LaneNesting(Vec<Vec<Nanos>>);

impl LaneNesting {
    /// The first row on which a span nests with those before it. Spans come by start, outer ones first.
    pub fn place(&mut self, span: Interval) -> u16 {
        for (row, open) in self.0.iter_mut().enumerate() {
            while open.last().is_some_and(|&end| end <= span.start) {
                open.pop();
            }
            if open.last().is_none_or(|&end| end >= span.end) {
                open.push(span.end);
                return row as u16;
            }
        }
        if self.0.len() < ROWS {
            self.0.push(vec![span.end]);
        }
        (self.0.len() - 1) as u16
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_nest_and_overlaps_go_apart() {
        let mut nest = LaneNesting::default();
        let spans = [(0, 9), (0, 5), (1, 5), (5, 9), (6, 12), (9, 9), (12, 13)];
        let rows = spans.map(|(start, end)| nest.place(Interval::new(Nanos(start), Nanos(end))));
        assert_eq!(rows, [0, 0, 0, 0, 1, 0, 0]);
    }
}

//! Rows of an answer, drawn below the lanes of the capture. They are an answer and were not measured: no analysis, no search
//! and no export knows of them.

use std::sync::Arc;

use engine::capture::Samples;
use engine::record::SpanId;
use engine::time::{Interval, Nanos};

/// A row that was drawn of an answer.
#[derive(Clone, Debug)]
pub struct DrawnRow {
    /// What stands beside it.
    pub name: String,
    /// What is drawn.
    pub content: DrawnContent,
}

/// What is drawn of an answer.
#[derive(Clone, Debug)]
pub enum DrawnContent {
    /// A bar for each row.
    Bars(DrawnBars),
    /// The values of a column, each until the next.
    Values(Samples),
}

/// Bars, in order of time in each sub-lane.
#[derive(Clone, Debug, Default)]
pub struct DrawnBars {
    sub_lanes: Vec<Vec<DrawnBar>>,
}

/// A bar of an answer.
#[derive(Clone, Debug, PartialEq)]
pub struct DrawnBar {
    /// The time that the answer gives.
    pub interval: Interval,
    /// What stands on it.
    pub name: Arc<str>,
    /// The span that the answer names.
    pub span: Option<SpanId>,
}

impl DrawnBars {
    /// Places bars so that none covers another: where they overlap, the one that begins later goes below.
    pub fn new(bars: Vec<DrawnBar>) -> Self {
        Self::at_most(bars, usize::MAX).0
    }

    /// The same with so many sub-lanes at most, and how many bars have none.
    pub fn at_most(mut bars: Vec<DrawnBar>, most: usize) -> (Self, usize) {
        let mut left_out = 0;
        bars.sort_by_key(|bar| (bar.interval.start, -bar.interval.end.0));
        let mut sub_lanes: Vec<Vec<DrawnBar>> = Vec::new();
        for bar in bars {
            let start = bar.interval.start;
            let is_free = |lane: &&mut Vec<DrawnBar>| {
                lane.last().is_none_or(|last| last.interval.end <= start)
            };
            let count = sub_lanes.len();
            match sub_lanes.iter_mut().find(is_free) {
                Some(lane) => lane.push(bar),
                None if count < most => sub_lanes.push(vec![bar]),
                None => left_out += 1,
            }
        }
        (Self { sub_lanes }, left_out)
    }

    /// How many sub-lanes there are.
    pub fn depths(&self) -> usize {
        self.sub_lanes.len()
    }

    /// The bars of a sub-lane that touch `view`.
    pub fn within(&self, depth: usize, view: Interval) -> &[DrawnBar] {
        let bars = self.sub_lanes.get(depth).map_or(&[][..], Vec::as_slice);
        let first = bars.partition_point(|bar| bar.interval.end < view.start);
        let last = bars.partition_point(|bar| bar.interval.start <= view.end);
        bars.get(first..last).unwrap_or_default()
    }

    /// The bar of a sub-lane at an instant, or the nearest one within `reach` of it.
    pub fn at(&self, depth: usize, time: Nanos, reach: Nanos) -> Option<&DrawnBar> {
        let near = self.within(depth, Interval::new(time - reach, time + reach));
        let distance = |bar: &&DrawnBar| {
            let before = (bar.interval.start - time).max(Nanos::ZERO);
            before.max(time - bar.interval.end)
        };
        near.iter().min_by_key(distance)
    }

    /// How many bars there are.
    pub fn len(&self) -> usize {
        self.sub_lanes.iter().map(Vec::len).sum()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.sub_lanes.is_empty()
    }
}

/// All rows that are drawn, in the order in which they were asked for.
#[derive(Clone, Debug, Default)]
pub struct DrawnAnswer {
    rows: Arc<Vec<DrawnRow>>,
}

impl PartialEq for DrawnAnswer {
    /// Whether they are the same rows: none is changed once it is there.
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.rows, &other.rows) || (self.rows.is_empty() && other.rows.is_empty())
    }
}

impl From<Vec<DrawnRow>> for DrawnAnswer {
    fn from(rows: Vec<DrawnRow>) -> Self {
        Self {
            rows: Arc::new(rows),
        }
    }
}

impl DrawnAnswer {
    /// The rows.
    pub fn rows(&self) -> &[DrawnRow] {
        &self.rows
    }

    /// Draws these as well; one of the name of another takes its place.
    pub fn add(&mut self, other: &Self) {
        let all = Arc::make_mut(&mut self.rows);
        for row in other.rows().iter().cloned() {
            match all.iter_mut().find(|other| other.name == row.name) {
                Some(other) => *other = row,
                None => all.push(row),
            }
        }
    }

    /// Draws a row no more.
    pub fn remove(&mut self, place: usize) {
        if place < self.rows.len() {
            Arc::make_mut(&mut self.rows).remove(place);
        }
    }

    /// Draws none of them any more.
    pub fn clear(&mut self) {
        self.rows = Arc::default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bar(start: i64, end: i64) -> DrawnBar {
        DrawnBar {
            interval: Interval::new(Nanos(start), Nanos(end)),
            name: "bar".into(),
            span: None,
        }
    }

    #[test]
    fn no_bar_covers_another_and_each_is_found() {
        let bars = DrawnBars::new(vec![bar(30, 40), bar(0, 20), bar(10, 30), bar(20, 25)]);
        assert_eq!((bars.depths(), bars.len()), (2, 4));
        for depth in 0..2 {
            let lane = bars.within(depth, Interval::new(Nanos(0), Nanos(40)));
            for pair in lane.windows(2) {
                assert!(pair[0].interval.end <= pair[1].interval.start);
            }
        }
        assert_eq!(bars.at(0, Nanos(22), Nanos::ZERO), Some(&bar(20, 25)));
        assert_eq!(bars.at(1, Nanos(12), Nanos::ZERO), Some(&bar(10, 30)));
        assert_eq!(bars.at(0, Nanos(27), Nanos::ZERO), None);
        assert_eq!(bars.at(0, Nanos(27), Nanos(2)), Some(&bar(20, 25)));
        assert_eq!(bars.at(2, Nanos(0), Nanos(9)), None);
    }

    #[test]
    fn a_row_of_a_name_takes_the_place_of_the_one_before() {
        let row = |name: &str, bars| DrawnRow {
            name: name.to_owned(),
            content: DrawnContent::Bars(DrawnBars::new(bars)),
        };
        let mut drawn = DrawnAnswer::default();
        let none = drawn.clone();
        drawn.add(&vec![row("a", vec![bar(0, 1)]), row("b", Vec::new())].into());
        assert_ne!(drawn, none);
        drawn.add(&vec![row("a", Vec::new())].into());
        let names = drawn.rows().iter().map(|row| row.name.as_str());
        assert_eq!(names.collect::<Vec<_>>(), ["a", "b"]);
        assert!(matches!(&drawn.rows()[0].content, DrawnContent::Bars(bars) if bars.is_empty()));
        drawn.remove(0);
        assert_eq!(drawn.rows().len(), 1);
        drawn.clear();
        assert_eq!(drawn, none);
    }
}

//! Rows or columns of a heatmap on screen: which are in view, on which pixels they lie, and which of them have labels.

use std::ops::Range;

use crate::state::GridRange;

/// The rows, or the columns, of a heatmap that are in view, and where they lie.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GridAxis {
    /// Those in view.
    pub range: GridRange,
    /// Pixels along it.
    pub pixels: usize,
    /// Where it begins, in points.
    pub start: f32,
    /// How long it is, in points.
    pub length: f32,
}

impl GridAxis {
    /// How many colours lie along it: one for each row, or for each pixel where there are more rows.
    pub fn texels(&self) -> usize {
        self.range.count.min(self.pixels).max(1)
    }

    /// The places of the rows that share a colour.
    pub fn places(&self, texel: usize) -> Range<usize> {
        let (first, count, texels) = (self.range.first, self.range.count, self.texels());
        let at = |texel: usize| first + texel * count / texels;
        at(texel)..at(texel + 1).max(at(texel) + 1)
    }

    /// The colour at a point.
    pub fn texel_at(&self, at: f32) -> Option<usize> {
        let share = (at - self.start) / self.length.max(f32::EPSILON);
        let is_inside = (0.0..1.0).contains(&share) && self.range.count > 0;
        let last = self.texels() - 1;
        is_inside.then(|| ((share * self.texels() as f32) as usize).min(last))
    }

    /// The place of the row at a point, as a number with a fraction.
    pub fn place_at(&self, at: f32) -> f64 {
        let share = f64::from((at - self.start) / self.length.max(f32::EPSILON));
        self.range.first as f64 + share.clamp(0.0, 1.0) * self.range.count as f64
    }

    /// Where a row begins and ends, in points; nothing where it is out of view.
    pub fn span(&self, place: usize) -> Option<(f32, f32)> {
        let at = place.checked_sub(self.range.first)?;
        (at < self.range.count).then(|| (self.edge(at), self.edge(at + 1)))
    }

    /// Where the row at this place in view begins.
    fn edge(&self, at: usize) -> f32 {
        self.start + at as f32 * self.thickness()
    }

    /// How thick a row is, in points.
    pub fn thickness(&self) -> f32 {
        self.length / self.range.count.max(1) as f32
    }

    /// The places of the rows that have labels, which lie at least so many points apart: those with round numbers.
    pub fn labelled(
        &self,
        (least, stride): (f32, fn(usize) -> usize),
        number: impl Fn(usize) -> i64,
    ) -> Vec<usize> {
        let mut every = 1;
        while every as f32 * self.thickness() < least && every < self.range.count {
            every = stride(every);
        }
        let all = self.range.first..self.range.first + self.range.count;
        let mut found: Vec<usize> = Vec::new();
        for place in all.clone() {
            let is_round = number(place).rem_euclid(every as i64) == 0;
            // Where numbers are missing, round ones may lie close to each other.
            let before = found
                .last()
                .map_or(f32::INFINITY, |last| (place - last) as f32);
            if is_round && before * self.thickness() >= least {
                found.push(place);
            }
        }
        if found.len() < 2 {
            return all.step_by(every).collect();
        }
        found
    }
}

/// The next distance of labels of ranks: machines have powers of two of them.
pub const fn doubled(every: usize) -> usize {
    every * 2
}

/// The next distance of labels of steps: 1, 2, 5, 10, 20, 50 and so on.
pub fn round_number(every: usize) -> usize {
    let is_two = every.to_string().starts_with('2');
    if is_two { every / 2 * 5 } else { every * 2 }
}

/// All rows.
pub const fn whole(count: usize) -> GridRange {
    GridRange { first: 0, count }
}

/// What is in view of `all` rows.
pub fn in_view(range: Option<GridRange>, all: usize) -> GridRange {
    let Some(range) = range else {
        return whole(all);
    };
    let count = range.count.clamp(1, all.max(1)).min(all);
    GridRange {
        first: range.first.min(all - count),
        count,
    }
}

/// The view with `factor` times as many rows, of which the one at `place` stays where it is.
pub fn zoomed(range: GridRange, all: usize, (factor, place): (f64, f64)) -> GridRange {
    let wished = range.count as f64 * factor;
    let rounded = if factor > 1.0 {
        wished.ceil()
    } else {
        wished.floor()
    };
    let count = (rounded as usize).clamp(1, all.max(1)).min(all);
    let share = (place - range.first as f64) / range.count.max(1) as f64;
    let first = place - share.clamp(0.0, 1.0) * count as f64;
    GridRange {
        first: (first.round().max(0.0) as usize).min(all - count),
        count,
    }
}

/// The view further along by so many rows.
pub fn moved(range: GridRange, all: usize, by: i64) -> GridRange {
    let last = all.saturating_sub(range.count) as i64;
    let first = (range.first as i64)
        .saturating_add(by)
        .clamp(0, last.max(0));
    GridRange {
        first: first as usize,
        ..range
    }
}

/// The nearest view of as many rows that has the one at `place`.
pub fn revealing(range: GridRange, place: usize) -> GridRange {
    let last = range.first + range.count.saturating_sub(1);
    let first = if place < range.first {
        place
    } else if place > last {
        place + 1 - range.count.max(1)
    } else {
        range.first
    };
    GridRange { first, ..range }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn axis(first: usize, count: usize, pixels: usize) -> GridAxis {
        GridAxis {
            range: GridRange { first, count },
            pixels,
            start: 10.0,
            length: 100.0,
        }
    }

    #[test]
    fn each_row_has_a_colour_or_each_pixel_where_there_are_more_rows() {
        let few = axis(4, 5, 100);
        assert_eq!(few.texels(), 5);
        assert_eq!(few.places(1), 5..6);
        assert_eq!(few.texel_at(9.9), None);
        assert_eq!(few.texel_at(31.0), Some(1));
        assert_eq!(few.texel_at(109.9), Some(4));
        assert_eq!(few.texel_at(110.0), None);
        let many = axis(0, 1_050, 100);
        assert_eq!(many.texels(), 100);
        // No row is left out, and none is in two colours.
        let all: Vec<usize> = (0..100).flat_map(|it| many.places(it)).collect();
        assert_eq!(all, (0..1_050).collect::<Vec<_>>());
        assert_eq!(axis(0, 0, 100).texel_at(50.0), None);
    }

    #[test]
    fn a_row_lies_where_it_is_found() {
        let axis = axis(4, 5, 100);
        assert_eq!(axis.span(5), Some((30.0, 50.0)));
        assert_eq!((axis.span(3), axis.span(9)), (None, None));
        assert!((axis.place_at(40.0) - 5.5).abs() < 1e-6);
    }

    #[test]
    fn labels_have_room_and_are_round() {
        let labels = |axis: GridAxis, stride, number: fn(usize) -> i64| {
            axis.labelled((14.0, stride), number)
        };
        let same = |it: usize| it as i64;
        assert_eq!(labels(axis(3, 5, 100), doubled, same), [3, 4, 5, 6, 7]);
        assert_eq!(labels(axis(3, 20, 100), doubled, same), [4, 8, 12, 16, 20]);
        assert_eq!(labels(axis(0, 64, 100), doubled, same), [0, 16, 32, 48]);
        let tens = [0, 10, 20, 30, 40, 50, 60];
        assert_eq!(labels(axis(0, 64, 100), round_number, same), tens);
        // Rank 1 is missing, so 2 would lie too close to 0; where no number is round, others have labels.
        let without_one = |it: usize| it as i64 + i64::from(it > 0);
        assert_eq!(
            labels(axis(0, 10, 100), doubled, without_one),
            [0, 3, 5, 7, 9]
        );
        let odd = |it: usize| 2 * it as i64 + 1;
        assert_eq!(labels(axis(0, 10, 100), doubled, odd), [0, 2, 4, 6, 8]);
        let mut every = 1;
        let mut found = Vec::new();
        for _ in 0..6 {
            every = round_number(every);
            found.push(every);
        }
        assert_eq!(found, [2, 5, 10, 20, 50, 100]);
    }

    #[test]
    fn the_view_stays_within_all_rows() {
        let range = |first, count| GridRange { first, count };
        assert_eq!(in_view(None, 9), range(0, 9));
        assert_eq!(in_view(Some(range(7, 4)), 9), range(5, 4));
        assert_eq!(in_view(Some(range(7, 40)), 9), range(0, 9));
        assert_eq!(in_view(Some(range(7, 4)), 0), range(0, 0));
        assert_eq!(zoomed(range(0, 100), 100, (0.5, 50.0)), range(25, 50));
        assert_eq!(zoomed(range(25, 50), 100, (0.5, 25.0)), range(25, 25));
        assert_eq!(zoomed(range(90, 10), 100, (2.0, 99.0)), range(80, 20));
        assert_eq!(zoomed(range(3, 1), 100, (0.5, 3.0)), range(3, 1));
        // A view of one row grows.
        assert_eq!(zoomed(range(3, 1), 100, (1.25, 3.0)).count, 2);
        assert_eq!(moved(range(10, 5), 100, -20), range(0, 5));
        assert_eq!(moved(range(10, 5), 100, 200), range(95, 5));
        assert_eq!(revealing(range(10, 5), 3), range(3, 5));
        assert_eq!(revealing(range(10, 5), 12), range(10, 5));
        assert_eq!(revealing(range(10, 5), 20), range(16, 5));
    }
}

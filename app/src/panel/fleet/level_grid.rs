//! The colours of all cells as levels, and of those in view the greatest of each pixel.

use engine::fleet::{FleetMeasure, FleetPicture, median};

use super::colour_scale::{ColourScale, NO_VALUE};
use super::grid_axis::GridAxis;

/// The levels of all ranks in all steps, all steps of the first rank first.
#[derive(Debug, Default)]
pub struct LevelGrid {
    columns: usize,
    levels: Vec<u8>,
}

impl LevelGrid {
    /// The levels of values in so many columns.
    pub fn new(values: &[Option<i64>], columns: usize, scale: ColourScale) -> Self {
        Self {
            columns,
            levels: values.iter().map(|it| scale.level(*it)).collect(),
        }
    }

    /// The greatest level of each colour in view, all columns of the first row first.
    pub fn in_view(&self, rows: &GridAxis, columns: &GridAxis) -> Vec<u8> {
        let (height, width) = (rows.texels(), columns.texels());
        let (first, count) = (columns.range.first, columns.range.count);
        let mut found = Vec::with_capacity(height * width);
        let mut greatest = vec![NO_VALUE; count];
        for row in 0..height {
            greatest.fill(NO_VALUE);
            for place in rows.places(row) {
                let begin = place * self.columns + first;
                let levels = self.levels.get(begin..begin + count);
                for (most, level) in greatest.iter_mut().zip(levels.unwrap_or_default()) {
                    *most = (*most).max(*level);
                }
            }
            found.extend((0..width).map(|column| {
                let places = columns.places(column);
                let own = greatest.get(places.start - first..places.end - first);
                own.into_iter().flatten().copied().max().unwrap_or(NO_VALUE)
            }));
        }
        found
    }
}

/// The cell of the greatest value among those of a colour, by the places of its rank and its step; the first one where none has
/// a value.
pub fn greatest_of(
    values: &[Option<i64>],
    (rows, columns): (std::ops::Range<usize>, std::ops::Range<usize>),
    width: usize,
) -> (usize, usize) {
    let cells = rows
        .clone()
        .flat_map(|row| columns.clone().map(move |column| (row, column)));
    let value = |(row, column): (usize, usize)| values.get(row * width + column).copied().flatten();
    // The first one of several.
    let greatest = cells.rev().max_by_key(|cell| value(*cell));
    greatest.unwrap_or((rows.start, columns.start))
}

/// Over how many nanoseconds colours reach at least: a tenth of a usual step.
pub fn least_reach(picture: &FleetPicture) -> i64 {
    let mut times = picture.measures.iter();
    let times = times.find(|it| it.measure == FleetMeasure::StepTime);
    let times = times.map(|it| it.values.iter().copied().flatten().collect());
    times.map_or(0, median) / 10
}

/// The median over ranks of a measure in the step at this place.
pub fn median_of_step(picture: &FleetPicture, values: &[Option<i64>], step: usize) -> Option<i64> {
    let of_step = values.iter().skip(step).step_by(picture.steps.len().max(1));
    let of_step: Vec<i64> = of_step.copied().flatten().collect();
    (!of_step.is_empty()).then(|| median(of_step))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::panel::fleet::grid_axis::whole;

    fn axis(count: usize, pixels: usize) -> GridAxis {
        GridAxis {
            range: whole(count),
            pixels,
            start: 0.0,
            length: 100.0,
        }
    }

    #[test]
    fn a_pixel_of_several_cells_shows_the_greatest() {
        // Four ranks in three steps, of which one has no value.
        let values: Vec<Option<i64>> = (0..12).map(|it| (it != 11).then_some(it)).collect();
        let scale = ColourScale::of(&values, 0).unwrap();
        let grid = LevelGrid::new(&values, 3, scale);
        let all = grid.in_view(&axis(4, 100), &axis(3, 100));
        let levels: Vec<u8> = values.iter().map(|it| scale.level(*it)).collect();
        assert_eq!(all, levels);
        let half = grid.in_view(&axis(4, 2), &axis(3, 100));
        let level = |value| scale.level(Some(value));
        let wanted = [3, 4, 5, 9, 10, 8].map(level);
        assert_eq!(half, wanted);
        assert_eq!(grid.in_view(&axis(4, 1), &axis(3, 1)), [level(10)]);
        let mut columns = axis(3, 100);
        columns.range.first = 1;
        columns.range.count = 1;
        assert_eq!(
            grid.in_view(&axis(4, 100), &columns),
            [1, 4, 7, 10].map(level)
        );
        assert_eq!(greatest_of(&values, (0..4, 0..3), 3), (3, 1));
        assert_eq!(greatest_of(&values, (3..4, 2..3), 3), (3, 2));
    }

    #[test]
    fn the_median_is_that_of_the_ranks_in_a_step() {
        let picture = FleetPicture {
            ranks: vec![0, 1, 2, 3],
            steps: vec![1, 2],
            ..FleetPicture::default()
        };
        let values = [5, 1, 9, 1, 7, 1, 8, 1].map(Some);
        assert_eq!(median_of_step(&picture, &values, 0), Some(7));
        assert_eq!(median_of_step(&picture, &[None; 8], 0), None);
    }
}

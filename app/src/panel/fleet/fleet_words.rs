//! What measures, cells and clocks are called.

use engine::fleet::{FleetMeasure, FleetPicture, RunCoverage};
use engine::time::{Interval, Nanos};

use super::colour_scale::ColourScale;
use crate::state::FleetCell;
use crate::text::{self, measure_words};

/// What a measure sums up, in a sentence.
pub fn measure_help(measure: &FleetMeasure) -> &'static str {
    match measure {
        FleetMeasure::StepTime => "How long the step took the rank",
        FleetMeasure::Idle => {
            "How long the streams of the rank ran nothing in the step, all of them together"
        }
        FleetMeasure::IdleFor(_) => {
            "How long the streams of the rank ran nothing in the step for this cause, all of them together"
        }
        FleetMeasure::CollectiveWait => {
            "How long the rank waited for the last one in collective operations of the step"
        }
    }
}

/// A length of time.
pub fn time(nanos: i64) -> String {
    text::duration(Nanos(nanos))
}

/// How far a value lies from the median over ranks.
pub fn beyond(value: i64, median: i64) -> String {
    let by = value.saturating_sub(median);
    let side = match by {
        0 => return "as the median".to_owned(),
        1.. => "above",
        _ => "below",
    };
    let length = time(by.saturating_abs());
    if median <= 0 {
        return format!("{length} {side}");
    }
    let share = by.saturating_abs() as f64 / median as f64;
    format!("{length} ({}) {side}", text::percent(share))
}

/// Why a rank has no value in a step.
pub fn no_value(run: Option<&RunCoverage>, rank: u32) -> &'static str {
    match run {
        Some(run) if run.missing.contains(&rank) => "no value: the rank is not in the dataset",
        Some(run) if run.unfinished.contains(&rank) => {
            "no value: the conversion of the rank was not finished"
        }
        Some(run) if run.unreadable.contains(&rank) => {
            "no value: the capture of the rank could not be read"
        }
        _ => "no value: the rank has no such step",
    }
}

/// Where a cell lies in the picture: the places of its rank and its step.
pub fn places(picture: &FleetPicture, cell: FleetCell) -> Option<(usize, usize)> {
    let row = picture.ranks.binary_search(&cell.rank).ok()?;
    Some((row, picture.steps.binary_search(&cell.step).ok()?))
}

/// The cell at these places.
pub fn cell_at(picture: &FleetPicture, (row, column): (usize, usize)) -> Option<FleetCell> {
    Some(FleetCell {
        rank: *picture.ranks.get(row)?,
        step: *picture.steps.get(column)?,
    })
}

/// When a rank was in a step, on the run's clock.
pub fn step_interval(picture: &FleetPicture, cell: FleetCell) -> Option<Interval> {
    let (row, column) = places(picture, cell)?;
    let at = row * picture.steps.len() + column;
    let start = picture.starts.get(at).copied().flatten()?;
    let mut times = picture.measures.iter();
    let times = times.find(|it| it.measure == FleetMeasure::StepTime)?;
    let length = times.values.get(at).copied().flatten()?;
    Some(Interval::new(
        Nanos(start),
        Nanos(start.saturating_add(length)),
    ))
}

/// What the cells of a measure are, for those who cannot see them.
pub fn heatmap_words(picture: &FleetPicture, measure: &FleetMeasure, scale: ColourScale) -> String {
    format!(
        "Heatmap: {} of {} in {}, {} to {}",
        measure_words(measure).to_lowercase(),
        text::counted(picture.ranks.len() as u64, "rank"),
        text::counted(picture.steps.len() as u64, "step"),
        time(scale.low),
        time(scale.most)
    )
}

#[cfg(test)]
mod tests {
    use engine::fleet::MeasureGrid;

    use super::*;

    fn picture() -> FleetPicture {
        FleetPicture {
            ranks: vec![0, 3],
            steps: vec![5, 7],
            starts: vec![Some(10), Some(20), None, Some(40)],
            measures: vec![MeasureGrid {
                measure: FleetMeasure::StepTime,
                values: vec![Some(5), Some(6), None, Some(8)],
            }],
            is_clock_shared: true,
            ..FleetPicture::default()
        }
    }

    #[test]
    fn a_cell_is_found_by_its_rank_and_its_step() {
        let picture = picture();
        let cell = FleetCell { rank: 3, step: 7 };
        assert_eq!(places(&picture, cell), Some((1, 1)));
        assert_eq!(cell_at(&picture, (1, 1)), Some(cell));
        assert_eq!(cell_at(&picture, (2, 0)), None);
        let interval = Interval::new(Nanos(40), Nanos(48));
        assert_eq!(step_interval(&picture, cell), Some(interval));
        let missing = FleetCell { rank: 3, step: 5 };
        assert_eq!(step_interval(&picture, missing), None);
    }

    #[test]
    fn distances_from_the_median_have_a_side_and_a_share() {
        let plain = |value, median| beyond(value, median).replace(text::THIN, " ");
        assert_eq!(plain(1_500, 1_000), "500 ns (50 %) above");
        assert_eq!(plain(900, 1_000), "100 ns (10 %) below");
        assert_eq!(plain(7, 7), "as the median");
        assert_eq!(plain(7, 0), "7 ns above");
    }
}

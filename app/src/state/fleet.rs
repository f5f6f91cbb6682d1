//! Where the user is in a dataset: the run, what is measured, the cell that is chosen, and the part of the heatmap in view.

use std::path::PathBuf;

use engine::fleet::FleetMeasure;

/// Where the user is in a dataset.
#[derive(Clone, Debug, PartialEq)]
pub struct FleetView {
    /// The dataset's folder; nothing where a capture is on screen.
    pub root: Option<PathBuf>,
    /// The run by its name; the first one where it is empty.
    pub run: String,
    /// What the colours say.
    pub measure: FleetMeasure,
    /// The rank and the step that are chosen.
    pub cell: Option<FleetCell>,
    /// The ranks in view, by their places; nothing for all.
    pub rows: Option<GridRange>,
    /// The steps in view, by their places; nothing for all.
    pub columns: Option<GridRange>,
}

impl Default for FleetView {
    fn default() -> Self {
        Self {
            root: None,
            run: String::new(),
            measure: FleetMeasure::StepTime,
            cell: None,
            rows: None,
            columns: None,
        }
    }
}

impl FleetView {
    /// Whether a dataset is on screen.
    pub const fn is_shown(&self) -> bool {
        self.root.is_some()
    }
}

/// A rank in a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FleetCell {
    /// The rank.
    pub rank: u32,
    /// The step.
    pub step: i64,
}

/// Neighbouring rows or columns of a heatmap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GridRange {
    /// The place of the first.
    pub first: usize,
    /// How many there are.
    pub count: usize,
}

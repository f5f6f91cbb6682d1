//! What the user can want of a dataset, and which commands make sense while one is on screen.

use std::path::PathBuf;

use engine::fleet::{FleetEngine, FleetMeasure};
use engine::time::Interval;

use super::Command;
use crate::state::{FleetCell, GridRange};

/// What the user wants of the dataset on screen.
#[derive(Clone, Debug, PartialEq)]
pub enum FleetAction {
    /// A dataset was opened from this folder: begin with all of it.
    Enter(PathBuf),
    /// Show this run.
    ChooseRun(String),
    /// This engine answers from now on.
    ChooseEngine(FleetEngine),
    /// Colours say this.
    Measure(FleetMeasure),
    /// Choose a rank in a step, or nothing.
    Select(Option<FleetCell>),
    /// Show these ranks and these steps; nothing for all.
    Show(Option<GridRange>, Option<GridRange>),
    /// Read the dataset again, and ask it.
    Refresh,
    /// Stop what is asked or looked for.
    Stop,
    /// Open the capture of a rank at a time on the run's clock.
    OpenCapture(u32, Option<Interval>),
    /// Ask for the folder that captures are looked for in.
    ChooseCaptureFolder,
    /// Look for captures in this folder from now on.
    SearchIn(PathBuf),
}

/// What an action asks of the dataset on screen.
#[derive(Clone, Debug, PartialEq)]
pub enum FleetRequest {
    /// Ask for the folder of a dataset, to show it.
    ChooseDataset,
    /// Ask it for the picture of the chosen run, by the chosen engine.
    Ask,
    /// Read which ranks there are, and ask it.
    Refresh,
    /// Stop what is asked or looked for.
    Stop,
    /// Open the capture of a rank at a time on the run's clock.
    OpenCapture(u32, Option<Interval>),
    /// Ask for the folder that captures are looked for in.
    ChooseCaptureFolder,
    /// Look again for the capture that was not found.
    SearchAgain,
}

impl Command {
    /// Whether it is about a capture, of which there is none while a dataset is on screen.
    pub const fn needs_capture(self) -> bool {
        !matches!(
            self,
            Self::Open
                | Self::OpenFolder
                | Self::OpenDataset
                | Self::Record
                | Self::SaveText
                | Self::CloseTab
                | Self::Quit
                | Self::NextTab
                | Self::PreviousTab
                | Self::ResetPanels
                | Self::Theme
                | Self::ReduceMotion
                | Self::LargerInterface
                | Self::SmallerInterface
                | Self::ResetInterface
                | Self::Connect
                | Self::NextLesson
                | Self::Palette
                | Self::Clear
                | Self::Help
                | Self::Guides
        )
    }
}

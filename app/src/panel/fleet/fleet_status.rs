//! What is known of the dataset on screen, and what is asked of it now.

use std::sync::Arc;
use std::time::Instant;

use engine::fleet::{FleetDataset, FleetPicture, FoundEngine, RunCoverage};
use engine::query::SqlWatch;
use engine::time::Nanos;

use crate::state::FleetView;
use crate::text;

/// What is known of the dataset on screen.
#[derive(Debug, Default)]
pub struct FleetStatus {
    /// The engines, and which are installed; none before that was looked for.
    pub engines: Vec<FoundEngine>,
    /// The dataset, once it was read which ranks it has.
    pub dataset: Option<Arc<FleetDataset>>,
    /// What the engine answered.
    pub picture: Option<Arc<FleetPicture>>,
    /// Why there is no answer.
    pub error: Option<String>,
    /// What goes on.
    pub running: Option<RunningFleetJob>,
    /// The capture that was looked for in vain.
    pub lost_capture: Option<LostCapture>,
}

impl FleetStatus {
    /// The run that is chosen, or the first.
    pub fn run(&self, view: &FleetView) -> Option<&RunCoverage> {
        let runs = self.dataset.as_ref()?.runs();
        let chosen = runs.iter().find(|it| it.name.to_string() == view.run);
        chosen.or_else(|| runs.first())
    }
}

/// A capture of a rank that is not where it was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LostCapture {
    /// The rank.
    pub rank: u32,
    /// Why it was not found, and what to do.
    pub text: String,
    /// Whether another folder may have it.
    pub is_moved: bool,
}

/// What goes on with a dataset.
#[derive(Debug)]
pub struct RunningFleetJob {
    /// What.
    pub stage: FleetStage,
    /// Since when.
    pub began: Instant,
    /// How far it is.
    pub watch: Arc<SqlWatch>,
}

/// What is done with a dataset, one after the other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FleetStage {
    /// Which ranks there are, and which engines.
    Opening,
    /// An engine, by its name, is asked.
    Asking(&'static str),
    /// The capture of a rank is looked for.
    Searching(u32),
}

impl RunningFleetJob {
    /// What goes on, in words.
    pub fn words(&self) -> String {
        match self.stage {
            FleetStage::Opening => "Reading which ranks there are".to_owned(),
            FleetStage::Asking(engine) => format!("{engine} answers"),
            FleetStage::Searching(rank) => format!("Looking for the capture of rank {rank}"),
        }
    }

    /// How far it is, in words.
    pub fn progress(&self) -> String {
        let time = text::duration(Nanos::from_duration(self.began.elapsed()));
        match self.watch.rows() {
            0 => time,
            rows => format!("{time}, {} read", text::counted(rows, "row")),
        }
    }
}

//! What a panel may read.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use engine::analysis::Conclusions;
use engine::analysis::causes::{CauseReader, Causes, CausesTable, ChainSegment};
use engine::capture::Capture;
use engine::importer::MergedFile;
use engine::runner::Phase;
use engine::runner::far::Connection;
use engine::workload::{Document, Plan, WorkloadError};

use super::choice::BackendChoice;
use super::fit::WorkloadFit;
use super::query::AskedQuestions;
use crate::state::{AppState, Switch, WorkloadText};
use crate::theme::Theme;

/// Everything that a panel may read while it draws itself.
#[derive(Clone, Copy)]
pub struct Scene<'a> {
    /// What is known of the run or the file.
    pub capture: &'a Capture,
    /// Where the user is.
    pub state: &'a AppState,
    /// How things look.
    pub theme: &'static Theme,
    /// How the engine and the window are doing.
    pub status: &'a AppStatus,
}

impl<'a> Scene<'a> {
    /// The graph of causes, as far as it is there: of a capture that grows it may be that of a moment ago.
    pub fn reader(&self) -> Option<CauseReader<'a>> {
        let causes = self.status.why.causes.as_ref();
        causes.map(|causes| causes.read(self.capture))
    }
}

impl<'a> Scene<'a> {
    /// The workload that is chosen, unless an opened capture has nothing to do with it.
    pub fn workload(&self) -> Option<&'a WorkloadText> {
        let text = self.state.documents.text();
        text.filter(|_| !self.status.is_document)
    }

    /// The critical path where it is to be drawn, in order of time.
    pub fn path(&self) -> &'a [ChainSegment] {
        let made = self.status.why.conclusions.as_ref();
        let made = made.filter(|_| self.state.settings.is_on(Switch::Path));
        made.map_or(&[], |made| made.path.as_slice())
    }
}

/// What is concluded of the capture on screen; made in the background.
#[derive(Debug, Default)]
pub struct SceneConclusions {
    /// The graph of causes, once there is one.
    pub causes: Option<Arc<Causes>>,
    /// The analyses' answers and what the capture comes to, once they are there.
    pub conclusions: Option<Arc<Conclusions>>,
    /// Where the time of the selected range, or of the view, went; while the tab that shows it is open.
    pub table: Option<Arc<CausesTable>>,
    /// Whether another such table is being made.
    pub is_tabling: bool,
    /// How much of newer ones is done, from 0 to 1, while they are made.
    pub progress: Option<f32>,
}

impl SceneConclusions {
    /// Takes what was concluded.
    pub fn show(&mut self, made: Conclusions) {
        self.causes = Some(Arc::clone(&made.causes));
        self.conclusions = Some(Arc::new(made));
    }
}

/// How the engine and the window are doing.
#[derive(Debug, Default)]
pub struct AppStatus {
    /// What the engine is doing.
    pub phase: Phase,
    /// Whether the capture on screen comes from this window's engine, rather than from a file.
    pub is_live: bool,
    /// What the capture on screen was opened from, where it was: a file's name, or how many files.
    pub opened: Option<String>,
    /// Whether that is all there is to look at: no workload was chosen since, so that there is nothing to run.
    pub is_document: bool,
    /// Whether what runs or ran last could not be written to the file that it was to go to.
    pub is_unsaved: bool,
    /// Name of the workload that runs or ran last.
    pub running: Option<String>,
    /// The program that is recorded, while one is.
    pub program: Option<String>,
    /// How the link to the engine is, where that is in another process.
    pub connection: Option<Box<Connection>>,
    /// Each backend, and why it cannot be used where it cannot.
    pub backends: Vec<BackendChoice>,
    /// How each workload's last run went.
    pub verdicts: BTreeMap<String, RunVerdict>,
    /// Records that never arrived.
    pub lost: u64,
    /// What the last frames cost the processor, on average.
    pub frame: Duration,
    /// What became of each file that the capture on screen was read from.
    pub parts: Vec<MergedFile>,
    /// What is concluded of the capture on screen.
    pub why: SceneConclusions,
    /// What was asked in SQL.
    pub asked: AskedQuestions,
    /// What is being read, written or searched.
    pub job: Option<JobProgress>,
    /// The chosen workload's text, read.
    pub checked: CheckedWorkload,
    /// Which workloads the chosen device cannot run.
    pub fit: WorkloadFit,
}

/// How a run went.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RunVerdict {
    /// All of this many expectations held.
    Passed(usize),
    /// This many expectations did not hold.
    Missed(usize),
    /// Somebody stopped it, so that nothing was checked.
    Stopped,
    /// It ended early, for this reason.
    Failed(String),
}

/// Something that takes long enough to be shown.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct JobProgress {
    /// What is done, such as `Opening big.pftrace`.
    pub label: String,
    /// How much of it is done, from 0 to 1; unknown where there is none.
    pub progress: Option<f32>,
}

/// The chosen workload's text, read.
#[derive(Debug, Default)]
pub struct CheckedWorkload {
    /// The text that was read.
    pub source: String,
    /// The workload, where it could be read.
    pub document: Option<Document>,
    /// All that is wrong with it.
    pub errors: Vec<WorkloadError>,
    /// The names of its pipelines, in their order.
    pub pipelines: Vec<String>,
    /// The names of its streams, in their order.
    pub streams: Vec<String>,
}

impl CheckedWorkload {
    /// Reads `source`, unless it is what was read last.
    pub fn update(&mut self, name: &str, source: &str) {
        if self.source == source && (self.document.is_some() || !self.errors.is_empty()) {
            return;
        }
        source.clone_into(&mut self.source);
        match Document::parse(name, source) {
            Ok(document) => {
                let plan = document.plan(&[]);
                (self.pipelines, self.streams) = plan.as_ref().map(names).unwrap_or_default();
                self.errors = plan.err().unwrap_or_default();
                self.document = Some(document);
            }
            Err(errors) => {
                self.errors = errors;
                self.document = None;
            }
        }
    }
}

/// The names of a workload's pipelines and streams.
fn names(plan: &Plan) -> (Vec<String>, Vec<String>) {
    let pipelines = plan.pipelines.iter().map(|it| it.name.clone());
    let streams = plan.streams.iter().map(|it| it.name.clone());
    (pipelines.collect(), streams.collect())
}

//! What a panel may read.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use engine::analysis::causes::{CauseReader, Causes, CausesTable, ChainSegment};
use engine::analysis::{Conclusions, HostLevel};
use engine::capture::Capture;
use engine::importer::MergedFile;
use engine::lesson::{LocalizedText, TextLanguage};
use engine::runner::far::Connection;
use engine::runner::{Phase, WindowStatus};
use engine::time::{Interval, Nanos};
use engine::workload::{Document, Plan, WorkloadError};

use super::backend_choice::BackendChoice;
use super::fleet::FleetStatus;
use super::query::AskedQuestions;
use super::requirements::WorkloadFit;
use super::search::FoundSpans;
use crate::state::{AppState, OpenedFiles, Switch, WorkloadText};
use crate::text;
use crate::theme::Theme;
use crate::timeline::ArrowTally;

/// Everything that a panel may read while it draws itself.
#[derive(Clone, Copy)]
pub struct Scene<'a> {
    /// What is known of the run or the file.
    pub capture: &'a Arc<Capture>,
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
    /// The language that the user reads.
    pub fn language(&self) -> TextLanguage {
        self.state.language()
    }

    /// An English sentence in that language, where it is translated.
    pub fn tr(&self, english: &'static str) -> &'static str {
        text::tr(self.language(), english)
    }

    /// A lesson's sentence in that language.
    pub fn said<'t>(&self, text: &'t LocalizedText) -> &'t str {
        text.get(self.language())
    }

    /// The workload that is chosen, unless an opened capture has nothing to do with it.
    pub fn workload(&self) -> Option<&'a WorkloadText> {
        let text = self.state.documents.text();
        text.filter(|_| !self.status.is_document)
    }

    /// Whether the capture on screen is of a run of the chosen workload, or nothing is on screen yet that could be of
    /// another one.
    pub fn is_of_chosen(&self) -> bool {
        let (run, text) = (self.capture.run(), self.workload());
        match (run, text) {
            (Some(run), Some(text)) => run.name == text.name,
            (None, Some(_)) => self.status.opened.is_none() && self.capture.lanes().is_empty(),
            (_, None) => false,
        }
    }

    /// What the capture on screen is of, where that is not the chosen workload.
    pub fn other_picture(&self) -> Option<&'a str> {
        if self.status.is_document || self.is_of_chosen() {
            return None;
        }
        let run = self.capture.run().map(|run| run.name.as_str());
        self.status.opened.as_deref().or(run)
    }

    /// Whether the capture on screen takes records, which it cannot while a thread shares it.
    pub fn grows(&self) -> bool {
        self.status.grows() || self.status.loading.is_some()
    }

    /// The file that is being read into what is on screen.
    pub fn reading(&self) -> Option<&'a str> {
        self.status.loading.as_deref()
    }

    /// The critical path of the stretch that is chosen, or else of all of the capture, in order of time; nothing while it is
    /// not known.
    pub fn critical_path(&self) -> Option<&'a [ChainSegment]> {
        let why = &self.status.why;
        if self.state.stretch().is_none() {
            let made = why.conclusions.as_ref()?;
            return Some(made.path.as_slice());
        }
        let path = why.path.as_ref()?;
        // A view moves on and on, and its path comes after it; that of another range is not this one's.
        let is_of_it = match (self.state.selection.range, why.causes.as_ref()) {
            (Some(range), Some(causes)) => path.within == stretch_within(range, causes.extent()),
            (Some(_), None) => false,
            (None, _) => true,
        };
        is_of_it.then_some(path.segments.as_slice())
    }

    /// That path where it is to be drawn.
    pub fn path(&self) -> &'a [ChainSegment] {
        let path = self.critical_path();
        let path = path.filter(|_| self.state.settings.is_on(Switch::Path));
        path.unwrap_or_default()
    }
}

/// What of a stretch is told about where `all` is the time in which anything happened: nothing of it where they do not meet.
pub fn stretch_within(stretch: Interval, all: Interval) -> Interval {
    let none = Interval {
        end: stretch.start,
        ..stretch
    };
    stretch.intersection(all).unwrap_or(none)
}

/// The critical path of a stretch of time.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct StretchPath {
    /// The stretch.
    pub within: Interval,
    /// The path, in order of time.
    pub segments: Vec<ChainSegment>,
}

/// What is concluded of the capture on screen; made in the background.
#[derive(Debug, Default)]
pub struct SceneConclusions {
    /// The graph of causes, once there is one.
    pub causes: Option<Arc<Causes>>,
    /// The analyses' answers and what the capture comes to, once they are there.
    pub conclusions: Option<Arc<Conclusions>>,
    /// Where the time of the stretch that is asked about went; while the tab that shows it is open.
    pub table: Option<Arc<CausesTable>>,
    /// The critical path of that stretch.
    pub path: Option<Arc<StretchPath>>,
    /// Whether another such table or path is being made.
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

/// What a capture tells of that not every one does; nothing while it grows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CaptureContents {
    /// The sort of the first range of the host, where it has one.
    pub host_level: Option<HostLevel>,
    /// Whether it tells of allocators.
    pub tells_memory: bool,
}

/// How the engine and the window are doing.
#[derive(Debug, Default)]
pub struct AppStatus {
    /// What the engine is doing.
    pub phase: Phase,
    /// The tab that was open when what runs or ran last began.
    pub tab_at_start: String,
    /// Whether the capture on screen comes from this window's engine, rather than from a file.
    pub is_live: bool,
    /// What the capture on screen was opened from, where it was: a file's name, or how many files.
    pub opened: Option<String>,
    /// Whether that is all there is to look at: no workload was chosen since, so that there is nothing to run.
    pub is_document: bool,
    /// The files that are being read into it, while they are.
    pub loading: Option<String>,
    /// What says which capture it is, by what its files hold; nothing where it was not read from files.
    pub content: Option<String>,
    /// Every capture that is open, and which of them is on screen.
    pub tabs: Vec<TabLabel>,
    /// The position of the tab on screen.
    pub tab: usize,
    /// Whether what runs or ran last could not be written to the file that it was to go to.
    pub is_unsaved: bool,
    /// Name of the workload that runs or ran last.
    pub running: Option<String>,
    /// The program that is recorded, while one is.
    pub program: Option<String>,
    /// How what is kept of it is, where somebody decides that meanwhile.
    pub window: Option<WindowStatus>,
    /// How the link to the engine is, where that is in another process.
    pub connection: Option<Box<Connection>>,
    /// Each backend, and why it cannot be used where it cannot.
    pub backends: Vec<BackendChoice>,
    /// How each workload's last run went.
    pub verdicts: BTreeMap<String, RunVerdict>,
    /// The least calls a second that host threads were slowed down to during what is on screen; nothing where they never were.
    pub slowest: Option<f64>,
    /// Records that never arrived.
    pub lost: u64,
    /// What the last frames cost the processor, on average.
    pub frame: Duration,
    /// What became of each file that the capture on screen was read from.
    pub parts: Vec<MergedFile>,
    /// Whether those files have changed since.
    pub files: OpenedFiles,
    /// What is concluded of the capture on screen.
    pub why: SceneConclusions,
    /// What the capture on screen tells of.
    pub contents: CaptureContents,
    /// What is found of what is searched for.
    pub found: FoundSpans,
    /// What is known of the dataset on screen.
    pub fleet: FleetStatus,
    /// What was asked in SQL.
    pub asked: AskedQuestions,
    /// What lies in the selected range, once it is counted.
    pub measure: Option<RangeMeasure>,
    /// What is drawn of all arrows, where they are.
    pub arrows: Option<ArrowTally>,
    /// What is being read, written or searched.
    pub job: Option<JobProgress>,
    /// The chosen workload's text, read.
    pub checked: CheckedWorkload,
    /// Which workloads the chosen device cannot run.
    pub fit: WorkloadFit,
}

impl AppStatus {
    /// That the host threads of what is on screen were slowed down, in words: what was measured is of that.
    pub fn slowed(&self) -> Option<String> {
        let calls = self.slowest.filter(|_| self.is_live)?;
        let calls = text::counted(calls.round() as u64, "call");
        Some(format!(
            "The host was slowed down to {calls} a second: what is said of the host and of idle time is of that"
        ))
    }

    /// Notes that host threads make so many calls a second from now on.
    pub fn slow_down(&mut self, calls: Option<f64>) {
        self.slowest = calls.into_iter().chain(self.slowest).reduce(f64::min);
    }

    /// Whether a run adds to the capture on screen.
    pub fn grows(&self) -> bool {
        self.is_live && matches!(self.phase, Phase::Running | Phase::Stopping)
    }
}

/// What lies in a range of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RangeMeasure {
    /// The range.
    pub range: Interval,
    /// How many spans overlap it.
    pub spans: usize,
    /// The lengths that they have inside the range, added up.
    pub sum: Nanos,
}

/// What a tab is called.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TabLabel {
    /// Its file's name, or the workload that ran in it.
    pub name: String,
    /// Whether it shows this window's own run.
    pub is_run: bool,
    /// Whether it shows a dataset.
    pub is_dataset: bool,
}

/// How a run went.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RunVerdict {
    /// No expectation was missed.
    Passed {
        /// So many held.
        held: usize,
        /// Of so many the run could not tell.
        not_judged: usize,
    },
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
    /// How fast it goes, such as `120 MB/s`; empty where nobody knows.
    pub rate: String,
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
    /// What it expects of a run, as written.
    pub expectations: Vec<String>,
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
                let expected = plan.iter().flat_map(|plan| &plan.expectations);
                self.expectations = expected.map(|it| it.text.clone()).collect();
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

//! Datasets that are opened, each in a tab of its own: read, asked and searched by threads of their own.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::task::Poll;
use std::time::{Duration, Instant};

use eframe::egui::Context;
use engine::fleet::{
    FleetDataset, FleetError, FleetPicture, FoundEngine, RankCapture, fleet_picture, found_engines,
};
use engine::query::{SqlLimits, SqlWatch, StopReason};
use engine::time::Interval;

use super::App;
use super::files::name;
use crate::action::{Action, FleetAction, FleetRequest};
use crate::background::BackgroundAnswer;
use crate::capture_link::CaptureLink;
use crate::panel::{FleetStage, LostCapture, RunningFleetJob, engine_to_ask};
use crate::state::FilePurpose;

/// How often it is looked how far a thread is.
const LOOK: Duration = Duration::from_millis(100);
/// How long an engine may take.
const LONGEST: Duration = Duration::from_mins(10);
/// So many rows may an answer have: ten thousand ranks in a thousand steps, idle for several causes.
const MOST_ROWS: u64 = 200_000_000;

/// What a thread found.
enum FleetAnswer {
    /// Which ranks there are, and which engines.
    Dataset(Result<FleetDataset, FleetError>, Vec<FoundEngine>),
    /// What a run comes to.
    Picture(Result<Box<FleetPicture>, FleetError>),
    /// Where the capture of a rank is.
    Capture(Result<(PathBuf, RankCapture), FleetError>),
}

/// A thread, and how to stop it.
struct FleetThread {
    answer: BackgroundAnswer<FleetAnswer>,
    watch: Arc<SqlWatch>,
}

impl Drop for FleetThread {
    fn drop(&mut self) {
        self.watch.cancel();
    }
}

/// What goes on with the dataset of a tab.
#[derive(Default)]
pub(super) struct FleetJob {
    thread: Option<FleetThread>,
    /// The rank whose capture is looked for, and when on the run's clock.
    goal: Option<(u32, Option<Interval>)>,
}

impl App {
    /// Opens datasets, each in a tab of its own; says so where a folder is none.
    pub(super) fn open_datasets(&mut self, folders: Vec<PathBuf>) {
        for folder in folders {
            if FleetDataset::is_dataset(&folder) {
                self.open_dataset(&folder);
            } else {
                self.tell(true, FleetError::NoDataset(folder).to_string());
            }
        }
    }

    fn open_dataset(&mut self, folder: &Path) {
        // Started from elsewhere, the same words would name another folder.
        let root = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
        if let Some(place) = self.tab_of_dataset(&root) {
            return self.turn_to_tab(place);
        }
        self.new_tab();
        self.status.is_document = true;
        self.status.opened = Some(format!("Fleet: {}", name(&root)));
        self.label_tabs();
        let enter = Action::Fleet(FleetAction::Enter(root.clone()));
        self.act(vec![enter, Action::Remember(root)], None);
    }

    /// Does what was asked of the dataset on screen.
    pub(super) fn grant_fleet(&mut self, request: &FleetRequest, context: Option<&Context>) {
        match request {
            FleetRequest::ChooseDataset => self.ask(FilePurpose::OpenDataset, ""),
            FleetRequest::Refresh => self.read_dataset(context),
            FleetRequest::Ask => self.ask_dataset(context),
            FleetRequest::Stop => {
                self.fleet.goal = None;
                self.status.fleet.lost_capture = None;
                self.stop_fleet();
            }
            FleetRequest::OpenCapture(rank, at) => {
                self.fleet.goal = Some((*rank, *at));
                self.search_capture(context);
            }
            FleetRequest::SearchAgain => self.search_capture(context),
            FleetRequest::ChooseCaptureFolder => self.ask(FilePurpose::SearchCaptures, ""),
        }
    }

    fn stop_fleet(&mut self) {
        let running = self.status.fleet.running.take();
        self.fleet.thread = None;
        let asks = running.is_some_and(|it| !matches!(it.stage, FleetStage::Searching(_)));
        if asks && self.status.fleet.picture.is_none() {
            let text = FleetError::Cut(StopReason::Cancelled).to_string();
            self.status.fleet.error = Some(text);
        }
    }

    fn begin_fleet(
        &mut self,
        (stage, watch, context): (FleetStage, Arc<SqlWatch>, Option<&Context>),
        work: impl FnOnce() -> FleetAnswer + Send + 'static,
    ) {
        let answer = BackgroundAnswer::new("fleet", context, work);
        self.status.fleet.running = Some(RunningFleetJob {
            stage,
            began: Instant::now(),
            watch: Arc::clone(&watch),
        });
        self.fleet.thread = Some(FleetThread { answer, watch });
    }

    fn read_dataset(&mut self, context: Option<&Context>) {
        let Some(root) = self.state.fleet.root.clone() else {
            return;
        };
        self.status.fleet.error = None;
        let work = move || {
            let dataset = FleetDataset::open(&root);
            FleetAnswer::Dataset(dataset, found_engines())
        };
        self.begin_fleet((FleetStage::Opening, Arc::default(), context), work);
    }

    fn ask_dataset(&mut self, context: Option<&Context>) {
        let status = &mut self.status.fleet;
        let Some(dataset) = status.dataset.clone() else {
            return;
        };
        let Some(run) = status.run(&self.state.fleet).map(|it| it.name.clone()) else {
            return;
        };
        let engine = engine_to_ask(&status.engines, &self.state.settings.fleet_engine);
        if status
            .picture
            .as_ref()
            .is_some_and(|it| it.run != run.to_string())
        {
            status.picture = None;
        }
        status.error = None;
        let watch: Arc<SqlWatch> = Arc::default();
        let watched = Arc::clone(&watch);
        let limits = SqlLimits {
            time: LONGEST,
            rows: MOST_ROWS,
            ..SqlLimits::default()
        };
        let stage = FleetStage::Asking(engine.title());
        self.begin_fleet((stage, watch, context), move || {
            let picture = fleet_picture(&dataset, &run, &engine, limits, &watched);
            FleetAnswer::Picture(picture.map(Box::new))
        });
    }

    fn search_capture(&mut self, context: Option<&Context>) {
        let Some((rank, _)) = self.fleet.goal else {
            return;
        };
        let status = &mut self.status.fleet;
        let Some(dataset) = status.dataset.clone() else {
            return;
        };
        let Some(run) = status.run(&self.state.fleet).map(|it| it.name.clone()) else {
            return;
        };
        status.lost_capture = None;
        let below = self.state.settings.capture_folder.clone();
        let watch: Arc<SqlWatch> = Arc::default();
        let watched = Arc::clone(&watch);
        self.begin_fleet((FleetStage::Searching(rank), watch, context), move || {
            let capture = dataset.rank_capture(&run, rank);
            let found = capture.and_then(|it| Ok((it.find(below.as_deref(), &watched)?, it)));
            FleetAnswer::Capture(found)
        });
    }

    /// Takes what a thread found of the dataset on screen. Of others it is taken once they are shown.
    pub(super) fn hear_fleet(&mut self, context: &Context) {
        let Some(thread) = &self.fleet.thread else {
            return;
        };
        let answer = match thread.answer.poll() {
            Poll::Pending => return context.request_repaint_after(LOOK),
            Poll::Ready(answer) => answer,
        };
        self.fleet.thread = None;
        self.status.fleet.running = None;
        match answer {
            Some(FleetAnswer::Dataset(dataset, engines)) => {
                self.dataset_read(dataset, engines, context);
            }
            Some(FleetAnswer::Picture(picture)) => self.picture_answered(picture.map(|it| *it)),
            Some(FleetAnswer::Capture(found)) => self.capture_found(found),
            None => {
                let text = "no thread could be started; close other programs, and read it again";
                self.status.fleet.error = Some(text.to_owned());
            }
        }
        context.request_repaint();
    }

    fn dataset_read(
        &mut self,
        dataset: Result<FleetDataset, FleetError>,
        engines: Vec<FoundEngine>,
        context: &Context,
    ) {
        self.know_engines(engines);
        match dataset {
            Ok(dataset) => {
                self.status.fleet.dataset = Some(Arc::new(dataset));
                self.ask_dataset(Some(context));
            }
            Err(error) => self.status.fleet.error = Some(error.to_string()),
        }
    }

    /// Takes which engines are installed.
    pub fn know_engines(&mut self, engines: Vec<FoundEngine>) {
        self.status.fleet.engines = engines;
    }

    fn picture_answered(&mut self, picture: Result<FleetPicture, FleetError>) {
        let status = &mut self.status.fleet;
        match picture {
            Ok(mut picture) => {
                if !self.is_timed {
                    picture.time = Duration::ZERO;
                }
                status.picture = Some(Arc::new(picture));
            }
            Err(error) => status.error = Some(error.to_string()),
        }
    }

    /// The capture of a rank was found: it is opened at the time that was asked for.
    fn capture_found(&mut self, found: Result<(PathBuf, RankCapture), FleetError>) {
        let Some((rank, at)) = self.fleet.goal else {
            return;
        };
        match found {
            Ok((path, capture)) => {
                self.fleet.goal = None;
                let origin = engine::time::Nanos(capture.clock_origin.unwrap_or(0));
                let at = at.map(|it| Interval::new(it.start - origin, it.end - origin));
                self.open_link(CaptureLink {
                    files: vec![path],
                    at,
                    span: None,
                });
            }
            Err(error) => {
                self.status.fleet.lost_capture = Some(LostCapture {
                    rank,
                    is_moved: matches!(error, FleetError::Moved { .. }),
                    text: lost_words(&error),
                });
            }
        }
    }
}

/// Why a capture was not found, and what the window can do.
fn lost_words(error: &FleetError) -> String {
    let FleetError::Moved { path, below } = error else {
        return error.to_string();
    };
    let path = path.display();
    let words = format!("{path} is not there, or has other content than when it was converted");
    match below {
        None => format!("{words}. Choose the folder that the captures are in now"),
        Some(below) => format!(
            "{words}, and no file below {} has that content. Choose another folder, or convert the capture again",
            below.display()
        ),
    }
}

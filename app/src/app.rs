//! The window: owns the capture, the state, the panels and the engine, and hands each what it needs.

mod asking;
mod bars;
mod file_opening;
mod file_watch;
mod files;
mod fleet;
mod layout;
mod lessons;
mod link;
mod measuring;
mod projecting;
mod reference_run;
mod requests;
mod start;
mod tabs;
mod view_store;
mod why;

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use eframe::egui::{self, Context, Ui, ViewportBuilder};
use engine::capture::Capture;
use engine::lesson::TextLanguage;
use engine::runner::{Control, ProgramRequest};

pub use link::EngineLink;

use crate::action::{self, Action, Command, LessonAction};
use crate::apply::{apply, end_frame, keep_up};
use crate::capture_link::CaptureLink;
use crate::panel::{
    AppStatus, CaptureContents, FleetPanel, NameSearch, PANELS, Panel, Scene, SceneConclusions,
};
use crate::state::{AppState, OverlayWindow, Settings, ThemeChoice, UnsavedRisk};
use crate::theme;
use crate::timeline::{Areas, Timeline, theme_of};
use asking::QuestionJob;
use file_watch::FileWatch;
use files::FileJobs;
use fleet::FleetJob;
use lessons::LessonJob;
use measuring::RangeJob;
use projecting::ProjectionJob;
use reference_run::ReferenceRun;
use start::Greeting;
use tabs::Tabs;
use view_store::KeptViews;
use why::ConclusionsJob;

/// Where the settings are kept between starts.
const SETTINGS: &str = "settings";
/// Time of a frame that messages of the engine may take.
const BUDGET: Duration = Duration::from_millis(4);

/// The window.
pub struct App {
    capture: Arc<Capture>,
    state: AppState,
    status: AppStatus,
    timeline: Timeline,
    panels: Vec<Box<dyn Panel>>,
    search: NameSearch,
    link: Option<EngineLink>,
    files: FileJobs,
    watch: FileWatch,
    concluding: ConclusionsJob,
    asking: QuestionJob,
    fleet: FleetJob,
    fleet_panel: FleetPanel,
    measuring: RangeJob,
    projecting: ProjectionJob,
    lesson_job: LessonJob,
    reference: ReferenceRun,
    /// Whether a newcomer is told what the first run shows.
    greeting: Greeting,
    tabs: Tabs,
    kept: KeptViews,
    /// What the window is called.
    title: String,
    /// Whether the first workload is still to be run.
    is_first: bool,
    /// Whether the window may close although texts were not saved: the user or the system said so.
    may_close: Arc<AtomicBool>,
    /// Whether the settings are written at once: the user gave an answer that holds for good.
    saves_now: bool,
    /// Whether frames are timed; pictures that are compared must not tell the time.
    is_timed: bool,
    /// How the program ended that was recorded last, as a shell has it.
    exit: Arc<OnceLock<i32>>,
    /// Where to go once the files of a link are open.
    goal: Option<CaptureLink>,
}

/// A frame that comes later than this, in seconds, moves what is played no further.
const MOST_STEP: f32 = 0.1;

/// Says whether a window is to close; nothing where nobody but its user does that.
pub type CloseCheck = Option<fn() -> bool>;

/// How often it is looked whether the window is to close.
const LOOK: Duration = Duration::from_millis(100);

/// What a window opens with.
pub enum InitialContent {
    /// Captures and workloads; without any, the first workload that overlaps copies and kernels runs.
    Files(Vec<PathBuf>),
    /// Captures that are read again whenever they change.
    FollowedFiles(Vec<PathBuf>),
    /// A capture that is at hand.
    Capture(Box<Capture>),
    /// A program that is recorded while the window shows it.
    Program(Box<ProgramRequest>),
    /// A place of a capture.
    Link(CaptureLink),
}

/// What a desktop shows for the window where it does not go by the desktop entry.
fn icon() -> egui::IconData {
    let bytes = include_bytes!("../../assets/icons/syncline.png");
    // A test holds that it can be read; without it the window has no icon.
    eframe::icon_data::from_png_bytes(bytes).unwrap_or_default()
}

/// Opens the window, and in it what is wanted first.
///
/// Answers how the program ended that it was opened to record, as a shell has it, and 2 where it could not be started;
/// nothing where it had none, or was closed before that had ended. It closes by itself once `is_over` comes true.
///
/// # Errors
/// There is no display, or no way to draw on it.
pub fn open_window(first: InitialContent, is_over: CloseCheck) -> anyhow::Result<Option<i32>> {
    let options = eframe::NativeOptions {
        viewport: ViewportBuilder::default()
            .with_title("Syncline")
            .with_app_id("syncline")
            .with_icon(icon())
            .with_inner_size([1440.0, 900.0])
            .with_min_inner_size([800.0, 500.0])
            .with_drag_and_drop(true),
        persist_window: true,
        ..eframe::NativeOptions::default()
    };
    // What draws the window asks for Vulkan's devices as well.
    engine::backend::silence_wayland();
    let exit: Arc<OnceLock<i32>> = Arc::default();
    let told = Arc::clone(&exit);
    let make: eframe::AppCreator<'_> = Box::new(move |creation| {
        let settings = creation
            .storage
            .and_then(|storage| eframe::get_value(storage, SETTINGS));
        let link = EngineLink::start(&creation.egui_ctx);
        let mut app = App::new(&creation.egui_ctx, settings.unwrap_or_default(), Some(link));
        app.exit = told;
        app.state.system_language = TextLanguage::of_system();
        app.kept = KeptViews::new(eframe::storage_dir("syncline").map(|it| it.join("views")));
        app.begin(first);
        close_with(&creation.egui_ctx, is_over, Arc::clone(&app.may_close));
        Ok(Box::new(app))
    });
    let closed = eframe::run_native("Syncline", options, make);
    closed.map_err(|error| anyhow::anyhow!("{error}"))?;
    Ok(exit.get().copied())
}

/// Closes the window once `is_over` comes true.
fn close_with(context: &Context, is_over: CloseCheck, may_close: Arc<AtomicBool>) {
    let Some(is_over) = is_over else { return };
    let context = context.clone();
    let watch = move || {
        while !is_over() {
            std::thread::sleep(LOOK);
        }
        may_close.store(true, Ordering::SeqCst);
        context.send_viewport_cmd(egui::ViewportCommand::Close);
    };
    // Without the thread the system's signal is left to the window's button.
    let _ = std::thread::Builder::new()
        .name("termination".to_owned())
        .spawn(watch);
}

impl App {
    /// A window with the bundled workloads and nothing run yet. Without a link to an engine nothing can be run.
    pub fn new(context: &Context, settings: Settings, link: Option<EngineLink>) -> Self {
        theme::install(context);
        let mut app = Self {
            capture: Arc::default(),
            state: AppState {
                settings,
                documents: start::documents(),
                ..AppState::default()
            },
            status: AppStatus::default(),
            timeline: Timeline::default(),
            panels: PANELS.iter().map(|make| make()).collect(),
            search: NameSearch::default(),
            link,
            files: FileJobs::new(context),
            watch: FileWatch::default(),
            concluding: ConclusionsJob::default(),
            asking: QuestionJob::default(),
            fleet: FleetJob::default(),
            fleet_panel: FleetPanel::default(),
            measuring: RangeJob::default(),
            projecting: ProjectionJob::default(),
            lesson_job: LessonJob::default(),
            reference: ReferenceRun::default(),
            greeting: Greeting::default(),
            tabs: Tabs::default(),
            kept: KeptViews::default(),
            title: "Syncline".to_owned(),
            is_first: false,
            may_close: Arc::default(),
            is_timed: true,
            saves_now: false,
            exit: Arc::default(),
            goal: None,
        };
        app.check_text();
        app.label_tabs();
        app
    }

    /// The same window with where the user was in each capture kept in this folder.
    #[must_use]
    pub fn keeping_views_in(mut self, folder: PathBuf) -> Self {
        self.kept = KeptViews::new(Some(folder));
        self
    }

    /// The same window as at a start, where a newcomer is told what the first run shows.
    #[must_use]
    pub const fn greeting(mut self) -> Self {
        self.greeting = Greeting::Due;
        self
    }

    /// Shows what is wanted first, or runs the workload that is chosen at the start; asks which backends there are
    /// meanwhile.
    fn begin(&mut self, first: InitialContent) {
        self.files.probe();
        match first {
            InitialContent::Files(files) if files.is_empty() => {
                self.greeting = Greeting::Due;
                // It runs once it is known which devices are here.
                self.is_first = true;
            }
            InitialContent::Files(files) => self.act(vec![Action::OpenFiles(files)], None),
            InitialContent::FollowedFiles(files) => {
                self.watch.follows_all = true;
                self.act(vec![Action::OpenFiles(files)], None);
            }
            InitialContent::Capture(capture) => self.replace(*capture),
            InitialContent::Program(request) => self.conduct(*request),
            InitialContent::Link(link) => self.act(vec![Action::FollowLink(link)], None),
        }
    }

    /// Has the engine record a program.
    fn conduct(&mut self, request: ProgramRequest) {
        self.status.program = Some(request.name());
        self.control(Control::Record(Box::new(request)));
    }

    /// The capture on screen, the state and how things are; for tests and pictures.
    pub fn scene(&self) -> Scene<'_> {
        Scene {
            capture: &self.capture,
            state: &self.state,
            theme: theme_of(&self.state),
            status: &self.status,
        }
    }

    /// Where the parts of the timeline lay in the last frame; for tests.
    pub fn timeline_areas(&self) -> Areas {
        self.timeline.areas()
    }

    /// The same window without the cost of a frame in it, so that its pictures are the same each time.
    #[must_use]
    pub fn untimed(mut self) -> Self {
        self.is_timed = false;
        self
    }

    /// Applies `actions` as if the user had asked for them.
    pub fn act(&mut self, actions: Vec<Action>, context: Option<&Context>) {
        for action in actions {
            // Who chooses a workload wants to see it run, which is not shown in the place of a file.
            let shows_run = match action {
                Action::Choose(_)
                | Action::Run(_)
                | Action::Adopt(_)
                | Action::Lesson(LessonAction::Take(_))
                | Action::Command(Command::NextLesson) => true,
                Action::Lesson(LessonAction::GoOn) | Action::Command(Command::LessonStep) => {
                    self.state.lesson.is_some()
                }
                _ => false,
            };
            if shows_run {
                self.show_run_tab();
            }
            let request = apply(&mut self.state, &self.capture, action);
            if shows_run {
                self.turn_to_chosen();
            }
            if let Some(request) = request {
                self.grant(request, context);
            }
        }
        self.check_text();
    }

    /// The window is called as the capture that was opened in it.
    fn name_window(&mut self, context: &Context) {
        let opened = self.status.opened.as_ref().filter(|_| !self.status.is_live);
        let title = opened.map_or_else(|| "Syncline".to_owned(), |it| format!("{it} - Syncline"));
        if self.title != title {
            context.send_viewport_cmd(egui::ViewportCommand::Title(title.clone()));
            self.title = title;
        }
    }

    /// Asks first where closing the window would throw away what was not saved.
    fn guard_closing(&mut self, context: &Context) {
        let is_closing = context.input(|input| input.viewport().close_requested());
        if !is_closing || self.may_close.load(Ordering::SeqCst) {
            return;
        }
        if self.state.documents.unsaved().next().is_some() {
            context.send_viewport_cmd(egui::ViewportCommand::CancelClose);
            self.act(vec![Action::AskUnsaved(UnsavedRisk::Closing)], None);
        }
    }

    /// Puts another capture on screen; what was chosen in the one before is forgotten.
    pub fn replace(&mut self, capture: Capture) {
        self.show_capture(Arc::new(capture));
        self.act(vec![Action::Renew], None);
    }

    /// Puts a capture on screen and forgets what was found in the one before.
    fn show_capture(&mut self, capture: Arc<Capture>) {
        self.capture = capture;
        self.search.renew();
        self.concluding = ConclusionsJob::default();
        self.measuring = RangeJob::default();
        self.projecting = ProjectionJob::default();
        self.status.measure = None;
        self.asking.forget(&mut self.status);
        self.status.asked.answer = None;
        self.status.why = SceneConclusions::default();
    }

    fn check_text(&mut self) {
        if let Some(text) = self.state.documents.text() {
            self.status.checked.update(&text.name, &text.source);
        }
        self.status.fit.update(&self.state, &self.status.backends);
    }

    /// Takes what the engine and the file threads have to say, for at most a few milliseconds.
    fn listen(&mut self, context: &Context) {
        let end = Instant::now() + BUDGET;
        if self.drain(end) || self.hear_files() {
            context.request_repaint();
        }
        self.hear_watch(context);
        keep_up(&mut self.state, &self.capture);
        // Of a file that is being read there will be another picture in a moment.
        if self.status.loading.is_none() {
            self.concluding
                .advance(&self.capture, &mut self.status, context);
            let seen = (&self.state, &mut self.status);
            self.concluding.tabulate(&self.capture, seen, context);
        }
        let seen = (&mut self.status, self.is_timed);
        self.asking.advance(seen, context);
        self.hear_fleet(context);
        let range = self.state.selection.range;
        let grows = self.scene().grows();
        let measure = &mut self.status.measure;
        self.measuring
            .advance((&self.capture, grows), range, measure, context);
        self.status.contents = CaptureContents {
            host_level: self.projecting.first_level(&self.capture, grows),
            tells_memory: self.projecting.tells_memory(&self.capture, grows),
        };
        let of = (&self.capture, grows);
        let projected = self.projecting.advance(of, &self.state, context);
        if let Some(projected) = projected {
            self.act(vec![projected], None);
        }
        let searched = self
            .search
            .advance(&self.capture, &self.state.search, BUDGET / 2);
        self.status.found = self.search.found();
        if !searched {
            context.request_repaint();
        }
        self.hear_lesson(context);
        let backend = self.status.backend(&self.state.settings);
        self.reference.advance(&self.state, backend, context);
        self.play_on(context);
    }

    /// Moves the head of what is played, and asks for the next frame.
    fn play_on(&mut self, context: &Context) {
        if self.state.playback.is_some_and(|play| play.is_playing) {
            let seconds = context.input(|input| input.stable_dt.min(MOST_STEP));
            let step = Action::AdvancePlayback(f64::from(seconds));
            self.act(vec![step], Some(context));
            context.request_repaint();
        }
    }

    /// Keys and dropped files.
    fn input(&self, context: &Context) -> Vec<Action> {
        let dropped: Vec<PathBuf> = context.input(|input| {
            let files = input.raw.dropped_files.iter();
            files.map(|file| file.path().to_path_buf()).collect()
        });
        let mut actions = Vec::new();
        if !dropped.is_empty() {
            actions.push(Action::OpenFiles(dropped));
        }
        if !context.egui_wants_keyboard_input() {
            let pressed = context.input(action::pressed).into_iter();
            // What is behind a question waits until that is answered.
            let asks = self.state.window.is_some_and(OverlayWindow::asks);
            // Escape closes a menu that is open, and nothing behind it.
            let is_menu = egui::Popup::is_any_open(context);
            let pressed = pressed.filter(|it| !is_menu || *it != Command::Clear);
            let heard = pressed.filter(|it| !asks || matches!(it, Command::Clear | Command::Quit));
            actions.extend(heard.map(Action::from));
        }
        actions
    }
}

impl App {
    /// Shows the chosen theme, in the frame that has begun in the other one too.
    fn show_theme(&self, ui: &mut Ui) {
        let theme = match self.state.settings.theme {
            ThemeChoice::Dark => egui::Theme::Dark,
            ThemeChoice::Light => egui::Theme::Light,
        };
        if ui.ctx().theme() != theme {
            ui.ctx().set_theme(theme);
            ui.set_style(ui.ctx().style_of(theme));
        }
    }
}

impl eframe::App for App {
    fn logic(&mut self, context: &Context, _frame: &mut eframe::Frame) {
        for place in engine::record::invariant::take_broken() {
            self.tell(true, place);
        }
        self.listen(context);
    }

    fn ui(&mut self, ui: &mut Ui, frame: &mut eframe::Frame) {
        let began = Instant::now();
        let context = ui.ctx().clone();
        let actions = self.input(&context);
        self.act(actions, Some(&context));
        self.show_theme(ui);
        self.guard_closing(&context);
        self.name_window(&context);
        let actions = self.layout(ui);
        if self.status.arrows != self.timeline.arrows() {
            // The bar that tells of them is drawn already.
            self.status.arrows = self.timeline.arrows();
            context.request_repaint();
        }
        self.act(actions, Some(&context));
        end_frame(&mut self.state);
        if std::mem::take(&mut self.saves_now)
            && let Some(storage) = frame.storage_mut()
        {
            eframe::App::save(self, storage);
            storage.flush();
        }
        if self.is_timed {
            self.status.frame = (self.status.frame * 7 + began.elapsed()) / 8;
        }
    }

    fn save(&mut self, storage: &mut dyn eframe::Storage) {
        self.keep_views();
        eframe::set_value(storage, SETTINGS, &self.state.settings);
    }
}

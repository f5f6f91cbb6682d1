//! Panels: what each shows of the scene, and the list of them.

mod about;
mod availability;
mod backend_choice;
mod bookmarks;
mod calls;
mod completion;
mod connect;
mod consent;
mod events;
mod expectations;
mod file_dialog;
mod findings;
mod fleet;
mod guide;
mod help;
mod inspector;
mod launches;
mod lesson_card;
mod lesson_list;
mod link;
mod log;
mod matches;
mod memory;
mod overview;
mod pace;
mod palette;
mod parameters;
mod pipelines;
mod problems;
mod program;
mod promises;
mod query;
mod range_table;
mod receipts;
mod requirements;
mod scene;
mod search;
mod selection;
mod source;
mod span_table;
mod statistics;
mod table;
mod unsaved;
mod why;
mod widgets;
mod workloads;

pub use availability::unavailable;
pub use backend_choice::{AdapterChoice, BackendChoice, NOTHING_RUNS};
pub use connect::state_of;
pub use fleet::{FleetPanel, FleetStage, FleetStatus, LostCapture, RunningFleetJob, engine_to_ask};
pub use parameters::{has_other_values, loss_words};
pub use program::words;
pub use query::{AnsweredQuestion, AskedQuestions, MOST_ROWS, PAST, PastQuestion, RunningQuestion};
pub use scene::{
    AppStatus, CaptureContents, CheckedWorkload, JobProgress, RangeMeasure, RunVerdict, Scene,
    SceneConclusions, StretchPath, TabLabel, stretch_within,
};
pub use search::{FoundSpans, NameSearch};
pub use widgets::{Sign, has_room, hint, is_low, section, shortened, sign_button, toggle, width};

use eframe::egui::Ui;

use crate::action::Action;
use crate::state::OverlayWindow;

/// Where a panel stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PanelPosition {
    /// On a side of the timeline that people choose, as a tab.
    Docked,
    /// Under the tab of another, by its id, one below the other.
    PartOf(&'static str),
    /// In a window of its own, while it is asked for.
    Window(OverlayWindow),
}

/// A part of the window. It reads the scene and answers with actions; its own state is scroll, sort and the like.
pub trait Panel {
    /// A short stable word: the key of its tab and of its picture.
    fn id(&self) -> &'static str;

    /// What it is called on screen.
    fn title(&self) -> &'static str;

    /// Where it stands.
    fn place(&self) -> PanelPosition;

    /// How many things it has to tell, written beside its title; nothing where that is of no interest.
    fn count(&self, _scene: &Scene<'_>) -> Option<usize> {
        None
    }

    /// Whether it has nothing to say now, so that its tab is left out.
    fn is_idle(&self, _scene: &Scene<'_>) -> bool {
        false
    }

    /// The id of the panel under whose tab it stands; its own where it has one.
    fn tab(&self) -> Option<&'static str> {
        match self.place() {
            PanelPosition::Docked => Some(self.id()),
            PanelPosition::PartOf(tab) => Some(tab),
            PanelPosition::Window(_) => None,
        }
    }

    /// Shows it, and appends what the user wants to `actions`.
    fn ui(&mut self, ui: &mut Ui, scene: &Scene<'_>, actions: &mut Vec<Action>);
}

/// Makes a panel in its first state.
pub type PanelFactory = fn() -> Box<dyn Panel>;

/// The list of panels, in the order in which they stand in their places.
pub const PANELS: &[PanelFactory] = &[
    || Box::new(workloads::WorkloadsPanel::default()),
    || Box::new(about::AboutCard),
    || Box::new(parameters::ParametersPanel),
    || Box::new(expectations::ExpectationsPanel),
    || Box::new(pace::PacePanel),
    || Box::new(lesson_card::LessonCard::default()),
    || Box::new(inspector::Inspector::default()),
    || Box::new(overview::OverviewTab),
    || Box::new(source::SourcePanel::default()),
    || Box::new(statistics::StatisticsPanel::default()),
    || Box::new(calls::CallsPanel::default()),
    || Box::new(memory::MemoryPanel::default()),
    || Box::new(matches::MatchesPanel::default()),
    || Box::new(selection::SelectionPanel::default()),
    || Box::new(bookmarks::BookmarksPanel),
    || Box::new(why::WhyTab::default()),
    || Box::new(query::QueryTab::default()),
    || Box::new(pipelines::PipelinesPanel::default()),
    || Box::new(promises::PromisesPanel::default()),
    || Box::new(launches::LaunchesPanel::default()),
    || Box::new(events::EventsPanel::default()),
    || Box::new(findings::FindingsPanel::default()),
    || Box::new(problems::ProblemsPanel),
    || Box::new(receipts::ReceiptsPanel),
    || Box::new(log::LogLines),
    || Box::new(help::HelpWindow),
    || Box::new(guide::GuidesWindow::default()),
    || Box::new(connect::ConnectDialog::default()),
    || Box::new(program::ProgramDialog::default()),
    || Box::new(consent::ConsentDialog),
    || Box::new(file_dialog::FileDialog::default()),
    || Box::new(unsaved::UnsavedDialog),
    || Box::new(link::LinkDialog),
    || Box::new(palette::CommandPalette::default()),
];

//! Panels: what each shows of the scene, and the list of them.

mod choice;
mod connect;
mod consent;
mod expectations;
mod findings;
mod fit;
mod guide;
mod help;
mod inspector;
mod launches;
mod log;
mod overview;
mod parameters;
mod pipelines;
mod problems;
mod program;
mod promises;
mod receipts;
mod scene;
mod search;
mod source;
mod statistics;
mod table;
mod why;
mod widgets;
mod workloads;

pub use choice::{Adapter, BackendChoice, NOTHING_RUNS};
pub use connect::state_of;
pub use program::words;
pub use scene::{Checked, Job, Scene, Status, Verdict, Why};
pub use search::Search;
pub use widgets::{Sign, hint, section, toggle};

use eframe::egui::Ui;

use crate::action::Action;
use crate::state::Window;

/// Where a panel stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// Left of the timeline, one below the other.
    Left,
    /// Right of the timeline, one below the other.
    Right,
    /// Below the timeline, one tab each.
    Bottom,
    /// In a window of its own, while it is asked for.
    Window(Window),
}

/// A part of the window. It reads the scene and answers with actions; its own state is scroll, sort and the like.
pub trait Panel {
    /// A short stable word: the key of its tab and of its picture.
    fn id(&self) -> &'static str;

    /// What it is called on screen.
    fn title(&self) -> &'static str;

    /// Where it stands.
    fn place(&self) -> Place;

    /// How many things it has to tell, written beside its title; nothing where that is of no interest.
    fn count(&self, _scene: &Scene<'_>) -> Option<usize> {
        None
    }

    /// Shows it, and appends what the user wants to `actions`.
    fn ui(&mut self, ui: &mut Ui, scene: &Scene<'_>, actions: &mut Vec<Action>);
}

/// Makes a panel in its first state.
pub type Make = fn() -> Box<dyn Panel>;

/// The list of panels, in the order in which they stand in their places.
pub const PANELS: &[Make] = &[
    || Box::new(workloads::Workloads),
    || Box::new(parameters::Parameters),
    || Box::new(expectations::Expectations),
    || Box::new(inspector::Inspector::default()),
    || Box::new(overview::OverviewTab),
    || Box::new(source::Source::default()),
    || Box::new(statistics::Figures::default()),
    || Box::new(why::WhyTab::default()),
    || Box::new(pipelines::Pipelines::default()),
    || Box::new(promises::Promises::default()),
    || Box::new(launches::Launches::default()),
    || Box::new(findings::Findings::default()),
    || Box::new(problems::Problems),
    || Box::new(receipts::Receipts),
    || Box::new(log::LogLines),
    || Box::new(help::Help),
    || Box::new(guide::Guides::default()),
    || Box::new(connect::Connect::default()),
    || Box::new(program::Program::default()),
    || Box::new(consent::Remote),
];

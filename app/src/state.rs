//! Where the user is: what is visible, chosen, pointed at and set. Only `apply` changes it.

mod arrangement;
mod bookmarks;
mod consent;
mod drawn_answer;
mod files;
mod fleet;
mod lesson;
mod loss;
mod opened_files;
mod playback;
mod projected_lanes;
mod renumbering;
mod view_snapshot;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use engine::analysis::HostLevel;
use engine::lesson::TextLanguage;
use engine::record::{
    DependencyId, DeviceId, Group, Lane, LaneId, PaceSetting, PipelineId, PromiseId, Role, SpanId,
};
use engine::time::{Interval, Nanos};
use engine::workload::{Injection, Synchronization};
use serde::{Deserialize, Serialize};

use crate::capture_link::CaptureLink;

pub use arrangement::{DockSide, DockedTabs, Docks, PanelTree, corner, flatten, opened};
pub use bookmarks::Bookmarks;
pub use consent::{AllowedMachines, Consent, RequestedMachine};
pub use drawn_answer::{DrawnAnswer, DrawnBar, DrawnBars, DrawnContent, DrawnRow};
pub use files::{FilePurpose, FileRequest, UnsavedRisk};
pub use fleet::{FleetCell, FleetView, GridRange};
pub use lesson::{LessonStep, LessonVerdict, TakenLesson, course, text_name};
pub use loss::LossPlan;
pub use opened_files::{FileReading, FilesVersion, MissedFiles, OpenedFiles};
pub use playback::{Playback, SPEEDS};
pub use projected_lanes::{ProjectedLane, ProjectedLanes};
pub use renumbering::{AbsentChoice, SceneRenumbering};
pub use view_snapshot::KeptView;

/// Everything that actions change.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AppState {
    /// What is visible of the timeline.
    pub view: View,
    /// What was chosen.
    pub selection: Selection,
    /// What is pointed at: written in the last frame.
    pub hover: Hover,
    /// What is pointed at in this frame; becomes `hover` when the frame ends.
    pub next_hover: Hover,
    /// Views to go back and forth to.
    pub history: ViewHistory,
    /// Whether the view's end keeps to the newest span.
    pub follow: bool,
    /// Whether what goes on is not shown until the user wants to see it.
    pub is_paused: bool,
    /// What is searched for; empty when nothing is.
    pub search: String,
    /// The window that is open over the others.
    pub window: Option<OverlayWindow>,
    /// The guide that is read, by its name; empty for the first.
    pub guide: String,
    /// What stays from one start to the next.
    pub settings: Settings,
    /// The workloads that were opened or edited.
    pub documents: Documents,
    /// How devices are to be lost, and what then.
    pub loss: LossPlan,
    /// What went wrong last, until it is dismissed.
    pub notice: Option<Notice>,
    /// By how much the times of each file of the capture were moved by hand.
    pub alignment: Vec<Nanos>,
    /// The run that waits for its workload to be allowed to connect to other machines.
    pub consent: Option<Consent>,
    /// The path that is asked for in a window of our own.
    pub file: Option<FileRequest>,
    /// What is played again, while it is.
    pub playback: Option<Playback>,
    /// The places of the capture on screen that were marked.
    pub bookmarks: Bookmarks,
    /// Where the user is in the dataset on screen.
    pub fleet: FleetView,
    /// What is drawn of answers below the lanes.
    pub drawn: DrawnAnswer,
    /// What ranges of the host launched, as it is drawn beneath streams.
    pub projected: ProjectedLanes,
    /// The link whose files wait to be opened.
    pub link: Option<CaptureLink>,
    /// What waits for the user to say what becomes of texts that were not saved.
    pub unsaved: Option<UnsavedRisk>,
    /// The language of the system.
    pub system_language: TextLanguage,
    /// The lesson that is taken.
    pub lesson: Option<TakenLesson>,
    /// The ids of passed lessons that were forgotten last, to be remembered again.
    pub forgotten_lessons: BTreeSet<String>,
}

impl AppState {
    /// The language that the user reads: the chosen one, or else the system's.
    pub fn language(&self) -> TextLanguage {
        let chosen = self.settings.language.as_deref();
        let known = |code: &str| TextLanguage::ALL.into_iter().find(|it| it.code() == code);
        chosen.and_then(known).unwrap_or(self.system_language)
    }

    /// The losses that wait for the chosen workload's next run.
    pub fn armed(&self) -> &[Injection] {
        let chosen = self.documents.text();
        chosen.map_or(&[], |text| self.loss.of(&text.name))
    }
}

impl AppState {
    /// The stretch of time of which it is told where the time went: the range that is chosen, or the view where that is wanted;
    /// nothing where it is all of the capture.
    pub fn stretch(&self) -> Option<Interval> {
        let view = self.view.interval;
        let view = view.filter(|_| self.settings.is_on(Switch::InView));
        self.selection.range.or(view)
    }
}

/// A window that opens over the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OverlayWindow {
    /// Keys and gestures.
    Keys,
    /// What other systems call things.
    Guides,
    /// Where to run.
    Connect,
    /// Which program to record.
    Program,
    /// Whether a workload may connect to other machines.
    Consent,
    /// Which file to open or to write.
    Files,
    /// What becomes of texts that were not saved.
    Unsaved,
    /// Whether the files of a link are opened.
    Link,
    /// Which command to do.
    Palette,
}

impl OverlayWindow {
    /// Whether it asks something, so that keys mean nothing to what lies behind it.
    pub const fn asks(self) -> bool {
        !matches!(self, Self::Keys | Self::Guides | Self::Palette)
    }
}

/// What is visible of the timeline.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct View {
    /// The visible interval; `None` shows everything and keeps up with new data.
    pub interval: Option<Interval>,
    /// How far the lanes are scrolled down, in points.
    pub scroll: f32,
    /// Whether someone has scrolled them; until then the first streams are kept in sight.
    pub is_scrolled: bool,
    /// Groups of lanes that show as one row.
    pub collapsed: BTreeSet<GroupKey>,
    /// Lanes that were moved, in their order on screen; the others follow in the capture's order.
    pub order: Vec<LaneId>,
    /// Lanes that stay at the top, whatever is scrolled, in the order in which they were pinned.
    pub pinned: Vec<LaneId>,
    /// Lanes that are not shown.
    pub hidden: BTreeSet<LaneId>,
    /// What a lane's name must hold to be shown, as a regular expression; everything where it is empty or none.
    pub filter: String,
    /// The field of spans whose value their colour says; none where it is empty.
    pub colour_field: String,
}

impl Default for View {
    /// Everything is visible but the functions of scripts, of which there may be far more than of all else.
    fn default() -> Self {
        Self {
            interval: None,
            scroll: 0.0,
            is_scrolled: false,
            collapsed: BTreeSet::from([GroupKey::FUNCTIONS]),
            order: Vec::new(),
            pinned: Vec::new(),
            hidden: BTreeSet::new(),
            filter: String::new(),
            colour_field: String::new(),
        }
    }
}

impl View {
    /// The interval on screen: the chosen one, or all of `extent` with a margin, or one millisecond of nothing.
    pub fn shown(&self, extent: Option<Interval>) -> Interval {
        let Some(all) = extent else {
            return self
                .interval
                .unwrap_or(Interval::new(Nanos::ZERO, Nanos::from_millis(1)));
        };
        self.interval.unwrap_or_else(|| {
            let margin = Nanos((all.length().0 / 40).max(1));
            Interval::new(all.start - margin, all.end + margin)
        })
    }
}

/// A foldable group of lanes: one of the four, and the device it is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct GroupKey {
    /// Which of the four.
    pub group: Group,
    /// The device's number; `u32::MAX` for groups of no device.
    pub device: u32,
}

impl GroupKey {
    /// The functions of scripts, of all host threads.
    pub const FUNCTIONS: Self = Self {
        group: Group::Host,
        device: u32::MAX - 1,
    };

    /// What is drawn of answers.
    pub const ANSWERS: Self = Self {
        group: Group::Counters,
        device: u32::MAX - 1,
    };

    /// The lanes that stay at the top.
    pub const PINNED: Self = Self {
        group: Group::Host,
        device: u32::MAX - 2,
    };

    /// The streams of a device.
    pub const fn of_streams(device: DeviceId) -> Self {
        Self {
            group: Group::Streams,
            device: device.0,
        }
    }

    /// The group that a lane is of, unless it is pinned.
    pub fn of(lane: &Lane) -> Self {
        let device = match lane.group {
            Group::Host if lane.role == Role::Functions => return Self::FUNCTIONS,
            Group::Host | Group::Counters => u32::MAX,
            Group::Device | Group::Streams => lane.device.map_or(u32::MAX, |device| device.0),
        };
        Self {
            group: lane.group,
            device,
        }
    }
}

/// What lanes are sorted by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LaneSort {
    /// As the capture has them.
    Capture,
    /// Their names, numbers in them by their value.
    Name,
    /// How long they were busy, the longest first.
    Busy,
    /// When their first span began.
    FirstUse,
}

/// What was chosen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selection {
    /// A span.
    pub span: Option<SpanId>,
    /// Several spans, the one above among them; empty where there is one or none.
    pub group: BTreeSet<SpanId>,
    /// A dependency.
    pub dependency: Option<DependencyId>,
    /// A range of time.
    pub range: Option<Interval>,
    /// What the inspector tells of besides the span: it stays while the span is selected that it led to.
    pub topic: Option<Topic>,
}

/// So many spans can be chosen at once.
pub const MOST_SELECTED: usize = 100_000;

impl Selection {
    /// Whether nothing is chosen; a range is no choice of things.
    pub fn is_empty(&self) -> bool {
        self.span.is_none() && self.dependency.is_none() && self.topic.is_none()
    }
}

/// Something that is no span of its own and can be chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Topic {
    /// A pipeline.
    Pipeline(PipelineId),
    /// A promise.
    Promise(PromiseId),
    /// The loss of a device, by its position among the capture's losses.
    Loss(usize),
}

/// What is pointed at: written in this frame, read in the next.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hover {
    /// A span.
    pub span: Option<SpanId>,
    /// A dependency.
    pub dependency: Option<DependencyId>,
    /// The instant under the pointer.
    pub time: Option<Nanos>,
}

/// A view and the selection it was seen with: one step of the history.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HistoryStep {
    /// The visible interval.
    pub interval: Option<Interval>,
    /// How far the lanes were scrolled down, in points.
    pub scroll: f32,
    /// What was chosen.
    pub selection: Selection,
    /// By how much each file was moved by hand.
    pub alignment: Vec<Nanos>,
}

/// What sort of change made a step; runs of one gliding sort collapse to one step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ViewChange {
    /// Along the time or the lanes.
    Pan,
    /// In or out.
    Zoom,
    /// To somewhere else at once.
    Jump,
    /// A file of the capture, along the time.
    Align(usize),
}

/// Views to go back and forth to.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ViewHistory {
    /// Where the user was, the latest last.
    pub past: Vec<HistoryStep>,
    /// What was undone, the next to redo last.
    pub future: Vec<HistoryStep>,
    /// The motion that made the latest step, while it may still collapse with the next.
    pub motion: Option<ViewChange>,
}

/// Light or dark.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ThemeChoice {
    /// As in the drawing.
    #[default]
    Dark,
    /// For bright rooms and for print.
    Light,
}

/// What stays from one start to the next.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Settings {
    /// Light or dark.
    pub theme: ThemeChoice,
    /// The backend that workloads run on; empty for the best one here.
    pub backend: String,
    /// Which of the backend's adapters, by its name; empty for the best.
    pub adapter: String,
    /// Calls a second and host thread; `None` is as fast as they can.
    pub pace: Option<f64>,
    /// Which parts are on screen, by id: `left`, `right`, `bottom`, and the switches of the timeline.
    pub switches: BTreeSet<Switch>,
    /// Where the panels stand.
    pub docks: Docks,
    /// Files that were opened, the latest first.
    pub recent: Vec<PathBuf>,
    /// The engine that answers questions to datasets, as a command line has it; empty for the quickest here.
    pub fleet_engine: String,
    /// The folder in which captures of datasets are looked for that are not where they were.
    pub capture_folder: Option<PathBuf>,
    /// Machines that were connected to, the latest first.
    pub places: Vec<String>,
    /// Which machines workloads may connect to.
    pub allowed: AllowedMachines,
    /// Command lines of programs that were recorded, the latest first.
    pub programs: Vec<String>,
    /// Whether the first start's line was read and put away.
    pub greeted: bool,
    /// How a paced device is set, where that differs from the workload's.
    pub paced: PaceSetting,
    /// Who orders uses of a buffer on several streams; `None` is as the workload says.
    pub synchronization: Option<Synchronization>,
    /// The ids of the lessons that were passed.
    pub passed_lessons: BTreeSet<String>,
    /// The code of the language that was chosen, such as `zh`; `None` is the system's.
    pub language: Option<String>,
}

/// Something that is on or off.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Switch {
    /// The panels on the left.
    Left,
    /// The panels on the right.
    Right,
    /// The panels at the bottom.
    Bottom,
    /// The arrows of every dependency in view, not only those of the hovered and the selected span.
    AllArrows,
    /// The critical path, as a line through the lanes.
    Path,
    /// Where time went is told of what is in view, unless a range is chosen; else of all of the capture.
    InView,
    /// Rows of 12 points instead of 20.
    Dense,
    /// No animations.
    ReduceMotion,
    /// The colour of a span says of which kind it is, and not what its stream is for.
    ColourByKind,
    /// The colour of a span says what it is called.
    ColourByName,
    /// What colours say is told below the lanes.
    Legend,
    /// Beneath host threads, how the system scheduled them.
    ThreadStates,
    /// Beneath streams, what NVTX ranges and other annotations launched.
    ProjectNvtx,
    /// Beneath streams, what functions of scripts launched.
    ProjectPython,
    /// Beneath streams, what operators launched.
    ProjectOperators,
}

impl Default for Settings {
    fn default() -> Self {
        use Switch::{Bottom, Left, Legend, Right, ThreadStates};
        Self {
            theme: ThemeChoice::Dark,
            backend: String::new(),
            adapter: String::new(),
            pace: None,
            switches: BTreeSet::from([Left, Right, Bottom, Legend, ThreadStates]),
            docks: Docks::default(),
            recent: Vec::new(),
            fleet_engine: String::new(),
            capture_folder: None,
            places: Vec::new(),
            allowed: AllowedMachines::default(),
            programs: Vec::new(),
            greeted: false,
            paced: PaceSetting::default(),
            synchronization: None,
            passed_lessons: BTreeSet::new(),
            language: None,
        }
    }
}

/// Whether it makes sense to say who orders the uses of buffers in a workload: it says something of it itself, or has
/// buffers and streams, several of them or some that are chosen by role.
pub fn can_synchronize(source: &str) -> bool {
    let lines = source.lines().flat_map(|line| line.split(';'));
    let says = |word: &'static str| {
        let mut lines = lines.clone();
        move || lines.find(|line| line.split_whitespace().next() == Some(word))
    };
    let mut streams = says("stream");
    let several = match (streams(), streams()) {
        (Some(one), None) => one.contains("count="),
        _ => true,
    };
    says("synchronization")().is_some() || several && says("buffer")().is_some()
}

impl Settings {
    /// What a run of the workload `source` is told about synchronisation: nothing where it makes no sense for it.
    pub fn of_run(&self, source: &str) -> Option<Synchronization> {
        self.synchronization.filter(|_| can_synchronize(source))
    }

    /// The levels of host ranges that are drawn beneath streams, the outermost first.
    pub fn projected(&self) -> Vec<HostLevel> {
        let switch = |level: &HostLevel| match level {
            HostLevel::Nvtx => Switch::ProjectNvtx,
            HostLevel::Python => Switch::ProjectPython,
            HostLevel::Operators => Switch::ProjectOperators,
        };
        let levels = HostLevel::ALL.into_iter();
        levels.filter(|it| self.is_on(switch(it))).collect()
    }

    /// Whether `switch` is on.
    pub fn is_on(&self, switch: Switch) -> bool {
        self.switches.contains(&switch)
    }
}

/// A workload that can be run and edited.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WorkloadText {
    /// Its name: that of a bundled workload, or a file's name.
    pub name: String,
    /// What people call it.
    pub title: String,
    /// The text as edited.
    pub source: String,
    /// The text as it is bundled or on disk.
    pub saved: String,
    /// Where it was read from or saved to.
    pub path: Option<PathBuf>,
    /// The capture that it was found in.
    pub capture: Option<PathBuf>,
}

impl WorkloadText {
    /// Whether it was edited since it was opened or saved.
    pub fn is_dirty(&self) -> bool {
        self.source != self.saved
    }

    /// The file that it came from: its own, or the capture that it was found in.
    pub fn file(&self) -> Option<&Path> {
        self.path.as_deref().or(self.capture.as_deref())
    }
}

/// The workloads at hand, the chosen one, and the values its parameters were moved to.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Documents {
    /// Bundled ones first, then those that were opened.
    pub texts: Vec<WorkloadText>,
    /// How many of them are bundled.
    pub bundled: usize,
    /// The position of the chosen one.
    pub chosen: usize,
    /// Values that differ from the file's, by workload and parameter.
    pub values: BTreeMap<String, BTreeMap<String, f64>>,
}

impl Documents {
    /// The position of a workload that was opened before from where `text` is from. What comes with the program is never
    /// replaced.
    pub fn known(&self, text: &WorkloadText) -> Option<usize> {
        let opened = self.texts.iter().enumerate().skip(self.bundled);
        let mut known = opened.filter(|(_, other)| {
            let is_same_file = text.file().is_some() && other.file() == text.file();
            other.name == text.name && (is_same_file || other.source == text.source)
        });
        known.next().map(|(place, _)| place)
    }

    /// The workloads whose text was edited and not saved, by their positions.
    pub fn unsaved(&self) -> impl Iterator<Item = (usize, &WorkloadText)> {
        let all = self.texts.iter().enumerate();
        all.filter(|(_, text)| text.is_dirty())
    }

    /// The chosen workload, where there is one.
    pub fn text(&self) -> Option<&WorkloadText> {
        self.texts.get(self.chosen)
    }

    /// The values that the chosen workload's parameters were moved to.
    pub fn overrides(&self) -> Vec<(String, f64)> {
        let values = self.text().and_then(|text| self.values.get(&text.name));
        values
            .into_iter()
            .flatten()
            .map(|(name, value)| (name.clone(), *value))
            .collect()
    }
}

/// Something the user should know, shown above the timeline until dismissed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    /// Whether it is about something that went wrong.
    pub is_error: bool,
    /// What happened, why, and what to do next.
    pub text: String,
}

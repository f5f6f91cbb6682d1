//! What the user can want: the actions, and the one table that menus, keys and help are made from.

mod bookmark;
mod fleet;
mod keys;
mod lesson;
mod table;

pub use bookmark::BookmarkAction;
pub use fleet::{FleetAction, FleetRequest};
pub use keys::{Chord, pressed};
pub use lesson::LessonAction;
pub use table::{COMMANDS, Command, CommandEntry, Menu, key_table_markdown};

use std::path::PathBuf;

use engine::activity::CaptureWindow;
use engine::analysis::OperationKey;
use engine::lesson::TextLanguage;
use engine::record::{DependencyId, LaneId, SpanId};
use engine::runner::{RecoveryMode, WindowControl};
use engine::time::{Interval, Nanos};
use engine::workload::{Injection, LossBy, LossMoment, RankFault};

use crate::capture_link::CaptureLink;
use crate::state::{
    Consent, DockSide, DrawnAnswer, FilePurpose, FileRequest, GroupKey, Hover, KeptView, LaneSort,
    Notice, PanelTree, Playback, ProjectedLanes, SceneRenumbering, Switch, Topic, UnsavedRisk,
    ViewChange, WorkloadText,
};

/// What the user wants. Those without a payload are [`Command`]s and have a row in [`COMMANDS`].
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// Something that a menu entry or a key asks for.
    Command(Command),
    /// Show this interval; `None` shows everything and keeps up with new data.
    Show(Option<Interval>, ViewChange),
    /// Show nothing of what goes on, or all that came meanwhile.
    PauseView(bool),
    /// Scroll the lanes to this many points from the top.
    Scroll(f32),
    /// Scroll the lanes so where nobody has scrolled them yet.
    Home(f32),
    /// Choose a span, and nothing else.
    Select(Option<SpanId>),
    /// Choose a span besides those that are chosen, or no longer.
    SelectAlso(SpanId),
    /// Choose several spans, and nothing else.
    SelectGroup(Vec<SpanId>),
    /// Choose all operations that have this in common, and go to the longest.
    SelectOperations(SameOperations),
    /// Choose a span and move the view to where it can be seen.
    Reveal(SpanId),
    /// Open the guide of this name.
    OpenGuide(&'static str),
    /// Choose a dependency, and nothing else.
    SelectDependency(DependencyId),
    /// Choose a pipeline, a promise or a loss, and move the view to where it can be seen.
    SelectTopic(Topic),
    /// Choose a range of time.
    SelectRange(Option<Interval>),
    /// Point at something; the last one of a frame counts.
    Hover(Hover),
    /// Fold or unfold a group of lanes.
    Collapse(GroupKey),
    /// Put the lanes in this order.
    Reorder(Vec<LaneId>),
    /// Sort the lanes of each group.
    SortLanes(LaneSort),
    /// Keep a lane at the top, or no longer.
    PinLane(LaneId),
    /// Do not show these lanes.
    HideLanes(Vec<LaneId>),
    /// Show no lanes but these.
    ShowOnly(Vec<LaneId>),
    /// Show the lanes whose names match this regular expression.
    FilterLanes(String),
    /// Have the colours of spans say what they have of this field; what the settings say where it is empty.
    ColourByField(String),
    /// Turn something on or off.
    Set(Switch, bool),
    /// Open a tab, by its panel's id.
    OpenTab(&'static str),
    /// Put the tabs of a side so.
    Arrange(DockSide, Box<PanelTree>),
    /// Put a panel on a side, by its id.
    Dock(&'static str, DockSide),
    /// Begin with this panel of a capture that was opened, where tabs are on screen.
    Survey(&'static str),
    /// Play so from now on, or no longer.
    SetPlayback(Option<Playback>),
    /// So many seconds went by on the wall: the head of what is played moves.
    AdvancePlayback(f64),
    /// Search for this name.
    Search(String),
    /// Choose the workload at this position.
    Choose(usize),
    /// Choose the workload at this position and run it.
    Run(usize),
    /// Something of lessons.
    Lesson(LessonAction),
    /// Something of bookmarks.
    Bookmark(BookmarkAction),
    /// Something of the dataset on screen.
    Fleet(FleetAction),
    /// Replace the chosen workload's text.
    Edit(String),
    /// Move a parameter of the chosen workload; `None` goes back to the file's value.
    SetParameter(String, Option<f64>),
    /// Run on this backend and on this adapter of it from now on; an empty adapter is the best.
    SetDevice(String, String),
    /// Lose the device in the way that is chosen: now, or at a moment of this run and of the next ones.
    Lose(LossMoment),
    /// From now on devices are lost in this way.
    LoseBy(LossBy),
    /// Do something to a rank of the run under way.
    Hurt(RankFault),
    /// Move the armed loss at this position to another time.
    MoveLoss(usize, Nanos),
    /// Forget the armed loss at this position.
    Disarm(usize),
    /// From now on do this once a device was lost on purpose.
    SetRecovery(RecoveryMode),
    /// Open the lost device anew, and go on in this way.
    Recover(RecoveryMode),
    /// Run on the machine at this place from now on; `None` runs in this process.
    Connect(Option<String>),
    /// Record what this keeps of the program that this command line starts.
    Record(String, CaptureWindow),
    /// Start or stop what is kept of the program that is recorded, or keep what there is.
    Window(WindowControl),
    /// At most this many calls a second and host thread; `None` is as fast as they can.
    SetPace(Option<f64>),
    /// A number of a paced device's law by its word; `None` is as the workload says.
    SetDial(&'static str, Option<f64>),
    /// Speak this language from now on; `None` is the system's.
    SetLanguage(Option<TextLanguage>),
    /// Who orders uses of a buffer on several streams; `None` is as the workload says.
    SetSynchronization(Option<engine::workload::Synchronization>),
    /// Open a file.
    OpenFile(PathBuf),
    /// Open several files as one capture.
    OpenFiles(Vec<PathBuf>),
    /// Move the times of one of the capture's files to this far from where its clock puts it.
    Align(usize, Nanos),
    /// Stop reading, writing or analysing what is under way.
    Cancel,
    /// Tell the user something; `None` puts away what is shown.
    Notify(Option<Notice>),
    /// Copy a text to the clipboard.
    Copy(String),
    /// Ask the capture in SQL.
    Ask(String),
    /// End the question that is answered.
    StopAsking,
    /// Draw rows of an answer below the lanes.
    Draw(DrawnAnswer),
    /// Draw this row of an answer no more, or none of them.
    StopDrawing(Option<usize>),
    /// Draw these beneath the streams from now on.
    Project(ProjectedLanes),
    /// Another capture is on screen: forget what was chosen in the one before.
    Renew,
    /// A file was opened or saved: list it among the recent ones.
    Remember(PathBuf),
    /// A workload's text was read: list and choose it.
    Adopt(Box<WorkloadText>),
    /// The chosen workload's text was written to this file.
    Saved(PathBuf),
    /// Ask whether the chosen workload may connect to the machines that its text names.
    AskRemote(Consent),
    /// It may: run it.
    AllowRemote,
    /// Ask for a path in a window of our own.
    AskFile(FileRequest),
    /// These paths were named for what a path was asked for.
    PickFiles(FilePurpose, Vec<PathBuf>),
    /// Ask what becomes of texts that were not saved.
    AskUnsaved(UnsavedRisk),
    /// They are given up.
    DiscardUnsaved,
    /// Go to the place of a link: at once where its files were opened before, else its user is asked.
    FollowLink(CaptureLink),
    /// Its files may be opened.
    AllowLink,
    /// Copy a link to this time, and to a span, of the capture on screen.
    CopyLink(Interval, Option<SpanId>),
    /// Show the capture at this position among those that are open.
    ShowTab(usize),
    /// Close the capture at this position among those that are open.
    CloseTab(usize),
    /// Go where the user was when this capture was last looked at.
    RestoreView(Box<KeptView>),
    /// The files on screen were read again: what was seen and chosen in them has other numbers.
    Renumber(Box<SceneRenumbering>),
    /// Choose the workload again that the capture on screen is of.
    ChooseShown,
}

/// Operations that have all of this in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SameOperations {
    /// Their name, what they are, and what their lanes are.
    pub key: OperationKey,
    /// They overlap this stretch of time.
    pub within: Interval,
    /// The longest of them.
    pub longest: SpanId,
}

impl Action {
    /// Makes a stretch of time the range and shows it with a little around it.
    pub fn visit(interval: Interval) -> Vec<Self> {
        let around = Nanos(interval.length().0 / 20);
        let shown = Interval::new(interval.start - around, interval.end + around);
        vec![
            Self::SelectRange(Some(interval)),
            Self::Show(Some(shown), ViewChange::Jump),
        ]
    }
}

impl From<Command> for Action {
    fn from(command: Command) -> Self {
        Self::Command(command)
    }
}

/// How large texts and everything else in the window become.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InterfaceScale {
    /// A step larger.
    Larger,
    /// A step smaller.
    Smaller,
    /// As the system has it.
    Normal,
}

/// What an action asks of the engine, the disk or the window, because it is no matter of the state.
#[derive(Clone, Debug, PartialEq)]
pub enum AppRequest {
    /// Run the chosen workload from its beginning.
    Run,
    /// The same, which may connect to what was asked for.
    RunAllowed(Consent),
    /// Have the lesson's text checked, or the span that was clicked.
    CheckLesson,
    /// Run, pause or go on, whichever makes sense now.
    RunOrPause,
    /// Hold the host threads before their next call, or let them go on.
    HoldCalls,
    /// Make one call.
    Step,
    /// End the run.
    Stop,
    /// Tell the engine how fast host threads make calls.
    Pace(Option<f64>),
    /// Lose the device of the run under way.
    Lose(Injection),
    /// Do something to a rank of the run under way.
    Hurt(RankFault),
    /// Open the lost device of the run under way anew.
    Recover(RecoveryMode),
    /// Leave the engine for one at this place; `None` is in this process.
    Connect(Option<String>),
    /// Record what this keeps of the program that this command line starts.
    Record(String, CaptureWindow),
    /// Start or stop what is kept of the program that is recorded, or keep what there is.
    Window(WindowControl),
    /// Ask which file to open.
    ChooseFile,
    /// Open files, several of them as one capture.
    Open(Vec<PathBuf>),
    /// Move the times of the capture's files as the state says.
    Align,
    /// Ask where to write the capture.
    SaveCapture,
    /// Ask where to write what touches the selected range, or the view.
    SavePiece,
    /// Ask where to write what the capture comes to.
    SaveReport,
    /// Ask where to write the capture or the view in a format of other tools.
    Export,
    /// Ask where to write a workload that does what the capture shows.
    Extract,
    /// Write the chosen workload's text, to its file or to one that is asked for.
    SaveText,
    /// Stop what is under way.
    Cancel,
    /// Go to the next or, backwards, the previous match.
    Match {
        /// Whether to the next one.
        forward: bool,
    },
    /// Go to the binding cause of the selected span or, forward, to what it bound.
    Follow {
        /// Whether to what it bound.
        forward: bool,
    },
    /// Go along the critical path from the selected span.
    WalkPath {
        /// Whether to what comes next.
        forward: bool,
    },
    /// Go to the next or, backwards, the previous step or frame.
    WalkIterations {
        /// Whether to the next one.
        forward: bool,
    },
    /// Put the cursor into the search field.
    FocusSearch,
    /// Put the cursor into the field that filters lanes.
    FocusFilter,
    /// Keep what is kept from one start to the next, and of each capture, at once.
    Keep,
    /// Copy a text to the clipboard.
    Copy(String),
    /// Ask the capture in SQL.
    Ask(String),
    /// End the question that is answered.
    StopAsking,
    /// Close the window.
    Quit,
    /// Make everything in the window larger or smaller.
    Scale(InterfaceScale),
    /// Ask which files to open together with those of the capture on screen.
    ChooseMore,
    /// Ask for a folder whose captures are opened as one.
    ChooseFolder,
    /// Read the files on screen again.
    Reload,
    /// Have them read again whenever they change, or no longer.
    ToggleReloading,
    /// Something of the dataset on screen.
    Fleet(FleetRequest),
    /// These paths were named for what a path was asked for.
    Picked(FilePurpose, Vec<PathBuf>),
    /// Open the files of a link, and go to its place.
    OpenLink(CaptureLink),
    /// Copy a link to this time, and to a span, of the capture on screen.
    CopyLink(Interval, Option<SpanId>),
    /// Go on with what would have thrown away texts that were not saved.
    Discard(UnsavedRisk),
    /// Show the capture at this position among those that are open.
    ShowTab(usize),
    /// Close a capture: the one at this position, or the one on screen.
    CloseTab(Option<usize>),
    /// Show the next or the previous capture that is open.
    StepTab {
        /// Whether to the next one.
        forward: bool,
    },
    /// Choose the workload again that the capture on screen is of.
    ChooseShown,
}

//! The table of commands: label, help, keys and menu of everything that needs no payload.

use std::fmt::Write as _;

use eframe::egui::Key;

use super::Chord;

/// Where a command is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Menu {
    /// Open, save, quit.
    File,
    /// What is visible.
    View,
    /// In that: where one looks.
    Move,
    /// In that: which lanes.
    Lanes,
    /// In that: what colours say.
    Colours,
    /// What runs.
    Run,
    /// What is chosen.
    Go,
    /// How all this works.
    Help,
}

impl Menu {
    /// Every menu, from left to right.
    pub const ALL: [Self; 5] = [Self::File, Self::View, Self::Run, Self::Go, Self::Help];

    /// The menus that open beside it: a list that is longer than the window helps nobody.
    pub const fn inner(self) -> &'static [Self] {
        match self {
            Self::View => &[Self::Move, Self::Lanes, Self::Colours],
            _ => &[],
        }
    }

    /// Its name on screen.
    pub const fn label(self) -> &'static str {
        match self {
            Self::File => "File",
            Self::View => "View",
            Self::Move => "Move",
            Self::Lanes => "Lanes",
            Self::Colours => "Colours",
            Self::Run => "Run",
            Self::Go => "Go",
            Self::Help => "Help",
        }
    }
}

/// One row of [`COMMANDS`].
#[derive(Debug)]
pub struct CommandEntry {
    /// What is asked for.
    pub command: Command,
    /// Where it is found.
    pub menu: Menu,
    /// Its name in the menu.
    pub label: &'static str,
    /// What it does, in one line.
    pub help: &'static str,
    /// The keys that ask for it; the first is shown in the menu.
    pub keys: &'static [Chord],
}

macro_rules! commands {
    ($($name:ident, $menu:ident, $label:literal, $help:literal, [$($key:expr),*];)*) => {
        /// What a menu entry or a key asks for.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Command {
            $(#[doc = $help] $name,)*
        }

        impl Command {
            /// Every command, in the order of the table.
            pub const ALL: &'static [Self] = &[$(Self::$name,)*];
        }

        /// Every command, in the order of the menus and of the help.
        pub const COMMANDS: &[CommandEntry] = &[$(CommandEntry {
            command: Command::$name,
            menu: Menu::$menu,
            label: $label,
            help: $help,
            keys: &[$($key),*],
        },)*];
    };
}

const fn key(key: Key) -> Chord {
    Chord::plain(key)
}

const fn ctrl(key: Key) -> Chord {
    Chord::ctrl(key)
}

commands! {
    Open, File, "Open…", "Open a capture or a workload", [ctrl(Key::O)];
    OpenFolder, File, "Open folder…", "Open the captures in a folder as one, such as those of all ranks of a job", [];
    OpenDataset, File, "Open dataset…", "Show steps, stragglers and outliers of all ranks in a dataset that `syncline convert --to` wrote", [];
    Add, File, "Add to this capture…", "Open further files together with those on screen, as one capture", [];
    Reload, File, "Reload", "Read the files on screen again; what is seen, selected and pinned stays", [Chord::ctrl_shift(Key::R)];
    ReloadChanged, File, "Reload when changed", "Read the files on screen again whenever they change, as a file that is being written does", [];
    SaveCapture, File, "Save capture…", "Write the capture on screen to a file", [ctrl(Key::S)];
    SavePiece, File, "Save selection as capture…", "Write what touches the selected range, or the view where there is none, as a capture of its own", [];
    SaveReport, File, "Save report…", "Write what the capture comes to as a page or as Markdown, to show to others", [];
    Export, File, "Export…", "Write the capture as Chrome JSON or CSV, or the view as a picture", [ctrl(Key::E)];
    Extract, File, "Extract workload…", "Write a workload that does what the selected range, or all of the capture, shows", [];
    Record, File, "Record a program…", "Start a CUDA program and show what it and all that it starts do on the device", [];
    SaveText, File, "Save workload", "Write the workload's text to its file", [Chord::ctrl_shift(Key::S)];
    CloseTab, File, "Close", "Close the capture on screen; where you were in it is kept", [ctrl(Key::W)];
    Quit, File, "Quit", "Close the window", [ctrl(Key::Q)];

    Focus, View, "Focus", "Zoom to the selection; once more shows everything", [key(Key::F)];
    Fit, View, "Fit", "Show everything and keep up with new data", [ctrl(Key::Num0)];
    Undo, View, "Back", "Back to the view before", [ctrl(Key::Z), Chord::alt(Key::ArrowLeft), key(Key::Backspace)];
    Redo, View, "Forward", "Forward to the view that was undone", [Chord::ctrl_shift(Key::Z), ctrl(Key::Y), Chord::alt(Key::ArrowRight)];
    NextTab, View, "Next capture", "Show the next of the captures that are open", [ctrl(Key::PageDown), ctrl(Key::Tab)];
    PreviousTab, View, "Previous capture", "Show the previous of the captures that are open", [ctrl(Key::PageUp), Chord::ctrl_shift(Key::Tab)];
    Follow, View, "Follow live", "Keep the newest spans in view", [key(Key::L)];
    AllArrows, View, "All arrows", "Arrows of every dependency in view", [key(Key::E)];
    Path, View, "Critical path", "The critical path of the range, or else of all, as a line through the lanes", [key(Key::P)];
    Left, View, "Left panels", "Show or hide the workloads", [ctrl(Key::B)];
    Right, View, "Right panels", "Show or hide the inspector", [key(Key::I)];
    Bottom, View, "Bottom panels", "Show or hide the tabs at the bottom", [key(Key::Q)];
    ResetPanels, View, "Reset panels", "Put all panels back to where they are at the first start", [];
    Theme, View, "Light or dark", "Change between the light and the dark theme", [key(Key::T)];
    ReduceMotion, View, "Reduce motion", "No animations", [];
    LargerInterface, View, "Larger interface", "Make texts and everything else larger", [Chord::ctrl(Key::Plus), Chord::ctrl(Key::Equals)];
    SmallerInterface, View, "Smaller interface", "Make texts and everything else smaller", [Chord::ctrl(Key::Minus)];
    ResetInterface, View, "Normal interface size", "Give texts and everything else their own size again", [];
    ZoomIn, Move, "Zoom in", "Zoom in about the pointer", [key(Key::W), key(Key::Plus), key(Key::Equals)];
    ZoomOut, Move, "Zoom out", "Zoom out about the pointer", [key(Key::S), key(Key::Minus)];
    PanLeft, Move, "Earlier", "Move to earlier times", [key(Key::A), key(Key::ArrowLeft)];
    PanRight, Move, "Later", "Move to later times", [key(Key::D), key(Key::ArrowRight)];
    ScrollUp, Move, "Lanes up", "Scroll to the lanes above", [key(Key::ArrowUp)];
    ScrollDown, Move, "Lanes down", "Scroll to the lanes below", [key(Key::ArrowDown)];
    Dense, Lanes, "Dense rows", "Rows of 12 points instead of 20", [key(Key::C)];
    PinLane, Lanes, "Pin the lane", "Keep the selected span's lane at the top, or no longer", [Chord::shift(Key::P)];
    HideLane, Lanes, "Hide the lane", "Do not show the selected span's lane", [Chord::shift(Key::H)];
    FilterLanes, Lanes, "Filter lanes", "Show only lanes whose names match", [Chord::shift(Key::F)];
    ShowAllLanes, Lanes, "Show all lanes", "Show hidden lanes again, and end the filter", [];
    ThreadStates, Lanes, "Thread states", "Show beneath host threads when each ran, was ready without a core, or was blocked, as far as that is known", [];
    ProjectNvtx, Lanes, "Project NVTX ranges", "Show beneath streams what NVTX ranges and other annotations launched there, from the first operation to the last", [];
    ProjectPython, Lanes, "Project Python functions", "Show beneath streams what functions of Python launched there, from the first operation to the last", [];
    ProjectOperators, Lanes, "Project operators", "Show beneath streams what operators launched there, from the first operation to the last", [];
    ExpandAll, Lanes, "Expand all", "Show the lanes of every group", [];
    CollapseAll, Lanes, "Collapse all", "Show every group as one row", [];
    ColourByKind, Colours, "Colour by kind", "Colours say of which kind spans are, and not what their streams are for", [];
    ColourByName, Colours, "Colour by name", "Spans of one name have one colour", [Chord::shift(Key::C)];
    Legend, Colours, "Legend", "What the colours in view say, in a line below the lanes", [];

    Rerun, Run, "Run", "Run the chosen workload from its beginning", [key(Key::F5), ctrl(Key::R)];
    RunOrPause, Run, "Pause the view", "Run the chosen workload; while it runs, pause the view, which changes nothing of what goes on, or let it catch up; let calls that are held go on", [key(Key::Space)];
    HoldCalls, Run, "Hold calls", "Hold the host threads before their next call, or let them go on; what overlaps then is not what would have", [key(Key::Y)];
    Step, Run, "Step", "Make one more call and hold again", [key(Key::N)];
    Stop, Run, "Stop", "Make no further call and end the run", [key(Key::X)];
    Play, Run, "Play again, slower", "Play what was measured once more, or hold it; Space does so in an opened capture", [Chord::shift(Key::Space)];
    NextEdge, Run, "Play to the next edge", "Move the play head to where the next span begins or ends", [Chord::alt(Key::Period)];
    PreviousEdge, Run, "Play back to the previous edge", "Move the play head back to where a span begins or ends", [Chord::alt(Key::Comma)];
    Connect, Run, "Connect…", "Run on another machine, or in a process of its own, and see it here", [ctrl(Key::K)];
    LessonStep, Run, "Lesson: go on", "Do the next step of the lesson: run its text, have it checked, or take the next lesson", [ctrl(Key::Enter)];
    NextLesson, Run, "Next lesson", "Take the lesson that comes next, or the first that was not passed", [Chord::shift(Key::N)];
    LoseDevice, Run, "Lose the device", "Lose the device now, in the way that the button's menu says", [key(Key::K)];
    Recover, Run, "Recover and go on", "Open the lost device anew and go on with the call that comes next", [key(Key::U)];
    Replay, Run, "Recover and replay", "Open the lost device anew and begin again with the first call", [Chord::shift(Key::U)];

    NextSpan, Go, "Next span", "To the next span on the lane", [key(Key::Period)];
    PreviousSpan, Go, "Previous span", "To the previous span on the lane", [key(Key::Comma)];
    Cause, Go, "Cause", "To the binding cause of the selected span: the last thing it had to wait for", [key(Key::OpenBracket)];
    Effect, Go, "Effect", "To what went on because of the selected span; where nothing did, to the first that depends on it", [key(Key::CloseBracket)];
    NextOnPath, Go, "Next on the path", "To what comes next on the critical path of the range, or else of all", [key(Key::J)];
    PreviousOnPath, Go, "Previous on the path", "To what came before on the critical path", [Chord::shift(Key::J)];
    NextIteration, Go, "Next iteration", "To the next step or frame: it becomes the range, and fills the view", [key(Key::O)];
    PreviousIteration, Go, "Previous iteration", "To the step or frame before", [Chord::shift(Key::O)];
    MarkRange, Go, "Mark", "Make the selected span's time the range", [key(Key::M)];
    WidenRange, Go, "Widen the range", "Widen the range to take in the selected span", [key(Key::R)];
    Bookmark, Go, "Bookmark", "Bookmark the selected span, or else the range or the instant under the pointer, and note something there", [key(Key::B)];
    NextBookmark, Go, "Next bookmark", "To the next bookmark", [key(Key::V)];
    PreviousBookmark, Go, "Previous bookmark", "To the bookmark before", [Chord::shift(Key::V)];
    Palette, Go, "Commands…", "Find a command, a tab, a workload or a file by a few letters, and go to it", [Chord::ctrl_shift(Key::P)];
    Search, Go, "Search", "Search spans by name", [key(Key::Slash), ctrl(Key::F)];
    NextMatch, Go, "Next match", "To the next match", [key(Key::Enter)];
    PreviousMatch, Go, "Previous match", "To the previous match", [Chord::shift(Key::Enter)];
    Clear, Go, "Clear", "Close what is open, then clear the selection", [key(Key::Escape)];

    Help, Help, "Keys and gestures", "This table", [key(Key::Questionmark), key(Key::F1)];
    Guides, Help, "Guides", "How Syncline is used, and what CUDA, Warp, WebGPU and others call things", [key(Key::G)];
}

impl Command {
    /// Its row in [`COMMANDS`].
    pub fn entry(self) -> Option<&'static CommandEntry> {
        COMMANDS.iter().find(|entry| entry.command == self)
    }

    /// Its first key as written, or nothing where it has none.
    pub fn key(self) -> String {
        self.entry()
            .and_then(|entry| entry.keys.first())
            .map(ToString::to_string)
            .unwrap_or_default()
    }
}

/// The table of keys as the guide on keys has it.
pub fn key_table_markdown() -> String {
    let mut table = String::from("| keys | what they do |\n| --- | --- |\n");
    for entry in COMMANDS.iter().filter(|entry| !entry.keys.is_empty()) {
        let keys: Vec<_> = entry.keys.iter().map(|key| format!("`{key}`")).collect();
        // Writing to a string cannot fail.
        let _ = writeln!(table, "| {} | {} |", keys.join(" "), entry.help);
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_has_exactly_one_row_in_order() {
        let rows: Vec<_> = COMMANDS.iter().map(|entry| entry.command).collect();
        assert_eq!(rows, Command::ALL);
        for entry in COMMANDS {
            assert!(
                !entry.label.is_empty() && !entry.help.is_empty() && !entry.help.ends_with('.')
            );
        }
    }

    #[test]
    fn no_two_keys_and_no_two_labels_clash() {
        let mut keys: Vec<_> = COMMANDS
            .iter()
            .flat_map(|entry| entry.keys)
            .map(ToString::to_string)
            .collect();
        let mut labels: Vec<_> = COMMANDS.iter().map(|entry| entry.label).collect();
        let (all_keys, all_labels) = (keys.len(), labels.len());
        keys.sort();
        keys.dedup();
        labels.sort_unstable();
        labels.dedup();
        assert_eq!((keys.len(), labels.len()), (all_keys, all_labels));
    }

    #[test]
    fn rows_of_one_menu_stand_together() {
        let menus: Vec<_> = COMMANDS.iter().map(|entry| entry.menu).collect();
        let mut order = menus.clone();
        order.dedup();
        let all = Menu::ALL.map(|menu| [&[menu], menu.inner()].concat());
        assert_eq!(order, all.concat());
    }

    #[test]
    fn the_table_of_keys_has_a_row_for_each_command_with_a_key() {
        let table = key_table_markdown();
        let with_keys = COMMANDS
            .iter()
            .filter(|entry| !entry.keys.is_empty())
            .count();
        assert_eq!(table.lines().count(), with_keys + 2);
        assert!(table.contains("| `/` `Ctrl+F` | Search spans by name |"));
    }
}

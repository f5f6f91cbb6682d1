//! Why a command can do nothing now: what it is about is not on screen.

use super::Scene;
use crate::action::Command;

/// What is done to a run, or begins one.
const OF_RUNS: &[Command] = &[
    Command::Rerun,
    Command::RunOrPause,
    Command::HoldCalls,
    Command::Step,
    Command::Stop,
    Command::LoseDevice,
    Command::Recover,
    Command::Replay,
];

/// What is done with the files that the capture on screen was read from.
const OF_FILES: &[Command] = &[Command::Reload, Command::ReloadChanged];

/// What takes time that passed, or operations that ran.
const OF_TIME: &[Command] = &[
    Command::Play,
    Command::NextEdge,
    Command::PreviousEdge,
    Command::SavePiece,
    Command::SaveReport,
    Command::Export,
    Command::Extract,
];

/// Why a command can do nothing now, in a sentence; nothing where it can.
pub fn unavailable(scene: &Scene<'_>, command: Command) -> Option<&'static str> {
    if scene.state.fleet.is_shown() && command.needs_capture() {
        return Some("A dataset is on screen: open the capture of a rank");
    }
    if scene.status.is_document && OF_RUNS.contains(&command) {
        return Some("A capture is on screen: it is no run");
    }
    if scene.status.files.asked.is_empty() && OF_FILES.contains(&command) {
        return Some("What is on screen was not read from files");
    }
    if OF_TIME.contains(&command) && scene.capture.extent().is_none() {
        return Some(if scene.status.is_document {
            "The capture holds nothing to show"
        } else {
            "Nothing has run yet"
        });
    }
    if command == Command::Extract && scene.capture.span_count() == 0 {
        return Some("The capture has no operations");
    }
    None
}

//! Finds the recording of a process and has it start, stop or keep, from another process.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use cuda_recorder::{CapturePurpose, ControlPage, FOLDER, MOST_FLIPS};

use super::child;

/// How long the recorder has to hear it; what it keeps it writes as long as it lives.
const PATIENCE: Duration = Duration::from_secs(10);
/// How often it is asked whether it has.
const LOOK: Duration = Duration::from_millis(10);

/// What became of a recording that was toggled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ToggleOutcome {
    /// What happens is kept from now on.
    Started,
    /// It is kept no more.
    Stopped,
    /// What was kept of the last stretch of time is written.
    Kept,
}

/// Starts or stops the recording of a process, or has it write what it keeps of the last stretch of time. `process` is the
/// number of a recording `syncline record`, or of the program that it started, or of one that this did.
///
/// # Errors
/// There is no such recording, it was not begun so, or it does not answer: why, and what to do.
pub fn toggle_capture(process: u32) -> Result<ToggleOutcome, String> {
    let folder = folder_of(process)?;
    let gone = |_| {
        format!(
            "the recording of process {process} is over: its folder {} is gone or cannot be read",
            folder.display()
        )
    };
    let page = ControlPage::open(&folder).map_err(gone)?;
    match page.purpose() {
        CapturePurpose::Switched | CapturePurpose::Last => {}
        CapturePurpose::Whole | CapturePurpose::Windows => {
            return Err(format!(
                "process {process} is recorded, and not so that it can be started, stopped or kept by hand: record it with \
                 --paused, or with --last and a time"
            ));
        }
    }
    let recorder = page.recorder();
    if !ControlPage::is_held(&folder) {
        return Err(format!(
            "the syncline that recorded process {process} has ended, and the program runs on unrecorded"
        ));
    }
    if page.flips() >= MOST_FLIPS {
        return Err(format!(
            "this recording was started and stopped {} times, which is as often as can be: record anew",
            MOST_FLIPS / 2
        ));
    }
    let (flips, asked) = (page.flips(), page.asked());
    child::signal(recorder, child::TOGGLE).map_err(|error| {
        format!(
            "process {recorder}, which records it, cannot be told: {error}; it may be another user's"
        )
    })?;
    let is_last = page.purpose() == CapturePurpose::Last;
    // What the recorder is asked from now on comes after what this asks it, or is the same.
    let number = asked + 1;
    let begun = Instant::now();
    let is_answered = || {
        if is_last {
            page.done() >= number
        } else {
            page.flips() != flips
        }
    };
    while !is_answered() {
        if !ControlPage::is_held(&folder) && !is_answered() {
            return Err(format!(
                "the recording of process {process} ended before this was done: what it keeps is written in its end, unless it was killed"
            ));
        }
        let is_heard = is_last && page.asked() >= number;
        if begun.elapsed() > PATIENCE && !is_heard {
            return Err(format!(
                "process {recorder}, which records it, was told, and did not answer within {} s: it may be busy with what the \
                 program did; try again",
                PATIENCE.as_secs()
            ));
        }
        std::thread::sleep(LOOK);
    }
    if is_last && page.has_failed(number) {
        return Err(format!(
            "what there was of the last stretch of time could not be written; process {recorder}, which records it, says why"
        ));
    }
    Ok(if is_last {
        ToggleOutcome::Kept
    } else if page.flips() % 2 == 1 {
        ToggleOutcome::Started
    } else {
        ToggleOutcome::Stopped
    })
}

/// The folder of the recording that a process is part of, or that it makes.
fn folder_of(process: u32) -> Result<PathBuf, String> {
    if !child::runs(process) {
        return Err(format!(
            "there is no process {process} that runs; name the number of a syncline record, or of the program that it records"
        ));
    }
    if let Some(folder) = folder_in_environment(process) {
        return Ok(folder);
    }
    let folders = child::children(process).into_iter().rev();
    let mut folders = folders.filter_map(|child| {
        let folder = folder_in_environment(child)?;
        let page = ControlPage::open(&folder).ok()?;
        (page.recorder() == process).then_some(folder)
    });
    folders.next().ok_or_else(|| {
        format!(
            "process {process} neither is recorded nor records: name the number of a syncline record, or of the program that it \
             records; what another user's processes are cannot be seen"
        )
    })
}

/// The processes that run and were started with a folder as that of their recording, by number, with their names.
pub(super) fn processes_of(folder: &Path) -> Vec<(u32, String)> {
    let is_of_it = |it: &u32| {
        let own = folder_in_environment(*it).filter(|it| it == folder);
        own.is_some() && child::runs(*it)
    };
    let named = |number: u32| {
        let name = std::fs::read_to_string(format!("/proc/{number}/comm"));
        (number, name.unwrap_or_default().trim().to_owned())
    };
    child::processes().filter(is_of_it).map(named).collect()
}

/// The folder of its recording that a process was started with.
fn folder_in_environment(process: u32) -> Option<PathBuf> {
    let environment = std::fs::read(format!("/proc/{process}/environ")).ok()?;
    let mut variables = environment.split(|byte| *byte == 0);
    let folder = variables.find_map(|it| {
        let value = it.strip_prefix(FOLDER.as_bytes())?;
        value.strip_prefix(b"=")
    })?;
    Some(PathBuf::from(String::from_utf8_lossy(folder).into_owned()))
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use super::*;

    #[test]
    fn processes_that_run_on_are_known_by_the_folder_that_they_were_started_with() {
        let folder = tempfile::tempdir().unwrap();
        let mut running = std::process::Command::new("sleep")
            .arg("1000")
            .env(FOLDER, folder.path())
            .spawn()
            .unwrap();
        let found = processes_of(folder.path());
        running.kill().unwrap();
        running.wait().unwrap();
        assert_eq!(found, [(running.id(), "sleep".to_owned())]);
        assert_eq!(processes_of(folder.path()), []);
    }

    #[test]
    fn what_is_not_recorded_says_what_to_name() {
        let own = toggle_capture(std::process::id()).unwrap_err();
        assert!(own.contains("neither is recorded nor records"), "{own}");
        let none = toggle_capture(u32::MAX).unwrap_err();
        assert!(none.contains("no process 4294967295"), "{none}");
    }
}

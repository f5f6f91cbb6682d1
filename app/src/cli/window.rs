//! Opens the window, or says why there can be none.

use std::path::{Path, PathBuf};

use clap::CommandFactory as _;
use engine::fleet::FleetDataset;
use engine::importer::{self, is_standard_input};
use engine::workload::nearest;
use percent_encoding::percent_decode_str;

use super::arguments::CliArguments;
use super::{CliFailure, FINE, system_libraries};
use crate::app::{CloseCheck, InitialContent};
use crate::capture_link::{CaptureLink, of_scheme};

/// Opens the window with these files, which are read again whenever they change where that `follows` them, and answers when it is
/// closed.
pub(super) fn open(files: &[PathBuf], follows: bool) -> Result<u8, CliFailure> {
    let files: &[PathBuf] = &files.iter().map(|it| local_path(it)).collect::<Vec<_>>();
    if let [only] = files
        && let Some(text) = only.to_str().filter(|it| of_scheme(it).is_some())
    {
        return follow(text);
    }
    let captures: Vec<PathBuf> = files
        .iter()
        .filter(|it| !FleetDataset::is_dataset(it))
        .cloned()
        .collect();
    if follows && let Some(reason) = not_followed(files, captures.len()) {
        return Err(CliFailure::Wrong(reason));
    }
    let found = importer::files_of(&captures);
    let found = found.map_err(|error| CliFailure::Wrong(error.to_string()))?;
    for file in found {
        if !file.exists() && !is_standard_input(&file) {
            return Err(CliFailure::Wrong(unknown(&file.display().to_string())));
        }
    }
    let first = if follows {
        InitialContent::FollowedFiles(files.to_vec())
    } else {
        InitialContent::Files(files.to_vec())
    };
    open_with(first, None).map(|_| FINE)
}

/// Why some of what is named cannot be read again whenever it changes.
fn not_followed(files: &[PathBuf], captures: usize) -> Option<String> {
    let is_text = |it: &&PathBuf| it.extension().is_some_and(|it| it == "kdl");
    let reason = if captures < files.len() {
        "a dataset cannot be followed; open it anew"
    } else if files.iter().any(|it| is_standard_input(it)) {
        "standard input can be read only once, and not followed; write it to a file, and follow that"
    } else if files.iter().any(|it| is_text(&it)) {
        "a workload is a text, which is not followed; name captures alone"
    } else {
        return None;
    };
    Some(format!("--follow: {reason}"))
}

/// A file that a desktop names by a URL; any other as it is.
fn local_path(named: &Path) -> PathBuf {
    let url = named.to_str().and_then(|it| it.strip_prefix("file://"));
    // What is before the path is the name of this machine, or nothing.
    let path = url.and_then(|it| it.get(it.find('/')?..));
    path.map_or_else(
        || named.to_owned(),
        |path| {
            let bytes: Vec<u8> = percent_decode_str(path).collect();
            #[cfg(unix)]
            {
                use std::os::unix::ffi::OsStringExt as _;
                std::ffi::OsString::from_vec(bytes).into()
            }
            #[cfg(not(unix))]
            PathBuf::from(String::from_utf8_lossy(&bytes).into_owned())
        },
    )
}

/// Opens the window at the place of a link.
fn follow(text: &str) -> Result<u8, CliFailure> {
    let link = CaptureLink::parse(text).map_err(CliFailure::Wrong)?;
    for file in &link.files {
        if !file.is_file() {
            return Err(CliFailure::Wrong(format!(
                "the link names {}, which is no file here; it may have been moved, or be of another machine",
                file.display()
            )));
        }
    }
    open_with(InitialContent::Link(link), None).map(|_| FINE)
}

/// Opens the window with something in it and answers when it is closed, with how the program ended that it recorded.
pub(super) fn open_with(
    first: InitialContent,
    is_over: CloseCheck,
) -> Result<Option<i32>, CliFailure> {
    if !has_display() {
        return Err(CliFailure::Wrong(headless(
            "neither DISPLAY nor WAYLAND_DISPLAY is set",
        )));
    }
    let closed = crate::app::open_window(first, is_over);
    closed.map_err(|error| {
        let error = error.to_string();
        let is_set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
        let missing = system_libraries::missing(is_set("WAYLAND_DISPLAY"));
        let missing = missing.map_or_else(String::new, |it| format!(". {it}"));
        CliFailure::Wrong(headless(&format!("{}{missing}", without_place(&error))))
    })
}

/// What is neither a file nor a command.
fn unknown(word: &str) -> String {
    let command = CliArguments::command();
    let names = command.get_subcommands().map(clap::Command::get_name);
    let hint = nearest(word, names);
    let hint = hint.unwrap_or_else(|| "`syncline help` lists the commands".to_owned());
    format!("there is no file and no command “{word}”; {hint}")
}

/// Systems other than these always have one.
pub(super) fn has_display() -> bool {
    let set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    let asks = cfg!(all(unix, not(target_os = "macos")));
    !asks || set("DISPLAY") || set("WAYLAND_DISPLAY")
}

/// The words of an error that names the line of a library before them.
fn without_place(text: &str) -> &str {
    let place = text.rsplit_once(".rs:").map(|(_, rest)| rest);
    let words = place
        .and_then(|rest| rest.split_once(": "))
        .map(|(_, words)| words);
    words.unwrap_or(text)
}

fn headless(reason: &str) -> String {
    format!(
        "the window cannot be opened: {reason}. It needs a display (X11 or Wayland) and a driver for Vulkan or OpenGL; \
         over ssh, use `ssh -X` or run it under `xvfb-run`. Everything but the window works without: `syncline run \
         NAME` runs a workload and prints what happened, `syncline workloads` lists them, and `syncline info FILE` \
         prints what a capture holds."
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_misspelled_command_is_guessed() {
        assert!(unknown("rnu").ends_with("“rnu”; did you mean “run”?"));
        assert!(unknown("absent.pftrace").contains("`syncline help`"));
    }

    #[test]
    fn a_url_of_a_file_is_its_path() {
        for (named, path) in [
            ("file:///a%20b/%C3%BC.json", "/a b/ü.json"),
            ("file://host/a.json", "/a.json"),
            ("/plain%20name", "/plain%20name"),
            ("file://", "file://"),
        ] {
            assert_eq!(local_path(Path::new(named)), Path::new(path), "{named}");
        }
    }

    #[test]
    fn errors_lose_the_place_in_a_library() {
        let text = "os error at /x/linux/mod.rs:788: Failed to open connection to X server";
        assert_eq!(without_place(text), "Failed to open connection to X server");
        assert_eq!(without_place("no adapter"), "no adapter");
    }
}

//! What a desktop, shells and `man` know a program by: its entry, icon and types of files, completions and manual pages.
//!
//! They are written by the program itself, from the definitions that its arguments are read by: whoever packs it asks it for
//! them (`data-files`), and `cargo install` and `pip`, which install nothing of the kind for a desktop, leave it to `--register`.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use clap::CommandFactory as _;
use clap_complete::Shell;

use super::arguments::CliArguments;
use super::{CliFailure, FINE, OutputStreams};

const ICON: &str = include_str!("../../../assets/icons/syncline.svg");
const TYPES: &str = include_str!("../../../assets/desktop/syncline.xml");
const ENTRY: &str = include_str!("../../../assets/desktop/syncline.desktop");

/// Where shells look for completions below a folder of data.
const COMPLETIONS: &[(Shell, &str)] = &[
    (Shell::Bash, "bash-completion/completions/syncline"),
    (Shell::Zsh, "zsh/site-functions/_syncline"),
    (Shell::Fish, "fish/vendor_completions.d/syncline.fish"),
];

/// Writes the files below a folder such as `/usr/share`, for whoever packs the program.
pub(super) fn write_for_package(folder: &Path) -> Result<u8, CliFailure> {
    write_all(folder, "syncline").map_err(CliFailure::Wrong)?;
    Ok(FINE)
}

/// Writes the files below the data folder of the user, names this program as what opens links, and prints what was done.
pub(super) fn register(streams: &mut OutputStreams<'_>) -> Result<u8, CliFailure> {
    for line in register_here().map_err(CliFailure::Wrong)? {
        writeln!(streams.out, "{line}")?;
    }
    Ok(FINE)
}

fn register_here() -> Result<Vec<String>, String> {
    if !cfg!(all(unix, not(target_os = "macos"))) {
        return Err(
            "links can be registered on Linux alone; elsewhere give the link to the program: syncline 'syncline://open?…'"
                .to_owned(),
        );
    }
    let folder = data_folder().ok_or_else(|| {
        "neither XDG_DATA_HOME nor HOME is set, so there is no folder for the desktop entry; set one of them"
            .to_owned()
    })?;
    let program = std::env::current_exe().map_err(|error| {
        format!("the path of this program is not known: {error}; start it by its whole path")
    })?;
    write_all(&folder, &quoted(&program))?;
    let named = if is_done(
        "xdg-mime",
        &["default", "syncline.desktop", "x-scheme-handler/syncline"],
    ) {
        "links that begin with syncline: open in this program from now on"
    } else {
        "xdg-mime did not accept it for syncline: links; choose Syncline once when the desktop asks, or install \
         xdg-utils and do this again"
    };
    let types = folder.join("mime").display().to_string();
    let applications = folder.join("applications").display().to_string();
    let are_known = is_done("update-mime-database", &[&types])
        && is_done("update-desktop-database", &[&applications]);
    let opened = if are_known {
        "a double click opens .pftrace, .xplane.pb and the files of PyTorch and Perfetto in it"
    } else {
        "a double click does not open captures in it yet: update-mime-database or update-desktop-database is missing or failed; \
         install shared-mime-info and desktop-file-utils and do this again"
    };
    Ok(vec![
        format!(
            "wrote {}",
            folder.join("applications/syncline.desktop").display()
        ),
        named.to_owned(),
        opened.to_owned(),
        format!(
            "wrote completions for bash, zsh and fish, and manual pages, below {}",
            folder.display()
        ),
    ])
}

/// Whether a tool of the desktop's does something.
fn is_done(tool: &str, arguments: &[&str]) -> bool {
    let mut command = Command::new(tool);
    command.args(arguments).stdin(Stdio::null());
    command.output().is_ok_and(|it| it.status.success())
}

/// The folder of the user's data, by the XDG base directories.
fn data_folder() -> Option<PathBuf> {
    let set = |name: &str| std::env::var_os(name).map(PathBuf::from);
    let named = set("XDG_DATA_HOME").filter(|it| it.is_absolute());
    named.or_else(|| {
        let home = set("HOME").filter(|it| it.is_absolute())?;
        Some(home.join(".local/share"))
    })
}

/// Writes all files below `folder`; a desktop starts `program`, which stands in its entry as it is.
fn write_all(folder: &Path, program: &str) -> Result<(), String> {
    let entry = ENTRY.replace("@PROGRAM@", program);
    write(folder, "applications/syncline.desktop", entry.as_bytes())?;
    write(
        folder,
        "icons/hicolor/scalable/apps/syncline.svg",
        ICON.as_bytes(),
    )?;
    write(folder, "mime/packages/syncline.xml", TYPES.as_bytes())?;
    for (shell, place) in COMPLETIONS {
        let mut text = Vec::new();
        clap_complete::generate(*shell, &mut CliArguments::command(), "syncline", &mut text);
        write(folder, place, &text)?;
    }
    let manual = folder.join("man/man1");
    let written = fs::create_dir_all(&manual)
        .and_then(|()| clap_mangen::generate_to(CliArguments::command(), &manual));
    written.map_err(|error| unwritten(&manual, &error))
}

fn write(folder: &Path, place: &str, bytes: &[u8]) -> Result<(), String> {
    let path = folder.join(place);
    let above = path.parent().unwrap_or(folder);
    let written = fs::create_dir_all(above).and_then(|()| fs::write(&path, bytes));
    written.map_err(|error| unwritten(&path, &error))
}

fn unwritten(path: &Path, error: &io::Error) -> String {
    format!(
        "{} cannot be written: {error}; see who may write there",
        path.display()
    )
}

/// A path as the command of a desktop entry.
fn quoted(program: &Path) -> String {
    let mut quoted = "\"".to_owned();
    for it in program.to_string_lossy().chars() {
        match it {
            // The entry's own escapes are read before those of its command.
            '"' | '`' | '$' => quoted.extend(['\\', '\\', it]),
            '\\' => quoted.push_str("\\\\\\\\"),
            '%' => quoted.push_str("%%"),
            _ => quoted.push(it),
        }
    }
    quoted + "\""
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_entry_of_a_desktop_quotes_its_program() {
        let folder = tempfile::tempdir().unwrap();
        let program = quoted(Path::new("/opt/my tools/100%/$sync\\line"));
        write_all(folder.path(), &program).unwrap();
        let entry = folder.path().join("applications/syncline.desktop");
        let entry = fs::read_to_string(entry).unwrap();
        assert!(
            entry.contains("Exec=\"/opt/my tools/100%%/\\\\$sync\\\\\\\\line\" %U\n"),
            "{entry}"
        );
    }

    #[test]
    fn every_type_of_file_that_is_declared_is_opened() {
        let (_, opened) = ENTRY.split_once("MimeType=").unwrap();
        let declared = TYPES.split("mime-type type=\"").skip(1);
        for it in declared.filter_map(|it| it.split('"').next()) {
            assert!(opened.contains(&format!(";{it};")), "{it}");
        }
    }

    #[test]
    fn every_command_has_a_page_and_is_completed() {
        let folder = tempfile::tempdir().unwrap();
        write_all(folder.path(), "syncline").unwrap();
        let read = |place: &str| fs::read_to_string(folder.path().join(place)).unwrap();
        let completions: Vec<String> = COMPLETIONS.iter().map(|it| read(it.1)).collect();
        let command = CliArguments::command();
        for it in command.get_subcommands().filter(|it| !it.is_hide_set()) {
            let name = it.get_name();
            let page = read(&format!("man/man1/syncline-{name}.1"));
            assert!(page.contains(".SH SYNOPSIS"), "{page}");
            for text in &completions {
                assert!(text.contains(name), "{name}");
            }
        }
        assert!(read("man/man1/syncline.1").contains("Exit codes: 0 all is well"));
    }
}

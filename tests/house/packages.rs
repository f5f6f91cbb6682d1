//! Packages that are installed in one line: their shape, whatever program is in them, and what the program writes for them.

use std::path::Path;
use std::process::Command;

use app::cli::{FINE, run};

use crate::formats::python::{python, run_tests};
use crate::house::{read, root};

/// What the program writes for whoever packs it.
fn data_files(folder: &Path) {
    let folder = folder.display().to_string();
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let code = run(["syncline", "data-files", &folder], &mut out, &mut err);
    assert_eq!(code, FINE, "{}", String::from_utf8_lossy(&err));
}

#[test]
fn packages_have_the_shape_that_their_tools_expect() {
    let folder = tempfile::tempdir().unwrap();
    data_files(folder.path());
    let mut command = python(Path::new("python3"));
    command.env("SYNCLINE_DATA_FILES", folder.path());
    run_tests(command.arg(root().join("app/package/test_pack.py")));
}

/// Says what a tool says of a file that the program writes; one that is not installed says nothing.
fn read_by(tool: &str, arguments: &[&str], file: &Path) {
    match Command::new(tool).args(arguments).arg(file).output() {
        Ok(output) => {
            let said = [output.stdout, output.stderr].concat();
            let said = String::from_utf8_lossy(&said);
            assert!(output.status.success(), "{tool}: {said}");
        }
        Err(_) => eprintln!("skipped: there is no {tool} to read what the program writes"),
    }
}

#[test]
fn desktops_shells_and_man_read_what_the_program_writes() {
    let folder = tempfile::tempdir().unwrap();
    data_files(folder.path());
    let at = |place: &str| folder.path().join(place);
    read_by(
        "desktop-file-validate",
        &[],
        &at("applications/syncline.desktop"),
    );
    read_by("update-mime-database", &[], &at("mime"));
    read_by("bash", &["-n"], &at("bash-completion/completions/syncline"));
    read_by("zsh", &["-n"], &at("zsh/site-functions/_syncline"));
    read_by(
        "fish",
        &["--no-execute"],
        &at("fish/vendor_completions.d/syncline.fish"),
    );
    read_by(
        "man",
        &["--warnings", "--local-file"],
        &at("man/man1/syncline-explain.1"),
    );
}

/// What a window lacks is named by what `make run` would install.
#[test]
fn libraries_that_are_named_as_missing_are_those_that_are_installed() {
    let installed = read(".ci/install");
    let source = read("app/src/cli/system_libraries.rs");
    let rows = source.split("LibraryUse::").skip(1);
    let mut count = 0;
    for row in rows.filter_map(|it| it.split_once(')')) {
        let words: Vec<&str> = row.0.split('"').collect();
        let [_, library, _, package, ..] = words[..] else {
            continue;
        };
        count += 1;
        let line = format!("need {package} library {library}\n");
        assert!(installed.contains(&line), "{line}");
    }
    assert!(count > 10, "{count}");
}

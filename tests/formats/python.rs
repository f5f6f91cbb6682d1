//! The package for Python: its own tests, over captures, with every Python that the tests know.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use super::datasets::engines;
use crate::house::program::syncline;
use crate::house::{read, root};

/// A Python that finds the package and the program.
pub fn python(program: &Path) -> Command {
    let mut command = Command::new(program);
    command
        .env("PYTHONPATH", root().join("app/python"))
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .env("PYTHONWARNINGS", "default")
        .env("SYNCLINE", syncline())
        .env("SYNCLINE_TEST_CAPTURES", root().join("tests/data/captures"))
        .env_remove("CUDA_INJECTION64_PATH");
    command
}

/// What a script says; nothing, and a word why, where there is no Python.
pub fn output(command: &mut Command) -> Option<Output> {
    match command.output() {
        Ok(output) => Some(output),
        Err(error) if error.kind() == ErrorKind::NotFound => {
            eprintln!("skipped: there is no python3 for the package to be tested with");
            None
        }
        Err(error) => panic!("{error}"),
    }
}

/// Runs a script of tests, which says in the end what it skipped.
pub fn run_tests(command: &mut Command) {
    let Some(output) = output(command.arg("-v")) else {
        return;
    };
    let said = String::from_utf8_lossy(&output.stderr);
    eprintln!("{said}");
    assert!(output.status.success());
    assert!(said.contains("\nRan ") && !said.contains("\nRan 0 "));
}

fn tests() -> PathBuf {
    root().join("app/python/tests/test_syncline.py")
}

#[test]
fn the_package_answers_what_stands_in_the_files() {
    run_tests(python(Path::new("python3")).arg(tests()));
}

/// Where Arrow is installed, and pandas where somebody did that.
#[test]
fn the_package_gives_tables_where_their_libraries_are_installed() {
    if let Some(program) = engines::python() {
        run_tests(python(&program).args([tests().as_os_str(), "Forms".as_ref()]));
    }
}

#[test]
fn the_package_has_the_version_of_the_program() {
    let text = read("app/python/syncline/__init__.py");
    let version = format!("__version__ = \"{}\"", env!("CARGO_PKG_VERSION"));
    assert!(text.contains(&version), "{version}");
}

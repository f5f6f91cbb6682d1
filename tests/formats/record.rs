//! Programs of somebody else's are recorded: what they did is there to the last call, whatever becomes of them.

mod asks;
mod device;
#[cfg(target_os = "linux")]
mod ends;
mod file;
#[cfg(target_os = "linux")]
mod hand_over;
mod keeping;
#[cfg(target_os = "linux")]
mod live;
#[cfg(target_os = "linux")]
mod nvtx;
mod passed_on;
#[cfg(target_os = "linux")]
mod programs;
#[cfg(target_os = "linux")]
mod refusals;
mod sample;
#[cfg(target_os = "linux")]
mod schedule;
#[cfg(target_os = "linux")]
mod window;

pub use sample::bytes as sample;

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use engine::capture::{Capture, PlacedSpan};
use engine::importer;
use engine::record::{Dependency, DependencyKind, SpanKind};

use crate::house::program::{stand_in, syncline};

/// The program that is recorded.
fn program() -> PathBuf {
    syncline().with_file_name("cuda-program")
}

/// The command that records the program into a file, in a folder that is also that of temporary files.
pub fn recorder(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(syncline());
    command
        .args(["record", "--headless", "-o"])
        .arg(folder.join("out.pftrace"))
        .arg("--")
        .arg(program())
        .args(arguments)
        .env("SYNCLINE_TEST_CUDA_STAND_IN", stand_in())
        .env("TMPDIR", folder)
        .stdin(Stdio::null());
    command
}

/// A program that was recorded to its end.
struct Recorded {
    output: Output,
    capture: Capture,
    /// What lies in the folder besides the capture.
    left: Vec<String>,
}

fn record(arguments: &[&str], variables: &[(&str, &str)]) -> Recorded {
    let folder = tempfile::tempdir().unwrap();
    let mut command = recorder(folder.path(), arguments);
    command.envs(variables.iter().copied());
    let output = command.output().unwrap();
    recorded(folder.path(), output)
}

fn recorded(folder: &Path, output: Output) -> Recorded {
    let capture = open(&folder.join("out.pftrace"));
    let names = std::fs::read_dir(folder).unwrap();
    let names = names.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    Recorded {
        output,
        capture,
        left: names.filter(|name| name != "out.pftrace").collect(),
    }
}

fn open(path: &Path) -> Capture {
    let mut capture = Capture::new();
    importer::open(path, &mut |batch| {
        capture.apply(batch.records);
        std::ops::ControlFlow::Continue(())
    })
    .unwrap();
    capture
}

impl Recorded {
    fn said(&self) -> String {
        let (out, err) = (&self.output.stdout, &self.output.stderr);
        format!(
            "{}{}",
            String::from_utf8_lossy(out),
            String::from_utf8_lossy(err)
        )
    }

    fn code(&self) -> Option<i32> {
        self.output.status.code()
    }

    fn codes(&self) -> Vec<&str> {
        let problems = self.capture.problems().iter();
        problems.map(|it| it.code.as_str()).collect()
    }
}

fn of_kind(capture: &Capture, kind: SpanKind) -> Vec<PlacedSpan> {
    capture
        .spans()
        .filter(|placed| placed.span.kind == kind)
        .collect()
}

fn ties(capture: &Capture, kind: DependencyKind) -> Vec<Dependency> {
    let all = capture.spans();
    let causes = all.flat_map(|placed| capture.causes(placed.span.id).collect::<Vec<_>>());
    let ties = causes.filter_map(|id| capture.dependency(id));
    ties.filter(|tie| tie.kind == kind).collect()
}

fn name(capture: &Capture, span: engine::record::SpanId) -> String {
    let span = capture.span(span).unwrap().span;
    capture.name(span.name).to_owned()
}

//! CUDA over the stand-in for its driver: results against the processor's, graphs, streams, and faults that are real as
//! far as the driver's interface goes, each in a process of its own.

mod faults;
mod graphs;
mod misuse;
mod priorities;
mod results;
mod streams;
mod times;

use std::path::PathBuf;
use std::process::{Command, Output};
use std::time::Duration;

use crate::house::program::{output_within, stand_in, syncline};

/// How long a run may take to end by itself. One that hangs is killed then and fails its test, where it held up all others.
const PATIENCE: Duration = Duration::from_mins(1);

/// What `syncline` says, with the stand-in in the driver's place.
pub fn syncline_with(arguments: &[&str], variables: &[(&str, &str)]) -> Output {
    let mut command = Command::new(syncline());
    command
        .args(arguments)
        .env("SYNCLINE_TEST_CUDA_STAND_IN", stand_in());
    for (name, value) in variables {
        command.env(name, value);
    }
    output_within(&mut command, PATIENCE, &arguments.join(" "))
}

/// A workload in a file of its own, which lives as long as the folder.
fn file(folder: &tempfile::TempDir, text: &str) -> PathBuf {
    let path = folder.path().join("workload.kdl");
    std::fs::write(&path, text).unwrap();
    path
}

pub fn said(output: &Output) -> String {
    let (out, err) = (&output.stdout, &output.stderr);
    format!(
        "{}{}",
        String::from_utf8_lossy(out),
        String::from_utf8_lossy(err)
    )
}

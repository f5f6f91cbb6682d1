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

use crate::house::program::{stand_in, syncline};

/// What `syncline` says, with the stand-in in the driver's place.
pub fn syncline_with(arguments: &[&str], variables: &[(&str, &str)]) -> Output {
    let mut command = Command::new(syncline());
    command
        .args(arguments)
        .env("SYNCLINE_TEST_CUDA_STAND_IN", stand_in());
    for (name, value) in variables {
        command.env(name, value);
    }
    command.output().expect("it starts")
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

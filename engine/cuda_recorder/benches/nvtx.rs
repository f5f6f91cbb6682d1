//! What a range of NVTX costs a program that is recorded.
//!
//! The program is the one of the tests, built by the compiler for C with the header that `.ci/nvtx` downloads.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Ranges of a run.
const RANGES: f64 = 1e6;
const ROUNDS: usize = 7;

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Builds the program; nothing where it cannot be built here.
fn build(folder: &Path) -> Option<PathBuf> {
    let headers = root().join("target/nvtx/nvidia/cu13/include");
    let program = folder.join("ranges");
    let built = Command::new("cc")
        .args(["-O2", "-std=gnu11", "-I"])
        .arg(&headers)
        .arg("-o")
        .arg(&program)
        .arg(root().join("tests/nvtx/ranges.c"))
        .args(["-ldl", "-lpthread"])
        .status();
    built.is_ok_and(|it| it.success()).then_some(program)
}

/// Nanoseconds a range, by the program itself.
fn run(program: &Path, folder: &Path, library: Option<&Path>) -> Result<f64, Box<dyn Error>> {
    let log = folder.join("log");
    std::fs::write(&log, "")?;
    let mut command = Command::new(program);
    command
        .arg(&log)
        .arg("bench")
        .env_remove("NVTX_INJECTION64_PATH");
    if let Some(library) = library {
        command
            .env("NVTX_INJECTION64_PATH", library)
            .env(cuda_recorder::FOLDER, folder)
            .env(cuda_recorder::ORIGIN, cuda_recorder::now().to_string());
    }
    let status = command.status()?;
    assert!(status.success(), "the program fails: {status}");
    let nanos: f64 = std::fs::read_to_string(&log)?.trim().parse()?;
    Ok(nanos / RANGES)
}

/// The one in the middle of several runs.
fn median(program: &Path, folder: &Path, library: Option<&Path>) -> Result<f64, Box<dyn Error>> {
    let rounds = (0..ROUNDS).map(|_| run(program, folder, library));
    let mut rounds = rounds.collect::<Result<Vec<f64>, _>>()?;
    rounds.sort_by(f64::total_cmp);
    Ok(rounds.get(ROUNDS / 2).copied().unwrap_or_default())
}

#[expect(clippy::print_stdout, reason = "a bench prints its figures")]
fn main() -> Result<(), Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let folder = folder.path();
    let Some(program) = build(folder) else {
        println!("no NVTX: .ci/nvtx target/nvtx downloads it, and cc builds a program with it");
        return Ok(());
    };
    let library = std::env::current_exe()?.with_file_name("libcuda_recorder.so");
    let plain = median(&program, folder, None)?;
    let recorded = median(&program, folder, Some(&library))?;
    let files = std::fs::read_dir(folder)?.flatten();
    let files = files.filter(|it| {
        let path = it.path();
        path.extension()
            .is_some_and(|it| it == cuda_recorder::ENDING)
    });
    let bytes: u64 = files.filter_map(|it| Some(it.metadata().ok()?.len())).sum();
    println!(
        "a range of NVTX, pushed and popped: {recorded:.0} ns recorded, {plain:.0} ns where nobody listens (target 300 ns)"
    );
    println!(
        "  {:.1} bytes a range in the file of its process",
        bytes as f64 / RANGES / ROUNDS as f64
    );
    Ok(())
}

//! What a range of NVTX costs a program that is recorded.
//!
//! The program is the one of the tests, built by the compiler for C with the header that `.ci/nvtx` downloads.

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
fn run(program: &Path, folder: &Path, library: Option<&Path>) -> f64 {
    let log = folder.join("log");
    let _ = std::fs::remove_file(&log);
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
    let status = command.status().expect("the program starts");
    assert!(status.success(), "the program fails: {status}");
    let text = std::fs::read_to_string(&log).expect("the program writes");
    let nanos: f64 = text.trim().parse().expect("it writes a number");
    nanos / RANGES
}

fn median(mut of: Vec<f64>) -> f64 {
    of.sort_by(f64::total_cmp);
    of.get(of.len() / 2).copied().unwrap_or(f64::NAN)
}

fn main() {
    let folder = tempfile::tempdir().expect("there is room");
    let Some(program) = build(folder.path()) else {
        println!("no NVTX: .ci/nvtx target/nvtx downloads it, and cc builds a program with it");
        return;
    };
    let bench = std::env::current_exe().expect("the bench runs from a file");
    let library = bench.with_file_name("libcuda_recorder.so");
    let of = |library: Option<&Path>| {
        let rounds = (0..ROUNDS).map(|_| run(&program, folder.path(), library));
        median(rounds.collect())
    };
    let (plain, recorded) = (of(None), of(Some(&library)));
    let bytes = std::fs::read_dir(folder.path())
        .expect("the folder is there")
        .flatten();
    let bytes = bytes.filter(|it| {
        it.path()
            .extension()
            .is_some_and(|it| it == cuda_recorder::ENDING)
    });
    let bytes: u64 = bytes.filter_map(|it| Some(it.metadata().ok()?.len())).sum();
    println!(
        "a range of NVTX, pushed and popped: {recorded:.0} ns recorded, {plain:.0} ns where nobody listens (target 300 ns)"
    );
    println!(
        "  {:.1} bytes a range in the file of the process",
        bytes as f64 / RANGES / ROUNDS as f64
    );
}

//! What it costs a program that it is recorded in a ring of the last stretch of time, against all of it.
//!
//! The program is the one of the tests, built by the compiler for C with the header that `.ci/nvtx` downloads.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::Command;

use engine::activity::{CaptureWindow, RingLimit};
use engine::runner::{Control, Engine, Message, ProgramRequest};

/// Ranges of a run.
const RANGES: f64 = 1e6;
const ROUNDS: usize = 9;

/// Builds the program; nothing where it cannot be built here.
fn build(folder: &Path) -> Option<PathBuf> {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("..");
    let program = folder.join("ranges");
    let built = Command::new("cc")
        .args(["-O2", "-std=gnu11", "-I"])
        .arg(root.join("target/nvtx/nvidia/cu13/include"))
        .arg("-o")
        .arg(&program)
        .arg(root.join("tests/nvtx/ranges.c"))
        .args(["-ldl", "-lpthread"])
        .status();
    built.is_ok_and(|it| it.success()).then_some(program)
}

/// Nanoseconds a range, by the program itself, while what a window wants is kept.
fn run(program: &Path, folder: &Path, window: CaptureWindow) -> Result<f64, Box<dyn Error>> {
    let log = folder.join("log");
    std::fs::write(&log, "")?;
    let words = [program.as_os_str(), log.as_os_str(), "bench".as_ref()];
    let engine = Engine::start(Box::new(|| ()));
    engine.send(Control::Record(Box::new(ProgramRequest {
        command: words.map(ToOwned::to_owned).into(),
        save: Some(folder.join("out.pftrace")),
        window,
        is_live: false,
    })));
    for message in engine.messages() {
        match message {
            Message::Refused(why) => return Err(why.into()),
            Message::Finished { .. } => break,
            _ => {}
        }
    }
    let nanos: f64 = std::fs::read_to_string(&log)?.trim().parse()?;
    Ok(nanos / RANGES)
}

fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or_default()
}

#[expect(clippy::print_stdout, reason = "a bench prints its figures")]
fn main() -> Result<(), Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let Some(program) = build(folder.path()) else {
        println!("no NVTX: .ci/nvtx target/nvtx downloads it, and cc builds a program with it");
        return Ok(());
    };
    let last = |nanos, bytes| RingLimit::new(nanos, bytes).map(CaptureWindow::Last);
    let windows = [
        CaptureWindow::Whole,
        last(10_000_000_000, RingLimit::USUAL)?,
        last(10_000_000_000, 8_000_000)?,
    ];
    // In turn, so that what else the machine does is in all of them.
    let mut found = [Vec::new(), Vec::new(), Vec::new()];
    for _ in 0..ROUNDS {
        for (window, values) in windows.iter().zip(&mut found) {
            values.push(run(&program, folder.path(), window.clone())?);
        }
    }
    let [whole, kept, full] = found.each_mut().map(|it| median(it));
    println!(
        "a range of NVTX kept in a ring of the last 10 s against all of it: {:.3} times ({kept:.0} ns against {whole:.0} ns; target \
         1.02)",
        kept / whole
    );
    println!(
        "  the same where the ring of 8 MB is full, and the oldest are read once more before they go: {:.3} times ({full:.0} ns)",
        full / whole
    );
    Ok(())
}

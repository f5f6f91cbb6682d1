//! Opens captures and prints how busy each stream was, the busiest first.
//!
//! `cargo run -p syncline-engine --example busiest_stream -- FILE…`; several files become one capture.

use std::cmp::Reverse;
use std::error::Error;
use std::fmt::Write as _;
use std::io::Write as _;
use std::ops::ControlFlow;
use std::path::PathBuf;

use engine::analysis::Statistics;
use engine::capture::Capture;
use engine::importer::open_all;
use engine::record::Group;

fn main() -> Result<(), Box<dyn Error>> {
    let paths: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    if paths.is_empty() {
        return Err("name a capture, such as train.pt.trace.json.gz".into());
    }
    std::io::stdout().write_all(streams(&paths)?.as_bytes())?;
    Ok(())
}

/// A line for each stream of the captures at `paths`.
///
/// # Errors
/// Why a file cannot be opened, and what to do.
pub fn streams(paths: &[PathBuf]) -> Result<String, Box<dyn Error>> {
    let mut capture = Capture::new();
    // Records come in batches, of whatever format the files are; `Break` would end the reading.
    open_all(paths, &mut |batch| {
        capture.apply(batch.records);
        ControlFlow::Continue(())
    })?;
    let Some(extent) = capture.extent() else {
        return Ok("the capture is empty\n".to_owned());
    };
    let mut lanes = Statistics::of(&capture, extent).lanes;
    lanes.sort_by_key(|it| Reverse(it.busy));
    let mut text = String::new();
    for usage in lanes {
        let lane = capture.lane(usage.lane);
        if let Some(lane) = lane.filter(|it| it.group == Group::Streams) {
            let (name, busy, spans) = (&lane.name, usage.busy, usage.spans);
            writeln!(text, "{name}: busy for {busy} with {spans} spans")?;
        }
    }
    Ok(text)
}

//! Speed and memory of Perfetto files by other tools: 1.3 million packets, which are 660 thousand slices of threads and
//! streams with arrows and annotations.
//!
//! Prints a table of medians. What opening is compared with is decoding the same packets into messages and dropping them.
//! Memory is the most that a process of its own had, beyond one that opened next to nothing. `SYNCLINE_PFTRACE=FILE` opens
//! a file of yours instead.

mod generate {
    pub mod perfetto;
}
mod measure {
    pub mod median;
    pub mod table;
}

use std::hint::black_box;
use std::io;
use std::ops::ControlFlow;
use std::path::Path;
use std::process::Command;

use engine::capture::Capture;
use engine::importer::{self, Source};
use engine::perfetto::proto::TracePacket;
use measure::median::median;
use measure::table::ResultTable;
use prost::Message as _;

const ROUNDS: usize = 5;
/// The variable by which a process knows that it is to open a file and say how much memory that took.
const OPENS: &str = "SYNCLINE_BENCH_OPENS";

/// Decodes every packet and drops it; says how many there are.
fn decode(bytes: &[u8]) -> usize {
    let mut rest = bytes;
    let mut packets = 0;
    while let Some((_, body)) = rest.split_first() {
        rest = body;
        let Ok(packet) = TracePacket::decode_length_delimited(&mut rest) else {
            break;
        };
        black_box(packet);
        packets += 1;
    }
    packets
}

/// Opens a file, into a capture or into nothing.
fn open(path: &Path, mut capture: Option<&mut Capture>) {
    let Ok(source) = Source::open(path) else {
        return;
    };
    let receipt = importer::open_source(&source, &mut |batch| {
        match &mut capture {
            Some(capture) => capture.apply(batch.records),
            None => drop(black_box(batch)),
        }
        ControlFlow::Continue(())
    });
    drop(black_box(receipt));
}

/// The most memory that this process had, in bytes.
fn peak() -> f64 {
    let text = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<f64>().ok());
    kilobytes.unwrap_or_default() * 1024.0
}

/// The most memory that a process has that opens a file, in bytes.
fn peak_of(path: &Path) -> io::Result<f64> {
    let output = Command::new(std::env::current_exe()?)
        .env(OPENS, path)
        .output()?;
    let text = String::from_utf8_lossy(&output.stdout);
    Ok(text.trim().parse().unwrap_or_default())
}

fn measure(path: &Path) -> io::Result<()> {
    let bytes = std::fs::read(path)?;
    let megabytes = bytes.len() as f64 / 1e6;
    let packets = decode(&bytes);
    let decoding = median(ROUNDS, || {
        black_box(decode(&bytes));
    });
    drop(bytes);
    let reading = median(ROUNDS, || open(path, None));
    let mut spans = 0;
    let opening = median(ROUNDS, || {
        let mut capture = Capture::new();
        open(path, Some(&mut capture));
        spans = capture.span_count();
    });
    let least =
        std::env::temp_dir().join(format!("syncline-little-{}.pftrace", std::process::id()));
    std::fs::write(&least, generate::perfetto::file(1))?;
    let beyond = peak_of(path)? - peak_of(&least)?;
    std::fs::remove_file(&least)?;
    eprintln!(
        "{packets} packets, {megabytes:.0} MB: {spans} spans; at most {:.0} MB of memory, {:.0} bytes a packet",
        beyond / 1e6,
        beyond / packets.max(1) as f64
    );
    let table = ResultTable::new((packets as f64, "packets"), megabytes, decoding);
    table.line("decode packets and drop them", decoding);
    table.line("open to records", reading);
    table.line("open to a full capture", opening);
    Ok(())
}

#[expect(clippy::print_stdout, reason = "a process says what it took")]
fn main() -> io::Result<()> {
    if let Some(path) = std::env::var_os(OPENS) {
        let mut capture = Capture::new();
        open(Path::new(&path), Some(&mut capture));
        println!("{}", peak());
        return Ok(());
    }
    if let Some(path) = std::env::var_os("SYNCLINE_PFTRACE") {
        return measure(Path::new(&path));
    }
    let path =
        std::env::temp_dir().join(format!("syncline-foreign-{}.pftrace", std::process::id()));
    std::fs::write(&path, generate::perfetto::file(1_323_000))?;
    let answer = measure(&path);
    std::fs::remove_file(&path)?;
    answer
}

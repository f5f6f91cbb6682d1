//! Speed and size of a dataset: a Kineto-like capture of half a million events, opened, and converted to a rank.
//!
//! Prints how long each table takes on disk, in bytes a span, and the time of a conversion, opening included, as a multiple of
//! the time of opening alone; then how long a question takes in the tables of the open capture, and, where it is installed,
//! in DuckDB over the files. `SYNCLINE_EVENTS=5000000` makes the capture that long, `SYNCLINE_JSON=FILE` takes one of yours.

mod generate {
    pub mod kineto;
}
mod measure {
    pub mod median;
}

use std::error::Error;
use std::fs::{self, File};
use std::io::{BufWriter, Write as _};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use engine::capture::Capture;
use engine::dataset::{ContentHash, Dataset, RankFile};
use engine::fleet::{FleetDataset, FleetEngine, FoundEngine, ask_fleet, found_engines};
use engine::importer;
use engine::query::{QuerySource, SqlLimits, SqlWatch, ask, questions};
use measure::median::median;

const EVENTS: u64 = 500_000;
const ROUNDS: usize = 5;

fn open(path: &Path) -> Capture {
    let mut capture = Capture::new();
    let opened = importer::open_all(&[path.to_owned()], &mut |batch| {
        capture.apply(batch.records);
        ControlFlow::Continue(())
    });
    // What is left out of a capture would make a wrong figure.
    assert!(opened.is_ok(), "the capture of the bench opens");
    capture
}

/// Converts a capture as `syncline convert --to` does.
fn convert(path: &Path, folder: &Path) -> Result<u64, Box<dyn Error>> {
    let dataset = Dataset::open(folder, "bench".parse()?)?;
    let content = ContentHash::of_file(path, &|| false)?;
    let capture = open(path);
    let spans = capture.span_count() as u64;
    let name = path.display().to_string();
    let file = RankFile {
        rank: 0,
        path: &name,
        content: Some(&content),
    };
    dataset.begin(0)?;
    let written = dataset.write_rank(&file, &Arc::new(capture), &|| false)?;
    dataset.commit(0, &mut [written], &|| false)?;
    Ok(spans)
}

/// Bytes of the files below a folder.
fn bytes(folder: &Path) -> u64 {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let each = entries.map(|entry| match entry.metadata() {
        Ok(found) if found.is_dir() => bytes(&entry.path()),
        Ok(found) => found.len(),
        Err(_) => 0,
    });
    each.sum()
}

fn source(folder: &Path) -> Result<PathBuf, Box<dyn Error>> {
    if let Some(path) = std::env::var_os("SYNCLINE_JSON") {
        return Ok(path.into());
    }
    let path = folder.join("rank0.json");
    let mut out = BufWriter::new(File::create(&path)?);
    let events = std::env::var("SYNCLINE_EVENTS");
    let events = events.map_or(Ok(EVENTS), |it| it.parse())?;
    generate::kineto::write(events, &mut out)?;
    out.flush()?;
    Ok(path)
}

fn print_sizes(folder: &Path, spans: u64) -> Result<(), Box<dyn Error>> {
    let mut all = 0;
    let mut sizes = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if entry.path().is_dir() {
            sizes.push((bytes(&entry.path()), name));
        }
    }
    sizes.sort();
    for (size, name) in sizes.iter().rev() {
        all += size;
        eprintln!("{name:14} {:7.2} bytes a span", *size as f64 / spans as f64);
    }
    eprintln!(
        "{:14} {:7.2} bytes a span",
        "all",
        all as f64 / spans as f64
    );
    Ok(())
}

/// Asks for the kernels that take the most time.
fn ask_both(path: &Path, folder: &Path) -> Result<(), Box<dyn Error>> {
    let found = questions().iter().find(|it| it.name == "top-kernels");
    let sql = found.map(|it| it.sql).ok_or("there is no such question")?;
    let limits = SqlLimits {
        memory: u64::MAX,
        ..SqlLimits::default()
    };
    let watch = Arc::new(SqlWatch::default());
    let source = Arc::new(QuerySource::new(Arc::new(open(path)), None));
    let in_tables = || {
        ask(&source, sql, (limits, &watch), &mut |_, _| {
            ControlFlow::Continue(())
        })
    };
    // This makes the columns that are asked for.
    let first = in_tables()?.time.as_secs_f64();
    let own = median(ROUNDS, || drop(std::hint::black_box(in_tables())));
    eprintln!("top-kernels in the tables of the capture: {first:.3} s at first, {own:.3} s later");
    let engines = found_engines();
    let duckdb = engines.iter().find(|it| it.engine == FleetEngine::DuckDb);
    if !duckdb.is_some_and(FoundEngine::is_ready) {
        eprintln!("DuckDB is not installed, and was not asked");
        return Ok(());
    }
    let fleet = FleetDataset::open(folder)?;
    let median_of = |sql: &str| -> Result<f64, Box<dyn Error>> {
        let mut times = Vec::new();
        for _ in 0..ROUNDS {
            let answer = ask_fleet(
                &fleet,
                &FleetEngine::DuckDb,
                sql,
                (limits, &watch),
                &mut |_, _| ControlFlow::Continue(()),
            )?;
            times.push(answer.answer.time.as_secs_f64());
        }
        times.sort_by(f64::total_cmp);
        Ok(times.get(ROUNDS / 2).copied().unwrap_or_default())
    };
    let started = median_of("SELECT rank FROM captures")?;
    let other = median_of(sql)? - started;
    eprintln!(
        "DuckDB over the files: {other:.3} s besides {started:.3} s until it has started, {:.2} of the tables' time",
        other / own
    );
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let path = source(folder.path())?;
    let target = folder.path().join("dataset");
    let mut spans = 0;
    let opening = median(ROUNDS, || drop(std::hint::black_box(open(&path))));
    let mut failed = None;
    let converting = median(ROUNDS, || match convert(&path, &target) {
        Ok(count) => spans = count,
        Err(error) => failed = Some(error),
    });
    if let Some(error) = failed {
        return Err(error);
    }
    eprintln!("{spans} spans of {}", path.display());
    print_sizes(&target, spans)?;
    eprintln!(
        "open {opening:.2} s, convert {converting:.2} s: {:.2} of the rate of opening",
        opening / converting
    );
    ask_both(&path, &target)
}

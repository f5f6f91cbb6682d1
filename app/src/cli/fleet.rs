//! Asks a dataset of many ranks in SQL, on an engine that is installed; without a question, says what there is at a glance.

mod overview;

use std::ffi::OsString;
use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use engine::dataset::{DatasetError, MOST_RANKS, rank_list};
use engine::fleet::{
    FleetDataset, FleetEngine, FleetError, FoundEngine, RunCoverage, ask_fleet, choose_engine,
    fleet_picture, found_engines,
};
use engine::query::{RowSink, SqlWatch, StopReason};

use super::query::{
    QuestionOptions, RowFormat, RowWriter, answer, asked, exit_code, list, pointed,
};
use super::table::TextTable;
use super::{CliFailure, FINE, OutputStreams, complain};

/// What to ask, of which dataset, and by which engine.
#[derive(Debug, Args)]
#[command(after_help = ABOUT)]
pub struct FleetOptions {
    /// The dataset's folder, and behind it the question: SQL, or the name of a bundled question; without one, an overview of steps and stragglers
    #[arg(required_unless_present_any = ["list", "engines"], value_name = "DATASET [QUESTION]")]
    pub words: Vec<OsString>,
    /// What answers: duckdb, datafusion, sqlite, spark, spark=MASTER or connect=sc://HOST; without it, the quickest that is installed
    #[arg(long, value_name = "ENGINE")]
    pub engine: Option<FleetEngine>,
    /// List the engines: which are installed, and how to get the others
    #[arg(long)]
    pub engines: bool,
    /// How many ranks each run has; without it, one more than its highest
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..=i64::from(MOST_RANKS)))]
    pub ranks: Option<u32>,
    #[command(flatten)]
    pub question: QuestionOptions,
    /// Seconds that it may take, with the start of the engine
    #[arg(long, value_name = "SECONDS", default_value_t = 600, value_parser = clap::value_parser!(u64).range(1..=86_400))]
    pub max_time: u64,
}

const ABOUT: &str = "`syncline guide datasets` explains datasets and engines. Which ranks an answer is of is said on standard \
    error. Exit codes: 0 all rows are there, 2 the question or the dataset is wrong, or the engine failed, \
    3 a limit of time, memory or rows cut the answer off, 130 stopped by Ctrl-C.";

/// Answers a question, or lists what can answer.
pub(super) fn fleet(
    options: &FleetOptions,
    streams: &mut OutputStreams<'_>,
) -> Result<u8, CliFailure> {
    if options.question.list {
        return list(streams);
    }
    if options.engines {
        return list_engines(streams.out);
    }
    if let Some(folder) = lone_folder(options) {
        return overview(Path::new(folder), options, streams);
    }
    let (folders, question) = asked(&options.question, &options.words)?;
    let [folder] = folders.as_slice() else {
        let text =
            "a question is asked of one dataset: write its folder, and behind it one question";
        return Err(CliFailure::Wrong(text.to_owned()));
    };
    let fleet = FleetDataset::open(folder).map_err(failure)?;
    let engine = engine(options, &fleet, streams);
    let mut writer = options.question.writer(&[])?;
    let limits = options.question.limits(options.max_time);
    let ask = |take: &mut RowSink<'_>, watch: &Arc<SqlWatch>| {
        ask_fleet(&fleet, &engine, &question.sql, (limits, watch), take)
    };
    let answered = answer(ask, streams, &mut writer)?;
    let summary = answered.map_err(|error| match error {
        FleetError::Sql(error) => CliFailure::Listed(pointed(&error, &question.sql)),
        error => failure(error),
    })?;
    writer.finish(&summary.answer, streams.out)?;
    streams.out.flush()?;
    tell_ranks(&fleet, options.ranks, streams)?;
    tell_engine(&summary.engine, summary.answer.time, streams)?;
    let cut = summary.answer.cut;
    if let (Some(StopReason::Memory(most)), FleetEngine::Sqlite) = (cut, &engine) {
        let text = format!(
            "the rows do not fit into the {} MB that SQLite may hold: install an engine that needs less ({}), or give a larger \
             --max-memory",
            most / 1_000_000,
            FleetEngine::DuckDb.install()
        );
        complain(streams, &text);
        return Ok(super::CUT);
    }
    if let (Some(StopReason::Time(_)), Some(address), 0) =
        (cut, engine.address(), summary.answer.rows)
    {
        let text = format!(
            "{} at {address} had not answered by then: is it running, and can this computer reach it?",
            engine.title()
        );
        complain(streams, &text);
    }
    exit_code(cut, summary.answer.rows, streams)
}

/// What keeps a dataset from being asked, by its exit code.
pub(super) fn failure(error: FleetError) -> CliFailure {
    match error {
        // What engines say has several lines.
        FleetError::Failed { .. } | FleetError::Question { .. } => {
            CliFailure::Listed(error.to_string())
        }
        FleetError::Dataset(DatasetError::Stopped) | FleetError::Cut(StopReason::Cancelled) => {
            CliFailure::Asked
        }
        other => CliFailure::Wrong(other.to_string()),
    }
}

/// The dataset, where nothing is asked of it.
fn lone_folder(options: &FleetOptions) -> Option<&OsString> {
    let is_asked = options.question.question.is_some() || options.question.file.is_some();
    match options.words.as_slice() {
        [folder] if !is_asked => Some(folder),
        _ => None,
    }
}

/// What answers.
fn engine(
    options: &FleetOptions,
    fleet: &FleetDataset,
    streams: &mut OutputStreams<'_>,
) -> FleetEngine {
    if let Some(engine) = &options.engine {
        return engine.clone();
    }
    let found = found_engines();
    // Some take signs in the folder's name for a pattern.
    let readers = found.iter().filter(|it| it.engine.can_read(fleet.root()));
    let chosen = choose_engine(&readers.cloned().collect::<Vec<_>>());
    let quickest = found.iter().find(|it| it.engine == FleetEngine::DuckDb);
    let lack = quickest.filter(|it| it.lacks.is_some() && chosen == FleetEngine::Sqlite);
    if let Some(needs) = lack.and_then(FoundEngine::needs) {
        complain(streams, &format!("SQLite answers, since {needs}"));
    }
    chosen
}

/// Says what there is in each run.
fn overview(
    folder: &Path,
    options: &FleetOptions,
    streams: &mut OutputStreams<'_>,
) -> Result<u8, CliFailure> {
    if options.question.format == RowFormat::Parquet || options.question.output.is_some() {
        let text = "an overview goes to standard output, as a table, csv or json: send that to a file, or ask a question";
        return Err(CliFailure::Wrong(text.to_owned()));
    }
    let fleet = FleetDataset::open(folder).map_err(failure)?;
    let engine = engine(options, &fleet, streams);
    let limits = options.question.limits(options.max_time);
    tell_ranks(&fleet, options.ranks, streams)?;
    for run in fleet.runs() {
        let mut no_rows = RowWriter::new(options.question.format, None);
        let look = |_: &mut RowSink<'_>, watch: &Arc<SqlWatch>| {
            fleet_picture(&fleet, &run.name, &engine, limits, watch)
        };
        let picture = answer(look, streams, &mut no_rows)?.map_err(failure)?;
        overview::write(&picture, options.question.format, streams.out)?;
        tell_engine(&picture.engine, picture.time, streams)?;
    }
    streams.out.flush()?;
    Ok(FINE)
}

/// Says who answered.
fn tell_engine(engine: &str, time: Duration, streams: &mut OutputStreams<'_>) -> io::Result<()> {
    // One that was stopped before it began has not said who it is.
    if engine.is_empty() {
        return Ok(());
    }
    writeln!(streams.err, "{engine}, {:.2} s", time.as_secs_f64())
}

/// Says which ranks an answer is of.
fn tell_ranks(
    fleet: &FleetDataset,
    expected: Option<u32>,
    streams: &mut OutputStreams<'_>,
) -> io::Result<()> {
    for run in fleet.runs() {
        writeln!(streams.err, "{}", covered(run, expected))?;
    }
    Ok(())
}

/// Which ranks of a run an answer is of, in words.
fn covered(run: &RunCoverage, expected: Option<u32>) -> String {
    let mut missing = run.missing.clone();
    let known = |rank: &u32| {
        run.complete.contains(rank)
            || run.unreadable.contains(rank)
            || run.unfinished.contains(rank)
    };
    missing.extend((0..expected.unwrap_or(0)).filter(|it| !known(it)));
    let complete = run.complete.len();
    let all = complete + run.unreadable.len() + run.unfinished.len() + missing.len();
    let own = match complete {
        0 => "no rank".to_owned(),
        _ => format!("ranks {}", rank_list(&run.complete)),
    };
    let mut words = vec![format!("run {}: {own} ({complete} of {all})", run.name)];
    for (what, ranks) in [
        ("missing", &missing),
        ("not finished, left out", &run.unfinished),
        ("capture could not be read", &run.unreadable),
        (
            "a part of the capture could not be read",
            &run.with_data_loss,
        ),
    ] {
        if !ranks.is_empty() {
            words.push(format!("{what}: {}", rank_list(ranks)));
        }
    }
    words.join("; ")
}

fn list_engines(out: &mut dyn Write) -> Result<u8, CliFailure> {
    let mut table = TextTable::new(&["engine", "version", "what it needs"]);
    for found in found_engines() {
        let needs = found.needs().unwrap_or_else(|| "it is ready".to_owned());
        let version = found.version.unwrap_or_else(|| "not installed".to_owned());
        let name = match found.engine {
            FleetEngine::Connect(_) => "connect=sc://HOST".to_owned(),
            other => other.to_string(),
        };
        table.row([name, version, needs]);
    }
    table.write(out)?;
    Ok(FINE)
}

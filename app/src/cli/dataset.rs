//! Says what a dataset lacks, in words that a job scheduler takes.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::Subcommand;
use engine::dataset::{DatasetReport, MOST_RANKS, RunReport, check_dataset, rank_list};

use super::convert::failure;
use super::{CliFailure, FAILED, FINE, OutputStreams};
use crate::text;

/// What can be done with a dataset.
#[derive(Debug, Subcommand)]
pub enum DatasetCommand {
    /// Say which ranks are missing, and which files are damaged or foreign
    #[command(after_help = ABOUT)]
    Check {
        /// The folder
        #[arg(value_name = "DATASET")]
        folder: PathBuf,
        /// How many ranks each run has; without it, one more than its highest
        #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..=i64::from(MOST_RANKS)))]
        ranks: Option<u32>,
    },
}

const ABOUT: &str = "Every file is read whole and compared with its checksum. Exit codes: 0 every rank is there and no file is \
    wrong, 1 something is missing or wrong, 2 the folder cannot be read.";

/// Does what is asked for.
pub(super) fn dataset(
    command: &DatasetCommand,
    streams: &mut OutputStreams<'_>,
) -> Result<u8, CliFailure> {
    match command {
        DatasetCommand::Check { folder, ranks } => check(folder, *ranks, streams),
    }
}

fn check(
    folder: &Path,
    ranks: Option<u32>,
    streams: &mut OutputStreams<'_>,
) -> Result<u8, CliFailure> {
    if !folder.exists() {
        return Err(CliFailure::Wrong(format!(
            "there is no folder {}; check the path",
            folder.display()
        )));
    }
    let report = check_dataset(folder, ranks).map_err(failure)?;
    if report.runs.is_empty() {
        return Err(CliFailure::Wrong(format!(
            "{} is no dataset: there is no rank of any run in it; `syncline convert --to` writes one",
            folder.display()
        )));
    }
    for run in &report.runs {
        write_run(run, streams.out)?;
    }
    write_files(&report, streams.out)?;
    Ok(if report.is_fine() { FINE } else { FAILED })
}

fn write_run(run: &RunReport, out: &mut dyn Write) -> io::Result<()> {
    let complete = run.complete.len();
    let all = complete + run.missing.len() + run.unreadable.len();
    let spans = text::counted(run.spans, "span").replace(text::THIN, " ");
    let bytes = text::count(run.bytes).replace(text::THIN, " ");
    writeln!(
        out,
        "run {}: {complete} of {all} ranks are complete, {spans}, {bytes} bytes",
        run.name
    )?;
    if !run.missing.is_empty() {
        writeln!(out, "missing: --array={}", rank_list(&run.missing))?;
    }
    for (rank, text) in &run.incomplete {
        writeln!(out, "rank {rank}: {text}")?;
    }
    for (rank, capture) in &run.with_data_loss {
        writeln!(
            out,
            "rank {rank}: a part of {capture} could not be read; `syncline info` on that file says which"
        )?;
    }
    for (rank, capture) in &run.unreadable {
        writeln!(
            out,
            "rank {rank}: {capture} could not be read; `captures` says why, in the column receipt"
        )?;
    }
    Ok(())
}

fn write_files(report: &DatasetReport, out: &mut dyn Write) -> io::Result<()> {
    for problem in &report.wrong {
        writeln!(out, "wrong: {}", problem.text)?;
    }
    for path in &report.strangers {
        writeln!(
            out,
            "foreign: {} is no part of a dataset, and engines may read it as one: move it elsewhere",
            path.display()
        )?;
    }
    for path in &report.unfinished {
        writeln!(
            out,
            "unfinished: {} is being written, or was when its conversion was stopped; delete it if none runs",
            path.display()
        )?;
    }
    Ok(())
}

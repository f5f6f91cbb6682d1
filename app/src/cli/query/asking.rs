//! What `query` and `fleet` have in common: the question, how rows are printed, and asking on a thread.

use std::ffi::OsString;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use clap::{Args, ValueEnum};
use crossbeam_channel::{RecvTimeoutError, bounded};
use engine::fleet::FleetDataset;
use engine::importer::is_standard_input;
use engine::query::{
    BundledQuestion, RowSink, SqlError, SqlLimits, SqlWatch, StopReason, questions, row_bytes,
    with_parameter,
};
use engine::record::Value;
use engine::workload::nearest;

use super::output::RowWriter;
use super::row_room::RowRoom;
use crate::cli::open_files::refuse_input;
use crate::cli::progress::ProgressLine;
use crate::cli::table::TextTable;
use crate::cli::{CUT, CliFailure, FINE, LOOK, OutputStreams, complain, interrupt};

/// Rows that may wait to be printed.
const WAITING: usize = 1_024;

/// What is asked, how its rows are printed, and what it may take.
#[derive(Debug, Args)]
pub struct QuestionOptions {
    /// Ask what this file says; - is standard input
    #[arg(short, long, value_name = "QUESTION.sql", conflicts_with = "question")]
    pub file: Option<PathBuf>,
    /// Ask one of the bundled questions
    #[arg(short, long, value_name = "NAME")]
    pub question: Option<String>,
    /// List the bundled questions
    #[arg(long)]
    pub list: bool,
    /// Another value at the head of the question, WITH p AS (SELECT value AS name); may be given several times
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = parameter)]
    pub parameters: Vec<(String, String)>,
    /// How to print
    #[arg(long, value_enum, default_value_t)]
    pub format: RowFormat,
    /// Write the rows to this file, every text as it is, instead of to standard output, where what a terminal would obey is written out
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Megabytes that it may hold
    #[arg(long, value_name = "MB", default_value_t = 2_000, value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    pub max_memory: u64,
    /// Rows that are printed
    #[arg(long, value_name = "ROWS", default_value_t = 1_000_000)]
    pub max_rows: u64,
}

/// How to print rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum RowFormat {
    /// Columns that line up, numbers with a few digits, long texts without their middle, for people
    #[default]
    Table,
    /// Comma-separated values with a head, every digit
    Csv,
    /// A JSON object on a line for each row, every digit
    Json,
    /// A Parquet file, which --output names
    Parquet,
}

fn parameter(text: &str) -> Result<(String, String), String> {
    let parts = text.split_once('=');
    let (name, value) =
        parts.ok_or("write a value's name, `=` and the value, such as least_ns=5000")?;
    Ok((name.trim().to_owned(), value.to_owned()))
}

impl QuestionOptions {
    /// What prints the rows of a question about these files.
    pub fn writer(&self, inputs: &[PathBuf]) -> Result<RowWriter, CliFailure> {
        if let Some(output) = &self.output {
            let question = self.file.iter().filter(|it| !is_standard_input(it));
            let inputs: Vec<PathBuf> = inputs.iter().chain(question).cloned().collect();
            refuse_input(output, &inputs)?;
            refuse_dataset(output)?;
        } else if self.format == RowFormat::Parquet {
            let text = "a Parquet file is no text for standard output: name it by --output FILE";
            return Err(CliFailure::Wrong(text.to_owned()));
        }
        Ok(RowWriter::new(self.format, self.output.clone()))
    }

    /// The limits, with that of time in seconds.
    pub fn limits(&self, max_time: u64) -> SqlLimits {
        SqlLimits {
            time: Duration::from_secs(max_time),
            memory: self.max_memory.saturating_mul(1_000_000),
            rows: self.max_rows,
        }
    }
}

/// Refuses to write into a dataset, where engines would read it.
pub(in crate::cli) fn refuse_dataset(output: &Path) -> Result<(), CliFailure> {
    // A name alone lies in the working folder; of a link it counts where it leads.
    let folder = match output.parent().filter(|it| !it.as_os_str().is_empty()) {
        Some(folder) => folder,
        None => Path::new("."),
    };
    let written = [output.canonicalize(), folder.canonicalize()];
    let mut around = written.iter().flatten().flat_map(|it| it.ancestors());
    match around.find(|it| FleetDataset::is_dataset(it)) {
        None => Ok(()),
        Some(dataset) => Err(CliFailure::Wrong(format!(
            "the output lies in the dataset {}, where engines would read it: name a file elsewhere",
            dataset.display()
        ))),
    }
}

/// What is asked.
pub struct AskedQuestion {
    pub sql: String,
    pub bundled: Option<&'static BundledQuestion>,
}

/// The files and the question of a command, whose last word is the question where no option says it.
pub fn asked(
    options: &QuestionOptions,
    words: &[OsString],
) -> Result<(Vec<PathBuf>, AskedQuestion), CliFailure> {
    let wrong = |text: &str| Err(CliFailure::Wrong(text.to_owned()));
    let all_files = || words.iter().map(PathBuf::from).collect();
    let (files, text, bundled) = if let Some(name) = &options.question {
        let found = bundled(name)?;
        (all_files(), found.sql.to_owned(), Some(found))
    } else if let Some(file) = &options.file {
        if is_standard_input(file) && words.iter().any(|it| it == "-") {
            return wrong(
                "standard input is either the capture or the question; write one of the two to a file",
            );
        }
        let text = crate::cli::check::read(file).map_err(CliFailure::Wrong)?;
        (all_files(), text, None)
    } else {
        let Some((text, files)) = words.split_last().filter(|it| !it.1.is_empty()) else {
            return wrong(
                "there is no question: write it last, such as \"SELECT count(*) FROM spans\", or give -f or -q",
            );
        };
        let Some(text) = text.to_str() else {
            return wrong("the question is no text in UTF-8; write it to a file and give -f");
        };
        let (text, bundled) = last_word(text)?;
        (files.iter().map(PathBuf::from).collect(), text, bundled)
    };
    let mut sql = text;
    for (name, value) in &options.parameters {
        sql = with_parameter(&sql, name, value).map_err(CliFailure::Wrong)?;
    }
    Ok((files, AskedQuestion { sql, bundled }))
}

/// A question that is written as the last word: SQL, or the name of a bundled question.
fn last_word(text: &str) -> Result<(String, Option<&'static BundledQuestion>), CliFailure> {
    if text.contains(char::is_whitespace) {
        return Ok((text.to_owned(), None));
    }
    let path = Path::new(text);
    if path.exists() {
        let what = if path.is_dir() { "folder" } else { "file" };
        return Err(CliFailure::Wrong(format!(
            "{text} is a {what}: write the question last, or give a file of SQL by -f"
        )));
    }
    let found = questions().iter().find(|it| it.name == text);
    let is_name = !text.is_empty() && text.chars().all(|it| it.is_ascii_lowercase() || it == '-');
    if found.is_none() && is_name {
        bundled(text)?;
    }
    Ok((found.map_or(text, |it| it.sql).to_owned(), found))
}

/// A bundled question, by its name.
fn bundled(name: &str) -> Result<&'static BundledQuestion, CliFailure> {
    let found = questions().iter().find(|it| it.name == name);
    found.ok_or_else(|| {
        let near = nearest(name, questions().iter().map(|it| it.name)).unwrap_or_default();
        CliFailure::Wrong(format!(
            "no bundled question is called “{name}”; {near} `syncline query --list` lists them"
        ))
    })
}

/// Asks on a thread, so that this one hears Ctrl-C and shows progress. `ask` hands the rows of the answer to what it is given.
pub fn answer<T: Send, E: Send>(
    ask: impl FnOnce(&mut RowSink<'_>, &Arc<SqlWatch>) -> Result<T, E> + Send,
    streams: &mut OutputStreams<'_>,
    writer: &mut RowWriter,
) -> Result<Result<T, E>, CliFailure> {
    let watch = Arc::new(SqlWatch::default());
    let (sender, answers) = bounded::<(Vec<String>, Vec<Option<Value>>)>(WAITING);
    let progress = ProgressLine::open_ended(streams.watched);
    let room = RowRoom::default();
    std::thread::scope(|scope| {
        let asking = {
            let (watch, room) = (Arc::clone(&watch), &room);
            let work = move || {
                let mut sink = |columns: &[String], row: Vec<Option<Value>>| {
                    let bytes = row_bytes(&row);
                    watch.hold(bytes);
                    room.take(bytes);
                    let sent = sender.send((columns.to_vec(), row));
                    sent.map_or(ControlFlow::Break(()), ControlFlow::Continue)
                };
                ask(&mut sink, &watch)
            };
            let named = std::thread::Builder::new().name("query".to_owned());
            named.spawn_scoped(scope, work)?
        };
        let mut written = Ok(());
        loop {
            match answers.recv_timeout(LOOK) {
                Ok((columns, row)) => {
                    let bytes = row_bytes(&row);
                    let before = writer.held_bytes();
                    written = writer.row(&columns, row, streams.out);
                    watch.hold(writer.held_bytes().saturating_sub(before));
                    watch.let_go(bytes);
                    room.give(bytes);
                    if written.is_err() {
                        break;
                    }
                }
                Err(RecvTimeoutError::Timeout) => match watch.concluded() {
                    Some(share) => progress.concluded(share),
                    None => progress.rows(watch.rows()),
                },
                Err(RecvTimeoutError::Disconnected) => break,
            }
            if interrupt::is_requested() {
                watch.cancel();
            }
        }
        room.close();
        drop(answers);
        let answer = asking.join();
        written?;
        Ok(answer.unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
    })
}

/// Says what a limit cut off, and answers with the exit code.
pub fn exit_code(
    cut: Option<StopReason>,
    rows: u64,
    streams: &mut OutputStreams<'_>,
) -> Result<u8, CliFailure> {
    match cut {
        None => Ok(FINE),
        Some(StopReason::Cancelled) => {
            complain(streams, "the question was stopped: there may be more rows");
            Err(CliFailure::Asked)
        }
        Some(cut) => {
            complain(streams, &cut_off(cut, rows));
            Ok(CUT)
        }
    }
}

/// An error with the line that it is about, and a sign below its place.
pub fn pointed(error: &SqlError, sql: &str) -> String {
    let Some((line, character)) = error.place else {
        return error.to_string();
    };
    let text = sql.lines().nth(line - 1).unwrap_or_default();
    let before: String = text
        .chars()
        .take(character - 1)
        .map(|it| if it == '\t' { '\t' } else { ' ' })
        .collect();
    format!("{error}\n  {text}\n  {before}^")
}

/// Says what was cut off, and what to do.
fn cut_off(cut: StopReason, rows: u64) -> String {
    let some = match rows {
        0 => "no row was found by then".to_owned(),
        1 => "1 row was found by then, and there may be more".to_owned(),
        rows => format!("{rows} rows were found by then, and there may be more"),
    };
    match cut {
        StopReason::Rows(most) => format!(
            "only the first {most} rows are printed, and there are more; ask for fewer, or give a larger --max-rows"
        ),
        StopReason::Time(time) => format!(
            "the question was ended after {} s, its limit: {some}; ask for less, or give a larger --max-time",
            time.as_secs()
        ),
        StopReason::Memory(most) => format!(
            "the question was ended when it held {} MB, its limit: {some}; ask for less, or give a larger --max-memory",
            most / 1_000_000
        ),
        StopReason::Cancelled => "the question was ended".to_owned(),
    }
}

/// Lists the bundled questions.
pub fn list(streams: &mut OutputStreams<'_>) -> Result<u8, CliFailure> {
    let mut table = TextTable::new(&["question", "what it asks", "needs"]);
    for question in questions() {
        table.row([
            question.name.to_owned(),
            question.sentence().to_owned(),
            question.needs().join(", "),
        ]);
    }
    table.write(streams.out)?;
    Ok(FINE)
}

//! Asks a capture in SQL.

mod output;

use std::ffi::OsString;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use clap::{Args, ValueEnum};
use crossbeam_channel::{RecvTimeoutError, bounded};
use engine::importer::is_standard_input;
use engine::query::{
    BundledQuestion, QuerySource, SqlError, SqlLimits, SqlSummary, SqlWatch, StopReason, ask,
    questions, with_parameter,
};
use engine::record::Value;
use engine::workload::nearest;

use super::progress::ProgressLine;
use super::table::TextTable;
use super::{CUT, CliFailure, FINE, LOOK, OutputStreams, complain, interrupt};
use output::RowWriter;

/// Rows that may wait to be printed.
const WAITING: usize = 1_024;

/// What to ask, of which files, and how to print the answer.
#[derive(Debug, Args)]
#[command(after_help = ABOUT)]
pub struct QueryOptions {
    /// The captures, several of them as one and - for standard input, and last the question
    #[arg(required_unless_present = "list", value_name = "FILE… SQL")]
    pub words: Vec<OsString>,
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
    /// Seconds that it may take
    #[arg(long, value_name = "SECONDS", default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..=86_400))]
    pub max_time: u64,
    /// Megabytes that it may hold
    #[arg(long, value_name = "MB", default_value_t = 2_000, value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    pub max_memory: u64,
    /// Rows that are printed
    #[arg(long, value_name = "ROWS", default_value_t = 1_000_000)]
    pub max_rows: u64,
}

const ABOUT: &str = "`syncline guide sql` explains the tables. Exit codes: 0 all rows are there, 2 the question or a file \
    is wrong, 3 a limit of time, memory or rows cut the answer off, 130 stopped by Ctrl-C.";

/// How to print rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum RowFormat {
    /// Columns that line up, numbers with a few digits, for people
    #[default]
    Table,
    /// Comma-separated values with a head, every digit
    Csv,
    /// A JSON object on a line for each row, every digit
    Json,
}

fn parameter(text: &str) -> Result<(String, String), String> {
    let parts = text.split_once('=');
    let (name, value) =
        parts.ok_or("write a value's name, `=` and the value, such as least_ns=5000")?;
    Ok((name.trim().to_owned(), value.to_owned()))
}

/// Answers a question.
pub(super) fn query(
    options: &QueryOptions,
    streams: &mut OutputStreams<'_>,
) -> Result<u8, CliFailure> {
    if options.list {
        return list(streams);
    }
    let (files, question) = asked(options)?;
    let mut sql = question.sql.clone();
    for (name, value) in &options.parameters {
        sql = with_parameter(&sql, name, value).map_err(CliFailure::Wrong)?;
    }
    let (capture, parts) = super::open_files::open(&files, streams)?;
    let path = files.first().map(|it| it.display().to_string());
    let source = Arc::new(QuerySource::new(Arc::new(capture), path));
    let mut writer = RowWriter::new(options.format);
    let summary = run(&source, &sql, options, streams, &mut writer)?;
    writer.finish(&summary, streams.out)?;
    streams.out.flush()?;
    super::open_files::tell_dropped(&parts, streams)?;
    if let Some(bundled) = question.bundled.filter(|_| summary.rows == 0) {
        tell_needs(&source, bundled, streams);
    }
    let Some(cut) = summary.cut else {
        return Ok(FINE);
    };
    if cut == StopReason::Cancelled {
        return Err(CliFailure::Asked);
    }
    complain(streams, &cut_off(cut, summary.rows));
    Ok(CUT)
}

/// What is asked.
struct AskedQuestion {
    sql: String,
    bundled: Option<&'static BundledQuestion>,
}

/// The files and the question of a command.
fn asked(options: &QueryOptions) -> Result<(Vec<PathBuf>, AskedQuestion), CliFailure> {
    let wrong = |text: String| Err(CliFailure::Wrong(text));
    let paths = |words: &[OsString]| words.iter().map(PathBuf::from).collect();
    if let Some(name) = &options.question {
        let found = questions().iter().find(|it| it.name == name);
        let Some(found) = found else {
            let near = nearest(name, questions().iter().map(|it| it.name)).unwrap_or_default();
            return wrong(format!(
                "no bundled question is called “{name}”; {near} `syncline query --list` lists them"
            ));
        };
        let question = AskedQuestion {
            sql: found.sql.to_owned(),
            bundled: Some(found),
        };
        return Ok((paths(&options.words), question));
    }
    if let Some(file) = &options.file {
        if is_standard_input(file) && options.words.iter().any(|it| it == "-") {
            return wrong(
                "standard input is either the capture or the question; write one of the two to a file"
                    .to_owned(),
            );
        }
        let sql = super::check::read(file).map_err(CliFailure::Wrong)?;
        let bundled = None;
        return Ok((paths(&options.words), AskedQuestion { sql, bundled }));
    }
    let Some((sql, files)) = options.words.split_last().filter(|it| !it.1.is_empty()) else {
        return wrong(
            "there is no question: write it behind the files, such as \"SELECT count(*) FROM spans\", or give -f or -q"
                .to_owned(),
        );
    };
    let Some(sql) = sql.to_str() else {
        return wrong(
            "the question is no text in UTF-8; write it to a file and give -f".to_owned(),
        );
    };
    if !sql.contains(char::is_whitespace) && Path::new(sql).is_file() {
        return wrong(format!(
            "{sql} is a file: write the question behind the files, or give a file of SQL by -f"
        ));
    }
    let (sql, bundled) = (sql.to_owned(), None);
    Ok((paths(files), AskedQuestion { sql, bundled }))
}

/// Asks on a thread, so that this one hears Ctrl-C and shows progress.
fn run(
    source: &Arc<QuerySource>,
    sql: &str,
    options: &QueryOptions,
    streams: &mut OutputStreams<'_>,
    writer: &mut RowWriter,
) -> Result<SqlSummary, CliFailure> {
    let limits = SqlLimits {
        time: Duration::from_secs(options.max_time),
        memory: options.max_memory.saturating_mul(1_000_000),
        rows: options.max_rows,
    };
    let watch = Arc::new(SqlWatch::default());
    let (sender, answers) = bounded::<(Vec<String>, Vec<Option<Value>>)>(WAITING);
    let progress = ProgressLine::open_ended(streams.watched);
    std::thread::scope(|scope| {
        let asking = {
            let watch = Arc::clone(&watch);
            let work = move || {
                ask(source, sql, (limits, &watch), &mut |columns, row| {
                    let sent = sender.send((columns.to_vec(), row));
                    sent.map_or(ControlFlow::Break(()), ControlFlow::Continue)
                })
            };
            let named = std::thread::Builder::new().name("query".to_owned());
            named.spawn_scoped(scope, work)?
        };
        let mut written = Ok(());
        loop {
            match answers.recv_timeout(LOOK) {
                Ok((columns, row)) => {
                    written = writer.row(&columns, row, streams.out);
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
        drop(answers);
        let answer = asking.join();
        written?;
        let answer = answer.unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        answer.map_err(|error| CliFailure::Listed(pointed(&error, sql)))
    })
}

/// An error with the line that it is about, and a sign below its place.
fn pointed(error: &SqlError, sql: &str) -> String {
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

/// Says which tables have no rows that a bundled question needs.
fn tell_needs(
    source: &Arc<QuerySource>,
    bundled: &BundledQuestion,
    streams: &mut OutputStreams<'_>,
) {
    let watch = Arc::new(SqlWatch::default());
    for table in bundled.needs() {
        let sql = format!("SELECT 1 AS one FROM {table} LIMIT 1");
        let found = ask(source, &sql, (SqlLimits::default(), &watch), &mut |_, _| {
            ControlFlow::Continue(())
        });
        if found.is_ok_and(|it| it.rows == 0) {
            let text =
                format!("the question needs rows in {table}, and this capture has none there");
            complain(streams, &text);
        }
    }
}

fn list(streams: &mut OutputStreams<'_>) -> Result<u8, CliFailure> {
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

//! Asks a capture in SQL.

mod asking;
mod output;
mod row_room;

use std::ffi::OsString;
use std::ops::ControlFlow;
use std::sync::Arc;

use clap::Args;
use engine::query::{BundledQuestion, QuerySource, RowSink, SqlLimits, SqlWatch, ask};

use super::{CliFailure, OutputStreams, complain};
pub(super) use asking::{
    QuestionOptions, RowFormat, answer, asked, exit_code, list, pointed, refuse_dataset,
};
pub(super) use output::RowWriter;

/// What to ask, of which files, and how to print the answer.
#[derive(Debug, Args)]
#[command(after_help = ABOUT)]
pub struct QueryOptions {
    /// The captures, several of them as one and - for standard input, and last the question
    #[arg(required_unless_present = "list", value_name = "FILE… SQL")]
    pub words: Vec<OsString>,
    #[command(flatten)]
    pub question: QuestionOptions,
    /// Seconds that it may take
    #[arg(long, value_name = "SECONDS", default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..=86_400))]
    pub max_time: u64,
}

const ABOUT: &str = "`syncline guide sql` explains the tables. Exit codes: 0 all rows are there, 2 the question or a file \
    is wrong, 3 a limit of time, memory or rows cut the answer off, 130 stopped by Ctrl-C.";

/// Answers a question.
pub(super) fn query(
    options: &QueryOptions,
    streams: &mut OutputStreams<'_>,
) -> Result<u8, CliFailure> {
    if options.question.list {
        return list(streams);
    }
    let (files, question) = asked(&options.question, &options.words)?;
    let mut writer = options.question.writer(&files)?;
    let (capture, parts) = super::open_files::open(&files, streams)?;
    let path = files.first().map(|it| it.display().to_string());
    let files = parts
        .iter()
        .map(|it| (it.path.display().to_string(), it.lanes.clone()));
    let has_data_loss = capture.has_data_loss();
    let source = QuerySource::new(Arc::new(capture), path).with_files(files.collect());
    let source = Arc::new(source);
    let limits = options.question.limits(options.max_time);
    let ask = |take: &mut RowSink<'_>, watch: &Arc<SqlWatch>| {
        ask(&source, &question.sql, (limits, watch), take)
    };
    let answered = answer(ask, streams, &mut writer)?;
    let summary = answered.map_err(|error| CliFailure::Listed(pointed(&error, &question.sql)))?;
    writer.finish(&summary, streams.out)?;
    streams.out.flush()?;
    super::open_files::tell_missing(has_data_loss, &parts, streams)?;
    if let Some(bundled) = question.bundled.filter(|_| summary.rows == 0) {
        tell_needs(&source, bundled, streams);
    }
    exit_code(summary.cut, summary.rows, streams)
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

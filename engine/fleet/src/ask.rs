//! Asks a dataset, by whatever engine is named.

use std::sync::Arc;
use std::time::Instant;

use dataset::{DatasetError, DeclaredEngine, TableFiles, check_strangers, declarations, tables};
use query::{
    QuerySource, RowSink, SqlLimits, SqlTable, SqlWatch, StopReason, ask, sqlite_version, tokens,
};

use super::answer::FleetSummary;
use super::client::{self, ClientRequest};
use super::dataset_feed::DatasetFeed;
use super::engine::FleetEngine;
use super::error::FleetError;
use super::fleet_dataset::FleetDataset;
use super::question_check::checked;

/// Takes the rows of several questions, each with the place of its question.
pub(crate) type AnswerSink<'a> =
    dyn FnMut(usize, &[String], Vec<Option<record::Value>>) -> std::ops::ControlFlow<()> + 'a;

/// Asks a dataset, and hands the rows of the answer to `take` one by one. One that answers
/// [`Break`](std::ops::ControlFlow::Break) ends it. Ranks that are not finished are left out.
///
/// The limit of memory is that of SQLite; other engines have their own.
///
/// # Errors
/// The engine is not installed or failed, the question is wrong, or a file is damaged; the text says what to do.
pub fn ask_fleet(
    fleet: &FleetDataset,
    engine: &FleetEngine,
    sql: &str,
    watched: (SqlLimits, &Arc<SqlWatch>),
    take: &mut RowSink<'_>,
) -> Result<FleetSummary, FleetError> {
    let questions = [sql.to_owned()];
    let mut sink = |_: usize, columns: &[String], row| take(columns, row);
    let answered = ask_several(fleet, engine, &questions, watched, &mut sink)?;
    Ok(answered.into_iter().next().unwrap_or_default())
}

/// Asks one question after the other, of an engine that is started once.
pub(crate) fn ask_several(
    fleet: &FleetDataset,
    engine: &FleetEngine,
    questions: &[String],
    (limits, watch): (SqlLimits, &Arc<SqlWatch>),
    take: &mut AnswerSink<'_>,
) -> Result<Vec<FleetSummary>, FleetError> {
    let questions = questions.iter().map(|it| checked(it, engine));
    let questions: Vec<String> = questions.collect::<Result<_, _>>()?;
    let questions = questions.as_slice();
    // The files of a table of thousands of ranks take seconds to be looked at.
    let asked = named_tables(questions);
    find_and_verify(fleet, (engine, &asked), (limits, watch))?;
    for table in &asked {
        let reads_hidden = *engine == FleetEngine::DataFusion;
        check_strangers(fleet.root(), table, reads_hidden)?;
    }
    let declared = match engine {
        FleetEngine::Sqlite => return by_sqlite((fleet, &asked), questions, (limits, watch), take),
        FleetEngine::DuckDb => DeclaredEngine::DuckDb,
        FleetEngine::DataFusion => DeclaredEngine::DataFusion,
        FleetEngine::Spark(_) | FleetEngine::Connect(_) => DeclaredEngine::Spark,
    };
    let path = fleet.root();
    if let Some(sign) = engine.sign_in(&path.to_string_lossy()) {
        return Err(FleetError::Pattern {
            engine: engine.clone(),
            path: path.to_owned(),
            sign,
        });
    }
    let request = ClientRequest {
        engine,
        folder: path,
        statements: declarations(declared, fleet.root(), fleet.runs(), &asked)?,
        questions,
    };
    client::ask(&request, (limits, watch), take)
}

/// Refuses files of tables that were cut off, are gone, or have other bytes than were written: some engines pass over the ones, and
/// read the others, without a word. Spark checks bytes itself, and may run where this computer need not read them all.
fn find_and_verify(
    fleet: &FleetDataset,
    (engine, asked): (&FleetEngine, &[&'static SqlTable]),
    (limits, watch): (SqlLimits, &Arc<SqlWatch>),
) -> Result<(), FleetError> {
    let begin = Instant::now();
    let is_stopped = || watch.is_cancelled() || begin.elapsed() >= limits.time;
    for table in asked {
        let files = TableFiles::find(fleet.root(), table, fleet.runs())?;
        if matches!(engine, FleetEngine::Spark(_) | FleetEngine::Connect(_)) {
            continue;
        }
        match files.verify(fleet.checked(), &is_stopped) {
            Err(DatasetError::Stopped) if watch.is_cancelled() => {
                return Err(FleetError::Cut(StopReason::Cancelled));
            }
            Err(DatasetError::Stopped) => {
                return Err(FleetError::Cut(StopReason::Time(limits.time)));
            }
            other => other?,
        }
    }
    Ok(())
}

/// The tables that questions name.
fn named_tables(questions: &[String]) -> Vec<&'static SqlTable> {
    let is_named = |table: &&'static SqlTable| {
        let names = |sql: &String| {
            let mut words = tokens(sql).into_iter();
            words.any(|it| {
                it.text(sql)
                    .trim_matches('"')
                    .eq_ignore_ascii_case(table.name)
            })
        };
        questions.iter().any(names)
    };
    tables().filter(is_named).collect()
}

fn by_sqlite(
    (fleet, asked): (&FleetDataset, &[&'static SqlTable]),
    questions: &[String],
    (limits, watch): (SqlLimits, &Arc<SqlWatch>),
    take: &mut AnswerSink<'_>,
) -> Result<Vec<FleetSummary>, FleetError> {
    let feed = Arc::new(DatasetFeed::find(fleet, asked)?);
    let source = Arc::new(QuerySource::of_feed(Arc::<DatasetFeed>::clone(&feed)));
    let answer = |(place, sql): (usize, &String)| {
        let mut sink = |columns: &[String], row| take(place, columns, row);
        let answered = ask(&source, sql, (limits, watch), &mut sink);
        if let Some(error) = feed.take_failure() {
            return Err(error.into());
        }
        Ok(FleetSummary {
            answer: answered?,
            engine: format!("{} {}", FleetEngine::Sqlite.title(), sqlite_version()),
        })
    };
    questions.iter().enumerate().map(answer).collect()
}

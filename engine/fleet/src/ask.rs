//! Asks a dataset, by whatever engine is named.

use std::sync::Arc;

use dataset::{DeclaredEngine, declarations};
use query::{QuerySource, RowSink, SqlLimits, SqlWatch, ask, sqlite_version};

use super::answer::FleetSummary;
use super::client::{self, ClientRequest};
use super::dataset_feed::DatasetFeed;
use super::engine::FleetEngine;
use super::error::FleetError;
use super::fleet_dataset::FleetDataset;

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
    let declared = match engine {
        FleetEngine::Sqlite => return by_sqlite(fleet, questions, (limits, watch), take),
        FleetEngine::DuckDb => DeclaredEngine::DuckDb,
        FleetEngine::DataFusion => DeclaredEngine::DataFusion,
        FleetEngine::Spark(_) | FleetEngine::Connect(_) => DeclaredEngine::Spark,
    };
    let request = ClientRequest {
        engine,
        statements: declarations(declared, fleet.root(), fleet.runs())?,
        questions,
    };
    client::ask(&request, (limits, watch), take)
}

fn by_sqlite(
    fleet: &FleetDataset,
    questions: &[String],
    (limits, watch): (SqlLimits, &Arc<SqlWatch>),
    take: &mut AnswerSink<'_>,
) -> Result<Vec<FleetSummary>, FleetError> {
    let feed = Arc::new(DatasetFeed::find(fleet)?);
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

//! Asks a dataset, by whatever engine is named.

use std::sync::Arc;

use dataset::{DeclaredEngine, TableFiles, check_strangers, declarations, tables};
use query::{
    QuerySource, RowSink, SqlError, SqlLimits, SqlTable, SqlTokenKind, SqlWatch, ask,
    sqlite_version, tokens,
};

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
    for sql in questions {
        check(sql)?;
    }
    // The files of a table of thousands of ranks take seconds to be looked at.
    let asked = named_tables(questions);
    let declared = match engine {
        FleetEngine::Sqlite => return by_sqlite((fleet, &asked), questions, (limits, watch), take),
        FleetEngine::DuckDb => DeclaredEngine::DuckDb,
        FleetEngine::DataFusion => DeclaredEngine::DataFusion,
        FleetEngine::Spark(_) | FleetEngine::Connect(_) => DeclaredEngine::Spark,
    };
    // Some engines pass over files that were cut off, or are gone.
    for table in &asked {
        TableFiles::find(fleet.root(), table, fleet.runs())?;
        let reads_hidden = *engine == FleetEngine::DataFusion;
        check_strangers(fleet.root(), table, reads_hidden)?;
    }
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

/// Words with which SQL changes something or starts a program, in some engine: a question has no use for them.
const REFUSED: &[&str] = &[
    "alter",
    "attach",
    "copy",
    "create",
    "delete",
    "detach",
    "drop",
    "export",
    "import",
    "insert",
    "install",
    "java_method",
    "load",
    "merge",
    "overwrite",
    "pragma",
    "reflect",
    "transform",
    "truncate",
    "try_reflect",
    "update",
];

/// Refuses what is more than a question. DuckDB and DataFusion are told so as well; Spark has no such setting.
fn check(sql: &str) -> Result<(), SqlError> {
    let all = tokens(sql).into_iter();
    let all: Vec<_> = all.filter(|it| it.kind != SqlTokenKind::Comment).collect();
    let words = all.iter().filter(|it| it.kind == SqlTokenKind::Word);
    let mut words = words.map(|it| it.text(sql).to_lowercase());
    if let Some(word) = words.find(|it| REFUSED.contains(&it.as_str())) {
        return Err(SqlError::new(format!(
            "{word} is refused: a question only reads the dataset; write one statement that begins with SELECT or WITH"
        )));
    }
    let mut texts: Vec<&str> = all.iter().map(|it| it.text(sql)).collect();
    // Spark reads any file whose path stands in such signs.
    if texts.iter().any(|it| it.starts_with('`')) {
        return Err(SqlError::new(
            "` is refused: names of tables and columns need no signs around them",
        ));
    }
    while texts.last() == Some(&";") {
        texts.pop();
    }
    let first = texts.iter().find(|it| **it != "(");
    let begins = |word: &str| first.is_some_and(|it| it.eq_ignore_ascii_case(word));
    if (begins("select") || begins("with")) && !texts.contains(&";") {
        return Ok(());
    }
    Err(SqlError::new(
        "a question only reads the dataset: write one statement that begins with SELECT or WITH",
    ))
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

//! Asks a capture: a connection of SQLite that can read the tables, and nothing else.

use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::hooks::{AuthAction, AuthContext, Authorization};
use rusqlite::limits::Limit;
use rusqlite::types::ValueRef;
use rusqlite::{ColumnMetadata, Connection, ErrorCode, OpenFlags, Row, Statement, ffi};

use super::error::SqlError;
use super::functions;
use super::guard::{QueryGuard, SqlLimits, SqlWatch, StopReason};
use super::schema::{SqlType, TABLES};
use super::source::QuerySource;
use super::tokens::{SqlTokenKind, tokens};
use super::vtab;
use record::Value;

/// Steps of SQLite between two looks at whether to go on.
const STEPS: i32 = 200;
/// The longest text, row or value, in bytes.
const LONGEST: i32 = 2_000_000;
/// What a piece of memory takes besides its bytes.
const ROOM: usize = 16;
/// Functions that reach out of the question, and what they are refused for.
const REFUSED_FUNCTIONS: &[(&str, &str)] = &[
    ("load_extension", REACHES),
    ("fts3_tokenizer", REACHES),
    ("readfile", REACHES),
    ("writefile", REACHES),
    ("edit", REACHES),
    ("sqlite_log", REACHES),
    (
        "json_patch",
        "of large texts it takes minutes, in which nothing can end it",
    ),
];
const REACHES: &str = "a question reads the capture, and neither files nor programs";

/// What became of a question, besides its rows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SqlSummary {
    /// The names of the columns.
    pub columns: Vec<String>,
    /// The places of the columns that hold ids of spans.
    pub span_columns: Vec<usize>,
    /// What the columns hold by the columns of tables that they come from; nothing of what is calculated.
    pub types: Vec<Option<SqlType>>,
    /// How many rows were answered.
    pub rows: u64,
    /// Why there are no more, where there might be.
    pub cut: Option<StopReason>,
    /// How long it took.
    pub time: Duration,
}

/// The version of SQLite that answers.
pub fn sqlite_version() -> &'static str {
    rusqlite::version()
}

/// How many bytes a row of an answer holds, about.
pub fn row_bytes(row: &[Option<Value>]) -> usize {
    let text = |it: &Option<Value>| match it {
        Some(Value::Text(text)) => text.len() + ROOM,
        _ => 0,
    };
    size_of_val(row) + ROOM + row.iter().map(text).sum::<usize>()
}

/// Takes a row, with the names of its columns. What is nothing is NULL.
pub type RowSink<'a> = dyn FnMut(&[String], Vec<Option<Value>>) -> ControlFlow<()> + 'a;

/// Asks a capture, and hands the rows of the answer to `take` one by one. One that answers [`ControlFlow::Break`] ends it.
/// What the limits cut off is in the summary.
///
/// # Errors
/// The question is wrong, would change something, or could not be answered; the text says why and where.
pub fn ask(
    source: &Arc<QuerySource>,
    sql: &str,
    (limits, watch): (SqlLimits, &Arc<SqlWatch>),
    take: &mut RowSink<'_>,
) -> Result<SqlSummary, SqlError> {
    if let Some(error) = SqlError::of_nul(sql) {
        return Err(error);
    }
    SqlError::check_comments(sql)?;
    let guard = Arc::new(QueryGuard::new(limits, Arc::clone(watch)));
    let refused = RefusedAction::default();
    let connection = connect(source, &guard, &refused).map_err(|it| SqlError::ran(&it, sql))?;
    let mut statement = connection
        .prepare(sql)
        .map_err(|error| match refused.take() {
            Some(refused) => refused.error(sql),
            None => SqlError::prepared(&error, sql),
        })?;
    if statement.column_count() == 0 {
        return Err(no_question(sql));
    }
    if statement.parameter_count() > 0 {
        return Err(SqlError::of_parameter(sql));
    }
    let columns: Vec<String> = statement.column_names().map(str::to_owned).collect();
    let mut summary = SqlSummary {
        columns,
        span_columns: span_columns(&statement),
        types: types(&statement),
        ..SqlSummary::default()
    };
    let mut rows = statement.query([]).map_err(|it| SqlError::ran(&it, sql))?;
    loop {
        let row = match rows.next() {
            Ok(Some(row)) => row,
            Ok(None) => break,
            Err(error) => {
                let is_full = error.sqlite_error_code() == Some(ErrorCode::OutOfMemory);
                summary.cut = guard.stopped().or(is_full.then(|| guard.stop_for_memory()));
                if summary.cut.is_none() {
                    let refused = refused.take().map(|it| it.error(sql));
                    return Err(refused.unwrap_or_else(|| SqlError::ran(&error, sql)));
                }
                break;
            }
        };
        if summary.rows == limits.rows {
            summary.cut = Some(StopReason::Rows(limits.rows));
            break;
        }
        let bytes = text_bytes(row, summary.columns.len());
        if let Err(reason) = guard.take_room(bytes) {
            summary.cut = Some(reason);
            break;
        }
        let values = values(row, summary.columns.len()).map_err(|it| SqlError::ran(&it, sql))?;
        guard.return_room(bytes);
        summary.rows += 1;
        if take(&summary.columns, values).is_break() {
            summary.cut = Some(StopReason::Cancelled);
            break;
        }
    }
    summary.time = guard.elapsed();
    Ok(summary)
}

/// Why there is nothing to answer.
fn no_question(sql: &str) -> SqlError {
    let mut words = tokens(sql).into_iter();
    let Some(word) = words.find(|it| it.kind == SqlTokenKind::Word) else {
        return SqlError::new("there is no question; write one that begins with SELECT or WITH");
    };
    let text = format!(
        "{} is switched off: a question only reads the capture; write one that begins with SELECT or WITH",
        word.text(sql).to_uppercase()
    );
    SqlError::in_question(text, sql, word.range.start)
}

/// The places of the columns that hold ids of spans: by the column of a table that they come from. What is
/// calculated is one where it is called `span_id`.
fn span_columns(statement: &Statement<'_>) -> Vec<usize> {
    let is_span = |column: &ColumnMetadata<'_>| {
        let table = TABLES
            .iter()
            .find(|it| Some(it.name) == column.table_name());
        match (table, column.origin_name()) {
            (Some(table), Some(origin)) => table.is_span(origin),
            _ => column.name() == "span_id",
        }
    };
    let columns = statement.columns_with_metadata().enumerate();
    let columns = columns.filter(|(_, column)| is_span(column));
    columns.map(|(place, _)| place).collect()
}

/// What the columns hold, by the columns of tables that they come from; nothing of what is calculated.
fn types(statement: &Statement<'_>) -> Vec<Option<SqlType>> {
    let holds = |column: ColumnMetadata<'_>| {
        let mut tables = TABLES.iter();
        let table = tables.find(|it| Some(it.name) == column.table_name())?;
        let place = table.column(column.origin_name()?)?;
        table.columns.get(place).map(|it| it.holds)
    };
    let columns = statement.columns_with_metadata();
    columns.into_iter().map(holds).collect()
}

/// How many bytes the texts of a row have.
fn text_bytes(row: &Row<'_>, count: usize) -> usize {
    let bytes = |at: usize| match row.get_ref(at) {
        Ok(ValueRef::Text(value)) => value.len(),
        // They are written in two digits each.
        Ok(ValueRef::Blob(value)) => 2 * value.len(),
        _ => 0,
    };
    (0..count).map(bytes).sum()
}

fn values(row: &Row<'_>, count: usize) -> rusqlite::Result<Vec<Option<Value>>> {
    let value = |at: usize| {
        Ok(match row.get_ref(at)? {
            ValueRef::Null => None,
            ValueRef::Integer(value) => Some(Value::Integer(value)),
            ValueRef::Real(value) => Some(Value::Number(value)),
            ValueRef::Text(value) => Some(Value::Text(String::from_utf8_lossy(value).into())),
            ValueRef::Blob(value) => {
                let digits: Vec<String> = value.iter().map(|it| format!("{it:02X}")).collect();
                Some(Value::Text(format!("x'{}'", digits.concat()).into()))
            }
        })
    };
    (0..count).map(value).collect()
}

/// What a question may not do.
struct Refusal {
    text: String,
    /// The function that is refused; nothing where the whole statement is.
    function: Option<String>,
}

impl Refusal {
    fn error(self, sql: &str) -> SqlError {
        match self.function {
            Some(function) => SqlError::at_function(self.text, sql, &function),
            None => SqlError::at_change(self.text, sql),
        }
    }
}

/// What was refused while a question was prepared.
#[derive(Clone, Default)]
struct RefusedAction(Arc<Mutex<Option<Refusal>>>);

impl RefusedAction {
    fn take(&self) -> Option<Refusal> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    fn put(&self, refusal: Refusal) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.get_or_insert(refusal);
    }
}

/// Opens an empty database in memory that has the tables, and can do nothing but read them.
fn connect(
    source: &Arc<QuerySource>,
    guard: &Arc<QueryGuard>,
    refused: &RefusedAction,
) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
        | OpenFlags::SQLITE_OPEN_CREATE
        | OpenFlags::SQLITE_OPEN_MEMORY
        | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut connection = Connection::open_with_flags(":memory:", flags)?;
    vtab::register(&connection, source, guard)?;
    functions::register(&connection, LONGEST as usize)?;
    // What is sorted stays in memory, where it counts; nothing is written to a disk.
    connection.execute_batch("PRAGMA temp_store = MEMORY; PRAGMA query_only = 1;")?;
    for (config, is_on) in [
        (DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true),
        (DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false),
        (DbConfig::SQLITE_DBCONFIG_ENABLE_FTS3_TOKENIZER, false),
        // A word in quotation marks is a name, as in every other engine, and never a text.
        (DbConfig::SQLITE_DBCONFIG_DQS_DML, false),
        (DbConfig::SQLITE_DBCONFIG_DQS_DDL, false),
    ] {
        connection.set_db_config(config, is_on)?;
    }
    for (limit, most) in [
        (Limit::SQLITE_LIMIT_ATTACHED, 0),
        (Limit::SQLITE_LIMIT_LENGTH, LONGEST),
        (Limit::SQLITE_LIMIT_SQL_LENGTH, 1_000_000),
        (Limit::SQLITE_LIMIT_EXPR_DEPTH, 500),
        (Limit::SQLITE_LIMIT_COMPOUND_SELECT, 200),
        (Limit::SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 1_000),
        (Limit::SQLITE_LIMIT_WORKER_THREADS, 0),
    ] {
        connection.set_limit(limit, most)?;
    }
    let (watched, asked) = (Arc::clone(guard), refused.clone());
    connection.progress_handler(STEPS, Some(move || watched.check().is_err()))?;
    connection.authorizer(Some(move |context: AuthContext<'_>| {
        match refusal(&context.action) {
            None => Authorization::Allow,
            Some(text) => {
                asked.put(text);
                Authorization::Deny
            }
        }
    }))?;
    Ok(connection)
}

/// Why something may not be done, in words; nothing where it may.
fn refusal(action: &AuthAction<'_>) -> Option<Refusal> {
    let what = match action {
        AuthAction::Select | AuthAction::Read { .. } | AuthAction::Recursive => return None,
        // A table of which no column is read, such as by count(*).
        AuthAction::Unknown { code, .. } if *code == ffi::SQLITE_READ => return None,
        AuthAction::Function { function_name } => {
            let name = function_name.to_lowercase();
            let (_, why) = REFUSED_FUNCTIONS.iter().find(|it| it.0 == name)?;
            return Some(Refusal {
                text: format!("the function {name} is switched off: {why}"),
                function: Some(name),
            });
        }
        AuthAction::Attach { .. } | AuthAction::Detach { .. } => "ATTACH and DETACH are",
        AuthAction::Pragma { .. } => "PRAGMA is",
        AuthAction::Transaction { .. } | AuthAction::Savepoint { .. } => "transactions are",
        AuthAction::Insert { .. } | AuthAction::Update { .. } | AuthAction::Delete { .. } => {
            "changes to tables are"
        }
        _ => "new tables, views, triggers and indexes are",
    };
    Some(Refusal {
        text: format!(
            "{what} switched off: a question only reads the capture; write one that begins with SELECT or WITH"
        ),
        function: None,
    })
}

//! The tables as three engines declare them, so that none has to guess what a column holds.

use std::collections::BTreeSet;
use std::path::Path;

use query::{SqlColumn, SqlTable, SqlType};

use super::coverage::{RunCoverage, partitions};

use super::error::DatasetError;
use super::layout::{PART, PartitionKey, declared_type, file_columns, tables};
use super::whole_file::write_whole;

/// An engine that reads the tables where they lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeclaredEngine {
    /// DuckDB.
    DuckDb,
    /// DataFusion.
    DataFusion,
    /// Spark.
    Spark,
}

/// The files, and for whom each is.
const DECLARATIONS: &[(&str, &str, DeclaredEngine)] = &[
    (
        "tables.duckdb.sql",
        "DuckDB: duckdb -init tables.duckdb.sql",
        DeclaredEngine::DuckDb,
    ),
    (
        "tables.datafusion.sql",
        "DataFusion: datafusion-cli -f tables.datafusion.sql -f question.sql",
        DeclaredEngine::DataFusion,
    ),
    (
        "tables.spark.sql",
        "Spark: spark-sql -i tables.spark.sql -f question.sql",
        DeclaredEngine::Spark,
    ),
];

/// Whether a dataset has a file of this name beside its tables.
pub(crate) fn is_declaration(name: &str) -> bool {
    DECLARATIONS.iter().any(|it| it.0 == name)
}

/// Writes the files that are not there as this version has them.
pub(crate) fn write_declarations(root: &Path) -> Result<(), DatasetError> {
    for (name, how, engine) in DECLARATIONS {
        let path = root.join(name);
        let mut text = format!(
            "-- The tables of this dataset for {how}\n-- Start it in this folder, or write the folder's address before each path.\n"
        );
        let declared = tables().map(|it| engine.declare(it, it.name, ""));
        text.extend(declared.map(|it| format!("{it};\n")));
        if std::fs::read_to_string(&path).is_ok_and(|it| it == text) {
            continue;
        }
        write_whole(root, &path, text.as_bytes())?;
    }
    Ok(())
}

/// The columns that `*` shows.
fn shown(table: &SqlTable) -> impl Iterator<Item = &SqlColumn> {
    table.columns.iter().filter(|it| !it.is_hidden)
}

/// The statements that declare some tables of a dataset by whole paths, wherever the engine works. Rows of ranks that are not
/// finished do not count, and a table without a file has no rows.
///
/// # Errors
/// A folder cannot be read.
pub fn declarations(
    engine: DeclaredEngine,
    root: &Path,
    runs: &[RunCoverage],
    asked: &[&'static SqlTable],
) -> Result<Vec<String>, DatasetError> {
    let folder = format!("{}/", root.display());
    let mut statements = Vec::new();
    for table in asked {
        let key = PartitionKey::of(table);
        let files = partitions(root, table.name, key)?;
        if files.values().all(BTreeSet::is_empty) {
            statements.push(engine.empty(table));
            continue;
        }
        let left_out: Vec<String> = runs.iter().filter_map(left_out).collect();
        if left_out.is_empty() {
            statements.push(engine.declare(table, table.name, &folder));
            continue;
        }
        let (name, all) = (table.name, format!("all_{}", table.name));
        statements.push(engine.declare(table, &all, &folder));
        let columns: Vec<&str> = shown(table).map(|it| it.name).collect();
        let word = engine.view();
        statements.push(format!(
            "CREATE {word} {name} AS SELECT {} FROM {all} WHERE NOT ({})",
            columns.join(", "),
            left_out.join(" OR ")
        ));
    }
    Ok(statements)
}

/// The rows of a run that do not count, as a condition.
fn left_out(run: &RunCoverage) -> Option<String> {
    let ranks: Vec<String> = run.unfinished.iter().map(u32::to_string).collect();
    let listed = ranks.join(", ");
    (!ranks.is_empty()).then(|| format!("run = '{}' AND rank IN ({listed})", run.name))
}

impl DeclaredEngine {
    /// How it calls a type.
    const fn word(self, holds: SqlType) -> &'static str {
        match (self, holds) {
            (Self::Spark, SqlType::Text) => "STRING",
            (_, other) => declared_type(other),
        }
    }

    /// A table without rows.
    fn empty(self, table: &SqlTable) -> String {
        let columns = shown(table).map(|it| {
            let word = self.word(it.holds);
            format!("CAST(NULL AS {word}) AS {}", it.name)
        });
        let columns = columns.collect::<Vec<String>>().join(", ");
        format!(
            "CREATE {} {} AS SELECT {columns} WHERE 1 = 0",
            self.view(),
            table.name
        )
    }

    const fn view(self) -> &'static str {
        match self {
            Self::Spark => "OR REPLACE TEMPORARY VIEW",
            _ => "OR REPLACE VIEW",
        }
    }

    /// The statement that declares a table by this name, whose files lie below `folder`.
    fn declare(self, table: &SqlTable, name: &str, folder: &str) -> String {
        let place = format!("{folder}{}", table.name);
        match self {
            Self::DuckDb => duckdb(table, name, &place),
            Self::DataFusion => datafusion(table, name, &place),
            Self::Spark => spark(table, name, &place),
        }
    }
}

/// The columns of a table's files with their types, those of folders last.
fn declared(table: &SqlTable, engine: DeclaredEngine) -> Vec<(&'static str, &'static str)> {
    let columns = file_columns(table);
    let columns = columns.iter().map(|it| (it.name, engine.word(it.holds)));
    let text = engine.word(SqlType::Text);
    let key = PartitionKey::of(table).label();
    columns
        .chain([("run", text), (key, engine.word(SqlType::Integer))])
        .collect()
}

fn listed(columns: &[(&str, &str)]) -> String {
    let columns = columns
        .iter()
        .map(|(name, holds)| format!("{name} {holds}"));
    columns.collect::<Vec<String>>().join(", ")
}

/// A text between quotation marks of SQL.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

fn duckdb(table: &SqlTable, name: &str, place: &str) -> String {
    let key = PartitionKey::of(table).label();
    let columns = declared(table, DeclaredEngine::DuckDb);
    let columns = columns.iter().filter(|it| it.0 != "shard");
    let columns: Vec<String> = columns
        .map(|(name, holds)| format!("{name}::{holds} AS {name}"))
        .collect();
    let columns = columns.join(", ");
    let files = quoted(&format!("{place}/run=*/{key}=*/{PART}"));
    format!(
        "CREATE OR REPLACE VIEW {name} AS SELECT {columns}\n  FROM read_parquet({files}, hive_partitioning = true, hive_types = {{'run': VARCHAR, '{key}': BIGINT}}, union_by_name = true)"
    )
}

fn datafusion(table: &SqlTable, name: &str, place: &str) -> String {
    let key = PartitionKey::of(table).label();
    let columns = listed(&declared(table, DeclaredEngine::DataFusion));
    let folder = quoted(&format!("{place}/"));
    format!(
        "CREATE EXTERNAL TABLE {name} ({columns})\n  STORED AS PARQUET PARTITIONED BY (run, {key}) LOCATION {folder}"
    )
}

fn spark(table: &SqlTable, name: &str, place: &str) -> String {
    let columns = listed(&declared(table, DeclaredEngine::Spark));
    let folder = quoted(place);
    format!(
        "CREATE OR REPLACE TEMPORARY VIEW {name} ({columns})\n  USING parquet OPTIONS (path {folder})"
    )
}

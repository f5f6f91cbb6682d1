//! The tables as three engines declare them, so that none has to guess what a column holds.

use std::path::Path;

use query::{SqlTable, SqlType};

use super::error::DatasetError;
use super::layout::{PART, PartitionKey, declared_type, file_columns, tables};
use super::whole_file::write_whole;

/// The files, and what each says of a table.
type EngineDeclaration = (&'static str, &'static str, fn(&SqlTable) -> String);

/// What each engine reads.
const DECLARATIONS: &[EngineDeclaration] = &[
    (
        "tables.duckdb.sql",
        "DuckDB: duckdb -init tables.duckdb.sql",
        duckdb,
    ),
    (
        "tables.datafusion.sql",
        "DataFusion: datafusion-cli -f tables.datafusion.sql -f question.sql",
        datafusion,
    ),
    (
        "tables.spark.sql",
        "Spark: spark-sql -i tables.spark.sql -f question.sql",
        spark,
    ),
];

/// Whether a dataset has a file of this name beside its tables.
pub(crate) fn is_declaration(name: &str) -> bool {
    DECLARATIONS.iter().any(|it| it.0 == name)
}

/// Writes the files that are not there as this version has them.
pub(crate) fn write_declarations(root: &Path) -> Result<(), DatasetError> {
    for (name, engine, declare) in DECLARATIONS {
        let path = root.join(name);
        let mut text = format!(
            "-- The tables of this dataset for {engine}\n-- Start it in this folder, or write the folder's address before each path.\n"
        );
        text.extend(tables().map(declare));
        if std::fs::read_to_string(&path).is_ok_and(|it| it == text) {
            continue;
        }
        write_whole(&path, text.as_bytes())?;
    }
    Ok(())
}

/// The columns of a table with their types, those of folders last.
fn declared(
    table: &SqlTable,
    word: fn(SqlType) -> &'static str,
) -> Vec<(&'static str, &'static str)> {
    let columns = file_columns(table);
    let columns = columns.iter().map(|it| (it.name, word(it.holds)));
    let text = word(SqlType::Text);
    let key = PartitionKey::of(table).label();
    columns
        .chain([("run", text), (key, word(SqlType::Integer))])
        .collect()
}

fn listed(columns: &[(&str, &str)]) -> String {
    let columns = columns
        .iter()
        .map(|(name, holds)| format!("{name} {holds}"));
    columns.collect::<Vec<String>>().join(", ")
}

fn duckdb(table: &SqlTable) -> String {
    let (name, key) = (table.name, PartitionKey::of(table).label());
    let columns = declared(table, declared_type);
    let columns = columns.iter().filter(|it| it.0 != "shard");
    let columns: Vec<String> = columns
        .map(|(name, holds)| format!("{name}::{holds} AS {name}"))
        .collect();
    let columns = columns.join(", ");
    format!(
        "CREATE OR REPLACE VIEW {name} AS SELECT {columns}\n  FROM read_parquet('{name}/run=*/{key}=*/{PART}', hive_partitioning = true, hive_types = {{'run': VARCHAR, '{key}': BIGINT}}, union_by_name = true);\n"
    )
}

fn datafusion(table: &SqlTable) -> String {
    let (name, key) = (table.name, PartitionKey::of(table).label());
    let columns = listed(&declared(table, declared_type));
    format!(
        "CREATE EXTERNAL TABLE {name} ({columns})\n  STORED AS PARQUET PARTITIONED BY (run, {key}) LOCATION '{name}/';\n"
    )
}

fn spark(table: &SqlTable) -> String {
    let name = table.name;
    let word = |holds| match holds {
        SqlType::Text => "STRING",
        other => declared_type(other),
    };
    let columns = listed(&declared(table, word));
    format!(
        "CREATE OR REPLACE TEMPORARY VIEW {name} ({columns})\n  USING parquet OPTIONS (path '{name}');\n"
    )
}

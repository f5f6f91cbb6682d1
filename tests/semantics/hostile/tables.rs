//! Databases of every format with tables and columns missing, rows doubled, and cells of every other type.

use engine::importer::ImportError;
use rusqlite::Connection;

use super::answer_to;
use crate::formats::databases;
use crate::house::root;

/// The tables of a database, each with its columns.
fn tables(connection: &Connection) -> Vec<(String, Vec<String>)> {
    let texts = |sql: &str| -> Vec<String> {
        let mut statement = connection.prepare(sql).unwrap();
        let rows = statement.query_map([], |row| row.get(0)).unwrap();
        rows.map(Result::unwrap).collect()
    };
    let names =
        texts("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'");
    let columns = |name: &String| texts(&format!("SELECT name FROM pragma_table_info('{name}')"));
    names
        .into_iter()
        .map(|name| {
            let columns = columns(&name);
            (name, columns)
        })
        .collect()
}

/// What became of files that were changed.
#[derive(Default)]
struct Tally {
    opened: usize,
    refused: usize,
}

impl Tally {
    /// Opens a database after a change; says how many spans it then has.
    fn open(&mut self, (name, bytes): &(String, Vec<u8>), change: &str) -> usize {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("changed.sqlite");
        std::fs::write(&path, bytes).unwrap();
        let connection = Connection::open(&path).unwrap();
        let quick =
            "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA legacy_alter_table = ON;";
        connection.execute_batch(quick).unwrap();
        // A column that others need cannot be dropped.
        let changed = connection.execute_batch(change);
        drop(connection);
        if changed.is_err() {
            return 0;
        }
        match answer_to(name, std::fs::read(&path).unwrap()) {
            Ok((capture, receipt)) => {
                self.opened += 1;
                let told = !receipt.notes.is_empty() || !capture.problems().is_empty();
                assert!(capture.span_count() > 0 || told, "{name} after {change}");
                capture.span_count()
            }
            Err(error @ ImportError::Useless { .. }) => {
                self.refused += 1;
                let said = error.to_string();
                assert!(said.len() > 40, "{name} after {change}: {said}");
                0
            }
            Err(error) => panic!("{name} after {change}: {error}"),
        }
    }
}

#[test]
fn any_table_or_column_of_any_database_may_be_missing() {
    let mut tally = Tally::default();
    for sample in databases::samples() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("whole.sqlite");
        std::fs::write(&path, &sample.1).unwrap();
        for (table, columns) in tables(&Connection::open(&path).unwrap()) {
            tally.open(&sample, &format!("DROP TABLE \"{table}\""));
            for column in columns {
                let change = format!("ALTER TABLE \"{table}\" RENAME COLUMN \"{column}\" TO gone");
                tally.open(&sample, &change);
            }
        }
    }
    let Tally { opened, refused } = tally;
    assert!(
        opened > 20 * refused && opened > 200,
        "{opened} and {refused}"
    );
}

/// A fuzzer found this one: its list of tables is pages that lead to each other.
#[test]
fn a_list_of_tables_that_turns_in_circles_ends() {
    let path = root().join("tests/data/circling-schema.db.gz");
    let bytes = std::fs::read(path).unwrap();
    let (capture, receipt) = answer_to("circling.db.gz", bytes).unwrap();
    assert_eq!(capture.span_count(), 0);
    let damaged = receipt
        .notes
        .iter()
        .filter(|it| it.contains("could be read up to"));
    assert_eq!(damaged.count(), 1, "{:?}", receipt.notes);
}

#[test]
fn cells_of_any_value_are_an_answer() {
    const VALUES: &[&str] = &[
        "9223372036854775807",
        "-9223372036854775807 - 1",
        "1e300",
        "'soon'",
        "x'FFFE80'",
        "NULL",
    ];
    let mut tally = Tally::default();
    let mut next = VALUES.iter().cycle();
    for sample in databases::samples() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("whole.sqlite");
        std::fs::write(&path, &sample.1).unwrap();
        for (table, columns) in tables(&Connection::open(&path).unwrap()) {
            // A text takes the place of numbers only where the column does not insist on them.
            let loose = format!(
                "CREATE TABLE loose AS SELECT * FROM \"{table}\"; DROP TABLE \"{table}\"; \
                                 ALTER TABLE loose RENAME TO \"{table}\";"
            );
            for column in columns {
                for value in next.by_ref().take(2) {
                    let change = format!("{loose} UPDATE \"{table}\" SET \"{column}\" = {value}");
                    tally.open(&sample, &change);
                }
            }
        }
    }
    assert!(tally.opened > 400, "{}", tally.opened);
}

#[test]
fn rows_that_are_there_twice_are_an_answer() {
    let mut tally = Tally::default();
    for sample in databases::samples() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("whole.sqlite");
        std::fs::write(&path, &sample.1).unwrap();
        let whole = tally.open(&sample, "");
        for (table, _) in tables(&Connection::open(&path).unwrap()) {
            let change = format!(
                "CREATE TABLE twice AS SELECT * FROM \"{table}\"; INSERT INTO twice SELECT * FROM \"{table}\"; \
                 DROP TABLE \"{table}\"; ALTER TABLE twice RENAME TO \"{table}\";"
            );
            let found = tally.open(&sample, &change);
            assert!(
                found >= whole,
                "{found} of {whole} spans with {table} twice"
            );
        }
    }
    assert_eq!(tally.refused, 0);
}

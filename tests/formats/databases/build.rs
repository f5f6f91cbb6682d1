//! Small databases, made here: what a profiler would write, in as few rows as show what has to be shown.

use rusqlite::Connection;

/// The bytes of a database that `script` makes. Pages are small, so that a few rows already fill several.
pub fn database(script: &str) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("made.sqlite");
    let connection = Connection::open(&path).unwrap();
    let pages = "PRAGMA page_size = 512; PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;";
    connection.execute_batch(pages).unwrap();
    connection.execute_batch(script).unwrap();
    drop(connection);
    std::fs::read(path).unwrap()
}

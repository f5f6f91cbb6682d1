//! A file opened as a database: read only, as it lies there, and with nothing written beside it.

use std::fmt::Write as _;
use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::temporary::{TemporaryCopy, create_copy};
use rusqlite::config::DbConfig;
use rusqlite::limits::Limit;
use rusqlite::{Connection, OpenFlags};

use super::budget::{ReadBudget, ReadTimer};
use super::schema::{RowCount, TableSchema, count_rows, quoted, tables};
use crate::importer::error::MissingThread;
use crate::importer::memory_limit::MemoryLimit;
use crate::importer::{ImportError, Receipt, RecordSink, Source, behind};
use record::{Severity, counted};

/// The longest text or blob that SQLite may make, where the file is shorter or longer than that.
const TEXT: (u64, u64) = (1 << 16, 1 << 30);
/// How a journal begins that is needed: <https://sqlite.org/fileformat2.html#the_rollback_journal>.
const JOURNAL: [u8; 8] = [0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7];
/// Up to how many bytes the pages of a file are looked at whether they fit together.
const CHECKED: u64 = 1 << 26;
/// Steps of SQLite's machine between two looks at the time.
const STEPS: i32 = 1_000;

/// A database that can be read by several threads at once.
#[derive(Debug)]
pub(in crate::importer) struct Database {
    shown: PathBuf,
    file: PathBuf,
    length: u64,
    /// Whether what follows it in a packed file is another capture; nothing where nothing does.
    is_followed: Option<bool>,
    tables: Vec<TableSchema>,
    pub(super) budget: Arc<ReadBudget>,
    memory: MemoryLimit,
    /// Deletes the copy of a packed database in the end.
    _copy: Option<TemporaryCopy>,
}

/// A way to read a database, for one thread.
pub(super) struct DatabaseConnection {
    pub connection: Connection,
    pub watch: Arc<ReadTimer>,
}

impl Database {
    /// Opens a source. One that is packed or in memory is copied to a temporary file, since SQLite reads any place
    /// of it; of a packed one no more than its own header promises.
    pub fn open(source: &Source) -> Result<Self, ImportError> {
        let copy = match source.plain_file() {
            Some(_) => None,
            None => Some(copied(source).map_err(|error| source.failed(error))?),
        };
        let (copy, is_followed) = copy.map_or((None, None), |(copy, it)| (Some(copy), it));
        let file = copy
            .as_ref()
            .map(TemporaryCopy::path)
            .or(source.plain_file())
            .unwrap_or(source.path());
        let length = std::fs::metadata(file)
            .map_err(|error| source.failed(error))?
            .len();
        let mut database = Self {
            shown: source.path().to_owned(),
            file: file.to_owned(),
            length,
            is_followed,
            tables: Vec::new(),
            budget: Arc::new(ReadBudget::new(length)),
            memory: MemoryLimit::new(),
            _copy: copy,
        };
        let door = database.door()?;
        door.watch.start();
        let found = tables(&door.connection, database.length);
        door.watch.stop(&database.budget);
        database.tables = found.map_err(|error| database.useless(&error.to_string()))?;
        Ok(database)
    }

    /// Fails where reading it takes too much memory: of some tables whole columns are kept before a span is made.
    pub(super) fn check_memory(&self) -> Result<(), ImportError> {
        self.memory.check(&self.shown, self.length)
    }

    /// How many bytes it has.
    pub fn length(&self) -> u64 {
        self.length
    }

    /// Every table that rows are stored in.
    pub fn tables(&self) -> &[TableSchema] {
        &self.tables
    }

    /// The table of a name.
    pub fn table(&self, name: &str) -> Option<&TableSchema> {
        self.tables
            .iter()
            .find(|it| it.name.eq_ignore_ascii_case(name))
    }

    /// Whether there is a table of that name.
    pub fn has(&self, name: &str) -> bool {
        self.table(name).is_some()
    }

    /// The bytes of a log beside the file that hold what was written last and not yet moved into it.
    fn unmerged(&self) -> u64 {
        std::fs::metadata(self.beside("-wal")).map_or(0, |it| it.len())
    }

    /// Whether a journal lies beside the file by which SQLite would undo a write that was not ended.
    fn is_half_written(&self) -> bool {
        let mut head = [0; JOURNAL.len()];
        let journal = File::open(self.beside("-journal"));
        journal.is_ok_and(|mut it| it.read_exact(&mut head).is_ok()) && head == JOURNAL
    }

    /// Where the database ends in the file, by its own header; nothing where the header does not keep it.
    /// <https://sqlite.org/fileformat2.html#in_header_database_size>
    fn end(head: &[u8]) -> Option<u64> {
        let is_kept = head.get(24..28)? == head.get(92..96)?;
        (is_kept && head.get(28..32)? != [0; 4]).then(|| promised(head))
    }

    /// How many bytes follow the database in the file, and whether another capture begins there; of a packed one nobody counts
    /// them.
    fn behind(&self) -> Option<(Option<u64>, bool)> {
        if let Some(is_other) = self.is_followed {
            return Some((None, is_other));
        }
        let mut file = File::open(&self.file).ok()?;
        let mut head = [0; 100];
        file.read_exact(&mut head).ok()?;
        let end = Self::end(&head)?;
        let left = self.length.checked_sub(end)?;
        file.seek(SeekFrom::Start(end)).ok()?;
        let mut first = Vec::new();
        file.take(behind::LOOKED_AT).read_to_end(&mut first).ok()?;
        Some((Some(left), behind::is_capture(&first)?))
    }

    /// Says what follows the database in the file, and is not read.
    pub fn tell_behind(&self, receipt: &mut Receipt, sink: &mut RecordSink<'_>) {
        let Some((left, is_other)) = self.behind() else {
            return;
        };
        let follows = match left {
            Some(left) => {
                let bytes = counted(left, "{byte follows|bytes follow}");
                format!("{bytes} the database at byte {}", self.length - left)
            }
            None => format!(
                "More follows the database at byte {}, unpacked",
                self.length
            ),
        };
        let (code, text) = if is_other {
            // How many rows it has is not known.
            receipt.dropped += 1;
            let text = format!(
                "{follows}, where another capture begins, which is not read. Cut the file in two there, and open both \
                 together."
            );
            ("second-trace", text)
        } else {
            receipt.repair("bytes behind the end", 1);
            (
                "text-behind-trace",
                format!("{follows}; it is no part of it."),
            )
        };
        receipt.complain(sink, (Severity::Warning, code), text);
    }

    /// The file that SQLite writes beside the database.
    fn beside(&self, ending: &str) -> PathBuf {
        let mut path = self.shown.clone().into_os_string();
        path.push(ending);
        path.into()
    }

    /// Names in the receipt the tables that have rows and of which `is_known` says that they are not read.
    pub fn tell_unread(&self, receipt: &mut Receipt, is_known: impl Fn(&str) -> bool) {
        let unread = self.tables.iter().filter(|table| {
            table.rows > 0 && !table.name.starts_with("sqlite_") && !is_known(&table.name)
        });
        let unread: Vec<String> = unread
            .map(|table| format!("{} ({})", table.name, self.told_rows(table)))
            .collect();
        if !unread.is_empty() {
            receipt.note(format!("Tables that are not shown: {}.", unread.join(", ")));
        }
        if self.is_half_written() {
            receipt.dropped += 1;
            receipt.note(
                "A journal lies beside the file: a program was ended while it wrote, and what is shown may lack rows that were \
                 being replaced. Have SQLite undo that write (sqlite3 FILE .tables), and open it again.",
            );
        }
        let log = self.unmerged();
        if log > 0 {
            receipt.note(format!(
                "A log of {log} bytes lies beside the file: what was written last may be missing. Close the program \
                 that has it open and open it again."
            ));
        }
    }

    /// What contradicts itself in the list of tables, or what SQLite finds wrong with the pages of the file, which is read whole
    /// for it: a list of tables that lost some says nothing of them. The pages of a longer file are not looked at.
    pub(super) fn damage(&self) -> Option<String> {
        let door = self.door().ok()?;
        door.watch.start();
        let found = wrong_name(&door.connection).and_then(|found| match found {
            None if self.length <= CHECKED => wrong_pages(&door.connection),
            found => Ok(found),
        });
        door.watch.stop(&self.budget);
        found.unwrap_or_else(|error| Some(error.to_string()))
    }

    /// How many rows a table has, in words: counted, and where it is damaged as many as can be read.
    fn told_rows(&self, table: &TableSchema) -> String {
        let Ok(door) = self.door() else {
            return "rows that cannot be read".to_owned();
        };
        door.watch.start();
        let RowCount { rows, is_whole } = count_rows(&door.connection, &table.name, self.length);
        door.watch.stop(&self.budget);
        let rows = counted(rows, "{row|rows}");
        if is_whole {
            rows
        } else {
            format!("at least {rows}, then it is damaged")
        }
    }

    /// The earliest time above 0 in some columns, each given with its table; 0 where there is none.
    pub fn lowest<'a>(
        &self,
        columns: impl Iterator<Item = (&'a str, &'a str)>,
    ) -> Result<i64, ImportError> {
        let door = self.door()?;
        let mut lowest = i64::MAX;
        for (table, column) in columns {
            let column = quoted(column);
            let least = format!(
                "SELECT min(CAST({column} AS INTEGER)) FROM {} NOT INDEXED WHERE CAST({column} AS INTEGER) > 0",
                quoted(table)
            );
            door.watch.start();
            // A table that is damaged is told of when its rows are read.
            let least = door
                .connection
                .query_row(&least, [], |row| row.get::<_, Option<i64>>(0));
            door.watch.stop(&self.budget);
            lowest = least
                .ok()
                .flatten()
                .map_or(lowest, |least| least.min(lowest));
        }
        Ok(if lowest == i64::MAX { 0 } else { lowest })
    }

    /// Why nothing of it can be read.
    pub fn useless(&self, why: &str) -> ImportError {
        ImportError::Useless {
            path: self.shown.clone(),
            why: format!("it is an SQLite database that cannot be read ({why}); export it anew"),
        }
    }

    /// Nothing of it is read, since there is no thread for it.
    pub(super) fn without_thread(&self, error: io::Error) -> ImportError {
        ImportError::from_io(&self.shown, MissingThread::told(error))
    }

    /// Opens it once more.
    pub(super) fn door(&self) -> Result<DatabaseConnection, ImportError> {
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY
            | OpenFlags::SQLITE_OPEN_URI
            | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let opened = Connection::open_with_flags(address(&self.file), flags);
        let prepared = opened.and_then(|connection| self.prepared(connection));
        prepared.map_err(|error| self.useless(&error.to_string()))
    }

    fn prepared(&self, mut connection: Connection) -> rusqlite::Result<DatabaseConnection> {
        // Said of a writable schema, SQLite reads a file that was cut short up to the cut. Nothing is ever written.
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_WRITABLE_SCHEMA, true)?;
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
        connection.execute_batch("PRAGMA cell_size_check = ON; PRAGMA temp_store = MEMORY")?;
        let text = self.length.clamp(TEXT.0, TEXT.1);
        connection.set_limit(Limit::SQLITE_LIMIT_LENGTH, text as i32)?;
        connection.set_limit(Limit::SQLITE_LIMIT_SQL_LENGTH, 1 << 16)?;
        let watch = Arc::new(ReadTimer::default());
        let (looking, budget) = (Arc::clone(&watch), Arc::clone(&self.budget));
        connection.progress_handler(STEPS, Some(move || looking.is_over(&budget)))?;
        Ok(DatabaseConnection { connection, watch })
    }
}

/// A row of the list of tables that contradicts itself: every table is named three times there.
fn wrong_name(connection: &Connection) -> rusqlite::Result<Option<String>> {
    let mut list = connection.prepare("SELECT type, name, tbl_name, sql FROM sqlite_schema")?;
    let mut rows = list.query([])?;
    while let Some(row) = rows.next()? {
        let text = |at| {
            row.get::<_, Option<String>>(at)
                .map(Option::unwrap_or_default)
        };
        let (kind, name, table, sql) = (text(0)?, text(1)?, text(2)?, text(3)?);
        let is_known = ["table", "index", "view", "trigger"].contains(&kind.as_str());
        let is_table = kind == "table";
        let is_own = table.eq_ignore_ascii_case(&name) && names(&sql, &name);
        if !is_known || is_table && !is_own {
            return Ok(Some(format!(
                "its list of tables contradicts itself at {kind} {name}"
            )));
        }
    }
    Ok(None)
}

/// Whether the text that makes a table gives it this name; one that is made by itself has none.
fn names(sql: &str, name: &str) -> bool {
    let rest = ["CREATE TABLE ", "CREATE VIRTUAL TABLE "]
        .iter()
        .find_map(|begin| sql.strip_prefix(begin));
    let Some(rest) = rest else {
        return sql.is_empty();
    };
    let rest = rest.trim_start_matches(['"', '\'', '`', '[']);
    let begins = rest.get(..name.len());
    let ends = rest.get(name.len()..).and_then(|it| it.chars().next());
    begins.is_some_and(|it| it.eq_ignore_ascii_case(name))
        && ends.is_none_or(|it| !(it.is_alphanumeric() || it == '_'))
}

/// The first thing that is wrong with the pages of a database, and not only with values that its tables should not have.
fn wrong_pages(connection: &Connection) -> rusqlite::Result<Option<String>> {
    let mut check = connection.prepare("PRAGMA quick_check")?;
    let mut found = check.query([])?;
    while let Some(row) = found.next()? {
        let text: String = row.get(0)?;
        let is_of_value = text.contains(" value in ") || text.starts_with("CHECK constraint");
        if text != "ok" && !is_of_value {
            return Ok(Some(text.lines().collect::<Vec<_>>().join(" ")));
        }
    }
    Ok(None)
}

/// A copy of what a source's reader gives, up to the length that the database says it has.
/// The copy, and whether what follows it is another capture; nothing where nothing does.
fn copied(source: &Source) -> io::Result<(TemporaryCopy, Option<bool>)> {
    let (mut file, copy) = create_copy(".database")?;
    let mut opened = source.reader().map_err(io::Error::other)?;
    let most = source.unpacked_length().unwrap_or(promised(source.head()));
    io::copy(&mut opened.by_ref().take(most), &mut file as &mut File)?;
    let mut rest = Vec::new();
    // Damage behind the end takes nothing from what was read.
    let read = opened.take(behind::LOOKED_AT).read_to_end(&mut rest);
    let is_followed = read.ok().and_then(|_| behind::is_capture(&rest));
    Ok((copy, is_followed))
}

/// How long a database is, as its header says: the size of a page, and how many there are.
fn promised(head: &[u8]) -> u64 {
    let number = |at: usize, bytes: usize| {
        let bytes = head.get(at..at + bytes).unwrap_or_default();
        bytes
            .iter()
            .fold(0_u64, |number, &byte| number << 8 | u64::from(byte))
    };
    let page = match number(16, 2) {
        1 => 1 << 16,
        size => size,
    };
    page * number(28, 4).max(1)
}

/// The address by which SQLite takes a file as one that nobody changes, so that it needs no lock and no journal.
fn address(path: &Path) -> String {
    let mut address = String::from("file:");
    for &byte in path.as_os_str().as_encoded_bytes() {
        let plain = byte.is_ascii_alphanumeric() || b"/-_.~:".contains(&byte);
        match byte {
            b'\\' if cfg!(windows) => address.push('/'),
            _ if plain => address.push(byte as char),
            // Writing to a text cannot fail.
            _ => drop(write!(address, "%{byte:02X}")),
        }
    }
    address + "?mode=ro&immutable=1"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn odd_paths_have_an_address() {
        let path = Path::new("/a b/ü?x=1#%.db");
        let expected = "file:/a%20b/%C3%BC%3Fx%3D1%23%25.db?mode=ro&immutable=1";
        assert_eq!(address(path), expected);
    }

    #[test]
    fn a_header_promises_a_length() {
        let mut head = vec![0; 100];
        head[16] = 0x10;
        head[31] = 3;
        assert_eq!(promised(&head), 3 * 4096);
        head[16..18].copy_from_slice(&[0, 1]);
        assert_eq!(promised(&head), 3 * 65_536);
        assert_eq!(promised(&[]), 0);
    }
}

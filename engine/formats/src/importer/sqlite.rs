//! What all formats in SQLite share: tables are read in blocks, leniently, and never beyond what the file can hold.

mod block;
mod budget;
mod column;
mod database;
mod device;
mod draft;
mod driver;
mod event;
mod handle;
mod host;
mod lane;
mod launch;
mod name;
mod query;
mod read_errors;
mod scan;
mod schema;
mod string;
mod table;
mod wait;

use memchr::memmem;

use super::{IMPORTERS, ImportError, Importer, Source};

pub(super) use crate::activity::{WorkKind, copy};

pub(super) use crate::submission::{SubmissionStream, SubmittedOperation, SubmittedOperations};
pub(super) use block::SqliteRow;
pub(super) use column::{ColumnList, RowField, columns};
pub(super) use database::Database;
pub(super) use device::SqliteDevices;
pub(super) use draft::{SqliteDraft, SqliteSpan};
pub(super) use driver::{DatabaseReader, Dialect, NAMELESS, NeededTable, read};
pub(super) use event::{SqliteEvents, SqliteRecord};
pub(super) use handle::Handles;
pub(super) use host::{HostSpan, HostSpans};
pub(super) use lane::{LaneTitle, SqliteLanes};
pub(super) use launch::LaunchIndex;
pub(super) use name::SqliteNames;
pub(super) use query::SelectQuery;
pub(super) use read_errors::TableProblems;
pub(super) use scan::scan;
pub(super) use string::StringTable;
pub(super) use table::{RowOutcome, TableQuery, TableReader, UntimedRow, table};
pub(super) use wait::{SqliteWait, SqliteWaitOutcome, SqliteWaitTarget, WaitedEvent, resolve};

/// What every SQLite file begins with.
pub(super) const MAGIC: &[u8] = b"SQLite format 3\0";

/// Whether a file that begins with `head` is a database in whose first bytes a table is named like one of these.
pub(super) fn recognises(head: &[u8], tables: &[&str]) -> bool {
    is_database(head)
        && tables
            .iter()
            .any(|table| memmem::find(head, table.as_bytes()).is_some())
}

/// The format of a database, by its tables, where its first bytes do not name them. Fails where it is of no known
/// format.
pub(super) fn format_of(source: &Source) -> Result<&'static dyn Importer, ImportError> {
    let database = Database::open(source)?;
    let known = |importer: &&&dyn Importer| {
        let mut tables = importer.tables().iter();
        tables.any(|start| {
            database
                .tables()
                .iter()
                .any(|table| table.name.starts_with(start))
        })
    };
    if let Some(importer) = IMPORTERS.iter().find(known) {
        return Ok(*importer);
    }
    if let Some((_, why)) = SUMS.iter().find(|(is_it, _)| is_it(source, &database)) {
        return Err(ImportError::Useless {
            path: source.path().to_owned(),
            why: (*why).to_owned(),
        });
    }
    let names: Vec<&str> = database
        .tables()
        .iter()
        .map(|table| table.name.as_str())
        .take(8)
        .collect();
    Err(ImportError::Useless {
        path: source.path().to_owned(),
        why: format!(
            "it is an SQLite database of no profiler that Syncline knows; its tables are {}",
            names.join(", ")
        ),
    })
}

/// Whether a database is one of these.
type DatabaseCheck = fn(&Source, &Database) -> bool;

/// Databases of profilers that hold no timeline, and what to open instead.
const SUMS: &[(DatabaseCheck, &str)] = &[
    (
        |source, database| {
            let name = source.path().file_name().unwrap_or_default();
            let name = name.to_string_lossy().to_ascii_lowercase();
            let tables = database.tables().iter();
            let mut tables = tables.map(|it| it.name.to_ascii_lowercase());
            name.contains("dldb") || tables.any(|it| it.starts_with("dlprof"))
        },
        "it is what DLProf made of a profile, sums without a timeline; open the nsys_profile.sqlite that DLProf leaves beside \
         it, or run nsys export --type sqlite on the nsys_profile.qdrep and open that",
    ),
    (
        |_, database| {
            ["HIP", "HSA", "OPS", "COPY"]
                .iter()
                .filter(|it| database.has(it))
                .count()
                > 1
        },
        "it is the database that rocprof makes its trace from; open the results.json that it writes beside it",
    ),
];

/// Whether a file that begins with `head` is a database.
pub(super) fn is_database(head: &[u8]) -> bool {
    head.starts_with(MAGIC)
}

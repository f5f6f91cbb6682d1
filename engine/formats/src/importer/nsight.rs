//! Reads what Nsight Systems exports to SQLite: every stream, every host thread, and what waited for what.

mod api;
mod facts;
mod gpu;
mod host;
mod notes;
mod nvtx;
mod sync;
mod tables;

use super::sqlite::{
    self, Database, DatabaseReader, Dialect, NAMELESS, NeededTable, SqliteEvents, SqliteWait,
    TableQuery, TableReader,
};
use super::{ImportError, Importer, Receipt, RecordSink, Source};
use api::NsightCalls;
use facts::NsightFacts;
use gpu::NsightFields;
use notes::NsightTally;
use record::time::Nanos;
use record::{Clock, NameId};

/// The format of `nsys export --type sqlite`.
pub struct Nsight;

impl Importer for Nsight {
    fn name(&self) -> &'static str {
        "nsight"
    }

    fn extensions(&self) -> &'static [&'static str] {
        &["sqlite", "sqlite3"]
    }

    fn about(&self) -> &'static str {
        "exported by Nsight Systems with nsys export --type sqlite"
    }

    fn recognises(&self, head: &[u8]) -> bool {
        sqlite::recognises(head, self.tables())
    }

    fn tables(&self) -> &'static [&'static str] {
        &["StringIds"]
    }

    fn read(&self, source: &Source, sink: &mut RecordSink<'_>) -> Result<Receipt, ImportError> {
        sqlite::read::<NsightDialect>(self, source, sink)
    }
}

/// What is known while the large tables are read.
#[derive(Default)]
struct NsightDialect {
    facts: NsightFacts,
    calls: NsightCalls,
    fields: NsightFields,
    events: SqliteEvents,
    waits: Vec<SqliteWait>,
    /// Whether the file has no work of streams: what their records and waits say is all that is known of them.
    workless: bool,
    /// Calls that record an event, by process and number, with their place.
    recorders: Vec<(i64, i64, u32)>,
    /// Calls that make a stream wait: their process, number and name.
    waiters: Vec<(i64, i64, NameId)>,
    tally: NsightTally,
}

type NsightReader<'a, 's> = DatabaseReader<'a, 's, NsightDialect>;

impl Dialect for NsightDialect {
    const FACTS: &'static [TableReader<Self>] = tables::FACTS;
    const TABLES: &'static [TableReader<Self>] = tables::TABLES;
    const NEEDED: &'static [NeededTable] = &[NeededTable::always("StringIds", NAMELESS)];
    const SILENT: &'static [&'static str] = notes::SILENT;
    const COLUMNS: &'static [(&'static str, &'static [&'static str])] = notes::COLUMNS;

    fn tables(database: &Database) -> Vec<TableQuery<Self>> {
        tables::of_export(database)
    }

    fn version(&self) -> String {
        self.facts.version.clone()
    }

    /// Times count from the beginning of the capture already; the file may say what the time of day was then.
    fn clock(&self, _: i64) -> Option<Clock> {
        Some(Clock::unix(Nanos(self.facts.epoch?)))
    }

    fn begin(reader: &mut NsightReader<'_, '_>, tables: &[TableQuery<Self>]) {
        reader.dialect.fields = NsightFields::new(&mut reader.draft);
        reader.dialect.workless = !tables::has_work(tables);
    }

    fn end_hosts(reader: &mut NsightReader<'_, '_>) {
        reader.name_domains();
    }

    fn conclude(reader: &mut NsightReader<'_, '_>, database: &Database) {
        let outcome = reader.resolve();
        reader.tell(&outcome, database);
    }
}

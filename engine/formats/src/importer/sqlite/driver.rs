//! How every database is read: its tables in order, row by row, with what has to be told of them. What a format adds is
//! its dialect.

use super::block::RowBlock;
use super::draft::SqliteSpan;
use super::lane::MOST_LANES;
use super::table::{TableQuery, TableReader};
use super::{
    Database, HostSpans, LaunchIndex, SelectQuery, SqliteDraft, SubmittedOperations, WorkKind, scan,
};
use crate::importer::{ImportError, Importer, Receipt, RecordSink, Source};
use record::{Clock, Dependency, Record, Run, Severity, SpanId};

/// What tells one format in SQLite from the others, and what it knows while its tables are read.
pub(in crate::importer) trait Dialect: Default + 'static {
    /// Small tables that explain the others and are read before them; their rows are no events.
    const FACTS: &'static [TableReader<Self>] = &[];
    /// The tables in the order in which they are read, those of host threads first.
    const TABLES: &'static [TableReader<Self>];
    /// Names of tables of which nothing has to be said, since they hold nothing that a timeline shows; a `*` at the
    /// beginning or at the end stands for anything.
    const SILENT: &'static [&'static str];
    /// Columns that every file of the format has of the tables that matter most, by table: without them what stands there is lost,
    /// and with some of them the whole table.
    const COLUMNS: &'static [(&'static str, &'static [&'static str])] = &[];
    /// Tables without which much is not known.
    const NEEDED: &'static [NeededTable] = &[];
    /// Whether it is told how many cells are of another type than they should be.
    const TELLS_TYPES: bool = true;

    /// Whether a table of a database is the one that the format calls so.
    fn is_called(table: &str, name: &str) -> bool {
        table == name
    }

    /// The tables of a database that are read.
    fn tables(database: &Database) -> Vec<TableQuery<Self>> {
        TableQuery::all(Self::TABLES, database)
    }

    /// The version of the program that wrote the file, once the facts are known.
    fn version(&self) -> String {
        String::new()
    }

    /// The clock by which the file tells time, of which `zero` is the beginning of the capture.
    fn clock(&self, zero: i64) -> Option<Clock>;

    /// The facts are known, and the tables are about to be read.
    fn begin(_: &mut DatabaseReader<'_, '_, Self>, _: &[TableQuery<Self>]) {}

    /// Every table of host threads has been read.
    fn end_hosts(_: &mut DatabaseReader<'_, '_, Self>) {}

    /// Everything has been read: what waited is tied to what it waited for, and the receipt says what is not known.
    fn conclude(reader: &mut DatabaseReader<'_, '_, Self>, database: &Database);
}

/// A table without which much is not known.
pub(in crate::importer) struct NeededTable {
    /// What the format calls it.
    pub name: &'static str,
    /// It is needed where this one is there; nothing where it always is.
    pub beside: Option<&'static str>,
    /// What is not known without it, and what to do; as a sentence without its first capital or last full stop.
    pub without: &'static str,
}

/// What is not known without a table of names.
pub(in crate::importer) const NAMELESS: &str = "what calls and operations are called, and with that of which kind many are, is not \
    known. The file was cut or changed: record anew, or export it again";

impl NeededTable {
    /// One that every file has.
    pub const fn always(name: &'static str, without: &'static str) -> Self {
        Self {
            name,
            beside: None,
            without,
        }
    }

    /// One that is there where another is.
    pub const fn beside(other: &'static str, name: &'static str, without: &'static str) -> Self {
        Self {
            name,
            beside: Some(other),
            without,
        }
    }
}

/// A capture that is made of a database, as far as it has come.
pub(in crate::importer) struct DatabaseReader<'a, 's, D> {
    pub draft: SqliteDraft<'a, 's>,
    pub hosts: HostSpans,
    /// Calls by the number that they share with the work that they submitted.
    pub launches: LaunchIndex,
    pub operations: SubmittedOperations,
    /// Operations of which the call is not in the file.
    pub unlaunched: u64,
    /// Whose the table is that is being read: see [`TableQuery::owner`].
    pub owner: i64,
    /// What the format knows besides.
    pub dialect: D,
    /// Rows read, and rows there are about, which says how far reading has come.
    rows: (u64, u64),
    length: u64,
}

/// Reads a source as `importer`, in its dialect.
pub(in crate::importer) fn read<D: Dialect>(
    importer: &dyn Importer,
    source: &Source,
    sink: &mut RecordSink<'_>,
) -> Result<Receipt, ImportError> {
    let database = Database::open(source)?;
    let mut reader = DatabaseReader {
        draft: SqliteDraft::new(sink),
        hosts: HostSpans::default(),
        launches: LaunchIndex::default(),
        operations: SubmittedOperations::default(),
        unlaunched: 0,
        owner: 0,
        dialect: D::default(),
        rows: (0, 0),
        length: database.length(),
    };
    reader.draft.lanes.most = Some(MOST_LANES);
    reader.read_facts(&database)?;
    reader.draft.sink.push(Record::Run(Box::new(Run {
        name: source.name(),
        backend: importer.name().to_owned(),
        version: reader.dialect.version(),
        ..Run::default()
    })));
    let tables = D::tables(&database);
    reader.draft.zero = database.lowest(tables.iter().filter_map(|table| {
        let column = table.reader.time?;
        Some((table.query.table.as_str(), column))
    }))?;
    if let Some(clock) = reader.dialect.clock(reader.draft.zero) {
        reader.draft.sink.push(Record::Clock(Box::new(clock)));
    }
    D::begin(&mut reader, &tables);
    reader.read_tables(&database, &tables)?;
    D::conclude(&mut reader, &database);
    let is_known = |name: &str| {
        let is_read = tables.iter().any(|table| table.query.table == name);
        is_read || D::SILENT.iter().any(|silent| fits(silent, name))
    };
    database.tell_unread(&mut reader.draft.receipt, is_known);
    reader.tell_missing(&database);
    reader.tell_columns(&database);
    database.tell_behind(&mut reader.draft.receipt, reader.draft.sink);
    reader.tell_damage(&database);
    reader.draft.finish()
}

impl<D: Dialect> DatabaseReader<'_, '_, D> {
    /// Says that the pages of the file do not fit together, where nothing says so that could not be read.
    fn tell_damage(&mut self, database: &Database) {
        let draft = &mut self.draft;
        if draft.receipt.dropped > 0 {
            return;
        }
        let Some(why) = database.damage() else { return };
        let text = format!(
            "The database is damaged ({why}): tables or rows may be missing of which nothing is known. Export it anew."
        );
        draft
            .sink
            .complain(Severity::DataLoss, "database-damaged", text.clone());
        draft.receipt.note(text);
        draft.receipt.dropped += 1;
    }

    /// Says which tables are not there that are needed.
    fn tell_missing(&mut self, database: &Database) {
        let has = |name: &str| {
            let mut tables = database.tables().iter();
            tables.any(|it| D::is_called(&it.name, name))
        };
        for needed in D::NEEDED {
            if !has(needed.name) && needed.beside.is_none_or(has) {
                let text = format!("The file has no table {}: {}.", needed.name, needed.without);
                self.draft.receipt.note(text);
            }
        }
    }

    /// Says which columns are not there.
    fn tell_columns(&mut self, database: &Database) {
        for (name, columns) in D::COLUMNS {
            let tables = database.tables().iter();
            for table in tables.filter(|it| D::is_called(&it.name, name)) {
                let lacking = table.lacks(columns);
                if !lacking.is_empty() {
                    self.draft.without_columns(&table.name, &lacking);
                }
            }
        }
    }

    fn read_facts(&mut self, database: &Database) -> Result<(), ImportError> {
        let tables = TableQuery::all(D::FACTS, database);
        let queries: Vec<SelectQuery> = tables.iter().map(|table| table.query.clone()).collect();
        let faults = scan(database, &queries, &mut |at, block| {
            if let (Some(table), Some(block)) = (tables.get(at), block) {
                self.take(table, block);
            }
            Ok(())
        })?;
        self.draft.troubles.faults(faults);
        Ok(())
    }

    fn read_tables(
        &mut self,
        database: &Database,
        tables: &[TableQuery<D>],
    ) -> Result<(), ImportError> {
        let queries: Vec<SelectQuery> = tables.iter().map(|table| table.query.clone()).collect();
        self.rows.1 = queries.iter().map(|query| query.rows).sum();
        let mut host_over = false;
        let faults = scan(database, &queries, &mut |at, block| {
            let Some(table) = tables.get(at) else {
                return Ok(());
            };
            if !host_over && table.reader.follows_hosts {
                host_over = true;
                self.hand_over_hosts()?;
            }
            if let Some(block) = block {
                self.take(table, block);
                self.draft.receipt.events += block.len() as u64;
                self.rows.0 += block.len() as u64;
                self.draft.sink.advance(self.read_so_far())?;
            }
            Ok(())
        })?;
        if !host_over {
            self.hand_over_hosts()?;
        }
        self.draft.troubles.faults(faults);
        Ok(())
    }

    /// Takes some rows of a table.
    fn take(&mut self, table: &TableQuery<D>, block: &RowBlock) {
        self.owner = table.owner;
        for row in block.rows() {
            if (table.reader.take)(self, row).is_err() {
                self.draft.troubles.unplaced(&table.query.table, row.number);
            }
        }
        if D::TELLS_TYPES {
            self.draft
                .troubles
                .mended(&table.query.table, block.mended());
        }
    }

    fn hand_over_hosts(&mut self) -> Result<(), ImportError> {
        D::end_hosts(self);
        let read = self.read_so_far();
        self.hosts.hand_over(&mut self.draft, read)
    }

    /// About how many bytes have been read.
    fn read_so_far(&self) -> u64 {
        let (done, all) = (self.rows.0, self.rows.1.max(1));
        (u128::from(self.length) * u128::from(done.min(all)) / u128::from(all)) as u64
    }

    /// Takes an operation of a stream, which the call at a place submitted.
    pub fn submitted(&mut self, ran: SqliteSpan, work: WorkKind, call: Option<u32>) -> SpanId {
        let enqueued = call.and_then(|call| self.hosts.start(call));
        let lane = ran.lane;
        let span = self.draft.ran(SqliteSpan { enqueued, ..ran });
        self.draft.lanes.did(lane, work);
        match call {
            Some(call) => self
                .draft
                .depends(Dependency::submission(self.hosts.span(call), span)),
            None => self.unlaunched += 1,
        }
        span
    }
}

/// Whether a table's name is one of those that a dialect is silent about.
fn fits(silent: &str, name: &str) -> bool {
    match (silent.strip_prefix('*'), silent.strip_suffix('*')) {
        (Some(end), _) => name.ends_with(end),
        (_, Some(start)) => name.starts_with(start),
        _ => name == silent,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_silent_tables_may_be_open_at_one_end() {
        assert!(fits("ENUM_*", "ENUM_CUDA") && !fits("ENUM_*", "AN_ENUM_"));
        assert!(fits("*_NAME", "STREAM_NAME") && !fits("*_NAME", "_NAMES"));
        assert!(fits("Version", "Version") && !fits("Version", "Versions"));
    }
}

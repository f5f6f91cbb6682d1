//! Reads what Nsight Systems exports to SQLite: every stream, every host thread, and what waited for what.

mod api;
mod facts;
mod gpu;
mod host;
mod notes;
mod nvtx;
mod part;
mod sync;

use super::sqlite::{
    self, Database, Draft, Events, Hosts, Launches, Operations, Query, Row, Wait, scan,
};
use super::{Error, Importer, Receipt, Sink, Source};
use api::Calls;
use facts::Facts;
use gpu::Fields;
use notes::Tally;
use part::Part;
use record::{Record, Run};

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

    fn read(&self, source: &Source, sink: &mut Sink<'_>) -> Result<Receipt, Error> {
        let database = Database::open(source)?;
        let mut draft = Draft::new(sink);
        let facts = Facts::read(&database, &mut draft)?;
        draft.sink.push(Record::Run(Box::new(Run {
            name: source.name(),
            backend: self.name().to_owned(),
            version: facts.version.clone(),
            ..Run::default()
        })));
        facts.clock(&mut draft);
        let mut reading = Reading::new(draft, facts, &database);
        reading.read(&database)?;
        reading.finish(&database)
    }
}

/// What is known while the large tables are read.
struct Reading<'a, 's> {
    draft: Draft<'a, 's>,
    facts: Facts,
    calls: Calls,
    fields: Fields,
    hosts: Hosts,
    launches: Launches,
    operations: Operations,
    events: Events,
    waits: Vec<Wait>,
    /// Whether the file has no work of streams: what their records and waits say is all that is known of them.
    workless: bool,
    /// Calls that record an event, by process and number, with their place.
    recorders: Vec<(i64, i64, u32)>,
    tally: Tally,
    /// Rows read, and rows there are, which says how far reading has come.
    rows: (u64, u64),
    length: u64,
}

impl<'a, 's> Reading<'a, 's> {
    fn new(mut draft: Draft<'a, 's>, facts: Facts, database: &Database) -> Self {
        Self {
            fields: Fields::new(&mut draft),
            draft,
            facts,
            calls: Calls::default(),
            hosts: Hosts::default(),
            launches: Launches::default(),
            operations: Operations::default(),
            events: Events::default(),
            waits: Vec::new(),
            workless: !Part::has_work(database),
            recorders: Vec::new(),
            tally: Tally::default(),
            rows: (0, 0),
            length: database.length(),
        }
    }

    fn read(&mut self, database: &Database) -> Result<(), Error> {
        let parts = Part::of(database);
        let queries: Vec<Query> = parts.iter().map(|(_, query)| query.clone()).collect();
        self.rows.1 = queries.iter().map(|query| query.rows).sum::<u64>().max(1);
        let last_host = parts.iter().rposition(|(part, _)| part.is_host());
        let mut waiting = last_host.is_some();
        let faults = scan(database, &queries, &mut |at, block| {
            let Some((part, query)) = parts.get(at) else {
                return Ok(());
            };
            if waiting && last_host.is_none_or(|last| at > last) {
                waiting = false;
                self.host_over()?;
            }
            if let Some(block) = block {
                for row in block.rows() {
                    self.take(*part, &query.table, row);
                }
                self.draft.troubles.mended(&query.table, block.mended());
                self.draft.receipt.events += block.len() as u64;
                self.rows.0 += block.len() as u64;
                self.draft.sink.advance(self.read_so_far())?;
            }
            Ok(())
        })?;
        if waiting {
            self.host_over()?;
        }
        self.draft.troubles.faults(faults);
        Ok(())
    }

    fn take(&mut self, part: Part, table: &str, row: Row<'_>) {
        match part {
            Part::Api { cuda } => self.api(table, row, cuda),
            Part::Nvtx => self.nvtx(table, row),
            Part::Kernel => self.kernel(table, row),
            Part::Copy => self.copy(table, row),
            Part::Fill => self.fill(table, row),
            Part::Graph => self.graph(table, row),
            Part::Record => self.record(row),
            Part::Sync => self.sync(table, row),
        }
    }

    /// Every table of host threads has been read.
    fn host_over(&mut self) -> Result<(), Error> {
        let read = self.read_so_far();
        self.name_domains();
        self.hosts.hand_over(&mut self.draft, read)
    }

    /// About how many bytes have been read.
    fn read_so_far(&self) -> u64 {
        let (done, all) = self.rows;
        (u128::from(self.length) * u128::from(done.min(all)) / u128::from(all)) as u64
    }

    fn finish(mut self, database: &Database) -> Result<Receipt, Error> {
        let outcome = self.resolve();
        self.tell(&outcome, database);
        self.draft.finish()
    }
}

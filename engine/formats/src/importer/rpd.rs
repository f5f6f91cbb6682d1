//! Reads RPD, the database of rocmProfileData: calls of HIP, work of the GPU by queue, and what was measured meanwhile.

mod host;
mod monitor;
mod op;
mod part;

use std::collections::HashMap;

use super::sqlite::{self, Database, Draft, Handles, Hosts, Operations, Query, Row, Strings, scan};
use super::{Error, Importer, Receipt, Sink, Source};
use part::Part;
use record::time::Nanos;
use record::{Clock, CounterId, DeviceId, Record, Run};

/// The format of `runTracer.sh` and `rpdTracerControl`.
pub struct Rpd;

impl Importer for Rpd {
    fn name(&self) -> &'static str {
        "rpd"
    }

    fn extensions(&self) -> &'static [&'static str] {
        &["rpd"]
    }

    fn about(&self) -> &'static str {
        "written by rocmProfileData"
    }

    fn recognises(&self, head: &[u8]) -> bool {
        sqlite::recognises(head, self.tables())
    }

    fn tables(&self) -> &'static [&'static str] {
        &["rocpd_api", "rocpd_op"]
    }

    fn read(&self, source: &Source, sink: &mut Sink<'_>) -> Result<Receipt, Error> {
        let database = Database::open(source)?;
        let mut draft = Draft::new(sink);
        draft.sink.push(Record::Run(Box::new(Run {
            name: source.name(),
            backend: self.name().to_owned(),
            ..Run::default()
        })));
        let parts = Part::of(&database);
        draft.zero = database.lowest(parts.iter().filter_map(Part::timed))?;
        draft.sink.push(Record::Clock(Box::new(Clock {
            device: DeviceId::NONE,
            name: "CLOCK_MONOTONIC".to_owned(),
            offset: Nanos(draft.zero),
            ..Clock::default()
        })));
        let mut reading = Reading {
            draft,
            strings: Strings::default(),
            longer: Strings::default(),
            hosts: Hosts::default(),
            calls: HashMap::new(),
            launched: HashMap::new(),
            operations: Operations::default(),
            handles: Handles::default(),
            counters: HashMap::new(),
            unlaunched: 0,
        };
        reading.read(&database, &parts)?;
        reading.finish(&database)
    }
}

/// A call by its place, and whose it is.
#[derive(Clone, Copy, Debug)]
struct Call {
    place: u32,
    process: i64,
}

/// What is known while the tables are read.
struct Reading<'a, 's> {
    draft: Draft<'a, 's>,
    strings: Strings,
    /// Texts that are mostly used once, such as what calls were given.
    longer: Strings,
    hosts: Hosts,
    /// By the file's number of the call.
    calls: HashMap<i64, Call>,
    /// The call that launched each operation, by the file's numbers.
    launched: HashMap<i64, i64>,
    operations: Operations,
    handles: Handles,
    counters: HashMap<String, CounterId>,
    unlaunched: u64,
}

impl Reading<'_, '_> {
    fn read(&mut self, database: &Database, parts: &[Part]) -> Result<(), Error> {
        let queries: Vec<Query> = parts.iter().map(|part| part.query.clone()).collect();
        let all = queries.iter().map(|query| query.rows).sum::<u64>().max(1);
        let mut host_over = false;
        let faults = scan(database, &queries, &mut |at, block| {
            let Some(part) = parts.get(at) else {
                return Ok(());
            };
            let done = self.draft.receipt.events.min(all);
            let read = (u128::from(database.length()) * u128::from(done) / u128::from(all)) as u64;
            if !host_over && part.kind.follows_hosts() {
                host_over = true;
                self.hosts.hand_over(&mut self.draft, read)?;
            }
            if let Some(block) = block {
                for row in block.rows() {
                    self.take(part, row);
                }
                self.draft
                    .troubles
                    .mended(&part.query.table, block.mended());
                self.draft.receipt.events += block.len() as u64;
                self.draft.sink.advance(read)?;
            }
            Ok(())
        })?;
        if !host_over {
            self.hosts.hand_over(&mut self.draft, database.length())?;
        }
        self.draft.troubles.faults(faults);
        Ok(())
    }

    fn take(&mut self, part: &Part, row: Row<'_>) {
        use part::Kind;
        match part.kind {
            Kind::Text => self.strings.take(row),
            Kind::LongText => self.longer.take(row),
            Kind::Call => self.call(part, row),
            Kind::KernelCall => self.kernel_call(row),
            Kind::CopyCall => self.copy_call(row),
            Kind::Launch => drop(self.launched.insert(row.or_zero(1), row.or_zero(0))),
            Kind::Operation => self.operation(part, row),
            Kind::Monitor => self.monitor(part, row),
        }
    }

    fn finish(mut self, database: &Database) -> Result<Receipt, Error> {
        self.operations.sort();
        let handles = std::mem::take(&mut self.handles);
        let outcome = handles.resolve(&self.hosts, &self.operations, &mut self.draft);
        let unlaunched = "{operation of the GPU has|operations of the GPU have} no call in the file that launched {it|them}";
        (self.draft.receipt).note_counts([(self.unlaunched, unlaunched)]);
        if outcome.waits == 0 {
            self.draft.receipt.note(
                "The file does not say which stream waited for which event; arrows between streams cannot be known.",
            );
        }
        outcome.tell(&mut self.draft.receipt);
        database.tell_unread(&mut self.draft.receipt, part::is_read);
        self.draft.finish()
    }
}

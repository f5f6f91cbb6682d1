//! Reads the databases of rocprofv3 and rocprof-sys: calls of HIP, work of the GPU by stream, and counters.
//!
//! Every table comes once for each process that was profiled, under a name with that process's own number. The views
//! that put them together are programs, so it is the tables that are read.

mod counters;
mod facts;
mod gpu;
mod host;
mod part;

use std::collections::HashMap;

use super::sqlite::{
    self, Database, Draft, Handles, Hosts, Launches, Operations, Query, Row, scan,
};
use super::{Error, Importer, Receipt, Sink, Source};
use counters::Counters;
use facts::{Facts, Own};
use part::Part;
use record::time::Nanos;
use record::{Clock, DeviceId, Record, Run, SpanId};

/// The format of rocprofv3 with `--output-format rocpd`.
pub struct Rocpd;

impl Importer for Rocpd {
    fn name(&self) -> &'static str {
        "rocpd"
    }

    fn extensions(&self) -> &'static [&'static str] {
        &["db"]
    }

    fn about(&self) -> &'static str {
        "written by rocprofv3 and rocprof-sys"
    }

    fn recognises(&self, head: &[u8]) -> bool {
        sqlite::recognises(head, self.tables())
    }

    fn tables(&self) -> &'static [&'static str] {
        &["rocpd_kernel_dispatch", "rocpd_region"]
    }

    fn read(&self, source: &Source, sink: &mut Sink<'_>) -> Result<Receipt, Error> {
        let database = Database::open(source)?;
        let mut draft = Draft::new(sink);
        let parts = Part::of(&database);
        draft.sink.push(Record::Run(Box::new(Run {
            name: source.name(),
            backend: self.name().to_owned(),
            ..Run::default()
        })));
        draft.zero = database.lowest(parts.iter().filter_map(|it| it.timed()))?;
        draft.sink.push(Record::Clock(Box::new(Clock {
            device: DeviceId::NONE,
            name: "CLOCK_BOOTTIME".to_owned(),
            offset: Nanos(draft.zero),
            ..Clock::default()
        })));
        let mut reading = Reading {
            length: database.length(),
            draft,
            facts: Facts::default(),
            hosts: Hosts::default(),
            launches: Launches::default(),
            operations: Operations::default(),
            handles: Handles::default(),
            counters: Counters::default(),
            calls: HashMap::new(),
            agents: HashMap::new(),
            dispatched: HashMap::new(),
            unlaunched: 0,
            strays: 0,
            rows: (0, 0),
        };
        reading.read(&database, &parts)?;
        reading.finish(&database, &parts)
    }
}

/// Beginnings of names of tables that hold nothing that a timeline shows.
const TOLD: &[&str] = &["rocpd_info_", "rocpd_metadata", "rocpd_track"];

/// What is known while the tables are read.
struct Reading<'a, 's> {
    draft: Draft<'a, 's>,
    facts: Facts,
    hosts: Hosts,
    /// Calls by the number of their call stack, which the work that they launched has too.
    launches: Launches,
    operations: Operations,
    handles: Handles,
    counters: Counters,
    /// Places of calls by their event.
    calls: HashMap<Own, u32>,
    /// The agents that streams run kernels on.
    agents: HashMap<Own, i64>,
    /// Kernels by their event.
    dispatched: HashMap<Own, SpanId>,
    unlaunched: u64,
    /// Rows that refer to nothing in the file.
    strays: u64,
    rows: (u64, u64),
    length: u64,
}

impl Reading<'_, '_> {
    fn read(&mut self, database: &Database, parts: &[Part]) -> Result<(), Error> {
        let queries: Vec<Query> = parts.iter().map(|part| part.query.clone()).collect();
        self.rows.1 = queries.iter().map(|query| query.rows).sum::<u64>().max(1);
        let mut host_over = false;
        let faults = scan(database, &queries, &mut |at, block| {
            let Some(part) = parts.get(at) else {
                return Ok(());
            };
            if !host_over && part.kind.follows_hosts() {
                host_over = true;
                let read = self.read_so_far();
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
                self.rows.0 += block.len() as u64;
                self.draft.sink.advance(self.read_so_far())?;
            }
            Ok(())
        })?;
        if !host_over {
            let read = self.read_so_far();
            self.hosts.hand_over(&mut self.draft, read)?;
        }
        self.draft.troubles.faults(faults);
        Ok(())
    }

    fn read_so_far(&self) -> u64 {
        let (done, all) = self.rows;
        (u128::from(self.length) * u128::from(done.min(all)) / u128::from(all)) as u64
    }

    fn take(&mut self, part: &Part, row: Row<'_>) {
        use part::Kind;
        match part.kind {
            Kind::Region => self.region(part, row),
            Kind::Argument => self.call_argument(part, row),
            Kind::Dispatch => self.dispatch(part, row),
            Kind::Copy => self.copy(part, row),
            Kind::Allocation => self.allocation(part, row),
            Kind::Sample => self.counters.sample(part.owner, row),
            Kind::Count => self.count(part, row),
            fact => self.facts.take(fact, part.owner, row),
        }
    }

    fn finish(mut self, database: &Database, parts: &[Part]) -> Result<Receipt, Error> {
        self.operations.sort();
        let handles = std::mem::take(&mut self.handles);
        let outcome = handles.resolve(&self.hosts, &self.operations, &mut self.draft);
        let unlaunched = "{operation of the GPU has|operations of the GPU have} no call in the file that launched {it|them}";
        (self.draft.receipt).note_counts([(self.unlaunched, unlaunched)]);
        if outcome.waits == 0 {
            self.draft.receipt.note(
                "The file has no waits of streams for events; arrows between streams cannot be known. Profile with \
                 --hip-trace to have the calls that make them.",
            );
        }
        let strays =
            "{value or field belongs|values and fields belong} to an event that is not in the file";
        (self.draft.receipt).note_counts([(self.strays, strays)]);
        outcome.tell(&mut self.draft.receipt);
        let told = |name: &str| TOLD.iter().any(|told| name.starts_with(told));
        let read = |name: &str| parts.iter().any(|part| part.query.table == name);
        database.tell_unread(&mut self.draft.receipt, |name| told(name) || read(name));
        self.draft.finish()
    }
}

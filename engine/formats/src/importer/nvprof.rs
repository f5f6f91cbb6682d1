//! Reads the databases of nvprof and of the Visual Profiler: calls of CUDA, streams, and what waited for what.

mod api;
mod gpu;
mod host;
mod part;
mod sync;

use std::collections::HashMap;

use super::sqlite::{
    self, Database, Draft, Events, Hosts, Launches, Operations, Query, Row, Strings, Wait, resolve,
    scan,
};
use super::{Error, Importer, Receipt, Sink, Source};
use crate::activity::readable;
use part::Part;
use record::time::Nanos;
use record::{Clock, Record, Run};

/// The format of `nvprof -o`, and of `.nvvp` files.
pub struct Nvprof;

impl Importer for Nvprof {
    fn name(&self) -> &'static str {
        "nvprof"
    }

    fn extensions(&self) -> &'static [&'static str] {
        &["prof", "nvvp", "nvprof"]
    }

    fn about(&self) -> &'static str {
        "written by nvprof or the Visual Profiler"
    }

    fn recognises(&self, head: &[u8]) -> bool {
        sqlite::recognises(head, self.tables())
    }

    fn tables(&self) -> &'static [&'static str] {
        &["StringTable"]
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
        draft
            .sink
            .push(Record::Clock(Box::new(Clock::unix(Nanos(draft.zero)))));
        let mut reading = Reading {
            draft,
            strings: Strings::default(),
            hosts: Hosts::default(),
            launches: Launches::default(),
            operations: Operations::default(),
            events: Events::default(),
            waits: Vec::new(),
            devices: HashMap::new(),
            marks: HashMap::new(),
            unlaunched: 0,
            uncalled: 0,
        };
        reading.read(&database, &parts)?;
        reading.finish(&database)
    }
}

/// What is known while the tables are read. A file is of one process.
struct Reading<'a, 's> {
    draft: Draft<'a, 's>,
    strings: Strings,
    hosts: Hosts,
    launches: Launches,
    operations: Operations,
    events: Events,
    waits: Vec<Wait>,
    /// Names of devices by number.
    devices: HashMap<i64, String>,
    /// Ranges of the program itself that have begun, by number.
    marks: HashMap<i64, host::Mark>,
    unlaunched: u64,
    uncalled: u64,
}

/// The one process of a file.
const PROCESS: i64 = 0;

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
                self.host_over(read)?;
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
            self.host_over(database.length())?;
        }
        self.draft.troubles.faults(faults);
        Ok(())
    }

    fn host_over(&mut self, read: u64) -> Result<(), Error> {
        self.close_marks();
        self.hosts.hand_over(&mut self.draft, read)
    }

    fn take(&mut self, part: &Part, row: Row<'_>) {
        use part::Kind;
        match part.kind {
            Kind::Text => {
                // Kernels are called as the linker calls them.
                if let (Some(id), Some(text)) = (row.integer(0), row.text(1)) {
                    self.strings.add(id, &readable(text));
                }
            }
            Kind::Device => self.device(row),
            Kind::Runtime => self.call(part, row, true),
            Kind::Driver => self.call(part, row, false),
            Kind::Mark => self.mark(row),
            Kind::Kernel => self.kernel(part, row),
            Kind::Copy => self.copy(part, row),
            Kind::Fill => self.fill(part, row),
            Kind::Record => self.record(row),
            Kind::Sync => self.sync(part, row),
        }
    }

    fn finish(mut self, database: &Database) -> Result<Receipt, Error> {
        self.operations.sort();
        self.events.sort();
        let outcome = resolve(
            &mut self.waits,
            &self.events,
            &self.operations,
            &mut self.draft,
        );
        let said = [
            (
                self.unlaunched,
                "{operation of the GPU has|operations of the GPU have} no call in the file that launched {it|them}",
            ),
            (
                self.uncalled,
                "{wait has no call in the file; it is on a lane of its|waits have no call in the file; they are on a lane of their} own",
            ),
        ];
        self.draft.receipt.note_counts(said);
        if outcome.waits == 0 {
            self.draft.receipt.note(
                "The file has no waits of streams for events; arrows between streams cannot be known.",
            );
        }
        outcome.tell(&mut self.draft.receipt);
        database.tell_unread(&mut self.draft.receipt, part::is_read);
        self.draft.finish()
    }
}

//! Reads the databases of Ascend's profilers: calls of PyTorch and CANN, tasks of the NPU by stream, and waits.

mod counter;
mod flow;
mod host;
mod part;
mod task;
mod wait;

use std::collections::HashMap;

use super::sqlite::{
    self, Database, Draft, Hosts, Launches, Operations, Query, Row, Strings, scan,
};
use super::{Error, Importer, Receipt, Sink, Source};
use flow::Flows;
use part::Part;
use record::time::Nanos;
use record::{Clock, CounterId, LaneId, Record, Run, SpanId};
use task::Detail;
use wait::{Reached, Syncs};

/// The format of `ascend_pytorch_profiler_N.db` and `msprof_N.db`.
pub struct Ascend;

impl Importer for Ascend {
    fn name(&self) -> &'static str {
        "ascend"
    }

    fn extensions(&self) -> &'static [&'static str] {
        &["db"]
    }

    fn about(&self) -> &'static str {
        "written by torch_npu and msprof with the type db"
    }

    fn recognises(&self, head: &[u8]) -> bool {
        sqlite::recognises(head, self.tables())
    }

    fn tables(&self) -> &'static [&'static str] {
        &["STRING_IDS", "CANN_API"]
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
            devices: HashMap::new(),
            ranks: HashMap::new(),
            hosts: Hosts::default(),
            launches: Launches::default(),
            flows: Flows::default(),
            details: HashMap::new(),
            operations: Operations::default(),
            records: Vec::new(),
            waits: Vec::new(),
            syncs: Syncs::default(),
            counters: HashMap::new(),
            unlaunched: 0,
            notifies: 0,
        };
        reading.read(&database, &parts)?;
        reading.finish(&database)
    }
}

/// What is known while the tables are read.
struct Reading<'a, 's> {
    draft: Draft<'a, 's>,
    strings: Strings,
    /// Names of devices by number.
    devices: HashMap<i64, String>,
    /// Ranks by device.
    ranks: HashMap<i64, i64>,
    hosts: Hosts,
    /// Calls of CANN by the number that ties them to what they launched.
    launches: Launches,
    flows: Flows,
    /// What is known of tasks besides their times, by number.
    details: HashMap<i64, Detail>,
    operations: Operations,
    records: Vec<Reached>,
    waits: Vec<Reached>,
    syncs: Syncs,
    counters: HashMap<String, CounterId>,
    unlaunched: u64,
    notifies: u64,
}

/// All calls and tasks of a file share one range of numbers.
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
                self.hosts.hand_over(&mut self.draft, read)?;
            }
            if let Some(block) = block {
                for row in block.rows() {
                    self.take(part, row);
                }
                // Times of PyTorch's calls are written as text by design.
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
            Kind::Device => drop(
                self.devices
                    .insert(row.or_zero(0), row.text(1).unwrap_or_default().to_owned()),
            ),
            Kind::Rank => drop(self.ranks.insert(row.or_zero(1), row.or_zero(0))),
            Kind::Connection => self.flows.connect(row.or_zero(0), row.or_zero(1)),
            Kind::Cann => self.cann(part, row),
            Kind::Python => self.python(part, row),
            Kind::Range => self.range(part, row),
            Kind::Step => self.step(part, row),
            Kind::Compute => self.compute_detail(row),
            Kind::Communication => self.communication_detail(row),
            Kind::Task => self.task(part, row),
            Kind::Exchange => self.exchange(part, row),
            Kind::Counter(series) => self.sample(part, series, row),
        }
    }

    fn finish(mut self, database: &Database) -> Result<Receipt, Error> {
        self.operations.sort();
        self.tie_waits();
        let flows = std::mem::take(&mut self.flows);
        flows.tie(&self.hosts, &mut self.draft);
        let said = [
            (
                self.unlaunched,
                "{task of the NPU has|tasks of the NPU have} no call in the file that launched {it|them}",
            ),
            (
                self.notifies,
                "{wait for a notification is|waits for notifications are} of other ranks, whose files hold what was \
                 waited for; nothing in them says which notification it was",
            ),
        ];
        self.draft.receipt.note_counts(said);
        database.tell_unread(&mut self.draft.receipt, part::is_read);
        self.draft.finish()
    }

    /// The span of a call, by its place.
    fn span(&self, place: u32) -> SpanId {
        self.hosts.span(place)
    }

    /// The lane of a call, by its place.
    fn lane(&self, place: u32) -> LaneId {
        self.hosts.lane(place).unwrap_or(LaneId::NONE)
    }
}

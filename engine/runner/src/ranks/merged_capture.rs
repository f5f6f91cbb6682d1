//! What ranks report, as one capture: numbered, on one clock, tied, and written to its file.

use std::collections::BTreeMap;

use crate::RunRequest;
use crate::far::{GONE, unix_now};
use crate::outbox::Outbox;
use crate::save::SaveFile;
use formats::merge::{
    ExchangeDependency, Exchanges, FileNumbers, IncompleteExchange, Renumbering, UnalignedRecords,
    align,
};
use record::time::{Interval, Nanos};
use record::{
    Clock, Device, DeviceId, EventId, Log, Loss, LossKind, Problem, Record, Recovery, Run, RunEnd,
    RunOutcome, Severity, SpanId, Value,
};
use workload::Placement;

/// What ranks report, as one capture.
pub struct MergedRanks {
    /// Records that the ranks' recorders did not deliver.
    pub lost: u64,
    name: String,
    source: String,
    count: usize,
    map: String,
    zero: Nanos,
    numbers: Renumbering,
    ranks: Vec<(FileNumbers, UnalignedRecords)>,
    exchanges: Exchanges,
    extent: Option<Interval>,
    save: Option<SaveFile>,
    records: u64,
    has_run: bool,
    /// Devices that are lost, with the generation and the time of that.
    fallen: Vec<(DeviceId, u32, Nanos)>,
    /// How many generations a device had in processes before the one that has it now.
    before: BTreeMap<DeviceId, u32>,
    /// How often the ranks have begun, this time included.
    attempt: u32,
    expectations: Vec<Record>,
}

impl MergedRanks {
    /// Of the ranks of `placement`.
    ///
    /// # Errors
    /// The file that is wanted cannot be written.
    pub fn new(
        request: &RunRequest,
        placement: &Placement,
        outbox: &Outbox,
    ) -> Result<Self, String> {
        outbox.flush();
        let save = SaveFile::of_request(request.save.as_deref())?;
        let count = placement.ranks.len();
        Ok(Self {
            lost: 0,
            name: request.name.clone(),
            source: request.source.clone(),
            count,
            map: placement.map(),
            zero: Nanos::ZERO,
            numbers: Renumbering::default(),
            ranks: (0..count)
                .map(|rank| {
                    (
                        FileNumbers::live(&format!("rank {rank}"), rank),
                        UnalignedRecords::new(false),
                    )
                })
                .collect(),
            exchanges: Exchanges::default(),
            extent: None,
            save,
            records: 0,
            has_run: false,
            fallen: Vec::new(),
            before: BTreeMap::new(),
            attempt: 1,
            expectations: Vec::new(),
        })
    }

    /// The instant of time zero, since 1970.
    pub const fn zero(&self) -> Nanos {
        self.zero
    }

    /// The ranks run from now on, which is time zero.
    pub fn begin(&mut self, zero: Nanos, outbox: &Outbox) {
        self.zero = zero;
        // One each, in the order of the ranks, whichever says something first.
        for (own, _) in &mut self.ranks {
            self.numbers.turn(own);
            self.numbers.reserve(1);
            self.numbers.turn(own);
        }
        let clock = Record::Clock(Box::new(Clock::unix(zero)));
        let words = format!("{} ranks: {}", self.count, self.map);
        self.post(vec![clock], outbox);
        self.log(Nanos::ZERO, Severity::Info, words, outbox);
    }

    /// Takes what a rank reported.
    pub fn take(&mut self, rank: usize, records: Vec<Record>, outbox: &Outbox) {
        let Some((_, waiting)) = self.ranks.get_mut(rank) else {
            return;
        };
        let near = Interval::new(Nanos::ZERO, Nanos::ZERO);
        let extent = Some(self.extent.unwrap_or(near));
        let records = waiting.take(records, Some(self.zero), extent);
        self.lift(rank, records, outbox);
    }

    /// Nothing more comes from a rank.
    pub fn over(&mut self, rank: usize, outbox: &Outbox) {
        if let Some((_, waiting)) = self.ranks.get_mut(rank) {
            let records = waiting.finish();
            self.lift(rank, records, outbox);
        }
    }

    fn lift(&mut self, rank: usize, records: Vec<Record>, outbox: &Outbox) {
        let Some((own, waiting)) = self.ranks.get_mut(rank) else {
            return;
        };
        let shift = waiting.shift();
        let mut out = Vec::with_capacity(records.len());
        let mut ties = Vec::new();
        self.numbers.turn(own);
        for record in records {
            if let Record::Run(run) = &record
                && !std::mem::replace(&mut self.has_run, true)
            {
                out.push(whole(run, &self.name, &self.source));
            }
            let Some(mut record) = self.numbers.lift(of_device(record), &mut out) else {
                continue;
            };
            align::shift(&mut record, shift);
            count_generations(&self.before, &mut record);
            if let Record::Clock(clock) = &mut record {
                clock.name = format!("{} of rank {rank}", clock.name);
            }
            self.extent = match (self.extent, align::reach(&record)) {
                (Some(known), Some(more)) => Some(known.union(more)),
                (known, more) => known.or(more),
            };
            if let Record::Loss(loss) = &record
                && loss.device.is_some()
                && loss.kind != LossKind::Link
            {
                self.fallen.push((loss.device, loss.generation, loss.time));
            }
            ties.extend(self.exchanges.see(&record, rank));
            // What is expected is judged by how it ends, which may be in another process.
            if let Record::Expectation(expectation) = &mut record {
                // Each process knows of its own attempt alone.
                if self.attempt > 1 && expectation.holds.is_some() {
                    let found = format!("{} (attempt {})", expectation.found, self.attempt);
                    expectation.found = found;
                }
                self.expectations.push(record);
            } else {
                out.push(record);
            }
        }
        if let Some((own, _)) = self.ranks.get_mut(rank) {
            self.numbers.turn(own);
        }
        for tie in ties {
            self.report_dependency(&tie, &mut out);
        }
        self.mark_death(rank, &mut out);
        self.post(out, outbox);
    }

    /// A rank that died before it said anything of its device has its fault line nevertheless.
    fn mark_death(&mut self, rank: usize, out: &mut Vec<Record>) {
        let device = DeviceId(rank as u32);
        let Some(reason) = silent_death(out) else {
            return;
        };
        let time = unix_now() - self.zero;
        let kind = LossKind::Process;
        let generation = self.before.get(&device).map_or(1, |before| before + 1);
        self.fallen.push((device, generation, time));
        out.push(Record::Device(Box::new(Device {
            id: device,
            name: format!("rank {rank}"),
            backend: String::new(),
            detail: String::new(),
            rank: None,
            paced: None,
        })));
        out.push(Record::Loss(Box::new(Loss {
            device,
            time,
            reason,
            kind,
            generation,
        })));
    }

    /// Ties a part of a collective operation to the one that it waited for, and says how long it did.
    fn report_dependency(&mut self, tie: &ExchangeDependency, out: &mut Vec<Record>) {
        let effect = tie.dependency.effect;
        out.push(Record::Dependency(tie.dependency));
        let who = Value::Text(format!("rank {}", tie.rank).into());
        let waited = Value::Integer(tie.waited.0);
        for (name, value) in [("waited for", who), ("waited, ns", waited)] {
            let (name, news) = self.numbers.shared_name(name);
            out.extend(news);
            out.push(Record::Argument(effect, name, value));
        }
    }

    /// The operations that not all ranks came to.
    pub fn missing(&mut self) -> Vec<IncompleteExchange> {
        self.exchanges.missing()
    }

    /// The ranks begin again, in new processes.
    pub fn again(&mut self) {
        self.attempt += 1;
        self.expectations.clear();
        for (own, waiting) in &mut self.ranks {
            own.again();
            *waiting = UnalignedRecords::new(false);
        }
    }

    /// Devices that were lost are there again.
    pub fn recovered(&mut self, now: Nanos, outbox: &Outbox) {
        let fallen = std::mem::take(&mut self.fallen);
        // Each new process counts from 1.
        let generations = fallen
            .iter()
            .map(|&(device, generation, _)| (device, generation));
        self.before.extend(generations);
        let fallen = fallen.into_iter();
        let records = fallen.map(|(device, generation, lost)| {
            Record::Recovery(Box::new(Recovery {
                device,
                generation: generation.saturating_add(1),
                lost,
                time: now,
            }))
        });
        let records = records.collect();
        self.post(records, outbox);
    }

    /// Writes a line into the log.
    pub fn log(&mut self, time: Nanos, severity: Severity, text: String, outbox: &Outbox) {
        let log = Log {
            time,
            severity,
            text,
        };
        self.post(vec![Record::Log(Box::new(log))], outbox);
    }

    /// Reports a problem.
    pub fn problem(
        &mut self,
        severity: Severity,
        code: &str,
        text: String,
        span: SpanId,
        outbox: &Outbox,
    ) {
        let problem = Problem {
            severity,
            code: code.to_owned(),
            text,
            span,
            event: EventId::NONE,
        };
        self.post(vec![Record::Problem(Box::new(problem))], outbox);
    }

    /// Ends the run.
    pub fn end(&mut self, outcome: RunOutcome, outbox: &Outbox) {
        let expectations = std::mem::take(&mut self.expectations);
        self.post(expectations, outbox);
        let records = self.records + 1;
        let end = RunEnd {
            time: self.extent.map_or(Nanos::ZERO, |it| it.end),
            outcome,
            records,
        };
        self.post(vec![Record::End(Box::new(end))], outbox);
        let finished = self.save.as_mut().map_or(Ok(()), SaveFile::finish);
        self.check(finished, outbox);
        self.save = None;
    }

    /// Makes what was written survive this process.
    pub fn flush(&mut self, outbox: &Outbox) {
        let flushed = self.save.as_mut().map_or(Ok(()), SaveFile::flush);
        self.check(flushed, outbox);
    }

    fn post(&mut self, records: Vec<Record>, outbox: &Outbox) {
        self.records += records.len() as u64;
        let written = self
            .save
            .as_mut()
            .map_or(Ok(()), |save| save.write(&records));
        outbox.post_records(records);
        self.check(written, outbox);
    }

    fn check(&mut self, written: std::io::Result<()>, outbox: &Outbox) {
        if let Err(error) = written
            && let Some(save) = self.save.take()
        {
            outbox.post_records(vec![save.failed(&error)]);
        }
    }
}

/// Why a rank died, where nothing says so of its device.
fn silent_death(records: &[Record]) -> Option<String> {
    let is_told = |it: &Record| matches!(it, Record::Loss(it) if it.kind == LossKind::Process);
    if records.iter().any(is_told) {
        return None;
    }
    records.iter().find_map(|record| match record {
        Record::Problem(problem) if problem.code == GONE => Some(problem.text.clone()),
        _ => None,
    })
}

/// Goes on from the generations that a device had `before`, since each process counts its own from 1.
fn count_generations(before: &BTreeMap<DeviceId, u32>, record: &mut Record) {
    let (device, generation) = match record {
        Record::Loss(it) => (it.device, &mut it.generation),
        Record::Recovery(it) => (it.device, &mut it.generation),
        Record::Pipeline(it) => (it.device, &mut it.generation),
        Record::Promise(it) => (it.device, &mut it.generation),
        _ => return,
    };
    let earlier = before.get(&device).copied().unwrap_or(0);
    *generation = generation.saturating_add(earlier);
}

/// A rank's clock of no device is that of its only one.
fn of_device(mut record: Record) -> Record {
    if let Record::Clock(clock) = &mut record
        && !clock.device.is_some()
    {
        clock.device = DeviceId(0);
    }
    record
}

/// What the ranks run together, given what one of them says that it runs.
fn whole(run: &Run, name: &str, source: &str) -> Record {
    let parameters = run.parameters.iter().filter(|(name, _)| name != "rank");
    Record::Run(Box::new(Run {
        name: name.to_owned(),
        source: source.to_owned(),
        parameters: parameters.cloned().collect(),
        ..run.clone()
    }))
}

//! Numbers of records: each file or rank counts from 0, and in the capture of several each has numbers of its own.

use std::collections::HashMap;

use record::{
    CallId, CounterId, Device, DeviceId, EventId, FindingId, Group, Lane, LaneId, LaneOrigin,
    LaunchId, NameId, PipelineId, PromiseId, Record, SpanId,
};

/// Room for the order of lanes within a file.
const ORDERS: i32 = 1 << 21;

/// The first free number of each sort.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NumberCounts {
    /// Lanes.
    pub lanes: u32,
    /// Counters.
    pub counters: u32,
    /// Devices.
    pub devices: u32,
    spans: u32,
    events: u32,
    calls: u32,
    pipelines: u32,
    promises: u32,
    launches: u32,
    findings: u32,
}

/// Gives records of one file after the other, or of several ranks at a time, numbers of their own. Equal names are one.
#[derive(Debug, Default)]
pub struct Renumbering {
    base: NumberCounts,
    next: NumberCounts,
    texts: HashMap<Box<str>, NameId>,
    last_name: u32,
    own: FileNumbers,
}

/// What is known of one file or rank.
#[derive(Debug, Default)]
pub struct FileNumbers {
    /// Its names.
    names: Vec<NameId>,
    label: String,
    place: i32,
    /// Its rank, where its files or records do not say another.
    rank: Option<u32>,
    /// The rank and the number of each lane, as far as they were told.
    origins: HashMap<LaneId, (Option<u32>, Option<i64>)>,
    /// The device of lanes that belong to none, so that those of one file stand together.
    stand_in: Option<DeviceId>,
    /// Its numbers, where those of others come in between; without, they follow the base.
    tables: Option<Box<NumberTables>>,
}

/// The numbers that were given out, by the number that the rank itself has for them.
#[derive(Debug, Default)]
struct NumberTables {
    lanes: Vec<u32>,
    counters: Vec<u32>,
    devices: Vec<u32>,
    spans: Vec<u32>,
    events: Vec<u32>,
    calls: Vec<u32>,
    pipelines: Vec<u32>,
    promises: Vec<u32>,
    launches: Vec<u32>,
    findings: Vec<u32>,
}

impl FileNumbers {
    /// Of a rank whose records come between those of others, at this place among all.
    pub fn live(label: &str, place: usize) -> Self {
        Self {
            label: label.to_owned(),
            place: i32::try_from(place).unwrap_or(i32::MAX),
            rank: u32::try_from(place).ok(),
            tables: Some(Box::default()),
            ..Self::default()
        }
    }

    /// It begins again in another process: lanes, devices and calls are the same, and all else is new.
    pub fn again(&mut self) {
        self.names.clear();
        if let Some(tables) = &mut self.tables {
            **tables = NumberTables {
                lanes: std::mem::take(&mut tables.lanes),
                counters: std::mem::take(&mut tables.counters),
                devices: std::mem::take(&mut tables.devices),
                events: std::mem::take(&mut tables.events),
                calls: std::mem::take(&mut tables.calls),
                ..NumberTables::default()
            };
        }
    }
}

/// The number given out for `id`, or the next free one.
fn number_of(table: &mut Vec<u32>, id: u32, next: &mut u32) -> Option<u32> {
    let place = id as usize;
    // What names a number that is far away is damaged, and no reason to fill the memory.
    if place > table.len() + (1 << 20) {
        return None;
    }
    if table.len() <= place {
        table.resize(place + 1, u32::MAX);
    }
    let slot = table.get_mut(place)?;
    if *slot == u32::MAX {
        *slot = *next;
        *next = next.saturating_add(1);
    }
    Some(*slot)
}

macro_rules! lifts {
    ($($method:ident $id:ident $counts:ident;)*) => {$(
        fn $method(&mut self, id: $id) -> $id {
            if !id.is_some() {
                return id;
            }
            if let Some(tables) = &mut self.own.tables {
                let given = number_of(&mut tables.$counts, id.0, &mut self.next.$counts);
                return given.map_or($id::NONE, $id);
            }
            let lifted = id.0.saturating_add(self.base.$counts);
            self.next.$counts = self.next.$counts.max(lifted.saturating_add(1));
            $id(lifted)
        }
    )*};
}

impl Renumbering {
    lifts! {
        lane LaneId lanes;
        counter CounterId counters;
        device DeviceId devices;
        span SpanId spans;
        event EventId events;
        call CallId calls;
        pipeline PipelineId pipelines;
        promise PromiseId promises;
        launch LaunchId launches;
        finding FindingId findings;
    }

    /// The next file begins, at this place among all, and of this rank where that is known. Answers with the first numbers that are its own.
    pub fn begin(&mut self, label: &str, place: usize, rank: Option<u32>) -> NumberCounts {
        self.base = self.next;
        let live = FileNumbers::live(label, place);
        self.own = FileNumbers {
            tables: None,
            rank: rank.or(live.rank),
            ..live
        };
        self.base
    }

    /// The first numbers that no file has yet.
    pub fn next(&self) -> NumberCounts {
        self.next
    }

    /// The records of another rank come now: what is known of it changes places with what is known here.
    pub fn turn(&mut self, own: &mut FileNumbers) {
        std::mem::swap(&mut self.own, own);
    }

    /// So many devices have the next numbers, before anything is said of them.
    pub fn reserve(&mut self, devices: u32) {
        for id in 0..devices {
            self.device(DeviceId(id));
        }
    }

    /// The name of a text of nobody's own; and the record that says so, where it is new.
    pub fn shared_name(&mut self, text: &str) -> (NameId, Option<Record>) {
        if let Some(&known) = self.texts.get(text) {
            return (known, None);
        }
        let fresh = NameId(self.last_name);
        self.last_name += 1;
        self.texts.insert(text.into(), fresh);
        (fresh, Some(Record::Name(fresh, text.into())))
    }

    fn name(&mut self, id: NameId) -> NameId {
        if !id.is_some() {
            return id;
        }
        // A name that is used before its text came.
        if self.own.names.len() <= id.index() && id.index() < self.own.names.len() + (1 << 20) {
            self.own.names.resize(id.index() + 1, NameId::NONE);
        }
        let fresh = NameId(self.last_name);
        match self.own.names.get_mut(id.index()) {
            Some(name) if name.is_some() => *name,
            Some(name) => {
                self.last_name += 1;
                *name = fresh;
                fresh
            }
            None => NameId::NONE,
        }
    }

    /// The name of a text, under the file's number for it; new ones are announced.
    fn text(&mut self, id: NameId, text: Box<str>) -> Option<Record> {
        let promised = self.own.names.get(id.index()).copied().unwrap_or_default();
        if promised.is_some() {
            return Some(Record::Name(promised, text));
        }
        if let Some(&known) = self.texts.get(&text) {
            if self.own.names.len() <= id.index() && id.index() < self.own.names.len() + (1 << 20) {
                self.own.names.resize(id.index() + 1, NameId::NONE);
            }
            if let Some(name) = self.own.names.get_mut(id.index()) {
                *name = known;
            }
            return None;
        }
        let fresh = self.name(id);
        self.texts.insert(text.clone(), fresh);
        fresh.is_some().then_some(Record::Name(fresh, text))
    }

    /// The record with the numbers that it has in the capture of all; nothing where it says nothing new, or speaks
    /// of its file as a whole. What has to come before it goes to `before`.
    pub fn lift(&mut self, record: Record, before: &mut Vec<Record>) -> Option<Record> {
        Some(match record {
            Record::Name(id, text) => return self.text(id, text),
            Record::Span(mut span) => {
                span.id = self.span(span.id);
                span.lane = self.lane(span.lane);
                span.name = self.name(span.name);
                span.call = self.call(span.call);
                Record::Span(span)
            }
            Record::Began(mut began) => {
                began.id = self.span(began.id);
                began.lane = self.lane(began.lane);
                began.name = self.name(began.name);
                Record::Began(began)
            }
            Record::Dependency(mut tie) => {
                tie.cause = self.span(tie.cause);
                tie.effect = self.span(tie.effect);
                tie.event = self.event(tie.event);
                Record::Dependency(tie)
            }
            Record::Argument(span, name, value) => {
                Record::Argument(self.span(span), self.name(name), value)
            }
            Record::Sample(mut sample) => {
                sample.counter = self.counter(sample.counter);
                Record::Sample(sample)
            }
            Record::Lane(lane) => {
                let lane = self.placed(*lane, before);
                let origin = self.origin(LaneOrigin {
                    lane: lane.id,
                    rank: None,
                    number: None,
                });
                before.extend(origin);
                Record::Lane(Box::new(lane))
            }
            Record::LaneOrigin(mut origin) => {
                origin.lane = self.lane(origin.lane);
                return self.origin(origin);
            }
            other => return self.lift_rare(other),
        })
    }

    fn lift_rare(&mut self, record: Record) -> Option<Record> {
        Some(match record {
            Record::Device(mut device) => {
                device.id = self.device(device.id);
                device.name = self.prefixed(&device.name);
                Record::Device(device)
            }
            Record::Counter(mut counter) => {
                counter.id = self.counter(counter.id);
                counter.device = counter.device.map(|id| self.device(id));
                counter.name = self.prefixed(&counter.name);
                Record::Counter(counter)
            }
            Record::Event(mut event) => {
                event.id = self.event(event.id);
                event.name = self.name(event.name);
                if event.options.is_some() {
                    event.options = self.name(event.options);
                }
                Record::Event(event)
            }
            Record::Call(mut call) => {
                call.id = self.call(call.id);
                call.name = self.name(call.name);
                Record::Call(call)
            }
            Record::BufferUse(mut used) => {
                used.call = self.call(used.call);
                used.buffer = self.name(used.buffer);
                Record::BufferUse(used)
            }
            Record::Schedule(mut schedule) => {
                schedule.lane = self.lane(schedule.lane);
                for it in &mut schedule.intervals {
                    it.waker = self.name(it.waker);
                }
                Record::Schedule(schedule)
            }
            Record::Problem(mut problem) => {
                problem.span = self.span(problem.span);
                problem.event = self.event(problem.event);
                problem.text = format!("{}: {}", self.own.label, problem.text);
                Record::Problem(problem)
            }
            Record::Finding(mut finding) => {
                finding.id = self.finding(finding.id);
                for span in &mut finding.spans {
                    *span = self.span(*span);
                }
                finding.text = self.prefixed(&finding.text);
                Record::Finding(finding)
            }
            Record::Search(mut search) => {
                search.text = self.prefixed(&search.text);
                Record::Search(search)
            }
            Record::Expectation(mut expectation) => {
                expectation.text = self.prefixed(&expectation.text);
                Record::Expectation(expectation)
            }
            Record::Log(mut log) => {
                log.text = self.prefixed(&log.text);
                Record::Log(log)
            }
            Record::Note(text) => Record::Note(self.prefixed(&text).into()),
            Record::Bookmark(mut bookmark) => {
                bookmark.span = self.span(bookmark.span);
                Record::Bookmark(bookmark)
            }
            Record::FileRepair(mut repair) => {
                repair.cause = self.prefixed(&repair.cause).into();
                Record::FileRepair(repair)
            }
            Record::Run(_) | Record::End(_) => return None,
            other => self.lift_of_device(other),
        })
    }

    fn lift_of_device(&mut self, mut record: Record) -> Record {
        match &mut record {
            Record::Loss(loss) => loss.device = self.device(loss.device),
            Record::Recovery(recovery) => recovery.device = self.device(recovery.device),
            Record::Clock(clock) => clock.device = self.device(clock.device),
            Record::Pipeline(pipeline) => {
                pipeline.id = self.pipeline(pipeline.id);
                pipeline.device = self.device(pipeline.device);
                pipeline.call = self.span(pipeline.call);
            }
            Record::PipelineStep(step) => {
                step.pipeline = self.pipeline(step.pipeline);
                step.span = self.span(step.span);
            }
            Record::Promise(promise) => {
                promise.id = self.promise(promise.id);
                promise.device = self.device(promise.device);
                promise.call = self.span(promise.call);
            }
            Record::Settlement(settlement) => {
                settlement.promise = self.promise(settlement.promise);
                settlement.span = self.span(settlement.span);
            }
            Record::EventStep(step) => {
                step.event = self.event(step.event);
                step.span = self.span(step.span);
            }
            Record::Launch(launch) => {
                launch.id = self.launch(launch.id);
                launch.device = self.device(launch.device);
            }
            Record::LaunchStep(step) => {
                step.launch = self.launch(step.launch);
                step.span = self.span(step.span);
                for node in &mut step.nodes {
                    (node.lane, node.span) = (self.lane(node.lane), self.span(node.span));
                }
            }
            Record::Relaunch(it) => {
                it.launch = self.launch(it.launch);
                (it.call, it.operation) = (self.span(it.call), self.span(it.operation));
            }
            _ => {}
        }
        record
    }

    fn prefixed(&self, name: &str) -> String {
        if name.is_empty() {
            return self.own.label.clone();
        }
        format!("{} · {name}", self.own.label)
    }

    /// What a lane is where it comes from, its rank that of its file where it says none; nothing where that is known.
    fn origin(&mut self, mut origin: LaneOrigin) -> Option<Record> {
        let known = self.own.origins.entry(origin.lane).or_default();
        origin.rank = origin.rank.or(known.0).or(self.own.rank);
        origin.number = origin.number.or(known.1);
        let is_known = *known == (origin.rank, origin.number);
        *known = (origin.rank, origin.number);
        (!is_known).then_some(Record::LaneOrigin(origin))
    }

    /// A lane among those of its file.
    fn placed(&mut self, mut lane: Lane, before: &mut Vec<Record>) -> Lane {
        lane.id = self.lane(lane.id);
        lane.name = self.prefixed(&lane.name);
        let within = lane.order.clamp(-ORDERS / 2, ORDERS / 2 - 1) + ORDERS / 2;
        lane.order = self
            .own
            .place
            .min(i32::MAX / ORDERS - 1)
            .saturating_mul(ORDERS)
            .saturating_add(within);
        lane.device = match (lane.device, lane.group) {
            (Some(device), _) => Some(self.device(device)),
            (None, Group::Host | Group::Counters) => None,
            (None, Group::Device | Group::Streams) => Some(self.stand_in(before)),
        };
        lane
    }

    fn stand_in(&mut self, before: &mut Vec<Record>) -> DeviceId {
        if let Some(id) = self.own.stand_in {
            return id;
        }
        let id = match &mut self.own.tables {
            // Beyond every device that the file may name.
            None => DeviceId(self.next.devices.saturating_add(64)),
            Some(_) => DeviceId(self.next.devices),
        };
        self.next.devices = id.0.saturating_add(1);
        self.own.stand_in = Some(id);
        before.push(Record::Device(Box::new(Device {
            id,
            name: self.own.label.clone(),
            backend: String::new(),
            detail: String::new(),
            rank: None,
            paced: None,
        })));
        id
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use record::time::Nanos;
    use record::{Span, SpanKind, State};

    fn span(id: u32, lane: u32, name: u32) -> Record {
        Record::Span(Span {
            id: SpanId(id),
            lane: LaneId(lane),
            name: NameId(name),
            call: CallId::NONE,
            kind: SpanKind::Kernel,
            state: State::Done,
            enqueued: Nanos::ZERO,
            start: Nanos::ZERO,
            end: Nanos(1),
        })
    }

    #[test]
    fn ranks_at_a_time_have_numbers_without_gaps_and_keep_their_lanes_when_they_begin_again() {
        let mut numbers = Renumbering::default();
        let mut owns = [
            FileNumbers::live("rank 0", 0),
            FileNumbers::live("rank 1", 1),
        ];
        let mut lift = |rank: usize, owns: &mut [FileNumbers; 2], record| {
            numbers.turn(&mut owns[rank]);
            let lifted = numbers.lift(record, &mut Vec::new());
            numbers.turn(&mut owns[rank]);
            match lifted {
                Some(Record::Span(span)) => (span.id.0, span.lane.0),
                other => panic!("{other:?}"),
            }
        };
        assert_eq!(lift(0, &mut owns, span(0, 0, 0)), (0, 0));
        assert_eq!(lift(1, &mut owns, span(0, 0, 0)), (1, 1));
        assert_eq!(lift(1, &mut owns, span(1, 0, 0)), (2, 1));
        assert_eq!(lift(0, &mut owns, span(1, 1, 0)), (3, 2));
        owns[1].again();
        assert_eq!(lift(1, &mut owns, span(0, 0, 0)), (4, 1));
    }

    #[test]
    fn numbers_follow_those_of_the_file_before_and_names_are_shared() {
        let mut numbers = Renumbering::default();
        let mut out = Vec::new();
        for place in 0..2 {
            numbers.begin(&format!("rank {place}"), place, None);
            for record in [
                Record::Name(NameId(0), "saxpy".into()),
                Record::Name(NameId(1), format!("only {place}").into()),
                span(0, 0, 0),
                span(1, 2, 1),
            ] {
                let lifted = numbers.lift(record, &mut out);
                out.extend(lifted);
            }
        }
        let spans: Vec<_> = out
            .iter()
            .filter_map(|record| match record {
                Record::Span(span) => Some((span.id.0, span.lane.0, span.name.0)),
                _ => None,
            })
            .collect();
        assert_eq!(spans, [(0, 0, 0), (1, 2, 1), (2, 3, 0), (3, 5, 2)]);
        let names = out.iter().filter(|it| matches!(it, Record::Name(..)));
        assert_eq!(names.count(), 3);
    }
}

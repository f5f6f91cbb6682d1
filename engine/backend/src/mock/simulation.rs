//! The simulation: picks what comes next in virtual time, a device's step or a host thread's turn.

use std::collections::{BTreeMap, BTreeSet};

use super::alarms::Alarms;
use super::chance::DrawnLengths;
use super::cost;
use super::host::{HostState, MockHost, MockWait};
use super::host_waits::HostWaitEnd;
use super::point::PointState;
use super::replay::{self, NextGraphPoint};
use super::stream::{MockQueueItem, MockStream};
use super::turn::{held_until, ready_at};
use crate::cpu::CpuMemory;
use crate::threads::EventSlots;
use crate::{
    Activity, Alarm, BackendError, Blocker, DeviceLayout, EventLayout, Operation, ReportSink,
    StreamActivity, StreamPosition, Submission, operation_failure,
};
use device::{OperationFailure, OperationStage, TerminationCause, outcome};
use record::time::{Interval, Nanos};
use record::{
    BufferIndex, CounterId, DeviceId, EventIndex, Record, Sample, SpanId, State, StreamIndex,
};
use workload::{FailureMode, SyncTarget};

/// Everything of the device, behind one lock.
pub struct Simulation {
    /// The host threads.
    pub hosts: Vec<MockHost>,
    /// When each signal was raised.
    pub signals: Vec<Option<Nanos>>,
    /// Why nothing more runs.
    pub cause: Option<TerminationCause>,
    /// What failed.
    pub reason: String,
    /// What ends the waits of host threads for each other.
    pub released: Option<HostWaitEnd>,
    /// For each event, its latest record.
    pub latest: Vec<Option<usize>>,
    /// Every record of every event.
    pub marks: Vec<PointState>,
    /// The device's id in the capture.
    pub device: DeviceId,
    /// Slots for records of events.
    pub slots: EventSlots,
    /// The generation of the device, counted from 1.
    pub generation: u32,
    pub streams: Vec<MockStream>,
    /// The streams that have anything to do: of very many most have not.
    pub busy: BTreeSet<usize>,
    /// How many of the streams were asked for; behind them come those of callback threads.
    pub stream_count: usize,
    made: Vec<EventLayout>,
    /// How many floats each buffer has.
    pub lens: Vec<usize>,
    /// The node that failed of the graph that ends.
    pub failed: Option<usize>,
    sink: Box<dyn ReportSink>,
    /// The latest time of all.
    pub time: Nanos,
    /// How long operations and calls take.
    pub drawn: DrawnLengths,
    /// What is to be done, by its time and then by the order of asking.
    pub alarms: Alarms,
    /// How many acts are being done, while the simulation is not locked.
    pub acting: usize,
    /// What is to be done once so many operations of each stream have ended.
    last: Vec<(MockWait, Alarm)>,
    /// What is to be done once an operation runs on a stream.
    watches: Vec<(usize, Alarm)>,
    /// Since when each blocking callback holds its stream.
    pub called: BTreeMap<SpanId, Nanos>,
}

/// The end of what is not known to end.
pub const OPEN: Nanos = Nanos::MAX;

/// What can happen next, and what it happens to; ties go to the first of these, then to the lower place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum SimulationStep {
    Node,
    End,
    Start,
    Timeout,
    Deadline,
    Alarm,
}

impl Simulation {
    /// Nothing submitted, all host threads ready at time zero.
    pub fn new(layout: &DeviceLayout, sink: Box<dyn ReportSink>) -> Self {
        Self {
            hosts: (0..layout.hosts).map(|_| MockHost::default()).collect(),
            signals: vec![None; layout.signals],
            cause: None,
            reason: String::new(),
            released: None,
            latest: vec![None; layout.events.len()],
            marks: Vec::new(),
            device: layout.device,
            generation: 1,
            streams: streams(layout),
            stream_count: layout.streams.len(),
            made: layout.events.clone(),
            slots: EventSlots::new(layout.event_slots),
            lens: layout.buffers.clone(),
            failed: None,
            sink,
            time: Nanos::ZERO,
            drawn: DrawnLengths::of(layout.seed),
            busy: BTreeSet::new(),
            alarms: Alarms::default(),
            acting: 0,
            last: Vec::new(),
            watches: Vec::new(),
            called: BTreeMap::new(),
        }
    }

    /// The time where no host thread asks for its own: the alarm's while one is acted on, else the latest of all.
    pub fn now(&self) -> Nanos {
        if self.acting > 0 {
            return self.time;
        }
        let hosts = self.hosts.iter().map(|host| host.clock);
        let streams = self.streams.iter().map(|stream| stream.free_at);
        hosts.chain(streams).fold(self.time, Nanos::max)
    }

    /// Whether nothing happens any more: host threads made their last calls, and streams are empty.
    fn is_over(&self) -> bool {
        let mut streams = self.streams.iter();
        self.last.is_empty()
            && self.hosts.iter().all(|it| it.state == HostState::Done)
            && streams.all(|it| it.running.is_none() && it.queue.is_empty())
    }

    /// Lets `act` be done once everything submitted by now has ended.
    pub fn set_last(&mut self, act: Alarm) {
        let until = MockWait::Streams(SyncTarget::Device, self.ends(None));
        self.last.push((until, act));
    }

    /// Lets `act` be done once an operation runs on `stream`.
    pub fn watch(&mut self, stream: StreamIndex, act: Alarm) {
        let calling = self.hosts.iter().find(|host| host.has_turn());
        let now = calling.map_or(self.time, |host| self.time.max(host.clock));
        let stream = stream.index();
        let running = self.streams.get(stream).and_then(|it| it.running.as_ref());
        match running {
            Some((_, interval)) if interval.end > now => {
                self.alarms.set(middle(now, interval.end), act, false);
            }
            _ => self.watches.push((stream, act)),
        }
    }

    /// Lets things happen until it is a host thread's turn, or nothing can happen, or somebody's act is due: that
    /// is given back with its time, to be done while the simulation is not locked.
    pub fn advance(&mut self, memory: &CpuMemory) -> Option<(Nanos, Alarm)> {
        while !self.hosts.iter().any(MockHost::has_turn) {
            let last = self.last.iter().position(|(until, _)| self.is_met(until));
            if let Some(place) = last {
                return Some((self.time, self.last.remove(place).1));
            }
            let ready = self.hosts.iter().enumerate();
            let ready = ready.filter(|(_, host)| host.state == HostState::Ready);
            let host = ready.min_by_key(|(_, host)| host.clock);
            let host_time = host.map_or(Nanos::MAX, |(_, host)| host.clock);
            let host = host.map(|(place, _)| place);
            // The device goes first: a host thread that asks at this instant sees what ended by it.
            let step = self.next_step();
            // A host thread that has made its last call made it until its own time.
            let is_over = self.alarms.are_optional() && self.is_over();
            let alarm = self
                .alarms
                .next()
                .filter(|it| !is_over || *it <= self.now());
            let alarm = alarm.map(|time| (time, SimulationStep::Alarm, 0));
            let step = step.into_iter().chain(alarm).min();
            match (step, host) {
                (Some((time, step, place)), _) if time <= host_time => {
                    // Whatever happens, happens now: nothing comes to pass in the past.
                    let time = time.max(self.time);
                    self.time = time;
                    match step {
                        SimulationStep::Node => self.reach(place, time, memory),
                        SimulationStep::End => self.end(place, memory),
                        SimulationStep::Start => self.start(place, time, memory),
                        SimulationStep::Timeout => self.give_up_waiting(place, time, memory),
                        SimulationStep::Deadline => self.time_out(place, time),
                        SimulationStep::Alarm => return Some((time, self.alarms.take()?)),
                    }
                    let stream = self.streams.get(place);
                    if stream.is_some_and(|it| it.running.is_none() && it.queue.is_empty()) {
                        self.busy.remove(&place);
                    }
                }
                (_, Some(place)) => {
                    if let Some(host) = self.hosts.get_mut(place) {
                        host.state = HostState::Granted;
                    }
                }
                (_, None) => return None,
            }
        }
        None
    }

    /// Appends an operation to a stream that exists; cancels it where nothing more runs.
    pub fn push(&mut self, index: StreamIndex, submission: Submission) -> Result<(), BackendError> {
        let unknown = |event: EventIndex| BackendError::Unknown(format!("event {}", event.0));
        let mark = match submission.operation {
            Operation::Record(event) => {
                let slot = self.latest.get_mut(event.index());
                let slot = slot.ok_or_else(|| unknown(event))?;
                self.marks.push(PointState::Pending);
                *slot = Some(self.marks.len() - 1);
                *slot
            }
            Operation::Reset(event) => {
                let slot = self.latest.get_mut(event.index());
                *slot.ok_or_else(|| unknown(event))? = None;
                None
            }
            Operation::Wait(event) | Operation::WaitFor(event, _) => *self
                .latest
                .get(event.index())
                .ok_or_else(|| unknown(event))?,
            _ => None,
        };
        let points = match &submission.operation {
            Operation::Join(positions) => self.points(positions),
            _ => Vec::new(),
        };
        let nodes = self.nodes(&submission.operation)?;
        let stream = self.streams.get_mut(index.index());
        let stream = stream.ok_or_else(|| BackendError::Unknown(format!("stream {}", index.0)))?;
        stream.submitted += 1;
        let item = MockQueueItem {
            nodes,
            points,
            ..MockQueueItem::new(submission, mark)
        };
        if let Some(cause) = self.cause.filter(|_| stream.running.is_none()) {
            // Not before what was submitted to the stream before it.
            let at = self.time.max(ready_at(stream.free_at, &item));
            self.finish(
                index.index(),
                &item,
                Interval { start: at, end: at },
                outcome(cause, OperationStage::Queued),
            );
        } else {
            stream.queue.push_back(item);
            self.busy.insert(index.index());
            if stream.is_stopped {
                self.drop_queue(index.index(), self.time);
            }
        }
        Ok(())
    }

    /// Those of `positions` that are still to come, as points to wait for.
    fn points(&mut self, positions: &[StreamPosition]) -> Vec<usize> {
        let mut points = Vec::new();
        for position in positions {
            let stream = self.streams.get_mut(position.stream.index());
            let Some(stream) = stream.filter(|stream| stream.ended < position.ended) else {
                continue;
            };
            self.marks.push(PointState::Pending);
            points.push(self.marks.len() - 1);
            let later = |(ended, _): &(u64, usize)| *ended <= position.ended;
            let place = stream.points.partition_point(later);
            stream
                .points
                .insert(place, (position.ended, self.marks.len() - 1));
        }
        points
    }

    /// For every stream, or the one at `only`, how many operations must have ended for all so far to.
    pub fn ends(&self, only: Option<usize>) -> Vec<(usize, u64)> {
        let streams = self.streams.iter().take(self.stream_count).enumerate();
        streams
            .filter(|(place, _)| only.is_none_or(|only| only == *place))
            .map(|(place, stream)| (place, stream.submitted))
            .collect()
    }

    /// Operations of the stream at `place` that have not ended.
    pub fn pending(&self, place: usize) -> u64 {
        let stream = self.streams.get(place);
        stream.map_or(0, |stream| stream.submitted - stream.ended)
    }

    /// Whether what a host thread would wait for has come true.
    pub fn is_met(&self, until: &MockWait) -> bool {
        match until {
            MockWait::Signal(signal) => {
                self.signals.get(signal.index()).is_none_or(Option::is_some)
            }
            MockWait::Mark(_, mark) => self.marks.get(*mark) != Some(&PointState::Pending),
            MockWait::Slot(given_back) => self.slots.free().get() >= *given_back,
            MockWait::Flag(flag) => flag.raised().is_some(),
            MockWait::Streams(_, ends) => ends.iter().all(|(place, ended)| {
                self.streams
                    .get(*place)
                    .is_none_or(|stream| stream.ended >= *ended)
            }),
        }
    }

    /// The device is lost at the latest time of all, because of `reason`. Says whether that was news, and when.
    pub fn lose(&mut self, reason: &str, memory: &CpuMemory) -> (bool, Nanos) {
        let calling = self.hosts.iter().find(|host| host.has_turn());
        let time = calling.map_or(self.time, |host| self.time.max(host.clock));
        // What has failed can be lost, and opened anew then.
        let is_news = matches!(self.cause, None | Some(TerminationCause::Poisoned));
        if is_news {
            self.cause = Some(TerminationCause::Lost);
            reason.clone_into(&mut self.reason);
            self.time = time;
            self.give_up(TerminationCause::Lost, memory);
        }
        (is_news, time)
    }

    fn start(&mut self, place: usize, time: Nanos, memory: &CpuMemory) {
        let Some(stream) = self.streams.get_mut(place) else {
            return;
        };
        let Some(item) = stream.queue.pop_front() else {
            return;
        };
        let start = ready_at(stream.free_at, &item);
        let ran = Interval { start, end: time };
        let is_orphaned = self.is_orphaned(&item);
        match item.submission.operation {
            Operation::Wait(_) | Operation::WaitFor(..) if is_orphaned => {
                self.finish(place, &item, ran, State::Cancelled);
                self.apply_failure(
                    place,
                    item.submission.span,
                    OperationFailure::Orphaned,
                    memory,
                );
            }
            Operation::Wait(_)
            | Operation::WaitFor(..)
            | Operation::Hold(_)
            | Operation::Reset(_)
            | Operation::Record(_)
            | Operation::Join(_)
            | Operation::Allocate(_)
            | Operation::Free(_) => self.finish(place, &item, ran, State::Done),
            Operation::Callback(callback) => self.call(place, item, callback, time),
            ref operation => {
                let len = |buffer: BufferIndex| self.lens.get(buffer.index()).copied().unwrap_or(0);
                let end = match operation {
                    // It ends when it has, by what it waits for.
                    Operation::Replay(replay) if replay.graph.reaches_out => OPEN,
                    // Its nodes have lengths of their own.
                    Operation::Replay(_) => time + cost::of(operation, &len),
                    _ => {
                        // Behind those of host threads.
                        let which = (u64::MAX, u64::from(item.submission.span.0));
                        time + self.drawn.length(cost::of(operation, &len), which)
                    }
                };
                if let Some(stream) = self.streams.get_mut(place) {
                    stream.running = Some((item, Interval { start: time, end }));
                }
                let is_met = |(watched, _): &mut (usize, Alarm)| *watched == place;
                for (_, act) in self.watches.extract_if(.., is_met) {
                    self.alarms.set(middle(time, end), act, false);
                }
            }
        }
    }

    /// What runs on the stream at `place` has come to its end, if it ever will.
    pub fn end(&mut self, place: usize, memory: &CpuMemory) {
        let running = self
            .streams
            .get_mut(place)
            .and_then(|stream| stream.running.take());
        let Some((mut item, mut interval)) = running else {
            return;
        };
        if interval.end == OPEN {
            let Some(end) = self.known_end(&item, interval.start) else {
                // Nothing more runs, and it still waits or would record.
                interval.end = self.time.max(interval.start);
                let cause = self.cause.unwrap_or(TerminationCause::Stopped);
                return self.finish(place, &item, interval, outcome(cause, OperationStage::Held));
            };
            interval.end = end;
        }
        // What it writes is seen from its end on, as nothing on a device sees it sooner for certain.
        let performed = self.perform(memory, &mut item, interval.start, None);
        match (&item.submission.operation, performed) {
            (Operation::Panic(_), _) => {
                self.sink
                    .report(operation_failure::panicked(item.submission.span));
                self.finish(place, &item, interval, State::Failed);
            }
            (_, Ok(())) => self.finish(place, &item, interval, State::Done),
            (_, Err(reason)) => {
                self.finish(place, &item, interval, State::Failed);
                self.fail(place, item.submission.span, &reason, memory);
            }
        }
    }

    /// Reports a record.
    pub fn report(&mut self, record: Record) {
        self.sink.report(record);
    }

    /// An operation of the stream at `place` is over.
    pub fn finish(&mut self, place: usize, item: &MockQueueItem, interval: Interval, state: State) {
        let Some(stream) = self.streams.get_mut(place) else {
            return;
        };
        let submission = &item.submission;
        let span = submission.span(stream.lane, interval, state);
        self.sink.report(Record::Span(span));
        if let Operation::Replay(replay) = &submission.operation {
            let lens = &self.lens;
            let len = |buffer: BufferIndex| lens.get(buffer.index()).copied().unwrap_or(0);
            let times = replay::known(item, interval.start, &len, &self.marks);
            let ran = (item.performed.as_slice(), self.failed);
            for record in replay::spans(replay, &span, stream.lane, ran, &times) {
                self.sink.report(record);
            }
            self.failed = None;
            for (node, mark) in replay.graph.nodes.iter().zip(&item.nodes) {
                if let (Operation::RecordExternal(_), Some(mark)) = (&node.operation, mark)
                    && let Some(slot @ PointState::Pending) = self.marks.get_mut(*mark)
                {
                    *slot = PointState::Failed(interval.end);
                }
            }
        }
        stream.free_at = interval.end;
        stream.ended += 1;
        if state != State::Lost {
            stream.completed = stream.ended;
        }
        while let Some((_, point)) = stream.points.pop_front_if(|(at, _)| *at <= stream.ended) {
            if let Some(slot) = self.marks.get_mut(point) {
                *slot = PointState::Reached(interval.end);
            }
        }
        if stream.pending.is_some() {
            self.sink.report(Record::Sample(Sample {
                counter: stream.pending,
                time: interval.end,
                value: (stream.submitted - stream.ended) as f64,
            }));
        }
        self.report_called(item, interval.end, state);
        let submission = &item.submission;
        if let Operation::Record(event) = submission.operation
            && self.made.get(event.index()).is_some_and(|it| it.takes_slot)
        {
            self.slots.give_back(submission.span);
        }
        if let (
            Operation::Record(_) | Operation::HostFunction(_) | Operation::Panic(_),
            Some(mark),
        ) = (&submission.operation, item.mark)
        {
            let progress = match state {
                State::Done => PointState::Reached(interval.end),
                _ => PointState::Failed(interval.end),
            };
            if let Some(slot) = self.marks.get_mut(mark) {
                *slot = progress;
            }
        }
        if self.cause == Some(TerminationCause::Poisoned) {
            self.drop_queue(place, self.time);
        }
        self.wake(interval.end);
    }

    fn time_out(&mut self, place: usize, time: Nanos) {
        if let Some(host) = self.hosts.get_mut(place) {
            host.clock = host.clock.max(time);
            host.timed_out = true;
            host.state = HostState::Ready;
        }
    }

    /// What everything is doing.
    pub fn activity(&self) -> Activity {
        let blocker = |stream: &MockStream| {
            if let Some((item, _)) = stream.running.as_ref().filter(|it| it.1.end == OPEN) {
                return replay::blocking_event(item, &self.marks).map(Blocker::Event);
            }
            let head = stream.queue.front().filter(|_| stream.running.is_none())?;
            match head.submission.operation {
                _ if held_until(head, &self.marks, &self.signals).is_some() => None,
                Operation::Hold(signal) => Some(Blocker::Signal(signal)),
                Operation::Wait(event) => Some(Blocker::Event(event)),
                Operation::Join(ref positions) => positions
                    .iter()
                    .find(|it| {
                        let other = self.streams.get(it.stream.index());
                        other.is_some_and(|other| other.ended < it.ended)
                    })
                    .map(|it| Blocker::Stream(it.stream)),
                // A wait with a deadline comes to an end by itself.
                _ => None,
            }
        };
        let streams = self.streams.iter().map(|stream| StreamActivity {
            submitted: stream.submitted,
            ended: stream.ended,
            blocker: blocker(stream),
        });
        Activity {
            streams: streams.collect(),
            hosts: self.hosts.iter().map(MockHost::activity).collect(),
            due: self.alarms.len() + self.acting,
        }
    }
}

/// The middle of an operation that ends then, at whose beginning nobody could say whether it runs; at once where its end is
/// not known.
const fn middle(start: Nanos, end: Nanos) -> Nanos {
    let end = if end.0 == OPEN.0 { start } else { end };
    Nanos(i64::midpoint(start.0, end.0))
}

/// The streams, and those that the threads of callbacks work on.
fn streams(layout: &DeviceLayout) -> Vec<MockStream> {
    let asked = layout.streams.iter();
    let asked = asked.map(|stream| MockStream::new(stream.lane, stream.pending, stream.failure));
    let callbacks = layout.callbacks.iter();
    let callbacks =
        callbacks.map(|lane| MockStream::new(*lane, CounterId::NONE, FailureMode::Continue));
    asked.chain(callbacks).collect()
}

impl Simulation {
    fn next_step(&self) -> Option<(Nanos, SimulationStep, usize)> {
        let of_streams = self
            .busy
            .iter()
            .filter_map(|&place| Some((place, self.streams.get(place)?)))
            .filter_map(|(place, stream)| {
                if let Some((item, interval)) = &stream.running {
                    if !matches!(item.submission.operation, Operation::Replay(_)) {
                        return Some((interval.end, SimulationStep::End, place));
                    }
                    return match self.next_of_replay(item, interval.start)? {
                        NextGraphPoint::Node(time) => Some((time, SimulationStep::Node, place)),
                        NextGraphPoint::End(time) => Some((time, SimulationStep::End, place)),
                    };
                }
                let head = stream.queue.front()?;
                let ready = ready_at(stream.free_at, head);
                let since = held_until(head, &self.marks, &self.signals);
                match (since, &head.submission.operation) {
                    (Some(time), _) => Some((time.max(ready), SimulationStep::Start, place)),
                    (None, Operation::WaitFor(_, timeout)) => {
                        Some((ready + *timeout, SimulationStep::Timeout, place))
                    }
                    (None, _) => None,
                }
            });
        let of_hosts = self.hosts.iter().enumerate();
        let of_hosts = of_hosts.filter_map(|(place, host)| match host.state {
            HostState::Blocked(_, Some(deadline)) => {
                Some((deadline, SimulationStep::Deadline, place))
            }
            _ => None,
        });
        of_streams.chain(of_hosts).min()
    }
}

//! Records of events and waits, of streams and of host threads.
//!
//! What a row means is told by which of its numbers are set: the number of its type changes its meaning from one
//! version of Nsight to the next.

use std::collections::{HashMap, HashSet};

use super::super::sqlite::{
    LaneTitle, SqliteRecord, SqliteSpan, SqliteWait, SqliteWaitOutcome, SqliteWaitTarget,
    SubmissionStream, SubmittedOperation, UntimedRow, WaitedEvent, resolve,
};
use super::NsightReader;
use super::host::THREAD_BITS;
use super::tables::{NsightRecordRow, NsightSyncRow};
use record::{Basis, EventId, Group, LaneId, NameId, SpanId, SpanKind, State, Value};

/// Stands for no stream and for no event.
const NONE: i64 = 0xFFFF_FFFF;

/// A number that is set.
fn set(number: Option<i64>) -> Option<i64> {
    number.filter(|&it| it != NONE && it >= 0)
}

/// The number that ties a wait to a record, which is 0 where there is none.
fn correlation(number: Option<i64>) -> Option<i64> {
    set(number).filter(|&it| it != 0)
}

impl NsightReader<'_, '_> {
    /// A record of an event. Where the file says when the stream reached it, that is a span of the stream.
    pub(super) fn record(&mut self, row: NsightRecordRow) {
        let (Some(event), Some(order)) = (set(row.event), row.correlation) else {
            self.dialect.tally.empty_records += 1;
            return;
        };
        let stream = SubmissionStream {
            process: row.process >> THREAD_BITS,
            context: row.context,
            number: row.stream,
        };
        let event = self
            .dialect
            .events
            .id(stream.process, event, &mut self.draft);
        let call = self.launches.get(stream.process, order);
        let time = row.time.filter(|&time| time > 0);
        // Without work on any stream the call is all that says when.
        let called = || self.hosts.start(call.filter(|_| self.dialect.workless)?);
        let span = time
            .or_else(called)
            .map(|time| self.reached(stream, (row.device, order), time));
        match call {
            Some(place) => {
                let call = self.hosts.span(place);
                self.describe(call, Some(stream.number), Some(event));
            }
            None => self.dialect.tally.uncalled_records += 1,
        }
        let recorded = SqliteRecord {
            order,
            stream,
            span,
            event,
            generation: 0,
        };
        self.dialect.events.add(recorded, correlation(row.tie));
    }

    fn reached(
        &mut self,
        stream: SubmissionStream,
        (device, order): (i64, i64),
        time: i64,
    ) -> SpanId {
        let kind = SpanKind::EventRecord;
        self.on_stream(
            stream,
            (device, order),
            ("event record", kind),
            (time, time),
        )
    }

    /// A record or a wait as a span of its stream; in a file without work it stands for what was submitted there.
    fn on_stream(
        &mut self,
        stream: SubmissionStream,
        (device, order): (i64, i64),
        (name, kind): (&str, SpanKind),
        (start, end): (i64, i64),
    ) -> SpanId {
        let lane = self.stream(stream, device);
        let name = self.draft.name(name);
        let span = self.draft.ran(SqliteSpan {
            lane,
            name,
            kind,
            state: State::Done,
            enqueued: None,
            start,
            end,
        });
        if self.dialect.workless {
            self.operations
                .add(stream, SubmittedOperation::new(order, (start, start), span));
        }
        span
    }

    /// Says on which stream a call acted, and on which event.
    fn describe(&mut self, call: SpanId, stream: Option<i64>, event: Option<EventId>) {
        if let Some(stream) = stream {
            self.draft.field(call, "stream", Value::Integer(stream));
        }
        if let Some(number) = event.and_then(|event| self.dialect.events.number(event)) {
            self.draft.field(call, "event", Value::Integer(number));
        }
    }

    /// A wait. Its row doubles a call of a host thread; where that call is missing it is a span of its own.
    pub(super) fn sync(&mut self, row: NsightSyncRow) -> Result<(), UntimedRow> {
        let process = row.process >> THREAD_BITS;
        let stream = set(row.stream).map(|number| SubmissionStream {
            process,
            context: row.context.unwrap_or(0),
            number,
        });
        let event = set(row.event).map(|number| WaitedEvent {
            id: self.dialect.events.id(process, number, &mut self.draft),
            tie: correlation(row.tie),
        });
        let waits = match (stream, event) {
            (Some(stream), Some(event)) => SqliteWaitTarget::Stream(stream, event),
            (None, Some(event)) => SqliteWaitTarget::HostForEvent(event),
            (Some(stream), None) => SqliteWaitTarget::HostForStream(stream),
            (None, None) => SqliteWaitTarget::HostForAll(set(row.context)),
        };
        let order = row.correlation;
        let place = order.and_then(|order| self.launches.get(process, order));
        let call = match place {
            Some(place) => self.hosts.span(place),
            None => self.uncalled(row, process, waits)?,
        };
        self.describe(call, stream.map(|it| it.number), event.map(|it| it.id));
        let queries = place.is_some_and(|place| self.hosts.kind(place) == SpanKind::Call);
        // A query only looks: nothing held it up.
        if queries && !matches!(waits, SqliteWaitTarget::Stream(..)) {
            self.dialect.tally.queries += 1;
            return Ok(());
        }
        if let Some(order) = order {
            let times = row.start.zip(row.end);
            let own = match (waits, times) {
                (SqliteWaitTarget::Stream(stream, _), Some(times)) if self.dialect.workless => {
                    let wait = ("stream wait event", SpanKind::EventWait);
                    Some(self.on_stream(stream, (row.device, order), wait, times))
                }
                _ => None,
            };
            self.dialect.waits.push(SqliteWait {
                process,
                order,
                call,
                times: place
                    .and_then(|it| self.hosts.times(it))
                    .or(row.start.zip(row.end)),
                basis: Basis::Enforced,
                waits,
                own,
                guess: None,
            });
        }
        Ok(())
    }

    fn uncalled(
        &mut self,
        row: NsightSyncRow,
        process: i64,
        waits: SqliteWaitTarget,
    ) -> Result<SpanId, UntimedRow> {
        let (start, end) = row.start.zip(row.end).ok_or(UntimedRow)?;
        self.dialect.tally.uncalled_waits += 1;
        let kind = match waits {
            SqliteWaitTarget::Stream(..) => SpanKind::Call,
            _ => SpanKind::Synchronize,
        };
        let name = self.draft.name(waits.label());
        let lane = self.uncalled_lane(process);
        Ok(self.draft.ran(SqliteSpan {
            lane,
            name,
            kind,
            state: State::Done,
            enqueued: None,
            start,
            end,
        }))
    }

    /// Where waits are shown of which the call is not in the file, so that their thread is not known.
    fn uncalled_lane(&mut self, process: i64) -> LaneId {
        let key = (Group::Host, [process, i64::MAX, 0, 0]);
        let number = process & 0x00FF_FFFF;
        self.draft.lanes.id(key, self.draft.sink, |_| LaneTitle {
            name: format!("Synchronisation of process {number}"),
            process: number.to_string(),
            ..LaneTitle::default()
        })
    }

    /// Ties every wait to what it waited for.
    pub(super) fn resolve(&mut self) -> SqliteWaitOutcome {
        self.operations.sort();
        self.dialect.events.sort();
        self.dialect.recorders.sort_unstable();
        let mut waits = std::mem::take(&mut self.dialect.waits);
        waits.sort_by_key(|wait| (wait.process, wait.order));
        self.guess(&mut waits);
        let left_out = self.left_out(&waits);
        resolve(
            (&mut waits, left_out),
            &self.dialect.events,
            &self.operations,
            &mut self.draft,
        )
    }

    /// How many calls that make a stream wait have no row of what for, beside others of that name that have one.
    fn left_out(&self, waits: &[SqliteWait]) -> u64 {
        let of_streams = waits
            .iter()
            .filter(|it| matches!(it.waits, SqliteWaitTarget::Stream(..)));
        let told: HashSet<(i64, i64)> = of_streams.map(|it| (it.process, it.order)).collect();
        let is_told = |it: &&(i64, i64, NameId)| told.contains(&(it.0, it.1));
        let all = self.dialect.waiters.iter();
        let names: HashSet<NameId> = all.clone().filter(is_told).map(|it| it.2).collect();
        let untold = all.filter(|it| !is_told(it) && names.contains(&it.2));
        untold.count() as u64
    }

    /// Of waits whose record is not in the file: the thread's last call that records an event is probably the one,
    /// and what the thread had last submitted before that is probably what it recorded.
    fn guess(&self, waits: &mut [SqliteWait]) {
        let mut of_threads: HashMap<(i64, LaneId), Vec<i64>> = HashMap::new();
        for &(process, order, place) in &self.dialect.recorders {
            if let Some(lane) = self.hosts.lane(place) {
                of_threads.entry((process, lane)).or_default().push(order);
            }
        }
        let mut recorders = HashMap::new();
        for wait in waits {
            let SqliteWaitTarget::Stream(stream, event) = wait.waits else {
                continue;
            };
            if self
                .dialect
                .events
                .waited_for(event.id, wait.process, event.tie, wait.order)
                .is_some()
            {
                continue;
            }
            let key = (event.id, event.tie);
            let recorder = match recorders.get(&key) {
                Some(known) if event.tie.is_some() => *known,
                _ => self.recorder_before(wait, &of_threads),
            };
            recorders.insert(key, recorder);
            let last =
                recorder.and_then(|(order, lane)| self.submitted_before(wait.process, order, lane));
            wait.guess = last.filter(|(source, _)| *source != stream);
        }
    }

    /// The last call of the wait's own thread that records an event, and that thread's lane; `of_threads` has all such calls in
    /// order.
    fn recorder_before(
        &self,
        wait: &SqliteWait,
        of_threads: &HashMap<(i64, LaneId), Vec<i64>>,
    ) -> Option<(i64, LaneId)> {
        let lane = self
            .hosts
            .lane(self.launches.get(wait.process, wait.order)?)?;
        let own = of_threads.get(&(wait.process, lane))?;
        let at = own.partition_point(|order| *order < wait.order);
        Some((*own.get(at.checked_sub(1)?)?, lane))
    }

    /// The last operation of a process before a call, if the same thread submitted it.
    fn submitted_before(
        &self,
        process: i64,
        order: i64,
        lane: LaneId,
    ) -> Option<(SubmissionStream, SubmittedOperation)> {
        let all = self.operations.all_before(process, None, order);
        let (stream, last) = all.max_by_key(|(_, operation)| operation.order)?;
        let place = self.launches.get(process, last.order)?;
        (self.hosts.lane(place) == Some(lane)).then_some((stream, last))
    }
}

//! Records of events and waits.

use super::super::sqlite::{
    LaneTitle, SqliteRecord, SqliteSpan, SqliteWait, SqliteWaitTarget, SubmissionStream,
    UntimedRow, WaitedEvent,
};
use super::tables::{NvprofRecordRow, NvprofSyncRow};
use super::{NvprofReader, PROCESS};
use record::{Basis, Group, SpanId, SpanKind, State, Value};

/// CUPTI's numbers of what waits, which nvprof writes as they are.
mod sort {
    pub const EVENT: i64 = 1;
    pub const STREAM_WAIT: i64 = 2;
    pub const STREAM: i64 = 3;
}

impl NvprofReader<'_, '_> {
    pub(super) fn record(&mut self, row: NvprofRecordRow) {
        let (order, number) = (row.correlation, row.event);
        let stream = stream(row.context, row.stream);
        let event = self.dialect.events.id(PROCESS, number, &mut self.draft);
        if let Some(place) = self.launches.get(PROCESS, order) {
            let call = self.hosts.span(place);
            self.draft
                .field(call, "stream", Value::Integer(stream.number));
            self.draft.field(call, "event", Value::Integer(number));
        }
        let recorded = SqliteRecord {
            order,
            stream,
            span: None,
            event,
            generation: 0,
        };
        self.dialect.events.add(recorded, None);
    }

    pub(super) fn sync(&mut self, row: NvprofSyncRow) -> Result<(), UntimedRow> {
        let stream = stream(row.context.unwrap_or(0), row.stream);
        let (number, sort) = (row.event, row.sort);
        let mut event = || WaitedEvent {
            id: self.dialect.events.id(PROCESS, number, &mut self.draft),
            tie: None,
        };
        let waits = match sort {
            sort::EVENT => SqliteWaitTarget::HostForEvent(event()),
            sort::STREAM_WAIT => SqliteWaitTarget::Stream(stream, event()),
            sort::STREAM => SqliteWaitTarget::HostForStream(stream),
            _ => SqliteWaitTarget::HostForAll(row.context),
        };
        let order = row.correlation;
        let place = order.and_then(|order| self.launches.get(PROCESS, order));
        let call = match place {
            Some(place) => self.hosts.span(place),
            None => self.uncalled(row, waits)?,
        };
        if matches!(sort, sort::EVENT | sort::STREAM_WAIT) {
            self.draft.field(call, "event", Value::Integer(number));
        }
        if matches!(sort, sort::STREAM | sort::STREAM_WAIT) {
            self.draft
                .field(call, "stream", Value::Integer(stream.number));
        }
        let queries = place.is_some_and(|place| self.hosts.kind(place) == SpanKind::Call);
        // A query only looks: nothing held it up.
        if queries && sort != sort::STREAM_WAIT {
            return Ok(());
        }
        if let Some(order) = order {
            self.dialect.waits.push(SqliteWait {
                process: PROCESS,
                order,
                call,
                times: place
                    .and_then(|it| self.hosts.times(it))
                    .or(row.start.zip(row.end)),
                basis: Basis::Enforced,
                waits,
                own: None,
                guess: None,
            });
        }
        Ok(())
    }

    /// A wait of which the call is not in the file, on a lane of its own.
    fn uncalled(
        &mut self,
        row: NvprofSyncRow,
        waits: SqliteWaitTarget,
    ) -> Result<SpanId, UntimedRow> {
        let (start, end) = row.start.zip(row.end).ok_or(UntimedRow)?;
        self.dialect.uncalled += 1;
        let name = self.draft.name(waits.label());
        let lane = self
            .draft
            .lanes
            .id((Group::Host, [i64::MAX, 0, 0, 0]), self.draft.sink, |_| {
                LaneTitle {
                    name: "Synchronisation".to_owned(),
                    ..LaneTitle::default()
                }
            });
        let stream = matches!(waits, SqliteWaitTarget::Stream(..));
        Ok(self.draft.ran(SqliteSpan {
            lane,
            name,
            kind: if stream {
                SpanKind::Call
            } else {
                SpanKind::Synchronize
            },
            state: State::Done,
            enqueued: None,
            start,
            end,
        }))
    }
}

fn stream(context: i64, number: i64) -> SubmissionStream {
    SubmissionStream {
        process: PROCESS,
        context,
        number,
    }
}

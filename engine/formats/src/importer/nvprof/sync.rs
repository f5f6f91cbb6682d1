//! Records of events and waits.

use super::super::sqlite::{Event, Ran, Recorded, Row, Stream, Title, Wait, Waits};
use super::part::Part;
use super::{PROCESS, Reading};
use record::{Basis, Group, SpanId, SpanKind, State, Value};

/// CUPTI's numbers of what waits, which nvprof writes as they are.
mod sort {
    pub const EVENT: i64 = 1;
    pub const STREAM_WAIT: i64 = 2;
    pub const STREAM: i64 = 3;
}

impl Reading<'_, '_> {
    pub(super) fn record(&mut self, row: Row<'_>) {
        let (order, number) = (row.or_zero(0), row.or_zero(3));
        let stream = stream(row, 2, 1);
        let event = self.events.id(PROCESS, number, &mut self.draft);
        if let Some(place) = self.launches.get(PROCESS, order) {
            let call = self.hosts.span(place);
            self.draft
                .field(call, "stream", Value::Integer(stream.number));
            self.draft.field(call, "event", Value::Integer(number));
        }
        let recorded = Recorded {
            order,
            stream,
            span: None,
            event,
            generation: 0,
        };
        self.events.add(recorded, None);
    }

    pub(super) fn sync(&mut self, part: &Part, row: Row<'_>) {
        let stream = stream(row, 3, 2);
        let number = row.or_zero(5);
        let sort = row.or_zero(6);
        let mut event = || Event {
            id: self.events.id(PROCESS, number, &mut self.draft),
            tie: None,
        };
        let waits = match sort {
            sort::EVENT => Waits::HostForEvent(event()),
            sort::STREAM_WAIT => Waits::Stream(stream, event()),
            sort::STREAM => Waits::HostForStream(stream),
            _ => Waits::HostForAll(row.integer(2)),
        };
        let place = row
            .integer(4)
            .and_then(|order| self.launches.get(PROCESS, order));
        let call = match place {
            Some(place) => self.hosts.span(place),
            None => match self.uncalled(part, row, waits) {
                Some(span) => span,
                None => return,
            },
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
            return;
        }
        if let Some(order) = row.integer(4) {
            self.waits.push(Wait {
                process: PROCESS,
                order,
                call,
                basis: Basis::Enforced,
                waits,
                own: None,
                guess: None,
            });
        }
    }

    /// A wait of which the call is not in the file, on a lane of its own.
    fn uncalled(&mut self, part: &Part, row: Row<'_>, waits: Waits) -> Option<SpanId> {
        let (Some(start), Some(end)) = (row.integer(0), row.integer(1)) else {
            self.draft.troubles.unplaced(&part.query.table, row.number);
            return None;
        };
        self.uncalled += 1;
        let name = self.draft.name(waits.label());
        let lane = self
            .draft
            .lanes
            .id((Group::Host, [i64::MAX, 0, 0, 0]), self.draft.sink, |_| {
                Title {
                    name: "Synchronisation".to_owned(),
                    ..Title::default()
                }
            });
        let stream = matches!(waits, Waits::Stream(..));
        Some(self.draft.ran(Ran {
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

fn stream(row: Row<'_>, number: usize, context: usize) -> Stream {
    Stream {
        process: PROCESS,
        context: row.or_zero(context),
        number: row.or_zero(number),
    }
}

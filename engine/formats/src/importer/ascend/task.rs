//! Tasks of the NPU by stream, and the collective operations that they are part of.

use super::super::sqlite::{Operation, Ran, Row, Stream, Title, Work};
use super::part::Part;
use super::wait::Reached;
use super::{PROCESS, Reading};
use record::{Dependency, DeviceId, Group, LaneId, NameId, SpanId, SpanKind, State, Value};

/// What is known of a task besides its times.
#[derive(Clone, Copy, Debug)]
pub(super) struct Detail {
    name: i64,
    /// What a task that is part of a collective operation does in it.
    part: Option<i64>,
    /// Its sort, where it computes.
    sort: Option<i64>,
    bytes: i64,
    notify: i64,
    /// Who sends, and who receives.
    ranks: (i64, i64),
}

/// Stands for no rank.
const NO_RANK: i64 = 0xFFFF_FFFF;

impl Reading<'_, '_> {
    /// What is known of a task that computes.
    pub(super) fn compute_detail(&mut self, row: Row<'_>) {
        let detail = Detail {
            name: row.or_zero(1),
            part: None,
            sort: row.integer(2),
            bytes: 0,
            notify: 0,
            ranks: (NO_RANK, NO_RANK),
        };
        self.details.insert(row.or_zero(0), detail);
    }

    /// What is known of a task that is part of a collective operation.
    pub(super) fn communication_detail(&mut self, row: Row<'_>) {
        let detail = Detail {
            name: row.or_zero(1),
            part: row.integer(2),
            sort: None,
            bytes: row.or_zero(3),
            notify: row.or_zero(4),
            ranks: (row.or_zero(5), row.or_zero(6)),
        };
        self.details.insert(row.or_zero(0), detail);
    }

    pub(super) fn task(&mut self, part: &Part, row: Row<'_>) {
        let (Some(start), Some(end)) = (row.integer(0), row.integer(1)) else {
            return self.draft.troubles.unplaced(&part.query.table, row.number);
        };
        let detail = self.details.get(&row.or_zero(5)).copied();
        let sort = self
            .strings
            .text(row.or_zero(6))
            .unwrap_or_default()
            .to_owned();
        let does = detail
            .and_then(|it| it.part)
            .and_then(|id| self.strings.text(id))
            .unwrap_or_default();
        let kind = kind(&sort, does);
        let name = self.task_name(detail, row.or_zero(6));
        let stream = Stream {
            process: PROCESS,
            context: row.or_zero(2),
            number: row.or_zero(3),
        };
        let lane = self.stream(stream);
        let communicates = detail.is_some_and(|it| it.part.is_some());
        let work = if communicates {
            Work::Collective
        } else {
            Work::of(kind, "")
        };
        let place = row
            .integer(4)
            .and_then(|number| self.launches.get(PROCESS, number));
        let enqueued = place.and_then(|place| self.hosts.start(place));
        let span = self.draft.ran(Ran {
            lane,
            name,
            kind,
            state: State::Done,
            enqueued,
            start,
            end,
        });
        self.draft.lanes.did(lane, work);
        self.describe(span, &sort, detail);
        match place {
            Some(place) => {
                self.draft
                    .depends(Dependency::submission(self.span(place), span));
                let order = enqueued.unwrap_or(start);
                self.operations
                    .add(stream, Operation { order, start, span });
            }
            None => self.unlaunched += 1,
        }
        if let Some(number) = row.integer(4) {
            self.flows.task(number, span);
        }
        let reached = Reached {
            stream,
            span,
            start,
            end,
            call: place.map(|place| (self.hosts.start(place).unwrap_or(start), self.lane(place))),
        };
        match sort.as_str() {
            "EVENT_RECORD" => self.records.push(reached),
            "EVENT_WAIT" => self.waits.push(reached),
            _ if kind == SpanKind::EventWait => self.notifies += 1,
            _ => {}
        }
    }

    /// What a task is called: its own name, or what it does in a collective operation, or its sort.
    fn task_name(&mut self, detail: Option<Detail>, sort: i64) -> NameId {
        let id = detail.map_or(sort, |detail| detail.part.unwrap_or(detail.name));
        self.strings.name(id, &mut self.draft)
    }

    fn describe(&mut self, span: SpanId, sort: &str, detail: Option<Detail>) {
        self.draft
            .field(span, "task type", Value::Text(sort.into()));
        let Some(detail) = detail else { return };
        if let Some(text) = detail.sort.and_then(|id| self.strings.text(id)) {
            let value = Value::Text(text.into());
            self.draft.field(span, "operator", value);
        }
        if detail.part.is_none() {
            return;
        }
        if let Some(text) = self.strings.text(detail.name) {
            let value = Value::Text(text.into());
            self.draft.field(span, "operation", value);
        }
        let (from, to) = detail.ranks;
        let fields = [
            ("bytes", detail.bytes, 0),
            ("notification", detail.notify, i64::MAX),
            ("from rank", from, NO_RANK),
            ("to rank", to, NO_RANK),
        ];
        for (name, value, nothing) in fields {
            if value != nothing {
                self.draft.field(span, name, Value::Integer(value));
            }
        }
    }

    /// A collective operation as a whole, on a lane of its group.
    pub(super) fn exchange(&mut self, part: &Part, row: Row<'_>) {
        let (Some(start), Some(end)) = (row.integer(0), row.integer(1)) else {
            return self.draft.troubles.unplaced(&part.query.table, row.number);
        };
        let group = row.or_zero(4);
        let name = self.strings.name(row.or_zero(2), &mut self.draft);
        let device = self.device(row.or_zero(6));
        let lane = self.draft.lanes.id(
            (Group::Streams, [i64::MAX, group, 0, 0]),
            self.draft.sink,
            |_| Title {
                name: "Collective operations".to_owned(),
                besides: format!("group {group}"),
                device: Some(device),
                ..Title::default()
            },
        );
        let place = row
            .integer(3)
            .and_then(|number| self.launches.get(PROCESS, number));
        let span = self.draft.ran(Ran {
            lane,
            name,
            kind: SpanKind::Kernel,
            state: State::Done,
            enqueued: place.and_then(|place| self.hosts.start(place)),
            start,
            end,
        });
        self.draft.lanes.did(lane, Work::Collective);
        if let Some(place) = place {
            self.draft
                .depends(Dependency::submission(self.span(place), span));
        }
        if let Some(group) = self.strings.text(group) {
            let value = Value::Text(group.into());
            self.draft.field(span, "groupName", value);
        }
        self.draft
            .field(span, "count", Value::Integer(row.or_zero(5)));
    }

    fn stream(&mut self, stream: Stream) -> LaneId {
        let device = self.device(stream.context);
        let key = (Group::Streams, [stream.context, stream.number, 0, 0]);
        self.draft.lanes.id(key, self.draft.sink, |_| Title {
            name: format!("Stream {}", stream.number),
            device: Some(device),
            process: stream.context.to_string(),
            thread: stream.number.to_string(),
            rank: self
                .ranks
                .get(&stream.context)
                .and_then(|it| u32::try_from(*it).ok()),
            ..Title::default()
        })
    }

    pub(super) fn device(&mut self, number: i64) -> DeviceId {
        let (names, ranks) = (&self.devices, &self.ranks);
        self.draft
            .devices
            .id(number, "ascend", self.draft.sink, || {
                let name = names.get(&number).map_or("NPU", String::as_str);
                let rank = ranks.get(&number).map(|rank| format!("rank {rank}"));
                (format!("{name} ({number})"), rank.unwrap_or_default())
            })
    }
}

/// What sort of operation a task is, by its type and by what it does in a collective operation.
fn kind(sort: &str, does: &str) -> SpanKind {
    let sort = sort.to_ascii_lowercase();
    match does {
        "Notify_Record" => return SpanKind::EventRecord,
        "Notify_Wait" => return SpanKind::EventWait,
        _ => {}
    }
    match sort.as_str() {
        "event_record" | "notify record" => SpanKind::EventRecord,
        "event_wait" | "notify wait" => SpanKind::EventWait,
        _ if sort.contains("memcpy") || sort.contains("sdma") || sort.contains("pcie_dma") => {
            SpanKind::Copy
        }
        _ => SpanKind::Kernel,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tasks_are_known_by_type() {
        assert_eq!(kind("EVENT_WAIT", ""), SpanKind::EventWait);
        assert_eq!(kind("Notify Wait", "Notify_Wait"), SpanKind::EventWait);
        assert_eq!(kind("Write Value", "Notify_Record"), SpanKind::EventRecord);
        assert_eq!(kind("SDMA", "Memcpy"), SpanKind::Copy);
        assert_eq!(kind("MEMCPY_ASYNC", ""), SpanKind::Copy);
        assert_eq!(kind("KERNEL_AIVEC", ""), SpanKind::Kernel);
    }
}

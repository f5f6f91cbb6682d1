//! Tasks of the NPU by stream, and the collective operations that they are part of.

use super::super::sqlite::{
    LaneTitle, SqliteSpan, SubmissionStream, SubmittedOperation, UntimedRow, WorkKind,
};
use super::tables::{AscendCollectiveRow, AscendTaskRow, CommunicationRow, ComputeRow};
use super::wait::StreamSyncTask;
use super::{AscendReader, PROCESS};
use record::{Dependency, DeviceId, Group, LaneId, NameId, SpanId, SpanKind, State, Value};

/// What is known of a task besides its times.
#[derive(Clone, Copy, Debug)]
pub(super) struct TaskDetail {
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

impl AscendReader<'_, '_> {
    /// What is known of a task that computes.
    pub(super) fn compute_detail(&mut self, row: ComputeRow) {
        let detail = TaskDetail {
            name: row.name,
            part: None,
            sort: row.sort,
            bytes: 0,
            notify: 0,
            ranks: (NO_RANK, NO_RANK),
        };
        self.dialect.details.insert(row.task, detail);
    }

    /// What is known of a task that is part of a collective operation.
    pub(super) fn communication_detail(&mut self, row: CommunicationRow) {
        let detail = TaskDetail {
            name: row.name,
            part: row.sort,
            sort: None,
            bytes: row.bytes,
            notify: row.notify,
            ranks: (row.source, row.destination),
        };
        self.dialect.details.insert(row.task, detail);
    }

    pub(super) fn task(&mut self, row: AscendTaskRow) -> Result<(), UntimedRow> {
        let (start, end) = row.start.zip(row.end).ok_or(UntimedRow)?;
        let detail = self.dialect.details.get(&row.task).copied();
        let text = |id| self.dialect.strings.text(id).unwrap_or_default();
        let sort = text(row.sort).to_owned();
        let does = detail.and_then(|it| it.part).map_or("", text);
        let kind = kind(&sort, does);
        let name = self.task_name(detail, row.sort);
        let stream = SubmissionStream {
            process: PROCESS,
            context: row.device,
            number: row.stream,
        };
        let lane = self.stream(stream);
        let work = match detail.and_then(|it| it.part) {
            Some(_) => WorkKind::Collective,
            None => WorkKind::of(kind, ""),
        };
        let number = row.connection;
        let place = number.and_then(|number| self.launches.get(PROCESS, number));
        let ran = SqliteSpan {
            lane,
            name,
            kind,
            state: State::Done,
            enqueued: None,
            start,
            end,
        };
        let span = self.submitted(ran, work, place);
        self.describe(span, &sort, detail);
        let call = place.map(|place| (self.hosts.start(place).unwrap_or(start), self.lane(place)));
        if let Some((order, _)) = call {
            self.operations
                .add(stream, SubmittedOperation::new(order, (start, end), span));
        }
        if let Some(number) = number {
            self.dialect.flows.task(number, span);
        }
        let reached = StreamSyncTask {
            stream,
            span,
            start,
            end,
            call,
        };
        match sort.as_str() {
            "EVENT_RECORD" => self.dialect.records.push(reached),
            "EVENT_WAIT" => self.dialect.waits.push(reached),
            _ if kind == SpanKind::EventWait => self.dialect.notifies += 1,
            _ => {}
        }
        Ok(())
    }

    /// What a task is called: its own name, or what it does in a collective operation, or its sort.
    fn task_name(&mut self, detail: Option<TaskDetail>, sort: i64) -> NameId {
        let id = detail.map_or(sort, |detail| detail.part.unwrap_or(detail.name));
        self.dialect.strings.name(id, &mut self.draft)
    }

    fn describe(&mut self, span: SpanId, sort: &str, detail: Option<TaskDetail>) {
        self.draft
            .field(span, "task type", Value::Text(sort.into()));
        let Some(detail) = detail else { return };
        if let Some(text) = detail.sort.and_then(|id| self.dialect.strings.text(id)) {
            let value = Value::Text(text.into());
            self.draft.field(span, "operator", value);
        }
        if detail.part.is_none() {
            return;
        }
        if let Some(text) = self.dialect.strings.text(detail.name) {
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
    pub(super) fn collective(&mut self, row: AscendCollectiveRow) -> Result<(), UntimedRow> {
        let (start, end) = row.start.zip(row.end).ok_or(UntimedRow)?;
        let group = row.group;
        let name = self.dialect.strings.name(row.name, &mut self.draft);
        let device = self.device(row.device);
        let lane = self.draft.lanes.id(
            (Group::Streams, [i64::MAX, group, 0, 0]),
            self.draft.sink,
            |_| LaneTitle {
                name: "Collective operations".to_owned(),
                besides: format!("group {group}"),
                device: Some(device),
                ..LaneTitle::default()
            },
        );
        let number = row.connection;
        let place = number.and_then(|number| self.launches.get(PROCESS, number));
        let span = self.draft.ran(SqliteSpan {
            lane,
            name,
            kind: SpanKind::Kernel,
            state: State::Done,
            enqueued: place.and_then(|place| self.hosts.start(place)),
            start,
            end,
        });
        self.draft.lanes.did(lane, WorkKind::Collective);
        if let Some(place) = place {
            self.draft
                .depends(Dependency::submission(self.hosts.span(place), span));
        }
        if let Some(group) = self.dialect.strings.text(group) {
            let value = Value::Text(group.into());
            self.draft.field(span, "groupName", value);
        }
        self.draft.field(span, "count", Value::Integer(row.count));
        Ok(())
    }

    fn stream(&mut self, stream: SubmissionStream) -> LaneId {
        let device = self.device(stream.context);
        let key = (Group::Streams, [stream.context, stream.number, 0, 0]);
        self.draft.lanes.id(key, self.draft.sink, |_| LaneTitle {
            name: format!("Stream {}", stream.number),
            device: Some(device),
            process: stream.context.to_string(),
            thread: stream.number.to_string(),
            rank: self
                .dialect
                .ranks
                .get(&stream.context)
                .and_then(|it| u32::try_from(*it).ok()),
            ..LaneTitle::default()
        })
    }

    pub(super) fn device(&mut self, number: i64) -> DeviceId {
        let (names, ranks) = (&self.dialect.devices, &self.dialect.ranks);
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
        // Marks of the profiler are no work of the program, and nothing waits for them.
        "profiling_enable" | "profiling_disable" => SpanKind::Scope,
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
        assert_eq!(kind("PROFILING_DISABLE", ""), SpanKind::Scope);
    }
}

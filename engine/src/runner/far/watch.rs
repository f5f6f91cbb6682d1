//! What a run at the far end was doing last, so that its end can be told where it cannot tell it itself.

use std::collections::BTreeMap;

use crate::record::{
    Began, CallId, DeviceId, EventId, Loss, LossKind, Outcome, Problem, Record, Recovery, RunEnd,
    Severity, Span, SpanId, State,
};
use crate::runner::{Message, RunRequest};
use crate::time::Nanos;

/// The code of the problem that says that a worker died.
pub const GONE: &str = "worker-gone";

/// What a run at the far end was doing last.
#[derive(Debug, Default)]
pub struct Watch {
    /// The run that is under way, as the worker counts them.
    pub run: Option<u64>,
    /// What was asked for last.
    pub request: Option<Box<RunRequest>>,
    /// The latest time that was heard of.
    latest: Nanos,
    /// What began and has not ended.
    running: BTreeMap<SpanId, Began>,
    devices: BTreeMap<DeviceId, u32>,
    records: u64,
    has_ended: bool,
    /// How often the link dropped, and when it did last.
    drops: u32,
    dropped_at: Nanos,
}

impl Watch {
    /// Takes note of a message before it is handed on.
    pub fn note(&mut self, message: &Message) {
        match message {
            Message::Started { run } => {
                *self = Self {
                    run: Some(*run),
                    request: self.request.take(),
                    ..Self::default()
                };
            }
            Message::Batch(records) => {
                self.records += records.len() as u64;
                for record in records {
                    self.note_record(record);
                }
            }
            Message::Finished { .. } => self.run = None,
            _ => {}
        }
    }

    fn note_record(&mut self, record: &Record) {
        match record {
            Record::Span(span) => {
                self.latest = self.latest.max(span.end);
                self.running.remove(&span.id);
            }
            Record::Began(began) => {
                self.latest = self.latest.max(began.start);
                self.running.insert(began.id, *began);
            }
            Record::Device(device) => {
                self.devices.insert(device.id, 1);
            }
            Record::Recovery(recovery) => {
                self.devices.insert(recovery.device, recovery.generation);
            }
            Record::End(end) => {
                self.latest = self.latest.max(end.time);
                self.has_ended = true;
            }
            _ => {}
        }
    }

    /// The link dropped and is tried again: the line where that was, unless nothing ran.
    pub fn dropped(&mut self, name: &str, why: &str) -> Vec<Record> {
        if self.run.is_none() {
            return Vec::new();
        }
        self.drops += 1;
        self.dropped_at = self.latest;
        vec![Record::Loss(Box::new(Loss {
            device: DeviceId::NONE,
            time: self.latest,
            reason: format!("the link to {name} dropped: {why}"),
            kind: LossKind::Link,
            generation: self.drops,
        }))]
    }

    /// The link is back, at the same place of the run: nothing that happened meanwhile is missing.
    pub fn returned(&self) -> Vec<Record> {
        if self.run.is_none() || self.drops == 0 {
            return Vec::new();
        }
        vec![Record::Recovery(Box::new(Recovery {
            device: DeviceId::NONE,
            generation: self.drops + 1,
            lost: self.dropped_at,
            time: self.dropped_at,
        }))]
    }

    /// The worker is gone because of `why`: what was running is lost, and the run is over. Nothing where no run was
    /// under way.
    pub fn gone(&mut self, why: &str) -> Option<(u64, Vec<Record>)> {
        let run = self.run.take()?;
        if self.has_ended {
            return Some((run, Vec::new()));
        }
        let latest = self.latest;
        let running = std::mem::take(&mut self.running);
        let lost = running.into_values().map(|began| {
            Record::Span(Span {
                id: began.id,
                lane: began.lane,
                name: began.name,
                call: CallId::NONE,
                kind: began.kind,
                state: State::Lost,
                enqueued: began.enqueued,
                start: began.start,
                end: latest.max(began.start),
            })
        });
        let mut records: Vec<Record> = lost.collect();
        for (device, generation) in &self.devices {
            records.push(Record::Loss(Box::new(Loss {
                device: *device,
                time: latest,
                reason: why.to_owned(),
                kind: LossKind::Process,
                generation: *generation,
            })));
        }
        records.push(problem(
            Severity::DataLoss,
            GONE,
            format!(
                "the process that ran this is gone: {why}; what it had not sent is not here, and what it had is whole"
            ),
        ));
        records.push(Record::End(Box::new(RunEnd {
            time: latest,
            outcome: Outcome::Failed(format!("the process that ran it is gone: {why}")),
            records: self.records + records.len() as u64 + 1,
        })));
        Some((run, records))
    }
}

fn problem(severity: Severity, code: &str, text: String) -> Record {
    Record::Problem(Box::new(Problem {
        severity,
        code: code.to_owned(),
        text,
        span: SpanId::NONE,
        event: EventId::NONE,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{Device, LaneId, NameId, SpanKind};

    #[test]
    fn what_was_running_is_lost_with_its_worker() {
        let mut watch = Watch::default();
        assert_eq!(watch.gone("x"), None);
        let began = Began {
            id: SpanId(3),
            lane: LaneId(0),
            name: NameId(0),
            kind: SpanKind::Kernel,
            enqueued: Nanos(1),
            start: Nanos(5),
        };
        let device = Device {
            id: DeviceId(0),
            name: String::new(),
            backend: String::new(),
            detail: String::new(),
        };
        watch.note(&Message::Started { run: 2 });
        watch.note(&Message::Batch(vec![
            Record::Device(Box::new(device)),
            Record::Began(began),
        ]));
        let (run, records) = watch.gone("killed").unwrap();
        assert_eq!(run, 2);
        assert!(matches!(
            records.as_slice(),
            [
                Record::Span(Span {
                    id: SpanId(3),
                    state: State::Lost,
                    ..
                }),
                Record::Loss(_),
                Record::Problem(_),
                Record::End(_)
            ]
        ));
        assert_eq!(watch.gone("again"), None);
    }
}

//! What a run at the far end was doing last, so that its end can be told where it cannot tell it itself.

use std::collections::BTreeMap;
use std::time::Instant;

use crate::{Message, RunRequest};
use record::time::Nanos;
use record::{
    Dependency, DeviceId, EventId, Loss, LossKind, Problem, Record, Recovery, RunEnd, RunOutcome,
    Severity, Span, SpanId, SpanSet, SpanStart, State, SubmittedSpan,
};

/// The code of the problem that says that a worker died.
pub const GONE: &str = "worker-gone";

/// How many dependencies wait for their spans at most.
const UNRESOLVED: usize = 1 << 16;

/// What a run at the far end was doing last.
#[derive(Debug, Default)]
pub struct RunWatch {
    /// The run that is under way, as the worker counts them.
    pub run: Option<u64>,
    /// What was asked for last.
    pub request: Option<Box<RunRequest>>,
    /// When the worker was asked for a run that it has neither begun nor refused.
    pub asked: Option<Instant>,
    /// The latest time that was heard of.
    latest: Nanos,
    /// What began and has not ended.
    running: BTreeMap<SpanId, SpanStart>,
    /// What was submitted and has not ended.
    submitted: BTreeMap<SpanId, SubmittedSpan>,
    /// The spans that were heard of.
    known: SpanSet,
    /// Dependencies of spans that were not heard of yet.
    unresolved: Vec<Dependency>,
    devices: BTreeMap<DeviceId, u32>,
    /// Records that were handed on, and those that came.
    records: u64,
    taken: u64,
    has_ended: bool,
    /// How often the link dropped, and when it did last.
    drops: u32,
    dropped_at: Nanos,
}

impl RunWatch {
    /// Takes note of a message before it is handed on. What is for this end alone is taken out of it, and dependencies
    /// are held until both of their spans were heard of: should the process die before, there would be none.
    pub fn note(&mut self, message: &mut Message) {
        match message {
            Message::Started { run } => {
                *self = Self {
                    run: Some(*run),
                    request: self.request.take(),
                    ..Self::default()
                };
            }
            Message::Batch(records) => {
                let given = records.len() as u64;
                records.retain(|record| self.note_record(record));
                let is_last = matches!(records.last(), Some(Record::End(_)));
                let resolved = self.resolve(is_last);
                let place = records.len() - usize::from(is_last);
                records.splice(place..place, resolved);
                self.records += records.len() as u64;
                self.taken += given;
                if let Some(Record::End(end)) = records.last_mut() {
                    // What was for this end alone is no record of the run.
                    let own = self.taken.saturating_sub(self.records);
                    // More were handed on than came where this end told some by itself.
                    let more = self.records.saturating_sub(self.taken);
                    end.records = end.records.saturating_sub(own).saturating_add(more);
                }
            }
            Message::Finished { .. } => self.run = None,
            Message::Refused(_) => self.asked = None,
            _ => {}
        }
    }

    /// Takes note of a record, and says whether it is to be handed on as it is.
    fn note_record(&mut self, record: &Record) -> bool {
        match record {
            Record::Span(span) => {
                self.latest = self.latest.max(span.end);
                self.running.remove(&span.id);
                self.submitted.remove(&span.id);
                self.known.insert(span.id);
            }
            Record::Began(began) => {
                self.latest = self.latest.max(began.start);
                self.running.insert(began.id, *began);
                self.known.insert(began.id);
            }
            Record::Submitted(it) => {
                self.latest = self.latest.max(it.enqueued);
                // Its end may have come by another thread's way before.
                if !self.known.contains(it.id) {
                    self.submitted.insert(it.id, **it);
                    self.known.insert(it.id);
                }
                return false;
            }
            Record::Dependency(dependency) => {
                let is_known =
                    self.known.contains(dependency.cause) && self.known.contains(dependency.effect);
                if !is_known {
                    self.unresolved.push(*dependency);
                }
                return is_known;
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
        true
    }

    /// The dependencies that waited for what is known by now; all of them at the end of a run.
    fn resolve(&mut self, is_last: bool) -> Vec<Record> {
        // Nobody holds back as many: they are of no span that comes, and looking through them again and again takes longer
        // and longer.
        let is_last = is_last || self.unresolved.len() > UNRESOLVED;
        let waiting = std::mem::take(&mut self.unresolved);
        let is_known =
            |it: &Dependency| self.known.contains(it.cause) && self.known.contains(it.effect);
        let (resolved, waiting) = waiting.into_iter().partition(|it| is_last || is_known(it));
        self.unresolved = waiting;
        let resolved: Vec<Dependency> = resolved;
        resolved.into_iter().map(Record::Dependency).collect()
    }

    /// What was in flight: lost from the moment at which it began, or where it never did, from the last that was heard.
    fn in_flight(&mut self) -> Vec<Record> {
        let latest = self.latest;
        let mut submitted = std::mem::take(&mut self.submitted);
        let running = std::mem::take(&mut self.running).into_values();
        let lost = |began: SpanStart, call| Span {
            id: began.id,
            lane: began.lane,
            name: began.name,
            call,
            kind: began.kind,
            state: State::Lost,
            enqueued: began.enqueued,
            start: began.start,
            end: latest.max(began.start),
        };
        let mut spans: Vec<Span> = running
            .map(|began| {
                let call = submitted.remove(&began.id);
                lost(began, call.map(|it| it.call).unwrap_or_default())
            })
            .collect();
        spans.extend(submitted.into_values().map(|it| {
            let began = SpanStart {
                id: it.id,
                lane: it.lane,
                name: it.name,
                kind: it.kind,
                enqueued: it.enqueued,
                start: latest,
            };
            lost(began, it.call)
        }));
        spans.sort_unstable_by_key(|span| span.id);
        spans.into_iter().map(Record::Span).collect()
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
        let mut records = self.in_flight();
        // What is left leads to spans that are not here and never will be.
        self.unresolved.clear();
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
            outcome: RunOutcome::Failed(format!("the process that ran it is gone: {why}")),
            records: self.records + records.len() as u64 + 1,
        })));
        Some((run, records))
    }
}

/// A problem of a capture, and of none of its spans.
pub fn problem(severity: Severity, code: &str, text: String) -> Record {
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
    use record::{CallId, Device, LaneId, NameId, SpanKind};

    #[test]
    fn what_was_running_is_lost_with_its_worker() {
        let mut watch = RunWatch::default();
        assert_eq!(watch.gone("x"), None);
        let began = SpanStart {
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
            rank: None,
            paced: None,
        };
        watch.note(&mut Message::Started { run: 2 });
        watch.note(&mut Message::Batch(vec![
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

    #[test]
    fn a_worker_may_count_its_records_as_it_likes() {
        let outcome = RunOutcome::Finished;
        for records in [0, u64::MAX] {
            let mut watch = RunWatch::default();
            let end = RunEnd {
                time: Nanos(i64::MAX),
                outcome: outcome.clone(),
                records,
            };
            let tie = Dependency::submission(SpanId(u32::MAX - 1), SpanId(0));
            let ties = vec![Record::Dependency(tie); 2 * UNRESOLVED];
            watch.note(&mut Message::Started { run: 1 });
            let mut held = Message::Batch(ties);
            watch.note(&mut held);
            let Message::Batch(handed) = held else {
                panic!("it is a batch")
            };
            assert_eq!(handed.len(), 2 * UNRESOLVED, "they wait for nothing");
            let mut last = Message::Batch(vec![Record::End(Box::new(end))]);
            watch.note(&mut last);
            assert!(matches!(last, Message::Batch(records) if records.len() == 1));
        }
    }

    #[test]
    fn what_was_submitted_is_lost_and_dependencies_lead_to_spans_that_are_there() {
        let submitted = |id: u32| {
            Record::Submitted(Box::new(SubmittedSpan {
                id: SpanId(id),
                lane: LaneId(1),
                name: NameId(0),
                call: CallId(4),
                kind: SpanKind::Kernel,
                enqueued: Nanos(i64::from(id)),
            }))
        };
        let call = Record::Span(Span {
            id: SpanId(0),
            lane: LaneId(0),
            name: NameId(0),
            call: CallId(4),
            kind: SpanKind::Call,
            state: State::Done,
            enqueued: Nanos(0),
            start: Nanos(0),
            end: Nanos(9),
        });
        let tie = |cause, effect| {
            Record::Dependency(Dependency::submission(SpanId(cause), SpanId(effect)))
        };
        let mut watch = RunWatch::default();
        watch.note(&mut Message::Started { run: 1 });
        let mut first = Message::Batch(vec![tie(0, 1), submitted(1), tie(2, 3)]);
        watch.note(&mut first);
        assert_eq!(
            first,
            Message::Batch(Vec::new()),
            "the call is not known yet"
        );
        let mut second = Message::Batch(vec![call.clone(), submitted(3)]);
        watch.note(&mut second);
        assert_eq!(second, Message::Batch(vec![call, tie(0, 1)]));
        let (_, records) = watch.gone("killed").unwrap();
        let lost: Vec<_> = records
            .iter()
            .filter_map(|record| match record {
                Record::Span(span) => Some((span.id.0, span.state, span.start, span.call)),
                Record::Dependency(dependency) => panic!("{dependency:?}"),
                _ => None,
            })
            .collect();
        let row = |id| (id, State::Lost, Nanos(9), CallId(4));
        assert_eq!(lost, [row(1), row(3)]);
    }
}

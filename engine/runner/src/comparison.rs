//! What automatic synchronisation costs: the waits it inserted, and the same run with the least that is needed.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::time::Duration;

use crossbeam_channel::RecvTimeoutError;

use super::protocol::{Control, Message, Pace, RunRequest};
use record::time::{Interval, Nanos};
use record::{
    DependencyKind, Finding, FindingId, Record, Severity, Span, SpanId, SpanKind, State, Value,
};
use workload::{Document, Plan, Synchronization};

/// The code of the finding that says what automatic synchronisation came to.
const CODE: &str = "automatic-waits";

/// What inserted waits came to, noted while records pass by.
#[derive(Debug, Default)]
pub struct InsertionCounts {
    /// The lanes of host threads come before this one.
    hosts: u32,
    waits: BTreeSet<SpanId>,
    redundant: u64,
    /// How long streams waited in each wait for another stream.
    joins: BTreeMap<SpanId, Nanos>,
    extent: Option<Interval>,
    losses: u64,
}

/// Figures of one run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RunFigures {
    /// Waits that were inserted.
    pub waits: u64,
    /// Those among them that come between two reads whose streams are ordered already.
    pub redundant: u64,
    /// How long streams waited in them, together.
    pub waited: Nanos,
    /// From the start of the first operation to the end of the last.
    pub length: Nanos,
    /// Devices that were lost in it.
    pub losses: u64,
}

impl InsertionCounts {
    /// Of a run of `plan`.
    pub fn new(plan: &Plan) -> Self {
        Self {
            hosts: plan.hosts.len() as u32,
            ..Self::default()
        }
    }

    /// The workload begins again: what was inserted before is of an attempt that does not count.
    pub fn begin_attempt(&mut self) {
        *self = Self {
            hosts: self.hosts,
            losses: self.losses,
            ..Self::default()
        };
    }

    /// Notes what these records say.
    pub fn note(&mut self, records: &[Record]) {
        for record in records {
            match record {
                Record::Dependency(tie) if tie.kind == DependencyKind::Automatic => {
                    self.waits.insert(tie.effect);
                }
                Record::Argument(_, _, Value::Text(text)) if text.contains("wait is redundant") => {
                    self.redundant += 1;
                }
                Record::Span(span) if span.lane.0 >= self.hosts => self.note_span(span),
                Record::Loss(_) => self.losses += 1,
                _ => {}
            }
        }
    }

    fn note_span(&mut self, span: &Span) {
        if span.state != State::Done {
            return;
        }
        let interval = Interval::new(span.start, span.end);
        match span.kind {
            SpanKind::Join => {
                self.joins.insert(span.id, interval.length());
            }
            SpanKind::Scope | SpanKind::Step | SpanKind::Compile => {}
            _ => self.extent = Some(self.extent.map_or(interval, |it| it.union(interval))),
        }
    }

    /// What it came to.
    pub fn figures(&self) -> RunFigures {
        let waited = self.waits.iter().filter_map(|id| self.joins.get(id));
        RunFigures {
            waits: self.waits.len() as u64,
            redundant: self.redundant,
            waited: Nanos(waited.map(|length| length.0).sum()),
            length: self.extent.map_or(Nanos::ZERO, Interval::length),
            losses: self.losses,
        }
    }

    /// What it came to as a finding, against the least where that was run; nothing where nothing is inserted.
    pub fn finding(
        &self,
        mode: Synchronization,
        least: Option<RunFigures>,
        id: FindingId,
    ) -> Option<Finding> {
        if mode == Synchronization::Manual {
            return None;
        }
        Some(Finding {
            id,
            code: CODE.to_owned(),
            severity: Severity::Info,
            text: sentence(mode, &self.figures(), least.as_ref()),
            spans: self.waits.first().copied().into_iter().collect(),
            lines: Vec::new(),
            count: 1,
        })
    }
}

fn sentence(mode: Synchronization, own: &RunFigures, least: Option<&RunFigures>) -> String {
    let waits = |count: u64| match count {
        1 => "1 wait".to_owned(),
        many => format!("{many} waits"),
    };
    let rule = match mode {
        Synchronization::Least => "the least that is needed",
        _ => "automatic synchronisation",
    };
    let mut text = format!(
        "{rule} inserted {}, {} of them redundant; streams waited in them for {} together",
        waits(own.waits),
        own.redundant,
        own.waited.rounded()
    );
    let lost = least.filter(|least| least.losses > 0 || own.losses > 0);
    if let Some(least) = lost {
        let which = if least.losses > 0 {
            "the run that was to show that"
        } else {
            "this run"
        };
        // Writing to a string cannot fail.
        let _ = write!(
            text,
            ". It is not compared with the least that is needed, because {which} lost its device; run again"
        );
    } else if let Some(least) = least {
        let longer = own.length.0 as f64 / (least.length.0.max(1)) as f64 * 100.0 - 100.0;
        // Writing to a string cannot fail.
        let _ = write!(
            text,
            ". The least that is needed is {} and {}: all took {} instead of {}, {longer:+.0} %",
            waits(least.waits),
            least.waited.rounded(),
            own.length.rounded(),
            least.length.rounded(),
        );
    }
    text
}

/// The figures of the same run with the least that is needed, where the request wants them compared.
pub fn least(request: &RunRequest, is_closing: &AtomicBool) -> Option<RunFigures> {
    let document = Document::parse(&request.name, &request.source).ok()?;
    let plan = document.plan(&request.parameters).ok()?;
    let mode = request.synchronization.unwrap_or(plan.synchronization);
    if mode != Synchronization::Compared {
        return None;
    }
    let engine = super::Engine::start(Box::new(|| ()));
    engine.send(Control::Run(Box::new(RunRequest {
        synchronization: Some(Synchronization::Least),
        save: None,
        paused: false,
        pace: Pace::Full,
        // What is done to the run on purpose is done to the one that is shown.
        lose: Vec::new(),
        faults: Vec::new(),
        ..request.clone()
    })));
    let mut inserted = InsertionCounts::new(&plan);
    loop {
        match engine.messages().recv_timeout(Duration::from_millis(20)) {
            Ok(Message::Batch(records)) => inserted.note(&records),
            Ok(Message::Finished { .. }) => return Some(inserted.figures()),
            Ok(Message::Refused(_)) | Err(RecvTimeoutError::Disconnected) => return None,
            Ok(_) | Err(RecvTimeoutError::Timeout) if is_closing.load(SeqCst) => return None,
            Ok(_) | Err(RecvTimeoutError::Timeout) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_says_what_the_rule_cost_over_the_least() {
        let own = RunFigures {
            waits: 3,
            redundant: 1,
            waited: Nanos(2_500),
            length: Nanos(12_000),
            losses: 0,
        };
        let least = RunFigures {
            waits: 1,
            redundant: 0,
            waited: Nanos(500),
            length: Nanos(10_000),
            losses: 0,
        };
        let text = sentence(Synchronization::Compared, &own, Some(&least));
        for words in [
            "inserted 3 waits, 1 of them",
            "2.50 µs",
            "is 1 wait and 500 ns",
            "+20 %",
        ] {
            assert!(text.contains(words), "{words} in {text}");
        }
        // Times of a run that died are no measure.
        for (own_lost, least_lost, words) in [(0, 1, "the run that was to"), (1, 0, "this run")] {
            let own = RunFigures {
                losses: own_lost,
                ..own
            };
            let least = RunFigures {
                losses: least_lost,
                ..least
            };
            let text = sentence(Synchronization::Compared, &own, Some(&least));
            assert!(text.contains(words) && !text.contains('%'), "{text}");
        }
    }
}

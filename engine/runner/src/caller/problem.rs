//! What is legal and hardly meant: reported with the span it is about.

use super::{Caller, CurrentCall};
use crate::lost_values::{STALE_RESULT, stale_text};
use backend::Operation;
use device::MissingRecord;
use record::{EventId, EventIndex, Problem, Record, Severity, SpanId, StreamIndex};

/// Problems that one host thread reports before it stops.
const MOST: u32 = 1000;

/// How many problems a host thread has reported.
#[derive(Debug, Default)]
pub struct ProblemTally(u32);

impl Caller {
    /// Rule A1: such a wait orders nothing.
    pub(super) fn report_wait_before_record(
        &mut self,
        current: &CurrentCall,
        event: EventIndex,
        span: SpanId,
    ) {
        let without = self.shared.events.without_record(event);
        let rest = match without {
            MissingRecord::Never => {
                "that is right the first time round a loop, and otherwise the record must be called first"
            }
            MissingRecord::Reset => {
                "call it before the reset where it is to wait for the record before that, and otherwise record the event \
                 again first"
            }
            MissingRecord::Reopened => "call the record again before it",
        };
        let text = format!(
            "line {}: the wait for {} has nothing to wait for, because the event {}; {rest}",
            current.place.line,
            self.event_name(event),
            without.says()
        );
        self.report_problem(Severity::Warning, "wait-before-record", text, span, event);
    }

    /// Legal, and of no use.
    pub(super) fn report_join_of_itself(&mut self, current: &CurrentCall) {
        let text = format!(
            "line {}: a stream waits for itself, which adds nothing, because it runs in order anyway; remove it",
            current.place.line
        );
        let none = EventIndex(EventId::NONE.0);
        self.report_problem(Severity::Info, "redundant-wait", text, current.span, none);
    }

    /// Follows the numbers that a loss took: says so where an operation, at its place in its stream, reads back what may
    /// be made of them.
    pub(super) fn note_values(
        &mut self,
        current: &CurrentCall,
        (operation, stream, place): (&Operation, StreamIndex, u64),
        span: SpanId,
    ) {
        let values = &self.shared.lost_values;
        let Some(buffer) = values.note(operation, stream, place) else {
            return;
        };
        let text = stale_text(&self.shared.plan, current.place.line, buffer);
        let none = EventIndex(EventId::NONE.0);
        self.report_problem(Severity::Warning, STALE_RESULT, text, span, none);
    }

    /// Rule A1: complete at once.
    pub(super) fn report_use_before_record(
        &mut self,
        current: &CurrentCall,
        event: EventIndex,
        verb: &str,
    ) {
        let text = format!(
            "line {}: {verb} found that {} {}, which counts as complete; record it first",
            current.place.line,
            self.event_name(event),
            self.shared.events.without_record(event).says()
        );
        let code = format!("{verb}-before-record");
        self.report_problem(Severity::Info, &code, text, current.span, event);
    }

    /// Reports what is odd about a call.
    pub(super) fn tell(&self, severity: Severity, code: &str, text: String, span: SpanId) {
        self.reporter.send(Record::Problem(Box::new(Problem {
            severity,
            code: code.to_owned(),
            text,
            span,
            event: EventId::NONE,
        })));
    }

    pub(super) fn event_name(&self, event: EventIndex) -> &str {
        let event = self.shared.plan.events.get(event.index());
        event.map_or("?", |event| &event.name)
    }

    pub(super) fn report_problem(
        &mut self,
        severity: Severity,
        code: &str,
        text: String,
        span: SpanId,
        event: EventIndex,
    ) {
        self.problems.0 = self.problems.0.saturating_add(1);
        let (severity, code, text) = match self.problems.0 {
            ..=MOST => (severity, code, text),
            place if place == MOST + 1 => {
                let text = format!("more than {MOST} problems: further ones are not reported");
                (Severity::DataLoss, "too-many-problems", text)
            }
            _ => return,
        };
        self.reporter.send(Record::Problem(Box::new(Problem {
            severity,
            code: code.to_owned(),
            text,
            span,
            event: EventId(event.0),
        })));
    }
}

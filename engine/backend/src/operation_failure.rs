//! What is reported of an operation that did not come to a good end: the same on every backend.

use crate::{Operation, Submission};
use device::{FailureConsequence, OperationFailure};
use record::{
    Basis, Dependency, DependencyKind, EventId, Problem, Record, Severity, SpanId, State,
};
use workload::ErrorKind;

/// Why a node of a graph fails that waits for a record which failed.
pub const FORSAKEN: &str =
    "a node of the graph waits for a record of an event that failed or was cancelled";

/// An operation failed, because of `reason`.
pub fn failed(span: SpanId, reason: &str, consequence: FailureConsequence) -> Record {
    let text = match consequence {
        FailureConsequence::DeviceStops => format!(
            "{reason}; what was queued behind it on any stream is cancelled: mend the launch and run again"
        ),
        _ => format!(
            "{reason}; its stream goes on with the next operation, as its failure mode says, and the next \
             synchronisation with the stream reports this: mend the launch"
        ),
    };
    record(Severity::Error, "operation-failed", text, span)
}

/// A wait came to nothing.
pub fn problem(mishap: OperationFailure, span: SpanId, consequence: FailureConsequence) -> Record {
    let (_, reason) = reason(mishap);
    let code = match mishap {
        OperationFailure::Failed => "operation-failed",
        OperationFailure::TimedOut => "wait-timed-out",
        OperationFailure::Orphaned => "orphaned-wait",
    };
    let follows = match consequence {
        FailureConsequence::GoesOn => {
            "its stream goes on with the next operation, as its failure mode says"
        }
        FailureConsequence::StreamStops => "its stream drops what it is given until it is aborted",
        FailureConsequence::DeviceStops => {
            "nothing more runs, as the failure mode of its stream says"
        }
    };
    let text =
        format!("{reason}; {follows}, and the next synchronisation with the stream reports this");
    record(Severity::Warning, code, text, span)
}

/// The call `by` dropped an operation with its stream (rule F14).
pub fn aborted(by: SpanId, dropped: SpanId) -> Record {
    Record::Dependency(Dependency::new(
        by,
        dropped,
        DependencyKind::Abort,
        Basis::Enforced,
    ))
}

/// A callback that blocks its stream ended as `state`: its stream waited for the function's end, unless it was dropped
/// before. Nothing of another operation.
pub fn waited_for_function(submission: &Submission, state: State) -> Option<Record> {
    let callback = match submission.operation {
        Operation::Callback(callback) if callback.is_blocking => callback,
        _ => return None,
    };
    let basis = match state {
        State::Done | State::Failed => Basis::Enforced,
        _ => Basis::Declared,
    };
    let (function, operation) = (callback.span, submission.span);
    let kind = DependencyKind::Step;
    Some(Record::Dependency(Dependency::new(
        function, operation, kind, basis,
    )))
}

/// A function of the host panicked (rule A30).
pub fn panicked(span: SpanId) -> Record {
    let text = "the function panicked, which goes no further: its stream goes on with the next operation; mend the \
                function";
    record(
        Severity::Warning,
        "callback-panicked",
        text.to_owned(),
        span,
    )
}

/// The device's profiler told no time of an operation.
pub fn untimed(span: SpanId) -> Record {
    let text = "CUPTI told no time of this operation: it is shown from when it could begin at the earliest until the host saw \
                that it had ended; where records were dropped, run less at once, or set SYNCLINE_CUPTI=off for timing \
                events";
    record(Severity::Warning, "no-device-time", text.to_owned(), span)
}

/// The same of `count` more operations of a stream.
pub fn untimed_too(count: u64) -> Record {
    let text = format!(
        "CUPTI told no time of {count} more operations of a stream, which are shown as the host saw them"
    );
    record(Severity::Warning, "no-device-time", text, SpanId::NONE)
}

/// What a device says has gone wrong with its times.
pub fn dropped(text: String) -> Record {
    record(Severity::Warning, "dropped-activity", text, SpanId::NONE)
}

/// What the next synchronisation says, and by which word an error branch knows it.
pub const fn reason(mishap: OperationFailure) -> (ErrorKind, &'static str) {
    match mishap {
        OperationFailure::Failed => (ErrorKind::Failed, "an operation failed"),
        OperationFailure::TimedOut => (
            ErrorKind::TimedOut,
            "a wait of the stream took longer than it was given: record the event in time, or give it longer",
        ),
        OperationFailure::Orphaned => (
            ErrorKind::Failed,
            "the record that a stream waits for was dropped or failed, and is never reached: abort the stream that waits, \
             or let it continue on failure",
        ),
    }
}

fn record(severity: Severity, code: &str, text: String, span: SpanId) -> Record {
    Record::Problem(Box::new(Problem {
        severity,
        code: code.to_owned(),
        text,
        span,
        event: EventId::NONE,
    }))
}

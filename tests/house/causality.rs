//! What has to hold of the times of a cause and its effect.

use engine::record::{Dependency, DependencyKind, Span, SpanKind};

/// Whether an effect does not come before its cause: it begins when the cause has ended. What only waits begins when it
/// begins to wait, and its own end counts.
pub fn is_in_time(dependency: &Dependency, cause: &Span, effect: &Span) -> bool {
    match dependency.kind {
        // A call submits and raises somewhere between its begin and its end.
        DependencyKind::Submission => cause.start <= effect.start,
        // An abort drops what it drops while it is called.
        DependencyKind::Signal | DependencyKind::Abort => cause.start <= effect.end,
        DependencyKind::Step if cause.kind == SpanKind::Call => cause.start <= effect.start,
        // What is a part of another begins with it.
        DependencyKind::Step
            if effect.kind == SpanKind::Step
                && matches!(cause.kind, SpanKind::Step | SpanKind::Compile) =>
        {
            cause.end <= effect.start || cause.start == effect.start && cause.end <= effect.end
        }
        // The life of an instruction lasts until its operation has ended.
        DependencyKind::Step if effect.kind == SpanKind::Step => cause.end <= effect.end,
        // One operation is drawn twice: on its stream, and on the queue or by the callback thread that ran it.
        DependencyKind::Step if cause.kind == effect.kind => cause.end <= effect.end,
        // A call that blocks is made before what it waits for ends, and returns after it.
        DependencyKind::Synchronization => cause.end <= effect.end,
        _ if effect.kind.is_waiting() => cause.end <= effect.end,
        _ => cause.end <= effect.start,
    }
}

//! Stubs: instants that stand for spans outside of a piece.

use capture::{Capture, PlacedSpan};
use record::{
    DependencyKind, Group, STUB_BEGAN, STUB_ENDED, STUB_KIND, Span, SpanKind, State, Value,
};

/// What ties a stub to what is kept; of several ties the one that comes last here says where it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum StubRole {
    /// Something that is kept came before it.
    Effect,
    /// It comes next on its stream.
    After,
    /// It was before what is kept on its stream.
    Before,
    /// It came before something that is kept.
    Cause(DependencyKind),
}

impl StubRole {
    /// The role of a stub with one tie more. What submitted counts by its start, whatever else came of it.
    pub fn with(self, other: Self) -> Self {
        let submits = Self::Cause(DependencyKind::Submission);
        if self == submits || other == submits {
            submits
        } else {
            self.max(other)
        }
    }
}

/// The stub of a span: an instant at its point that counts, the end of what was waited for and the start of what submitted, or
/// of what was held the moment when it could go on.
pub(super) fn stub(capture: &Capture, placed: &PlacedSpan, role: StubRole) -> Span {
    let span = &placed.span;
    let group = capture.lane(span.lane).map(|it| it.group);
    let is_call = group == Some(Group::Host) && span.kind != SpanKind::HostFunction;
    let is_start = match role {
        StubRole::Effect => !is_call && !span.kind.is_waiting(),
        StubRole::Cause(DependencyKind::Signal | DependencyKind::Step) => is_call,
        StubRole::After | StubRole::Cause(DependencyKind::Submission | DependencyKind::Abort) => {
            true
        }
        StubRole::Before | StubRole::Cause(_) => false,
    };
    let at = if is_start { span.start } else { span.end };
    Span {
        kind: SpanKind::Stub,
        state: if placed.never_ran() {
            span.state
        } else {
            State::Done
        },
        enqueued: at,
        start: at,
        end: at,
        ..*span
    }
}

/// What a stub says of the span that it stands for, as fields of its own: what it is, and when it began and ended. That of a
/// stub is said already.
pub(super) fn fields(span: &Span) -> impl Iterator<Item = (&'static str, Value)> {
    let fields = [
        (STUB_KIND, Value::Text(span.kind.label().into())),
        (STUB_BEGAN, Value::Integer(span.start.0)),
        (STUB_ENDED, Value::Integer(span.end.0)),
    ];
    let is_told = span.kind == SpanKind::Stub;
    fields.into_iter().filter(move |_| !is_told)
}

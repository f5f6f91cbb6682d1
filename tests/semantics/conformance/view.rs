//! A capture as a case asks about it: by the names that spans have.

use engine::capture::Capture;
use engine::record::{Dependency, DependencyKind, Group, Role, RunEnd, Span, SpanId, State, Value};
use engine::time::Nanos;

/// The capture of a case.
pub struct View {
    /// All of it.
    pub capture: Capture,
    /// How it ended.
    pub end: RunEnd,
}

impl View {
    /// How long something lasts of which the text says so: on a paced device as its law stretches it.
    pub fn lasting(&self, length: Nanos) -> Nanos {
        let law = self.capture.devices().iter().find_map(|it| it.paced);
        law.map_or(length, |law| law.stretched(length))
    }

    fn named(&self, name: &str, group: Group) -> Vec<Span> {
        let spans = self.capture.spans().map(|placed| placed.span);
        let is_here = |span: &Span| {
            let lane = self.capture.lane(span.lane).unwrap();
            lane.group == group && lane.role != Role::Queue && self.capture.name(span.name) == name
        };
        spans.filter(is_here).collect()
    }

    /// The operations called `name`, in the order of their submission.
    pub fn operations(&self, name: &str) -> Vec<Span> {
        self.named(name, Group::Streams)
    }

    /// The only operation called `name`.
    #[track_caller]
    pub fn operation(&self, name: &str) -> Span {
        let found = self.operations(name);
        assert_eq!(found.len(), 1, "operations called {name}");
        found[0]
    }

    /// The host calls called `name`.
    pub fn calls(&self, name: &str) -> Vec<Span> {
        self.named(name, Group::Host)
    }

    /// The only host call called `name`.
    #[track_caller]
    pub fn call(&self, name: &str) -> Span {
        let found = self.calls(name);
        assert_eq!(found.len(), 1, "calls called {name}");
        found[0]
    }

    /// What a span depends on by `kind`.
    pub fn causes(&self, span: SpanId, kind: DependencyKind) -> Vec<Dependency> {
        let causes = self.capture.causes(span);
        let all = causes.filter_map(|id| self.capture.dependency(id));
        all.filter(|dependency| dependency.kind == kind).collect()
    }

    /// The text of a span's argument.
    pub fn text(&self, span: SpanId, argument: &str) -> Option<String> {
        let mut arguments = self.capture.arguments(span);
        arguments
            .find(|(name, _)| *name == argument)
            .map(|(_, value)| match value {
                Value::Text(text) => text.to_string(),
                other => format!("{other:?}"),
            })
    }

    /// What the calls called `name` say that failed.
    pub fn errors(&self, name: &str) -> Vec<String> {
        let calls = self.calls(name);
        let results = calls.iter().map(|call| self.text(call.id, "result"));
        results.flatten().collect()
    }

    /// The kind of error of each call called `name` that failed.
    pub fn results(&self, name: &str) -> Vec<String> {
        let kind = |text: &String| text.split(':').next().unwrap_or_default().to_owned();
        self.errors(name).iter().map(kind).collect()
    }

    /// How many problems have this code.
    pub fn problems(&self, code: &str) -> usize {
        let problems = self.capture.problems().iter();
        problems.filter(|problem| problem.code == code).count()
    }

    /// How many findings of the run have this code.
    pub fn findings(&self, code: &str) -> usize {
        let findings = self.capture.findings().iter();
        findings.filter(|finding| finding.code == code).count()
    }

    /// The states of the operations called `name`.
    pub fn states(&self, name: &str) -> Vec<State> {
        self.operations(name)
            .iter()
            .map(|span| span.state)
            .collect()
    }
}

/// Fails unless `first` ended before `second` started.
#[track_caller]
pub fn before(first: Span, second: Span) {
    assert!(
        first.end <= second.start,
        "{first:?} should end before {second:?} starts"
    );
}

/// Fails unless `first` ended before `second` ended.
#[track_caller]
pub fn ends_before(first: Span, second: Span) {
    assert!(
        first.end <= second.end,
        "{first:?} should end before {second:?} ends"
    );
}

//! What a run says of each dependency, compared with the model: enforced is what holds in every run, and was seen in this.

use std::collections::BTreeMap;

use engine::record::{Basis, DependencyKind, SpanId};

use super::super::order::MomentIndex;
use super::super::text::GeneratedCall;
use super::Comparison;

impl Comparison<'_> {
    /// An enforced dependency has happened, whatever became of its effect: it did not end before its cause.
    pub(super) fn arrows_in_time(&self, complaints: &mut Vec<(&'static str, String)>) {
        for dependency in &self.run.dependencies {
            let span = |id: SpanId| self.run.spans.get(&id);
            let (Some(cause), Some(effect)) = (span(dependency.cause), span(dependency.effect))
            else {
                continue;
            };
            let begun = match dependency.kind {
                DependencyKind::Submission => continue,
                // A signal is raised while its call runs, and a stream aborted.
                DependencyKind::Signal | DependencyKind::Abort => cause.start,
                _ => cause.end,
            };
            if dependency.basis == Basis::Enforced && begun > effect.end {
                let (cause, effect) = (self.run.told(cause), self.run.told(effect));
                let kind = dependency.kind.label();
                complaints.push(("arrow", format!("{kind}: {effect} ends before {cause}")));
            }
        }
    }

    /// What is enforced is so in every run, and what is observed is not.
    pub(super) fn arrows_in_order(&self, complaints: &mut Vec<(&'static str, String)>) {
        let mut moments: BTreeMap<SpanId, (MomentIndex, MomentIndex)> = BTreeMap::new();
        for (moment, drawn) in self.times() {
            let slot = moments.entry(drawn.span.id).or_insert((moment, moment));
            *slot = (slot.0.min(moment), slot.1.max(moment));
        }
        let is_timed = |call| matches!(call, GeneratedCall::TimedWait(..));
        let may_be_chance = !self.order.unordered_calls.is_empty()
            || self.order.calls.iter().any(|it| is_timed(it.call));
        for dependency in &self.run.dependencies {
            use DependencyKind::{Event, Join, Signal, Synchronization};
            let moment = |id: SpanId| moments.get(&id);
            let (Some(cause), Some(effect)) = (moment(dependency.cause), moment(dependency.effect))
            else {
                continue;
            };
            let from = match dependency.kind {
                Signal => cause.0,
                Event | Join | Synchronization => cause.1,
                _ => continue,
            };
            let is_enforced = self.order.is_before(from, effect.1);
            let agrees = match dependency.basis {
                Basis::Enforced => is_enforced,
                // A wait that may give up, and one of which it is chance which record it means, may come after that
                // one for another reason.
                Basis::Observed if dependency.kind == Event => !is_enforced || may_be_chance,
                // A synchronisation that covers something by chance, or whose event may stand for another record, may come
                // after that for another reason as well.
                Basis::Observed if dependency.kind == Synchronization => {
                    !is_enforced
                        || self.is_called_by_chance(dependency.cause, dependency.effect)
                        || may_be_chance && self.is_for_an_event(dependency.effect)
                }
                Basis::Observed => !is_enforced,
                _ => true,
            };
            if !agrees {
                let told = |id: SpanId| self.run.spans.get(&id).map(|it| self.run.told(it));
                let text = format!(
                    "{} to {}: {}, {}",
                    told(dependency.cause).unwrap_or_default(),
                    told(dependency.effect).unwrap_or_default(),
                    dependency.kind.label(),
                    dependency.basis.label()
                );
                complaints.push(("basis", text));
            }
        }
    }

    /// The place of the call of a span.
    fn call_of(&self, span: SpanId) -> Option<usize> {
        let line = self.run.line(self.run.spans.get(&span)?);
        self.order.calls.iter().position(|it| it.line == line)
    }

    fn is_for_an_event(&self, span: SpanId) -> bool {
        let call = self.call_of(span).map(|it| self.order.calls[it].call);
        matches!(call, Some(GeneratedCall::SynchronizeEvent(_)))
    }

    /// Whether nothing makes the call of the first of two spans come before that of the second.
    fn is_called_by_chance(&self, first: SpanId, second: SpanId) -> bool {
        let calls = self.call_of(first).zip(self.call_of(second));
        calls.is_some_and(|(first, second)| !self.order.returned(first, second))
    }
}

//! The chain of an asynchronous API: from the call over the steps of every timeline to what it settled.

use std::collections::BTreeSet;

use capture::Capture;
use record::{Dependency, DependencyId, DependencyKind, SpanId};

/// Spans of one chain that are followed either way; a loss may settle thousands of promises at once.
const MOST: usize = 256;

/// The steps before and after a span, over all timelines.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Chain {
    /// The spans that led to it, the nearest first.
    pub before: Vec<SpanId>,
    /// The spans that it led to, the nearest first.
    pub after: Vec<SpanId>,
    /// The dependencies between what came before, and to the span itself.
    pub causes: Vec<DependencyId>,
    /// The dependencies from the span itself, and between what came after.
    pub effects: Vec<DependencyId>,
}

impl Chain {
    /// The chain that `span` is a part of; empty where it is a step of none.
    pub fn of(capture: &Capture, span: SpanId) -> Self {
        let (before, causes) = walk(capture, span, false);
        let (after, effects) = walk(capture, span, true);
        Self {
            before,
            after,
            causes,
            effects,
        }
    }

    /// Whether there is nothing before and nothing after the span.
    pub fn is_empty(&self) -> bool {
        self.before.is_empty() && self.after.is_empty()
    }

    /// Every span of the chain of `span`, itself included, in the order of the steps.
    pub fn spans(&self, span: SpanId) -> impl Iterator<Item = SpanId> {
        let before = self.before.iter().rev().copied();
        before.chain([span]).chain(self.after.iter().copied())
    }
}

/// The dependencies that tie `span` to the next steps of its chain, or to those before it.
pub fn steps(
    capture: &Capture,
    span: SpanId,
    forward: bool,
) -> impl Iterator<Item = (DependencyId, Dependency)> {
    let after = forward.then(|| capture.effects(span));
    let before = (!forward).then(|| capture.causes(span));
    let ids = after.into_iter().flatten();
    let ids = ids.chain(before.into_iter().flatten());
    ids.filter_map(|id| Some((id, capture.dependency(id)?)))
        .filter(|(_, tie)| tie.kind == DependencyKind::Step)
}

fn walk(capture: &Capture, from: SpanId, forward: bool) -> (Vec<SpanId>, Vec<DependencyId>) {
    let mut seen = BTreeSet::from([from]);
    let mut found: Vec<SpanId> = Vec::new();
    let mut ties = Vec::new();
    let mut next = Some(from);
    let mut at = 0;
    while let Some(span) = next {
        for (id, tie) in steps(capture, span, forward) {
            let other = if forward { tie.effect } else { tie.cause };
            if found.len() >= MOST {
                return (found, ties);
            }
            ties.push(id);
            if seen.insert(other) {
                found.push(other);
            }
        }
        next = found.get(at).copied();
        at += 1;
    }
    (found, ties)
}

#[cfg(test)]
mod tests {
    use super::*;
    use record::{Basis, Record};

    fn capture(ties: &[(u32, u32, DependencyKind)]) -> Capture {
        let mut capture = Capture::new();
        capture.apply(ties.iter().map(|&(cause, effect, kind)| {
            Record::Dependency(Dependency::new(
                SpanId(cause),
                SpanId(effect),
                kind,
                Basis::Enforced,
            ))
        }));
        capture
    }

    #[test]
    fn a_chain_is_whole_from_each_of_its_steps() {
        use DependencyKind::{Pipeline, Step};
        let capture = capture(&[(0, 1, Step), (1, 2, Step), (2, 3, Step), (2, 9, Pipeline)]);
        for middle in 0..4 {
            let chain = Chain::of(&capture, SpanId(middle));
            let all: Vec<u32> = chain.spans(SpanId(middle)).map(|span| span.0).collect();
            assert_eq!(all, [0, 1, 2, 3]);
            assert_eq!(chain.causes.len() + chain.effects.len(), 3);
        }
        assert!(Chain::of(&capture, SpanId(9)).is_empty());
    }

    #[test]
    fn a_circle_and_a_crowd_end() {
        use DependencyKind::Step;
        let round = Chain::of(&capture(&[(0, 1, Step), (1, 0, Step)]), SpanId(0));
        assert_eq!((round.before.len(), round.after.len()), (1, 1));
        let many: Vec<_> = (1..2_000).map(|effect| (0, effect, Step)).collect();
        assert_eq!(Chain::of(&capture(&many), SpanId(0)).after.len(), MOST);
    }
}

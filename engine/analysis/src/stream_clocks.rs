//! What each stream has waited for of each other, operation by operation, and each host thread of each stream.

use std::collections::{BTreeMap, HashMap, HashSet};

use capture::Capture;
use record::time::Nanos;
use record::{Basis, Dependency, DependencyId, DependencyKind, LaneId, SpanId};

/// When an operation started, and which it is: their order on one stream.
pub(super) type OperationStart = (Nanos, SpanId);

/// So much is noted of what streams know through others; beyond it only what they waited for themselves counts.
const MOST_NOTED: usize = 1 << 22;

/// Why an operation comes after another one without a certain wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WaitCoverage {
    /// Its stream had waited for `known`, that operation or a later one of its stream, before `by`.
    Waited { known: SpanId, by: SpanId },
    /// The thread that submitted it had waited for `known` in the call `by`.
    Host { known: SpanId, by: SpanId },
}

/// Up to where a stream knows another one, and before which of its own operations it waited for that.
#[derive(Clone, Copy, Debug)]
struct KnownOperation {
    known: OperationStart,
    by: SpanId,
}

/// What a stream knows of each other one, from one of its operations on.
type StreamClock = BTreeMap<LaneId, KnownOperation>;

/// What streams know of each other by waits, which are told in the order of the operations that they hold; and what host
/// threads know.
pub(super) struct StreamClocks {
    /// By stream, each change of what it knows.
    streams: HashMap<LaneId, Vec<(OperationStart, StreamClock)>>,
    hosts: HostClocks,
    noted: usize,
}

impl StreamClocks {
    /// Nothing waited for, of a capture in which it will be asked for `operations`.
    pub fn new(capture: &Capture, operations: impl Iterator<Item = SpanId>) -> Self {
        Self {
            streams: HashMap::new(),
            hosts: HostClocks::of(capture, &operations.collect()),
            noted: 0,
        }
    }

    /// Why `effect` of a stream comes after `cause` of another by what is known so far; nothing where it would not.
    pub fn covers(
        &self,
        (lane, effect): (LaneId, OperationStart),
        (from, cause): (LaneId, OperationStart),
    ) -> Option<WaitCoverage> {
        let own = self.at(lane, effect).and_then(|it| it.get(&from));
        let own = own.filter(|it| it.known >= cause);
        let own = own.map(|it| WaitCoverage::Waited {
            known: it.known.1,
            by: it.by,
        });
        own.or_else(|| self.hosts.covers(effect.1, (from, cause)))
    }

    /// What a stream knows before an operation.
    fn at(&self, lane: LaneId, operation: OperationStart) -> Option<&StreamClock> {
        let changes = self.streams.get(&lane)?;
        let place = changes.partition_point(|it| it.0 <= operation);
        Some(&changes.get(place.checked_sub(1)?)?.1)
    }

    /// An operation of a stream waited for operations of others, and so for all that those had waited for.
    pub fn wait(
        &mut self,
        (lane, effect): (LaneId, OperationStart),
        causes: &[(LaneId, OperationStart)],
    ) {
        let mut clock = self.at(lane, effect).cloned().unwrap_or_default();
        for &(from, cause) in causes {
            let through = self.at(from, cause).into_iter().flatten();
            let through = through.map(|(lane, it)| (*lane, it.known));
            let through = through.filter(|it| it.0 != lane && self.noted < MOST_NOTED);
            for (of, known) in through.chain([(from, cause)]) {
                let by = effect.1;
                let entry = clock.entry(of).or_insert(KnownOperation { known, by });
                if entry.known < known {
                    *entry = KnownOperation { known, by };
                }
            }
        }
        self.noted += clock.len();
        let changes = self.streams.entry(lane).or_default();
        match changes.last_mut().filter(|it| it.0 == effect) {
            Some(last) => last.1 = clock,
            None => changes.push((effect, clock)),
        }
    }
}

/// Up to where a host thread knows a stream once a call of it has returned.
#[derive(Clone, Copy, Debug)]
struct HostKnowledge {
    returned: Nanos,
    known: OperationStart,
    by: SpanId,
}

/// What host threads know by calls that wait, and which call submitted which operation.
#[derive(Default)]
struct HostClocks {
    /// By thread and stream, in the order in which calls returned.
    known: BTreeMap<(LaneId, LaneId), Vec<HostKnowledge>>,
    /// The thread that submitted an operation, and when its call began.
    submitted: HashMap<SpanId, (LaneId, Nanos)>,
}

impl HostClocks {
    fn of(capture: &Capture, operations: &HashSet<SpanId>) -> Self {
        let mut clocks = Self::default();
        if operations.is_empty() {
            return clocks;
        }
        let all = (0..capture.dependency_count()).map(|id| DependencyId(id as u32));
        for tie in all.filter_map(|id| capture.dependency(id)) {
            if tie.basis == Basis::Enforced {
                clocks.see(capture, operations, &tie);
            }
        }
        for known in clocks.known.values_mut() {
            known.sort_unstable_by_key(|it| (it.returned, it.known));
            let mut latest: Option<HostKnowledge> = None;
            for it in known {
                if let Some(latest) = latest.filter(|latest| latest.known > it.known) {
                    (it.known, it.by) = (latest.known, latest.by);
                }
                latest = Some(*it);
            }
        }
        clocks
    }

    fn see(&mut self, capture: &Capture, operations: &HashSet<SpanId>, tie: &Dependency) {
        let is_submission =
            tie.kind == DependencyKind::Submission && operations.contains(&tie.effect);
        if !is_submission && tie.kind != DependencyKind::Synchronization {
            return;
        }
        let (Some(cause), Some(effect)) = (capture.span(tie.cause), capture.span(tie.effect))
        else {
            return;
        };
        let (cause, effect) = (cause.span, effect.span);
        if is_submission {
            let submitted = (cause.lane, cause.start);
            self.submitted.insert(effect.id, submitted);
        } else {
            let known = self.known.entry((effect.lane, cause.lane));
            known.or_default().push(HostKnowledge {
                returned: effect.end,
                known: (cause.start, cause.id),
                by: effect.id,
            });
        }
    }

    /// Whether the thread that submitted `effect` had waited for `cause` of a stream before.
    fn covers(
        &self,
        effect: SpanId,
        (from, cause): (LaneId, OperationStart),
    ) -> Option<WaitCoverage> {
        let (thread, at) = self.submitted.get(&effect)?;
        let known = self.known.get(&(*thread, from))?;
        let place = known.partition_point(|it| it.returned <= *at);
        let known = known.get(place.checked_sub(1)?)?;
        (known.known >= cause).then_some(WaitCoverage::Host {
            known: known.known.1,
            by: known.by,
        })
    }
}

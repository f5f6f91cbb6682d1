//! Waits that a capture has no spans of, only what they made each operation come after: which of them add nothing?

use record::time::TOLERANCE;
use std::collections::BTreeMap;

use super::stream_clocks::{KnownOperation, OperationStart, StreamClocks};
use capture::Capture;
use record::{
    Basis, Dependency, DependencyId, DependencyKind, EventId, Group, LaneId, NameId, SpanId,
    SpanKind,
};

/// What one wait made an operation come after: one operation of each of some other streams.
#[derive(Clone, Debug, PartialEq, Eq)]
struct OperationWait {
    /// The stream that waited, and the operation that came next on it.
    lane: LaneId,
    effect: OperationStart,
    /// Which event it was for, and which record of it.
    event: (EventId, u32),
    causes: Vec<(LaneId, OperationStart)>,
}

impl OperationWait {
    /// Why it adds nothing to what is known; nothing where it does.
    fn redundant(&self, clocks: &StreamClocks) -> Option<RedundantDependency> {
        let covers = |it: &(LaneId, OperationStart)| clocks.covers((self.lane, self.effect), *it);
        let first = self.causes.first()?;
        let coverage = covers(first)?;
        let whole = self.causes.iter().all(|it| covers(it).is_some());
        whole.then_some(RedundantDependency {
            effect: self.effect.1,
            cause: first.1.1,
            coverage,
            count: 0,
        })
    }
}

/// Waits before operations of one name, on one stream for another, none of which adds anything.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct RedundantDependency {
    /// The first operation, and what it is said to wait for.
    pub effect: SpanId,
    pub cause: SpanId,
    /// Why that is known without it.
    pub coverage: KnownOperation,
    /// How many such waits there are.
    pub count: u64,
}

/// How many waits there were to look at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct WaitCounts {
    /// Those that the file tells.
    pub told: usize,
    /// Dependencies that were concluded.
    pub concluded: usize,
}

/// Finds those whose every operation comes first without them, since the stream had waited for it or for later work of its stream
/// before an earlier operation, itself or through another stream; and how many waits there were. Only what the file itself tells
/// counts: what was concluded covers nothing, and is not judged.
pub(super) fn redundant(capture: &Capture) -> (Vec<RedundantDependency>, WaitCounts) {
    let (mut waits, concluded) = operation_waits(capture);
    waits.sort_unstable_by_key(|it| (it.effect, it.event));
    let mut clocks = StreamClocks::default();
    let mut sites = RepeatedWaits::default();
    for wait in &waits {
        let Some((from, _)) = wait.causes.first().copied() else {
            continue;
        };
        let found = wait.redundant(&clocks);
        if found.is_none() {
            clocks.wait((wait.lane, wait.effect), &wait.causes);
        }
        let name = capture.span(wait.effect.1).map(|it| it.span.name);
        sites.add((wait.lane, from, name), found);
    }
    let counts = WaitCounts {
        told: waits.len(),
        concluded,
    };
    (sites.redundant(), counts)
}

/// Waits on one stream for another before operations of one name; with the first, where not one of them adds anything: a capture
/// does not tell which call a wait was, and a loop may need one of many.
#[derive(Default)]
struct RepeatedWaits {
    found: BTreeMap<WaitSite, (Option<RedundantDependency>, u64)>,
}

/// The stream that waits, the one that it waits for, and what the operation is called that came next.
type WaitSite = (LaneId, LaneId, Option<NameId>);

impl RepeatedWaits {
    /// A wait of a site, which adds something where there is nothing to say of it.
    fn add(&mut self, site: WaitSite, wait: Option<RedundantDependency>) {
        let adds = wait.is_none();
        let site = self.found.entry(site).or_insert((wait, 0));
        site.1 += 1;
        if adds {
            site.0 = None;
        }
    }

    fn redundant(self) -> Vec<RedundantDependency> {
        let all = self.found.into_values();
        let found = all.filter_map(|(found, count)| Some(RedundantDependency { count, ..found? }));
        found.collect()
    }
}

/// The waits that are told by what came after them: one of each operation and event.
fn operation_waits(capture: &Capture) -> (Vec<OperationWait>, usize) {
    let mut concluded = 0;
    let mut waits: BTreeMap<(SpanId, EventId, u32), OperationWait> = BTreeMap::new();
    let all = (0..capture.dependency_count()).map(|id| DependencyId(id as u32));
    for tie in all.filter_map(|id| capture.dependency(id)) {
        let Some((lane, effect, from, cause)) = of_streams(capture, &tie) else {
            continue;
        };
        // What began long before it is said to have waited did not wait for that.
        let end = capture.span(tie.cause).map(|it| it.span.end);
        let is_contradicted = end.is_some_and(|end| end > effect.0 + TOLERANCE);
        if tie.basis != Basis::Enforced || is_contradicted {
            concluded += 1;
            continue;
        }
        let event = (tie.event, tie.generation);
        let wait = waits.entry((tie.effect, event.0, event.1));
        let wait = wait.or_insert_with(|| OperationWait {
            lane,
            effect,
            event,
            causes: Vec::new(),
        });
        wait.causes.push((from, cause));
    }
    (waits.into_values().collect(), concluded)
}

/// The streams and positions of both ends of a wait between streams; nothing for any other dependency.
fn of_streams(
    capture: &Capture,
    tie: &Dependency,
) -> Option<(LaneId, OperationStart, LaneId, OperationStart)> {
    if tie.kind != DependencyKind::Event {
        return None;
    }
    let (cause, effect) = (
        capture.span(tie.cause)?.span,
        capture.span(tie.effect)?.span,
    );
    let is_stream = |lane| {
        capture
            .lane(lane)
            .is_some_and(|it| it.group == Group::Streams)
    };
    let counts = effect.kind != SpanKind::EventWait
        && cause.lane != effect.lane
        && is_stream(cause.lane)
        && is_stream(effect.lane);
    counts.then_some((
        effect.lane,
        (effect.start, effect.id),
        cause.lane,
        (cause.start, cause.id),
    ))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use record::time::Nanos;
    use record::{CallId, Lane, Record, Role, Span, State};

    const STREAMS: u32 = 4;
    const OPERATIONS: u32 = 24;

    fn stream(id: u32) -> Record {
        Record::Lane(Box::new(Lane {
            id: LaneId(id),
            group: Group::Streams,
            device: None,
            role: Role::None,
            name: format!("stream {id}"),
            order: id as i32,
            process: "".into(),
            thread: "".into(),
        }))
    }

    fn operation(id: u32) -> Record {
        Record::Span(Span {
            id: SpanId(id),
            lane: LaneId(id % STREAMS),
            name: NameId(id),
            call: CallId::NONE,
            kind: SpanKind::Kernel,
            state: State::Done,
            enqueued: Nanos(0),
            start: Nanos(i64::from(id) * 10),
            end: Nanos(i64::from(id) * 10 + 5),
        })
    }

    /// Operations by turns on four streams, each after the one before; and waits as (cause, effect).
    fn capture(waits: &[(u32, u32)]) -> Capture {
        let mut capture = Capture::new();
        capture.apply((0..STREAMS).map(stream));
        capture.apply((0..OPERATIONS).map(operation));
        let ties = waits.iter().map(|(cause, effect)| {
            Record::Dependency(Dependency {
                event: EventId(*cause),
                ..Dependency::new(
                    SpanId(*cause),
                    SpanId(*effect),
                    DependencyKind::Event,
                    Basis::Enforced,
                )
            })
        });
        capture.apply(ties);
        capture
    }

    /// Which operation comes after which, by streams and waits: a matrix of reachability.
    fn order(waits: &[(u32, u32)]) -> Vec<Vec<bool>> {
        let count = OPERATIONS as usize;
        let mut after = vec![vec![false; count]; count];
        for effect in 0..count {
            let on_stream = effect.checked_sub(STREAMS as usize);
            let waited = waits.iter().filter(|it| it.1 as usize == effect);
            let before = on_stream.into_iter().chain(waited.map(|it| it.0 as usize));
            for cause in before.collect::<Vec<_>>() {
                let reached = after[cause].clone();
                let ends = after[effect].iter_mut().zip(reached);
                ends.for_each(|(after, reached)| *after |= reached);
                after[effect][cause] = true;
            }
        }
        after
    }

    #[test]
    fn without_every_wait_that_is_named_the_order_is_the_same() {
        let mut named = 0;
        for seed in 1..400_u64 {
            let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15);
            let mut draw = |below: u32| {
                state = state
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1);
                (state >> 33) as u32 % below
            };
            let waits: Vec<(u32, u32)> = (0..30)
                .map(|_| {
                    let effect = 1 + draw(OPERATIONS - 1);
                    (draw(effect), effect)
                })
                .filter(|(cause, effect)| cause % STREAMS != effect % STREAMS)
                .collect::<BTreeSet<_>>()
                .into_iter()
                .collect();
            let (found, looked) = redundant(&capture(&waits));
            assert_eq!((looked.told, looked.concluded), (waits.len(), 0));
            named += found.len();
            let mut kept = waits.clone();
            for it in &found {
                let wait = (it.cause.0, it.effect.0);
                let place = kept.iter().position(|it| *it == wait).unwrap();
                kept.remove(place);
            }
            assert_eq!(
                order(&kept),
                order(&waits),
                "seed {seed}: {waits:?}, {found:?}"
            );
            // Of those that are left none is for what the operation before it on its stream comes after: unless another wait of the
            // same two streams before an operation of that name is needed, and here no two have one name.
            let after = order(&kept);
            for (cause, effect) in &kept {
                let before = effect.checked_sub(STREAMS);
                let known = before.is_some_and(|it| after[it as usize][*cause as usize]);
                let same = |it: &&(u32, u32)| it.1 == *effect && it.0 % STREAMS == cause % STREAMS;
                let several = waits.iter().filter(same).count() > 1;
                assert!(
                    !known || several,
                    "seed {seed}: ({cause}, {effect}) of {waits:?} can go as well"
                );
            }
        }
        assert!(named > 300, "{named}");
    }

    #[test]
    fn a_wait_that_also_held_for_another_stream_is_not_named() {
        let mut of_two = capture(&[(1, 4)]);
        let event = EventId(7);
        let tie = |cause: u32| {
            Record::Dependency(Dependency {
                event,
                ..Dependency::new(
                    SpanId(cause),
                    SpanId(8),
                    DependencyKind::Event,
                    Basis::Enforced,
                )
            })
        };
        of_two.apply([tie(1), tie(2)]);
        let counts = WaitCounts {
            told: 2,
            concluded: 0,
        };
        assert_eq!(redundant(&of_two), (Vec::new(), counts));
    }

    /// Between two waits before one operation something may have come that is in no capture, and that one of them holds.
    #[test]
    fn of_two_waits_before_one_operation_none_is_named() {
        let (found, counts) = redundant(&capture(&[(1, 8), (5, 8)]));
        assert_eq!((found, counts.told), (Vec::new(), 2));
        assert_eq!(redundant(&capture(&[(5, 8), (1, 12)])).0.len(), 1);
    }

    /// Each round waits for two events in the same order of calls, of which one was recorded just now: by turns each call is needed.
    #[test]
    fn of_two_calls_that_are_needed_by_turns_none_is_named() {
        let mut rounds = Capture::new();
        rounds.apply((0..STREAMS).map(stream));
        let kernel = |id: u32| match operation(id) {
            Record::Span(span) => Record::Span(Span {
                name: NameId(0),
                ..span
            }),
            _ => unreachable!("an operation is a span"),
        };
        rounds.apply((0..OPERATIONS).map(kernel));
        // Operations 4, 8, 12 … of stream 0 wait for 1, 5, 9 … of stream 1.
        let ties = (1..6_u32).flat_map(|round| {
            [round, round - 1]
                .into_iter()
                .filter(|it| *it > 0)
                .map(move |of| {
                    let kind = DependencyKind::Event;
                    Record::Dependency(Dependency {
                        event: EventId(of % 2),
                        generation: of,
                        ..Dependency::new(
                            SpanId(of * 4 - 3),
                            SpanId(round * 4),
                            kind,
                            Basis::Enforced,
                        )
                    })
                })
        });
        rounds.apply(ties);
        let (found, counts) = redundant(&rounds);
        assert_eq!((found, counts.told), (Vec::new(), 9));
    }

    #[test]
    fn what_is_concluded_covers_nothing() {
        let mut concluded = capture(&[(1, 8)]);
        let inferred =
            Dependency::new(SpanId(1), SpanId(4), DependencyKind::Event, Basis::Inferred);
        concluded.apply([Record::Dependency(inferred)]);
        let counts = WaitCounts {
            told: 1,
            concluded: 1,
        };
        assert_eq!(redundant(&concluded), (Vec::new(), counts));
    }
}

//! The table of dependencies, and both directions of it. Either end may arrive later.

use super::append_column::AppendColumn;
use super::column::push;
use super::links::LinkedLists;
use record::impossible;
use record::{Basis, Dependency, DependencyId, DependencyKind, EventId, SpanId};

/// Causes and effects, column by column.
#[derive(Clone, Default)]
pub(super) struct Dependencies {
    from: AppendColumn,
    /// How far the effect's number is from the cause's, with its sign in the lowest bit.
    to: AppendColumn,
    kinds: AppendColumn,
    /// Only for dependencies that an event carries: their number, the event and its generation.
    events: Vec<(u32, EventId, u32)>,
    /// Those between records of which the time was taken.
    measured: Vec<DependencyId>,
    effects: LinkedLists,
    causes: LinkedLists,
}

/// How far an end's id may run ahead of the number of spans known. Beyond that the file is damaged.
const FAR: usize = 1 << 24;

impl Dependencies {
    pub fn len(&self) -> usize {
        self.kinds.len()
    }

    /// Takes a dependency; says no where an end is far beyond the `spans` known.
    pub fn push(&mut self, dependency: &Dependency, spans: usize) -> bool {
        if dependency.cause.index().max(dependency.effect.index()) > spans + FAR {
            return false;
        }
        self.effects.push(dependency.cause.index());
        self.causes.push(dependency.effect.index());
        if dependency.event.is_some() {
            let id = self.kinds.len() as u32;
            let carried = (id, dependency.event, dependency.generation);
            push(&mut self.events, carried);
        }
        let id = DependencyId(self.kinds.len() as u32);
        if dependency.kind == DependencyKind::Elapsed {
            push(&mut self.measured, id);
        }
        let (cause, effect) = (dependency.cause.0, dependency.effect.0);
        self.from.push(cause);
        self.to.push(zigzag(effect.wrapping_sub(cause)));
        let kinds = u32::from(dependency.kind as u8) << 4 | u32::from(dependency.basis as u8);
        self.kinds.push(kinds);
        true
    }

    pub fn get(&self, id: DependencyId) -> Option<Dependency> {
        let cause = self.from.get(id.index())?;
        let effect = cause.wrapping_add(unzigzag(self.to.get(id.index())?));
        let (cause, effect) = (SpanId(cause), SpanId(effect));
        let kinds = self.kinds.get(id.index())? as usize;
        let carried = self.events.binary_search_by_key(&id.0, |&(id, ..)| id).ok();
        let carried = carried.and_then(|at| self.events.get(at));
        let (event, generation) = carried.map_or((EventId::NONE, 0), |&(_, event, n)| (event, n));
        Some(Dependency {
            cause,
            effect,
            kind: DependencyKind::ALL
                .get(kinds >> 4)
                .copied()
                .unwrap_or_else(|| impossible!("flags of no kind of dependency")),
            basis: Basis::ALL
                .get(kinds & 0xf)
                .copied()
                .unwrap_or_else(|| impossible!("flags of no basis")),
            event,
            generation,
        })
    }

    pub fn causes(&self, effect: SpanId) -> impl Iterator<Item = DependencyId> {
        self.causes.of(effect.index()).map(DependencyId)
    }

    pub fn effects(&self, cause: SpanId) -> impl Iterator<Item = DependencyId> {
        self.effects.of(cause.index()).map(DependencyId)
    }

    /// Those between records of which the time was taken, in the order of their arrival.
    pub fn measured(&self) -> &[DependencyId] {
        &self.measured
    }

    /// Those that events carry, in the order of their arrival.
    pub fn carried(&self) -> impl Iterator<Item = Dependency> {
        self.events
            .iter()
            .filter_map(|it| self.get(DependencyId(it.0)))
    }

    /// Bytes held on the heap.
    pub fn heap_bytes(&self) -> usize {
        let columns = self.measured.capacity() * 4
            + self.events.capacity() * 12
            + self.from.heap_bytes()
            + self.to.heap_bytes()
            + self.kinds.heap_bytes();
        columns + self.effects.heap_bytes() + self.causes.heap_bytes()
    }
}

/// Small distances either way as small numbers.
fn zigzag(distance: u32) -> u32 {
    let distance = distance as i32;
    (distance << 1 ^ distance >> 31) as u32
}

fn unzigzag(number: u32) -> u32 {
    number >> 1 ^ (number & 1).wrapping_neg()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dependencies_come_back_from_both_ends_in_whatever_order_they_came() {
        let mut table = Dependencies::default();
        let mut expected = Vec::new();
        for round in 0..20_000_u32 {
            let random = round.wrapping_mul(2_654_435_761);
            let far = round % 40 == 0;
            let cause = if far { random % 90_000 } else { round * 4 };
            let effect = if far {
                random >> 16
            } else {
                round * 4 + 1 + random % 3
            };
            let carried = round % 16 == 3;
            let dependency = Dependency {
                event: if carried {
                    EventId(round % 9)
                } else {
                    EventId::NONE
                },
                generation: if carried { round } else { 0 },
                kind: DependencyKind::ALL[usize::from(far)],
                basis: Basis::ALL[(round / 5_000 % 2) as usize],
                ..Dependency::submission(SpanId(cause), SpanId(effect))
            };
            assert!(table.push(&dependency, 100_000));
            expected.push(dependency);
        }
        let found: Vec<_> = (0..table.len() as u32)
            .filter_map(|id| table.get(DependencyId(id)))
            .collect();
        assert_eq!(found, expected);
        for span in (0..90_000).step_by(7).map(SpanId) {
            let of = |end: fn(&Dependency) -> SpanId| {
                let all = expected.iter().enumerate().rev();
                let own = all.filter(move |(_, it)| end(it) == span);
                own.map(|(id, _)| DependencyId(id as u32))
                    .collect::<Vec<_>>()
            };
            assert_eq!(table.effects(span).collect::<Vec<_>>(), of(|it| it.cause));
            assert_eq!(table.causes(span).collect::<Vec<_>>(), of(|it| it.effect));
        }
    }

    #[test]
    fn a_dependency_of_neighbours_takes_a_few_bytes() {
        let mut table = Dependencies::default();
        for round in 0..100_000 {
            let (call, kernel) = (SpanId(round * 4), SpanId(round * 4 + 1));
            table.push(&Dependency::submission(call, kernel), 400_000);
        }
        assert!(table.heap_bytes() < 700_000, "{}", table.heap_bytes());
    }
}

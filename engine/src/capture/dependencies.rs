//! The table of dependencies, and both directions of it. Either end may arrive later.

use super::column::push;
use super::links::Links;
use crate::record::{Basis, Dependency, DependencyId, DependencyKind, EventId, SpanId};

/// Causes and effects, column by column.
#[derive(Default)]
pub(super) struct Dependencies {
    rows: Vec<(SpanId, SpanId)>,
    kinds: Vec<u8>,
    /// Only for dependencies that an event carries: their number, the event and its generation.
    events: Vec<(u32, EventId, u32)>,
    /// Those between records of which the time was taken.
    measured: Vec<DependencyId>,
    effects: Links,
    causes: Links,
}

/// How far an end's id may run ahead of the number of spans known. Beyond that the file is damaged.
const FAR: usize = 1 << 24;

impl Dependencies {
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Takes a dependency; says no where an end is far beyond the `spans` known.
    pub fn push(&mut self, dependency: &Dependency, spans: usize) -> bool {
        if dependency.cause.index().max(dependency.effect.index()) > spans + FAR {
            return false;
        }
        self.effects.push(dependency.cause.index());
        self.causes.push(dependency.effect.index());
        if dependency.event.is_some() {
            let id = self.rows.len() as u32;
            self.events
                .push((id, dependency.event, dependency.generation));
        }
        let id = DependencyId(self.rows.len() as u32);
        if dependency.kind == DependencyKind::Elapsed {
            self.measured.push(id);
        }
        push(&mut self.rows, (dependency.cause, dependency.effect));
        push(
            &mut self.kinds,
            (dependency.kind as u8) << 4 | dependency.basis as u8,
        );
        true
    }

    pub fn get(&self, id: DependencyId) -> Option<Dependency> {
        let &(cause, effect) = self.rows.get(id.index())?;
        let kinds = usize::from(*self.kinds.get(id.index())?);
        let carried = self.events.binary_search_by_key(&id.0, |&(id, ..)| id).ok();
        let carried = carried.and_then(|at| self.events.get(at));
        let (event, generation) = carried.map_or((EventId::NONE, 0), |&(_, event, n)| (event, n));
        Some(Dependency {
            cause,
            effect,
            kind: DependencyKind::ALL
                .get(kinds >> 4)
                .copied()
                .unwrap_or_default(),
            basis: Basis::ALL.get(kinds & 0xf).copied().unwrap_or_default(),
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

    /// Bytes held on the heap.
    pub fn heap_bytes(&self) -> usize {
        let columns = self.measured.capacity() * 4
            + self.rows.capacity() * 8
            + self.kinds.capacity()
            + self.events.capacity() * 12;
        columns + self.effects.heap_bytes() + self.causes.heap_bytes()
    }
}

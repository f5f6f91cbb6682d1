//! Causes that no order implies: for each point that has some, where they are and of what kind.

use super::kind::CauseKind;
use super::point::SpanPoint;

/// Lists of causes, by point.
#[derive(Debug, Default)]
pub(super) struct ExtraCauses {
    /// The points that have some, in order.
    points: Vec<u32>,
    /// Where the list of each begins; one more than points.
    firsts: Vec<u32>,
    causes: Vec<u32>,
    kinds: Vec<CauseKind>,
}

impl ExtraCauses {
    /// Takes effects with their causes, in any order; of two kinds from one cause the first stays.
    pub fn new(mut all: Vec<(SpanPoint, SpanPoint, CauseKind)>) -> Self {
        all.sort_unstable();
        all.dedup_by_key(|it| (it.0, it.1));
        let mut lists = Self::default();
        lists.causes.reserve_exact(all.len());
        lists.kinds.reserve_exact(all.len());
        for (effect, cause, kind) in all {
            if lists.points.last() != Some(&effect.number()) {
                lists.points.push(effect.number());
                lists.firsts.push(lists.causes.len() as u32);
            }
            lists.causes.push(cause.number());
            lists.kinds.push(kind);
        }
        lists.firsts.push(lists.causes.len() as u32);
        lists.points.shrink_to_fit();
        lists.firsts.shrink_to_fit();
        lists
    }

    /// The points that have some.
    pub fn points(&self) -> impl Iterator<Item = SpanPoint> {
        self.points.iter().copied().map(SpanPoint::from_number)
    }

    /// The causes of a point.
    pub fn of(&self, point: SpanPoint) -> impl Iterator<Item = (SpanPoint, CauseKind)> {
        let place = self.points.binary_search(&point.number()).ok();
        let range = place.and_then(|at| {
            Some(*self.firsts.get(at)? as usize..*self.firsts.get(at + 1)? as usize)
        });
        let range = range.unwrap_or(0..0);
        let causes = self.causes.get(range.clone()).unwrap_or_default().iter();
        let kinds = self.kinds.get(range).unwrap_or_default().iter();
        causes
            .zip(kinds)
            .map(|(cause, kind)| (SpanPoint::from_number(*cause), *kind))
    }

    /// Bytes held on the heap.
    pub fn heap_bytes(&self) -> usize {
        let lists = self.causes.capacity() * 4 + self.kinds.capacity();
        lists + self.points.capacity() * 4 + self.firsts.capacity() * 4
    }
}

//! Where the spans of rising numbers lie in their chunks, found mostly without a search.

use super::chunk::Chunk;
use record::SpanId;

/// So many times a chunk is searched before its spans are sorted by number: one that few are asked of is not worth that.
const MOST: u16 = 8;

/// For a chunk, where its span of the next number probably is.
#[derive(Clone, Default)]
pub(super) struct NextPlace {
    next: u16,
    searched: u16,
    /// The numbers of its spans and where each is, in order, once its spans turned out to be in another order than their
    /// numbers.
    sorted: Option<Box<[(u32, u16)]>>,
}

impl NextPlace {
    /// Where a span is in its chunk.
    pub fn find(&mut self, chunk: &Chunk, id: SpanId) -> Option<usize> {
        if let Some(sorted) = &self.sorted {
            let next = usize::from(self.next);
            let is_next = sorted.get(next).is_some_and(|it| it.0 == id.0);
            let place = if is_next {
                next
            } else {
                sorted.binary_search_by_key(&id.0, |it| it.0).ok()?
            };
            self.next = short(place + 1);
            return Some(usize::from(sorted.get(place)?.1));
        }
        let next = usize::from(self.next);
        let at = if chunk.id(next) == Some(id) {
            next
        } else {
            self.searched += 1;
            chunk.position(id)?
        };
        self.next = short(at + 1);
        if self.searched > MOST {
            self.sort(chunk, id);
        }
        Some(at)
    }

    /// Sorts the spans of a chunk by number, to go on behind that of `id`.
    fn sort(&mut self, chunk: &Chunk, id: SpanId) {
        let places = (0..chunk.len()).filter_map(|at| Some((chunk.id(at)?.0, short(at))));
        let mut sorted: Vec<(u32, u16)> = places.collect();
        sorted.sort_unstable();
        self.next = short(sorted.partition_point(|it| it.0 <= id.0));
        self.sorted = Some(sorted.into_boxed_slice());
    }
}

/// A place in a chunk, which holds some hundred spans.
fn short(place: usize) -> u16 {
    u16::try_from(place).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use crate::Capture;
    use record::time::Nanos;
    use record::{CallId, LaneId, NameId, Record, Span, SpanId, SpanKind, State};

    #[test]
    fn spans_are_found_by_number_whatever_order_they_lie_in() {
        const COUNT: u32 = 3_000;
        for factor in [1_u32, 7, 1_201, COUNT - 1] {
            let span = |id: u32| {
                let start = i64::from(id * factor % COUNT) * 10;
                Record::Span(Span {
                    id: SpanId(id),
                    lane: LaneId(0),
                    name: NameId::NONE,
                    call: CallId::NONE,
                    kind: SpanKind::Kernel,
                    state: State::Done,
                    enqueued: Nanos(start),
                    start: Nanos(start),
                    end: Nanos(start + 5),
                })
            };
            let mut capture = Capture::new();
            // Each ninth number is missing.
            let ids = (0..COUNT).filter(|id| id % 9 != 4);
            capture.apply(ids.clone().map(span));
            let found = capture.spans().map(|it| (it.span.id.0, it.span.start.0));
            let expected = ids.map(|id| (id, i64::from(id * factor % COUNT) * 10));
            assert!(found.eq(expected), "by {factor}");
        }
    }
}

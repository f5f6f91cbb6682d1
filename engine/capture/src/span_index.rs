//! Which chunk each span lies in. Spans with neighbouring numbers lie in few chunks, so a byte often says which.

use super::column::push;

/// Spans of one page.
const PAGE: usize = 256;
/// More different chunks than this are not listed.
const MOST_LISTED: usize = 32;
/// Room for so many more is made in a list.
const MORE: usize = 4;

/// The chunks of 256 spans: one more than the number of each, or zero where the span has not arrived.
#[derive(Clone)]
enum SpanIndexPage {
    Empty,
    /// Places in a list, counted from 1.
    Listed(Box<[u8; PAGE]>, Vec<u32>),
    Short(Box<[u16; PAGE]>),
    Long(Box<[u32; PAGE]>),
}

impl SpanIndexPage {
    fn get(&self, at: usize) -> Option<u32> {
        match self {
            Self::Empty => None,
            Self::Listed(places, list) => {
                let place = usize::from(*places.get(at)?).checked_sub(1)?;
                list.get(place).copied()
            }
            Self::Short(chunks) => u32::from(*chunks.get(at)?).checked_sub(1),
            Self::Long(chunks) => chunks.get(at)?.checked_sub(1),
        }
    }

    fn put(&mut self, at: usize, chunk: u32) {
        match self {
            Self::Empty => {
                *self = Self::Listed(Box::new([0; PAGE]), Vec::new());
                self.put(at, chunk);
            }
            Self::Listed(places, list) => {
                let known = list.iter().rposition(|&other| other == chunk);
                if known.is_none() && list.len() >= MOST_LISTED {
                    self.widen(chunk);
                    return self.put(at, chunk);
                }
                let place = known.unwrap_or_else(|| {
                    if list.len() == list.capacity() {
                        list.reserve_exact(MORE);
                    }
                    list.push(chunk);
                    list.len() - 1
                });
                if let Some(slot) = places.get_mut(at) {
                    *slot = place as u8 + 1;
                }
            }
            Self::Short(chunks) => {
                let short = u16::try_from(chunk + 1).ok();
                if let Some((slot, place)) = chunks.get_mut(at).zip(short) {
                    *slot = place;
                } else {
                    self.widen(chunk);
                    self.put(at, chunk);
                }
            }
            Self::Long(chunks) => {
                if let Some(slot) = chunks.get_mut(at) {
                    *slot = chunk + 1;
                }
            }
        }
    }

    /// Takes a form in which it can hold `chunk` besides what it holds.
    fn widen(&mut self, chunk: u32) {
        let held = (0..PAGE).map(|at| self.get(at).map_or(0, |chunk| chunk + 1));
        let most = held.clone().max().unwrap_or(0).max(chunk + 1);
        if u16::try_from(most).is_ok() {
            let mut chunks = Box::new([0; PAGE]);
            chunks
                .iter_mut()
                .zip(held)
                .for_each(|(slot, it)| *slot = it as u16);
            *self = Self::Short(chunks);
        } else {
            let mut chunks = Box::new([0; PAGE]);
            chunks
                .iter_mut()
                .zip(held)
                .for_each(|(slot, it)| *slot = it);
            *self = Self::Long(chunks);
        }
    }

    fn heap_bytes(&self) -> usize {
        match self {
            Self::Empty => 0,
            Self::Listed(_, list) => PAGE + list.capacity() * 4,
            Self::Short(_) => PAGE * 2,
            Self::Long(_) => PAGE * 4,
        }
    }
}

/// Chunks by the number of the span.
#[derive(Clone, Default)]
pub(super) struct SpanIndex {
    pages: Vec<SpanIndexPage>,
    length: usize,
}

impl SpanIndex {
    /// One more than the highest number that has a place or should have had one.
    pub fn len(&self) -> usize {
        self.length
    }

    /// The chunk of a span.
    pub fn get(&self, at: usize) -> Option<u32> {
        self.pages.get(at / PAGE)?.get(at % PAGE)
    }

    /// Says that a span number exists. The caller bounds it.
    pub fn reach(&mut self, at: usize) {
        self.length = self.length.max(at + 1);
        while self.pages.len() <= at / PAGE {
            push(&mut self.pages, SpanIndexPage::Empty);
        }
    }

    /// Puts a span, which was reached before, into a chunk.
    pub fn put(&mut self, at: usize, chunk: u32) {
        if let Some(page) = self.pages.get_mut(at / PAGE) {
            page.put(at % PAGE, chunk);
        }
    }

    /// Bytes held on the heap.
    pub fn heap_bytes(&self) -> usize {
        let pages: usize = self.pages.iter().map(SpanIndexPage::heap_bytes).sum();
        pages + self.pages.capacity() * size_of::<SpanIndexPage>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_are_found_however_many_there_are_and_wherever_spans_move() {
        for chunks in [1, 5, 40, 300, 70_000, 3_000_000] {
            let mut places = SpanIndex::default();
            let mut expected = vec![None; 10_000];
            for round in 0..40_000_u32 {
                let at = round.wrapping_mul(2_654_435_761) as usize % (expected.len() - 7);
                let chunk = (round / 16).wrapping_mul(40_503) % chunks;
                places.reach(at);
                places.put(at, chunk);
                expected[at] = Some(chunk);
            }
            let found: Vec<_> = (0..expected.len()).map(|at| places.get(at)).collect();
            assert_eq!(found, expected);
            let last = expected.iter().rposition(Option::is_some);
            assert_eq!(Some(places.len() - 1), last);
        }
    }

    #[test]
    fn a_span_among_few_rows_takes_little_more_than_a_byte() {
        let mut places = SpanIndex::default();
        for at in 0..100_000 {
            places.reach(at);
            places.put(at, (at % 5 * 200 + at / 2_560) as u32);
        }
        assert!(places.heap_bytes() < 150_000, "{}", places.heap_bytes());
    }
}

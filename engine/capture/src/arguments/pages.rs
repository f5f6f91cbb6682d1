//! Bytes in pages that never move, so that growing copies nothing.

use record::impossible;
/// Bits of a place within a page.
const SHIFT: u32 = 16;
const PAGE: usize = 1 << SHIFT;
/// The most that one argument takes, with the end of its run and the beginning of the next.
const MOST: usize = 40;

/// Bytes, and places in them.
#[derive(Clone, Default)]
pub(super) struct BytePages {
    pages: Vec<Vec<u8>>,
}

impl BytePages {
    /// Whether another argument fits where the last one ended.
    pub fn has_room(&self) -> bool {
        self.pages
            .last()
            .is_some_and(|page| page.len() + MOST <= PAGE)
    }

    /// The place of the next byte, with room behind it.
    pub fn begin(&mut self) -> u32 {
        if !self.has_room() {
            if let Some(full) = self.pages.last_mut() {
                full.shrink_to_fit();
            }
            self.pages.push(Vec::with_capacity(PAGE));
        }
        let page = self.pages.len().saturating_sub(1);
        let at = self.pages.last().map_or(0, Vec::len);
        (page << SHIFT | at) as u32
    }

    /// Takes the last byte off.
    pub fn pop(&mut self) {
        if let Some(page) = self.pages.last_mut() {
            page.pop();
        }
    }

    pub fn byte(&mut self, byte: u8) {
        if let Some(page) = self.pages.last_mut() {
            page.push(byte);
        }
    }

    /// A number in seven bits a byte, the lowest first.
    pub fn number(&mut self, mut number: u64) {
        let Some(page) = self.pages.last_mut() else {
            return impossible!("arguments are written before there is a page");
        };
        while number >= 0x80 {
            page.push(number as u8 | 0x80);
            number >>= 7;
        }
        page.push(number as u8);
    }

    /// A number in eight bytes.
    pub fn fixed(&mut self, number: u64) {
        if let Some(page) = self.pages.last_mut() {
            page.extend_from_slice(&number.to_le_bytes());
        }
    }

    /// Reads from a place on, to the end of its page.
    pub fn read(&self, place: u32) -> ByteReader<'_> {
        let page = self.pages.get((place >> SHIFT) as usize);
        let at = place as usize & (PAGE - 1);
        ByteReader(
            page.and_then(|page| page.get(at..))
                .unwrap_or_else(|| impossible!("a place outside the pages of arguments")),
        )
    }

    /// Bytes held on the heap.
    pub fn heap_bytes(&self) -> usize {
        let pages: usize = self.pages.iter().map(Vec::capacity).sum();
        pages + self.pages.capacity() * size_of::<Vec<u8>>()
    }
}

/// What lies from a place on.
pub(super) struct ByteReader<'a>(&'a [u8]);

impl ByteReader<'_> {
    pub fn number(&mut self) -> Option<u64> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let (byte, rest) = self.0.split_first()?;
            self.0 = rest;
            number |= u64::from(byte & 0x7F) << shift;
            if *byte < 0x80 {
                break;
            }
        }
        Some(number)
    }

    pub fn fixed(&mut self) -> Option<u64> {
        let (bytes, rest) = self.0.split_first_chunk::<8>()?;
        self.0 = rest;
        Some(u64::from_le_bytes(*bytes))
    }
}

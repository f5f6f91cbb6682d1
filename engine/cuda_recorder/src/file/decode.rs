//! Reads files piece by piece, as they grow, and steps over what is damaged.

use super::{FRONT, Fact, HEADER, LONGEST, MAGIC, MARK, VERSION, check};

/// What was wrong with a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FactFileDamage {
    /// Bytes in the middle that were stepped over.
    pub skipped: u64,
    /// Bytes at the end that are no whole fact.
    pub cut: u64,
    /// The version of the format, where it is another.
    pub version: Option<u32>,
    /// The system's number of the error that ended writing, and how many facts are missing for it.
    pub failed: Option<(i32, u64)>,
}

/// Reads a file whose bytes come piece by piece.
#[derive(Debug, Default)]
pub struct FactDecoder {
    bytes: Vec<u8>,
    /// Where the next fact begins in `bytes`.
    at: usize,
    has_header: bool,
    begun: u64,
    is_over: bool,
    damage: FactFileDamage,
}

/// What stands at a place.
enum DecodedEntry {
    Fact(Box<Fact>, usize),
    /// More bytes may make it one.
    Partial,
    Damage,
}

impl FactDecoder {
    /// Takes the bytes that follow.
    pub fn push(&mut self, bytes: &[u8]) {
        self.bytes.drain(..self.at);
        self.at = 0;
        self.bytes.extend_from_slice(bytes);
    }

    /// No more bytes come: what is left at the end is cut.
    pub const fn finish(&mut self) {
        self.is_over = true;
    }

    /// When the segment was begun, by its header; 0 before that was read.
    pub const fn begun(&self) -> u64 {
        self.begun
    }

    /// Bytes that were taken and are no whole fact yet.
    pub const fn pending(&self) -> usize {
        self.bytes.len() - self.at
    }

    /// What was wrong so far.
    pub const fn damage(&self) -> &FactFileDamage {
        &self.damage
    }

    /// What the header says became of writing, read anew: it changes where writing fails.
    pub fn note_header(&mut self, header: &[u8]) {
        let code = number(header, 20).map_or(0, u32::cast_signed);
        let missing = number(header, 24).zip(number(header, 28));
        let missing = missing.map_or(0, |(low, high)| u64::from(low) | u64::from(high) << 32);
        self.damage.failed = (code != 0).then_some((code, missing));
    }

    fn header(&mut self) -> bool {
        if self.has_header {
            return true;
        }
        let Some(header) = self.bytes.get(..HEADER).map(<[u8]>::to_vec) else {
            return self.is_over && self.give_up();
        };
        self.has_header = true;
        if header.starts_with(&MAGIC) {
            self.at = HEADER;
            let version = number(&header, 16).unwrap_or_default();
            self.damage.version = (version != VERSION).then_some(version);
            self.note_header(&header);
            let begun = number(&header, 32).zip(number(&header, 36));
            self.begun = begun.map_or(0, |(low, high)| u64::from(low) | u64::from(high) << 32);
        }
        true
    }

    /// There is not even a header, and there will be none.
    fn give_up(&mut self) -> bool {
        self.damage.cut += self.pending() as u64;
        self.at = self.bytes.len();
        false
    }

    fn look(&self, at: usize) -> DecodedEntry {
        let rest = self.bytes.get(at..).unwrap_or_default();
        if !rest.starts_with(&MARK) {
            let begins = MARK.starts_with(rest.get(..MARK.len()).unwrap_or(rest));
            return if begins {
                DecodedEntry::Partial
            } else {
                DecodedEntry::Damage
            };
        }
        let (Some(length), Some(sum)) = (number(rest, 4), number(rest, 8)) else {
            return DecodedEntry::Partial;
        };
        let length = length as usize;
        if length > LONGEST {
            return DecodedEntry::Damage;
        }
        let Some(body) = rest.get(FRONT..FRONT + length) else {
            return DecodedEntry::Partial;
        };
        if check(body) != sum {
            return DecodedEntry::Damage;
        }
        match rmp_serde::from_slice(body) {
            Ok(fact) => DecodedEntry::Fact(Box::new(fact), FRONT + length),
            Err(_) => DecodedEntry::Damage,
        }
    }

    /// The next place from `from` on at which a fact may begin.
    fn mark_from(&self, from: usize) -> Option<usize> {
        let rest = self.bytes.get(from..)?;
        let found = rest.windows(MARK.len()).position(|it| *it == MARK);
        found.map(|place| from + place)
    }

    /// Steps over what is damaged, to the next mark or to where one may begin.
    fn step_over(&mut self) {
        let last = self.bytes.len().saturating_sub(MARK.len() - 1);
        let next = self.mark_from(self.at + 1);
        let next = next.unwrap_or_else(|| last.max(self.at + 1));
        self.damage.skipped += (next - self.at) as u64;
        self.at = next;
    }

    /// Nothing more comes and what is left is no whole fact: whether one follows all the same, because it was the length
    /// that is damaged.
    fn follows(&mut self) -> bool {
        let mut from = self.at + 1;
        while let Some(place) = self.mark_from(from) {
            if matches!(self.look(place), DecodedEntry::Fact(..)) {
                self.damage.skipped += (place - self.at) as u64;
                self.at = place;
                return true;
            }
            from = place + 1;
        }
        self.give_up()
    }
}

/// Facts as far as the bytes go.
impl Iterator for FactDecoder {
    type Item = Fact;

    fn next(&mut self) -> Option<Fact> {
        if !self.header() || self.damage.version.is_some() {
            return None;
        }
        loop {
            if self.pending() == 0 {
                return None;
            }
            match self.look(self.at) {
                DecodedEntry::Fact(fact, length) => {
                    self.at += length;
                    return Some(*fact);
                }
                DecodedEntry::Damage => self.step_over(),
                DecodedEntry::Partial if self.is_over && self.follows() => {}
                DecodedEntry::Partial => return None,
            }
        }
    }
}

/// The number of four bytes at a place.
fn number(bytes: &[u8], at: usize) -> Option<u32> {
    let bytes = bytes.get(at..at + 4)?;
    bytes.try_into().ok().map(u32::from_le_bytes)
}

#[cfg(test)]
mod tests {
    use super::super::{FactWriter, ListeningCounts, ProcessFact};
    use super::*;

    fn facts() -> Vec<Fact> {
        let process = ProcessFact {
            process: 7,
            command: vec!["python".to_owned(), "train.py".to_owned()],
            ..ProcessFact::default()
        };
        let counts = |at| ListeningCounts {
            at,
            ..ListeningCounts::default()
        };
        vec![
            Fact::Process(Box::new(process)),
            Fact::Silent("there is no CUPTI".to_owned()),
            Fact::Thread {
                thread: 9,
                name: "main".to_owned(),
            },
            Fact::Counts(counts(5)),
            Fact::End(counts(6)),
        ]
    }

    /// The file, and where each fact ends in it.
    fn written() -> (Vec<u8>, Vec<usize>) {
        let mut writer = FactWriter::new(Vec::new()).unwrap();
        let mut ends = Vec::new();
        for fact in facts() {
            writer.append(&fact).unwrap();
            ends.push(writer.length() as usize);
        }
        (writer.into_inner(), ends)
    }

    fn read(bytes: &[u8]) -> (Vec<Fact>, FactFileDamage) {
        let mut decoder = FactDecoder::default();
        decoder.push(bytes);
        decoder.finish();
        let facts = decoder.by_ref().collect();
        (facts, decoder.damage().clone())
    }

    #[test]
    fn what_was_written_is_read_piece_by_piece() {
        let (bytes, _) = written();
        assert_eq!(read(&bytes), (facts(), FactFileDamage::default()));
        for piece in [1, 3, 64, 100] {
            let mut decoder = FactDecoder::default();
            let mut found = Vec::new();
            for piece in bytes.chunks(piece) {
                decoder.push(piece);
                found.extend(decoder.by_ref());
            }
            assert_eq!(found, facts());
            assert_eq!(decoder.pending(), 0);
        }
    }

    #[test]
    fn a_cut_file_has_every_whole_fact_and_its_tail_is_counted() {
        let (bytes, ends) = written();
        for length in 0..bytes.len() {
            let (found, damage) = read(&bytes[..length]);
            let whole = ends.iter().filter(|end| **end <= length).count();
            assert_eq!(found, facts()[..whole], "cut at {length}");
            let last = ends[..whole].last().copied();
            let last = last.unwrap_or(if length < HEADER { 0 } else { HEADER });
            assert_eq!(damage.cut, (length - last) as u64, "cut at {length}");
            assert_eq!(damage.skipped, 0);
        }
    }

    #[test]
    fn a_changed_byte_costs_the_fact_that_it_is_in_and_is_counted() {
        let (bytes, ends) = written();
        for place in HEADER..bytes.len() {
            for mask in [0x01, 0x80, 0xFF] {
                let mut changed = bytes.clone();
                changed[place] ^= mask;
                let (found, damage) = read(&changed);
                let hit = ends.iter().position(|end| place < *end).unwrap();
                let mut left = facts();
                left.remove(hit);
                assert_eq!(found, left, "byte {place} changed");
                assert!(damage.skipped + damage.cut > 0);
            }
        }
    }

    #[test]
    fn another_version_is_told_and_not_read() {
        let (mut bytes, _) = written();
        bytes[16] = 9;
        let (found, damage) = read(&bytes);
        assert_eq!((found.len(), damage.version), (0, Some(9)));
    }
}

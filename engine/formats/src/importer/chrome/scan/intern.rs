//! Gives each text a number, once.

use super::words::WORDS;

/// An empty place of the table.
const FREE: u32 = u32::MAX;

/// Texts by number, and numbers by text. The first numbers are the [`WORDS`].
pub struct Interner {
    texts: Vec<Box<str>>,
    hashes: Vec<u64>,
    places: Vec<u32>,
    /// Texts that were not valid and had to be mended.
    pub mended: u64,
    /// Whether NUL bytes at the end of a text are its own: of what Syncline wrote, not of what programs in C left there.
    pub keeps_nul: bool,
}

impl Interner {
    pub fn new() -> Self {
        let mut table = Self {
            texts: Vec::new(),
            hashes: Vec::new(),
            places: vec![FREE; 1 << 10],
            mended: 0,
            keeps_nul: false,
        };
        for word in WORDS {
            table.intern(word.as_bytes());
        }
        table
    }

    pub fn len(&self) -> usize {
        self.texts.len()
    }

    pub fn text(&self, id: u32) -> &str {
        self.texts.get(id as usize).map_or("", |text| text)
    }

    /// The texts from a number on.
    pub fn since(&self, first: usize) -> &[Box<str>] {
        self.texts.get(first..).unwrap_or_default()
    }

    /// The number of a text. Bytes that are no UTF-8 are replaced, and counted.
    pub fn intern(&mut self, bytes: &[u8]) -> u32 {
        let hash = hash(bytes);
        let mask = self.places.len() - 1;
        let mut place = hash as usize & mask;
        loop {
            match self.places.get(place) {
                Some(&FREE) | None => break,
                Some(&id) => {
                    let same = self.hashes.get(id as usize) == Some(&hash);
                    if same && self.text(id).as_bytes() == bytes {
                        return id;
                    }
                }
            }
            place = (place + 1) & mask;
        }
        let Ok(text) = std::str::from_utf8(bytes) else {
            self.mended += 1;
            return self.intern(String::from_utf8_lossy(bytes).as_bytes());
        };
        self.add(text.into(), hash, place)
    }

    fn add(&mut self, text: Box<str>, hash: u64, place: usize) -> u32 {
        let id = self.texts.len() as u32;
        self.texts.push(text);
        self.hashes.push(hash);
        if let Some(slot) = self.places.get_mut(place) {
            *slot = id;
        }
        if self.texts.len() * 2 > self.places.len() {
            self.grow();
        }
        id
    }

    fn grow(&mut self) {
        let mask = self.places.len() * 2 - 1;
        self.places = vec![FREE; mask + 1];
        for (id, hash) in self.hashes.iter().enumerate() {
            let mut place = *hash as usize & mask;
            while self.places.get(place).is_some_and(|&id| id != FREE) {
                place = (place + 1) & mask;
            }
            if let Some(slot) = self.places.get_mut(place) {
                *slot = id as u32;
            }
        }
    }
}

/// A hash of some bytes, eight at a time. Files are no adversaries here: a slow table is still a right one.
pub fn hash(bytes: &[u8]) -> u64 {
    const FACTOR: u64 = 0x9E37_79B9_7F4A_7C15;
    let mix = |sum: u64, word: u64| {
        let product = u128::from(sum ^ word) * u128::from(FACTOR);
        product as u64 ^ (product >> 64) as u64
    };
    let mut sum = bytes.len() as u64;
    // The last eight bytes may overlap those before: that is quicker than looking at a rest byte by byte.
    if let Some(last) = bytes.last_chunk::<8>() {
        for word in bytes.as_chunks::<8>().0 {
            sum = mix(sum, u64::from_le_bytes(*word));
        }
        return mix(sum, u64::from_le_bytes(*last));
    }
    let word = bytes
        .iter()
        .fold(0, |word, byte| word << 8 | u64::from(*byte));
    mix(sum, word)
}

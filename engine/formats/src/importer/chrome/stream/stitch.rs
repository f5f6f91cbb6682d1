//! Takes scanned stretches in order, and scans again what was cut at a wrong place.

use std::collections::BTreeMap;
use std::io::{self, Read};

use super::feed::{Feed, LONGEST, LONGEST_UNPACKED};
use super::pool::{Pool, Scanned, start};
use crate::importer::chrome::scan::{Damage, End, Lists, Parsed, Scanner};

/// What follows the list of events may be so long and is still looked through.
const LONGEST_TAIL: usize = 16 << 20;

/// A stretch that was scanned, in order.
pub struct Piece {
    pub parsed: Parsed,
    /// Which scanner did it.
    pub scanner: usize,
    /// Where in the file it begins.
    pub at: u64,
    /// Whether its events count; where not, its texts and rows are still those that its scanner knows.
    pub counts: bool,
    /// How far the file was read.
    pub read: u64,
}

/// How a file ended.
#[derive(Default)]
pub struct Tail {
    /// What follows the list of events, and where; nothing where the list does not end.
    pub after: Option<(u64, Vec<u8>)>,
    /// Where the last event begins, where it is cut, and how many bytes of it there are.
    pub cut: Option<(u64, u64)>,
    /// Why reading ended early.
    pub failed: Option<io::Error>,
    /// How many bytes were read.
    pub read: u64,
}

/// Reads all events after `ahead`, which begins at byte `at`, and gives each stretch to `take` in order. Of a file that
/// `is_packed` no event is read that is very long. The fields of spans are packed where `packs` says so.
pub fn run<E>(
    (reader, is_packed, packs): (Box<dyn Read + Send>, bool, bool),
    ahead: Vec<u8>,
    at: u64,
    mut take: impl FnMut(&mut Piece) -> Result<(), E>,
) -> Result<Tail, E> {
    std::thread::scope(|scope| {
        let longest = if is_packed { LONGEST_UNPACKED } else { LONGEST };
        let feed = Feed {
            reader,
            ahead,
            at,
            longest,
        };
        let pool = start(scope, feed, packs);
        let mut stitch = Stitch {
            carry: Vec::new(),
            carry_at: 0,
            longest,
            scanner: Scanner::new(packs),
            number: pool.scanners,
            tail: Tail::default(),
        };
        let mut waiting = BTreeMap::new();
        let mut next = 0;
        while let Ok(scanned) = pool.results.recv() {
            waiting.insert(scanned.block.order, scanned);
            while let Some(scanned) = waiting.remove(&next) {
                next += 1;
                stitch.take(scanned, &pool, &mut take)?;
            }
        }
        Ok(stitch.finish())
    })
}

struct Stitch {
    /// An event that began in the stretch before.
    carry: Vec<u8>,
    carry_at: u64,
    longest: usize,
    scanner: Scanner,
    number: usize,
    tail: Tail,
}

impl Stitch {
    fn take<E>(
        &mut self,
        scanned: Scanned,
        pool: &Pool,
        take: &mut impl FnMut(&mut Piece) -> Result<(), E>,
    ) -> Result<(), E> {
        let Scanned {
            block,
            parsed,
            scanner,
        } = scanned;
        let read = block.at + block.bytes.len() as u64;
        self.tail.read = read;
        self.tail.failed = block.failed;
        let over = self.tail.after.is_some();
        let counts = !over && self.carry.is_empty();
        let end = parsed.end;
        let mut piece = Piece {
            parsed,
            scanner,
            at: block.at,
            counts,
            read,
        };
        take(&mut piece)?;
        if let Some((_, after)) = &mut self.tail.after {
            let room = LONGEST_TAIL.saturating_sub(after.len());
            after.extend(block.bytes.iter().take(room));
        } else if counts {
            self.keep(end, block.at, &block.bytes);
        } else {
            self.again(&block.bytes, read, take)?;
        }
        // Nobody waits for buffers any more once the file is read.
        let lists = (piece.parsed.events, piece.parsed.arguments);
        drop(pool.spare.try_send((block.bytes, lists)));
        Ok(())
    }

    /// Remembers what a stretch leaves over.
    fn keep(&mut self, end: End, at: u64, bytes: &[u8]) {
        match end {
            End::Between => {}
            End::Inside(place) => {
                self.carry = bytes.get(place..).unwrap_or_default().to_vec();
                self.carry_at = at + place as u64;
            }
            End::List(place) => {
                let after = bytes.get(place..).unwrap_or_default().to_vec();
                self.tail.after = Some((at + place as u64, after));
            }
        }
    }

    /// Scans what was left over together with what follows it.
    fn again<E>(
        &mut self,
        bytes: &[u8],
        read: u64,
        take: &mut impl FnMut(&mut Piece) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut joined = std::mem::take(&mut self.carry);
        joined.extend_from_slice(bytes);
        let at = self.carry_at;
        let mut parsed = self.scanner.scan(&joined, Lists::default());
        if joined.len() > self.longest * 2 && matches!(parsed.end, End::Inside(_)) {
            let (place, length) = (0, joined.len());
            parsed.damage.push(Damage { at: place, length });
            parsed.end = End::Between;
        }
        let end = parsed.end;
        take(&mut Piece {
            parsed,
            scanner: self.number,
            at,
            counts: true,
            read,
        })?;
        self.keep(end, at, &joined);
        Ok(())
    }

    fn finish(mut self) -> Tail {
        if !self.carry.is_empty() {
            self.tail.cut = Some((self.carry_at, self.carry.len() as u64));
        }
        self.tail
    }
}

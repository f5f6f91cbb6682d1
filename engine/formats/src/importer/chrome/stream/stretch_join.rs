//! Takes scanned stretches in order, and scans again what was cut at a wrong place.

use std::collections::BTreeMap;
use std::io::{self, Read};

use memchr::memmem;

use super::pool::{ScannedBlock, ScannerPool, start};
use super::stretch_reader::{BlockReader, LONGEST, LONGEST_UNPACKED};
use super::top::LIST_KEY;
use crate::importer::behind::LOOKED_AT;
use crate::importer::chrome::scan::{
    DamagedBytes, EventLists, ParsedStretch, StretchEnd, StretchScanner,
};

/// An event that goes on for longer while others seem to begin in it is damaged: a bracket or a quote of it is not there.
const LONG: usize = 4 << 20;
/// So many damaged events are left behind at the next event. From there on twice as much is left out each time, so that a file
/// of nothing but damage is not read again for each.
const TRIES: u32 = 32;
/// What follows the list of events may be so long and is still looked through.
const LONGEST_TAIL: usize = 16 << 20;

/// A stretch that was scanned, in order.
pub struct ScannedStretch {
    pub parsed: ParsedStretch,
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
pub struct ChromeFileEnd {
    /// What follows the list of events, and where; nothing where the list does not end.
    pub after: Option<(u64, Vec<u8>)>,
    /// Where the last event begins, where it is cut, and how many bytes of it there are.
    pub cut: Option<(u64, u64)>,
    /// Whether another list of events begins in that one.
    pub cuts_another: bool,
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
    mut take: impl FnMut(&mut ScannedStretch) -> Result<(), E>,
) -> Result<ChromeFileEnd, E> {
    std::thread::scope(|scope| {
        let longest = if is_packed { LONGEST_UNPACKED } else { LONGEST };
        let feed = BlockReader {
            reader,
            ahead,
            at,
            longest,
        };
        let mut pool = start(scope, feed, packs);
        let mut stitch = StretchJoiner {
            carry: Vec::new(),
            carry_at: 0,
            longest,
            scanner: StretchScanner::new(packs),
            number: pool.scanners,
            tries: 0,
            tail: ChromeFileEnd::default(),
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
        let mut end = stitch.finish(&mut take)?;
        end.failed = pool.failed.take().or(end.failed);
        Ok(end)
    })
}

struct StretchJoiner {
    /// An event that began in the stretch before.
    carry: Vec<u8>,
    carry_at: u64,
    longest: usize,
    scanner: StretchScanner,
    number: usize,
    /// How often an event was left behind that went on too long.
    tries: u32,
    tail: ChromeFileEnd,
}

impl StretchJoiner {
    fn take<E>(
        &mut self,
        scanned: ScannedBlock,
        pool: &ScannerPool,
        take: &mut impl FnMut(&mut ScannedStretch) -> Result<(), E>,
    ) -> Result<(), E> {
        let ScannedBlock {
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
        let mut piece = ScannedStretch {
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
            self.again(&block.bytes, (read, LONG), take)?;
        }
        // Nobody waits for buffers any more once the file is read.
        let lists = (piece.parsed.events, piece.parsed.arguments);
        drop(pool.spare.try_send((block.bytes, lists)));
        Ok(())
    }

    /// Remembers what a stretch leaves over.
    fn keep(&mut self, end: StretchEnd, at: u64, bytes: &[u8]) {
        match end {
            StretchEnd::Between => {}
            StretchEnd::Inside(place) => {
                self.carry = bytes.get(place..).unwrap_or_default().to_vec();
                self.carry_at = at + place as u64;
            }
            StretchEnd::List(place) => {
                let after = bytes.get(place..).unwrap_or_default().to_vec();
                self.tail.after = Some((at + place as u64, after));
            }
        }
    }

    /// Scans what was left over together with what follows it. Of an event that is longer than `most` it is doubted that all
    /// of that is its own.
    fn again<E>(
        &mut self,
        bytes: &[u8],
        (read, most): (u64, usize),
        take: &mut impl FnMut(&mut ScannedStretch) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut joined = std::mem::take(&mut self.carry);
        joined.extend_from_slice(bytes);
        let mut at = self.carry_at;
        let mut parsed = self.scanner.scan(&joined, EventLists::default());
        while let StretchEnd::Inside(place) = parsed.end
            && joined.len() - place > most
            && let Some(next) = next_alike(&joined, place, self.least())
        {
            self.tries += 1;
            let length = next - place;
            parsed.damage.push(DamagedBytes { at: place, length });
            parsed.end = StretchEnd::Between;
            take(&mut ScannedStretch {
                parsed,
                scanner: self.number,
                at,
                counts: true,
                read,
            })?;
            joined.drain(..next);
            at += next as u64;
            parsed = self.scanner.scan(&joined, EventLists::default());
        }
        if joined.len() > self.longest * 2 && matches!(parsed.end, StretchEnd::Inside(_)) {
            let (place, length) = (0, joined.len());
            parsed.damage.push(DamagedBytes { at: place, length });
            parsed.end = StretchEnd::Between;
        }
        let end = parsed.end;
        take(&mut ScannedStretch {
            parsed,
            scanner: self.number,
            at,
            counts: true,
            read,
        })?;
        self.keep(end, at, &joined);
        Ok(())
    }

    /// How many bytes of the next damaged event are left out at least.
    fn least(&self) -> usize {
        let more = self.tries.saturating_sub(TRIES);
        1_usize.checked_shl(more).unwrap_or(usize::MAX)
    }

    fn finish<E>(
        mut self,
        take: &mut impl FnMut(&mut ScannedStretch) -> Result<(), E>,
    ) -> Result<ChromeFileEnd, E> {
        if !self.carry.is_empty() {
            self.again(&[], (self.tail.read, 0), take)?;
        }
        if !self.carry.is_empty() {
            self.tail.cut = Some((self.carry_at, self.carry.len() as u64));
            self.tail.cuts_another = begins_list(&self.carry);
        }
        Ok(self.tail)
    }
}

/// Whether what should be an event is another list of them, or an object that holds one.
fn begins_list(bytes: &[u8]) -> bool {
    let bytes = bytes.trim_ascii_start();
    let bytes = bytes.strip_prefix(b",").unwrap_or(bytes).trim_ascii_start();
    let head = bytes.get(..LOOKED_AT as usize).unwrap_or(bytes);
    bytes.starts_with(b"[") || memmem::find(head, LIST_KEY).is_some()
}

/// Where the next event seems to begin, `least` bytes or more behind one at `place`: as that does, after a bracket and a comma.
fn next_alike(bytes: &[u8], place: usize, least: usize) -> Option<usize> {
    let rest = bytes.get(place..)?;
    let quotes = rest.iter().enumerate().filter(|it| *it.1 == b'"');
    let (end, _) = quotes.take(2).last()?;
    let opening = rest.get(..=end)?;
    let follows = |at: &usize| {
        if *at < least {
            return false;
        }
        let before = rest.get(..*at).unwrap_or_default().trim_ascii_end();
        let before = before.strip_suffix(b",").map(<[u8]>::trim_ascii_end);
        before.is_some_and(|it| it.ends_with(b"}"))
    };
    let mut found = memmem::find_iter(rest, opening).skip(1).filter(follows);
    Some(place + found.next()?)
}

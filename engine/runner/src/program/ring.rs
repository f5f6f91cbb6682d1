//! The last stretch of time, in a ring of segments: the oldest go, and what they leave is carried on.

mod copy;

use std::collections::VecDeque;
use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use cuda_recorder::{
    Fact, FactDecoder, FactFileDamage, HEADER, NvtxEvents, NvtxStep, SegmentLimits, SegmentName,
};
use formats::activity::{ActivityCarry, RingExcess, RingLimit};

pub use self::copy::RingCopy;

/// Segments that a ring of one process has room for.
const SEGMENTS: u64 = 16;
/// The largest segment: what goes is read once more, and not too much of it at once.
const LARGEST: u64 = 8 << 20;
/// Bytes that are read at once.
const PIECE: usize = 1 << 20;

/// How large the segments of a ring are, and at how many a process waits for older ones to go: at twice the ring.
pub fn segments_of(limit: RingLimit) -> SegmentLimits {
    let bytes = (limit.bytes / SEGMENTS).clamp(1, LARGEST);
    let count = 2 * (limit.bytes / bytes).max(SEGMENTS);
    SegmentLimits {
        bytes,
        nanos: (limit.nanos / SEGMENTS).max(1),
        count: u32::try_from(count).unwrap_or(u32::MAX),
    }
}

/// A segment that is there.
struct RingSegment {
    name: SegmentName,
    begun: u64,
    bytes: u64,
}

/// The segments of a process that are there, and how things stood before them.
struct RingFile {
    /// The one that is looked for.
    next: SegmentName,
    segments: VecDeque<RingSegment>,
    carry: ActivityCarry,
    damage: FactFileDamage,
}

/// Segments that went for want of room, before their time, one after the other.
#[derive(Clone, Copy, Debug)]
struct EarlyLoss {
    since: u64,
    until: u64,
    bytes: u64,
}

/// Losses are told apart by so many parts of the stretch.
const PARTS: u64 = 256;

/// The ring.
pub struct FactRing {
    folder: PathBuf,
    limit: RingLimit,
    files: Vec<RingFile>,
    /// What is in the stretch, the oldest first.
    early: VecDeque<EarlyLoss>,
    /// The most bytes that there were and that could not go, where that was more than the ring may have.
    overflow: Option<u64>,
}

impl FactRing {
    /// An empty one in a folder.
    pub fn new(folder: &Path, limit: RingLimit) -> Self {
        Self {
            folder: folder.to_owned(),
            limit,
            files: Vec::new(),
            early: VecDeque::new(),
            overflow: None,
        }
    }

    /// How long a stretch is kept, in nanoseconds.
    pub const fn nanos(&self) -> u64 {
        self.limit.nanos
    }

    /// Takes up another process, by its first segment.
    pub fn add(&mut self, first: SegmentName) {
        self.files.push(RingFile {
            next: first,
            segments: VecDeque::new(),
            carry: ActivityCarry::default(),
            damage: FactFileDamage::default(),
        });
    }

    /// When the newest segment was begun, of what was looked at: nothing is later by much than that and told.
    pub fn newest(&self) -> Option<u64> {
        let newest = self.files.iter().filter_map(|it| it.segments.back());
        newest.map(|it| it.begun).max()
    }

    /// The latest instant that anything tells of: when the program did something last.
    pub fn latest(&mut self) -> Option<u64> {
        self.look();
        self.latest_by(|fact| match fact {
            Fact::Process(process) => Some(process.at),
            Fact::Counts(counts) | Fact::End(counts) => Some(counts.at),
            other => reached(other),
        })
    }

    fn latest_by(&self, reached: impl Fn(&Fact) -> Option<u64>) -> Option<u64> {
        let latest_in = |segment: &RingSegment| {
            let mut latest = None;
            read(&segment.name.path(&self.folder), false, &mut |fact| {
                latest = latest.max(reached(&fact));
            });
            latest
        };
        // The last segments of a process may hold nothing of the sort. What threads did comes a little out of order.
        let of_file = |file: &RingFile| {
            let ends = file.segments.iter().rev().filter_map(&latest_in);
            ends.take(2).max()
        };
        self.files.iter().filter_map(of_file).max()
    }

    /// Takes up segments that are new, and how much the others have grown.
    fn look(&mut self) {
        for file in &mut self.files {
            if let Some(last) = file.segments.back_mut() {
                last.bytes = length(&last.name.path(&self.folder));
            }
            // One whose header is not there yet is looked for the next time.
            while let Some(begun) = begun(&file.next.path(&self.folder)) {
                // The one before is written to no more.
                if let Some(last) = file.segments.back_mut() {
                    last.bytes = length(&last.name.path(&self.folder));
                }
                let bytes = length(&file.next.path(&self.folder));
                let next = file.next.next();
                file.segments.push_back(RingSegment {
                    name: std::mem::replace(&mut file.next, next),
                    begun,
                    bytes,
                });
            }
        }
    }

    /// Removes segments that ended before the stretch up to `now`, and the oldest where there are too many bytes. Those from
    /// `unread` of each process on stay.
    pub fn trim(&mut self, now: u64, unread: &dyn Fn(usize) -> u32) {
        self.look();
        let from = now.saturating_sub(self.limit.nanos);
        let sizes = self.files.iter().flat_map(|it| &it.segments);
        let mut total: u64 = sizes.map(|it| it.bytes).sum();
        loop {
            let oldest = self.oldest(unread);
            let is_full = total > self.limit.bytes;
            let due = oldest.filter(|(closed, _)| *closed < from || is_full);
            let Some((closed, place)) = due else {
                // What is not read yet stays whatever its size.
                if is_full && self.oldest(&|_| u32::MAX).is_none() {
                    self.overflow = self.overflow.max(Some(total));
                }
                return;
            };
            let bytes = self.drop_first(place);
            if closed >= from {
                self.note_early(closed, bytes);
            }
            total = total.saturating_sub(bytes);
        }
    }

    fn note_early(&mut self, closed: u64, bytes: u64) {
        let from = closed.saturating_sub(self.limit.nanos);
        while self.early.pop_front_if(|it| it.until < from).is_some() {}
        match self.early.back_mut() {
            Some(last) if closed < last.since.saturating_add(self.limit.nanos / PARTS) => {
                last.until = last.until.max(closed);
                last.bytes += bytes;
            }
            _ => self.early.push_back(EarlyLoss {
                since: closed,
                until: closed,
                bytes,
            }),
        }
    }

    /// The segment that was closed first, by when that was and the place of its process.
    fn oldest(&self, unread: &dyn Fn(usize) -> u32) -> Option<(u64, usize)> {
        let files = self.files.iter().enumerate();
        let closed = files.filter_map(|(place, file)| {
            let first = file.segments.front()?;
            let next = file.segments.get(1)?;
            (first.name.number < unread(place)).then_some((next.begun, place))
        });
        closed.min()
    }

    /// Removes the first segment of a process, and answers with its length.
    fn drop_first(&mut self, place: usize) -> u64 {
        let Some(file) = self.files.get_mut(place) else {
            return 0;
        };
        let Some(first) = file.segments.pop_front() else {
            return 0;
        };
        let path = first.name.path(&self.folder);
        let damage = read(&path, true, &mut |fact| file.carry.take(fact));
        add(&mut file.damage, &damage);
        // What stays goes with the folder.
        let _ = std::fs::remove_file(path);
        first.bytes
    }

    /// Hands over what is there, with the number of its process, up to the last whole fact of each.
    pub fn read(&mut self, is_over: bool, take: &mut dyn FnMut(u32, Fact)) -> Vec<FactFileDamage> {
        self.look();
        let folder = self.folder.clone();
        let files = (0..).zip(&self.files);
        let each = files.map(|(number, file)| {
            let mut damage = file.damage.clone();
            let mut carried = Some(file.carry.facts());
            let last = file.segments.len().saturating_sub(1);
            for (place, segment) in file.segments.iter().enumerate() {
                let path = segment.name.path(&folder);
                let is_whole = is_over || place < last;
                let found = read(&path, is_whole, &mut |fact| {
                    take(number, fact);
                    // Behind what says which process it is.
                    let carried = carried.take().unwrap_or_default();
                    for fact in carried {
                        take(number, fact);
                    }
                });
                add(&mut damage, &found);
            }
            damage
        });
        each.collect()
    }

    /// What went with segments that are gone.
    pub fn outside(&self) -> u64 {
        self.files.iter().map(|it| it.carry.outside()).sum()
    }

    /// What the ring had no room for of the stretch up to `to`.
    pub fn excess(&self, to: u64) -> Option<RingExcess> {
        let from = to.saturating_sub(self.limit.nanos);
        let bytes = self.limit.bytes;
        let lost = self.early.iter().filter(|it| it.until > from);
        let Some(until) = lost.clone().map(|it| it.until).max() else {
            return self.overflow.map(|most| RingExcess {
                bytes,
                wanted: most.saturating_mul(2),
                held: None,
            });
        };
        let there = self.files.iter().flat_map(|it| &it.segments);
        let there: u64 = there.map(|it| it.bytes).sum();
        let written = there + lost.map(|it| it.bytes).sum::<u64>();
        // A little more, since it is full by whole segments.
        let wanted = written + written / 8;
        // A program may end long after the last that it told: that time took no room.
        let end = self.latest_by(reached).map_or(to, |it| it.min(to));
        // What is handed over tells of up to a quarter of a second before: of less than that its bytes say how long it lasted.
        let by_bytes = self.limit.nanos as f64 * bytes as f64 / wanted.max(1) as f64;
        let by_time = end.checked_sub(until).filter(|it| *it > 0);
        Some(RingExcess {
            bytes,
            wanted,
            held: Some(by_time.unwrap_or(by_bytes as u64)),
        })
    }
}

/// The latest instant of what a fact tells of the program.
fn reached(fact: &Fact) -> Option<u64> {
    match fact {
        Fact::Records(records) => {
            let ends = records.iter().filter_map(|it| Some(it.interval()?.1));
            ends.max()
        }
        Fact::Nvtx(chunk) => {
            let called = NvtxEvents::new(&chunk.events);
            let called = called.filter(|it| it.step != NvtxStep::Sample);
            called.map(|it| it.time).max()
        }
        _ => None,
    }
}

fn length(path: &Path) -> u64 {
    std::fs::metadata(path).map_or(0, |it| it.len())
}

/// When a segment was begun; nothing where its header is not there.
fn begun(path: &Path) -> Option<u64> {
    let mut header = [0; HEADER];
    File::open(path).ok()?.read_exact(&mut header).ok()?;
    let mut decoder = FactDecoder::default();
    decoder.push(&header);
    // The header is read with the first look for a fact.
    let none = decoder.next();
    none.is_none().then_some(decoder.begun())
}

/// Hands over the facts of a segment; what is left at its end is damage where it `is_whole`.
fn read(path: &Path, is_whole: bool, take: &mut dyn FnMut(Fact)) -> FactFileDamage {
    let mut decoder = FactDecoder::default();
    let mut piece = vec![0; PIECE];
    let Ok(mut file) = File::open(path) else {
        return FactFileDamage::default();
    };
    loop {
        let count = file.read(&mut piece).unwrap_or(0);
        decoder.push(piece.get(..count).unwrap_or_default());
        if count == 0 && is_whole {
            decoder.finish();
        }
        decoder.by_ref().for_each(&mut *take);
        if count == 0 {
            return decoder.damage().clone();
        }
    }
}

fn add(sum: &mut FactFileDamage, more: &FactFileDamage) {
    sum.skipped += more.skipped;
    sum.cut += more.cut;
    sum.version = sum.version.or(more.version);
    sum.failed = sum.failed.or(more.failed);
}

#[cfg(test)]
mod tests;

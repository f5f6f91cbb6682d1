//! Cuts a file into stretches that probably end between two events.

use std::io::{self, Read};

use crossbeam_channel::{Receiver, Sender};
use memchr::memrchr;

use crate::importer::chrome::scan::EventLists;

/// How much is read at a time.
const BLOCK: usize = 1 << 20;
/// The longest stretch without a place to cut it, which is the longest event that is read.
pub const LONGEST: usize = 96 << 20;
/// The same of a packed file, whose own length says nothing of how much there is to hold.
pub const LONGEST_UNPACKED: usize = 24 << 20;

/// What a stretch takes, to be used again.
pub type SpareBuffers = (Vec<u8>, EventLists);

/// A stretch of the file.
pub struct FileBlock {
    /// Its place in the order of all.
    pub order: u64,
    /// Where in the file it begins.
    pub at: u64,
    pub bytes: Vec<u8>,
    /// What its events are to be put in.
    pub lists: EventLists,
    /// Why reading ended with it, where that was not the end of the file.
    pub failed: Option<io::Error>,
}

/// Reads a file from the first event on.
pub struct BlockReader<R> {
    pub reader: R,
    /// What was read already, and where in the file that begins.
    pub ahead: Vec<u8>,
    pub at: u64,
    /// The longest stretch without a place to cut it: [`LONGEST`], or [`LONGEST_UNPACKED`] of a packed file.
    pub longest: usize,
}

impl<R: Read> BlockReader<R> {
    /// Sends every stretch. `spare` gives buffers, so that only so many are under way.
    pub fn run(mut self, spare: &Receiver<SpareBuffers>, out: &Sender<FileBlock>) {
        let opening = EventOpening::of(&self.ahead);
        let mut carry = std::mem::take(&mut self.ahead);
        for order in 0.. {
            let Ok((mut bytes, lists)) = spare.recv() else {
                return;
            };
            let held = carry.len();
            fit(&mut bytes, held);
            bytes
                .iter_mut()
                .zip(&carry)
                .for_each(|(to, from)| *to = *from);
            carry.clear();
            let (over, failed) = match self.fill(&mut bytes, held, &opening) {
                Ok(Some(end)) => {
                    carry.extend_from_slice(bytes.get(end..).unwrap_or_default());
                    bytes.truncate(end);
                    (false, None)
                }
                Ok(None) => (true, None),
                Err(error) => (true, Some(error)),
            };
            let at = self.at;
            self.at += bytes.len() as u64;
            let block = FileBlock {
                order,
                at,
                bytes,
                lists,
                failed,
            };
            if out.send(block).is_err() || over {
                return;
            }
        }
    }

    /// Reads behind the first `held` bytes until there is a place to cut, and returns it; nothing at the end of the
    /// file. What `bytes` held from an earlier stretch is written over.
    fn fill(
        &mut self,
        bytes: &mut Vec<u8>,
        mut held: usize,
        opening: &EventOpening,
    ) -> io::Result<Option<usize>> {
        let mut searched = 0;
        loop {
            fit(bytes, held + BLOCK);
            let room = bytes.get_mut(held..held + BLOCK).unwrap_or_default();
            let (got, failed) = read(&mut self.reader, room);
            held += got;
            if got == 0 || failed.is_some() {
                bytes.truncate(held);
                return failed.map_or(Ok(None), Err);
            }
            let read = bytes.get(..held).unwrap_or_default();
            if let Some(end) = opening.last(read, searched) {
                bytes.truncate(held);
                return Ok(Some(end));
            }
            if read.iter().all(u8::is_ascii_whitespace) {
                self.at += held as u64;
                held = 0;
            }
            if held >= self.longest {
                bytes.truncate(held);
                return Ok(Some(held));
            }
            // A place may lie across two readings.
            searched = held.saturating_sub(1 << 10);
        }
    }
}

/// Makes at least `length` bytes of them; those that are there stay, so that little is written twice.
fn fit(bytes: &mut Vec<u8>, length: usize) {
    if bytes.len() < length {
        bytes.resize(length, 0);
    }
}

/// Fills `room` as far as the file goes: how many bytes came, and why no more did.
fn read(reader: &mut impl Read, room: &mut [u8]) -> (usize, Option<io::Error>) {
    let mut got = 0;
    while let Some(rest) = room.get_mut(got..).filter(|rest| !rest.is_empty()) {
        match reader.read(rest) {
            Ok(0) => break,
            Ok(more) => got += more,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return (got, Some(error)),
        }
    }
    (got, None)
}

/// How events begin, as far as the first shows.
struct EventOpening {
    key: Vec<u8>,
}

impl EventOpening {
    fn of(bytes: &[u8]) -> Self {
        let mut parts = bytes.splitn(3, |&byte| byte == b'"');
        let before = parts.next().unwrap_or_default();
        let key = parts.next().filter(|_| parts.next().is_some());
        // An empty object tells nothing.
        let key = key.filter(|_| !before.contains(&b'}')).unwrap_or_default();
        Self { key: key.to_vec() }
    }

    /// The last place, after `from`, where an event seems to begin.
    fn last(&self, bytes: &[u8], from: usize) -> Option<usize> {
        let mut end = bytes.len();
        while let Some(found) = bytes.get(from..end).and_then(|part| memrchr(b'{', part)) {
            let at = from + found;
            if at > 0 && self.begins(bytes, at) {
                return Some(at);
            }
            end = at;
        }
        None
    }

    fn begins(&self, bytes: &[u8], at: usize) -> bool {
        let (before, after) = bytes.split_at(at);
        let after = after.get(1..).unwrap_or_default().trim_ascii_start();
        let keyed = after
            .strip_prefix(b"\"")
            .is_some_and(|after| after.starts_with(&self.key));
        let comma = before.trim_ascii_end().strip_suffix(b",");
        keyed && comma.is_some_and(|before| before.trim_ascii_end().ends_with(b"}"))
    }
}

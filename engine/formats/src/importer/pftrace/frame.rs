//! Cuts a file into packets, reading it piece by piece.

use std::io::{self, Read};

use prost::encoding::decode_varint;

use super::resync;
use crate::perfetto::proto::PACKET_FIELD;

/// The tag of a packet: its field's number, and that a length follows.
const PACKET_TAG: u8 = (PACKET_FIELD << 3 | 2) as u8;
/// How much is read at a time.
const PIECE: usize = 1 << 20;
/// A tag and the longest length.
const LONGEST_HEAD: usize = 11;
/// The longest packet of a packed file, whose own length does not bound it.
const LONGEST: u64 = 64 << 20;
/// So many packets that follow each other are no chance.
const ENOUGH_PACKETS: usize = 3;
/// The longest packet that is looked for behind damage.
const LONGEST_FOUND: u64 = 1 << 20;
/// Bytes that are looked at for packets behind damage, at most: those of a file of nothing but beginnings are many.
const MOST_LOOKED_AT: u64 = 1 << 28;
/// The highest number of a field that a packet may have, by Perfetto's rules.
const LAST_FIELD: u64 = 2000;

/// The next thing in a file.
#[derive(Debug)]
pub(super) enum NextPacket<'a> {
    /// A whole packet and where it begins.
    Packet { at: u64, bytes: &'a [u8] },
    /// What follows is no whole packet: one that the end of the file cuts, or none at all.
    Rest { at: u64, left: u64, is_cut: bool },
    /// The file is over.
    End,
}

/// The packets of a file.
pub(super) struct PacketReader<R> {
    reader: R,
    buffer: Vec<u8>,
    /// How much of the buffer was handed out.
    used: usize,
    /// Where in the file the buffer ends.
    filled: u64,
    length: u64,
    longest: u64,
    count: u64,
    /// Where in the buffer the packet begins that was handed out last.
    latest: usize,
}

impl<R: Read> PacketReader<R> {
    /// The packets of the first `length` bytes that `reader` gives, or of all of them.
    pub fn new(reader: R, length: Option<u64>) -> Self {
        Self {
            reader,
            buffer: Vec::new(),
            used: 0,
            filled: 0,
            length: length.unwrap_or(u64::MAX),
            longest: length.unwrap_or(LONGEST),
            count: 0,
            latest: 0,
        }
    }

    /// How many bytes were handed out.
    pub fn position(&self) -> u64 {
        self.filled - (self.buffer.len() - self.used) as u64
    }

    /// How many packets were handed out.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// The next packet. Fails where the file cannot be read.
    pub fn next(&mut self) -> io::Result<NextPacket<'_>> {
        self.want(LONGEST_HEAD)?;
        let at = self.position();
        self.latest = self.used;
        let ahead = self.buffer.get(self.used..).unwrap_or_default();
        if ahead.is_empty() {
            return Ok(NextPacket::End);
        }
        let known = self.length.saturating_sub(at).min(self.longest);
        let left = known.max(ahead.len() as u64);
        let Some((head, body)) = head(ahead) else {
            // Of a head that is cut no more than a head is there, and zeros are room that was set aside.
            let is_cut = ahead.len() < LONGEST_HEAD || ahead.iter().all(|it| *it == 0);
            return Ok(NextPacket::Rest { at, left, is_cut });
        };
        let whole = head.saturating_add(body as usize);
        // A length beyond the end of the file is never reserved.
        if body > left - head as u64 || !self.want(whole)? {
            self.latest = self.used;
            let is_cut = true;
            return Ok(NextPacket::Rest { at, left, is_cut });
        }
        let start = self.used + head;
        self.latest = self.used;
        self.used += whole;
        self.count += 1;
        let bytes = self.buffer.get(start..self.used).unwrap_or_default();
        Ok(NextPacket::Packet { at, bytes })
    }

    /// Goes on with the next packet of ours behind the beginning of what was handed out last. Answers how many bytes lie
    /// between; nothing where none follows.
    pub fn resume(&mut self) -> io::Result<Option<u64>> {
        self.used = self.latest;
        let begun = self.position();
        self.used += 1;
        loop {
            let ahead = self.buffer.get(self.used..).unwrap_or_default();
            let Some(mark) = resync::mark(ahead) else {
                // What may be the beginning of one is kept.
                let kept = ahead.len().min(resync::ENOUGH);
                self.used = self.buffer.len() - kept;
                if !self.want(kept + 1)? {
                    self.used = self.buffer.len();
                    return Ok(None);
                }
                continue;
            };
            let Some((start, end)) = resync::before(ahead, mark) else {
                self.used += mark + 1;
                continue;
            };
            let whole = end - start;
            self.used += start;
            let left = self.length.saturating_sub(self.position());
            if whole as u64 <= left.min(self.longest) && self.want(whole)? {
                let bytes = self.buffer.get(self.used..self.used + whole);
                // Looking for others first keeps a file of nothing but marks from being decoded from each of them on.
                let is_one = |it: &[u8]| !resync::holds_others(it) && resync::is_packet(it);
                if bytes.is_some_and(is_one) {
                    return Ok(Some(self.position() - begun));
                }
            }
            self.used += mark + 1 - start;
        }
    }

    /// Goes on with the next place behind the beginning of what was handed out last at which packets follow each other.
    /// Answers how many bytes lie between; nothing where there is none.
    pub fn resume_with_any(&mut self) -> io::Result<Option<u64>> {
        self.used = self.latest;
        let begun = self.position();
        self.used += 1;
        let mut looked_at = 0;
        while looked_at < MOST_LOOKED_AT {
            let ahead = self.buffer.get(self.used..).unwrap_or_default();
            let Some(place) = memchr::memchr(PACKET_TAG, ahead) else {
                self.used = self.buffer.len();
                if !self.want(1)? {
                    return Ok(None);
                }
                continue;
            };
            self.used += place;
            if self.has_packets_ahead(&mut looked_at)? {
                return Ok(Some(self.position() - begun));
            }
            self.used += 1;
        }
        Ok(None)
    }

    /// Whether what comes next are packets that say when or by whom they were written: several, or one that ends the file.
    fn has_packets_ahead(&mut self, looked_at: &mut u64) -> io::Result<bool> {
        let mut ahead = 0;
        for found in 0..ENOUGH_PACKETS {
            self.want(ahead + LONGEST_HEAD)?;
            let rest = self.buffer.get(self.used + ahead..).unwrap_or_default();
            if rest.is_empty() {
                return Ok(found > 0);
            }
            let Some((head, body)) = head(rest).filter(|it| it.1 <= LONGEST_FOUND) else {
                return Ok(false);
            };
            let whole = head + body as usize;
            *looked_at += whole as u64;
            if !self.want(ahead + whole)? {
                return Ok(false);
            }
            let start = self.used + ahead;
            let packet = self.buffer.get(start..start + whole);
            if !packet.is_some_and(resync::is_marked) {
                return Ok(false);
            }
            ahead += whole;
        }
        Ok(true)
    }

    /// Makes sure that the buffer holds `count` more bytes; answers whether the file has as many.
    fn want(&mut self, count: usize) -> io::Result<bool> {
        while self.buffer.len() - self.used < count {
            self.buffer.drain(..self.used);
            self.used = 0;
            let missing = (count - self.buffer.len()).max(PIECE) as u64;
            let most = missing.min(self.length.saturating_sub(self.filled));
            let got = self
                .reader
                .by_ref()
                .take(most)
                .read_to_end(&mut self.buffer)?;
            self.filled += got as u64;
            if got == 0 {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// How long a packet's tag and length are, and the length; nothing where there is no packet.
pub(super) fn head(bytes: &[u8]) -> Option<(usize, u64)> {
    let (tag, mut rest) = bytes.split_first()?;
    if *tag != PACKET_TAG {
        return None;
    }
    let before = rest.len();
    let body = decode_varint(&mut rest).ok()?;
    Some((1 + before - rest.len(), body))
}

/// Whether a file that begins with `start` can be one of packets. A text can begin with the tag as well, which is
/// a line's end, so the first packet is looked into as far as it is at hand.
pub(super) fn begins_file(start: &[u8]) -> bool {
    let Some((used, body)) = head(start) else {
        // A file may be cut inside the first length.
        let mut bytes = start.iter();
        let tag = bytes.next() == Some(&PACKET_TAG);
        return tag && start.len() < LONGEST_HEAD && bytes.all(|byte| byte & 0x80 != 0);
    };
    let ahead = start.get(used..).unwrap_or_default();
    let whole = usize::try_from(body)
        .ok()
        .and_then(|body| ahead.get(..body));
    fields_make_sense(whole.unwrap_or(ahead), whole.is_some())
}

/// Whether `bytes` are fields of a packet, as far as they go.
fn fields_make_sense(mut bytes: &[u8], whole: bool) -> bool {
    while !bytes.is_empty() {
        let Ok(tag) = decode_varint(&mut bytes) else {
            return !whole;
        };
        if tag >> 3 == 0 || tag >> 3 > LAST_FIELD {
            return false;
        }
        let body = match tag & 7 {
            0 => decode_varint(&mut bytes).map(|_| 0).ok(),
            1 => Some(8),
            2 => decode_varint(&mut bytes).ok(),
            5 => Some(4),
            _ => return false,
        };
        let body = body.and_then(|body| usize::try_from(body).ok());
        let Some(rest) = body.and_then(|body| bytes.get(body..)) else {
            return !whole;
        };
        bytes = rest;
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(file: &[u8]) -> (Vec<Vec<u8>>, Option<(u64, u64)>) {
        let mut frames = PacketReader::new(file, Some(file.len() as u64));
        let mut packets = Vec::new();
        loop {
            match frames.next().unwrap() {
                NextPacket::Packet { bytes, .. } => packets.push(bytes.to_vec()),
                NextPacket::Rest { at, left, .. } => return (packets, Some((at, left))),
                NextPacket::End => return (packets, None),
            }
        }
    }

    #[test]
    fn a_cut_names_its_place() {
        let file = [10, 2, 1, 2, 10, 0, 10, 3, 7, 8, 9];
        assert_eq!(all(&file), (vec![vec![1, 2], vec![], vec![7, 8, 9]], None));
        assert_eq!(all(&file[..10]).1, Some((6, 4)));
        assert_eq!(all(&file[..7]).1, Some((6, 1)));
        assert_eq!(all(&[10, 0, 99, 1]).1, Some((2, 2)));
    }

    #[test]
    fn an_absurd_length_reserves_nothing() {
        let mut file = vec![10];
        prost::encoding::encode_varint(u64::MAX, &mut file);
        file.extend([0; 20]);
        assert_eq!(all(&file), (vec![], Some((0, file.len() as u64))));
    }

    #[test]
    fn packets_larger_than_a_piece_are_read() {
        let big = vec![5; PIECE * 2 + 3];
        let mut file = vec![10];
        prost::encoding::encode_varint(big.len() as u64, &mut file);
        file.extend(&big);
        file.extend([10, 1, 8]);
        assert_eq!(all(&file), (vec![big, vec![8]], None));
    }

    #[test]
    fn texts_are_no_packets() {
        assert!(!begins_file(
            b"\nhello, this text begins with an empty line\n"
        ));
        assert!(!begins_file(b"{\"traceEvents\":[]}"));
        assert!(!begins_file(b"\n\n\n\n\n\n\n\n\n\n\n\n\n"));
        assert!(begins_file(&[10, 2, 8 << 3, 5]));
        assert!(begins_file(&[10]) && begins_file(&[10, 0x80]));
    }
}

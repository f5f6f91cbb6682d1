//! Finds the next packet in bytes whose beginning is damaged: of those that Syncline wrote each bears the number of its writer
//! right behind its time, and of others several that follow each other are taken for packets.

use memchr::memmem;
use prost::Message as _;
use prost::encoding::decode_varint;

use super::{density, frame};
use crate::perfetto::dialect::SEQUENCE;
use crate::perfetto::proto::TracePacket;

/// The field of the writer's number, and the number.
const MARK: &[u8] = &[0x50, 0xC3, 0x9C, 0xE5, 0x9A, 0x05];
/// The tag of a packet's time.
const TIME_TAG: u8 = 0x40;
/// How far before the mark a packet begins at most: its own tag, its length, and its time.
pub(super) const BEFORE: usize = 11 + 11;
/// How many bytes have to be at hand to tell whether a mark is among them.
pub(super) const ENOUGH: usize = BEFORE + MARK.len();
/// In so many bytes of a file whose beginning is damaged another packet has to stand, for it to be ours.
const HEAD: usize = 16 << 10;

/// Whether a file with a damaged beginning is ours: a whole packet of ours stands in its first bytes.
pub(super) fn is_ours(head: &[u8]) -> bool {
    let head = head.get(..HEAD).unwrap_or(head);
    let mut from = 0;
    while let Some(place) = mark(head.get(from..).unwrap_or_default()) {
        let found = before(head, from + place);
        let whole = found.and_then(|(start, end)| head.get(start..end));
        if whole.is_some_and(is_packet) {
            return true;
        }
        from += place + MARK.len();
    }
    false
}

/// Where the next mark is.
pub(super) fn mark(bytes: &[u8]) -> Option<usize> {
    memmem::find(bytes, MARK)
}

/// Whether a packet holds what looks like further ones: its own length is too great.
pub(super) fn holds_others(packet: &[u8]) -> bool {
    memmem::find_iter(packet, MARK).nth(1).is_some()
}

/// From where to where a packet is whose mark is at `mark`, as far as its head says; it may end behind `bytes`.
pub(super) fn before(bytes: &[u8], mark: usize) -> Option<(usize, usize)> {
    (mark.saturating_sub(BEFORE)..mark).rev().find_map(|start| {
        let (head, body) = frame::head(bytes.get(start..)?)?;
        let begun = start + head;
        let end = begun.checked_add(usize::try_from(body).ok()?)?;
        let fields = bytes.get(begun..mark)?;
        (end >= mark + MARK.len() && is_time(fields)).then_some((start, end))
    })
}

/// Whether what stands before the mark is a packet's time, or nothing.
fn is_time(fields: &[u8]) -> bool {
    match fields.split_first() {
        None => true,
        Some((&TIME_TAG, mut time)) => decode_varint(&mut time).is_ok() && time.is_empty(),
        Some(_) => false,
    }
}

/// Whether these bytes are a packet of ours, from its tag to its end.
pub(super) fn is_packet(bytes: &[u8]) -> bool {
    let body = frame::head(bytes).and_then(|(head, _)| bytes.get(head..));
    let packet = body.and_then(decoded);
    packet.is_some_and(|packet| packet.trusted_packet_sequence_id == Some(SEQUENCE))
}

/// Whether these bytes are a packet of whomever, from its tag to its end, that bears a time or the number of its writer.
pub(super) fn is_marked(bytes: &[u8]) -> bool {
    let body = frame::head(bytes).and_then(|(head, _)| bytes.get(head..));
    let packet = body.and_then(decoded);
    packet.is_some_and(|it| it.timestamp.is_some() || it.trusted_packet_sequence_id.is_some())
}

/// A packet, unless decoding it would take very much.
fn decoded(body: &[u8]) -> Option<TracePacket> {
    let is_crowded = density::is_crowded(body);
    (!is_crowded).then(|| TracePacket::decode(body).ok())?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mark_is_how_packets_of_ours_are_written() {
        let packet = TracePacket {
            timestamp: Some(u64::MAX),
            trusted_packet_sequence_id: Some(SEQUENCE),
            sequence_flags: Some(2),
            ..TracePacket::default()
        };
        let mut file = vec![1, 2, 3, 0x0A];
        prost::encoding::encode_varint(packet.encoded_len() as u64, &mut file);
        packet.encode_raw(&mut file);
        let place = mark(&file).unwrap();
        assert_eq!(before(&file, place), Some((3, file.len())));
        assert!(is_packet(&file[3..]) && is_ours(&file));
        assert!(!is_ours(&file[5..]) && !is_ours(&file[..file.len() - 1]));
    }
}

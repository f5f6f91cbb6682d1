//! Packets looked at where they lie: nothing is copied, and what nobody asks for is passed over.

use prost::encoding::{DecodeContext, WireType, decode_key, decode_varint, skip_field};

/// The value of a field as it is written.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum WireValue<'a> {
    /// A number in seven bits a byte.
    Varint(u64),
    /// Eight bytes.
    Fixed(u64),
    /// Four bytes.
    Short(u32),
    /// A text, a message or several numbers.
    Bytes(&'a [u8]),
}

impl<'a> WireValue<'a> {
    /// The number, where it is written as one.
    #[inline]
    pub fn varint(self) -> Option<u64> {
        match self {
            Self::Varint(number) => Some(number),
            _ => None,
        }
    }

    /// The eight bytes, where there are as many.
    #[inline]
    pub fn fixed(self) -> Option<u64> {
        match self {
            Self::Fixed(number) => Some(number),
            _ => None,
        }
    }

    /// The text or message.
    #[inline]
    pub fn bytes(self) -> Option<&'a [u8]> {
        match self {
            Self::Bytes(bytes) => Some(bytes),
            _ => None,
        }
    }

    /// Each number of a field that holds several, be they written one by one or together.
    pub fn varints(self, mut take: impl FnMut(u64)) -> Option<()> {
        match self {
            Self::Varint(number) => take(number),
            Self::Bytes(mut bytes) => {
                while !bytes.is_empty() {
                    take(decode_varint(&mut bytes).ok()?);
                }
            }
            _ => return None,
        }
        Some(())
    }

    /// The same for numbers of eight bytes.
    pub fn fixeds(self, mut take: impl FnMut(u64)) -> Option<()> {
        match self {
            Self::Fixed(number) => take(number),
            Self::Bytes(bytes) => {
                let (numbers, rest) = bytes.as_chunks::<8>();
                for number in numbers {
                    take(u64::from_le_bytes(*number));
                }
                return rest.is_empty().then_some(());
            }
            _ => return None,
        }
        Some(())
    }
}

/// Calls `take` with each field of a message. Nothing where the bytes are no message, or where `take` refuses a field.
#[inline]
pub fn each_field<'a>(
    mut bytes: &'a [u8],
    mut take: impl FnMut(u32, WireValue<'a>) -> Option<()>,
) -> Option<()> {
    while !bytes.is_empty() {
        let (field, wire) = decode_key(&mut bytes).ok()?;
        let value = match wire {
            WireType::Varint => WireValue::Varint(decode_varint(&mut bytes).ok()?),
            WireType::SixtyFourBit => {
                let (number, rest) = bytes.split_first_chunk::<8>()?;
                bytes = rest;
                WireValue::Fixed(u64::from_le_bytes(*number))
            }
            WireType::ThirtyTwoBit => {
                let (number, rest) = bytes.split_first_chunk::<4>()?;
                bytes = rest;
                WireValue::Short(u32::from_le_bytes(*number))
            }
            WireType::LengthDelimited => {
                let length = usize::try_from(decode_varint(&mut bytes).ok()?).ok()?;
                let (body, rest) = bytes.split_at_checked(length)?;
                bytes = rest;
                WireValue::Bytes(body)
            }
            WireType::StartGroup | WireType::EndGroup => {
                skip_field(wire, field, &mut bytes, DecodeContext::default()).ok()?;
                continue;
            }
        };
        take(field, value)?;
    }
    Some(())
}

/// What a packet says of itself, and the messages in it, unread.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PacketView<'a> {
    /// When, in nanoseconds of the packet's clock.
    pub timestamp: Option<u64>,
    /// The clock of the timestamp.
    pub clock: Option<u32>,
    /// The writer.
    pub sequence: u32,
    /// The writer's flags.
    pub flags: u32,
    /// Whether the writer's texts begin anew, in the old form.
    pub cleared: bool,
    /// How many packets the writer lost before this one, or 1 for some.
    pub dropped: u32,
    /// Something that happened on a track.
    pub event: Option<&'a [u8]>,
    /// Texts that later packets refer to.
    pub interned: Option<&'a [u8]>,
    /// Whether it holds a message of another sort, or one of these twice.
    pub has_more: bool,
}

impl<'a> PacketView<'a> {
    /// A packet; nothing where the bytes are none.
    #[inline]
    pub fn of(bytes: &'a [u8]) -> Option<Self> {
        let mut packet = Self::default();
        each_field(bytes, |field, wire| {
            match field {
                8 => packet.timestamp = Some(wire.varint()?),
                10 => packet.sequence = wire.varint()? as u32,
                11 => packet.has_more |= packet.event.replace(wire.bytes()?).is_some(),
                12 => packet.has_more |= packet.interned.replace(wire.bytes()?).is_some(),
                13 => packet.flags = wire.varint()? as u32,
                41 => packet.cleared = wire.varint()? != 0,
                42 => packet.dropped = wire.varint()? as u32,
                58 => packet.clock = Some(wire.varint()? as u32),
                // What only says where the packet comes from: numbers, all of them.
                3 | 79 | 87 | 98 => drop(wire.varint()?),
                _ => packet.has_more = true,
            }
            Some(())
        })?;
        Some(packet)
    }
}

#[cfg(test)]
mod tests {
    use prost::Message as _;

    use super::*;
    use crate::perfetto::proto::{InternedData, TracePacket, TrackDescriptor, TrackEvent};

    #[test]
    fn a_packet_is_what_its_fields_say() {
        let event = TrackEvent {
            track_uuid: Some(u64::MAX),
            flow_ids: vec![1, 2],
            ..TrackEvent::default()
        };
        let whole = TracePacket {
            timestamp: Some(1 << 60),
            timestamp_clock_id: Some(64),
            trusted_packet_sequence_id: Some(3),
            sequence_flags: Some(2),
            previous_packet_dropped: Some(1),
            interned_data: Some(InternedData::default()),
            track_event: Some(event.clone()),
            ..TracePacket::default()
        };
        let bytes = whole.encode_to_vec();
        let packet = PacketView::of(&bytes).unwrap();
        assert_eq!((packet.timestamp, packet.clock), (Some(1 << 60), Some(64)));
        assert_eq!((packet.sequence, packet.flags, packet.dropped), (3, 2, 1));
        assert_eq!(packet.event, Some(&*event.encode_to_vec()));
        assert_eq!((packet.interned, packet.has_more), (Some(&[][..]), false));
        let described = TracePacket {
            track_descriptor: Some(TrackDescriptor::default()),
            ..whole
        };
        let bytes = described.encode_to_vec();
        assert!(PacketView::of(&bytes).unwrap().has_more);
        for cut in 1..bytes.len() {
            let (part, message) = (PacketView::of(&bytes[..cut]), &bytes[..cut]);
            assert_eq!(
                part.is_some(),
                TracePacket::decode(message).is_ok(),
                "{cut}"
            );
        }
    }

    #[test]
    fn several_numbers_are_read_however_they_are_written() {
        let mut found = Vec::new();
        let mut take = |number| found.push(number);
        WireValue::Varint(7).varints(&mut take).unwrap();
        WireValue::Bytes(&[1, 0x80, 1]).varints(&mut take).unwrap();
        let eight = 9_u64.to_le_bytes();
        WireValue::Bytes(&eight).fixeds(&mut take).unwrap();
        assert_eq!(WireValue::Bytes(&eight[1..]).fixeds(&mut take), None);
        assert_eq!(WireValue::Short(1).varints(&mut take), None);
        assert_eq!(found, [7, 1, 128, 9]);
    }
}

//! How much a packet may hold: decoding it makes a value of every message in it, however few bytes that takes in the file.

use crate::perfetto::view::{WireValue, each_field};

/// The longest packet that is decoded: a number takes eight bytes of memory, and may take one of the file. Writers make none of
/// a megabyte.
const LONGEST: usize = 128 << 20;
/// Up to this length a packet holds too little to be counted.
const SMALL: usize = 1 << 20;
/// A packet has at most so many messages in it, and one more for each [`BYTES`] of its own. A message takes 100 to 250 bytes
/// of memory, so that the first take 128 MB and the others four times what the packet takes in the file.
const MOST: usize = 1 << 19;
const BYTES: usize = 64;
/// Deeper than this every second byte counts as a message.
const DEEPEST: u32 = 12;

/// Whether a packet holds more than is decoded of one.
pub(super) fn is_crowded(packet: &[u8]) -> bool {
    packet.len() > LONGEST || packet.len() > SMALL && messages(packet, 0) > most(packet.len())
}

fn most(length: usize) -> usize {
    MOST + length / BYTES
}

/// How many messages are in one at most: all that may be one counts, since which fields are texts is not looked at.
fn messages(bytes: &[u8], depth: u32) -> usize {
    if depth >= DEEPEST {
        return bytes.len() / 2;
    }
    let mut count = 0;
    let end = each_field(bytes, |_, value| {
        if let WireValue::Bytes(inner) = value {
            count += 1 + messages(inner, depth + 1);
        }
        Some(())
    });
    // What is no message is a text, or damaged: decoding ends there.
    end.map_or(0, |()| count)
}

#[cfg(test)]
mod tests {
    use prost::Message as _;

    use super::*;
    use crate::perfetto::proto::{
        DebugAnnotation, InternedData, InternedName, TracePacket, TrackEvent,
    };

    fn event(annotations: Vec<DebugAnnotation>) -> Vec<u8> {
        let event = TrackEvent {
            debug_annotations: annotations,
            ..TrackEvent::default()
        };
        TracePacket {
            track_event: Some(event),
            ..TracePacket::default()
        }
        .encode_to_vec()
    }

    #[test]
    fn a_packet_of_empty_messages_is_crowded() {
        let of = |count| event(vec![DebugAnnotation::default(); count]);
        assert!(!is_crowded(&of(1_000)) && !is_crowded(&of(MOST - 1)));
        assert!(is_crowded(&of(MOST + MOST / 16)));
        let inner = DebugAnnotation {
            array_values: vec![DebugAnnotation::default(); MOST + MOST / 16],
            ..DebugAnnotation::default()
        };
        assert!(is_crowded(&event(vec![inner])), "however deep they lie");
    }

    #[test]
    fn a_packet_of_names_or_of_one_long_text_is_not() {
        let name = |iid| InternedName {
            iid: Some(iid),
            name: Some(format!(
                "a name of some length, as functions have one, {iid:>80}"
            )),
        };
        let interned = InternedData {
            event_names: (0..400_000).map(name).collect(),
            ..InternedData::default()
        };
        let packet = TracePacket {
            interned_data: Some(interned),
            ..TracePacket::default()
        };
        assert!(!is_crowded(&packet.encode_to_vec()));
        let text = DebugAnnotation {
            name: Some("the quick brown fox, ".repeat(1 << 20)),
            ..DebugAnnotation::default()
        };
        assert!(!is_crowded(&event(vec![text])));
        assert!(is_crowded(&vec![0; LONGEST + 1]));
    }
}

//! Makes texts of a packet valid: the schema says that they are UTF-8, and what programs put into them need not be.

use std::borrow::Cow;

use prost::encoding::{WireType, encode_key, encode_varint};

use crate::perfetto::view::{WireValue, each_field};

/// Messages may lie so deep in each other, as in the decoder.
const DEEPEST: usize = 100;

/// What a field holds.
enum Utf8Field {
    Text,
    Message(&'static Utf8Fields),
}

use Utf8Field::{Message, Text};

/// The fields of a message that are texts, or messages that hold some.
struct Utf8Fields(&'static [(u32, Utf8Field)]);

static PACKET: Utf8Fields = Utf8Fields(&[
    (11, Message(&EVENT)),
    (12, Message(&INTERNED)),
    (52, Message(&COUNTERS)),
    (53, Message(&STAGE)),
    (60, Message(&TRACK)),
    (65, Message(&VULKAN)),
]);
static EVENT: Utf8Fields = Utf8Fields(&[(4, Message(&ANNOTATION)), (22, Text), (23, Text)]);
static ANNOTATION: Utf8Fields = Utf8Fields(&[
    (6, Text),
    (9, Text),
    (10, Text),
    (11, Message(&ANNOTATION)),
    (12, Message(&ANNOTATION)),
]);
static INTERNED: Utf8Fields = Utf8Fields(&[
    (1, Message(&NAMED)),
    (2, Message(&NAMED)),
    (3, Message(&NAMED)),
    (24, Message(&SPECIFICATION)),
    (1000, Message(&KERNEL)),
    (1001, Message(&NAMED)),
]);
static NAMED: Utf8Fields = Utf8Fields(&[(2, Text)]);
static SPECIFICATION: Utf8Fields = Utf8Fields(&[(2, Text), (3, Text)]);
static KERNEL: Utf8Fields = Utf8Fields(&[(2, Text), (3, Text), (4, Text), (5, Message(&ARGUMENT))]);
static ARGUMENT: Utf8Fields = Utf8Fields(&[(2, Text), (6, Text)]);
static COUNTERS: Utf8Fields = Utf8Fields(&[(1, Message(&COUNTER_LIST))]);
static COUNTER_LIST: Utf8Fields = Utf8Fields(&[(1, Message(&NAMED))]);
static STAGE: Utf8Fields = Utf8Fields(&[
    (6, Message(&EXTRA)),
    (7, Message(&DESCRIPTIONS)),
    (17, Text),
    (21, Message(&LAUNCH)),
]);
static EXTRA: Utf8Fields = Utf8Fields(&[(1, Text), (2, Text)]);
static DESCRIPTIONS: Utf8Fields =
    Utf8Fields(&[(2, Message(&DESCRIPTION)), (3, Message(&DESCRIPTION))]);
static DESCRIPTION: Utf8Fields = Utf8Fields(&[(1, Text)]);
static LAUNCH: Utf8Fields = Utf8Fields(&[(3, Message(&ARGUMENT))]);
static TRACK: Utf8Fields = Utf8Fields(&[
    (2, Text),
    (3, Message(&PROCESS)),
    (4, Message(&THREAD)),
    (8, Message(&COUNTER)),
    (10, Text),
    (14, Text),
]);
static PROCESS: Utf8Fields = Utf8Fields(&[(6, Text)]);
static THREAD: Utf8Fields = Utf8Fields(&[(5, Text)]);
static COUNTER: Utf8Fields = Utf8Fields(&[(6, Text)]);
static VULKAN: Utf8Fields = Utf8Fields(&[(1, Message(&OBJECT))]);
static OBJECT: Utf8Fields = Utf8Fields(&[(4, Text)]);

/// A packet with replacement characters where a text is no UTF-8, and how many texts have some. Nothing where the bytes
/// are no packet.
pub(super) fn packet(bytes: &[u8]) -> Option<(Vec<u8>, u64)> {
    mended(bytes, &PACKET)
}

/// The same for interned data.
pub(super) fn interned(bytes: &[u8]) -> Option<(Vec<u8>, u64)> {
    mended(bytes, &INTERNED)
}

fn mended(bytes: &[u8], texts: &Utf8Fields) -> Option<(Vec<u8>, u64)> {
    let mut count = 0;
    let bytes = message(bytes, texts, &mut count, 0)?;
    Some((bytes, count))
}

fn message(bytes: &[u8], texts: &Utf8Fields, count: &mut u64, depth: usize) -> Option<Vec<u8>> {
    if depth > DEEPEST {
        return None;
    }
    let mut out = Vec::with_capacity(bytes.len() + 8);
    each_field(bytes, |field, wire| {
        match wire {
            WireValue::Varint(number) => {
                encode_key(field, WireType::Varint, &mut out);
                encode_varint(number, &mut out);
            }
            WireValue::Fixed(number) => {
                encode_key(field, WireType::SixtyFourBit, &mut out);
                out.extend_from_slice(&number.to_le_bytes());
            }
            WireValue::Short(number) => {
                encode_key(field, WireType::ThirtyTwoBit, &mut out);
                out.extend_from_slice(&number.to_le_bytes());
            }
            WireValue::Bytes(body) => {
                let part = texts.0.iter().find(|(known, _)| *known == field);
                let body = match part.map(|(_, part)| part) {
                    None => Cow::Borrowed(body),
                    Some(Message(texts)) => Cow::Owned(message(body, texts, count, depth + 1)?),
                    Some(Text) => match String::from_utf8_lossy(body) {
                        Cow::Borrowed(_) => Cow::Borrowed(body),
                        Cow::Owned(text) => {
                            *count += 1;
                            Cow::Owned(text.into_bytes())
                        }
                    },
                };
                encode_key(field, WireType::LengthDelimited, &mut out);
                encode_varint(body.len() as u64, &mut out);
                out.extend_from_slice(&body);
            }
        }
        Some(())
    })?;
    Some(out)
}

#[cfg(test)]
mod tests {
    use prost::Message as _;

    use super::*;
    use crate::perfetto::proto::{
        AnnotationValue, DebugAnnotation, InternedData, InternedName, TracePacket, TrackDescriptor,
        TrackEvent,
    };

    /// Every text of the file that is like this one has bytes that are none instead.
    fn spoilt(packet: &TracePacket) -> Vec<u8> {
        let mut bytes = packet.encode_to_vec();
        while let Some(at) = bytes.windows(4).position(|it| it == b"caf?") {
            bytes[at + 3] = 0xE9;
        }
        bytes
    }

    fn text() -> String {
        "caf?".to_owned()
    }

    #[test]
    fn every_other_field_is_as_it_was() {
        let inner = DebugAnnotation {
            value: Some(AnnotationValue::Text("caf?".to_owned())),
            ..DebugAnnotation::default()
        };
        let event = TrackEvent {
            name: Some(text()),
            flow_ids: vec![u64::MAX],
            double_counter_value: Some(0.5),
            debug_annotations: vec![DebugAnnotation {
                name: Some("kept".to_owned()),
                dict_entries: vec![inner],
                ..DebugAnnotation::default()
            }],
            ..TrackEvent::default()
        };
        let name = InternedName {
            iid: Some(3),
            name: Some(text()),
        };
        let whole = TracePacket {
            timestamp: Some(1 << 60),
            track_event: Some(event),
            track_descriptor: Some(TrackDescriptor {
                name: Some(text()),
                ..TrackDescriptor::default()
            }),
            interned_data: Some(InternedData {
                event_names: vec![name],
                ..InternedData::default()
            }),
            ..TracePacket::default()
        };
        let bytes = spoilt(&whole);
        assert!(TracePacket::decode(&*bytes).is_err());
        let (mended, count) = packet(&bytes).unwrap();
        assert_eq!(count, 4);
        let read = TracePacket::decode(&*mended).unwrap();
        let said = format!("{read:?}").replace('\u{FFFD}', "?");
        assert_eq!(said, format!("{whole:?}"));
        for cut in 1..bytes.len() {
            // Cut bytes are an answer.
            drop(packet(&bytes[..cut]));
        }
    }

    #[test]
    fn messages_too_deep_in_each_other_are_none() {
        let mut bytes = Vec::new();
        for _ in 0..10_000 {
            let mut outer = vec![12 << 3 | 2];
            encode_varint(bytes.len() as u64, &mut outer);
            outer.extend_from_slice(&bytes);
            bytes = outer;
        }
        assert!(mended(&bytes, &ANNOTATION).is_none());
    }
}

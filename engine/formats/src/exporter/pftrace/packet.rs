//! Builds packets and appends them to the bytes of a file.

use prost::Message as _;

use crate::perfetto::dialect::{
    ARGUMENTS, DEPENDENCY_KINDS, END_IIDS, FORMAT, KEYS, SEQUENCE, TITLE, Track, end_text, key,
    name_iid, timestamp_of,
};
use crate::perfetto::proto::{
    AnnotationValue, CLEARED, DebugAnnotation, InternedData, InternedName, NEEDS_STATE,
    ORDER_BY_RANK, ProcessDescriptor, TracePacket, TrackDescriptor, TrackEvent, event_type,
};
use record::time::Nanos;
use record::{DependencyKind, NameId, SpanKind, Value};

/// The tag of a length-delimited field with the number of packets.
const PACKET_TAG: u8 = 1 << 3 | 2;

/// Appends one packet to a file.
pub(super) fn append(buffer: &mut Vec<u8>, packet: &TracePacket) {
    buffer.push(PACKET_TAG);
    let length = packet.encoded_len();
    prost::encoding::encode_varint(length as u64, buffer);
    packet.encode_raw(buffer);
}

/// How many packets some bytes are, which hold nothing else.
pub(super) fn count(mut packets: &[u8]) -> u64 {
    let mut count = 0;
    while let Some((_, mut rest)) = packets.split_first() {
        let length = prost::encoding::decode_varint(&mut rest).unwrap_or(u64::MAX);
        let length = usize::try_from(length).unwrap_or(usize::MAX);
        packets = rest.get(length..).unwrap_or_default();
        count += 1;
    }
    count
}

/// Appends what a file ends with: how many packets stand before it. It is no event, so that no viewer shows it, and its number
/// stands there twice, so that a damaged one is not believed.
pub(super) fn end(buffer: &mut Vec<u8>, packets: u64) {
    let text = end_text(packets);
    let packet = TracePacket {
        trusted_packet_sequence_id: Some(SEQUENCE),
        sequence_flags: Some(NEEDS_STATE),
        interned_data: Some(InternedData {
            debug_annotation_names: END_IIDS.map(|iid| interned((iid, &text))).into(),
            ..InternedData::default()
        }),
        ..TracePacket::default()
    };
    append(buffer, &packet);
}

/// Appends what every file begins with: who wrote it, and the texts that all packets share.
pub(super) fn header(buffer: &mut Vec<u8>) {
    let kinds = SpanKind::ALL
        .iter()
        .map(|&kind| (category_iid(kind), kind.label()));
    let ties = DependencyKind::ALL
        .iter()
        .map(|&kind| (dependency_iid(kind), kind.label()));
    let mut first = event(event_type::INSTANT, Track::Records);
    first.name = Some(TITLE.to_owned());
    // Twice, so that a damaged one is not taken for a later version.
    first.debug_annotations = vec![uint(key::FORMAT, FORMAT); 2];
    first.debug_annotations.push(uint(key::END, 1));
    let mut packet = at(timestamp_of(Nanos::ZERO), first);
    packet.sequence_flags = Some(CLEARED | NEEDS_STATE);
    packet.interned_data = Some(InternedData {
        event_categories: kinds.map(interned).collect(),
        event_names: ties.map(interned).collect(),
        debug_annotation_names: KEYS.iter().copied().map(interned).collect(),
        ..InternedData::default()
    });
    append(buffer, &packet);
    describe(buffer, process(Track::Syncline, 1, "Syncline"));
    for (rank, (track, name)) in [
        (Track::Problems, "problems and losses"),
        (Track::Dependencies, "dependencies"),
        (Track::Records, "records"),
    ]
    .into_iter()
    .enumerate()
    {
        describe(
            buffer,
            TrackDescriptor {
                uuid: Some(track.uuid()),
                parent_uuid: Some(Track::Syncline.uuid()),
                name: Some(name.to_owned()),
                sibling_order_rank: Some(rank as i32),
                ..TrackDescriptor::default()
            },
        );
    }
}

fn interned((iid, name): (u64, &str)) -> InternedName {
    InternedName {
        iid: Some(iid),
        name: Some(name.to_owned()),
    }
}

/// The interned text of a kind of span.
pub(super) fn category_iid(kind: SpanKind) -> u64 {
    kind as u64 + 1
}

/// The interned text of a kind of dependency.
pub(super) fn dependency_iid(kind: DependencyKind) -> u64 {
    DEPENDENCY_KINDS + kind as u64
}

/// A process that lanes are drawn under, ordered by rank.
pub(super) fn process(track: Track, pid: i32, name: &str) -> TrackDescriptor {
    TrackDescriptor {
        uuid: Some(track.uuid()),
        process: Some(ProcessDescriptor {
            pid: Some(pid),
            process_name: Some(name.to_owned()),
        }),
        child_ordering: Some(ORDER_BY_RANK),
        ..TrackDescriptor::default()
    }
}

/// Appends a track.
pub(super) fn describe(buffer: &mut Vec<u8>, track: TrackDescriptor) {
    let packet = TracePacket {
        trusted_packet_sequence_id: Some(SEQUENCE),
        track_descriptor: Some(track),
        ..TracePacket::default()
    };
    append(buffer, &packet);
}

/// Appends the text of a name.
pub(super) fn intern_name(buffer: &mut Vec<u8>, id: NameId, text: &str) {
    let packet = TracePacket {
        trusted_packet_sequence_id: Some(SEQUENCE),
        sequence_flags: Some(NEEDS_STATE),
        interned_data: Some(InternedData {
            event_names: vec![interned((name_iid(id), text))],
            ..InternedData::default()
        }),
        ..TracePacket::default()
    };
    append(buffer, &packet);
}

/// The text of an argument's name.
pub(super) fn argument_name(id: NameId, text: &str) -> InternedData {
    InternedData {
        debug_annotation_names: vec![interned((ARGUMENTS + u64::from(id.0), text))],
        ..InternedData::default()
    }
}

/// A packet of an event.
pub(super) fn at(timestamp: u64, event: TrackEvent) -> TracePacket {
    TracePacket {
        timestamp: Some(timestamp),
        trusted_packet_sequence_id: Some(SEQUENCE),
        sequence_flags: Some(NEEDS_STATE),
        track_event: Some(event),
        ..TracePacket::default()
    }
}

/// An event on a track, without a name.
pub(super) fn event(kind: i32, track: Track) -> TrackEvent {
    TrackEvent {
        r#type: Some(kind),
        track_uuid: Some(track.uuid()),
        ..TrackEvent::default()
    }
}

/// An annotation with one of the dialect's keys.
pub(super) fn annotation(key: u64, value: AnnotationValue) -> DebugAnnotation {
    DebugAnnotation {
        name_iid: Some(key),
        value: Some(value),
        ..DebugAnnotation::default()
    }
}

/// A whole number that is never negative.
pub(super) fn uint(key: u64, value: u64) -> DebugAnnotation {
    annotation(key, AnnotationValue::Uint(value))
}

/// A whole number.
pub(super) fn int(key: u64, value: i64) -> DebugAnnotation {
    annotation(key, AnnotationValue::Int(value))
}

/// A text.
pub(super) fn text(key: u64, value: &str) -> DebugAnnotation {
    annotation(key, AnnotationValue::Text(value.to_owned()))
}

/// An argument of a span.
pub(super) fn argument(name: NameId, value: &Value) -> DebugAnnotation {
    let value = match value {
        Value::Integer(value) => AnnotationValue::Int(*value),
        Value::Number(value) => AnnotationValue::Double(*value),
        Value::Text(value) => AnnotationValue::Text(value.to_string()),
    };
    annotation(ARGUMENTS + u64::from(name.0), value)
}

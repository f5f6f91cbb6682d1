//! Events in the form that came before tracks, in Perfetto files made here byte by byte.

use engine::perfetto::proto::{
    CLEARED, ProcessDescriptor, ThreadDescriptor, TracePacket, TrackDescriptor, TrackEvent,
};
use engine::record::SpanKind;
use prost::Message as _;
use prost::encoding::encode_varint;

use super::{capture, opened};

/// Where the number of an asynchronous operation counts: everywhere, as writers wrote first, in a process, or everywhere.
const UNSCOPED: u64 = 6;
const LOCAL: u64 = 10;
const GLOBAL: u64 = 11;

/// A message inside another, as a field.
fn field(number: u64, message: &[u8], into: &mut Vec<u8>) {
    encode_varint(number << 3 | 2, into);
    encode_varint(message.len() as u64, into);
    into.extend_from_slice(message);
}

fn packet(packet: &TracePacket, event: Option<&[u8]>) -> Vec<u8> {
    let mut bytes = packet.encode_to_vec();
    if let Some(event) = event {
        field(11, event, &mut bytes);
    }
    let mut file = Vec::new();
    field(1, &bytes, &mut file);
    file
}

/// A thread of a process, and nothing before it.
fn thread(uuid: u64, pid: i32, tid: i64) -> Vec<u8> {
    let described = TracePacket {
        trusted_packet_sequence_id: Some(1),
        sequence_flags: Some(CLEARED),
        track_descriptor: Some(TrackDescriptor {
            uuid: Some(uuid),
            process: Some(ProcessDescriptor {
                pid: Some(pid),
                ..ProcessDescriptor::default()
            }),
            thread: Some(ThreadDescriptor {
                pid: Some(pid),
                tid: Some(tid),
                ..ThreadDescriptor::default()
            }),
            ..TrackDescriptor::default()
        }),
        ..TracePacket::default()
    };
    packet(&described, None)
}

/// An event of the old form: its instant, thread, phase, name and category, and its number with the field that holds it.
fn event(
    (time, uuid): (u64, u64),
    phase: u8,
    (name, category): (&str, &str),
    (number_field, number): (u64, u64),
) -> Vec<u8> {
    let mut legacy = Vec::new();
    for (field, value) in [(2, u64::from(phase)), (number_field, number)] {
        encode_varint(field << 3, &mut legacy);
        encode_varint(value, &mut legacy);
    }
    let event = TrackEvent {
        track_uuid: Some(uuid),
        name: Some(name.to_owned()),
        categories: vec![category.to_owned()],
        ..TrackEvent::default()
    };
    let mut event = event.encode_to_vec();
    field(6, &legacy, &mut event);
    let around = TracePacket {
        timestamp: Some(time),
        trusted_packet_sequence_id: Some(1),
        ..TracePacket::default()
    };
    packet(&around, Some(&event))
}

/// A span as its lane, its process, its name, its start and its length.
fn spans(file: Vec<u8>) -> Vec<(u32, String, String, i64, i64)> {
    let (records, receipt) = opened(file).unwrap();
    assert_eq!(receipt.repaired, 0, "{:?}", receipt.repairs);
    let capture = capture(records);
    let spans = capture.spans().map(|it| {
        assert_eq!(it.span.kind, SpanKind::Scope);
        let lane = capture.lane(it.span.lane).unwrap();
        assert_eq!(lane.thread, "", "asynchronous operations are of no thread");
        (
            it.span.lane.0,
            lane.process.clone(),
            capture.name(it.span.name).to_owned(),
            it.span.start.0,
            (it.span.end - it.span.start).0,
        )
    });
    let mut spans: Vec<_> = spans.collect();
    spans.sort_by_key(|it| (it.3, it.4));
    spans
}

/// An operation may begin on one thread and end on another; its number tells it apart, by category, or by name where the phase
/// is one that does not nest. Several under way at once share a lane, as in Perfetto.
#[test]
fn asynchronous_operations_meet_by_their_numbers() {
    let load = ("load", "net");
    let frame = ("frame", "gpu");
    let file = [
        thread(1, 5, 51),
        thread(2, 5, 52),
        event((100, 1), b'b', load, (UNSCOPED, 7)),
        event((110, 2), b'b', load, (UNSCOPED, 8)),
        event((120, 2), b'n', ("redirect", "net"), (UNSCOPED, 7)),
        event((130, 2), b'e', load, (UNSCOPED, 7)),
        event((150, 1), b'e', load, (UNSCOPED, 8)),
        event((200, 1), b'S', frame, (GLOBAL, 7)),
        event((210, 2), b'T', frame, (GLOBAL, 7)),
        event((240, 2), b'F', frame, (GLOBAL, 7)),
    ];
    let owned = |(lane, name, start, length): (u32, &str, i64, i64)| {
        (lane, "5".to_owned(), name.to_owned(), start, length)
    };
    let expected = [
        (0, "load", 0, 30),
        (0, "load", 10, 40),
        (0, "redirect", 20, 0),
        (1, "frame", 100, 40),
        (1, "frame", 110, 0),
    ];
    let found = spans(file.concat());
    assert_eq!(found, expected.map(owned));
}

/// A number that counts in one process alone is another in another process.
#[test]
fn a_local_number_is_of_one_process() {
    let load = ("load", "net");
    let file = [
        thread(1, 5, 51),
        thread(2, 6, 61),
        event((100, 1), b'b', load, (LOCAL, 7)),
        event((110, 2), b'b', load, (LOCAL, 7)),
        event((130, 1), b'e', load, (LOCAL, 7)),
        event((170, 2), b'e', load, (LOCAL, 7)),
    ];
    let expected = [
        (0, "5".to_owned(), "load".to_owned(), 0, 30),
        (1, "6".to_owned(), "load".to_owned(), 10, 60),
    ];
    assert_eq!(spans(file.concat()), expected);
}

/// Points of arrows are not read, and that is said.
#[test]
fn arrows_of_the_old_form_are_counted() {
    let file = [
        thread(1, 5, 51),
        event((100, 1), b's', ("arrow", "x"), (UNSCOPED, 7)),
        event((110, 1), b'f', ("arrow", "x"), (UNSCOPED, 7)),
    ];
    let (_, receipt) = opened(file.concat()).unwrap();
    let notes = receipt.notes.join(" ");
    assert!(notes.contains("2 points of arrows"), "{notes}");
}
